// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// From calls on handles to steps.

#include "lathe/ir/build.hpp"
#include "lathe/ir/print.hpp"
#include "lathe/schedule/schedule.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI {

using scheduling::AxisId;
using scheduling::AxisRef;
using scheduling::AxisState;
using scheduling::Primitive;
using scheduling::StageState;
using scheduling::Step;

// ---- stages -------------------------------------------------------------------------------------------------------------------

LATHE_INLINE const StageState &AnyStage::state() const {
  const StageState *stage = schedule_->state_.find(key_);
  ensure(stage, "a stage handle refers to a stage of its schedule");
  return *stage;
}

LATHE_INLINE AnyAxis AnyStage::axis_handle(AxisId id) const {
  const AxisState *axis = state().find(id);
  ensure(axis, "an axis that is asked for exists");
  scheduling::StepRef origin = id.step < 0 ? nullptr : schedule_->state_.steps[static_cast<std::size_t>(id.step)];
  return AnyAxis(key_, id, std::move(origin), axis->reduction, axis->name);
}

LATHE_INLINE AnyAxis AnyStage::data_axis(int dimension, const Location &place) const {
  const List<AnyAxis> all = axes();
  if (dimension < 0 || dimension >= static_cast<int>(all.size()))
    fail("S002", {name(), " has no dimension ", dimension}, place,
         {{"help", {"its ", all.size(), " dimensions are counted from 0"}, {}}});
  return all[static_cast<std::size_t>(dimension)];
}

LATHE_INLINE List<AnyAxis> AnyStage::axes() const {
  List<AnyAxis> result;
  for (const AxisState &axis : state().axes)
    if (axis.id.step < 0 && !axis.reduction) result.push_back(axis_handle(axis.id));
  return result;
}

LATHE_INLINE List<ReductionAxis> AnyStage::reduce_axes() const {
  List<ReductionAxis> result;
  for (const AxisState &axis : state().axes)
    if (axis.id.step < 0 && axis.reduction) result.emplace_back(axis_handle(axis.id));
  return result;
}

LATHE_INLINE List<AnyAxis> AnyStage::loops() const {
  List<AnyAxis> result;
  for (const AxisId &id : state().loops) result.push_back(axis_handle(id));
  return result;
}

LATHE_INLINE std::pair<AnyAxis, AnyAxis> AnyStage::split_axis(const AxisRef &axis, std::int64_t factor, bool by_parts, Tail tail,
                                                              const Location &place) {
  Step step{Primitive::split, schedule_->stage_id(key_), {}, {}, {factor, by_parts}, {}, place};
  if (tail != Tail::guard) step.numbers.push_back(static_cast<std::int64_t>(tail));
  step.axes.push_back(schedule_->axis_id(key_, axis, step));
  const int number = static_cast<int>(schedule_->state_.steps.size());
  schedule_->apply(std::move(step));
  return {axis_handle({number, 0}), axis_handle({number, 1})};
}

LATHE_INLINE AnyAxis AnyStage::fuse_axes(const List<AxisRef> &axes, const Location &place) {
  Step step{Primitive::fuse, schedule_->stage_id(key_), {}, {}, {}, {}, place};
  for (const AxisRef &axis : axes) step.axes.push_back(schedule_->axis_id(key_, axis, step));
  const int number = static_cast<int>(schedule_->state_.steps.size());
  schedule_->apply(std::move(step));
  return axis_handle({number, 0});
}

LATHE_INLINE AnyAxis AnyStage::fuse(const List<AnyAxis> &axes, Location place) {
  return fuse_axes(List<AxisRef>(axes.begin(), axes.end()), place);
}

LATHE_INLINE void AnyStage::reorder_axes(const List<AxisRef> &axes, const Location &place) {
  Step step{Primitive::reorder, schedule_->stage_id(key_), {}, {}, {}, {}, place};
  for (const AxisRef &axis : axes) step.axes.push_back(schedule_->axis_id(key_, axis, step));
  schedule_->apply(std::move(step));
}

LATHE_INLINE void AnyStage::reorder(const List<AnyAxis> &axes, Location place) {
  reorder_axes(List<AxisRef>(axes.begin(), axes.end()), place);
}

LATHE_INLINE void AnyStage::mark(Primitive primitive, const AxisRef &axis, const Location &place) {
  Step step{primitive, schedule_->stage_id(key_), {}, {}, {}, {}, place};
  step.axes.push_back(schedule_->axis_id(key_, axis, step));
  schedule_->apply(std::move(step));
}

LATHE_INLINE void AnyStage::limit_unrolling(const AxisRef &axis, std::int64_t most, const Location &place) {
  Step step{Primitive::auto_unroll, schedule_->stage_id(key_), {}, {}, {most}, {}, place};
  step.axes.push_back(schedule_->axis_id(key_, axis, step));
  schedule_->apply(std::move(step));
}

LATHE_INLINE void AnyStage::fetch_ahead(const AnyTensor &tensor, const AxisRef &axis, std::int64_t ahead, const Location &place) {
  Step step{Primitive::prefetch, schedule_->stage_id(key_), {}, {}, {ahead}, {}, place};
  step.stages.push_back(schedule_->stage_id(schedule_->require(tensor.untyped())));
  step.axes.push_back(schedule_->axis_id(key_, axis, step));
  schedule_->apply(std::move(step));
}

LATHE_INLINE void AnyStage::align_axis(const AxisRef &axis, std::int64_t factor, std::int64_t offset, const Location &place) {
  Step step{Primitive::storage_align, schedule_->stage_id(key_), {}, {}, {factor, offset}, {}, place};
  step.axes.push_back(schedule_->axis_id(key_, axis, step));
  schedule_->apply(std::move(step));
}

LATHE_INLINE void AnyStage::attach(const AnyStage &consumer, const AxisRef &axis, const Location &place) {
  Step step{Primitive::compute_at, schedule_->stage_id(key_), {}, {}, {}, {}, place};
  const StageState *stage = schedule_->state_.find(consumer.key_);
  if (!stage)
    scheduling::refuse(schedule_->state_, step, "S002", {consumer.name(), " is not a stage of this schedule"},
                       {{"why", "a stage handle belongs to the schedule that made it", {}}});
  step.stages.push_back(stage->id);
  step.axes.push_back(schedule_->axis_id(consumer.key_, axis, step));
  schedule_->apply(std::move(step));
}

LATHE_INLINE void AnyStage::plain_step(Primitive primitive, std::string text, const Location &place) {
  schedule_->apply({primitive, schedule_->stage_id(key_), {}, {}, {}, std::move(text), place});
}

LATHE_INLINE void AnyStage::compute_inline(Location place) { plain_step(Primitive::compute_inline, {}, place); }
LATHE_INLINE void AnyStage::compute_root(Location place) { plain_step(Primitive::compute_root, {}, place); }
LATHE_INLINE void AnyStage::stream(Location place) { plain_step(Primitive::stream, {}, place); }
LATHE_INLINE void AnyStage::set_scope(Scope scope, Location place) {
  plain_step(Primitive::set_scope, std::string(scope.name), place);
}

LATHE_INLINE void AnyStage::layout(std::string_view map, Location place) {
  std::string word;
  for (const char c : map)
    if (c != ' ') word += c;
  plain_step(Primitive::layout, std::move(word), place);
}

// ---- schedules ----------------------------------------------------------------------------------------------------------------

LATHE_INLINE Schedule::Schedule(const List<AnyTensor> &outputs, Location place) {
  for (const AnyTensor &output : outputs) {
    const ir::Operation &operation = output.untyped().operation;
    if (operation->kind != ir::OperationKind::compute)
      fail("S017", {operation->name, " is not computed, so it cannot be an output of a schedule"}, place,
           {{"help", "schedule what is computed from it", {}}});
    bool known = false;
    for (const ir::Operation &other : outputs_) known |= other == operation;
    if (!known) outputs_.push_back(operation);
  }
  state_ = scheduling::initial_state(outputs_);
}

LATHE_INLINE ir::Operation Schedule::require(const ir::Tensor &tensor) const {
  if (!state_.find(tensor.operation))
    fail("S002", {ir::name_of(tensor), " is not part of what this schedule computes"}, tensor.operation->place,
         {{"why", "a schedule knows its outputs and what they are computed from", {}}});
  return tensor.operation;
}

LATHE_INLINE scheduling::StageId Schedule::stage_id(const ir::Operation &key) const {
  const StageState *stage = state_.find(key);
  ensure(stage, "a stage handle refers to a stage of its schedule");
  return stage->id;
}

/// Whether cache_write made the stage of the one with that key, so that it has the axes that this one had.
LATHE_INLINE bool Schedule::was_part_of(const StageState &stage, const ir::Operation &key) const {
  for (scheduling::StageId at = stage.id; at.step >= 0;) {
    const Step &made = *state_.steps[static_cast<std::size_t>(at.step)];
    if (made.primitive != Primitive::cache_write) return false;
    at = made.stage;
    if (state_.find(at)->key == key) return true;
  }
  return false;
}

LATHE_INLINE AxisId Schedule::axis_id(const ir::Operation &key, const AxisRef &axis, const Step &step) const {
  const StageState &stage = *state_.find(key);
  if (const std::optional<AnyAxis> &handle = axis.handle()) {
    const int made_by = handle->id().step;
    const bool known = made_by < 0 || (made_by < static_cast<int>(state_.steps.size()) &&
                                       state_.steps[static_cast<std::size_t>(made_by)] == handle->origin());
    const bool belongs = handle->key() == key || was_part_of(stage, handle->key());
    if (belongs && known && stage.find(handle->id())) return handle->id();
    std::string why = handle->key() == key
                          ? composed({"it was made by another schedule, or belongs to ", stage.name(), " no longer"})
                          : "it is an axis of " + handle->key()->name;
    for (const StageState &other : state_.stages)
      if (known && handle->key() == key && was_part_of(other, key) && other.find(handle->id()))
        why = "cache_write has moved it to " + other.name();
    scheduling::refuse(state_, step, "S002", {"axis ", handle->name(), " is not an axis of ", stage.name()},
                       {{"why", why, {}}, {"help", {"name an axis of ", stage.name(), " in this schedule"}, {}}}, handle->name());
  }
  for (const AxisState &candidate : stage.axes)
    if (candidate.var.defined() && candidate.var == axis.var()) return candidate.id;
  List<Note> notes;
  for (const StageState &other : state_.stages)
    for (const AxisState &candidate : other.axes)
      if (candidate.var.defined() && candidate.var == axis.var())
        notes.push_back({"why", composed({axis.var().name(), " is reduced over by ", other.name()}), {}});
  scheduling::refuse(state_, step, "S002", {stage.name(), " does not reduce over ", axis.var().name()}, std::move(notes),
                     axis.var().name());
}

LATHE_INLINE AnyTensor Schedule::cache_read(const AnyTensor &tensor, Scope scope, const List<AnyTensor> &readers,
                                            Location place) {
  Step step{Primitive::cache_read, stage_id(require(tensor.untyped())), {}, {}, {}, std::string(scope.name), place};
  for (const AnyTensor &reader : readers) step.stages.push_back(stage_id(require(reader.untyped())));
  const int number = static_cast<int>(state_.steps.size());
  apply(std::move(step));
  return AnyTensor({state_.find(scheduling::StageId{number, 0})->key, tensor.untyped().output});
}

LATHE_INLINE void Schedule::alias(const AnyTensor &output, const AnyTensor &input, Location place) {
  const scheduling::StageId from = stage_id(require(input.untyped()));
  apply({Primitive::alias, stage_id(require(output.untyped())), {}, {from}, {}, {}, place});
}

LATHE_INLINE AnyTensor Schedule::cache_write(const AnyTensor &tensor, Scope scope, Location place) {
  const int number = static_cast<int>(state_.steps.size());
  apply({Primitive::cache_write, stage_id(require(tensor.untyped())), {}, {}, {}, std::string(scope.name), place});
  return AnyTensor({state_.find(scheduling::StageId{number, 0})->key, tensor.untyped().output});
}

LATHE_INLINE void Schedule::assume(const Expr<bool> &condition, Location place) {
  const ir::Expr &untyped = condition.untyped();
  if (ir::is_true(untyped)) return;
  if (ir::is_false(untyped))
    fail("S034", "what is assumed does not hold", place, {{"why", "it is about constants, and false", {}}});
  std::string text = scheduling::assumption_text(state_, untyped);
  if (text.empty())
    fail("S033", {ir::to_string(untyped), " is no condition on sizes"}, place,
         {{"why", "it is tested before the kernel runs, when nothing but the sizes in shapes is known", {}},
          {"help", "assume comparisons of size variables that this schedule's tensors have:   s.assume(n % 16 == 0);", {}}});
  apply({Primitive::assume, {-1, -1}, {}, {}, {}, std::move(text), place});
}

LATHE_INLINE List<AnyStage> Schedule::stages() {
  List<AnyStage> result;
  for (const StageState &stage : state_.stages)
    if (stage.is_compute()) result.emplace_back(*this, stage.key);
  return result;
}

LATHE_INLINE List<AnyTensor> Schedule::inputs(const AnyTensor &tensor) const {
  List<AnyTensor> result;
  const StageState *stage = state_.find(require(tensor.untyped()));
  for (const ir::Tensor &input : stage->inputs) result.emplace_back(input);
  return result;
}

LATHE_INLINE AnyTensor Schedule::find(std::string_view name, Location place) const {
  const StageState *found = nullptr;
  std::string names;
  for (const StageState &stage : state_.stages) {
    (names += names.empty() ? "" : ", ") += stage.name();
    if (stage.name() != name) continue;
    if (found)
      fail("S019", {"several tensors of this schedule are named ", name}, place, {{"help", "give each a name of its own", {}}});
    found = &stage;
  }
  if (!found) fail("S019", {"no tensor of this schedule is named ", name}, place, {{"help", {"its tensors are ", names}, {}}});
  return AnyTensor({found->key, 0});
}

LATHE_INLINE void Schedule::apply(Step step) { scheduling::apply(state_, scheduling::StepRef(new Step(std::move(step)))); }

LATHE_INLINE scheduling::State AnyStage::state_now() const { return schedule_->state_; }
LATHE_INLINE void AnyStage::go_back(scheduling::State before) { schedule_->state_ = std::move(before); }

LATHE_INLINE std::optional<Diagnostic> Schedule::try_step(Step step) {
  return try_steps([&](Schedule &schedule) { schedule.apply(std::move(step)); });
}

LATHE_INLINE void Schedule::replay(std::string_view text) {
  scheduling::State before = state_;
  try {
    for (Step &step : scheduling::parse_steps(text)) apply(std::move(step));
  } catch (...) {
    state_ = std::move(before);
    throw;
  }
}

LATHE_INLINE std::string Schedule::to_text() const {
  std::string text;
  for (const scheduling::StepRef &step : state_.steps) text += scheduling::to_text(*step) + "\n";
  return text;
}

LATHE_INLINE std::string Schedule::to_cpp() const { return scheduling::to_cpp(outputs_, state_.steps); }

}  // namespace lathe::inline LATHE_ABI
