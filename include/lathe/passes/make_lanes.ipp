// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The loop variable becomes a ramp, scalars beside vectors are broadcast, conditions that differ between lanes become masks.

#include <algorithm>
#include <numeric>
#include <utility>

#include "lathe/passes/make_lanes.hpp"
#include "lathe/support/hash_map.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/lists.hpp"

namespace lathe::inline LATHE_ABI::passes {

namespace lane_making {

using arith::Facts;
using ir::Expr;
using ir::Stmt;

/// The lanes that are active where a statement stands. Undefined: all of them.
struct Mask {
  Expr lanes;   // a vector of bool
  Expr scalar;  // the same as a condition on the loop variable; undefined if there is none
};

/// Memory of each lane.
struct Local {
  ir::Buffer buffer;  // with the lanes as last dimension
  Expr mask;          // the lanes that were active where it was allocated
  bool uniform;       // indices and conditions of writes are the same in all lanes: lanes outside `mask` need not be kept from it
  bool needs(const Expr &lanes) const { return lanes.defined() && !(uniform && lanes.same_as(mask)); }
};

/// When a condition holds in every lane, and when it holds in some; undefined where no scalar comparisons tell.
struct Extremes {
  Expr all, any;
};

class LaneMaker {
 public:
  LaneMaker(const ir::For &loop, int lanes, const BufferSet &stored)
      : var_(loop.var), min_(loop.min), lanes_(lanes), stored_(stored), iota_(ir::ramp(0, 1, lanes)) {
    vectors_[var_] = ir::ramp(min_, 1, lanes);
  }

  Stmt visit(const Stmt &s, const Mask &mask, const Facts &facts);
  bool failed() const { return failed_; }

 private:
  Expr widen(const Expr &e, const Mask &mask) const;
  Expr widen_load(const ir::Load &load, const Mask &mask) const;
  List<Expr> widen(const List<Expr> &list, const Mask &mask) const;

  Stmt visit_loop(const ir::For &loop, const Mask &mask, const Facts &facts);
  Stmt visit_store(const ir::Store &store, const Mask &mask);
  ir::Buffer for_lanes(const ir::Buffer &buffer) const;
  Stmt visit_allocate(const ir::Allocate &allocate, const Mask &mask, const Facts &facts);
  Stmt visit_bind(const ir::Bind &bind, const Mask &mask, const Facts &facts);
  Stmt visit_check(const ir::Check &check, const Mask &mask) const;
  Stmt visit_prefetch(const ir::Prefetch &prefetch, const Mask &mask) const;
  Stmt visit_if(const ir::If &branch, const Mask &mask, const Facts &facts);
  Stmt visit_masked(const ir::If &branch, const Expr &condition, const Mask &mask, const Facts &facts);
  Stmt under(const Stmt &body, const Expr &condition, const Expr &vector, const Mask &mask, const Facts &facts);

  bool depends_on_lane(const Expr &e) const;
  bool is_uniform(const ir::Buffer &buffer, const Stmt &body) const;
  bool needs_an_active_lane(const Stmt &body) const;
  Extremes extremes(const Expr &condition) const;
  Expr reduced(ir::BinaryOp op, Expr vector) const;
  Facts with(const Facts &facts, const Expr &condition) const;

  ir::Var var_;
  Expr min_;
  int lanes_;
  const BufferSet &stored_;
  Expr iota_;
  ir::VarMap<Expr> vectors_;  // what variables that differ between lanes have become
  NodeMap<Local> locals_;
  bool failed_ = false;
};

// ---- expressions
// ----------------------------------------------------------------------------------------------------------------

/// Sums, differences and multiples of ramps and broadcasts are ramps again; anything else stays.
LATHE_INLINE Expr folded_ramp(const Expr &e) {
  const auto *b = e.as<ir::Binary>();
  if (!b || !e.type().is_index() || e.lanes() == 1) return e;
  const auto *ramp_a = b->a.as<ir::Ramp>(), *ramp_b = b->b.as<ir::Ramp>();
  const auto *splat_a = b->a.as<ir::Broadcast>(), *splat_b = b->b.as<ir::Broadcast>();
  if (!(ramp_a || splat_a) || !(ramp_b || splat_b)) return e;
  const Expr base_a = ramp_a ? ramp_a->base : splat_a->a, base_b = ramp_b ? ramp_b->base : splat_b->a;
  const Expr stride_a = ramp_a ? ramp_a->stride : Expr(0), stride_b = ramp_b ? ramp_b->stride : Expr(0);
  switch (b->op) {
    case ir::BinaryOp::add: return ir::ramp(base_a + base_b, stride_a + stride_b, e.lanes());
    case ir::BinaryOp::sub: return ir::ramp(base_a - base_b, stride_a - stride_b, e.lanes());
    case ir::BinaryOp::mul:
      if (splat_b) return ir::ramp(base_a * base_b, stride_a * base_b, e.lanes());
      if (splat_a) return ir::ramp(base_a * base_b, stride_b * base_a, e.lanes());
      return e;
    default: return e;
  }
}

/// The operand of a broadcast, else the expression.
inline Expr without_broadcast(const Expr &e) {
  const auto *splat = e.as<ir::Broadcast>();
  return splat ? splat->a : e;
}

LATHE_INLINE Expr LaneMaker::widen_load(const ir::Load &load, const Mask &mask) const {
  List<Expr> indices;
  for (const Expr &index : load.indices) indices.push_back(without_broadcast(index));
  Expr predicate = load.predicate.defined() ? without_broadcast(load.predicate) : load.predicate;
  if (const auto *local = locals_.find(load.buffer.node())) {
    indices.push_back(iota_);
    if (local->second.needs(mask.lanes)) predicate = ir::both(mask.lanes, predicate);
    return ir::load(local->second.buffer, std::move(indices), std::move(predicate));
  }
  if (lists::any_of(indices, [](const Expr &e) { return e.lanes() > 1; }))
    return ir::load(load.buffer, std::move(indices), ir::both(mask.lanes, predicate));
  if (!predicate.defined() || predicate.lanes() == 1) return ir::load(load.buffer, std::move(indices), predicate);
  // One element for all lanes that want it: read once, where any of them does.
  const Expr wanted = mask.lanes.defined() ? mask.lanes && predicate : predicate;
  const Expr once = ir::load(load.buffer, std::move(indices), reduced(ir::BinaryOp::logical_or, wanted));
  return ir::select(predicate, once, ir::zero_of(once.type()));
}

LATHE_INLINE Expr LaneMaker::widen(const Expr &e, const Mask &mask) const {
  if (!e.defined()) return e;
  return ir::rewrite(e, [&](const Expr &node) -> Expr {
    if (const auto *reference = node.as<ir::VarRef>()) {
      const auto *found = vectors_.find(reference->var);
      return !found ? node : found->second;
    }
    if (const auto *load = node.as<ir::Load>()) {
      const bool scalar = node.lanes() == 1 && !mask.lanes.defined() && !locals_.contains(load->buffer.node());
      return scalar ? node : widen_load(*load, mask);
    }
    // A predicate that became a vector has made a choice of a load of no dimension.
    if (const auto *chosen = node.as<ir::Select>()) {
      const Expr value = without_broadcast(chosen->a);
      const auto *load = value.as<ir::Load>();
      if (load && load->indices.empty() && locals_.contains(load->buffer.node()))
        return widen_load({load->buffer, {}, chosen->condition}, mask);
    }
    return folded_ramp(node);
  });
}

LATHE_INLINE List<Expr> LaneMaker::widen(const List<Expr> &list, const Mask &mask) const {
  List<Expr> result;
  for (const Expr &e : list) result.push_back(widen(e, mask));
  return result;
}

/// All lanes combined by `op` (an operator that may see a lane twice), by halves.
LATHE_INLINE Expr LaneMaker::reduced(ir::BinaryOp op, Expr vector) const {
  vector = without_broadcast(vector);
  while (vector.lanes() > 1) {
    const int lanes = vector.lanes(), half = (lanes + 1) / 2;
    List<int> low(static_cast<std::size_t>(half)), high(low);
    std::iota(low.begin(), low.end(), 0);
    std::iota(high.begin(), high.end(), lanes - half);
    vector = ir::binary(op, ir::shuffle({vector}, std::move(low)), ir::shuffle({vector}, std::move(high)));
  }
  return vector;
}

LATHE_INLINE bool LaneMaker::depends_on_lane(const Expr &e) const {
  bool found = false;
  ir::walk_down(e, [&](const Expr &node) {
    const auto *reference = node.as<ir::VarRef>();
    const auto *load = node.as<ir::Load>();
    found = found || (reference && vectors_.contains(reference->var)) || (load && locals_.contains(load->buffer.node()));
    return !found;
  });
  return found;
}

LATHE_INLINE Extremes LaneMaker::extremes(const Expr &condition) const {
  Extremes result;
  bool rising = false, falling = false;
  for (const Expr &each : conjuncts(condition)) {
    if (!ir::is_pure_scalar(each)) return {};
    if (!depends_on_lane(each)) {
      result.all = ir::both(result.all, each);
      result.any = ir::both(result.any, each);
      continue;
    }
    const auto bound = inequality_in(each, var_);
    if (!bound || depends_on_lane(arith::from_linear(bound->rest))) return {};
    const bool low = bound->coefficient > 0;  // low lanes satisfy it
    (low ? falling : rising) = true;
    const Expr first = min_, last = min_ + (lanes_ - 1);
    result.all = ir::both(result.all, ir::substitute(each, {{var_, low ? last : first}}));
    result.any = ir::both(result.any, ir::substitute(each, {{var_, low ? first : last}}));
  }
  if (rising && falling) result.any = {};
  return result;
}

LATHE_INLINE Facts LaneMaker::with(const Facts &facts, const Expr &condition) const {
  Facts inner = facts;
  if (is_stable(condition, stored_)) inner.assume(condition);
  return inner;
}

// ---- statements
// -----------------------------------------------------------------------------------------------------------------

LATHE_INLINE Stmt LaneMaker::visit_loop(const ir::For &loop, const Mask &mask, const Facts &facts) {
  const Expr min = widen(loop.min, mask), extent = widen(loop.extent, mask);
  failed_ = failed_ || min.lanes() > 1 || extent.lanes() > 1;
  if (failed_) return ir::make(loop);
  Facts inner = facts;
  if (is_stable(min, stored_) && is_stable(extent, stored_)) inner.bind(loop.var, min, extent);
  // Threads would have to be given vectors that live outside the loop.
  const ir::LoopKind kind = loop.kind == ir::LoopKind::parallel ? ir::LoopKind::serial : loop.kind;
  return ir::make(ir::For{loop.var, min, extent, kind, visit(loop.body, mask, inner)});
}

LATHE_INLINE Stmt LaneMaker::visit_store(const ir::Store &store, const Mask &mask) {
  ir::Buffer buffer = store.buffer;
  List<Expr> indices = widen(store.indices, mask);
  Expr predicate = widen(store.predicate, mask);
  bool masked = mask.lanes.defined();
  if (const auto *local = locals_.find(buffer.node())) {
    buffer = local->second.buffer;
    indices.push_back(iota_);
    masked = local->second.needs(mask.lanes);
  }
  if (masked) predicate = ir::both(mask.lanes, predicate);
  failed_ = failed_ || lists::none_of(indices, [](const Expr &e) { return e.lanes() > 1; });
  if (predicate.defined()) predicate = ir::broadcast(std::move(predicate), lanes_);
  Expr value = ir::broadcast(widen(store.value, mask), lanes_);
  return ir::make(ir::Store{std::move(buffer), std::move(indices), std::move(value), std::move(predicate)});
}

/// Whether all accesses to the buffer have the same indices in all lanes, and writes happen under the same conditions in all:
/// pure, and neither from the lane nor bound inside.
LATHE_INLINE bool LaneMaker::is_uniform(const ir::Buffer &buffer, const Stmt &body) const {
  NodeSet bound;
  ir::walk_down(body, [&](const Stmt &s) {
    if (const auto *bind = s.as<ir::Bind>()) bound.insert(bind->var.node());
    return true;
  });
  bool uniform = true;
  const auto look_at = [&](const List<Expr> &indices) {
    for (const Expr &index : indices) {
      uniform = uniform && ir::is_pure_scalar(index) && !depends_on_lane(index);
      for (const ir::Var &var : ir::free_vars(index)) uniform = uniform && !bound.contains(var.node());
    }
  };
  // What only some of the lanes write, lanes outside the mask would read unwritten.
  const auto writes = [&](const Stmt &part) {
    bool found = false;
    ir::walk_down(part, [&](const Stmt &s) {
      const auto *store = s.as<ir::Store>();
      found = found || (store && store->buffer == buffer);
      return !found;
    });
    return found;
  };
  ir::walk_down(body, [&](const Stmt &s) {
    if (const auto *store = s.as<ir::Store>(); store && store->buffer == buffer) look_at(store->indices);
    if (const auto *branch = s.as<ir::If>(); branch && writes(s)) look_at({branch->condition});
    return true;
  });
  ir::walk(body, [&](const Expr &e) {
    if (const auto *load = e.as<ir::Load>(); load && load->buffer == buffer) look_at(load->indices);
  });
  return uniform;
}

/// A buffer with a place for every lane.
LATHE_INLINE ir::Buffer LaneMaker::for_lanes(const ir::Buffer &buffer) const {
  ir::BufferNode node = *buffer.node();
  node.shape.push_back(lanes_);
  if (!node.strides.empty()) {
    for (Expr &stride : node.strides) stride = stride * lanes_;
    node.strides.push_back(1);
  }
  const int whole = lanes_ * node.type.bytes();
  if ((whole & (whole - 1)) == 0) node.alignment = std::max(node.alignment, std::min(whole, 64));
  return ir::Buffer(std::move(node));
}

LATHE_INLINE Stmt LaneMaker::visit_allocate(const ir::Allocate &allocate, const Mask &mask, const Facts &facts) {
  for (const ir::Buffer &buffer : allocate.buffers) {
    for (const Expr &e : buffer->shape) failed_ = failed_ || depends_on_lane(e);
    for (const Expr &e : buffer->strides) failed_ = failed_ || depends_on_lane(e);
  }
  if (failed_) return ir::make(allocate);
  List<ir::Buffer> buffers;
  for (const ir::Buffer &buffer : allocate.buffers) {
    buffers.push_back(for_lanes(buffer));
    locals_[buffer.node()] = {buffers.back(), mask.lanes, is_uniform(buffer, allocate.body)};
  }
  Stmt body = visit(allocate.body, mask, facts);
  for (const ir::Buffer &buffer : allocate.buffers) locals_.erase(buffer.node());
  return ir::make(ir::Allocate{std::move(buffers), std::move(body)});
}

LATHE_INLINE Stmt LaneMaker::visit_bind(const ir::Bind &bind, const Mask &mask, const Facts &facts) {
  Expr value = widen(bind.value, mask);
  if (value.lanes() == 1) return ir::make(ir::Bind{bind.var, std::move(value), visit(bind.body, mask, facts)});
  const bool ramp = value.as<ir::Ramp>();  // loads and stores shall see that their index is one
  const ir::Var vector(bind.var.name(), bind.var.type().with_lanes(lanes_));
  vectors_[bind.var] = ramp ? value : Expr(vector);
  Stmt body = visit(bind.body, mask, facts);
  vectors_.erase(bind.var);
  return ramp ? body : ir::make(ir::Bind{vector, std::move(value), std::move(body)});
}

/// A hint for places that differ by lane is left out.
LATHE_INLINE Stmt LaneMaker::visit_prefetch(const ir::Prefetch &prefetch, const Mask &mask) const {
  List<Expr> indices;
  for (const Expr &index : prefetch.indices) indices.push_back(widen(index, mask));
  const bool scalar = lists::all_of(indices, [](const Expr &index) { return index.lanes() == 1; });
  return scalar ? ir::make(ir::Prefetch{prefetch.buffer, std::move(indices)}) : ir::make(ir::Block{});
}

LATHE_INLINE Stmt LaneMaker::visit_check(const ir::Check &check, const Mask &mask) const {
  Expr condition = widen(check.condition, mask);
  if (condition.lanes() > 1) {
    if (mask.lanes.defined()) condition = !mask.lanes || condition;
    condition = reduced(ir::BinaryOp::logical_and, condition);
  }
  return ir::make(ir::Check{std::move(condition), check.message, check.place});
}

/// Whether `body` does something once for all lanes that may happen only if one of them is active.
LATHE_INLINE bool LaneMaker::needs_an_active_lane(const Stmt &body) const {
  bool found = false;
  ir::walk_down(body, [&](const Stmt &s) {
    found = found || s.as<ir::For>() || s.as<ir::Check>() || s.as<ir::Evaluate>();
    return !found;
  });
  ir::walk(body, [&](const Expr &e) {
    const auto *load = e.as<ir::Load>();
    if (!load || locals_.contains(load->buffer.node())) return;
    found = found || lists::none_of(load->indices, [&](const Expr &i) { return depends_on_lane(i); });
  });
  return found;
}

/// `body` in the lanes of `mask` where `vector` holds, which is `condition` with lanes.
LATHE_INLINE Stmt LaneMaker::under(const Stmt &body, const Expr &condition, const Expr &vector, const Mask &mask,
                                   const Facts &facts) {
  Mask inner{ir::both(mask.lanes, vector), {}};
  if (condition.defined() && (!mask.lanes.defined() || mask.scalar.defined())) inner.scalar = ir::both(mask.scalar, condition);
  // A variable, so that loops inside do not compute the mask again.
  const ir::Var active("active", inner.lanes.type());
  const Expr lanes = std::exchange(inner.lanes, active);
  const Expr any = inner.scalar.defined() ? extremes(inner.scalar).any : Expr();
  if (any.defined()) {
    const Expr simple = facts.simplify(any);
    Stmt result = ir::make(ir::Bind{active, lanes, visit(body, inner, with(facts, simple))});
    return ir::is_true(simple) ? result : ir::make(ir::If{simple, std::move(result), {}});
  }
  const bool needed = needs_an_active_lane(body);
  Stmt result = visit(body, inner, facts);
  if (needed) result = ir::make(ir::If{reduced(ir::BinaryOp::logical_or, active), std::move(result), {}});
  return ir::make(ir::Bind{active, lanes, std::move(result)});
}

/// A condition that differs between lanes. The lanes are told apart before either branch runs, since branches may change what it
/// reads.
LATHE_INLINE Stmt LaneMaker::visit_masked(const ir::If &branch, const Expr &condition, const Mask &mask, const Facts &facts) {
  const bool pure = ir::is_pure_scalar(branch.condition);
  if (!branch.else_body.defined()) return under(branch.then_body, pure ? branch.condition : Expr(), condition, mask, facts);
  const ir::Var chosen("chosen", condition.type());
  Stmt yes = under(branch.then_body, pure ? branch.condition : Expr(), chosen, mask, facts);
  Stmt no = under(branch.else_body, pure ? negation(branch.condition) : Expr(), !Expr(chosen), mask, facts);
  return ir::make(ir::Bind{chosen, condition, ir::block({std::move(yes), std::move(no)})});
}

LATHE_INLINE Stmt LaneMaker::visit_if(const ir::If &branch, const Mask &mask, const Facts &facts) {
  const Expr condition = widen(branch.condition, mask);
  if (condition.lanes() == 1) {
    Stmt yes = visit(branch.then_body, mask, with(facts, condition));
    Stmt no = branch.else_body.defined() ? visit(branch.else_body, mask, with(facts, negation(condition))) : Stmt();
    return ir::make(ir::If{condition, std::move(yes), std::move(no)});
  }
  // Under a mask already, a further copy of the body for the case that all lanes agree does not pay.
  const Expr all = mask.lanes.defined() ? Expr() : extremes(branch.condition).all;
  const Expr simple = all.defined() ? facts.simplify(all) : all;
  if (ir::is_true(simple)) return visit(branch.then_body, mask, facts);
  if (!simple.defined() || ir::is_false(simple)) return visit_masked(branch, condition, mask, facts);
  Stmt steady = visit(branch.then_body, mask, with(facts, simple));
  return ir::make(ir::If{simple, std::move(steady), visit_masked(branch, condition, mask, facts)});
}

LATHE_INLINE Stmt LaneMaker::visit(const Stmt &s, const Mask &mask, const Facts &facts) {
  switch (s.node()->kind()) {
    case ir::StmtKind::loop: return visit_loop(*s.as<ir::For>(), mask, facts);
    case ir::StmtKind::store: return visit_store(*s.as<ir::Store>(), mask);
    case ir::StmtKind::allocate: return visit_allocate(*s.as<ir::Allocate>(), mask, facts);
    case ir::StmtKind::branch: return visit_if(*s.as<ir::If>(), mask, facts);
    case ir::StmtKind::bind: return visit_bind(*s.as<ir::Bind>(), mask, facts);
    case ir::StmtKind::check: return visit_check(*s.as<ir::Check>(), mask);
    case ir::StmtKind::prefetch: return visit_prefetch(*s.as<ir::Prefetch>(), mask);
    case ir::StmtKind::block:
    case ir::StmtKind::evaluate:
      return ir::map_children(
          s, [&](const Expr &e) { return widen(e, mask); }, [&](const Stmt &nested) { return visit(nested, mask, facts); });
  }
  fail_internal("a statement of a kind that vectorize_loops does not know");
}

}  // namespace lane_making

LATHE_INLINE ir::Stmt make_lanes(const ir::For &loop, int lanes, const arith::Facts &facts, const BufferSet &stored) {
  lane_making::LaneMaker maker(loop, lanes, stored);
  ir::Stmt result = maker.visit(loop.body, {}, facts);
  return maker.failed() ? ir::Stmt() : result;
}

}  // namespace lathe::inline LATHE_ABI::passes
