// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Values of expressions at many points at once, by the scalar semantics of ir/evaluate.hpp: what the tests of this folder
/// compare with.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lathe/ir/build.hpp"
#include "lathe/ir/evaluate.hpp"
#include "lathe/ir/walk.hpp"

namespace lathe_tests {

/// Points of a space: a column of values for each variable.
struct Points {
  std::vector<lathe::ir::Var> vars;
  std::vector<std::vector<std::int64_t>> columns;
  std::size_t count = 0;

  const std::vector<std::int64_t> &of(const lathe::ir::Var &var) const {
    for (std::size_t i = 0; i < vars.size(); ++i)
      if (vars[i] == var) return columns[i];
    throw std::out_of_range("no column for " + var.name());
  }

  /// The points where `condition` has a nonzero value.
  Points where(const std::vector<lathe::ir::Bits> &condition) const {
    Points out{vars, std::vector<std::vector<std::int64_t>>(vars.size()), 0};
    for (std::size_t p = 0; p < count; ++p) {
      if (condition[p] == 0) continue;
      for (std::size_t i = 0; i < vars.size(); ++i) out.columns[i].push_back(columns[i][p]);
      ++out.count;
    }
    return out;
  }

  std::string at(std::size_t p) const {
    std::string text;
    for (std::size_t i = 0; i < vars.size(); ++i) text += " " + vars[i].name() + " = " + std::to_string(columns[i][p]);
    return text;
  }
};

/// Evaluates an expression at all points; value of lane l at point p is at [p * lanes + l]. A load of element i gives (5 i + 3)
/// % 8.
class Evaluation {
 public:
  using Values = std::vector<lathe::ir::Bits>;
  explicit Evaluation(const Points &points) : points_(points) {}

  const Values &operator()(const lathe::ir::Expr &root) {
    lathe::ir::walk(root, [&](const lathe::ir::Expr &e) {
      kept_.push_back(e);
      if (!values_.contains(e.node())) values_[e.node()] = compute(e);
    });
    return values_.at(root.node());
  }

 private:
  lathe::ir::Bits at(const lathe::ir::Expr &e, std::size_t i, std::size_t lanes) const {
    const Values &values = values_.at(e.node());
    return e.lanes() == 1 ? values[i / lanes] : values[i];
  }

  Values compute(const lathe::ir::Expr &e) const {
    using namespace lathe::ir;
    const auto lanes = static_cast<std::size_t>(e.lanes());
    Values out(points_.count * lanes);
    const lathe::DType type = e.type().element();
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto value = [&](const Expr &x) { return at(x, i, lanes); };
      if (const auto *c = e.as<Const>())
        out[i] = c->bits;
      else if (const auto *v = e.as<VarRef>())
        out[i] = static_cast<Bits>(points_.of(v->var)[i]);
      else if (const auto *u = e.as<Unary>())
        out[i] = evaluate(u->op, u->a.type().element(), value(u->a));
      else if (const auto *b = e.as<Binary>())
        out[i] = evaluate(b->op, b->a.type().element(), value(b->a), value(b->b));
      else if (const auto *s = e.as<Select>())
        out[i] = value(s->condition) != 0 ? value(s->a) : value(s->b);
      else if (const auto *k = e.as<Cast>())
        out[i] = evaluate_cast(k->mode, type, k->a.type().element(), value(k->a));
      else if (const auto *r = e.as<Ranged>())
        out[i] = value(r->a);
      else if (const auto *w = e.as<Broadcast>())
        out[i] = value(w->a);
      else if (const auto *m = e.as<Ramp>())
        out[i] = value(m->base) + value(m->stride) * (i % lanes);
      else if (const auto *l = e.as<Load>()) {
        const auto index = static_cast<std::int64_t>(value(l->indices.front()));
        const bool reads = !l->predicate.defined() || value(l->predicate) != 0;
        out[i] = reads ? static_cast<Bits>(((5 * index + 3) % 8 + 8) % 8) : 0;
      } else {
        throw std::logic_error("a node that the test does not evaluate");
      }
    }
    return out;
  }

  const Points &points_;
  std::map<const lathe::ir::ExprNode *, Values> values_;
  std::vector<lathe::ir::Expr> kept_;
};

}  // namespace lathe_tests
