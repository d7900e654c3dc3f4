// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Conversions of float16 and bfloat16, against a rounding written with library functions on doubles.

#include "lathe/dtype/small_float.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace {

using lathe::bfloat16;
using lathe::float16;

struct Format {
  int exponent_bits, mantissa_bits;
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  /// The value of a finite pattern, by the definition of the format.
  double value(unsigned bits) const {
    const unsigned mantissa = bits & ((1u << mantissa_bits) - 1),
                   exponent = (bits >> mantissa_bits) & ((1u << exponent_bits) - 1);
    const double magnitude =
        exponent == 0 ? std::ldexp(mantissa, 1 - bias() - mantissa_bits)
                      : std::ldexp((1u << mantissa_bits) + mantissa, static_cast<int>(exponent) - bias() - mantissa_bits);
    return bits >> 15 ? -magnitude : magnitude;
  }
  unsigned infinity() const { return ((1u << exponent_bits) - 1) << mantissa_bits; }
};

constexpr Format formats[] = {{5, 10}, {8, 7}};

TEST(SmallFloat, EveryPatternWidensToItsValueAndRoundsBack) {
  for (const Format &f : formats)
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
      const float wide = lathe::widen_small_float(static_cast<std::uint16_t>(bits), f.exponent_bits, f.mantissa_bits);
      const unsigned magnitude = bits & 0x7fff;
      if (magnitude > f.infinity()) {
        ASSERT_TRUE(std::isnan(wide)) << bits;
      } else if (magnitude == f.infinity()) {
        ASSERT_TRUE(std::isinf(wide) && std::signbit(wide) == (bits >> 15 != 0)) << bits;
      } else {
        ASSERT_EQ(wide, f.value(bits)) << bits;
        ASSERT_EQ(std::signbit(wide), bits >> 15 != 0) << bits;
        ASSERT_EQ(lathe::round_to_small_float(wide, f.exponent_bits, f.mantissa_bits), bits);
      }
    }
}

// Between each pair of neighbours: just below the middle, the middle (to the even one), just above.
TEST(SmallFloat, RoundsToNearestTiesToEven) {
  for (const Format &f : formats)
    for (unsigned bits = 0; bits + 1 < f.infinity(); ++bits) {
      const double low = f.value(bits), high = f.value(bits + 1), middle = (low + high) / 2;
      const auto round = [&](double x) { return unsigned{lathe::round_to_small_float(x, f.exponent_bits, f.mantissa_bits)}; };
      ASSERT_EQ(round(middle), bits % 2 == 0 ? bits : bits + 1) << bits;
      ASSERT_EQ(round(std::nextafter(middle, 0)), bits) << bits;
      ASSERT_EQ(round(std::nextafter(middle, high)), bits + 1) << bits;
      ASSERT_EQ(round(-middle), (bits % 2 == 0 ? bits : bits + 1) | 0x8000u) << bits;
    }
}

TEST(SmallFloat, EndsOfTheRange) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(float16(65519.99).bits, 0x7bff);
  EXPECT_EQ(float16(65520.0).bits, 0x7c00);
  EXPECT_EQ(float16(1e300).bits, 0x7c00);
  EXPECT_EQ(float16(-infinity).bits, 0xfc00);
  EXPECT_EQ(float16(0x1p-25).bits, 0);
  EXPECT_EQ(float16(std::nextafter(0x1p-25, 1)).bits, 1);
  EXPECT_EQ(float16(1e-300).bits, 0);
  EXPECT_EQ(float16(-5e-324).bits, 0x8000);
  EXPECT_EQ(bfloat16(3.4e38).bits, 0x7f80);
  EXPECT_TRUE(std::isnan(float{float16(std::nan(""))}));
  EXPECT_TRUE(std::isnan(float{bfloat16(-std::nan(""))}));
  // A signalling pattern whose payload lies below the kept bits must not become infinity.
  EXPECT_TRUE(std::isnan(float{float16(std::bit_cast<double>(0x7ff0000000000001u))}));
}

TEST(SmallFloat, RoundsADoubleOnce) {
  // In float32 this would first round to the tie 1 + 2^-11, and then down to 1.
  EXPECT_EQ(float16(1 + 0x1p-11 + 0x1p-40).bits, 0x3c01);
  EXPECT_EQ(bfloat16(1 + 0x1p-8 + 0x1p-40).bits, 0x3f81);
}

TEST(SmallFloat, ConversionsAreConstant) {
  static_assert(float16(1.5).bits == 0x3e00 && float(float16::from_bits(0x5640)) == 100.0f);
  static_assert(bfloat16(1.5).bits == 0x3fc0 && float(bfloat16::from_bits(0x3f80)) == 1.0f);
}

}  // namespace
