// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Shared handles: counting, and destruction that needs no stack.

#include "lathe/support/shared.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <utility>
#include <vector>

namespace {

using lathe::Counted;
using lathe::Shared;

struct Link : Counted {
  explicit Link(int *alive_count) : alive(alive_count) { ++*alive; }
  Link(const Link &) = delete;
  Link &operator=(const Link &) = delete;
  ~Link() { --*alive; }
  int *alive;
  Shared<Link> next, other;
};

TEST(Shared, TheLastHandleDestroys) {
  int alive = 0;
  {
    const Shared<Link> a(new Link(&alive));
    Shared<Link> b = a, c;
    EXPECT_FALSE(c);
    EXPECT_TRUE(a == b && b.get() == a.get());
    c = std::move(b);
    EXPECT_FALSE(b);  // NOLINT: what a move leaves is the point
    EXPECT_EQ(c->alive, &alive);
    const Shared<Link> &same = c;
    c = same;
    EXPECT_EQ(alive, 1);
    c = Shared<Link>(a.get());  // a handle made again from the node
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
}

TEST(Shared, LongChainsAreDestroyedWithoutRecursion) {
  int alive = 0;
  {
    Shared<Link> last;
    for (int i = 0; i < 1000000; ++i) {
      auto *link = new Link(&alive);
      link->next = last;
      link->other = last;
      last = Shared<Link>(link);
    }
    EXPECT_EQ(alive, 1000000);
  }
  EXPECT_EQ(alive, 0);
}

TEST(Shared, HandlesMayBeDroppedOnAnyThread) {
  int alive = 0;
  {
    const Shared<Link> a(new Link(&alive));
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([copy = a] {
        for (int i = 0; i < 10000; ++i) {
          const Shared<Link> another = copy;
          ASSERT_TRUE(another == copy);
        }
      });
    for (std::thread &t : threads) t.join();
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
}

struct Incomplete;
struct HoldsIncomplete {
  Shared<Incomplete> handle;
};

TEST(Shared, HandlesOfIncompleteNodesAreCopiedAndDropped) {
  HoldsIncomplete a;
  const HoldsIncomplete b = a;
  a = b;
  EXPECT_TRUE(a.handle == b.handle);
}

}  // namespace
