// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Whether the iterations of a loop may run side by side, statement by statement.

#include "lathe/arith/simplify.hpp"
#include "lathe/ir/stmt.hpp"

namespace lathe::inline LATHE_ABI::passes {

/// True if no iteration of `loop`, which runs `lanes` times, touches an element outside its own memory that another one writes,
/// so that the order between iterations does not matter. Told from the indices: in some dimension all accesses to a written
/// buffer are
///
///     a * var + (the same in all accesses and iterations) + (less than |a| of variation by inner loops)
///
/// or all accesses have the same indices, shown to differ between any two iterations. A single store outside inner loops to a
/// buffer not read is in order anyway, as long as its index depends on the loop. `facts` are those outside the loop. Calls with
/// effects make it false.
bool has_independent_lanes(const ir::For &loop, int lanes, const arith::Facts &facts);

}  // namespace lathe::inline LATHE_ABI::passes
