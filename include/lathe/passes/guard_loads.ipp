// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// guard_loads: an evaluation of each (node, path condition) with an explicit stack.

#include <array>
#include <string>
#include <utility>

#include "lathe/ir/walk.hpp"
#include "lathe/passes/conditions.hpp"
#include "lathe/passes/guard_loads.hpp"
#include "lathe/support/hash_map.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::passes {

namespace load_guarding {

using ir::Expr;

/// A node where `path` holds (undefined: always).
struct Place {
  const ir::ExprNode *node;
  const ir::ExprNode *path;
  friend bool operator==(const Place &, const Place &) = default;
};
inline std::size_t key_hash(const Place &p) { return lathe::key_hash(p.node) * 31 + lathe::key_hash(p.path); }

class Guarder {
 public:
  Expr operator()(const Expr &root) {
    if (!root.defined()) return root;
    note_loads(root);
    pending_.push_back({root, {}});
    while (!pending_.empty()) {
      const Task task = pending_.back();
      if (find(task.e, task.path)) {
        pending_.pop_back();
        continue;
      }
      const std::size_t before = pending_.size();
      const Expr result = attempt(task.e, task.path);
      if (pending_.size() > before) continue;  // something it needs is not there yet
      pending_.pop_back();
      remember(task.e, task.path, result);
    }
    return *find(root, {});
  }

 private:
  struct Task {
    Expr e, path;
  };

  /// Finds out which nodes have loads below them; all others are the same under every condition.
  void note_loads(const Expr &root) {
    ir::walk(root, [&](const Expr &e) {
      if (loads_.contains(e.node())) return;
      bool any = e.as<ir::Load>() != nullptr;
      ir::for_each_child(e, [&](const Expr &child) { any = any || loads_.at(child.node()); });
      loads_.emplace(e.node(), any);
      kept_.push_back(e);
    });
  }

  Place place(const Expr &e, const Expr &path) const {
    const auto *found = loads_.find(e.node());
    return {e.node(), found && !found->second ? nullptr : path.node()};
  }
  const Expr *find(const Expr &e, const Expr &path) const {
    const auto *found = done_.find(place(e, path));
    return !found ? nullptr : &found->second;
  }
  void remember(const Expr &e, const Expr &path, const Expr &result) {
    constexpr std::size_t most = std::size_t{1} << 16;
    if (done_.size() >= most + 2 * loads_.size())
      fail("L061", {"an expression evaluates shared parts under more than ", most, " different conditions"}, {},
           {{"help", "compute the shared part in a stage of its own", {}}});
    done_.emplace(place(e, path), result);
  }

  /// The value of `e` under `path` if it is known, else an undefined expression and `e` is left to be done.
  Expr want(const Expr &e, const Expr &path) {
    if (const Expr *known = find(e, path)) return *known;
    pending_.push_back({e, path});
    return {};
  }

  /// `path` and `condition`, the same node whenever asked with the same nodes.
  Expr extended(const Expr &path, const Expr &condition, bool holds) {
    Expr &known = extended_[{condition.node(), path.node()}][holds ? 1 : 0];
    if (!known.defined()) {
      known = ir::both(path, holds ? condition : negation(condition));
      kept_.push_back(condition);
      kept_.push_back(known);
    }
    return known;
  }

  Expr attempt(const Expr &e, const Expr &path) {
    if (const auto *s = e.as<ir::Select>(); s && s->guards) return attempt_select(*s, path);
    if (const auto *b = e.as<ir::Binary>(); b && ir::is_logical(b->op)) return attempt_logical(e, *b, path);
    bool ready = true;
    ir::for_each_child(e, [&](const Expr &child) { ready = want(child, path).defined() && ready; });
    if (!ready) return {};
    Expr result = ir::map_children(e, [&](const Expr &child) { return *find(child, path); });
    const auto *load = result.as<ir::Load>();
    return load && path.defined() ? ir::load(load->buffer, load->indices, ir::both(path, load->predicate)) : result;
  }

  Expr attempt_select(const ir::Select &s, const Expr &path) {
    const Expr condition = want(s.condition, path);
    if (!condition.defined()) return {};
    const Expr a = want(s.a, extended(path, condition, true));
    const Expr b = want(s.b, extended(path, condition, false));
    if (!a.defined() || !b.defined()) return {};
    // A load gives 0 where its predicate is false, and its predicate now says what the select asks.
    if (s.a.as<ir::Load>() && is_zero(b)) return a;
    if (s.b.as<ir::Load>() && is_zero(a)) return b;
    return ir::select(condition, a, b);
  }

  /// All bits are 0, which -0.0 is not.
  static bool is_zero(const Expr &e) {
    const auto *splat = e.as<ir::Broadcast>();
    const auto *constant = (splat ? splat->a : e).as<ir::Const>();
    return constant && constant->bits == 0;
  }

  Expr attempt_logical(const Expr &e, const ir::Binary &logical, const Expr &path) {
    const Expr a = want(logical.a, path);
    if (!a.defined()) return {};
    const Expr b = want(logical.b, extended(path, a, logical.op == ir::BinaryOp::logical_and));
    if (!b.defined()) return {};
    return a.same_as(logical.a) && b.same_as(logical.b) ? e : ir::binary(logical.op, a, b);
  }

  List<Task> pending_;
  NodeMap<bool> loads_;
  HashMap<Place, Expr> done_;
  HashMap<Place, std::array<Expr, 2>> extended_;
  List<Expr> kept_;  // alive, so that no other node gets the address of one that the maps know
};

LATHE_INLINE ir::Stmt guard(const ir::Stmt &s, Guarder &guarder) {
  return ir::map_children(
      s, [&](const Expr &e) { return guarder(e); }, [&](const ir::Stmt &nested) { return guard(nested, guarder); });
}

}  // namespace load_guarding

LATHE_INLINE ir::Stmt guard_loads(const ir::Stmt &s, const PassContext &) {
  load_guarding::Guarder guarder;
  return load_guarding::guard(s, guarder);
}

}  // namespace lathe::inline LATHE_ABI::passes
