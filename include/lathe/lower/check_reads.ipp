// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Reads are in range: proven, refused, or checked when they run. This looks at each operation by itself, over its whole domain,
/// so the answer does not depend on the schedule.

#include "lathe/ir/build.hpp"
#include "lathe/ir/print.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/lower/plan.hpp"
#include "lathe/support/hash_map.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::lowering {

namespace read_checking {

/// Whether the value of an index depends on data.
inline bool depends_on_data(const ir::Expr &e) {
  bool found = false;
  ir::walk(e, [&](const ir::Expr &node) {
    found |= node.as<ir::Read>() || node.as<ir::Call>() || (node.as<ir::VarRef>() && !node.type().is_index());
  });
  return found;
}

/// Checks the reads of one stage. Walks down with the path condition; a node is revisited only under another condition.
class Checker {
 public:
  Checker(Plan &plan, arith::Facts facts, bool early) : plan_(plan), facts_(std::move(facts)), early_(early) {}

  void check(const ir::Expr &root, const ir::Expr &path) {
    open_.push_back({root, path});
    while (!open_.empty()) {
      auto [e, condition] = std::move(open_.back());
      open_.pop_back();
      if (!seen_before(e, condition)) enter(e, condition);
    }
  }

 private:
  struct Item {
    ir::Expr e, path;
  };

  bool seen_before(const ir::Expr &e, const ir::Expr &path) {
    const std::size_t nodes = seen_.size();
    const bool seen = !seen_[e.node()].insert(path.defined() ? path.node() : nullptr);
    if (!seen && path.defined()) kept_.push_back(path);
    if (!seen && seen_.size() == nodes && ++repeated_ > most_repeated + 16 * nodes) refuse_paths();
    return seen;
  }

  [[noreturn]] void refuse_paths() const {
    fail("L061", {plan_.stage->name(), " evaluates shared parts of its expression under thousands of different conditions"},
         plan_.operation()->place,
         {{"why", "a read is checked and guarded once for each condition under which it happens", {}},
          {"help", "compute the shared part in a stage of its own", {}}});
  }

  void enter(const ir::Expr &e, const ir::Expr &path) {
    if (const ir::Read *read = e.as<ir::Read>()) test(*read, path);
    if (const ir::Select *select = e.as<ir::Select>(); select && select->guards) {
      open_.push_back({select->condition, path});
      open_.push_back({select->a, ir::both(path, select->condition)});
      open_.push_back({select->b, ir::both(path, !select->condition)});
      return;
    }
    if (const ir::Binary *binary = e.as<ir::Binary>(); binary && ir::is_logical(binary->op)) {
      open_.push_back({binary->a, path});
      open_.push_back({binary->b, ir::both(path, binary->op == ir::BinaryOp::logical_and ? binary->a : !binary->a)});
      return;
    }
    ir::for_each_child(e, [&](const ir::Expr &child) { open_.push_back({child, path}); });
  }

  void test(const ir::Read &read, const ir::Expr &path) {
    if (read.unchecked) return;
    const List<ir::Expr> &shape = ir::shape_of(read.tensor);
    arith::Facts facts = facts_;
    if (path.defined()) facts.assume(path);
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const ir::Expr &index = read.indices[d];
      const ir::Expr in_range = index >= ir::Expr(0) && index < shape[d];
      if (facts.proves(index >= ir::Expr(0)) && facts.proves(index < shape[d])) continue;
      refuse_if_wrong(read, d, path);
      const ir::Expr condition = path.defined() ? ir::select(path, in_range, ir::boolean(true), true) : in_range;
      plan_.checks.push_back({condition,
                              composed({"index ", d, " of ", ir::name_of(read.tensor), ", read by ", plan_.stage->name(),
                                        ", is outside 0..", ir::to_string(shape[d])}),
                              early_});
    }
  }

  /// Whether the loops surely run, and all points of a box of constant size: then an affine index takes both ends of its
  /// interval. What depends on a symbol may be in range for every size that callers have.
  bool takes_both_ends(const ir::Expr &index) const {
    for (const arith::Linear::Term &term : arith::linear_form(index).terms) {
      const ir::VarRef *axis = term.atom.as<ir::VarRef>();
      if (!axis || !is_box(axis->var)) return false;
    }
    for (const arith::Facts::Domain &domain : facts_.domains())
      if (!facts_.proves(domain.extent >= ir::Expr(1)) && ir::constant_integer(domain.extent)) return false;
    return true;
  }
  bool is_box(const ir::Var &axis) const {
    for (const arith::Facts::Domain &domain : facts_.domains())
      if (domain.var == axis)
        return ir::constant_integer(domain.min) && (ir::constant_integer(domain.extent) || is_symbolic_size(domain.extent));
    return false;
  }
  /// Linear in size symbols alone, of which no greatest value is assumed: then no end of the axis has a constant bound that it
  /// may not reach.
  bool is_symbolic_size(const ir::Expr &extent) const {
    for (const arith::Linear::Term &term : arith::linear_form(extent).terms) {
      const ir::VarRef *symbol = term.atom.as<ir::VarRef>();
      if (!symbol || !symbol->var.nonnegative()) return false;
      if (facts_.bounds(term.atom).max != arith::Bounds::unbounded_above) return false;
    }
    return true;
  }

  /// An unguarded affine index takes both ends of its interval, so an end out of range is an error in the program.
  void refuse_if_wrong(const ir::Read &read, std::size_t d, const ir::Expr &path) const {
    const ir::Expr &index = read.indices[d];
    if (path.defined() || depends_on_data(index) || !takes_both_ends(index)) return;
    const arith::Bounds bounds = facts_.bounds(index);
    const arith::Bounds size = facts_.bounds(ir::shape_of(read.tensor)[d]);
    const bool below = bounds.min != arith::Bounds::unbounded_below && bounds.min < 0;
    const bool above = bounds.max != arith::Bounds::unbounded_above && size.is_point() && bounds.max >= size.max;
    if (!below && !above) return;
    Diagnostic diagnostic;
    diagnostic.code = "L002";
    diagnostic.stage = plan_.stage->name();
    diagnostic.place = plan_.operation()->place;
    diagnostic.message = composed({plan_.stage->name(), " reads ", ir::name_of(read.tensor), " out of range: index ", d, " is ",
                                   ir::to_string(index), ", which goes ",
                                   below ? "down to " + std::to_string(bounds.min) : "up to " + std::to_string(bounds.max)});
    diagnostic.notes.push_back({"why",
                                composed({"dimension ", d, " of ", ir::name_of(read.tensor), " has ",
                                          ir::to_string(ir::shape_of(read.tensor)[d]), " elements"}),
                                {}});
    diagnostic.notes.push_back(
        {"help", composed({"guard the read:   if_then_else(condition, ", ir::name_of(read.tensor), "(…), value)"}), {}});
    throw Error(std::move(diagnostic));
  }

  Plan &plan_;
  arith::Facts facts_;
  bool early_;
  static constexpr std::size_t most_repeated = std::size_t{1} << 12;
  std::size_t repeated_ = 0;  ///< how often a node was met again under another condition
  List<Item> open_;
  List<ir::Expr> kept_;  ///< conditions in `seen_`, so that no address is used twice
  NodeMap<NodeSet> seen_;
};

}  // namespace read_checking

LATHE_INLINE void check_reads(Plans &plans) {
  for (Plan &plan : plans.plans) {
    arith::Facts facts = plans.facts;
    const ir::OperationNode &operation = *plan.operation();
    for (std::size_t d = 0; d < operation.axes.size(); ++d) facts.bind(operation.axes[d], ir::Expr(0), operation.shape[d]);
    const ir::Reduce *reduce = plan.reduction();
    if (!reduce) {
      read_checking::Checker checker(plan, facts, false);
      for (const ir::Expr &body : plan.bodies) checker.check(body, {});
      continue;
    }
    {
      read_checking::Checker outside(plan, facts, true);
      for (const ir::Expr &init : reduce->init) outside.check(init, {});
    }
    for (const ir::Axis &axis : reduce->axes) {
      read_checking::Checker domain(plan, facts, true);
      domain.check(axis.min, {});
      domain.check(axis.extent, {});
      facts.bind(axis.var, axis.min, axis.extent);
    }
    read_checking::Checker inside(plan, facts, false);
    if (reduce->where.defined()) inside.check(reduce->where, {});
    for (const ir::Expr &source : reduce->sources) inside.check(source, reduce->where);
  }
}

}  // namespace lathe::inline LATHE_ABI::lowering
