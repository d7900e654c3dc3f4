// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// vectorize, unroll, parallel: how a loop is run.
///
///     for i in 0..8: b[i] = a[i]     → vectorize(i) →     b[0:8] = a[0:8]
///     for i in 0..2: b[i] = a[i]     → unroll(i)    →     b[0] = a[0]; b[1] = a[1]
///     for i in 0..n: b[i] = a[i]     → parallel(i)  →     parallel i in 0..n: b[i] = a[i]

#include "lathe/schedule/legality.hpp"

namespace lathe::inline LATHE_ABI::scheduling {

LATHE_INLINE void apply_vectorize(State &state, const Step &step) {
  set_loop_kind(state, step, ir::LoopKind::vectorized, "vectorize");
}
LATHE_INLINE void apply_unroll(State &state, const Step &step) { set_loop_kind(state, step, ir::LoopKind::unrolled, "unroll"); }
LATHE_INLINE void apply_parallel(State &state, const Step &step) {
  set_loop_kind(state, step, ir::LoopKind::parallel, "run in parallel");
}

}  // namespace lathe::inline LATHE_ABI::scheduling
