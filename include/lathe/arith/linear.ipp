// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Linear forms: taking sums apart, adding them up, writing them as expressions; equality and order of atoms.

#include <algorithm>

#include "lathe/arith/reason.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::arith {

// ---- equality -----------------------------------------------------------------------------------------------------------------

LATHE_INLINE bool same(const Expr &a, const Expr &b, int depth) {
  if (a.same_as(b)) return true;
  if (a.node()->kind() != b.node()->kind() || a.type() != b.type()) return false;
  switch (a.node()->kind()) {
    case ir::ExprKind::constant: return a.as<ir::Const>()->bits == b.as<ir::Const>()->bits;
    case ir::ExprKind::var: return a.as<ir::VarRef>()->var == b.as<ir::VarRef>()->var;
    case ir::ExprKind::binary: {
      const auto &x = *a.as<Binary>(), &y = *b.as<Binary>();
      if (x.op != y.op) return false;
      if (depth > 0) return same(x.b, y.b, depth - 1) && same(x.a, y.a, depth - 1);
      break;
    }
    default: break;
  }
  return ir::equal(a, b);
}

LATHE_INLINE bool same_terms(const Linear &a, const Linear &b, Int sign) {
  if (a.terms.size() != b.terms.size()) return false;
  for (std::size_t i = 0; i < a.terms.size(); ++i)
    if (sign > 0 ? a.terms[i].coefficient != b.terms[i].coefficient
                 : a.terms[i].coefficient == Bounds::unbounded_below || -a.terms[i].coefficient != b.terms[i].coefficient)
      return false;
  for (std::size_t i = 0; i < a.terms.size(); ++i)
    if (!same(a.terms[i].atom, b.terms[i].atom)) return false;
  return true;
}

LATHE_INLINE bool same(const Linear &a, const Linear &b) { return a.constant == b.constant && same_terms(a, b); }

// ---- nodes --------------------------------------------------------------------------------------------------------------------

LATHE_INLINE Expr index_node(BinaryOp op, Expr a, Expr b) {
  return ir::make(scalar_types::index, Binary{op, std::move(a), std::move(b)});
}

LATHE_INLINE Expr index_constant(Int value) {
  return ir::make(scalar_types::index, ir::Const{static_cast<std::uint64_t>(value)});
}

LATHE_INLINE const Binary *as_binary(const Expr &e, BinaryOp op) {
  const auto *node = e.as<Binary>();
  return node && node->op == op && e.type() == DType(scalar_types::index) ? node : nullptr;
}

LATHE_INLINE ByConstant by_constant(const Expr &e, BinaryOp op) {
  const auto *node = as_binary(e, op);
  const auto *c = node ? scalar_constant(node->b) : nullptr;
  return c && value_of(*c) > 0 ? ByConstant{&node->a, value_of(*c)} : ByConstant{};
}

LATHE_INLINE void collect_factors(const Expr &atom, List<Expr> &factors) {
  List<Expr> stack{atom};
  while (!stack.empty()) {
    const Expr e = std::move(stack.back());
    stack.pop_back();
    if (const auto *node = as_binary(e, BinaryOp::mul)) {
      stack.push_back(node->b);
      stack.push_back(node->a);
    } else {
      factors.push_back(e);
    }
  }
}

LATHE_INLINE bool is_linear_node(const Expr &e) {
  if (e.type() != DType(scalar_types::index)) return false;
  if (const auto *u = e.as<ir::Unary>()) return u->op == ir::UnaryOp::neg;
  const auto *b = e.as<Binary>();
  if (!b) return false;
  if (b->op == BinaryOp::mul) return scalar_constant(b->a) || scalar_constant(b->b);
  return b->op == BinaryOp::add || b->op == BinaryOp::sub;
}

// ---- sums ---------------------------------------------------------------------------------------------------------------------

LATHE_INLINE void LinearSum::add(const Expr &atom, Int coefficient) {
  if (coefficient == 0) return;
  constexpr std::size_t many = 24;  // more terms than that are found by their hashes
  const auto merge = [&](Linear::Term &term) {
    if (!same(term.atom, atom)) return false;
    overflow_ |= !add_to(term.coefficient, coefficient);
    return true;
  };
  if (form_.terms.size() < many) {
    for (Linear::Term &term : form_.terms)
      if (merge(term)) return;
  } else {
    const auto hash = [](const Expr &e) {
      const auto *v = e.as<ir::VarRef>();
      return v ? ir::key_hash(v->var) : ir::hash(e);
    };
    // Under the hash of its atom, or the next free number.
    const auto find = [&](const Expr &of, auto is_it) {
      std::size_t key = hash(of);
      const SortedMap<std::size_t>::Entry *at;
      while ((at = positions_.find(static_cast<Int>(key))) && !is_it(at->second)) ++key;
      return std::pair{at != nullptr, static_cast<Int>(key)};
    };
    for (std::size_t i = positions_.size(); i < form_.terms.size(); ++i)
      positions_[find(form_.terms[i].atom, [](std::size_t) { return false; }).second] = i;
    const auto [merged, key] = find(atom, [&](std::size_t i) { return merge(form_.terms[i]); });
    if (merged) return;
    positions_[key] = form_.terms.size();
  }
  if (form_.terms.empty()) form_.terms.reserve(4);
  form_.terms.push_back({atom, coefficient});
}

LATHE_INLINE void LinearSum::add(const Linear &form, Int factor) {
  for (const Linear::Term &term : form.terms) {
    Int coefficient = term.coefficient;
    if (multiply_by(coefficient, factor))
      add(term.atom, coefficient);
    else
      overflow_ = true;
  }
  add_constant(form.constant, factor);
}

namespace flattening {

struct Part {
  const Expr *e;
  Int factor;
};

/// Calls `operand` on the operands of a linear node, the first last. False on overflow.
template <class Visit>
bool for_each_part(const Expr &e, Int factor, Visit &&operand) {
  if (const auto *u = e.as<ir::Unary>()) return multiply_by(factor, -1) && (operand(u->a, factor), true);
  const auto &b = *e.as<Binary>();
  Int other = factor;
  switch (b.op) {
    case BinaryOp::mul: {
      const auto *c = scalar_constant(b.b);
      const Expr &x = c ? b.a : b.b;
      if (!multiply_by(factor, value_of(c ? *c : *scalar_constant(b.a)))) return false;
      operand(x, factor);
      return true;
    }
    case BinaryOp::sub:
      if (!multiply_by(other, -1)) return false;
      [[fallthrough]];
    default:
      operand(b.b, other);
      operand(b.a, factor);
      return true;
  }
}

}  // namespace flattening

LATHE_INLINE void LinearSum::add_flattened(const Expr &e, Int factor) {
  if (!is_linear_node(e)) {
    if (const auto *c = scalar_constant(e)) return add_constant(value_of(*c), factor);
    return add(e, factor);
  }
  constexpr int room = 32;
  flattening::Part stack[room] = {{&e, factor}};
  const LinearSum before = *this;
  int steps = 0;
  for (int size = 1; size > 0; ++steps) {
    const flattening::Part part = stack[--size];
    if (is_linear_node(*part.e)) {
      if (steps > 200 || size + 2 > room) {  // perhaps a sum of shared sums, which has exponentially many paths
        *this = before;
        return add_shared(e, factor);
      }
      if (!flattening::for_each_part(*part.e, part.factor, [&](const Expr &x, Int k) { stack[size++] = {&x, k}; })) return fail();
    } else if (const auto *c = scalar_constant(*part.e)) {
      add_constant(value_of(*c), part.factor);
    } else {
      add(*part.e, part.factor);
    }
    if (overflow_) return;
  }
}

/// The same, each shared node once: coefficients flow from the root through the linear nodes in topological order.
LATHE_INLINE void LinearSum::add_shared(const Expr &root, Int factor) {
  List<const Expr *> order;  // linear nodes, operands first
  Memo<std::size_t> position;
  List<std::pair<const Expr *, bool>> stack{{&root, false}};
  while (!stack.empty()) {
    auto &[e, entered] = stack.back();
    if (entered) {
      position.note(*e, order.size());
      order.push_back(e);
      stack.pop_back();
    } else if (position.find(*e)) {
      stack.pop_back();
    } else {
      entered = true;
      flattening::for_each_part(*e, 1, [&, linear = &stack](const Expr &x, Int) {
        if (is_linear_node(x) && !position.find(x)) linear->push_back({&x, false});
      });
    }
  }
  List<Int> factors(order.size(), 0);
  factors.back() = factor;
  for (std::size_t i = order.size(); i-- > 0;) {
    const bool fits = flattening::for_each_part(*order[i], factors[i], [&](const Expr &x, Int k) {
      if (const auto *at = position.find(x))
        overflow_ |= !add_to(factors[*at], k);
      else if (const auto *c = scalar_constant(x))
        add_constant(value_of(*c), k);
      else
        add(x, k);
    });
    if (!fits) overflow_ = true;
    if (overflow_) return;
  }
}

LATHE_INLINE Linear LinearSum::take() {
  erase_if(form_.terms, [](const Linear::Term &term) { return term.coefficient == 0; });
  positions_ = {};
  return std::move(form_);
}

LATHE_INLINE Linear linear_form(const Expr &e) {
  LinearSum sum;
  sum.add_flattened(e, 1);
  return sum.overflow() ? Linear{{{e, 1}}, 0} : sum.take();
}

namespace flattening {

LATHE_INLINE Expr scaled(const Expr &atom, Int k) {
  if (k == 1) return atom;
  if (k == -1) return ir::make(scalar_types::index, ir::Unary{ir::UnaryOp::neg, atom});
  return index_node(BinaryOp::mul, atom, index_constant(k));
}

}  // namespace flattening

LATHE_INLINE Expr from_linear(const Linear &linear) {
  const auto &terms = linear.terms;
  if (terms.empty()) return index_constant(linear.constant);
  std::size_t first = 0;
  while (first < terms.size() && terms[first].coefficient < 0) ++first;
  Int constant = linear.constant;
  Expr sum;
  if (first < terms.size()) {
    sum = flattening::scaled(terms[first].atom, terms[first].coefficient);
  } else if (constant > 0) {
    sum = index_constant(constant);
    constant = 0;
  } else {
    first = 0;
    sum = flattening::scaled(terms[0].atom, terms[0].coefficient);
  }
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (i == first) continue;
    const Int k = terms[i].coefficient;
    if (k > 0 || k == Bounds::unbounded_below)
      sum = index_node(BinaryOp::add, sum, flattening::scaled(terms[i].atom, k));
    else
      sum = index_node(BinaryOp::sub, sum, flattening::scaled(terms[i].atom, -k));
  }
  if (constant > 0 || constant == Bounds::unbounded_below) return index_node(BinaryOp::add, sum, index_constant(constant));
  return constant < 0 ? index_node(BinaryOp::sub, sum, index_constant(-constant)) : sum;
}

namespace flattening {

/// Whether `e` is what `scaled` gives.
inline bool is_scaled(const Expr &e, const Expr &atom, Int k) {
  if (k == 1) return same(e, atom);
  if (k == -1) {
    const auto *u = e.as<ir::Unary>();
    return u && u->op == ir::UnaryOp::neg && same(u->a, atom);
  }
  const auto *b = as_binary(e, BinaryOp::mul);
  const auto *c = b ? scalar_constant(b->b) : nullptr;
  return c && value_of(*c) == k && same(b->a, atom);
}

}  // namespace flattening

LATHE_INLINE bool is_written_as(const Expr &e, const Linear &linear) {
  const auto &terms = linear.terms;
  std::size_t first = 0;
  while (first < terms.size() && terms[first].coefficient < 0) ++first;
  if (first == terms.size() || linear.constant == Bounds::unbounded_below) return false;  // rare: built and compared
  const Expr *left = &e;
  const auto peel = [&](BinaryOp op) {
    const auto *b = as_binary(*left, op);
    if (b) left = &b->a;
    return b ? &b->b : nullptr;
  };
  if (linear.constant != 0) {
    const Expr *right = peel(linear.constant > 0 ? BinaryOp::add : BinaryOp::sub);
    const auto *c = right ? scalar_constant(*right) : nullptr;
    if (!c || value_of(*c) != magnitude(linear.constant)) return false;
  }
  for (std::size_t i = terms.size(); i-- > 0;) {
    if (i == first) continue;
    const Int k = terms[i].coefficient;
    const Expr *right = peel(k > 0 ? BinaryOp::add : BinaryOp::sub);
    if (!right || !flattening::is_scaled(*right, terms[i].atom, magnitude(k))) return false;
  }
  return flattening::is_scaled(*left, terms[first].atom, terms[first].coefficient);
}

// ---- order --------------------------------------------------------------------------------------------------------------------

LATHE_INLINE int Reasoner::rank_of(const Var &var) const {
  const auto innermost = static_cast<int>(known_.variables.size());
  for (const StandIn &s : stand_ins_)
    if (s.var == var) return innermost + 1;
  for (const LaneVar &lane : lanes_)
    if (lane.var == var) return innermost;
  for (int i = innermost; i-- > 0;)
    if (known_.variables[static_cast<std::size_t>(i)]->var == var) return i;
  return -1;
}

LATHE_INLINE int Reasoner::rank(const Expr &e, int depth) {
  if (const auto *v = e.as<ir::VarRef>()) return rank_of(v->var);
  if (is_leaf(e)) return -1;
  if (const int *known = ranks_.find(e)) return *known;
  int found = -1;
  if (const auto *b = e.as<Binary>(); b && depth > 0) {
    found = std::max(rank(b->a, depth - 1), rank(b->b, depth - 1));
  } else if (const auto *u = e.as<ir::Unary>(); u && depth > 0) {
    found = rank(u->a, depth - 1);
  } else {
    ir::walk(e, [&](const Expr &x) {
      if (const auto *v = x.as<ir::VarRef>()) found = std::max(found, rank_of(v->var));
    });
  }
  ranks_.note(e, found);
  return found;
}

namespace ordering {

/// <0, 0, >0 by structure, as far as `depth` reaches. 0 for what only identity tells apart.
LATHE_INLINE int compare(const Expr &a, const Expr &b, int depth) {
  if (a.same_as(b)) return 0;
  const auto kind_a = static_cast<int>(a.node()->kind()), kind_b = static_cast<int>(b.node()->kind());
  if (kind_a != kind_b) return kind_a - kind_b;
  switch (a.node()->kind()) {
    case ir::ExprKind::constant: {
      const Int x = value_of(*a.as<ir::Const>()), y = value_of(*b.as<ir::Const>());
      return x < y ? -1 : x > y ? 1 : 0;
    }
    case ir::ExprKind::var: return a.as<ir::VarRef>()->var.name().compare(b.as<ir::VarRef>()->var.name());
    case ir::ExprKind::binary: {
      const auto &x = *a.as<Binary>(), &y = *b.as<Binary>();
      if (x.op != y.op) return static_cast<int>(x.op) - static_cast<int>(y.op);
      if (depth == 0) return 0;
      const int first = compare(x.a, y.a, depth - 1);
      return first != 0 ? first : compare(x.b, y.b, depth - 1);
    }
    default: return 0;
  }
}

}  // namespace ordering

LATHE_INLINE bool Reasoner::before(const Expr &a, const Expr &b) {
  const int rank_a = rank(a), rank_b = rank(b);
  if (rank_a != rank_b) return rank_a < rank_b;
  return ordering::compare(a, b, 6) < 0;
}

}  // namespace lathe::inline LATHE_ABI::arith
