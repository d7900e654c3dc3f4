// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The inverses of circular functions.

#include "lathe/types/math_lanes.ipp"

namespace lathe::inline LATHE_ABI::types::math_functions {

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
