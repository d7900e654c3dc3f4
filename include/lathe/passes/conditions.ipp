// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Questions about conditions.

#include "lathe/ir/walk.hpp"
#include "lathe/passes/conditions.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::passes {

LATHE_INLINE BufferSet stored_buffers(const ir::Stmt &s) {
  BufferSet stored;
  ir::walk_down(s, [&](const ir::Stmt &each) {
    if (const auto *store = each.as<ir::Store>()) stored.insert(store->buffer.node());
    return true;
  });
  return stored;
}

LATHE_INLINE bool is_stable(const ir::Expr &e, const BufferSet &stored) {
  bool stable = true;
  ir::walk_down(e, [&](const ir::Expr &node) {
    if (const auto *load = node.as<ir::Load>()) stable = stable && !stored.contains(load->buffer.node());
    if (const auto *call = node.as<ir::Call>()) stable = stable && call->function.pure;
    if (node.as<ir::Read>()) stable = false;
    return stable;
  });
  return stable;
}

LATHE_INLINE bool has_loads(const ir::Expr &e) {
  bool found = false;
  ir::walk_down(e, [&](const ir::Expr &node) {
    found = found || node.as<ir::Load>() || node.as<ir::Read>();
    return !found;
  });
  return found;
}

LATHE_INLINE List<ir::Expr> conjuncts(const ir::Expr &condition) {
  List<ir::Expr> result, pending{condition};
  while (!pending.empty()) {
    const ir::Expr e = std::move(pending.back());
    pending.pop_back();
    const auto *both = e.as<ir::Binary>();
    if (both && both->op == ir::BinaryOp::logical_and) {
      pending.push_back(both->b);
      pending.push_back(both->a);
    } else {
      result.push_back(e);
    }
  }
  return result;
}

LATHE_INLINE ir::Expr conjunction(const List<ir::Expr> &conditions) {
  ir::Expr all;
  for (const ir::Expr &c : conditions) all = ir::both(all, c);
  return all;
}

namespace condition_questions {

/// The operands of a (nested) disjunction, in order.
LATHE_INLINE List<ir::Expr> disjuncts(const ir::Expr &condition) {
  List<ir::Expr> result, pending{condition};
  while (!pending.empty()) {
    const ir::Expr e = std::move(pending.back());
    pending.pop_back();
    const auto *either = e.as<ir::Binary>();
    if (either && either->op == ir::BinaryOp::logical_or) {
      pending.push_back(either->b);
      pending.push_back(either->a);
    } else {
      result.push_back(e);
    }
  }
  return result;
}

/// The comparison that holds where `op` does not, for types without NaN.
inline std::optional<ir::BinaryOp> opposite(ir::BinaryOp op) {
  switch (op) {
    case ir::BinaryOp::eq: return ir::BinaryOp::ne;
    case ir::BinaryOp::ne: return ir::BinaryOp::eq;
    case ir::BinaryOp::lt: return ir::BinaryOp::ge;
    case ir::BinaryOp::le: return ir::BinaryOp::gt;
    case ir::BinaryOp::gt: return ir::BinaryOp::le;
    case ir::BinaryOp::ge: return ir::BinaryOp::lt;
    default: return std::nullopt;
  }
}

LATHE_INLINE ir::Expr negation_of_simple(const ir::Expr &condition) {
  if (const auto *u = condition.as<ir::Unary>(); u && u->op == ir::UnaryOp::logical_not) return u->a;
  if (const auto *b = condition.as<ir::Binary>(); b && (b->a.type().is_integer() || b->a.type().is_bool()))
    if (const auto op = opposite(b->op)) return ir::binary(*op, b->a, b->b);
  return !condition;
}

}  // namespace condition_questions

LATHE_INLINE ir::Expr negation(const ir::Expr &condition) {
  ir::Expr all;
  for (const ir::Expr &each : condition_questions::disjuncts(condition))
    all = ir::both(all, condition_questions::negation_of_simple(each));
  return all;
}

LATHE_INLINE std::optional<Inequality> inequality_in(const ir::Expr &condition, const ir::Var &var) {
  const auto *comparison = condition.as<ir::Binary>();
  if (!comparison || comparison->a.type() != DType(scalar_types::index)) return std::nullopt;
  arith::Linear difference;
  switch (comparison->op) {
    case ir::BinaryOp::lt: difference = arith::linear_form(comparison->a - comparison->b); break;
    case ir::BinaryOp::le: difference = arith::linear_form(comparison->a - comparison->b - 1); break;
    case ir::BinaryOp::gt: difference = arith::linear_form(comparison->b - comparison->a); break;
    case ir::BinaryOp::ge: difference = arith::linear_form(comparison->b - comparison->a - 1); break;
    default: return std::nullopt;
  }
  Inequality result{0, {{}, difference.constant}};
  for (const arith::Linear::Term &term : difference.terms) {
    const auto *reference = term.atom.as<ir::VarRef>();
    if (reference && reference->var == var)
      result.coefficient = term.coefficient;
    else if (ir::uses(term.atom, var))
      return std::nullopt;
    else
      result.rest.terms.push_back(term);
  }
  if (result.coefficient == 0) return std::nullopt;
  return result;
}

LATHE_INLINE ir::Expr rest_in_reach(const Inequality &inequality) {
  const auto is_far = [](const ir::Expr &atom) {
    bool far = false;
    ir::walk_down(atom, [&](const ir::Expr &e) {
      const auto *cast = e.as<ir::Cast>();
      far = far || (cast && cast->a.type().is_data_integer() && cast->a.type().bits() == 64);
      return !far;
    });
    return far;
  };
  constexpr std::int64_t reach = std::int64_t{1} << 62;
  arith::Linear near{{}, inequality.rest.constant};
  ir::Expr far;
  for (const arith::Linear::Term &term : inequality.rest.terms) {
    if (!is_far(term.atom)) {
      near.terms.push_back(term);
      continue;
    }
    if (far.defined() || (term.coefficient != 1 && term.coefficient != -1)) return {};
    const ir::Expr clamped = ir::min(ir::max(term.atom, ir::Expr(-reach)), ir::Expr(reach));
    far = term.coefficient == 1 ? clamped : ir::Expr(0) - clamped;
  }
  const ir::Expr sum = arith::from_linear(near);
  return far.defined() ? sum + far : sum;
}

}  // namespace lathe::inline LATHE_ABI::passes
