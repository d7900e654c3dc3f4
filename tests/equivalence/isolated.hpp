// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Running cases in a process of their own, so that a crash or an endless loop of generated code names its case.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "equivalence/check.hpp"

namespace equivalence {

/// What a process of cases reports.
struct Report {
  std::int64_t cases = 0, unusable = 0, refused_draws = 0;
  Tally tally;
  std::vector<std::pair<std::uint64_t, Outcome>> failures;
  bool finished = true;  ///< false: it died, and the last failure says at which case
};

/// Cases `first` … `first + count - 1` of a seed in one process. Stops at the first failure unless told to go on.
Report run_cases(std::uint64_t seed, std::int64_t first, std::int64_t count, bool go_on);

/// One case in a process of its own.
Outcome run_isolated(const Case &tested);

/// A smaller case that fails in the same way. All in one process of its own, unless that dies.
Case shrink_isolated(const Case &failing, const std::string &kind);

/// The seed of the n-th case.
std::uint64_t case_seed(std::uint64_t seed, std::int64_t number);

}  // namespace equivalence
