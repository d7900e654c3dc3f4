// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// cache_write of stages that are scheduled already: the loops go with the computation.

#include <gmock/gmock.h>

#include "cases/every_backend.hpp"

namespace {

using namespace cases;
using testing::HasSubstr;

struct Product {
  Input<std::int32_t, 2> a = placeholder<std::int32_t>({10, 7}, "a"), b = placeholder<std::int32_t>({7, 12}, "b");
  ReduceAxis k = reduce_axis(7, "k");
  Tensor<std::int32_t, 2> twice = compute({10, 7}, [&](Index i, Index z) { return a(i, z) * 2; }, "twice(i, z)");
  Tensor<std::int32_t, 2> c = compute({10, 12}, [&](Index i, Index j) { return sum(twice(i, k) * b(k, j), k); }, "c(i, j)");

  std::vector<Given> given() const {
    const auto left = counted<std::int32_t, 2>({10, 7}, 1, 3), right = counted<std::int32_t, 2>({7, 12}, -9, 2);
    return {in(a, left), in(b, right), out(c, Array<std::int32_t, 2>::generate({10, 12}, [&](auto y, auto x) {
                                             std::int32_t total = 0;
                                             for (std::int64_t z = 0; z < 7; ++z) total += 2 * left(y, z) * right(z, x);
                                             return total;
                                           }))};
  }
};

std::string loops_of(Schedule &s, const AnyTensor &tensor) {
  return scheduling::loops_text(*s.state().find(tensor.untyped().operation));
}

TEST(CacheWrite, TakesTheLoopsAndWhatIsComputedAtThem) {
  EveryBackend run;
  Product p;
  Schedule s(p.c);
  auto [i, j] = s[p.c].axes();
  auto [io, ii] = s[p.c].split(i, 4);
  auto [jo, ji] = s[p.c].split(j, 8);
  auto [ko, ki] = s[p.c].split(p.k, parts(2));
  s[p.c].reorder(io, jo, ko, ki, ii, ji);
  s[p.c].vectorize(ji);
  s[p.c].unroll(ii);
  s[p.twice].compute_at(s[p.c], ko);
  s[p.c].prefetch(p.b, ki, 1);
  auto sums = s.cache_write(p.c, scope::local);
  EXPECT_EQ(loops_of(s, p.c), "i · j");
  EXPECT_EQ(loops_of(s, sums), "i.outer · j.outer · k.outer · k.inner · i.inner · j.inner");
  run.expect(s, p.given());
  // The old handles name the loops where they are now, and original axes in both.
  s[sums].fuse(io, jo);
  auto [co, ci] = s[p.c].split(i, 2);
  s[p.c].vectorize(j);
  s[sums].compute_at(s[p.c], co);
  run.expect(s, p.given());
  Schedule again(p.c);
  again.replay(s.to_text());
  EXPECT_EQ(again.to_text(), s.to_text());
  EXPECT_EQ(print(again, p.a, p.b, p.c), print(s, p.a, p.b, p.c));
  EXPECT_THAT(s.to_cpp(), HasSubstr("auto c_local = s.cache_write(c, scope::local);\n"
                                    "auto i_outer_j_outer = s[c_local].fuse(i_outer, j_outer);\n"
                                    "auto [i_outer_1, i_inner_1] = s[c].split(i, 2);\n"));
}

TEST(CacheWrite, Twice) {
  EveryBackend run;
  Product p;
  Schedule s(p.c);
  auto [ko, ki] = s[p.c].split(p.k, 3);
  auto sums = s.cache_write(p.c, scope::global);
  auto inner = s.cache_write(sums, scope::local);
  s[inner].unroll(ki);  // through both
  auto outer = s.cache_write(p.c, Scope{"tile"});
  EXPECT_EQ(loops_of(s, inner), "i · j · k.outer · k.inner");
  EXPECT_EQ(loops_of(s, sums), "i · j");
  EXPECT_EQ(loops_of(s, outer), "i · j");
  run.expect(s, p.given());
}

/// Memory stays: a stride that was padded is that of the result.
TEST(CacheWrite, LeavesTheMemory) {
  EveryBackend run;
  Product p;
  auto d = compute({10, 12}, [&](Index i, Index j) { return p.c(i, j) + 1; }, "d(i, j)");
  Schedule s(d);
  s[p.c].storage_align(s[p.c].axis(0), 16);
  auto sums = s.cache_write(p.c, scope::local);
  EXPECT_THAT(print(s, p.a, p.b, d), HasSubstr("allocate c: int32[10, 12], strides [16, 1]"));
  EXPECT_THAT(print(s, p.a, p.b, d), HasSubstr("allocate c.local: int32[10, 12] in local"));
  const Given right = p.given()[2];
  run.expect(s, {p.given()[0], p.given()[1], out(d, Array<std::int32_t, 2>::generate({10, 12}, [&](auto y, auto x) {
                                                   std::int32_t total = 1;
                                                   for (std::int64_t z = 0; z < 7; ++z)
                                                     total += 2 * static_cast<std::int32_t>(1 + 3 * (y * 7 + z)) *
                                                              static_cast<std::int32_t>(-9 + 2 * (z * 12 + x));
                                                   return total;
                                                 }))});
}

}  // namespace
