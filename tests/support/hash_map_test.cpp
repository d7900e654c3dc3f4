// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lathe/support/hash_map.hpp"

#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace lathe {
namespace {

using Items = std::vector<std::pair<std::string, int>>;

Items items(const HashMap<std::string, int> &map) {
  Items result;
  for (const auto &entry : map) result.emplace_back(entry.first, entry.second);
  return result;
}

TEST(HashMap, WalksInTheOrderOfInsertion) {
  HashMap<std::string, int> map{{"zebra", 1}, {"ant", 2}, {"zebra", 3}};
  map["cow"] = 4;
  EXPECT_EQ(items(map), (Items{{"zebra", 1}, {"ant", 2}, {"cow", 4}}));
  EXPECT_TRUE(map.erase("ant"));
  EXPECT_FALSE(map.erase("ant"));
  map.emplace("ant", 5);
  EXPECT_EQ(items(map), (Items{{"zebra", 1}, {"cow", 4}, {"ant", 5}}));
  EXPECT_TRUE(map.erase("zebra"));
  EXPECT_TRUE(map.erase("ant"));
  EXPECT_EQ(items(map), (Items{{"cow", 4}}));
}

TEST(HashMap, FindsByWhatIsLikeAKey) {
  HashMap<std::string, int> map;
  EXPECT_EQ(map.find(std::string_view("a")), nullptr);
  EXPECT_THROW(map.at("a"), std::out_of_range);
  const auto [entry, is_new] = map.emplace("a", 1);
  EXPECT_TRUE(is_new);
  EXPECT_EQ(map.find(std::string_view("a")), entry);
  EXPECT_FALSE(map.emplace("a", 2).second);
  EXPECT_EQ(map.at("a"), 1);
  EXPECT_EQ(map.insert_or_assign("a", 3), 3);
  EXPECT_EQ(map.size(), 1u);
}

TEST(HashMap, ReferencesStayValidWhileItGrows) {
  HashMap<std::int64_t, std::string> map;
  std::string &first = map[0] = "first";
  for (std::int64_t i = 1; i < 1000; ++i) map[i * 4096] = "other";
  EXPECT_EQ(&map.at(0), &first);
  EXPECT_EQ(first, "first");
}

TEST(HashMap, CopiesAreIndependentAndMovesLeaveNothing) {
  HashMap<std::string, int> a{{"x", 1}, {"y", 2}};
  HashMap<std::string, int> b = a;
  b["x"] = 9;
  EXPECT_EQ(a.at("x"), 1);
  HashMap<std::string, int> c = std::move(b);
  EXPECT_EQ(items(c), (Items{{"x", 9}, {"y", 2}}));
  EXPECT_TRUE(b.empty());  // NOLINT: that is the rule
  EXPECT_FALSE(b.contains("x"));
  b["z"] = 3;
  c = b;
  EXPECT_EQ(items(c), (Items{{"z", 3}}));
  HashMap<int *, std::unique_ptr<int>> owners;
  owners.emplace(nullptr, std::make_unique<int>(4));
  const auto taken = std::move(owners);
  EXPECT_EQ(*taken.at(nullptr), 4);
}

TEST(HashMap, MemoryOfWhatWasErasedIsTakenAgain) {
  HashMap<std::int64_t, std::string> map{{1, "one"}, {2, "two"}};
  const std::string *two = &map.at(2);
  map.erase(2);
  EXPECT_EQ(&(map[3] = "three"), two);
  for (std::int64_t i = 0; i < 100000; ++i) {
    map[i + 4] = "a text that is too long to lie in the string itself";
    map.erase(i + 4);
  }
  EXPECT_EQ(map.size(), 2u);
  EXPECT_EQ(*two, "three");
}

/// Keys that all have the same hash.
struct Crowded {
  int value;
  friend bool operator==(const Crowded &, const Crowded &) = default;
};
std::size_t key_hash(const Crowded &) { return 5; }

TEST(HashMap, DoesWhatAnUnorderedMapDoes) {
  std::mt19937 random(11);
  HashMap<std::int64_t, int> map;
  HashMap<Crowded, int> crowded;
  std::unordered_map<std::int64_t, int> model;
  for (int step = 0; step < 20000; ++step) {
    const int key = static_cast<int>(random() % 200), value = static_cast<int>(random());
    switch (random() % 4) {
      case 0: map[key] = crowded[{key}] = model[key] = value; break;
      case 1: {
        const bool is_new = model.emplace(key, value).second;
        EXPECT_EQ(map.emplace(key, value).second, is_new);
        EXPECT_EQ(crowded.emplace({key}, value).second, is_new);
        break;
      }
      case 2: {
        const bool known = model.erase(key) != 0;
        EXPECT_EQ(map.erase(key), known);
        EXPECT_EQ(crowded.erase({key}), known);
        break;
      }
      default:
        EXPECT_EQ(map.contains(key), model.contains(key));
        ASSERT_EQ(crowded.find(Crowded{key}) != nullptr, model.contains(key));
        if (model.contains(key)) {
          EXPECT_EQ(map.at(key), model.at(key));
        }
    }
    ASSERT_EQ(map.size(), model.size());
    if (step % 5000 == 4999) map.clear(), crowded.clear(), model.clear();
  }
  std::size_t walked = 0;
  for (const auto &entry : map) {
    ++walked;
    EXPECT_EQ(entry.second, model.at(entry.first));
  }
  EXPECT_EQ(walked, model.size());
}

TEST(HashSet, OfNodes) {
  NodeSet set;
  const int a = 0, b = 0;
  EXPECT_TRUE(set.insert(&a));
  EXPECT_FALSE(set.insert(&a));
  EXPECT_TRUE(set.contains(&a));
  EXPECT_FALSE(set.contains(&b));
  EXPECT_TRUE(set.erase(&a));
  EXPECT_TRUE(set.empty());
  const NodeSet moved = std::move(set);
  EXPECT_FALSE(moved.contains(&a));
}

}  // namespace
}  // namespace lathe
