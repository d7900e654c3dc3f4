// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Functions of floats: each name stands for the function of that name in <cmath>.

#include "lathe/expr/math.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "expr/values.hpp"
#include "lathe/expr/compute.hpp"

namespace {

using namespace lathe;
using lathe_test::values;

const std::vector<double> points = {0.1, 0.5, 0.9, 0.3, 0.75};

template <class F, class G>
void check(F &&function, G &&expected, const std::vector<double> &at = points) {
  auto X = placeholder<double>({static_cast<int>(at.size())}, "X");
  const auto got = values(compute(X.shape(), [&](Index i) { return function(X(i)); }), {{X, at}});
  for (std::size_t n = 0; n < at.size(); ++n)
    EXPECT_NEAR(got[n], expected(at[n]), 1e-12 * (1 + std::fabs(expected(at[n])))) << at[n];
}

#define CHECK_FUNCTION(name) check([](auto x) { return name(x); }, [](double x) { return std::name(x); })

TEST(Math, FunctionsOfOneNumber) {
  CHECK_FUNCTION(exp);
  CHECK_FUNCTION(exp2);
  CHECK_FUNCTION(expm1);
  CHECK_FUNCTION(log);
  CHECK_FUNCTION(log2);
  CHECK_FUNCTION(log1p);
  CHECK_FUNCTION(sqrt);
  CHECK_FUNCTION(sin);
  CHECK_FUNCTION(cos);
  CHECK_FUNCTION(tan);
  CHECK_FUNCTION(sinh);
  CHECK_FUNCTION(cosh);
  CHECK_FUNCTION(tanh);
  CHECK_FUNCTION(asin);
  CHECK_FUNCTION(acos);
  CHECK_FUNCTION(atan);
  CHECK_FUNCTION(erf);
  check([](auto x) { return rsqrt(x); }, [](double x) { return 1 / std::sqrt(x); });
  check([](auto x) { return sigmoid(x); }, [](double x) { return 1 / (1 + std::exp(-x)); });
}

TEST(Math, RoundingToIntegers) {
  const std::vector<double> at = {-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 2.4, -2.6, 1e300};
  check([](auto x) { return floor(x); }, [](double x) { return std::floor(x); }, at);
  check([](auto x) { return ceil(x); }, [](double x) { return std::ceil(x); }, at);
  check([](auto x) { return trunc(x); }, [](double x) { return std::trunc(x); }, at);
  check([](auto x) { return round(x); }, [](double x) { return std::nearbyint(x); }, at);  // ties to even
}

TEST(Math, FunctionsOfSeveralNumbers) {
  check([](auto x) { return pow(x, 2.5); }, [](double x) { return std::pow(x, 2.5); });
  check([](auto x) { return pow(3, x); }, [](double x) { return std::pow(3.0, x); });
  check([](auto x) { return atan2(x, -1); }, [](double x) { return std::atan2(x, -1.0); });
  check([](auto x) { return ldexp(x, 3); }, [](double x) { return x * 8; });
  check([](auto x) { return fmod(x - 1, 0.3); }, [](double x) { return std::fmod(x - 1, 0.3); });
  check([](auto x) { return fma(x, 0.1, -0.01); }, [](double x) { return std::fma(x, 0.1, -0.01); });
}

TEST(Math, FmaRoundsOnce) {
  const float x = 1.0f + std::ldexp(1.0f, -12);
  auto X = placeholder<float>({1}, "X");
  const auto got = values(compute({1}, [&](Index i) { return fma(X(i), X(i), -1); }), {{X, std::vector<float>{x}}});
  EXPECT_EQ(got[0], std::ldexp(1.0f, -11) + std::ldexp(1.0f, -24));
}

TEST(Math, Classification) {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::nan("");
  const std::vector<double> at = {1, -infinity, nan};
  auto X = placeholder<double>({3}, "X");
  auto of = [&](auto f) { return values(compute({3}, [&](Index i) { return f(X(i)); }), {{X, at}}); };
  EXPECT_EQ(of([](auto x) { return isnan(x); }), (std::vector<bool>{false, false, true}));
  EXPECT_EQ(of([](auto x) { return isinf(x); }), (std::vector<bool>{false, true, false}));
  EXPECT_EQ(of([](auto x) { return isfinite(x); }), (std::vector<bool>{true, false, false}));
}

}  // namespace
