// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// split: one loop becomes two. With factor f and extent e:
///
///     for i in 0..e: body(i)     →     for i.outer in 0..ceil(e/f):
///                                        for i.inner in 0..f:
///                                          if i.outer*f + i.inner < e: body(i.outer*f + i.inner)
///
/// The condition is there only where it is not known to hold. By parts p, the inner extent is ceil(e/p) and the outer is p. An
/// inner extent is never larger than the whole. The tail may be said to be something else than that condition: `Tail`.

#include <algorithm>
#include <optional>

#include "lathe/ir/build.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/schedule/legality.hpp"

namespace lathe::inline LATHE_ABI::scheduling {

namespace tails {

/// The extent of an axis, where it is constant and every placement of the stage leaves it as it is.
LATHE_INLINE std::optional<std::int64_t> known_extent(const StageState &stage, AxisId id) {
  for (const Relation &relation : stage.relations)
    for (std::size_t output = 0; output < relation.to.size(); ++output) {
      if (relation.to[output] != id) continue;
      std::int64_t product = 1;
      for (const AxisId &from : relation.from) {
        const std::optional<std::int64_t> extent = known_extent(stage, from);
        if (!extent || (*extent > 0 && product > INT64_MAX / *extent)) return std::nullopt;
        product *= *extent;
      }
      if (relation.kind == Relation::Kind::fuse) return product;
      const std::int64_t few = std::max<std::int64_t>(std::min(relation.factor, product), 1);
      return (output == 0) == relation.parts ? few : product / few + (product % few != 0);
    }
  const std::size_t rank = stage.operation->axes.size(), number = static_cast<std::size_t>(id.index);
  if (number >= rank) return ir::constant_integer(stage.operation->reduction()->axes[number - rank].extent);
  return stage.output ? ir::constant_integer(stage.operation->shape[number]) : std::nullopt;
}

/// `divides` of an extent that is known.
LATHE_INLINE void require_divisible(const State &state, const Step &step, const StageState &stage, const AxisState &axis) {
  const std::optional<std::int64_t> extent = known_extent(stage, axis.id);
  const std::int64_t factor = step.numbers.at(0);
  if (!extent || *extent % factor == 0) return;
  refuse(state, step, "S031",
         {"the ", *extent, " iterations of ", axis.name, " of ", stage.name(), " are not a multiple of ", factor},
         {{"why", "tail::divides promises that nothing is left over", {}},
          {"help", {"leave the tail out, which guards it, or choose a divisor of ", *extent}, {}}},
         axis.name);
}

/// `round_up` needs a dimension of a buffer of the stage's own.
LATHE_INLINE void require_padding(const State &state, const Step &step, const StageState &stage, const AxisState &axis) {
  const auto refuse_padding = [&](const Phrase &why, const Phrase &help) {
    refuse(state, step, "S032", {"axis ", axis.name, " of ", stage.name(), " cannot be rounded up"},
           {{"why", why, {}}, {"help", help, {}}}, axis.name);
  };
  if (stage.output)
    refuse_padding({stage.name(), " is an output: its memory is the caller's and ends with its last element"},
                   {"compute its values in a stage of their own, and round that up:   auto cache = s.cache_write(", stage.name(),
                    ", scope::local);"});
  if (axis.reduction)
    refuse_padding("iterations beyond the end of a reduction would add to the elements", "leave the tail out, which guards it");
  if (axis.id.step >= 0)
    refuse_padding("it is part of what a step made, and a buffer has whole dimensions to pad",
                   "round the dimension up by the first split of it; its parts may then be split by tail::divides");
  const ir::Reduce *reduce = stage.operation->reduction();
  for (std::size_t r = 0; reduce && r < reduce->axes.size(); ++r)
    if (ir::uses(reduce->axes[r].min, axis.var) || ir::uses(reduce->axes[r].extent, axis.var))
      refuse_padding({"the range of ", reduce->axes[r].var.name(), " depends on it, and has no meaning beyond its end"},
                     "leave the tail out, which guards it");
}

}  // namespace tails

LATHE_INLINE void apply_split(State &state, const Step &step) {
  StageState &stage = require_stage(state, step);
  const AxisState axis = require_loop(state, step, stage, step.axes.at(0), "split");
  const std::int64_t factor = step.numbers.at(0);
  if (factor <= 0)
    refuse(state, step, "S001",
           {"axis ", axis.name, " of ", stage.name(), " cannot be split ",
            step.numbers.size() > 1 && step.numbers[1] ? "into " + std::to_string(factor) + " parts"
                                                       : "by " + std::to_string(factor)},
           {{"why",
             step.numbers.size() > 1 && step.numbers[1] ? "there is at least 1 part"
                                                        : "a factor counts iterations, so it is at least 1",
             {}},
            {"help", "split by 2 or more, or leave the split out", {}}},
           axis.name);
  if (axis.kind_set_by >= 0) {
    const Step &by = *state.steps[static_cast<std::size_t>(axis.kind_set_by)];
    refuse(state, step, "S014",
           {"axis ", axis.name, " of ", stage.name(), " is marked by ", name_of(by.primitive), " and cannot be split any more"},
           {{"why", "which part would inherit the mark is not said", {}},
            {"", to_cpp(state, by), by.place},
            {"help", "split first, then mark a part", {}}},
           axis.name);
  }
  if (tail_of(step) == Tail::divides) tails::require_divisible(state, step, stage, axis);
  if (tail_of(step) == Tail::round_up) tails::require_padding(state, step, stage, axis);
  mark_scheduled(state, stage);
  const int number = static_cast<int>(state.steps.size());
  const auto add = [&](int output, const char *suffix) {
    AxisState part;
    part.id = {number, output};
    part.name = fresh_axis_name(stage, axis.name + suffix);
    part.reduction = axis.reduction;
    stage.axes.push_back(part);
  };
  add(0, ".outer");
  add(1, ".inner");
  stage.find(axis.id)->consumed_by = number;
  stage.relations.push_back({Relation::Kind::split,
                             number,
                             {axis.id},
                             {{number, 0}, {number, 1}},
                             factor,
                             step.numbers.size() > 1 && step.numbers[1] == 1,
                             tail_of(step)});
  const auto at = stage.loops.begin() + stage.position(axis.id);
  *at = {number, 1};
  stage.loops.insert(at, {number, 0});
}

}  // namespace lathe::inline LATHE_ABI::scheduling
