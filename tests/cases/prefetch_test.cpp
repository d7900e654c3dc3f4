// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Hints to the caches: where they point, and that they change nothing.

#include <gmock/gmock.h>

#include "cases/every_backend.hpp"

namespace {

using namespace cases;
using testing::HasSubstr;

struct Doubled {
  Input<float, 2> a = placeholder<float>({6, 40}, "a");
  Tensor<float, 2> b = compute({6, 40}, [&](Index i, Index j) { return a(i, j) * 2.0f; }, "b(i, j)");

  std::vector<Given> given() const {
    const auto values = counted<float, 2>({6, 40}, 1, 3);
    return {in(a, values), out(b, Array<float, 2>::generate({6, 40}, [&](auto i, auto j) { return values(i, j) * 2; }))};
  }
};

/// A row of 40 floats is 160 bytes, which begin in 3 lines.
TEST(Prefetch, ALineEach) {
  EveryBackend run;
  Doubled p;
  Schedule s(p.b);
  s[p.b].prefetch(p.a, s[p.b].axis(0), 2);
  EXPECT_THAT(print(s, p.a, p.b), HasSubstr("  for i in 0..6:\n"
                                            "    unrolled ahead in 0..3:\n"
                                            "      prefetch a[i + 2, ahead*16]\n"
                                            "    for j in 0..40:\n"));
  run.expect(s, p.given());
}

TEST(Prefetch, OneVectorAhead) {
  EveryBackend run;
  Doubled p;
  Schedule s(p.b);
  auto [jo, ji] = s[p.b].split(s[p.b].axis(1), 8);
  s[p.b].vectorize(ji);
  s[p.b].prefetch(p.a, jo, 4);
  EXPECT_THAT(print(s, p.a, p.b), HasSubstr("prefetch a[i, j.outer*8 + 32]\n"));
  EXPECT_THAT(emit_llvm(s, p.a, p.b), HasSubstr("call void @llvm.prefetch.p0(ptr "));
  EXPECT_THAT(emit_c(s, p.a, p.b).text, HasSubstr("prefetch_u64(a, 4 * (uint64_t)("));
  run.expect(s, p.given());
}

/// The loop that was named is split later: its inner part counts.
TEST(Prefetch, FollowsASplit) {
  EveryBackend run;
  Doubled p;
  Schedule s(p.b);
  s[p.b].prefetch(p.a, s[p.b].axis(0), 1);
  s[p.b].split(s[p.b].axis(0), 2);
  EXPECT_THAT(print(s, p.a, p.b), HasSubstr("prefetch a[i.outer*2 + i.inner + 1, ahead*16]"));
  run.expect(s, p.given());
}

/// All reads of one iteration make one box: rows y to y + 2, which a stage that is computed inside the loop reads.
TEST(Prefetch, TheBoxOfAWindow) {
  EveryBackend run;
  auto a = placeholder<std::int32_t>({12, 9}, "a");
  auto ky = reduce_axis(3, "ky");
  auto sums = compute({10, 9}, [&](Index y, Index x) { return sum(a(y + ky, x), ky); }, "sums(y, x)");
  auto c = compute({10, 8}, [&](Index y, Index x) { return sums(y, x) - sums(y, x + 1); }, "c(y, x)");
  Schedule s(c);
  s[sums].compute_at(s[c], s[c].axis(0));
  s[c].prefetch(a, s[c].axis(0), 1);
  EXPECT_THAT(print(s, a, c), HasSubstr("  for y in 0..10:\n"
                                        "    unrolled ahead in 0..3:\n"
                                        "      prefetch a[ahead + y + 1, 0]\n"));
  const auto values = counted<std::int32_t, 2>({12, 9}, 5, 7);
  const auto column = [&](std::int64_t y, std::int64_t x) { return values(y, x) + values(y + 1, x) + values(y + 2, x); };
  run.expect(s, {in(a, values), out(c, Array<std::int32_t, 2>::generate(
                                           {10, 8}, [&](auto y, auto x) { return column(y, x) - column(y, x + 1); }))});
}

/// Of a copy with a layout the hint goes to where the elements lie; of an inlined stage, to what it reads.
TEST(Prefetch, OfACopyAndThroughAnInlinedStage) {
  EveryBackend run;
  auto a = placeholder<float>({64}, "a");
  auto b = compute({64}, [&](Index i) { return a(i) + 1.0f; }, "b(i)");
  auto c = compute({64}, [&](Index i) { return b(i) * 3.0f; }, "c(i)");
  Schedule s(c);
  auto copy = s.cache_read(a, scope::global, b);
  s[copy].layout([](Index i) { return at(i / 8, i % 8); });
  s[c].prefetch(copy, s[c].axis(0), 16);
  EXPECT_THAT(print(s, a, c), HasSubstr("prefetch a.cache[i/8 + 2, i%8]"));
  const auto values = counted<float, 1>({64}, 2, 1);
  run.expect(s, {in(a, values), out(c, Array<float, 1>::generate({64}, [&](auto i) { return (values(i) + 1) * 3; }))});
}

/// Of steps so long that their products with factors leave 64 bits, nothing is fetched, or they are refused.
TEST(Prefetch, FarAhead) {
  EveryBackend run;
  Doubled p;
  Schedule s(p.b);
  auto [jo, ji] = s[p.b].split(s[p.b].axis(1), 4);
  s[p.b].prefetch(p.a, jo, std::int64_t{1} << 40);
  run.expect(s, p.given());
  for (const std::int64_t ahead : {(std::int64_t{1} << 40) + 1, std::int64_t{1} << 61, std::numeric_limits<std::int64_t>::max()})
    expect_error("S039", [&] { s[p.b].prefetch(p.a, jo, ahead); });
}

TEST(Prefetch, TextAndCppReadBack) {
  Doubled p;
  Schedule s(p.b), again(p.b);
  s[p.b].prefetch(p.a, s[p.b].axis(1), 16);
  EXPECT_EQ(s.to_text(), "prefetch o1 o0 o1 16\n");
  EXPECT_THAT(s.to_cpp(), HasSubstr("s[b].prefetch(a, j, 16);"));
  again.replay(s.to_text());
  EXPECT_EQ(print(again, p.a, p.b), print(s, p.a, p.b));
}

}  // namespace
