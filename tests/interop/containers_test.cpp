// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Standard containers as views and as arguments of kernels.

#include "lathe/interop/containers.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <list>
#include <span>
#include <string>
#include <vector>

#include "interop/refused.hpp"
#include "lathe/jit.hpp"

namespace {

using namespace lathe;

template <class From, class To>
constexpr bool converts = std::is_convertible_v<From, To>;

using Reads = View<const float, 1>;
using Writes = View<float, 1>;

// Constness is that of the elements as the container gives them; a temporary that owns its elements is only read.
static_assert(converts<std::vector<float> &, Writes> && converts<std::vector<float> &, Reads>);
static_assert(!converts<const std::vector<float> &, Writes> && converts<const std::vector<float> &, Reads>);
static_assert(!converts<std::vector<float>, Writes> && converts<std::vector<float>, Reads>);
static_assert(converts<std::array<float, 4> &, Writes> && !converts<const std::array<float, 4> &, Writes>);
static_assert(converts<std::span<float>, Writes> && converts<const std::span<float> &, Writes>);
static_assert(converts<std::span<float, 4> &, Writes> && converts<std::span<float> &, Reads>);
static_assert(!converts<std::span<const float>, Writes> && converts<std::span<const float>, Reads>);
static_assert(!converts<std::array<const float, 4> &, Writes> && converts<std::array<const float, 4> &, Reads>);

// Nothing else converts: other elements, other ranks, elements that are apart or that are no numbers.
static_assert(!converts<std::vector<double> &, Reads> && !converts<std::vector<float> &, View<float, 2>>);
static_assert(!converts<std::deque<float> &, Reads> && !converts<std::list<float> &, Reads>);
static_assert(!converts<std::vector<bool> &, View<const bool, 1>> && converts<std::array<bool, 2> &, View<bool, 1>>);
static_assert(!converts<std::vector<std::string> &, View<std::string, 1>>);

TEST(Containers, LookAtTheSameElements) {
  std::vector<float> v = {1, 2, 3};
  const View w(v);
  static_assert(std::is_same_v<decltype(w), const View<float, 1>>);
  EXPECT_EQ(w.data(), v.data());
  EXPECT_EQ(w.shape(0), 3);
  EXPECT_TRUE(w.is_compact());
  w(1) = 20;
  EXPECT_EQ(v[1], 20);

  const std::array<std::int16_t, 2> a = {7, 8};
  const View b(a);
  static_assert(std::is_same_v<decltype(b), const View<const std::int16_t, 1>>);
  EXPECT_EQ(b.data(), a.data());
  EXPECT_EQ(b(1), 8);

  const std::span<float> tail = std::span(v).subspan(1);
  const Writes t = tail;
  EXPECT_EQ(t.data(), v.data() + 1);
  EXPECT_EQ(t.shape(0), 2);

  const std::vector<double> none;
  EXPECT_EQ((View<const double, 1>(none).size()), 0);
}

TEST(Containers, InMoreDimensions) {
  std::vector<std::int32_t> v(24);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<std::int32_t>(i);
  const auto w = view_of(v, {2, std::size_t{3}, 4});
  static_assert(std::is_same_v<decltype(w), const View<std::int32_t, 3>>);
  EXPECT_EQ(w.data(), v.data());
  EXPECT_EQ(w(1, 2, 3), 23);
  EXPECT_EQ(w(1, 0, 2), 14);
  const auto &only_read = v;
  static_assert(std::is_same_v<decltype(view_of(only_read, {24})), View<const std::int32_t, 1>>);
  EXPECT_EQ(view_of(std::span(v).first(6), {6, 1})(5, 0), 5);
  EXPECT_EQ(view_of(v, {4, 6}).strides()[0], 6);
  // The elements of an array of Lathe's, in another shape.
  Array<float, 2> array({4, 6});
  EXPECT_EQ(view_of(array, {24}).data(), array.data());
}

TEST(Containers, RefuseExtentsThatTheyDoNotFill) {
  const std::vector<float> v(12);
  EXPECT_EQ(code_of([&] { view_of(v, {3, 4}); }), "none");
  EXPECT_EQ(code_of([&] { view_of(v, {3, 3}); }), "I101");
  EXPECT_EQ(code_of([&] { view_of(v, {3, 5}); }), "I101");
  EXPECT_EQ(code_of([&] { view_of(v, {-3, -4}); }), "I101");
  // 2^62 * 4 + 12 elements are 12 where 64 bits wrap.
  EXPECT_EQ(code_of([&] { view_of(v, {(std::int64_t{1} << 62) + 3, 4}); }), "I101");
  const std::vector<float> none;
  EXPECT_EQ(code_of([&] { view_of(none, {std::int64_t{1} << 62, 0, 4}); }), "none");
  EXPECT_EQ(code_of([&] { view_of(none, {1}); }), "I101");
}

TEST(Containers, AreArgumentsOfKernels) {
  auto n = size_var("n");
  auto a = placeholder<float>({n}, "a"), b = placeholder<float>({n}, "b");
  auto c = compute({n}, [&](Index i) { return a(i) + 10 * b(i); }, "c(i)");
  Schedule s(c);
  const auto kernel = jit(s, a, b, c);
  const std::vector<float> x = {1, 2, 3, 4, 5};
  const std::array<float, 5> y = {5, 4, 3, 2, 1};
  std::vector<float> z(6, -1.0f);
  kernel(x, y, std::span(z).first(5));
  EXPECT_EQ(z, (std::vector<float>{51, 42, 33, 24, 15, -1}));
  kernel(std::vector<float>{1, 1}, std::span(y).first(2), std::span(z).last(2));
  EXPECT_EQ(z, (std::vector<float>{51, 42, 33, 24, 51, 41}));
  EXPECT_EQ(code_of([&] { kernel(x, y, z); }), "K001");
}

TEST(Containers, AreArgumentsOfKernelsInMoreDimensions) {
  auto a = placeholder<std::int32_t>({2, 3}, "a");
  auto b = compute({3, 2}, [&](Index i, Index j) { return a(j, i); }, "b(i, j)");
  Schedule s(b);
  const std::vector<std::int32_t> x = {1, 2, 3, 4, 5, 6};
  std::vector<std::int32_t> y(6);
  interpret(s, a, b)(view_of(x, {2, 3}), view_of(y, {3, 2}));
  EXPECT_EQ(y, (std::vector<std::int32_t>{1, 4, 2, 5, 3, 6}));
  std::int32_t z[6] = {};
  interpret(s, a, b)(View<const std::int32_t, 2>(x.data(), {2, 3}), View<std::int32_t, 2>(z, {3, 2}));
  EXPECT_EQ((std::vector<std::int32_t>(z, z + 6)), y);
}

}  // namespace
