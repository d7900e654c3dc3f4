// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// lower_math_functions: a bottom-up rewrite.

#include <bit>

#include "lathe/ir/walk.hpp"
#include "lathe/passes/lower_math_functions.hpp"
#include "lathe/types/math_functions.hpp"

namespace lathe::inline LATHE_ABI::passes {

namespace math_lowering {

/// Whether numbers of that type are scaled by a power of two in one instruction: lanes that fill registers of AVX-512.
inline bool scales(const Target &target, DType type) {
  const int bits = type.bits() * type.lanes();
  const bool whole = std::has_single_bit(static_cast<unsigned>(type.lanes())) && bits >= 128;
  return whole && target.has("avx512f") && ((bits >= 512 && target.vector_bits >= 512) || target.has("avx512vl"));
}

}  // namespace math_lowering

LATHE_INLINE ir::Stmt lower_math_functions(const ir::Stmt &s, const PassContext &context) {
  const bool fused = context.target.has_fma, library = context.numerics.library_math;
  return ir::rewrite_exprs(s, [&](const ir::Expr &e) {
    ir::Expr lowered;
    const bool scales = math_lowering::scales(context.target, e.type());
    if (const auto *u = e.as<ir::Unary>(); u && !library) lowered = types::math_function(u->op, u->a, fused, scales);
    if (const auto *b = e.as<ir::Binary>(); b && (b->op == ir::BinaryOp::ldexp ? !scales : !library))
      lowered = types::math_function(b->op, b->a, b->b, fused);
    return lowered.defined() ? lowered : e;
  });
}

}  // namespace lathe::inline LATHE_ABI::passes
