// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Scratch memory of kernels: one arena per thread, last in, first out.

#include <cstddef>
#include <cstdint>

#include "lathe/support/list.hpp"
#include "lathe/version.hpp"

namespace lathe::inline LATHE_ABI {

/// Memory handed out and taken back in the order of a stack, without a call to the allocator once it has grown to what a
/// kernel needs. Not thread-safe: every thread has its own (`thread_scratch`).
class ScratchArena {
 public:
  static constexpr std::size_t alignment = 64;
  static constexpr std::uint64_t unlimited = UINT64_MAX;

  ScratchArena() = default;
  ScratchArena(const ScratchArena &) = delete;
  ScratchArena &operator=(const ScratchArena &) = delete;
  ~ScratchArena();

  /// `bytes` of memory with any content, aligned to 64 bytes; also 0 bytes have an address of their own. Null when they cannot
  /// be had or when more than `limit` bytes would then be in use, each block counted in units of 64.
  void *acquire(std::uint64_t bytes, std::uint64_t limit = unlimited) noexcept;

  /// Gives back the block acquired last and, with it, any acquired after `block`. Null is ignored.
  void release(void *block) noexcept;

  /// Bytes in use now.
  std::uint64_t in_use() const { return in_use_; }

 private:
  /// Blocks lie one behind the other in chunks. Chunks behind the current one are free and kept for the next kernel.
  struct Chunk {
    std::byte *memory;
    std::uint64_t size;
    std::uint64_t used;
  };

  bool add_chunk(std::uint64_t bytes) noexcept;
  static void destroy(const Chunk &chunk);

  List<Chunk> chunks_;
  std::size_t current_ = 0;  // chunks before it are full enough, chunks after it are free
  std::uint64_t in_use_ = 0;
};

}  // namespace lathe::inline LATHE_ABI
