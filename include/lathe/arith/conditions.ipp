// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Rules of comparisons of indices, of logic and of selects. A comparison is decided, or written without a common divisor, every
/// term on the side where it is positive.

#include "lathe/arith/reason.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/lists.hpp"

namespace lathe::inline LATHE_ABI::arith {

namespace conditions {

inline Expr node(BinaryOp op, Expr a, Expr b) { return ir::make(scalar_types::boolean, Binary{op, std::move(a), std::move(b)}); }

inline bool compares_indices(const Expr &e) {
  const auto *b = e.as<Binary>();
  return b && is_comparison(b->op) && b->a.type() == DType(scalar_types::index);
}

/// The terms with positive and with negative coefficients, those negated.
struct Sides {
  Linear positive, negative;
};
LATHE_INLINE Sides sides_of(const Linear &form) {
  Sides sides;
  for (const Linear::Term &term : form.terms) {
    if (term.coefficient > 0)
      sides.positive.terms.push_back(term);
    else
      sides.negative.terms.push_back({term.atom, -term.coefficient});
  }
  return sides;
}

/// A comparison left op right that is about to be written; every term stands on the side where it is positive.
struct Written {
  BinaryOp op;
  Linear left, right;
};

/// form ≥ 0
LATHE_INLINE Written at_least_zero(const Linear &form) {
  Sides sides = sides_of(form);
  const Int c = form.constant;
  if (sides.negative.terms.empty()) return {BinaryOp::ge, std::move(sides.positive), {{}, -c}};
  if (sides.positive.terms.empty()) return {BinaryOp::lt, std::move(sides.negative), {{}, c + 1}};
  if (c > 0) sides.positive.constant = c + 1;
  if (c < 0) sides.negative.constant = -c - 1;
  return {c == 0 ? BinaryOp::le : BinaryOp::lt, std::move(sides.negative), std::move(sides.positive)};
}

/// form == 0 or form != 0
LATHE_INLINE Written equal_to_zero(BinaryOp op, const Linear &form) {
  Sides sides = sides_of(form);
  const bool flip = form.terms.front().coefficient < 0;
  if (flip) std::swap(sides.positive, sides.negative);
  const Int c = flip ? -form.constant : form.constant;
  if (sides.negative.terms.empty() || c <= 0)
    sides.negative.constant = -c;
  else
    sides.positive.constant = c;
  return {op, std::move(sides.positive), std::move(sides.negative)};
}

/// The form of which the comparison says ≥ 0, == 0 or != 0.
LATHE_INLINE std::optional<Linear> form_of(const Written &w) {
  const bool less = w.op == BinaryOp::lt || w.op == BinaryOp::le;
  LinearSum out(less ? w.right : w.left);
  out.add(less ? w.left : w.right, -1);
  if (w.op == BinaryOp::lt) out.add_constant(-1);
  if (out.overflow()) return std::nullopt;
  return out.take();
}

/// What the comparison says as form ≥ 0, or nothing.
LATHE_INLINE std::optional<Linear> inequality_of(const Expr &e) {
  if (!compares_indices(e)) return std::nullopt;
  const auto &b = *e.as<Binary>();
  if (b.op == BinaryOp::eq || b.op == BinaryOp::ne) return std::nullopt;
  const bool greater = b.op == BinaryOp::gt || b.op == BinaryOp::ge;
  LinearSum out;
  out.add_flattened(greater ? b.a : b.b, 1);
  out.add_flattened(greater ? b.b : b.a, -1);
  if (b.op == BinaryOp::lt || b.op == BinaryOp::gt) out.add_constant(-1);
  if (out.overflow()) return std::nullopt;
  return out.take();
}

inline BinaryOp opposite(BinaryOp op) {
  switch (op) {
    case BinaryOp::eq: return BinaryOp::ne;
    case BinaryOp::ne: return BinaryOp::eq;
    case BinaryOp::lt: return BinaryOp::ge;
    case BinaryOp::le: return BinaryOp::gt;
    case BinaryOp::gt: return BinaryOp::le;
    case BinaryOp::ge: return BinaryOp::lt;
    case BinaryOp::logical_and: return BinaryOp::logical_or;
    default: return BinaryOp::logical_and;
  }
}

/// An operand of a conjunction or disjunction.
struct Part {
  Expr e;
  std::optional<Linear> form;  ///< it says form ≥ 0
  bool replaced = false;
};

/// The operands of nested junctions, the first ones left together when there are many.
LATHE_INLINE void collect(const Expr &junction, BinaryOp op, List<Part> &parts) {
  constexpr std::size_t most = 16;
  List<Expr> stack{junction};
  while (!stack.empty()) {
    const Expr e = std::move(stack.back());
    stack.pop_back();
    const auto *node = e.as<Binary>();
    if (node && node->op == op && parts.size() + stack.size() < most) {
      stack.push_back(node->b);
      stack.push_back(node->a);
    } else {
      parts.push_back({e, inequality_of(e)});
    }
  }
}

enum class Added { kept, dropped, replaced, decides };

/// How `part` goes together with the first `count` of `kept`: it may be implied by one, replace one or decide the whole with one.
LATHE_INLINE Added add(List<Part> &kept, std::size_t count, const Part &part, bool conjunction) {
  for (std::size_t i = 0; i < count; ++i) {
    Part &old = kept[i];
    if (same(old.e, part.e)) return Added::dropped;
    if (!old.form || !part.form) continue;
    LinearSum difference(*part.form), total(*part.form);
    difference.add(*old.form, -1);
    total.add(*old.form, 1);
    const Linear d = difference.take(), t = total.take();
    if (difference.overflow() || total.overflow()) continue;
    if (t.terms.empty() && (conjunction ? t.constant < 0 : t.constant >= -1)) return Added::decides;
    if (!d.terms.empty()) continue;
    if ((d.constant < 0) != conjunction) return Added::dropped;
    old = part;  // it says more in a conjunction, less in a disjunction
    old.replaced = true;
    return Added::replaced;
  }
  return Added::kept;
}

inline Expr written(const Written &w) { return node(w.op, from_linear(w.left), from_linear(w.right)); }

/// Ends of int64 leave no room to move constants about.
inline bool roomy(const Linear &form) {
  constexpr Int most = Bounds::unbounded_above / 2;
  for (const Linear::Term &term : form.terms)
    if (term.coefficient > most || term.coefficient < -most) return false;
  return form.constant < most && form.constant > -most;
}

}  // namespace conditions

/// x / c ≥ r is x ≥ c r, and x / c ≤ r is x ≤ c r + c - 1: no division is left to compare.
LATHE_INLINE std::optional<Linear> Reasoner::without_quotient(const Linear &form) {
  for (const Linear::Term &term : form.terms) {
    const auto by = by_constant(term.atom, BinaryOp::div);
    if (!by || magnitude(term.coefficient) != 1) continue;
    LinearSum out;
    for (const Linear::Term &other : form.terms) {
      Int k = other.coefficient;
      if (other.atom.same_as(term.atom)) continue;
      if (multiply_by(k, by.c))
        out.add(other.atom, k);
      else
        out.fail();
    }
    out.add_constant(form.constant, by.c);
    out.add_flattened(*by.x, term.coefficient);
    if (term.coefficient < 0) out.add_constant(by.c - 1);
    if (out.overflow()) continue;
    Linear rewritten = out.take();
    if (conditions::roomy(rewritten)) return rewritten;
  }
  return std::nullopt;
}

/// form ≥ 0 without a common divisor and without a quotient that can go.
LATHE_INLINE void Reasoner::normalise_inequality(Linear &form) {
  for (int round = 0; round < 16; ++round) {
    Int g = 0;
    for (const Linear::Term &term : form.terms) g = common_divisor(g, term.coefficient);
    if (g > 1) {
      for (Linear::Term &term : form.terms) term.coefficient /= g;
      form.constant = floor_div(form.constant, g);
      settle_terms(form);
    }
    auto rewritten = without_quotient(form);
    if (!rewritten) return;
    form = *std::move(rewritten);
    settle_terms(form);
  }
}

/// Settles the terms of each side of a comparison by themselves. True if that changed `form`: sums are settled differently where
/// they stand alone.
LATHE_INLINE bool Reasoner::settle_sides(BinaryOp op, Linear &form) {
  const auto compound = [](const Linear::Term &term) { return term.atom.node()->kind() == ir::ExprKind::binary; };
  if (lists::none_of(form.terms, compound)) return false;
  const bool equality = op == BinaryOp::eq || op == BinaryOp::ne;
  conditions::Written w = equality ? conditions::equal_to_zero(op, form) : conditions::at_least_zero(form);
  const Linear left = w.left, right = w.right;
  settle_terms(w.left);
  settle_terms(w.right);
  if (same(left, w.left) && same(right, w.right)) return false;
  auto settled = conditions::form_of(w);
  if (!settled || !conditions::roomy(*settled) || settled->terms.empty()) return false;
  settle_terms(*settled);
  form = *std::move(settled);
  return true;
}

/// min(a, b) + c ≥ 0 is a + c ≥ 0 && b + c ≥ 0, and so on for the other signs; undefined for other forms.
LATHE_INLINE Expr Reasoner::split_extremum(const Linear &form, int depth) {
  constexpr int most_depth = 8;
  const auto *node = form.terms.size() == 1 && depth < most_depth ? form.terms[0].atom.as<Binary>() : nullptr;
  if (!node || (node->op != BinaryOp::min && node->op != BinaryOp::max)) return {};
  const Int k = form.terms[0].coefficient;
  LinearSum sides[2];
  for (int i = 0; i < 2; ++i) {
    sides[i].add_flattened(i == 0 ? node->a : node->b, k);
    sides[i].add_constant(form.constant);
  }
  Linear a = sides[0].take(), b = sides[1].take();
  if (sides[0].overflow() || sides[1].overflow() || !conditions::roomy(a) || !conditions::roomy(b)) return {};
  settle_terms(a);
  settle_terms(b);
  const BinaryOp op = (k > 0) == (node->op == BinaryOp::min) ? BinaryOp::logical_and : BinaryOp::logical_or;
  return junction(op, at_least_zero(std::move(a), depth + 1), at_least_zero(std::move(b), depth + 1));
}

LATHE_INLINE Expr Reasoner::at_least_zero(Linear form, int depth) {
  for (int round = 0; round < 4; ++round) {
    normalise_inequality(form);
    if (!settle_sides(BinaryOp::ge, form)) break;
  }
  if (nonnegative(form)) return ir::boolean(true);
  if (nonnegative(form, -1, -1)) return ir::boolean(false);
  const Expr split = split_extremum(form, depth);
  return split.defined() ? split : known_condition(conditions::written(conditions::at_least_zero(form)));
}

LATHE_INLINE Expr Reasoner::compare(BinaryOp op, const Expr &a, const Expr &b) {
  const bool less = op == BinaryOp::lt || op == BinaryOp::le;
  LinearSum out;
  out.add_flattened(less ? b : a, 1);
  out.add_flattened(less ? a : b, -1);
  if (op == BinaryOp::lt || op == BinaryOp::gt) out.add_constant(-1);
  Linear form = out.take();
  if (out.overflow() || !conditions::roomy(form)) return conditions::node(op, a, b);
  settle_terms(form);
  if (op != BinaryOp::eq && op != BinaryOp::ne) return at_least_zero(std::move(form));
  return equality(op, std::move(form));
}

LATHE_INLINE Expr Reasoner::equality(BinaryOp op, Linear form) {
  const bool if_equal = op == BinaryOp::eq;
  if (form.terms.empty()) return ir::boolean((form.constant == 0) == if_equal);
  for (int round = 0; round < 4 && settle_sides(op, form); ++round) {
  }
  Int g = 0;
  for (const Linear::Term &term : form.terms) g = common_divisor(g, term.coefficient);
  if (form.constant % g != 0) return ir::boolean(!if_equal);
  for (Linear::Term &term : form.terms) term.coefficient /= g;
  form.constant /= g;
  if (g > 1) settle_terms(form);
  const Congruence known = congruence(form);
  if (known.remainder != 0) return ir::boolean(!if_equal);
  if (nonnegative(form, 1, -1) || nonnegative(form, -1, -1)) return ir::boolean(!if_equal);
  if (nonnegative(form) && nonnegative(form, -1, 0)) return ir::boolean(if_equal);
  return known_condition(conditions::written(conditions::equal_to_zero(op, form)));
}

// ---- logic --------------------------------------------------------------------------------------------------------------------

/// Conjunction or disjunction: equal operands and those that another implies are dropped; the order stays, for && and || guard
/// loads.
LATHE_INLINE Expr Reasoner::junction(BinaryOp op, const Expr &a, const Expr &b) {
  const bool conjunction = op == BinaryOp::logical_and;
  for (const Expr *e : {&a, &b}) {
    if (ir::is_constant(*e, conjunction ? 1 : 0)) return e == &a ? b : a;
    if (ir::is_constant(*e, conjunction ? 0 : 1)) return *e;
  }
  List<conditions::Part> kept;
  conditions::collect(a, op, kept);
  const std::size_t old = kept.size();
  List<conditions::Part> more;
  conditions::collect(b, op, more);
  bool changed = more.size() > 1;  // then the operands are chained anew
  for (conditions::Part &part : more) {
    switch (conditions::add(kept, old, part, conjunction)) {
      case conditions::Added::decides: return ir::boolean(!conjunction);
      case conditions::Added::replaced:
      case conditions::Added::dropped: changed = true; break;
      case conditions::Added::kept: kept.push_back(std::move(part)); break;
    }
  }
  if (!changed) return conditions::node(op, a, b);
  if (kept.size() == old && lists::none_of(kept, [](const auto &part) { return part.replaced; })) return a;
  Expr result = kept.front().e;
  for (std::size_t i = 1; i < kept.size(); ++i) result = conditions::node(op, result, kept[i].e);
  return result;
}

LATHE_INLINE Expr Reasoner::negation(const Expr &a) {
  if (const auto known = ir::constant_integer(a)) return ir::boolean(*known == 0);
  if (const auto *u = a.as<ir::Unary>(); u && u->op == ir::UnaryOp::logical_not) return u->a;
  if (const auto *b = a.as<Binary>()) {
    if (conditions::compares_indices(a)) return compare(conditions::opposite(b->op), b->a, b->b);
    const DType operands = b->a.type();
    const bool total_order = operands.is_data_integer() || operands.is_bool();
    if (is_comparison(b->op) && (total_order || (operands.is_float() && (b->op == BinaryOp::eq || b->op == BinaryOp::ne))))
      return conditions::node(conditions::opposite(b->op), b->a, b->b);
    const auto flips = [](const Expr &e) {
      const auto *u = e.as<ir::Unary>();
      return conditions::compares_indices(e) || (u && u->op == ir::UnaryOp::logical_not);
    };
    if (is_logical(b->op) && flips(b->a) && flips(b->b))
      return junction(conditions::opposite(b->op), negation(b->a), negation(b->b));
  }
  return ir::make(scalar_types::boolean, ir::Unary{ir::UnaryOp::logical_not, a});
}

LATHE_INLINE Expr Reasoner::choice(const Expr &condition, const Expr &a, const Expr &b, bool guards) {
  if (ir::is_true(condition) || same(a, b)) return a;
  if (ir::is_false(condition)) return b;
  if (a.type().is_bool() && ir::is_true(a) && ir::is_false(b)) return condition;
  if (a.type().is_bool() && ir::is_false(a) && ir::is_true(b)) return negation(condition);
  return ir::make(a.type(), ir::Select{condition, a, b, guards});
}

}  // namespace lathe::inline LATHE_ABI::arith
