// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Independence of a loop's iterations, from the linear forms of indices.

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "lathe/passes/conditions.hpp"
#include "lathe/passes/independent_lanes.hpp"
#include "lathe/support/hash_map.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/lists.hpp"

namespace lathe::inline LATHE_ABI::passes {

namespace lane_independence {

using arith::Facts;
using ir::Expr;
using ir::Stmt;

/// An index as coefficient * var + outer + something in [low, high].
struct Dimension {
  std::int64_t coefficient = 0;
  Expr outer;  // the same in all iterations of the loop and of loops inside it
  std::int64_t low = 0, high = 0;
};

struct Access {
  ir::Buffer buffer;
  List<Expr> indices;
  List<std::optional<Dimension>> dimensions;
  bool store = false;
  bool repeated = false;  // inside an inner loop
};

class Collector {
 public:
  Collector(const ir::For &loop, int lanes, const Facts &facts)
      : var_(loop.var), min_(loop.min), lanes_(lanes), stored_(stored_buffers(loop.body)), outside_(facts) {
    outside_.bind(var_, min_, lanes);
    statement(loop.body, outside_, false);
  }

  bool independent() const {
    if (effects_) return false;
    for (std::size_t i = 0; i < accesses_.size(); ++i) {
      if (!accesses_[i].store) continue;
      List<const Access *> same;
      for (const Access &a : accesses_)
        if (a.buffer == accesses_[i].buffer) same.push_back(&a);
      if (!(in_order(same) || apart(same) || distinct(same))) return false;
    }
    return true;
  }

 private:
  void statement(const Stmt &s, const Facts &facts, bool repeated);
  void expression(const Expr &root, const Facts &facts, bool repeated);
  void access(const ir::Buffer &buffer, const List<Expr> &indices, bool store, const Facts &facts, bool repeated);
  std::optional<Dimension> dimension(const Expr &index, const Facts &facts) const;
  bool mentions(const Expr &e, const NodeSet &vars) const;

  bool in_order(const List<const Access *> &same) const;
  bool apart(const List<const Access *> &same) const;
  bool apart_in(const List<const Access *> &same, std::size_t d) const;
  bool distinct(const List<const Access *> &same) const;

  ir::Var var_;
  Expr min_;
  int lanes_;
  BufferSet stored_, own_;
  Facts outside_;
  NodeSet inner_;   // of loops inside
  NodeSet opaque_;  // bound inside to what is not followed
  List<Access> accesses_;
  bool effects_ = false;
};

LATHE_INLINE bool Collector::mentions(const Expr &e, const NodeSet &vars) const {
  if (vars.empty()) return false;
  bool found = false;
  ir::walk_down(e, [&](const Expr &node) {
    const auto *reference = node.as<ir::VarRef>();
    found = found || (reference && vars.contains(reference->var.node()));
    return !found;
  });
  return found;
}

LATHE_INLINE std::optional<Dimension> Collector::dimension(const Expr &index, const Facts &facts) const {
  Dimension result;
  arith::Linear outer, inner;
  inner.constant = arith::linear_form(index).constant;
  for (const arith::Linear::Term &term : arith::linear_form(index).terms) {
    const auto *reference = term.atom.as<ir::VarRef>();
    if (reference && reference->var == var_) {
      result.coefficient = term.coefficient;
      continue;
    }
    if (ir::uses(term.atom, var_) || mentions(term.atom, opaque_) || !is_stable(term.atom, stored_)) return std::nullopt;
    (mentions(term.atom, inner_) ? inner : outer).terms.push_back(term);
  }
  const arith::Bounds range = facts.bounds(arith::from_linear(inner));
  if (range.min == arith::Bounds::unbounded_below || range.max == arith::Bounds::unbounded_above) return std::nullopt;
  result.outer = arith::from_linear(outer);
  result.low = range.min;
  result.high = range.max;
  return result;
}

LATHE_INLINE void Collector::access(const ir::Buffer &buffer, const List<Expr> &indices, bool store, const Facts &facts,
                                    bool repeated) {
  if (own_.contains(buffer.node()) || !stored_.contains(buffer.node())) return;
  Access a{buffer, {}, {}, store, repeated};
  for (const Expr &index : indices) {
    a.indices.push_back(facts.simplify(index));
    a.dimensions.push_back(dimension(a.indices.back(), facts));
  }
  accesses_.push_back(std::move(a));
}

LATHE_INLINE void Collector::expression(const Expr &root, const Facts &facts, bool repeated) {
  ir::walk(root, [&](const Expr &e) {
    if (const auto *load = e.as<ir::Load>()) access(load->buffer, load->indices, false, facts, repeated);
    if (const auto *call = e.as<ir::Call>()) effects_ = effects_ || !call->function.pure;
  });
}

LATHE_INLINE void Collector::statement(const Stmt &s, const Facts &facts, bool repeated) {
  ir::for_each_expr(s, [&](const Expr &e) { expression(e, facts, repeated); });
  if (const auto *store = s.as<ir::Store>()) access(store->buffer, store->indices, true, facts, repeated);
  if (const auto *allocate = s.as<ir::Allocate>())
    for (const ir::Buffer &buffer : allocate->buffers) own_.insert(buffer.node());
  if (const auto *bind = s.as<ir::Bind>()) {
    if (ir::is_pure_scalar(bind->value))
      return statement(ir::substitute(bind->body, {{bind->var, bind->value}}), facts, repeated);
    opaque_.insert(bind->var.node());
  }
  Facts inner = facts;
  const auto *loop = s.as<ir::For>();
  if (loop) {
    inner_.insert(loop->var.node());
    if (is_stable(loop->min, stored_) && is_stable(loop->extent, stored_)) inner.bind(loop->var, loop->min, loop->extent);
  }
  ir::for_each_stmt(s, [&](const Stmt &nested) { statement(nested, inner, repeated || loop); });
}

/// One store, once for each iteration: a vector store writes its lanes in order.
LATHE_INLINE bool Collector::in_order(const List<const Access *> &same) const {
  if (same.size() != 1 || same.front()->repeated) return false;
  const auto &indices = same.front()->indices;
  return lists::any_of(indices, [&](const Expr &e) { return ir::uses(e, var_); });
}

LATHE_INLINE bool Collector::apart_in(const List<const Access *> &same, std::size_t d) const {
  std::int64_t low = 0, high = 0;
  const std::optional<Dimension> &first = same.front()->dimensions[d];
  if (!first || first->coefficient == 0) return false;
  for (const Access *a : same) {
    const std::optional<Dimension> &each = a->dimensions[d];
    if (!each || each->coefficient != first->coefficient || !ir::equal(each->outer, first->outer)) return false;
    low = a == same.front() ? each->low : std::min(low, each->low);
    high = a == same.front() ? each->high : std::max(high, each->high);
  }
  return high - low < std::abs(first->coefficient);
}

LATHE_INLINE bool Collector::apart(const List<const Access *> &same) const {
  for (std::size_t d = 0; d < same.front()->dimensions.size(); ++d)
    if (apart_in(same, d)) return true;
  return false;
}

/// All accesses have the same indices, and these are known to differ between any two iterations.
LATHE_INLINE bool Collector::distinct(const List<const Access *> &same) const {
  constexpr int most = 64;
  const List<Expr> &indices = same.front()->indices;
  if (lanes_ > most) return false;
  for (const Access *a : same)
    for (std::size_t d = 0; d < indices.size(); ++d)
      if (!ir::equal(a->indices[d], indices[d]) || mentions(indices[d], inner_) || mentions(indices[d], opaque_) ||
          !is_stable(indices[d], stored_))
        return false;
  List<List<arith::Linear>> elements;
  for (int lane = 0; lane < lanes_; ++lane) {
    List<arith::Linear> element;
    for (const Expr &e : indices)
      element.push_back(arith::linear_form(outside_.simplify(ir::substitute(e, {{var_, min_ + lane}}))));
    for (const auto &other : elements) {
      const auto differs = [](const arith::Linear &a, const arith::Linear &b) {
        const arith::Linear d = arith::linear_form(arith::from_linear(a) - arith::from_linear(b));
        return d.terms.empty() && d.constant != 0;
      };
      bool apart = false;
      for (std::size_t d = 0; d < element.size(); ++d) apart = apart || differs(element[d], other[d]);
      if (!apart) return false;
    }
    elements.push_back(std::move(element));
  }
  return true;
}

}  // namespace lane_independence

LATHE_INLINE bool has_independent_lanes(const ir::For &loop, int lanes, const arith::Facts &facts) {
  return lane_independence::Collector(loop, lanes, facts).independent();
}

}  // namespace lathe::inline LATHE_ABI::passes
