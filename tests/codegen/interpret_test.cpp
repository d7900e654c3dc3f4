// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The checking interpreter: results of small programs known by hand, and each fault with what it must name.

#include "lathe/codegen/interpret.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <numeric>

#include "c_harness.hpp"

namespace {

using namespace c_harness;
using codegen::interpret;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

void run(const Program &p, const std::vector<Slot> &slots) { interpret(p, slots); }

/// The error that a program ends with.
Diagnostic fault(const Program &p, const std::vector<Slot> &slots) {
  try {
    interpret(p, slots);
  } catch (const Error &error) {
    EXPECT_EQ(error.stage(), error.diagnostic().stage);
    return error.diagnostic();
  }
  return {};
}

std::string loops_of(const Diagnostic &diagnostic) {
  for (const Note &note : diagnostic.notes)
    if (note.label == "loops") return note.text;
  return {};
}

Stmt labelled(std::string label, Stmt s) { return make(Block{{std::move(s)}, std::move(label)}); }

TEST(Interpreter, LoopsBranchesAndBindings) {
  const Var i = index_var("i"), n = index_var("n", true), twice = index_var("twice");
  const Buffer out("out", i32, {n});
  const Stmt even = store(out, {i}, cast(i32, twice)), odd = store(out, {i}, constant(i32, std::int64_t{-1}));
  const Stmt body = make(Bind{twice, Expr(i) * 2, make(If{equals(Expr(i) % 2, 0), even, odd})});
  const Program p = program("p", {output(out), scalar(n)}, loop(i, n, body));
  std::vector<std::int32_t> result(5);
  run(p, {address(result), integer(5)});
  EXPECT_THAT(result, ElementsAre(0, -1, 4, -1, 8));
  run(p, {Slot{}, integer(0)});  // no elements, no address
}

TEST(Interpreter, LanesMasksAndShuffles) {
  const Buffer a("a", i32, {8}), out("out", i32, {8}), gathered("gathered", i32, {8});
  const Expr lanes = ramp(0, 1, 8), values = load(a, {lanes});
  const Expr odd = equals(lanes % broadcast(2, 8), broadcast(1, 8));
  const Expr reversed = shuffle({values}, {7, 6, 5, 4, 3, 2, 1, 0});
  const Stmt body =
      block({store(out, {lanes}, reversed + broadcast(constant(i32, std::int64_t{100}), 8), odd),
             store(out, {lanes}, values, !odd), store(gathered, {lanes}, load(a, {cast(index_type, values)}, !odd))});
  const Program p = program("p", {input(a), output(out), output(gathered)}, body);
  std::vector<std::int32_t> in{1, 2, 3, 4, 5, 6, 7, 0}, result(8), picked(8);
  run(p, {address(in), address(result), address(picked)});
  EXPECT_THAT(result, ElementsAre(1, 107, 3, 105, 5, 103, 7, 101));
  EXPECT_THAT(picked, ElementsAre(2, 0, 4, 0, 6, 0, 0, 0));
}

TEST(Interpreter, VectorAndScalarLoopsAgree) {
  const Var i = index_var("i");
  const Buffer a("a", f32, {16}), out("out", f32, {16});
  const Expr x = load(a, {i});
  const Stmt body = store(out, {i}, mul_add(x, x, unary(UnaryOp::sqrt, x)));
  std::vector<float> in(16), scalar_result(16), vector_result(16);
  std::iota(in.begin(), in.end(), 0.3f);
  run(program("p", {input(a), output(out)}, loop(i, 16, body, LoopKind::vectorized)), {address(in), address(scalar_result)});
  const Expr v = load(a, {ramp(0, 1, 16)});
  run(program("p", {input(a), output(out)}, store(out, {ramp(0, 1, 16)}, mul_add(v, v, unary(UnaryOp::sqrt, v)))),
      {address(in), address(vector_result)});
  EXPECT_EQ(scalar_result, vector_result);
  EXPECT_EQ(scalar_result[3], std::fma(3.3f, 3.3f, std::sqrt(3.3f)));
}

TEST(Interpreter, GuardsKeepLoadsFromHappening) {
  const Var i = index_var("i");
  const Buffer a("a", i32, {4}), out("out", i32, {6}), wide("wide", i32, {6});
  const auto guarded = [&](const Expr &at) {
    const int n = at.lanes();
    const Expr inside = at >= broadcast(1, n) && at < broadcast(5, n);
    const Expr value = load(a, {at - broadcast(1, n)});
    const Expr shared = value * value;
    const Expr first = select(inside, shared + value, broadcast(zero_of(i32), n), true);
    const Expr second = select(!inside, broadcast(zero_of(i32), n), shared, true);
    return first + second + cast(i32.with_lanes(n), inside && value > broadcast(constant(i32, std::int64_t{2}), n));
  };
  const Stmt body = block({loop(i, 6, store(out, {i}, guarded(i))), store(wide, {ramp(0, 1, 6)}, guarded(ramp(0, 1, 6)))});
  std::vector<std::int32_t> in{1, 2, 3, 4}, result(6), lanes(6);
  run(program("p", {input(a), output(out), output(wide)}, body), {address(in), address(result), address(lanes)});
  EXPECT_THAT(result, ElementsAre(0, 3, 10, 22, 37, 0));
  EXPECT_EQ(lanes, result);
}

TEST(Interpreter, NestedGuardsSharingAllStayLinear) {
  const Buffer a("a", i32, {1}), out("out", i32, {1});
  const Var c("c", bool_type);
  Expr value = load(a, {0});
  for (int n = 0; n < 200; ++n)
    value = select(c, value + constant(i32, std::int64_t{1}), value + constant(i32, std::int64_t{2}), true);
  std::vector<std::int32_t> in{1}, result(1);
  run(program("p", {input(a), output(out), scalar(c)}, store(out, {0}, value)), {address(in), address(result), integer(0)});
  EXPECT_EQ(result[0], 401);
}

TEST(Interpreter, SmallTypesScalarsAndStrides) {
  const Var x("x", i8), y("y", f16), s = index_var("s"), i = index_var("i");
  BufferNode node;
  node.name = "a";
  node.type = u8;
  node.shape = {3};
  node.strides = {s};
  const Buffer a(node), out("out", f32, {3});
  const Expr sum = cast(f32, load(a, {i})) + cast(f32, x) + cast(f32, y);
  const Program p = program("p", {input(a), output(out), scalar(x), scalar(y), scalar(s)}, loop(i, 3, store(out, {i}, sum)));
  std::vector<std::uint8_t> in{1, 99, 2, 99, 3};
  std::vector<float> result(3);
  run(p, {address(in), address(result), integer(-5), integer(0x3800), integer(2)});  // 0.5
  EXPECT_THAT(result, ElementsAre(-3.5f, -2.5f, -1.5f));
}

// ---- faults -------------------------------------------------------------------------------------------------------------------

TEST(Interpreter, IndexOutOfBounds) {
  const Var y = index_var("y"), x = index_var("x");
  const Buffer a("a", i32, {2, 3}), out("out", i32, {2, 3});
  std::vector<std::int32_t> in(6), result(6);
  const Stmt reads = labelled("blur", store(out, {y, x}, load(a, {y, Expr(x) + 1})));
  const Diagnostic read =
      fault(program("p", {input(a), output(out)}, loop(y, 2, loop(x, 3, reads))), {address(in), address(result)});
  EXPECT_EQ(read.code, "R001");
  EXPECT_EQ(read.stage, "blur");
  EXPECT_THAT(read.message, AllOf(HasSubstr("a[0, 3]"), HasSubstr("read"), HasSubstr("[2, 3]"), HasSubstr("dimension 1")));
  EXPECT_EQ(loops_of(read), "y = 0, x = 2");
  // In range as a flat offset, but not in its dimension.
  const Stmt writes = store(out, {y, x}, constant(i32, std::int64_t{1}));
  const Diagnostic written =
      fault(program("p", {output(out)}, loop(y, 1, loop(x, 2, writes, LoopKind::serial, 2))), {address(result)});
  EXPECT_EQ(written.code, "R001");
  EXPECT_THAT(written.message, AllOf(HasSubstr("out[0, 3]"), HasSubstr("written")));
  const Stmt negative = store(out, {ramp(-1, 1, 2), 0}, broadcast(constant(i32, std::int64_t{1}), 2));
  EXPECT_THAT(fault(program("p", {output(out)}, negative), {address(result)}).message, HasSubstr("out[-1, 0]"));
}

TEST(Interpreter, ReadOfUnwrittenMemory) {
  const Var i = index_var("i");
  const Buffer out("out", i32, {4}), scratch("scratch", i32, {4});
  std::vector<std::int32_t> result(4);
  const Stmt half = loop(i, 2, store(scratch, {Expr(i) * 2}, cast(i32, i)));
  const Stmt all = loop(i, 4, store(out, {i}, load(scratch, {i})));
  const Diagnostic unwritten =
      fault(program("p", {output(out)}, make(Allocate{{scratch}, block({half, all})})), {address(result)});
  EXPECT_EQ(unwritten.code, "R002");
  EXPECT_THAT(unwritten.message, HasSubstr("scratch[1]"));
  // Outputs start unwritten, and scratch of the iteration before does not count.
  EXPECT_EQ(fault(program("p", {output(out)}, store(out, {0}, load(out, {0}))), {address(result)}).code, "R002");
  const Stmt first = make(If{equals(Expr(i), 0), store(scratch, {0}, zero_of(i32)), {}});
  const Stmt again = loop(i, 2, make(Allocate{{scratch}, block({first, store(out, {i}, load(scratch, {0}))})}));
  EXPECT_EQ(loops_of(fault(program("p", {output(out)}, again), {address(result)})), "i = 1");
}

TEST(Interpreter, RacesBetweenParallelIterations) {
  const Var i = index_var("i"), j = index_var("j"), k = index_var("k");
  const Buffer out("out", i32, {8}), scratch("scratch", i32, {8});
  std::vector<std::int32_t> result(8);
  const Expr one = constant(i32, std::int64_t{1});
  const auto parallel = [](Var var, int extent, Stmt body) { return loop(var, extent, body, LoopKind::parallel); };
  const auto code = [&](Stmt body) { return fault(program("p", {output(out)}, body), {address(result)}).code; };
  const Stmt zeros = loop(j, 8, store(out, {j}, zero_of(i32)));
  // two writers
  const Diagnostic race =
      fault(program("p", {output(out)}, parallel(i, 4, labelled("sum", store(out, {Expr(i) / 2}, one)))), {address(result)});
  EXPECT_EQ(race.code, "R003");
  EXPECT_EQ(race.stage, "sum");
  EXPECT_THAT(race.message, AllOf(HasSubstr("out[0]"), HasSubstr("i = 1 writes"), HasSubstr("i = 0 wrote")));
  // a reader after and before a writer
  EXPECT_EQ(code(block({zeros, parallel(i, 4, store(out, {Expr(i) + 1}, load(out, {i})))})), "R003");
  EXPECT_EQ(code(block({zeros, parallel(i, 4, store(out, {i}, load(out, {Expr(i) + 1})))})), "R003");
  // two readers, the second of which writes
  const Stmt last_writes = make(If{Expr(i) >= 2, store(out, {0}, one), {}});
  EXPECT_EQ(code(block({zeros, parallel(i, 3, block({store(out, {Expr(i) + 1}, load(out, {0})), last_writes}))})), "R003");
  // between iterations of the outer loop, whatever the inner ones do
  const Stmt inner = parallel(k, 2, store(out, {k}, one));
  EXPECT_THAT(fault(program("p", {output(out)}, parallel(i, 2, inner)), {address(result)}).message,
              HasSubstr("loop over i race"));
  // none: elements apart, loops one after another, the same element within an iteration, memory of an iteration's own
  EXPECT_EQ(code(parallel(i, 8, block({store(out, {i}, one), store(out, {i}, load(out, {i}) + one)}))), "");
  EXPECT_EQ(code(block({parallel(i, 4, store(out, {i}, one)), parallel(j, 4, store(out, {Expr(3) - j}, one))})), "");
  EXPECT_EQ(code(loop(i, 2, parallel(j, 4, store(out, {j}, one)))), "");
  EXPECT_EQ(
      code(parallel(i, 4, make(Allocate{{scratch}, block({store(scratch, {0}, one), store(out, {i}, load(scratch, {0}))})}))),
      "");
  // private to the outer loop's iterations, shared by the inner one's
  EXPECT_EQ(code(parallel(i, 2, make(Allocate{{scratch}, parallel(k, 2, store(scratch, {0}, one))}))), "R003");
}

TEST(Interpreter, IndexOverflow) {
  const Var p = index_var("p"), i = index_var("i");
  const Buffer a("a", i32, {4}), out("out", i32, {4});
  std::vector<std::int32_t> in(4), result(4);
  const auto code = [&](Expr index) {
    return fault(program("p", {input(a), output(out), scalar(p)}, loop(i, 4, store(out, {i}, load(a, {index})))),
                 {address(in), address(result), integer(INT64_MAX)});
  };
  EXPECT_EQ(code(Expr(p) + 1 - p).code, "R004");
  EXPECT_EQ(code(Expr(i) - p - p - p).code, "R004");
  const Diagnostic product = code(Expr(p) * 3 * 0 + Expr(p) * 2);
  EXPECT_EQ(product.code, "R004");
  EXPECT_THAT(product.message, HasSubstr("9223372036854775807 * 2"));
}

TEST(Interpreter, PromisedRanges) {
  const Var i = index_var("i");
  const Buffer a("a", i32, {4}), out("out", i32, {4});
  std::vector<std::int32_t> in{0, 3, 2, 4}, result(4);
  const Expr index = ranged(cast(index_type, load(a, {i})), 0, 3);
  const Program p = program("p", {input(a), output(out)}, loop(i, 4, store(out, {i}, cast(i32, index))));
  const Diagnostic broken = fault(p, {address(in), address(result)});
  EXPECT_EQ(broken.code, "R005");
  EXPECT_THAT(broken.message, HasSubstr("[0, 3] is 4"));
  EXPECT_EQ(loops_of(broken), "i = 3");
}

TEST(Interpreter, ChecksAndRequirements) {
  const Var n = index_var("n", true);
  const Buffer out("out", i32, {n});
  std::vector<std::int32_t> result(8);
  Program p = program("p", {output(out), scalar(n)}, make(Check{Expr(n) < 4, "n is small", Location("program.cpp", 12)}));
  const Diagnostic failed = fault(p, {address(result), integer(4)});
  EXPECT_EQ(failed.code, "R006");
  EXPECT_EQ(failed.message, "n is small");
  EXPECT_EQ(failed.place.line, 12u);
  EXPECT_EQ(fault(p, {address(result), integer(3)}).code, "");
  p.requirements.push_back({equals(Expr(n) % 2, 0), "n is even", Location("program.cpp", 3)});
  EXPECT_EQ(fault(p, {address(result), integer(3)}).message, "n is even");
}

TEST(Interpreter, Arguments) {
  BufferNode node;
  node.name = "a";
  node.type = i32;
  node.shape = {2};
  node.alignment = 64;
  const Buffer a(node);
  const Program p = program("p", {output(a)}, store(a, {0}, zero_of(i32)));
  alignas(64) std::int32_t memory[32];
  Slot aligned{}, shifted{};
  aligned.pointer = memory;
  shifted.pointer = memory + 1;
  EXPECT_EQ(fault(p, {aligned}).code, "");
  EXPECT_EQ(fault(p, {shifted}).code, "R007");
  EXPECT_EQ(fault(p, {Slot{}}).code, "R007");
  EXPECT_EQ(fault(p, {}).code, "R008");
  const Var n = index_var("n");
  const Buffer huge("huge", f64, {n, n});
  const Program allocates = program("p", {scalar(n)}, make(Allocate{{huge}, block({})}));
  EXPECT_EQ(fault(allocates, {integer(3)}).code, "");
  EXPECT_EQ(fault(allocates, {integer(std::int64_t{1} << 29)}).code, "R008");
}

}  // namespace
