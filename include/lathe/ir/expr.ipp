// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Construction of the leaves: index constants, variables and buffers.

#include "lathe/ir/expr.hpp"
#include "lathe/ir/operation.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::ir {

LATHE_INLINE Expr::Expr(std::int64_t index_constant)
    : Expr(make(scalar_types::index, Const{static_cast<std::uint64_t>(index_constant)})) {}

LATHE_INLINE Var::Var(std::string name, DType type, bool nonnegative) {
  auto *node = new VarNode;
  node->name = std::move(name);
  node->type = type;
  node->positive = nonnegative;
  node_ = Shared<VarNode>(node);
}

LATHE_INLINE Var::operator Expr() const { return make(node_->type, VarRef{*this}); }

LATHE_INLINE Buffer::Buffer(std::string name, DType type, List<Expr> shape, Scope scope) {
  auto *node = new BufferNode;
  node->name = std::move(name);
  node->type = type;
  node->shape = std::move(shape);
  node->scope = std::move(scope);
  node_ = Shared<BufferNode>(node);
}

}  // namespace lathe::inline LATHE_ABI::ir
