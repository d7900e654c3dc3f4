// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Finding written buffers and buffers that need no memory.

#include <utility>

#include "lathe/codegen/llvm_accumulators.hpp"
#include "lathe/codegen/llvm_uses.hpp"
#include "lathe/ir/build.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/support/hash_map.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/lists.hpp"

namespace lathe::inline LATHE_ABI::codegen {

namespace llvm_uses {

LATHE_INLINE void add_once(List<ir::Buffer> &list, const ir::Buffer &buffer) {
  if (!lists::contains(list, buffer)) list.push_back(buffer);
}

}  // namespace llvm_uses

LATHE_INLINE LlvmUses::LlvmUses(const ir::Stmt &body) {
  List<ir::Buffer> written;
  statement(body, written);
}

LATHE_INLINE const LlvmPlaces *LlvmUses::places(const ir::Buffer &buffer) const {
  auto *it = candidates_.find(buffer.node());
  return it && it->second.held ? &it->second.places : nullptr;
}

LATHE_INLINE void LlvmUses::nested(const ir::Stmt &s, List<ir::Buffer> &written) {
  ir::for_each_stmt(s, [&](const ir::Stmt &inner) { statement(inner, written); });
}

LATHE_INLINE void LlvmUses::statement(const ir::Stmt &s, List<ir::Buffer> &written) {
  ir::for_each_expr(s, [&](const ir::Expr &e) { expression(e); });
  if (const auto *store = s.as<ir::Store>()) {
    llvm_uses::add_once(written, store->buffer);
    access(store->buffer, store->indices, store->predicate);
  }
  if (const auto *allocation = s.as<ir::Allocate>())
    for (const ir::Buffer &buffer : allocation->buffers)
      if (lives_on_stack(buffer)) candidates_.emplace(buffer.node(), Candidate{parallel_, true, {}});
  const auto *loop = s.as<ir::For>();
  if (!loop && !s.as<ir::If>()) return nested(s, written);
  List<ir::Buffer> inner;
  if (loop && loop->kind == ir::LoopKind::parallel) {
    const void *around = std::exchange(parallel_, s.node());
    NodeSet seen = std::exchange(seen_, {});
    nested(s, inner);
    parallel_ = around;
    seen_ = std::move(seen);
  } else {
    nested(s, inner);
  }
  for (const ir::Buffer &buffer : inner) llvm_uses::add_once(written, buffer);
  written_.insert_or_assign(s.node(), std::move(inner));
}

LATHE_INLINE void LlvmUses::expression(const ir::Expr &root) {
  ir::walk_down(root, [&](const ir::Expr &e) {
    if (!seen_.insert(e.node())) return false;
    if (const auto *load = e.as<ir::Load>()) access(load->buffer, load->indices, load->predicate);
    return true;
  });
}

LATHE_INLINE void LlvmUses::access(const ir::Buffer &buffer, const List<ir::Expr> &indices, const ir::Expr &predicate) {
  auto *it = candidates_.find(buffer.node());
  if (!it || !it->second.held) return;
  Candidate &candidate = it->second;
  candidate.held = false;
  if (candidate.parallel != parallel_) return;
  const Access access = access_of(buffer, indices);
  const bool one = access.kind == AccessKind::scalar || access.kind == AccessKind::broadcast;
  // Lanes that meet in one element under a mask: which lane is the last one is only known at run time.
  if (access.kind == AccessKind::broadcast && predicate.defined() && predicate.lanes() > 1) return;
  if (!access.constant_offset() || (!one && access.kind != AccessKind::contiguous)) return;
  candidate.held = add_place(candidate.places, access.constant, one ? 1 : access.lanes);
}

}  // namespace lathe::inline LATHE_ABI::codegen
