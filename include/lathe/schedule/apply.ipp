// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// One step onto a state: which file has which primitive.

#include "lathe/schedule/legality.ipp"
#include "lathe/schedule/state.ipp"
#include "lathe/schedule/steps/caches.ipp"
#include "lathe/schedule/steps/fuse.ipp"
#include "lathe/schedule/steps/layout.ipp"
#include "lathe/schedule/steps/loop_kinds.ipp"
#include "lathe/schedule/steps/placement.ipp"
#include "lathe/schedule/steps/reorder.ipp"
#include "lathe/schedule/steps/split.ipp"

namespace lathe::inline LATHE_ABI::scheduling {

LATHE_INLINE void apply(State &state, const StepRef &step) {
  switch (step->primitive) {
    case Primitive::split: apply_split(state, *step); break;
    case Primitive::fuse: apply_fuse(state, *step); break;
    case Primitive::reorder: apply_reorder(state, *step); break;
    case Primitive::vectorize: apply_vectorize(state, *step); break;
    case Primitive::unroll: apply_unroll(state, *step); break;
    case Primitive::parallel: apply_parallel(state, *step); break;
    case Primitive::compute_at: apply_compute_at(state, *step); break;
    case Primitive::compute_inline: apply_compute_inline(state, *step); break;
    case Primitive::compute_root: apply_compute_root(state, *step); break;
    case Primitive::cache_read: apply_cache_read(state, *step); break;
    case Primitive::cache_write: apply_cache_write(state, *step); break;
    case Primitive::set_scope: apply_set_scope(state, *step); break;
    case Primitive::layout: apply_layout(state, *step); break;
  }
  state.steps.push_back(step);
}

}  // namespace lathe::inline LATHE_ABI::scheduling
