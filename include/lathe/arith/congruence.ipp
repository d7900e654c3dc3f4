// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// What is known of the remainders of canonical expressions.

#include "lathe/arith/reason.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::arith {

namespace congruences {

/// Floor division by c > 0: exact where c divides the modulus.
inline Congruence divided(const Congruence &a, Int c) {
  if (a.modulus == 0) return exactly(floor_div(a.remainder, c));
  return a.modulus % c == 0 ? reduced(a.modulus / c, floor_div(a.remainder, c)) : nothing_known();
}

inline Congruence modulo(const Congruence &a, Int c) {
  if (const auto known = remainder_of(a, c)) return exactly(*known);
  return reduced(common_divisor(a.modulus, c), a.remainder);
}

}  // namespace congruences

LATHE_INLINE Congruence Reasoner::leaf_congruence(const Expr &e) {
  if (const auto *c = scalar_constant(e)) return e.type().is_integer() ? exactly(value_of(*c)) : nothing_known();
  const Var &var = e.as<ir::VarRef>()->var;
  for (const StandIn &s : stand_ins_)
    if (s.var == var) return congruence(s.value);
  const Bounds range = bounds(e);
  return range.is_point() ? exactly(range.min) : nothing_known();
}

LATHE_INLINE Congruence Reasoner::node_congruence(const Expr &e) {
  if (!e.type().is_index()) return nothing_known();
  switch (e.node()->kind()) {
    case ir::ExprKind::unary:
      return e.as<ir::Unary>()->op == ir::UnaryOp::neg ? arith::product(congruence(e.as<ir::Unary>()->a), exactly(-1))
                                                       : nothing_known();
    case ir::ExprKind::binary: {
      const auto &node = *e.as<Binary>();
      const Congruence a = congruence(node.a), b = congruence(node.b);
      switch (node.op) {
        case BinaryOp::add: return arith::sum(a, b);
        case BinaryOp::sub: return arith::sum(a, arith::product(b, exactly(-1)));
        case BinaryOp::mul: return arith::product(a, b);
        case BinaryOp::min:
        case BinaryOp::max: return either(a, b);
        case BinaryOp::div: return b.modulus == 0 && b.remainder > 0 ? congruences::divided(a, b.remainder) : nothing_known();
        case BinaryOp::mod: return b.modulus == 0 && b.remainder > 0 ? congruences::modulo(a, b.remainder) : nothing_known();
        default: return nothing_known();
      }
    }
    case ir::ExprKind::select: return either(congruence(e.as<ir::Select>()->a), congruence(e.as<ir::Select>()->b));
    case ir::ExprKind::ranged: return congruence(e.as<ir::Ranged>()->a);
    case ir::ExprKind::broadcast: return congruence(e.as<ir::Broadcast>()->a);
    case ir::ExprKind::ramp: {
      const Congruence stride = congruence(e.as<ir::Ramp>()->stride);
      return arith::sum(congruence(e.as<ir::Ramp>()->base), arith::product(stride, nothing_known()));
    }
    default: return nothing_known();
  }
}

LATHE_INLINE Congruence Reasoner::congruence(const Expr &e) {
  if (e.node()->kind() == ir::ExprKind::constant) return leaf_congruence(e);
  if (const Congruence *known = congruences_.find(e)) return *known;
  settle(
      e,
      [&](const Expr &x, List<Expr> &needs) {
        if (x.type().is_index() && x.node()->kind() != ir::ExprKind::load && x.node()->kind() != ir::ExprKind::cast)
          ir::for_each_child(x, [&](const Expr &child) {
            if (child.type().is_index() && !is_leaf(child) && !congruences_.find(child)) needs.push_back(child);
          });
      },
      [&](const Expr &x) { return congruences_.find(x) != nullptr; },
      [&](const Expr &x) {
        Congruence found = is_leaf(x) ? leaf_congruence(x) : node_congruence(x);
        for (const auto &residue : known_.residues)
          if (residue->form.terms.size() == 1 && residue->form.terms[0].coefficient == 1 && same(residue->form.terms[0].atom, x))
            found = meet(found, residue->congruence);
        congruences_.note(x, found);
      });
  return *congruences_.find(e);
}

LATHE_INLINE Congruence Reasoner::congruence(const Linear &form) {
  Congruence total = exactly(form.constant);
  for (const Linear::Term &term : form.terms)
    total = arith::sum(total, arith::product(congruence(term.atom), exactly(term.coefficient)));
  for (const auto &residue : known_.residues)
    for (const Int sign : {1, -1})
      if (same_terms(residue->form, form, sign))
        total = meet(total, arith::sum(arith::product(residue->congruence, exactly(sign)), exactly(form.constant)));
  return total;
}

}  // namespace lathe::inline LATHE_ABI::arith
