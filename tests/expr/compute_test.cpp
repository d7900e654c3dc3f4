// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Computes of every rank and kind of body, their names and places, and what they refuse.

#include "lathe/expr/compute.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "expr/values.hpp"
#include "lathe/expr/functions.hpp"
#include "lathe/expr/print.hpp"

namespace {

using namespace lathe;
using lathe_test::error_of;
using lathe_test::text_of_error;
using lathe_test::values;

TEST(Compute, TheFirstProgram) {
  constexpr int N = 1, C = 2, H = 4, W = 5, KH = 3, KW = 3, p = 1, stride = 2, OH = 2, OW = 3;
  auto input = placeholder<float>({N, C, H, W}, "input");
  auto filter = placeholder<float>({C, 1, KH, KW}, "filter");
  auto padded = compute(
      {N, C, H + 2 * p, W + 2 * p},
      [&](Index n, Index c, Index y, Index x) {
        return if_then_else(y >= p && y < H + p && x >= p && x < W + p, input(n, c, y - p, x - p), 0.0f);
      },
      "padded");
  auto ky = reduce_axis(KH, "ky"), kx = reduce_axis(KW, "kx");
  auto conv = compute(
      {N, C, OH, OW},
      [&](Index n, Index c, Index y, Index x) {
        return sum(padded(n, c, y * stride + ky, x * stride + kx) * filter(c, 0, ky, kx), ky, kx);
      },
      "conv(n, c, y, x)");
  static_assert(std::is_same_v<decltype(conv), Tensor<float, 4>>);

  std::vector<float> image, weights, expected;
  for (int n = 0; n < C * H * W; ++n) image.push_back(static_cast<float>(n * 7 % 23 - 11));
  for (int n = 0; n < C * KH * KW; ++n) weights.push_back(static_cast<float>(n * 5 % 9 - 4));
  for (int c = 0; c < C; ++c)
    for (int y = 0; y < OH; ++y)
      for (int x = 0; x < OW; ++x) {
        float total = 0;
        for (int i = 0; i < KH; ++i)
          for (int j = 0; j < KW; ++j) {
            const int row = y * stride + i - p, column = x * stride + j - p;
            if (row < 0 || row >= H || column < 0 || column >= W) continue;
            total += image[static_cast<std::size_t>((c * H + row) * W + column)] *
                     weights[static_cast<std::size_t>((c * KH + i) * KW + j)];
          }
        expected.push_back(total);
      }
  EXPECT_EQ(values(conv, {{input, image}, {filter, weights}}), expected);
  EXPECT_EQ(to_string(conv),
            "compute conv: float32[1, 2, 2, 3]\n"
            "  conv(n, c, y, x) = sum(padded(n, c, y*2 + ky, x*2 + kx)*filter(c, 0, ky, kx), ky in 0..3, kx in 0..3)");
}

TEST(Compute, RanksFromZeroToEight) {
  EXPECT_EQ(values(compute([] { return 7; })), std::vector<int>{7});
  EXPECT_EQ(values(compute({}, [] { return 2.5; }, "x")), std::vector<double>{2.5});
  EXPECT_EQ(values(compute({3}, [](Index i) { return cast<int>(i); })), (std::vector<int>{0, 1, 2}));
  auto eight = compute({1, 2, 1, 2, 1, 2, 1, 3}, [](auto... i) { return cast<int>((Index(0) + ... + i)); }, "eight");
  static_assert(std::is_same_v<decltype(eight), Tensor<int, 8>>);
  std::vector<int> expected;
  for (int b = 0; b < 2; ++b)
    for (int d = 0; d < 2; ++d)
      for (int f = 0; f < 2; ++f)
        for (int h = 0; h < 3; ++h) expected.push_back(b + d + f + h);
  EXPECT_EQ(values(eight), expected);
}

TEST(Compute, BodiesMayBeLiteralsExpressionsAndWhatDerivesFromThem) {
  static_assert(std::is_same_v<decltype(compute({2}, [](Index) { return true; })), Tensor<bool, 1>>);
  static_assert(std::is_same_v<decltype(compute({2}, [](Index) { return float16(1.0); })), Tensor<float16, 1>>);
  auto alpha = scalar<float>("alpha");
  auto filled = compute({2}, [&](Index) { return alpha; });
  static_assert(std::is_same_v<decltype(filled), Tensor<float, 1>>);
  EXPECT_EQ(values(filled, {{alpha, 2.0f}}), (std::vector<float>{2, 2}));
  const auto named = [](const Index &i, const Index &j) { return i == j; };  // an lvalue
  EXPECT_EQ(values(compute({2, 2}, named)), (std::vector<bool>{true, false, false, true}));
}

TEST(Compute, NamesAndPlaces) {
  const auto line = static_cast<std::uint32_t>(__LINE__ + 1);
  auto A = compute({2}, [](Index i) { return cast<int>(i); });
  EXPECT_EQ(A.untyped().operation->place.line, line);
  EXPECT_EQ(A.name(), "compute" + std::to_string(line));
  EXPECT_EQ(A.untyped().operation->axes[0].name(), "i");
  auto B = compute({2, 3, 4}, [](Index, Index, Index) { return 1; }, std::string("B"));
  EXPECT_EQ(B.name(), "B");
  EXPECT_EQ(B.untyped().operation->axes[2].name(), "i2");
  auto C = compute({2, 3}, [](Index, Index) { return 1; }, "C(row, column)");
  EXPECT_EQ(C.name(), "C");
  EXPECT_EQ(C.untyped().operation->axes[1].name(), "column");
  for (const char *name : {"C(i)", "C(i, j, k)", "C(i,", "C(, j)", "C(i, j)x"})
    EXPECT_EQ(error_of([&] { compute({2, 3}, [](Index, Index) { return 1; }, name); }).substr(0, 4), "E011") << name;
}

TEST(Compute, ShapesOfOtherTensors) {
  auto n = size_var("n");
  auto A = placeholder<int>({n, dim("C", 3)}, "A");
  auto B = compute(A.shape(), [&](Index i, Index j) { return A(i, j) * 2; }, "B");
  EXPECT_EQ(B.untyped().operation->extent_names, (std::vector<std::string>{"", "C"}));
  EXPECT_EQ(values(B, {{A, std::vector<int>{1, 2, 3, 4, 5, 6}, {2, 3}}}), (std::vector<int>{2, 4, 6, 8, 10, 12}));
}

TEST(Compute, ErrorsInTheBodyNameStageAndPlace) {
  auto X = placeholder<std::int8_t>({4}, "X");
  const int line = __LINE__ + 1;
  const auto text = text_of_error([&] { compute({4}, [&](Index i) { return X(i) + 200; }, "Y"); });
  EXPECT_EQ(
      text,
      "error[E001]: the literal 200 does not fit int8, which holds -128 to 127\n  --> compute_test.cpp:" + std::to_string(line) +
          "\n  help: convert the expression beside it to a wider type:   cast<double>(x)   or   cast<std::int64_t>(x)");
  try {
    compute({4}, [&](Index i) { return X(i) + 200; }, "Y");
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.stage(), "Y");
  }
}

TEST(Compute, AxesHaveAValueOnlyWhereTheyAreBound) {
  auto A = placeholder<float>({4, 4}, "A");
  auto k = reduce_axis(4, "k"), l = reduce_axis(4, "l");
  const std::string loose = "E003 axis k is used in the expression, where it has no value";
  EXPECT_EQ(error_of([&] { compute({4}, [&](Index i) { return A(i, k); }); }), loose);
  EXPECT_EQ(error_of([&] { compute({4}, [&](Index i) { return sum(A(i, k), l); }); }),
            "E003 axis k is used in the reduction, where it has no value");
  EXPECT_EQ(error_of([&] { compute({4}, [&](Index i) { return sum(A(i, k), k).init(A(i, k)); }); }),
            "E003 axis k is used in the reduction's init, where it has no value");
  EXPECT_EQ(error_of([&] { compute({4}, [&](Index i) { return sum(A(i, k), k).where(l < i); }); }),
            "E003 axis l is used in the reduction's condition, where it has no value");
  auto below = reduce_axis(k + 1, "j");
  EXPECT_EQ(error_of([&] { compute({4}, [&](Index i) { return sum(A(i, below), below); }); }),
            "E003 axis k is used in the domain of a reduction axis, where it has no value");
  EXPECT_EQ(error_of([&] { compute({4}, [&](Index i) { return sum(A(i, below), k, below); }); }), "none");
  EXPECT_EQ(error_of([&] { compute({k}, [&](Index) { return 1; }); }), "E003 axis k is used in an extent, where it has no value");
  EXPECT_EQ(
      error_of([&] { compute({4}, [&](Index i) { return compute({4}, [&](Index j) { return A(i, j); })(0); }); }).substr(0, 4),
      "E003");
}

TEST(Compute, DeepAndSharedExpressionsStayLinear) {
  auto X = placeholder<float>({2}, "X");
  auto chain = compute({2}, [&](Index i) {
    Expr<float> total = 0;
    for (int n = 0; n < 10000; ++n) total += X(i);
    return total;
  });
  EXPECT_EQ(values(chain, {{X, std::vector<float>{1, 2}}}), (std::vector<float>{10000, 20000}));
  auto powers = compute({2}, [&](Index i) {
    Expr<float> e = X(i);
    for (int n = 0; n < 500; ++n) e = e * e;  // 2^500 leaves as a tree
    return e;
  });
  EXPECT_EQ(values(powers, {{X, std::vector<float>{1, -1}}}), (std::vector<float>{1, 1}));
}

}  // namespace
