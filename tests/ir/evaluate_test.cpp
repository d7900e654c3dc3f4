// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The scalar semantics against plain formulas: 8-bit types exhaustively, wider ones where they are delicate.

#include "lathe/ir/evaluate.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "lathe/diag/diagnostic.hpp"
#include "lathe/ir/build.hpp"

namespace {

using namespace lathe;
using namespace lathe::ir;
using namespace lathe::scalar_types;

__extension__ typedef __int128 Wide;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

Bits pattern(float x) { return std::bit_cast<std::uint32_t>(x); }
Bits pattern(double x) { return std::bit_cast<std::uint64_t>(x); }
float to_f32(Bits bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }

std::int64_t signed_value(BinaryOp op, const ScalarType &type, std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(evaluate(op, type, static_cast<Bits>(a), static_cast<Bits>(b)));
}
float f32(BinaryOp op, float a, float b) { return to_f32(evaluate(op, float32, pattern(a), pattern(b))); }
float f32(UnaryOp op, float a) { return to_f32(evaluate(op, float32, pattern(a))); }
double f64(UnaryOp op, double a) { return std::bit_cast<double>(evaluate(op, float64, pattern(a))); }
double f64(BinaryOp op, double a, double b) { return std::bit_cast<double>(evaluate(op, float64, pattern(a), pattern(b))); }

/// What each operator gives for small integers in unbounded arithmetic, before wrapping; division by zero and shifts included.
long exact(BinaryOp op, long a, long b, int width, bool is_signed) {
  const auto power = [](long e) { return std::ldexp(1.0, static_cast<int>(e)); };
  const bool in_range = b >= 0 && b < width;
  switch (op) {
    case BinaryOp::add: return a + b;
    case BinaryOp::sub: return a - b;
    case BinaryOp::mul: return a * b;
    case BinaryOp::div: return b == 0 ? 0 : std::lround(std::floor(static_cast<double>(a) / static_cast<double>(b)));
    case BinaryOp::mod: return b == 0 ? 0 : a - b * std::lround(std::floor(static_cast<double>(a) / static_cast<double>(b)));
    case BinaryOp::trunc_div: return b == 0 ? 0 : std::lround(std::trunc(static_cast<double>(a) / static_cast<double>(b)));
    case BinaryOp::trunc_mod:
      return b == 0 ? 0 : a - b * std::lround(std::trunc(static_cast<double>(a) / static_cast<double>(b)));
    case BinaryOp::min: return a < b ? a : b;
    case BinaryOp::max: return a > b ? a : b;
    case BinaryOp::eq: return a == b;
    case BinaryOp::ne: return a != b;
    case BinaryOp::lt: return a < b;
    case BinaryOp::le: return a <= b;
    case BinaryOp::gt: return a > b;
    case BinaryOp::ge: return a >= b;
    case BinaryOp::bit_and: return a & b;
    case BinaryOp::bit_or: return a | b;
    case BinaryOp::bit_xor: return a ^ b;
    case BinaryOp::shl: return in_range ? std::lround(static_cast<double>(a) * power(b)) : 0;
    case BinaryOp::shr:
      if (!in_range) return is_signed && a < 0 ? -1 : 0;
      return std::lround(std::floor(static_cast<double>(a) / power(b)));
    case BinaryOp::mul_high: return std::lround(std::floor(static_cast<double>(a * b) / power(width)));
    case BinaryOp::rounding_shift_right: return b <= 0 ? a : std::lround(std::floor(static_cast<double>(a) / power(b) + 0.5));
    default: ADD_FAILURE(); return 0;
  }
}

constexpr BinaryOp integer_ops[] = {BinaryOp::add,       BinaryOp::sub,
                                    BinaryOp::mul,       BinaryOp::div,
                                    BinaryOp::mod,       BinaryOp::trunc_div,
                                    BinaryOp::trunc_mod, BinaryOp::min,
                                    BinaryOp::max,       BinaryOp::eq,
                                    BinaryOp::ne,        BinaryOp::lt,
                                    BinaryOp::le,        BinaryOp::gt,
                                    BinaryOp::ge,        BinaryOp::bit_and,
                                    BinaryOp::bit_or,    BinaryOp::bit_xor,
                                    BinaryOp::shl,       BinaryOp::shr,
                                    BinaryOp::mul_high,  BinaryOp::rounding_shift_right};

TEST(Evaluate, EveryBinaryOperatorOnAllPairsOfInt8) {
  for (const BinaryOp op : integer_ops)
    for (int a = -128; a < 128; ++a)
      for (int b = -128; b < 128; ++b) {
        const long want = exact(op, a, b, 8, true);
        const std::int64_t expected = gives_bool(op) ? want : static_cast<std::int8_t>(want);
        ASSERT_EQ(signed_value(op, int8, a, b), expected) << info(op).name << " " << a << " " << b;
      }
}

TEST(Evaluate, EveryBinaryOperatorOnAllPairsOfUint8) {
  for (const BinaryOp op : integer_ops)
    for (int a = 0; a < 256; ++a)
      for (int b = 0; b < 256; ++b) {
        const long want = exact(op, a, b, 8, false);
        ASSERT_EQ(evaluate(op, uint8, static_cast<Bits>(a), static_cast<Bits>(b)), static_cast<std::uint8_t>(want))
            << info(op).name << " " << a << " " << b;
      }
}

// Division of small values is the same in every signed type, index included.
TEST(Evaluate, DivisionOfSmallValuesInWiderTypes) {
  for (const ScalarType *type : {&int16, &int32, &int64, &scalar_types::index})
    for (const BinaryOp op : {BinaryOp::div, BinaryOp::mod, BinaryOp::trunc_div, BinaryOp::trunc_mod})
      for (int a = -128; a < 128; ++a)
        for (int b = -128; b < 128; ++b)
          ASSERT_EQ(signed_value(op, *type, a, b), exact(op, a, b, 64, true)) << info(op).name << " " << a << " " << b;
  EXPECT_EQ(signed_value(BinaryOp::div, int32, 24 + 9, 10), 3);  // ceil-div(24, 10)
  EXPECT_EQ(signed_value(BinaryOp::div, int32, 241 + 48 * -10, 16), -15);
  EXPECT_EQ(signed_value(BinaryOp::trunc_div, int32, 241 + 48 * -10, 16), -14);
}

TEST(Evaluate, ExtremesOf64BitIntegers) {
  const std::int64_t edges[] = {INT64_MIN, INT64_MIN + 1, -7, -1, 0, 1, 2, 63, 64, INT64_MAX - 1, INT64_MAX};
  for (const std::int64_t a : edges)
    for (const std::int64_t b : edges) {
      const auto wrapped = [](Wide x) { return static_cast<std::int64_t>(static_cast<std::uint64_t>(x)); };
      ASSERT_EQ(signed_value(BinaryOp::add, int64, a, b), wrapped(Wide{a} + b));
      ASSERT_EQ(signed_value(BinaryOp::sub, int64, a, b), wrapped(Wide{a} - b));
      ASSERT_EQ(signed_value(BinaryOp::mul, int64, a, b), wrapped(Wide{a} * b));
      ASSERT_EQ(signed_value(BinaryOp::mul_high, int64, a, b), wrapped((Wide{a} * b) >> 64));
      if (b != 0) {
        Wide floored = Wide{a} / b;
        if (floored * b != a && (a < 0) != (b < 0)) --floored;
        ASSERT_EQ(signed_value(BinaryOp::div, int64, a, b), wrapped(floored)) << a << " " << b;
        ASSERT_EQ(signed_value(BinaryOp::mod, int64, a, b), wrapped(a - floored * b)) << a << " " << b;
        ASSERT_EQ(signed_value(BinaryOp::trunc_div, int64, a, b), wrapped(Wide{a} / b));
        ASSERT_EQ(signed_value(BinaryOp::trunc_mod, int64, a, b), wrapped(Wide{a} % b));
      }
      const Wide rounded = b <= 0 ? Wide{a} : b > 66 ? Wide{0} : (Wide{a} + (Wide{1} << (b - 1))) >> b;
      ASSERT_EQ(signed_value(BinaryOp::rounding_shift_right, int64, a, b), wrapped(rounded)) << a << " " << b;
    }
  EXPECT_EQ(evaluate(BinaryOp::mul_high, uint64, ~Bits{0}, ~Bits{0}), ~Bits{0} - 1);
  EXPECT_EQ(evaluate(BinaryOp::rounding_shift_right, uint64, ~Bits{0}, 64), 1u);
  EXPECT_EQ(evaluate(BinaryOp::rounding_shift_right, uint64, Bits{1} << 63, 64), 1u);
  EXPECT_EQ(evaluate(BinaryOp::rounding_shift_right, uint64, (Bits{1} << 63) - 1, 64), 0u);
  EXPECT_EQ(evaluate(BinaryOp::rounding_shift_right, uint64, ~Bits{0}, 65), 0u);
  EXPECT_EQ(evaluate(BinaryOp::div, uint64, ~Bits{0}, 2), ~Bits{0} >> 1);
}

TEST(Evaluate, ShiftsOutOfRange) {
  EXPECT_EQ(signed_value(BinaryOp::shl, int8, 1, -128), 0);
  EXPECT_EQ(evaluate(BinaryOp::shl, uint32, 1, 32), 0u);
  EXPECT_EQ(evaluate(BinaryOp::shr, uint32, 1, 32), 0u);
  EXPECT_EQ(signed_value(BinaryOp::shr, int32, -1, 32), -1);
  EXPECT_EQ(signed_value(BinaryOp::shr, int32, -1, -3), -1);
  EXPECT_EQ(signed_value(BinaryOp::shr, int64, INT64_MIN, 64), -1);
  for (const auto &[x, want] : {std::pair{-5, -1}, {0, 0}, {7, 0}, {INT32_MIN, -1}})
    EXPECT_EQ(signed_value(BinaryOp::shr, int32, x, 31), want) << x;
  for (unsigned i = 1; i < 32; ++i)  // 2^32 - i as an unsigned amount is out of range, not a shift to the other side
    EXPECT_EQ(evaluate(BinaryOp::shl, uint32, 0xFFFFFFFFu, std::uint32_t{0} - i), 0u);
}

TEST(Evaluate, UnaryOperatorsOnAllOfInt8AndUint8) {
  for (int a = -128; a < 256; ++a) {
    int ones = 0, leading = 8;
    for (int bit = 0; bit < 8; ++bit)
      if ((a >> bit) & 1) ++ones, leading = 7 - bit;
    const bool is_signed = a < 128, is_unsigned = a >= 0;
    const auto i8 = [&](UnaryOp op) { return static_cast<std::int64_t>(evaluate(op, int8, static_cast<Bits>(a))); };
    const auto u8 = [&](UnaryOp op) { return evaluate(op, uint8, static_cast<Bits>(a)); };
    if (is_signed) {
      EXPECT_EQ(i8(UnaryOp::neg), static_cast<std::int8_t>(-a));
      EXPECT_EQ(i8(UnaryOp::abs), static_cast<std::int8_t>(std::abs(a)));
      EXPECT_EQ(i8(UnaryOp::bit_not), -a - 1);
      EXPECT_EQ(i8(UnaryOp::sign), (a > 0) - (a < 0));
      EXPECT_EQ(i8(UnaryOp::popcount), ones);
      EXPECT_EQ(i8(UnaryOp::clz), leading);
      EXPECT_EQ(i8(UnaryOp::is_finite), 1);
      EXPECT_EQ(i8(UnaryOp::is_nan), 0);
    }
    if (is_unsigned) {
      EXPECT_EQ(u8(UnaryOp::neg), static_cast<std::uint8_t>(256 - a));
      EXPECT_EQ(u8(UnaryOp::abs), static_cast<Bits>(a));
      EXPECT_EQ(u8(UnaryOp::bit_not), static_cast<Bits>(255 - a));
      EXPECT_EQ(u8(UnaryOp::sign), static_cast<Bits>(a != 0));
      EXPECT_EQ(u8(UnaryOp::popcount), static_cast<Bits>(ones));
      EXPECT_EQ(u8(UnaryOp::clz), static_cast<Bits>(leading));
    }
  }
  EXPECT_EQ(evaluate(UnaryOp::clz, int64, 0), 64u);
  EXPECT_EQ(evaluate(UnaryOp::popcount, int32, ~Bits{0}), 32u);
  EXPECT_EQ(evaluate(UnaryOp::logical_not, scalar_types::boolean, 0), 1u);
  EXPECT_EQ(evaluate(UnaryOp::logical_not, scalar_types::boolean, 1), 0u);
  EXPECT_EQ(evaluate(UnaryOp::bit_not, scalar_types::boolean, 1), 0u);
}

TEST(Evaluate, Logic) {
  for (Bits a = 0; a < 2; ++a)
    for (Bits b = 0; b < 2; ++b) {
      EXPECT_EQ(evaluate(BinaryOp::logical_and, scalar_types::boolean, a, b), a * b);
      EXPECT_EQ(evaluate(BinaryOp::logical_or, scalar_types::boolean, a, b), a + b - a * b);
      EXPECT_EQ(evaluate(BinaryOp::bit_xor, scalar_types::boolean, a, b), (a + b) % 2);
    }
}

TEST(Evaluate, LeastIntegers) {
  EXPECT_EQ(static_cast<std::int64_t>(evaluate(UnaryOp::neg, int8, static_cast<Bits>(-128))), -128);
  EXPECT_EQ(static_cast<std::int64_t>(evaluate(UnaryOp::abs, int8, static_cast<Bits>(-128))), -128);
  EXPECT_EQ(signed_value(BinaryOp::div, int8, -128, -1), -128);
  EXPECT_EQ(signed_value(BinaryOp::mod, int8, -128, -1), 0);
  EXPECT_EQ(signed_value(BinaryOp::div, int32, INT32_MIN, -1), INT32_MIN);
  EXPECT_EQ(signed_value(BinaryOp::trunc_div, int64, INT64_MIN, -1), INT64_MIN);
}

TEST(Evaluate, RoundingOfFloats) {
  const float halves[] = {0, 0, 1, 2, 2, 2, 3, 4};  // round(x / 2), ties to even
  for (int x = 0; x < 8; ++x) {
    EXPECT_EQ(f32(UnaryOp::round, static_cast<float>(x) / 2), halves[x]);
    EXPECT_EQ(f64(UnaryOp::round, -x / 2.0), -halves[x]);
  }
  EXPECT_EQ(f32(UnaryOp::floor, -0.5f), -1.0f);
  EXPECT_EQ(f32(UnaryOp::ceil, -0.5f), 0.0f);
  EXPECT_TRUE(std::signbit(f32(UnaryOp::ceil, -0.5f)));
  EXPECT_EQ(f32(UnaryOp::trunc, -1.75f), -1.0f);
}

TEST(Evaluate, MinAndMaxPropagateNaNAndOrderZeros) {
  const float nan = std::nanf("");
  for (const BinaryOp op : {BinaryOp::min, BinaryOp::max}) {
    EXPECT_TRUE(std::isnan(f32(op, nan, 1)));
    EXPECT_TRUE(std::isnan(f32(op, 1, nan)));
    EXPECT_TRUE(std::isnan(f32(op, nan, nan)));
    EXPECT_TRUE(std::isnan(f64(op, not_a_number, -infinity)));
  }
  EXPECT_TRUE(std::signbit(f32(BinaryOp::min, 0.0f, -0.0f)));
  EXPECT_TRUE(std::signbit(f32(BinaryOp::min, -0.0f, 0.0f)));
  EXPECT_FALSE(std::signbit(f32(BinaryOp::max, 0.0f, -0.0f)));
  EXPECT_FALSE(std::signbit(f32(BinaryOp::max, -0.0f, 0.0f)));
  EXPECT_EQ(f32(BinaryOp::max, -3, 2), 2);
  EXPECT_EQ(f32(BinaryOp::min, -3, 2), -3);
}

TEST(Evaluate, ComparisonsWithNaN) {
  const float nan = std::nanf("");
  for (const BinaryOp op : {BinaryOp::eq, BinaryOp::lt, BinaryOp::le, BinaryOp::gt, BinaryOp::ge})
    EXPECT_EQ(evaluate(op, float32, pattern(nan), pattern(1.0f)), 0u);
  EXPECT_EQ(evaluate(BinaryOp::ne, float32, pattern(nan), pattern(nan)), 1u);
  EXPECT_EQ(evaluate(BinaryOp::eq, float64, pattern(0.0), pattern(-0.0)), 1u);
  EXPECT_EQ(evaluate(BinaryOp::lt, float64, pattern(1.0), pattern(2.0)), 1u);
}

TEST(Evaluate, FloatScaling) {
  EXPECT_EQ(f32(BinaryOp::ldexp, 1.5f, 3), 12);
  EXPECT_EQ(f32(BinaryOp::ldexp, -1.5f, -0.25f), -0.75f);  // the power is rounded down
  EXPECT_EQ(f32(BinaryOp::ldexp, 0x1p-149f, 276), 0x1p127f);
  EXPECT_EQ(f32(BinaryOp::ldexp, 0x1.8p0f, -150), 0x1p-149f);  // 0.75 units of the least number
  EXPECT_EQ(f64(BinaryOp::ldexp, 1, 1e300), infinity);
  EXPECT_EQ(f64(BinaryOp::ldexp, -1, -infinity), -0.0);
  EXPECT_TRUE(std::isnan(f64(BinaryOp::ldexp, 0, infinity)));
  EXPECT_TRUE(std::isnan(f64(BinaryOp::ldexp, infinity, -infinity)));
  EXPECT_TRUE(std::isnan(f64(BinaryOp::ldexp, infinity, std::nan(""))));
  EXPECT_EQ(f64(BinaryOp::ldexp, std::nan(""), -infinity), 0);
}

TEST(Evaluate, FloatRemainders) {
  EXPECT_EQ(f32(BinaryOp::mod, 5.5f, 2), 1.5f);
  EXPECT_EQ(f32(BinaryOp::mod, -5.5f, 2), 0.5f);
  EXPECT_EQ(f32(BinaryOp::mod, 5.5f, -2), -0.5f);
  EXPECT_EQ(f32(BinaryOp::mod, -4, 2), 0);
  EXPECT_EQ(f64(BinaryOp::mod, -1, infinity), infinity);
  EXPECT_TRUE(std::isnan(f32(BinaryOp::mod, 1, 0)));
  EXPECT_EQ(f32(BinaryOp::fmod, -5.5f, 2), -1.5f);
  EXPECT_EQ(f32(BinaryOp::trunc_div, -5.5f, 2), -2);
  EXPECT_EQ(f32(BinaryOp::trunc_mod, -5.5f, 2), -1.5f);
  EXPECT_EQ(f32(BinaryOp::div, 1, 0), std::numeric_limits<float>::infinity());
}

TEST(Evaluate, SignOfFloats) {
  EXPECT_EQ(f32(UnaryOp::sign, 7), 1);
  EXPECT_EQ(f32(UnaryOp::sign, -0.25f), -1);
  EXPECT_TRUE(std::signbit(f32(UnaryOp::sign, -0.0f)));
  EXPECT_EQ(f32(UnaryOp::sign, -0.0f), 0);
  EXPECT_TRUE(std::isnan(f32(UnaryOp::sign, std::nanf(""))));
  EXPECT_TRUE(std::signbit(f32(UnaryOp::neg, 0.0f)));
  EXPECT_EQ(f64(UnaryOp::abs, -2.5), 2.5);
}

/// Float32 functions against the same function of a double, rounded: the float libm's error stays below one unit in the last
/// place.
TEST(Evaluate, MathFunctions) {
  struct Case {
    UnaryOp op;
    double (*reference)(double);
  };
  const Case cases[] = {
      {UnaryOp::sqrt, [](double x) { return std::sqrt(x); }},
      {UnaryOp::rsqrt, [](double x) { return 1 / std::sqrt(x); }},
      {UnaryOp::exp, [](double x) { return std::exp(x); }},
      {UnaryOp::exp2, [](double x) { return std::pow(2.0, x); }},
      {UnaryOp::expm1, [](double x) { return std::exp(x) - 1; }},
      {UnaryOp::log, [](double x) { return std::log(x); }},
      {UnaryOp::log2, [](double x) { return std::log(x) / std::log(2.0); }},
      {UnaryOp::log1p, [](double x) { return std::log(1 + x); }},
      {UnaryOp::sin, [](double x) { return std::sin(x); }},
      {UnaryOp::cos, [](double x) { return std::cos(x); }},
      {UnaryOp::tan, [](double x) { return std::sin(x) / std::cos(x); }},
      {UnaryOp::sinh, [](double x) { return (std::exp(x) - std::exp(-x)) / 2; }},
      {UnaryOp::cosh, [](double x) { return (std::exp(x) + std::exp(-x)) / 2; }},
      {UnaryOp::tanh, [](double x) { return 1 - 2 / (std::exp(2 * x) + 1); }},
      {UnaryOp::asin, [](double x) { return std::atan2(x, std::sqrt(1 - x * x)); }},
      {UnaryOp::acos, [](double x) { return std::atan2(std::sqrt(1 - x * x), x); }},
      {UnaryOp::atan, [](double x) { return std::atan2(x, 1); }},
      {UnaryOp::erf, [](double x) { return 1 - std::erfc(x); }},
      {UnaryOp::sigmoid, [](double x) { return (1 + std::tanh(x / 2)) / 2; }},
  };
  for (const Case &c : cases)
    for (const float x : {0.125f, 0.3f, 0.5f, 0.75f, 0.9375f}) {
      const double want = c.reference(x);
      EXPECT_NEAR(f32(c.op, x), want, 2e-7 * std::fabs(want)) << info(c.op).name << " " << x;
      EXPECT_NEAR(f64(c.op, x), want, 2e-14 * std::fabs(want)) << info(c.op).name << " " << x;
    }
  EXPECT_FLOAT_EQ(f32(BinaryOp::pow, 2.0f, 0.5f), 1.41421356f);
  EXPECT_FLOAT_EQ(f32(BinaryOp::atan2, 1.0f, -1.0f), 2.35619449f);
  EXPECT_DOUBLE_EQ(f64(BinaryOp::pow, 10.0, 3.0), 1000.0);
  EXPECT_TRUE(std::isnan(f32(UnaryOp::sqrt, -1)));
  EXPECT_EQ(f32(UnaryOp::log, 0), -std::numeric_limits<float>::infinity());
}

TEST(Evaluate, Classification) {
  for (const ScalarType *type : {&scalar_types::float16, &scalar_types::bfloat16, &float32, &float64}) {
    const auto is = [&](UnaryOp op, double x) { return evaluate(op, *type, from_double(*type, x)) == 1; };
    EXPECT_TRUE(is(UnaryOp::is_nan, not_a_number) && !is(UnaryOp::is_nan, infinity) && !is(UnaryOp::is_nan, 1));
    EXPECT_TRUE(is(UnaryOp::is_inf, -infinity) && !is(UnaryOp::is_inf, not_a_number) && !is(UnaryOp::is_inf, 1));
    EXPECT_TRUE(is(UnaryOp::is_finite, 1) && !is(UnaryOp::is_finite, infinity) && !is(UnaryOp::is_finite, not_a_number));
  }
}

TEST(Evaluate, MultiplyAddRoundsOnce) {
  const float a = 1 + 0x1p-12f, c = -(1 + 0x1p-11f);
  EXPECT_EQ(to_f32(evaluate_mul_add(float32, pattern(a), pattern(a), pattern(c))), 0x1p-24f);
  const double b = 1 + 0x1p-30, d = -(1 + 0x1p-29);
  EXPECT_EQ(std::bit_cast<double>(evaluate_mul_add(float64, pattern(b), pattern(b), pattern(d))), 0x1p-60);
  EXPECT_EQ(static_cast<std::int64_t>(evaluate_mul_add(int8, 100, 3, 7)), static_cast<std::int8_t>(307));
}

// ---- small floats -------------------------------------------------------------------------------------------------------------

/// Rounds to a format by scaling to its quantum: written apart from the bit manipulation of small_float.hpp.
double nearest_in(double value, int exponent_bits, int mantissa_bits) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double quantum = std::ldexp(1.0, std::max(std::ilogb(value), 1 - bias) - mantissa_bits);
  const double rounded = std::nearbyint(value / quantum) * quantum;
  const double greatest = std::ldexp(2 - std::ldexp(1.0, -mantissa_bits), bias);
  return std::fabs(rounded) > greatest ? std::copysign(infinity, value) : rounded;
}

TEST(Evaluate, SmallFloatArithmeticRoundsOnce) {
  for (const ScalarType *type : {&scalar_types::float16, &scalar_types::bfloat16})
    for (Bits a = 1; a < 0x10000; a += 997)
      for (Bits b = 3; b < 0x10000; b += 1009) {
        const double x = to_double(*type, a), y = to_double(*type, b);
        if (std::isnan(x) || std::isnan(y)) continue;
        const auto check = [&](BinaryOp op, double exact) {
          const double want = nearest_in(exact, type->exponent_bits, type->mantissa_bits);
          const double got = to_double(*type, evaluate(op, *type, a, b));
          ASSERT_TRUE(got == want || (std::isnan(got) && std::isnan(want)))
              << info(op).name << " " << x << " " << y << ": " << got;
        };
        // The double result is itself exact, or so near that it decides no tie: it has more than twice the digits.
        check(BinaryOp::mul, x * y);
        check(BinaryOp::div, x / y);
        check(BinaryOp::min, x < y ? x : y);
        if (type == &scalar_types::float16) check(BinaryOp::add, x + y);  // exact in double: 2^-24 to 2^16
      }
}

TEST(Evaluate, CastsToFloat16) {
  const auto cast16 = [](float x) {
    return to_double(scalar_types::float16, evaluate_cast(CastMode::convert, scalar_types::float16, float32, pattern(x)));
  };
  EXPECT_EQ(cast16(65519.99f), 65504);
  EXPECT_EQ(cast16(65520.0f), infinity);
  EXPECT_EQ(cast16(1e10f), infinity);
  EXPECT_EQ(cast16(std::numeric_limits<float>::infinity()), infinity);
  EXPECT_EQ(cast16(-std::numeric_limits<float>::infinity()), -infinity);
  EXPECT_TRUE(std::isnan(cast16(std::nanf(""))));
  EXPECT_EQ(from_double(scalar_types::float16, 100.0), 0x5640u);
  EXPECT_EQ(from_double(scalar_types::float16, infinity), 0x7C00u);
  EXPECT_EQ(from_double(scalar_types::float16, -infinity), 0xFC00u);
}

TEST(Evaluate, CastsToBfloat16) {
  const auto cast16 = [](double x) { return to_double(scalar_types::bfloat16, from_double(scalar_types::bfloat16, x)); };
  EXPECT_EQ(cast16(1 + 0x1p-8), 1.0);
  EXPECT_EQ(cast16(1 + 3 * 0x1p-8), 1.015625);
  EXPECT_EQ(cast16(1 + 0x1p-8 + 0x1p-20), 1.0078125);
  EXPECT_EQ(cast16(1 + 0x1p-8 + 0x1p-40), 1.0078125);  // rounded once, though float32 would drop the last bit first
}

// ---- conversions --------------------------------------------------------------------------------------------------------------

std::int64_t convert(const ScalarType &to, const ScalarType &from, Bits a, CastMode mode = CastMode::convert) {
  return static_cast<std::int64_t>(evaluate_cast(mode, to, from, a));
}

TEST(Evaluate, FloatToIntegerSaturates) {
  const auto to = [](const ScalarType &type, float x) { return convert(type, float32, pattern(x)); };
  EXPECT_EQ(to(uint8, 300), 255);
  EXPECT_EQ(to(uint8, -1), 0);
  EXPECT_EQ(to(uint8, std::nanf("")), 0);
  EXPECT_EQ(to(uint8, 254.9f), 254);
  EXPECT_EQ(to(int32, 1e10f), INT32_MAX);
  EXPECT_EQ(to(int32, -1e10f), INT32_MIN);
  EXPECT_EQ(to(int32, -2.9f), -2);
  EXPECT_EQ(to(int8, -128.9f), -128);
  EXPECT_EQ(to(int64, 1e30f), INT64_MAX);
  EXPECT_EQ(to(int64, -0x1p63f), INT64_MIN);
  EXPECT_EQ(static_cast<Bits>(to(uint64, 1e30f)), ~Bits{0});
  EXPECT_EQ(static_cast<Bits>(to(uint64, 0x1p63f)), Bits{1} << 63);
  EXPECT_EQ(convert(int64, float64, pattern(9007199254740993.0)), 9007199254740992);
  EXPECT_EQ(to(scalar_types::boolean, 0.25f), 1);
  EXPECT_EQ(to(scalar_types::boolean, -0.0f), 0);
  EXPECT_EQ(to(scalar_types::boolean, std::nanf("")), 1);
}

TEST(Evaluate, FoldedAndEvaluatedCastsAgree) {
  const std::pair<Expr, std::int64_t> cases[] = {
      {cast(int32, constant(uint32, std::int64_t{0xFFFFFFF0}) + constant(uint32, std::int64_t{1})), -15},
      {cast(uint8, constant(float32, 300.0)), 255},
      {cast(uint8, constant(float32, -1.0)), 0},
      {cast(uint8, constant(float32, not_a_number)), 0},
      {cast(int32, constant(float32, 1e10)), INT32_MAX},
  };
  for (const auto &[e, want] : cases) EXPECT_EQ(constant_integer(e), want);
  EXPECT_EQ(convert(int32, uint32, evaluate(BinaryOp::add, uint32, 0xFFFFFFF0u, 1)), -15);
}

TEST(Evaluate, IntegerConversions) {
  EXPECT_EQ(convert(int8, int32, 200), -56);
  EXPECT_EQ(convert(uint8, int32, static_cast<Bits>(-1)), 255);
  EXPECT_EQ(convert(int64, uint8, 200), 200);
  EXPECT_EQ(convert(scalar_types::boolean, int32, 2), 1);
  EXPECT_EQ(convert(int32, scalar_types::boolean, 1), 1);
  EXPECT_EQ(convert(int8, int32, 200, CastMode::saturate), 127);
  EXPECT_EQ(convert(int8, int32, static_cast<Bits>(-200), CastMode::saturate), -128);
  EXPECT_EQ(convert(uint8, int32, static_cast<Bits>(-200), CastMode::saturate), 0);
  EXPECT_EQ(convert(int64, uint64, ~Bits{0}, CastMode::saturate), INT64_MAX);
  EXPECT_EQ(convert(uint64, int64, static_cast<Bits>(-1), CastMode::saturate), 0);
  EXPECT_EQ(convert(uint32, int8, static_cast<Bits>(-1), CastMode::saturate), 0);
}

TEST(Evaluate, IntegersToFloats) {
  EXPECT_EQ(to_f32(evaluate_cast(CastMode::convert, float32, int32, static_cast<Bits>(-3))), -3.0f);
  EXPECT_EQ(to_f32(evaluate_cast(CastMode::convert, float32, uint64, ~Bits{0})), 0x1p64f);
  // 2^24 + 1 ties to even; above the tie it rounds up, which a detour through double would lose.
  EXPECT_EQ(to_f32(evaluate_cast(CastMode::convert, float32, int64, (1 << 24) + 1)), 0x1p24f);
  EXPECT_EQ(to_f32(evaluate_cast(CastMode::convert, float32, int64, (Bits{1} << 60) + (Bits{1} << 36) + 1)), 0x1p60f + 0x1p37f);
  EXPECT_EQ(std::bit_cast<double>(evaluate_cast(CastMode::convert, float64, scalar_types::index, static_cast<Bits>(-7))), -7.0);
  EXPECT_EQ(to_double(scalar_types::float16, evaluate_cast(CastMode::convert, scalar_types::float16, int32, 70000)), infinity);
  EXPECT_EQ(to_double(scalar_types::float16, evaluate_cast(CastMode::saturate, scalar_types::float16, int32, 70000)), 65504);
  EXPECT_EQ(to_double(scalar_types::float16, evaluate_cast(CastMode::saturate, scalar_types::float16, float32, pattern(-1e10f))),
            -65504);
  EXPECT_EQ(to_f32(evaluate_cast(CastMode::convert, float32, scalar_types::boolean, 1)), 1.0f);
  EXPECT_EQ(to_f32(evaluate_cast(CastMode::convert, float32, float64, pattern(1e300))), std::numeric_limits<float>::infinity());
}

TEST(Evaluate, Reinterpretation) {
  EXPECT_EQ(evaluate_cast(CastMode::reinterpret, uint32, float32, pattern(1.0f)), 0x3f800000u);
  EXPECT_EQ(convert(int32, float32, pattern(-0.0f), CastMode::reinterpret), INT32_MIN);
  EXPECT_EQ(evaluate_cast(CastMode::reinterpret, float32, int32, static_cast<Bits>(std::int64_t{INT32_MIN})), pattern(-0.0f));
  EXPECT_EQ(evaluate_cast(CastMode::reinterpret, uint16, scalar_types::bfloat16, 0x3f80), 0x3f80u);
}

TEST(Evaluate, HostNumbers) {
  EXPECT_EQ(static_cast<std::int64_t>(from_integer(int8, 300)), 44);
  EXPECT_EQ(to_integer(int8, from_integer(int8, -1)), -1);
  EXPECT_EQ(from_integer(float32, 3), pattern(3.0f));
  EXPECT_EQ(static_cast<std::int64_t>(from_double(int8, -2.7)), -2);
  EXPECT_EQ(from_double(uint8, 1e9), 255u);
  EXPECT_EQ(to_double(int16, static_cast<Bits>(-5)), -5.0);
  EXPECT_EQ(to_double(scalar_types::bfloat16, 0x3fc0), 1.5);
}

TEST(Evaluate, ElementsInMemory) {
  const std::int8_t small = -3;
  EXPECT_EQ(static_cast<std::int64_t>(load_element(int8, &small)), -3);
  const std::uint16_t half = 0x5640;
  EXPECT_EQ(to_double(scalar_types::float16, load_element(scalar_types::float16, &half)), 100.0);
  double number = 0;
  store_element(float64, &number, pattern(2.5));
  EXPECT_EQ(number, 2.5);
  std::int16_t words[3] = {1, 2, 3};
  store_element(int16, &words[1], from_integer(int16, -2));
  EXPECT_EQ(words[0], 1);
  EXPECT_EQ(words[1], -2);
  EXPECT_EQ(words[2], 3);
  const std::uint8_t odd = 7;
  EXPECT_EQ(load_element(scalar_types::boolean, &odd), 1u);
}

TEST(Evaluate, RefusesWhatATypeDoesNotHave) {
  static constexpr ScalarType posit{"posit16", Kind::custom, 16, 16, 0, 0};
  EXPECT_THROW(evaluate(BinaryOp::add, posit, 1, 2), Error);
  EXPECT_THROW(evaluate(BinaryOp::bit_and, float32, 1, 2), Error);
  EXPECT_THROW(evaluate(UnaryOp::exp, int32, 1), Error);
  EXPECT_THROW(evaluate_cast(CastMode::convert, float32, posit, 1), Error);
}

}  // namespace
