// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Frees the steady iterations of loops from the conditions that only iterations at the edges need.

#include <cstdint>

#include "lathe/ir/stmt.hpp"
#include "lathe/passes/pass.hpp"

namespace lathe::inline LATHE_ABI::passes {

/// Partitioning stops where it would make more stores than this, counted after unrolling: code size and compile time.
inline constexpr std::int64_t most_partitioned_stores = 1024;

/// Where guarding selects within a loop depend on its variable, and on those of loops inside, by comparisons that are linear in
/// them: the iterations in which the comparisons hold for everything inside run a body without them, all others the body as it
/// is.
///
///     for y in 0..28:                                       for y in 0..28:
///       unrolled i in 0..4:                                   if y >= 1 && y*4 < 109:
///         out[y*4 + i] =                                        unrolled i in 0..4:
///           select(y*4 + i >= 1 && y*4 + i < 112,                 out[y*4 + i] = in[y*4 + i - 1]
///                  in[y*4 + i - 1], 0)                        else:
///                                                               unrolled i in 0..4:
///                                                                 out[y*4 + i] = select(…)
///
/// A nest is partitioned once, at the outermost loop in which all its conditions can hold: a window's conditions on y and x by
/// the loop over x. Conditions that hold in fewer than half of the iterations of a constant extent are left alone, and so are
/// those in vectorized loops where the target masks loads at no cost (AVX-512), and single scalar stores.
///
/// Holds afterwards: what held before.
ir::Stmt partition_loops(const ir::Stmt &s, const PassContext &context);

}  // namespace lathe::inline LATHE_ABI::passes
