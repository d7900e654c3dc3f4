// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// partition_loops: comparisons are made as hard as inner loops make them, which leaves conditions on the loop's own variable.

#include <algorithm>
#include <optional>
#include <utility>

#include "lathe/arith/checked.hpp"
#include "lathe/ir/build.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/passes/conditions.hpp"
#include "lathe/passes/partition_loops.hpp"
#include "lathe/support/hash_map.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/lists.hpp"

namespace lathe::inline LATHE_ABI::passes {

namespace loop_partitioning {

using arith::Facts;
using ir::Expr;
using ir::Stmt;

/// What a guarding select asks before it takes one of its arms for sure.
struct Guard {
  List<Expr> conditions;  ///< all of them
  bool takes_a = true;    ///< the arm taken where they hold
};

inline Guard guard_of(const ir::Select &select) {
  const auto *either = select.condition.as<ir::Binary>();
  if (either && either->op == ir::BinaryOp::logical_or) return {conjuncts(negation(select.condition)), false};
  return {conjuncts(select.condition), true};
}

inline bool contains(const List<Expr> &list, const Expr &e) {
  return lists::any_of(list, [&](const Expr &other) { return ir::equal(other, e); });
}

/// The conditions of all guarding selects within a statement, each once; and the loops and variables in it. Where masks cost
/// nothing, those in vectorized loops do not count.
class Survey {
 public:
  Survey(const Stmt &body, bool masks_are_free) : masks_are_free_(masks_are_free) { statement(body); }

  const List<Expr> &conditions() const { return conditions_; }
  const List<ir::For> &loops() const { return loops_; }  ///< outer ones before inner ones
  const NodeSet &bound() const { return bound_; }
  /// Whether a loop inside, that could be partitioned itself, has conditions in it.
  bool has_deeper() const { return has_deeper_; }
  bool has_vectors() const { return has_vectors_; }
  /// How many stores there are when all is unrolled.
  std::int64_t stores() const { return stores_; }

 private:
  void statement(const Stmt &s) {
    ir::for_each_expr(s, [&](const Expr &e) { expression(e); });
    if (s.as<ir::Store>()) stores_ = std::min(stores_ + copies_, too_many);
    if (const auto *bind = s.as<ir::Bind>()) bound_.insert(bind->var.node());
    const std::int64_t around = copies_;
    const bool vectorized = vectorized_, deeper = deeper_;
    if (const auto *loop = s.as<ir::For>()) {
      vectorized_ = vectorized_ || loop->kind == ir::LoopKind::vectorized;
      deeper_ = deeper_ || (!vectorized_ && loop->kind != ir::LoopKind::unrolled);
      bound_.insert(loop->var.node());
      loops_.push_back(*loop);
      const auto count = ir::constant_integer(loop->extent);
      if (loop->kind == ir::LoopKind::unrolled && count)
        copies_ = std::min(copies_ * std::clamp<std::int64_t>(*count, 1, too_many), too_many);
    }
    ir::for_each_stmt(s, [&](const Stmt &nested) { statement(nested); });
    copies_ = around;
    vectorized_ = vectorized;
    deeper_ = deeper;
  }

  void expression(const Expr &root) {
    if (vectorized_ && masks_are_free_) return;
    ir::walk_down(root, [&](const Expr &e) {
      if (!seen_.insert(e.node())) return false;
      const auto *select = e.as<ir::Select>();
      if (!select || !select->guards || select->condition.lanes() > 1) return true;
      for (const Expr &condition : guard_of(*select).conditions)
        if (ir::is_pure_scalar(condition) && !contains(conditions_, condition)) conditions_.push_back(condition);
      has_deeper_ = has_deeper_ || deeper_;
      has_vectors_ = has_vectors_ || vectorized_;
      return true;
    });
  }

  static constexpr std::int64_t too_many = most_partitioned_stores + 1;  // counting ends here

  List<Expr> conditions_;
  List<ir::For> loops_;
  NodeSet bound_, seen_;
  std::int64_t stores_ = 0, copies_ = 1;
  bool masks_are_free_, has_deeper_ = false, has_vectors_ = false;
  bool vectorized_ = false, deeper_ = false;  // about the statement that is looked at
};

/// `condition` for those values of the variables of `loops` that make it hardest, or undefined.
inline Expr hardest(Expr condition, const List<ir::For> &loops) {
  for (std::size_t l = loops.size(); l-- > 0;) {
    const ir::For &loop = loops[l];
    if (!ir::uses(condition, loop.var)) continue;
    const auto bound = inequality_in(condition, loop.var);
    if (!bound) return {};
    const Expr value = bound->coefficient > 0 ? loop.min + loop.extent - 1 : loop.min;
    condition = ir::substitute(condition, {{loop.var, value}});
  }
  return condition;
}

/// Iterations in [first, end) of a loop with constant ends.
struct Range {
  std::int64_t first, end;
};

/// The part of `range` in which `condition`, an inequality with a constant rest, holds.
inline Range cut(Range range, const Inequality &condition) {
  const std::int64_t rest = condition.rest.constant, k = condition.coefficient;
  // k·v + rest < 0
  if (k > 0) return {range.first, std::min(range.end, arith::floor_div(-rest + k - 1, k))};
  return {std::max(range.first, arith::floor_div(rest, -k) + 1), range.end};
}

/// The conditions that hold in the steady iterations of a loop, and what says that an iteration is one.
struct Steady {
  List<Expr> hold;
  Expr when;        ///< undefined if there is nothing to be gained
  bool all = true;  ///< no condition was left out because it would hold too rarely
};

/// `s` without asking `hold`, which hold.
inline Stmt without(const Stmt &s, const List<Expr> &hold) {
  return ir::rewrite_exprs(s, [&](const Expr &e) -> Expr {
    const auto *select = e.as<ir::Select>();
    if (!select || !select->guards || select->condition.lanes() > 1) return e;
    const Guard guard = guard_of(*select);
    List<Expr> left;
    for (const Expr &condition : guard.conditions)
      if (!contains(hold, condition)) left.push_back(condition);
    if (left.size() == guard.conditions.size()) return e;
    if (left.empty()) return guard.takes_a ? select->a : select->b;
    return guard.takes_a ? ir::select(conjunction(left), select->a, select->b, true)
                         : ir::select(conjunction(left), select->b, select->a, true);
  });
}

class Partitioner {
 public:
  Partitioner(BufferSet stored, bool masks_are_free) : stored_(std::move(stored)), masks_are_free_(masks_are_free) {}

  Stmt visit(const Stmt &s, const Facts &facts) {
    const auto *loop = s.as<ir::For>();
    if (!loop) return descend(s, facts);
    if (loop->kind == ir::LoopKind::vectorized) return s;
    Facts inner = facts;
    if (is_stable(loop->min, stored_) && is_stable(loop->extent, stored_)) inner.bind(loop->var, loop->min, loop->extent);
    if (loop->kind == ir::LoopKind::unrolled) return descend(s, inner);
    return visit_loop(s, *loop, inner);
  }

 private:
  Stmt descend(const Stmt &s, const Facts &facts) {
    return ir::map_children(s, [](const Expr &e) { return e; }, [&](const Stmt &nested) { return visit(nested, facts); });
  }

  Stmt visit_loop(const Stmt &s, const ir::For &loop, const Facts &inner) {
    const Survey survey(loop.body, masks_are_free_);
    if (survey.conditions().empty()) return s;
    const Steady steady = steady_part(loop, survey, inner);
    if (survey.has_deeper() && !steady.all) return descend(s, inner);
    // A single store is not worth a branch that asks almost what its select asks.
    const bool worth = steady.when.defined() && (survey.stores() > 1 || survey.has_vectors());
    if (!worth || made_ + survey.stores() > most_partitioned_stores) return s;
    made_ += survey.stores();
    Stmt guarded = ir::with_fresh_buffers(loop.body);
    return ir::make(ir::For{loop.var, loop.min, loop.extent, loop.kind,
                            ir::make(ir::If{steady.when, without(loop.body, steady.hold), std::move(guarded)})});
  }

  Steady steady_part(const ir::For &loop, const Survey &survey, const Facts &inner) const {
    Steady steady;
    const auto min = ir::constant_integer(loop.min), extent = ir::constant_integer(loop.extent);
    Range range{min.value_or(0), min.value_or(0) + extent.value_or(0)};
    for (const Expr &condition : survey.conditions()) {
      Expr hard = hardest(condition, survey.loops());
      if (!hard.defined() || names_inner(hard, survey.bound())) continue;
      hard = inner.simplify(hard);
      const auto bound = inequality_in(hard, loop.var);
      if (!bound && ir::uses(hard, loop.var)) continue;
      bool often = !ir::is_false(hard);
      if (bound && min && extent && bound->rest.terms.empty()) {
        const Range part = cut(range, *bound);
        often = 2 * (part.end - part.first) >= *extent;
        if (often) range = part;
      }
      steady.all = steady.all && often;
      if (!often) continue;
      steady.hold.push_back(condition);
      if (!ir::is_true(hard)) steady.when = ir::both(steady.when, hard);
    }
    if (steady.when.defined() && ir::is_false(inner.simplify(steady.when))) return {{}, {}, false};
    return steady;
  }

  static bool names_inner(const Expr &e, const NodeSet &bound) {
    bool found = false;
    for (const ir::Var &var : ir::free_vars(e)) found = found || bound.contains(var.node());
    return found;
  }

  BufferSet stored_;
  bool masks_are_free_;
  std::int64_t made_ = 0;  // stores
};

}  // namespace loop_partitioning

LATHE_INLINE ir::Stmt partition_loops(const ir::Stmt &s, const PassContext &context) {
  const bool masks_are_free = context.target.has("avx512f");
  return loop_partitioning::Partitioner(stored_buffers(s), masks_are_free).visit(s, context.facts);
}

}  // namespace lathe::inline LATHE_ABI::passes
