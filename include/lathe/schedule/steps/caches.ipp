// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// cache_read and cache_write: a copy of a tensor as a stage of its own, to be placed and kept where it is quick to reach.
///
///     for …: c[i] = f(a[i])     → cache_read(a, scope, c) →      for …: a.local[i] = a[i]
///                                                                for …: c[i] = f(a.local[i])
///
///     for …: c[i] = f(a[i])     → cache_write(c, scope)   →      for …: c.local[i] = f(a[i])
///                                                                for …: c[i] = c.local[i]

#include <utility>

#include "lathe/ir/build.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/schedule/legality.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::scheduling {

/// In state.ipp.
namespace state_making {
inline StageState make_stage(StageId id, const ir::Operation &operation);
inline void reset_axes(StageState &stage);
}  // namespace state_making

namespace caching {

inline List<ir::Var> fresh_axes(const ir::Operation &operation) {
  List<ir::Var> axes;
  if (operation->kind == ir::OperationKind::compute) {
    for (const ir::Var &axis : operation->axes) axes.emplace_back(axis.name(), scalar_types::index);
  } else {
    for (std::size_t i = 0; i < operation->shape.size(); ++i) axes.emplace_back("i" + std::to_string(i), scalar_types::index);
  }
  return axes;
}

inline List<ir::Expr> as_exprs(const List<ir::Var> &vars) { return {vars.begin(), vars.end()}; }

/// `body` with reads of `from` made reads of `to`.
inline ir::Expr redirect(const ir::Expr &body, const ir::Operation &from, const ir::Operation &to) {
  return ir::rewrite(body, [&](const ir::Expr &e) -> ir::Expr {
    const ir::Read *read = e.as<ir::Read>();
    if (!read || read->tensor.operation != from) return e;
    return ir::read({to, read->tensor.output}, read->indices, read->unchecked);
  });
}

inline std::string cache_name(const State &state, const std::string &of, const std::string &scope) {
  const std::string base = composed({of, ".", scope.empty() ? "cache" : scope});
  std::string name = base;
  const auto taken = [&] {
    for (const StageState &stage : state.stages)
      if (stage.name() == name) return true;
    return false;
  };
  for (int n = 1; taken(); ++n) name = base + std::to_string(n);
  return name;
}

/// An operation that copies `source` element by element.
inline ir::Operation copy_of(const ir::Operation &source, std::string name, Location place) {
  auto copy = std::make_unique<ir::OperationNode>();
  copy->name = std::move(name);
  copy->place = place;
  copy->shape = source->shape;
  copy->types = source->types;
  copy->axes = fresh_axes(source);
  for (std::size_t output = 0; output < source->types.size(); ++output)
    copy->bodies.push_back(ir::read({source, static_cast<int>(output)}, as_exprs(copy->axes)));
  return ir::Operation(copy.release());
}

}  // namespace caching

LATHE_INLINE void apply_cache_read(State &state, const Step &step) {
  StageState *source = state.find(step.stage);
  if (!source) refuse(state, step, "S002", "cache_read names a stage that this schedule does not have");
  if (step.stages.empty()) refuse(state, step, "S012", {"cache_read needs at least one reader of ", source->name()});
  const List<const StageState *> consumers = state.consumers(*source);
  for (const StageId &id : step.stages) {
    const StageState *reader = state.find(id);
    if (!reader) refuse(state, step, "S002", "cache_read names a reader that this schedule does not have");
    bool reads = false;
    for (const StageState *consumer : consumers) reads |= consumer == reader;
    if (!reads) {
      std::string names;
      for (const StageState *consumer : consumers) (names += names.empty() ? "" : ", ") += consumer->name();
      refuse(state, step, "S012", {reader->name(), " does not read ", source->name()},
             {{"help", names.empty() ? "nothing reads it" : "its readers are " + names, {}}});
    }
  }
  if (source->is_compute() && source->attachment.kind == Attachment::Kind::inlined)
    refuse(state, step, "S015", {source->name(), " is inlined: there is no tensor to copy"},
           {{"help", "leave out the inlining; a copy of an inlined stage is the stage itself, computed where you want it", {}}});
  if (source->is_compute()) mark_scheduled(state, *source);
  const int number = static_cast<int>(state.steps.size());
  const ir::Operation copy = caching::copy_of(source->key, caching::cache_name(state, source->name(), step.text), step.place);
  StageState stage = state_making::make_stage({number, 0}, copy);
  stage.scope = {step.text};
  stage.attachment.kind = Attachment::Kind::root;
  stage.first_step = number;
  const ir::Operation key = source->key;
  for (const StageId &id : step.stages) {
    StageState *reader = state.find(id);
    auto changed = std::make_unique<ir::OperationNode>(*reader->operation);
    for (ir::Expr &body : changed->bodies) body = caching::redirect(body, key, copy);
    reader->compute(ir::Operation(changed.release()));
  }
  state.stages.insert(state.stages.begin() + (source - state.stages.data()) + 1, std::move(stage));
}

LATHE_INLINE void apply_cache_write(State &state, const Step &step) {
  StageState &stage = require_stage(state, step);
  const int number = static_cast<int>(state.steps.size());
  const ir::Operation original = stage.operation;
  // The computation, under a name of its own.
  auto moved = std::make_unique<ir::OperationNode>(*original);
  moved->name = caching::cache_name(state, stage.name(), step.text);
  const ir::Operation cache(moved.release());
  // What is left: a copy, with fresh axes, so that the two stages share no variable.
  const ir::Operation copy = caching::copy_of(cache, stage.name(), original->place);
  // Its loops go with it, and what is computed at them; memory and place stay.
  StageState computing = state_making::make_stage({number, 0}, cache);
  computing.axes = std::exchange(stage.axes, {});
  computing.loops = std::exchange(stage.loops, {});
  computing.relations = std::exchange(stage.relations, {});
  computing.unroll_limits = std::exchange(stage.unroll_limits, {});
  computing.prefetches = std::exchange(stage.prefetches, {});
  for (StageState &other : state.stages)
    if (other.attachment.kind == Attachment::Kind::at && other.attachment.consumer == stage.id)
      other.attachment.consumer = computing.id;
  computing.scope = {step.text};
  computing.attachment.kind = Attachment::Kind::root;
  computing.first_step = number;
  mark_scheduled(state, stage);
  stage.compute(copy);
  state_making::reset_axes(stage);
  state.stages.insert(state.stages.begin() + (&stage - state.stages.data()), std::move(computing));
}

}  // namespace lathe::inline LATHE_ABI::scheduling
