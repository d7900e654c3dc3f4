// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// prefetch: what a loop reads of a tensor, some iterations before it is read.
///
///     for i: b[i] = a[i]     → prefetch(a, i, 8) →     for i: prefetch a[i + 8]; b[i] = a[i]

#include "lathe/schedule/legality.hpp"
#include "lathe/support/lists.hpp"

namespace lathe::inline LATHE_ABI::scheduling {

/// Whether `stage` reads `key`, itself or through stages that are computed inside it or may be inlined.
inline bool may_read(const State &state, const StageState &stage, const ir::Operation &key) {
  List<const StageState *> open = {&stage};
  for (std::size_t i = 0; i < open.size(); ++i)
    for (const ir::Tensor &input : open[i]->inputs) {
      if (input.operation == key) return true;
      const StageState *through = state.find(input.operation);
      if (!through || !through->is_compute()) continue;
      const bool inlines =
          through->attachment.kind == Attachment::Kind::automatic && !through->operation->bodies.front().as<ir::Reduce>();
      const bool within =
          inlines || through->attachment.kind == Attachment::Kind::inlined || through->attachment.kind == Attachment::Kind::at;
      if (within && !lists::contains(open, through)) open.push_back(through);
    }
  return false;
}

LATHE_INLINE void apply_prefetch(State &state, const Step &step) {
  StageState &stage = require_stage(state, step);
  const AxisState &axis = require_loop(state, step, stage, step.axes.at(0), "prefetch in");
  const StageState *tensor = state.find(step.stages.at(0));
  if (!tensor) refuse(state, step, "S002", "prefetch names a tensor that this schedule does not have");
  const auto refuse_prefetch = [&](const Phrase &why, const Phrase &help) {
    refuse(state, step, "S039", {tensor->name(), " cannot be prefetched for ", stage.name()},
           {{"why", why, {}}, {"help", help, {}}}, axis.name);
  };
  if (!may_read(state, stage, tensor->key))
    refuse_prefetch({stage.name(), " does not read it"}, {"name a tensor among s.inputs(", stage.name(), ")"});
  constexpr std::int64_t furthest = std::int64_t{1} << 40;
  if (step.numbers.at(0) > furthest)
    refuse_prefetch({step.numbers[0], " iterations ahead is beyond all memory"}, "fetch it some hundred bytes ahead");
  if (step.numbers.at(0) < 1)
    refuse_prefetch({step.numbers[0], " iterations ahead is no time"}, "fetch it 1 iteration ahead or more");
  if (tensor->is_compute() && tensor->attachment.kind == Attachment::Kind::inlined)
    refuse_prefetch("it is inlined, so it is nowhere in memory", "prefetch what it reads, or compute it at root");
  mark_scheduled(state, stage);
  stage.prefetches.push_back({tensor->key, axis.id, step.numbers[0], static_cast<int>(state.steps.size())});
}

}  // namespace lathe::inline LATHE_ABI::scheduling
