// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The arena behind a thread's scratch memory.

#include <algorithm>
#include <cassert>
#include <new>

#include "lathe/runtime/scratch.hpp"

namespace lathe::inline LATHE_ABI {

LATHE_INLINE ScratchArena::~ScratchArena() {
  for (const Chunk &chunk : chunks_) destroy(chunk);
}

LATHE_INLINE void ScratchArena::destroy(const Chunk &chunk) { ::operator delete(chunk.memory, std::align_val_t{alignment}); }

LATHE_INLINE void *ScratchArena::acquire(std::uint64_t bytes, std::uint64_t limit) noexcept {
  // More than 63 bits of memory do not exist; below that, no sum here overflows.
  if (bytes > INT64_MAX - alignment) return nullptr;
  const std::uint64_t rounded = (std::max<std::uint64_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  if (rounded > limit || in_use_ > limit - rounded) return nullptr;
  if (current_ >= chunks_.size() || chunks_[current_].size - chunks_[current_].used < rounded) {
    if (!add_chunk(rounded)) return nullptr;
  }
  Chunk &chunk = chunks_[current_];
  void *block = chunk.memory + chunk.used;
  chunk.used += rounded;
  in_use_ += rounded;
  return block;
}

/// Makes a chunk with room for `bytes` the current one: the free one behind the blocks in use, or a new one in its place.
LATHE_INLINE bool ScratchArena::add_chunk(std::uint64_t bytes) noexcept {
  constexpr std::uint64_t smallest = std::uint64_t{64} << 10;
  const bool is_used = !chunks_.empty() && chunks_[current_].used > 0;
  const std::size_t next = is_used ? current_ + 1 : current_;
  if (next < chunks_.size() && chunks_[next].size >= bytes) {
    current_ = next;
    return true;
  }
  for (; chunks_.size() > next; chunks_.pop_back()) destroy(chunks_.back());
  const std::uint64_t size = std::max(smallest, bytes);
  void *memory = ::operator new(size, std::align_val_t{alignment}, std::nothrow);
  if (memory == nullptr) return false;
  try {
    chunks_.push_back({static_cast<std::byte *>(memory), size, 0});
  } catch (const std::bad_alloc &) {
    ::operator delete(memory, std::align_val_t{alignment});
    return false;
  }
  current_ = next;
  return true;
}

LATHE_INLINE void ScratchArena::release(void *block) noexcept {
  if (block == nullptr) return;
  assert(current_ < chunks_.size() && "scratch memory is released by the thread that acquired it");
  std::byte *const address = static_cast<std::byte *>(block);
  const auto holds = [address](const Chunk &chunk) { return address >= chunk.memory && address < chunk.memory + chunk.used; };
  for (; !holds(chunks_[current_]); --current_) {
    assert(current_ > 0 && "scratch memory is released by the thread that acquired it");
    in_use_ -= chunks_[current_].used;
    chunks_[current_].used = 0;
  }
  Chunk &chunk = chunks_[current_];
  const std::uint64_t kept = static_cast<std::uint64_t>(address - chunk.memory);
  in_use_ -= chunk.used - kept;
  chunk.used = kept;
  if (kept == 0 && current_ > 0) --current_;
}

}  // namespace lathe::inline LATHE_ABI
