// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The steps of a formula. Where index arithmetic would leave 64 bits, the expression is simplified instead, which knows how far
/// sums may be rearranged.

#include "lathe/arith/simplify.hpp"
#include "lathe/diag/diagnostic.hpp"
#include "lathe/ir/build.hpp"
#include "lathe/ir/evaluate.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/runtime/size_formula.hpp"

namespace lathe::inline LATHE_ABI {

LATHE_INLINE SizeFormula::SizeFormula(const ir::Expr &e, const List<ir::Var> &symbols) : expression_(e) {
  if (!add(e, symbols, 1)) steps_.clear();
}

/// Appends the steps of `e`, which leave its value on a stack that is then `depth` high.
LATHE_INLINE bool SizeFormula::add(const ir::Expr &e, const List<ir::Var> &symbols, std::size_t depth) {
  if (depth > most_values || steps_.size() >= most_steps || e.lanes() != 1) return false;
  Step step;
  step.type = e.type();
  if (const auto *constant = e.as<ir::Const>()) {
    step.value = constant->bits;
  } else if (const auto *ref = e.as<ir::VarRef>()) {
    step.kind = Kind::symbol;
    while (step.value < symbols.size() && !(symbols[step.value].defined() && symbols[step.value] == ref->var)) ++step.value;
    if (step.value == symbols.size()) return false;
  } else if (const auto *unary = e.as<ir::Unary>()) {
    step.kind = Kind::unary;
    step.op = static_cast<std::uint8_t>(unary->op);
    step.type = unary->a.type();
    if (!add(unary->a, symbols, depth)) return false;
  } else if (const auto *binary = e.as<ir::Binary>()) {
    step.kind = Kind::binary;
    step.op = static_cast<std::uint8_t>(binary->op);
    step.type = binary->a.type();
    if (!add(binary->a, symbols, depth) || !add(binary->b, symbols, depth + 1)) return false;
  } else if (const auto *cast = e.as<ir::Cast>()) {
    step.kind = Kind::cast;
    step.op = static_cast<std::uint8_t>(cast->mode);
    step.from = cast->a.type();
    if (!add(cast->a, symbols, depth)) return false;
  } else if (const auto *select = e.as<ir::Select>()) {
    step.kind = Kind::select;
    if (!add(select->condition, symbols, depth) || !add(select->a, symbols, depth + 1) || !add(select->b, symbols, depth + 2))
      return false;
  } else {
    return false;
  }
  if (step.type.is_float() || step.type.kind() == lathe::Kind::custom) return false;
  steps_.push_back(step);
  return true;
}

LATHE_INLINE std::int64_t SizeFormula::value(const List<ir::Var> &symbols, const Slot *slots) const {
  const std::optional<std::int64_t> value = steps_.empty() ? std::nullopt : quick(slots);
  return value ? *value : exact(symbols, slots);
}

/// Nothing where index arithmetic overflows.
LATHE_INLINE std::optional<std::int64_t> SizeFormula::quick(const Slot *slots) const {
  ir::Bits stack[most_values + 1];
  ir::Bits *top = stack;  // one past the last value
  for (const Step &step : steps_) {
    switch (step.kind) {
      case Kind::constant: *top++ = step.value; break;
      case Kind::symbol: *top++ = ir::from_integer(step.type, slots[step.value].integer); break;
      case Kind::unary: top[-1] = ir::evaluate(static_cast<ir::UnaryOp>(step.op), step.type, top[-1]); break;
      case Kind::binary: {
        const auto op = static_cast<ir::BinaryOp>(step.op);
        const auto a = static_cast<std::int64_t>(top[-2]), b = static_cast<std::int64_t>(top[-1]);
        std::int64_t unused;
        const bool overflows = step.type.is_index() && ((op == ir::BinaryOp::add && __builtin_add_overflow(a, b, &unused)) ||
                                                        (op == ir::BinaryOp::sub && __builtin_sub_overflow(a, b, &unused)) ||
                                                        (op == ir::BinaryOp::mul && __builtin_mul_overflow(a, b, &unused)));
        if (overflows) return std::nullopt;
        --top;
        top[-1] = ir::evaluate(op, step.type, top[-1], top[0]);
        break;
      }
      case Kind::cast: top[-1] = ir::evaluate_cast(static_cast<ir::CastMode>(step.op), step.type, step.from, top[-1]); break;
      case Kind::select:
        top -= 2;
        top[-1] = top[-1] ? top[0] : top[1];
        break;
    }
  }
  return static_cast<std::int64_t>(stack[0]);
}

LATHE_INLINE std::int64_t SizeFormula::exact(const List<ir::Var> &symbols, const Slot *slots) const {
  ir::VarMap<ir::Expr> values;
  for (std::size_t slot = 0; slot < symbols.size(); ++slot)
    if (symbols[slot].defined()) values.emplace(symbols[slot], ir::constant(symbols[slot].type(), slots[slot].integer));
  // The builders fold what has constant operands; substituting alone does not, and simplifying knows index arithmetic best.
  const ir::Expr folded = ir::rewrite(ir::substitute(expression_, values), [](const ir::Expr &node) {
    if (const auto *cast = node.as<ir::Cast>()) return ir::cast(node.type(), cast->a, cast->mode);
    if (const auto *unary = node.as<ir::Unary>()) return ir::unary(unary->op, unary->a);
    if (const auto *binary = node.as<ir::Binary>()) return ir::binary(binary->op, binary->a, binary->b);
    if (const auto *select = node.as<ir::Select>()) return ir::select(select->condition, select->a, select->b, select->guards);
    return node;
  });
  const auto value = ir::constant_integer(arith::Facts().simplify(folded));
  ensure(value.has_value(), "an extent is known once the symbols are");
  return *value;
}

}  // namespace lathe::inline LATHE_ABI
