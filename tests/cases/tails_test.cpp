// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Cases about splits that do not divide, their guards, and vectors with tails.

#include <array>
#include <atomic>
#include <limits>

#include "cases/every_backend.hpp"
#include "lathe/ir/walk.hpp"

namespace {

using namespace cases;

std::array<std::atomic<int>, 100> visits;
std::int32_t count_visit(std::int32_t i) {
  visits[static_cast<std::size_t>(i)].fetch_add(1, std::memory_order_relaxed);
  return i;
}

TEST(TeCases, C01_DoubleSplitOfAReduction) {
  EveryBackend run;
  auto A = placeholder<std::int32_t>({100}, "A");
  auto k = reduce_axis(100, "k");
  auto total = compute([&] { return sum(A(k), k); }, "total");
  Schedule s(total);
  auto [ko, ki] = s[total].split(k, 48);
  s[total].split(ki, 32);
  run.expect(s,
             {in(A, counted<std::int32_t, 1>({100}, 1)), out(total, Array<std::int32_t, 0>::generate({}, [] { return 5050; }))});

  // How often the loops visit each point.
  auto visited = compute({100}, [&](Index i) { return sum(cast<std::int32_t>(i == k), k); }, "visited");
  Schedule t(visited);
  auto [to, ti] = t[visited].split(k, 48);
  t[visited].split(ti, 32);
  Array<std::int32_t, 1> once({100});
  once.fill(1);
  run.expect(t, {out(visited, once)});
}

TEST(TeCases, C01_DoubleSplitOfACopy) {
  EveryBackend run;
  for (const int n : {1, 31, 32, 33, 47, 48, 49, 80, 95, 96, 97, 100}) {
    auto A = placeholder<std::int32_t>({n}, "A");
    auto B = compute({n}, [&](Index i) { return A(i); }, "B(i)");
    const auto a = counted<std::int32_t, 1>({n}, 7, 3);
    for (const bool vector : {false, true}) {
      Schedule s(B);
      auto [io, ii] = s[B].split(s[B].axis(0), 48);
      auto [iio, iii] = s[B].split(ii, 32);
      if (vector) s[B].vectorize(iii);
      run.expect(s, {in(A, a), out(B, a)});
    }
  }
}

TEST(TeCases, C01_EveryPointOfADoubleSplitOnce) {
  auto B =
      compute({100}, [&](Index i) { return call<std::int32_t>("count_visit", &count_visit, cast<std::int32_t>(i)); }, "B(i)");
  Schedule s(B);
  auto [io, ii] = s[B].split(s[B].axis(0), 48);
  s[B].split(ii, 32);
  const auto interpreted = interpret(s, B);
  const auto compiled = jit(s, B);
  for (const bool jitted : {false, true}) {
    for (auto &visit : visits) visit = 0;
    Array<std::int32_t, 1> b({100});
    if (jitted)
      compiled(b);
    else
      interpreted(b);
    EXPECT_EQ(b, (counted<std::int32_t, 1>({100})));
    for (int i = 0; i < 100; ++i) EXPECT_EQ(visits[static_cast<std::size_t>(i)], 1) << i;
  }
}

TEST(TeCases, C03_MultiLevelSplitAndUnroll) {
  EveryBackend run;
  for (const int n : {1, 7, 8, 9, 127, 128, 129, 130, 255, 256, 257}) {
    auto A = placeholder<std::int32_t>({n}, "A");
    auto B = compute({n}, [&](Index i) { return max(A(i), 0); }, "B(i)");
    Schedule s(B);
    auto [o, i] = s[B].split(s[B].axis(0), 8);
    auto [oo, oi] = s[B].split(o, 16);
    s[B].reorder(oo, oi, i);
    s[B].unroll(i);
    run.expect(s, {in(A, Array<std::int32_t, 1>::generate({n}, [](std::int64_t x) { return x % 2 ? x : -x; })),
                   out(B, Array<std::int32_t, 1>::generate({n}, [](std::int64_t x) { return x % 2 ? x : 0; }))});
  }
}

TEST(TeCases, F01_FactorLargerThanTheExtent) {
  EveryBackend run;
  auto A = placeholder<std::int32_t>({2, 2}, "A");
  auto B = compute({2, 2}, [&](Index i, Index j) { return A(i, j) + 1; }, "B(i, j)");
  const auto a = counted<std::int32_t, 2>({2, 2}, 10), b = counted<std::int32_t, 2>({2, 2}, 11);
  Schedule s(B);
  auto [io, ii] = s[B].split(s[B].axis(0), 4);
  run.expect(s, {in(A, a), out(B, b)});
  s[B].vectorize(ii);
  s[B].reorder(io, s[B].axis(1), ii);
  run.expect(s, {in(A, a), out(B, b)});

  auto X = placeholder<std::int32_t>({8}, "X");
  auto producer = compute({8}, [&](Index i) { return X(i) * 2; }, "producer(i)");
  auto consumer = compute({8}, [&](Index i) { return producer(i) + 1; }, "consumer(i)");
  const auto x = counted<std::int32_t, 1>({8}, 5), right = counted<std::int32_t, 1>({8}, 11, 2);
  for (const bool by_parts : {false, true}) {
    Schedule t(consumer);
    auto [o, i] = by_parts ? t[consumer].split(t[consumer].axis(0), parts(32)) : t[consumer].split(t[consumer].axis(0), 32);
    t[producer].compute_at(t[consumer], o);
    run.expect(t, {in(X, x), out(consumer, right)});
    const auto buffers = allocations(t, {X, consumer});
    ASSERT_EQ(buffers.size(), 1u);
    ASSERT_EQ(buffers[0].shape.size(), 1u);
    EXPECT_LE(buffers[0].shape[0], 8) << "room for more than there is";
  }
}

TEST(TeCases, F01_OneGuardForAnUnevenSplit) {
  auto A = placeholder<std::int32_t>({100}, "A");
  auto B = compute({100}, [&](Index i) { return A(i) + 1; }, "B(i)");
  Schedule s(B);
  auto [o, i] = s[B].split(s[B].axis(0), 32);
  int guards = 0;
  ir::walk_down(lower_program(s, {A, B}, {}).entry().body, [&](const ir::Stmt &statement) {
    guards += statement.as<ir::If>() != nullptr;
    return true;
  });
  EXPECT_LE(guards, 1) << print(s, A, B);
  EveryBackend().expect(s, {in(A, counted<std::int32_t, 1>({100})), out(B, counted<std::int32_t, 1>({100}, 1))});
}

template <class T>
void copy_at_an_offset(EveryBackend &run) {
  for (const int lanes : {2, 4, 8})
    for (const int n : {lanes - 1, lanes, lanes + 1, 37}) {
      auto A = placeholder<T>({n + 1}, "A");
      auto C = compute({n}, [&](Index i) { return A(i + 1); }, "C(i)");
      Schedule s(C);
      auto [o, i] = s[C].split(s[C].axis(0), lanes);
      s[C].vectorize(i);
      run.expect(s, {in(A, counted<T, 1>({n + 1})), out(C, counted<T, 1>({n}, 1))});
    }
}

TEST(TeCases, C16_VectorsAtAnUnalignedOffset) {
  EveryBackend run;
  copy_at_an_offset<float16>(run);
  copy_at_an_offset<float>(run);
  copy_at_an_offset<std::int8_t>(run);
}

TEST(TeCases, C16_VectorsDownAColumn) {
  EveryBackend run;
  for (const int rows : {15, 16, 17}) {
    auto K = placeholder<float>({rows, 5}, "K");
    auto C = compute({5, rows}, [&](Index ci, Index co) { return K(co, ci); }, "C(ci, co)");
    Schedule s(C);
    auto [co, v] = s[C].split(s[C].axis(1), 4);
    s[C].vectorize(v);
    run.expect(s, {in(K, counted<float, 2>({rows, 5})),
                   out(C, Array<float, 2>::generate({5, rows}, [](std::int64_t ci, std::int64_t co) { return co * 5 + ci; }))});
  }
}

TEST(HalideCases, A2_LanesBeyondAnInnerSplit) {
  EveryBackend run;
  for (const int n : {1, 2, 3, 7, 15, 16, 17}) {
    auto X = placeholder<std::int32_t>({n}, "X");
    auto f = compute({n}, [&](Index x) { return X(x); }, "f(x)");
    auto g = compute({n}, [&](Index x) { return f(x); }, "g(x)");
    const auto x = counted<std::int32_t, 1>({n}, 3, 7);
    for (const int where : {0, 1, 2}) {
      Schedule s(g);
      auto [o, i] = s[g].split(s[g].axis(0), 2);
      auto [io, ii] = s[g].split(i, 4);
      s[g].vectorize(ii);
      if (where == 0) s[f].compute_root();
      if (where == 1) s[f].compute_at(s[g], o);
      if (where == 2) s[f].compute_at(s[g], io);
      run.expect(s, {in(X, x), out(g, x)});
    }
  }
}

TEST(HalideCases, A3_SplittingAVector) {
  EveryBackend run;
  const int n = 19;
  auto input = placeholder<std::int32_t>({n + 2, n + 2}, "input");  // input(y, x) at (y - 1, x - 1)
  auto h =
      compute({n + 2, n}, [&](Index y, Index x) { return (input(y, x) + input(y, x + 1) + input(y, x + 2)) / 3; }, "h(y, x)");
  auto o = compute({n, n}, [&](Index y, Index x) { return (h(y, x) + h(y + 1, x) + h(y + 2, x)) / 3; }, "o(y, x)");
  const auto given = {
      in(input, Array<std::int32_t, 2>::generate({n + 2, n + 2}, [](std::int64_t y, std::int64_t x) { return x - 1 + y - 1; })),
      out(o, Array<std::int32_t, 2>::generate({n, n}, [](std::int64_t y, std::int64_t x) { return x + y; }))};

  Schedule marked(o);
  auto [mo, mi] = marked[o].split(marked[o].axis(1), 4);
  auto [mio, mii] = marked[o].split(mi, 2);
  marked[o].vectorize(mii);
  expect_error("S014", [&] { marked[o].split(mii, 1); });
  run.expect(marked, given);

  for (const bool inside : {false, true}) {
    Schedule s(o);
    auto [xo, xi] = s[o].split(s[o].axis(1), 4);
    auto [xio, xii] = s[o].split(xi, 2);
    auto [vo, vi] = s[o].split(xii, 1);
    auto [wo, wi] = s[o].split(vo, 8);
    s[o].vectorize(wi);
    if (inside)
      s[h].compute_at(s[o], xio);
    else
      s[h].compute_root();
    run.expect(s, given);
  }
}

TEST(HalideCases, A9_NoReadBehindTheEnd) {
  EveryBackend run;
  for (const int n : {3, 4, 5, 7, 8, 9}) {
    auto A = placeholder<float>({n}, "A");
    auto t = compute({n}, [&](Index x) { return A(x); }, "t(x)");
    auto o = compute({n}, [&](Index x) { return t(x); }, "o(x)");
    const auto a = counted<float, 1>({n}, 1);
    Schedule s(o);
    auto [xo, xi] = s[o].split(s[o].axis(0), 4);
    s[o].vectorize(xi);
    s[t].compute_at(s[o], xo);
    s[t].vectorize(s[t].axis(0));
    run.expect(s, {in(A, a), out(o, a)});
  }
}

TEST(HalideCases, A9_OneLiveLane) {
  EveryBackend run;
  for (const int w : {2, 4, 8, 16}) {
    const int n = w + 1;
    auto A = placeholder<float>({n + 1}, "A");
    auto t = compute({n + 1}, [&](Index x) { return A(x) * 2.0f; }, "t(x)");
    auto o = compute({n}, [&](Index x) { return if_then_else(x < w, 0.0f, t(x) + t(x + 1)); }, "o(x)");
    for (const bool inside : {false, true}) {
      Schedule s(o);
      auto [xo, xi] = s[o].split(s[o].axis(0), w);
      s[o].vectorize(xi);
      if (inside)
        s[t].compute_at(s[o], xo);
      else
        s[t].compute_root();
      run.expect(s,
                 {in(A, counted<float, 1>({n + 1}, 3)),
                  out(o, Array<float, 1>::generate({n}, [&](std::int64_t x) { return x < w ? 0 : 2 * (3 + x) + 2 * (4 + x); }))});
    }
  }
}

/// Factors and numbers of parts up to the greatest int64, beyond what the sum of an extent and them could be.
TEST(TeCases, LanesOfAStageThatSomeVectorsDoNotNeed) {
  EveryBackend run;
  auto n = size_var("n");
  auto A = placeholder<float>({n}, "A");
  auto T = compute({n}, [&](Index i) { return A(i) * 2.0f; }, "T");
  auto B = compute({11}, [&](Index i) { return if_then_else(i + 1 < n, T(i + 1), 1.0f); }, "B");
  Schedule s(B);
  auto [i] = s[B].axes();
  s[T].compute_at(s[B], i);
  s[B].vectorize(s[B].split(i, 8).second);
  for (const int size : {1, 6, 9, 10, 14}) {
    const auto a = counted<float, 1>({size}, 1);
    Array<float, 1> b({11});
    for (int at = 0; at < 11; ++at) b(at) = at + 1 < size ? a(at + 1) * 2.0f : 1.0f;
    run.expect(s, {in(A, a), out(B, b)});
  }
}

TEST(TeCases, FactorsBeyondEveryExtent) {
  EveryBackend run;
  auto n = size_var("n");
  auto A = placeholder<std::int32_t>({13}, "A"), S = placeholder<std::int32_t>({n}, "S");
  auto B = compute({13}, [&](Index i) { return A(i) + 1; }, "B(i)");
  auto C = compute({n}, [&](Index i) { return S(i) + 1; }, "C(i)");
  const auto given = counted<std::int32_t, 1>({13}, 10), right = counted<std::int32_t, 1>({13}, 11);
  for (const std::int64_t factor : {std::int64_t{1} << 31, std::int64_t{1} << 62, std::numeric_limits<std::int64_t>::max()}) {
    Schedule by_parts(B), by_factor(B);
    auto [outer, inner] = by_parts[B].split(by_parts[B].axis(0), 1);
    by_parts[B].split(outer, parts(factor));
    by_parts[B].split(inner, factor);
    run.expect(by_parts, {in(A, given), out(B, right)});
    by_factor[B].split(by_factor[B].split(by_factor[B].axis(0), factor).second, 5);
    run.expect(by_factor, {in(A, given), out(B, right)});

    Schedule symbolic(C);  // the loops as scheduled would take for ever before the passes cut them
    symbolic[C].split(symbolic[C].axis(0), factor);
    Array<std::int32_t, 1> c({13});
    jit(symbolic, S, C)(given, c);
    EXPECT_EQ(c, right) << factor;
  }
}

}  // namespace
