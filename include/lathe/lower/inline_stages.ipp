// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Which stages vanish into their readers, and their substitution.

#include <unordered_map>

#include "lathe/ir/build.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/lower/plan.hpp"

namespace lathe::inline LATHE_ABI::lowering {

namespace inlining {

using scheduling::Attachment;
using scheduling::StageState;

/// How often, and where, a stage is read.
struct Uses {
  int sites = 0;
  bool in_reduction = false;
};

inline std::unordered_map<const ir::OperationNode *, Uses> count_uses(const scheduling::State &state) {
  std::unordered_map<const ir::OperationNode *, Uses> uses;
  for (const StageState &stage : state.stages)
    for (const ir::Expr &body : stage.operation->bodies) {
      const bool reducing = body.as<ir::Reduce>() != nullptr;
      ir::walk(body, [&](const ir::Expr &e) {
        if (const ir::Read *read = e.as<ir::Read>()) {
          Uses &of = uses[read->tensor.operation.get()];
          of.sites += 1;
          of.in_reduction |= reducing;
        }
      });
    }
  return uses;
}

inline bool is_inlined(const StageState &stage, const Uses &uses) {
  if (!stage.is_compute() || stage.output) return false;
  if (stage.attachment.kind == Attachment::Kind::inlined) return true;
  return stage.attachment.kind == Attachment::Kind::automatic && uses.sites == 1 && !uses.in_reduction &&
         !stage.operation->reduction() && stage.operation->bodies.size() == 1;
}

/// The body of an inlined stage at given indices. Only what depends on the axes is copied.
inline ir::Expr body_at(const StageState &stage, const ir::Expr &body, const std::vector<ir::Expr> &indices) {
  ir::VarMap<ir::Expr> replacements;
  for (std::size_t i = 0; i < indices.size(); ++i) replacements.emplace(stage.operation->axes[i], indices[i]);
  return ir::substitute(body, replacements);
}

}  // namespace inlining

LATHE_INLINE void inline_stages(Plans &plans) {
  const scheduling::State &state = *plans.state;
  auto uses = inlining::count_uses(state);
  struct Inlined {
    const scheduling::StageState *stage;
    ir::Expr body;
  };
  std::unordered_map<const ir::OperationNode *, Inlined> inlined;
  std::unordered_map<const ir::OperationNode *, std::size_t> planned;
  for (const scheduling::StageState &stage : state.stages) {
    if (!stage.is_compute()) continue;
    std::vector<ir::Expr> bodies;
    for (const ir::Expr &body : stage.operation->bodies)
      bodies.push_back(ir::rewrite(body, [&](const ir::Expr &e) -> ir::Expr {
        const ir::Read *read = e.as<ir::Read>();
        if (!read) return e;
        const auto found = inlined.find(read->tensor.operation.get());
        return found == inlined.end() ? e : inlining::body_at(*found->second.stage, found->second.body, read->indices);
      }));
    if (inlining::is_inlined(stage, uses[stage.key.get()])) {
      inlined.emplace(stage.key.get(), Inlined{&stage, bodies.front()});
      continue;
    }
    const std::size_t number = plans.plans.size();
    for (const ir::Expr &body : bodies)
      ir::walk(body, [&](const ir::Expr &e) {
        const ir::Read *read = e.as<ir::Read>();
        if (!read) return;
        const auto producer = planned.find(read->tensor.operation.get());
        if (producer == planned.end()) return;
        std::vector<std::size_t> &consumers = plans.plans[producer->second].consumers;
        if (consumers.empty() || consumers.back() != number) consumers.push_back(number);
      });
    planned.emplace(stage.key.get(), number);
    Plan plan;
    plan.stage = &stage;
    plan.bodies = std::move(bodies);
    plans.plans.push_back(std::move(plan));
  }
}

}  // namespace lathe::inline LATHE_ABI::lowering
