// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Math functions of float32, some also of float64: an argument is reduced to a small interval, where a polynomial is evaluated,
/// and the result is put together from that and the exponent.
///
/// Coefficients without another source are minimax: by the Remez exchange in 40 digits for the weight 1 / f, so that the error is
/// relative to the function, then rounded to the type one by one from the lowest power, the others fitted anew each time. The
/// interval and the greatest relative error of the rounded polynomial stand beside each.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "lathe/ir/build.hpp"
#include "lathe/types/math_functions.hpp"

namespace lathe::inline LATHE_ABI::types {

namespace math_functions {

using ir::Expr;

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// ---- what differs between float32 and float64 ---------------------------------------------------------------------------------

struct Format {
  int mantissa;  ///< bits of it
  int bias;      ///< of the exponent
  /// 1.5 * 2^mantissa: a number added to it is rounded to an integer, which then is in the lowest bits. And its bits.
  double rounder;
  std::int64_t rounder_bits;
  std::int64_t sqrt_half_bits;
  double least_normal;
  double log2_e;
  /// ln 2 in two parts: the first so short that its products with the integers below are exact (Cody and Waite).
  double ln2_high, ln2_low;
  std::span<const double> exp_terms, exp2_terms, tanh_terms, sinh_terms, cosh_terms, asin_terms, atan_terms;
  double exp_least, exp_greatest;    ///< where e^x is 0 and infinite
  double expm1_least;                ///< where e^x - 1 is -1
  double expm1_linear;               ///< below, e^x - 1 is x
  double tanh_greatest;              ///< where tanh is 1
  double sinh_greatest;              ///< where sinh is infinite
  double sinh_linear;                ///< below, sinh x is x
  double quarter_high, quarter_low;  ///< pi / 2 in two parts
};

/// (e^r - 1 - r) / r^2 on |r| ≤ ln 2 / 2: that the error of e^r is 3.3e-9, of the other 3.1e-19, its
/// first term fixed.
inline constexpr double exp_terms_32[] = {0x1.fffffcp-2, 0x1.55548ap-3, 0x1.55584ep-5, 0x1.123f34p-7, 0x1.6ad1b4p-10};
inline constexpr double exp_terms_64[] = {0x1p-1,
                                          0x1.555555555555dp-3,
                                          0x1.555555555556bp-5,
                                          0x1.111111110e590p-7,
                                          0x1.6c16c16c0b690p-10,
                                          0x1.a01a01b5c1e4cp-13,
                                          0x1.a01a01de95fa6p-16,
                                          0x1.71ddeb5d9470ep-19,
                                          0x1.27e46ae111c83p-22,
                                          0x1.af72be233486fp-26,
                                          0x1.200b9ad73ce94p-29};
/// (tanh x / x - 1) / x^2 in x^2 on |x| ≤ 0.625: that the error of tanh is 4.6e-9, of the other 1.1e-17.
inline constexpr double tanh_terms_32[] = {-0x1.555532p-2, 0x1.1106f6p-3, -0x1.b835a4p-5, 0x1.51f8cep-6, -0x1.750ce2p-8};
inline constexpr double tanh_terms_64[] = {-0x1.55555555554ffp-2,  0x1.111111110ac94p-3,  -0x1.ba1ba1b503b15p-5,
                                           0x1.664f477a69482p-6,   -0x1.226e16212466cp-7, 0x1.d6cf26cbf15aap-9,
                                           -0x1.7d68973b5fb05p-10, 0x1.3365ca746cf20p-11, -0x1.df5359d3d5ad4p-13,
                                           0x1.438ca07217b31p-14,  -0x1.0d9ee8ea70dc1p-16};
/// (2^r - 1) / r on |r| ≤ 1/2: that the error of 2^r is 5.8e-9, of the other 2.4e-17.
inline constexpr double exp2_terms_32[] = {0x1.62e430p-1, 0x1.ebfbe0p-3,  0x1.c6af36p-5,
                                           0x1.3b27eap-7, 0x1.5f37dap-10, 0x1.470a9ap-13};
inline constexpr double exp2_terms_64[] = {0x1.62e42fefa39f3p-1,  0x1.ebfbdff82c599p-3,  0x1.c6b08d7048dd0p-5,
                                           0x1.3b2ab6fba1c5dp-7,  0x1.5d87fe7bf48c3p-10, 0x1.4309130987d1ep-13,
                                           0x1.ffcbed40265d7p-17, 0x1.62bfd489ca429p-20, 0x1.b5434ab97b42ap-24,
                                           0x1.e605f4798b300p-28, 0x1.bdd331832c378p-32};
/// (sinh r / r - 1) / r^2 and (cosh r - 1) / r^2 in r^2 on |r| ≤ ln 2 / 2: that the errors of sinh and cosh are 4.7e-11 and
/// 9.7e-11, of the others 2.7e-19 and 8.4e-22.
inline constexpr double sinh_terms_32[] = {0x1.555556p-3, 0x1.110fbep-7, 0x1.a2e310p-13};
inline constexpr double sinh_terms_64[] = {0x1.5555555555559p-3, 0x1.111111110f624p-7, 0x1.a01a01b0250cdp-13,
                                           0x1.71ddf79e637b1p-19, 0x1.af601aa951414p-26};
inline constexpr double cosh_terms_32[] = {0x1p-1, 0x1.5554e6p-5, 0x1.6d4f3cp-10};
inline constexpr double cosh_terms_64[] = {
    0x1p-1, 0x1.5555555555558p-5, 0x1.6c16c16c14ff1p-10, 0x1.a01a01ad86bf7p-16, 0x1.27e4cbf6d3266p-22, 0x1.1f8c13c3f2e5dp-29};
/// (asin x / x - 1) / x^2 in x^2 on |x| ≤ 1/2: that the error of asin is 4.9e-9, of the other 9.6e-19.
inline constexpr double asin_terms_32[] = {0x1.5555c8p-3, 0x1.330204p-4, 0x1.747bbap-5, 0x1.8c3e28p-6, 0x1.595c90p-5};
inline constexpr double asin_terms_64[] = {
    0x1.5555555555577p-3, 0x1.333333332e131p-4,  0x1.6db6db721267fp-5, 0x1.f1c71a94f2e3bp-6, 0x1.6e8bdee04209bp-6,
    0x1.1c49f05c9b67cp-6, 0x1.ca1f8d792f0fbp-7,  0x1.7585894bea296p-7, 0x1.613c8e9a5b983p-7, 0x1.e5f56aa9115fcp-9,
    0x1.639c78b895505p-6, -0x1.57fd802173cdep-6, 0x1.0b46bcb66ef87p-5};
/// (atan x / x - 1) / x^2 in x^2 on |x| ≤ 1: that the error of atan is 2.7e-9, of the other 4.7e-18.
inline constexpr double atan_terms_32[] = {-0x1.55553ep-2, 0x1.9991e4p-3,  -0x1.242086p-3, 0x1.c08c50p-4,  -0x1.580932p-4,
                                           0x1.da2ac2p-5,  -0x1.fd80cap-6, 0x1.6429bap-7,  -0x1.d3678ap-10};
inline constexpr double atan_terms_64[] = {
    -0x1.5555555555526p-2, 0x1.99999999955b5p-3,  -0x1.249249237f5c4p-3, 0x1.c71c717fd07e7p-4,   -0x1.745d11ae86295p-4,
    0x1.3b13669ae7db8p-4,  -0x1.110e512c9f3abp-4, 0x1.e1bba6aa65ac3p-5,  -0x1.ae5e73c323aacp-5,  0x1.82dadacfd782ap-5,
    -0x1.59a40705411d0p-5, 0x1.2c2e6bd8eb0d0p-5,  -0x1.e9fa3a97ead04p-6, 0x1.683cfdba8fee4p-6,   -0x1.c7902a97e2fbcp-7,
    0x1.d7b9a54b6d8abp-8,  -0x1.7a3a16043273bp-9, 0x1.b3fb71fbbd5dap-11, -0x1.3f36d70d9c42cp-13, 0x1.bbee7309bc037p-17};
/// The parts of ln 2 are those of Cephes' expf and of FreeBSD's e_exp.c.
// clang-format off
inline constexpr Format format_32 = {
    .mantissa = 23, .bias = 127, .rounder = 0x1.8p23, .rounder_bits = 0x4b400000, .sqrt_half_bits = 0x3f3504f3,
    .least_normal = 0x1p-126, .log2_e = 0x1.715476p0, .ln2_high = 0.693359375, .ln2_low = -2.12194440e-4f,
    .exp_terms = exp_terms_32, .exp2_terms = exp2_terms_32, .tanh_terms = tanh_terms_32, .sinh_terms = sinh_terms_32,
    .cosh_terms = cosh_terms_32, .asin_terms = asin_terms_32, .atan_terms = atan_terms_32, .exp_least = -104, .exp_greatest = 89, .expm1_least = -18,
    .expm1_linear = 0x1p-25, .tanh_greatest = 9.1,
    .sinh_greatest = 89.5, .sinh_linear = 0x1p-13, .quarter_high = 0x1.921fb6p0, .quarter_low = -0x1.777a5cp-25};
inline constexpr Format format_64 = {
    .mantissa = 52, .bias = 1023, .rounder = 0x1.8p52, .rounder_bits = 0x4338000000000000, .sqrt_half_bits = 0x3fe6a09e667f3bcd,
    .least_normal = 0x1p-1022, .log2_e = 0x1.71547652b82fep0, .ln2_high = 0x1.62e42feep-1, .ln2_low = 0x1.a39ef35793c76p-33,
    .exp_terms = exp_terms_64, .exp2_terms = exp2_terms_64, .tanh_terms = tanh_terms_64, .sinh_terms = sinh_terms_64,
    .cosh_terms = cosh_terms_64, .asin_terms = asin_terms_64, .atan_terms = atan_terms_64, .exp_least = -746, .exp_greatest = 710, .expm1_least = -38,
    .expm1_linear = 0x1p-54, .tanh_greatest = 19.1,
    .sinh_greatest = 710.5, .sinh_linear = 0x1p-28, .quarter_high = 0x1.921fb54442d18p0, .quarter_low = 0x1.1a62633145c07p-54};
// clang-format on

/// Arithmetic of some lanes of float32 or float64, and their bits.
class Lanes {
 public:
  Lanes(const ScalarType &type, int lanes, bool fused, bool scales = false)
      : format(type.bits == 64 ? format_64 : format_32),
        type_(type, lanes),
        bits_(type.bits == 64 ? scalar_types::int64 : scalar_types::int32, lanes),
        fused_(fused),
        scales_(scales) {}

  const Format &format;

  Expr number(double value) const { return ir::constant(type_, value); }
  Expr integer(std::int64_t value) const { return ir::constant(bits_, value); }
  Expr bits(const Expr &a) const { return ir::cast(bits_, a, ir::CastMode::reinterpret); }
  Expr of_bits(const Expr &a) const { return ir::cast(type_, a, ir::CastMode::reinterpret); }
  /// A number of any type in this one.
  Expr converted(const Expr &a) const { return ir::cast(type_, a); }
  /// A small integer as a number. Few processors convert 64 bits in lanes: it is put where the rounder leaves integers.
  Expr of_integer(const Expr &a) const {
    if (bits_.bits() == 32) return converted(a);
    return of_bits(a + integer(format.rounder_bits)) - number(format.rounder);
  }

  /// a * b + c
  Expr mul_add(const Expr &a, const Expr &b, const Expr &c) const { return fused_ ? ir::mul_add(a, b, c) : a * b + c; }
  /// c[0] + c[1] x + c[2] x^2 + …
  Expr polynomial(const Expr &x, std::span<const double> c) const {
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
  Expr sign(const Expr &a) const {
    return ir::binary(ir::BinaryOp::bit_and, bits(a), integer(bits_.bits() == 64 ? INT64_MIN : INT32_MIN));
  }
  /// Whether ldexp is an instruction.
  bool scales() const { return scales_; }
  /// `magnitude`, which has no sign, with the sign of `a`.
  Expr with_sign(const Expr &magnitude, const Expr &a) const {
    return of_bits(ir::binary(ir::BinaryOp::bit_or, bits(magnitude), sign(a)));
  }
  /// `value` with its sign changed where `a` has one.
  Expr times_sign(const Expr &value, const Expr &a) const {
    return of_bits(ir::binary(ir::BinaryOp::bit_xor, bits(value), sign(a)));
  }
  /// `a` without its lowest bits.
  Expr shortened(const Expr &a, int by) const {
    return of_bits(ir::binary(ir::BinaryOp::bit_and, bits(a), integer(-(std::int64_t{1} << by))));
  }
  /// The lowest bits of integers of 64 bits, where these have 32.
  Expr lowest(const Expr &integers) const { return ir::cast(bits_, integers); }
  Expr odd(const Expr &integers) const {
    return ir::binary(ir::BinaryOp::ne, ir::binary(ir::BinaryOp::bit_and, integers, integer(1)), integer(0));
  }
  /// `value` with its sign changed where the integer is odd.
  Expr flipped(const Expr &value, const Expr &integers) const {
    return of_bits(ir::binary(ir::BinaryOp::bit_xor, bits(value), shift_left(integers, bits_.bits() - 1)));
  }
  bool fused() const { return fused_; }

 private:
  DType type_, bits_;
  bool fused_, scales_;
};

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

/// A number as the sum of two, of which the first is that sum rounded.
struct Pair {
  Expr high, low;
};
/// a + b for |a| ≥ |b|, or a = 0 (Dekker).
inline Pair exact_sum(const Expr &a, const Expr &b) {
  const Expr sum = a + b;
  return {sum, b - (sum - a)};
}
/// a * b; without fused multiply-adds of halves of the factors (Veltkamp and Dekker), which must be below 2^970.
inline Pair exact_product(const Lanes &d, const Expr &a, const Expr &b) {
  const Expr product = a * b;
  if (d.fused()) return {product, ir::mul_add(a, b, -product)};
  const auto halves = [&](const Expr &x) {
    const Expr big = x * d.number(0x1p27 + 1), high = big - (big - x);
    return Pair{high, x - high};
  };
  const Pair p = halves(a), q = halves(b);
  return {product, ((p.high * q.high - product) + p.high * q.low + p.low * q.high) + p.low * q.low};
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

/// x + x^3 p(x^2)
inline Expr odd_polynomial(const Lanes &f, const Expr &x, std::span<const double> terms) {
  const Expr square = x * x;
  return f.mul_add(square * f.polynomial(square, terms), x, x);
}

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

}  // namespace math_functions

/// float64 has all but the circular functions: reducing any argument takes more than the library does for one lane.
LATHE_INLINE ir::Expr wide_math_function(ir::UnaryOp op, const ir::Expr &a, bool fused, bool scales) {
  const math_functions::Lanes d(scalar_types::float64, a.lanes(), fused, scales);
  switch (op) {
    case ir::UnaryOp::exp: return math_functions::exp(d, a);
    case ir::UnaryOp::exp2: return math_functions::exp2(d, a);
    case ir::UnaryOp::expm1: return math_functions::expm1(d, a);
    case ir::UnaryOp::log: return math_functions::wide_log(d, a);
    case ir::UnaryOp::log2: return math_functions::log2_64(d, a);
    case ir::UnaryOp::log1p: return math_functions::log1p(d, a);
    case ir::UnaryOp::erf: return math_functions::wide_erf(d, a);
    case ir::UnaryOp::sinh: return math_functions::sinh(d, a);
    case ir::UnaryOp::cosh: return math_functions::cosh(d, a);
    case ir::UnaryOp::asin: return math_functions::asin(d, a);
    case ir::UnaryOp::acos: return math_functions::acos(d, a);
    case ir::UnaryOp::atan: return math_functions::atan(d, a);
    case ir::UnaryOp::tanh: return math_functions::tanh(d, a);
    case ir::UnaryOp::sigmoid: return math_functions::sigmoid(d, a);
    default: return {};
  }
}

LATHE_INLINE ir::Expr math_function(ir::UnaryOp op, const ir::Expr &a, bool fused, bool scales) {
  if (a.type().element() == DType(scalar_types::float64)) return wide_math_function(op, a, fused, scales);
  if (a.type().element() != DType(scalar_types::float32)) return {};
  const math_functions::Lanes f(scalar_types::float32, a.lanes(), fused, scales), d(scalar_types::float64, a.lanes(), fused);
  switch (op) {
    case ir::UnaryOp::exp: return math_functions::exp(f, a);
    case ir::UnaryOp::exp2: return math_functions::exp2(f, a);
    case ir::UnaryOp::expm1: return math_functions::expm1(f, a);
    case ir::UnaryOp::log: return math_functions::log(f, a);
    case ir::UnaryOp::log2: return math_functions::log2(f, a);
    case ir::UnaryOp::log1p: return math_functions::log1p(f, a);
    case ir::UnaryOp::sin: return math_functions::sin(f, d, a);
    case ir::UnaryOp::cos: return math_functions::cos(f, d, a);
    case ir::UnaryOp::tan: return math_functions::tan(f, d, a);
    case ir::UnaryOp::sinh: return math_functions::sinh(f, a);
    case ir::UnaryOp::cosh: return math_functions::cosh(f, a);
    case ir::UnaryOp::asin: return math_functions::asin(f, a);
    case ir::UnaryOp::acos: return math_functions::acos(f, a);
    case ir::UnaryOp::atan: return math_functions::atan(f, a);
    case ir::UnaryOp::tanh: return math_functions::tanh(f, a);
    case ir::UnaryOp::erf: return math_functions::erf(f, a);
    case ir::UnaryOp::sigmoid: return math_functions::sigmoid(f, a);
    default: return {};
  }
}

LATHE_INLINE ir::Expr math_function(ir::BinaryOp op, const ir::Expr &a, const ir::Expr &b, bool fused) {
  if (op == ir::BinaryOp::ldexp) return math_functions::ldexp({a.type().scalar(), a.lanes(), fused}, a, b);
  const bool wide = a.type().element() == DType(scalar_types::float64);
  if (!wide && a.type().element() != DType(scalar_types::float32)) return {};
  const math_functions::Lanes f(scalar_types::float32, a.lanes(), fused), d(scalar_types::float64, a.lanes(), fused);
  switch (op) {
    case ir::BinaryOp::pow: return wide ? math_functions::wide_pow(d, a, b) : math_functions::pow(f, d, a, b);
    case ir::BinaryOp::atan2: return math_functions::atan2(wide ? d : f, a, b);
    default: return {};
  }
}

}  // namespace lathe::inline LATHE_ABI::types
