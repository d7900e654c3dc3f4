// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Literals and the element types on which operands agree.

#include "lathe/expr/expr.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <type_traits>

#include "expr/values.hpp"
#include "lathe/expr/functions.hpp"

namespace {

using namespace lathe;
using lathe_test::error_of;
using lathe_test::text_of_error;
using lathe_test::value_of;

template <class T>
Expr<T> literal(auto value) {
  return Expr<T>(value);
}

TEST(Literals, TakeTheTypeOfTheExpression) {
  EXPECT_EQ(value_of(literal<float>(0.1)), 0.1f);
  EXPECT_EQ(value_of(literal<double>(0.1f)), static_cast<double>(0.1f));
  EXPECT_EQ(value_of(literal<float>(3)), 3.0f);
  EXPECT_EQ(value_of(literal<std::int8_t>(-128)), -128);
  EXPECT_EQ(value_of(literal<std::uint8_t>(255)), 255);
  EXPECT_EQ(value_of(literal<std::int64_t>(std::numeric_limits<std::int64_t>::min())), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(value_of(literal<std::uint64_t>(std::numeric_limits<std::uint64_t>::max())),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(value_of(literal<std::int16_t>('A')), 65);
  EXPECT_EQ(value_of(literal<float16>(100)).bits, 0x5640);
  EXPECT_EQ(value_of(literal<bfloat16>(bfloat16(1.5))).bits, 0x3fc0);
  EXPECT_EQ(value_of(literal<bool>(true)), true);
  EXPECT_EQ(value_of(literal<float>(std::numeric_limits<double>::infinity())), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(value_of(literal<float>(std::nan("")))));
}

TEST(Literals, ThatDoNotFitAreRefused) {
  const std::string byte = "E001 the literal 200 does not fit int8, which holds -128 to 127";
  EXPECT_EQ(error_of([] { return Expr<std::int8_t>(200); }), byte);
  EXPECT_EQ(error_of([] { return Expr<std::uint8_t>(-1); }), "E001 the literal -1 does not fit uint8, which holds 0 to 255");
  EXPECT_EQ(error_of([] { return Expr<std::uint8_t>(3) % 256; }),
            "E001 the literal 256 does not fit uint8, which holds 0 to 255");
  EXPECT_EQ(error_of([] { return Expr<std::int32_t>(std::int64_t{1} << 31); }).substr(0, 4), "E001");
  EXPECT_EQ(error_of([] { return Expr<std::int32_t>(-(std::int64_t{1} << 31) - 1); }).substr(0, 4), "E001");
  EXPECT_EQ(error_of([] { return Expr<std::int32_t>(-(std::int64_t{1} << 31)); }), "none");
  EXPECT_EQ(error_of([] { return Expr<std::uint64_t>(-1); }).substr(0, 4), "E001");
  EXPECT_EQ(error_of([] { return Index(std::numeric_limits<std::size_t>::max()); }).substr(0, 4), "E001");
  EXPECT_EQ(error_of([] { return Expr<std::int64_t>(std::numeric_limits<std::uint64_t>::max()); }).substr(0, 4), "E001");
  EXPECT_EQ(error_of([] { return Expr<float>(1e300); }).substr(0, 4), "E001");
  EXPECT_EQ(error_of([] { return Expr<float16>(65519); }), "none");  // rounds to 65504
  EXPECT_EQ(error_of([] { return Expr<float16>(65520); }).substr(0, 4), "E001");
}

TEST(Literals, ARefusalNamesTheRemedy) {
  EXPECT_EQ(text_of_error([] { return Expr<std::int8_t>(200); }),
            "error[E001]: the literal 200 does not fit int8, which holds -128 to 127\n"
            "  help: convert the expression beside it to a wider type:   cast<double>(x)   or   cast<std::int64_t>(x)");
}

template <class T, class... A>
concept Makes = requires(A... a) { Expr<T>(a...); };
template <class From, class To>
constexpr bool converts = std::is_convertible_v<From, To>;

TEST(Conversions, AreTheDocumentedOnes) {
  EXPECT_TRUE((converts<int, Expr<float>> && converts<double, Expr<float>> && converts<std::size_t, Index> &&
               converts<bool, Expr<bool>>));
  EXPECT_FALSE((converts<double, Expr<int>> || converts<float, Index> || converts<int, Expr<bool>> || converts<bool, Expr<int>>));
  EXPECT_FALSE((converts<Expr<float>, Expr<double>> || converts<Expr<int>, Expr<long>> || converts<Index, Expr<int>> ||
                converts<Expr<float>, Index>));
  EXPECT_TRUE((converts<Expr<int>, Index> && converts<Expr<std::uint8_t>, Index> && converts<Expr<long>, Expr<long long>>));
  EXPECT_FALSE((converts<Expr<bool>, Index> || converts<Expr<bool>, bool> || converts<const char *, Expr<bool>>));
  EXPECT_FALSE((Makes<bool, int> || Makes<int, double> || Makes<float>));
}

TEST(Conversions, TwoNamesOfOneTypeMeet) {
  const Expr<long> a = 3;
  const Expr<long long> b = 4;
  EXPECT_EQ(value_of(a + b), 7);
}

TEST(Expressions, AccumulateInPlace) {
  Expr<float> e = 1;
  e += 2;
  e *= Expr<float>(3.0f);
  e -= 1;
  e /= 2;
  EXPECT_EQ(value_of(e), 4.0f);
}

TEST(Conversions, ThreeOperandsAgreeOnTheExpression) {
  using typing::join3_t;
  static_assert(std::is_same_v<join3_t<Expr<float>, int, double>, float>);
  static_assert(std::is_same_v<join3_t<int, Expr<float>, double>, float>);
  static_assert(std::is_same_v<join3_t<int, int, Index>, index_t>);
  static_assert(std::is_void_v<join3_t<int, Expr<int>, double>>);
  static_assert(std::is_void_v<join3_t<Expr<int>, int, Index>>);
}

}  // namespace
