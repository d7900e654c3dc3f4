// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Random schedules: steps are drawn without much thought, the schedule says which are legal.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "equivalence/program.hpp"
#include "equivalence/random.hpp"

namespace equivalence {

/// A schedule's steps beside the names that its original stages had, so that they survive changes of the program.
struct Steps {
  std::vector<lathe::scheduling::Step> steps;
  std::vector<std::string> names;  ///< of the stages "original n"
};

/// Whether reductions whose order matters still run in the order in which they are written.
bool keeps_order(const lathe::scheduling::State &state, const Program &program);

/// The error of lowering a schedule, if any; with all passes after it where `whole`.
using Lowers = std::function<std::optional<lathe::Diagnostic>(const lathe::Schedule &, bool whole)>;

/// How often steps were made, and refused by which code, and how often each processor was drawn. Codes of lowering are counted
/// with the step that led to them.
struct Tally {
  std::map<std::string, std::int64_t> made, refused, targets;
};

/// Codes by which lowering may refuse what each step's call allowed: what only inferred extents and other stages decide.
/// "slow": it would run for minutes; "unmet": it requires what the case's sizes do not fulfil. L031: the inferred extent is not
/// divisible; L032: a streamed stage has no lanes (yet); L001: another reader is outside the loop; L004: a ragged extent would
/// come before the loop it depends on; L033: a loop in which something is prefetched runs once, or what is read moved; L034: what
/// is shared would be overwritten; L007: start values would be needed before they are computed; L062, L064: the inferred
/// extent is not constant.
bool may_refuse(const std::string &code);

/// Draws about `count` steps onto `schedule`. A step that lowering refuses for one of those reasons is taken back; any other
/// refusal by lowering is returned.
std::optional<lathe::Diagnostic> draw_schedule(lathe::Schedule &schedule, const Program &program, Random &random, int count,
                                               const Lowers &lowers, Tally &tally);

Steps steps_of(const lathe::Schedule &schedule);
/// Applies those of the steps that (still) fit, renumbered; steps that name what a missing one made are left out as well.
void replay_steps(lathe::Schedule &schedule, const Program &program, const Steps &steps);

}  // namespace equivalence
