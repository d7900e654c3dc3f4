// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The regions that producers are computed over, as `print` shows them.

#include <cstdint>
#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lathe/jit.hpp"
#include "lathe/lathe.hpp"

namespace lathe {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(Regions, InlinedStagesAreNamed) {
  auto a = placeholder<float>({8}, "a");
  auto b = compute({8}, [&](Index i) { return a(i) + 1.0f; }, "b");
  auto c = compute({8}, [&](Index i) { return b(i) * 2.0f; }, "c");
  EXPECT_THAT(print(Schedule(c), a, c), StartsWith("# b is inlined: read at one place, not scheduled\n"));
  Schedule s(c);
  s[b].compute_root();
  EXPECT_THAT(print(s, a, c), StartsWith("function kernel("));
}

/// So that a nest does not become deeper with every stage.
TEST(Regions, BuffersAreAllocatedTogether) {
  auto a = placeholder<float>({8}, "a");
  auto b = compute({8}, [&](Index i) { return a(i) + 1.0f; }, "b");
  auto c = compute({8}, [&](Index i) { return b(i) * 2.0f; }, "c");
  auto d = compute({8}, [&](Index i) { return c(7 - i) + b(i); }, "d");
  Schedule s(d);
  s[b].compute_root();
  s[c].compute_root();
  const std::string text = print(s, a, d);
  const auto both = text.find("  allocate b: float32[8]\n  allocate c: float32[8]\n  # b\n");
  EXPECT_NE(both, std::string::npos) << text;
}

/// Tiles of 4 of a window of 3 need 6 elements each: 4 * 6 = 24 are computed, 16 + 2 = 18 there are.
TEST(Regions, ComputedAgainstNeeded) {
  auto a = placeholder<float>({18}, "a");
  auto b = compute({18}, [&](Index i) { return a(i) + 1.0f; }, "b");
  auto k = reduce_axis(3, "k");
  auto c = compute({16}, [&](Index i) { return sum(b(i + k), k); }, "c");
  Schedule s(c);
  auto [outer, inner] = s[c].split(s[c].axis(0), 4);
  s[b].compute_at(s[c], outer);
  EXPECT_THAT(print(s, a, c), StartsWith("# b computes 24 elements where 18 are needed (1.33 times)\n"));
  Schedule exact(c);
  exact[b].compute_root();
  EXPECT_THAT(print(exact, a, c), Not(HasSubstr("# b computes")));
}

/// An index that is data of 16 bits may be anything from 0 to 32767, but a tensor has no more rows than it has.
TEST(Regions, NoWiderThanTheTensor) {
  SizeVar n = size_var("n");
  auto rows = placeholder<float>({n, 4}, "rows");
  auto ids = placeholder<std::int16_t>({6}, "ids");
  auto c = compute({6, 4}, [&](Index i, Index j) { return rows(clamp(cast<index_t>(ids(i)), Index(0), Index(n) - 1), j); }, "c");
  Schedule s(c);
  auto cached = s.cache_read(rows, scope::local, c);
  const auto kernel = interpret(s, rows, ids, c);
  const auto table = Array<float, 2>::generate({5, 4}, [](auto y, auto x) { return 10 * y + x; });
  const auto picks = Array<std::int16_t, 1>::generate({6}, [](auto i) { return static_cast<std::int16_t>(7000 * i - 7000); });
  Array<float, 2> result({6, 4});
  kernel(table, picks, result);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 4; ++j) EXPECT_EQ(result(i, j), (i < 2 ? 0 : 40) + j);
  EXPECT_THAT(print(s, rows, ids, c), Not(HasSubstr("[32768, 4]")));
}

/// Data beyond 62 bits is no count: the interpreter says so, however the axis is split.
TEST(Regions, GreatCountsFromData) {
  auto counts = placeholder<std::int64_t>({1}, "counts");
  auto a = placeholder<float>({8}, "a");
  auto c = compute(
      {1},
      [&](Index i) {
        auto r = reduce_axis(counts(i), "r");
        return sum(unchecked(a(r)), r);
      },
      "c");
  for (const bool in_parts : {false, true}) {
    Schedule s(c);
    if (in_parts)
      s[c].split(s[c].reduce_axes()[0], parts(4));
    else
      s[c].split(s[c].reduce_axes()[0], 4);
    const auto kernel = interpret(s, counts, a, c);
    const auto great = Array<std::int64_t, 1>::of({std::numeric_limits<std::int64_t>::max()});
    Array<float, 1> values({8}), result({1});
    values.fill(1);
    try {
      kernel(great, values, result);
      ADD_FAILURE() << "accepted: " << result(0);
    } catch (const Error &error) {
      EXPECT_EQ(error.code(), "R004");
    }
  }
}

}  // namespace
}  // namespace lathe
