// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The reference evaluator against plain C++ loops and values known from elsewhere.

#include "lathe/codegen/reference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "lathe/dtype/small_float.hpp"
#include "lathe/ir/build.hpp"

namespace {

using namespace lathe;
using namespace lathe::ir;
using codegen::Arithmetic;
using codegen::evaluate_reference;
using codegen::ReferenceArray;
using codegen::ReferenceInputs;

const DType f32 = scalar_types::float32, f64 = scalar_types::float64, i32 = scalar_types::int32, index_type = scalar_types::index;

Tensor placeholder(std::string name, DType type, std::vector<Expr> shape) {
  OperationNode node;
  node.kind = OperationKind::placeholder;
  node.name = std::move(name);
  node.types = {type};
  node.shape = std::move(shape);
  return {Operation(new OperationNode(node)), 0};
}

Operation compute(std::string name, std::vector<Expr> shape, std::vector<Var> axes, std::vector<Expr> bodies) {
  OperationNode node;
  node.name = std::move(name);
  node.place = Location("program.cpp", 7);
  node.shape = std::move(shape);
  node.axes = std::move(axes);
  for (const Expr &body : bodies) node.types.push_back(body.type());
  node.bodies = std::move(bodies);
  return Operation(new OperationNode(node));
}

Var axis(std::string name) { return Var(std::move(name), index_type); }

Reducer sum_of(DType type) {
  ReducerNode node;
  node.name = "sum";
  node.lhs = {Var("a", type)};
  node.rhs = {Var("b", type)};
  node.result = {Expr(node.lhs[0]) + Expr(node.rhs[0])};
  node.identity = {zero_of(type)};
  return Reducer(new ReducerNode(node));
}

Expr reduce(Reducer reducer, std::vector<Expr> sources, std::vector<Axis> axes, Expr where = {}, std::vector<Expr> init = {},
            int output = 0) {
  const DType type = sources[static_cast<std::size_t>(output)].type();
  return make(type, Reduce{std::move(reducer), std::move(sources), std::move(axes), std::move(where), std::move(init), output});
}

template <class T>
ReferenceArray array(DType type, std::vector<std::int64_t> shape, const std::vector<T> &elements) {
  return ReferenceArray(type, std::move(shape), elements.data());
}

template <class T>
std::vector<T> elements(const ReferenceArray &a) {
  std::vector<T> result(static_cast<std::size_t>(a.size()));
  if (!result.empty()) std::memcpy(result.data(), a.data.data(), a.data.size());
  return result;
}

template <class T>
std::vector<T> evaluate(const Operation &operation, const ReferenceInputs &inputs = {}) {
  const Tensor output{operation, 0};
  return elements<T>(evaluate_reference({&output, 1}, inputs)[0]);
}

std::string error_code(const Operation &operation, const ReferenceInputs &inputs = {}) {
  try {
    const Tensor output{operation, 0};
    evaluate_reference({&output, 1}, inputs);
  } catch (const Error &error) {
    return error.code() + " " + error.diagnostic().message;
  }
  return "none";
}

TEST(Reference, ElementwiseWithSizeSymbolFromShape) {
  const Var n("n", index_type, true), i = axis("i");
  const Tensor a = placeholder("a", f32, {n});
  const Operation b = compute("b", {n}, {i}, {read(a, {i}) * constant(f32, 3.0) + cast(f32, i)});
  EXPECT_EQ(evaluate<float>(b, {{{a, array<float>(f32, {4}, {1, 2, 3, 4})}}, {}}), (std::vector<float>{3, 7, 11, 15}));
  EXPECT_EQ(evaluate<float>(b, {{{a, array<float>(f32, {0}, {})}}, {}}), std::vector<float>{});
}

TEST(Reference, RankZeroAndScalarArguments) {
  const Var alpha("alpha", f32);
  const Operation b = compute("b", {}, {}, {Expr(alpha) + constant(f32, 1.0)});
  EXPECT_EQ(evaluate<float>(b, {{}, {{alpha, from_double(f32, 2.5)}}}), std::vector<float>{3.5f});
}

TEST(Reference, ReductionRunsInAxisOrderInTheProgramsType) {
  // Terms that lose their last bits differently in another order.
  const Var i = axis("i"), k = axis("k");
  std::vector<float> values(1000);
  for (std::size_t j = 0; j < values.size(); ++j) values[j] = 1.0f / static_cast<float>(3 * j + 1);
  const Tensor a = placeholder("a", f32, {1000});
  const Operation s = compute("s", {1}, {i}, {reduce(sum_of(f32), {read(a, {k})}, {{k, 0, 1000}})});
  const float expected = std::accumulate(values.begin(), values.end(), 0.0f);
  const ReferenceInputs inputs{{{a, array(f32, {1000}, values)}}, {}};
  EXPECT_EQ(evaluate<float>(s, inputs)[0], expected);
  const Tensor output{s, 0};
  const ReferenceArray wide = evaluate_reference({&output, 1}, inputs, Arithmetic::in_double)[0];
  EXPECT_EQ(wide.type, f64);
  EXPECT_EQ(wide.number(0), std::accumulate(values.begin(), values.end(), 0.0));
}

TEST(Reference, InitWhereAndTriangularDomain) {
  const Var i = axis("i"), k = axis("k");
  const Tensor bias = placeholder("bias", i32, {4});
  const Expr odd = equals(Expr(k) % 2, 1);
  // bias[i] + sum of odd k in [1, i + 2)
  const Operation s =
      compute("s", {4}, {i}, {reduce(sum_of(i32), {cast(i32, k)}, {{k, 1, Expr(i) + 1}}, odd, {read(bias, {i})})});
  EXPECT_EQ(evaluate<std::int32_t>(s, {{{bias, array<std::int32_t>(i32, {4}, {10, 20, 30, 40})}}, {}}),
            (std::vector<std::int32_t>{11, 21, 34, 44}));
}

TEST(Reference, RaggedRowsWithExtentsRead) {
  const Var i = axis("i"), k = axis("k");
  const Tensor starts = placeholder("starts", i32, {4}), values = placeholder("values", f32, {6});
  const Expr begin = cast(index_type, read(starts, {i})), end = cast(index_type, read(starts, {Expr(i) + 1}));
  const Operation s = compute("s", {3}, {i}, {reduce(sum_of(f32), {read(values, {k})}, {{k, begin, end - begin}})});
  EXPECT_EQ(
      evaluate<float>(
          s, {{{starts, array<std::int32_t>(i32, {4}, {0, 2, 2, 6})}, {values, array<float>(f32, {6}, {1, 2, 3, 4, 5, 6})}}, {}}),
      (std::vector<float>{3, 0, 18}));
}

TEST(Reference, TupleReductionFindsTheFirstGreatest) {
  const Var k = axis("k");
  ReducerNode node;
  node.name = "argmax";
  node.lhs = {Var("v", f32), Var("p", i32)};
  node.rhs = {Var("w", f32), Var("q", i32)};
  const Expr keeps = Expr(node.lhs[0]) >= Expr(node.rhs[0]);
  node.result = {select(keeps, node.lhs[0], node.rhs[0]), select(keeps, node.lhs[1], node.rhs[1])};
  node.identity = {least_of(f32), constant(i32, std::int64_t{-1})};
  const Reducer argmax(new ReducerNode(node));
  const Tensor a = placeholder("a", f32, {5});
  const std::vector<Expr> sources{read(a, {k}), cast(i32, k)};
  const Operation best =
      compute("best", {}, {}, {reduce(argmax, sources, {{k, 0, 5}}), reduce(argmax, sources, {{k, 0, 5}}, {}, {}, 1)});
  const std::vector<Tensor> outputs{{best, 1}, {best, 0}};
  const auto results = evaluate_reference(outputs, {{{a, array<float>(f32, {5}, {1, 7, 3, 7, 2})}}, {}});
  EXPECT_EQ(elements<std::int32_t>(results[0]), std::vector<std::int32_t>{1});
  EXPECT_EQ(elements<float>(results[1]), std::vector<float>{7});
}

TEST(Reference, GuardedReadsOutOfBoundsDoNotHappen) {
  const Var i = axis("i");
  const Tensor a = placeholder("a", i32, {4});
  const auto at = [&](int shift) { return read(a, {Expr(i) + shift}); };
  const ReferenceInputs inputs{{{a, array<std::int32_t>(i32, {4}, {1, 2, 3, 4})}}, {}};
  const Expr shared = at(-1) * at(-1);
  const Expr inside = Expr(i) >= 1 && Expr(i) < 5;
  // The shared product is needed in two guarded arms and nowhere else.
  const Expr first = select(inside, shared + shared, zero_of(i32), true);
  const Expr second = select(!inside, constant(i32, std::int64_t{-1}), shared, true);
  EXPECT_EQ(evaluate<std::int32_t>(compute("b", {6}, {i}, {first * constant(i32, std::int64_t{100}) + second}), inputs),
            (std::vector<std::int32_t>{-1, 201, 804, 1809, 3216, -1}));
  const Expr both = Expr(i) < 4 && at(0) > constant(i32, std::int64_t{2});
  const Expr either = Expr(i) >= 4 || at(0) > constant(i32, std::int64_t{2});
  EXPECT_EQ(evaluate<std::int32_t>(compute("c", {6}, {i}, {cast(i32, both) + cast(i32, either)}), inputs),
            (std::vector<std::int32_t>{0, 0, 2, 2, 1, 1}));
}

TEST(Reference, UnguardedReadOutOfBoundsNamesTensorIndexAndPlace) {
  const Var i = axis("i");
  const Tensor a = placeholder("a", i32, {4});
  const ReferenceInputs inputs{{{a, array<std::int32_t>(i32, {4}, {1, 2, 3, 4})}}, {}};
  const Operation b = compute("b", {4}, {i}, {select(Expr(i) >= 1, read(a, {Expr(i) - 1}), zero_of(i32))});
  try {
    evaluate<std::int32_t>(b, inputs);
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), "R001");
    EXPECT_EQ(error.stage(), "b");
    EXPECT_EQ(error.place().line, 7u);
    EXPECT_NE(std::string(error.what()).find("a[-1]"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("b[0]"), std::string::npos) << error.what();
  }
}

TEST(Reference, RefusesWhatItCannotEvaluate) {
  const Var i = axis("i"), p("p", index_type);
  const Tensor a = placeholder("a", i32, {4});
  const Operation b = compute("b", {4}, {i}, {read(a, {i})});
  EXPECT_EQ(error_code(b).substr(0, 4), "R008");
  EXPECT_EQ(error_code(b, {{{a, ReferenceArray(i32, {5})}}, {}}).substr(0, 4), "R008");
  EXPECT_EQ(error_code(b, {{{a, ReferenceArray(f32, {4})}}, {}}).substr(0, 4), "R008");
  const Operation broken = compute("c", {4}, {i}, {read(a, {ranged(cast(index_type, read(a, {i})), 0, 3)})});
  EXPECT_EQ(error_code(broken, {{{a, array<std::int32_t>(i32, {4}, {0, 3, 1, 4})}}, {}}),
            "R005 a value promised to lie in [0, 3] is 4");
  const Operation overflow = compute("d", {4}, {i}, {cast(i32, Expr(p) + i)});
  EXPECT_EQ(error_code(overflow, {{}, {{p, 0x7fffffffffffffff}}}),
            "R004 index arithmetic overflows 64 bits: 9223372036854775807 + 1");
  const Var n = Var("n", index_type, true), j = axis("j");
  const Operation line = compute("line", {n}, {i}, {cast(i32, i)}), square = compute("square", {n, n}, {i, j}, {cast(i32, i)});
  for (const std::int64_t size : {std::int64_t{1} << 61, std::int64_t{1} << 62, std::numeric_limits<std::int64_t>::max()})
    EXPECT_EQ(error_code(line, {{}, {{n, static_cast<Bits>(size)}}}).substr(0, 4), "R008") << size;
  for (const int bits : {31, 32, 33}) EXPECT_EQ(error_code(square, {{}, {{n, Bits{1} << bits}}}).substr(0, 4), "R008") << bits;
  const Operation none = compute("none", {n, n, 0}, {i, j, axis("k")}, {cast(i32, i)});
  EXPECT_EQ(evaluate<std::int32_t>(none, {{}, {{n, Bits{1} << 32}}}), (std::vector<std::int32_t>{}));
}

TEST(Reference, StagesAreEvaluatedOnceAndMayBeGiven) {
  const Var i = axis("i"), j = axis("j");
  const Tensor a = placeholder("a", f32, {3});
  const Operation b = compute("b", {3}, {i}, {read(a, {i}) + constant(f32, 1.0)});
  const Operation c = compute("c", {2}, {j}, {read({b, 0}, {j}) * read({b, 0}, {Expr(j) + 1})});
  EXPECT_EQ(evaluate<float>(c, {{{a, array<float>(f32, {3}, {1, 2, 3})}}, {}}), (std::vector<float>{6, 12}));
  EXPECT_EQ(evaluate<float>(c, {{{Tensor{b, 0}, array<float>(f32, {3}, {5, 6, 7})}}, {}}), (std::vector<float>{30, 42}));
}

TEST(Reference, DeepAndSharedExpressionsStayLinear) {
  const Var i = axis("i");
  const Tensor a = placeholder("a", i32, {1});
  const ReferenceInputs inputs{{{a, array<std::int32_t>(i32, {1}, {1})}}, {}};
  Expr chain = read(a, {i}), doubled = read(a, {i}), guarded = read(a, {i});
  for (int n = 0; n < 20000; ++n) chain = chain + constant(i32, std::int64_t{1});
  for (int n = 0; n < 500; ++n) doubled = doubled + doubled;
  // Each arm needs the value before: 2^200 evaluations if it were repeated.
  for (int n = 0; n < 200; ++n)
    guarded = select(Expr(i) < n % 2, guarded + constant(i32, std::int64_t{1}), guarded + constant(i32, std::int64_t{2}), true);
  EXPECT_EQ(evaluate<std::int32_t>(compute("b", {1}, {i}, {chain}), inputs)[0], 20001);
  EXPECT_EQ(evaluate<std::int32_t>(compute("c", {1}, {i}, {doubled}), inputs)[0], 0);
  EXPECT_EQ(evaluate<std::int32_t>(compute("d", {1}, {i}, {guarded}), inputs)[0], 1 + 100 * 1 + 100 * 2);
}

TEST(Reference, ConstantsAndTypesInDouble) {
  const Var i = axis("i");
  OperationNode node;
  node.kind = OperationKind::constant;
  node.name = "table";
  node.types = {scalar_types::bfloat16};
  node.shape = {2};
  auto data = std::make_shared<List<std::byte>>(4);
  const bfloat16 table[2] = {bfloat16(1.0), bfloat16(0.25)};
  std::memcpy(data->data(), table, 4);
  node.data = data;
  const Tensor t{Operation(new OperationNode(node)), 0};
  const DType bf16 = scalar_types::bfloat16;
  const Operation b = compute("b", {2}, {i}, {read(t, {i}) / constant(bf16, 3.0)});
  const Tensor output{b, 0};
  const ReferenceArray narrow = evaluate_reference({&output, 1}, {})[0];
  EXPECT_EQ(narrow.type, bf16);
  EXPECT_EQ(narrow.number(0), static_cast<double>(static_cast<float>(bfloat16(1.0f / 3.0f))));
  const ReferenceArray wide = evaluate_reference({&output, 1}, {}, Arithmetic::in_double)[0];
  EXPECT_EQ(wide.number(0), 1.0 / 3.0);
  EXPECT_EQ(wide.number(1), 0.25 / 3.0);
}

extern "C" float lathe_test_scaled(float x, std::int32_t n) { return std::ldexp(x, n); }

TEST(Reference, ExternalFunctions) {
  const Var i = axis("i");
  const ExternalFunction scaled{"lathe_test_scaled", reinterpret_cast<const void *>(&lathe_test_scaled), true};
  const Operation b = compute("b", {3}, {i}, {call(f32, scaled, {constant(f32, 1.5), cast(i32, Expr(i) - 1)})});
  EXPECT_EQ(evaluate<float>(b), (std::vector<float>{0.75f, 1.5f, 3.0f}));
  EXPECT_EQ(error_code(compute("c", {1}, {i}, {call(f32, {"lathe_no_such_function", nullptr, true}, {})})).substr(0, 4), "G001");
}

}  // namespace
