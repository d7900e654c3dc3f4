// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Computes float16 and bfloat16 arithmetic in float32.

#include "lathe/ir/stmt.hpp"
#include "lathe/passes/pass.hpp"

namespace lathe::inline LATHE_ABI::passes {

/// Operators on float16 and bfloat16 are computed in float32 and rounded once each:
///
///     A[i] * B[i] + C[i]     half(float(half(float(A[i]) * float(B[i]))) + float(C[i]))
///     A[i] < B[i]            float(A[i]) < float(B[i])
///
/// Loads, stores, selects, casts and constants of these types stay. An intermediate rounding is never left out: each operator
/// rounds, as on a machine that has the type.
///
/// Holds afterwards: no Unary, Binary or MulAdd has an operand of a floating type below 32 bits.
ir::Stmt widen_small_floats(const ir::Stmt &s, const PassContext &context);

}  // namespace lathe::inline LATHE_ABI::passes
