// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Epilogues that follow the loops of what they read.

#include <gmock/gmock.h>

#include "cases/every_backend.hpp"

namespace {

using namespace cases;

struct Product {
  std::int64_t rows, columns;
  Input<std::int32_t, 2> a = placeholder<std::int32_t>({rows, 4}, "a"), b = placeholder<std::int32_t>({4, columns}, "b");
  ReduceAxis k = reduce_axis(4, "k");
  Tensor<std::int32_t, 2> c = compute({rows, columns}, [&](Index i, Index j) { return sum(a(i, k) * b(k, j), k); }, "c(i, j)");
  Tensor<std::int32_t, 2> d = compute({columns, rows}, [&](Index x, Index y) { return c(y, x) * 2 + 1; }, "d(x, y)");

  std::vector<Given> given() const {
    const auto left = counted<std::int32_t, 2>({rows, 4}, 1, 3), right = counted<std::int32_t, 2>({4, columns}, -9, 2);
    return {in(a, left), in(b, right), out(d, Array<std::int32_t, 2>::generate({columns, rows}, [&](auto x, auto y) {
                                             std::int32_t total = 0;
                                             for (std::int64_t z = 0; z < 4; ++z) total += left(y, z) * right(z, x);
                                             return total * 2 + 1;
                                           }))};
  }
};

std::string loops_of(Schedule &s, const AnyTensor &tensor) { return scheduling::loops_text(*s.state().find(s[tensor].key())); }

/// The epilogue is transposed, so its loops change their order.
TEST(ReverseComputeAt, TakesOverSplitsOrdersAndMarks) {
  EveryBackend run;
  for (const std::int64_t rows : {8, 6}) {
    Product p{rows, 9};
    Schedule s(p.d);
    auto [i, j] = s[p.c].axes();
    auto [io, jo, ii, ji] = s[p.c].tile(i, j, 4, 3);
    s[p.c].reorder(io, jo, p.k, ii, ji);
    s[p.c].vectorize(ji);
    s[p.c].parallel(io);
    s[p.d].reverse_compute_at(s[p.c], jo);
    EXPECT_EQ(loops_of(s, p.d), "y.outer · x.outer · x.inner · y.inner");
    const auto buffers = allocations(s, {p.a, p.b, p.d});
    ASSERT_EQ(buffers.size(), 1u);
    EXPECT_EQ(buffers[0].shape, (std::vector<std::int64_t>{4, 3}));
    run.expect(s, p.given());
  }
}

TEST(ReverseComputeAt, FollowsAFusedLoop) {
  EveryBackend run;
  Product p{6, 9};
  Schedule s(p.d);
  auto [i, j] = s[p.c].axes();
  auto f = s[p.c].fuse(i, j);
  auto [fo, fi] = s[p.c].split(f, 9, tail::divides);
  s[p.c].reorder(fo, fi, p.k);
  s[p.d].reverse_compute_at(s[p.c], fo);
  EXPECT_EQ(s.to_text(),
            "fuse o2 o0 o1\nsplit o2 s0.0 9 divides\nreorder o2 s1.0 s1.1 o2\n"
            "reorder o3 o1 o0\nfuse o3 o1 o0\nsplit o3 s4.0 9 divides\ncompute_at o2 o3 s5.0\n");
  run.expect(s, p.given());
  Schedule again(p.d);
  again.replay(s.to_text());
  EXPECT_EQ(again.to_cpp(), s.to_cpp());
}

/// An epilogue with axes of its own, which stay inside.
TEST(ReverseComputeAt, OfABroadcast) {
  EveryBackend run;
  auto a = placeholder<std::int32_t>({10}, "a");
  auto b = compute({10}, [&](Index i) { return a(i) * 3; }, "b(i)");
  auto c = compute({2, 10}, [&](Index z, Index i) { return b(i) + cast<std::int32_t>(z); }, "c(z, i)");
  Schedule s(c);
  auto [o, i] = s[b].split(s[b].axis(0), 4);
  s[c].reverse_compute_at(s[b], o);
  EXPECT_EQ(loops_of(s, c), "i.outer · z · i.inner");
  run.expect(s, {in(a, counted<std::int32_t, 1>({10})), out(c, Array<std::int32_t, 2>::generate({2, 10}, [](auto z, auto x) {
                                                              return static_cast<std::int32_t>(3 * x + z);
                                                            }))});
}

TEST(ReverseComputeAt, TakesNoStepWhereOneIsRefused) {
  Product p{8, 9};
  Schedule s(p.d);
  auto [o, i] = s[p.c].split(s[p.c].axis(0), 4);
  s[p.c].reorder(s[p.c].axis(1), o, i);
  s[p.c].vectorize(i);
  const std::string before = s.to_text();
  expect_error("S013", [&] { s[p.d].reverse_compute_at(s[p.c], i); });
  EXPECT_EQ(s.to_text(), before);
}

}  // namespace
