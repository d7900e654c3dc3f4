// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Trying what a user's reducer promises: exactly on small integers, within rounding on floats.

#include <algorithm>
#include <cmath>

#include "lathe/expr/compute.hpp"
#include "lathe/ir/evaluate.hpp"
#include "lathe/ir/print.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/support/hash_map.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI {

namespace promises {

/// combine(x, y) evaluated on constants. Not for combiners that read memory or call functions, or on registered types.
class Trial {
 public:
  explicit Trial(const ir::Reducer &reducer) : reducer_(reducer), type_(reducer->lhs.front().type()) {
    testable_ = type_.kind() != Kind::custom;
    ir::walk(reducer->result.front(), [&](const ir::Expr &e) {
      const auto kind = e.node()->kind();
      testable_ = testable_ && e.type().kind() != Kind::custom && kind != ir::ExprKind::read && kind != ir::ExprKind::call &&
                  kind != ir::ExprKind::ranged;
      if (const auto *var = e.as<ir::VarRef>(); var && var->var != reducer->lhs.front() && var->var != reducer->rhs.front())
        testable_ = false;
    });
  }

  bool testable() const { return testable_; }
  DType type() const { return type_; }
  ir::Bits identity() const { return reducer_->identity.front().as<ir::Const>()->bits; }

  ir::Bits operator()(ir::Bits x, ir::Bits y) const {
    NodeMap<ir::Bits> values;
    const auto of = [&](const ir::Expr &e) { return values.at(e.node()); };
    ir::walk(reducer_->result.front(), [&](const ir::Expr &e) { values[e.node()] = evaluate(e, x, y, of); });
    return of(reducer_->result.front());
  }

  /// Equal, or for floats as close as rounding lets them be beside numbers of that size.
  bool agree(ir::Bits a, ir::Bits b, double size) const {
    if (a == b) return true;
    if (!type_.is_float()) return false;
    const double p = ir::to_double(type_, a), q = ir::to_double(type_, b);
    if (std::isnan(p) || std::isnan(q)) return std::isnan(p) && std::isnan(q);
    if (std::isinf(p) || std::isinf(q)) return p == q;
    const double rounding = std::ldexp(1.0, -type_.scalar().mantissa_bits);
    return std::fabs(p - q) <= 64 * rounding * std::max({1.0, size, std::fabs(p), std::fabs(q)});
  }

 private:
  template <class Of>
  ir::Bits evaluate(const ir::Expr &e, ir::Bits x, ir::Bits y, const Of &of) const {
    switch (e.node()->kind()) {
      case ir::ExprKind::constant: return e.as<ir::Const>()->bits;
      case ir::ExprKind::var: return e.as<ir::VarRef>()->var == reducer_->lhs.front() ? x : y;
      case ir::ExprKind::unary: {
        const auto *node = e.as<ir::Unary>();
        return ir::evaluate(node->op, node->a.type(), of(node->a));
      }
      case ir::ExprKind::binary: {
        const auto *node = e.as<ir::Binary>();
        return ir::evaluate(node->op, node->a.type(), of(node->a), of(node->b));
      }
      case ir::ExprKind::mul_add: {
        const auto *node = e.as<ir::MulAdd>();
        return ir::evaluate_mul_add(e.type(), of(node->a), of(node->b), of(node->c));
      }
      case ir::ExprKind::select: {
        const auto *node = e.as<ir::Select>();
        return of(node->condition) ? of(node->a) : of(node->b);
      }
      case ir::ExprKind::cast: {
        const auto *node = e.as<ir::Cast>();
        return ir::evaluate_cast(node->mode, e.type(), node->a.type(), of(node->a));
      }
      default: fail_internal("a combiner of scalars has no such node");
    }
  }

  ir::Reducer reducer_;
  DType type_;
  bool testable_ = true;
};

/// Small integers in the type, then for floats numbers between -4 and 4 from a fixed sequence.
LATHE_INLINE List<ir::Bits> samples(DType type) {
  List<ir::Bits> list;
  if (type.is_bool()) return {0, 1};
  for (int v = type.is_unsigned() ? 0 : -3; v <= 3; ++v)
    list.push_back(type.is_float() ? ir::from_double(type, v) : ir::from_integer(type, v));
  std::uint32_t state = 12345;
  for (int n = 0; type.is_float() && n < 6; ++n) {
    state = state * 1664525u + 1013904223u;
    list.push_back(ir::from_double(type, static_cast<double>(state >> 8) / (1u << 21) - 4));
  }
  return list;
}

[[noreturn]] LATHE_INLINE void refuse(const ir::Reducer &reducer, const Location &place, const std::string &what, DType type,
                                      const char *left, ir::Bits a, const char *right, ir::Bits b, const List<ir::Bits> &at) {
  std::string where;
  for (std::size_t n = 0; n < at.size(); ++n)
    where += composed({n ? ", " : " for ", std::string(1, static_cast<char>('a' + n)), " = ", ir::literal_text(type, at[n])});
  fail("E010", {"reducer ", reducer->name, " is not ", what}, place,
       {{"why", {left, (" = " + ir::literal_text(type, a)), " but ", right, " = ", ir::literal_text(type, b), where}, {}},
        {"help", "leave the promise out: the elements are then combined one after another, in order", {}}});
}

LATHE_INLINE void check_associative(const ir::Reducer &reducer, const Location &place) {
  const Trial combine(reducer);
  if (!combine.testable()) return;
  const auto values = samples(combine.type());
  const auto size = [&](ir::Bits bits) {
    return combine.type().is_float() ? std::fabs(ir::to_double(combine.type(), bits)) : 0.0;
  };
  const ir::Bits identity = combine.identity();
  for (const ir::Bits a : values) {
    // A part of a reduction starts at the identity, and may have no elements: then nothing must change.
    const ir::Bits part = combine(identity, a), same = combine(part, identity);
    if (!combine.agree(same, part, size(part)))
      refuse(reducer, place, "neutral about its identity", combine.type(), "combine(combine(identity, a), identity)", same,
             "combine(identity, a)", part, {a});
    for (const ir::Bits b : values) {
      const ir::Bits split = combine(part, combine(identity, b)), whole = combine(part, b);
      if (!combine.agree(split, whole, std::max(size(part), size(b))))
        refuse(reducer, place, "neutral about its identity", combine.type(),
               "combine(combine(identity, a), combine(identity, b))", split, "combine(combine(identity, a), b)", whole, {a, b});
    }
    for (const ir::Bits b : values)
      for (const ir::Bits c : values) {
        const ir::Bits ab = combine(a, b), bc = combine(b, c), left = combine(ab, c), right = combine(a, bc);
        if (!combine.agree(left, right, std::max(size(ab), size(bc))))
          refuse(reducer, place, "associative", combine.type(), "combine(combine(a, b), c)", left, "combine(a, combine(b, c))",
                 right, {a, b, c});
      }
  }
}

LATHE_INLINE void check_commutative(const ir::Reducer &reducer, const Location &place) {
  const Trial combine(reducer);
  if (!combine.testable()) return;
  const auto values = samples(combine.type());
  for (const ir::Bits a : values)
    for (const ir::Bits b : values)
      if (const ir::Bits left = combine(a, b), right = combine(b, a); !combine.agree(left, right, 0))
        refuse(reducer, place, "commutative", combine.type(), "combine(a, b)", left, "combine(b, a)", right, {a, b});
}

}  // namespace promises

LATHE_INLINE ir::Reducer typing::promise_associative(const ir::Reducer &reducer, const Location &place) {
  promises::check_associative(reducer, place);
  auto *node = new ir::ReducerNode(*reducer);
  node->associative = true;
  return ir::Reducer(node);
}

LATHE_INLINE ir::Reducer typing::promise_commutative(const ir::Reducer &reducer, const Location &place) {
  promises::check_commutative(reducer, place);
  auto *node = new ir::ReducerNode(*reducer);
  node->commutative = true;
  return ir::Reducer(node);
}

}  // namespace lathe::inline LATHE_ABI
