// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Vectors of indices and of conditions. A region of such nodes is simplified as its scalar twin: a ramp is base + stride · lane
/// for a variable `lane` in [0, lanes), opaque vectors (loads, casts, shuffles) are represented by variables. What comes back is
/// a ramp where it is affine in the lane and a broadcast where it does not depend on it.

#include "lathe/arith/reason.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::arith {

namespace lanes {

/// A vector node that has a scalar twin, given twins of its children.
LATHE_INLINE bool is_region(const Expr &e) {
  const DType type = e.type();
  if (!type.is_vector() || !(type.is_index() || type.is_bool())) return false;
  switch (e.node()->kind()) {
    case ir::ExprKind::ramp:
    case ir::ExprKind::broadcast:
    case ir::ExprKind::select: return true;
    case ir::ExprKind::unary: return type.is_index() || e.as<ir::Unary>()->op == ir::UnaryOp::logical_not;
    case ir::ExprKind::binary: {
      const auto &b = *e.as<Binary>();
      return type.is_index() || is_logical(b.op) || (is_comparison(b.op) && b.a.type().is_index());
    }
    default: return false;
  }
}

/// The scalars and opaque vectors below a region, each once.
LATHE_INLINE void leaves_of(const Expr &root, List<Expr> &leaves) {
  Memo<bool> seen;
  List<Expr> stack{root};
  while (!stack.empty()) {
    const Expr e = std::move(stack.back());
    stack.pop_back();
    if (seen.find(e)) continue;
    seen.note(e, true);
    if (is_region(e))
      ir::for_each_child(e, [&](const Expr &child) { stack.push_back(child); });
    else
      leaves.push_back(e);
  }
}

}  // namespace lanes

LATHE_INLINE Expr Reasoner::lane_variable(int count) {
  for (const LaneVar &lane : lanes_)
    if (lane.lanes == count) return lane.var;
  lanes_.push_back({Var("lane", scalar_types::index), count});
  return lanes_.back().var;
}

LATHE_INLINE Expr Reasoner::stand_in(const Expr &opaque) {
  for (const StandIn &s : stand_ins_)
    if (same(s.value, opaque)) return s.var;
  stand_ins_.push_back({Var("vector" + std::to_string(stand_ins_.size()), opaque.type().element()), opaque});
  return stand_ins_.back().var;
}

LATHE_INLINE Expr Reasoner::finish_region(const Expr &root) {
  if (const auto *b = root.as<ir::Broadcast>()) {
    const Expr a = done(b->a);
    return a.same_as(b->a) ? root : ir::broadcast(a, root.lanes());
  }
  if (const auto *r = root.as<ir::Ramp>()) {
    const Expr base = done(r->base), stride = done(r->stride);
    return base.same_as(r->base) && stride.same_as(r->stride) ? root : ir::ramp(base, stride, root.lanes());
  }
  return vector_twin(simplify(scalar_twin(root)), root.lanes());
}

LATHE_INLINE Expr Reasoner::scalar_twin(const Expr &root) {
  Memo<Expr> twins;
  const int count = root.lanes();
  const auto twin = [&](const Expr &e) { return *twins.find(e); };
  const auto make = [&](const Expr &e) -> Expr {
    if (!lanes::is_region(e)) {
      const Expr value = done(e);
      if (const auto known = ir::constant_integer(value)) return ir::constant(value.type().element(), *known);
      if (const auto *b = value.as<ir::Broadcast>()) return b->a;
      return value.lanes() == 1 ? value : stand_in(value);
    }
    const DType type = e.type().element();
    switch (e.node()->kind()) {
      case ir::ExprKind::ramp:
        return index_node(BinaryOp::add, twin(e.as<ir::Ramp>()->base),
                          index_node(BinaryOp::mul, twin(e.as<ir::Ramp>()->stride), lane_variable(count)));
      case ir::ExprKind::broadcast: return twin(e.as<ir::Broadcast>()->a);
      case ir::ExprKind::unary: return ir::make(type, ir::Unary{e.as<ir::Unary>()->op, twin(e.as<ir::Unary>()->a)});
      case ir::ExprKind::binary:
        return ir::make(type, Binary{e.as<Binary>()->op, twin(e.as<Binary>()->a), twin(e.as<Binary>()->b)});
      default: {
        const auto &s = *e.as<ir::Select>();
        return ir::make(type, ir::Select{twin(s.condition), twin(s.a), twin(s.b), s.guards});
      }
    }
  };
  settle(
      root,
      [&](const Expr &e, List<Expr> &needs) {
        if (lanes::is_region(e)) ir::for_each_child(e, [&](const Expr &child) { needs.push_back(child); });
      },
      [&](const Expr &e) { return twins.find(e) != nullptr; }, [&](const Expr &e) { twins.note(e, make(e)); });
  return twin(root);
}

/// a op b where one is a ramp and the result is one as well; undefined otherwise.
LATHE_INLINE Expr Reasoner::combine_ramps(BinaryOp op, const Expr &a, const Expr &b) {
  const auto *x = a.as<ir::Ramp>(), *y = b.as<ir::Ramp>();
  const bool adds = op == BinaryOp::add || op == BinaryOp::sub;
  if ((!x && !y) || (!adds && op != BinaryOp::mul) || (!x && a.lanes() > 1) || (!y && b.lanes() > 1) || (!adds && x && y))
    return {};
  const auto apply = [&](const Expr &p, const Expr &q) { return sum(linear_form(ir::binary(op, p, q))); };
  const Expr zero = index_constant(0);
  const int count = std::max(a.lanes(), b.lanes());
  const Expr base = apply(x ? x->base : a, y ? y->base : b);
  if (adds) return ir::ramp(base, apply(x ? x->stride : zero, y ? y->stride : zero), count);
  return ir::ramp(base, x ? apply(x->stride, b) : apply(a, y->stride), count);
}

/// The vector form of a node on the way back; those that do not depend on the lane stay scalar.
LATHE_INLINE Expr Reasoner::vector_node(const Expr &e, const Memo<Expr> &twins, int count) {
  const auto twin = [&](const Expr &child) { return *twins.find(child); };
  if (rank(e) < static_cast<int>(known_.variables.size())) return is_linear_node(e) ? sum(linear_form(e)) : e;
  switch (e.node()->kind()) {
    case ir::ExprKind::var: {
      for (const StandIn &s : stand_ins_)
        if (s.var == e.as<ir::VarRef>()->var) return s.value;
      return ir::ramp(index_constant(0), index_constant(1), count);
    }
    case ir::ExprKind::unary: {
      const auto &u = *e.as<ir::Unary>();
      const Expr a = twin(u.a);
      if (a.as<ir::Ramp>() && u.op == ir::UnaryOp::neg) return combine_ramps(BinaryOp::mul, a, index_constant(-1));
      return ir::unary(u.op, a);
    }
    case ir::ExprKind::binary: {
      const auto &b = *e.as<Binary>();
      Expr whole = combine_ramps(b.op, twin(b.a), twin(b.b));
      return whole.defined() ? whole : ir::binary(b.op, twin(b.a), twin(b.b));
    }
    case ir::ExprKind::select: {
      const auto &s = *e.as<ir::Select>();
      return ir::select(twin(s.condition), twin(s.a), twin(s.b), s.guards);
    }
    default: return ir::map_children(e, twin);
  }
}

LATHE_INLINE Expr Reasoner::vector_twin(const Expr &scalar, int count) {
  Memo<Expr> twins;
  settle(
      scalar,
      [&](const Expr &e, List<Expr> &needs) {
        if (rank(e) >= static_cast<int>(known_.variables.size()))
          ir::for_each_child(e, [&](const Expr &child) { needs.push_back(child); });
      },
      [&](const Expr &e) { return twins.find(e) != nullptr; },
      [&](const Expr &e) { twins.note(e, vector_node(e, twins, count)); });
  return ir::broadcast(*twins.find(scalar), count);
}

}  // namespace lathe::inline LATHE_ABI::arith
