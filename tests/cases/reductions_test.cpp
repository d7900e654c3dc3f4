// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Cases about reductions: start values, empty and ragged domains, narrow accumulators, reducers of one's own.

#include <limits>

#include "cases/every_backend.hpp"

namespace {

using namespace cases;

template <class T>
Array<T, 0> only(T value) {
  Array<T, 0> array;
  array() = value;
  return array;
}

TEST(TeCases, C05_UnitLoopAroundARank0Reduction) {
  EveryBackend run;
  auto X = placeholder<std::int32_t>({10}, "X");
  auto k = reduce_axis(10, "k");
  auto Y = compute([&] { return sum(X(k), k); }, "Y");
  Schedule s(Y);
  AnyAxis unit = s[Y].fuse(std::vector<AnyAxis>{});
  run.expect(s, {in(X, counted<std::int32_t, 1>({10}, 1)), out(Y, only(55))});
  s[Y].split(unit, parts(20));
  run.expect(s, {in(X, counted<std::int32_t, 1>({10}, 1)), out(Y, only(55))});
}

TEST(TeCases, C05_InitUnderALoopFusedWithTheReduction) {
  EveryBackend run;
  auto X = placeholder<std::int32_t>({10}, "X");
  auto k = reduce_axis(10, "k");
  auto Y = compute({10}, [&](Index) { return sum(X(k), k); }, "Y(i)");
  Array<std::int32_t, 1> right({10});
  right.fill(55);
  for (const bool reduction_outside : {false, true}) {
    Schedule s(Y);
    auto [i] = s[Y].axes();
    if (reduction_outside) s[Y].reorder(k, i);
    auto f = reduction_outside ? s[Y].fuse(k, i) : s[Y].fuse(i, k);
    run.expect(s, {in(X, counted<std::int32_t, 1>({10}, 1)), out(Y, right)});
    s[Y].split(f, 7);
    run.expect(s, {in(X, counted<std::int32_t, 1>({10}, 1)), out(Y, right)});
  }
}

TEST(TeCases, C06_ExtentDependsOnAnOuterAxis) {
  EveryBackend run;
  auto X = placeholder<std::int32_t>({10}, "X");
  auto Y = compute(
      {10},
      [&](Index n) {
        auto r = reduce_axis(n, "r");
        return sum(X(r), r);
      },
      "Y(n)");
  const auto given = {in(X, counted<std::int32_t, 1>({10}, 1)),
                      out(Y, Array<std::int32_t, 1>::of({0, 1, 3, 6, 10, 15, 21, 28, 36, 45}))};
  run.expect(Schedule(Y), given);
  Schedule written(Y);
  written.cache_write(Y, scope::local);
  run.expect(written, given);
  Schedule read(Y);
  auto copy = read.cache_read(X, scope::local, Y);
  run.expect(read, given);
  read[copy].compute_at(read[Y], read[Y].axis(0));
  run.expect(read, given);
  Schedule parallel(Y);
  parallel[Y].parallel(parallel[Y].axis(0));
  run.expect(parallel, given);
  Schedule split(Y);
  split[Y].split(split[Y].reduce_axes()[0], 4);
  run.expect(split, given);
}

TEST(TeCases, C06_ExtentIsData) {
  EveryBackend run;
  auto L = placeholder<std::int32_t>({4}, "L");
  auto E = placeholder<std::int32_t>({5, 3}, "E");
  auto Y = compute(
      {4, 3},
      [&](Index n, Index d) {
        auto r = reduce_axis(assume_range(L(n), 0, 5), "r");
        return sum(E(r, d), r);
      },
      "Y(n, d)");
  Array<std::int32_t, 2> right({4, 3});
  const int lengths[] = {3, 0, 5, 1};
  for (int n = 0; n < 4; ++n)
    for (int d = 0; d < 3; ++d)
      for (int r = 0; r < lengths[n]; ++r) right(n, d) += 100 + 3 * r + d;
  const auto given = {in(L, Array<std::int32_t, 1>::of({3, 0, 5, 1})), in(E, counted<std::int32_t, 2>({5, 3}, 100)),
                      out(Y, right)};
  run.expect(Schedule(Y), given);
  Schedule written(Y);
  auto sums = written.cache_write(Y, scope::local);
  written[sums].compute_at(written[Y], written[Y].axis(0));
  run.expect(written, given);
  Schedule moved(Y);
  moved[Y].parallel(moved[Y].axis(0));
  moved[Y].vectorize(moved[Y].axis(1));
  run.expect(moved, given);
}

TEST(TeCases, C07_SumWithATail) {
  EveryBackend run;
  auto A = placeholder<std::int64_t>({1027}, "A");
  auto k = reduce_axis(1027, "k");
  auto B = compute([&] { return sum(A(k), k); }, "B");
  const auto given = {in(A, counted<std::int64_t, 1>({1027})), out(B, only<std::int64_t>(526851))};
  Schedule by_parts(B);
  auto [po, pi] = by_parts[B].split(k, parts(4));
  by_parts[B].reorder(pi, po);
  run.expect(by_parts, given);
  Schedule twice(B);
  auto [ko, ki] = twice[B].split(k, 16);
  twice[B].split(ko, 4);
  twice[B].unroll(ki);
  run.expect(twice, given);
  Schedule written(B);
  auto sums = written.cache_write(B, scope::local);
  written[sums].split(k, 16);
  run.expect(written, given);
}

TEST(TeCases, C07_CacheWriteAfterASplitReduction) {
  auto A = placeholder<std::int64_t>({1027}, "A");
  auto k = reduce_axis(1027, "k");
  auto B = compute([&] { return sum(A(k), k); }, "B");
  Schedule s(B);
  auto [ko, ki] = s[B].split(k, 16);
  auto sums = s.cache_write(B, scope::local);
  s[sums].unroll(ki);
  s[sums].reorder(ki, ko);
  EXPECT_EQ(s[B].loops().size(), 0u);
  EXPECT_EQ(s[sums].loops().size(), 2u);
  EveryBackend().expect(s, {in(A, counted<std::int64_t, 1>({1027})), out(B, only<std::int64_t>(526851))});
}

TEST(TeCases, C08_ReducersThatAreNotAssociative) {
  EveryBackend run;
  auto A = placeholder<std::int32_t>({8}, "A");
  auto k = reduce_axis(8, "k");
  using E = Expr<std::int32_t>;
  const auto squares = reducer("squares", [](E x, E y) { return x + y * y; }, std::int32_t{0});
  const auto minus = reducer("minus", [](E x, E y) { return x - y; }, std::int32_t{0});
  auto S = compute([&] { return squares(A(k), k); }, "S");
  auto M = compute([&] { return minus(A(k), k); }, "M");
  run.expect(Schedule(S, M), {in(A, counted<std::int32_t, 1>({8}, 1)), out(S, only(204)), out(M, only(-36))});
  Schedule split(M);
  split[M].split(k, 3);
  run.expect(split, {in(A, counted<std::int32_t, 1>({8}, 1)), out(M, only(-36))});
  expect_error("E010", [&] { static_cast<void>(squares.associative()); });
  expect_error("E010", [&] { static_cast<void>(squares.commutative()); });
  expect_error("E010", [&] { static_cast<void>(minus.associative()); });
  expect_error("E010", [&] { static_cast<void>(minus.commutative()); });
}

TEST(TeCases, C10_PartsOfARaggedRow) {
  EveryBackend run;
  for (const int threads : {16, 32, 64})
    for (const int m : {threads - 1, threads, threads + 1}) {
      auto size_m = size_var("m");
      auto A = placeholder<std::int32_t>({3, size_m}, "A");
      auto k = reduce_axis(size_m, "k");
      auto B = compute({3}, [&](Index i) { return sum(A(i, k), k); }, "B(i)");
      Schedule s(B);
      s[B].split(k, parts(threads));
      s[B].parallel(s[B].axis(0));
      // The sum of m consecutive numbers that begin at i m.
      const auto right = Array<std::int32_t, 1>::generate({3}, [&](std::int64_t i) { return i * m * m + m * (m - 1) / 2; });
      if (threads == 16) {
        const std::vector<std::int32_t> stated = m == 15   ? std::vector<std::int32_t>{105, 330, 555}
                                                 : m == 16 ? std::vector<std::int32_t>{120, 376, 632}
                                                           : std::vector<std::int32_t>{136, 425, 714};
        EXPECT_EQ(std::vector<std::int32_t>(right.begin(), right.end()), stated);
      }
      run.expect(s, {in(A, counted<std::int32_t, 2>({3, m})), out(B, right)});
    }
}

TEST(TeCases, C11_MaxOfNegativeRows) {
  EveryBackend run;
  auto A = placeholder<std::int32_t>({1024, 11}, "A");
  auto j = reduce_axis(11, "j");
  auto B = compute({1024}, [&](Index i) { return max(A(i, j), j); }, "B(i)");
  Array<std::int32_t, 1> right({1024});
  right.fill(-1);
  Schedule s(B);
  auto [jo, ji] = s[B].split(j, 4);
  auto [io, ii] = s[B].split(s[B].axis(0), 24);
  s[B].reorder(io, jo, ji, ii);
  s[B].vectorize(ii);
  s[B].parallel(io);
  run.expect(s, {in(A, Array<std::int32_t, 2>::generate(
                           {1024, 11}, [](std::int64_t i, std::int64_t k) { return -(1 + (5 * k + 3 * i) % 11); })),
                 out(B, right)});
}

TEST(HalideCases, A1_MinAndMaxFromTheExtremes) {
  EveryBackend run;
  auto r = reduce_axis(100, "r");
  const auto number = [&] { return cast<std::int32_t>(r); };
  auto least = compute([&] { return min(number(), r).init(std::numeric_limits<std::int32_t>::max()); }, "least");
  auto greatest = compute([&] { return max(number(), r).init(std::numeric_limits<std::int32_t>::min()); }, "greatest");
  auto falling = compute([&] { return min(100 - number(), r); }, "falling");
  Schedule s(least, greatest, falling);
  run.expect(s, {out(least, only(0)), out(greatest, only(99)), out(falling, only(1))});
  s[least].split(r, 8);
  s[falling].split(r, parts(7));
  run.expect(s, {out(least, only(0)), out(greatest, only(99)), out(falling, only(1))});
}

struct Box5 {
  Input<std::int32_t, 2> input = placeholder<std::int32_t>({36, 36}, "input");  // input(y, x) at (y - 2, x - 2)
  ReduceAxis i = reduce_axis(5, "i"), j = reduce_axis(5, "j");
  Tensor<std::int32_t, 2> acc = compute({32, 32}, [&](Index y, Index x) { return sum(input(y + j, x + i), j, i); }, "acc(y, x)");
  Tensor<std::int32_t, 2> o = compute({32, 32}, [&](Index y, Index x) { return acc(y, x) / 25; }, "o(y, x)");
  std::vector<Given> given() const {
    return {in(input, Array<std::int32_t, 2>::generate({36, 36},
                                                       [](std::int64_t y, std::int64_t x) { return 2 * (x - 2) + 5 * (y - 2); })),
            out(o, Array<std::int32_t, 2>::generate({32, 32}, [](std::int64_t y, std::int64_t x) { return 2 * x + 5 * y; }))};
  }
};

TEST(HalideCases, A4_FusingALoopOfLanesWithAReduction) {
  EveryBackend run;
  Box5 box;
  run.expect(Schedule(box.o), box.given());
  Schedule s(box.o);
  auto [y, x] = s[box.acc].axes();
  s[box.acc].reorder(x, y, box.j, box.i);
  s[box.acc].vectorize(y);
  expect_error("S014", [&] { s[box.acc].fuse(y, box.j); });
  run.expect(s, box.given());

  Schedule fused(box.o);
  fused[box.acc].reorder(x, y, box.j, box.i);
  auto f = fused[box.acc].fuse(y, box.j);
  run.expect(fused, box.given());
  const AnyAxis any_kind = f;
  expect_error("S006", [&] { fused[box.acc].vectorize(any_kind); });
}

TEST(HalideCases, A11_ScalarReductionUnderLanes) {
  EveryBackend run;
  auto r = reduce_axis(1, 2, "r");
  auto s0 = compute([&] { return sum(cast<std::int32_t>(r), r); }, "s");
  auto o = compute({2, 2, 4}, [&](Index, Index, Index c) { return select(c == 3, 255, s0()); }, "o(x, y, c)");
  const auto right =
      Array<std::int32_t, 3>::generate({2, 2, 4}, [](std::int64_t, std::int64_t, std::int64_t c) { return c == 3 ? 255 : 3; });
  for (const int where : {-1, 0, 1}) {
    Schedule s(o);
    s[o].vectorize(s[o].axis(2));
    if (where >= 0) s[s0].compute_at(s[o], s[o].axis(where));
    run.expect(s, {out(o, right)});
  }
  Schedule s(o);
  s[o].vectorize(s[o].axis(2));
  expect_error("S013", [&] { s[s0].compute_at(s[o], s[o].axis(2)); });
}

TEST(HalideCases, A14_EmptyDomains) {
  EveryBackend run;
  auto n = size_var("n");
  auto A = placeholder<std::int32_t>({n}, "A");
  auto r = reduce_axis(n, "r");
  auto total = compute([&] { return sum(A(r), r).init(7); }, "total");
  Schedule plain(total), split(total);
  split[total].split(r, 4);
  for (const Schedule &s : {plain, split}) {
    run.expect(s, {size(n, 0), in(A, Array<std::int32_t, 1>({0})), out(total, only(7))});
    run.expect(s, {size(n, 3), in(A, counted<std::int32_t, 1>({3}, 10)), out(total, only(40))});
  }

  // An inner loop of no iterations fused with an outer one of three.
  auto B = placeholder<std::int32_t>({3, n}, "B");
  auto q = reduce_axis(3, "q"), p = reduce_axis(n, "p");
  auto both = compute([&] { return sum(B(q, p), q, p).init(7); }, "both");
  Schedule fused(both);
  auto f = fused[both].fuse(q, p);
  run.expect(fused, {size(n, 0), in(B, Array<std::int32_t, 2>({3, 0})), out(both, only(7))});
  run.expect(fused, {size(n, 2), in(B, counted<std::int32_t, 2>({3, 2}, 1)), out(both, only(28))});
  fused[both].split(f, 4);
  run.expect(fused, {size(n, 0), in(B, Array<std::int32_t, 2>({3, 0})), out(both, only(7))});

  // An output without elements.
  auto C = placeholder<std::int32_t>({n, 5}, "C");
  auto D = compute({n, 5}, [&](Index i, Index j) { return C(i, j) + 1; }, "D(i, j)");
  Schedule tiled(D);
  auto [i, j] = tiled[D].axes();
  auto [io, jo, ii, ji] = tiled[D].tile(i, j, 2, 4);
  tiled[D].vectorize(ji);
  tiled[D].parallel(tiled[D].fuse(io, jo));
  run.expect(tiled, {size(n, 0), in(C, Array<std::int32_t, 2>({0, 5})), out(D, Array<std::int32_t, 2>({0, 5}))});
  auto Z = compute({0, 5}, [&](Index a, Index b) { return cast<std::int32_t>(a + b); }, "Z(a, b)");
  Schedule none(Z);
  none[Z].fuse(none[Z].axis(0), none[Z].axis(1));
  run.expect(none, {out(Z, Array<std::int32_t, 2>({0, 5}))});
}

TEST(HalideCases, B4_MaxOfNegativeFloats) {
  EveryBackend run;
  auto A = placeholder<float>({3}, "A");
  auto k = reduce_axis(3, "k");
  auto B = compute([&] { return max(A(k), k); }, "B");
  Schedule s(B);
  s[B].split(k, 2);
  run.expect(s, {in(A, Array<float, 1>::of({-5, -3, -9})), out(B, only(-3.0f))});
}

TEST(HalideCases, B5_HorizontalSumsOfBytes) {
  EveryBackend run;
  auto A = placeholder<std::uint8_t>({9}, "A");
  auto k = reduce_axis(3, "k");
  auto B = compute({3}, [&](Index i) { return sum(A(3 * i + k), k); }, "B(i)");
  Schedule s(B);
  s[B].reorder(k, s[B].axis(0));
  s[B].vectorize(s[B].axis(0));
  Array<std::uint8_t, 1> threes({9});
  threes.fill(3);
  run.expect(s, {in(A, threes), out(B, Array<std::uint8_t, 1>::of({9, 9, 9}))});
  run.expect(s,
             {in(A, counted<std::uint8_t, 1>({9}, 100)), out(B, Array<std::uint8_t, 1>::of({303 - 256, 312 - 256, 321 - 256}))});
  const auto data = constant<std::uint8_t>({3, 3, 3, 3, 3, 3, 3, 3, 3}, "data");
  auto folded = compute({3}, [&](Index i) { return sum(data(3 * i + k), k); }, "folded(i)");
  Schedule t(folded);
  t[folded].unroll(k);
  t[folded].vectorize(t[folded].axis(0));
  run.expect(t, {out(folded, Array<std::uint8_t, 1>::of({9, 9, 9}))});
}

TEST(HalideCases, B7_NarrowAccumulator) {
  EveryBackend run;
  auto r = reduce_axis(300, "r");
  auto S = compute([&] { return sum(cast<std::uint8_t>(r), r); }, "S");
  auto V = compute({8}, [&](Index) { return sum(cast<std::uint8_t>(r), r); }, "V(i)");
  Schedule s(S, V);
  s[S].split(r, 32);
  s[V].reorder(r, s[V].axis(0));
  s[V].vectorize(s[V].axis(0));
  Array<std::uint8_t, 1> right({8});
  right.fill(50);
  run.expect(s, {out(S, only<std::uint8_t>(50)), out(V, right)});
}

TEST(HalideCases, B8_ByteProductsAndHistogram) {
  EveryBackend run;
  // uint8 x 3 → uint8
  auto A = placeholder<std::uint8_t>({33, 3}, "A");
  auto W = placeholder<std::uint8_t>({3}, "W");
  auto c = reduce_axis(3, "c");
  auto P = compute({33}, [&](Index i) { return sum(A(i, c) * W(c), c); }, "P(i)");
  const auto a = counted<std::uint8_t, 2>({33, 3}, 11, 37);
  const auto w = Array<std::uint8_t, 1>::of({77, 151, 28});
  const auto p =
      Array<std::uint8_t, 1>::generate({33}, [&](std::int64_t i) { return (a(i, 0) * 77 + a(i, 1) * 151 + a(i, 2) * 28) & 255; });
  Schedule s(P);
  auto [io, ii] = s[P].split(s[P].axis(0), 16);
  s[P].reorder(io, c, ii);
  s[P].vectorize(ii);
  s[P].parallel(io);
  run.expect(s, {in(A, a), in(W, w), out(P, p)});

  auto V = placeholder<std::uint8_t>({1024}, "V");
  auto k = reduce_axis(1024, "k");
  auto H = compute({16}, [&](Index b) { return sum(cast<std::int32_t>(cast<index_t>(V(k) / 16) == b), k); }, "H(b)");
  const auto v = Array<std::uint8_t, 1>::generate({1024}, [](std::int64_t i) { return (i * i + 7 * i) / 3 & 255; });
  Array<std::int32_t, 1> h({16});
  for (const std::uint8_t x : v) ++h(x / 16);
  Schedule lanes(H), threads(H);
  lanes[H].reorder(k, lanes[H].axis(0));
  lanes[H].vectorize(lanes[H].axis(0));
  threads[H].parallel(threads[H].axis(0));
  for (const Schedule &t : {lanes, threads}) run.expect(t, {in(V, v), out(H, h)});
}

TEST(HalideCases, C13_UnsignedConstantsInDomainsAndFactors) {
  EveryBackend run;
  auto A = placeholder<std::int32_t>({20, 2}, "A");
  auto r = reduce_axis(2u, "r");
  auto B = compute({20}, [&](Index i) { return sum(A(i, r), r); }, "B(i)");
  Schedule s(B);
  s[B].split(s[B].axis(0), std::uint32_t{8});
  run.expect(s, {in(A, counted<std::int32_t, 2>({20, 2}, 1)),
                 out(B, Array<std::int32_t, 1>::generate({20}, [](std::int64_t i) { return 4 * i + 3; }))});
}

}  // namespace
