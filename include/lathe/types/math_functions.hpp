// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Math functions written in the IR itself, so that they become lanes like any other expression and every back end and the
/// interpreter compute the same bits.

#include "lathe/ir/expr.hpp"

namespace lathe::inline LATHE_ABI::types {

/// `op` at `a` as an expression of additions, multiplications, selects and bit patterns; undefined where this room has none:
/// other types than float32, and functions that are left to the library. `a` may have lanes. With `fused`, for targets that have
/// the instruction, products are added with one rounding; what is said below holds either way. Right for NaN, infinities, zeros
/// of either sign, overflow and subnormal arguments and results.
ir::Expr math_function(ir::UnaryOp op, const ir::Expr &a, bool fused);
/// The same of two arguments: pow, whose float32 is computed in float64.
ir::Expr math_function(ir::BinaryOp op, const ir::Expr &a, const ir::Expr &b, bool fused);

}  // namespace lathe::inline LATHE_ABI::types
