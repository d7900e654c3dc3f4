// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The checks behind legality.hpp.

#include "lathe/schedule/legality.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::scheduling {

LATHE_INLINE StageState &require_stage(State &state, const Step &step) {
  StageState *stage = state.find(step.stage);
  if (!stage) refuse(state, step, "S002", {name_of(step.primitive), " names a stage that this schedule does not have"});
  if (!stage->is_compute())
    refuse(state, step, "S017", {stage->name(), " is an input: it has no loops to schedule"},
           {{"help", {"schedule a copy of it:   s.cache_read(", stage->name(), ", scope::local, reader)"}, {}}});
  if (stage->attachment.kind == Attachment::Kind::inlined && step.primitive != Primitive::compute_root &&
      step.primitive != Primitive::compute_at) {
    List<Note> notes;
    if (const int by = stage->attachment.step; by >= 0) {
      const Step &inlining = *state.steps[static_cast<std::size_t>(by)];
      notes.push_back({"why", stage->name() + " was inlined, so it has no loops of its own", {}});
      notes.push_back({"", to_cpp(state, inlining), inlining.place});
    }
    notes.push_back({"help", composed({"undo that first:   s[", stage->name(), "].compute_root();"}), {}});
    refuse(state, step, "S015", {stage->name(), " is inlined and has no loops"}, std::move(notes));
  }
  return *stage;
}

LATHE_INLINE Note consumed_note(const State &state, const StageState &stage, const AxisState &axis) {
  Note note;
  note.label = "why";
  const Step &by = *state.steps[static_cast<std::size_t>(axis.consumed_by)];
  std::string parts;
  for (const Relation &relation : stage.relations)
    if (relation.step == axis.consumed_by)
      for (const AxisId &to : relation.to) (parts += parts.empty() ? "" : " and ") += stage.find(to)->name;
  note.text = axis.name + (by.primitive == Primitive::fuse ? " was fused into " : " was split into ") + parts;
  return note;
}

LATHE_INLINE AxisState &require_loop(const State &state, const Step &step, StageState &stage, AxisId id, const char *verb) {
  AxisState *axis = stage.find(id);
  if (!axis)
    refuse(state, step, "S002", {"an axis given to ", name_of(step.primitive), " is not an axis of ", stage.name()},
           {{"why", "an axis belongs to the stage and schedule (or its copies) that made it", {}}});
  if (stage.position(id) < 0) {
    const Step &by = *state.steps[static_cast<std::size_t>(axis->consumed_by)];
    const AxisState *now = stage.find(stage.follow(id));
    List<Note> notes{consumed_note(state, stage, *axis), {"", to_cpp(state, by), by.place}};
    if (now) notes.push_back({"help", "name a loop that is there:   " + now->name, {}});
    refuse(state, step, "S003", {"axis ", axis->name, " of ", stage.name(), " is no longer there to ", verb}, std::move(notes),
           axis->name);
  }
  return *axis;
}

LATHE_INLINE void require_distinct(const State &state, const Step &step, const StageState &stage) {
  for (std::size_t i = 0; i < step.axes.size(); ++i)
    for (std::size_t j = i + 1; j < step.axes.size(); ++j)
      if (step.axes[i] == step.axes[j]) {
        const std::string name = stage.find(step.axes[i])->name;
        refuse(state, step, "S004", {"axis ", name, " of ", stage.name(), " is named twice"},
               {{"help", "name each axis once", {}}}, name);
      }
}

LATHE_INLINE void mark_scheduled(const State &state, StageState &stage) {
  if (stage.first_step < 0) stage.first_step = static_cast<int>(state.steps.size());
  if (stage.attachment.kind == Attachment::Kind::automatic) stage.attachment.kind = Attachment::Kind::root;
}

LATHE_INLINE void set_loop_kind(State &state, const Step &step, ir::LoopKind kind, const char *verb) {
  StageState &stage = require_stage(state, step);
  AxisState &axis = require_loop(state, step, stage, step.axes.at(0), verb);
  if (axis.kind_set_by >= 0) {
    const Step &by = *state.steps[static_cast<std::size_t>(axis.kind_set_by)];
    refuse(state, step, "S014", {"axis ", axis.name, " of ", stage.name(), " is marked by ", name_of(by.primitive), " already"},
           {{"why", "a loop is run in one way", {}},
            {"", to_cpp(state, by), by.place},
            {"help", "split the axis and mark one part each way", {}}},
           axis.name);
  }
  if (axis.reduction && kind != ir::LoopKind::unrolled)
    refuse(state, step, "S006",
           {"axis ", axis.name, " of ", stage.name(), " is reduced over and cannot be ",
            kind == ir::LoopKind::parallel ? "run in parallel" : "vectorized"},
           {{"why", "its iterations add to the same element; run at the same time they would lose updates", {}},
            {"help", {"choose a data axis of ", stage.name()}, {}}},
           axis.name);
  mark_scheduled(state, stage);
  axis.kind = kind;
  axis.kind_set_by = static_cast<int>(state.steps.size());
}

LATHE_INLINE std::string fresh_axis_name(const StageState &stage, std::string name) {
  const auto taken = [&](const std::string &candidate) {
    for (const AxisState &axis : stage.axes)
      if (axis.name == candidate) return true;
    return false;
  };
  if (!taken(name)) return name;
  for (int n = 1;; ++n)
    if (std::string candidate = name + std::to_string(n); !taken(candidate)) return candidate;
}

}  // namespace lathe::inline LATHE_ABI::scheduling
