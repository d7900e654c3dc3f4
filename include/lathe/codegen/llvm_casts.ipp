// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Changes of type. float16 and bfloat16 are carried as i16 and converted here; by integer arithmetic where the target has no
/// instruction, so that no run-time library is called.

#include <bit>
#include <cmath>

#include "lathe/codegen/llvm_operators.hpp"

namespace lathe::inline LATHE_ABI::codegen {

namespace llvm_casts {

inline DType as(DType lanes_of, const ScalarType &scalar) { return DType(scalar, lanes_of.lanes()); }
inline bool is_small(DType type) { return type.is_float() && type.bits() == 16; }
inline bool is_half(DType type) { return type.scalar().exponent_bits == 5; }
inline bool has_half(LlvmWriter &w) { return w.unit().has("f16c") || w.unit().is_aarch64(); }

/// binary16 by integers: exponent and mantissa moved into place make a float that is 2^112 too small, subnormals included.
LATHE_INLINE LlvmValue widen_half(LlvmWriter &w, DType type, LlvmValue a) {
  const DType i32 = as(type, scalar_types::int32), f32 = as(type, scalar_types::float32);
  const LlvmValue bits = w.convert("zext", a, i32);
  const LlvmValue sign = w.op2("shl", w.op2("and", bits, w.integer(i32, 0x8000)), w.integer(i32, 16));
  const LlvmValue moved = w.op2("shl", w.op2("and", bits, w.integer(i32, 0x7fff)), w.integer(i32, 13));
  const LlvmValue scaled = w.op2("fmul", w.bitcast(moved, f32), w.floating(f32, 0x1p112));
  const LlvmValue special = w.compare("icmp uge", moved, w.integer(i32, 0x7c00 << 13));
  const LlvmValue top = w.select(special, w.integer(i32, 0x7f800000), w.zero(i32));
  return w.bitcast(w.op2("or", w.op2("or", w.bitcast(scaled, i32), top), sign), f32);
}

/// Rounds to nearest, ties to even: normal results by adding half of what is dropped to the pattern, subnormal ones by a float
/// addition whose last place is theirs.
LATHE_INLINE LlvmValue narrow_half(LlvmWriter &w, DType type, LlvmValue a) {
  const DType i32 = as(type, scalar_types::int32), f32 = as(type, scalar_types::float32);
  const LlvmValue bits = w.bitcast(a, i32);
  const LlvmValue sign = w.op2("lshr", w.op2("and", bits, w.integer(i32, INT32_MIN)), w.integer(i32, 16));
  const LlvmValue magnitude = w.op2("and", bits, w.integer(i32, 0x7fffffff));
  const LlvmValue odd = w.op2("and", w.op2("lshr", magnitude, w.integer(i32, 13)), w.integer(i32, 1));
  const LlvmValue rounded = w.op2("add", w.op2("add", magnitude, w.integer(i32, ((15 - 127) * (1 << 23)) + 0xfff)), odd);
  const LlvmValue normal = w.op2("lshr", rounded, w.integer(i32, 13));
  const std::int64_t magic = (127 - 15 + 23 - 10 + 1) << 23;
  const LlvmValue shifted = w.op2("fadd", w.bitcast(magnitude, f32), w.constant(f32, static_cast<std::uint64_t>(magic)));
  const LlvmValue subnormal = w.op2("sub", w.bitcast(shifted, i32), w.integer(i32, magic));
  const LlvmValue is_nan = w.compare("icmp ugt", magnitude, w.integer(i32, 0x7f800000));
  const LlvmValue special = w.select(is_nan, w.integer(i32, 0x7e00), w.integer(i32, 0x7c00));
  const LlvmValue finite = w.select(w.compare("icmp ult", magnitude, w.integer(i32, 113 << 23)), subnormal, normal);
  const LlvmValue result = w.select(w.compare("icmp uge", magnitude, w.integer(i32, (127 + 16) << 23)), special, finite);
  return w.convert("trunc", w.op2("or", result, sign), as(type, scalar_types::int16));
}

LATHE_INLINE LlvmValue narrow_bfloat(LlvmWriter &w, DType type, LlvmValue a) {
  const DType i32 = as(type, scalar_types::int32);
  const LlvmValue bits = w.bitcast(a, i32);
  const LlvmValue upper = w.op2("lshr", bits, w.integer(i32, 16));
  const LlvmValue odd = w.op2("and", upper, w.integer(i32, 1));
  const LlvmValue rounded = w.op2("lshr", w.op2("add", w.op2("add", bits, w.integer(i32, 0x7fff)), odd), w.integer(i32, 16));
  const LlvmValue quiet = w.op2("or", upper, w.integer(i32, 0x40));
  return w.convert("trunc", w.select(w.compare("fcmp uno", a, a), quiet, rounded), as(type, scalar_types::int16));
}

/// float64 to float32 so that rounding once more to a small float rounds correctly: inexact results get an odd last place.
LATHE_INLINE LlvmValue round_to_odd(LlvmWriter &w, LlvmValue a) {
  const DType f64 = w.type(a), f32 = as(f64, scalar_types::float32), i32 = as(f64, scalar_types::int32);
  const LlvmValue nearest = w.convert("fptrunc", a, f32);
  const LlvmValue back = w.convert("fpext", nearest, f64);
  const LlvmValue bits = w.bitcast(nearest, i32);
  const LlvmValue even = w.compare("icmp eq", w.op2("and", bits, w.integer(i32, 1)), w.zero(i32));
  const LlvmValue change = w.op2("and", w.compare("fcmp one", back, a), even);
  const LlvmValue away = w.compare("fcmp ogt", w.intrinsic("llvm.fabs", f64, {back}), w.intrinsic("llvm.fabs", f64, {a}));
  const LlvmValue step = w.select(away, w.integer(i32, -1), w.integer(i32, 1));
  return w.bitcast(w.select(change, w.op2("add", bits, step), bits), f32);
}

LATHE_INLINE LlvmValue clamp_integer(LlvmWriter &w, DType to, DType from, LlvmValue a) {
  const int from_bits = from.bits() - (from.is_signed() ? 1 : 0), to_bits = to.bits() - (to.is_signed() ? 1 : 0);
  const auto greatest = static_cast<std::int64_t>(~std::uint64_t{0} >> (64 - to_bits));
  if (from.is_signed()) {
    if (!to.is_signed()) a = w.intrinsic("llvm.smax", from, {a, w.zero(from)});
    if (to_bits < from_bits) {
      a = w.intrinsic("llvm.smin", from, {a, w.integer(from, greatest)});
      if (to.is_signed()) a = w.intrinsic("llvm.smax", from, {a, w.integer(from, -greatest - 1)});
    }
  } else if (to_bits < from_bits) {
    a = w.intrinsic("llvm.umin", from, {a, w.integer(from, greatest)});
  }
  return a;
}

LATHE_INLINE LlvmValue integer_cast(LlvmWriter &w, ir::CastMode mode, DType to, DType from, LlvmValue a) {
  if (to.is_bool()) {
    if (from.is_bool()) return a;
    return w.compare(mode == ir::CastMode::saturate && from.is_signed() ? "icmp sgt" : "icmp ne", a, w.zero(from));
  }
  if (mode == ir::CastMode::saturate && !from.is_bool()) a = clamp_integer(w, to, from, a);
  if (to.bits() == from.bits()) return a;
  if (to.bits() < from.bits()) return w.convert("trunc", a, to);
  return w.convert(from.is_signed() ? "sext" : "zext", a, to);
}

/// A vector of float32 or float64 to integers, saturating. (LLVM makes scalar code of its own operation.) The least value is a
/// power of two and so a float, the greatest one only where the integer is narrow.
LATHE_INLINE LlvmValue saturate_lanes(LlvmWriter &w, DType to, DType from, LlvmValue a) {
  const bool is_signed = to.is_signed();
  const int magnitude_bits = to.bits() - (is_signed ? 1 : 0);
  const LlvmValue least = w.floating(from, is_signed ? -std::ldexp(1.0, magnitude_bits) : 0.0);
  LlvmValue inside = w.select(w.compare("fcmp ogt", a, least), a, least);  // NaN becomes the least value
  const bool exact = magnitude_bits <= from.scalar().mantissa_bits + 1;
  if (exact) {
    const LlvmValue most = w.floating(from, std::ldexp(1.0, magnitude_bits) - 1);
    inside = w.select(w.compare("fcmp olt", inside, most), inside, most);
  }
  const DType wide = to.bits() < 32 ? as(to, scalar_types::int32) : to;
  LlvmValue result = w.convert(is_signed || to.bits() < 32 ? "fptosi" : "fptoui", inside, wide);
  if (!exact) {
    const LlvmValue beyond = w.compare("fcmp oge", a, w.floating(from, std::ldexp(1.0, magnitude_bits)));
    result = w.select(beyond, w.constant(wide, (std::uint64_t{1} << (magnitude_bits - 1)) * 2 - 1), result);
  }
  if (is_signed) result = w.select(w.compare("fcmp uno", a, a), w.zero(wide), result);
  return wide == to ? result : w.convert("trunc", result, to);
}

LATHE_INLINE LlvmValue float_to_integer(LlvmWriter &w, ir::CastMode mode, DType to, DType from, LlvmValue a) {
  if (is_small(from)) {
    a = llvm_widen(w, from, a);
    from = as(from, scalar_types::float32);
  }
  if (to.is_bool())
    return mode == ir::CastMode::saturate ? w.compare("fcmp oge", a, w.floating(from, 1))
                                          : w.compare("fcmp une", a, w.zero(from));
  if (to.is_vector() && !w.unit().is_aarch64()) return saturate_lanes(w, to, from, a);
  return w.intrinsic(to.is_signed() ? "llvm.fptosi.sat" : "llvm.fptoui.sat", to, {a}, {to, from});
}

/// Clamps to the finite values of `to`; NaN passes.
LATHE_INLINE LlvmValue clamp_float(LlvmWriter &w, DType to, DType from, LlvmValue a) {
  const int bias = (1 << (to.scalar().exponent_bits - 1)) - 1;
  const double end = std::ldexp(2.0 - std::ldexp(1.0, -to.scalar().mantissa_bits), bias);
  const LlvmValue most = w.floating(from, end), least = w.floating(from, -end);
  a = w.select(w.compare("fcmp ogt", a, most), most, a);
  return w.select(w.compare("fcmp olt", a, least), least, a);
}

LATHE_INLINE LlvmValue to_float(LlvmWriter &w, ir::CastMode mode, DType to, DType from, LlvmValue a) {
  const DType f32 = as(to, scalar_types::float32);
  const bool from_integer = !from.is_float();
  if (from_integer) {
    const DType rounded = is_small(to) ? f32 : to;
    a = w.convert(from.is_signed() ? "sitofp" : "uitofp", a, rounded);
    from = rounded;
  } else if (is_small(from)) {
    if (to == from)
      return mode == ir::CastMode::saturate ? llvm_narrow(w, to, clamp_float(w, to, f32, llvm_widen(w, from, a))) : a;
    a = llvm_widen(w, from, a);
    from = f32;
  }
  // Every integer lies within the range of all floats but float16.
  const bool clamps = mode == ir::CastMode::saturate && (!from_integer || is_half(to));
  if (to.bits() > from.bits()) {
    a = w.convert("fpext", a, to);
    return clamps ? clamp_float(w, to, to, a) : a;
  }
  if (clamps) a = clamp_float(w, to, from, a);
  if (to == from) return a;
  if (is_small(to)) return llvm_narrow(w, to, from.bits() == 64 ? round_to_odd(w, a) : a);
  return w.convert("fptrunc", a, to);
}

}  // namespace llvm_casts

LATHE_INLINE LlvmValue llvm_widen(LlvmWriter &w, DType from, LlvmValue a) {
  using namespace llvm_casts;
  const DType i32 = as(from, scalar_types::int32), f32 = as(from, scalar_types::float32);
  if (!is_half(from)) return w.bitcast(w.op2("shl", w.convert("zext", a, i32), w.integer(i32, 16)), f32);
  return has_half(w) ? w.convert("fpext", w.bitcast(a, as(from, llvm_types::half)), f32) : widen_half(w, from, a);
}

LATHE_INLINE LlvmValue llvm_narrow(LlvmWriter &w, DType to, LlvmValue a) {
  using namespace llvm_casts;
  if (!is_half(to)) return narrow_bfloat(w, to, a);
  if (!has_half(w)) return narrow_half(w, to, a);
  return w.bitcast(w.convert("fptrunc", a, as(to, llvm_types::half)), as(to, scalar_types::int16));
}

LATHE_INLINE LlvmValue llvm_cast(LlvmWriter &w, ir::CastMode mode, DType to, DType from, LlvmValue a) {
  using namespace llvm_casts;
  if (mode == ir::CastMode::reinterpret) return to.is_bool() && !from.is_bool() ? w.convert("trunc", a, to) : w.bitcast(a, to);
  if (to.is_float()) return to_float(w, mode, to, from, a);
  if (from.is_float()) return float_to_integer(w, mode, to, from, a);
  return integer_cast(w, mode, to, from, a);
}

}  // namespace lathe::inline LATHE_ABI::codegen
