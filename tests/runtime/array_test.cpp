// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Arrays and views: shapes, order in memory, value semantics, conversions.

#include "lathe/runtime/array.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "lathe/diag/diagnostic.hpp"

namespace lathe {
namespace {

std::vector<std::int64_t> listed(const auto &values) { return {values.begin(), values.end()}; }

template <class Action>
std::string code_of(const Action &action) {
  try {
    action();
  } catch (const Error &error) {
    return error.code();
  }
  return "none";
}

TEST(Array, StartsAsAlignedZeros) {
  const int m = 3;
  const std::size_t n = 5;
  const Array<float, 2> a({m, n});
  EXPECT_EQ(listed(a.shape()), (std::vector<std::int64_t>{3, 5}));
  EXPECT_EQ(listed(a.strides()), (std::vector<std::int64_t>{5, 1}));
  EXPECT_EQ(a.size(), 15);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % 64, 0u);
  for (const float x : a) EXPECT_EQ(x, 0.0f);
}

TEST(Array, IsRowMajor) {
  auto a =
      Array<int, 3>::generate({2, 3, 4}, [](std::int64_t i, std::int64_t j, std::int64_t k) { return 100 * i + 10 * j + k; });
  EXPECT_EQ(a.data()[(1 * 3 + 2) * 4 + 3], 123);
  EXPECT_EQ(a(1, 2, 3), 123);
  a(0, 1, 2) = -7;
  EXPECT_EQ(a.data()[6], -7);
}

TEST(Array, OfElements) {
  const auto a = Array<double, 1>::of({1, 2.5, 4});
  EXPECT_EQ(a.size(), 3);
  EXPECT_EQ(a(1), 2.5);
  const auto b = Array<int, 2>::of({{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(listed(b.shape()), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(b(1, 0), 4);
  EXPECT_EQ((Array<int, 1>::of({7}).size()), 1);
  EXPECT_EQ((Array<int, 1>({7}).size()), 7);
  EXPECT_EQ(code_of([] { (void)Array<int, 2>::of({{1, 2}, {3}}); }), "K102");
}

TEST(Array, RankZeroIsOneElement) {
  Array<float, 0> a;
  EXPECT_EQ(a.size(), 1);
  EXPECT_EQ(a(), 0.0f);
  a() = 3.0f;
  const Array<float, 0> b = a;
  EXPECT_EQ(b(), 3.0f);
  EXPECT_EQ((Array<float, 0>::generate({}, [] { return 4.0f; })()), 4.0f);
  EXPECT_EQ((View<const float, 0>(b)()), 3.0f);
}

TEST(Array, CopiesAreIndependentAndMovesTakeTheElements) {
  auto a = Array<int, 1>::of({1, 2, 3});
  auto b = a;
  b(0) = 9;
  EXPECT_EQ(a(0), 1);
  EXPECT_NE(a, b);
  const int *elements = a.data();
  Array<int, 1> c = std::move(a);
  EXPECT_EQ(c.data(), elements);
  EXPECT_EQ(a.size(), 0);  // NOLINT: moved from on purpose
  b = c;
  EXPECT_EQ(b, c);
  b = std::move(c);
  EXPECT_EQ(b.data(), elements);
  b = *&b;
  EXPECT_EQ(b(2), 3);
}

TEST(Array, BoolTakesOneByte) {
  auto a = Array<bool, 1>::of({true, false, true});
  bool *p = a.data();
  EXPECT_EQ(reinterpret_cast<unsigned char *>(p)[2], 1);
  a.fill(true);
  EXPECT_TRUE(a(1));
}

TEST(Array, EmptyAndImpossibleShapes) {
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ((Array<float, 2>({0, 5}).size()), 0);
  EXPECT_EQ((Array<float, 3>({huge, huge, 0}).data()), nullptr);
  EXPECT_EQ((Array<float, 2>::generate({3, 0}, [](auto, auto) { return 1; }).size()), 0);
  EXPECT_EQ(code_of([] { (void)Array<float, 1>({-1}); }), "K101");
  EXPECT_EQ(code_of([=] { (void)Array<float, 1>({huge}); }), "K101");
  EXPECT_EQ(code_of([=] { (void)Array<char, 2>({huge / 2, 3}); }), "K101");
}

TEST(View, FollowsItsStrides) {
  std::vector<float> memory(12, -1.0f);
  const int leading = 4;
  const View<float, 2> v(memory.data(), {3, 2}, {leading, 1});
  v.fill(1.0f);
  v(2, 1) = 5.0f;
  EXPECT_EQ(memory, (std::vector<float>{1, 1, -1, -1, 1, 1, -1, -1, 1, 5, -1, -1}));
  EXPECT_FALSE(v.is_compact());
  EXPECT_TRUE((View<float, 2>(memory.data(), {3, 4}).is_compact()));
  EXPECT_TRUE((View<float, 2>(memory.data(), {1, 4}, {77, 1}).is_compact())) << "the stride of a single row does not matter";
}

float total(View<const float, 2> v) {
  float sum = 0;
  for (int i = 0; i < v.shape(0); ++i)
    for (int j = 0; j < v.shape(1); ++j) sum += v(i, j);
  return sum;
}

TEST(View, ConvertsFromArrays) {
  auto a = Array<float, 2>::of({{1, 2}, {3, 4}});
  View<float, 2> v = a;
  v(0, 0) = 10;
  EXPECT_EQ(a(0, 0), 10);
  EXPECT_EQ(total(a), 19);
  EXPECT_EQ(total(std::as_const(a)), 19);
  EXPECT_EQ(total(v), 19);
  const View deduced(std::as_const(a));
  static_assert(std::is_same_v<decltype(deduced), const View<const float, 2>>);
  static_assert(!std::is_constructible_v<View<float, 2>, const Array<float, 2> &>);
  static_assert(!std::is_constructible_v<View<float, 2>, View<const float, 2>>);
  static_assert(std::is_trivially_copyable_v<View<float, 2>> && std::is_copy_constructible_v<View<float, 2>>);
  static_assert(std::is_trivially_copyable_v<View<const float, 2>> &&
                std::is_convertible_v<View<float, 2>, View<const float, 2>>);
}

#ifndef NDEBUG
TEST(ArrayDeathTest, IndicesAreChecked) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Array<float, 2> a({2, 3});
  EXPECT_DEATH((void)a(0, 3), "outside the shape");
  View<float, 2> v = a;
  EXPECT_DEATH((void)v(-1, 0), "outside the shape");
}
#endif

}  // namespace
}  // namespace lathe
