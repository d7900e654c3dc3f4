// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Proofs of form ≥ 0. A goal whose constant bounds do not show it is searched for: one term after the other is eliminated by a
/// fact (a domain's symbolic end, an assumed condition, what a division, remainder or extremum says of itself) that bounds it on
/// the side that matters, or left to its constant bounds. Facts are forms F ≥ 0; the goal L follows from |f| L - |k| F ≥ 0, where
/// k and f are the coefficients, of one sign, of the eliminated atom (≥ 1 - |f| is enough, for L is an integer). The search is
/// bounded in depth and in steps: what it does not find counts as not proven.

#include "lathe/arith/reason.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/lists.hpp"

namespace lathe::inline LATHE_ABI::arith {

namespace proving {

constexpr int most_depth = 6;
constexpr int most_steps = 60;

inline Linear difference(const Linear &a, const Linear &b, Int constant, bool &fits) {
  LinearSum out(a);
  out.add(b, -1);
  out.add_constant(constant);
  fits = !out.overflow();
  return out.take();
}

/// a·x + c ≥ 0 for a common divisor g of all coefficients holds where a/g·x + floor(c / g) ≥ 0 does.
LATHE_INLINE void tighten(Linear &form) {
  Int g = 0;
  for (const Linear::Term &term : form.terms) g = common_divisor(g, term.coefficient);
  if (g <= 1) return;
  for (Linear::Term &term : form.terms) term.coefficient /= g;
  form.constant = floor_div(form.constant, g);
}

inline Int coefficient_of(const Linear &form, const Expr &atom) {
  for (const Linear::Term &term : form.terms)
    if (same(term.atom, atom)) return term.coefficient;
  return 0;
}

}  // namespace proving

LATHE_INLINE bool Reasoner::nonnegative(const Linear &form, Int factor, Int addend) {
  LinearSum out;
  out.add(form, factor);
  out.add_constant(addend);
  return !out.overflow() && nonnegative(out.take());
}

LATHE_INLINE bool Reasoner::nonnegative(const Linear &form) {
  const Bounds range = bounds(form);
  if (range.min >= 0) return true;
  if (range.max < 0 || form.terms.empty()) return false;
  if (!symbolic() && lists::all_of(form.terms, [](const auto &term) { return is_leaf(term.atom); }) && known_.residues.empty())
    return false;
  Linear goal = form;
  // A value ≡ r (mod m) is ≥ 0 where it is ≥ r - m + 1.
  if (const Congruence known = congruence(form); known.modulus > 1 && !add_to(goal.constant, known.modulus - 1 - known.remainder))
    return false;
  int budget = proving::most_steps;
  return search(goal, proving::most_depth, budget);
}

LATHE_INLINE bool Reasoner::search(const Linear &goal, int depth, int &budget) {
  const Bounds range = bounds(goal);
  if (range.min >= 0) return true;
  if (range.max < 0 || depth == 0 || budget-- <= 0) return false;
  List<std::size_t> order(goal.terms.size());  // innermost atoms first: their bounds name outer ones
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  lists::sort(order, [&](std::size_t a, std::size_t b) { return rank(goal.terms[a].atom) > rank(goal.terms[b].atom); });
  List<Linear> facts;
  for (const std::size_t i : order) {
    const Linear::Term &term = goal.terms[i];
    bool split = false;
    if (split_cases(goal, i, depth, budget, split)) return true;
    if (split) return false;
    facts.clear();
    facts_about(term.atom, term.coefficient > 0, facts);
    for (const Linear &fact : facts)
      if (search_with(goal, i, fact, proving::coefficient_of(fact, term.atom), depth, budget)) return true;
  }
  return false;
}

/// Eliminates a term by a fact and goes on.
LATHE_INLINE bool Reasoner::search_with(const Linear &goal, std::size_t term, const Linear &fact, Int fact_coefficient, int depth,
                                        int &budget) {
  const Int k = goal.terms[term].coefficient, f = fact_coefficient;
  if (f == 0 || (k > 0) != (f > 0) || magnitude(k) == 0 || magnitude(f) == 0) return false;
  const Int g = common_divisor(k, f);
  const Int scale = magnitude(f) / g;
  LinearSum out;
  out.add(goal, scale);
  out.add(fact, -(magnitude(k) / g));
  out.add_constant(scale - 1);
  if (out.overflow()) return false;
  Linear left = out.take();
  proving::tighten(left);
  return search(left, depth - 1, budget);
}

/// Where a lower bound of k · min(a, b), k > 0, of k · max(a, b), k < 0, or of a select is wanted, both cases must do.
LATHE_INLINE bool Reasoner::split_cases(const Linear &goal, std::size_t term, int depth, int &budget, bool &tried) {
  const Expr &atom = goal.terms[term].atom;
  const Int k = goal.terms[term].coefficient;
  const Expr *cases[2] = {};
  if (const auto *s = atom.as<ir::Select>()) {
    cases[0] = &s->a, cases[1] = &s->b;
  } else if (const auto *m = as_binary(atom, k > 0 ? BinaryOp::min : BinaryOp::max)) {
    cases[0] = &m->a, cases[1] = &m->b;
  } else {
    return false;
  }
  tried = true;
  for (const Expr *e : cases) {
    LinearSum out;
    for (std::size_t i = 0; i < goal.terms.size(); ++i)
      if (i != term) out.add(goal.terms[i].atom, goal.terms[i].coefficient);
    out.add_constant(goal.constant);
    out.add_flattened(*e, k);
    if (out.overflow() || !search(out.take(), depth - 1, budget)) return false;
  }
  return true;
}

LATHE_INLINE void Reasoner::facts_about(const Expr &atom, bool positive, List<Linear> &facts) {
  bool fits = true;
  if (const auto *v = atom.as<ir::VarRef>()) {
    const VarFact *fact = fact_of(v->var);
    if (fact && fact->symbolic) {
      const Linear x{{{atom, 1}}, 0};
      Linear end = positive ? proving::difference(x, fact->first, 0, fits) : proving::difference(fact->last, x, 0, fits);
      if (fits) facts.push_back(std::move(end));
    }
  } else {
    intrinsic_facts(atom, positive, facts);
    if (as_binary(atom, BinaryOp::mul)) product_facts(atom, positive, facts);
  }
  for (const auto &nonnegative : known_.nonnegatives) {
    const Int k = proving::coefficient_of(nonnegative->form, atom);
    if (k != 0 && (k > 0) == positive) facts.push_back(nonnegative->form);
  }
}

/// What an atom says of itself: bounds from below if `positive`, else from above.
LATHE_INLINE void Reasoner::intrinsic_facts(const Expr &atom, bool positive, List<Linear> &facts) {
  const Linear self{{{atom, 1}}, 0};
  bool fits = true;
  const auto learn = [&](Linear fact) {
    if (fits) facts.push_back(std::move(fact));
    fits = true;
  };
  const auto at_most = [&](const Expr &limit, Int more) { learn(proving::difference(linear_form(limit), self, more, fits)); };
  const auto at_least = [&](const Expr &limit) { learn(proving::difference(self, linear_form(limit), 0, fits)); };
  if (const auto *r = atom.as<ir::Ranged>()) return positive ? at_least(r->min) : at_most(r->max, 0);
  const auto *node = atom.as<Binary>();
  if (!node) return;
  switch (node->op) {
    case BinaryOp::div: {  // x/c·c ≤ x ≤ x/c·c + c - 1
      const auto by = by_constant(atom, BinaryOp::div);
      const Linear x = linear_form(node->a);
      if (by)
        return learn(positive ? proving::difference({{{atom, by.c}}, 0}, x, by.c - 1, fits)
                              : proving::difference(x, {{{atom, by.c}}, 0}, 0, fits));
      if (!positive && bounds(node->a).min >= 0 && bounds(node->b).min >= 0) at_most(node->a, 0);
      return;
    }
    case BinaryOp::mod:
      if (positive) return;
      if (bounds(node->a).min >= 0 && bounds(node->b).min >= 0) at_most(node->a, 0);
      if (bounds(node->b).min >= 1 && !scalar_constant(node->b)) at_most(node->b, -1);
      return;
    case BinaryOp::min:
      if (!positive) at_most(node->a, 0), at_most(node->b, 0);
      return;
    case BinaryOp::max:
      if (positive) at_least(node->a), at_least(node->b);
      return;
    default: return;
  }
}

/// A fact about one factor times the others, where those are ≥ 0; and x/n·n ≤ x ≤ x/n·n + n - 1.
LATHE_INLINE void Reasoner::product_facts(const Expr &atom, bool positive, List<Linear> &facts) {
  List<Expr> factors;
  collect_factors(atom, factors);
  if (factors.size() == 2) {
    for (int i = 0; i < 2; ++i) {
      const auto *q = as_binary(factors[static_cast<std::size_t>(i)], BinaryOp::div);
      if (!q || !same(q->b, factors[static_cast<std::size_t>(1 - i)]) || bounds(q->b).min < 1) continue;
      bool fits = true;
      LinearSum out;
      out.add_flattened(q->a, positive ? -1 : 1);
      out.add(atom, positive ? 1 : -1);
      if (positive) out.add_flattened(q->b, 1), out.add_constant(-1);
      if (!out.overflow() && fits) facts.push_back(out.take());
    }
  }
  for (std::size_t i = 0; i < factors.size() && factors.size() <= 4; ++i) {
    List<Expr> others;
    bool nonnegative_others = true;
    for (std::size_t j = 0; j < factors.size(); ++j) {
      if (j == i) continue;
      others.push_back(factors[j]);
      nonnegative_others = nonnegative_others && bounds(factors[j]).min >= 0;
    }
    if (!nonnegative_others) continue;
    List<Linear> of_factor;
    facts_about(factors[i], positive, of_factor);
    const Bounds range = bounds(factors[i]);
    if (positive && bounded_below(range) && range.min != 0)
      of_factor.push_back({{{factors[i], 1}}, 0}), of_factor.back().constant = -range.min;
    if (!positive && bounded_above(range)) of_factor.push_back({{{factors[i], -1}}, range.max});
    const Expr cofactor = product_of(others);
    for (const Linear &fact : of_factor) {
      LinearSum out;
      for (const Linear::Term &term : fact.terms) {
        List<Expr> all;
        collect_factors(term.atom, all);
        all.insert(all.end(), others.begin(), others.end());
        out.add(product_of(all), term.coefficient);
      }
      out.add(cofactor, fact.constant);
      if (!out.overflow()) facts.push_back(out.take());
    }
  }
}

}  // namespace lathe::inline LATHE_ABI::arith
