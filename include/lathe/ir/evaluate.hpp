// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The semantics of scalar operators (operators.hpp) as code: used by constant folding, the interpreter and the reference
/// evaluator.

#include <cstdint>

#include "lathe/dtype/scalar_type.hpp"
#include "lathe/ir/operators.hpp"

namespace lathe::inline LATHE_ABI::ir {

/// All functions throw an internal error for custom types, whose meaning is in their lowering functions, and for operators that a
/// type does not have.

/// A scalar as its bit pattern in the lowest `type.bits()` bits; signed integers and indices are sign-extended to 64, the rest
/// zero-extended.
using Bits = std::uint64_t;

Bits evaluate(UnaryOp op, DType type, Bits a);
/// `type` is that of the operands. Comparisons and logic give 0 or 1.
Bits evaluate(BinaryOp op, DType type, Bits a, Bits b);
Bits evaluate_mul_add(DType type, Bits a, Bits b, Bits c);
Bits evaluate_cast(CastMode mode, DType to, DType from, Bits a);

/// Between host numbers and patterns. `from_double` rounds to the type (saturating for integers), `to_double` is exact up to 53
/// bits.
Bits from_double(DType type, double value);
double to_double(DType type, Bits bits);
Bits from_integer(DType type, std::int64_t value);  ///< wraps
std::int64_t to_integer(DType type, Bits bits);     ///< of integer, index and bool types

/// Reads and writes one element in memory, of any type.
Bits load_element(DType type, const void *address);
void store_element(DType type, void *address, Bits bits);

}  // namespace lathe::inline LATHE_ABI::ir
