// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Walks, rewrites and comparisons. The first part is the only place that dispatches over the structs of nodes: it reduces every
/// node to its fields, so that all else is ordinary functions, compiled once.

#include <algorithm>
#include <optional>
#include <utility>

#include "lathe/ir/build.hpp"
#include "lathe/ir/operation.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/support/hash_map.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/lists.hpp"

namespace lathe::inline LATHE_ABI::ir {

// ---- one node -----------------------------------------------------------------------------------------------------------------

namespace walking {

using VisitExpr = FunctionRef<void(const Expr &)>;
using VisitStmt = FunctionRef<void(const Stmt &)>;
using ChangeExpr = FunctionRef<Expr(const Expr &)>;
using ChangeStmt = FunctionRef<Stmt(const Stmt &)>;

LATHE_INLINE Fields fields_of(const ExprNode &node) {
  return visit(node, [](const auto &data) { return data.fields(); });
}
LATHE_INLINE Fields fields_of(const StmtNode &node) {
  return visit(node, [](const auto &data) { return data.fields(); });
}

/// Calls `visit` on each defined expression (or, below, statement) in the fields of a node, in order. `Visited` is const except
/// in a node that nobody else has seen yet.
template <class Visited>
void for_each_expr_in(const Fields &fields, FunctionRef<void(Visited &)> visit) {
  const auto visit_defined = [&](const Expr &e) {
    if (e.defined()) visit(const_cast<Visited &>(e));
  };
  for (const Field &field : fields) {
    if (field.kind == Field::Kind::expr) {
      visit_defined(field.as<Expr>());
    } else if (field.kind == Field::Kind::exprs) {
      for (const Expr &e : field.as<List<Expr>>()) visit_defined(e);
    } else if (field.kind == Field::Kind::axes) {
      for (const Axis &axis : field.as<List<Axis>>()) visit_defined(axis.min), visit_defined(axis.extent);
    }
  }
}
template <class Visited>
void for_each_stmt_in(const Fields &fields, FunctionRef<void(Visited &)> visit) {
  const auto visit_defined = [&](const Stmt &s) {
    if (s.defined()) visit(const_cast<Visited &>(s));
  };
  for (const Field &field : fields) {
    if (field.kind == Field::Kind::stmt) visit_defined(field.as<Stmt>());
    if (field.kind == Field::Kind::stmts)
      for (const Stmt &s : field.as<List<Stmt>>()) visit_defined(s);
  }
}

/// What a rewrite makes of the children of a node: nothing is kept as long as they stay the same.
template <class Handle>
class Changes {
 public:
  void add(const Handle &old, Handle changed) {
    if (changed_.empty() && changed.same_as(old)) {
      ++unchanged_;
    } else {
      changed_.push_back(std::move(changed));
    }
  }
  bool empty() const { return changed_.empty(); }
  /// To be called on each child of the copy, in the same order.
  void apply(Handle &slot) {
    if (next_++ >= unchanged_) slot = std::move(changed_[next_ - 1 - unchanged_]);
  }

 private:
  List<Handle> changed_;       // from the first that differs
  std::size_t unchanged_ = 0;  // those before it
  std::size_t next_ = 0;
};

inline int most_lanes(const List<Expr> &operands, int lanes = 1) {
  for (const Expr &e : operands) lanes = std::max(lanes, e.lanes());
  return lanes;
}

inline void widen(Expr &e, int lanes) { e = broadcast(std::move(e), lanes); }

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

/// A copy of a node, still to be changed by the one who asked for it. Types of nodes are decided in `settle`.
template <class Handle, class Node>
Handle copy_of(const Node &node) {
  return visit(node, [&](const auto &data) {
    if constexpr (std::is_same_v<Handle, Expr>) {
      return make(node.type, data);
    } else {
      return make(data);
    }
  });
}

/// What becomes of a copied node after its children changed: scalar operands beside vector ones are broadcast, lanes follow.
LATHE_INLINE Expr settle(const Expr &copy) {
  int lanes = 1;
  const Fields fields = fields_of(*copy.node());
  DType &type = const_cast<ExprNode *>(copy.node())->type;
  switch (copy.node()->kind()) {
    case ExprKind::load: return remake_load(type, *copy.as<Load>());
    case ExprKind::ramp:
    case ExprKind::broadcast:
      for_each_expr_in<const Expr>(fields, [&](const Expr &e) { lanes = std::max(lanes, e.lanes()); });
      ensure(lanes == 1, "what a ramp or a broadcast is made of stays scalar");
      break;
    case ExprKind::shuffle:
    case ExprKind::reduce: break;
    case ExprKind::unary:
      if (const Unary &u = *copy.as<Unary>(); u.op != UnaryOp::any_lane) type = type.with_lanes(u.a.lanes());
      break;
    case ExprKind::read: type = type.with_lanes(most_lanes(copy.as<Read>()->indices)); break;
    default:
      for_each_expr_in<const Expr>(fields, [&](const Expr &e) { lanes = std::max(lanes, e.lanes()); });
      for_each_expr_in<Expr>(fields, [&](Expr &e) { widen(e, lanes); });
      type = type.with_lanes(lanes);
  }
  return copy;
}

}  // namespace walking

LATHE_INLINE void for_each_child(const Expr &e, FunctionRef<void(const Expr &)> visit) {
  if (e.as<Const>() || e.as<VarRef>()) return;  // soon done: half of all nodes
  walking::for_each_expr_in<const Expr>(walking::fields_of(*e.node()), visit);
}

LATHE_INLINE void for_each_expr(const Stmt &s, FunctionRef<void(const Expr &)> visit) {
  if (const auto *a = s.as<Allocate>()) {
    for (const Buffer &buffer : a->buffers) {
      for (const Expr &e : buffer->shape) visit(e);
      for (const Expr &e : buffer->strides) visit(e);
    }
    return;
  }
  walking::for_each_expr_in<const Expr>(walking::fields_of(*s.node()), visit);
}

LATHE_INLINE void for_each_stmt(const Stmt &s, FunctionRef<void(const Stmt &)> visit) {
  walking::for_each_stmt_in<const Stmt>(walking::fields_of(*s.node()), visit);
}

LATHE_INLINE Expr map_children(const Expr &e, FunctionRef<Expr(const Expr &)> change) {
  walking::Changes<Expr> changes;
  for_each_child(e, [&](const Expr &child) { changes.add(child, change(child)); });
  if (changes.empty()) return e;
  const Expr copy = walking::copy_of<Expr>(*e.node());
  walking::for_each_expr_in<Expr>(walking::fields_of(*copy.node()), [&](Expr &slot) { changes.apply(slot); });
  return walking::settle(copy);
}

LATHE_INLINE Stmt replace_buffers(const Stmt &root, const NodeMap<Buffer> &replacements) {
  const Stmt body = rewrite_exprs(root, [&](const Expr &e) -> Expr {
    const auto *l = e.as<Load>();
    const auto *found = l ? replacements.find(l->buffer.node()) : nullptr;
    return found ? make(e.type(), Load{found->second, l->indices, l->predicate}) : e;
  });
  return rewrite_stmts(body, [&](const Stmt &s) -> Stmt {
    const auto *st = s.as<Store>();
    const auto *p = s.as<Prefetch>();
    const auto *found = st ? replacements.find(st->buffer.node()) : p ? replacements.find(p->buffer.node()) : nullptr;
    if (!found) return s;
    return st ? make(Store{found->second, st->indices, st->value, st->predicate}) : make(Prefetch{found->second, p->indices});
  });
}

namespace walking {

/// Buffers whose shapes change become others, to which the body must turn.
LATHE_INLINE Stmt map_allocation(const Stmt &s, ChangeExpr change_expr, ChangeStmt change_stmt) {
  const Allocate &a = *s.as<Allocate>();
  List<Buffer> buffers;
  NodeMap<Buffer> replacements;
  for (const Buffer &buffer : a.buffers) {
    BufferNode node = *buffer.node();
    bool changed = false;
    const auto change = [&](Expr &e) {
      Expr replacement = change_expr(e);
      changed = changed || !replacement.same_as(e);
      e = std::move(replacement);
    };
    for (Expr &e : node.shape) change(e);
    for (Expr &e : node.strides) change(e);
    buffers.push_back(changed ? Buffer(std::move(node)) : buffer);
    if (changed) replacements.emplace(buffer.node(), buffers.back());
  }
  const Stmt body = change_stmt(a.body);
  if (replacements.empty()) return body.same_as(a.body) ? s : make(Allocate{a.buffers, body});
  return make(Allocate{std::move(buffers), replace_buffers(body, replacements)});
}

}  // namespace walking

LATHE_INLINE Stmt map_children(const Stmt &s, FunctionRef<Expr(const Expr &)> change_expr,
                               FunctionRef<Stmt(const Stmt &)> change_stmt) {
  if (s.as<Allocate>()) return walking::map_allocation(s, change_expr, change_stmt);
  walking::Changes<Expr> exprs;
  walking::Changes<Stmt> stmts;
  for_each_expr(s, [&](const Expr &e) { exprs.add(e, change_expr(e)); });
  for_each_stmt(s, [&](const Stmt &nested) { stmts.add(nested, change_stmt(nested)); });
  if (exprs.empty() && stmts.empty()) return s;
  const Stmt copy = walking::copy_of<Stmt>(*s.node());
  const Fields fields = walking::fields_of(*copy.node());
  if (!exprs.empty()) walking::for_each_expr_in<Expr>(fields, [&](Expr &slot) { exprs.apply(slot); });
  if (!stmts.empty()) walking::for_each_stmt_in<Stmt>(fields, [&](Stmt &slot) { stmts.apply(slot); });
  return copy;
}

// ---- whole expressions and statements -----------------------------------------------------------------------------------------

namespace walking {

/// Handles inside immutable nodes, where they stay. The first ones need no memory of their own.
class Stack {
 public:
  Stack() = default;
  Stack(const Stack &) = delete;
  Stack &operator=(const Stack &) = delete;

  bool empty() const { return size_ == 0; }
  void push(const Expr *e) {
    if (size_ == capacity_) grow();
    data_[size_++] = e;
  }
  const Expr *pop() { return data_[--size_]; }
  /// Pushes the children of `e` so that the first is popped first; returns whether there are any.
  bool push_children(const Expr &e) {
    const std::size_t base = size_;
    for_each_child(e, [&](const Expr &child) { push(&child); });
    std::reverse(data_ + base, data_ + size_);
    return size_ > base;
  }

 private:
  void grow() {
    List<const Expr *> larger(2 * capacity_);
    std::copy(data_, data_ + size_, larger.data());
    many_.swap(larger);
    data_ = many_.data();
    capacity_ = many_.size();
  }

  const Expr *few_[48];
  List<const Expr *> many_;
  const Expr **data_ = few_;
  std::size_t size_ = 0, capacity_ = 48;
};

/// Calls `leave` on each node below and including `root` that `enter` accepts, children first. `enter` must refuse what it has
/// accepted before, or else what `leave` has seen.
LATHE_INLINE void post_order(const Expr &root, FunctionRef<bool(const ExprNode *)> enter, FunctionRef<void(const Expr &)> leave) {
  Stack stack;  // a null stands above each whose children were pushed
  stack.push(&root);
  while (!stack.empty()) {
    const Expr *e = stack.pop();
    if (!e) {
      leave(*stack.pop());
    } else if (enter(e->node())) {
      stack.push(e);
      stack.push(nullptr);
      if (stack.push_children(*e)) continue;
      stack.pop();
      leave(*stack.pop());
    }
  }
}

LATHE_INLINE void walk_up(const Expr &root, NodeSet &done, VisitExpr visit) {
  post_order(root, [&](const ExprNode *node) { return done.insert(node); }, visit);
}

}  // namespace walking

LATHE_INLINE void walk(const Expr &root, FunctionRef<void(const Expr &)> visit) {
  NodeSet done;
  if (root.defined()) walking::walk_up(root, done, visit);
}

LATHE_INLINE void walk_down(const Expr &root, FunctionRef<bool(const Expr &)> enter) {
  if (!root.defined()) return;
  NodeSet seen;
  walking::Stack stack;
  stack.push(&root);
  while (!stack.empty()) {
    const Expr &e = *stack.pop();
    if (seen.insert(e.node()) && enter(e)) stack.push_children(e);
  }
}

LATHE_INLINE void walk_down(const Stmt &root, FunctionRef<bool(const Stmt &)> enter) {
  if (!root.defined() || !enter(root)) return;
  for_each_stmt(root, [&](const Stmt &nested) { walk_down(nested, enter); });
}

LATHE_INLINE void walk(const Stmt &root, FunctionRef<void(const Expr &)> visit) {
  NodeSet done;
  walk_down(root, [&](const Stmt &s) {
    for_each_expr(s, [&](const Expr &e) { walking::walk_up(e, done, visit); });
    return true;
  });
}

LATHE_INLINE Expr Rewriter::operator()(const Expr &root) {
  if (!root.defined()) return root;
  walking::post_order(
      root, [&](const ExprNode *node) { return done_.insert(node); },
      [&](const Expr &e) {
        Expr changed = change_(with_new_children(e));
        ensure(changed.defined(), "a rewrite gives an expression");
        if (!changed.same_as(e)) changed_.emplace(e.node(), std::move(changed));
      });
  return now(root);
}

LATHE_INLINE Expr Rewriter::now(const Expr &e) const {
  const auto *found = changed_.find(e.node());
  return found ? found->second : e;
}

LATHE_INLINE Expr Rewriter::with_new_children(const Expr &e) const {
  bool any = false;
  if (!changed_.empty()) for_each_child(e, [&](const Expr &child) { any = any || changed_.contains(child.node()); });
  return any ? map_children(e, [&](const Expr &child) { return now(child); }) : e;
}

LATHE_INLINE Expr rewrite(const Expr &root, FunctionRef<Expr(const Expr &)> change) { return Rewriter(change)(root); }

namespace walking {

LATHE_INLINE Stmt rewrite_exprs_of(const Stmt &s, Rewriter &rewriter) {
  return map_children(
      s, [&](const Expr &e) { return rewriter(e); }, [&](const Stmt &nested) { return rewrite_exprs_of(nested, rewriter); });
}

}  // namespace walking

LATHE_INLINE Stmt rewrite_exprs(const Stmt &root, FunctionRef<Expr(const Expr &)> change) {
  Rewriter rewriter(change);
  return root.defined() ? walking::rewrite_exprs_of(root, rewriter) : root;
}

LATHE_INLINE Stmt rewrite_stmts(const Stmt &root, FunctionRef<Stmt(const Stmt &)> change) {
  if (!root.defined()) return root;
  return change(
      map_children(root, [](const Expr &e) { return e; }, [&](const Stmt &nested) { return rewrite_stmts(nested, change); }));
}

// ---- substitution -------------------------------------------------------------------------------------------------------------

namespace walking {

/// `replacements` without the variables that a binder hides; null when it hides none.
inline std::optional<VarMap<Expr>> without(const VarMap<Expr> &replacements, const List<Var> &bound) {
  std::optional<VarMap<Expr>> rest;
  for (const Var &var : bound) {
    if (!replacements.contains(var)) continue;
    if (!rest) rest = replacements;
    rest->erase(var);
  }
  return rest;
}

inline List<Var> bound_by(const Expr &e) {
  List<Var> vars;
  if (const auto *r = e.as<Reduce>())
    for (const Axis &axis : r->axes) vars.push_back(axis.var);
  return vars;
}

/// A `Reduce` hides its axes from its sources, its condition and its domain, but not from its starts.
inline bool is_start(const Reduce &reduce, const Expr &child) {
  return lists::any_of(reduce.init, [&](const Expr &start) { return &start == &child; });
}

}  // namespace walking

LATHE_INLINE Expr substitute(const Expr &root, const VarMap<Expr> &replacements) {
  if (!root.defined() || replacements.empty()) return root;
  if (const auto inner = walking::without(replacements, walking::bound_by(root)))
    return map_children(root, [&](const Expr &child) {
      return substitute(child, walking::is_start(*root.as<Reduce>(), child) ? replacements : *inner);
    });
  return rewrite(root, [&](const Expr &e) -> Expr {
    const auto *v = e.as<VarRef>();
    if (!v) return e;
    const auto *found = replacements.find(v->var);
    return !found ? e : found->second;
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
    const auto *found = replacements.find(v->var);
    return !found ? e : found->second;
  };
  Rewriter rewriter(replace);
  return walking::substitute_in(root, replacements, rewriter);
}

LATHE_INLINE Stmt with_fresh_buffers(const Stmt &root) {
  NodeMap<Buffer> fresh;
  walk_down(root, [&](const Stmt &s) {
    if (const auto *a = s.as<Allocate>())
      for (const Buffer &buffer : a->buffers) fresh.emplace(buffer.node(), Buffer(*buffer.node()));
    return true;
  });
  if (fresh.empty()) return root;
  return rewrite_stmts(replace_buffers(root, fresh), [&](const Stmt &s) -> Stmt {
    const auto *a = s.as<Allocate>();
    if (!a) return s;
    List<Buffer> buffers;
    for (const Buffer &buffer : a->buffers) buffers.push_back(fresh.at(buffer.node()));
    return make(Allocate{std::move(buffers), a->body});
  });
}

}  // namespace lathe::inline LATHE_ABI::ir
