// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Turns the iterations of vectorized loops into lanes.

#include "lathe/ir/stmt.hpp"
#include "lathe/passes/pass.hpp"

namespace lathe::inline LATHE_ABI::passes {

/// The most iterations a vectorized loop may have.
inline constexpr int most_lanes = 4096;

/// Loops marked `vectorized` become their bodies with a vector in place of the variable:
///
///     for i in 0..8 vectorized: B[o*8 + i] = A[o*8 + i] + c       B[o*8 + [0:8]] = A[o*8 + [0:8]] + c x8
///
/// Loops inside stay, with vector bodies; parallel ones become serial. Memory allocated inside gets a last dimension, one element
/// for each lane:
///
///     for i in 0..8 vectorized:                                   allocate s[1, 8]:
///       allocate s[1]:                                              s[0, [0:8]] = 0 x8
///         s[0] = 0                                                  for k in 0..n:
///         for k in 0..n: s[0] = s[0] + A[k, i]                        s[0, [0:8]] = s[0, [0:8]] + A[k, [0:8]]
///         B[i] = s[0]                                               B[[0:8]] = s[0, [0:8]]
///
/// A condition that differs between lanes becomes a predicate of the loads and stores under it. Where one comparison tells that
/// it holds in all lanes, that is asked first, so that the usual case has no predicates; and nothing runs when it holds in no
/// lane:
///
///     for i in 0..8 vectorized:                                   if (o*8 + 7 < n) B[o*8 + [0:8]] = x x8
///       if (o*8 + i < n) B[o*8 + i] = x                           else if (o*8 < n)
///                                                                   let active = o*8 + [0:8] < n x8
///                                                                   B[o*8 + [0:8]] = x x8 if active
///
/// A `Check` inside must hold in all lanes (for which its condition is reached).
///
/// A vectorized loop becomes serial where lanes would change its meaning or cannot express it: on targets without vectors; around
/// another vectorized loop (the innermost becomes lanes); when the bounds of a loop or the shape of memory inside depend on the
/// lane; when different iterations may touch one element that they write; when a call in it has effects.
///
/// Holds afterwards: form_no_vectorized_loops, form_scalar_conditions.
/// \throws Error L062 for a loop whose extent is not constant and L063 for one of more than `most_lanes` iterations, on targets
/// with vectors.
ir::Stmt vectorize_loops(const ir::Stmt &s, const PassContext &context);

}  // namespace lathe::inline LATHE_ABI::passes
