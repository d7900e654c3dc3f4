// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// narrow_indices: a walk down the loops, whose domains bound what is in them; in each expression the narrow twins of lanes of
/// indices, children first.

#include <limits>

#include "lathe/ir/build.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/passes/conditions.hpp"
#include "lathe/passes/narrow_indices.hpp"
#include "lathe/support/hash_map.hpp"

namespace lathe::inline LATHE_ABI::passes {

namespace index_narrowing {

using arith::Facts;
using ir::Expr;
using ir::Stmt;

inline bool is_lanes(const Expr &e) { return e.type().is_index() && e.lanes() > 1; }

/// What a vector of indices is in 32 bits, and whether computing it takes more than a ramp does.
struct Twin {
  Expr narrow;
  bool heavy = false;
};

/// Makes twins of the lanes of one expression.
class Twins {
 public:
  explicit Twins(const Facts &facts) : facts_(facts) {}

  /// Looks at a node whose children were looked at. \returns the twin, or null.
  const Twin *look(const Expr &e) {
    if (!is_lanes(e)) return nullptr;
    if (const Twin *known = find(e)) return known;
    Twin twin = made(e);
    if (!twin.narrow.defined() || !fits(e)) return nullptr;
    twins_.emplace(e.node(), std::move(twin));
    kept_.push_back(e);
    return twins_.find(e.node()) ? &twins_.find(e.node())->second : nullptr;
  }

 private:
  const Twin *find(const Expr &e) const {
    const auto *found = twins_.find(e.node());
    return found ? &found->second : nullptr;
  }

  bool fits(const Expr &e) const {
    const arith::Bounds bounds = facts_.bounds(e);
    return bounds.min >= std::numeric_limits<std::int32_t>::min() && bounds.max <= std::numeric_limits<std::int32_t>::max();
  }

  static Expr scalar(const Expr &e) { return ir::cast(scalar_types::int32, e); }

  Twin made(const Expr &e) {
    if (const auto *ramp = e.as<ir::Ramp>()) {
      if (!fits(ramp->base) || !fits(ramp->stride)) return {};
      return {ir::ramp(scalar(ramp->base), scalar(ramp->stride), e.lanes()), false};
    }
    if (const auto *broadcast = e.as<ir::Broadcast>()) return {ir::broadcast(scalar(broadcast->a), e.lanes()), false};
    if (const auto *cast = e.as<ir::Cast>()) {
      const DType from = cast->a.type();
      const bool small = from.is_data_integer() && from.bits() <= (from.is_signed() ? 32 : 16);
      if (!small || cast->mode != ir::CastMode::convert) return {};
      return {ir::cast(DType(scalar_types::int32, e.lanes()), cast->a), false};
    }
    if (const auto *unary = e.as<ir::Unary>()) {
      const Twin *a = look(unary->a);
      return a ? Twin{ir::unary(unary->op, a->narrow), true} : Twin();
    }
    if (const auto *binary = e.as<ir::Binary>(); binary && binary->op != ir::BinaryOp::mul_high) {
      const Twin *a = look(binary->a), *b = a ? look(binary->b) : nullptr;
      if (!b) return {};
      a = find(binary->a);  // the table may have moved
      const bool sum = binary->op == ir::BinaryOp::add || binary->op == ir::BinaryOp::sub;
      return {ir::binary(binary->op, a->narrow, b->narrow), !sum || a->heavy || b->heavy};
    }
    if (const auto *select = e.as<ir::Select>()) {
      const Twin *a = look(select->a), *b = a ? look(select->b) : nullptr;
      if (!b) return {};
      a = find(select->a);
      return {ir::select(select->condition, a->narrow, b->narrow, select->guards), true};
    }
    return {};
  }

  const Facts &facts_;
  NodeMap<Twin> twins_;
  List<Expr> kept_;  ///< so that no node's address is used again
};

class Narrower {
 public:
  /// How many places became narrow.
  std::size_t count() const { return count_; }

  Stmt visit(const Stmt &s, const Facts &facts) {
    if (const auto *loop = s.as<ir::For>()) {
      Facts inner = facts;
      if (is_stable(loop->min, stored_) && is_stable(loop->extent, stored_)) inner.bind(loop->var, loop->min, loop->extent);
      return map(s, facts, inner);
    }
    return map(s, facts, facts);
  }

  explicit Narrower(BufferSet stored) : stored_(std::move(stored)) {}

 private:
  Stmt map(const Stmt &s, const Facts &outside, const Facts &inside) {
    Twins twins(outside);
    const bool locates = s.as<ir::Store>() != nullptr;
    return ir::map_children(
        s,
        [&](const Expr &root) {
          const Expr changed = ir::rewrite(root, [&](const Expr &e) { return narrowed(e, twins); });
          return locates ? located(changed, twins) : changed;
        },
        [&](const Stmt &nested) { return visit(nested, inside); });
  }

  Expr located(const Expr &index, Twins &twins) {
    const Twin *twin = twins.look(index);
    if (!twin || !twin->heavy) return index;
    ++count_;
    return ir::cast(index.type(), twin->narrow);
  }

  Expr narrowed(const Expr &e, Twins &twins) {
    twins.look(e);  // children come first, so that looking never goes deep
    if (const auto *cast = e.as<ir::Cast>(); cast && cast->mode == ir::CastMode::convert && !e.type().is_index()) {
      const Twin *twin = is_lanes(cast->a) ? twins.look(cast->a) : nullptr;
      if (!twin) return e;
      ++count_;
      return ir::cast(e.type(), twin->narrow);
    }
    if (const auto *binary = e.as<ir::Binary>(); binary && is_comparison(binary->op) && is_lanes(binary->a)) {
      const Twin *b = twins.look(binary->b);
      const bool heavy = b && b->heavy;
      const Expr right = b ? b->narrow : Expr();
      const Twin *a = b ? twins.look(binary->a) : nullptr;
      if (!a || !(a->heavy || heavy)) return e;
      ++count_;
      return ir::binary(binary->op, a->narrow, right);
    }
    if (const auto *load = e.as<ir::Load>()) {
      ir::Load changed = *load;
      const std::size_t before = count_;
      for (Expr &index : changed.indices) index = located(index, twins);
      return count_ == before ? e : ir::make(e.type(), std::move(changed));
    }
    return e;
  }

  BufferSet stored_;
  std::size_t count_ = 0;
};

/// Size symbols of the code.
inline List<Expr> symbols_in(const Stmt &s) {
  List<Expr> symbols;
  for (const ir::Var &var : ir::free_names(s).vars)
    if (var.type() == DType(scalar_types::index)) symbols.push_back(var);
  return symbols;
}

inline bool has_lanes_of_indices(const Stmt &s) {
  bool found = false;
  NodeSet seen;
  ir::walk_down(s, [&](const Stmt &each) {
    ir::for_each_expr(each, [&](const Expr &root) {
      ir::walk_down(root, [&](const Expr &e) {
        if (found || e.lanes() == 1 || !seen.insert(e.node())) return false;
        const auto *cast = e.as<ir::Cast>();
        found = (is_lanes(e) && !e.as<ir::Ramp>() && !e.as<ir::Broadcast>()) || (cast && is_lanes(cast->a));
        return !found;
      });
    });
    return !found;
  });
  return found;
}

}  // namespace index_narrowing

LATHE_INLINE ir::Stmt narrow_indices(const ir::Stmt &s, const PassContext &context) {
  using namespace index_narrowing;
  if (!has_lanes_of_indices(s)) return s;
  const BufferSet stored = stored_buffers(s);
  Narrower always(stored), mostly(stored);
  const Stmt general = always.visit(s, context.facts);
  constexpr std::int64_t most = 32767;  // so that products of two sizes fit
  Facts facts = context.facts;
  Expr small;
  for (const Expr &symbol : symbols_in(s)) {
    const Expr condition = symbol <= Expr(most) && symbol >= Expr(-most);
    small = ir::both(small, context.facts.simplify(condition));
    facts.assume(condition);
  }
  if (!small.defined()) return general;
  const Stmt narrow = mostly.visit(s, facts);
  if (mostly.count() <= always.count()) return general;
  return ir::make(ir::If{small, narrow, ir::with_fresh_buffers(general)});
}

}  // namespace lathe::inline LATHE_ABI::passes
