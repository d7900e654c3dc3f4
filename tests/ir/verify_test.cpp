// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The verifier accepts what is well-formed and names each fault with the statement it stands in.

#include "lathe/ir/verify.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "lathe/ir/build.hpp"
#include "lathe/ir/operation.hpp"

namespace {

using namespace lathe;
using namespace lathe::ir;
using testing::AllOf;
using testing::HasSubstr;
namespace types = lathe::scalar_types;

const Var i("i", types::index), j("j", types::index), n("n", types::index, true), x("x", types::float32);
const Buffer a("A", types::float32, {n, 16}), b("B", types::float32, {n, 16}), cell("cell", types::float32, {});

Parameter in_memory(ParameterKind kind, const Buffer &buffer) {
  Parameter p;
  p.kind = kind;
  p.name = buffer->name;
  p.buffer = buffer;
  return p;
}

Program program(const Stmt &body) {
  Program result;
  result.functions.resize(1);
  Function &f = result.functions[0];
  f.name = "f";
  f.parameters = {in_memory(ParameterKind::input, a), in_memory(ParameterKind::output, b)};
  for (const Var &var : {n, x}) {
    Parameter p;
    p.name = var.name();
    p.var = var;
    f.parameters.push_back(p);
  }
  f.body = body;
  return result;
}

/// What the verifier says of a body, empty when it accepts it.
std::string complaint(const Program &p, std::uint32_t form = form_lowered) {
  try {
    verify(p, form, "some_pass");
  } catch (const Error &e) {
    EXPECT_EQ(e.code(), "X001");
    return e.diagnostic().message;
  }
  return "";
}
std::string complaint(const Stmt &body, std::uint32_t form = form_lowered) { return complaint(program(body), form); }

Stmt loop(const Stmt &body, LoopKind kind = LoopKind::serial) { return make(For{i, 0, n, kind, body}); }
Stmt put(const Expr &value) { return make(Store{b, {i, 0}, value, {}}); }
Stmt evaluate_it(const Expr &e) { return make(Evaluate{e}); }

TEST(Verify, AcceptsWhatIsWellFormed) {
  const Buffer t("t", types::float32, {Expr(i) + 1}, {"local"});
  const Expr lanes = ramp(0, 1, 16);
  const Stmt body = block({
      make(Check{Expr(n) > 0, "n is positive", {}}),
      loop(make(Allocate{{t},
                         block({make(Store{t, {0}, load(a, {i, 3}), {}}),
                                make(Store{b, {i, lanes}, load(a, {i, lanes}, lanes < Expr(n)), lanes < Expr(n)}),
                                make(Bind{j, Expr(i) * 2, make(If{Expr(j) < 3, put(load(t, {0})), put(x)})})})}),
           LoopKind::parallel),
      make(Allocate{{cell}, make(Store{cell, {}, x, {}})}),
      loop(put(x)),  // the same variable again, beside its first scope
  });
  EXPECT_EQ(complaint(body), "");
}

TEST(Verify, SaysAfterWhichPassAndShowsTheStatement) {
  EXPECT_THAT(complaint(loop(put(cast(types::float32, j)))),
              AllOf(HasSubstr("after some_pass: variable j is used where it is not defined"), HasSubstr("B[i, 0] = float32(j)")));
}

TEST(Verify, NamesMustBeInScope) {
  const Buffer t("t", types::float32, {4});
  EXPECT_THAT(complaint(block({loop(put(x)), put(x)})), HasSubstr("variable i is used where it is not defined"));
  EXPECT_THAT(complaint(loop(put(load(t, {0})))), HasSubstr("buffer t is used where it is not defined"));
  EXPECT_THAT(complaint(make(Store{t, {0}, x, {}})), HasSubstr("buffer t is used where it is not defined"));
  EXPECT_THAT(complaint(block({make(Allocate{{t}, block({})}), make(Store{t, {0}, x, {}})})), HasSubstr("buffer t is used"));
  EXPECT_THAT(complaint(make(Bind{j, Expr(j) + 1, evaluate_it(j)})), HasSubstr("variable j is used where it is not defined"));
}

TEST(Verify, NamesAreBoundOncePerPath) {
  const Buffer t("t", types::float32, {4});
  EXPECT_THAT(complaint(loop(loop(put(x)))), HasSubstr("variable i is defined again within its own scope"));
  EXPECT_THAT(complaint(make(Bind{n, 4, evaluate_it(n)})), HasSubstr("variable n is defined again"));
  EXPECT_THAT(complaint(make(Allocate{{t}, make(Allocate{{t}, block({})})})), HasSubstr("buffer t is defined again"));
  Program p = program(loop(put(x)));
  p.functions[0].parameters.push_back(p.functions[0].parameters[0]);
  EXPECT_THAT(complaint(p), HasSubstr("parameter A appears twice"));
}

TEST(Verify, ShapesAndRequirementsAreOverParameters) {
  Program p = program(loop(put(x)));
  p.requirements = {{Expr(n) > 0, "n is positive", {}}};
  EXPECT_EQ(complaint(p), "");
  p.requirements = {{Expr(j) > 0, "j is positive", {}}};
  EXPECT_THAT(complaint(p), AllOf(HasSubstr("variable j is used"), HasSubstr("the requirement \"j is positive\"")));
  p.requirements = {{Expr(n), "n", {}}};
  EXPECT_THAT(complaint(p), HasSubstr("a condition is not bool"));
  Program q = program(loop(put(x)));
  q.functions[0].parameters.erase(q.functions[0].parameters.begin() + 2);
  EXPECT_THAT(complaint(q), HasSubstr("variable n is used where it is not defined"));
}

TEST(Verify, OperandTypesAndLanes) {
  const auto bad = [](DType type, auto node) { return complaint(evaluate_it(make(type, node))); };
  const Expr four = broadcast(x, 4), truth = boolean(true), one = Expr(1);
  EXPECT_THAT(bad(types::index, Binary{BinaryOp::add, one, x}), HasSubstr("the operands of an operator differ"));
  EXPECT_THAT(bad(DType(types::float32, 4), Binary{BinaryOp::add, four, x}), HasSubstr("the operands of an operator differ"));
  EXPECT_THAT(bad(types::index, Binary{BinaryOp::add, one, {}}), HasSubstr("the operands of an operator differ"));
  EXPECT_THAT(bad(types::float32, Binary{BinaryOp::lt, x, x}), HasSubstr("another type than its operands give"));
  EXPECT_THAT(bad(types::boolean, Binary{BinaryOp::add, truth, truth}), HasSubstr("does not take these operands"));
  EXPECT_THAT(bad(types::index, Unary{UnaryOp::exp, one}), HasSubstr("does not take this operand"));
  EXPECT_THAT(bad(types::float32, Unary{UnaryOp::is_nan, x}), HasSubstr("another type than its operand gives"));
  EXPECT_THAT(bad(DType(types::boolean, 4), Unary{UnaryOp::any_lane, broadcast(truth, 4)}), HasSubstr("than its operand gives"));
  EXPECT_THAT(bad(types::boolean, Unary{UnaryOp::any_lane, four}), HasSubstr("does not take this operand"));
  EXPECT_THAT(bad(types::float32, MulAdd{x, x, one}), HasSubstr("the operands of mul_add"));
  EXPECT_THAT(bad(DType(types::float32, 4), Select{truth, four, four, false}), HasSubstr("the condition of a select"));
  EXPECT_THAT(bad(types::float32, Select{truth, x, one, false}), HasSubstr("the arms of a select"));
  EXPECT_THAT(bad(types::index, Cast{CastMode::convert, four}), HasSubstr("a cast keeps the lanes"));
  EXPECT_THAT(bad(types::int64, Cast{CastMode::reinterpret, x}), HasSubstr("reinterpreting keeps the width"));
  EXPECT_THAT(bad(types::float32, Ranged{x, x, x}), HasSubstr("value and ends of a range"));
  EXPECT_THAT(bad(DType(types::float32, 4), Ramp{x, x}), HasSubstr("a ramp makes a vector"));
  EXPECT_THAT(bad(types::float32, Broadcast{x}), HasSubstr("a broadcast makes a vector"));
  EXPECT_THAT(bad(types::float32, Shuffle{{four}, {4}}), HasSubstr("picks a lane that does not exist"));
  EXPECT_THAT(bad(DType(types::float32, 2), Shuffle{{four}, {0}}), HasSubstr("another number of lanes"));
  EXPECT_THAT(bad(DType(types::float32, 4), Call{{"f", nullptr, true}, {x}}), HasSubstr("arguments of a call"));
  EXPECT_THAT(bad(types::float32, VarRef{n}), HasSubstr("another type than the variable"));
  EXPECT_THAT(bad(DType(types::float32, 4), Const{0}), HasSubstr("a constant has one lane"));
}

TEST(Verify, Accesses) {
  const auto bad = [](DType type, Load node) { return complaint(evaluate_it(make(type, std::move(node)))); };
  EXPECT_THAT(bad(types::float32, {a, {0}, {}}), HasSubstr("the number of indices is not the rank"));
  EXPECT_THAT(bad(types::float32, {a, {0, x}, {}}), HasSubstr("an index is not of type index"));
  EXPECT_THAT(bad(types::int32, {a, {0, 0}, {}}), HasSubstr("a load has another type"));
  EXPECT_THAT(bad(types::float32, {a, {0, ramp(0, 1, 4)}, {}}), HasSubstr("a load has another type"));
  EXPECT_THAT(bad(DType(types::float32, 8), {a, {ramp(0, 1, 4), ramp(0, 1, 8)}, {}}), HasSubstr("different numbers of lanes"));
  EXPECT_THAT(bad(types::float32, {a, {0, 0}, n}), HasSubstr("a predicate is not bool"));
  EXPECT_THAT(bad(types::float32, {a, {0, 0}, ramp(0, 1, 4) < Expr(n)}), HasSubstr("a predicate has other lanes"));
  EXPECT_THAT(complaint(make(Store{b, {0}, x, {}})), HasSubstr("the number of indices is not the rank"));
  EXPECT_THAT(complaint(make(Store{b, {0, 0}, n, {}})), HasSubstr("the value of a store has another type"));
  EXPECT_THAT(complaint(make(Store{b, {0, 0}, broadcast(x, 4), {}})), HasSubstr("the value of a store has another type"));
  EXPECT_THAT(complaint(make(Store{b, {0, ramp(0, 1, 4)}, x, {}})), HasSubstr("the value of a store has another type"));
  EXPECT_THAT(complaint(make(Store{b, {0, 0}, x, n})), HasSubstr("a predicate is not bool"));
  EXPECT_THAT(complaint(make(Store{b, {0, x}, x, {}})), HasSubstr("an index is not of type index"));
}

TEST(Verify, Statements) {
  EXPECT_THAT(complaint(make(If{n, put(x), {}})), HasSubstr("a condition is not bool"));
  EXPECT_THAT(complaint(make(If{Expr(n) < 3, {}, {}})), HasSubstr("a body is missing"));
  EXPECT_THAT(complaint(make(For{i, 0, x, LoopKind::serial, put(x)})), HasSubstr("the bounds of a loop are not of type index"));
  EXPECT_THAT(complaint(make(For{i, 0, {}, LoopKind::serial, put(x)})), HasSubstr("the extent of a loop is missing"));
  EXPECT_THAT(complaint(make(For{x, 0, n, LoopKind::serial, block({})})), HasSubstr("a loop variable is not an index"));
  EXPECT_THAT(complaint(make(Bind{j, x, evaluate_it(j)})), HasSubstr("a variable is bound to a value of another type"));
  EXPECT_THAT(complaint(make(Check{n, "n", {}})), HasSubstr("a condition is not bool"));
  EXPECT_THAT(complaint(make(Block{{Stmt()}, ""})), HasSubstr("a statement is missing"));
  EXPECT_THAT(complaint(make(Allocate{{Buffer("t", types::float32, {x})}, block({})})), HasSubstr("an extent is not an index"));
}

TEST(Verify, NoReadsNorReductionsRemain) {
  auto *node = new OperationNode;
  node->name = "P";
  node->shape = {4};
  node->types = {types::float32};
  const Expr element = read({Operation(node), 0}, {0});
  EXPECT_THAT(complaint(evaluate_it(element)), HasSubstr("a read of a tensor remains"));
  auto *reducer = new ReducerNode;
  reducer->name = "sum";
  EXPECT_THAT(complaint(evaluate_it(make(types::float32, Reduce{Reducer(reducer), {x}, {{j, 0, 4}}, {}, {}, 0}))),
              HasSubstr("a reduction remains"));
}

TEST(Verify, Forms) {
  const Stmt vectorized = loop(put(x), LoopKind::vectorized), unrolled = loop(put(x), LoopKind::unrolled);
  const Stmt guarding = loop(put(select(Expr(i) < 3, load(a, {i, 0}), x, true)));
  const Stmt wide = evaluate_it(broadcast(x, 4));
  const Stmt wide_condition = make(If{ramp(0, 1, 4) < Expr(n), block({}), {}});
  for (const Stmt &s : {vectorized, unrolled, guarding, wide, wide_condition}) EXPECT_EQ(complaint(s), "");
  EXPECT_THAT(complaint(vectorized, form_no_vectorized_loops), HasSubstr("a loop is still vectorized"));
  EXPECT_THAT(complaint(unrolled, form_no_unrolled_loops), HasSubstr("a loop is still unrolled"));
  EXPECT_THAT(complaint(guarding, form_no_guarding_selects), HasSubstr("a select guards"));
  EXPECT_THAT(complaint(wide, form_scalar), HasSubstr("a value has lanes"));
  EXPECT_THAT(complaint(wide_condition, form_scalar_conditions), HasSubstr("the condition of an if has lanes"));
  EXPECT_EQ(complaint(vectorized, form_no_unrolled_loops | form_no_guarding_selects | form_scalar | form_scalar_conditions), "");
}

TEST(Verify, LongStatementsAreCut) {
  Stmt body = block(std::vector<Stmt>(100, put(x)));
  const std::string text = complaint(make(For{x, 0, n, LoopKind::serial, body}));
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 20);
  EXPECT_THAT(text, HasSubstr("…"));
}

}  // namespace
