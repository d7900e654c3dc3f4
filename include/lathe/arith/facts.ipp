// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// What `Facts` learns, and its questions.

#include "lathe/arith/reason.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::arith {

namespace learning {

inline const Known &known_or_nothing(const Shared<Known> &known) {
  static const Known nothing;
  return known ? *known : nothing;
}

/// The operands of a conjunction, or `condition`.
LATHE_INLINE List<Expr> conjuncts(const Expr &condition) {
  List<Expr> out, stack{condition};
  while (!stack.empty()) {
    const Expr e = std::move(stack.back());
    stack.pop_back();
    if (const auto *b = e.as<Binary>(); b && b->op == BinaryOp::logical_and) {
      stack.push_back(b->b);
      stack.push_back(b->a);
    } else {
      out.push_back(e);
    }
  }
  return out;
}

LATHE_INLINE void learn_bounds(Known &known, const Expr &atom, const Bounds &range) {
  for (Known::AtomBounds &old : known.atoms)
    if (same(old.atom, atom)) {
      old.bounds = meet(old.bounds, range);
      return;
    }
  known.atoms.push_back({atom, range});
}

/// form ≥ 0
LATHE_INLINE void learn_nonnegative(Known &known, const Linear &form) {
  if (form.terms.empty()) return;
  if (form.terms.size() > 1) {
    known.nonnegatives.push_back(Shared(new Known::Nonnegative{{}, form}));
    return;
  }
  const Int k = form.terms[0].coefficient;
  if (k == Bounds::unbounded_below || form.constant == Bounds::unbounded_below) return;
  Bounds range;  // k·x ≥ -c
  if (k > 0)
    range.min = -floor_div(form.constant, k);
  else
    range.max = floor_div(form.constant, -k);
  learn_bounds(known, form.terms[0].atom, range);
}

LATHE_INLINE void learn_equality(Known &known, const Linear &form) {
  bool fits = true;
  LinearSum minus;
  minus.add(form, -1);
  fits = !minus.overflow();
  learn_nonnegative(known, form);
  if (fits) learn_nonnegative(known, minus.take());
  if (form.terms.size() != 1 || magnitude(form.terms[0].coefficient) != 1) return;
  const auto by = by_constant(form.terms[0].atom, BinaryOp::mod);
  if (!by) return;
  Linear x = linear_form(*by.x);
  Int remainder = form.terms[0].coefficient > 0 ? -form.constant : form.constant;
  if (__builtin_sub_overflow(remainder, x.constant, &remainder)) return;
  x.constant = 0;
  known.residues.push_back(Shared(new Known::Residue{{}, std::move(x), reduced(by.c, remainder)}));
}

/// One simplified condition that is no constant.
LATHE_INLINE void learn(Known &known, const Expr &condition) {
  const auto *b = condition.as<Binary>();
  if (!b || !is_comparison(b->op) || b->a.type() != DType(scalar_types::index)) {
    known.opaque.push_back(condition);
    return;
  }
  const bool greater = b->op == BinaryOp::gt || b->op == BinaryOp::ge;
  LinearSum out;
  out.add_flattened(greater ? b->a : b->b, 1);
  out.add_flattened(greater ? b->b : b->a, -1);
  if (b->op == BinaryOp::lt || b->op == BinaryOp::gt) out.add_constant(-1);
  if (out.overflow()) return;
  Linear form = out.take();
  if (b->op == BinaryOp::eq) return learn_equality(known, form);
  if (b->op != BinaryOp::ne) return learn_nonnegative(known, form);
  known.opaque.push_back(condition);
  const Bounds range = Reasoner(known).bounds(form);
  if (range.min == 0 && add_to(form.constant, -1)) learn_nonnegative(known, form);
}

}  // namespace learning

LATHE_INLINE Known &Facts::learn() {
  if (!known_)
    known_ = Shared(new Known());
  else if (!known_.is_unique())
    known_ = Shared(new Known(*known_));
  return const_cast<Known &>(*known_);  // made without const above, and ours alone
}

LATHE_INLINE void Facts::bind(const ir::Var &var, const ir::Expr &min, const ir::Expr &extent) {
  Known &known = learn();
  for (std::size_t i = known.variables.size(); i-- > 0;) {
    if (!(known.variables[i]->var == var)) continue;
    known.variables.erase(known.variables.begin() + static_cast<std::ptrdiff_t>(i));
    known.domains.erase(known.domains.begin() + static_cast<std::ptrdiff_t>(i));
  }
  VarFact fact{{}, var, {}, {}, everything(), false};
  Reasoner reasoner(known);
  fact.first = linear_form(reasoner.simplify(min));
  Linear room = linear_form(reasoner.simplify(extent));  // extent - 1, of which the domain says that it is ≥ 0
  LinearSum end(room);
  end.add(fact.first, 1);
  end.add_constant(-1);
  if (!end.overflow() && add_to(room.constant, -1)) {
    fact.last = linear_form(reasoner.sum(end.take()));
    if (fact.first.terms.empty()) fact.constant.min = fact.first.constant;
    if (fact.last.terms.empty())
      fact.constant.max = std::max(fact.last.constant, fact.constant.min);  // nothing runs where it is empty
    fact.symbolic = !fact.first.terms.empty() || !fact.last.terms.empty();
    reasoner.normalise_inequality(room);
    if (reasoner.bounds(room).min < 0) learning::learn_nonnegative(known, room);
  }
  known.symbolic = known.symbolic || fact.symbolic;
  known.domains.push_back({var, min, extent});
  known.variables.push_back(Shared(new VarFact(std::move(fact))));
}

LATHE_INLINE void Facts::assume(const ir::Expr &condition) {
  Known &known = learn();
  known.conditions.push_back(condition);
  for (const Expr &part : learning::conjuncts(condition)) {
    const Expr simple = Reasoner(known).simplify(part);
    if (scalar_constant(simple) || simple.lanes() > 1) continue;
    for (const Expr &piece : learning::conjuncts(simple)) learning::learn(known, piece);
  }
}

LATHE_INLINE Bounds Facts::bounds(const ir::Expr &e) const {
  Reasoner reasoner(learning::known_or_nothing(known_));
  return reasoner.bounds(reasoner.simplify(e));
}

LATHE_INLINE Congruence Facts::congruence(const ir::Expr &e) const {
  Reasoner reasoner(learning::known_or_nothing(known_));
  const Expr simple = reasoner.simplify(e);
  if (simple.type() == DType(scalar_types::index)) return reasoner.congruence(linear_form(simple));
  return reasoner.congruence(simple);
}

LATHE_INLINE ir::Expr Facts::simplify(const ir::Expr &e) const {
  if (!e.defined()) return e;
  return Reasoner(learning::known_or_nothing(known_)).simplify(e);
}

LATHE_INLINE bool Facts::proves(const ir::Expr &condition) const { return ir::is_true(simplify(condition)); }

LATHE_INLINE const List<Facts::Domain> &Facts::domains() const { return learning::known_or_nothing(known_).domains; }
LATHE_INLINE const List<ir::Expr> &Facts::conditions() const { return learning::known_or_nothing(known_).conditions; }

}  // namespace lathe::inline LATHE_ABI::arith
