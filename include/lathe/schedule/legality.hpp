// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Checks that primitives share. Each throws the refusal itself, so a primitive reads as: check, check, change.

#include "lathe/schedule/state.hpp"

namespace lathe::inline LATHE_ABI::scheduling {

/// The stage a step is about: a computed stage that still has loops (S015 if inlined, S017 if an input).
StageState &require_stage(State &state, const Step &step);

/// An axis that is a current loop of the stage. S002 if it is not the stage's; S003 if split or fused away, quoting that step;
/// `verb` completes "… is no longer there to <verb>".
AxisState &require_loop(const State &state, const Step &step, StageState &stage, AxisId axis, const char *verb);

/// That no axis is named twice (S004).
void require_distinct(const State &state, const Step &step, const StageState &stage);

/// Gives a loop its kind. S014 if it has one already.
void set_loop_kind(State &state, const Step &step, ir::LoopKind kind, const char *verb);

/// A stage nobody had scheduled becomes root by any step on it.
void mark_scheduled(const State &state, StageState &stage);

/// The note "i was split into i.outer and i.inner", with the step that did it.
Note consumed_note(const State &state, const StageState &stage, const AxisState &axis);

/// Names for what split and fuse make, distinct within the stage.
std::string fresh_axis_name(const StageState &stage, std::string name);

}  // namespace lathe::inline LATHE_ABI::scheduling
