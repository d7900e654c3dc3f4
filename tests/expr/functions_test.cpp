// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Functions of any element type: choosing, converting, integers, calls, promises.

#include "lathe/expr/functions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "expr/values.hpp"
#include "lathe/expr/print.hpp"

float scaled_for_test(float x, std::int32_t n) { return x * static_cast<float>(n) + 0.5f; }

namespace {

using namespace lathe;
using lathe_test::error_of;
using lathe_test::value_of;
using lathe_test::values;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

TEST(Choosing, MinMaxClamp) {
  const std::vector<float> x = {-1, 0.25f, 2, 7};
  auto X = placeholder<float>({4}, "X");
  auto of = [&](auto f) { return values(compute({4}, [&](Index i) { return f(X(i)); }), {{X, x}}); };
  using List = std::vector<float>;
  EXPECT_EQ(of([](auto a) { return max(a, 0.5); }), (List{0.5f, 0.5f, 2, 7}));
  EXPECT_EQ(of([](auto a) { return min(1, a); }), (List{-1, 0.25f, 1, 1}));
  EXPECT_EQ(of([](auto a) { return clamp(a, 0, 2.5f); }), (List{0, 0.25f, 2, 2.5f}));
  EXPECT_EQ(of([](auto a) { return clamp(a, a, a); }), x);
  EXPECT_EQ(of([](auto a) { return abs(a) + sign(a); }), (List{0, 1.25f, 3, 8}));
}

TEST(Choosing, MinAndMaxPropagateNaN) {
  const std::vector<float> x = {nan, 1}, y = {1, nan};
  auto X = placeholder<float>({2}, "X"), Y = placeholder<float>({2}, "Y");
  for (const float v : values(compute({2}, [&](Index i) { return max(X(i), Y(i)); }), {{X, x}, {Y, y}}))
    EXPECT_TRUE(std::isnan(v));
  for (const float v : values(compute({2}, [&](Index i) { return min(X(i), Y(i)); }), {{X, x}, {Y, y}}))
    EXPECT_TRUE(std::isnan(v));
}

TEST(Choosing, IfThenElseGuardsReadsAndSelectDoesNot) {
  auto X = placeholder<float>({3}, "X");
  const std::vector<float> x = {5, 6, 7};
  auto guarded = compute({5}, [&](Index i) { return if_then_else(i >= 1 && i < 4, X(i - 1), -1); });
  EXPECT_EQ(values(guarded, {{X, x}}), (std::vector<float>{-1, 5, 6, 7, -1}));
  EXPECT_TRUE(guarded.untyped().operation->bodies[0].as<ir::Select>()->guards);
  auto open = compute({5}, [&](Index i) { return select(i < 3, X(i), -1); });
  EXPECT_FALSE(open.untyped().operation->bodies[0].as<ir::Select>()->guards);
  EXPECT_EQ(error_of([&] { values(open, {{X, x}}); }).substr(0, 4), "R001");
}

TEST(Choosing, TwoLiteralsHaveTheTypeOfCpp) {
  auto flags = compute({2}, [](Index i) { return select(i == 1, 1, 0); });
  static_assert(std::is_same_v<decltype(flags), Tensor<int, 1>>);
  EXPECT_EQ(values(flags), (std::vector<int>{0, 1}));
  auto mixed = compute({2}, [](Index i) { return if_then_else(i == 1, 1.5, 0); });
  static_assert(std::is_same_v<decltype(mixed), Tensor<double, 1>>);
}

TEST(Converting, Casts) {
  const std::vector<float> x = {2.9f, -2.9f, 300, -1, nan, 1e10f};
  auto X = placeholder<float>({6}, "X");
  auto of = [&](auto f) { return values(compute({6}, [&](Index i) { return f(X(i)); }), {{X, x}}); };
  EXPECT_EQ(of([](auto a) { return cast<std::uint8_t>(a); }), (std::vector<std::uint8_t>{2, 0, 255, 0, 0, 255}));
  EXPECT_EQ(of([](auto a) { return cast<int>(a); }), (std::vector<int>{2, -2, 300, -1, 0, std::numeric_limits<int>::max()}));
  EXPECT_EQ(of([](auto a) { return cast<std::int8_t>(cast<int>(a)); }), (std::vector<std::int8_t>{2, -2, 44, -1, 0, -1}));
  EXPECT_EQ(of([](auto a) { return saturate_cast<std::int8_t>(cast<int>(a)); }),
            (std::vector<std::int8_t>{2, -2, 127, -1, 0, 127}));
  EXPECT_EQ(of([](auto a) { return cast<int>(a > 0); }), (std::vector<int>{1, 0, 1, 0, 0, 1}));
  EXPECT_EQ(of([](auto a) { return reinterpret<std::uint32_t>(a) >> 31; }).at(1), 1u);
  EXPECT_EQ(of([](auto a) { return reinterpret<float>(reinterpret<std::uint32_t>(a)); }).at(2), 300.0f);
}

TEST(Converting, AnIndexBecomesData) {
  EXPECT_EQ(values(compute({3}, [](Index i) { return cast<float>(i * 2); })), (std::vector<float>{0, 2, 4}));
}

TEST(Integers, DivisionsRoundAsNamed) {
  const std::vector<int> x = {-7, 7, -7, 7, std::numeric_limits<int>::min(), 5}, y = {2, -2, -2, 3, -1, 0};
  auto X = placeholder<int>({6}, "X"), Y = placeholder<int>({6}, "Y");
  auto of = [&](auto f) { return values(compute({6}, [&](Index i) { return f(X(i), Y(i)); }), {{X, x}, {Y, y}}); };
  using List = std::vector<int>;
  const int least = std::numeric_limits<int>::min();
  EXPECT_EQ(of([](auto a, auto b) { return floor_div(a, b); }), (List{-4, -4, 3, 2, least, 0}));
  EXPECT_EQ(of([](auto a, auto b) { return floor_mod(a, b); }), (List{1, -1, -1, 1, 0, 0}));
  EXPECT_EQ(of([](auto a, auto b) { return trunc_div(a, b); }), (List{-3, -3, 3, 2, least, 0}));
  EXPECT_EQ(of([](auto a, auto b) { return trunc_mod(a, b); }), (List{-1, 1, -1, 1, 0, 0}));
}

TEST(Integers, WideningHighAndRounding) {
  const std::vector<std::int8_t> x = {-128, 127, 100, 7}, y = {-128, 127, 2, -1};
  auto X = placeholder<std::int8_t>({4}, "X"), Y = placeholder<std::int8_t>({4}, "Y");
  auto of = [&](auto f) { return values(compute({4}, [&](Index i) { return f(X(i), Y(i)); }), {{X, x}, {Y, y}}); };
  EXPECT_EQ(of([](auto a, auto b) { return widening_mul(a, b); }), (std::vector<std::int16_t>{16384, 16129, 200, -7}));
  EXPECT_EQ(of([](auto a, auto b) { return mul_high(a, b); }), (std::vector<std::int8_t>{64, 63, 0, -1}));
  EXPECT_EQ(of([](auto a, auto) { return rounding_shift_right(a, 2); }), (std::vector<std::int8_t>{-32, 32, 25, 2}));
  EXPECT_EQ(of([](auto a, auto) { return popcount(a); }), (std::vector<std::int8_t>{1, 7, 3, 3}));
  EXPECT_EQ(of([](auto a, auto) { return clz(a); }), (std::vector<std::int8_t>{0, 1, 1, 5}));
  static_assert(std::is_same_v<typing::wider_t<std::uint32_t>, std::uint64_t> && std::is_same_v<typing::wider_t<float16>, float>);
  static_assert(std::is_void_v<typing::wider_t<std::int64_t>> && std::is_void_v<typing::wider_t<double>> &&
                std::is_void_v<typing::wider_t<bool>>);
}

TEST(Calls, PassArgumentsInTheFunctionsTypes) {
  const std::vector<float> x = {1, 2, -3};
  auto X = placeholder<float>({3}, "X");
  auto called = compute({3}, [&](Index i) { return call<float>(&scaled_for_test, X(i), 4); });
  EXPECT_EQ(values(called, {{X, x}}), (std::vector<float>{4.5f, 8.5f, -11.5f}));
  auto named = compute({3}, [&](Index i) { return call<float>("scaled", &scaled_for_test, 2.0f, cast<int>(i)) + X(i); });
  EXPECT_EQ(values(named, {{X, x}}), (std::vector<float>{1.5f, 4.5f, 1.5f}));
  EXPECT_EQ(to_string(call<float>("scaled", &scaled_for_test, 2.0f, cast<int>(Index(1)))), "scaled(2.0f, 1)");
}

TEST(Promises, RangesAndUncheckedReads) {
  auto T = placeholder<float>({10}, "T");
  auto I = placeholder<int>({3}, "I");
  const std::vector<float> table = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81};
  auto gather = compute({3}, [&](Index i) { return T(assume_range(I(i), 0, 9)); });
  EXPECT_EQ(values(gather, {{T, table}, {I, std::vector<int>{9, 0, 3}}}), (std::vector<float>{81, 0, 9}));
  EXPECT_EQ(error_of([&] { values(gather, {{T, table}, {I, std::vector<int>{9, 10, 3}}}); }).substr(0, 4), "R005");
  EXPECT_EQ(error_of([&] { assume_range(Index(3), 5, 4); }),
            "E006 assume_range(): no index lies in [5, 4]: both ends are included");
  const Expr<float> read = T(2);
  EXPECT_TRUE(unchecked(read).untyped().as<ir::Read>()->unchecked);
  EXPECT_FALSE(read.untyped().as<ir::Read>()->unchecked);
  EXPECT_EQ(error_of([&] { unchecked(read + 1); }), "E005 unchecked() takes the read of a tensor's element, not T(2) + 1.0f");
}

}  // namespace
