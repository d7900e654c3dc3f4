// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Every refusal of an expression, with its text.

#include <lathe/lathe.hpp>

#include "golden.hpp"

namespace {

using namespace lathe;
using golden::expect_refusal;

TEST(ExpressionRefusals, E001Literal) {
  auto pixels = placeholder<std::uint8_t>({8}, "pixels");
  expect_refusal("E001", [&] { compute({8}, [&](Index i) { return pixels(i) + 256; }, "brighter(i)"); });
  auto small = placeholder<float16>({8}, "small");
  expect_refusal("E001", [&] { compute({8}, [&](Index i) { return small(i) * 1e6; }, "large(i)"); }, "_float");
  expect_refusal("E001", [&] { pad(pixels, {1}, {1}, -1); }, "_pad");
}

TEST(ExpressionRefusals, E002NegativeExtent) {
  const int rows = 3, window = 5;
  expect_refusal("E002", [&] { placeholder<float>({8, rows - window + 1}, "A"); });
  expect_refusal("E002", [&] { reduce_axis(rows - window, "k"); }, "_reduction");
  expect_refusal("E002", [&] { dim("width", rows - window); }, "_dim");
}

TEST(ExpressionRefusals, E003AxisWithoutValue) {
  auto A = placeholder<float>({8, 4}, "A");
  auto k = reduce_axis(4, "k");
  expect_refusal("E003", [&] { compute({8}, [&](Index i) { return A(i, k) * 2.0f; }, "C(i)"); });
  expect_refusal("E003", [&] { compute({8}, [&](Index i) { return sum(A(i, k), k).init(A(0, k)); }, "C(i)"); }, "_init");
}

TEST(ExpressionRefusals, E004AxisReducedTwice) {
  auto A = placeholder<float>({4, 4}, "A");
  auto k = reduce_axis(4, "k");
  expect_refusal("E004", [&] { compute([&] { return sum(A(k, k), k, k); }, "trace"); });
}

TEST(ExpressionRefusals, E005UncheckedOfNoRead) {
  auto table = placeholder<float>({10}, "table");
  auto ids = placeholder<int>({4}, "ids");
  expect_refusal("E005", [&] { compute({4}, [&](Index i) { return unchecked(table(ids(i)) * 2.0f); }, "out(i)"); });
}

TEST(ExpressionRefusals, E006EmptyRange) {
  auto table = placeholder<float>({10}, "table");
  auto ids = placeholder<int>({4}, "ids");
  expect_refusal("E006", [&] { compute({4}, [&](Index i) { return table(assume_range(ids(i), 10, 0)); }, "out(i)"); });
}

TEST(ExpressionRefusals, E007ShapesDoNotBroadcast) {
  auto A = placeholder<float>({2, 3}, "A");
  auto b = placeholder<float>({2}, "b");
  expect_refusal("E007", [&] { A + b; });
}

TEST(ExpressionRefusals, E008DoesNotFitTheTensor) {
  auto A = placeholder<float>({2, 3}, "A"), B = placeholder<float>({2, 4}, "B");
  expect_refusal("E008", [&] { transpose(A, {0, 2}); });
  expect_refusal("E008", [&] { transpose(A, {0, 0}); }, "_twice");
  expect_refusal("E008", [&] { reshape(A, {4, 2}); }, "_reshape");
  expect_refusal("E008", [&] { concat({A, B}, 0); }, "_concat");
  expect_refusal("E008", [&] { concat({A, B}, 2); }, "_concat_axis");
  expect_refusal("E008", [&] { slice(B, {0, 1}, {2, 5}); }, "_slice");
  expect_refusal("E008", [&] { pad(A, {0, -1}, {0, 0}); }, "_pad");
}

TEST(ExpressionRefusals, E009ConstantOverReversedMemory) {
  const float weights[] = {1, 2, 3};
  const View<const float, 1> reversed(weights + 2, {3}, {-1});
  expect_refusal("E009", [&] { constant(reversed, "weights"); });
}

TEST(ExpressionRefusals, E010BrokenPromise) {
  auto minus = reducer("minus", [](Expr<int> x, Expr<int> y) { return x - y; }, 0);
  expect_refusal("E010", [&] { static_cast<void>(minus.commutative()); });
  expect_refusal("E010", [&] { static_cast<void>(minus.associative()); }, "_associative");
  auto squares = reducer("squares", [](Expr<float> x, Expr<float> y) { return x + y * y; }, 0.0f);
  expect_refusal("E010", [&] { static_cast<void>(squares.associative()); }, "_identity");
}

TEST(ExpressionRefusals, E011NamesOfAxes) {
  auto A = placeholder<float>({8, 4}, "A");
  expect_refusal("E011", [&] { compute({8, 4}, [&](Index i, Index j) { return A(i, j) + 1.0f; }, "C(i)"); });
  expect_refusal("E011", [&] { compute({8, 4}, [&](Index i, Index j) { return A(i, j) + 1.0f; }, "C(i, j"); }, "_bracket");
}

TEST(ExpressionRefusals, E012PromiseAboutMemory) {
  auto A = placeholder<float>({8, 4}, "A");
  expect_refusal("E012", [&] { static_cast<void>(A.align(48)); });
  expect_refusal("E012", [&] { static_cast<void>(A.align(2)); }, "_element");
  expect_refusal("E012", [&] { static_cast<void>(A.strides({-4, 1})); }, "_stride");
}

TEST(ExpressionRefusals, E013AnotherTypeOrRank) {
  const AnyTensor any = placeholder<float>({8, 4}, "A");
  expect_refusal("E013", [&] { any.as<float, 3>(); });
  expect_refusal("E013", [&] { any.as<double, 2>(); }, "_type");
}

}  // namespace
