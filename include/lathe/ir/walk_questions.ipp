// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The questions of walk.hpp: equality, hashes, uses and free names.

#include <utility>

#include "lathe/ir/walk.ipp"
#include "lathe/support/hash_map.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/lists.hpp"

namespace lathe::inline LATHE_ABI::ir {

namespace walking {

using PairExprs = FunctionRef<void(const Expr &, const Expr &)>;
using PairStmts = FunctionRef<void(const Stmt &, const Stmt &)>;

inline bool same_axes(const List<Axis> &a, const List<Axis> &b, PairExprs pair) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].var != b[i].var) return false;
    pair(a[i].min, b[i].min);
    pair(a[i].extent, b[i].extent);
  }
  return true;
}

template <class Handle>
bool pair_all(const List<Handle> &a, const List<Handle> &b, FunctionRef<void(const Handle &, const Handle &)> pair) {
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) pair(a[i], b[i]);
  return a.size() == b.size();
}

/// Compares a field of two nodes of one kind, apart from children; `pair_…` are told which children to compare.
LATHE_INLINE bool same_field(const Field &a, const Field &b, PairExprs pair_exprs, PairStmts pair_stmts) {
  switch (a.kind) {
    case Field::Kind::number: return a.number == b.number;
    case Field::Kind::expr: return pair_exprs(a.as<Expr>(), b.as<Expr>()), true;
    case Field::Kind::exprs: return pair_all<Expr>(a.as<List<Expr>>(), b.as<List<Expr>>(), pair_exprs);
    case Field::Kind::axes: return same_axes(a.as<List<Axis>>(), b.as<List<Axis>>(), pair_exprs);
    case Field::Kind::stmt: return pair_stmts(a.as<Stmt>(), b.as<Stmt>()), true;
    case Field::Kind::stmts: return pair_all<Stmt>(a.as<List<Stmt>>(), b.as<List<Stmt>>(), pair_stmts);
    case Field::Kind::var: return a.as<Var>() == b.as<Var>();
    case Field::Kind::buffer: return a.as<Buffer>() == b.as<Buffer>();
    case Field::Kind::buffers: return a.as<List<Buffer>>() == b.as<List<Buffer>>();
    case Field::Kind::tensor: return a.as<Tensor>() == b.as<Tensor>();
    case Field::Kind::reducer: return a.as<Reducer>() == b.as<Reducer>();
    case Field::Kind::function: return a.as<ExternalFunction>() == b.as<ExternalFunction>();
    case Field::Kind::lanes: return a.as<List<int>>() == b.as<List<int>>();
    case Field::Kind::text: return a.as<std::string>() == b.as<std::string>();
  }
  return false;
}

LATHE_INLINE bool same_fields(const Fields &a, const Fields &b, PairExprs pair_exprs, PairStmts pair_stmts) {
  const Field *other = b.begin();
  for (const Field &field : a)
    if (!same_field(field, *other++, pair_exprs, pair_stmts)) return false;
  return true;
}

struct NodePair {
  const ExprNode *a, *b;
  friend bool operator==(const NodePair &, const NodePair &) = default;
};
inline std::size_t key_hash(const NodePair &pair) { return lathe::key_hash(pair.a) * 31 + lathe::key_hash(pair.b); }

}  // namespace walking

LATHE_INLINE bool equal(const Expr &a, const Expr &b) {
  if (a.same_as(b)) return true;
  if (hash(a) != hash(b)) return false;
  List<std::pair<const Expr *, const Expr *>> stack{{&a, &b}};
  HashSet<walking::NodePair> compared;
  while (!stack.empty()) {
    const auto [x, y] = stack.back();
    stack.pop_back();
    if (x->same_as(*y)) continue;
    if (!x->defined() || !y->defined() || x->type() != y->type() || x->node()->kind() != y->node()->kind()) return false;
    if (!compared.insert({x->node(), y->node()})) continue;
    const bool same = walking::same_fields(
        walking::fields_of(*x->node()), walking::fields_of(*y->node()),
        [&](const Expr &p, const Expr &q) { stack.emplace_back(&p, &q); }, [](const Stmt &, const Stmt &) {});
    if (!same) return false;
  }
  return true;
}

LATHE_INLINE bool equal(const Stmt &a, const Stmt &b) {
  if (a.same_as(b)) return true;
  if (!a.defined() || !b.defined() || a.node()->kind() != b.node()->kind()) return false;
  bool same = true;
  const bool fields = walking::same_fields(
      walking::fields_of(*a.node()), walking::fields_of(*b.node()),
      [&](const Expr &p, const Expr &q) { same = same && equal(p, q); },
      [&](const Stmt &p, const Stmt &q) { same = same && equal(p, q); });
  return fields && same;
}

namespace walking {

inline void mix(std::size_t &seed, std::size_t value) { seed = (seed ^ value) * 0x9e3779b97f4a7c15u + (seed >> 29); }

inline void mix(std::size_t &seed, const void *identity) { mix(seed, lathe::key_hash(identity)); }

/// Mixes in what a field of an expression holds, children apart.
LATHE_INLINE void mix_field(std::size_t &seed, const Field &field) {
  switch (field.kind) {
    case Field::Kind::number: return mix(seed, field.number);
    case Field::Kind::var: return mix(seed, field.as<Var>().node());
    case Field::Kind::buffer: return mix(seed, field.as<Buffer>().node());
    case Field::Kind::reducer: return mix(seed, field.as<Reducer>().get());
    case Field::Kind::tensor:
      mix(seed, field.as<Tensor>().operation.get());
      return mix(seed, static_cast<std::size_t>(field.as<Tensor>().output));
    case Field::Kind::function: return mix(seed, std::hash<std::string>()(field.as<ExternalFunction>().name));
    case Field::Kind::axes:
      for (const Axis &axis : field.as<List<Axis>>()) mix(seed, axis.var.node());
      return;
    case Field::Kind::lanes:
      for (const int lane : field.as<List<int>>()) mix(seed, static_cast<std::size_t>(lane));
      return;
    default: return;
  }
}

}  // namespace walking

LATHE_INLINE std::size_t hash(const Expr &e) {
  if (!e.defined()) return 0;
  const auto known = [](const ExprNode *node) { return node->known_hash.load(std::memory_order_relaxed); };
  walking::post_order(
      e, [&](const ExprNode *node) { return known(node) == 0; },
      [&](const Expr &x) {
        auto seed = static_cast<std::size_t>(x.node()->kind());
        walking::mix(seed, &x.type().scalar());
        walking::mix(seed, static_cast<std::size_t>(x.lanes()));
        for (const Field &field : walking::fields_of(*x.node())) walking::mix_field(seed, field);
        for_each_child(x, [&](const Expr &child) { walking::mix(seed, known(child.node())); });
        x.node()->known_hash.store(seed == 0 ? 1 : seed, std::memory_order_relaxed);
      });
  return known(e.node());
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
void add_once(List<Handle> &list, const Handle &handle) {
  if (!lists::contains(list, handle)) list.push_back(handle);
}

}  // namespace walking

LATHE_INLINE List<Var> free_vars(const Expr &e) {
  List<Var> vars;
  walk_down(e, [&](const Expr &x) {
    if (const auto *v = x.as<VarRef>()) walking::add_once(vars, v->var);
    const auto *r = x.as<Reduce>();
    if (!r) return true;
    const List<Var> bound = walking::bound_by(x);
    for_each_child(x, [&](const Expr &child) {
      const bool start = walking::is_start(*r, child);
      for (const Var &var : free_vars(child))
        if (start || !lists::contains(bound, var)) walking::add_once(vars, var);
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
      for (const Buffer &b : a->buffers) {
        allocated_.insert(b.node());
        shape(b);
      }
    }
    if (const auto *store = s.as<Store>()) buffer(store->buffer);
    if (const auto *prefetch = s.as<Prefetch>()) buffer(prefetch->buffer);
    for_each_expr(s, [&](const Expr &e) { expression(e); });
    for_each_stmt(s, [&](const Stmt &nested) { statement(nested); });
  }

  FreeNames names() && {
    erase_if(names_.vars, [&](const Var &v) { return bound_.contains(v.node()); });
    erase_if(names_.buffers, [&](const Buffer &b) { return allocated_.contains(b.node()); });
    return std::move(names_);
  }

 private:
  void expression(const Expr &root) {
    Stack stack;
    stack.push(&root);
    while (!stack.empty()) {
      const Expr &e = *stack.pop();
      if (!seen_.insert(e.node())) continue;
      if (const auto *v = e.as<VarRef>(); v && seen_names_.insert(v->var.node())) names_.vars.push_back(v->var);
      if (const auto *l = e.as<Load>()) buffer(l->buffer);
      if (const auto *c = e.as<Call>(); c && c->function.address) add_once(names_.functions, c->function);
      stack.push_children(e);
    }
  }
  void buffer(const Buffer &b) {
    if (!seen_names_.insert(b.node())) return;
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
  NodeSet seen_names_, bound_, allocated_;
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
