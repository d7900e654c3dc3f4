// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// reorder: permutes the named loops among the places they hold; the others stay where they are.
///
///     for i: for j: for k: body     → reorder(k, i) →     for k: for j: for i: body
///
/// Moving a data loop inside a reduction loop is legal; the start values are then written by a loop nest of their own before it.

#include "lathe/schedule/legality.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::scheduling {

LATHE_INLINE void apply_reorder(State &state, const Step &step) {
  StageState &stage = require_stage(state, step);
  for (const AxisId &id : step.axes) require_loop(state, step, stage, id, "reorder");
  require_distinct(state, step, stage);
  mark_scheduled(state, stage);
  List<int> places;
  for (std::size_t i = 0; i < stage.loops.size(); ++i)
    for (const AxisId &id : step.axes)
      if (stage.loops[i] == id) places.push_back(static_cast<int>(i));
  for (std::size_t i = 0; i < places.size(); ++i) stage.loops[static_cast<std::size_t>(places[i])] = step.axes[i];
}

}  // namespace lathe::inline LATHE_ABI::scheduling
