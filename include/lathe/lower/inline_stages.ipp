// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Which stages vanish into their readers, and their substitution.

#include "lathe/ir/build.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/lower/plan.hpp"
#include "lathe/support/hash_map.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::lowering {

namespace inlining {

using scheduling::Attachment;
using scheduling::StageState;

/// How often, and where, a stage is read.
struct Uses {
  int sites = 0;
  bool in_reduction = false;
};

inline NodeMap<Uses> count_uses(const scheduling::State &state) {
  NodeMap<Uses> uses;
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

/// Puts the bodies of inlined stages where they are read. A stage's own body is copied once per place that reads it, with its
/// final indices, and the reads in the copy are expanded in turn; so a chain of stages takes time in proportion to its length.
class Expander {
 public:
  /// Copies of bodies that a schedule may ask for, in all.
  static constexpr std::size_t most_copies = std::size_t{1} << 16;

  void add(const StageState &stage) { inlined_.emplace(stage.key.get(), &stage); }

  ir::Expr expand(const ir::Expr &root) {
    List<ir::Expr> open{root};
    while (!open.empty()) {
      const ir::Expr e = open.back();
      if (done_.contains(e.node()) || finish(e, open)) open.pop_back();
    }
    return done_.at(root.node());
  }

 private:
  /// Gives `e` its result if all that it needs has one; otherwise leaves that in `open` and returns false.
  bool finish(const ir::Expr &e, List<ir::Expr> &open) {
    if (const auto *copy = copies_.find(e.node())) {
      const auto *result = done_.find(copy->second.node());
      if (!result) return open.push_back(copy->second), false;
      return set(e, ir::Expr(result->second));
    }
    const std::size_t before = open.size();
    ir::for_each_child(e, [&](const ir::Expr &child) {
      if (!done_.contains(child.node())) open.push_back(child);
    });
    if (open.size() > before) return false;
    const ir::Expr rebuilt = ir::map_children(e, [&](const ir::Expr &child) { return done_.at(child.node()); });
    const ir::Read *read = rebuilt.as<ir::Read>();
    const auto *stage = read ? inlined_.find(read->tensor.operation.get()) : nullptr;
    if (!stage) return set(e, rebuilt);
    for (const ir::Expr &index : read->indices) set(index, index);  // expanded already
    if (copies_.size() == most_copies)
      fail("L066", {"inlining copies the bodies of stages more than ", most_copies, " times"}, stage->second->key->place,
           {{"why", "a stage is copied once for each place that reads it, and so is each that it reads in turn", {}},
            {"help", {"compute a stage between as a whole:   s[", stage->second->name(), "].compute_root();"}, {}}});
    copies_.emplace(e.node(), body_at(*stage->second, read->indices));
    return false;
  }

  bool set(const ir::Expr &e, const ir::Expr &result) {
    done_.emplace(e.node(), result);
    done_.emplace(result.node(), result);
    kept_.push_back(e);
    return true;
  }

  static ir::Expr body_at(const StageState &stage, const List<ir::Expr> &indices) {
    ir::VarMap<ir::Expr> replacements;
    for (std::size_t i = 0; i < indices.size(); ++i) replacements.emplace(stage.operation->axes[i], indices[i]);
    return ir::substitute(stage.operation->bodies.front(), replacements);
  }

  NodeMap<const StageState *> inlined_;
  NodeMap<ir::Expr> done_;    ///< what a node expands to
  NodeMap<ir::Expr> copies_;  ///< a read to the body that takes its place, unexpanded
  List<ir::Expr> kept_;       ///< keeps addresses in `done_` from being used again
};

}  // namespace inlining

LATHE_INLINE void inline_stages(Plans &plans) {
  const scheduling::State &state = *plans.state;
  auto uses = inlining::count_uses(state);
  inlining::Expander expander;
  NodeMap<std::size_t> planned;
  for (const scheduling::StageState &stage : state.stages) {
    if (!stage.is_compute()) continue;
    if (inlining::is_inlined(stage, uses[stage.key.get()])) {
      expander.add(stage);
      continue;
    }
    List<ir::Expr> bodies;
    for (const ir::Expr &body : stage.operation->bodies) bodies.push_back(expander.expand(body));
    const std::size_t number = plans.plans.size();
    for (const ir::Expr &body : bodies)
      ir::walk(body, [&](const ir::Expr &e) {
        const ir::Read *read = e.as<ir::Read>();
        if (!read) return;
        const auto *producer = planned.find(read->tensor.operation.get());
        if (!producer) return;
        List<std::size_t> &consumers = plans.plans[producer->second].consumers;
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
