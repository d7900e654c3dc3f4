// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// reuse_buffers: buffers in the order of their first uses, each in the memory that is free for the longest time.

#include "lathe/ir/build.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/passes/reuse_buffers.hpp"
#include "lathe/support/hash_map.hpp"
#include "lathe/support/lists.hpp"

namespace lathe::inline LATHE_ABI::passes {

namespace buffer_reusing {

/// A buffer's statements, first and last.
struct Life {
  ir::Buffer buffer;
  std::size_t first = 0, last = 0;
};

inline bool is_large(const ir::Buffer &buffer) {
  constexpr std::int64_t page = 4096;
  if (!buffer->scope.name.empty()) return false;
  std::int64_t bytes = buffer->type.bytes();
  for (const ir::Expr &extent : buffer->shape) {
    const std::optional<std::int64_t> known = ir::constant_integer(extent);
    if (!known || __builtin_mul_overflow(bytes, *known, &bytes)) return true;
  }
  return bytes >= page;
}

inline bool equal(const List<ir::Expr> &a, const List<ir::Expr> &b) {
  return lists::equal(a, b, [](const ir::Expr &x, const ir::Expr &y) { return ir::equal(x, y); });
}

inline bool alike(const ir::Buffer &a, const ir::Buffer &b) {
  return a->type == b->type && a->alignment == b->alignment && a->streamed == b->streamed && equal(a->shape, b->shape) &&
         equal(a->strides, b->strides);
}

/// Of the large ones among `buffers`, in the order of first uses.
inline List<Life> lives_of(const List<ir::Buffer> &buffers, const ir::Block &body) {
  NodeSet large;
  for (const ir::Buffer &buffer : buffers)
    if (is_large(buffer)) large.insert(buffer.node());
  List<Life> lives;
  NodeMap<std::size_t> number;
  for (std::size_t i = 0; !large.empty() && i < body.body.size(); ++i)
    for (const ir::Buffer &buffer : ir::free_names(body.body[i]).buffers) {
      if (!large.contains(buffer.node())) continue;
      if (!number.contains(buffer.node())) {
        number.emplace(buffer.node(), lives.size());
        lives.push_back({buffer, i, i});
      }
      lives[number.at(buffer.node())].last = i;
    }
  return lives;
}

inline ir::Stmt reuse(const ir::Stmt &s, const ir::Allocate &allocate) {
  const auto *body = allocate.body.as<ir::Block>();
  if (!body || allocate.buffers.size() < 2) return s;
  List<Life> owners;  // of memory, with the end of what is in it now
  NodeMap<ir::Buffer> replacements;
  for (const Life &life : lives_of(allocate.buffers, *body)) {
    Life *oldest = nullptr;
    for (Life &owner : owners)
      if (owner.last < life.first && alike(owner.buffer, life.buffer) && (!oldest || owner.last < oldest->last)) oldest = &owner;
    if (!oldest) {
      owners.push_back(life);
      continue;
    }
    oldest->last = life.last;
    replacements.emplace(life.buffer.node(), oldest->buffer);
  }
  if (replacements.empty()) return s;
  List<ir::Buffer> kept;
  for (const ir::Buffer &buffer : allocate.buffers)
    if (!replacements.contains(buffer.node())) kept.push_back(buffer);
  return ir::make(ir::Allocate{std::move(kept), ir::replace_buffers(allocate.body, replacements)});
}

}  // namespace buffer_reusing

LATHE_INLINE ir::Stmt reuse_buffers(const ir::Stmt &s, const PassContext &) {
  return ir::rewrite_stmts(s, [](const ir::Stmt &each) {
    const auto *allocate = each.as<ir::Allocate>();
    return allocate ? buffer_reusing::reuse(each, *allocate) : each;
  });
}

}  // namespace lathe::inline LATHE_ABI::passes
