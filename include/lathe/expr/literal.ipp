// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Literals in the type of the expression beside them.

#include <cmath>
#include <cstring>

#include "lathe/expr/expr.hpp"
#include "lathe/ir/print.hpp"

namespace lathe::inline LATHE_ABI {

namespace literals {

LATHE_INLINE std::string text_of(double value) {
  const ir::Expr number = ir::constant(DType(scalar_types::float64), value);
  return ir::literal_text(number.type(), number.as<ir::Const>()->bits);
}

LATHE_INLINE void refuse(DType type, const std::string &text) {
  std::string range;
  if (type.is_float()) range = ", whose greatest number is " + text_of(*ir::constant_float(ir::greatest_of(type)));
  if (type.is_integer())
    range = composed({", which holds ", ir::literal_text(type, ir::least_of(type).as<ir::Const>()->bits), " to ",
                      ir::literal_text(type, ir::greatest_of(type).as<ir::Const>()->bits)});
  fail("E001", {"the literal ", text, " does not fit ", to_string(type), range}, {},
       {{"help", "convert the expression beside it to a wider type:   cast<double>(x)   or   cast<std::int64_t>(x)", {}}});
}

/// The number in the type, which must not overflow it.
LATHE_INLINE ir::Expr finite(DType type, ir::Expr constant, const std::string &text) {
  if (type.is_float() && std::isinf(*ir::constant_float(constant))) refuse(type, text);
  return constant;
}

}  // namespace literals

LATHE_INLINE ir::Expr typing::literal(DType type, bool value) {
  ensure(type.is_bool(), "a bool literal stands beside a condition");
  return ir::boolean(value);
}

LATHE_INLINE ir::Expr typing::literal(DType type, std::int64_t value) {
  if (type.is_float()) return literals::finite(type, ir::constant(type, value), std::to_string(value));
  const bool fits = type.bits() == 64  ? value >= 0 || type.is_signed()
                    : type.is_signed() ? value >> (type.bits() - 1) == 0 || value >> (type.bits() - 1) == -1
                                       : value >= 0 && value >> type.bits() == 0;
  if (!fits) literals::refuse(type, std::to_string(value));
  return ir::constant(type, value);
}

LATHE_INLINE ir::Expr typing::literal(DType type, std::uint64_t value) {
  if (value <= static_cast<std::uint64_t>(INT64_MAX)) return literal(type, static_cast<std::int64_t>(value));
  if (type.is_float()) return literals::finite(type, ir::constant(type, static_cast<double>(value)), std::to_string(value));
  if (type.bits() < 64 || type.is_signed()) literals::refuse(type, std::to_string(value));
  return ir::constant_bits(type, value);
}

LATHE_INLINE ir::Expr typing::literal(DType type, double value) {
  ir::Expr constant = ir::constant(type, value);
  return std::isfinite(value) ? literals::finite(type, std::move(constant), literals::text_of(value)) : constant;
}

LATHE_INLINE ir::Expr typing::literal_bytes(DType type, const void *value, std::size_t bytes) {
  ensure(bytes <= sizeof(std::uint64_t), "a scalar has at most 64 bits");
  std::uint64_t bits = 0;
  std::memcpy(&bits, value, bytes);
  return ir::constant_bits(type, bits);
}

}  // namespace lathe::inline LATHE_ABI
