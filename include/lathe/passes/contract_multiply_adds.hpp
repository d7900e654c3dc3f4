// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Fuses products with the sums that they feed.

#include "lathe/ir/stmt.hpp"
#include "lathe/passes/pass.hpp"

namespace lathe::inline LATHE_ABI::passes {

/// A float32 or float64 product that feeds one addition or subtraction, and nothing else in its statement, is fused with it:
///
///     a * b + c      fma(a, b, c)              a * b - c      fma(a, b, -c)
///     c + a * b      fma(a, b, c)              c - a * b      fma(-a, b, c)
///
/// Where both operands of an addition are such products, the left one is fused. Nothing happens when the numerics forbid
/// contraction or the target has no fused multiply-add.
ir::Stmt contract_multiply_adds(const ir::Stmt &s, const PassContext &context);

}  // namespace lathe::inline LATHE_ABI::passes
