// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Computes math functions by arithmetic instead of calls of a library.

#include "lathe/ir/stmt.hpp"
#include "lathe/passes/pass.hpp"

namespace lathe::inline LATHE_ABI::passes {

/// Math functions that types/math_functions.hpp has become what is written there:
///
///     B[[0:8]] = exp(A[[0:8]])      B[[0:8]] = … additions, multiplications, bit patterns and selects of 8 lanes
///
/// Circular functions have a quick way, which is right unless a number is great, and one that always is. A store with calls of
/// them becomes a branch:
///
///     B[[0:8]] = sin(A[[0:8]])      if (any_lane(abs(A[[0:8]]) > 24576)) B[[0:8]] = … else B[[0:8]] = …
///
/// of which the first side is taken rarely and gives the same bits to lanes that are not great. The condition reads what the
/// store reads, and where it stores. Elsewhere, as in the value of a variable, the complete way is taken.
///
/// So functions have lanes like any other expression, and the same bits on every back end for one target. The others stay, to be
/// called one element at a time; all do when the numerics ask for the library's. `ldexp` stays where lanes of that type have an
/// instruction for it, and becomes arithmetic everywhere else, whatever the numerics say. Comes after the contraction of products
/// and sums: how the parts of a function round is its own affair.
ir::Stmt lower_math_functions(const ir::Stmt &s, const PassContext &context);

}  // namespace lathe::inline LATHE_ABI::passes
