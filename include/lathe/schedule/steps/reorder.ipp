// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// reorder: permutes the named loops among the places they hold; the others stay where they are.
///
///     for i: for j: for k: body     → reorder(k, i) →     for k: for j: for i: body
///
/// Moving a data loop inside a reduction loop is legal; the start values are then written by a loop nest of their own before it.

#include <utility>

#include "lathe/ir/walk.hpp"
#include "lathe/schedule/legality.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::scheduling {

namespace ragged {

/// Original axes, as a set.
using Axes = List<bool>;

inline void join(Axes &all, const Axes &more) {
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = all[i] || more[i];
}

/// What each axis of a stage came from, and which axes its extent depends on.
struct Origins {
  AxisId axis;
  Axes parts_of, depends_on;
};

LATHE_INLINE List<Origins> originals(const StageState &stage) {
  List<ir::Var> vars = stage.operation->axes;
  List<ir::Expr> extents = stage.operation->shape;
  if (const ir::Reduce *reduce = stage.operation->reduction())
    for (const ir::Axis &axis : reduce->axes) vars.push_back(axis.var), extents.push_back(axis.extent);
  List<Origins> origins;
  for (std::size_t i = 0; i < vars.size(); ++i) {
    Origins of{{-1, static_cast<int>(i)}, Axes(vars.size()), Axes(vars.size())};
    of.parts_of[i] = true;
    for (std::size_t other = 0; other < vars.size(); ++other) of.depends_on[other] = ir::uses(extents[i], vars[other]);
    origins.push_back(std::move(of));
  }
  return origins;
}

/// Of two parts of a split, the one whose extent the factor gives depends on nothing.
LATHE_INLINE List<Origins> origins_of(const StageState &stage) {
  List<Origins> origins = originals(stage);
  const std::size_t count = origins.size();
  const auto find = [&](AxisId axis) -> Origins {
    for (const Origins &known : origins)
      if (known.axis == axis) return known;
    return {axis, Axes(count), Axes(count)};
  };
  for (const Relation &relation : stage.relations) {
    Origins all{relation.to[0], Axes(count), Axes(count)};
    for (const AxisId &from : relation.from) {
      const Origins of = find(from);
      join(all.parts_of, of.parts_of);
      join(all.depends_on, of.depends_on);
    }
    for (std::size_t i = 0; i < relation.to.size(); ++i) {
      Origins part = all;
      part.axis = relation.to[i];
      const bool fixed = relation.kind == Relation::Kind::split && (i == 0) == relation.parts;
      if (fixed) part.depends_on = Axes(count);
      origins.push_back(std::move(part));
    }
  }
  return origins;
}

/// A loop whose extent depends on an axis stands inside all loops that the axis has become.
LATHE_INLINE void require_order(const State &state, const Step &step, const StageState &stage, const List<AxisId> &loops) {
  const List<Origins> origins = origins_of(stage);
  const auto of = [&](AxisId axis) -> const Origins & {
    for (const Origins &known : origins)
      if (known.axis == axis) return known;
    fail_internal("every loop came from an axis");
  };
  for (std::size_t outer = 0; outer < loops.size(); ++outer)
    for (std::size_t inner = outer + 1; inner < loops.size(); ++inner)
      for (std::size_t i = 0; i < of(loops[outer]).depends_on.size(); ++i) {
        if (!of(loops[outer]).depends_on[i] || !of(loops[inner]).parts_of[i]) continue;
        const std::string &name = stage.find(loops[outer])->name, &within = stage.find(loops[inner])->name;
        refuse(state, step, "S020", {"axis ", name, " of ", stage.name(), " cannot be outside ", within},
               {{"why", {"its extent depends on ", stage.find({-1, static_cast<int>(i)})->name}, {}},
                {"help", {"keep ", name, " inside ", within}, {}}},
               name);
      }
}

}  // namespace ragged

LATHE_INLINE void apply_reorder(State &state, const Step &step) {
  StageState &stage = require_stage(state, step);
  for (const AxisId &id : step.axes) require_loop(state, step, stage, id, "reorder");
  require_distinct(state, step, stage);
  List<int> places;
  for (std::size_t i = 0; i < stage.loops.size(); ++i)
    for (const AxisId &id : step.axes)
      if (stage.loops[i] == id) places.push_back(static_cast<int>(i));
  List<AxisId> loops = stage.loops;
  for (std::size_t i = 0; i < places.size(); ++i) loops[static_cast<std::size_t>(places[i])] = step.axes[i];
  ragged::require_order(state, step, stage, loops);
  mark_scheduled(state, stage);
  stage.loops = std::move(loops);
}

}  // namespace lathe::inline LATHE_ABI::scheduling
