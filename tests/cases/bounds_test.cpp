// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Cases about regions, reads out of range, guards, sizes beyond 32 bits, and indices by data.

#include <sys/mman.h>

#include <limits>

#include "cases/every_backend.hpp"

namespace {

using namespace cases;

TEST(TeCases, F03_PaddedTile) {
  EveryBackend run;
  auto A = placeholder<std::int32_t>({20, 20}, "A");
  auto P = pad(A, {3, 3}, {3, 3}, 0, "P");
  auto ry = reduce_axis(-1, 3, "ry"), rx = reduce_axis(-1, 3, "rx");
  auto R = compute(
      {26, 26}, [&](Index y, Index x) { return sum(P(y + ry, x + rx), ry, rx).where(y > 0 && y < 25 && x > 0 && x < 25); },
      "R(y, x)");

  Schedule s(R);
  auto [y, x] = s[R].axes();
  auto [yo, xo, yi, xi] = s[R].tile(y, x, 8, 8);
  auto tile = s.cache_read(P, scope::local, R);
  s[P].compute_inline();
  s[tile].compute_at(s[R], xo);
  s[R].reorder(yo, xo, yi, ry, rx, xi);
  s[R].vectorize(xi);
  s[R].parallel(yo);

  for (const bool ones : {true, false}) {
    Array<std::int32_t, 2> a({20, 20});
    if (ones)
      a.fill(1);
    else
      a = counted<std::int32_t, 2>({20, 20}, 1, 17);
    Array<std::int32_t, 2> right({26, 26});
    std::int64_t total = 0;
    for (int v = 1; v < 25; ++v)
      for (int u = 1; u < 25; ++u)
        for (int dv = -1; dv <= 1; ++dv)
          for (int du = -1; du <= 1; ++du)
            if (v + dv >= 3 && v + dv < 23 && u + du >= 3 && u + du < 23) right(v, u) += a(v + dv - 3, u + du - 3);
    for (const std::int32_t element : right) total += element;
    if (ones) {
      EXPECT_EQ(total, 3600);
      EXPECT_EQ(right(2, 2), 1);
      EXPECT_EQ(right(2, 3), 2);
      EXPECT_EQ(right(3, 3), 4);
      EXPECT_EQ(right(10, 10), 9);
    }
    run.expect(Schedule(R), {in(A, a), out(R, right)});
    run.expect(s, {in(A, a), out(R, right)});
  }
}

TEST(TeCases, F03_TheTileIsTenByTen) {
  auto P = placeholder<std::int32_t>({26, 26}, "P");
  auto ry = reduce_axis(3, "ry"), rx = reduce_axis(3, "rx");
  auto S = compute({24, 24}, [&](Index y, Index x) { return sum(P(y + ry, x + rx), ry, rx); }, "S(y, x)");
  Schedule s(S);
  auto [y, x] = s[S].axes();
  auto [yo, xo, yi, xi] = s[S].tile(y, x, 8, 8);
  auto tile = s.cache_read(P, scope::local, S);
  s[tile].compute_at(s[S], xo);
  const auto buffers = allocations(s, {P, S});
  ASSERT_EQ(buffers.size(), 1u);
  EXPECT_EQ(buffers[0].shape, (std::vector<std::int64_t>{10, 10}));
  const auto p = counted<std::int32_t, 2>({26, 26});
  EveryBackend().expect(s, {in(P, p), out(S, Array<std::int32_t, 2>::generate({24, 24}, [&](std::int64_t v, std::int64_t u) {
                                            return 9 * p(v + 1, u + 1);
                                          }))});
}

TEST(TeCases, F17_ConstantIndexOutOfRange) {
  EveryBackend run;
  auto A = placeholder<float>({3}, "A");
  auto B = compute({1}, [&](Index) { return A(63); }, "B(i)");
  run.expect_unbuildable("L002", Schedule(B), {A, B});
  auto C = compute({4}, [&](Index i) { return A(i); }, "C(i)");
  run.expect_unbuildable("L002", Schedule(C), {A, C});
}

TEST(TeCases, F17_SubscriptsFromFloatsAreIntegers) {
  EveryBackend run;
  auto A = placeholder<float>({10}, "A");
  auto X = placeholder<float>({7}, "X");
  auto B = compute({7}, [&](Index i) { return A(clamp(cast<index_t>(X(i) * 2.0f), 0, 9)) + 0.5f; }, "B(i)");
  Schedule s(B);
  s[B].vectorize(s[B].split(s[B].axis(0), 4).second);
  const auto given = {in(A, counted<float, 1>({10}, 100)),
                      in(X, Array<float, 1>::of({0, 0.5f, 3.25f, -2, 1e30f, std::numeric_limits<float>::quiet_NaN(), 4.49f})),
                      out(B, Array<float, 1>::of({100.5f, 101.5f, 106.5f, 100.5f, 109.5f, 100.5f, 108.5f}))};
  run.expect(Schedule(B), given);
  run.expect(s, given);
}

TEST(TeCases, F17_ConditionsOfTwoBools) {
  EveryBackend run;
  auto P = placeholder<bool>({4}, "P"), Q = placeholder<bool>({4}, "Q");
  auto either = compute({4}, [&](Index i) { return select(P(i) || Q(i), cast<std::int32_t>(i) + 10, -1); }, "either(i)");
  run.expect(Schedule(either),
             {in(P, Array<bool, 1>::of({false, false, true, true})), in(Q, Array<bool, 1>::of({false, true, false, true})),
              out(either, Array<std::int32_t, 1>::of({-1, 11, 12, 13}))});
}

TEST(HalideCases, C10_OffsetOfMinusTwoToThe31) {
  EveryBackend run;
  // The offset known: the read is provably out of range.
  auto X = placeholder<std::int32_t>({128}, "X");
  auto f = compute({128}, [&](Index x) { return X(x); }, "f(x)");
  constexpr auto least = std::numeric_limits<std::int32_t>::min();
  auto g = compute({128}, [&](Index x) { return f(x) + f(x + static_cast<std::int64_t>(least)); }, "g(x)");
  Schedule s(g);
  s[f].compute_root();
  run.expect_unbuildable("L002", s, {X, g});

  // Given by the call: a check fails before anything is read.
  auto p = scalar<std::int32_t>("p");
  auto h = compute({128}, [&](Index x) { return f(x) + f(x + cast<index_t>(p)); }, "h(x)");
  Schedule t(h);
  t[f].compute_root();
  run.expect_failure("K006", "R006", t,
                     {in(X, counted<std::int32_t, 1>({128})), value(p, least), out(h, Array<std::int32_t, 1>({128}))});
  run.expect(t, {in(X, counted<std::int32_t, 1>({128})), value(p, 0), out(h, counted<std::int32_t, 1>({128}, 0, 2))});
}

TEST(HalideCases, E2_TheArmNotTakenIsNotRead) {
  EveryBackend run;
  auto flag = scalar<std::int32_t>("flag");
  for (const int n : {7, 8, 9, 16, 19}) {
    auto A = placeholder<float>({n + 1}, "A");
    auto p = compute({n + 1}, [&](Index x) { return A(x) * 2.0f; }, "p(x)");
    auto guarded = compute({n}, [&](Index x) { return if_then_else(flag != 0, p(x) + p(x + 1), 42.0f); }, "guarded(x)");
    auto selected = compute({n}, [&](Index x) { return select(flag != 0, p(x) + p(x + 1), 42.0f); }, "selected(x)");
    Schedule s(guarded, selected);
    s[p].compute_root();
    for (const AnyTensor &stage : {AnyTensor(guarded), AnyTensor(selected), AnyTensor(p)})
      s[stage].vectorize(s[stage].split(s[stage].axes()[0], 8).second);
    for (const int chosen : {0, 1}) {
      const auto right = Array<float, 1>::generate({n}, [&](std::int64_t x) { return chosen ? 4 * x + 2 : 42; });
      run.expect(s, {value(flag, chosen), in(A, counted<float, 1>({n + 1})), out(guarded, right), out(selected, right)});
    }
  }
}

/// Ten gigabytes of addresses without memory behind those that nobody touches.
class Sparse {
 public:
  explicit Sparse(std::size_t bytes)
      : bytes_(bytes), data_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  Sparse(const Sparse &) = delete;
  ~Sparse() {
    if (data_ != MAP_FAILED) munmap(data_, bytes_);
  }
  std::uint8_t *data() const { return data_ == MAP_FAILED ? nullptr : static_cast<std::uint8_t *>(data_); }

 private:
  std::size_t bytes_;
  void *data_;
};

TEST(HalideCases, E4_StridesBeyond32Bits) {
  constexpr std::int64_t width = 40960, height = 81920, plane = width * height;
  static_assert(plane == 3355443200);
  Sparse memory(3 * plane);
  if (!memory.data()) GTEST_SKIP() << "no address space";
  // Planar: x runs fastest, then y, then c.
  auto V = placeholder<std::uint8_t>({width, height, 3}, "V").strides({1, width, plane});
  auto x = scalar<std::int64_t>("x"), y = scalar<std::int64_t>("y"), c = scalar<std::int64_t>("c");
  auto read = compute(
      {4},
      [&](Index i) {
        return V(assume_range(x + 0, 0, width - 4) + i, assume_range(y + 0, 0, height - 1), assume_range(c + 0, 0, 2));
      },
      "read(i)");
  const View<const std::uint8_t, 3> view(memory.data(), {width, height, std::int64_t{3}}, {std::int64_t{1}, width, plane});
  EXPECT_EQ(&view(0, 0, 1) - &view(0, 0, 0), 3355443200);

  const std::int64_t at[][3] = {{0, 0, 0}, {0, 0, 1}, {width - 4, height - 1, 2}};
  std::uint8_t next = 10;
  for (const auto &p : at)
    for (int i = 0; i < 4; ++i) memory.data()[p[0] + i + p[1] * width + p[2] * plane] = next++;
  Schedule s(read);
  s[read].vectorize(s[read].axis(0));
  const auto jitted = jit(s, V, x, y, c, read);
  next = 10;
  for (const auto &p : at) {
    Array<std::uint8_t, 1> result({4});
    const auto right = Array<std::uint8_t, 1>::generate({4}, [&](std::int64_t i) { return next + i; });
    jitted(view, p[0], p[1], p[2], result);
    EXPECT_EQ(result, right);
    next = static_cast<std::uint8_t>(next + 4);
  }
}

TEST(HalideCases, E4_WritesBeyond32Bits) {
  constexpr std::int64_t rows = 3, columns = 3355443200;
  Sparse memory(rows * columns);
  if (!memory.data()) GTEST_SKIP() << "no address space";
  // One long row each, of which a kernel writes only the last elements of the last.
  auto A = placeholder<std::uint8_t>({8}, "A");
  auto W = compute({8}, [&](Index i) { return A(i) + 1; }, "W(i)");
  const auto kernel = jit(Schedule(W), A, W);
  const auto a = counted<std::uint8_t, 1>({8}, 20);
  const View<std::uint8_t, 1> end(memory.data() + rows * columns - 8, {8});
  kernel(a, end);
  auto V = placeholder<std::uint8_t>({rows, columns}, "V");
  auto last = compute({8}, [&](Index i) { return V(rows - 1, columns - 8 + i); }, "last(i)");
  Array<std::uint8_t, 1> result({8});
  jit(Schedule(last), V, last)(View<const std::uint8_t, 2>(memory.data(), {rows, columns}), result);
  EXPECT_EQ(result, (counted<std::uint8_t, 1>({8}, 21)));
}

TEST(HalideCases, E7_LongTableInTheKernel) {
  EveryBackend run;
  const auto values = Array<float, 1>::generate({7166}, [](std::int64_t i) { return static_cast<float>(i) * 0.5f - 1000; });
  auto table = constant(values, "table");
  auto T = compute({7166}, [&](Index i) { return table(i); }, "T(i)");
  auto R = compute({7166}, [&](Index i) { return table(7165 - i); }, "R(i)");
  Schedule s(T, R);
  for (const auto &stage : {T, R}) s[stage].vectorize(s[stage].split(s[stage].axis(0), 16).second);
  run.expect(s, {out(T, values), out(R, Array<float, 1>::generate({7166}, [&](std::int64_t i) { return values(7165 - i); }))});
}

}  // namespace
