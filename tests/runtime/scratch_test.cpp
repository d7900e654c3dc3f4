// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The scratch arena: alignment, order, reuse, limits.

#include "lathe/runtime/scratch.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "lathe/runtime/executor.hpp"

namespace lathe {
namespace {

TEST(Scratch, BlocksAreAlignedDistinctAndReused) {
  ScratchArena arena;
  void *a = arena.acquire(1), *b = arena.acquire(0), *c = arena.acquire(100);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a) % 64, 0u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(c) % 64, 0u);
  EXPECT_NE(a, b);
  EXPECT_NE(b, c);
  EXPECT_EQ(arena.in_use(), 64u + 64u + 128u);
  arena.release(c);
  EXPECT_EQ(arena.acquire(64), c);
  arena.release(c);
  arena.release(b);
  arena.release(a);
  arena.release(nullptr);
  EXPECT_EQ(arena.in_use(), 0u);
  EXPECT_EQ(arena.acquire(1), a);
}

TEST(Scratch, LargeBlocksComeBackWithoutAllocation) {
  ScratchArena arena;
  const std::uint64_t size = std::uint64_t{1} << 20;
  void *a = arena.acquire(100), *b = arena.acquire(size), *c = arena.acquire(size);
  for (int round = 0; round < 3; ++round) {
    arena.release(c);
    arena.release(b);
    arena.release(a);
    ASSERT_EQ(arena.acquire(100), a);
    ASSERT_EQ(arena.acquire(size), b);
    ASSERT_EQ(arena.acquire(size), c);
  }
}

TEST(Scratch, ReleasingABlockReleasesThoseAfterIt) {
  ScratchArena arena;
  void *a = arena.acquire(100);
  void *b = arena.acquire(200 << 10);
  (void)arena.acquire(300 << 10);
  arena.release(b);
  EXPECT_EQ(arena.in_use(), 128u);
  arena.release(a);
  EXPECT_EQ(arena.in_use(), 0u);
}

TEST(Scratch, RefusesWhatCannotBe) {
  ScratchArena arena;
  EXPECT_EQ(arena.acquire(UINT64_MAX), nullptr);
  EXPECT_EQ(arena.acquire(UINT64_MAX - 63), nullptr);
  EXPECT_EQ(arena.in_use(), 0u);
  void *a = arena.acquire(128, 192);
  EXPECT_NE(a, nullptr);
  EXPECT_EQ(arena.acquire(65, 192), nullptr);
  EXPECT_NE(arena.acquire(64, 192), nullptr);
  EXPECT_EQ(arena.acquire(1, 192), nullptr);
  arena.release(a);
  EXPECT_EQ(arena.in_use(), 0u);
}

TEST(Scratch, RandomStacksOfBlocksDoNotOverlap) {
  struct Block {
    unsigned char *memory;
    std::size_t size;
    unsigned char mark;
  };
  ScratchArena arena;
  std::mt19937 random(7);
  std::vector<Block> blocks;
  unsigned char mark = 0;
  for (int step = 0; step < 20000; ++step) {
    if (blocks.empty() || (blocks.size() < 12 && random() % 2 == 0)) {
      const std::size_t size = random() % (random() % 8 == 0 ? 200000 : 3000);
      auto *memory = static_cast<unsigned char *>(arena.acquire(size));
      ASSERT_NE(memory, nullptr);
      std::memset(memory, ++mark, size);
      blocks.push_back({memory, size, mark});
    } else {
      const Block block = blocks.back();
      for (const std::size_t at : {std::size_t{0}, block.size / 2, block.size - 1}) {
        if (at < block.size) {
          ASSERT_EQ(block.memory[at], block.mark) << step;
        }
      }
      arena.release(block.memory);
      blocks.pop_back();
    }
  }
}

TEST(Scratch, ExecutorsLimitTheirKernels) {
  SerialExecutor limited(1024), free;
  const Runtime &runtime = limited.runtime();
  void *a = runtime.scratch_acquire(&runtime, 1000);
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(runtime.scratch_acquire(&runtime, 1), nullptr);
  void *b = free.runtime().scratch_acquire(&free.runtime(), 4096);
  EXPECT_NE(b, nullptr);
  free.runtime().scratch_release(&free.runtime(), b);
  runtime.scratch_release(&runtime, a);
}

}  // namespace
}  // namespace lathe
