// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// What lowering decided that no step said, and what it computes beyond need.

#include <algorithm>

#include "lathe/ir/print.hpp"
#include "lathe/lower/plan.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::lowering {

namespace reporting {

/// Product of constant extents, or nothing.
inline std::optional<double> volume(const List<ir::Expr> &extents) {
  double product = 1;
  for (const ir::Expr &extent : extents) {
    const std::optional<std::int64_t> known = ir::constant_integer(extent);
    if (!known) return std::nullopt;
    product *= static_cast<double>(*known);
  }
  return product;
}

/// How many times the place of computation is reached.
inline std::optional<double> visits(const Plans &plans, const Plan &plan) {
  double product = 1;
  for (int parent = plan.parent, level = plan.level; parent >= 0;) {
    const Plan &around = plans.plans[static_cast<std::size_t>(parent)];
    for (int l = level; l >= 0; --l) {
      const std::optional<std::int64_t> extent = ir::constant_integer(around.loops[static_cast<std::size_t>(l)].extent);
      if (!extent) return std::nullopt;
      product *= static_cast<double>(*extent);
    }
    level = around.level;
    parent = around.parent;
  }
  return product;
}

inline std::string count_text(double count) { return ir::to_string(ir::Expr(static_cast<std::int64_t>(std::min(count, 9e18)))); }

inline std::string factor_text(double factor) {
  std::string text = std::to_string(factor);
  return text.substr(0, text.find('.') + 3);
}

}  // namespace reporting

LATHE_INLINE std::string region_report(const Plans &plans) {
  std::string report;
  for (const scheduling::StageState &stage : plans.state->stages)
    if (stage.is_compute() && !plans.find(stage.key) && stage.attachment.kind == scheduling::Attachment::Kind::automatic)
      report += composed({"# ", stage.name(), " is inlined: read at one place, not scheduled\n"});
  for (const Plan &plan : plans.plans) {
    if (plan.parent < 0) continue;
    const auto region = reporting::volume(plan.extent), whole = reporting::volume(plan.operation()->shape),
               times = reporting::visits(plans, plan);
    if (!region || !whole || !times || *region * *times <= *whole) continue;
    report += composed({"# ", plan.stage->name(), " computes ", reporting::count_text(*region * *times), " elements where ",
                        reporting::count_text(*whole), " are needed (", reporting::factor_text(*region * *times / *whole),
                        " times)\n"});
  }
  return report;
}

}  // namespace lathe::inline LATHE_ABI::lowering
