// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Exponentials and what is made of them: hyperbolic functions, the logistic function, the error function; and ldexp.

#include "lathe/types/math_lanes.ipp"

namespace lathe::inline LATHE_ABI::types::math_functions {

// ---- exponentials -------------------------------------------------------------------------------------------------------------

/// x = n ln 2 + r with |r| ≤ ln 2 / 2: the sum of the integer n and the rounder, which has n in its lowest bits, and r.
struct Reduced {
  Expr shifted, r;
};
inline Reduced reduce_by_ln2(const Lanes &f, const Expr &x) {
  const Expr rounder = f.number(f.format.rounder), shifted = f.mul_add(x, f.number(f.format.log2_e), rounder);
  const Expr n = shifted - rounder;
  return {shifted, f.mul_add(n, f.number(-f.format.ln2_low), f.mul_add(n, f.number(-f.format.ln2_high), x))};
}

/// e^r - 1 and e^r for r of that interval.
inline Expr small_expm1(const Lanes &f, const Expr &r) { return f.mul_add(r * r, f.polynomial(r, f.format.exp_terms), r); }
inline Expr small_exp(const Lanes &f, const Expr &r) {
  return f.mul_add(f.mul_add(r, f.polynomial(r, f.format.exp_terms), f.number(1)), r, f.number(1));
}

/// 2^(n + more) where that is neither subnormal nor infinite. The bits of the rounder that are not n are shifted out.
inline Expr power_of_two(const Lanes &f, const Expr &n, int more = 0) {
  return f.of_bits(f.shift_left(n, f.format.mantissa) + f.integer(std::int64_t{f.format.bias + more} << f.format.mantissa));
}

/// p * 2^n for p near 1 and n of up to twice the range of exponents: in two steps, of which the second rounds, overflows or
/// underflows.
inline Expr scaled(const Lanes &f, const Expr &p, const Expr &shifted) {
  if (f.scales()) return ir::binary(ir::BinaryOp::ldexp, p, shifted - f.number(f.format.rounder));
  const Expr exponent = f.bits(shifted) - f.integer(f.format.rounder_bits), half = f.shift_right(exponent, 1);
  return p * power_of_two(f, half) * power_of_two(f, exponent - half);
}

/// e^x. With `negative`, x is known not to be above 0.
inline Expr exp(const Lanes &f, const Expr &x, bool negative = false) {
  const Expr above = f.not_below(f.format.exp_least, x);
  const Reduced reduced = reduce_by_ln2(f, negative ? above : f.not_above(f.format.exp_greatest, above));
  return scaled(f, small_exp(f, reduced.r), reduced.shifted);
}

/// e^x where that is neither subnormal nor infinite.
inline Expr normal_exp(const Lanes &f, const Expr &x) {
  const Reduced reduced = reduce_by_ln2(f, x);
  return small_exp(f, reduced.r) * power_of_two(f, f.bits(reduced.shifted));
}

inline Expr exp2(const Lanes &f, const Expr &x) {
  const Expr above = f.not_below(-f.format.bias - f.format.mantissa - 1, x), within = f.not_above(f.format.bias + 2, above);
  const Expr rounder = f.number(f.format.rounder);
  const Expr shifted = within + rounder;
  const Expr r = within - (shifted - rounder);
  return scaled(f, f.mul_add(r, f.polynomial(r, f.format.exp2_terms), f.number(1)), shifted);
}

/// e^x - 1 = 2 (2^(n - 1) (e^r - 1) + 2^(n - 1) - 1/2), which overflows where it should.
inline Expr expm1(const Lanes &f, const Expr &x) {
  const Reduced reduced = reduce_by_ln2(f, f.not_above(f.format.exp_greatest, f.not_below(f.format.expm1_least, x)));
  const Expr scale = power_of_two(f, f.bits(reduced.shifted), -1);
  const Expr half = f.mul_add(small_expm1(f, reduced.r), scale, scale - f.number(0.5));
  return ir::select(f.absolute(x) < f.number(f.format.expm1_linear), x, half + half);
}

/// 1 / (1 + e^-|x|), and for negative x e^-|x| times that, whose small results are as accurate as the others. What the rounded
/// sum lost is made good to first order.
inline Expr sigmoid(const Lanes &f, const Expr &x) {
  const Expr one = f.number(1), e = exp(f, -f.absolute(x), true);
  const Expr sum = one + e, lost = e - (sum - one);
  const Expr quotient = ir::select(x < f.number(0), e, one) / sum;
  return f.mul_add(-quotient, lost, quotient);
}

/// A polynomial up to 0.625, and 1 - 2 / (e^2x + 1) beyond: the division into intervals is that of Cephes' tanhf.
inline Expr tanh(const Lanes &f, const Expr &x) {
  const Expr a = f.absolute(x), square = a * a;
  const Expr small = f.mul_add(square * f.polynomial(square, f.format.tanh_terms), a, a);
  const Expr within = f.not_above(f.format.tanh_greatest, a);
  const Expr large = f.number(1) - f.number(2) / (normal_exp(f, within + within) + f.number(1));
  return f.with_sign(ir::select(a < f.number(0.625), small, large), x);
}

/// erf x / x - 1 in x^2 on |x| ≤ 1: that the error of erf is 1.5e-9.
inline constexpr double erf_terms[] = {0x1.06eba8p-3, -0x1.81273ep-2,  0x1.ce2ce6p-4, -0x1.b7f71ap-6,
                                       0x1.53f224p-8, -0x1.a3515ep-11, 0x1.4771fcp-14};
/// log(1 - erf x) on 1 ≤ x ≤ 3.93: that the error of erf is 1.1e-9.
inline constexpr double log_erfc_terms[] = {-0x1.661e8cp-12, -0x1.2088eap0,  -0x1.46baf0p-1, -0x1.a65310p-4,
                                            0x1.65cadap-6,   -0x1.825918p-9, 0x1.86d88ep-13};

/// A polynomial up to 1, and 1 - e^p(x) beyond.
inline Expr erf(const Lanes &f, const Expr &x) {
  const Expr a = f.absolute(x);
  const Expr small = f.mul_add(f.polynomial(a * a, erf_terms), a, a);
  const Expr large = f.number(1) - normal_exp(f, f.polynomial(f.not_above(3.93, a), log_erfc_terms));
  return f.with_sign(ir::select(a < f.number(1), small, large), x);
}

/// erf x / x - 1 in x^2 on |x| ≤ 1, float64: that the error of erf is 1.4e-17.
inline constexpr double wide_erf_terms[] = {0x1.06eba8214db68p-3,   -0x1.812746b0379b2p-2,  0x1.ce2f21a0408d1p-4,
                                            -0x1.b82ce311ee097p-6,  0x1.565bccf7e2755p-8,   -0x1.c02db0149a3c8p-11,
                                            0x1.f9a2b754d1587p-14,  -0x1.f4ca2045f3bb1p-17, 0x1.b97e43e22fe47p-20,
                                            -0x1.5bfe7471c7af6p-23, 0x1.d6e3d124a5e7bp-27,  -0x1.ab159d5f63b08p-31};
/// log(1 - erf x) in x - 2 on 1 ≤ x ≤ 5.94, float64: that the error of erf is 9.1e-18.
inline constexpr double wide_log_erfc_terms[] = {
    -0x1.575b329b1f514p+2,  -0x1.1ac3258a8dc28p+2, -0x1.d8f5dece9299dp-1,  -0x1.0dc3b5fb350d3p-6, 0x1.d406b378e555bp-9,
    -0x1.7ffcfafe43c4ep-11, 0x1.1bc3a4c79fda8p-13, -0x1.5b659ecb446cdp-16, 0x1.0604a8880e949p-19, 0x1.b581ac71c4acfp-23,
    -0x1.73e2f832c110cp-23, 0x1.ef9567e05a853p-25, -0x1.e0a2ec0f96ab7p-27, 0x1.66d7c08c7514fp-29, -0x1.1b820a46c0d34p-32,
    -0x1.3b8dc7c55d834p-34, 0x1.443e4ebd76163p-35, -0x1.593162c84d02ep-38};

inline Expr wide_erf(const Lanes &d, const Expr &x) {
  const Expr a = d.absolute(x);
  const Expr small = d.mul_add(d.polynomial(a * a, wide_erf_terms), a, a);
  const Expr log_erfc = d.polynomial(d.not_above(5.94, a) - d.number(2), wide_log_erfc_terms);
  return d.with_sign(ir::select(a < d.number(1), small, d.number(1) - normal_exp(d, log_erfc)), x);
}

// ---- hyperbolic functions -----------------------------------------------------------------------------------------------------

/// Of a = n ln 2 + r: sinh r, cosh r - 1, 2^n and 2^-n, of which sinh a and cosh a are made by addition alone. The powers are of
/// a quarter of their size, so that they do not overflow before the result.
struct Hyperbolic {
  Expr sinh, cosh_less_1, power, inverse;
};
inline Hyperbolic hyperbolic(const Lanes &f, const Expr &a) {
  const Reduced reduced = reduce_by_ln2(f, f.not_above(f.format.sinh_greatest, a));
  const Expr square = reduced.r * reduced.r, n = f.bits(reduced.shifted) - f.integer(f.format.rounder_bits);
  return {odd_polynomial(f, reduced.r, f.format.sinh_terms), square * f.polynomial(square, f.format.cosh_terms),
          power_of_two(f, n, -2), power_of_two(f, -ir::min(n, f.integer(60)), -2)};  // beyond 2^60 the inverse does not count
}
inline Expr sinh(const Lanes &f, const Expr &x) {
  const Expr a = f.absolute(x);
  const Hyperbolic h = hyperbolic(f, a);
  const Expr difference = h.power - h.inverse;
  const Expr half = f.mul_add(h.sinh, h.power + h.inverse, h.cosh_less_1 * difference) + difference;
  return f.with_sign(ir::select(a < f.number(f.format.sinh_linear), a, half + half), x);
}
inline Expr cosh(const Lanes &f, const Expr &x) {
  const Hyperbolic h = hyperbolic(f, f.absolute(x));
  const Expr rest = f.mul_add(h.cosh_less_1, h.power + h.inverse, h.inverse);
  const Expr half = f.mul_add(h.sinh, h.power - h.inverse, rest) + h.power;
  return half + half;
}

// ---- ldexp --------------------------------------------------------------------------------------------------------------------

/// a 2^floor(b) in three steps of which only the last rounds: the steps down are short by the bits of a mantissa, so that what
/// they leave is not subnormal where the last step would make it a number again. The steps are those of musl's scalbn.
inline Expr ldexp(const Lanes &f, const Expr &a, const Expr &b) {
  const double most = f.format.bias, least = 1 - most, less = least + f.format.mantissa + 1;
  const Expr zero = f.number(0), end = ir::select(b > zero, f.number(infinity), ir::select(b < zero, zero, b));
  const Expr at_end = ir::select(ir::equals(a, a), a * end, end);
  Expr value = ir::select(f.absolute(b) < f.number(infinity), a, at_end);
  Expr n = f.not_above(4 * most, f.not_below(-4 * most, ir::unary(ir::UnaryOp::floor, b)));
  for (int step = 0; step < 2; ++step) {
    const Expr above = n > f.number(most), below = n < f.number(least);
    const auto which = [&](double up, double down, double neither) {
      return ir::select(above, f.number(up), ir::select(below, f.number(down), f.number(neither)));
    };
    value = value * which(std::exp2(most), std::exp2(less), 1);
    n = n - which(most, less, 0);
  }
  n = f.not_above(most, f.not_below(least, n));
  return value * power_of_two(f, f.bits(n + f.number(f.format.rounder)));
}

}  // namespace lathe::inline LATHE_ABI::types::math_functions
