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

/// The expressions of one statement.
class Contractor {
 public:
  /// Counts how often each node below `root` is an operand.
  void count(const Expr &root) {
    ++uses_[root.node()];
    ir::walk(root, [&](const Expr &e) {
      if (counted_.emplace(e.node(), true).second) ir::for_each_child(e, [&](const Expr &child) { ++uses_[child.node()]; });
    });
  }

  Expr operator()(const Expr &root) {
    ir::walk(root, [&](const Expr &e) {
      if (!done_.contains(e.node())) done_.emplace(e.node(), contracted(e));
    });
    return done_.at(root.node());
  }

 private:
  /// `e`, whose children are done, with a product among its operands fused.
  Expr contracted(const Expr &e) const {
    const auto *sum = e.as<ir::Binary>();
    const ScalarType *type = &e.type().scalar();
    const bool additive = sum && (sum->op == ir::BinaryOp::add || sum->op == ir::BinaryOp::sub);
    if (additive && (type == &scalar_types::float32 || type == &scalar_types::float64)) {
      const bool add = sum->op == ir::BinaryOp::add;
      if (const auto *product = lone_product(sum->a)) {
        const Expr c = done_.at(sum->b.node());
        return ir::mul_add(done_.at(product->a.node()), done_.at(product->b.node()), add ? c : -c);
      }
      if (const auto *product = lone_product(sum->b)) {
        const Expr a = done_.at(product->a.node());
        return ir::mul_add(add ? a : -a, done_.at(product->b.node()), done_.at(sum->a.node()));
      }
    }
    return ir::map_children(e, [&](const Expr &child) { return done_.at(child.node()); });
  }

  const ir::Binary *lone_product(const Expr &e) const {
    const auto *b = e.as<ir::Binary>();
    return b && b->op == ir::BinaryOp::mul && uses_.at(e.node()) == 1 ? b : nullptr;
  }

  NodeMap<int> uses_;
  NodeMap<bool> counted_;
  NodeMap<Expr> done_;
};

LATHE_INLINE ir::Stmt contract(const ir::Stmt &s) {
  Contractor contractor;
  ir::for_each_expr(s, [&](const Expr &e) { contractor.count(e); });
  return ir::map_children(
      s, [&](const Expr &e) { return contractor(e); }, [](const ir::Stmt &nested) { return contract(nested); });
}

}  // namespace contracting

LATHE_INLINE ir::Stmt contract_multiply_adds(const ir::Stmt &s, const PassContext &context) {
  return context.numerics.contract && context.target.has_fma ? contracting::contract(s) : s;
}

}  // namespace lathe::inline LATHE_ABI::passes
