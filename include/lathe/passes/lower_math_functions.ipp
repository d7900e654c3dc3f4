// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// lower_math_functions: a bottom-up rewrite.

#include "lathe/ir/walk.hpp"
#include "lathe/passes/lower_math_functions.hpp"
#include "lathe/types/math_functions.hpp"

namespace lathe::inline LATHE_ABI::passes {

LATHE_INLINE ir::Stmt lower_math_functions(const ir::Stmt &s, const PassContext &context) {
  if (context.numerics.library_math) return s;
  const bool fused = context.target.has_fma;
  return ir::rewrite_exprs(s, [fused](const ir::Expr &e) {
    ir::Expr lowered;
    if (const auto *u = e.as<ir::Unary>()) lowered = types::math_function(u->op, u->a, fused);
    if (const auto *b = e.as<ir::Binary>()) lowered = types::math_function(b->op, b->a, b->b, fused);
    return lowered.defined() ? lowered : e;
  });
}

}  // namespace lathe::inline LATHE_ABI::passes
