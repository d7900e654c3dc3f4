// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Logarithms and powers.

#include "lathe/types/math_exponentials.ipp"

namespace lathe::inline LATHE_ABI::types::math_functions {

// ---- logarithms ---------------------------------------------------------------------------------------------------------------

/// (log(1 + f) - f + f^2 / 2) / f^3 on √½ ≤ 1 + f ≤ √2: that the error of log is 5.9e-9.
inline constexpr double log_terms[] = {0x1.555554p-2, -0x1.000228p-2, 0x1.99a036p-3, -0x1.547226p-3,
                                       0x1.22d5e2p-3, -0x1.0d8170p-3, 0x1.0575d0p-3, -0x1.390aeep-4};

/// x = 2^k (1 + fraction) with √½ ≤ 1 + fraction < √2.
struct Parts {
  Expr k, fraction;  ///< both of the type of x
};
/// Of the bits of a number above 0 that is not subnormal: k as an integer.
inline Expr exponent_of(const Lanes &f, const Expr &bits) {
  return f.shift_right(bits - f.integer(f.format.sqrt_half_bits), f.format.mantissa);
}
/// Of an x above 0, which may be subnormal.
inline Parts parts_of(const Lanes &f, const Expr &x) {
  const double more = f.format.mantissa;
  const Expr tiny = x < f.number(f.format.least_normal);
  const Expr bits = f.bits(ir::select(tiny, x * f.number(std::ldexp(1.0, f.format.mantissa)), x));
  const Expr k = exponent_of(f, bits);
  const Expr mantissa = f.of_bits(bits - f.shift_left(k, f.format.mantissa));
  return {f.of_integer(k) - ir::select(tiny, f.number(more), f.number(0)), mantissa - f.number(1)};
}

/// What log(1 + fraction) - fraction is the product of: fraction^2 and another factor.
struct Curve {
  Expr square, factor;
};
inline Curve curve_of(const Lanes &f, const Expr &fraction) {
  return {fraction * fraction, f.mul_add(f.polynomial(fraction, log_terms), fraction, f.number(-0.5))};
}

/// k ln 2 + log(1 + fraction), the smallest terms first.
inline Expr log_of(const Lanes &f, const Parts &parts) {
  const Curve curve = curve_of(f, parts.fraction);
  const Expr small = f.mul_add(curve.square, curve.factor, parts.k * f.number(f.format.ln2_low));
  return f.mul_add(parts.k, f.number(f.format.ln2_high), parts.fraction + small);
}

/// `value`, a logarithm of x, but what is right where x is not above 0.
inline Expr above_zero(const Lanes &f, const Expr &x, const Expr &value) {
  const Expr positive = ir::select(x < f.number(0), f.number(nan), value);
  return ir::select(ir::equals(x, f.number(0)), f.number(-infinity), positive);
}
/// `value`, or x where it is infinite or NaN.
inline Expr finite(const Lanes &f, const Expr &x, const Expr &value) { return ir::select(x < f.number(infinity), value, x); }

/// log((1 + s) / (1 - s)) / s - 2 in s^2 on √½ ≤ (1 + s) / (1 - s) ≤ √2, divided by s^2: that the error of the logarithm is
/// 9e-21.
inline constexpr double ratio_log_terms[] = {0x1.5555555555555p-1, 0x1.9999999999d10p-2, 0x1.24924924399c0p-2,
                                             0x1.c71c724b40da1p-3, 0x1.745ce1d54dcc3p-3, 0x1.3b20225359917p-3,
                                             0x1.0f67754a3b730p-3, 0x1.0f0c18feef40dp-3};

/// The same in float64, where s = f / (2 + f) needs fewer terms than f: log(1 + f) = f - (f^2 / 2 - s (f^2 / 2 + s^2 p(s^2))), as
/// FreeBSD's e_log.c has it.
inline Expr wide_log_of(const Lanes &d, const Parts &parts) {
  const Expr &fraction = parts.fraction;
  const Expr s = fraction / (fraction + d.number(2)), square = s * s, half = d.number(0.5) * fraction * fraction;
  const Expr rest = d.mul_add(square, d.polynomial(square, ratio_log_terms), half);
  const Expr small = half - d.mul_add(s, rest, parts.k * d.number(d.format.ln2_low));
  return d.mul_add(parts.k, d.number(d.format.ln2_high), fraction - small);
}
inline Expr wide_log(const Lanes &d, const Expr &x) { return above_zero(d, x, finite(d, x, wide_log_of(d, parts_of(d, x)))); }

inline Expr log(const Lanes &f, const Expr &x) { return above_zero(f, x, finite(f, x, log_of(f, parts_of(f, x)))); }

/// The factor log2 e is split in two, so that its error does not count.
inline Expr log2(const Lanes &f, const Expr &x) {
  const Parts parts = parts_of(f, x);
  const Curve curve = curve_of(f, parts.fraction);
  const Expr high = f.number(0x1.715476p0), low = f.number(0x1.4ae0c0p-26);
  const Expr small = f.mul_add(parts.fraction, low, curve.square * curve.factor * high);
  return above_zero(f, x, finite(f, x, parts.k + f.mul_add(parts.fraction, high, small)));
}

/// log2 of float64, as FreeBSD's e_log2.c has it: log(1 + f) in two parts, of which the first is so short that its product with
/// the first of log2 e is exact.
inline Expr log2_64(const Lanes &d, const Expr &x) {
  const Parts parts = parts_of(d, x);
  const Expr &fraction = parts.fraction;
  const Expr s = fraction / (fraction + d.number(2)), square = s * s, half = d.number(0.5) * fraction * fraction;
  const Expr rest = s * d.mul_add(square, d.polynomial(square, ratio_log_terms), half);
  const Expr high = d.shortened(fraction - half, 32), low = ((fraction - high) - half) + rest;
  const Expr e_high = d.number(0x1.7154765200000p0), e_low = d.number(0x1.705fc2eefa200p-33);
  const Expr product = high * e_high, sum = parts.k + product;
  const Expr small = d.mul_add(low, e_high, (low + high) * e_low) + ((parts.k - sum) + product);
  return above_zero(d, x, finite(d, x, sum + small));
}

/// 1 + x = 2^k (1 + fraction), where k is that of the rounded sum, and the fraction x 2^-k - (1 - 2^-k) has next to no error.
inline Parts parts_of_sum(const Lanes &f, const Expr &x, const Expr &sum) {
  const int mantissa = f.format.mantissa;
  const Expr k = exponent_of(f, f.bits(sum)), exponent = f.shift_left(k, mantissa);
  // 2^(1 - k), which is 0 for the greatest k.
  const Expr twice = f.of_bits(f.integer(std::int64_t{f.format.bias + 1} << mantissa) - exponent);
  return {f.of_integer(k), f.of_bits(f.bits(x) - exponent) - f.mul_add(twice, f.number(-0.5), f.number(1))};
}
inline Expr log1p(const Lanes &f, const Expr &x) {
  const Expr sum = x + f.number(1);
  const Parts parts = parts_of_sum(f, x, sum);
  const Expr value = above_zero(f, sum, f.format.mantissa == 52 ? wide_log_of(f, parts) : log_of(f, parts));
  return ir::select(ir::equals(x, f.number(0)), x, finite(f, x, value));
}

// ---- powers -------------------------------------------------------------------------------------------------------------------

/// log2((1 + s) / (1 - s)) / s in s^2 on √½ ≤ (1 + s) / (1 - s) ≤ √2, float64: that the error of the logarithm is 2.8e-14.
inline constexpr double ratio_log2_terms[] = {0x1.71547652b824bp+1, 0x1.ec709dc54865cp-1, 0x1.2776c28470044p-1,
                                              0x1.a61a3b527dfebp-2, 0x1.479334779be7ap-2, 0x1.21d101402dcd8p-2};
/// (2^r - 1) / r on |r| ≤ 1/2, float64: that the error of 2^r is 2.4e-10.
inline constexpr double wide_exp2_terms[] = {0x1.62e4300b9cb5fp-1, 0x1.ebfbe0456db3dp-3,  0x1.c6b0551d8d9b7p-5,
                                             0x1.3b2a1bf77d389p-7, 0x1.5dc0525fa5876p-10, 0x1.443f94985f68cp-13,
                                             0x1.c045e571039a2p-17};

/// log2 |x| in float64, for any float32.
inline Expr wide_log2(const Lanes &f, const Lanes &d, const Expr &x) {
  const Expr a = f.absolute(x);
  const Parts parts = parts_of(f, a);
  const Expr fraction = d.converted(parts.fraction), s = fraction / (fraction + d.number(2));
  const Expr value = d.mul_add(s, d.polynomial(s * s, ratio_log2_terms), d.converted(parts.k));
  const Expr finite = ir::select(a < f.number(infinity), value, d.converted(a));
  return ir::select(ir::equals(a, f.number(0)), d.number(-infinity), finite);
}

/// 2^t in float64, where float32 has it.
inline Expr wide_exp2(const Lanes &d, const Expr &t) {
  const Expr within = d.not_above(129, d.not_below(-151, t)), rounder = d.number(d.format.rounder);
  const Expr shifted = within + rounder;
  const Expr r = within - (shifted - rounder);
  return d.mul_add(r, d.polynomial(r, wide_exp2_terms), d.number(1)) * power_of_two(d, d.bits(shifted));
}

/// `magnitude`, |x|^y, with what C says of signs, of ones and of negative numbers.
inline Expr power_of_sign(const Lanes &f, const Expr &x, const Expr &y, const Expr &magnitude) {
  // |y| rounded to an integer, which is in the lowest bits of `shifted` below twice `whole`; above, all numbers are even.
  const double least_whole = std::ldexp(1.0, f.format.mantissa);
  const Expr a = f.absolute(y), whole = f.number(least_whole), large = a >= whole;
  const Expr shifted = ir::select(large, a, a + whole);
  const Expr integral = large || ir::equals(shifted - whole, a);
  const Expr odd = integral && f.odd(f.bits(shifted)) && a < f.number(2 * least_whole);
  const Expr value = ir::select(odd, f.with_sign(magnitude, x), magnitude);
  const Expr has_none = x < f.number(0) && x > f.number(-infinity) && !integral;
  const Expr one = ir::equals(x, f.number(1)) || ir::equals(y, f.number(0)) ||
                   (ir::equals(x, f.number(-1)) && ir::equals(a, f.number(infinity)));
  return ir::select(one, f.number(1), ir::select(has_none, f.number(nan), value));
}

/// |x|^y = 2^(y log2 |x|), rounded to float32 once.
inline Expr pow(const Lanes &f, const Lanes &d, const Expr &x, const Expr &y) {
  return power_of_sign(f, x, y, f.converted(wide_exp2(d, d.converted(y) * wide_log2(f, d, x))));
}

/// (log2((1 + s) / (1 - s)) / s - 2 / ln 2 - 2 s^2 / (3 ln 2)) / s^4 in s^2 on √½ ≤ (1 + s) / (1 - s) ≤ √2: that the error of the
/// logarithm is 1.2e-20.
inline constexpr double ratio_log2_rest[] = {0x1.2776c50ef9d23p-1, 0x1.a61762a759be4p-2, 0x1.484b142171bcfp-2,
                                             0x1.0c9a63e3cc5c2p-2, 0x1.c69f8786fdef4p-3, 0x1.87b129150b7b5p-3,
                                             0x1.85e5770887502p-3};

/// log2 a of float64 to some 66 bits, for a above 0 and finite. The number s of (1 + s) / (1 - s) and the first two terms of the
/// series are pairs.
inline Pair log2_pair(const Lanes &d, const Expr &a) {
  const Parts parts = parts_of(d, a);
  const Expr &fraction = parts.fraction;
  const Pair divisor = exact_sum(d.number(2), fraction);
  const Expr s = fraction / divisor.high;
  const Pair back = exact_product(d, s, divisor.high);
  const Expr left = ((fraction - back.high) - back.low) - s * divisor.low;
  const Expr s_low = left * d.mul_add(s, d.number(-0.5), d.number(0.5));  // 1 / (2 + fraction) = (1 - s) / 2
  const Pair square = exact_product(d, s, s);
  const Expr square_low = d.mul_add(s + s, s_low, square.low);
  const Pair second = exact_sum(d.number(0x1.ec709dc3a03fdp-1), square.high * d.polynomial(square.high, ratio_log2_rest));
  const Pair rest = exact_product(d, square.high, second.high);
  const Expr rest_low =
      d.mul_add(square.high, second.low + d.number(0x1.d27f05548af0cp-55), d.mul_add(square_low, second.high, rest.low));
  const Pair factor = exact_sum(d.number(0x1.71547652b82fep+1), rest.high);
  const Expr factor_low = factor.low + (rest_low + d.number(0x1.777d0ffda0d24p-55));
  const Pair log = exact_product(d, s, factor.high);
  const Pair sum = exact_sum(parts.k, log.high);
  return {sum.high, sum.low + d.mul_add(s, factor_low, d.mul_add(s_low, factor.high, log.low))};
}

/// The power of float64: y log2 |x| as a pair. A y beyond 2^65 makes no difference.
inline Expr wide_pow(const Lanes &d, const Expr &x, const Expr &y) {
  const Expr a = d.absolute(x), zero = d.number(0);
  const Pair log = log2_pair(d, a);
  const Expr within = d.not_above(0x1p65, d.not_below(-0x1p65, y));
  const Pair product = exact_product(d, within, log.high);
  const Expr some = d.absolute(product.high) < d.number(1100);
  const Expr low = ir::select(some, d.mul_add(within, log.low, product.low), zero);
  const Expr high = d.not_above(1100, d.not_below(-1100, product.high));
  const Expr rounder = d.number(d.format.rounder), shifted = high + rounder, fraction = high - (shifted - rounder);
  const Expr r = fraction + low, lost = (fraction - r) + low;
  const Expr less_1 = d.mul_add(r, d.polynomial(r, d.format.exp2_terms), lost * d.number(0x1.62e42fefa39efp-1));
  const Expr power = scaled(d, less_1 + d.number(1), shifted);
  // Of zero, infinity and NaN: themselves, or their inverses.
  const Expr is_zero = ir::equals(a, zero), is_infinite = ir::equals(a, d.number(infinity));
  const Expr inverse = ir::select(is_zero, d.number(infinity), ir::select(is_infinite, zero, a));
  const Expr special = ir::select(ir::equals(y, y), ir::select(y < zero, inverse, a), y);
  const Expr ordinary = a > zero && a < d.number(infinity);
  return power_of_sign(d, x, y, ir::select(ordinary, power, special));
}

}  // namespace lathe::inline LATHE_ABI::types::math_functions
