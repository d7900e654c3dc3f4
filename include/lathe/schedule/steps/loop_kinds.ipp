// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// vectorize, unroll, parallel: how a loop is run; auto_unroll: how those inside it are.
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

LATHE_INLINE void apply_auto_unroll(State &state, const Step &step) {
  StageState &stage = require_stage(state, step);
  const AxisState &axis = require_loop(state, step, stage, step.axes.at(0), "unroll inside");
  const std::int64_t most = step.numbers.at(0);
  const auto refuse_limit = [&](const Phrase &why, const Phrase &help) {
    refuse(state, step, "S036", {"nothing can be unrolled inside ", axis.name, " of ", stage.name()},
           {{"why", why, {}}, {"help", help, {}}}, axis.name);
  };
  if (most < 2) refuse_limit({"at most ", most, " copies are as many as there are"}, "allow 2 copies or more");
  if (stage.loops.back() == axis.id) refuse_limit("it is the innermost loop", "unroll it itself, or name a loop around it");
  mark_scheduled(state, stage);
  stage.unroll_limits.push_back({axis.id, most, static_cast<int>(state.steps.size())});
}

}  // namespace lathe::inline LATHE_ABI::scheduling
