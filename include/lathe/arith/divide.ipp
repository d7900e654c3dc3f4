// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Rules of floor division and remainder, and of products. c is a constant > 0, k a coefficient, x and y are forms.

#include "lathe/arith/reason.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/lists.hpp"

namespace lathe::inline LATHE_ABI::arith {

namespace dividing {

inline Linear single(const Expr &atom) { return {{{atom, 1}}, 0}; }

/// The only atom of a form 1 · atom + 0, or null.
inline const Expr *lone_atom(const Linear &form) {
  return form.terms.size() == 1 && form.terms[0].coefficient == 1 && form.constant == 0 ? &form.terms[0].atom : nullptr;
}

inline Linear negated(const Linear &form, bool &fits) {
  LinearSum out;
  out.add(form, -1);
  fits = !out.overflow();
  return out.take();
}

}  // namespace dividing

LATHE_INLINE Expr Reasoner::value_or_point(Expr atom) {
  const Bounds range = bounds(atom);
  return range.is_point() ? index_constant(range.min) : atom;
}

LATHE_INLINE Expr Reasoner::make_atom(BinaryOp op, const Expr &a, const Expr &b) {
  Expr atom = index_node(op, a, b);
  rank(atom);
  return value_or_point(std::move(atom));
}

/// k · atom is a multiple of c although k is not.
LATHE_INLINE bool Reasoner::is_multiple(const Expr &atom, Int coefficient, Int c) {
  const Congruence known = congruence(atom);
  return known.modulus != 1 && remainder_of(arith::product(known, exactly(coefficient)), c) == 0;
}

LATHE_INLINE std::optional<Int> Reasoner::block(const Linear &form, Int c) {
  const Bounds range = bounds(form);
  if (const auto q = block_of(range, c)) return q;
  if (!symbolic() || range.max < 0 || range.min >= c) return std::nullopt;
  if (nonnegative(form) && nonnegative(form, -1, c - 1)) return 0;
  return std::nullopt;
}

/// (g·x + y) / c = x / (c/g) and (g·x + y) % c = g · (x % (c/g)) + y, where g divides c and y stays in one block of g.
LATHE_INLINE std::optional<Linear> Reasoner::within_factor(const Linear &rest, Int c, bool quotient) {
  List<Int> factors;
  for (const Linear::Term &term : rest.terms) {
    const Int g = common_divisor(term.coefficient, c);
    if (g > 1 && g < c && !lists::contains(factors, g)) factors.push_back(g);
  }
  lists::sort(factors, [](Int a, Int b) { return a > b; });
  for (const Int g : factors) {
    Linear outer, inner;
    for (const Linear::Term &term : rest.terms) {
      if (term.coefficient % g == 0)
        outer.terms.push_back({term.atom, term.coefficient / g});
      else
        inner.terms.push_back(term);
    }
    outer.constant = floor_div(rest.constant, g);
    inner.constant = floor_mod(rest.constant, g);
    const auto q = block(inner, g);
    if (!q || !add_to(outer.constant, *q)) continue;
    if (quotient) return divided(std::move(outer), c / g);
    LinearSum out;
    out.add(remainder(std::move(outer), c / g), g);
    out.add(inner, 1);
    out.add_constant(*q, -g);
    if (!out.overflow()) return out.take();
  }
  return std::nullopt;
}

/// x / c of an atom or of a form that does not split further.
LATHE_INLINE Linear Reasoner::whole_quotient(const Linear &x, Int c) {
  const Expr *atom = nullptr;
  if (x.terms.size() == 1 && x.terms[0].coefficient == 1) atom = &x.terms[0].atom;
  if (atom) {
    if (const auto inner = by_constant(*atom, BinaryOp::div)) {  // (y / d + k) / c = (y + k d) / (d c)
      Int shift = x.constant, both = inner.c;
      if (multiply_by(shift, inner.c) && multiply_by(both, c)) {
        Linear y = linear_form(*inner.x);
        if (add_to(y.constant, shift)) return divided(std::move(y), both);
      }
    }
    if (const auto inner = by_constant(*atom, BinaryOp::mod); inner && x.constant == 0 && inner.c % c == 0)
      return remainder(divided(linear_form(*inner.x), c), inner.c / c);  // (y % d) / c = (y / c) % (d / c)
  }
  return linear_form(make_atom(BinaryOp::div, sum(x), index_constant(c)));
}

LATHE_INLINE Linear Reasoner::divided(Linear form, Int c) {
  if (c == 1) return form;
  LinearSum out;
  Linear rest;
  for (const Linear::Term &term : form.terms) {
    const Int k = term.coefficient, left = k % c;
    if (left != 0 && is_multiple(term.atom, k, c)) {
      const Int g = common_divisor(k, c);
      out.add(whole_quotient(dividing::single(term.atom), c / g), k / g);
    } else {
      out.add(term.atom, k / c);
      if (left != 0) rest.terms.push_back({term.atom, left});
    }
  }
  out.add_constant(floor_div(form.constant, c));
  rest.constant = floor_mod(form.constant, c);
  if (!rest.terms.empty()) {
    if (const auto q = block(rest, c))
      out.add_constant(*q);
    else if (const auto within = within_factor(rest, c, true))
      out.add(*within, 1);
    else
      out.add(whole_quotient(rest, c), 1);
  }
  if (out.overflow()) return dividing::single(index_node(BinaryOp::div, from_linear(form), index_constant(c)));
  return out.take();
}

LATHE_INLINE Linear Reasoner::remainder(Linear form, Int c) {
  Linear rest;
  for (const Linear::Term &term : form.terms) {
    const Int left = term.coefficient % c;
    if (left != 0 && !is_multiple(term.atom, term.coefficient, c)) rest.terms.push_back({term.atom, left});
  }
  rest.constant = floor_mod(form.constant, c);
  if (rest.terms.empty()) return rest;
  if (const auto known = remainder_of(congruence(rest), c)) return {{}, *known};
  if (const auto q = block(rest, c)) {
    Int shift = *q;
    if (multiply_by(shift, -c) && add_to(rest.constant, shift)) return rest;
  } else if (const auto within = within_factor(rest, c, false)) {
    return *within;
  }
  if (const Expr *atom = dividing::lone_atom(rest))
    if (const auto inner = by_constant(*atom, BinaryOp::mod); inner && inner.c % c == 0)
      return remainder(linear_form(*inner.x), c);  // (y % d) % c = y % c
  return linear_form(make_atom(BinaryOp::mod, sum(rest), index_constant(c)));
}

// ---- divisors that are expressions --------------------------------------------------------------------------------------------

namespace dividing {

/// term / (c · Π factors) if it is exact.
LATHE_INLINE bool divide_exactly(Linear::Term &term, Int c, const List<Expr> &factors, FunctionRef<Expr(List<Expr> &)> rebuild,
                                 LinearSum &out) {
  if (term.coefficient % c != 0) return false;
  List<Expr> left;
  collect_factors(term.atom, left);
  for (const Expr &factor : factors) {
    const auto *at = lists::find_if(left, [&](const Expr &x) { return same(x, factor); });
    if (!at) return false;
    left.erase(at);
  }
  if (left.empty())
    out.add_constant(term.coefficient / c);
  else
    out.add(rebuild(left), term.coefficient / c);
  return true;
}

}  // namespace dividing

LATHE_INLINE Expr Reasoner::product_of(List<Expr> &factors) {
  lists::sort(factors, [&](const Expr &x, const Expr &y) { return before(x, y); });
  Expr all = factors.front();
  for (std::size_t i = 1; i < factors.size(); ++i) all = index_node(BinaryOp::mul, all, factors[i]);
  rank(all);
  return all;
}

/// (g·x + y) / (g·h) = x / h where h ≥ 0, and (g·x + y) % (g·h) = g · (x % h) + y where h ≥ 1; 0 ≤ y < g.
LATHE_INLINE std::optional<Expr> Reasoner::within_symbolic_factor(BinaryOp op, const Linear &dividend,
                                                                  const Linear::Term &divisor) {
  List<Expr> factors;
  collect_factors(divisor.atom, factors);
  for (std::size_t i = 0; i <= factors.size(); ++i) {  // the last candidate for g is the coefficient
    const bool by_coefficient = i == factors.size();
    if (by_coefficient ? divisor.coefficient == 1 : factors.size() == 1 && divisor.coefficient == 1) continue;
    const Linear g = by_coefficient ? Linear{{}, divisor.coefficient} : dividing::single(factors[i]);
    List<Expr> others = factors;
    if (!by_coefficient) others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    Linear h{{}, by_coefficient ? 1 : divisor.coefficient};
    if (!others.empty()) h = {{{product_of(others), h.constant}}, 0};
    LinearSum outer;
    Linear inner{{}, dividend.constant};
    for (Linear::Term term : dividend.terms) {
      const auto rebuild = [&](List<Expr> &left) { return product_of(left); };
      const bool exact = by_coefficient ? dividing::divide_exactly(term, divisor.coefficient, {}, rebuild, outer)
                                        : dividing::divide_exactly(term, 1, {factors[i]}, rebuild, outer);
      if (!exact) inner.terms.push_back(term);
    }
    if (by_coefficient) {
      outer.add_constant(floor_div(inner.constant, divisor.coefficient));
      inner.constant = floor_mod(inner.constant, divisor.coefficient);
    }
    if (outer.overflow() || (inner.terms.size() == dividend.terms.size() && inner.constant == dividend.constant)) continue;
    if (!nonnegative(h, 1, op == BinaryOp::div ? 0 : -1) || !below(inner, g)) continue;
    const Expr x = sum(outer.take()), over = sum(h);
    if (op == BinaryOp::div) return quotient(x, over);
    LinearSum out(inner);
    out.add_flattened(product(modulo(x, over), sum(g)), 1);
    if (!out.overflow()) return sum(out.take());
  }
  return std::nullopt;
}

/// 0 ≤ y < b
LATHE_INLINE bool Reasoner::below(const Linear &y, const Linear &b) {
  LinearSum room(b);
  room.add(y, -1);
  room.add_constant(-1);
  return !room.overflow() && nonnegative(y) && nonnegative(room.take());
}

/// (b·x + y) / b = x and (b·x + y) % b = y where 0 ≤ y < b; without that bound x + y / b and y % b, where b ≥ 1.
LATHE_INLINE Expr Reasoner::symbolic_division(BinaryOp op, const Expr &a, const Expr &b) {
  const Linear dividend = linear_form(a), divisor = linear_form(b);
  LinearSum out;
  Linear rest = dividend;
  if (divisor.terms.size() == 1 && divisor.constant == 0 && divisor.terms[0].coefficient > 0) {
    List<Expr> factors;
    collect_factors(divisor.terms[0].atom, factors);
    rest.terms.clear();
    for (Linear::Term term : dividend.terms)
      if (!dividing::divide_exactly(
              term, divisor.terms[0].coefficient, factors, [&](auto &left) { return product_of(left); }, out))
        rest.terms.push_back(term);
  } else if (same(dividend, divisor)) {
    rest = {};
    out.add_constant(1);
  }
  if (out.overflow()) return index_node(op, a, b);
  const bool split = rest.terms.size() < dividend.terms.size();
  if (below(rest, divisor)) return sum(op == BinaryOp::div ? out.take() : rest);
  if (!split && divisor.terms.size() == 1 && divisor.constant == 0 && divisor.terms[0].coefficient > 0)
    if (const auto within = within_symbolic_factor(op, dividend, divisor.terms[0])) return *within;
  if (!split || !nonnegative(divisor, 1, -1)) return make_atom(op, a, b);
  const Expr y = sum(rest);
  if (op == BinaryOp::mod) return symbolic_division(op, y, b);
  out.add_flattened(symbolic_division(op, y, b), 1);
  return out.overflow() ? index_node(op, a, b) : sum(out.take());
}

LATHE_INLINE Expr Reasoner::quotient(const Expr &a, const Expr &b) {
  const auto *c = scalar_constant(b);
  if (!c) return symbolic_division(BinaryOp::div, a, b);
  if (value_of(*c) == 0) return index_constant(0);
  if (value_of(*c) > 0) return sum(divided(linear_form(a), value_of(*c)));
  bool fits = value_of(*c) != Bounds::unbounded_below;
  const Linear minus = dividing::negated(linear_form(a), fits);
  return fits && value_of(*c) != Bounds::unbounded_below ? sum(divided(minus, -value_of(*c))) : index_node(BinaryOp::div, a, b);
}

LATHE_INLINE Expr Reasoner::modulo(const Expr &a, const Expr &b) {
  const auto *c = scalar_constant(b);
  if (!c) return symbolic_division(BinaryOp::mod, a, b);
  if (value_of(*c) == 0) return index_constant(0);
  if (value_of(*c) > 0) return sum(remainder(linear_form(a), value_of(*c)));
  bool fits = false;
  const Linear minus = dividing::negated(linear_form(a), fits);  // x % -c = -(-x % c)
  if (!fits || value_of(*c) == Bounds::unbounded_below) return index_node(BinaryOp::mod, a, b);
  const Linear positive = dividing::negated(remainder(minus, -value_of(*c)), fits);
  return fits ? sum(positive) : index_node(BinaryOp::mod, a, b);
}

// ---- products -----------------------------------------------------------------------------------------------------------------

/// Multiplied out while that stays small.
LATHE_INLINE Expr Reasoner::product(const Expr &a, const Expr &b) {
  const Linear x = linear_form(a), y = linear_form(b);
  constexpr std::size_t most = 16;
  LinearSum out;
  if (x.terms.empty())
    out.add(y, x.constant);
  else if (y.terms.empty())
    out.add(x, y.constant);
  else if (x.terms.size() * y.terms.size() > most) {
    List<Expr> factors{a, b};
    return product_of(factors);
  } else {
    for (const Linear::Term &s : x.terms)
      for (const Linear::Term &t : y.terms) {
        Int k = s.coefficient;
        if (!multiply_by(k, t.coefficient)) out.fail();
        List<Expr> factors;
        collect_factors(s.atom, factors);
        collect_factors(t.atom, factors);
        out.add(product_of(factors), k);
      }
    Linear linear_part{x.terms, 0};
    out.add(linear_part, y.constant);
    linear_part.terms = y.terms;
    out.add(linear_part, x.constant);
    out.add_constant(x.constant, y.constant);
  }
  return out.overflow() ? index_node(BinaryOp::mul, a, b) : sum(out.take());
}

}  // namespace lathe::inline LATHE_ABI::arith
