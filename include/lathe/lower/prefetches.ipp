// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Hints to the caches: the boxes of memory that a stage reads in one iteration of a loop, shifted by some iterations.

#include <algorithm>

#include "lathe/ir/build.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/lower/plan.hpp"
#include "lathe/support/function_ref.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/lists.hpp"

namespace lathe::inline LATHE_ABI::lowering {

namespace prefetching {

using arith::Interval;

/// What is read of one buffer, per dimension.
struct Box {
  ir::Buffer buffer;
  List<Interval> sides;
};

/// A loop over `count` places that `body` is made for.
inline ir::Stmt over(const ir::Expr &count, FunctionRef<ir::Stmt(const ir::Expr &place)> body) {
  if (ir::is_constant(count, 1)) return body(ir::Expr(0));
  constexpr std::int64_t few = 8;
  const ir::Var place("ahead", scalar_types::index, true);
  const std::optional<std::int64_t> known = ir::constant_integer(count);
  const ir::LoopKind kind = known && *known <= few ? ir::LoopKind::unrolled : ir::LoopKind::serial;
  return ir::make(ir::For{place, ir::Expr(0), count, kind, body(place)});
}

class Hints {
 public:
  Hints(const Plans &plans, const Plan &plan, const scheduling::PrefetchState &state)
      : plans_(plans), plan_(plan), state_(state), level_(plan.stage->position(plan.stage->follow(state.axis))) {
    for (int l = 0; l <= level_; ++l)
      if (plan.loops[static_cast<std::size_t>(l)].kind == ir::LoopKind::vectorized)
        refuse({"loop ", plan.loops[static_cast<std::size_t>(l)].var.name(), " of ", plan.stage->name(), " is made of lanes"},
               "prefetch in a loop around it");
    if (ir::is_constant(plan.loops[static_cast<std::size_t>(level_)].extent, 1))
      refuse({"loop ", plan.loops[static_cast<std::size_t>(level_)].var.name(), " of ", plan.stage->name(), " runs once"},
             "prefetch in a loop around it, of the stage that it is computed in");
    const Plan *producer = plans.find(state.tensor);
    if (producer && !producer->stage->scope.name.empty())
      refuse({producer->stage->name(), " is kept in scope ", producer->stage->scope.name}, "prefetch what it is copied from");
    for (const Plan *at = producer; at && at->parent >= 0;) {
      const Plan *around = &plans.plans[static_cast<std::size_t>(at->parent)];
      if (around == &plan && at->level >= level_)
        refuse({producer->stage->name(), " is computed inside that loop, so nothing of it is there before"},
               "prefetch what it reads");
      at = around;
    }
  }

  /// The number of the loop, from outside.
  int level() const { return level_; }

  /// Looks at an expression of `reader`, the stage or one that is computed inside the loop, in terms of loops and buffers.
  void add(const Plan &reader, const ir::Expr &e, const List<ir::Buffer> &buffers) {
    ir::VarMap<Interval> ranges;
    const Plan *at = &reader;
    for (int last = static_cast<int>(at->loops.size()) - 1;;
         last = at->level, at = &plans_.plans[static_cast<std::size_t>(at->parent)]) {
      for (int l = at == &plan_ ? level_ + 1 : 0; l <= last; ++l) {
        const Loop &loop = at->loops[static_cast<std::size_t>(l)];
        ranges.emplace(loop.var, Interval{ir::Expr(0), loop.extent - ir::Expr(1)});
      }
      if (at == &plan_) break;
    }
    const ir::Var &var = plan_.loops[static_cast<std::size_t>(level_)].var;
    const ir::VarMap<ir::Expr> later = {{var, ir::Expr(var) + ir::Expr(state_.ahead)}};
    ir::walk(e, [&](const ir::Expr &node) {
      const auto *load = node.as<ir::Load>();
      if (!load || !lists::contains(buffers, load->buffer)) return;
      List<Interval> sides;
      for (const ir::Expr &index : load->indices)
        sides.push_back(side(reader.facts.interval(ir::substitute(index, later), ranges)));
      unite(load->buffer, std::move(sides));
    });
  }

  ir::Stmt make() const {
    if (boxes_.empty())
      refuse({"nothing reads it inside loop ", plan_.loops[static_cast<std::size_t>(level_)].var.name(), " of ",
              plan_.stage->name(), " now"},
             {"prefetch what is read:   s.inputs(", plan_.stage->name(), ") lists that"});
    List<ir::Stmt> hints;
    for (const Box &box : boxes_) hints.push_back(lines_of(box, {}));
    return ir::block(std::move(hints));
  }

 private:
  [[noreturn]] void refuse(const Phrase &why, const Phrase &help) const {
    const scheduling::Step &step = *plans_.state->steps[static_cast<std::size_t>(state_.step)];
    scheduling::refuse(*plans_.state, step, "L033", {"nothing of ", state_.tensor->name, " can be prefetched there"},
                       {{"why", why, {}}, {"help", help, {}}});
  }

  const Interval &side(const Interval &touched) const {
    const auto known = [](const ir::Expr &end) {
      if (!end.defined()) return false;
      bool data = false;  // of the index, or of the extent of a loop
      ir::walk(end,
               [&](const ir::Expr &node) { data = data || node.as<ir::Load>() || node.as<ir::Read>() || node.as<ir::Call>(); });
      return !data;
    };
    if (!known(touched.min) || !known(touched.max))
      refuse("where it is read depends on data", "copy what is needed by cache_read, and prefetch for the copy");
    return touched;
  }

  void unite(const ir::Buffer &buffer, List<Interval> sides) {
    for (Box &box : boxes_) {
      if (box.buffer != buffer) continue;
      for (std::size_t d = 0; d < sides.size(); ++d) {
        box.sides[d].min = plan_.facts.simplify(ir::min(box.sides[d].min, sides[d].min));
        box.sides[d].max = plan_.facts.simplify(ir::max(box.sides[d].max, sides[d].max));
      }
      return;
    }
    boxes_.push_back({buffer, std::move(sides)});
  }

  /// Whether neighbours in the last dimension are neighbours in memory.
  static bool has_lines(const ir::Buffer &buffer) {
    return buffer->strides.empty() || ir::is_constant(buffer->strides.back(), 1);
  }

  /// A hint for each line of the box, whose first dimensions are at `indices`.
  ir::Stmt lines_of(const Box &box, const List<ir::Expr> &indices) const {
    const std::size_t d = indices.size();
    if (d == box.sides.size()) return ir::make(ir::Prefetch{box.buffer, indices});
    constexpr std::int64_t line = 64;
    const bool by_lines = d + 1 == box.sides.size() && has_lines(box.buffer);
    const std::int64_t step = by_lines ? std::max<std::int64_t>(line / box.buffer->type.bytes(), 1) : 1;
    const Interval &side = box.sides[d];
    const ir::Expr count = plan_.facts.simplify((side.max - side.min + ir::Expr(step)) / ir::Expr(step));
    return over(count, [&](const ir::Expr &place) {
      List<ir::Expr> more = indices;
      more.push_back(plan_.facts.simplify(side.min + place * ir::Expr(step)));
      return lines_of(box, more);
    });
  }

  const Plans &plans_;
  const Plan &plan_;
  const scheduling::PrefetchState &state_;
  int level_;
  List<Box> boxes_;
};

}  // namespace prefetching

}  // namespace lathe::inline LATHE_ABI::lowering
