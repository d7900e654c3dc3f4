// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Walks, rewrites and comparisons. The first part is the only place that dispatches over the variant of nodes: it reduces every
/// node to its child handles, so that all else is ordinary functions, compiled once.

#include <algorithm>
#include <optional>
#include <type_traits>
#include <unordered_set>
#include <utility>

#include "lathe/ir/build.hpp"
#include "lathe/ir/operation.hpp"
#include "lathe/ir/walk.hpp"

namespace lathe::inline LATHE_ABI::ir {

// ---- one node -----------------------------------------------------------------------------------------------------------------

namespace walking {

using VisitExpr = FunctionRef<void(const Expr &)>;
using VisitStmt = FunctionRef<void(const Stmt &)>;
using ChangeExpr = FunctionRef<Expr(const Expr &)>;
using ChangeStmt = FunctionRef<Stmt(const Stmt &)>;

/// Calls `f` on each pointer to a member that `Node` names as a field.
template <class Node, class F>
void for_each_field(F &&f) {
  std::apply([&](auto... member) { (f(member), ...); }, Node::fields());
}

/// Calls `f` on each handle of type `Handle` in a field, defined or not: the field itself or the elements it consists of.
template <class Handle, class Field, class F>
void for_each_handle(Field &field, F &&f) {
  using Plain = std::remove_const_t<Field>;
  if constexpr (std::is_same_v<Plain, Handle>) {
    f(field);
  } else if constexpr (std::is_same_v<Plain, std::vector<Handle>>) {
    for (auto &element : field) f(element);
  } else if constexpr (std::is_same_v<Plain, std::vector<Axis>> && std::is_same_v<Handle, Expr>) {
    for (auto &axis : field) f(axis.min), f(axis.extent);
  }
}

/// Calls `f` on each defined handle of type `Handle` in a node.
template <class Handle, class Node, class F>
void for_each_handle_of(Node &node, F &&f) {
  for_each_field<std::remove_const_t<Node>>([&](auto member) {
    for_each_handle<Handle>(node.*member, [&](auto &handle) {
      if (handle.defined()) f(handle);
    });
  });
}

/// Replaces each defined handle in `node` by what `change` makes of it, in a copy that is made at the first difference.
template <class Handle, class Node>
void change_handles(const Node &node, std::optional<Node> &copy, FunctionRef<Handle(const Handle &)> change) {
  for_each_field<Node>([&](auto member) {
    std::size_t position = 0;
    for_each_handle<Handle>(node.*member, [&](const Handle &old) {
      const std::size_t here = position++;
      if (!old.defined()) return;
      Handle changed = change(old);
      if (changed.same_as(old)) return;
      if (!copy) copy.emplace(node);
      std::size_t count = 0;
      for_each_handle<Handle>((*copy).*member, [&](Handle &slot) {
        if (count++ == here) slot = changed;
      });
    });
  });
}

inline int most_lanes(const std::vector<Expr> &operands, int lanes = 1) {
  for (const Expr &e : operands) lanes = std::max(lanes, e.lanes());
  return lanes;
}

inline void widen(Expr &e, int lanes) { e = broadcast(std::move(e), lanes); }

// What becomes of a node after its children changed: scalar operands beside vector ones are broadcast, lanes follow.

template <class Node>
Expr remake(DType type, Node node) {
  int lanes = 1;
  for_each_handle_of<Expr>(node, [&](Expr &e) { lanes = std::max(lanes, e.lanes()); });
  for_each_handle_of<Expr>(node, [&](Expr &e) { widen(e, lanes); });
  return make(type.with_lanes(lanes), std::move(node));
}
inline Expr remake(DType type, Ramp node) {
  ensure(node.base.lanes() == 1 && node.stride.lanes() == 1, "the base and the stride of a ramp stay scalar");
  return make(type, std::move(node));
}
inline Expr remake(DType type, Broadcast node) {
  ensure(node.a.lanes() == 1, "what is broadcast stays scalar");
  return make(type, std::move(node));
}
inline Expr remake(DType type, Shuffle node) { return make(type, std::move(node)); }
inline Expr remake(DType type, Reduce node) { return make(type, std::move(node)); }
inline Expr remake(DType type, Read node) {
  const int lanes = most_lanes(node.indices);
  return make(type.with_lanes(lanes), std::move(node));
}
inline Expr remake(DType type, Call node) {
  const int lanes = most_lanes(node.arguments);
  for (Expr &a : node.arguments) widen(a, lanes);
  return make(type.with_lanes(lanes), std::move(node));
}
LATHE_INLINE Expr remake_load(DType type, Load node) {
  const int lanes = most_lanes(node.indices, node.predicate.defined() ? node.predicate.lanes() : 1);
  const DType widened = type.with_lanes(lanes);
  if (lanes > 1 && node.indices.empty()) {  // of no dimension: its memory is there whatever the predicate says
    const Expr condition = std::exchange(node.predicate, {});
    return select(condition, broadcast(make(type.element(), std::move(node)), lanes), zero_of(widened));
  }
  if (lanes > 1 && most_lanes(node.indices) == 1) widen(node.indices.back(), lanes);
  if (node.predicate.defined()) widen(node.predicate, lanes);
  return make(widened, std::move(node));
}
inline Expr remake(DType type, Load node) { return remake_load(type, std::move(node)); }

}  // namespace walking

LATHE_INLINE void for_each_child(const Expr &e, FunctionRef<void(const Expr &)> visit) {
  std::visit([&](const auto &node) { walking::for_each_handle_of<Expr>(node, visit); }, e.node()->data);
}

LATHE_INLINE void for_each_expr(const Stmt &s, FunctionRef<void(const Expr &)> visit) {
  if (const auto *a = s.as<Allocate>()) {
    for (const Expr &e : a->buffer->shape) visit(e);
    for (const Expr &e : a->buffer->strides) visit(e);
    return;
  }
  std::visit([&](const auto &node) { walking::for_each_handle_of<Expr>(node, visit); }, s.node()->data);
}

LATHE_INLINE void for_each_stmt(const Stmt &s, FunctionRef<void(const Stmt &)> visit) {
  std::visit([&](const auto &node) { walking::for_each_handle_of<Stmt>(node, visit); }, s.node()->data);
}

LATHE_INLINE Expr map_children(const Expr &e, FunctionRef<Expr(const Expr &)> change) {
  return std::visit(
      [&]<class Node>(const Node &node) -> Expr {
        std::optional<Node> copy;
        walking::change_handles<Expr>(node, copy, change);
        return copy ? walking::remake(e.type(), *std::move(copy)) : e;
      },
      e.node()->data);
}

namespace walking {

/// `root` with every load, store and allocation of `from` turned to `to`.
LATHE_INLINE Stmt replace_buffer(const Stmt &root, const Buffer &from, const Buffer &to) {
  const Stmt body = rewrite_exprs(root, [&](const Expr &e) -> Expr {
    const auto *l = e.as<Load>();
    return l && l->buffer == from ? make(e.type(), Load{to, l->indices, l->predicate}) : e;
  });
  return rewrite_stmts(body, [&](const Stmt &s) -> Stmt {
    const auto *st = s.as<Store>();
    return st && st->buffer == from ? make(Store{to, st->indices, st->value, st->predicate}) : s;
  });
}

/// An allocation whose shape changes is one of another buffer, to which the body must turn.
LATHE_INLINE Stmt map_allocation(const Stmt &s, ChangeExpr change_expr, ChangeStmt change_stmt) {
  const Allocate &a = *s.as<Allocate>();
  BufferNode node = *a.buffer.node();
  bool changed = false;
  const auto change = [&](Expr &e) {
    Expr replacement = change_expr(e);
    changed = changed || !replacement.same_as(e);
    e = std::move(replacement);
  };
  for (Expr &e : node.shape) change(e);
  for (Expr &e : node.strides) change(e);
  const Stmt body = change_stmt(a.body);
  if (!changed) return body.same_as(a.body) ? s : make(Allocate{a.buffer, body});
  const Buffer buffer(std::move(node));
  return make(Allocate{buffer, replace_buffer(body, a.buffer, buffer)});
}

}  // namespace walking

LATHE_INLINE Stmt map_children(const Stmt &s, FunctionRef<Expr(const Expr &)> change_expr,
                               FunctionRef<Stmt(const Stmt &)> change_stmt) {
  if (s.as<Allocate>()) return walking::map_allocation(s, change_expr, change_stmt);
  return std::visit(
      [&]<class Node>(const Node &node) -> Stmt {
        std::optional<Node> copy;
        walking::change_handles<Expr>(node, copy, change_expr);
        walking::change_handles<Stmt>(node, copy, change_stmt);
        return copy ? make(*std::move(copy)) : s;
      },
      s.node()->data);
}

// ---- whole expressions and statements -----------------------------------------------------------------------------------------

namespace walking {

using NodeSet = std::unordered_set<const ExprNode *>;

/// Pushes the children of `e` so that the first is popped first.
LATHE_INLINE void push_children(std::vector<const Expr *> &stack, const Expr &e) {
  const std::size_t base = stack.size();
  for_each_child(e, [&](const Expr &child) { stack.push_back(&child); });
  std::reverse(stack.begin() + static_cast<std::ptrdiff_t>(base), stack.end());
}

/// Calls `leave` on each distinct node below and including `root`, children first. `seen` answers which nodes are done; `leave`
/// must make it so. Handles on the stack stay where they are, inside immutable nodes.
LATHE_INLINE void post_order(const Expr &root, FunctionRef<bool(const ExprNode *)> seen, FunctionRef<void(const Expr &)> leave) {
  std::vector<const Expr *> stack{&root};
  std::vector<const Expr *> entered;  // those on the stack whose children were pushed; the innermost last
  while (!stack.empty()) {
    const Expr *e = stack.back();
    if (!entered.empty() && entered.back() == e) {
      entered.pop_back();
      stack.pop_back();
      leave(*e);
    } else if (seen(e->node())) {
      stack.pop_back();
    } else {
      entered.push_back(e);
      push_children(stack, *e);
    }
  }
}

LATHE_INLINE void walk_up(const Expr &root, NodeSet &done, VisitExpr visit) {
  post_order(
      root, [&](const ExprNode *node) { return done.contains(node); },
      [&](const Expr &e) {
        visit(e);
        done.insert(e.node());
      });
}

/// Rewrites expressions bottom-up; remembers across calls, so that what statements share is rewritten once.
class Rewriter {
 public:
  explicit Rewriter(ChangeExpr change) : change_(change) {}

  Expr operator()(const Expr &root) {
    post_order(
        root, [&](const ExprNode *node) { return done_.contains(node); },
        [&](const Expr &e) {
          Expr changed = change_(map_children(e, [&](const Expr &child) { return done_.at(child.node()); }));
          ensure(changed.defined(), "a rewrite gives an expression");
          done_.emplace(e.node(), std::move(changed));
        });
    return done_.at(root.node());
  }

 private:
  ChangeExpr change_;
  std::unordered_map<const ExprNode *, Expr> done_;
};

}  // namespace walking

LATHE_INLINE void walk(const Expr &root, FunctionRef<void(const Expr &)> visit) {
  walking::NodeSet done;
  if (root.defined()) walking::walk_up(root, done, visit);
}

LATHE_INLINE void walk_down(const Expr &root, FunctionRef<bool(const Expr &)> enter) {
  if (!root.defined()) return;
  walking::NodeSet seen;
  std::vector<const Expr *> stack{&root};
  while (!stack.empty()) {
    const Expr &e = *stack.back();
    stack.pop_back();
    if (seen.insert(e.node()).second && enter(e)) walking::push_children(stack, e);
  }
}

LATHE_INLINE void walk_down(const Stmt &root, FunctionRef<bool(const Stmt &)> enter) {
  if (!root.defined() || !enter(root)) return;
  for_each_stmt(root, [&](const Stmt &nested) { walk_down(nested, enter); });
}

LATHE_INLINE void walk(const Stmt &root, FunctionRef<void(const Expr &)> visit) {
  walking::NodeSet done;
  walk_down(root, [&](const Stmt &s) {
    for_each_expr(s, [&](const Expr &e) { walking::walk_up(e, done, visit); });
    return true;
  });
}

LATHE_INLINE Expr rewrite(const Expr &root, FunctionRef<Expr(const Expr &)> change) {
  return root.defined() ? walking::Rewriter(change)(root) : root;
}

namespace walking {

LATHE_INLINE Stmt rewrite_exprs_of(const Stmt &s, Rewriter &rewriter) {
  return map_children(
      s, [&](const Expr &e) { return rewriter(e); }, [&](const Stmt &nested) { return rewrite_exprs_of(nested, rewriter); });
}

}  // namespace walking

LATHE_INLINE Stmt rewrite_exprs(const Stmt &root, FunctionRef<Expr(const Expr &)> change) {
  walking::Rewriter rewriter(change);
  return root.defined() ? walking::rewrite_exprs_of(root, rewriter) : root;
}

LATHE_INLINE Stmt rewrite_stmts(const Stmt &root, FunctionRef<Stmt(const Stmt &)> change) {
  if (!root.defined()) return root;
  return change(map_children(
      root, [](const Expr &e) { return e; }, [&](const Stmt &nested) { return rewrite_stmts(nested, change); }));
}

// ---- substitution -------------------------------------------------------------------------------------------------------------

namespace walking {

/// `replacements` without the variables that a binder hides; null when it hides none.
inline std::optional<VarMap<Expr>> without(const VarMap<Expr> &replacements, const std::vector<Var> &bound) {
  std::optional<VarMap<Expr>> rest;
  for (const Var &var : bound) {
    if (!replacements.contains(var)) continue;
    if (!rest) rest = replacements;
    rest->erase(var);
  }
  return rest;
}

inline std::vector<Var> bound_by(const Expr &e) {
  std::vector<Var> vars;
  if (const auto *r = e.as<Reduce>())
    for (const Axis &axis : r->axes) vars.push_back(axis.var);
  return vars;
}

/// A `Reduce` hides its axes from its sources, its condition and its domain, but not from its `init`.
LATHE_INLINE Expr substitute_in_reduce(const Expr &e, const VarMap<Expr> &replacements, const VarMap<Expr> &inner) {
  std::optional<Reduce> copy;
  change_handles<Expr>(*e.as<Reduce>(), copy, [&](const Expr &child) { return substitute(child, inner); });
  std::vector<Expr> init = e.as<Reduce>()->init;
  bool changed = copy.has_value();
  for (Expr &i : init) {
    Expr replaced = substitute(i, replacements);
    changed = changed || !replaced.same_as(i);
    i = std::move(replaced);
  }
  if (!changed) return e;
  if (!copy) copy = *e.as<Reduce>();
  copy->init = std::move(init);
  return make(e.type(), *std::move(copy));
}

}  // namespace walking

LATHE_INLINE Expr substitute(const Expr &root, const VarMap<Expr> &replacements) {
  if (!root.defined() || replacements.empty()) return root;
  if (const auto inner = walking::without(replacements, walking::bound_by(root)))
    return walking::substitute_in_reduce(root, replacements, *inner);
  return rewrite(root, [&](const Expr &e) -> Expr {
    const auto *v = e.as<VarRef>();
    if (!v) return e;
    const auto found = replacements.find(v->var);
    return found == replacements.end() ? e : found->second;
  });
}

namespace walking {

LATHE_INLINE Stmt substitute_in(const Stmt &s, const VarMap<Expr> &replacements, Rewriter &rewriter) {
  const Var *bound = nullptr;
  if (const auto *loop = s.as<For>()) bound = &loop->var;
  if (const auto *bind = s.as<Bind>()) bound = &bind->var;
  return map_children(
      s, [&](const Expr &e) { return rewriter(e); },
      [&](const Stmt &nested) -> Stmt {
        if (bound && replacements.contains(*bound)) return substitute(nested, *without(replacements, {*bound}));
        return substitute_in(nested, replacements, rewriter);
      });
}

}  // namespace walking

LATHE_INLINE Stmt substitute(const Stmt &root, const VarMap<Expr> &replacements) {
  if (!root.defined() || replacements.empty()) return root;
  const auto replace = [&](const Expr &e) -> Expr {
    const auto *v = e.as<VarRef>();
    if (!v) return e;
    const auto found = replacements.find(v->var);
    return found == replacements.end() ? e : found->second;
  };
  walking::Rewriter rewriter(replace);
  return walking::substitute_in(root, replacements, rewriter);
}

}  // namespace lathe::inline LATHE_ABI::ir
