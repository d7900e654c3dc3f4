// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// vectorize_loops: finds the loops, innermost first; make_lanes.ipp turns one into vectors.

#include <string>
#include <utility>

#include "lathe/ir/print.hpp"
#include "lathe/passes/conditions.hpp"
#include "lathe/passes/independent_lanes.hpp"
#include "lathe/passes/make_lanes.hpp"
#include "lathe/passes/vectorize_loops.hpp"

namespace lathe::inline LATHE_ABI::passes {

namespace loop_vectorizing {

using arith::Facts;
using ir::Expr;
using ir::Stmt;

LATHE_INLINE bool has_vectors(const Stmt &s) {
  bool found = false;
  ir::walk(s, [&](const Expr &e) { found = found || e.lanes() > 1; });
  return found;
}

class Vectorizer {
 public:
  Vectorizer(bool vectors, BufferSet stored) : vectors_(vectors), stored_(std::move(stored)) {}

  Stmt visit(const Stmt &s, const Facts &facts) {
    std::string outer = stage_;
    if (const auto *block = s.as<ir::Block>(); block && !block->label.empty()) stage_ = block->label;
    const auto *loop = s.as<ir::For>();
    Facts inner = facts;
    if (loop && is_stable(loop->min, stored_) && is_stable(loop->extent, stored_)) inner.bind(loop->var, loop->min, loop->extent);
    const auto *branch = s.as<ir::If>();
    Stmt result =
        branch && is_stable(branch->condition, stored_)
            ? visit_if(*branch, facts)
            : ir::map_children(s, [](const Expr &e) { return e; }, [&](const Stmt &nested) { return visit(nested, inner); });
    stage_ = std::move(outer);
    loop = result.as<ir::For>();
    return loop && loop->kind == ir::LoopKind::vectorized ? vectorized(*loop, facts) : result;
  }

 private:
  Stmt visit_if(const ir::If &branch, const Facts &facts) {
    Facts yes = facts, no = facts;
    if (branch.condition.lanes() == 1) {
      yes.assume(branch.condition);
      no.assume(negation(branch.condition));
    }
    Stmt otherwise = branch.else_body.defined() ? visit(branch.else_body, no) : Stmt();
    return ir::make(ir::If{branch.condition, visit(branch.then_body, yes), std::move(otherwise)});
  }

  Stmt vectorized(ir::For loop, const Facts &facts) const {
    ir::For serial = loop;
    serial.kind = ir::LoopKind::serial;
    if (!vectors_) return ir::make(std::move(serial));
    loop.min = facts.simplify(loop.min);
    const int lanes = lanes_of(loop, facts.simplify(loop.extent));
    if (lanes == 0) return ir::make(ir::Block{});
    if (lanes == 1 && ir::is_pure_scalar(loop.min)) return ir::substitute(loop.body, {{loop.var, loop.min}});
    if (lanes == 1 || !ir::is_pure_scalar(loop.min) || has_vectors(loop.body)) return ir::make(std::move(serial));
    if (!has_independent_lanes(loop, lanes, facts)) return ir::make(std::move(serial));
    Stmt result = make_lanes(loop, lanes, facts, stored_);
    return result.defined() ? result : ir::make(std::move(serial));
  }

  int lanes_of(const ir::For &loop, const Expr &extent) const {
    const auto count = ir::constant_integer(extent);
    if (!count)
      refuse_loop("L062", loop.var.name(), stage_, {"vectorized, but its extent ", ir::to_string(extent), " is not constant"},
                  "split it by a constant factor and vectorize the inner loop");
    if (*count > most_lanes)
      refuse_loop("L063", loop.var.name(), stage_,
                  {"vectorized, but runs ", *count, " times; at most ", most_lanes, " lanes are allowed"},
                  "split it and vectorize a smaller inner loop");
    return *count < 0 ? 0 : static_cast<int>(*count);
  }

  bool vectors_;
  BufferSet stored_;
  std::string stage_;  // that the statement belongs to
};

}  // namespace loop_vectorizing

LATHE_INLINE ir::Stmt vectorize_loops(const ir::Stmt &s, const PassContext &context) {
  return loop_vectorizing::Vectorizer(context.target.vectors, stored_buffers(s)).visit(s, context.facts);
}

}  // namespace lathe::inline LATHE_ABI::passes
