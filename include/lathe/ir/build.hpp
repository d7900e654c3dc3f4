// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Building expressions: operands are checked, constants folded, and the plainest identities of index arithmetic applied
/// (x + 0, x * 1, x * 0) and of logic. Only operators that are exact or correctly rounded are folded, not exp and its kin, whose
/// last bits a target decides. A scalar operand beside a vector one is broadcast. All functions throw an internal error (X001) on
/// type mismatch: the typed front end has checked before.

#include "lathe/ir/expr.hpp"
#include "lathe/ir/stmt.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::ir {

/// A constant: the value in the type, broadcast to the type's lanes. Integers wrap, floats round to nearest. Not of custom types.
Expr constant(DType type, std::int64_t value);
/// Floats round to nearest, integers toward zero and saturate (NaN gives 0). Not of custom types.
Expr constant(DType type, double value);
/// The lowest bits of `bits` as the pattern; of any type.
Expr constant_bits(DType type, std::uint64_t bits);
Expr boolean(bool value);      ///< of type bool
Expr zero_of(DType type);      ///< all bits 0, of any type
Expr least_of(DType type);     ///< lowest finite value; false
Expr greatest_of(DType type);  ///< greatest finite value; true

/// The value of an integer, index or bool constant (also when broadcast), or nothing; nothing too for a uint64 of 2^63 or more.
std::optional<std::int64_t> constant_integer(const Expr &e);
/// The value of a floating constant, or nothing.
std::optional<double> constant_float(const Expr &e);
/// Whether `constant_integer` gives this value.
bool is_constant(const Expr &e, std::int64_t value);
/// @{
/// The condition is a constant, in all lanes; false for an undefined one.
inline bool is_true(const Expr &e) { return e.defined() && e.type().is_bool() && is_constant(e, 1); }
inline bool is_false(const Expr &e) { return e.defined() && e.type().is_bool() && is_constant(e, 0); }
/// @}

/// An operator of one operand. The result has its type, or is bool for `gives_bool`.
Expr unary(UnaryOp op, Expr a);
/// An operator of two operands of one type. The result has their type, or is bool for `gives_bool`.
Expr binary(BinaryOp op, Expr a, Expr b);
/// a * b + c rounded once; one type, not bool.
Expr mul_add(Expr a, Expr b, Expr c);
/// condition ? a : b. If `guards`, loads in an arm happen only where the condition chooses it. An arm alone where the condition
/// is constant or both arms are one node.
Expr select(Expr condition, Expr a, Expr b, bool guards = false);
/// `a` in another type. A scalar is broadcast to the lanes of `type`; a vector keeps its own where `type` is scalar.
Expr cast(DType type, Expr a, CastMode mode = CastMode::convert);
/// `a`, promised to lie in [min, max]; integers of one type. `a` itself where constants show it.
Expr ranged(Expr a, Expr min, Expr max);
/// Lanes base, base + stride, …: scalar integers of one type. For one lane the base, for a stride of 0 a broadcast.
Expr ramp(Expr base, Expr stride, int lanes);
/// A scalar in all lanes; what has as many lanes already is returned as it is.
Expr broadcast(Expr a, int lanes);
/// Lane i is lane lanes[i] of the vectors laid end to end. `lanes` is not empty, and all are there.
Expr shuffle(List<Expr> vectors, List<int> lanes);
/// An element, or a vector of them where an index or the predicate has lanes. One index of type index per dimension. A predicate
/// that is false gives 0.
Expr load(Buffer buffer, List<Expr> indices, Expr predicate = {});
/// An element of a tensor. One index of type index per dimension.
Expr read(Tensor tensor, List<Expr> indices, bool unchecked = false);
/// A call, lane by lane, of a function that gives `type.element()`.
Expr call(DType type, ExternalFunction function, List<Expr> arguments);

/// Conjunction where an undefined side means "true"; undefined if both are.
Expr both(Expr a, Expr b);

/// @{
/// The same as `binary` and `unary`.
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
/// @}

}  // namespace lathe::inline LATHE_ABI::ir
