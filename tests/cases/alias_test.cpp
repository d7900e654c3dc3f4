// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Outputs in the memory of inputs.

#include <gmock/gmock.h>

#include "cases/every_backend.hpp"
#include "codegen/c_harness.hpp"

namespace {

using namespace cases;
using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t n = 6, m = 37;

/// c = 2 a + rowwise b, where a may be c.
struct Update {
  Input<float, 2> a = placeholder<float>({n, m}, "a");
  Input<float, 1> b = placeholder<float>({m}, "b");
  Tensor<float, 2> c = compute({n, m}, [&](Index i, Index j) { return 2.0f * a(i, j) + b(j); }, "c(i, j)");

  Array<float, 2> first() const { return counted<float, 2>({n, m}, 1, 2); }
  Array<float, 1> second() const { return counted<float, 1>({m}, 100); }
  float right(std::int64_t i, std::int64_t j) const { return 2 * first()(i, j) + second()(j); }

  /// The values of c in the memory of a, by the JIT, the interpreter and C.
  void expect(const Schedule &s) const {
    const Array<float, 1> row = second();
    for (int back_end = 0; back_end < 3; ++back_end) {
      Array<float, 2> both = first();
      if (back_end == 0) jit(s, {.verify = true}, a, b, c)(both, row, both);
      if (back_end == 1) interpret(s, a, b, c)(both, row, both);
      if (back_end == 2) {
        Slot slots[2] = {};
        slots[0].pointer = both.data(), slots[1].pointer = const_cast<float *>(row.data());
        c_harness::PlainRuntime runtime;
        const c_harness::CompiledC code(emit_c(s, a, b, c), "cc");
        EXPECT_EQ(code.run({slots[0], slots[1], slots[0]}, runtime), 0);
      }
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < m; ++j) EXPECT_EQ(both(i, j), right(i, j)) << back_end << ": " << i << ", " << j;
    }
  }
};

TEST(Alias, InPlaceUnderManySchedules) {
  Update u;
  Schedule plain(u.c);
  plain.alias(u.c, u.a);
  u.expect(plain);
  Schedule tiled(u.c);
  tiled.alias(u.c, u.a);
  auto [i, j] = tiled[u.c].axes();
  auto [io, jo, ii, ji] = tiled[u.c].tile(i, j, 4, 8);
  tiled[u.c].vectorize(ji);
  tiled[u.c].unroll(ii);
  tiled[u.c].parallel(io);
  u.expect(tiled);
}

/// An index of an axis of one iteration is that axis, whatever stands there.
TEST(Alias, AxesOfOneIteration) {
  auto a = placeholder<float>({1, 3}, "a");
  auto c = compute({1, 3}, [&](Index, Index j) { return a(0, j) + 1.0f; }, "c(i, j)");
  Schedule s(c);
  s.alias(c, a);
  Array<float, 2> both = counted<float, 2>({1, 3}, 5);
  jit(s, a, c)(both, both);
  for (int j = 0; j < 3; ++j) EXPECT_EQ(both(0, j), 6 + j);
}

TEST(Alias, SeparateMemoryIsStillRight) {
  Update u;
  Schedule s(u.c);
  s.alias(u.c, u.a);
  EveryBackend().expect(s, {in(u.a, u.first()), in(u.b, u.second()),
                            out(u.c, Array<float, 2>::generate({n, m}, [&](auto i, auto j) { return u.right(i, j); }))});
}

/// What other points are needed for is computed before: here the sums of rows.
TEST(Alias, RowsThatAreSummedBefore) {
  auto a = placeholder<float>({n, m}, "a");
  auto k = reduce_axis(m, "k");
  auto sums = compute({n}, [&](Index i) { return sum(a(i, k), k); }, "sums(i)");
  auto c = compute({n, m}, [&](Index i, Index j) { return a(i, j) - sums(i); }, "c(i, j)");
  Schedule s(c);
  s.alias(c, a);
  Array<float, 2> both = counted<float, 2>({n, m});
  jit(s, a, c)(both, both);
  for (std::int64_t i = 0; i < n; ++i) {
    const float total = static_cast<float>(m * (i * m) + m * (m - 1) / 2);
    for (std::int64_t j = 0; j < m; ++j) EXPECT_EQ(both(i, j), static_cast<float>(i * m + j) - total);
  }
  s[sums].compute_at(s[c], s[c].axis(0));
  expect_error("L034", [&] { print(s, a, c); });
}

TEST(Alias, OnlyWhereTheyBeginAtOneAddress) {
  Update u;
  Schedule s(u.c);
  s.alias(u.c, u.a);
  auto kernel = jit(s, u.a, u.b, u.c);
  std::vector<float> memory(n * m + 1, 1.0f);
  const Array<float, 1> row = u.second();
  const View<const float, 2> whole(memory.data(), {n, m});
  View<float, 2> moved(memory.data() + 1, {n, m});
  expect_error("K004", [&] { kernel(whole, row, moved); });
  Array<float, 2> both = u.first();
  expect_error("K004", [&] { kernel(u.first(), View<const float, 1>(both.data(), {m}), both); });
}

TEST(Alias, TextAndTheBuffersThatAreShared) {
  Update u;
  Schedule s(u.c), again(u.c), without(u.c);
  s.alias(u.c, u.a);
  EXPECT_EQ(s.to_text(), "alias o2 o0\n");
  EXPECT_THAT(s.to_cpp(), HasSubstr("s.alias(c, a);"));
  again.replay(s.to_text());
  EXPECT_EQ(print(again, u.a, u.b, u.c), print(s, u.a, u.b, u.c));
  EXPECT_THAT(print(s, u.a, u.b, u.c), HasSubstr("a: in float32[6, 37], shared"));
  EXPECT_THAT(emit_c(s, u.a, u.b, u.c).text, Not(HasSubstr("float *restrict a")));
  EXPECT_THAT(emit_c(s, u.a, u.b, u.c).text, HasSubstr("float *restrict b"));
  EXPECT_THAT(emit_c(without, u.a, u.b, u.c).text, HasSubstr("float *restrict a"));
}

}  // namespace
