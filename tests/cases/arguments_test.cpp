// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Cases about what a kernel is called with: sizes, broadcasting, strides, alignment, several threads.

#include <atomic>
#include <thread>
#include <vector>

#include "cases/every_backend.hpp"

namespace {

using namespace cases;

TEST(TeCases, F18_ShapeFromAScalar) {
  EveryBackend run;
  auto x = scalar<std::int64_t>("x");
  auto m = size_var("m"), n = size_var("n");
  auto A = placeholder<std::int32_t>({m, n}, "A");
  auto B = compute({m, n / cast<index_t>(x)}, [&](Index i, Index j) { return A(i, j) + 1; }, "B(i, j)");
  const auto a = counted<std::int32_t, 2>({3, 10});
  const auto right = Array<std::int32_t, 2>::generate({3, 5}, [&](std::int64_t i, std::int64_t j) { return a(i, j) + 1; });
  Schedule s(B);
  // The scalar first or last; the output before the input that gives n.
  run.expect(s, {value(x, 2), in(A, a), out(B, right)});
  run.expect(s, {in(A, a), out(B, right), value(x, 2)});
  run.expect(s, {out(B, right), in(A, a), value(x, 2)});
  // A wrong output shape is refused before memory is touched.
  auto kernel = jit(s, B, A, x);
  Array<std::int32_t, 2> wrong({3, 4});
  expect_error("K001", [&] { kernel(wrong, a, 2); });
  EXPECT_EQ(wrong, (Array<std::int32_t, 2>({3, 4})));
}

TEST(TeCases, F18_SymbolicBroadcast) {
  EveryBackend run;
  auto p = size_var("p"), q = size_var("q");
  auto A = placeholder<std::int32_t>({1, q}, "A"), B = placeholder<std::int32_t>({p, q}, "B");
  auto S = A + B, T = B + A;
  const auto a = counted<std::int32_t, 2>({1, 4}, 1), b = counted<std::int32_t, 2>({2, 4}, 100, 10);
  const auto right = Array<std::int32_t, 2>::generate({2, 4}, [&](std::int64_t i, std::int64_t j) { return a(0, j) + b(i, j); });
  Schedule s(S, T);
  run.expect(s, {in(A, a), in(B, b), out(S, right), out(T, right)});
  run.expect(s, {in(B, b), in(A, a), out(T, right), out(S, right)});
  run.expect(s, {out(S, right), in(B, b), out(T, right), in(A, a)});
}

TEST(Arguments, ALeadingDimensionThatOnlyStridesName) {
  auto m = size_var("m"), n = size_var("n"), ld = size_var("ld");
  auto A = placeholder<std::int32_t>({m, n}, "A").strides({ld, 1}), B = placeholder<std::int32_t>({m, n}, "B").strides({ld, 1});
  auto C = compute({m, n}, [&](Index i, Index j) { return A(i, j) - B(i, j); }, "C(i, j)");
  Schedule s(C);
  const auto memory = counted<std::int32_t, 1>({40}, 1);
  const View<const std::int32_t, 2> a(memory.data(), {3, 4}, {7, 1}), b(memory.data() + 10, {3, 4}, {7, 1});
  for (const bool jitted : {false, true}) {
    const auto kernel = jitted ? jit(s, A, B, C) : interpret(s, A, B, C);
    Array<std::int32_t, 2> c({3, 4});
    kernel(a, b, c);
    for (std::int64_t i = 0; i < 3; ++i)
      for (std::int64_t j = 0; j < 4; ++j) EXPECT_EQ(c(i, j), a(i, j) - b(i, j));
    expect_error("K002", [&] { kernel(a, View<const std::int32_t, 2>(memory.data(), {3, 4}, {8, 1}), c); });
  }
}

TEST(TeCases, F18_StrideOfASingleRowIsIgnored) {
  auto m = size_var("m");
  auto A = placeholder<std::int32_t>({m, 4}, "A");
  auto B = compute({m, 4}, [&](Index i, Index j) { return A(i, j) * 2; }, "B(i, j)");
  Schedule s(B);
  const auto a = counted<std::int32_t, 1>({8}, 1);
  const auto right = Array<std::int32_t, 2>::of({{2, 4, 6, 8}});
  for (const bool jitted : {false, true}) {
    const auto kernel = jitted ? jit(s, A, B) : interpret(s, A, B);
    Array<std::int32_t, 2> b({1, 4});
    kernel(View<const std::int32_t, 2>(a.data(), {1, 4}, {12345, 1}), b);
    EXPECT_EQ(b, right);
    expect_error("K002", [&] {
      Array<std::int32_t, 2> two({2, 4});
      kernel(View<const std::int32_t, 2>(a.data(), {2, 4}, {3, 1}), two);
    });
  }
}

/// Blocks of no rows or no columns keep the strides of what they are blocks of.
TEST(Arguments, StridesWithoutElementsAreIgnored) {
  auto m = size_var("m"), n = size_var("n");
  auto A = placeholder<std::int32_t>({m, n}, "A");
  auto B = placeholder<std::int32_t>({m, n}, "B").column_major();
  auto C = compute({m, n}, [&](Index i, Index j) { return A(i, j) + B(i, j); }, "C(i, j)");
  Schedule s(C);
  std::vector<std::int32_t> memory(64, 1), result(64, -7);
  for (const bool jitted : {false, true}) {
    const auto kernel = jitted ? jit(s, A, B, C) : interpret(s, A, B, C);
    const auto call = [&](std::int64_t rows, std::int64_t columns) {
      const View<const std::int32_t, 2> a(memory.data(), {rows, columns}, {10, 1}), b(memory.data(), {rows, columns}, {1, 10});
      kernel(a, b, View<std::int32_t, 2>(result.data(), {rows, columns}, {20, 1}));
    };
    call(3, 0);
    call(0, 5);
    call(0, 0);
    expect_error("K002", [&] { call(3, 2); });
    EXPECT_EQ(result, std::vector<std::int32_t>(64, -7));
    expect_error("K003", [&] {
      const std::int64_t huge = std::int64_t{1} << 32;  // elements that 64 bits count as 0
      const View<std::int32_t, 2> nothing(nullptr, {huge, huge});
      kernel(nothing, View<std::int32_t, 2>(nullptr, {huge, huge}, {1, huge}), nothing);
    });
  }
}

TEST(TeCases, F18_LessAlignedThanPromised) {
  auto A = placeholder<float>({16}, "A").align(64);
  auto B = compute({16}, [&](Index i) { return A(i) + 1.0f; }, "B(i)");
  Schedule s(B);
  s[B].vectorize(s[B].axis(0));
  Array<float, 1> memory = counted<float, 1>({32}), b({16});
  for (const bool jitted : {false, true}) {
    const auto kernel = jitted ? jit(s, A, B) : interpret(s, A, B);
    b.fill(-1);
    expect_error("K003", [&] { kernel(View<const float, 1>(memory.data() + 8, {16}), b); });
    EXPECT_EQ(b(0), -1);
    kernel(View<const float, 1>(memory.data(), {16}), b);
    EXPECT_EQ(b, (counted<float, 1>({16}, 1)));
  }
}

TEST(HalideCases, E5_OneKernelFromManyThreads) {
  auto n = size_var("n");
  auto shift = scalar<std::int32_t>("shift");
  auto A = placeholder<std::int32_t>({n}, "A");
  auto T = compute({n}, [&](Index i) { return A(i) * 2; }, "T(i)");
  auto B = compute({n}, [&](Index i) { return T(i) + T(n - 1 - i) + shift; }, "B(i)");
  Schedule s(B);
  auto [o, v] = s[B].split(s[B].axis(0), 8);
  s[B].vectorize(v);
  s[B].parallel(o);
  s[T].compute_root();
  const auto kernel = jit(s, n, shift, A, B);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 40; ++t)
    threads.emplace_back([&, t] {
      const std::int64_t size = 5 + t;
      const auto a = counted<std::int32_t, 1>({size}, t);
      Array<std::int32_t, 1> b({size});
      for (int call = 0; call < 250; ++call) {
        b.fill(-1);
        kernel(size, call * 41 + t, a, b);
        // 2 (t + i) + 2 (t + size - 1 - i) + shift
        for (const std::int32_t element : b) wrong += element != 4 * t + 2 * (static_cast<int>(size) - 1) + call * 41 + t;
      }
    });
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
