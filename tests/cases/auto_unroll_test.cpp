// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Loops that are unrolled as far as a limit allows.

#include <gmock/gmock.h>

#include "cases/every_backend.hpp"
#include "lathe/ir/walk.hpp"

namespace {

using namespace cases;
using testing::HasSubstr;
using testing::Not;

struct Product {
  Input<std::int32_t, 2> a = placeholder<std::int32_t>({6, 4}, "a"), b = placeholder<std::int32_t>({4, 8}, "b");
  ReduceAxis k = reduce_axis(4, "k");
  Tensor<std::int32_t, 2> c = compute({6, 8}, [&](Index i, Index j) { return sum(a(i, k) * b(k, j), k); }, "c(i, j)");

  std::vector<Given> given() const {
    const auto left = counted<std::int32_t, 2>({6, 4}, 1, 3), right = counted<std::int32_t, 2>({4, 8}, -9, 2);
    return {in(a, left), in(b, right), out(c, Array<std::int32_t, 2>::generate({6, 8}, [&](auto y, auto x) {
                                             std::int32_t total = 0;
                                             for (std::int64_t z = 0; z < 4; ++z) total += left(y, z) * right(z, x);
                                             return total;
                                           }))};
  }
};

/// Which loops are unrolled: the names in the printed loops that start so.
std::string unrolled_in(const std::string &text) {
  std::string names;
  for (std::size_t at = text.find("unrolled "); at != std::string::npos; at = text.find("unrolled ", at + 1)) {
    const std::size_t name = at + 9;
    names += (names.empty() ? "" : " ") + text.substr(name, text.find(' ', name) - name);
  }
  return names;
}

TEST(AutoUnroll, FromTheInsideAsFarAsTheLimit) {
  EveryBackend run;
  Product p;
  const std::pair<std::int64_t, const char *> cases[] = {{3, ""}, {4, "k"}, {31, "k"}, {32, "j k"}, {1000, "j k"}};
  for (const auto &[most, loops] : cases) {
    Schedule s(p.c);
    s[p.c].auto_unroll(s[p.c].axis(0), most);
    EXPECT_EQ(unrolled_in(print(s, p.a, p.b, p.c)), loops) << most;
    run.expect(s, p.given());
  }
}

TEST(AutoUnroll, LanesDoNotCountAndMarkedCopiesDo) {
  EveryBackend run;
  Product p;
  Schedule s(p.c);
  auto [i, j] = s[p.c].axes();
  s[p.c].reorder(i, p.k, j);
  s[p.c].vectorize(j);
  s[p.c].auto_unroll(i, 4);
  EXPECT_THAT(print(s, p.a, p.b, p.c), HasSubstr("unrolled k in"));
  run.expect(s, p.given());
  Schedule t(p.c);
  auto [io, ii] = t[p.c].split(t[p.c].axis(0), 3);
  t[p.c].reorder(io, t[p.c].axis(1), p.k, ii);
  t[p.c].unroll(ii);
  t[p.c].auto_unroll(io, 11);  // 3 * 4 would be 12
  EXPECT_THAT(print(t, p.a, p.b, p.c), Not(HasSubstr("unrolled k in")));
  run.expect(t, p.given());
  t[p.c].auto_unroll(io, 12);
  EXPECT_THAT(print(t, p.a, p.b, p.c), HasSubstr("unrolled k in"));
  run.expect(t, p.given());
}

TEST(AutoUnroll, StopsAtALoopOfSymbolicExtent) {
  SizeVar n = size_var("n");
  auto a = placeholder<float>({4, n, 4}, "a");
  auto b = compute({4, n, 4}, [&](Index i, Index j, Index k) { return a(i, j, k) + 1.0f; }, "b(i, j, k)");
  Schedule s(b);
  s[b].fuse({});
  s[b].auto_unroll(s[b].loops()[0], 1000);
  EXPECT_EQ(unrolled_in(print(s, a, b)), "k");
}

TEST(AutoUnroll, TextAndCppReadBack) {
  Product p;
  Schedule s(p.c);
  s[p.c].auto_unroll(s[p.c].axis(0), 16);
  EXPECT_EQ(s.to_text(), "auto_unroll o2 o0 16\n");
  EXPECT_THAT(s.to_cpp(), HasSubstr("s[c].auto_unroll(i, 16);\n"));
  Schedule again(p.c);
  again.replay(s.to_text());
  EXPECT_EQ(again.to_cpp(), s.to_cpp());
}

}  // namespace
