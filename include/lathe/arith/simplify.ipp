// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Simplification: one walk over the DAG, children first. Sums are taken apart at their outermost node, vectors of indices and
/// conditions as regions (vectors.ipp); every other node is rebuilt by the rule of its operator.

#include "lathe/arith/reason.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::arith {

LATHE_INLINE Expr Reasoner::leaf(const Expr &e) {
  const auto *v = e.as<ir::VarRef>();
  if (v && e.type() == DType(scalar_types::boolean)) return known_condition(e);
  if (!v || e.type() != DType(scalar_types::index)) return e;
  const Bounds range = bounds(e);
  if (range.is_point()) return index_constant(range.min);
  if (const VarFact *fact = fact_of(v->var); fact && fact->symbolic && same(fact->first, fact->last))
    return from_linear(fact->first);
  return e;
}

namespace simplifying {

/// Whether a rule has built the same again. Only what rules build is compared; the rest keeps its handles.
LATHE_INLINE bool unchanged(const Expr &a, const Expr &b, int &steps) {
  const Expr *x = &a, *y = &b;
  while (!x->same_as(*y)) {
    if (steps-- <= 0 || x->node()->kind() != y->node()->kind() || x->type() != y->type()) return false;
    if (is_leaf(*x)) return same(*x, *y);
    if (const auto *u = x->as<ir::Unary>()) {
      if (u->op != y->as<ir::Unary>()->op) return false;
      x = &u->a, y = &y->as<ir::Unary>()->a;
    } else if (const auto *p = x->as<Binary>()) {
      const auto *q = y->as<Binary>();
      if (p->op != q->op || !unchanged(p->b, q->b, steps)) return false;
      x = &p->a, y = &q->a;
    } else if (const auto *broadcast = x->as<ir::Broadcast>()) {
      x = &broadcast->a, y = &y->as<ir::Broadcast>()->a;
    } else if (const auto *ramp = x->as<ir::Ramp>()) {
      if (!unchanged(ramp->stride, y->as<ir::Ramp>()->stride, steps)) return false;
      x = &ramp->base, y = &y->as<ir::Ramp>()->base;
    } else if (const auto *s = x->as<ir::Select>()) {
      const auto *t = y->as<ir::Select>();
      if (s->guards != t->guards || !unchanged(s->a, t->a, steps) || !unchanged(s->b, t->b, steps)) return false;
      x = &s->condition, y = &t->condition;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace simplifying

LATHE_INLINE Expr Reasoner::simplify(const Expr &root) {
  if (is_leaf(root)) return leaf(root);
  List<Frame> stack;
  stack.push_back({root, {}});
  List<Expr> needs;
  while (!stack.empty()) {
    Frame &frame = stack.back();
    if (simplified_.find(frame.e)) {
      stack.pop_back();
    } else if (!frame.entered) {
      frame.entered = true;
      needs.clear();
      enter(frame, needs);
      for (std::size_t i = needs.size(); i-- > 0;)
        if (!is_leaf(needs[i]) && !simplified_.find(needs[i])) stack.push_back({needs[i], {}});
    } else {
      const Frame top = std::move(frame);
      stack.pop_back();
      Expr result = finish(top);
      int steps = 200;
      if (simplifying::unchanged(result, top.e, steps) || (lanes::is_region(top.e) && ir::equal(result, top.e))) result = top.e;
      simplified_.note(top.e, result);
      if (!is_leaf(result)) simplified_.note(result, result);
    }
  }
  return *simplified_.find(root);
}

/// Lists what must be simplified first.
LATHE_INLINE void Reasoner::enter(Frame &frame, List<Expr> &needs) {
  if (is_linear_node(frame.e)) {
    frame.form = linear_form(frame.e);
    const bool whole = frame.form.terms.size() == 1 && frame.form.terms[0].atom.same_as(frame.e);  // it would not fit
    if (!whole) {
      for (const Linear::Term &term : frame.form.terms) needs.push_back(term.atom);
      return;
    }
  } else if (lanes::is_region(frame.e)) {
    return lanes::leaves_of(frame.e, needs);
  }
  ir::for_each_child(frame.e, [&](const Expr &child) { needs.push_back(child); });
}

LATHE_INLINE Expr Reasoner::finish(const Frame &frame) {
  const Expr &e = frame.e;
  if (is_linear_node(e)) return finish_linear(frame);
  if (lanes::is_region(e)) return finish_region(e);
  if (e.type() == DType(scalar_types::index)) return finish_index(e);
  if (e.type() == DType(scalar_types::boolean)) return finish_bool(e);
  return rebuilt(e);
}

LATHE_INLINE Expr Reasoner::finish_linear(const Frame &frame) {
  if (frame.form.terms.size() == 1 && frame.form.terms[0].atom.same_as(frame.e)) return rebuilt(frame.e);
  LinearSum out;
  out.add_constant(frame.form.constant);
  for (const Linear::Term &term : frame.form.terms) out.add_flattened(done(term.atom), term.coefficient);
  if (out.overflow()) return frame.e;
  Linear form = out.take();
  settle_terms(form);
  return is_written_as(frame.e, form) ? frame.e : from_linear(form);
}

LATHE_INLINE Expr Reasoner::finish_index(const Expr &e) {
  switch (e.node()->kind()) {
    case ir::ExprKind::binary: return finish_binary(*e.as<Binary>());
    case ir::ExprKind::select: {
      const auto &s = *e.as<ir::Select>();
      return value_or_point(choice(done(s.condition), done(s.a), done(s.b), s.guards));
    }
    case ir::ExprKind::unary: {
      const auto &u = *e.as<ir::Unary>();
      const Expr a = done(u.a);
      if (u.op == ir::UnaryOp::abs && bounds(a).min >= 0) return a;
      return value_or_point(rebuilt(e));
    }
    case ir::ExprKind::ranged: {
      const auto &r = *e.as<ir::Ranged>();
      const Expr a = done(r.a), min = done(r.min), max = done(r.max);
      LinearSum above, below;
      above.add_flattened(a, 1), above.add_flattened(min, -1);
      below.add_flattened(max, 1), below.add_flattened(a, -1);
      if (!above.overflow() && !below.overflow() && nonnegative(above.take()) && nonnegative(below.take())) return a;
      return rebuilt(e);
    }
    default: return value_or_point(rebuilt(e));
  }
}

LATHE_INLINE Expr Reasoner::finish_binary(const Binary &node) {
  const Expr a = done(node.a), b = done(node.b);
  const auto *c = scalar_constant(b);
  switch (node.op) {
    case BinaryOp::mul: return product(a, b);
    case BinaryOp::div: return quotient(a, b);
    case BinaryOp::mod: return modulo(a, b);
    case BinaryOp::min:
    case BinaryOp::max: return extremum(node.op, a, b);
    case BinaryOp::trunc_div:
    case BinaryOp::trunc_mod:
      if (bounds(a).min >= 0 && bounds(b).min >= 0) return node.op == BinaryOp::trunc_div ? quotient(a, b) : modulo(a, b);
      break;
    case BinaryOp::shl:
      if (c && value_of(*c) >= 0 && value_of(*c) < 63) return product(a, index_constant(Int{1} << value_of(*c)));
      break;
    case BinaryOp::shr:
      if (c && value_of(*c) >= 0 && value_of(*c) < 63) return quotient(a, index_constant(Int{1} << value_of(*c)));
      break;
    case BinaryOp::bit_and:
      if (c && value_of(*c) > 0 && value_of(*c) < Bounds::unbounded_above && (value_of(*c) & (value_of(*c) + 1)) == 0)
        return modulo(a, index_constant(value_of(*c) + 1));
      break;
    default: break;
  }
  const Expr folded = ir::binary(node.op, a, b);
  return is_leaf(folded) ? folded : value_or_point(folded);
}

/// A condition that was assumed as it stands, or its opposite, is decided.
LATHE_INLINE Expr Reasoner::known_condition(const Expr &e) {
  if (scalar_constant(e)) return e;
  for (const Expr &holds : known_.opaque) {
    if (same(holds, e)) return ir::boolean(true);
    const auto *u = holds.as<ir::Unary>();
    if (u && u->op == ir::UnaryOp::logical_not && same(u->a, e)) return ir::boolean(false);
  }
  return e;
}

LATHE_INLINE Expr Reasoner::finish_bool(const Expr &e) {
  Expr result;
  if (const auto *b = e.as<Binary>()) {
    const Expr x = done(b->a), y = done(b->b);
    if (is_logical(b->op))
      result = junction(b->op, x, y);
    else if (is_comparison(b->op) && x.type() == DType(scalar_types::index))
      result = compare(b->op, x, y);
  } else if (const auto *u = e.as<ir::Unary>(); u && u->op == ir::UnaryOp::logical_not) {
    result = negation(done(u->a));
  } else if (const auto *s = e.as<ir::Select>()) {
    result = choice(done(s->condition), done(s->a), done(s->b), s->guards);
  }
  if (!result.defined()) result = rebuilt(e);
  return known_condition(result);
}

/// The node over its simplified children, by the builders that fold; the same handle when no child changed.
LATHE_INLINE Expr Reasoner::rebuilt(const Expr &e) {
  bool changed = false;
  ir::for_each_child(e, [&](const Expr &child) { changed = changed || !done(child).same_as(child); });
  if (!changed) return e;
  switch (e.node()->kind()) {
    case ir::ExprKind::unary: return ir::unary(e.as<ir::Unary>()->op, done(e.as<ir::Unary>()->a));
    case ir::ExprKind::binary: return ir::binary(e.as<Binary>()->op, done(e.as<Binary>()->a), done(e.as<Binary>()->b));
    case ir::ExprKind::cast: return ir::cast(e.type(), done(e.as<ir::Cast>()->a), e.as<ir::Cast>()->mode);
    case ir::ExprKind::mul_add: {
      const auto &m = *e.as<ir::MulAdd>();
      return ir::mul_add(done(m.a), done(m.b), done(m.c));
    }
    case ir::ExprKind::select: {
      const auto &s = *e.as<ir::Select>();
      return ir::select(done(s.condition), done(s.a), done(s.b), s.guards);
    }
    case ir::ExprKind::load: {
      const auto &l = *e.as<ir::Load>();
      List<Expr> indices;
      for (const Expr &i : l.indices) indices.push_back(done(i));
      return ir::load(l.buffer, std::move(indices), l.predicate.defined() ? done(l.predicate) : Expr());
    }
    default: return ir::map_children(e, [&](const Expr &child) { return done(child); });
  }
}

}  // namespace lathe::inline LATHE_ABI::arith
