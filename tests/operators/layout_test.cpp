// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// transpose, reshape, concat, slice and pad against tables written by hand.

#include "lathe/expr/layout.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "expr/values.hpp"
#include "lathe/expr/functions.hpp"

namespace {

using namespace lathe;
using lathe_test::error_of;
using lathe_test::values;
using List = std::vector<int>;

const auto M = placeholder<int>({2, 3}, "M");
const List m = {1, 2, 3, 4, 5, 6};

template <int Rank>
List of(const Tensor<int, Rank> &tensor) {
  return values(tensor, {{M, m}});
}

TEST(Layout, Transpose) {
  EXPECT_EQ(of(transpose(M)), (List{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(of(transpose(M, {1, 0}, "T")), (List{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(of(transpose(M, {0, 1})), m);
  auto cube = compute({2, 3, 4}, [](Index i, Index j, Index k) { return cast<int>(i * 100 + j * 10 + k); });
  EXPECT_EQ(values(transpose(cube, {2, 0, 1}))[1 * 6 + 1 * 3 + 2], 121);
  EXPECT_EQ(transpose(M, "T").name(), "T");
  EXPECT_EQ(error_of([] { transpose(M, {0, 0}); }), "E008 transpose(): dimension 0 is named twice");
  EXPECT_EQ(error_of([] { transpose(M, {0, 2}); }), "E008 transpose(): dimension 2 does not exist");
}

TEST(Layout, Reshape) {
  auto by_two = reshape(M, {3, 2});
  static_assert(std::is_same_v<decltype(by_two), Tensor<int, 2>>);
  EXPECT_EQ(of(by_two), m);
  EXPECT_EQ(of(reshape(M, {1, 6, 1})), m);
  EXPECT_EQ(of(compute({3}, [&](Index i) { return by_two(i, 1); })), (List{2, 4, 6}));
  EXPECT_EQ(error_of([] { reshape(M, {4, 2}); }), "E008 reshape(): M has 6 elements, the shape 8");
}

TEST(Layout, Concat) {
  auto tail = compute({2, 1}, [](Index i, Index) { return cast<int>(i) + 70; }, "tail");
  EXPECT_EQ(of(concat({M, tail, M}, 1)), (List{1, 2, 3, 70, 1, 2, 3, 4, 5, 6, 71, 4, 5, 6}));
  EXPECT_EQ(of(concat({M, M}, 0)), (List{1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(error_of([&] { concat({M, tail}, 0); }), "E008 concat(): dimension 1 is 3 in M and 1 in tail");
  EXPECT_EQ(error_of([&] { concat({M, M}, 2); }), "E008 concat(): axis 2 does not exist");
}

TEST(Layout, Slice) {
  EXPECT_EQ(of(slice(M, {0, 1}, {2, 3})), (List{2, 3, 5, 6}));
  EXPECT_EQ(of(slice(M, {1, 0}, {2, 3}, {1, 2})), (List{4, 6}));
  EXPECT_EQ(of(slice(M, {0, 0}, {2, 3}, {2, 2}, "corners")), (List{1, 3}));
  EXPECT_EQ(of(slice(M, {1, 1}, {1, 3})), List{});
  EXPECT_EQ(error_of([] { slice(M, {0, 1}, {2, 4}); }),
            "E008 slice(): dimension 1 of M has 3 elements, which do not contain 1 to 4");
  EXPECT_EQ(error_of([] { slice(M, {-1, 0}, {2, 3}); }).substr(0, 4), "E008");
  EXPECT_EQ(error_of([] { slice(M, {2, 0}, {1, 3}); }).substr(0, 4), "E008");
  EXPECT_EQ(error_of([] { slice(M, {0, 0}, {2, 3}, {0, 1}); }).substr(0, 4), "E008");
}

TEST(Layout, Pad) {
  EXPECT_EQ(of(pad(M, {0, 1}, {1, 0})), (List{0, 1, 2, 3, 0, 4, 5, 6, 0, 0, 0, 0}));
  EXPECT_EQ(of(pad(M, {0, 0}, {0, 1}, 9, "padded")), (List{1, 2, 3, 9, 4, 5, 6, 9}));
  EXPECT_EQ(of(pad(M, {0, 0}, {0, 0})), m);
  EXPECT_EQ(error_of([] { pad(M, {0, -1}, {0, 0}); }), "E008 pad(): a width of dimension 1 is negative");
}

}  // namespace
