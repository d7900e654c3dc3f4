// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Lookup in a schedule's state, its beginning, and refusals.

#include "lathe/ir/build.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/schedule/state.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::scheduling {

LATHE_INLINE const AxisState *StageState::find(AxisId axis) const {
  for (const AxisState &candidate : axes)
    if (candidate.id == axis) return &candidate;
  return nullptr;
}

LATHE_INLINE AxisState *StageState::find(AxisId axis) {
  return const_cast<AxisState *>(static_cast<const StageState *>(this)->find(axis));
}

LATHE_INLINE int StageState::position(AxisId axis) const {
  for (std::size_t i = 0; i < loops.size(); ++i)
    if (loops[i] == axis) return static_cast<int>(i);
  return -1;
}

LATHE_INLINE AxisId StageState::follow(AxisId axis) const {
  while (position(axis) < 0) {
    const Relation *next = nullptr;
    for (const Relation &relation : relations)
      for (const AxisId &from : relation.from)
        if (from == axis) next = &relation;
    if (!next) break;
    axis = next->to.back();
  }
  return axis;
}

LATHE_INLINE void StageState::compute(const ir::Operation &now) {
  operation = now;
  inputs = ir::inputs_of(now);
}

LATHE_INLINE const StageState *State::find(StageId id) const {
  for (const StageState &stage : stages)
    if (stage.id == id) return &stage;
  return nullptr;
}

LATHE_INLINE StageState *State::find(StageId id) { return const_cast<StageState *>(static_cast<const State *>(this)->find(id)); }

LATHE_INLINE const StageState *State::find(const ir::Operation &key) const {
  for (const StageState &stage : stages)
    if (stage.key == key) return &stage;
  return nullptr;
}

LATHE_INLINE List<const StageState *> State::consumers(const StageState &stage) const {
  List<const StageState *> result;
  for (const StageState &candidate : stages)
    for (const ir::Tensor &input : candidate.inputs)
      if (input.operation == stage.key) {
        result.push_back(&candidate);
        break;
      }
  return result;
}

namespace state_making {

inline AxisState original_axis(const ir::Var &var, int index, bool reduction) {
  AxisState axis;
  axis.id = {-1, index};
  axis.name = var.name();
  axis.reduction = reduction;
  axis.var = var;
  return axis;
}

/// Gives a stage the original axes of its operation: data axes, then reduction axes.
inline void reset_axes(StageState &stage) {
  stage.axes.clear();
  stage.loops.clear();
  stage.relations.clear();
  int index = 0;
  for (const ir::Var &var : stage.operation->axes) stage.axes.push_back(original_axis(var, index++, false));
  if (const ir::Reduce *reduce = stage.operation->reduction())
    for (const ir::Axis &axis : reduce->axes) stage.axes.push_back(original_axis(axis.var, index++, true));
  for (const AxisState &axis : stage.axes) stage.loops.push_back(axis.id);
}

inline StageState make_stage(StageId id, const ir::Operation &operation) {
  StageState stage;
  stage.id = id;
  stage.key = operation;
  stage.compute(operation);
  reset_axes(stage);
  return stage;
}

}  // namespace state_making

LATHE_INLINE State initial_state(const List<ir::Operation> &outputs) {
  State state;
  int index = 0;
  for (const ir::Operation &operation : ir::post_order(outputs)) {
    StageState stage = state_making::make_stage({-1, index++}, operation);
    for (const ir::Operation &output : outputs) stage.output |= output == operation;
    state.stages.push_back(std::move(stage));
  }
  return state;
}

LATHE_INLINE std::string loops_text(const StageState &stage) {
  std::string text;
  for (const AxisId &id : stage.loops) (text += text.empty() ? "" : " · ") += stage.find(id)->name;
  return text.empty() ? "(none)" : text;
}

LATHE_INLINE void refuse(const State &state, const Step &step, const char *code, const Phrase &message,
                         std::initializer_list<Remark> remarks, const Phrase &axis) {
  refuse(state, step, code, message, notes_of(remarks), axis);
}

LATHE_INLINE void refuse(const State &state, const Step &step, const char *code, const Phrase &message, const List<Note> &notes,
                         const Phrase &axis) {
  Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.message = message.str();
  diagnostic.place = step.place;
  diagnostic.axis = axis.str();
  const StageState *stage = state.find(step.stage);
  if (step.primitive == Primitive::assume && assumption_of(state, step.text).defined()) diagnostic.quoted = to_cpp(state, step);
  if (stage) {
    diagnostic.stage = stage->name();
    int number = 1;
    for (const StepRef &earlier : state.steps) {
      if (earlier.get() == &step) break;
      number += earlier->stage == step.stage;
    }
    // An axis that could not be resolved is not in the step, so the step would be misquoted.
    const bool whole = !step.axes.empty() || step.primitive >= Primitive::compute_inline || step.primitive == Primitive::fuse;
    diagnostic.quoted = composed({whole ? to_cpp(state, step) + "  " : "", "(step ", number, " of stage ", stage->name(), ")"});
  }
  // Reasons come first, then the loops as they are, then help.
  List<Note> help;
  for (const Note &note : notes) (note.label == "help" ? help : diagnostic.notes).push_back(note);
  if (stage && stage->is_compute())
    diagnostic.notes.push_back({composed({"loops of ", stage->name(), " now"}), loops_text(*stage), {}});
  for (Note &note : help) diagnostic.notes.push_back(std::move(note));
  throw Error(std::move(diagnostic));
}

}  // namespace lathe::inline LATHE_ABI::scheduling
