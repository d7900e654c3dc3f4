// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Which stages depend on constants alone: they are computed once, when the kernel is made.

#include "lathe/ir/build.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/lower/plan.hpp"
#include "lathe/support/hash_map.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/lists.hpp"

namespace lathe::inline LATHE_ABI::lowering {

namespace constant_stages {

/// Whether nothing but the stage's own axes and tensors among `constants` decides the value of `e`.
inline bool is_constant(const ir::Expr &e, const NodeSet &axes, const NodeSet &constants) {
  bool constant = true;
  ir::walk(e, [&](const ir::Expr &node) {
    if (const auto *read = node.as<ir::Read>()) constant = constant && constants.contains(read->tensor.operation.get());
    if (const auto *var = node.as<ir::VarRef>()) constant = constant && axes.contains(var->var.node());
    if (const auto *call = node.as<ir::Call>()) constant = constant && call->function.pure;
  });
  return constant;
}

inline bool is_constant(const Plan &plan, const NodeSet &constants) {
  const auto sized = [](const List<ir::Expr> &integers) {
    return lists::all_of(integers, [](const ir::Expr &e) { return ir::constant_integer(e).has_value(); });
  };
  // The region that a reader never reached may have negative extents.
  for (const ir::Expr &extent : plan.extent)
    if (ir::constant_integer(extent).value_or(0) < 0) return false;
  // What is stored past the caches wants aligned memory, which the kernel's own is.
  const bool has_memory = plan.parent >= 0 || (sized(plan.min) && sized(plan.extent) && plan.stage->streamed_by < 0);
  // A guard may ask whether a point lies in the tensor, so that its shape is constant too.
  if (plan.stage->output || !plan.checks.empty() || !has_memory || !sized(plan.operation()->shape)) return false;
  NodeSet axes;
  for (const ir::Var &axis : plan.operation()->axes) axes.insert(axis.node());
  if (const ir::Reduce *reduce = plan.reduction()) {
    for (const ir::Axis &axis : reduce->axes) axes.insert(axis.var.node());
    for (const List<ir::Var> *vars : {&reduce->reducer->lhs, &reduce->reducer->rhs})
      for (const ir::Var &var : *vars) axes.insert(var.node());
  }
  return lists::all_of(plan.bodies, [&](const ir::Expr &body) { return is_constant(body, axes, constants); });
}

}  // namespace constant_stages

/// Marks the stages that are computed once: at root, with what is computed inside them.
inline void find_constant_stages(Plans &plans) {
  NodeSet constants;
  for (const auto &[operation, buffers] : plans.arguments)
    if (operation->kind == ir::OperationKind::constant) constants.insert(operation.get());
  if (constants.empty()) return;
  for (Plan &plan : plans.plans)
    if (constant_stages::is_constant(plan, constants)) {
      constants.insert(plan.stage->key.get());
      plan.once = true;
    }
  // Consumers first, so that what is inside a stage follows it.
  for (std::size_t p = plans.plans.size(); p-- > 0;)
    if (Plan &plan = plans.plans[p]; plan.parent >= 0) plan.once = plans.plans[static_cast<std::size_t>(plan.parent)].once;
}

}  // namespace lathe::inline LATHE_ABI::lowering
