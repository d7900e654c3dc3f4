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
/// inner extent is never larger than the whole.

#include "lathe/schedule/legality.hpp"

namespace lathe::inline LATHE_ABI::scheduling {

LATHE_INLINE void apply_split(State &state, const Step &step) {
  StageState &stage = require_stage(state, step);
  const AxisState axis = require_loop(state, step, stage, step.axes.at(0), "split");
  const std::int64_t factor = step.numbers.at(0);
  if (factor <= 0)
    refuse(state, step, "S001",
           "axis " + axis.name + " of " + stage.name() + " cannot be split " +
               (step.numbers.size() > 1 && step.numbers[1] ? "into " + std::to_string(factor) + " parts"
                                                           : "by " + std::to_string(factor)),
           {{"why",
             step.numbers.size() > 1 && step.numbers[1] ? "there is at least 1 part"
                                                        : "a factor counts iterations, so it is at least 1",
             {}},
            {"help", "split by 2 or more, or leave the split out", {}}},
           axis.name);
  if (axis.kind_set_by >= 0) {
    const Step &by = *state.steps[static_cast<std::size_t>(axis.kind_set_by)];
    refuse(state, step, "S014",
           "axis " + axis.name + " of " + stage.name() + " is marked by " + std::string(name_of(by.primitive)) +
               " and cannot be split any more",
           {{"why", "which part would inherit the mark is not said", {}},
            {"", to_cpp(state, by), by.place},
            {"help", "split first, then mark a part", {}}},
           axis.name);
  }
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
                             step.numbers.size() > 1 && step.numbers[1] == 1});
  const auto at = stage.loops.begin() + stage.position(axis.id);
  *at = {number, 1};
  stage.loops.insert(at, {number, 0});
}

}  // namespace lathe::inline LATHE_ABI::scheduling
