// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The semantics of scalar operators (operators.hpp) as code: used by constant folding, the interpreter and the reference
/// evaluator.
///
/// All functions but `load_element` and `store_element` throw an internal error (X001) for custom types, whose meaning is in
/// their lowering functions, and for operators that a type does not have. Lanes do not matter: one of them is evaluated.

#include <cstdint>

#include "lathe/dtype/scalar_type.hpp"
#include "lathe/ir/operators.hpp"

namespace lathe::inline LATHE_ABI::ir {

/// A scalar as its bit pattern in the lowest `type.bits()` bits; signed integers and indices are sign-extended to 64, the rest
/// zero-extended.
using Bits = std::uint64_t;

/// `type` is that of the operand.
Bits evaluate(UnaryOp op, DType type, Bits a);
/// `type` is that of the operands. Comparisons and logic give 0 or 1.
Bits evaluate(BinaryOp op, DType type, Bits a, Bits b);
/// a * b + c, rounded once for floats.
Bits evaluate_mul_add(DType type, Bits a, Bits b, Bits c);
/// A value of type `from` as one of type `to`.
Bits evaluate_cast(CastMode mode, DType to, DType from, Bits a);

/// A number in the type: floats round to nearest, integers toward zero and saturate (NaN gives 0), bool is whether it is not 0.
Bits from_double(DType type, double value);
double to_double(DType type, Bits bits);            ///< exact for all types but 64-bit integers beyond 53 bits, which round
Bits from_integer(DType type, std::int64_t value);  ///< wraps, or rounds to a float
std::int64_t to_integer(DType type, Bits bits);     ///< of integer, index and bool types; a uint64 of 2^63 or more wraps

/// Reads one element from memory, of any type and at any alignment.
Bits load_element(DType type, const void *address);
/// Writes one element to memory: its `type.bytes()` lowest bytes.
void store_element(DType type, void *address, Bits bits);

}  // namespace lathe::inline LATHE_ABI::ir
