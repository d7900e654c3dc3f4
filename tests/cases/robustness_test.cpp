// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Cases about size: deep nests and expressions, many stages, many compilations, explosions of code.

#include <pthread.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <functional>
#include <thread>

#include "cases/every_backend.hpp"
#include "lathe/runtime/pool_executor.hpp"

namespace {

using namespace cases;

constexpr int many_stages = 4000;

/// Runs `f` on a thread with a stack of so many bytes.
void with_stack(std::size_t bytes, const std::function<void()> &f) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, bytes), 0);
  pthread_t thread;
  const auto run = [](void *function) -> void * {
    (*static_cast<const std::function<void()> *>(function))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, const_cast<std::function<void()> *>(&f)), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

// ---- G1 -----------------------------------------------------------------------------------------------------------------------

std::atomic<std::int64_t> deepest = 0;
std::atomic<int> calls = 0;
std::int32_t record_depth(std::int32_t x) {
  thread_local char *first = nullptr;
  char here;
  char *volatile address = &here;
  if (!first) first = address;
  const std::int64_t depth = std::abs(first - address);
  std::int64_t seen = deepest.load();
  while (depth > seen && !deepest.compare_exchange_weak(seen, depth)) continue;
  calls.fetch_add(1, std::memory_order_relaxed);
  return x;
}

TEST(HalideCases, G1_StackOfNestedParallelLoops) {
  auto B = compute(
      {10000, 2},
      [&](Index i, Index j) { return call<std::int32_t>("record_depth", &record_depth, cast<std::int32_t>(2 * i + j)); },
      "B(i, j)");
  Schedule s(B);
  s[B].parallel(s[B].axis(0));
  s[B].parallel(s[B].axis(1));
  PoolExecutor two(2);
  Array<std::int32_t, 2> b({10000, 2});
  jit(s, {.executor = &two}, B)(b);
  EXPECT_EQ(b, (counted<std::int32_t, 2>({10000, 2})));
  EXPECT_EQ(calls, 20000);
  // A nest of two loops; ten thousand frames would take half a megabyte at least.
  EXPECT_LT(deepest, 32768);
}

// ---- G3 -----------------------------------------------------------------------------------------------------------------------

struct LongChain {
  Input<std::int32_t, 1> X = placeholder<std::int32_t>({5}, "X");
  std::vector<Tensor<std::int32_t, 1>> stages;
  explicit LongChain(int length) {
    for (int n = 0; n < length; ++n)
      stages.push_back(
          compute({5}, [&](Index i) { return (n ? stages.back()(4 - i) : X(4 - i)) + 1; }, "stage" + std::to_string(n)));
  }
  Schedule at_root() const {
    Schedule s(stages.back());
    for (const auto &stage : stages) s[stage].compute_root();
    return s;
  }
};

TEST(HalideCases, G3_ChainsOfStages) {
  EveryBackend run;
  LongChain four_hundred(400);
  run.expect(four_hundred.at_root(), {in(four_hundred.X, counted<std::int32_t, 1>({5}, 10)),
                                      out(four_hundred.stages.back(), counted<std::int32_t, 1>({5}, 410))});
}

TEST(HalideCases, G3_FourThousandStages) {
  LongChain chain(many_stages);
  const auto &last = chain.stages.back();
  Array<std::int32_t, 1> b({5});
  // Nothing recurses over the stages.
  with_stack(1 << 20, [&] { interpret(chain.at_root(), chain.X, last)(counted<std::int32_t, 1>({5}, 10), b); });
  EXPECT_EQ(b, (counted<std::int32_t, 1>({5}, 10 + many_stages)));
}

TEST(HalideCases, G3_FourThousandStagesCompiled) {
  LongChain chain(many_stages);
  const auto &last = chain.stages.back();
  Array<std::int32_t, 1> b({5});
  with_stack(1 << 20, [&] { jit(chain.at_root(), chain.X, last)(counted<std::int32_t, 1>({5}, 10), b); });
  EXPECT_EQ(b, (counted<std::int32_t, 1>({5}, 10 + many_stages)));
}

TEST(HalideCases, G3_FourThousandStagesUnscheduled) {
  LongChain chain(many_stages);
  const auto &last = chain.stages.back();
  EXPECT_EQ(evaluate(last, {{chain.X, counted<std::int32_t, 1>({5}, 10)}}), (counted<std::int32_t, 1>({5}, 10 + many_stages)));
}

TEST(HalideCases, G3_FourHundredStagesInline) {
  LongChain chain(400);
  const auto &last = chain.stages.back();
  Schedule s(last);
  for (std::size_t n = 0; n + 1 < chain.stages.size(); ++n) s[chain.stages[n]].compute_inline();
  EveryBackend().expect(s, {in(chain.X, counted<std::int32_t, 1>({5}, 10)), out(last, counted<std::int32_t, 1>({5}, 410))});
}

TEST(HalideCases, G3_FiveHundredSelfMultiplications) {
  EveryBackend run;
  auto X = placeholder<std::uint32_t>({11}, "X");
  auto B = compute(
      {11},
      [&](Index i) {
        Expr<std::uint32_t> e = X(i);
        for (int n = 0; n < 500; ++n) e = e * e + 1u;
        return e;
      },
      "B(i)");
  const auto x = counted<std::uint32_t, 1>({11}, 3, 17);
  const auto right = Array<std::uint32_t, 1>::generate({11}, [&](std::int64_t i) {
    std::uint32_t e = x(i);
    for (int n = 0; n < 500; ++n) e = e * e + 1;
    return e;
  });
  Schedule s(B);
  s[B].vectorize(s[B].split(s[B].axis(0), 4).second);
  run.expect(s, {in(X, x), out(B, right)});
}

struct ManyWays {
  int ways;
  Input<std::int32_t, 1> K = placeholder<std::int32_t>({8}, "K");
  Tensor<std::int32_t, 1> B = compute(
      {8},
      [&](Index i) {
        Expr<std::int32_t> e = -1;
        for (int n = 0; n < ways; ++n) e = select(K(i) == n, (n * 37) % 1009, e);
        return e;
      },
      "B(i)");
  Array<std::int32_t, 1> k = Array<std::int32_t, 1>::of({0, 1, ways - 1, ways / 2, -1, ways, 77, 1242});
  Array<std::int32_t, 1> right =
      Array<std::int32_t, 1>::generate({8}, [&](std::int64_t i) { return k(i) < 0 || k(i) >= ways ? -1 : k(i) * 37 % 1009; });
};

TEST(HalideCases, G3_TenThousandWaySelect) {
  ManyWays many{10000};
  EXPECT_EQ(evaluate(many.B, {{many.K, many.k}}), many.right);
  const Schedule s(many.B);
  Array<std::int32_t, 1> b({8});
  interpret(s, many.K, many.B)(many.k, b);
  EXPECT_EQ(b, many.right);
  EXPECT_GT(emit_c(s, many.K, many.B).text.size(), 100000u);
}

TEST(HalideCases, G3_TwoThousandWaySelectCompiled) {
  ManyWays many{2000};  // the time of LLVM grows faster than the text
  const Schedule s(many.B);
  Array<std::int32_t, 1> b({8});
  jit(s, many.K, many.B)(many.k, b);
  EXPECT_EQ(b, many.right);
}

TEST(HalideCases, G3_UnrolledSelect) {
  EveryBackend run;
  // Every one of a thousand unrolled iterations chooses by its number.
  auto B = compute(
      {1000},
      [&](Index i) {
        return select(i % 3 == 0, cast<std::int32_t>(i), select(i % 3 == 1, -cast<std::int32_t>(i), cast<std::int32_t>(i) * 7));
      },
      "B(i)");
  Schedule s(B);
  s[B].unroll(s[B].axis(0));
  run.expect(s, {out(B, Array<std::int32_t, 1>::generate({1000}, [](std::int64_t i) {
                       return i % 3 == 0 ? i : i % 3 == 1 ? -i : i * 7;
                     }))});
}

// ---- F19, F20 -----------------------------------------------------------------------------------------------------------------

TEST(TeCases, F19_SixteenThreadsCompile) {
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t)
    threads.emplace_back([&, t] {
      try {
        for (int n = 0; n < 3; ++n) {
          const int size = 13 + 5 * t + n;
          auto A = placeholder<std::int32_t>({size}, "A");
          auto B = compute({size}, [&](Index i) { return A(size - 1 - i) * (t + 1) + n; }, "B(i)");
          Schedule s(B);
          auto [o, v] = s[B].split(s[B].axis(0), 2 + (t + n) % 7);
          if (t % 2) s[B].vectorize(v);
          if (t % 3) s[B].parallel(o);
          Array<std::int32_t, 1> b({size});
          jit(s, A, B)(counted<std::int32_t, 1>({size}, 1), b);
          for (int i = 0; i < size; ++i) wrong += b(i) != (size - i) * (t + 1) + n;
        }
      } catch (const std::exception &error) {
        ++wrong;
        std::fprintf(stderr, "%s\n", error.what());
      }
    });
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(TeCases, F20_UnrollingMeetsItsCap) {
  EveryBackend run;
  auto A = placeholder<std::int32_t>({1000, 1000}, "A");
  auto B = compute({1000, 1000}, [&](Index i, Index j) { return A(i, j) + 1; }, "B(i, j)");
  Schedule s(B);
  s[B].unroll(s[B].axis(0));
  s[B].unroll(s[B].axis(1));
  expect_error("L065", [&] { jit(s, A, B); });
  expect_error("L065", [&] { emit_c(s, A, B); });
  expect_error("L065", [&] { optimize_program(s, {A, B}, {}); });
}

/// Weights of the four taps of a 2x bicubic resize (a = -1/2) at distance 1/4 and 3/4: multiples of 1/128.
double cubic(double t) {
  t = std::fabs(t);
  return t <= 1 ? (1.5 * t - 2.5) * t * t + 1 : t < 2 ? ((-0.5 * t + 2.5) * t - 4) * t + 2 : 0;
}

TEST(TeCases, F20_BicubicResizeGradient) {
  constexpr int n = 32;
  auto G = placeholder<float>({3, 2 * n, 2 * n}, "G");
  auto ry = reduce_axis(8, "ry"), rx = reduce_axis(8, "rx");
  // The weight of input `at` in output `y`: taps that leave the picture count for its border.
  const auto weight = [&](Index at, Index y) {
    const Index first = (2 * y - 1) / 4;
    Expr<float> sum_of_taps = 0.0f;
    for (int t = -1; t <= 2; ++t) {
      const auto tap =
          select((2 * y - 1) % 4 == 1, Expr<float>(static_cast<float>(cubic(t - 0.25))), static_cast<float>(cubic(t - 0.75)));
      sum_of_taps = sum_of_taps + select(clamp(first + t, 0, n - 1) == at, tap, 0.0f);
    }
    return sum_of_taps;
  };
  auto D = compute(
      {3, n, n},
      [&](Index c, Index i, Index j) {
        const Index y = 2 * i - 3 + ry, x = 2 * j - 3 + rx;
        return sum(if_then_else(y >= 0 && y < 2 * n && x >= 0 && x < 2 * n, G(c, y, x) * weight(i, y) * weight(j, x), 0.0f), ry,
                   rx);
      },
      "D(c, i, j)");
  Schedule s(D);
  auto [c, i, j] = s[D].axes();
  auto [jo, ji] = s[D].split(j, 8);
  s[D].reorder(jo, ry, rx, ji);
  s[D].vectorize(ji);
  s[D].unroll(rx);
  s[D].parallel(i);
  optimize_program(s, {G, D}, exact_options());

  // The same as a scatter: every output spreads its gradient over its taps. Small multiples of 2^-14: exact in any order.
  const auto g = Array<float, 3>::generate(
      {3, 2 * n, 2 * n}, [](std::int64_t a, std::int64_t y, std::int64_t x) { return (a * 5 + y * 3 + x * 7) % 11 - 5; });
  Array<float, 3> right({3, n, n});
  for (int a = 0; a < 3; ++a)
    for (int y = 0; y < 2 * n; ++y)
      for (int x = 0; x < 2 * n; ++x) {
        const auto first = [](int at) { return static_cast<int>(std::floor((at - 0.5) / 2)); };
        for (int u = -1; u <= 2; ++u)
          for (int v = -1; v <= 2; ++v) {
            const auto clamped = [](int at) { return std::min(std::max(at, 0), n - 1); };
            const double wy = cubic((y - 0.5) / 2 - first(y) - u), wx = cubic((x - 0.5) / 2 - first(x) - v);
            right(a, clamped(first(y) + u), clamped(first(x) + v)) += static_cast<float>(g(a, y, x) * wy * wx);
          }
      }
  Array<float, 3> d({3, n, n});
  const auto compiled = jit(s, {.numerics = Numerics::strict()}, G, D);
  compiled(g, d);
  EXPECT_EQ(d, right);
  EXPECT_EQ(evaluate(D, {{G, g}}), right);
}

}  // namespace
