// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Expressions as instructions, with an explicit stack.

#include <algorithm>
#include <limits>
#include <utility>

#include "lathe/codegen/llvm_function.hpp"
#include "lathe/codegen/llvm_operators.hpp"
#include "lathe/ir/build.hpp"
#include "lathe/ir/evaluate.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/lists.hpp"

namespace lathe::inline LATHE_ABI::codegen {

/// What an expression was computed to, as far as that still holds: its region is open, and memory unchanged if it read any.
LATHE_INLINE LlvmValue LlvmFunction::known(const ir::Expr &e) const {
  const auto *it = known_.find(e.node());
  if (!it || !w_.alive(it->second.value)) return {};
  return it->second.epoch == epoch_ || it->second.epoch == 0 ? it->second.value : LlvmValue{};
}

LATHE_INLINE LlvmValue LlvmFunction::value(const ir::Expr &e) {
  compute({&e});
  return known(e);
}

/// Computes expressions and all they need. Operands come first; a node whose value is known is not entered.
LATHE_INLINE void LlvmFunction::compute(List<const ir::Expr *> roots) {
  List<std::pair<const ir::Expr *, bool>> stack;
  std::reverse(roots.begin(), roots.end());
  for (const ir::Expr *root : roots) stack.emplace_back(root, false);
  while (!stack.empty()) {
    const auto [e, entered] = stack.back();
    if (known(*e).defined()) {
      stack.pop_back();
    } else if (!entered) {
      stack.back().second = true;
      push_operands(*e, stack);
    } else {
      stack.pop_back();
      const std::uint64_t epoch = varies(*e) ? epoch_ : 0;
      const LlvmValue result = instruction(*e);
      accesses_.erase(e->node());
      known_.insert_or_assign(e->node(), Known{result, epoch});
    }
  }
}

/// Whether an expression whose operands are known may have another value after a store. (What its value is made of does not tell:
/// a load may have become the value that was stored last.)
LATHE_INLINE bool LlvmFunction::varies(const ir::Expr &e) const {
  const auto *call = e.as<ir::Call>();
  bool result = e.as<ir::Load>() || (call && !call->function.pure);
  if (result) return true;
  const auto look = [&](const ir::Expr &operand) {
    const auto *it = known_.find(operand.node());
    result = result || (it && it->second.epoch != 0);
  };
  if (const auto *it = accesses_.find(e.node()))
    for (const ir::Expr *operand : operands_of(it->second)) look(*operand);
  else
    ir::for_each_child(e, look);
  return result;
}

LATHE_INLINE void LlvmFunction::push_operands(const ir::Expr &e, List<std::pair<const ir::Expr *, bool>> &stack) {
  if (compares_ramps(e)) {
    for (const ir::Expr *operand : operands_of(accesses_.at(e.node()))) stack.emplace_back(operand, false);
    return;
  }
  const auto *load = e.as<ir::Load>();
  if (!load) {
    ir::for_each_child(e, [&](const ir::Expr &child) { stack.emplace_back(&child, false); });
    return;
  }
  // The handles stay where they are until the load is emitted: inside the stored access and the buffer.
  const Access &access = accesses_.insert_or_assign(e.node(), flatten(load->buffer, load->indices));
  for (const ir::Expr *operand : operands_of(access)) stack.emplace_back(operand, false);
  if (load->predicate.defined()) stack.emplace_back(uniform_part(load->predicate), false);
}

LATHE_INLINE LlvmValue LlvmFunction::instruction(const ir::Expr &e) {
  switch (e.node()->kind()) {
    case ir::ExprKind::constant: return w_.constant(e.type(), e.as<ir::Const>()->bits);
    case ir::ExprKind::var: {
      const ir::Var &var = e.as<ir::VarRef>()->var;
      const auto *it = vars_.find(var.node());
      ensure(it, "a variable is bound where it is used: " + var.name());
      return it->second;
    }
    case ir::ExprKind::load: return load(e, *e.as<ir::Load>());
    case ir::ExprKind::unary: {
      const auto &u = *e.as<ir::Unary>();
      return llvm_unary(w_, u.op, u.a.type(), known(u.a));
    }
    case ir::ExprKind::binary:
      if (const auto *it = accesses_.find(e.node())) return compare_ramps(e.as<ir::Binary>()->op, it->second);
      return binary(*e.as<ir::Binary>());
    case ir::ExprKind::mul_add: {
      const auto &m = *e.as<ir::MulAdd>();
      return llvm_mul_add(w_, e.type(), known(m.a), known(m.b), known(m.c));
    }
    case ir::ExprKind::select: {
      const auto &s = *e.as<ir::Select>();
      return w_.select(known(s.condition), known(s.a), known(s.b));
    }
    case ir::ExprKind::cast: {
      const auto &c = *e.as<ir::Cast>();
      return llvm_cast(w_, c.mode, e.type(), c.a.type(), known(c.a));
    }
    case ir::ExprKind::ranged: return known(e.as<ir::Ranged>()->a);
    case ir::ExprKind::ramp: return ramp(e, *e.as<ir::Ramp>());
    case ir::ExprKind::broadcast: {
      const LlvmValue a = known(e.as<ir::Broadcast>()->a);
      const int times = e.lanes() / e.as<ir::Broadcast>()->a.lanes();
      return w_.type(a).is_vector() ? repeat(a, times) : w_.splat(a, times);
    }
    case ir::ExprKind::shuffle: return shuffle(*e.as<ir::Shuffle>());
    case ir::ExprKind::call: return call(e, *e.as<ir::Call>());
    case ir::ExprKind::read:
    case ir::ExprKind::reduce: break;
  }
  fail_internal("a read or reduction reaches code generation");
}

LATHE_INLINE const arith::Facts &LlvmFunction::facts() {
  if (!facts_) {
    facts_.emplace();
    for (const arith::Facts::Domain &domain : domains_) facts_->bind(domain.var, domain.min, domain.extent);
  }
  return *facts_;
}

LATHE_INLINE LlvmValue LlvmFunction::binary(const ir::Binary &b) {
  DivisionFacts known_signs;
  const bool divides = b.op == ir::BinaryOp::div || b.op == ir::BinaryOp::mod || b.op == ir::BinaryOp::trunc_div ||
                       b.op == ir::BinaryOp::trunc_mod;
  if (divides && b.a.type().is_index()) {
    known_signs.divisor_positive = facts().bounds(b.b).min > 0;
    known_signs.dividend_not_negative = facts().bounds(b.a).min >= 0;
  }
  return llvm_binary(w_, b.op, b.a.type(), known(b.a), known(b.b), known_signs);
}

LATHE_INLINE bool LlvmFunction::compares_ramps(const ir::Expr &e) {
  const auto *b = e.as<ir::Binary>();
  if (!b || !ir::is_comparison(b->op) || !b->a.type().is_index() || e.lanes() == 1) return false;
  Access difference = difference_of(b->a, b->b);
  constexpr std::int64_t limit = std::int64_t{1} << 20;
  if (difference.stride == 0 || difference.stride > limit || difference.stride < -limit) return false;
  if (!difference.stride_terms.empty() || !difference.lane_terms.empty()) return false;
  int far = 0;
  for (const AccessTerm &term : difference.terms) {
    if (!is_far(term)) continue;
    if (++far > 1 || !term.factors.empty() || (term.coefficient != 1 && term.coefficient != -1)) return false;
  }
  accesses_.insert_or_assign(e.node(), std::move(difference));
  return true;
}

/// Loops and sizes count what is in memory, so differences between them fit 64 bits. Data may be any integer.
LATHE_INLINE bool LlvmFunction::is_far(const AccessTerm &term) {
  if (!term.atom.defined()) return false;
  bool counts = true;
  ir::walk_down(term.atom, [&](const ir::Expr &e) {
    const auto *var = e.as<ir::VarRef>();
    const ir::ExprKind kind = e.node()->kind();
    counts &= kind != ir::ExprKind::cast && kind != ir::ExprKind::load && kind != ir::ExprKind::call;
    if (var) counts &= facts().bounds(e).min >= 0;
    return counts;
  });
  if (counts) return false;
  constexpr std::int64_t near = std::int64_t{1} << 40;
  const arith::Bounds range = facts().bounds(term.atom);
  return range.min < -near || range.max > near;
}

/// lane · stride + u op 0 as lane · stride op -u, with 32-bit lanes: -u beyond them compares like the nearest number within. A
/// part of -u that may be any 64-bit integer is added last, saturating.
LATHE_INLINE LlvmValue LlvmFunction::compare_ramps(ir::BinaryOp op, const Access &difference) {
  const DType index = scalar_types::index, narrow(scalar_types::int32, difference.lanes);
  List<LlvmValue> parts;
  LlvmValue far;
  bool far_is_taken_off = false;
  std::int64_t constant = wrapping_mul(difference.constant, -1);
  for (const AccessTerm &term : difference.terms) {
    const LlvmValue part = product(term, 1), scale = w_.integer(index, wrapping_mul(term.coefficient, -1));
    if (is_far(term)) {
      far = part;
      far_is_taken_off = term.coefficient == 1;
    } else if (const auto bits = w_.constant_bits(part))
      constant = wrapping_add(constant, wrapping_mul(static_cast<std::int64_t>(*bits), wrapping_mul(term.coefficient, -1)));
    else
      parts.push_back(llvm_binary(w_, ir::BinaryOp::mul, index, part, scale));
  }
  lists::sort(parts, [&](LlvmValue a, LlvmValue b) { return w_.comes_before(a, b); });
  LlvmValue bound = w_.integer(index, constant);
  for (const LlvmValue part : parts) bound = llvm_binary(w_, ir::BinaryOp::add, index, bound, part);
  if (far.defined()) bound = w_.intrinsic(far_is_taken_off ? "llvm.ssub.sat" : "llvm.sadd.sat", index, {bound, far});
  if (const auto bits = w_.constant_bits(bound)) {
    List<std::uint64_t> lanes;
    for (int i = 0; i < difference.lanes; ++i)
      lanes.push_back(ir::evaluate(op, index, static_cast<ir::Bits>(i * difference.stride), *bits));
    return w_.constants(DType(scalar_types::boolean, difference.lanes), lanes);
  }
  const arith::Bounds range = facts().bounds(sum_of(difference.terms, difference.constant));
  constexpr std::int64_t least = std::numeric_limits<std::int32_t>::min(), most = std::numeric_limits<std::int32_t>::max();
  if (range.max > most) bound = w_.intrinsic("llvm.smax", index, {bound, w_.integer(index, least)});
  if (range.min < -most) bound = w_.intrinsic("llvm.smin", index, {bound, w_.integer(index, most)});
  List<std::uint64_t> lanes;
  for (int i = 0; i < difference.lanes; ++i) lanes.push_back(static_cast<std::uint64_t>(i * difference.stride));
  const LlvmValue limit = w_.splat(w_.convert("trunc", bound, narrow.element()), difference.lanes);
  return llvm_binary(w_, op, narrow, w_.constants(narrow, lanes), limit);
}

/// base + lane · stride; a vector base is continued block by block.
LATHE_INLINE LlvmValue LlvmFunction::ramp(const ir::Expr &e, const ir::Ramp &r) {
  const DType type = e.type();
  const int block = r.base.lanes();
  List<std::uint64_t> steps;
  for (int i = 0; i < type.lanes(); ++i) steps.push_back(static_cast<std::uint64_t>(i / block));
  const auto stride = ir::constant_integer(r.stride);
  if (stride)
    for (std::uint64_t &step : steps) step *= static_cast<std::uint64_t>(*stride);
  const LlvmValue base = known(r.base);
  if (stride && block == 1) {
    if (const auto first = w_.constant_bits(base)) {
      for (std::uint64_t &step : steps) step += *first;
      return w_.constants(type, steps);
    }
  }
  const LlvmValue lanes = w_.constants(type, steps);
  const LlvmValue start = block == 1 ? w_.splat(base, type.lanes()) : repeat(base, type.lanes() / block);
  if (stride) return w_.op2("add", start, lanes);
  const LlvmValue step = known(r.stride);
  const LlvmValue steps_vector =
      w_.type(step).is_vector() ? repeat(step, type.lanes() / r.stride.lanes()) : w_.splat(step, type.lanes());
  return w_.op2("add", start, w_.op2("mul", steps_vector, lanes));
}

LATHE_INLINE LlvmValue LlvmFunction::repeat(LlvmValue vector, int times) {
  const int lanes = w_.type(vector).lanes();
  List<int> pick;
  for (int i = 0; i < lanes * times; ++i) pick.push_back(i % lanes);
  return w_.shuffle(vector, {}, pick);
}

/// Vectors of one width take one instruction for two of them, and another one for each more if the result has that width too;
/// otherwise the lanes of each vector are brought to their places and merged.
LATHE_INLINE LlvmValue LlvmFunction::shuffle(const ir::Shuffle &s) {
  const int total = static_cast<int>(s.lanes.size());
  List<LlvmValue> vectors;
  for (const ir::Expr &e : s.vectors) vectors.push_back(known(e));
  const int width = s.vectors[0].lanes();
  const bool alike = lists::all_of(s.vectors, [&](const ir::Expr &e) { return e.lanes() == width; });
  if (width > 1 && alike && vectors.size() <= 2)
    return w_.shuffle(vectors[0], vectors.size() == 2 ? vectors[1] : LlvmValue{}, s.lanes);
  if (width > 1 && alike && total == width) return shuffle_one_by_one(vectors, s.lanes);
  LlvmValue result;
  int first = 0;
  for (std::size_t v = 0; v < vectors.size(); ++v) {
    const int lanes = s.vectors[v].lanes();
    List<int> pick, merge;
    bool any = false;
    for (int i = 0; i < total; ++i) {
      const int from = s.lanes[static_cast<std::size_t>(i)] - first;
      const bool mine = from >= 0 && from < lanes;
      any = any || mine;
      pick.push_back(mine ? from : -1);
      merge.push_back(mine ? total + i : i);
    }
    first += lanes;
    if (!any) continue;
    if (total == 1) return w_.lane(vectors[v], pick[0]);
    if (lanes == 1) {
      for (int i = 0; i < total; ++i)
        if (pick[static_cast<std::size_t>(i)] == 0) result = w_.with_lane(result, vectors[v], i, total);
      continue;
    }
    const LlvmValue placed = w_.shuffle(vectors[v], {}, pick);
    result = result.defined() ? w_.shuffle(result, placed, merge) : placed;
  }
  return result;
}

/// Three vectors or more, and a result of their width. Lanes of the first one are still at their old place when the second comes;
/// later all are where they belong.
LATHE_INLINE LlvmValue LlvmFunction::shuffle_one_by_one(const List<LlvmValue> &vectors, const List<int> &lanes) {
  const int width = static_cast<int>(lanes.size());
  LlvmValue result = vectors[0];
  for (int v = 1; v < static_cast<int>(vectors.size()); ++v) {
    List<int> pick;
    for (int i = 0; i < width; ++i) {
      const int lane = lanes[static_cast<std::size_t>(i)], owner = lane / width;
      const int before = v == 1 ? lane : i, now = owner == v ? width + lane % width : before;
      pick.push_back(owner > v ? -1 : now);
    }
    result = w_.shuffle(result, vectors[static_cast<std::size_t>(v)], pick);
  }
  return result;
}

LATHE_INLINE LlvmValue LlvmFunction::call(const ir::Expr &e, const ir::Call &c) {
  List<LlvmValue> arguments;
  List<DType> types;
  for (const ir::Expr &argument : c.arguments) {
    arguments.push_back(known(argument));
    types.push_back(argument.type().element());
  }
  LlvmValue pointer;
  if (c.function.address) {
    const auto *it = lists::find_if(functions_, [&](const auto &f) { return f.first == c.function; });
    ensure(it != nullptr, "an external function with an address is a parameter: " + c.function.name);
    pointer = it->second;
  }
  return llvm_call(w_, llvm_global(c.function.name), pointer, e.type(), arguments, types, c.function.pure);
}

}  // namespace lathe::inline LATHE_ABI::codegen
