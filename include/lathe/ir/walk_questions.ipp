// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The questions of walk.hpp: equality, hashes, uses and free names.

#include <algorithm>
#include <type_traits>
#include <unordered_set>
#include <utility>

#include "lathe/ir/walk.ipp"

namespace lathe::inline LATHE_ABI::ir {

namespace walking {

/// Compares two nodes of one kind apart from their children and places; `pair_…` are told which children to compare.
template <class Node>
bool same_node(const Node &a, const Node &b, FunctionRef<void(const Expr *, const Expr *)> pair_exprs,
               FunctionRef<void(const Stmt *, const Stmt *)> pair_stmts) {
  bool same = true;
  const auto compare = [&]<class Field>(const Field &x, const Field &y, const auto &self) -> void {
    if constexpr (std::is_same_v<Field, Expr>) {
      pair_exprs(&x, &y);
    } else if constexpr (std::is_same_v<Field, Stmt>) {
      pair_stmts(&x, &y);
    } else if constexpr (std::is_same_v<Field, Axis>) {
      same = same && x.var == y.var;
      pair_exprs(&x.min, &y.min);
      pair_exprs(&x.extent, &y.extent);
    } else if constexpr (std::is_same_v<Field, std::vector<Expr>> || std::is_same_v<Field, std::vector<Stmt>> ||
                         std::is_same_v<Field, std::vector<Axis>>) {
      same = same && x.size() == y.size();
      for (std::size_t i = 0; same && i < x.size(); ++i) self(x[i], y[i], self);
    } else if constexpr (!std::is_same_v<Field, Location>) {
      same = same && x == y;
    }
  };
  for_each_field<Node>([&](auto member) { compare(a.*member, b.*member, compare); });
  return same;
}

struct PairHash {
  std::size_t operator()(const std::pair<const ExprNode *, const ExprNode *> &p) const {
    return std::hash<const void *>()(p.first) * 31 + std::hash<const void *>()(p.second);
  }
};

}  // namespace walking

LATHE_INLINE bool equal(const Expr &a, const Expr &b) {
  std::vector<std::pair<const Expr *, const Expr *>> stack{{&a, &b}};
  std::unordered_set<std::pair<const ExprNode *, const ExprNode *>, walking::PairHash> compared;
  while (!stack.empty()) {
    const auto [x, y] = stack.back();
    stack.pop_back();
    if (x->same_as(*y)) continue;
    if (!x->defined() || !y->defined() || x->type() != y->type() || x->node()->kind() != y->node()->kind()) return false;
    if (!compared.emplace(x->node(), y->node()).second) continue;
    const bool same = std::visit(
        [&]<class Node>(const Node &node) {
          return walking::same_node(
              node, *y->as<Node>(), [&](const Expr *p, const Expr *q) { stack.emplace_back(p, q); },
              [](const Stmt *, const Stmt *) {});
        },
        x->node()->data);
    if (!same) return false;
  }
  return true;
}

LATHE_INLINE bool equal(const Stmt &a, const Stmt &b) {
  if (a.same_as(b)) return true;
  if (!a.defined() || !b.defined() || a.node()->kind() != b.node()->kind()) return false;
  bool same = true;
  const bool fields = std::visit(
      [&]<class Node>(const Node &node) {
        return walking::same_node(
            node, *b.as<Node>(), [&](const Expr *p, const Expr *q) { same = same && equal(*p, *q); },
            [&](const Stmt *p, const Stmt *q) { same = same && equal(*p, *q); });
      },
      a.node()->data);
  return fields && same;
}

namespace walking {

inline void mix(std::size_t &seed, std::size_t value) { seed = (seed ^ value) * 0x9e3779b97f4a7c15u + (seed >> 29); }

/// Mixes in what a field holds, children apart.
template <class Field>
void mix_field(std::size_t &seed, const Field &field) {
  if constexpr (std::is_same_v<Field, Var> || std::is_same_v<Field, Buffer>) {
    mix(seed, std::hash<const void *>()(field.node()));
  } else if constexpr (std::is_same_v<Field, Reducer>) {
    mix(seed, std::hash<const void *>()(field.get()));
  } else if constexpr (std::is_same_v<Field, Tensor>) {
    mix(seed, std::hash<const void *>()(field.operation.get()));
    mix(seed, static_cast<std::size_t>(field.output));
  } else if constexpr (std::is_same_v<Field, ExternalFunction>) {
    mix(seed, std::hash<std::string>()(field.name));
  } else if constexpr (std::is_same_v<Field, std::vector<Axis>>) {
    for (const Axis &axis : field) mix(seed, std::hash<const void *>()(axis.var.node()));
  } else if constexpr (std::is_same_v<Field, std::vector<int>>) {
    for (const int lane : field) mix(seed, static_cast<std::size_t>(lane));
  } else if constexpr (std::is_enum_v<Field> || std::is_integral_v<Field>) {
    mix(seed, static_cast<std::size_t>(field));
  }
}

}  // namespace walking

LATHE_INLINE std::size_t hash(const Expr &e) {
  if (!e.defined()) return 0;
  std::unordered_map<const ExprNode *, std::size_t> done;
  walking::post_order(
      e, [&](const ExprNode *node) { return done.contains(node); },
      [&](const Expr &x) {
        std::size_t seed = x.node()->data.index();
        walking::mix(seed, std::hash<const void *>()(&x.type().scalar()));
        walking::mix(seed, static_cast<std::size_t>(x.lanes()));
        std::visit(
            [&]<class Node>(const Node &node) {
              walking::for_each_field<Node>([&](auto member) { walking::mix_field(seed, node.*member); });
            },
            x.node()->data);
        for_each_child(x, [&](const Expr &child) { walking::mix(seed, done.at(child.node())); });
        done.emplace(x.node(), seed);
      });
  return done.at(e.node());
}

LATHE_INLINE bool uses(const Expr &e, const Var &var) {
  bool used = false;
  walk_down(e, [&](const Expr &x) {
    if (const auto *v = x.as<VarRef>()) used = used || v->var == var;
    if (const auto *r = x.as<Reduce>())
      for (const Axis &axis : r->axes)
        if (axis.var == var) {  // hidden everywhere but in the starts
          for (const Expr &i : r->init) used = used || uses(i, var);
          return false;
        }
    return !used;
  });
  return used;
}

LATHE_INLINE bool uses(const Stmt &s, const Var &var) {
  bool used = false;
  walk_down(s, [&](const Stmt &x) {
    for_each_expr(x, [&](const Expr &e) { used = used || uses(e, var); });
    return !used;
  });
  return used;
}

namespace walking {

/// An ordered set of handles.
template <class Handle>
void add_once(std::vector<Handle> &list, const Handle &handle) {
  if (std::find(list.begin(), list.end(), handle) == list.end()) list.push_back(handle);
}

}  // namespace walking

LATHE_INLINE std::vector<Var> free_vars(const Expr &e) {
  std::vector<Var> vars;
  walk_down(e, [&](const Expr &x) {
    if (const auto *v = x.as<VarRef>()) walking::add_once(vars, v->var);
    const auto *r = x.as<Reduce>();
    if (!r) return true;
    const std::vector<Var> bound = walking::bound_by(x);
    for_each_child(x, [&](const Expr &child) {
      const bool start = std::any_of(r->init.begin(), r->init.end(), [&](const Expr &i) { return &i == &child; });
      for (const Var &var : free_vars(child))
        if (start || std::find(bound.begin(), bound.end(), var) == bound.end()) walking::add_once(vars, var);
    });
    return false;
  });
  return vars;
}

namespace walking {

/// Collects the free names of statements. What is bound or allocated anywhere within is never free, since names are identities.
class NameCollector {
 public:
  void statement(const Stmt &s) {
    if (const auto *loop = s.as<For>()) bound_.insert(loop->var.node());
    if (const auto *bind = s.as<Bind>()) bound_.insert(bind->var.node());
    if (const auto *a = s.as<Allocate>()) {
      allocated_.insert(a->buffer.node());
      shape(a->buffer);
    }
    if (const auto *store = s.as<Store>()) buffer(store->buffer);
    for_each_expr(s, [&](const Expr &e) { expression(e); });
    for_each_stmt(s, [&](const Stmt &nested) { statement(nested); });
  }

  FreeNames names() && {
    std::erase_if(names_.vars, [&](const Var &v) { return bound_.contains(v.node()); });
    std::erase_if(names_.buffers, [&](const Buffer &b) { return allocated_.contains(b.node()); });
    return std::move(names_);
  }

 private:
  void expression(const Expr &root) {
    std::vector<const Expr *> stack{&root};
    while (!stack.empty()) {
      const Expr &e = *stack.back();
      stack.pop_back();
      if (!seen_.insert(e.node()).second) continue;
      if (const auto *v = e.as<VarRef>(); v && seen_names_.insert(v->var.node()).second) names_.vars.push_back(v->var);
      if (const auto *l = e.as<Load>()) buffer(l->buffer);
      if (const auto *c = e.as<Call>(); c && c->function.address) add_once(names_.functions, c->function);
      push_children(stack, e);
    }
  }
  void buffer(const Buffer &b) {
    if (!seen_names_.insert(b.node()).second) return;
    names_.buffers.push_back(b);
    shape(b);
  }
  /// Addresses within a buffer are computed from its shape or strides, so these are used where it is.
  void shape(const Buffer &b) {
    for (const Expr &e : b->shape) expression(e);
    for (const Expr &e : b->strides) expression(e);
  }

  FreeNames names_;
  NodeSet seen_;
  std::unordered_set<const void *> seen_names_, bound_, allocated_;
};

}  // namespace walking

LATHE_INLINE FreeNames free_names(const Stmt &s) {
  walking::NameCollector collector;
  if (s.defined()) collector.statement(s);
  return std::move(collector).names();
}

LATHE_INLINE bool is_pure_scalar(const Expr &e) {
  bool pure = true;
  walk_down(e, [&](const Expr &x) {
    const auto *c = x.as<Call>();
    pure = pure && !x.as<Load>() && !x.as<Read>() && !x.as<Reduce>() && !(c && !c->function.pure);
    return pure;
  });
  return pure;
}

}  // namespace lathe::inline LATHE_ABI::ir
