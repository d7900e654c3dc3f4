// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lathe/support/node_set.hpp"

#include <random>
#include <unordered_set>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace lathe {
namespace {

TEST(NodeSet, CopiesAreIndependentAndMovesLeaveNothing) {
  const std::vector<int> nodes(100);
  for (const std::size_t count : {3u, 100u}) {  // inside the set, and beside it
    NodeSet a;
    for (std::size_t i = 0; i < count; ++i) EXPECT_TRUE(a.insert(&nodes[i]));
    EXPECT_FALSE(a.insert(&nodes[0]));
    NodeSet b = a;
    EXPECT_TRUE(b.erase(&nodes[0]));
    EXPECT_TRUE(a.contains(&nodes[0]));
    EXPECT_FALSE(b.contains(&nodes[0]));
    NodeSet c = std::move(b);
    EXPECT_EQ(c.size(), count - 1);
    EXPECT_TRUE(b.empty());  // NOLINT: that is the rule
    EXPECT_FALSE(b.contains(&nodes[1]));
    EXPECT_TRUE(b.insert(&nodes[2]));
    c = b;
    EXPECT_EQ(c.size(), 1u);
    EXPECT_TRUE(c.contains(&nodes[2]));
    a.clear();
    EXPECT_TRUE(a.empty());
    EXPECT_FALSE(a.contains(&nodes[1]));
  }
}

TEST(NodeSet, DoesWhatAnUnorderedSetDoes) {
  std::mt19937 random(5);
  for (const std::size_t range : {8u, 12u, 14u, 40u, 1000u}) {
    // Every fourth round the addresses lie pages apart, as nodes of an allocator may.
    for (int round = 0; round < 8; ++round) {
      const std::size_t distance = round % 4 == 3 ? 4096 : 16;
      const std::vector<char> memory(range * distance);
      NodeSet set;
      std::unordered_set<const void *> model;
      for (int step = 0; step < 4000; ++step) {
        const std::size_t number = random() % range;
        const void *node = number == 0 ? nullptr : &memory[number * distance];
        switch (random() % 3) {
          case 0: ASSERT_EQ(set.insert(node), model.insert(node).second); break;
          case 1: ASSERT_EQ(set.erase(node), model.erase(node) == 1); break;
          default: ASSERT_EQ(set.contains(node), model.contains(node));
        }
        ASSERT_EQ(set.size(), model.size());
      }
      for (std::size_t i = 0; i < range; ++i)
        EXPECT_EQ(set.contains(&memory[i * distance]), model.contains(&memory[i * distance]));
    }
  }
}

}  // namespace
}  // namespace lathe
