// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Building expressions: operands are checked, constants folded, and the plainest identities of index arithmetic applied
/// (x + 0, x * 1, x * 0). A scalar operand beside a vector one is broadcast. All functions throw an internal error on type
/// mismatch: the typed front end has checked before.

#include "lathe/ir/expr.hpp"
#include "lathe/ir/stmt.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::ir {

/// Constants. `constant(type, v)` takes the value in the type (integers wrap, floats round) and broadcasts to the type's lanes.
Expr constant(DType type, std::int64_t value);
Expr constant(DType type, double value);
Expr constant_bits(DType type, std::uint64_t bits);
Expr boolean(bool value);
Expr zero_of(DType type);
Expr least_of(DType type);     ///< lowest finite value; false
Expr greatest_of(DType type);  ///< greatest finite value; true

/// The value of an integer, index or bool constant (also when broadcast), or nothing.
std::optional<std::int64_t> constant_integer(const Expr &e);
/// The value of a floating constant, or nothing.
std::optional<double> constant_float(const Expr &e);
bool is_constant(const Expr &e, std::int64_t value);
inline bool is_true(const Expr &e) { return e.defined() && e.type().is_bool() && is_constant(e, 1); }
inline bool is_false(const Expr &e) { return e.defined() && e.type().is_bool() && is_constant(e, 0); }

Expr unary(UnaryOp op, Expr a);
Expr binary(BinaryOp op, Expr a, Expr b);
Expr mul_add(Expr a, Expr b, Expr c);
Expr select(Expr condition, Expr a, Expr b, bool guards = false);
Expr cast(DType type, Expr a, CastMode mode = CastMode::convert);
Expr ranged(Expr a, Expr min, Expr max);
Expr ramp(Expr base, Expr stride, int lanes);
Expr broadcast(Expr a, int lanes);
Expr shuffle(List<Expr> vectors, List<int> lanes);
Expr load(Buffer buffer, List<Expr> indices, Expr predicate = {});
Expr read(Tensor tensor, List<Expr> indices, bool unchecked = false);
Expr call(DType type, ExternalFunction function, List<Expr> arguments);

/// Conjunction where an undefined side means "true"; undefined if both are.
Expr both(Expr a, Expr b);

inline Expr operator+(Expr a, Expr b) { return binary(BinaryOp::add, std::move(a), std::move(b)); }
inline Expr operator-(Expr a, Expr b) { return binary(BinaryOp::sub, std::move(a), std::move(b)); }
inline Expr operator*(Expr a, Expr b) { return binary(BinaryOp::mul, std::move(a), std::move(b)); }
inline Expr operator/(Expr a, Expr b) { return binary(BinaryOp::div, std::move(a), std::move(b)); }
inline Expr operator%(Expr a, Expr b) { return binary(BinaryOp::mod, std::move(a), std::move(b)); }
inline Expr operator<(Expr a, Expr b) { return binary(BinaryOp::lt, std::move(a), std::move(b)); }
inline Expr operator<=(Expr a, Expr b) { return binary(BinaryOp::le, std::move(a), std::move(b)); }
inline Expr operator>(Expr a, Expr b) { return binary(BinaryOp::gt, std::move(a), std::move(b)); }
inline Expr operator>=(Expr a, Expr b) { return binary(BinaryOp::ge, std::move(a), std::move(b)); }
inline Expr operator&&(Expr a, Expr b) { return binary(BinaryOp::logical_and, std::move(a), std::move(b)); }
inline Expr operator||(Expr a, Expr b) { return binary(BinaryOp::logical_or, std::move(a), std::move(b)); }
inline Expr operator!(Expr a) { return unary(UnaryOp::logical_not, std::move(a)); }
inline Expr operator-(Expr a) { return unary(UnaryOp::neg, std::move(a)); }
inline Expr equals(Expr a, Expr b) { return binary(BinaryOp::eq, std::move(a), std::move(b)); }
inline Expr min(Expr a, Expr b) { return binary(BinaryOp::min, std::move(a), std::move(b)); }
inline Expr max(Expr a, Expr b) { return binary(BinaryOp::max, std::move(a), std::move(b)); }

}  // namespace lathe::inline LATHE_ABI::ir
