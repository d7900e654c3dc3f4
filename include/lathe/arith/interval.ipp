// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Symbolic intervals: what an expression covers while some variables run over their ranges.

#include "lathe/arith/reason.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/lists.hpp"

namespace lathe::inline LATHE_ABI::arith {

namespace intervals {

/// One elimination: some variables run, all others stay as they are.
class Cover {
 public:
  Cover(Reasoner &reasoner, const ir::VarMap<Interval> &ranges) : reasoner_(reasoner), ranges_(ranges) {}

  Interval of(const Expr &root) {
    settle(
        root, [&](const Expr &e, List<Expr> &needs) { list_needs(e, needs); },
        [&](const Expr &e) { return done_.find(e) != nullptr; }, [&](const Expr &e) { done_.note(e, cover(e)); });
    return *done_.find(root);
  }

 private:
  bool runs(const Var &var) const { return ranges_.contains(var); }

  /// Whether the node is no sum of others: its coefficients would leave 64 bits.
  static bool is_atom(const Expr &e, const Linear &form) { return form.terms.size() == 1 && form.terms[0].atom.same_as(e); }

  void list_needs(const Expr &e, List<Expr> &needs) {
    if (is_linear_node(e))
      if (const Linear form = linear_form(e); !is_atom(e, form)) {
        for (const Linear::Term &term : form.terms) needs.push_back(term.atom);
        return;
      }
    ir::for_each_child(e, [&](const Expr &child) { needs.push_back(child); });
  }

  static bool is_point(const Interval &i) { return i.min.defined() && i.min.same_as(i.max); }

  Interval cover(const Expr &e) {
    if (const auto *v = e.as<ir::VarRef>()) {
      const auto *found = ranges_.find(v->var);
      return !found ? Interval{e, e} : Interval{simple(found->second.min), simple(found->second.max)};
    }
    if (is_linear_node(e)) {
      const Linear form = linear_form(e);
      if (!is_atom(e, form)) return of_sum(e, form);
    }
    bool still = true;  // nothing that runs is below
    ir::for_each_child(e, [&](const Expr &child) {
      const Interval *i = done_.find(child);
      still = still && i->min.same_as(child) && i->max.same_as(child);
    });
    if (still) return {e, e};
    Interval found;
    if (e.type().is_index()) {
      if (const auto *b = e.as<Binary>())
        found = of_binary(e, *b);
      else if (const auto *s = e.as<ir::Select>())
        found = of_select(*s);
      else if (const auto *r = e.as<ir::Ranged>())
        found = of_ranged(*r);
    }
    return within_constants(e, found);
  }

  Expr simple(const Expr &e) { return e.defined() ? reasoner_.simplify(e) : e; }

  /// Puts constant bounds where nothing better was found.
  Interval within_constants(const Expr &e, Interval found) {
    const Bounds range = reasoner_.bounds(e);
    if (!found.min.defined() && bounded_below(range)) found.min = index_constant(range.min);
    if (!found.max.defined() && bounded_above(range)) found.max = index_constant(range.max);
    return found;
  }

  Interval of_sum(const Expr &e, const Linear &form) {
    LinearSum min, max;
    bool has_min = true, has_max = true, still = true;
    min.add_constant(form.constant), max.add_constant(form.constant);
    for (const Linear::Term &term : form.terms) {
      const Interval &i = *done_.find(term.atom);
      still = still && i.min.same_as(term.atom) && i.max.same_as(term.atom);
      const Expr &low = term.coefficient > 0 ? i.min : i.max, &high = term.coefficient > 0 ? i.max : i.min;
      if (low.defined())
        min.add_flattened(low, term.coefficient);
      else
        has_min = false;
      if (high.defined())
        max.add_flattened(high, term.coefficient);
      else
        has_max = false;
    }
    if (still) return {e, e};
    Interval out;
    if (has_min && !min.overflow()) out.min = reasoner_.sum(min.take());
    if (has_max && !max.overflow()) out.max = reasoner_.sum(max.take());
    return within_constants(e, out);
  }

  template <class Rule>
  static Expr apply(const Expr &a, const Expr &b, Rule rule) {
    return a.defined() && b.defined() ? rule(a, b) : Expr();
  }

  Interval of_binary(const Expr &e, const Binary &node) {
    const Interval a = *done_.find(node.a), b = *done_.find(node.b);
    const auto extremum = [&](const Expr &x, const Expr &y) { return reasoner_.extremum(node.op, x, y); };
    switch (node.op) {
      case BinaryOp::min: return {apply(a.min, b.min, extremum), either(a.max, b.max, extremum)};
      case BinaryOp::max: return {either(a.min, b.min, extremum), apply(a.max, b.max, extremum)};
      case BinaryOp::mul: return of_product(node, a, b);
      case BinaryOp::div: return of_quotient(a, b);
      case BinaryOp::mod: return of_remainder(e, a, b);
      default: return {};
    }
  }

  /// min(a, b) ≤ either alone.
  template <class Rule>
  static Expr either(const Expr &a, const Expr &b, Rule rule) {
    return !a.defined() ? b : !b.defined() ? a : rule(a, b);
  }

  bool at_least(const Expr &e, Int least) { return e.defined() && reasoner_.nonnegative(linear_form(e), 1, -least); }

  Interval of_product(const Binary &node, const Interval &a, const Interval &b) {
    const auto times = [&](const Expr &x, const Expr &y) { return reasoner_.product(x, y); };
    const auto scaled_by = [&](const Interval &i, const Expr &factor) -> Interval {
      if (at_least(factor, 0)) return {apply(i.min, factor, times), apply(i.max, factor, times)};
      if (reasoner_.nonnegative(linear_form(factor), -1, 0)) return {apply(i.max, factor, times), apply(i.min, factor, times)};
      return {};
    };
    if (b.min.defined() && b.min.same_as(node.b) && b.max.same_as(node.b)) return scaled_by(a, node.b);
    if (a.min.defined() && a.min.same_as(node.a) && a.max.same_as(node.a)) return scaled_by(b, node.a);
    if (at_least(a.min, 0) && at_least(b.min, 0)) return {times(a.min, b.min), apply(a.max, b.max, times)};
    return {};
  }

  Interval of_quotient(const Interval &a, const Interval &b) {
    const auto over = [&](const Expr &x, const Expr &y) { return quotient(x, y); };
    if (is_point(b) && at_least(b.min, 0)) return {apply(a.min, b.min, over), apply(a.max, b.min, over)};
    if (at_least(a.min, 0) && at_least(b.min, 1))
      return {b.max.defined() ? over(a.min, b.max) : index_constant(0), apply(a.max, b.min, over)};
    return {};
  }

  /// x / y for y ≥ 0, where an extremum in x moves outside: the quotient's operands are simpler than the quotient.
  Expr quotient(const Expr &x, const Expr &y) {
    const Linear form = linear_form(x);
    for (std::size_t i = 0; i < form.terms.size(); ++i) {
      const auto *node = form.terms[i].atom.as<Binary>();
      if (!node || (node->op != BinaryOp::min && node->op != BinaryOp::max)) continue;
      LinearSum a, b;
      for (LinearSum *side : {&a, &b}) {
        for (std::size_t j = 0; j < form.terms.size(); ++j)
          if (j != i) side->add(form.terms[j].atom, form.terms[j].coefficient);
        side->add_constant(form.constant);
        side->add_flattened(side == &a ? node->a : node->b, form.terms[i].coefficient);
      }
      if (a.overflow() || b.overflow()) break;
      const BinaryOp flipped = node->op == BinaryOp::min ? BinaryOp::max : BinaryOp::min;
      return reasoner_.extremum(form.terms[i].coefficient > 0 ? node->op : flipped, quotient(reasoner_.sum(a.take()), y),
                                quotient(reasoner_.sum(b.take()), y));
    }
    return reasoner_.quotient(x, y);
  }

  Interval of_remainder(const Expr &e, const Interval &a, const Interval &b) {
    if (!is_point(b) || !at_least(b.min, 1)) return {};
    if (a.min.defined() && a.max.defined()) {
      const Expr first = reasoner_.quotient(a.min, b.min), last = reasoner_.quotient(a.max, b.min);
      if (same(first, last) || ir::is_true(reasoner_.compare(BinaryOp::eq, first, last)))
        return {reasoner_.modulo(a.min, b.min), reasoner_.modulo(a.max, b.min)};
    }
    const Bounds range = reasoner_.bounds(e);
    Expr most = bounded_above(range) ? index_constant(range.max) : reasoner_.sum(minus_one(b.min));
    if (at_least(a.min, 0) && a.max.defined()) most = reasoner_.extremum(BinaryOp::min, most, a.max);
    return {index_constant(0), most};
  }

  static Linear minus_one(const Expr &e) {
    LinearSum out;
    out.add_flattened(e, 1);
    out.add_constant(-1);
    return out.take();
  }

  Interval of_select(const ir::Select &node) {
    const Interval c = *done_.find(node.condition), a = *done_.find(node.a), b = *done_.find(node.b);
    if (c.min.same_as(node.condition)) {
      const auto choose = [&](const Expr &x, const Expr &y) { return reasoner_.choice(node.condition, x, y, node.guards); };
      return {apply(a.min, b.min, choose), apply(a.max, b.max, choose)};
    }
    return {apply(a.min, b.min, [&](const Expr &x, const Expr &y) { return reasoner_.extremum(BinaryOp::min, x, y); }),
            apply(a.max, b.max, [&](const Expr &x, const Expr &y) { return reasoner_.extremum(BinaryOp::max, x, y); })};
  }

  Interval of_ranged(const ir::Ranged &node) {
    const Interval a = *done_.find(node.a), low = *done_.find(node.min), high = *done_.find(node.max);
    return {either(a.min, low.min, [&](const Expr &x, const Expr &y) { return reasoner_.extremum(BinaryOp::max, x, y); }),
            either(a.max, high.max, [&](const Expr &x, const Expr &y) { return reasoner_.extremum(BinaryOp::min, x, y); })};
  }

  Reasoner &reasoner_;
  const ir::VarMap<Interval> &ranges_;
  Memo<Interval> done_;
};

inline List<Var> running(const Expr &e, const ir::VarMap<Interval> &ranges) {
  List<Var> vars;
  if (!e.defined()) return vars;
  for (const Var &var : ir::free_vars(e))
    if (ranges.contains(var)) vars.push_back(var);
  return vars;
}

/// The variables that run in `e` and those that their ranges name, in the order to eliminate them: a variable whose range names
/// others comes before them. Where they name each other in circles, in order of appearance.
LATHE_INLINE List<Var> elimination_order(const Expr &e, const ir::VarMap<Interval> &ranges) {
  List<Var> vars = running(e, ranges), order;
  List<List<Var>> names;  // by each of vars
  for (std::size_t i = 0; i < vars.size(); ++i) {
    names.emplace_back();
    const Interval range = ranges.at(vars[i]);
    for (const Expr &end : {range.min, range.max})
      for (const Var &var : running(end, ranges)) {
        if (!(var == vars[i])) names[i].push_back(var);
        if (!lists::contains(vars, var)) vars.push_back(var);
      }
  }
  List<bool> done(vars.size(), false);
  while (order.size() < vars.size()) {
    const std::size_t before = order.size();
    for (std::size_t i = 0; i < vars.size(); ++i) {
      bool named = false;
      for (std::size_t j = 0; j < vars.size(); ++j) named = named || (!done[j] && lists::contains(names[j], vars[i]));
      if (done[i] || named) continue;
      done[i] = true;
      order.push_back(vars[i]);
    }
    if (order.size() > before) continue;
    for (std::size_t i = 0; i < vars.size(); ++i)
      if (!done[i]) done[i] = true, order.push_back(vars[i]);
  }
  return order;
}

}  // namespace intervals

LATHE_INLINE Interval Facts::interval(const ir::Expr &e, const ir::VarMap<Interval> &ranges) const {
  Facts inside = *this;  // with the ranges as domains, outer ones first
  const List<Var> order = intervals::elimination_order(e, ranges);
  for (std::size_t i = order.size(); i-- > 0;) {
    const Interval &range = ranges.at(order[i]);
    if (range.min.defined() && range.max.defined()) inside.bind(order[i], range.min, range.max - range.min + 1);
  }
  Reasoner reasoner(learning::known_or_nothing(inside.known_));
  Interval out{reasoner.simplify(e), {}};
  out.max = out.min;
  for (std::size_t i = 0; i < order.size();) {
    ir::VarMap<Interval> now;  // those that do not name each other are eliminated at once
    const auto named = [&](const Var &var) {
      for (const auto &entry : now)
        for (const Expr &end : {entry.second.min, entry.second.max})
          if (end.defined() && ir::uses(end, var)) return true;
      return false;
    };
    for (; i < order.size() && !named(order[i]); ++i) now.emplace(order[i], ranges.at(order[i]));
    intervals::Cover cover(reasoner, now);
    if (out.min.defined()) out.min = cover.of(out.min).min;
    if (out.max.defined()) out.max = cover.of(out.max).max;
  }
  for (Expr *end : {&out.min, &out.max}) {
    if (end->defined()) *end = simplify(*end);
    if (!intervals::running(*end, ranges).empty()) *end = {};  // ranges that name each other in circles
  }
  return out;
}

}  // namespace lathe::inline LATHE_ABI::arith
