// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lathe/support/lists.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lathe/support/sorted_map.hpp"

namespace lathe {
namespace {

TEST(Lists, AnswerWhatTheStandardAlgorithmsDo) {
  const List<int> some{3, 1, 4, 1, 5}, none;
  const auto odd = [](int x) { return x % 2 != 0; };
  const auto positive = [](int x) { return x > 0; };
  EXPECT_TRUE(lists::any_of(some, odd));
  EXPECT_FALSE(lists::all_of(some, odd));
  EXPECT_TRUE(lists::all_of(some, positive));
  EXPECT_FALSE(lists::none_of(some, odd));
  EXPECT_FALSE(lists::any_of(none, odd));
  EXPECT_TRUE(lists::all_of(none, odd));
  EXPECT_TRUE(lists::none_of(none, odd));
  EXPECT_TRUE(lists::contains(some, 4));
  EXPECT_FALSE(lists::contains(some, 2));
  EXPECT_EQ(lists::find_if(some, [](int x) { return x == 1; }), &some[1]);
  EXPECT_EQ(lists::find_if(some, [](int x) { return x == 9; }), nullptr);
  const auto same = [](int x, int y) { return x == y; };
  EXPECT_TRUE(lists::equal(some, List<int>{3, 1, 4, 1, 5}, same));
  EXPECT_FALSE(lists::equal(some, List<int>{3, 1, 4, 1, 6}, same));
  EXPECT_FALSE(lists::equal(some, List<int>{3, 1, 4, 1}, same));
}

TEST(Lists, SortKeepsEqualElementsInOrder) {
  std::mt19937 random(3);
  for (const std::size_t size : {0u, 1u, 2u, 15u, 16u, 17u, 32u, 33u, 100u, 1000u})
    for (const unsigned keys : {1u, 3u, 1000u}) {
      std::vector<std::pair<unsigned, std::size_t>> right;
      for (std::size_t i = 0; i < size; ++i) right.emplace_back(random() % keys, i);
      List<std::pair<unsigned, std::size_t>> list(right);
      const auto before = [](const auto &a, const auto &b) { return a.first < b.first; };
      std::sort(right.begin(), right.end());  // equal keys by their places
      lists::sort(list, before);
      EXPECT_TRUE(std::equal(right.begin(), right.end(), list.begin(), list.end())) << size << " of " << keys;
    }
}

TEST(SortedMap, DoesWhatAStandardMapDoes) {
  std::mt19937 random(7);
  SortedMap<int> map;
  std::map<std::int64_t, int> model;
  for (int step = 0; step < 2000; ++step) {
    const std::int64_t key = static_cast<std::int64_t>(random() % 300) - 150;
    if (step % 2 == 0) {
      map[key] = model[key] = step;
    } else {
      const auto right = model.find(key);
      const auto *found = map.find(key);
      ASSERT_EQ(found != nullptr, right != model.end());
      if (found) {
        EXPECT_EQ(found->second, right->second);
      }
      const auto next = model.lower_bound(key);
      const auto *at = map.lower_bound(key);
      ASSERT_EQ(at == map.end(), next == model.end());
      if (at != map.end()) {
        EXPECT_EQ(at->first, next->first);
      }
    }
    ASSERT_EQ(map.size(), model.size());
  }
  auto next = model.begin();
  for (const auto &entry : map) {
    EXPECT_EQ(entry.first, next->first);
    EXPECT_EQ(entry.second, (next++)->second);
  }
}

}  // namespace
}  // namespace lathe
