// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// What math functions are written with: arithmetic of lanes and their bits, and what differs between float32 and float64.
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

namespace lathe::inline LATHE_ABI::types::math_functions {

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
  double inverse_quarter;            ///< 2 / pi
  /// pi / 2 in more parts, for fused multiply-adds and without. Of all but the last, products with integers up to 2 / pi times
  /// `quick_reach` are exact, or the fused sums in their place.
  std::span<const double> fused_quarter, quarter;
  double quick_reach;  ///< the greatest number of which circular functions take no long way
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
inline constexpr double fused_quarter_32[] = {0x1.921fb6p0, -0x1.77p-25, -0x1.e973dcp-35};
inline constexpr double quarter_32[] = {0x1.92p0, 0x1.fb8p-12, -0x1.5ep-23, 0x1.0b4612p-34};
inline constexpr double fused_quarter_64[] = {0x1.921fb54442d18p0, 0x1.1a6263p-54, 0x1.8a2e03707344ap-81};
inline constexpr double quarter_64[] = {0x1.921fb58p0, -0x1.dde974p-27, 0x1.1a6263p-54, 0x1.8a2e03707344ap-81};
/// The parts of ln 2 are those of Cephes' expf and of FreeBSD's e_exp.c.
// clang-format off
inline constexpr Format format_32 = {
    .mantissa = 23, .bias = 127, .rounder = 0x1.8p23, .rounder_bits = 0x4b400000, .sqrt_half_bits = 0x3f3504f3,
    .least_normal = 0x1p-126, .log2_e = 0x1.715476p0, .ln2_high = 0.693359375, .ln2_low = -2.12194440e-4f,
    .exp_terms = exp_terms_32, .exp2_terms = exp2_terms_32, .tanh_terms = tanh_terms_32, .sinh_terms = sinh_terms_32,
    .cosh_terms = cosh_terms_32, .asin_terms = asin_terms_32, .atan_terms = atan_terms_32, .exp_least = -104, .exp_greatest = 89, .expm1_least = -18,
    .expm1_linear = 0x1p-25, .tanh_greatest = 9.1,
    .sinh_greatest = 89.5, .sinh_linear = 0x1p-13, .quarter_high = 0x1.921fb6p0, .quarter_low = -0x1.777a5cp-25,
    .inverse_quarter = 0x1.45f306p-1, .fused_quarter = fused_quarter_32, .quarter = quarter_32, .quick_reach = 0x1.8p14};
inline constexpr Format format_64 = {
    .mantissa = 52, .bias = 1023, .rounder = 0x1.8p52, .rounder_bits = 0x4338000000000000, .sqrt_half_bits = 0x3fe6a09e667f3bcd,
    .least_normal = 0x1p-1022, .log2_e = 0x1.71547652b82fep0, .ln2_high = 0x1.62e42feep-1, .ln2_low = 0x1.a39ef35793c76p-33,
    .exp_terms = exp_terms_64, .exp2_terms = exp2_terms_64, .tanh_terms = tanh_terms_64, .sinh_terms = sinh_terms_64,
    .cosh_terms = cosh_terms_64, .asin_terms = asin_terms_64, .atan_terms = atan_terms_64, .exp_least = -746, .exp_greatest = 710, .expm1_least = -38,
    .expm1_linear = 0x1p-54, .tanh_greatest = 19.1,
    .sinh_greatest = 710.5, .sinh_linear = 0x1p-28, .quarter_high = 0x1.921fb54442d18p0, .quarter_low = 0x1.1a62633145c07p-54,
    .inverse_quarter = 0x1.45f306dc9c883p-1, .fused_quarter = fused_quarter_64, .quarter = quarter_64, .quick_reach = 0x1.8p25};
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

/// x + x^3 p(x^2)
inline Expr odd_polynomial(const Lanes &f, const Expr &x, std::span<const double> terms) {
  const Expr square = x * x;
  return f.mul_add(square * f.polynomial(square, terms), x, x);
}

// ---- pairs
// -----------------------------------------------------------------------------------------------------------------------

/// A number as the sum of two, of which the first is that sum rounded.
struct Pair {
  Expr high, low;
};
/// a + b for |a| ≥ |b|, or a = 0 (Dekker).
inline Pair exact_sum(const Expr &a, const Expr &b) {
  const Expr sum = a + b;
  return {sum, b - (sum - a)};
}
/// a + b (Knuth).
inline Pair any_sum(const Expr &a, const Expr &b) {
  const Expr sum = a + b, second = sum - a;
  return {sum, (a - (sum - second)) + (b - second)};
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

}  // namespace lathe::inline LATHE_ABI::types::math_functions
