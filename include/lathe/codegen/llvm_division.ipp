// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Integer division: flooring, truncating, total. Constant divisors and operands of known sign avoid the guards.

#include <bit>

#include "lathe/codegen/llvm_operators.hpp"

namespace lathe::inline LATHE_ABI::codegen {

namespace llvm_division {

using Cost = LlvmWriter::Cost;

/// One division being written: `a` by `b`, giving the quotient or the remainder.
struct Division {
  LlvmWriter &w;
  DType type;
  LlvmValue a, b;
  bool quotient, floors;

  LlvmValue integer(std::int64_t value) const { return w.integer(type, value); }
  LlvmValue zero() const { return w.zero(type); }
  LlvmValue op(std::string_view name, LlvmValue x, LlvmValue y) const { return w.op2(name, x, y); }
  LlvmValue divide(std::string_view name, LlvmValue x, LlvmValue y) const { return w.op2(name, x, y, Cost::dear); }
};

/// Both operands as unsigned numbers, the divisor not 0.
LATHE_INLINE LlvmValue divide_unsigned(const Division &d, std::optional<std::uint64_t> divisor) {
  if (!divisor || !std::has_single_bit(*divisor)) return d.divide(d.quotient ? "udiv" : "urem", d.a, d.b);
  if (*divisor == 1) return d.quotient ? d.a : d.zero();
  return d.quotient ? d.op("lshr", d.a, d.integer(std::countr_zero(*divisor)))
                    : d.op("and", d.a, d.integer(static_cast<std::int64_t>(*divisor - 1)));
}

/// A signed dividend by a positive constant. Flooring, x / c is ~(~x / c) for negative x, where ~x is not negative.
LATHE_INLINE LlvmValue divide_by_positive(const Division &d, std::int64_t divisor) {
  if (divisor == 1) return d.quotient ? d.a : d.zero();
  const bool power = std::has_single_bit(static_cast<std::uint64_t>(divisor));
  if (!d.floors) return d.divide(d.quotient ? "sdiv" : "srem", d.a, d.b);
  if (power) {
    return d.quotient ? d.op("ashr", d.a, d.integer(std::countr_zero(static_cast<std::uint64_t>(divisor))))
                      : d.op("and", d.a, d.integer(divisor - 1));
  }
  const LlvmValue sign = d.op("ashr", d.a, d.integer(d.type.bits() - 1));
  const LlvmValue quotient = d.op("xor", d.divide("udiv", d.op("xor", d.a, sign), d.b), sign);
  return d.quotient ? quotient : d.op("sub", d.a, d.op("mul", quotient, d.b));
}

/// From a truncated to a floored result: one less, or the divisor more, where a remainder has the other sign than the divisor.
LATHE_INLINE LlvmValue divide_signed(const Division &d, LlvmValue divisor) {
  const LlvmValue quotient = d.divide("sdiv", d.a, divisor);
  if (!d.floors && d.quotient) return quotient;
  const LlvmValue remainder = d.op("sub", d.a, d.op("mul", quotient, divisor));
  if (!d.floors) return remainder;
  const LlvmValue signs_differ = d.w.compare("icmp slt", d.op("xor", remainder, divisor), d.zero());
  const LlvmValue wrong = d.w.op2("and", d.w.compare("icmp ne", remainder, d.zero()), signs_differ);
  if (d.quotient) return d.op("add", quotient, d.w.convert("sext", wrong, d.type));
  return d.op("add", remainder, d.w.select(wrong, divisor, d.zero()));
}

LATHE_INLINE LlvmValue divide_by_constant(const Division &d, std::uint64_t bits) {
  const int unused = 64 - d.type.bits();
  const auto divisor = static_cast<std::int64_t>(bits << unused) >> unused;
  if (divisor > 0) return divide_by_positive(d, divisor);
  if (divisor == -1) return d.quotient ? d.op("sub", d.zero(), d.a) : d.zero();
  return divide_signed(d, d.b);
}

/// Any signed divisor: 0 and -1 (whose quotient of the least value traps) are replaced by 1 and put right afterwards.
LATHE_INLINE LlvmValue divide_by_any(const Division &d) {
  LlvmWriter &w = d.w;
  const LlvmValue is_zero = w.compare("icmp eq", d.b, d.zero());
  const LlvmValue is_minus_one = w.compare("icmp eq", d.b, d.integer(-1));
  const LlvmValue divisor = w.select(w.op2("or", is_zero, is_minus_one), d.integer(1), d.b);
  const LlvmValue result = divide_signed(d, divisor);
  if (!d.quotient) return result;  // of a division by 1: 0
  return w.select(is_zero, d.zero(), w.select(is_minus_one, d.op("sub", d.zero(), d.a), result));
}

}  // namespace llvm_division

LATHE_INLINE LlvmValue llvm_divide(LlvmWriter &w, ir::BinaryOp op, DType type, LlvmValue a, LlvmValue b,
                                   const DivisionFacts &facts) {
  using namespace llvm_division;
  const bool quotient = op == ir::BinaryOp::div || op == ir::BinaryOp::trunc_div;
  if (type.is_bool()) return quotient ? w.op2("and", a, b) : w.zero(type);
  const bool floors = op == ir::BinaryOp::div || op == ir::BinaryOp::mod;
  Division d{w, type, a, b, quotient, floors};
  const auto constant = w.constant_bits(b);
  if (constant && *constant == 0) return d.zero();
  if (type.is_signed()) {
    const bool positive = facts.divisor_positive || (constant && !(*constant >> (type.bits() - 1) & 1));
    if (positive && facts.dividend_not_negative) return divide_unsigned(d, constant);
    if (constant) return divide_by_constant(d, *constant);
    return facts.divisor_positive ? divide_signed(d, b) : divide_by_any(d);
  }
  if (constant || facts.divisor_positive) return divide_unsigned(d, constant);
  const LlvmValue is_zero = w.compare("icmp eq", b, d.zero());
  d.b = w.select(is_zero, d.integer(1), b);
  const LlvmValue result = divide_unsigned(d, {});
  return quotient ? w.select(is_zero, d.zero(), result) : result;
}

}  // namespace lathe::inline LATHE_ABI::codegen
