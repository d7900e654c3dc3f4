// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// fuse: neighbouring loops become one.
///
///     for i in 0..m:             →     for i.j in 0..m*n:
///       for j in 0..n: body(i, j)        body(i.j / n, i.j % n)
///
/// Fusing no loops makes a loop of one iteration around the rest, which gives a stage of rank 0 a loop to schedule. A loop fused
/// from a reduction axis and others is a reduction loop.

#include "lathe/schedule/legality.hpp"

namespace lathe::inline LATHE_ABI::scheduling {

LATHE_INLINE void apply_fuse(State &state, const Step &step) {
  StageState &stage = require_stage(state, step);
  std::string name;
  bool reduction = false;
  for (const AxisId &id : step.axes) {
    const AxisState &axis = require_loop(state, step, stage, id, "fuse");
    (name += name.empty() ? "" : ".") += axis.name;
    reduction |= axis.reduction;
    if (axis.kind_set_by >= 0) {
      const Step &by = *state.steps[static_cast<std::size_t>(axis.kind_set_by)];
      refuse(state, step, "S014",
             {"axis ", axis.name, " of ", stage.name(), " is marked by ", name_of(by.primitive), " and cannot be fused any more"},
             {{"", to_cpp(state, by), by.place}, {"help", "fuse first, then mark the fused loop", {}}}, axis.name);
    }
  }
  require_distinct(state, step, stage);
  const int first = step.axes.empty() ? 0 : stage.position(step.axes.front());
  for (std::size_t i = 0; i < step.axes.size(); ++i)
    if (stage.position(step.axes[i]) != first + static_cast<int>(i))
      refuse(state, step, "S005", {"the axes to fuse are not neighbours in ", stage.name(), ", from the outer to the inner"},
             {{"why", "fuse makes one loop of loops that directly contain each other", {}},
              {"help", "reorder them first, or name them in loop order", {}}},
             stage.find(step.axes[i])->name);
  mark_scheduled(state, stage);
  const int number = static_cast<int>(state.steps.size());
  AxisState fused;
  fused.id = {number, 0};
  fused.name = fresh_axis_name(stage, name.empty() ? "unit" : name);
  fused.reduction = reduction;
  for (const AxisId &id : step.axes) stage.find(id)->consumed_by = number;
  stage.axes.push_back(fused);
  stage.relations.push_back({Relation::Kind::fuse, number, step.axes, {fused.id}, 0, false, Tail::guard});
  const auto at = stage.loops.begin() + first;
  stage.loops.insert(stage.loops.erase(at, at + static_cast<std::ptrdiff_t>(step.axes.size())), fused.id);
}

}  // namespace lathe::inline LATHE_ABI::scheduling
