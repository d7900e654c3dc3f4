// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// From plans to loops. A stage becomes its loops around a store; producers attached at a loop come first in its body; a guard
/// stands directly inside the innermost loop it depends on. A reduction becomes two nests inside the loops that precede its first
/// reduction loop: one writes the start values, the other combines. Hints to the caches come first of all in a loop's body.

#include "lathe/ir/build.hpp"
#include "lathe/ir/print.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/lower/plan.hpp"
#include "lathe/lower/prefetches.ipp"
#include "lathe/support/hash_map.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/lists.hpp"

namespace lathe::inline LATHE_ABI::lowering {

class NestBuilder {
 public:
  explicit NestBuilder(const Plans &plans) : plans_(plans) {
    for (std::size_t p = 0; p < plans.plans.size(); ++p) {
      const Plan &plan = plans.plans[p];
      for (std::size_t output = 0; output < plan.buffers.size(); ++output)
        places_.push_back({plan.stage->key.get(), static_cast<int>(output), plan.buffers[output], &plan});
    }
    for (const auto &[operation, buffers] : plans.arguments)
      for (std::size_t output = 0; output < buffers.size(); ++output)
        places_.push_back({operation.get(), static_cast<int>(output), buffers[output], nullptr});
    for (const Place &place : places_) index_.emplace(place.operation, static_cast<std::size_t>(&place - places_.data()));
    children_.resize(plans.plans.size());
    for (std::size_t p = 0; p < plans.plans.size(); ++p)
      if (plans.plans[p].parent >= 0) children_[static_cast<std::size_t>(plans.plans[p].parent)].push_back(p);
  }

  ir::Stmt build(bool once) {
    List<std::size_t> roots;
    for (std::size_t p = 0; p < plans_.plans.size(); ++p)
      if (plans_.plans[p].parent < 0 && plans_.plans[p].once == once) roots.push_back(p);
    return sequence(roots, {});
  }

 private:
  struct Place {
    const ir::OperationNode *operation;
    int output;
    ir::Buffer buffer;
    const Plan *plan;  ///< of the stage whose region the buffer holds; null: an argument
  };

  /// Whether a buffer can be allocated before any stage has run.
  static bool has_shape_at_once(const ir::Buffer &buffer) {
    bool loads = false;
    for (const List<ir::Expr> *parts : {&buffer->shape, &buffer->strides})
      for (const ir::Expr &e : *parts) ir::walk(e, [&](const ir::Expr &node) { loads = loads || node.as<ir::Load>(); });
    return !loads;
  }

  /// Producers in order, their buffers alive until the end of `rest`: allocated together, so that nests do not become deeper with
  /// every stage, but for those whose shape depends on what was computed before.
  ir::Stmt sequence(const List<std::size_t> &members, ir::Stmt rest) {
    List<ir::Buffer> buffers;
    List<ir::Stmt> body;
    std::size_t i = 0;
    for (; i < members.size(); ++i) {
      const Plan &plan = plans_.plans[members[i]];
      if (!plan.stage->output && !(plan.once && plan.parent < 0)) {
        const bool at_once = lists::all_of(plan.buffers, has_shape_at_once);
        if (!at_once && !body.empty()) break;
        buffers.insert(buffers.end(), plan.buffers.begin(), plan.buffers.end());
      }
      body.push_back(stage(plan, members[i]));
    }
    body.push_back(
        i < members.size()
            ? sequence(List<std::size_t>(members.begin() + static_cast<std::ptrdiff_t>(i), members.end()), std::move(rest))
            : std::move(rest));
    ir::Stmt whole = ir::block(std::move(body));
    return buffers.empty() ? whole : ir::make(ir::Allocate{std::move(buffers), std::move(whole)});
  }

  List<std::size_t> attached(std::size_t plan, int level) const {
    List<std::size_t> result;
    for (const std::size_t child : children_[plan])
      if (plans_.plans[child].level == level) result.push_back(child);
    return result;
  }

  /// The deepest loop that `e` depends on, or -1.
  static int depth(const Plan &plan, const ir::Expr &e) {
    int deepest = -1;
    ir::walk(e, [&](const ir::Expr &node) {
      if (const ir::VarRef *ref = node.as<ir::VarRef>())
        for (std::size_t l = 0; l < plan.loops.size(); ++l)
          if (plan.loops[l].var == ref->var) deepest = std::max(deepest, static_cast<int>(l));
    });
    return deepest;
  }

  /// The first reduction loop, or the number of loops. Where data points cannot be visited by data loops alone, 0.
  static int first_reduction(const Plan &plan) {
    if (plan.mixes_data()) return 0;
    int first = 0;
    while (first < static_cast<int>(plan.loops.size()) && !plan.loops[static_cast<std::size_t>(first)].reduction) ++first;
    return first;
  }

  /// The loop directly inside of which a guard stands, -1 for none. That of a reduction stands inside the loops of the start
  /// values.
  static int level_of(const Plan &plan, const Guard &guard) {
    const int level = depth(plan, guard.condition);
    return guard.reduction ? std::max(level, first_reduction(plan) - 1) : level;
  }

  /// `body` under the guards of `level`: all but those of the reduction, or these.
  ir::Stmt guarded(const Plan &plan, int level, bool reduction, ir::Stmt body) const {
    ir::Expr condition;
    for (const Guard &guard : plan.guards)
      if (guard.reduction == reduction && level_of(plan, guard) == level)
        condition = ir::both(condition, lower(plan, guard.condition));
    return condition.defined() ? ir::make(ir::If{condition, std::move(body), {}}) : body;
  }

  /// Loops [begin, end) of a stage around `body`, with what is attached at them and the guards they decide.
  ir::Stmt loops(const Plan &plan, std::size_t number, int begin, int end, ir::Stmt body) {
    const int begin_of_reduction = plan.reduction() ? first_reduction(plan) : end;
    for (int level = end - 1; level >= begin; --level) {
      const Loop &loop = plan.loops[static_cast<std::size_t>(level)];
      body = sequence(attached(number, level), ir::block({domain_tests(plan, level), std::move(body)}));
      body = ir::block({prefetches(plan, number, level), std::move(body)});
      if (level >= begin_of_reduction) body = guarded(plan, level, true, std::move(body));
      body = guarded(plan, level, false, std::move(body));
      require_known(plan, number, level, loop.extent, loop.var.name());
      for (const Guard &guard : plan.guards)
        if (level_of(plan, guard) == level) require_known(plan, number, level, guard.condition, loop.var.name());
      body = ir::make(ir::For{loop.var, ir::Expr(0), lower(plan, loop.extent), loop.kind, std::move(body)});
    }
    return body;
  }

  /// What decides how often a loop's body runs is not computed inside it.
  void require_known(const Plan &plan, std::size_t number, int level, const ir::Expr &decides, const std::string &loop) const {
    for (const std::size_t child : children_[number]) {
      const Plan &producer = plans_.plans[child];
      if (producer.level < level || !reads(decides, producer)) continue;
      const scheduling::Step &step = *plans_.state->steps[static_cast<std::size_t>(producer.stage->attachment.step)];
      scheduling::refuse(
          *plans_.state, step, "L007",
          {producer.stage->name(), " decides how often loop ", loop, " of ", plan.stage->name(),
           " runs, so it cannot be computed inside it"},
          {{"why", "the extent must be known before the loop", {}}, {"help", "compute it at a loop outside, or at root", {}}});
    }
  }

  static bool reads(const ir::Expr &e, const Plan &producer) {
    bool found = false;
    ir::walk(e, [&](const ir::Expr &node) {
      const ir::Read *read = node.as<ir::Read>();
      found |= read && read->tensor.operation == producer.stage->key;
    });
    return found;
  }

  ir::Stmt stage(const Plan &plan, std::size_t number) {
    const int depth_of_nest = static_cast<int>(plan.loops.size());
    ir::Stmt nest;
    if (plan.reduction()) {
      nest = reduction(plan, number);
    } else {
      nest = loops(plan, number, 0, depth_of_nest, ir::block({tests(plan, false), stores(plan, values(plan, plan.bodies))}));
    }
    return ir::block({guarded(plan, -1, false, nest)}, plan.stage->name());
  }

  /// Expressions of an operation in terms of loops and buffers.
  ir::Expr lower(const Plan &plan, const ir::Expr &e) const {
    return ir::rewrite(ir::substitute(e, plan.values), [&](const ir::Expr &node) -> ir::Expr {
      const ir::Read *read = node.as<ir::Read>();
      if (!read) return node;
      const Place &place = place_of(read->tensor);
      List<ir::Expr> indices = read->indices;
      for (std::size_t d = 0; d < indices.size(); ++d) {
        if (place.plan) indices[d] = indices[d] - place.plan->min[d];
        indices[d] = plan.facts.simplify(indices[d]);
      }
      if (place.plan) indices = place.plan->in_memory(indices, plan.facts);
      return ir::load(place.buffer, std::move(indices));
    });
  }

  List<ir::Expr> values(const Plan &plan, const List<ir::Expr> &bodies) const {
    List<ir::Expr> result;
    for (const ir::Expr &body : bodies) result.push_back(lower(plan, element(plan, body)));
    return result;
  }

  /// `e`, or 0 in padding where `e` may not be evaluated.
  static ir::Expr element(const Plan &plan, const ir::Expr &e) {
    return plan.inside.defined() ? ir::select(plan.inside, e, ir::constant_bits(e.type(), 0), true) : e;
  }

  const Place &place_of(const ir::Tensor &tensor) const {
    const auto *found = index_.find(tensor.operation.get());
    ensure(found, "every tensor that is read has a buffer");
    return places_[found->second + static_cast<std::size_t>(tensor.output)];
  }

  /// Where the stage's current point lies in its buffers.
  List<ir::Expr> point(const Plan &plan) const {
    List<ir::Expr> indices;
    for (std::size_t d = 0; d < plan.min.size(); ++d)
      indices.push_back(lower(plan, plan.facts.simplify(plan.values.at(plan.operation()->axes[d]) - plan.min[d])));
    return plan.in_memory(indices, plan.facts);
  }

  ir::Stmt stores(const Plan &plan, const List<ir::Expr> &to_store) const {
    const List<ir::Expr> indices = point(plan);
    List<ir::Stmt> body;
    for (std::size_t output = 0; output < to_store.size(); ++output)
      body.push_back(ir::make(ir::Store{plan.buffers[output], indices, to_store[output], {}}));
    return ir::block(std::move(body));
  }

  ir::Stmt tests(const Plan &plan, bool early) const {
    List<ir::Stmt> body;
    for (const ReadCheck &check : plan.checks)
      if (check.early == early && !(early && on_reduction_axes(plan, check.condition))) body.push_back(test(plan, check));
    return body.empty() ? ir::Stmt() : ir::block(std::move(body));
  }

  /// Tests of the domains of reduction axes that depend on other reduction axes, the innermost loop of which is at `level`.
  ir::Stmt domain_tests(const Plan &plan, int level) const {
    List<ir::Stmt> body;
    for (const ReadCheck &check : plan.checks)
      if (check.early && on_reduction_axes(plan, check.condition) &&
          depth(plan, ir::substitute(check.condition, plan.values)) == level)
        body.push_back(test(plan, check));
    return body.empty() ? ir::Stmt() : ir::block(std::move(body));
  }

  ir::Stmt prefetches(const Plan &plan, std::size_t number, int level) const {
    List<ir::Stmt> hints;
    for (const scheduling::PrefetchState &prefetch : plan.stage->prefetches) {
      if (plan.stage->position(plan.stage->follow(prefetch.axis)) != level) continue;
      List<ir::Buffer> buffers;  // none where the tensor became inlined
      for (std::size_t output = 0; index_.contains(prefetch.tensor.get()) && output < prefetch.tensor->types.size(); ++output)
        buffers.push_back(place_of({prefetch.tensor, static_cast<int>(output)}).buffer);
      prefetching::Hints made(plans_, plan, prefetch);
      add_readers(plan, number, level, buffers, made);
      hints.push_back(made.make());
    }
    return hints.empty() ? ir::Stmt() : ir::block(std::move(hints));
  }

  /// What the stage reads, and what those read that are computed at loop `level` of it or inside.
  void add_readers(const Plan &plan, std::size_t number, int level, const List<ir::Buffer> &buffers,
                   prefetching::Hints &hints) const {
    const ir::Reduce *reduce = plan.reduction();
    for (const ir::Expr &e : reduce ? reduce->sources : plan.bodies) hints.add(plan, lower(plan, e), buffers);
    if (reduce && reduce->where.defined()) hints.add(plan, lower(plan, reduce->where), buffers);
    for (const std::size_t child : children_[number])
      if (plans_.plans[child].level >= level) add_readers(plans_.plans[child], child, -1, buffers, hints);
  }

  ir::Stmt test(const Plan &plan, const ReadCheck &check) const {
    const ir::Expr condition =
        plan.inside.defined() ? ir::select(plan.inside, check.condition, ir::boolean(true), true) : check.condition;
    return ir::make(ir::Check{lower(plan, condition), check.message, plan.operation()->place});
  }

  static bool on_reduction_axes(const Plan &plan, const ir::Expr &e) {
    for (const ir::Axis &axis : plan.reduction()->axes)
      if (ir::uses(e, axis.var)) return true;
    return false;
  }

  ir::Stmt reduction(const Plan &plan, std::size_t number) {
    const int count = static_cast<int>(plan.loops.size()), first = first_reduction(plan);
    require_before(plan, number, first);
    const ir::Stmt start = starts(plan, first);
    const ir::Stmt combine = guarded(plan, first - 1, true, loops(plan, number, first, count, update(plan)));
    return loops(plan, number, 0, first, ir::block({start, combine}));
  }

  /// Start values are written before the reduction loops, so what they read is not computed inside those.
  void require_before(const Plan &plan, std::size_t number, int first) const {
    for (const std::size_t child : children_[number]) {
      const Plan &producer = plans_.plans[child];
      if (producer.level < first) continue;
      bool starts = false;
      for (const ir::Expr &init : plan.reduction()->init) starts |= reads(init, producer);
      if (!starts) continue;
      const scheduling::Step &step = *plans_.state->steps[static_cast<std::size_t>(producer.stage->attachment.step)];
      scheduling::refuse(*plans_.state, step, "L007",
                         {producer.stage->name(), " gives start values of ", plan.stage->name(),
                          ", so it cannot be computed inside its reduction"},
                         {{"why", "start values are written before the first reduction loop", {}},
                          {"help", "compute it at a loop outside, or at root", {}}});
    }
  }

  /// The nest that writes start values: the data loops from `first` on, with variables of their own.
  ir::Stmt starts(const Plan &plan, int first) const {
    const ir::Reduce &reduce = *plan.reduction();
    Plan data = plan;
    data.loops.clear();
    data.facts = plan.start_facts;
    if (plan.mixes_data()) {
      whole_region(plan, data);
    } else {
      ir::VarMap<ir::Expr> fresh;
      for (std::size_t l = 0; l < plan.loops.size(); ++l) {
        Loop loop = plan.loops[l];
        if (loop.reduction) continue;
        if (static_cast<int>(l) < first) continue;
        loop.var = ir::Var(plan.loops[l].var.name(), scalar_types::index, true);
        data.facts.bind(loop.var, ir::Expr(0), loop.extent);
        fresh.emplace(plan.loops[l].var, loop.var);
        data.loops.push_back(loop);
      }
      data.guards.clear();
      for (const Guard &guard : plan.guards)
        if (!guard.reduction && depth(plan, guard.condition) >= first)
          data.guards.push_back({ir::substitute(guard.condition, fresh), false});
      for (const ir::Var &axis : plan.operation()->axes) data.values[axis] = ir::substitute(plan.values.at(axis), fresh);
    }
    List<ir::Expr> values;
    for (std::size_t output = 0; output < plan.buffers.size(); ++output)
      values.push_back(reduce.init.empty() ? reduce.reducer->identity[output] : lower(data, element(plan, reduce.init[output])));
    ir::Stmt body = ir::block({tests(data, true), stores(data, values)});
    for (int level = static_cast<int>(data.loops.size()) - 1; level >= 0; --level) {
      const Loop &loop = data.loops[static_cast<std::size_t>(level)];
      body = ir::make(ir::For{loop.var, ir::Expr(0), loop.extent, loop.kind, guarded(data, level, false, std::move(body))});
    }
    return guarded(data, -1, false, std::move(body));
  }

  /// One fresh loop per dimension of the region.
  static void whole_region(const Plan &plan, Plan &data) {
    data.guards.clear();
    for (std::size_t d = 0; d < plan.extent.size(); ++d) {
      const ir::Var &axis = plan.operation()->axes[d];
      Loop loop{ir::Var(axis.name(), scalar_types::index, true), plan.extent[d], ir::LoopKind::serial, false, {}};
      data.facts.bind(loop.var, ir::Expr(0), loop.extent);
      const ir::Expr value = data.facts.simplify(plan.min[d] + loop.var);
      data.values[axis] = value;
      const ir::Expr begins = value >= ir::Expr(0), ends = value < plan.operation()->shape[d];
      if (!data.facts.proves(begins)) data.guards.push_back({begins, false});
      if (!plan.padded[d] && !data.facts.proves(ends)) data.guards.push_back({ends, false});
      data.loops.push_back(std::move(loop));
    }
  }

  /// accumulator = combine(accumulator, element), where the element takes part.
  ir::Stmt update(const Plan &plan) const {
    const ir::Reduce &reduce = *plan.reduction();
    const List<ir::Expr> indices = point(plan);
    ir::VarMap<ir::Expr> operands;
    for (std::size_t output = 0; output < plan.buffers.size(); ++output) {
      operands.emplace(reduce.reducer->lhs[output], ir::load(plan.buffers[output], indices));
      operands.emplace(reduce.reducer->rhs[output], lower(plan, element(plan, reduce.sources[output])));
    }
    List<ir::Expr> combined;
    for (const ir::Expr &result : reduce.reducer->result) combined.push_back(ir::substitute(result, operands));
    ir::Stmt body = combined.size() == 1 ? stores(plan, combined) : simultaneous(plan, combined);
    body = ir::block({tests(plan, false), body});
    return reduce.where.defined() ? ir::make(ir::If{lower(plan, both_inside(plan, reduce.where)), body, {}}) : body;
  }

  /// Padding takes part in no reduction that has a condition.
  static ir::Expr both_inside(const Plan &plan, const ir::Expr &where) {
    return plan.inside.defined() ? ir::both(plan.inside, where) : where;
  }

  /// All outputs are computed before the first is stored.
  ir::Stmt simultaneous(const Plan &plan, const List<ir::Expr> &combined) const {
    List<ir::Var> temporaries;
    List<ir::Expr> references;
    for (std::size_t output = 0; output < combined.size(); ++output) {
      temporaries.emplace_back("next" + std::to_string(output), combined[output].type());
      references.push_back(temporaries.back());
    }
    ir::Stmt body = stores(plan, references);
    for (std::size_t output = combined.size(); output-- > 0;)
      body = ir::make(ir::Bind{temporaries[output], combined[output], body});
    return body;
  }

  const Plans &plans_;
  List<Place> places_;
  NodeMap<std::size_t> index_;
  List<List<std::size_t>> children_;
};

LATHE_INLINE ir::Stmt build_nests(const Plans &plans, bool once) { return NestBuilder(plans).build(once); }

}  // namespace lathe::inline LATHE_ABI::lowering
