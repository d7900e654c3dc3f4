// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// float16 and bfloat16 as host types: storage, and conversions that round to nearest, ties to even.

#include <bit>
#include <cstdint>

#include "lathe/version.hpp"

namespace lathe::inline LATHE_ABI {

/// Rounds a double to the small floating format with `exponent_bits` and `mantissa_bits` (at most 16 bits in all): nearest, ties
/// to even; overflow gives infinity, NaN stays NaN (quiet), subnormals are kept. Works from double so that no value is rounded
/// twice.
constexpr std::uint16_t round_to_small_float(double value, int exponent_bits, int mantissa_bits) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 63) << (exponent_bits + mantissa_bits));
  const auto top = static_cast<std::uint16_t>(((1u << exponent_bits) - 1) << mantissa_bits);  // infinity
  const std::uint64_t magnitude = bits & 0x7fffffffffffffffu;
  if (magnitude > 0x7ff0000000000000u) return static_cast<std::uint16_t>(sign | top | (1u << (mantissa_bits - 1)));
  if (magnitude == 0x7ff0000000000000u) return static_cast<std::uint16_t>(sign | top);
  if (magnitude < 0x0010000000000000u) return sign;  // a subnormal double is below half of every small format's least value
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(magnitude >> 52) - 1023;
  const std::uint64_t significand = (magnitude & 0x000fffffffffffffu) | 0x0010000000000000u;
  const bool subnormal = exponent < 1 - bias;
  const int drop = 52 - mantissa_bits + (subnormal ? 1 - bias - exponent : 0);
  if (drop > 54) return sign;
  std::uint64_t kept = significand >> drop;
  const std::uint64_t rest = significand & ((std::uint64_t{1} << drop) - 1);
  const std::uint64_t half = std::uint64_t{1} << (drop - 1);
  if (rest > half || (rest == half && (kept & 1))) ++kept;
  // A carry out of the mantissa moves into the exponent field by plain addition, up to infinity.
  const std::uint64_t field = subnormal ? kept : kept + (static_cast<std::uint64_t>(exponent + bias - 1) << mantissa_bits);
  if (field >= top) return static_cast<std::uint16_t>(sign | top);
  return static_cast<std::uint16_t>(sign | field);
}

/// The exact value of a small float.
constexpr float widen_small_float(std::uint16_t bits, int exponent_bits, int mantissa_bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits >> (exponent_bits + mantissa_bits)) << 31;
  const std::uint32_t exponent = (bits >> mantissa_bits) & ((1u << exponent_bits) - 1);
  std::uint32_t mantissa = bits & ((1u << mantissa_bits) - 1);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  if (exponent == (1u << exponent_bits) - 1) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << (23 - mantissa_bits)));
  if (exponent == 0) {
    if (mantissa == 0) return std::bit_cast<float>(sign);
    if (exponent_bits == 8) return std::bit_cast<float>(sign | (mantissa << (23 - mantissa_bits)));
    int shift = 0;
    while (!(mantissa >> mantissa_bits)) mantissa <<= 1, ++shift;
    mantissa &= (1u << mantissa_bits) - 1;
    return std::bit_cast<float>(sign | (static_cast<std::uint32_t>(127 - bias + 1 - shift) << 23) |
                                (mantissa << (23 - mantissa_bits)));
  }
  return std::bit_cast<float>(sign | ((exponent + static_cast<std::uint32_t>(127 - bias)) << 23) |
                              (mantissa << (23 - mantissa_bits)));
}

/// IEEE-754 binary16. Converts implicitly to float and explicitly from it.
struct float16 {
  std::uint16_t bits = 0;  ///< sign, 5 bits of exponent, 10 of mantissa
  constexpr float16() = default;
  /// The nearest float16, ties to even; too large a number gives infinity.
  constexpr explicit float16(double value) : bits(round_to_small_float(value, 5, 10)) {}
  /// Exact.
  constexpr operator float() const { return widen_small_float(bits, 5, 10); }  // NOLINT: implicit by design
  /// The number of that pattern.
  static constexpr float16 from_bits(std::uint16_t pattern) {
    float16 result;
    result.bits = pattern;
    return result;
  }
};

/// The upper half of a binary32. Converts implicitly to float and explicitly from it.
struct bfloat16 {
  std::uint16_t bits = 0;  ///< sign, 8 bits of exponent, 7 of mantissa
  constexpr bfloat16() = default;
  /// The nearest bfloat16, ties to even.
  constexpr explicit bfloat16(double value) : bits(round_to_small_float(value, 8, 7)) {}
  /// Exact.
  constexpr operator float() const { return widen_small_float(bits, 8, 7); }  // NOLINT: implicit by design
  /// The number of that pattern.
  static constexpr bfloat16 from_bits(std::uint16_t pattern) {
    bfloat16 result;
    result.bits = pattern;
    return result;
  }
};

}  // namespace lathe::inline LATHE_ABI
