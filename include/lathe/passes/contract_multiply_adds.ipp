// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// contract_multiply_adds: counts the uses of each product in a statement, then rewrites children first.

#include "lathe/ir/build.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/passes/contract_multiply_adds.hpp"
#include "lathe/support/hash_map.hpp"

namespace lathe::inline LATHE_ABI::passes {

namespace contracting {

using ir::Expr;

inline bool is_contractible(const Expr &e) {
  const ScalarType *type = &e.type().scalar();
  return type == &scalar_types::float32 || type == &scalar_types::float64;
}

/// `e` as a product that a sum could take in, or null.
inline const ir::Binary *product(const Expr &e) {
  const auto *b = e.as<ir::Binary>();
  return b && b->op == ir::BinaryOp::mul && is_contractible(e) ? b : nullptr;
}

/// `e` as a sum or difference, or null.
inline const ir::Binary *sum(const Expr &e) {
  const auto *b = e.as<ir::Binary>();
  return b && (b->op == ir::BinaryOp::add || b->op == ir::BinaryOp::sub) && is_contractible(e) ? b : nullptr;
}

/// The expressions of one statement.
class Contractor {
 public:
  /// Counts how often each product below `root` is an operand.
  void count(const Expr &root) {
    if (product(root)) ++uses_[root.node()];
    ir::walk(root, [&](const Expr &e) {
      const auto *s = sum(e);
      has_work_ = has_work_ || (s && (product(s->a) || product(s->b)));
      bool counts = false;
      ir::for_each_child(e, [&](const Expr &child) {
        if (!product(child)) return;
        counts = counts || counted_.insert(e.node());
        if (counts) ++uses_[child.node()];
      });
    });
  }

  /// Whether there is a sum with a product in what was counted.
  bool has_work() const { return has_work_; }

  Expr operator()(const Expr &root) {
    ir::walk(root, [&](const Expr &e) {
      if (!done_.insert(e.node())) return;
      Expr changed = contracted(e);
      if (!changed.same_as(e)) changed_.emplace(e.node(), std::move(changed));
    });
    return now(root);
  }

 private:
  /// `e`, whose children are done, with a product among its operands fused.
  Expr contracted(const Expr &e) const {
    if (const auto *s = sum(e)) {
      const bool add = s->op == ir::BinaryOp::add;
      if (const auto *lone = lone_product(s->a)) {
        const Expr c = now(s->b);
        return ir::mul_add(now(lone->a), now(lone->b), add ? c : -c);
      }
      if (const auto *lone = lone_product(s->b)) {
        const Expr a = now(lone->a);
        return ir::mul_add(add ? a : -a, now(lone->b), now(s->a));
      }
    }
    return changed_.empty() ? e : ir::map_children(e, [&](const Expr &child) { return now(child); });
  }

  Expr now(const Expr &e) const {
    const auto *found = changed_.find(e.node());
    return found ? found->second : e;
  }

  const ir::Binary *lone_product(const Expr &e) const {
    const auto *b = product(e);
    return b && uses_.at(e.node()) == 1 ? b : nullptr;
  }

  NodeMap<int> uses_;
  NodeSet counted_;  ///< whose operands were counted, of nodes that have a product among them
  bool has_work_ = false;
  NodeSet done_;
  NodeMap<Expr> changed_;  ///< of those that did
};

LATHE_INLINE ir::Stmt contract(const ir::Stmt &s) {
  Contractor contractor;
  ir::for_each_expr(s, [&](const Expr &e) { contractor.count(e); });
  return ir::map_children(
      s, [&](const Expr &e) { return contractor.has_work() ? contractor(e) : e; },
      [](const ir::Stmt &nested) { return contract(nested); });
}

}  // namespace contracting

LATHE_INLINE ir::Stmt contract_multiply_adds(const ir::Stmt &s, const PassContext &context) {
  return context.numerics.contract && context.target.has_fma ? contracting::contract(s) : s;
}

}  // namespace lathe::inline LATHE_ABI::passes
