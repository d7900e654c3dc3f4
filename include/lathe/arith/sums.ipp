// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Rules of sums: quotients and remainders that belong together are merged, terms move into an extremum that they simplify; and
/// rules of minimum and maximum.

#include "lathe/arith/reason.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/lists.hpp"

namespace lathe::inline LATHE_ABI::arith {

namespace summing {

/// The position of a term k · atom, or the number of terms.
LATHE_INLINE std::size_t find_term(const Linear &form, const Expr &atom, Int k) {
  for (std::size_t i = 0; i < form.terms.size(); ++i)
    if (form.terms[i].coefficient == k && same(form.terms[i].atom, atom)) return i;
  return form.terms.size();
}

/// Whether `form` holds all terms of `part` times `factor`.
LATHE_INLINE bool contains(const Linear &form, const Linear &part, Int factor) {
  if (part.terms.empty() || part.terms.size() >= form.terms.size()) return false;
  for (const Linear::Term &term : part.terms) {
    Int k = term.coefficient;
    if (!multiply_by(k, factor) || find_term(form, term.atom, k) == form.terms.size()) return false;
  }
  return true;
}

/// What a reader sees of a form: terms and constant.
inline std::size_t size_of(const Linear &form) { return form.terms.size() + (form.constant != 0 ? 1 : 0); }

inline bool is_compound(const Expr &atom) { return atom.node()->kind() == ir::ExprKind::binary; }

}  // namespace summing

/// Puts factor · by in place of the terms at `gone`.
LATHE_INLINE bool Reasoner::replace(Linear &form, std::initializer_list<std::size_t> gone, const Linear &by, Int factor) {
  Linear kept{{}, form.constant};
  for (std::size_t i = 0; i < form.terms.size(); ++i)
    if (!lists::contains(gone, i)) kept.terms.push_back(form.terms[i]);
  LinearSum out(std::move(kept));
  out.add(by, factor);
  if (out.overflow()) return false;
  form = out.take();
  return true;
}

/// k c · (x / c) = k x where c divides x; k c · (x / c) - k x = -k · (x % c).
LATHE_INLINE bool Reasoner::merge_quotients(Linear &form) {
  for (std::size_t i = 0; i < form.terms.size(); ++i) {
    const Linear::Term term = form.terms[i];
    if (const auto by = by_constant(term.atom, BinaryOp::div)) {
      if (term.coefficient % by.c != 0 || term.coefficient == Bounds::unbounded_below) continue;
      const Int k = term.coefficient / by.c;
      const Linear x = linear_form(*by.x);
      if (remainder_of(congruence(x), by.c) == 0) return replace(form, {i}, x, k);
      if (!summing::contains(form, x, -k)) continue;
      LinearSum exact(x);
      exact.add(remainder(x, by.c), -1);
      if (!exact.overflow()) return replace(form, {i}, exact.take(), k);
    } else if (as_binary(term.atom, BinaryOp::mul) && term.coefficient != Bounds::unbounded_below) {
      List<Expr> factors;
      collect_factors(term.atom, factors);
      for (std::size_t f = 0; factors.size() == 2 && f < 2; ++f) {
        const auto *q = as_binary(factors[f], BinaryOp::div);
        if (!q || !same(q->b, factors[1 - f]) || bounds(q->b).min < 1) continue;
        const Linear x = linear_form(q->a);
        if (!summing::contains(form, x, -term.coefficient)) continue;
        LinearSum exact(x);
        exact.add_flattened(modulo(q->a, q->b), -1);
        if (!exact.overflow()) return replace(form, {i}, exact.take(), term.coefficient);
      }
    }
  }
  return false;
}

/// k · (x % c) + k c · (x / c) = k x; k · (x % c) + k c · ((x / c) % d) = k · (x % (c d)).
LATHE_INLINE bool Reasoner::merge_remainders(Linear &form) {
  for (std::size_t i = 0; i < form.terms.size(); ++i) {
    const Linear::Term term = form.terms[i];
    const auto *node = as_binary(term.atom, BinaryOp::mod);
    if (!node) continue;
    Int wanted = term.coefficient;
    const auto by = by_constant(term.atom, BinaryOp::mod);
    if (by && !multiply_by(wanted, by.c)) continue;
    if (!by && bounds(node->b).min < 1) continue;
    const auto partner = [&](const Linear::Term &t) { return t.coefficient == wanted && summing::is_compound(t.atom); };
    if (lists::none_of(form.terms, partner)) continue;
    const Expr q = quotient(node->a, node->b);
    const std::size_t whole = summing::find_term(form, by ? q : product(q, node->b), wanted);
    if (whole < form.terms.size() && whole != i) return replace(form, {i, whole}, linear_form(node->a), term.coefficient);
    for (std::size_t j = 0; j < form.terms.size(); ++j) {
      if (j == i || !partner(form.terms[j])) continue;
      List<Expr> factors;
      collect_factors(form.terms[j].atom, factors);
      if (!by && (factors.size() != 2 || !(same(factors[0], node->b) || same(factors[1], node->b)))) continue;
      const Expr &other = by ? form.terms[j].atom : same(factors[0], node->b) ? factors[1] : factors[0];
      const auto *digit = as_binary(other, BinaryOp::mod);
      if (!digit || !same(digit->a, q) || bounds(digit->b).min < 1) continue;
      const Expr both = product(digit->b, node->b);
      return replace(form, {i, j}, linear_form(modulo(node->a, both)), term.coefficient);
    }
  }
  return false;
}

/// k · min(a, b) + r = min(k a + r, k b + r), for k > 0, where that is shorter.
LATHE_INLINE bool Reasoner::push_into_extremum(Linear &form) {
  for (std::size_t i = 0; i < form.terms.size(); ++i) {
    const Int k = form.terms[i].coefficient;
    const auto *node = form.terms[i].atom.as<Binary>();
    if (!node || (node->op != BinaryOp::min && node->op != BinaryOp::max)) continue;
    if (form.terms.size() == 1 && form.constant == 0) continue;
    List<Expr> operands;
    collect_operands(form.terms[i].atom, node->op, operands);
    Linear others = form;
    others.terms.erase(others.terms.begin() + static_cast<std::ptrdiff_t>(i));
    std::size_t size = summing::size_of(others), new_size = 0;
    List<Linear> pushed;
    bool fits = true;
    for (const Expr &operand : operands) {
      size += summing::size_of(linear_form(operand));
      LinearSum out(others);
      out.add_flattened(operand, k);
      fits = fits && !out.overflow();
      pushed.push_back(out.take());
      new_size += summing::size_of(pushed.back());
    }
    if (!fits || new_size >= size) continue;
    const BinaryOp flipped = node->op == BinaryOp::min ? BinaryOp::max : BinaryOp::min;
    const BinaryOp op = k > 0 ? node->op : flipped;
    Expr result = sum(std::move(pushed[0]));
    for (std::size_t j = 1; j < pushed.size(); ++j) result = extremum(op, result, sum(std::move(pushed[j])));
    form = linear_form(result);
    return true;
  }
  return false;
}

LATHE_INLINE void Reasoner::settle_terms(Linear &form) {
  const auto compound = [](const Linear::Term &term) { return summing::is_compound(term.atom); };
  constexpr std::size_t many = 64;  // the rules compare pairs of terms
  if (form.terms.size() <= many && lists::any_of(form.terms, compound))
    for (int round = 0; round < 8; ++round)
      if (!merge_quotients(form) && !merge_remainders(form) && !push_into_extremum(form)) break;
  lists::sort(form.terms, [&](const Linear::Term &a, const Linear::Term &b) { return before(a.atom, b.atom); });
}

LATHE_INLINE Expr Reasoner::sum(Linear form) {
  settle_terms(form);
  return from_linear(form);
}

// ---- minimum and maximum ------------------------------------------------------------------------------------------------------

/// The operands of nested extrema, also of min(a, b) + c.
LATHE_INLINE void Reasoner::collect_operands(const Expr &e, BinaryOp op, List<Expr> &operands) {
  constexpr std::size_t most = 8;
  List<Expr> stack{e};
  while (!stack.empty()) {
    const Expr x = std::move(stack.back());
    stack.pop_back();
    const auto *node = as_binary(x, op);
    if (node && operands.size() + stack.size() < most) {
      stack.push_back(node->b);
      stack.push_back(node->a);
      continue;
    }
    if (Linear form = linear_form(x); form.terms.size() == 1 && form.terms[0].coefficient == 1 && form.constant != 0)
      if (const auto *inner = as_binary(form.terms[0].atom, op); inner && operands.size() + stack.size() < most) {
        for (const Expr *operand : {&inner->b, &inner->a}) {
          LinearSum shifted;
          shifted.add_flattened(*operand, 1);
          shifted.add_constant(form.constant);
          stack.push_back(shifted.overflow() ? Expr() : sum(shifted.take()));
        }
        if (stack.back().defined() && stack[stack.size() - 2].defined()) continue;
        stack.resize(stack.size() - 2);
      }
    operands.push_back(x);
  }
}

LATHE_INLINE Expr Reasoner::extremum(BinaryOp op, const Expr &a, const Expr &b) {
  List<Expr> operands, kept;
  collect_operands(a, op, operands);
  collect_operands(b, op, operands);
  const auto decides = [&](const Expr &x, const Expr &y) {  // the extremum of x and y is always x
    if (same(x, y)) return true;
    LinearSum out;
    out.add_flattened(op == BinaryOp::max ? x : y, 1);
    out.add_flattened(op == BinaryOp::max ? y : x, -1);
    return !out.overflow() && nonnegative(out.take());
  };
  for (const Expr &x : operands) {
    if (lists::any_of(kept, [&](const Expr &y) { return decides(y, x); })) continue;
    erase_if(kept, [&](const Expr &y) { return decides(x, y); });
    kept.push_back(x);
  }
  lists::sort(kept, [&](const Expr &x, const Expr &y) {
    const bool constant_x = scalar_constant(x) != nullptr, constant_y = scalar_constant(y) != nullptr;
    return constant_x != constant_y ? constant_y : before(x, y);
  });
  Expr result = kept.front();
  for (std::size_t i = 1; i < kept.size(); ++i) {
    result = index_node(op, result, kept[i]);
    rank(result);
  }
  return is_leaf(result) ? result : value_or_point(result);
}

}  // namespace lathe::inline LATHE_ABI::arith
