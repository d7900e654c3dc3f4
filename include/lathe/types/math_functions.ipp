// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Math functions of float32: an argument is reduced to a small interval, where a polynomial is evaluated, and the result is put
/// together from that and the exponent.
///
/// Coefficients without another source are minimax: by the Remez exchange in 40 digits for the weight 1 / f, so that the error is
/// relative to the function, then rounded to float32 one by one from the lowest power, the others fitted anew each time. The
/// interval and the greatest relative error of the rounded polynomial stand beside each.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "lathe/ir/build.hpp"
#include "lathe/types/math_functions.hpp"

namespace lathe::inline LATHE_ABI::types {

namespace math_functions {

using ir::Expr;

/// Arithmetic of some lanes of float32 (or float64), and their bits.
class Lanes {
 public:
  Lanes(const ScalarType &type, int lanes, bool fused)
      : type_(type, lanes), bits_(type.bits == 64 ? scalar_types::int64 : scalar_types::int32, lanes), fused_(fused) {}

  Expr number(double value) const { return ir::constant(type_, value); }
  Expr integer(std::int64_t value) const { return ir::constant(bits_, value); }
  Expr bits(const Expr &a) const { return ir::cast(bits_, a, ir::CastMode::reinterpret); }
  Expr of_bits(const Expr &a) const { return ir::cast(type_, a, ir::CastMode::reinterpret); }
  Expr converted(const Expr &a) const { return ir::cast(type_, a); }

  /// a * b + c
  Expr mul_add(const Expr &a, const Expr &b, const Expr &c) const { return fused_ ? ir::mul_add(a, b, c) : a * b + c; }
  /// c[0] + c[1] x + c[2] x^2 + …
  template <class Number>
  Expr polynomial(const Expr &x, std::span<const Number> c) const {
    Expr sum = number(c.back());
    for (std::size_t i = c.size() - 1; i-- > 0;) sum = mul_add(sum, x, number(c[i]));
    return sum;
  }
  /// a, not below `low`; NaN stays.
  Expr not_below(double low, const Expr &a) const { return ir::select(a < number(low), number(low), a); }
  Expr not_above(double high, const Expr &a) const { return ir::select(a > number(high), number(high), a); }
  Expr absolute(const Expr &a) const { return ir::unary(ir::UnaryOp::abs, a); }
  Expr shift_left(const Expr &a, int by) const { return ir::binary(ir::BinaryOp::shl, a, integer(by)); }
  Expr shift_right(const Expr &a, int by) const { return ir::binary(ir::BinaryOp::shr, a, integer(by)); }
  /// `magnitude`, which has no sign, with the sign of `a`.
  Expr with_sign(const Expr &magnitude, const Expr &a) const {
    const Expr sign = ir::binary(ir::BinaryOp::bit_and, bits(a), integer(bits_.bits() == 64 ? INT64_MIN : INT32_MIN));
    return of_bits(ir::binary(ir::BinaryOp::bit_or, bits(magnitude), sign));
  }

 private:
  DType type_, bits_;
  bool fused_;
};

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// ---- exponentials -------------------------------------------------------------------------------------------------------------

/// A number added to which another one below 2^21 in magnitude is rounded to an integer, which then is in the lowest bits.
inline constexpr float rounder = 0x1.8p23f;
inline constexpr std::int64_t rounder_bits = 0x4b400000;

/// ln 2 in two parts: the first of 9 bits, so that its products with the integers below are exact (Cody and Waite).
inline constexpr float ln2_high = 0.693359375f, ln2_low = -2.12194440e-4f;

/// (e^r - 1 - r) / r^2 on |r| ≤ ln 2 / 2: that the error of e^r is 3.3e-9.
inline constexpr float exp_terms[] = {0x1.fffffcp-2f, 0x1.55548ap-3f, 0x1.55584ep-5f, 0x1.123f34p-7f, 0x1.6ad1b4p-10f};
/// (2^r - 1) / r on |r| ≤ 1/2: that the error of 2^r is 5.8e-9.
inline constexpr float exp2_terms[] = {0x1.62e430p-1f, 0x1.ebfbe0p-3f,  0x1.c6af36p-5f,
                                       0x1.3b27eap-7f, 0x1.5f37dap-10f, 0x1.470a9ap-13f};

/// x = n ln 2 + r with |r| ≤ ln 2 / 2: the integer n in the lowest bits of `n`, and r.
struct Reduced {
  Expr n, r;
};
inline Reduced reduce_by_ln2(const Lanes &f, const Expr &x) {
  const Expr shifted = f.mul_add(x, f.number(0x1.715476p0), f.number(rounder));
  const Expr n = shifted - f.number(rounder);
  return {f.bits(shifted), f.mul_add(n, f.number(-ln2_low), f.mul_add(n, f.number(-ln2_high), x))};
}

/// e^r - 1, for r of that interval, and e^r. 1 is added last: so the error of all before counts least.
inline Expr small_expm1(const Lanes &f, const Expr &r) { return f.mul_add(r * r, f.polynomial<float>(r, exp_terms), r); }
inline Expr small_exp(const Lanes &f, const Expr &r) {
  return f.mul_add(f.mul_add(r, f.polynomial<float>(r, exp_terms), f.number(1)), r, f.number(1));
}

/// 2^(n + more) for a sum of at least -126 and at most 127. The bits of the rounder that are not n are shifted out.
inline Expr power_of_two(const Lanes &f, const Expr &n, int more = 0) {
  return f.of_bits(f.shift_left(n, 23) + f.integer(std::int64_t{127 + more} << 23));
}

/// p * 2^n for n of -252 to 254: in two steps, of which the second rounds, overflows or underflows.
inline Expr scaled(const Lanes &f, const Expr &p, const Expr &n) {
  const Expr exponent = n - f.integer(rounder_bits), half = f.shift_right(exponent, 1);
  return p * power_of_two(f, half) * power_of_two(f, exponent - half);
}

inline constexpr double exp_least = -104, exp_greatest = 89;  // where 0 and infinity are reached

/// e^x. With `negative`, x is known not to be above 0.
inline Expr exp(const Lanes &f, const Expr &x, bool negative = false) {
  const Expr above = f.not_below(exp_least, x);
  const Reduced reduced = reduce_by_ln2(f, negative ? above : f.not_above(exp_greatest, above));
  return scaled(f, small_exp(f, reduced.r), reduced.n);
}

/// e^x for -87 ≤ x ≤ 88.
inline Expr normal_exp(const Lanes &f, const Expr &x) {
  const Reduced reduced = reduce_by_ln2(f, x);
  return small_exp(f, reduced.r) * power_of_two(f, reduced.n);
}

inline Expr exp2(const Lanes &f, const Expr &x) {
  const Expr within = f.not_above(129, f.not_below(-151, x));
  const Expr shifted = within + f.number(rounder);
  const Expr r = within - (shifted - f.number(rounder));
  return scaled(f, f.mul_add(r, f.polynomial<float>(r, exp2_terms), f.number(1)), f.bits(shifted));
}

/// e^x - 1 = 2 (2^(n - 1) (e^r - 1) + 2^(n - 1) - 1/2), which overflows where it should; below 2^-25 it is x itself.
inline Expr expm1(const Lanes &f, const Expr &x) {
  const Reduced reduced = reduce_by_ln2(f, f.not_above(exp_greatest, f.not_below(-18, x)));
  const Expr scale = power_of_two(f, reduced.n, -1);
  const Expr half = f.mul_add(small_expm1(f, reduced.r), scale, scale - f.number(0.5));
  return ir::select(f.absolute(x) < f.number(0x1p-25), x, half + half);
}

/// 1 / (1 + e^-|x|), and for negative x e^-|x| times that, whose small results are as accurate as the others. What the rounded sum
/// lost is made good to first order.
inline Expr sigmoid(const Lanes &f, const Expr &x) {
  const Expr one = f.number(1), e = exp(f, -f.absolute(x), true);
  const Expr sum = one + e, lost = e - (sum - one);
  const Expr quotient = ir::select(x < f.number(0), e, one) / sum;
  return f.mul_add(-quotient, lost, quotient);
}

/// (tanh x / x - 1) / x^2 in x^2 on |x| ≤ 0.625: that the error of tanh is 4.6e-9.
inline constexpr float tanh_terms[] = {-0x1.555532p-2f, 0x1.1106f6p-3f, -0x1.b835a4p-5f, 0x1.51f8cep-6f, -0x1.750ce2p-8f};

/// A polynomial up to 0.625, and 1 - 2 / (e^2x + 1) beyond: the division into intervals is that of Cephes' tanhf.
inline Expr tanh(const Lanes &f, const Expr &x) {
  const Expr a = f.absolute(x), square = a * a;
  const Expr small = f.mul_add(square * f.polynomial<float>(square, tanh_terms), a, a);
  const Expr within = f.not_above(9.1, a);
  const Expr large = f.number(1) - f.number(2) / (normal_exp(f, within + within) + f.number(1));
  return f.with_sign(ir::select(a < f.number(0.625), small, large), x);
}

/// erf x / x - 1 in x^2 on |x| ≤ 1: that the error of erf is 1.5e-9.
inline constexpr float erf_terms[] = {0x1.06eba8p-3f, -0x1.81273ep-2f,  0x1.ce2ce6p-4f, -0x1.b7f71ap-6f,
                                      0x1.53f224p-8f, -0x1.a3515ep-11f, 0x1.4771fcp-14f};
/// log(1 - erf x) on 1 ≤ x ≤ 3.93: that the error of erf is 1.1e-9.
inline constexpr float log_erfc_terms[] = {-0x1.661e8cp-12f, -0x1.2088eap0f,  -0x1.46baf0p-1f, -0x1.a65310p-4f,
                                           0x1.65cadap-6f,   -0x1.825918p-9f, 0x1.86d88ep-13f};

/// A polynomial up to 1, and 1 - e^p(x) beyond.
inline Expr erf(const Lanes &f, const Expr &x) {
  const Expr a = f.absolute(x);
  const Expr small = f.mul_add(f.polynomial<float>(a * a, erf_terms), a, a);
  const Expr large = f.number(1) - normal_exp(f, f.polynomial<float>(f.not_above(3.93, a), log_erfc_terms));
  return f.with_sign(ir::select(a < f.number(1), small, large), x);
}

// ---- logarithms ---------------------------------------------------------------------------------------------------------------

/// (log(1 + f) - f + f^2 / 2) / f^3 on √½ ≤ 1 + f ≤ √2: that the error of log is 5.9e-9.
inline constexpr float log_terms[] = {0x1.555554p-2f, -0x1.000228p-2f, 0x1.99a036p-3f, -0x1.547226p-3f,
                                      0x1.22d5e2p-3f, -0x1.0d8170p-3f, 0x1.0575d0p-3f, -0x1.390aeep-4f};
inline constexpr std::int64_t sqrt_half_bits = 0x3f3504f3;

/// x = 2^k (1 + fraction) with √½ ≤ 1 + fraction < √2.
struct Parts {
  Expr k, fraction;  ///< both float32
};
/// Of an x above 0, which may be subnormal.
inline Parts parts_of(const Lanes &f, const Expr &x) {
  const Expr tiny = x < f.number(0x1p-126);
  const Expr bits = f.bits(ir::select(tiny, x * f.number(0x1p23), x));
  const Expr k = f.shift_right(bits - f.integer(sqrt_half_bits), 23);
  const Expr mantissa = f.of_bits(bits - f.shift_left(k, 23));
  return {f.converted(k) - ir::select(tiny, f.number(23), f.number(0)), mantissa - f.number(1)};
}

/// What log(1 + fraction) - fraction is the product of: fraction^2 and another factor.
struct Curve {
  Expr square, factor;
};
inline Curve curve_of(const Lanes &f, const Expr &fraction) {
  return {fraction * fraction, f.mul_add(f.polynomial<float>(fraction, log_terms), fraction, f.number(-0.5))};
}

/// k ln 2 + log(1 + fraction), the smallest terms first.
inline Expr log_of(const Lanes &f, const Parts &parts) {
  const Curve curve = curve_of(f, parts.fraction);
  const Expr small = f.mul_add(curve.square, curve.factor, parts.k * f.number(ln2_low));
  return f.mul_add(parts.k, f.number(ln2_high), parts.fraction + small);
}

/// `value`, a logarithm of x, but what is right where x is not above 0.
inline Expr above_zero(const Lanes &f, const Expr &x, const Expr &value) {
  const Expr positive = ir::select(x < f.number(0), f.number(nan), value);
  return ir::select(ir::equals(x, f.number(0)), f.number(-infinity), positive);
}
/// `value`, or x where it is infinite or NaN.
inline Expr finite(const Lanes &f, const Expr &x, const Expr &value) { return ir::select(x < f.number(infinity), value, x); }

inline Expr log(const Lanes &f, const Expr &x) { return above_zero(f, x, finite(f, x, log_of(f, parts_of(f, x)))); }

/// The factor log2 e is split in two, so that its error does not count.
inline Expr log2(const Lanes &f, const Expr &x) {
  const Parts parts = parts_of(f, x);
  const Curve curve = curve_of(f, parts.fraction);
  const Expr high = f.number(0x1.715476p0), low = f.number(0x1.4ae0c0p-26);
  const Expr small = f.mul_add(parts.fraction, low, curve.square * curve.factor * high);
  return above_zero(f, x, finite(f, x, parts.k + f.mul_add(parts.fraction, high, small)));
}

/// 1 + x = 2^k (1 + fraction), where k is that of the rounded sum, and the fraction x 2^-k - (1 - 2^-k) has next to no error.
inline Expr log1p(const Lanes &f, const Expr &x) {
  const Expr sum = x + f.number(1);
  const Expr k = f.shift_right(f.bits(sum) - f.integer(sqrt_half_bits), 23), exponent = f.shift_left(k, 23);
  const Expr twice = f.of_bits(f.integer(0x40000000) - exponent);  // 2^(1 - k), which is 0 for the greatest k, 128
  const Expr fraction = f.of_bits(f.bits(x) - exponent) - f.mul_add(twice, f.number(-0.5), f.number(1));
  const Expr value = above_zero(f, sum, log_of(f, {f.converted(k), fraction}));
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
inline constexpr double wide_rounder = 0x1.8p52;

/// log2 |x| in float64, for any float32.
inline Expr wide_log2(const Lanes &f, const Lanes &d, const Expr &x) {
  const Expr a = f.absolute(x);
  const Parts parts = parts_of(f, a);
  const Expr fraction = d.converted(parts.fraction), s = fraction / (fraction + d.number(2));
  const Expr value = d.mul_add(s, d.polynomial<double>(s * s, ratio_log2_terms), d.converted(parts.k));
  const Expr finite = ir::select(a < f.number(infinity), value, d.converted(a));
  return ir::select(ir::equals(a, f.number(0)), d.number(-infinity), finite);
}

/// 2^t in float64, where float32 has it.
inline Expr wide_exp2(const Lanes &d, const Expr &t) {
  const Expr within = d.not_above(129, d.not_below(-151, t));
  const Expr shifted = within + d.number(wide_rounder);
  const Expr r = within - (shifted - d.number(wide_rounder));
  const Expr scale = d.of_bits(d.shift_left(d.bits(shifted), 52) + d.integer(std::int64_t{1023} << 52));
  return d.mul_add(r, d.polynomial<double>(r, wide_exp2_terms), d.number(1)) * scale;
}

/// |x|^y = 2^(y log2 |x|), rounded to float32 once, with what C says of signs and special values.
inline Expr pow(const Lanes &f, const Lanes &d, const Expr &x, const Expr &y) {
  const Expr magnitude = f.converted(wide_exp2(d, d.converted(y) * wide_log2(f, d, x)));
  // |y| rounded to an integer, which is in the lowest bits of `shifted` below 2^24; above, all numbers are even.
  const Expr a = f.absolute(y), whole = f.number(0x1p23), large = a >= whole;
  const Expr shifted = ir::select(large, a, a + whole);
  const Expr integral = large || ir::equals(shifted - whole, a);
  const Expr lowest = ir::binary(ir::BinaryOp::bit_and, f.bits(shifted), f.integer(1));
  const Expr odd = integral && ir::equals(lowest, f.integer(1)) && a < f.number(0x1p24);
  const Expr value = ir::select(odd, f.with_sign(magnitude, x), magnitude);
  const Expr has_none = x < f.number(0) && x > f.number(-infinity) && !integral;
  const Expr one = ir::equals(x, f.number(1)) || ir::equals(y, f.number(0)) ||
                   (ir::equals(x, f.number(-1)) && ir::equals(a, f.number(infinity)));
  return ir::select(one, f.number(1), ir::select(has_none, f.number(nan), value));
}

}  // namespace math_functions

LATHE_INLINE ir::Expr math_function(ir::UnaryOp op, const ir::Expr &a, bool fused) {
  if (a.type().element() != DType(scalar_types::float32)) return {};
  const math_functions::Lanes f(scalar_types::float32, a.lanes(), fused);
  switch (op) {
    case ir::UnaryOp::exp: return math_functions::exp(f, a);
    case ir::UnaryOp::exp2: return math_functions::exp2(f, a);
    case ir::UnaryOp::expm1: return math_functions::expm1(f, a);
    case ir::UnaryOp::log: return math_functions::log(f, a);
    case ir::UnaryOp::log2: return math_functions::log2(f, a);
    case ir::UnaryOp::log1p: return math_functions::log1p(f, a);
    case ir::UnaryOp::tanh: return math_functions::tanh(f, a);
    case ir::UnaryOp::erf: return math_functions::erf(f, a);
    case ir::UnaryOp::sigmoid: return math_functions::sigmoid(f, a);
    default: return {};
  }
}

LATHE_INLINE ir::Expr math_function(ir::BinaryOp op, const ir::Expr &a, const ir::Expr &b, bool fused) {
  if (op != ir::BinaryOp::pow || a.type().element() != DType(scalar_types::float32)) return {};
  const math_functions::Lanes f(scalar_types::float32, a.lanes(), fused), d(scalar_types::float64, a.lanes(), fused);
  return math_functions::pow(f, d, a, b);
}

}  // namespace lathe::inline LATHE_ABI::types
