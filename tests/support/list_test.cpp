// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lathe/support/list.hpp"

#include <array>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace lathe {
namespace {

template <class T>
std::vector<T> contents(const List<T> &list) {
  return std::vector<T>(list.begin(), list.end());
}

using Texts = std::vector<std::string>;

TEST(List, MadeOfWhatItIsGiven) {
  EXPECT_TRUE(List<int>().empty());
  EXPECT_EQ(contents(List<std::string>{"a", "b"}), (Texts{"a", "b"}));
  EXPECT_EQ(contents(List<int>(3)), (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(contents(List<int>(2, 7)), (std::vector<int>{7, 7}));
  const std::array<int, 3> array{1, 2, 3};
  EXPECT_EQ(contents(List<int>(array.begin(), array.end())), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(contents(List<int>(array)), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(contents(List<int>(std::vector<int>{4, 5})), (std::vector<int>{4, 5}));
  EXPECT_EQ(contents(List<int>(std::span<const int>(array).last(1))), (std::vector<int>{3}));
}

TEST(List, CopiesAreIndependentAndMovesLeaveNothing) {
  List<std::string> a{"one", "two"};
  List<std::string> b = a;
  b[0] = "changed";
  EXPECT_EQ(a[0], "one");
  const List<std::string> c = std::move(b);
  EXPECT_EQ(contents(c), (Texts{"changed", "two"}));
  EXPECT_TRUE(b.empty());  // NOLINT: that is the rule
  List<std::string> &self = a;
  a = self;
  EXPECT_EQ(contents(a), (Texts{"one", "two"}));
  EXPECT_FALSE(a == c);
  EXPECT_TRUE(a == (List<std::string>{"one", "two"}));
  EXPECT_FALSE(a == (List<std::string>{"one"}));
}

TEST(List, TakesItsOwnElements) {
  List<std::string> list{std::string(40, 'x')};
  for (int i = 0; i < 20; ++i) list.push_back(list.front());
  list.insert(list.begin(), list.back());
  list.resize(50, list.front());
  list.assign(60, list.front());
  for (const std::string &text : list) EXPECT_EQ(text, std::string(40, 'x'));
  EXPECT_EQ(list.size(), 60u);
}

TEST(List, HoldsWhatCannotBeCopied) {
  List<std::unique_ptr<int>> list;
  for (int i = 0; i < 10; ++i) list.push_back(std::make_unique<int>(i));
  list.erase(list.begin() + 3);
  list.insert(list.begin(), std::make_unique<int>(-1));
  List<std::unique_ptr<int>> moved = std::move(list);
  std::vector<int> values;
  for (const auto &element : moved) values.push_back(*element);
  EXPECT_EQ(values, (std::vector<int>{-1, 0, 1, 2, 4, 5, 6, 7, 8, 9}));
}

TEST(List, RefusesToGoOutside) {
  List<int> list{1};
  EXPECT_EQ(list.at(0), 1);
  EXPECT_THROW(list.at(1), std::out_of_range);
}

/// Throws when the third copy is made.
struct Fragile {
  static inline int alive = 0, copies = 0;
  Fragile() { ++alive; }
  Fragile(const Fragile &) {
    if (++copies == 3) throw 3;
    ++alive;
  }
  Fragile(Fragile &&) noexcept { ++alive; }
  Fragile &operator=(const Fragile &) = default;
  ~Fragile() { --alive; }
};

TEST(List, ElementsThatThrowAreNotLost) {
  {
    List<Fragile> list(5);
    Fragile::copies = 0;
    EXPECT_THROW((List<Fragile>(list)), int);
    EXPECT_EQ(Fragile::alive, 5);
  }
  EXPECT_EQ(Fragile::alive, 0);
}

TEST(List, DoesWhatAVectorDoes) {
  std::mt19937 random(7);
  List<std::string> list;
  std::vector<std::string> model;
  for (int step = 0; step < 4000; ++step) {
    const std::string text = std::to_string(random()) + std::string(random() % 30, '.');
    const std::size_t at = model.empty() ? 0 : random() % (model.size() + 1), end = at + random() % (model.size() - at + 1);
    switch (random() % 8) {
      case 0: list.push_back(text), model.push_back(text); break;
      case 1: list.emplace_back(3, 'e'), model.emplace_back(3, 'e'); break;
      case 2: {
        const std::string *const place = list.insert(list.begin() + at, text);
        EXPECT_EQ(place, list.begin() + at);
        model.insert(model.begin() + static_cast<std::ptrdiff_t>(at), text);
        break;
      }
      case 3: {
        const std::string *const next = list.erase(list.begin() + at, list.begin() + end);
        EXPECT_EQ(next, list.begin() + at);
        model.erase(model.begin() + static_cast<std::ptrdiff_t>(at), model.begin() + static_cast<std::ptrdiff_t>(end));
        break;
      }
      case 4: {
        const Texts more(random() % 4, text);
        list.insert(list.begin() + at, more.begin(), more.end());
        model.insert(model.begin() + static_cast<std::ptrdiff_t>(at), more.begin(), more.end());
        break;
      }
      case 5: list.resize(at, text), model.resize(at, text); break;
      case 6:
        erase_if(list, [&](const std::string &each) { return each > text; });
        std::erase_if(model, [&](const std::string &each) { return each > text; });
        break;
      default:
        if (!model.empty()) list.pop_back(), model.pop_back();
    }
    ASSERT_EQ(contents(list), model);
    if (model.size() > 60) list.clear(), model.clear();
  }
}

}  // namespace
}  // namespace lathe
