// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Operators on whole tensors: values, broadcasting, scalars, refusals.

#include "lathe/expr/operators.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "expr/values.hpp"
#include "lathe/expr/print.hpp"

namespace {

using namespace lathe;
using lathe_test::error_of;
using lathe_test::values;
using List = std::vector<float>;

const List m = {1, -2, 3, -4, 5, -6}, row = {10, 20, 30}, column = {100, 200};

struct Operands {
  Input<float, 2> M = placeholder<float>({2, 3}, "M");
  Input<float, 1> R = placeholder<float>({3}, "R");
  Input<float, 2> C = placeholder<float>({2, 1}, "C");
  ScalarArgument<float> alpha = scalar<float>("alpha");
  template <class T, int Rank>
  std::vector<T> of(const Tensor<T, Rank> &tensor) const {
    return values(tensor, {{M, m}, {R, row}, {C, column}, {alpha, 0.5f}});
  }
};

TEST(TensorOperators, BroadcastFromTheLastDimension) {
  const Operands o;
  EXPECT_EQ(o.of(o.M + o.R), (List{11, 18, 33, 6, 25, 24}));
  EXPECT_EQ(o.of(o.R + o.M), (List{11, 18, 33, 6, 25, 24}));
  EXPECT_EQ(o.of(o.M + o.C), (List{101, 98, 103, 196, 205, 194}));
  EXPECT_EQ(o.of(o.C * o.R), (List{1000, 2000, 3000, 2000, 4000, 6000}));
  EXPECT_EQ(o.of(max(o.M * 2 + 1, 0)), (List{3, 0, 7, 0, 11, 0}));
  static_assert(std::is_same_v<decltype(o.R + o.M), Tensor<float, 2>>);
}

TEST(TensorOperators, TakeLiteralsAndScalarArguments) {
  const Operands o;
  EXPECT_EQ(o.of(1 - o.M), (List{0, 3, -2, 5, -4, 7}));
  EXPECT_EQ(o.of(o.M * o.alpha), (List{0.5f, -1, 1.5f, -2, 2.5f, -3}));
  EXPECT_EQ(o.of(clamp(o.M, 0, 3)), (List{1, 0, 3, 0, 3, 0}));
}

TEST(TensorOperators, CompareChooseAndConvert) {
  const Operands o;
  EXPECT_EQ(o.of(o.M > 0 && !(o.M == 3)), (std::vector<bool>{true, false, false, false, true, false}));
  EXPECT_EQ(o.of(select(o.M > 0, o.M, o.R)), (List{1, 20, 3, 10, 5, 30}));
  EXPECT_EQ(o.of(cast<int>(o.M / 2)), (std::vector<int>{0, -1, 1, -2, 2, -3}));
  EXPECT_EQ(o.of(saturate_cast<std::uint8_t>(cast<int>(o.M) * 100)), (std::vector<std::uint8_t>{100, 0, 255, 0, 255, 0}));
  EXPECT_EQ(o.of(cast<int>(o.R) % 7 << 1 | 1), (std::vector<int>{7, 13, 5}));
}

TEST(TensorOperators, FunctionsActOnElements) {
  const Operands o;
  const auto got = o.of(exp(o.M) + sqrt(abs(o.M)) + pow(o.R, 2) - tanh(-o.M));
  for (std::size_t n = 0; n < m.size(); ++n) {
    const float expected = std::exp(m[n]) + std::sqrt(std::fabs(m[n])) + row[n % 3] * row[n % 3] - std::tanh(-m[n]);
    EXPECT_NEAR(got[n], expected, 1e-4f * std::fabs(expected));
  }
  EXPECT_EQ(o.of(min(o.M, o.M)), m);
  EXPECT_EQ(to_string(exp(o.M)), "compute exp: float32[2, 3]\n  exp(i, j) = exp(M(i, j))");
}

TEST(TensorOperators, SymbolicExtentsMeetThemselvesAndOne) {
  auto n = size_var("n"), other = size_var("n");
  auto A = placeholder<float>({n, 4}, "A"), B = placeholder<float>({1, 4}, "B"), C = placeholder<float>({other, 4}, "C");
  EXPECT_EQ(values(B + A, {{A, List{1, 2, 3, 4, 5, 6, 7, 8}, {2, 4}}, {B, List{10, 20, 30, 40}}}),
            (List{11, 22, 33, 44, 15, 26, 37, 48}));
  EXPECT_EQ(error_of([&] { A + C; }).substr(0, 4), "E007");
  EXPECT_EQ(error_of([] { placeholder<float>({2, 3}) + placeholder<float>({2}); }),
            "E007 shapes [2, 3] and [2] do not broadcast: extents 3 and 2 differ");
}

}  // namespace
