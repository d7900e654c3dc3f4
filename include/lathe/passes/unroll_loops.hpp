// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Repeats the bodies of unrolled loops.

#include <cstdint>

#include "lathe/ir/stmt.hpp"
#include "lathe/passes/pass.hpp"

namespace lathe::inline LATHE_ABI::passes {

/// The most stores, checks and calls that unrolled loops may make of one function.
inline constexpr std::int64_t most_unrolled_statements = 16384;

/// Loops marked `unrolled` become their bodies, one for each iteration:
///
///     for i in 0..3 unrolled: B[i] = A[i]         B[0] = A[0]; B[1] = A[1]; B[2] = A[2]
///     for i in 0..0 unrolled: B[i] = A[i]         (nothing)
///
/// A condition that bounds the variable is asked once for all iterations, so that the usual case is free of conditions:
///
///     for i in 0..4 unrolled: if (o*4 + i < n) B[o*4 + i] = x
///       becomes     if (o*4 + 3 < n) { B[o*4] = x; …; B[o*4 + 3] = x }
///                   else { if (o*4 < n) B[o*4] = x; … }
///
/// Extents and minima are simplified first, outer loops before inner ones, whose extents may depend on them.
///
/// Holds afterwards: form_no_unrolled_loops.
/// \throws Error L064 for a loop whose extent is not constant, L065 when more than `most_unrolled_statements` would arise.
ir::Stmt unroll_loops(const ir::Stmt &s, const PassContext &context);

}  // namespace lathe::inline LATHE_ABI::passes
