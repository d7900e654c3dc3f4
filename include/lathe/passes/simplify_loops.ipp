// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// simplify_loops: one walk down with the facts that hold, statements rebuilt on the way up.

#include <utility>

#include "lathe/passes/conditions.hpp"
#include "lathe/passes/simplify_loops.hpp"
#include "lathe/support/hash_map.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/lists.hpp"

namespace lathe::inline LATHE_ABI::passes {

namespace loop_simplifying {

using arith::Facts;
using ir::Expr;
using ir::Stmt;

inline Stmt nothing() { return ir::make(ir::Block{}); }
inline bool is_nothing(const Stmt &s) {
  const auto *b = s.as<ir::Block>();
  return !s.defined() || (b && b->body.empty());
}

/// `allocate` without the buffers that nothing loads from, and without the stores to them and prefetches. Ends the search where
/// all were met.
LATHE_INLINE Stmt without_unused(const Stmt &s) {
  const ir::Allocate &allocate = *s.as<ir::Allocate>();
  NodeSet unused, seen;
  for (const ir::Buffer &buffer : allocate.buffers) unused.insert(buffer.node());
  bool named = false;
  ir::walk_down(allocate.body, [&](const Stmt &each) {
    const auto *store = each.as<ir::Store>();
    // What a call does is not known: it happens whether its value is needed or not.
    if (store && !is_stable(store->value, {})) unused.erase(store->buffer.node());
    const auto *prefetch = each.as<ir::Prefetch>();
    named = named || (store && unused.contains(store->buffer.node())) || (prefetch && unused.contains(prefetch->buffer.node()));
    ir::for_each_expr(each, [&](const Expr &root) {
      ir::walk_down(root, [&](const Expr &e) {
        if (const auto *load = e.as<ir::Load>()) unused.erase(load->buffer.node());
        return !unused.empty() && seen.insert(e.node());
      });
    });
    return !unused.empty();
  });
  if (unused.empty()) return s;
  List<ir::Buffer> used;
  for (const ir::Buffer &buffer : allocate.buffers)
    if (!unused.contains(buffer.node())) used.push_back(buffer);
  Stmt body = allocate.body;
  if (named)
    body = ir::rewrite_stmts(body, [&](const Stmt &each) {
      const auto *store = each.as<ir::Store>();
      const auto *prefetch = each.as<ir::Prefetch>();
      const ir::Buffer *buffer = store ? &store->buffer : prefetch ? &prefetch->buffer : nullptr;
      return buffer && unused.contains(buffer->node()) ? nothing() : each;
    });
  return used.empty() ? body : ir::make(ir::Allocate{std::move(used), std::move(body)});
}

class Simplifier {
 public:
  explicit Simplifier(BufferSet stored) : stored_(std::move(stored)) {}

  Stmt visit(const Stmt &s, const Facts &facts) const;

 private:
  Expr simplify(const Expr &e, const Facts &facts, int depth = 0) const;
  List<Expr> simplify(const List<Expr> &list, const Facts &facts) const;
  Expr simplify_selects(const Expr &e, const Facts &facts, int depth) const;
  Facts with(const Facts &facts, const Expr &condition) const;

  Stmt visit_loop(const ir::For &loop, const Facts &facts) const;
  Stmt place_loop(ir::For loop, const Facts &facts) const;
  Stmt take_conditions(const ir::For &loop, const ir::If &branch, const Facts &facts) const;
  bool may_leave(const Expr &condition, const ir::For &loop, const Facts &facts) const;
  Expr tightened(const ir::For &loop, const Expr &condition, const Facts &facts) const;
  Stmt split_at(const ir::For &loop, const ir::If &branch, const Facts &facts) const;
  Stmt visit_block(const ir::Block &block, const Facts &facts) const;
  Stmt join(const Stmt &a, const Stmt &b) const;
  Stmt sequence(List<Stmt> body, std::string label) const;
  Stmt visit_if(const ir::If &branch, const Facts &facts) const;
  Stmt visit_store(const Stmt &s, const ir::Store &store, const Facts &facts) const;
  Stmt visit_bind(const ir::Bind &bind, const Facts &facts) const;

  BufferSet stored_;
};

// ---- expressions
// ----------------------------------------------------------------------------------------------------------------

/// The facts in a place that runs only where `condition` holds.
LATHE_INLINE Facts Simplifier::with(const Facts &facts, const Expr &condition) const {
  Facts inner = facts;
  for (const Expr &each : conjuncts(condition))
    if (each.lanes() == 1 && is_stable(each, stored_)) inner.assume(each);
  return inner;
}

/// Simplifies the arms of the outermost guarding selects under their conditions, to a small depth: each level copies the facts.
LATHE_INLINE Expr Simplifier::simplify_selects(const Expr &e, const Facts &facts, int depth) const {
  constexpr int deepest = 4;
  if (depth >= deepest) return e;
  List<Expr> selects;
  ir::walk_down(e, [&](const Expr &node) {
    const auto *s = node.as<ir::Select>();
    if (!s || !s->guards) return true;
    selects.push_back(node);
    return false;
  });
  constexpr std::size_t most = 16;
  if (selects.empty() || selects.size() > most) return e;
  NodeMap<Expr> replaced;
  for (const Expr &node : selects) {
    const auto *s = node.as<ir::Select>();
    const Expr condition = simplify(s->condition, facts, depth + 1);
    if (condition.lanes() > 1) continue;
    const Expr a = simplify(s->a, with(facts, condition), depth + 1);
    const Expr b = simplify(s->b, with(facts, negation(condition)), depth + 1);
    if (!condition.same_as(s->condition) || !a.same_as(s->a) || !b.same_as(s->b))
      replaced[node.node()] = ir::select(condition, a, b, true);
  }
  if (replaced.empty()) return e;
  return ir::rewrite(e, [&](const Expr &node) {
    const auto *found = replaced.find(node.node());
    return !found ? node : found->second;
  });
}

LATHE_INLINE Expr Simplifier::simplify(const Expr &e, const Facts &facts, int depth) const {
  if (!e.defined()) return e;
  return facts.simplify(simplify_selects(e, facts, depth));
}

LATHE_INLINE List<Expr> Simplifier::simplify(const List<Expr> &list, const Facts &facts) const {
  List<Expr> result;
  result.reserve(list.size());
  for (const Expr &e : list) result.push_back(simplify(e, facts));
  return result;
}

// ---- loops
// ----------------------------------------------------------------------------------------------------------------------

LATHE_INLINE Stmt Simplifier::visit_loop(const ir::For &loop, const Facts &facts) const {
  const Expr min = simplify(loop.min, facts), extent = simplify(loop.extent, facts);
  const arith::Bounds runs = facts.bounds(extent);
  if (runs.max <= 0) return nothing();
  if (runs.min == 1 && runs.max == 1) {
    if (ir::is_pure_scalar(min)) return visit(ir::substitute(loop.body, {{loop.var, min}}), facts);
    return visit_bind({loop.var, min, loop.body}, facts);
  }
  Facts inner = facts;
  if (is_stable(min, stored_) && is_stable(extent, stored_)) inner.bind(loop.var, min, extent);
  Stmt body = visit(loop.body, inner);
  if (is_nothing(body)) return nothing();
  return place_loop({loop.var, min, extent, loop.kind, std::move(body)}, facts);
}

/// The loop, or what it becomes when its body is a condition and nothing else.
LATHE_INLINE Stmt Simplifier::place_loop(ir::For loop, const Facts &facts) const {
  if (const auto *branch = loop.body.as<ir::If>()) return take_conditions(loop, *branch, facts);
  if (const auto *bind = loop.body.as<ir::Bind>(); bind && ir::is_pure_scalar(bind->value) && !ir::uses(bind->value, loop.var)) {
    const ir::Bind outer = *bind;
    loop.body = outer.body;
    return ir::make(ir::Bind{outer.var, outer.value, place_loop(std::move(loop), facts)});
  }
  return ir::make(std::move(loop));
}

/// Whether `condition` may be asked once before the loop instead of in each iteration.
LATHE_INLINE bool Simplifier::may_leave(const Expr &condition, const ir::For &loop, const Facts &facts) const {
  if (ir::uses(condition, loop.var)) return false;
  return ir::is_pure_scalar(condition) || (is_stable(condition, stored_) && facts.proves(loop.extent > 0));
}

/// The extent with which the loop needs no `condition`, or undefined.
LATHE_INLINE Expr Simplifier::tightened(const ir::For &loop, const Expr &condition, const Facts &facts) const {
  if (loop.kind == ir::LoopKind::vectorized) return {};
  const auto bound = inequality_in(condition, loop.var);
  if (!bound || bound->coefficient < 0) return {};
  const Expr rest = rest_in_reach(*bound);
  if (!rest.defined() || !ir::is_pure_scalar(rest)) return {};
  // k * var + rest < 0  ⇔  var < ceil(-rest / k)
  const Expr end = (Expr(bound->coefficient - 1) - rest) / Expr(bound->coefficient);
  Expr extent = facts.simplify(end - loop.min);
  if (!facts.proves(extent >= 0)) extent = ir::max(extent, 0);
  extent = facts.simplify(ir::min(loop.extent, extent));
  if (loop.kind == ir::LoopKind::unrolled && !ir::constant_integer(extent)) return {};
  return extent;
}

/// for i: if (i < k) a else b  as one loop over each; undefined where the condition does not part the iterations in two.
LATHE_INLINE Stmt Simplifier::split_at(const ir::For &loop, const ir::If &branch, const Facts &facts) const {
  if (loop.kind != ir::LoopKind::serial) return {};
  Expr place;  // where the second part begins
  bool upper = false;
  for (const Expr &each : conjuncts(branch.condition)) {
    const auto bound = inequality_in(each, loop.var);
    if (!bound) return {};
    const Expr rest = rest_in_reach(*bound);
    const std::int64_t k = bound->coefficient;
    if (!rest.defined() || !ir::is_pure_scalar(rest) || (place.defined() && upper != (k > 0))) return {};
    upper = k > 0;
    // k * var + rest < 0  ⇔  var < ceil(-rest / k), or for k < 0  var >= floor(rest / -k) + 1
    const Expr here = upper ? (Expr(k - 1) - rest) / Expr(k) : rest / Expr(-k) + 1;
    place = !place.defined() ? here : upper ? ir::min(place, here) : ir::max(place, here);
  }
  const Expr first = facts.simplify(ir::min(ir::max(place - loop.min, 0), loop.extent));
  ir::For before = loop, after = loop;
  before.extent = first;
  before.body = upper ? branch.then_body : branch.else_body;
  after.min = facts.simplify(loop.min + first);
  after.extent = facts.simplify(loop.extent - first);
  after.body = upper ? branch.else_body : branch.then_body;
  return sequence({visit_loop(before, facts), visit_loop(after, facts)}, {});
}

/// for i: if (c) body  with the parts of c moved into the extent or out of the loop.
LATHE_INLINE Stmt Simplifier::take_conditions(const ir::For &loop, const ir::If &branch, const Facts &facts) const {
  if (branch.else_body.defined()) {
    if (!may_leave(branch.condition, loop, facts)) {
      Stmt parts = split_at(loop, branch, facts);
      return parts.defined() ? parts : ir::make(loop);
    }
    ir::For yes = loop, no = loop;
    yes.body = branch.then_body;
    no.body = branch.else_body;
    return ir::make(ir::If{branch.condition, place_loop(std::move(yes), facts), place_loop(std::move(no), facts)});
  }
  List<Expr> outside, inside;
  ir::For inner = loop;
  bool first = true;  // no conjunct stayed with the loop yet: loads in a conjunct may rely on those before it
  for (const Expr &each : conjuncts(branch.condition)) {
    if ((first || ir::is_pure_scalar(each)) && may_leave(each, loop, facts)) {
      outside.push_back(each);
      continue;
    }
    first = false;
    if (const Expr extent = tightened(inner, each, facts); extent.defined())
      inner.extent = extent;
    else
      inside.push_back(each);
  }
  const bool changed = !inner.extent.same_as(loop.extent);
  if (outside.empty() && !changed) return ir::make(loop);
  inner.body = inside.empty() ? branch.then_body : ir::make(ir::If{conjunction(inside), branch.then_body, {}});
  // A tighter domain tells more about the body, and the loop may have become one that runs once.
  const Facts here = outside.empty() ? facts : with(facts, conjunction(outside));
  Stmt result = changed ? visit_loop(inner, here) : place_loop(std::move(inner), here);
  if (outside.empty() || is_nothing(result)) return result;
  return ir::make(ir::If{conjunction(outside), std::move(result), {}});
}

// ---- other statements
// -----------------------------------------------------------------------------------------------------------

/// `a` then `b` as one statement if both are under the same condition or binding, else undefined.
LATHE_INLINE Stmt Simplifier::join(const Stmt &a, const Stmt &b) const {
  const auto *first = a.as<ir::If>(), *second = b.as<ir::If>();
  if (first && second && ir::equal(first->condition, second->condition) && is_stable(first->condition, stored_)) {
    Stmt otherwise;
    if (first->else_body.defined() || second->else_body.defined())
      otherwise = sequence({first->else_body, second->else_body}, {});
    return ir::make(ir::If{first->condition, sequence({first->then_body, second->then_body}, {}), std::move(otherwise)});
  }
  const auto *outer = a.as<ir::Bind>(), *next = b.as<ir::Bind>();
  if (outer && next && ir::equal(outer->value, next->value) && is_stable(outer->value, stored_)) {
    Stmt rest = ir::substitute(next->body, {{next->var, outer->var}});
    return ir::make(ir::Bind{outer->var, outer->value, sequence({outer->body, std::move(rest)}, {})});
  }
  return {};
}

/// The statements in order, unlabelled blocks opened, neighbours under the same condition or binding joined.
LATHE_INLINE Stmt Simplifier::sequence(List<Stmt> body, std::string label) const {
  List<Stmt> flat;
  const auto add = [&](const Stmt &s) {
    Stmt joined = flat.empty() ? Stmt() : join(flat.back(), s);
    if (joined.defined())
      flat.back() = std::move(joined);
    else
      flat.push_back(s);
  };
  for (const Stmt &s : body) {
    if (is_nothing(s)) continue;
    const auto *inner = s.as<ir::Block>();
    if (inner && inner->label.empty())
      for (const Stmt &each : inner->body) add(each);
    else
      add(s);
  }
  if (flat.empty()) return nothing();
  // A label goes inside a lone condition, where the condition can be joined with its neighbours and leave loops.
  if (const auto *branch = flat.front().as<ir::If>(); branch && flat.size() == 1 && !label.empty()) {
    Stmt otherwise = branch->else_body.defined() ? sequence({branch->else_body}, label) : Stmt();
    return ir::make(ir::If{branch->condition, sequence({branch->then_body}, label), std::move(otherwise)});
  }
  return ir::block(std::move(flat), std::move(label));
}

LATHE_INLINE Stmt Simplifier::visit_block(const ir::Block &block, const Facts &facts) const {
  Facts here = facts;
  List<Stmt> body;
  for (const Stmt &s : block.body) {
    body.push_back(visit(s, here));
    if (const auto *check = s.as<ir::Check>()) here = with(here, check->condition);
  }
  return sequence(std::move(body), block.label);
}

LATHE_INLINE Stmt Simplifier::visit_if(const ir::If &branch, const Facts &facts) const {
  Expr condition = simplify(branch.condition, facts);
  if (ir::is_true(condition)) return visit(branch.then_body, facts);
  if (ir::is_false(condition)) return branch.else_body.defined() ? visit(branch.else_body, facts) : nothing();
  Stmt yes = visit(branch.then_body, with(facts, condition));
  Stmt no = branch.else_body.defined() ? visit(branch.else_body, with(facts, negation(condition))) : Stmt();
  if (is_nothing(no)) no = {};
  if (is_nothing(yes) && !no.defined()) return nothing();
  if (is_nothing(yes)) return ir::make(ir::If{simplify(negation(condition), facts), std::move(no), {}});
  if (const auto *inner = yes.as<ir::If>(); inner && !no.defined() && !inner->else_body.defined() && !has_loads(inner->condition))
    return ir::make(ir::If{condition && inner->condition, inner->then_body, {}});
  return ir::make(ir::If{std::move(condition), std::move(yes), std::move(no)});
}

LATHE_INLINE Stmt Simplifier::visit_store(const Stmt &s, const ir::Store &store, const Facts &facts) const {
  Expr predicate = simplify(store.predicate, facts);
  if (ir::is_true(predicate)) predicate = {};
  if (ir::is_false(predicate)) return nothing();
  List<Expr> indices = simplify(store.indices, facts);
  Expr value = simplify(store.value, facts);
  const bool same = value.same_as(store.value) && predicate.same_as(store.predicate) &&
                    lists::equal(indices, store.indices, [](const Expr &a, const Expr &b) { return a.same_as(b); });
  return same ? s : ir::make(ir::Store{store.buffer, std::move(indices), std::move(value), std::move(predicate)});
}

LATHE_INLINE Stmt Simplifier::visit_bind(const ir::Bind &bind, const Facts &facts) const {
  const Expr value = simplify(bind.value, facts);
  const auto *splat = value.as<ir::Broadcast>();
  const bool trivial = value.as<ir::VarRef>() || value.as<ir::Const>() || (splat && splat->a.as<ir::Const>());
  if (trivial) return visit(ir::substitute(bind.body, {{bind.var, value}}), facts);
  Facts inner = facts;
  if (value.type() == DType(scalar_types::index)) {
    const arith::Bounds range = facts.bounds(value);
    constexpr std::int64_t far = std::int64_t{1} << 40;
    if (range.min > -far && range.max < far) inner.bind(bind.var, range.min, range.max - range.min + 1);
  }
  Stmt body = visit(bind.body, inner);
  if (is_nothing(body) || (!ir::uses(body, bind.var) && is_stable(value, {}))) return body;
  return ir::make(ir::Bind{bind.var, value, std::move(body)});
}

LATHE_INLINE Stmt Simplifier::visit(const Stmt &s, const Facts &facts) const {
  switch (s.node()->kind()) {
    case ir::StmtKind::loop: return visit_loop(*s.as<ir::For>(), facts);
    case ir::StmtKind::block: return visit_block(*s.as<ir::Block>(), facts);
    case ir::StmtKind::store: return visit_store(s, *s.as<ir::Store>(), facts);
    case ir::StmtKind::allocate: {
      Stmt result = ir::map_children(
          s, [&](const Expr &e) { return simplify(e, facts); }, [&](const Stmt &body) { return visit(body, facts); });
      Stmt smaller = without_unused(result);
      return smaller.same_as(result) ? result : visit(smaller, facts);
    }
    case ir::StmtKind::branch: return visit_if(*s.as<ir::If>(), facts);
    case ir::StmtKind::bind: return visit_bind(*s.as<ir::Bind>(), facts);
    case ir::StmtKind::check:
    case ir::StmtKind::evaluate:
    case ir::StmtKind::prefetch: {
      Stmt result = ir::map_children(s, [&](const Expr &e) { return simplify(e, facts); }, [](const Stmt &none) { return none; });
      const auto *check = result.as<ir::Check>();
      return check && ir::is_true(check->condition) ? nothing() : result;
    }
  }
  fail_internal("a statement of a kind that simplify_loops does not know");
}

}  // namespace loop_simplifying

LATHE_INLINE ir::Stmt simplify_loops(const ir::Stmt &s, const PassContext &context) {
  return loop_simplifying::Simplifier(stored_buffers(s)).visit(s, context.facts);
}

}  // namespace lathe::inline LATHE_ABI::passes
