// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Minimum and maximum of floats: NaN if an operand is NaN, -0 before +0.
///
/// `x < y ? x : y` is one instruction on x86 (minps); it gives y where the operands are equal or one is NaN. Both orders of the
/// operands together tell everything: they differ exactly there.

#include <bit>
#include <limits>

#include "lathe/codegen/llvm_operators.hpp"

namespace lathe::inline LATHE_ABI::codegen {

namespace llvm_extrema {

inline DType pattern_of(DType type) { return DType(type.bits() == 64 ? scalar_types::int64 : scalar_types::int32, type.lanes()); }

LATHE_INLINE LlvmValue bitwise(LlvmWriter &w, std::string_view op, DType type, LlvmValue a, LlvmValue b) {
  const DType pattern = pattern_of(type);
  return w.bitcast(w.op2(op, w.bitcast(a, pattern), w.bitcast(b, pattern)), type);
}

/// a if it is the lesser (greater) one, else b.
LATHE_INLINE LlvmValue first_if(LlvmWriter &w, bool is_max, LlvmValue a, LlvmValue b) {
  return w.select(w.compare(is_max ? "fcmp ogt" : "fcmp olt", a, b), a, b);
}

LATHE_INLINE bool is_nan_pattern(DType type, std::uint64_t bits) {
  return type.bits() == 64 ? (bits & ~(std::uint64_t{1} << 63)) > 0x7ff0000000000000u : (bits & 0x7fffffffu) > 0x7f800000u;
}

/// Of x and a constant that is not NaN: x passes where the two are equal or x is NaN. Only zeros of the other sign are left to
/// correct, and then the result's sign is known.
LATHE_INLINE LlvmValue with_constant(LlvmWriter &w, bool is_max, DType type, LlvmValue x, LlvmValue c, std::uint64_t bits) {
  const LlvmValue chosen = first_if(w, is_max, c, x);
  const std::uint64_t sign = std::uint64_t{1} << (type.bits() - 1);
  if (is_max && bits == 0) return w.intrinsic("llvm.fabs", type, {chosen});
  if (!is_max && bits == sign) return w.op1("fneg", w.intrinsic("llvm.fabs", type, {chosen}));
  return chosen;
}

}  // namespace llvm_extrema

LATHE_INLINE LlvmValue llvm_float_extremum(LlvmWriter &w, bool is_max, DType type, LlvmValue a, LlvmValue b) {
  using namespace llvm_extrema;
  if (a == b) return a;
  if (w.unit().is_aarch64()) return w.intrinsic(is_max ? "llvm.maximum" : "llvm.minimum", type, {a, b});
  if (const auto bits = w.constant_bits(b); bits && !is_nan_pattern(type, *bits))
    return with_constant(w, is_max, type, a, b, *bits);
  if (const auto bits = w.constant_bits(a); bits && !is_nan_pattern(type, *bits))
    return with_constant(w, is_max, type, b, a, *bits);
  const LlvmValue one = first_if(w, is_max, a, b), other = first_if(w, is_max, b, a);
  if (!is_max) return bitwise(w, "or", type, one, other);  // NaN or anything is NaN; -0 or +0 is -0
  if (w.unit().options().no_nan) return bitwise(w, "and", type, one, other);
  // Where both agree d = 0 and nothing happens; -0 and +0 give -0 - -0 = +0; NaN and x give NaN - anything.
  const LlvmValue d = bitwise(w, "xor", type, one, other);
  return w.op2("fsub", bitwise(w, "or", type, one, d), d);
}

}  // namespace lathe::inline LATHE_ABI::codegen
