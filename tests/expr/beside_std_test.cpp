// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Lathe's names beside everything of std and Eigen: each call finds the function that its arguments mean.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "expr/values.hpp"
#include "lathe/expr/functions.hpp"
#include "lathe/expr/layout.hpp"
#include "lathe/expr/operators.hpp"
#include "lathe/expr/print.hpp"

using namespace lathe;
using namespace std;

namespace {

TEST(BesideStd, ExpressionsFindLathe) {
  const Expr<float> x = 2, y = 3;
  auto k = reduce_axis(4, "k"), l = reduce_axis(4, "l");
  EXPECT_EQ(to_string(max(x, y)), "3.0f");
  EXPECT_EQ(to_string(min(x, 1)), "1.0f");
  EXPECT_EQ(to_string(max(k, l)), "max(k, l)");
  EXPECT_EQ(to_string(clamp(k, 0, 3)), "min(max(k, 0), 3)");
  EXPECT_EQ(to_string(clamp(k, k, k)), "min(max(k, k), k)");
  EXPECT_EQ(to_string(abs(-x) + pow(x, y) * exp(y)), "2.0f + pow(2.0f, 3.0f)*exp(3.0f)");
  EXPECT_EQ(to_string(fma(x, y, x) + fmod(x, y) + atan2(x, 1)), "10.0f + atan2(2.0f, 1.0f)");
  EXPECT_EQ(to_string(isnan(x) || isinf(x) || isfinite(x)), "true");
  EXPECT_EQ(to_string(floor(x) + round(x) + trunc(x) + ceil(x) + sqrt(x + 2)), "10.0f");
  EXPECT_EQ(to_string(popcount(Expr<unsigned>(7))), "3");
  auto A = placeholder<float>({2, 4}, "A");
  EXPECT_EQ(to_string(compute(
                {2}, [&](Index i) { return max(A(i, k), k); }, "m")),
            "compute m: float32[2]\n  m(i) = max(A(i, k), k in 0..4)");
  EXPECT_EQ(max(A, A).name(), "max");
  EXPECT_EQ(exp(A).name(), "exp");
}

TEST(BesideStd, EverythingElseFindsItsOwn) {
  EXPECT_EQ(max(1, 2) + min(1.5, 2.5) + clamp(7, 0, 3) + abs(-2) + pow(2.0, 3), 2 + 1.5 + 3 + 2 + 8);
  EXPECT_EQ(exp(complex<double>(0, 0)), complex<double>(1, 0));
  EXPECT_EQ(string("a") + "b", "ab");
  EXPECT_TRUE(string("a") < string("b") && make_shared<int>(1) != nullptr);
  ostringstream out;
  out << 1 << "x" << 2.5;
  EXPECT_EQ(out.str(), "1x2.5");
  EXPECT_EQ(to_string(7), "7");
  EXPECT_EQ(popcount(7u), 3);
  vector<float> v = {1, 2, 3};
  EXPECT_EQ(accumulate(v.begin(), v.end(), 0.0f), 6);
  EXPECT_TRUE(all_of(v.begin(), v.end(), [](float e) { return e > 0; }));
}

TEST(BesideStd, EigenKeepsItsOperators) {
  Eigen::MatrixXf a = Eigen::MatrixXf::Constant(2, 3, 1.5f), b = a * 2.0f + a - 0.5f * a;
  EXPECT_TRUE((b.array() == 3.75f).all());
  EXPECT_EQ((a.transpose() * b).rows(), 3);
  Eigen::ArrayXf e = Eigen::ArrayXf::Constant(3, 4.0f);
  EXPECT_EQ(sqrt(e).sum(), 6.0f);
  EXPECT_TRUE(a.isApprox(a) && a != b && !(a == b));
}

}  // namespace
