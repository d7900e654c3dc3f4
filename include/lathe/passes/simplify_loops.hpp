// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Simplifies expressions by what loops and conditions say, and removes loops and conditions that say nothing.

#include "lathe/ir/stmt.hpp"
#include "lathe/passes/pass.hpp"

namespace lathe::inline LATHE_ABI::passes {

/// Every expression is simplified under the domains of the loops and the conditions around it; then
///
///     for u in 0..1: B[i + u] = x                          B[i] = x
///     for e in 0..0: B[e] = x                              (nothing)
///     if (true) a else b                                   a
///     for i in 0..n: if (k < m) B[i] = x                   if (k < m) for i in 0..n: B[i] = x
///     for i in 0..n: if (c) a else b                       if (c) for i in 0..n: a
///                                                          else for i in 0..n: b                      c the same in all
///                                                          iterations
///     for i in 0..n: if (i < k) a else b                   for i in 0..k: a; for i in k..n: b          serial loops, k
///                                                                                                     between 0 and n
///     for i in 0..16: if (o*16 + i < n) B[o*16 + i] = x    for i in 0..min(16, n - o*16): B[o*16 + i] = x
///     if (c) a; if (c) b                                   if (c) { a; b }
///     if (c) if (d) a                                      if (c && d) a                              d without loads
///     { a; { b; c } }                                      a; b; c                                    blocks without a label
///     for i in 0..n: let t = k*k; B[i] = t                 let t = k*k; for i in 0..n: B[i] = t       no loads in the value
///     let t = i; B[t] = x                                  B[i] = x                                   variables and constants
///     allocate T: { T[i] = x; B[i] = y }                   B[i] = y                                    T is not loaded
///     check k < 4  (k known to be less)                    (nothing)
///
/// A loop's extent is tightened where loops need no constant extent: in serial and parallel loops, and in unrolled ones when the
/// new extent is constant too. A condition that loads from a buffer which the code writes is neither assumed nor moved. A loop
/// that may run zero times does not give away a condition with loads.
///
/// Holds afterwards: no loop is known to run at most once, no condition of an `If` is constant.
ir::Stmt simplify_loops(const ir::Stmt &s, const PassContext &context);

}  // namespace lathe::inline LATHE_ABI::passes
