// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// unroll_loops: outer loops first, since the extents of inner ones may depend on their variables.

#include <string>
#include <utility>

#include "lathe/ir/print.hpp"
#include "lathe/passes/conditions.hpp"
#include "lathe/passes/unroll_loops.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::passes {

namespace loop_unrolling {

using arith::Facts;
using ir::Expr;
using ir::Stmt;

/// a * b, at most a bound that no cap reaches.
inline std::int64_t product(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  return a != 0 && b > most / a ? most : a * b;
}

class Unroller {
 public:
  explicit Unroller(BufferSet stored) : stored_(std::move(stored)) {}

  Stmt visit(const Stmt &s, const Facts &facts) {
    switch (s.node()->kind()) {
      case ir::StmtKind::loop: return visit_loop(s, *s.as<ir::For>(), facts);
      case ir::StmtKind::branch: return visit_if(s, *s.as<ir::If>(), facts);
      case ir::StmtKind::block: return visit_block(s, s.as<ir::Block>()->label, facts);
      default: return descend(s, facts);
    }
  }

 private:
  Stmt descend(const Stmt &s, const Facts &facts) {
    return ir::map_children(s, [](const Expr &e) { return e; }, [&](const Stmt &nested) { return visit(nested, facts); });
  }

  Stmt visit_block(const Stmt &s, const std::string &label, const Facts &facts) {
    std::string outer = stage_;
    if (!label.empty()) stage_ = label;
    Stmt result = descend(s, facts);
    stage_ = std::move(outer);
    return result;
  }

  Stmt visit_loop(const Stmt &s, const ir::For &loop, const Facts &facts) {
    if (loop.kind == ir::LoopKind::unrolled) return visit_unrolled(loop, facts);
    Facts inner = facts;
    if (is_stable(loop.min, stored_) && is_stable(loop.extent, stored_)) inner.bind(loop.var, loop.min, loop.extent);
    return descend(s, inner);
  }

  Stmt visit_if(const Stmt &s, const ir::If &branch, const Facts &facts) {
    const Expr condition = depth_ > 0 ? facts.simplify(branch.condition) : branch.condition;
    if (ir::is_true(condition)) return visit(branch.then_body, facts);
    if (ir::is_false(condition)) return branch.else_body.defined() ? visit(branch.else_body, facts) : ir::make(ir::Block{});
    if (!is_stable(condition, stored_)) return descend(s, facts);
    Facts yes = facts, no = facts;
    yes.assume(condition);
    no.assume(negation(condition));
    Stmt otherwise = branch.else_body.defined() ? visit(branch.else_body, no) : Stmt();
    return ir::make(ir::If{condition, visit(branch.then_body, yes), std::move(otherwise)});
  }

  Stmt visit_unrolled(const ir::For &loop, const Facts &facts) {
    const Expr min = facts.simplify(loop.min), extent = facts.simplify(loop.extent);
    const auto count = ir::constant_integer(extent);
    if (!count)
      refuse_loop("L064", loop.var.name(), stage_, {"unrolled, but its extent ", ir::to_string(extent), " is not constant"},
                  "split it by a constant factor and unroll the inner loop");
    if (depth_ == 0) charge(loop, facts);
    ++depth_;
    Stmt result = repeat(loop, min, *count, facts);
    --depth_;
    return result;
  }

  /// Counts the statements of an outermost unrolled loop towards the cap.
  void charge(const ir::For &loop, const Facts &facts) {
    const std::int64_t here = size_of(ir::make(loop), facts);
    total_ += here;
    if (total_ > most_unrolled_statements)
      refuse_loop("L065", loop.var.name(), stage_,
                  {"unrolled, which gives ", here, " statements, in all ", total_, "; at most ", most_unrolled_statements,
                   " are allowed"},
                  {"unroll fewer loops, or split ", loop.var.name(), " and unroll a smaller inner loop"});
  }

  /// Statements that do something after unrolling; an extent that depends on other variables counts as its upper bound.
  std::int64_t size_of(const Stmt &s, const Facts &facts) const {
    std::int64_t nested = 0;
    const auto *loop = s.as<ir::For>();
    Facts inner = facts;
    if (loop && is_stable(loop->min, stored_) && is_stable(loop->extent, stored_)) inner.bind(loop->var, loop->min, loop->extent);
    ir::for_each_stmt(s, [&](const Stmt &each) { nested += size_of(each, inner); });
    if (loop && loop->kind == ir::LoopKind::unrolled) {
      const std::int64_t most = facts.bounds(loop->extent).max;
      return most <= 0 ? 0 : product(nested, most);
    }
    const bool acts = s.as<ir::Store>() || s.as<ir::Check>() || s.as<ir::Evaluate>() || s.as<ir::Prefetch>();
    return nested + (acts ? 1 : 0);
  }

  /// The condition under which every iteration's `condition` holds, or undefined.
  Expr condition_of_all(const ir::For &loop, const ir::If &branch, const Expr &min, std::int64_t count) const {
    if (branch.else_body.defined()) return {};
    Expr all;
    for (const Expr &each : conjuncts(branch.condition)) {
      if (!ir::is_pure_scalar(each)) return {};
      if (!ir::uses(each, loop.var)) {
        all = ir::both(all, each);
        continue;
      }
      const auto bound = inequality_in(each, loop.var);
      if (!bound) return {};
      const Expr hardest = bound->coefficient > 0 ? min + (count - 1) : min;
      all = ir::both(all, ir::substitute(each, {{loop.var, hardest}}));
    }
    return all;
  }

  Stmt repeat(const ir::For &loop, const Expr &min, std::int64_t count, const Facts &facts) {
    const auto *branch = loop.body.as<ir::If>();
    Expr all = branch && count > 1 ? condition_of_all(loop, *branch, min, count) : Expr();
    if (!all.defined()) return copies(loop.var, loop.body, min, count, facts);
    all = facts.simplify(all);
    if (ir::is_true(all)) return copies(loop.var, branch->then_body, min, count, facts);
    if (ir::is_false(all)) return copies(loop.var, loop.body, min, count, facts);
    Facts yes = facts;
    yes.assume(all);
    Stmt steady = copies(loop.var, branch->then_body, min, count, yes);
    return ir::make(ir::If{all, std::move(steady), copies(loop.var, loop.body, min, count, facts)});
  }

  Stmt copies(const ir::Var &var, const Stmt &body, const Expr &min, std::int64_t count, const Facts &facts) {
    List<Stmt> list;
    for (std::int64_t i = 0; i < count; ++i) list.push_back(visit(ir::substitute(body, {{var, min + i}}), facts));
    return ir::block(std::move(list));
  }

  BufferSet stored_;
  std::int64_t total_ = 0;
  int depth_ = 0;      // of unrolled loops around
  std::string stage_;  // that the statement belongs to
};

}  // namespace loop_unrolling

LATHE_INLINE ir::Stmt unroll_loops(const ir::Stmt &s, const PassContext &context) {
  return loop_unrolling::Unroller(stored_buffers(s)).visit(s, context.facts);
}

}  // namespace lathe::inline LATHE_ABI::passes
