// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Facts about sizes that a schedule assumes: what lowering makes of them, and what callers get whose sizes are others.

#include <gmock/gmock.h>

#include "cases/every_backend.hpp"

namespace {

using namespace cases;
using testing::HasSubstr;
using testing::Not;

struct Doubling {
  SizeVar m = size_var("m"), n = size_var("n");
  Input<std::int32_t, 2> a = placeholder<std::int32_t>({m, n}, "a");
  Tensor<std::int32_t, 2> b = compute({m, n}, [&](Index i, Index j) { return a(i, j) * 2; }, "b(i, j)");

  std::vector<Given> given(std::int64_t rows, std::int64_t columns) const {
    return {in(a, counted<std::int32_t, 2>({rows, columns}, 1)), out(b, counted<std::int32_t, 2>({rows, columns}, 2, 2))};
  }
};

TEST(Assume, AMultipleNeedsNoGuard) {
  EveryBackend run;
  Doubling d;
  Schedule s(d.b);
  s[d.b].vectorize(s[d.b].split(s[d.b].axis(1), 8).second);
  EXPECT_THAT(print(s, d.a, d.b), HasSubstr("if "));
  s.assume(d.n % 8 == 0);
  EXPECT_THAT(print(s, d.a, d.b), Not(HasSubstr("if ")));
  run.expect(s, d.given(3, 16));
  run.expect(s, d.given(2, 0));
  run.expect_failure("K005", "K005", s, d.given(3, 12));
}

/// What is assumed proves what a split promises, so that only the assumption is checked.
TEST(Assume, ProvesThePromiseOfASplit) {
  EveryBackend run;
  Doubling d;
  Schedule s(d.b);
  s.assume(d.n % 32 == 0 && d.m >= 2);
  s[d.b].split(s[d.b].axis(1), 8, tail::divides);
  const std::string text = print(s, d.a, d.b);
  EXPECT_EQ(text.find("require"), text.rfind("require")) << text;
  run.expect(s, d.given(2, 32));
  run.expect_failure("K005", "K005", s, d.given(1, 32));
  run.expect_failure("K005", "K005", s, d.given(2, 8));
}

TEST(Assume, RelationsOfSeveralSizes) {
  EveryBackend run;
  SizeVar m = size_var("m"), n = size_var("n");
  auto a = placeholder<std::int32_t>({n}, "a");
  auto e = placeholder<std::int32_t>({m}, "e");
  auto b = compute({m}, [&](Index i) { return a(i) + e(i); }, "b(i)");
  Schedule s(b);
  EXPECT_THAT(print(s, a, e, b), HasSubstr("check "));  // may be out of range
  s.assume(m <= n);
  EXPECT_THAT(print(s, a, e, b), Not(HasSubstr("check ")));
  run.expect(s, {in(a, counted<std::int32_t, 1>({5})), in(e, counted<std::int32_t, 1>({4}, 1, 0)),
                 out(b, counted<std::int32_t, 1>({4}, 1))});
  run.expect_failure("K005", "K005", s,
                     {in(a, counted<std::int32_t, 1>({3})), in(e, counted<std::int32_t, 1>({4}, 1, 0)),
                      out(b, counted<std::int32_t, 1>({4}, 1))});
}

/// That a size is at most 9 does not say that it is 9: what it may read is checked when it runs.
TEST(Assume, AGreatestSizeNeedNotBeReached) {
  EveryBackend run;
  SizeVar n = size_var("n");
  auto a = placeholder<std::int32_t>({6}, "a");
  auto b = placeholder<std::int32_t>({n}, "b");
  auto c = compute({n}, [&](Index i) { return a(i + i) + b(i); }, "c(i)");
  Schedule s(c);
  s.assume(n <= 9);
  run.expect(s, {in(a, counted<std::int32_t, 1>({6})), in(b, counted<std::int32_t, 1>({3})),
                 out(c, Array<std::int32_t, 1>::of({0, 3, 6}))});
}

/// A function over somebody's extents may assume of constants too.
TEST(Assume, OfConstantsTakesNoStep) {
  auto a = placeholder<float>({32}, "a");
  auto b = compute({32}, [&](Index i) { return a(i) + 1.0f; }, "b(i)");
  Schedule s(b);
  s.assume(a.shape()[0] % 16 == 0);
  EXPECT_EQ(s.to_text(), "");
  expect_error("S034", [&] { s.assume(a.shape()[0] % 15 == 0); });
}

TEST(Assume, TextAndCppReadBack) {
  Doubling d;
  Schedule s(d.b);
  s.cache_read(d.a, scope::local, d.b);
  s.assume(d.n % 16 == 0);
  s.assume(d.m * 2 - d.n >= -7 || !(min(d.m, d.n) < 3));
  s[d.b].parallel(s[d.b].axis(0));
  EXPECT_THAT(s.to_text(), HasSubstr("\nassume == % v1 16 0\nassume || >= "));
  EXPECT_THAT(s.to_cpp(), HasSubstr("s.assume(n%16 == 0);\n"));
  Schedule again(d.b);
  again.replay(s.to_text());
  EXPECT_EQ(again.to_text(), s.to_text());
  EXPECT_EQ(again.to_cpp(), s.to_cpp());
  EXPECT_EQ(print(again, d.a, d.b), print(s, d.a, d.b));
  for (const char *line :
       {"assume", "assume == % v2 16 0", "assume v0", "assume == v0", "assume == v0 1 2", "assume == v-1 1", "assume x"})
    EXPECT_THROW(again.replay(line), Error) << line;
}

}  // namespace
