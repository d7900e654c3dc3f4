// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Circular functions and their inverses.

#include "lathe/types/math_lanes.ipp"

namespace lathe::inline LATHE_ABI::types::math_functions {

// ---- circular functions -------------------------------------------------------------------------------------------------------

/// 1 / pi, less the multiples of 2^(24 - e), for numbers from `least` = 2^e up to 2^26 times that, in two parts of float64: the
/// product with such a float32 lacks multiples of 2, and stays below 2^49.
struct InversePi {
  double least, high, low;
};
inline constexpr InversePi inverse_pi[] = {{0, 0x1.45f306dc9c883p-2, -0x1.6b01ec5417056p-56},
                                           {0x1p50, -0x1.1b1bbead603d9p-29, 0x1.5f47d4d377037p-83},
                                           {0x1p76, -0x1.5ac07b1505c16p-54, 0x1.a6ee06db14acdp-108},
                                           {0x1p102, -0x1.505c1596447e5p-82, 0x1.b14acc9e21c82p-136}};

/// x = n pi / 2 + r with |r| ≤ 0.276 pi: r in float64, and n modulo 4 in the lowest bits of `n`.
struct Turned {
  Expr n, r;
};
/// Of an x that float32 has, in float64, not below 0; r is NaN where it is not finite.
inline Turned reduce_by_pi(const Lanes &d, const Expr &x) {
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
  if (d.fused()) {
    const Expr shifted = ir::mul_add(x, high, rounder);
    return {d.bits(shifted), ir::mul_add(x, low, ir::mul_add(x, high, rounder - shifted)) * quarter};
  }
  // In parts of 29 and 24 bits, whose products with the 24 of x are exact.
  const Expr part = d.shortened(high, 24), product = x * part, shifted = product + rounder;
  const Expr rest = (product - (shifted - rounder)) + x * (high - part), shifted_rest = rest + rounder;
  return {d.bits(shifted) + d.bits(shifted_rest), ((rest - (shifted_rest - rounder)) + x * low) * quarter};
}

/// (sin r / r - 1) / r^2 and (cos r - 1 + r^2 / 2) / r^4 in r^2 on |r| ≤ 0.276 pi: that the errors of sin and cos are 8.5e-9 and
/// 3.5e-10.
inline constexpr double sin_terms[] = {-0x1.555538p-3, 0x1.110276p-7, -0x1.97c708p-13};
inline constexpr double cos_terms[] = {0x1.555540p-5, -0x1.6c06a2p-10, 0x1.98784cp-16};
/// (tan r / r - 1) / r^2 in r^2 on the same: that the error of tan is 7.9e-9.
inline constexpr double tan_terms[] = {0x1.55558ep-2, 0x1.11023ap-3,  0x1.bcb51ap-5, 0x1.4b17e2p-6,
                                       0x1.b72a3ap-7, -0x1.7dc938p-9, 0x1.787a56p-8};

/// sin(r + n pi / 2) of an n whose lowest two bits count.
inline Expr sin_after(const Lanes &f, const Expr &n, const Expr &r) {
  const Expr square = r * r;
  const Expr cos = f.mul_add(f.mul_add(square, f.polynomial(square, cos_terms), f.number(-0.5)), square, f.number(1));
  const Expr value = ir::select(f.odd(n), cos, odd_polynomial(f, r, sin_terms));
  return f.flipped(value, f.shift_right(n, 1));
}
/// Reduced in float64, so that no argument is too great.
inline Expr sin(const Lanes &f, const Lanes &d, const Expr &x) {
  const Turned turned = reduce_by_pi(d, d.converted(f.absolute(x)));
  return f.times_sign(sin_after(f, f.lowest(turned.n), f.converted(turned.r)), x);
}
inline Expr cos(const Lanes &f, const Lanes &d, const Expr &x) {
  const Turned turned = reduce_by_pi(d, d.converted(f.absolute(x)));
  return sin_after(f, f.lowest(turned.n) + f.integer(1), f.converted(turned.r));
}
/// tan r, or -1 / tan r after an odd number of quarters, where what r and the sum lost is made good to first order.
inline Expr tan(const Lanes &f, const Lanes &d, const Expr &x) {
  const Turned turned = reduce_by_pi(d, d.converted(f.absolute(x)));
  const Expr r = f.converted(turned.r), square = r * r;
  const Expr lost = f.converted(turned.r - d.converted(r)), rest = f.mul_add(square * f.polynomial(square, tan_terms), r, lost);
  const Expr value = r + rest, inverse = f.number(-1) / value;
  const Expr corrected = f.mul_add(((r - value) + rest) * inverse, inverse, inverse);
  return f.times_sign(ir::select(f.odd(f.lowest(turned.n)), corrected, value), x);
}

// ---- inverses of circular functions -------------------------------------------------------------------------------------------

/// asin of |x| ≤ 1/2, and of the root of (1 - |x|) / 2 beyond, which is half of acos |x|: as the number itself and a small rest.
struct HalfAngle {
  Expr beyond, number, rest;
};
inline HalfAngle half_angle(const Lanes &f, const Expr &a) {
  const Expr beyond = a > f.number(0.5), square = f.mul_add(a, f.number(-0.5), f.number(0.5));
  const Expr z = ir::select(beyond, square, a * a), s = ir::select(beyond, ir::unary(ir::UnaryOp::sqrt, square), a);
  return {beyond, s, z * f.polynomial(z, f.format.asin_terms) * s};
}
inline Expr asin(const Lanes &f, const Expr &x) {
  const HalfAngle half = half_angle(f, f.absolute(x));
  const Expr high = f.mul_add(half.number, f.number(-2), f.number(f.format.quarter_high));
  const Expr complement = f.mul_add(half.rest, f.number(-2), f.number(f.format.quarter_low)) + high;
  return f.with_sign(ir::select(half.beyond, complement, half.number + half.rest), x);
}
/// pi / 2 - asin x, or twice the half angle, from pi where x is negative.
inline Expr acos(const Lanes &f, const Expr &x) {
  const HalfAngle half = half_angle(f, f.absolute(x));
  const Expr angle = half.number + half.rest, whole = angle + angle, negative = x < f.number(0);
  const Expr beyond =
      ir::select(negative, (f.number(2 * f.format.quarter_low) - whole) + f.number(2 * f.format.quarter_high), whole);
  const Expr near = f.number(f.format.quarter_high) - (f.times_sign(angle, x) - f.number(f.format.quarter_low));
  return ir::select(half.beyond, beyond, near);
}

/// What a greater than 1 has is the complement of the angle of 1 / a.
inline Expr atan(const Lanes &f, const Expr &x) {
  const Expr a = f.absolute(x), one = f.number(1), steep = a > one;
  const Expr angle = odd_polynomial(f, ir::select(steep, one / a, a), f.format.atan_terms);
  return f.with_sign(ir::select(steep, (f.number(f.format.quarter_low) - angle) + f.number(f.format.quarter_high), angle), x);
}

/// The angle of the lesser of |x| and |y| over the greater, which is added to or taken from the angle of an axis.
inline Expr atan2(const Lanes &f, const Expr &y, const Expr &x) {
  const Expr a = f.absolute(x), b = f.absolute(y), steep = b > a, zero = f.number(0);
  const Expr low = ir::select(steep, a, b), high = ir::select(steep, b, a);
  // Two zeros and two infinities have no quotient.
  const Expr same = ir::select(high > zero, f.number(1), high);
  const Expr angle = odd_polynomial(f, ir::select(ir::equals(low, high), same, low / high), f.format.atan_terms);
  const Expr left = f.bits(x) < f.integer(0), back = ir::select(steep, -angle, angle);
  const auto axis = [&](double quarter) {
    return ir::select(steep, f.number(quarter), ir::select(left, f.number(2 * quarter), zero));
  };
  const Expr turned = f.times_sign(back, x) + axis(f.format.quarter_low) + axis(f.format.quarter_high);
  return f.with_sign(turned, y);
}

}  // namespace lathe::inline LATHE_ABI::types::math_functions
