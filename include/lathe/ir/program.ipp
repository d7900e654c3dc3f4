// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The checks of a function.

#include "lathe/ir/operation.hpp"
#include "lathe/ir/program.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/lists.hpp"

namespace lathe::inline LATHE_ABI::ir {

LATHE_INLINE Location Program::place_of(const std::string &stage) const {
  Location place;
  for (const StagePlace &each : stages) {
    if (each.name != stage) continue;
    if (place) return {};
    place = each.place;
  }
  return place;
}

LATHE_INLINE List<Check> checks_of(const Function &function) {
  List<Check> checks;
  walk_down(function.body, [&](const Stmt &s) {
    const auto *check = s.as<Check>();
    if (check && lists::none_of(checks, [&](const Check &c) { return same_check(c, *check); })) checks.push_back(*check);
    return true;
  });
  return checks;
}

LATHE_INLINE bool same_check(const Check &a, const Check &b) { return a.message == b.message && equal(a.condition, b.condition); }

}  // namespace lathe::inline LATHE_ABI::ir
