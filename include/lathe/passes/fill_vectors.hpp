// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Computes whole vectors where a mask would only keep lanes of a stage's own memory unwritten.

#include "lathe/ir/stmt.hpp"
#include "lathe/passes/pass.hpp"

namespace lathe::inline LATHE_ABI::passes {

/// Where the last tile of a stage is partial, its vectors of sums are written under a mask again and again. Lanes outside the
/// mask of memory that nobody else sees may hold anything, so the mask goes, and the vector becomes a register that is not
/// blended:
///
///     allocate sums: float32[16] in local:                  allocate sums: float32[16] in local:
///       sums[[0:16] if x*16 + [0:16] < 28] = 0                sums[[0:16]] = 0
///       for k in 0..9:                                        for k in 0..9:
///         sums[[0:16] if x*16 + [0:16] < 28] = …                sums[[0:16]] = …
///
/// Loads within what is stored keep their masks, but for those of such vectors themselves. Nothing happens to a buffer unless
/// every store to it is of a whole vector at a constant place, each place under a mask of its own that is the same at every
/// store, the first of which happens in any case, and unless places do not overlap. Branches of a condition that is the whole
/// body of the allocation are looked at one by one: memory does not outlive them.
///
/// Holds afterwards: what held before.
ir::Stmt fill_vectors(const ir::Stmt &s, const PassContext &context);

}  // namespace lathe::inline LATHE_ABI::passes
