// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Circular functions: a number is reduced by multiples of pi, quickly (Cody and Waite) or, however great it is, completely
/// (Payne and Hanek). Up to Format::quick_reach both ways give the same bits.

#include <bit>

#include "lathe/support/list.hpp"
#include "lathe/types/math_lanes.ipp"

namespace lathe::inline LATHE_ABI::types::math_functions {

/// A number not below 0 as n pi / 2 + r + rest: the lowest bits of `n` count, |r| is at most pi / 4 and a little more.
struct Turned {
  Expr n, r, rest;
};

// ---- the quick reduction ------------------------------------------------------------------------------------------------------

/// pi / 2 for `reduce_quickly` without a rest: in parts of float32, of which the products need not be exact.
inline constexpr double short_quarter[] = {0x1.921fb6p0, -0x1.777a5cp-25, -0x1.ee59dap-50};

/// Either a pair, for which all but the last step are exact, or, where the steps of float32 are fused, r alone, with no more
/// error than the rounding of r.
inline Turned reduce_quickly(const Lanes &f, const Expr &a, bool pair) {
  const bool wide = f.format.mantissa == 52;
  const Expr rounder = f.number(f.format.rounder), shifted = f.mul_add(a, f.number(f.format.inverse_quarter), rounder);
  const Expr n = shifted - rounder;
  const auto less = [&](double part, const Expr &r) { return f.mul_add(n, f.number(-part), r); };
  Expr r = a;
  if (f.fused() && !wide && !pair) {
    for (const double part : short_quarter) r = less(part, r);
    return {f.bits(shifted), r, {}};
  }
  const std::span<const double> parts = f.fused() ? f.format.fused_quarter : f.format.quarter;
  const std::size_t last = parts.size() - 1;
  for (std::size_t i = 0; i + 1 < last; ++i) r = less(parts[i], r);
  const Expr high = less(parts[last - 1], r), low = less(parts[last], less(parts[last - 1], r - high));
  if (wide) return {f.bits(shifted), high, low};  // a low below the last place of high
  const Pair sum = exact_sum(high, low);
  return {f.bits(shifted), sum.high, sum.low};
}

// ---- the complete reduction of float32 ----------------------------------------------------------------------------------------

/// 1 / pi, less the multiples of 2^(24 - e), for numbers from `least` = 2^e up to 2^26 times that, in two parts of float64: the
/// product with such a float32 lacks multiples of 2, and stays below 2^49.
struct InversePi {
  double least, high, low;
};
inline constexpr InversePi inverse_pi[] = {{0, 0x1.45f306dc9c883p-2, -0x1.6b01ec5417056p-56},
                                           {0x1p50, -0x1.1b1bbead603d9p-29, 0x1.5f47d4d377037p-83},
                                           {0x1p76, -0x1.5ac07b1505c16p-54, 0x1.a6ee06db14acdp-108},
                                           {0x1p102, -0x1.505c1596447e5p-82, 0x1.b14acc9e21c82p-136}};

/// a = n pi / 2 + r with |r| ≤ 0.276 pi, computed in float64; r is NaN where a is not finite.
inline Turned reduce_completely(const Lanes &f, const Lanes &d, const Expr &a) {
  const Expr x = d.converted(a);
  const auto of_range = [&](auto part) {
    Expr value;
    for (const InversePi &p : inverse_pi) {
      const Expr own = d.number(2 * part(p));
      value = p.least == 0 ? own : ir::select(x < d.number(p.least), value, own);
    }
    return value;
  };
  const Expr high = of_range([](const InversePi &p) { return p.high; }), low = of_range([](const InversePi &p) { return p.low; });
  const Expr rounder = d.number(d.format.rounder), quarter = d.number(d.format.quarter_high);
  const auto result = [&](const Expr &n, const Expr &fraction) {
    const Expr r = fraction * quarter, short_r = f.converted(r);
    return Turned{f.lowest(n), short_r, f.converted(r - d.converted(short_r))};
  };
  if (d.fused()) {
    const Expr shifted = ir::mul_add(x, high, rounder);
    return result(d.bits(shifted), ir::mul_add(x, low, ir::mul_add(x, high, rounder - shifted)));
  }
  // In parts of 29 and 24 bits, whose products with the 24 of x are exact.
  const Expr part = d.shortened(high, 24), product = x * part, shifted = product + rounder;
  const Expr rest = (product - (shifted - rounder)) + x * (high - part), shifted_rest = rest + rounder;
  return result(d.bits(shifted) + d.bits(shifted_rest), (rest - (shifted_rest - rounder)) + x * low);
}

// ---- the complete reduction of float64 ----------------------------------------------------------------------------------------

/// The binary digits of 2 / pi after the point, behind 54 zeros.
inline constexpr std::uint64_t two_over_pi[] = {0x000000000000028b, 0xe60db9391054a7f0, 0x9d5f47d4d377036d, 0x8a5664f10e4107f9,
                                                0x458eaf7aef1586dc, 0x91b8e909374b8019, 0x24bba827464873f8, 0x77ac72c4a69cfba2,
                                                0x08d7d4baed1213a6, 0x71c09ad17df904e6, 0x4758e60d4ce7d272, 0x117e2ef7e4a0ec7f,
                                                0xe25fff7816603fbc, 0xbc462d6829b47db4, 0xd9fb3c9f2c26dd3d, 0x18fd9a797fa8b5d4,
                                                0x9eeb1faf97c5ecf4, 0x1ce7de294a4ba9af, 0xed7ec47e35742158};

/// 192 of these digits, from that of the number `first`, which is below 1024: words of 64, chosen bit by bit of the number, and
/// shifted by what is left. Four numbers of 48 digits each, the first digit of all of which stands for 2^53.
inline List<Expr> digits_of_two_over_pi(const Lanes &d, const Expr &first) {
  const DType type(scalar_types::uint64, first.lanes());
  const auto number = [&](std::uint64_t bits) { return ir::constant_bits(type, bits); };
  const auto shifted = [&](ir::BinaryOp op, const Expr &a, const Expr &by) { return ir::binary(op, a, by); };
  const auto left = [&](const Expr &a, std::uint64_t by) { return shifted(ir::BinaryOp::shl, a, number(by)); };
  const auto right = [&](const Expr &a, std::uint64_t by) { return shifted(ir::BinaryOp::shr, a, number(by)); };
  const auto either = [&](const Expr &a, const Expr &b) { return ir::binary(ir::BinaryOp::bit_or, a, b); };
  const auto below = [&](const Expr &a, int bits) {
    return ir::binary(ir::BinaryOp::bit_and, a, number((std::uint64_t{1} << bits) - 1));
  };
  List<Expr> words;
  for (const std::uint64_t word : two_over_pi) words.push_back(number(word));
  for (int bit = 3; bit >= 0; --bit) {
    const std::size_t step = std::size_t{1} << bit;
    const Expr odd = d.odd(d.shift_right(first, 6 + bit));
    for (std::size_t i = 0; i < 3 + step; ++i) words[i] = ir::select(odd, words[i + step], words[i]);
  }
  const Expr by = below(ir::cast(type, first, ir::CastMode::reinterpret), 6), back = number(63) - by;
  for (std::size_t i = 0; i < 3; ++i)
    words[i] = either(shifted(ir::BinaryOp::shl, words[i], by), shifted(ir::BinaryOp::shr, right(words[i + 1], 1), back));
  const Expr digits[] = {right(words[0], 16), either(left(below(words[0], 16), 32), right(words[1], 32)),
                         either(left(below(words[1], 32), 16), right(words[2], 48)), below(words[2], 48)};
  List<Expr> numbers;
  for (const Expr &some : digits) {  // below a number whose last digit stands for what theirs does
    const double one = std::ldexp(1.0, 58 - 48 * static_cast<int>(numbers.size()));
    numbers.push_back(d.of_bits(either(some, number(std::bit_cast<std::uint64_t>(one)))) - d.number(one));
  }
  return numbers;
}

/// a = n pi / 2 + r with |r| ≤ pi / 4 and a little more; r is NaN where a is not finite.
inline Turned reduce_completely(const Lanes &d, const Expr &a) {
  const Expr bits = d.bits(a), exponent = d.shift_right(bits, 52) - d.integer(1023);
  const auto masked = [&](ir::BinaryOp op, const Expr &value, std::int64_t mask) {
    return ir::binary(op, value, d.integer(mask));
  };
  const Expr mantissa = d.of_bits(
      masked(ir::BinaryOp::bit_or, masked(ir::BinaryOp::bit_and, bits, (std::int64_t{1} << 52) - 1), std::int64_t{1023} << 52));
  const List<Expr> digits = digits_of_two_over_pi(d, exponent);
  const Pair first = exact_product(d, mantissa, digits[0]), second = exact_product(d, mantissa, digits[1]),
             third = exact_product(d, mantissa, digits[2]);
  const Expr fours = d.number(0x1.8p54), rounder = d.number(d.format.rounder);
  const Expr below_4 = (first.high - ((first.high + fours) - fours)) + first.low;  // exact
  const Pair sum = any_sum(below_4, second.high);
  const Expr shifted = sum.high + rounder;
  // The parts of the fraction may cancel each other.
  Pair fraction{sum.high - (shifted - rounder), d.mul_add(mantissa, digits[3], third.low)};
  for (const Expr &part : {third.high, second.low, sum.low}) {
    const Pair next = any_sum(fraction.high, part);
    fraction = {next.high, fraction.low + next.low};
  }
  fraction = exact_sum(fraction.high, fraction.low);
  const Expr quarter = d.number(d.format.quarter_high);
  const Pair product = exact_product(d, fraction.high, quarter);
  const Expr low = d.mul_add(fraction.low, quarter, d.mul_add(fraction.high, d.number(d.format.quarter_low), product.low));
  const Pair r = exact_sum(product.high, low);
  return {d.bits(shifted), r.high + (a - a), r.low};
}

// ---- the functions ------------------------------------------------------------------------------------------------------------

/// Of float32 or float64, with the lanes of float64 that go with it. `quick`: no number is beyond the quick reach.
struct Circular {
  Lanes f, d;
  bool quick;

  bool wide() const { return f.format.mantissa == 52; }
  /// Quickly or, where a is beyond the reach, completely. The rest counts if `pair`.
  Turned reduced(const Expr &a, bool pair) const {
    const Turned near = reduce_quickly(f, a, pair);
    if (quick) return near;
    const Turned far = wide() ? reduce_completely(d, a) : reduce_completely(f, d, a);
    const Expr is_far = a > f.number(f.format.quick_reach);
    return {ir::select(is_far, far.n, near.n), ir::select(is_far, far.r, near.r),
            pair ? ir::select(is_far, far.rest, near.rest) : Expr()};
  }
};

/// (sin r / r - 1) / r^2 and (cos r - 1 + r^2 / 2) / r^4 in r^2 on |r| ≤ 0.276 pi: that the errors of sin and cos are 8.5e-9 and
/// 3.5e-10.
inline constexpr double sin_terms[] = {-0x1.555538p-3, 0x1.110276p-7, -0x1.97c708p-13};
inline constexpr double cos_terms[] = {0x1.555540p-5, -0x1.6c06a2p-10, 0x1.98784cp-16};
/// The same on |r| ≤ pi / 4, float64: that the errors are 3.8e-18 and 5.7e-20.
inline constexpr double wide_sin_terms[] = {-0x1.5555555555548p-3, 0x1.111111110f730p-7,   -0x1.a01a019be9215p-13,
                                            0x1.71de35552b247p-19, -0x1.ae5e4b83b6600p-26, 0x1.5d8b5584abe96p-33};
inline constexpr double wide_cos_terms[] = {0x1.555555555554bp-5,   -0x1.6c16c16c15015p-10, 0x1.a01a019c8f25ap-16,
                                            -0x1.27e4f7f191df0p-22, 0x1.1ee9dbcf97ccap-29,  -0x1.8fa684f20aa8ap-37};

/// Sine and cosine of r + rest of float64 as pairs.
struct Wave {
  Pair sin, cos;
};
inline Wave wave_of(const Lanes &d, const Turned &t) {
  const Expr square = t.r * t.r, half = d.number(0.5) * square, one = d.number(1), most = one - half;
  const Expr small = d.mul_add(square * square, d.polynomial(square, wide_cos_terms), -(t.r * t.rest));
  return {exact_sum(t.r, d.mul_add(square * d.polynomial(square, wide_sin_terms), t.r, t.rest)),
          exact_sum(most, ((one - most) - half) + small)};
}

/// sin(r + n pi / 2) of an n whose lowest two bits count.
inline Expr sin_after(const Circular &c, const Expr &n, const Turned &t) {
  const Lanes &f = c.f;
  if (c.wide()) {
    const Wave wave = wave_of(f, t);
    return f.flipped(ir::select(f.odd(n), wave.cos.high, wave.sin.high), f.shift_right(n, 1));
  }
  const Expr square = t.r * t.r;
  const Expr cos = f.mul_add(f.mul_add(square, f.polynomial(square, cos_terms), f.number(-0.5)), square, f.number(1));
  return f.flipped(ir::select(f.odd(n), cos, odd_polynomial(f, t.r, sin_terms)), f.shift_right(n, 1));
}
inline Expr sin(const Circular &c, const Expr &x) {
  const Turned t = c.reduced(c.f.absolute(x), c.wide());
  return c.f.times_sign(sin_after(c, t.n, t), x);
}
inline Expr cos(const Circular &c, const Expr &x) {
  const Turned t = c.reduced(c.f.absolute(x), c.wide());
  return sin_after(c, t.n + c.f.integer(1), t);
}

/// (tan r / r - 1) / r^2 in r^2 on |r| ≤ 0.276 pi: that the error of tan is 7.9e-9.
inline constexpr double tan_terms[] = {0x1.55558ep-2, 0x1.11023ap-3,  0x1.bcb51ap-5, 0x1.4b17e2p-6,
                                       0x1.b72a3ap-7, -0x1.7dc938p-9, 0x1.787a56p-8};

/// tan r, or -1 / tan r after an odd number of quarters, where what the sum lost is made good to first order.
inline Expr tan(const Circular &c, const Expr &x) {
  const Lanes &f = c.f;
  const Turned t = c.reduced(f.absolute(x), true);
  const Expr square = t.r * t.r, rest = f.mul_add(square * f.polynomial(square, tan_terms), t.r, t.rest);
  const Expr value = t.r + rest, inverse = f.number(-1) / value;
  const Expr corrected = f.mul_add(((t.r - value) + rest) * inverse, inverse, inverse);
  return f.times_sign(ir::select(f.odd(t.n), corrected, value), x);
}

/// sin r / cos r, or -cos r / sin r, as quotients of pairs.
inline Expr wide_tan(const Circular &c, const Expr &x) {
  const Lanes &d = c.d;
  const Turned t = c.reduced(d.absolute(x), true);
  const auto [sin, cos] = wave_of(d, t);
  const Expr one = d.number(1);
  const Expr odd = d.odd(t.n), divisor = ir::select(odd, sin.high, cos.high);
  const Pair number{ir::select(odd, -cos.high, sin.high), ir::select(odd, -cos.low, sin.low)};
  const Expr inverse = one / divisor, quotient = number.high * inverse;
  const Pair back = exact_product(d, quotient, divisor);
  const Expr lost = ((number.high - back.high) - back.low) + (number.low - quotient * ir::select(odd, sin.low, cos.low));
  return d.times_sign(d.mul_add(lost, inverse, quotient), x);
}

}  // namespace lathe::inline LATHE_ABI::types::math_functions
