// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Operators: each gives the node it stands for, and the values that C++ or a table written by hand gives.

#include "lathe/expr/arithmetic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "expr/values.hpp"
#include "lathe/expr/compute.hpp"
#include "lathe/expr/print.hpp"

namespace {

using namespace lathe;
using lathe_test::values;

TEST(Operators, OfFloatsAreThoseOfCpp) {
  const std::vector<float> x = {1.5f, -2.25f, 0.0f, 1e10f}, y = {3.0f, 0.5f, -1.0f, 7.0f};
  auto X = placeholder<float>({4}, "X"), Y = placeholder<float>({4}, "Y");
  auto check = [&](auto expression, auto expected) {
    const auto got = values(compute({4}, [&](Index i) { return expression(X(i), Y(i)); }), {{X, x}, {Y, y}});
    for (std::size_t n = 0; n < x.size(); ++n) EXPECT_EQ(got[n], expected(x[n], y[n])) << n;
  };
  check([](auto a, auto b) { return a + b; }, [](float a, float b) { return a + b; });
  check([](auto a, auto b) { return a - b; }, [](float a, float b) { return a - b; });
  check([](auto a, auto b) { return a * b; }, [](float a, float b) { return a * b; });
  check([](auto a, auto b) { return a / b; }, [](float a, float b) { return a / b; });
  check([](auto a, auto b) { return a % b; },
        [](float a, float b) { return std::fmod(a, b) * b < 0 ? std::fmod(a, b) + b : std::fmod(a, b); });
  check([](auto a, auto) { return -a; }, [](float a, float) { return -a; });
  check([](auto a, auto) { return +a; }, [](float a, float) { return a; });
  check([](auto a, auto b) { return a < b; }, [](float a, float b) { return a < b; });
  check([](auto a, auto b) { return a <= b; }, [](float a, float b) { return a <= b; });
  check([](auto a, auto b) { return a > b; }, [](float a, float b) { return a > b; });
  check([](auto a, auto b) { return a >= b; }, [](float a, float b) { return a >= b; });
  check([](auto a, auto b) { return a == b; }, [](float a, float b) { return a == b; });
  check([](auto a, auto b) { return a != b; }, [](float a, float b) { return a != b; });
  check([](auto a, auto b) { return a > 0 && b > 0; }, [](float a, float b) { return a > 0 && b > 0; });
  check([](auto a, auto b) { return a > 0 || b > 0; }, [](float a, float b) { return a > 0 || b > 0; });
  check([](auto a, auto) { return !(a > 0); }, [](float a, float) { return !(a > 0); });
  check([](auto a, auto) { return 2.0 * a + 1; }, [](float a, float) { return 2.0f * a + 1; });
}

TEST(Operators, OfIntegersFloorAndWrap) {
  const std::vector<std::int8_t> x = {-7, 7, -7, 7, -128, 100, 5}, y = {2, -2, 3, -3, -1, 100, 0};
  auto X = placeholder<std::int8_t>({7}, "X"), Y = placeholder<std::int8_t>({7}, "Y");
  auto of = [&](auto expression) {
    return values(compute({7}, [&](Index i) { return expression(X(i), Y(i)); }), {{X, x}, {Y, y}});
  };
  using List = std::vector<std::int8_t>;
  EXPECT_EQ(of([](auto a, auto b) { return a / b; }), (List{-4, -4, -3, -3, -128, 1, 0}));
  EXPECT_EQ(of([](auto a, auto b) { return a % b; }), (List{1, -1, 2, -2, 0, 0, 0}));
  EXPECT_EQ(of([](auto a, auto b) { return a + b; }), (List{-5, 5, -4, 4, 127, -56, 5}));
  EXPECT_EQ(of([](auto a, auto b) { return a * b; }), (List{-14, -14, -21, -21, -128, 16, 0}));
  EXPECT_EQ(of([](auto a, auto b) { return a & b; }), (List{0, 6, 1, 5, -128, 100, 0}));
  EXPECT_EQ(of([](auto a, auto b) { return a | b; }), (List{-5, -1, -5, -1, -1, 100, 5}));
  EXPECT_EQ(of([](auto a, auto b) { return a ^ b; }), (List{-5, -7, -6, -6, 127, 0, 5}));
  EXPECT_EQ(of([](auto a, auto) { return ~a; }), (List{6, -8, 6, -8, 127, -101, -6}));
  EXPECT_EQ(of([](auto a, auto) { return a << 1; }), (List{-14, 14, -14, 14, 0, -56, 10}));
  EXPECT_EQ(of([](auto a, auto) { return a >> 1; }), (List{-4, 3, -4, 3, -64, 50, 2}));
  EXPECT_EQ(of([](auto a, auto) { return a >> 100; }), (List{-1, 0, -1, 0, -1, 0, 0}));
  EXPECT_EQ(of([](auto a, auto) { return 20 - a; }), (List{27, 13, 27, 13, -108, -80, 15}));
}

TEST(Operators, OfIndicesTakeAnyIntegerOfCpp) {
  const Index i(ir::Expr(ir::Var("i", scalar_types::index)));
  const int two = 2;
  const std::size_t three = 3;
  const std::int64_t four = 4;
  EXPECT_EQ(to_string(i * two + three - four), "i*2 + 3 - 4");
  EXPECT_EQ(to_string((i + 0) * 1), "i");
  EXPECT_EQ(to_string(three < i && i <= four), "3 < i && i <= 4");
  EXPECT_EQ(to_string(i / two % 5), "i/2%5");
  EXPECT_EQ(to_string(1 - -i), "1 - -i");
}

template <class A, class B>
concept Adds = requires(A a, B b) { a + b; };
template <class A, class B>
concept Shifts = requires(A a, B b) { a << b; };
struct Foreign {};

TEST(Operators, LeaveOtherTypesAlone) {
  EXPECT_FALSE(
      (Adds<Expr<float>, Foreign> || Adds<Foreign, Expr<float>> || Adds<Expr<float>, const char *> || Adds<Foreign, Foreign>));
  EXPECT_FALSE((Shifts<std::ostream &, Expr<float>>));
  EXPECT_TRUE((Adds<Expr<float>, double> && Adds<int, Index> && Adds<Index, std::size_t>));
}

}  // namespace
