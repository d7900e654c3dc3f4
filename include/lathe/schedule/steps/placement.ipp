// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// compute_at, compute_inline, compute_root, set_scope, stream: where a stage is computed and kept.
///
///     for y: b[y] = …                 → s[b].compute_at(s[c], y) →   for y:
///     for y: for x: c[y, x] = b[y]…                                    b[y] = …            (only what this iteration needs)
///                                                                      for x: c[y, x] = b[y]…
///
/// When the axis is split later, the stage stays inside the inner part; when it is fused, inside the fused loop.

#include "lathe/schedule/legality.hpp"
#include "lathe/support/hash_map.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::scheduling {

namespace placement {

/// Whether `consumer` reads `stage`, directly or through other stages: one way back over the stages, of one state, which
/// lie in the order in which they need each other.
inline bool depends_on(const StageState &consumer, const StageState &stage) {
  NodeSet needed;
  for (const StageState *next = &consumer; next > &stage; --next)
    if (next == &consumer || needed.contains(next->key.get()))
      for (const ir::Tensor &input : next->inputs) {
        if (input.operation == stage.key) return true;
        needed.insert(input.operation.get());
      }
  return false;
}

inline void refuse_output(const State &state, const Step &step, const StageState &stage, const char *code, const char *what,
                          const Phrase &help) {
  if (stage.output)
    refuse(
        state, step, code, {stage.name(), " is an output and cannot be ", what},
        {{"why", "the caller reads all of it, so it is computed as a whole, into the caller's memory", {}}, {"help", help, {}}});
}

[[noreturn]] inline void refuse_stream(const State &state, const Step &step, const StageState &stage, const Phrase &why) {
  refuse(
      state, step, "S038", {"elements of ", stage.name(), " cannot be stored past the caches"},
      {{"why", why, {}},
       {"help", {"stream what is copied to main memory:   auto cache = s.cache_write(", stage.name(), ", scope::local);"}, {}}});
}

/// The way to have an output's values elsewhere first.
inline std::string cached(const StageState &stage) {
  return composed({"compute its values in a stage of their own, and place that:   auto cache = s.cache_write(", stage.name(),
                   ", scope::local);"});
}

}  // namespace placement

LATHE_INLINE void apply_compute_at(State &state, const Step &step) {
  StageState &stage = require_stage(state, step);
  StageState *consumer = state.find(step.stages.at(0));
  if (!consumer) refuse(state, step, "S002", "compute_at names a consumer that this schedule does not have");
  placement::refuse_output(state, step, stage, "S011", "computed inside another stage", placement::cached(stage));
  if (consumer == &stage)
    refuse(state, step, "S009", {stage.name(), " cannot be computed inside its own loops"},
           {{"help", {"name a loop of a stage that reads ", stage.name()}, {}}});
  if (!placement::depends_on(*consumer, stage)) {
    const bool reversed = placement::depends_on(stage, *consumer);
    List<Note> notes;
    if (reversed)
      notes.push_back({"why", composed({stage.name(), " reads ", consumer->name(), ", not the other way round"}), {}});
    notes.push_back({"help", "name a stage that reads " + stage.name(), {}});
    refuse(state, step, "S010", {consumer->name(), " does not use ", stage.name(), ", so it cannot be computed there"},
           std::move(notes));
  }
  if (consumer->attachment.kind == Attachment::Kind::inlined)
    refuse(state, step, "S015", {consumer->name(), " is inlined and has no loops"},
           {{"help", {"compute ", stage.name(), " inside the stage that ", consumer->name(), " was inlined into"}, {}}});
  const AxisState &axis = require_loop(state, step, *consumer, step.axes.at(0), "compute at");
  if (axis.kind == ir::LoopKind::vectorized)
    refuse(state, step, "S013",
           {stage.name(), " cannot be computed inside the vectorized loop ", axis.name, " of ", consumer->name()},
           {{"why", "the iterations of a vectorized loop are lanes of the same instructions", {}},
            {"help", {"compute it at a loop outside ", axis.name}, {}}},
           axis.name);
  if (consumer->attachment.kind == Attachment::Kind::automatic) consumer->attachment.kind = Attachment::Kind::root;
  if (stage.first_step < 0) stage.first_step = static_cast<int>(state.steps.size());
  stage.attachment = {Attachment::Kind::at, consumer->id, axis.id, static_cast<int>(state.steps.size())};
}

LATHE_INLINE void apply_compute_inline(State &state, const Step &step) {
  StageState &stage = require_stage(state, step);
  placement::refuse_output(state, step, stage, "S007", "inlined",
                           "inline what it reads; for another schedule of its own loops, split and reorder them");
  if (const ir::Reduce *reduce = stage.operation->reduction())
    refuse(state, step, "S008", {stage.name(), " is a reduction (", reduce->reducer->name, ") and cannot be inlined"},
           {{"why", "it would be a reduction nested in an expression", {}},
            {"help", {"compute it inside its consumer:   s[", stage.name(), "].compute_at(s[consumer], axis);"}, {}}});
  if (stage.operation->bodies.size() > 1)
    refuse(state, step, "S008", {stage.name(), " has several outputs and cannot be inlined"});
  if (!stage.relations.empty()) {
    const Step &by = *state.steps[static_cast<std::size_t>(stage.relations.front().step)];
    refuse(state, step, "S015", {stage.name(), " has scheduled loops, which inlining would throw away"},
           {{"", to_cpp(state, by), by.place}, {"help", "leave out one of the two", {}}});
  }
  if (!stage.alignments.empty()) {
    const Step &by = *state.steps[static_cast<std::size_t>(stage.alignments.front().step)];
    refuse(state, step, "S015", {stage.name(), " has an aligned buffer, which inlining would throw away"},
           {{"", to_cpp(state, by), by.place}, {"help", "leave out one of the two", {}}});
  }
  if (stage.first_step < 0) stage.first_step = static_cast<int>(state.steps.size());
  stage.attachment = {Attachment::Kind::inlined, {}, {}, static_cast<int>(state.steps.size())};
}

LATHE_INLINE void apply_compute_root(State &state, const Step &step) {
  StageState &stage = require_stage(state, step);
  if (stage.first_step < 0) stage.first_step = static_cast<int>(state.steps.size());
  stage.attachment = {Attachment::Kind::root, {}, {}, static_cast<int>(state.steps.size())};
}

LATHE_INLINE void apply_set_scope(State &state, const Step &step) {
  StageState &stage = require_stage(state, step);
  placement::refuse_output(state, step, stage, "S011", "moved to another scope", placement::cached(stage));
  if (stage.streamed_by >= 0 && !step.text.empty()) placement::refuse_stream(state, step, stage, "it is not kept in main memory");
  mark_scheduled(state, stage);
  stage.scope = {step.text};
}

LATHE_INLINE void apply_stream(State &state, const Step &step) {
  StageState &stage = require_stage(state, step);
  if (stage.operation->reduction())
    placement::refuse_stream(state, step, stage, "it is a reduction, which reads its elements again while it runs");
  if (!stage.scope.name.empty()) placement::refuse_stream(state, step, stage, "it is not kept in main memory");
  mark_scheduled(state, stage);
  stage.streamed_by = static_cast<int>(state.steps.size());
}

}  // namespace lathe::inline LATHE_ABI::scheduling
