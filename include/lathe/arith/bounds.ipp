// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Constant intervals of canonical expressions.

#include "lathe/arith/reason.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::arith {

LATHE_INLINE void settle(const Expr &root, FunctionRef<void(const Expr &, List<Expr> &)> needs,
                         FunctionRef<bool(const Expr &)> settled, FunctionRef<void(const Expr &)> finish) {
  if (settled(root)) return;
  List<Expr> missing;
  needs(root, missing);
  if (missing.empty()) return finish(root);
  List<std::pair<Expr, bool>> stack{{root, false}};
  while (!stack.empty()) {
    const Expr e = stack.back().first;
    if (settled(e)) {
      stack.pop_back();
    } else if (stack.back().second) {
      stack.pop_back();
      finish(e);
    } else {
      stack.back().second = true;
      missing.clear();
      needs(e, missing);
      for (std::size_t i = missing.size(); i-- > 0;) stack.emplace_back(std::move(missing[i]), false);
    }
  }
}

namespace bounding {

/// The children whose values decide the value of an index expression (or of one that becomes an index).
LATHE_INLINE void for_each_operand(const Expr &e, FunctionRef<void(const Expr &)> visit) {
  if (!e.type().is_index()) return;
  switch (e.node()->kind()) {
    case ir::ExprKind::select:
      visit(e.as<ir::Select>()->a);
      visit(e.as<ir::Select>()->b);
      break;
    case ir::ExprKind::unary:
    case ir::ExprKind::binary:
    case ir::ExprKind::ranged:
    case ir::ExprKind::ramp:
    case ir::ExprKind::broadcast:
    case ir::ExprKind::shuffle: ir::for_each_child(e, visit); break;
    case ir::ExprKind::cast:
      if (e.as<ir::Cast>()->a.type().is_index()) visit(e.as<ir::Cast>()->a);
      break;
    default: break;
  }
}

/// Of any value of a scalar type that converts to an index without wrapping.
inline Bounds of_type(DType type) {
  if (type.is_bool()) return {0, 1};
  if (type.kind() == Kind::integer && type.bits() < 64)
    return {-(Int{1} << (type.bits() - 1)), (Int{1} << (type.bits() - 1)) - 1};
  if (type.is_unsigned() && type.bits() < 64) return {0, (Int{1} << type.bits()) - 1};
  return everything();
}

/// Floor division by anything in `b`; x / 0 = 0.
inline Bounds divided(const Bounds &a, const Bounds &b) {
  if (b.is_point() && b.min > 0) return quotient(a, b.min);
  if (a.min >= 0 && b.min >= 0) {
    const Int low = b.min > 0 && bounded_above(b) ? a.min / b.max : 0;
    return {low, bounded_above(a) ? a.max / std::max<Int>(b.min, 1) : a.max};
  }
  if (b.min >= 0) return {std::min<Int>(a.min, 0), std::max<Int>(a.max, 0)};
  if (!bounded(a)) return everything();
  const Int most = std::max(magnitude(a.min), magnitude(a.max));
  return {-most, most};
}

/// Floor remainder by anything in `b`; x % 0 = 0.
inline Bounds modulo(const Bounds &a, const Bounds &b) {
  if (b.is_point() && b.min > 0) {
    if (const auto block = block_of(a, b.min)) return {floor_mod(a.min, b.min), floor_mod(a.max, b.min)};
    return {0, b.min - 1};
  }
  Bounds out{bounded_below(b) ? std::min<Int>(b.min + 1, 0) : b.min, bounded_above(b) ? std::max<Int>(b.max - 1, 0) : b.max};
  if (a.min >= 0 && b.min >= 0) out.max = std::min(out.max, a.max);
  return out;
}

inline Bounds truncated(BinaryOp op, const Bounds &a, const Bounds &b) {
  if (a.min >= 0 && b.min >= 0) return op == BinaryOp::trunc_div ? divided(a, b) : modulo(a, b);
  if (!bounded(a)) return everything();
  const Int most = std::max(magnitude(a.min), magnitude(a.max));
  return {a.min >= 0 && op == BinaryOp::trunc_mod ? 0 : -most, a.max <= 0 && op == BinaryOp::trunc_mod ? 0 : most};
}

inline Bounds absolute(const Bounds &a) {
  if (a.min >= 0) return a;
  const Int below = bounded_below(a) ? -a.min : Bounds::unbounded_above;
  const Int above = bounded_above(a) ? magnitude(a.max) : Bounds::unbounded_above;
  return {a.max >= 0 ? 0 : above, a.max >= 0 ? std::max(below, above) : below};
}

}  // namespace bounding

LATHE_INLINE const VarFact *Reasoner::fact_of(const Var &var) const {
  for (std::size_t i = known_.variables.size(); i-- > 0;)
    if (known_.variables[i]->var == var) return known_.variables[i].get();
  return nullptr;
}

LATHE_INLINE Bounds Reasoner::leaf_bounds(const Expr &e) {
  if (const auto *c = scalar_constant(e)) return e.type().is_integer() || e.type().is_bool() ? point(value_of(*c)) : everything();
  const Var &var = e.as<ir::VarRef>()->var;
  Bounds found = bounding::of_type(var.type());
  if (!var.type().is_index()) return found;
  if (var.nonnegative()) found.min = 0;
  for (const StandIn &s : stand_ins_)
    if (s.var == var) return bounds(s.value);
  for (const LaneVar &lane : lanes_)
    if (lane.var == var) return {0, lane.lanes - 1};
  if (const VarFact *fact = fact_of(var)) {
    found = meet(found, fact->constant);
    if (fact->symbolic) {
      const Bounds *ends = bounds_.find(e);
      if (!ends) {
        bounds_.note(e, {bounds(fact->first).min, bounds(fact->last).max});
        ends = bounds_.find(e);
      }
      found = meet(found, *ends);
    }
  }
  for (const Known::AtomBounds &atom : known_.atoms)
    if (same(atom.atom, e)) found = meet(found, atom.bounds);
  return found;
}

LATHE_INLINE Bounds Reasoner::binary_bounds(const Binary &node) {
  const Bounds a = bounds(node.a), b = bounds(node.b);
  switch (node.op) {
    case BinaryOp::add: return arith::sum(a, b);
    case BinaryOp::sub: return arith::sum(a, scaled(b, -1));
    case BinaryOp::mul: return arith::product(a, b);
    case BinaryOp::div: return bounding::divided(a, b);
    case BinaryOp::mod: return bounding::modulo(a, b);
    case BinaryOp::trunc_div:
    case BinaryOp::trunc_mod: return bounding::truncated(node.op, a, b);
    case BinaryOp::min: return {std::min(a.min, b.min), std::min(a.max, b.max)};
    case BinaryOp::max: return {std::max(a.min, b.min), std::max(a.max, b.max)};
    case BinaryOp::bit_and:
      if (a.min < 0 && b.min < 0) return everything();
      return {0, a.min < 0 ? b.max : b.min < 0 ? a.max : std::min(a.max, b.max)};
    case BinaryOp::shr:
      if (a.min >= 0) return {0, a.max};
      return {a.min, std::max<Int>(a.max, 0)};
    default: return everything();
  }
}

LATHE_INLINE Bounds Reasoner::node_bounds(const Expr &e) {
  if (!e.type().is_index()) return bounding::of_type(e.type());
  switch (e.node()->kind()) {
    case ir::ExprKind::unary: {
      const auto &node = *e.as<ir::Unary>();
      const Bounds a = bounds(node.a);
      switch (node.op) {
        case ir::UnaryOp::neg: return scaled(a, -1);
        case ir::UnaryOp::abs: return bounding::absolute(a);
        case ir::UnaryOp::sign: return {std::clamp<Int>(a.min, -1, 1), std::clamp<Int>(a.max, -1, 1)};
        case ir::UnaryOp::popcount:
        case ir::UnaryOp::clz: return {0, 64};
        default: return everything();
      }
    }
    case ir::ExprKind::binary: return binary_bounds(*e.as<Binary>());
    case ir::ExprKind::select: return hull(bounds(e.as<ir::Select>()->a), bounds(e.as<ir::Select>()->b));
    case ir::ExprKind::ranged: {
      const auto &node = *e.as<ir::Ranged>();
      return meet(bounds(node.a), {bounds(node.min).min, bounds(node.max).max});
    }
    case ir::ExprKind::ramp: {
      const auto &node = *e.as<ir::Ramp>();
      return arith::sum(bounds(node.base), arith::product(bounds(node.stride), {0, e.lanes() - 1}));
    }
    case ir::ExprKind::broadcast: return bounds(e.as<ir::Broadcast>()->a);
    case ir::ExprKind::shuffle: {
      const auto &vectors = e.as<ir::Shuffle>()->vectors;
      Bounds all = bounds(vectors.front());
      for (const Expr &v : vectors) all = hull(all, bounds(v));
      return all;
    }
    case ir::ExprKind::cast: {
      const auto &node = *e.as<ir::Cast>();
      if (node.a.type().is_index()) return bounds(node.a);
      return node.mode == ir::CastMode::reinterpret ? everything() : bounding::of_type(node.a.type());
    }
    default: return everything();
  }
}

LATHE_INLINE Bounds Reasoner::bounds(const Expr &e) {
  if (is_leaf(e)) return leaf_bounds(e);
  if (const Bounds *known = bounds_.find(e)) return *known;
  settle(
      e,
      [&](const Expr &x, List<Expr> &needs) {
        bounding::for_each_operand(x, [&](const Expr &child) {
          if (!is_leaf(child) && !bounds_.find(child)) needs.push_back(child);
        });
      },
      [&](const Expr &x) { return bounds_.find(x) != nullptr; },
      [&](const Expr &x) {
        Bounds found = node_bounds(x);
        for (const Known::AtomBounds &atom : known_.atoms)
          if (same(atom.atom, x)) found = meet(found, atom.bounds);
        bounds_.note(x, found);
      });
  return *bounds_.find(e);
}

LATHE_INLINE Bounds Reasoner::bounds(const Linear &form) {
  Bounds total = point(form.constant);
  for (const Linear::Term &term : form.terms) total = arith::sum(total, scaled(bounds(term.atom), term.coefficient));
  return total;
}

}  // namespace lathe::inline LATHE_ABI::arith
