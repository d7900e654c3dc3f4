// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// One loop as vectors: the rewrite behind vectorize_loops.

#include "lathe/arith/simplify.hpp"
#include "lathe/ir/stmt.hpp"
#include "lathe/passes/conditions.hpp"

namespace lathe::inline LATHE_ABI::passes {

/// The body of `loop` (independent iterations, scalar values) with `lanes` lanes in place of its variable; undefined where the
/// bounds of a loop or the shape of memory inside depend on the lane. `facts` are those outside the loop; `stored` are the
/// buffers that the code writes.
ir::Stmt make_lanes(const ir::For &loop, int lanes, const arith::Facts &facts, const BufferSet &stored);

}  // namespace lathe::inline LATHE_ABI::passes
