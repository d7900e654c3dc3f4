// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reductions: their values, domains, conditions and starts, and users' reducers with their promises.

#include "lathe/expr/reduce.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "expr/values.hpp"
#include "lathe/expr/functions.hpp"
#include "lathe/expr/print.hpp"

namespace {

using namespace lathe;
using lathe_test::error_of;
using lathe_test::text_of_error;
using lathe_test::values;

TEST(Reductions, OfFloats) {
  auto A = placeholder<float>({2, 3}, "A");
  auto k = reduce_axis(3, "k");
  const std::vector<float> a = {-5, -3, -9, 2, 4, 0.5f};
  auto of = [&](auto reduction) { return values(compute({2}, [&](Index i) { return reduction(A(i, k)); }), {{A, a}}); };
  using List = std::vector<float>;
  EXPECT_EQ(of([&](auto e) { return sum(e, k); }), (List{-17, 6.5f}));
  EXPECT_EQ(of([&](auto e) { return prod(e, k); }), (List{-135, 4}));
  EXPECT_EQ(of([&](auto e) { return min(e, k); }), (List{-9, 0.5f}));
  EXPECT_EQ(of([&](auto e) { return max(e, k); }), (List{-3, 4}));
  EXPECT_EQ(of([&](auto e) { return any(e > 3, k); }), (std::vector<bool>{false, true}));
  EXPECT_EQ(of([&](auto e) { return all(e < 0, k); }), (std::vector<bool>{true, false}));
  EXPECT_EQ(of([&](auto e) { return sum(cast<int>(e < 0), k); }), (std::vector<int>{3, 0}));
  EXPECT_EQ(of([&](auto) { return sum(1.5f, k); }), (List{4.5f, 4.5f}));
}

TEST(Reductions, OverNothingGiveTheIdentity) {
  auto A = placeholder<float>({0}, "A");
  auto I = placeholder<std::int8_t>({0}, "I");
  auto k = reduce_axis(0, "k");
  const float infinity = std::numeric_limits<float>::infinity();
  auto f = [&](auto reduction) -> double {
    return values(compute([&] { return reduction(A(k)); }), {{A, std::vector<float>{}}})[0];
  };
  auto b = [&](auto reduction) -> double {
    return values(compute([&] { return reduction(I(k)); }), {{I, std::vector<std::int8_t>{}}})[0];
  };
  EXPECT_EQ(f([&](auto e) { return sum(e, k); }), 0);
  EXPECT_EQ(f([&](auto e) { return prod(e, k); }), 1);
  EXPECT_EQ(f([&](auto e) { return min(e, k); }), infinity);
  EXPECT_EQ(f([&](auto e) { return max(e, k); }), -infinity);
  EXPECT_EQ(b([&](auto e) { return min(e, k); }), 127);
  EXPECT_EQ(b([&](auto e) { return max(e, k); }), -128);
  EXPECT_EQ(f([&](auto e) { return any(e > 0, k); }), false);
  EXPECT_EQ(f([&](auto e) { return all(e > 0, k); }), true);
  EXPECT_EQ(f([&](auto e) { return sum(e, k).init(7); }), 7);
}

TEST(Reductions, WrapAndPropagateNaN) {
  auto A = placeholder<std::uint8_t>({300}, "A");
  std::vector<std::uint8_t> a(300);
  std::iota(a.begin(), a.end(), std::uint8_t{0});  // wraps after 255
  auto k = reduce_axis(300, "k");
  EXPECT_EQ(values(compute([&] { return sum(A(k), k); }), {{A, a}})[0], 44850 % 256);
  auto B = placeholder<float>({3}, "B");
  auto l = reduce_axis(3, "l");
  EXPECT_TRUE(std::isnan(values(compute([&] { return max(B(l), l); }), {{B, std::vector<float>{1, std::nanf(""), 2}}})[0]));
}

TEST(Reductions, DomainsMayBeShiftedSymbolicAndDependOnOuterAxes) {
  auto X = placeholder<int>({10}, "X");
  std::vector<int> x(10);
  std::iota(x.begin(), x.end(), 1);
  auto from_three = reduce_axis(3, 4, "k");
  EXPECT_EQ(values(compute([&] { return sum(X(from_three), from_three); }), {{X, x}})[0], 4 + 5 + 6 + 7);
  auto triangular = compute({10}, [&](Index n) {
    auto r = reduce_axis(n, "r");
    return sum(X(r), r);
  });
  EXPECT_EQ(values(triangular, {{X, x}}), (std::vector<int>{0, 1, 3, 6, 10, 15, 21, 28, 36, 45}));
  auto lengths = placeholder<int>({4}, "lengths");
  auto ragged = compute({4}, [&](Index n) {
    auto r = reduce_axis(lengths(n), "r");
    return sum(X(r), r);
  });
  EXPECT_EQ(values(ragged, {{X, x}, {lengths, std::vector<int>{3, 0, 5, 1}}}), (std::vector<int>{6, 0, 15, 1}));
  auto m = size_var("m");
  auto Y = placeholder<int>({m}, "Y");
  auto k = reduce_axis(m, "k");
  EXPECT_EQ(values(compute([&] { return sum(Y(k), k); }), {{Y, std::vector<int>{4, 5, 6}, {3}}})[0], 15);
  EXPECT_EQ(error_of([] { reduce_axis(-1, "k"); }), "E002 the extent of axis k is -1: extents are 0 or more");
}

TEST(Reductions, WhereAndInit) {
  auto A = placeholder<int>({3, 3}, "A");
  auto bias = placeholder<int>({3}, "bias");
  auto k = reduce_axis(3, "k");
  const std::vector<int> a = {1, 2, 3, 4, 5, 6, 7, 8, 9}, b = {100, 200, 300};
  auto lower = compute({3}, [&](Index i) { return sum(A(i, k), k).where(k <= i).init(bias(i)); }, "lower");
  EXPECT_EQ(values(lower, {{A, a}, {bias, b}}), (std::vector<int>{101, 209, 324}));
  auto strict = compute({3}, [&](Index i) { return sum(A(i, k), k).where(k <= i).where(k != 0); });
  EXPECT_EQ(values(strict, {{A, a}}), (std::vector<int>{0, 5, 17}));
  EXPECT_EQ(to_string(lower), "compute lower: int32[3]\n  lower(i) = sum(A(i, k), k in 0..3, where k <= i, init bias(i))");
  auto only_inside = compute([&] { return sum(A(0, k + 1), k).where(k < 2); });
  EXPECT_EQ(values(only_inside, {{A, a}})[0], 5);
}

TEST(Reductions, NameEachAxisOnce) {
  auto A = placeholder<int>({3, 3}, "A");
  auto k = reduce_axis(3, "k");
  EXPECT_EQ(error_of([&] { sum(A(k, k), k, k); }), "E004 sum reduces over axis k twice");
}

TEST(Reductions, AnIndexFirstMeansTheElementwiseExtreme) {
  auto k = reduce_axis(3, "k");
  EXPECT_EQ(to_string(max(k, k + 1)), "max(k, k + 1)");
  EXPECT_EQ(to_string(max(2, k)), "max(2, k)");
  EXPECT_EQ(to_string(min(k, k)), "min(k, k)");
}

// ---- users' reducers ----------------------------------------------------------------------------------------------------------

TEST(UserReducers, CombineInOrder) {
  auto A = placeholder<int>({8}, "A");
  auto k = reduce_axis(8, "k");
  const std::vector<int> a = {1, 2, 3, 4, 5, 6, 7, 8};
  auto squares = reducer("squares", [](Expr<int> x, Expr<int> y) { return x + y * y; }, 0);
  auto minus = reducer("minus", [](auto x, auto y) { return x - y; }, 0);
  EXPECT_EQ(values(compute([&] { return squares(A(k), k); }), {{A, a}})[0], 204);
  EXPECT_EQ(values(compute([&] { return minus(A(k), k); }), {{A, a}})[0], -36);
  EXPECT_EQ(values(compute([&] { return minus(A(k), k).where(k > 5).init(100); }), {{A, a}})[0], 85);
  EXPECT_FALSE(squares.untyped()->associative || squares.untyped()->commutative);
}

TEST(UserReducers, PromisesAreTried) {
  auto squares = reducer("squares", [](Expr<int> x, Expr<int> y) { return x + y * y; }, 0);
  auto minus = reducer("minus", [](auto x, auto y) { return x - y; }, 0);
  auto first = reducer("first", [](auto x, auto) { return x; }, 0.0f);
  EXPECT_EQ(error_of([&] { (void)squares.associative(); }), "E010 reducer squares is not neutral about its identity");
  EXPECT_EQ(error_of([&] { (void)minus.associative(); }).substr(0, 4), "E010");
  EXPECT_EQ(error_of([&] { (void)minus.commutative(); }), "E010 reducer minus is not commutative");
  EXPECT_EQ(error_of([&] { (void)first.commutative(); }), "E010 reducer first is not commutative");
  auto max_of_halves = reducer("halves", [](auto x, auto y) { return (x + y) / 2; }, 0.0);
  EXPECT_EQ(error_of([&] { (void)max_of_halves.associative(); }).substr(0, 4), "E010");
  auto wrong_start = reducer("wrong", [](auto x, auto y) { return max(x, y); }, 0);
  EXPECT_EQ(error_of([&] { (void)wrong_start.associative(); }), "none");  // a maximum clipped at 0 may be split
  auto shifted = reducer("shifted", [](auto x, auto y) { return x + y; }, 1);
  EXPECT_EQ(error_of([&] { (void)shifted.associative(); }), "E010 reducer shifted is not neutral about its identity");
}

TEST(UserReducers, TruePromisesAreKept) {
  auto norm = reducer("norm", [](Expr<float> x, Expr<float> y) { return sqrt(x * x + y * y); }, 0.0f).associative();
  EXPECT_TRUE(norm.untyped()->associative && !norm.untyped()->commutative);
  auto log_sum = reducer(
                     "log_sum",
                     [](auto x, auto y) {
                       auto m = max(x, y);
                       return m + log(exp(x - m) + exp(y - m));
                     },
                     -1e30)
                     .associative()
                     .commutative();
  EXPECT_TRUE(log_sum.untyped()->associative && log_sum.untyped()->commutative);
  auto bits = reducer("bits", [](auto x, auto y) { return x ^ y; }, std::uint16_t{0}).associative().commutative();
  EXPECT_TRUE(bits.untyped()->associative && bits.untyped()->commutative);
  auto small = reducer("small", [](auto x, auto y) { return x + y; }, float16(0.0)).associative().commutative();
  EXPECT_TRUE(small.untyped()->associative);
  auto last = reducer("last", [](auto, auto y) { return y; }, 0);
  EXPECT_FALSE(last.untyped()->associative);
}

TEST(UserReducers, ARefusalShowsTheCounterexample) {
  auto minus = reducer("minus", [](auto x, auto y) { return x - y; }, 0);
  const int line = __LINE__ + 1;
  const auto text = text_of_error([&] { (void)minus.commutative(); });
  EXPECT_EQ(text, "error[E010]: reducer minus is not commutative\n  --> reduce_test.cpp:" + std::to_string(line) +
                      "\n  why: combine(a, b) = -1 but combine(b, a) = 1 for a = -3, b = -2"
                      "\n  help: leave the promise out: the elements are then combined one after another, in order");
}

}  // namespace
