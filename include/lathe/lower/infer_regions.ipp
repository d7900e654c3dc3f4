// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Bounds inference. Stages are visited from consumers to producers, so a stage's loops are known before the stages it reads. For
/// each consumer, its loops inside the place of computation run over their whole range and all others stay symbolic; the indices
/// of its reads then give a box, and the boxes of all reads are united.

#include <algorithm>

#include "lathe/ir/build.hpp"
#include "lathe/ir/print.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/lower/plan.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/lists.hpp"

namespace lathe::inline LATHE_ABI::lowering {

namespace regions {

using arith::Interval;
using scheduling::Attachment;
using scheduling::Relation;

/// Finds the loop that a stage is computed at. Without one (root), parent and level are -1.
inline void place(Plans &plans, Plan &plan) {
  const scheduling::StageState &stage = *plan.stage;
  if (stage.attachment.kind != Attachment::Kind::at) return;
  for (std::size_t p = 0; p < plans.plans.size(); ++p)
    if (plans.plans[p].stage->id == stage.attachment.consumer) plan.parent = static_cast<int>(p);
  const scheduling::Step &step = *plans.state->steps[static_cast<std::size_t>(stage.attachment.step)];
  if (plan.parent < 0)
    scheduling::refuse(*plans.state, step, "L001", {stage.name(), " is computed inside a stage that is inlined"},
                       {{"help", "compute it inside the stage that reads the inlined one", {}}});
  const scheduling::StageState &consumer = *plans.plans[static_cast<std::size_t>(plan.parent)].stage;
  plan.level = consumer.position(consumer.follow(stage.attachment.axis));
  ensure(plan.level >= 0, "the loop a stage is attached to exists");
}

/// Calls `visit(plan, loop)` on the loops around a stage's place, from the innermost outwards.
template <class Visit>
void for_each_enclosing(const Plans &plans, const Plan &plan, const Visit &visit) {
  int parent = plan.parent, level = plan.level;
  while (parent >= 0) {
    const Plan &around = plans.plans[static_cast<std::size_t>(parent)];
    for (int l = level; l >= 0; --l) visit(around, around.loops[static_cast<std::size_t>(l)]);
    parent = around.parent;
    level = around.level;
  }
}

/// Throws L001 unless `consumer` is computed inside the loop that `plan` is attached to.
inline void require_inside(const Plans &plans, const Plan &plan, const Plan &consumer) {
  if (plan.parent < 0) return;
  const Plan *at = &consumer;
  int level = static_cast<int>(consumer.loops.size());
  while (true) {
    if (at == &plans.plans[static_cast<std::size_t>(plan.parent)]) {
      if (level > plan.level) return;
      break;
    }
    if (at->parent < 0) break;
    level = at->level + 1;
    at = &plans.plans[static_cast<std::size_t>(at->parent)];
  }
  const scheduling::Step &step = *plans.state->steps[static_cast<std::size_t>(plan.stage->attachment.step)];
  std::string uses;
  for (const std::size_t user : plan.consumers) (uses += uses.empty() ? "" : ", ") += plans.plans[user].stage->name();
  scheduling::refuse(
      *plans.state, step, "L001",
      {plan.stage->name(), " is computed inside ", plans.plans[static_cast<std::size_t>(plan.parent)].stage->name(), ", but ",
       consumer.stage->name(), " reads it outside that loop"},
      {{"why", {plan.stage->name(), " is read by ", uses, "; each must lie inside the loop it is computed at"}, {}},
       {"help", "compute it at root, or at a loop around all its readers", {}}});
}

/// The hull of two intervals; an undefined end is unbounded.
inline Interval hull(const arith::Facts &facts, const Interval &a, const Interval &b) {
  Interval result;
  if (a.min.defined() && b.min.defined()) result.min = facts.simplify(ir::min(a.min, b.min));
  if (a.max.defined() && b.max.defined()) result.max = facts.simplify(ir::max(a.max, b.max));
  return result;
}

/// Unites the boxes of all reads of `plan`'s tensors by `consumer` into `box`.
inline void add_reads(const Plans &plans, const Plan &plan, const Plan &consumer, List<std::optional<Interval>> &box) {
  // Loops that run over their range: those of the consumer and around it, but for those around the producer too.
  ir::VarMap<Interval> ranges;
  ir::VarMap<bool> outside;
  for_each_enclosing(plans, plan, [&](const Plan &, const Loop &loop) { outside.emplace(loop.var, true); });
  const auto run = [&](const Loop &loop) {
    if (!outside.contains(loop.var)) ranges.emplace(loop.var, Interval{ir::Expr(0), loop.extent - ir::Expr(1)});
  };
  for (const Loop &loop : consumer.loops) run(loop);
  for_each_enclosing(plans, consumer, [&](const Plan &, const Loop &loop) { run(loop); });
  const auto add = [&](const ir::Expr &root, const arith::Facts &facts, const ir::VarMap<ir::Expr> &values) {
    if (!root.defined()) return;
    ir::walk(root, [&](const ir::Expr &e) {
      const ir::Read *read = e.as<ir::Read>();
      if (!read || read->tensor.operation != plan.stage->key) return;
      for (std::size_t d = 0; d < read->indices.size(); ++d) {
        const Interval touched = facts.interval(ir::substitute(read->indices[d], values), ranges);
        box[d] = box[d] ? hull(plan.facts, *box[d], touched) : touched;
      }
    });
  };
  const ir::Reduce *reduce = consumer.reduction();
  if (!reduce) {
    for (const ir::Expr &body : consumer.bodies) add(body, consumer.facts, consumer.values);
    return;
  }
  // Start values and domains are evaluated whether the reduction loops run or not; where data axes are fused with those, for the
  // whole region.
  ir::VarMap<ir::Expr> values = consumer.values;
  const List<ir::Var> &axes = consumer.operation()->axes;
  for (std::size_t d = 0; consumer.mixes_data() && d < axes.size(); ++d) {
    values.erase(axes[d]);
    ranges.emplace(axes[d], Interval{consumer.min[d], consumer.min[d] + consumer.extent[d] - ir::Expr(1)});
  }
  for (const ir::Expr &init : reduce->init) add(init, consumer.start_facts, values);
  for (const ir::Axis &axis : reduce->axes)
    for (const ir::Expr &end : {axis.min, axis.extent})
      add(end, consumer.start_facts, values), add(end, consumer.start_facts, consumer.values);
  for (const ir::Expr &source : reduce->sources) add(source, consumer.facts, consumer.values);
  add(reduce->where, consumer.facts, consumer.values);
}

/// Whether the value depends on data: elements or scalar arguments.
inline bool mentions_data(const ir::Expr &e) {
  bool found = false;
  ir::walk(e, [&](const ir::Expr &node) {
    found |=
        node.as<ir::Read>() || node.as<ir::Load>() || node.as<ir::Call>() || (node.as<ir::VarRef>() && !node.type().is_index());
  });
  return found;
}

/// The largest value of an extent while the loops around a stage run: memory does not change its size. Undefined if it has none.
inline ir::Expr largest(const Plans &plans, const Plan &plan, const ir::Expr &extent) {
  ir::VarMap<Interval> ranges;
  bool moves = false;
  for_each_enclosing(plans, plan, [&](const Plan &, const Loop &loop) {
    moves = moves || ir::uses(extent, loop.var);
    ranges.emplace(loop.var, Interval{ir::Expr(0), loop.extent - ir::Expr(1)});
  });
  if (!moves) return extent;
  const arith::Bounds bounds = plan.facts.bounds(extent);
  if (bounds.max != arith::Bounds::unbounded_above) return std::max<std::int64_t>(bounds.max, 0);
  const ir::Expr most = plan.facts.interval(extent, ranges).max;
  return most.defined() && !mentions_data(most) ? plan.facts.simplify(most) : ir::Expr();
}

/// The region of one dimension: the interval, cut to the tensor's domain where an end is provably outside it.
inline void set_region(const Plans &plans, Plan &plan, const std::optional<Interval> &touched, const ir::Expr &size) {
  ir::Expr min(0), extent = size;
  if (touched && touched->min.defined() && touched->max.defined() && !mentions_data(touched->min) &&
      !mentions_data(touched->max)) {
    ir::Expr low = plan.facts.simplify(touched->min), high = plan.facts.simplify(touched->max);
    const ir::Expr last = plan.facts.simplify(size - ir::Expr(1));
    if (plan.facts.proves(low <= ir::Expr(0))) low = ir::Expr(0);
    if (plan.facts.proves(high >= last)) high = last;
    ir::Expr span = largest(plans, plan, plan.facts.simplify(high - low + ir::Expr(1)));
    bool says_something = span.defined();
    // A wide span may come from the range of an element type, which is no reason to hold more than the tensor.
    constexpr std::int64_t wide = std::int64_t{1} << 15;
    if (says_something && plan.facts.bounds(span).min >= wide && !plan.facts.proves(span <= size)) {
      says_something = plan.facts.proves(low >= ir::Expr(0));
      span = ir::min(span, size);
    }
    if (says_something && !plan.facts.proves(span >= size)) min = low, extent = span;
  }
  plan.min.push_back(min);
  plan.extent.push_back(extent);
}

/// Extents of all axes, from the originals down the relations.
struct AxisInfo {
  ir::Expr extent;
  ir::Expr value;  ///< from 0, in terms of loop variables
};

class LoopMaker {
 public:
  LoopMaker(Plans &plans, Plan &plan) : plans_(plans), plan_(plan), stage_(*plan.stage), around_(plan.facts) {
    plan.start_facts = plan.facts;
  }

  void make() {
    originals();
    for (const Relation &relation : stage_.relations) relation.kind == Relation::Kind::split ? split(relation) : fuse(relation);
    for (const scheduling::AxisId &id : stage_.loops) add_loop(id);
    // Values go the other way, from loops to originals.
    for (std::size_t r = stage_.relations.size(); r-- > 0;) {
      const Relation &relation = stage_.relations[r];
      relation.kind == Relation::Kind::split ? join(relation) : take_apart(relation);
    }
    bind_originals();
    unroll_inner_loops();
    require_constant_extents();
    require_vectors();
    domain_guards();
  }

 private:
  AxisInfo &info(scheduling::AxisId id) {
    for (auto &[axis, of] : infos_)
      if (axis == id) return of;
    infos_.push_back({id, {}});
    return infos_.back().second;
  }

  void originals() {
    const std::size_t rank = plan_.extent.size();
    for (std::size_t d = 0; d < rank; ++d) info({-1, static_cast<int>(d)}).extent = plan_.extent[d];
    if (const ir::Reduce *reduce = plan_.reduction())
      for (std::size_t r = 0; r < reduce->axes.size(); ++r)
        info({-1, static_cast<int>(rank + r)}).extent = plan_.facts.simplify(reduce->axes[r].extent);
  }

  /// ceil(a / b) for a ≥ 0. The sum does not leave 64 bits: beside a great b, one is taken off instead.
  static ir::Expr ceil_div(const ir::Expr &a, std::int64_t b) {
    if (const std::optional<std::int64_t> known = ir::constant_integer(a)) return ir::Expr(*known / b + (*known % b > 0 ? 1 : 0));
    constexpr std::int64_t great = std::int64_t{1} << 62;
    return b < great ? (a + ir::Expr(b - 1)) / ir::Expr(b) : (a + ir::Expr(-1)) / ir::Expr(b) + ir::Expr(1);
  }

  void split(const Relation &relation) {
    const ir::Expr extent = info(relation.from[0]).extent;
    if (relation.tail == scheduling::Tail::divides) promise_division(relation, extent);
    const std::optional<std::int64_t> known = ir::constant_integer(extent);
    ir::Expr inner = relation.parts ? ceil_div(extent, relation.factor) : ir::Expr(relation.factor);
    if (!relation.parts && known) inner = ir::Expr(std::min(relation.factor, std::max<std::int64_t>(*known, 1)));
    inner = plan_.facts.simplify(inner);
    const std::optional<std::int64_t> inner_known = ir::constant_integer(inner);
    const ir::Expr outer = relation.parts && !(known && *known < relation.factor) ? ir::Expr(relation.factor)
                           : relation.parts                                       ? extent
                           : inner_known ? ceil_div(extent, std::max<std::int64_t>(*inner_known, 1))
                                         : extent / inner;
    info(relation.to[0]).extent = plan_.facts.simplify(outer);
    info(relation.to[1]).extent = inner;
  }

  /// tail::divides: proven, or required of each call and known from then on.
  void promise_division(const Relation &relation, const ir::Expr &extent) {
    const ir::Expr divides = ir::binary(ir::BinaryOp::eq, extent % ir::Expr(relation.factor), ir::Expr(0));
    if (plan_.facts.proves(divides)) return;
    const scheduling::Step &step = *plans_.state->steps[static_cast<std::size_t>(relation.step)];
    const std::string &axis = stage_.find(relation.from[0])->name;
    const std::string count = ir::to_string(extent), factor = std::to_string(relation.factor);
    if (plan_.facts.proves(!divides))
      scheduling::refuse(
          *plans_.state, step, "L031",
          {"the ", count, " iterations of ", axis, " of ", stage_.name(), " are not a multiple of ", factor},
          {{"why", "tail::divides promises that nothing is left over", {}}, {"help", "leave the tail out, which guards it", {}}},
          axis);
    for (const ir::Var &var : ir::free_vars(extent))
      if (const bool known = lists::contains(plans_.scalars, var); !known)
        refuse_promise(step, axis, count, {"the extent depends on ", var.name()});
    if (mentions_data(extent)) refuse_promise(step, axis, count, "the extent depends on data");
    plans_.requirements.push_back(
        {divides, composed({count, " is a multiple of ", factor}), step.place, to_cpp(*plans_.state, step)});
    for (arith::Facts *facts : {&plans_.facts, &plan_.facts, &plan_.start_facts, &around_}) facts->assume(divides);
  }

  [[noreturn]] void refuse_promise(const scheduling::Step &step, const std::string &axis, const std::string &count,
                                   const Phrase &why) const {
    scheduling::refuse(*plans_.state, step, "L031",
                       {"that the extent ", count, " of ", axis, " of ", stage_.name(),
                        " is a multiple can neither be proven nor checked before the kernel runs"},
                       {{"why", why, {}}, {"help", "leave the tail out, which guards it", {}}}, axis);
  }

  void fuse(const Relation &relation) {
    ir::Expr product(1);
    for (const scheduling::AxisId &id : relation.from) product = product * info(id).extent;
    info(relation.to[0]).extent = plan_.facts.simplify(product);
  }

  void add_loop(scheduling::AxisId id) {
    const scheduling::AxisState &axis = *stage_.find(id);
    Loop loop{ir::Var(axis.name, scalar_types::index, true), info(id).extent, axis.kind, axis.reduction, id};
    plan_.facts.bind(loop.var, ir::Expr(0), loop.extent);
    if (!loop.reduction) plan_.start_facts.bind(loop.var, ir::Expr(0), loop.extent);
    info(id).value = loop.var;
    plan_.loops.push_back(std::move(loop));
  }

  /// What may be used of conditions on data axes and of their values: they hold for start values too. Fused with reduction axes
  /// they belong to the reduction; start values have loops and conditions of their own then.
  const arith::Facts &facts_for(bool reduction) const {
    return reduction || !plan_.reduction() || plan_.mixes_data() ? plan_.facts : plan_.start_facts;
  }

  void guard(const ir::Expr &condition, bool reduction) {
    const arith::Facts &facts = facts_for(reduction);
    reduction = reduction || (plan_.reduction() && plan_.mixes_data());
    const ir::Expr simple = facts.simplify(condition);
    if (facts.proves(simple)) return;
    for (const Guard &other : plan_.guards)
      if (ir::equal(other.condition, simple) && other.reduction == reduction) return;
    plan_.guards.push_back({simple, reduction});
  }

  void join(const Relation &relation) {
    const AxisInfo outer = info(relation.to[0]), inner = info(relation.to[1]);
    AxisInfo &whole = info(relation.from[0]);
    const bool reduction = stage_.find(relation.from[0])->reduction;
    whole.value = facts_for(reduction).simplify(outer.value * inner.extent + inner.value);
    if (relation.tail == scheduling::Tail::guard) guard(whole.value < whole.extent, reduction);
  }

  void take_apart(const Relation &relation) {
    ir::Expr rest = info(relation.to[0]).value;
    for (std::size_t i = relation.from.size(); i-- > 0;) {
      AxisInfo &part = info(relation.from[i]);
      part.value = facts_for(stage_.find(relation.to[0])->reduction).simplify(i == 0 ? rest : rest % part.extent);
      rest = rest / part.extent;
    }
  }

  /// auto_unroll: from the innermost loop outwards.
  void unroll_inner_loops() {
    for (const scheduling::UnrollLimit &limit : stage_.unroll_limits) {
      const int around = stage_.position(stage_.follow(limit.axis));
      std::int64_t copies = 1;
      for (int l = static_cast<int>(plan_.loops.size()) - 1; l > around; --l) {
        Loop &loop = plan_.loops[static_cast<std::size_t>(l)];
        if (loop.kind == ir::LoopKind::vectorized) continue;
        const std::optional<std::int64_t> extent = ir::constant_integer(loop.extent);
        if (!extent || loop.kind == ir::LoopKind::parallel || *extent > limit.most / copies) break;
        copies *= std::max<std::int64_t>(*extent, 1);
        loop.kind = ir::LoopKind::unrolled;
      }
    }
  }

  /// A stream of single elements would be none.
  void require_vectors() const {
    if (stage_.streamed_by < 0) return;
    for (const Loop &loop : plan_.loops)
      if (loop.kind == ir::LoopKind::vectorized) return;
    scheduling::refuse(*plans_.state, *plans_.state->steps[static_cast<std::size_t>(stage_.streamed_by)], "L032",
                       {stage_.name(), " is stored past the caches, but not in vectors"},
                       {{"why", "only whole vectors are stored so", {}},
                        {"help", {"vectorize its innermost loop:   s[", stage_.name(), "].vectorize(axis);"}, {}}});
  }

  /// Lanes and copies are counted when code is made.
  void require_constant_extents() const {
    for (const Loop &loop : plan_.loops) {
      const bool lanes = loop.kind == ir::LoopKind::vectorized;
      if ((!lanes && loop.kind != ir::LoopKind::unrolled) || ir::constant_integer(loop.extent)) continue;
      const scheduling::Step &step = *plans_.state->steps[static_cast<std::size_t>(stage_.find(loop.axis)->kind_set_by)];
      scheduling::refuse(
          *plans_.state, step, lanes ? "L062" : "L064",
          {"loop ", loop.var.name(), " of ", stage_.name(), lanes ? " is vectorized" : " is unrolled", ", but its extent ",
           ir::to_string(loop.extent), " is not constant"},
          {{"help", {"split it by a constant factor and ", lanes ? "vectorize" : "unroll", " the inner loop"}, {}}},
          loop.var.name());
    }
  }

  void bind_originals() {
    const std::size_t rank = plan_.extent.size();
    List<ir::Var> axes = plan_.operation()->axes;
    for (std::size_t d = 0; d < rank; ++d) plan_.values[axes[d]] = plan_.min[d] + info({-1, static_cast<int>(d)}).value;
    if (const ir::Reduce *reduce = plan_.reduction())
      for (std::size_t r = 0; r < reduce->axes.size(); ++r) {
        axes.push_back(reduce->axes[r].var);
        plan_.values[axes.back()] = reduce->axes[r].min + info({-1, static_cast<int>(rank + r)}).value;
      }
    settle(axes);
    for (std::size_t a = 0; a < axes.size(); ++a) plan_.values[axes[a]] = facts_for(a >= rank).simplify(plan_.values[axes[a]]);
    if (!plan_.reduction()) return;
    ragged_extents();
    for (Guard &guard : plan_.guards)
      guard.condition = facts_for(guard.reduction).simplify(ir::substitute(guard.condition, plan_.values));
  }

  /// Ragged extents name data axes: in terms of loops now. That a loop runs says nothing of its own extent.
  void ragged_extents() {
    arith::Facts around = around_;
    for (Loop &loop : plan_.loops) {
      if (!ir::constant_integer(loop.extent)) loop.extent = around.simplify(ir::substitute(loop.extent, plan_.values));
      require_outside(loop);
      around.bind(loop.var, ir::Expr(0), loop.extent);
    }
    plan_.facts = around;
  }

  /// A ragged extent may only name loops around it.
  void require_outside(const Loop &loop) const {
    bool inside = false;
    for (const Loop &other : plan_.loops) {
      inside = inside || other.var == loop.var;
      if (!inside || !ir::uses(loop.extent, other.var)) continue;
      fail("L004", {"the extent of ", loop.var.name(), " of ", stage_.name(), " depends on a loop inside it"},
           plan_.operation()->place,
           {{"why", {"the extent is ", ir::to_string(loop.extent)}, {}},
            {"help", "reorder, so that the loops it depends on come first", {}}});
    }
  }

  /// Splits and fusions of ragged axes leave other axes in the values: they are replaced until only loops are left.
  void settle(const List<ir::Var> &axes) {
    for (std::size_t round = 0; round <= axes.size(); ++round) {
      bool settled = true;
      for (const ir::Var &axis : axes) {
        bool names_axes = false;
        for (const ir::Var &other : axes) names_axes |= ir::uses(plan_.values[axis], other);
        if (names_axes) plan_.values[axis] = ir::substitute(plan_.values[axis], plan_.values);
        settled = settled && !names_axes;
      }
      if (settled) return;
    }
    fail("L004", {"an axis of ", stage_.name(), " is fused with one that its own extent depends on"}, plan_.operation()->place,
         {{"why", "the fused loop would have no extent that is known before it runs", {}},
          {"help", "leave the axes that a ragged extent depends on as loops of their own around it", {}}});
  }

  /// The region may reach over the tensor's ends where it could not be cut.
  void domain_guards() {
    for (std::size_t d = 0; d < plan_.extent.size(); ++d) {
      const ir::Expr value = plan_.values.at(plan_.operation()->axes[d]);
      guard(value >= ir::Expr(0), false);
      if (!plan_.padded[d]) guard(value < plan_.operation()->shape[d], false);
    }
  }

  Plans &plans_;
  Plan &plan_;
  const scheduling::StageState &stage_;
  arith::Facts around_;  ///< of the place of computation
  List<std::pair<scheduling::AxisId, AxisInfo>> infos_;
};

/// The shape of the memory that holds a region: as far as the layout's indices reach.
inline List<ir::Expr> memory_shape(const Plan &plan) {
  const scheduling::Layout &layout = plan.stage->layout;
  if (layout.empty()) return plan.extent;
  arith::Facts facts = plan.facts;
  ir::VarMap<Interval> ranges;
  for (std::size_t d = 0; d < plan.extent.size(); ++d) {
    facts.bind(layout.axes[d], ir::Expr(0), plan.extent[d]);
    ranges.emplace(layout.axes[d], Interval{ir::Expr(0), plan.extent[d] - ir::Expr(1)});
  }
  List<ir::Expr> shape;
  for (const ir::Expr &index : layout.indices) {
    const ir::Expr last = facts.interval(index, ranges).max;
    ensure(last.defined(), "an index of a layout is as bounded as its axes");
    shape.push_back(plan.facts.simplify(last + ir::Expr(1)));
  }
  return shape;
}

/// tail::round_up: regions of whole parts.
inline void pad_region(Plan &plan) {
  plan.padded = List<bool>(plan.extent.size());
  for (const Relation &relation : plan.stage->relations) {
    if (relation.tail != scheduling::Tail::round_up) continue;
    const auto dimension = static_cast<std::size_t>(relation.from[0].index);
    const ir::Expr factor(relation.factor);
    ir::Expr &extent = plan.extent[dimension];
    extent = plan.facts.simplify((extent + factor - ir::Expr(1)) / factor * factor);
    plan.padded[dimension] = true;
  }
}

/// Whether, in the padding too, a read finds an element that its tensor has, or padding that is written.
inline bool reads_memory(const Plans &plans, const Plan &plan, const ir::Read &read, const arith::Facts &facts) {
  const Plan *producer = plans.find(read.tensor.operation);
  const List<ir::Expr> &shape = ir::shape_of(read.tensor);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const ir::Expr index = facts.simplify(ir::substitute(read.indices[d], plan.values));
    const bool padded = producer && producer->padded[d];
    const ir::Expr end = padded ? producer->min[d] + producer->extent[d] : shape[d];
    if (!facts.proves(index >= ir::Expr(0)) || !facts.proves(index < end)) return false;
    if (padded && !facts.proves(index >= producer->min[d])) return false;
  }
  return true;
}

/// Whether the stage's expression may be evaluated in its padding as it stands.
inline bool holds_in_padding(const Plans &plans, const Plan &plan) {
  bool holds = plan.checks.empty();
  const auto look = [&](const ir::Expr &root, const arith::Facts &facts) {
    if (!root.defined()) return;
    ir::walk(root, [&](const ir::Expr &e) {
      if (const ir::Read *read = e.as<ir::Read>()) holds = holds && reads_memory(plans, plan, *read, facts);
      holds = holds && !e.as<ir::Call>() && !e.as<ir::Ranged>();
    });
  };
  const ir::Reduce *reduce = plan.reduction();
  if (!reduce)
    for (const ir::Expr &body : plan.bodies) look(body, plan.facts);
  else {
    for (const ir::Expr &init : reduce->init) look(init, plan.start_facts);
    for (const ir::Expr &source : reduce->sources) look(source, plan.facts);
    look(reduce->where, plan.facts);
  }
  return holds;
}

/// Says what tells elements from padding, where the expression may not be evaluated there. Needs all regions.
inline void guard_padding(const Plans &plans, Plan &plan) {
  ir::Expr inside;
  for (std::size_t d = 0; d < plan.padded.size(); ++d) {
    if (!plan.padded[d]) continue;
    const ir::Expr condition = ir::Expr(plan.operation()->axes[d]) < plan.operation()->shape[d];
    if (!plan.start_facts.proves(ir::substitute(condition, plan.values))) inside = ir::both(inside, condition);
  }
  if (inside.defined() && !holds_in_padding(plans, plan)) plan.inside = inside;
}

/// storage_align: strides with padding; empty without it. Those of inner dimensions come first.
inline List<ir::Expr> aligned_strides(const Plan &plan) {
  if (plan.stage->alignments.empty()) return {};
  List<ir::Expr> strides(plan.extent.size());
  ir::Expr stride(1);
  for (std::size_t d = plan.extent.size(); d-- > 0;) {
    for (const scheduling::StrideAlignment &alignment : plan.stage->alignments)
      if (alignment.dimension == static_cast<int>(d)) {
        const ir::Expr factor(alignment.factor);
        stride = stride + (factor + ir::Expr(alignment.offset) - stride % factor) % factor;
      }
    stride = plan.facts.simplify(stride);
    strides[d] = stride;
    stride = stride * plan.extent[d];
  }
  return strides;
}

inline void make_buffers(Plan &plan) {
  const ir::OperationNode &operation = *plan.operation();
  for (std::size_t output = 0; output < operation.types.size(); ++output) {
    ir::BufferNode buffer;
    buffer.name = operation.name + (operation.types.size() > 1 ? "." + std::to_string(output) : "");
    buffer.type = operation.types[output];
    buffer.shape = memory_shape(plan);
    buffer.strides = aligned_strides(plan);
    buffer.scope = plan.stage->scope;
    buffer.streamed = plan.stage->streamed_by >= 0;
    plan.buffers.emplace_back(std::move(buffer));
  }
}

}  // namespace regions

LATHE_INLINE void infer_regions(Plans &plans) {
  for (std::size_t p = plans.plans.size(); p-- > 0;) {
    Plan &plan = plans.plans[p];
    regions::place(plans, plan);
    plan.facts = plans.facts;
    // Outermost first, so that facts about a loop are there when inner extents name it.
    List<const Loop *> around;
    regions::for_each_enclosing(plans, plan, [&](const Plan &, const Loop &loop) { around.push_back(&loop); });
    for (std::size_t l = around.size(); l-- > 0;) plan.facts.bind(around[l]->var, ir::Expr(0), around[l]->extent);
    const List<ir::Expr> &shape = plan.operation()->shape;
    List<std::optional<arith::Interval>> box(shape.size());
    if (!plan.stage->output)
      for (const std::size_t consumer : plan.consumers) {
        regions::require_inside(plans, plan, plans.plans[consumer]);
        regions::add_reads(plans, plan, plans.plans[consumer], box);
      }
    for (std::size_t d = 0; d < shape.size(); ++d) regions::set_region(plans, plan, box[d], shape[d]);
    regions::pad_region(plan);
    regions::LoopMaker(plans, plan).make();
    if (plan.buffers.empty()) regions::make_buffers(plan);
  }
  for (Plan &plan : plans.plans) regions::guard_padding(plans, plan);
}

}  // namespace lathe::inline LATHE_ABI::lowering
