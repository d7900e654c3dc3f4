// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// split with a tail policy: promises that it divides, and buffers that are rounded up.

#include <gmock/gmock.h>

#include "cases/every_backend.hpp"

namespace {

using namespace cases;
using testing::HasSubstr;
using testing::Not;

Array<float, 1> doubled(std::int64_t n) {
  return Array<float, 1>::generate({n}, [](std::int64_t i) { return static_cast<float>(2 * i + 2); });
}

TEST(TailDivides, OfAConstantExtentNeedsNoCheck) {
  EveryBackend run;
  auto a = placeholder<float>({48}, "a");
  auto b = compute({48}, [&](Index i) { return a(i) * 2.0f; }, "b(i)");
  for (const bool by_parts : {false, true}) {
    Schedule s(b);
    auto [o, i] = by_parts ? s[b].split(s[b].axis(0), parts(6), tail::divides) : s[b].split(s[b].axis(0), 8, tail::divides);
    s[b].vectorize(i);
    EXPECT_THAT(print(s, a, b), Not(HasSubstr("require")));
    run.expect(s, {in(a, counted<float, 1>({48}, 1)), out(b, doubled(48))});
  }
}

TEST(TailDivides, OfASymbolIsCheckedAtEachCallAndGuardsNothing) {
  EveryBackend run;
  SizeVar n = size_var("n");
  auto a = placeholder<float>({n}, "a");
  auto b = compute({n}, [&](Index i) { return a(i) * 2.0f; }, "b(i)");
  Schedule s(b);
  auto [o, i] = s[b].split(s[b].axis(0), 16, tail::divides);
  auto [io, ii] = s[b].split(i, 4);
  s[b].vectorize(ii);
  const std::string text = print(s, a, b);
  EXPECT_THAT(text, HasSubstr("require n%16 == 0, \"n is a multiple of 16\""));
  EXPECT_THAT(text, Not(HasSubstr("if")));
  for (const std::int64_t size : {0, 16, 48}) run.expect(s, {in(a, counted<float, 1>({size}, 1)), out(b, doubled(size))});
  for (const std::int64_t size : {1, 15, 17, 40})
    run.expect_failure("K005", "K005", s, {in(a, counted<float, 1>({size}, 1)), out(b, doubled(size))});
  const Source source = emit_c(s, a, b);
  ASSERT_EQ(source.requirements.size(), 1u);
  EXPECT_THAT(source.text, HasSubstr("// Callers see to it that n is a multiple of 16.\n"));
}

TEST(TailDivides, ByPartsOfASymbol) {
  EveryBackend run;
  SizeVar n = size_var("n");
  auto a = placeholder<float>({n}, "a");
  auto b = compute({n}, [&](Index i) { return a(i) * 2.0f; }, "b(i)");
  Schedule s(b);
  s[b].parallel(s[b].split(s[b].axis(0), parts(3), tail::divides).first);
  EXPECT_THAT(print(s, a, b), Not(HasSubstr("if")));
  for (const std::int64_t size : {0, 3, 21}) run.expect(s, {in(a, counted<float, 1>({size}, 1)), out(b, doubled(size))});
  run.expect_failure("K005", "K005", s, {in(a, counted<float, 1>({20}, 1)), out(b, doubled(20))});
}

/// The promise about one split serves another of the same extent, also of a reduction.
TEST(TailDivides, OnePromiseIsCheckedOnce) {
  EveryBackend run;
  SizeVar n = size_var("n");
  auto a = placeholder<std::int32_t>({n, n}, "a");
  auto k = reduce_axis(n, "k");
  auto b = compute({n}, [&](Index i) { return sum(a(i, k), k); }, "b(i)");
  Schedule s(b);
  s[b].split(s[b].axis(0), 8, tail::divides);
  s[b].split(k, 4, tail::divides);
  const std::string text = print(s, a, b);
  EXPECT_EQ(text.find("require"), text.rfind("require")) << text;
  EXPECT_THAT(text, Not(HasSubstr("if")));
  run.expect(
      s, {in(a, Array<std::int32_t, 2>::generate({8, 8}, [](auto i, auto j) { return static_cast<std::int32_t>(10 * i + j); })),
          out(b, Array<std::int32_t, 1>::generate({8}, [](auto i) { return static_cast<std::int32_t>(80 * i + 28); }))});
}

TEST(TailDivides, WhatPlacementMakesFalseIsRefused) {
  EveryBackend run;
  auto a = placeholder<float>({20}, "a");
  auto b = compute({20}, [&](Index i) { return a(i) + 1.0f; }, "b(i)");
  auto c = compute({16}, [&](Index i) { return b(i) + b(i + 2); }, "c(i)");
  Schedule s(c);
  auto [o, i] = s[c].split(s[c].axis(0), 4);
  s[b].split(s[b].axis(0), 4, tail::divides);  // of 20, but at o only 6 are computed
  s[b].compute_at(s[c], o);
  run.expect_unbuildable("L031", s, {a, c});
}

// ---- round_up -----------------------------------------------------------------------------------------------------------------

TEST(TailRoundUp, CoversWholePartsOnAPaddedBuffer) {
  EveryBackend run;
  for (const std::int64_t n : {1, 15, 16, 17, 40}) {
    auto a = placeholder<float>({n}, "a");
    auto b = compute({n}, [&](Index i) { return a(i) * 2.0f; }, "b(i)");
    auto c = compute({n}, [&](Index i) { return b(n - 1 - i) + b(i); }, "c(i)");
    Schedule s(c);
    auto [o, i] = s[b].split(s[b].axis(0), 16, tail::round_up);
    s[b].vectorize(i);
    const auto buffers = allocations(s, {a, c});
    ASSERT_EQ(buffers.size(), 1u);
    EXPECT_EQ(buffers[0].shape, (std::vector<std::int64_t>{(n + 15) / 16 * 16}));
    EXPECT_THAT(print(s, a, c), Not(HasSubstr("if ")));
    run.expect(s,
               {in(a, counted<float, 1>({n}, 1)), out(c, Array<float, 1>::generate({n}, [&](auto) { return 2.0f * (n + 1); }))});
  }
}

TEST(TailRoundUp, OfASymbol) {
  EveryBackend run;
  SizeVar n = size_var("n");
  auto a = placeholder<float>({n}, "a");
  auto b = compute({n}, [&](Index i) { return a(i) * 2.0f; }, "b(i)");
  auto c = compute({n}, [&](Index i) { return b(n - 1 - i) + b(i); }, "c(i)");
  for (const bool by_parts : {false, true}) {
    Schedule s(c);
    if (by_parts)
      s[b].parallel(s[b].split(s[b].axis(0), parts(4), tail::round_up).first);
    else
      s[b].vectorize(s[b].split(s[b].axis(0), 8, tail::round_up).second);
    EXPECT_THAT(print(s, a, c), Not(HasSubstr("if ")));
    for (const std::int64_t size : {0, 1, 7, 8, 9, 30})
      run.expect(s, {in(a, counted<float, 1>({size}, 1)),
                     out(c, Array<float, 1>::generate({size}, [&](auto) { return 2.0f * static_cast<float>(size + 1); }))});
  }
}

/// The tiles of a packed product: padding reads padding, so nothing is guarded in the innermost loops.
TEST(TailRoundUp, PaddingThatReadsPaddingNeedsNoGuard) {
  EveryBackend run;
  constexpr std::int64_t m = 7, n = 11, depth = 5;
  auto a = placeholder<std::int32_t>({m, depth}, "a");
  auto b = placeholder<std::int32_t>({depth, n}, "b");
  auto k = reduce_axis(depth, "k");
  auto c = compute({m, n}, [&](Index i, Index j) { return sum(a(i, k) * b(k, j), k); }, "c(i, j)");
  Schedule s(c);
  auto sums = s.cache_write(c, scope::global);
  auto rows = s.cache_read(a, scope::global, sums);
  auto columns = s.cache_read(b, scope::global, sums);
  s[rows].split(s[rows].axis(0), 4, tail::round_up);
  s[columns].vectorize(s[columns].split(s[columns].axis(1), 8, tail::round_up).second);
  auto [i, j] = s[sums].axes();
  auto [io, ii] = s[sums].split(i, 4, tail::round_up);
  auto [jo, ji] = s[sums].split(j, 8, tail::round_up);
  s[sums].reorder(io, jo, k, ii, ji);
  s[sums].vectorize(ji);
  s[sums].unroll(ii);
  const std::string text = print(s, a, b, c);
  const std::string product = text.substr(text.find("# c.cache"));
  EXPECT_THAT(product.substr(0, product.find("# c\n")), Not(HasSubstr("<")));
  EXPECT_THAT(text, Not(HasSubstr("if ")));
  const auto left = counted<std::int32_t, 2>({m, depth}, 1, 3), right = counted<std::int32_t, 2>({depth, n}, -9, 2);
  run.expect(s, {in(a, left), in(b, right), out(c, Array<std::int32_t, 2>::generate({m, n}, [&](auto y, auto x) {
                                                  std::int32_t total = 0;
                                                  for (std::int64_t z = 0; z < depth; ++z) total += left(y, z) * right(z, x);
                                                  return total;
                                                }))});
}

/// At a loop of a consumer the last tile reaches over the end: it is whole, its padding reads nothing that is not there.
TEST(TailRoundUp, InATileOfTheConsumer) {
  EveryBackend run;
  SizeVar n = size_var("n");
  auto a = placeholder<float>({n}, "a");
  auto b = compute({n}, [&](Index i) { return a(i) * 2.0f; }, "b(i)");
  auto c = compute({n}, [&](Index i) { return b(i) + 1.0f; }, "c(i)");
  Schedule s(c);
  auto [o, i] = s[c].split(s[c].axis(0), 8);
  s[b].vectorize(s[b].split(s[b].axis(0), 8, tail::round_up).second);
  s[b].set_scope(scope::local);
  s[b].compute_at(s[c], o);
  for (const std::int64_t size : {0, 3, 8, 21})
    run.expect(s, {in(a, counted<float, 1>({size})),
                   out(c, Array<float, 1>::generate({size}, [](auto at) { return static_cast<float>(2 * at + 1); }))});
}

/// What the expression checks or calls, it does not check or call in padding.
TEST(TailRoundUp, PaddingPassesChecks) {
  EveryBackend run;
  auto ids = placeholder<std::int32_t>({5}, "ids");
  auto table = placeholder<std::int32_t>({4}, "table");
  auto b = compute({5}, [&](Index i) { return table(ids(i)); }, "b(i)");
  auto c = compute({5}, [&](Index i) { return b(i) + b(4 - i); }, "c(i)");
  Schedule s(c);
  s[b].split(s[b].axis(0), 4, tail::round_up);
  run.expect(s, {in(ids, Array<std::int32_t, 1>::of({3, 0, 1, 2, 3})), in(table, Array<std::int32_t, 1>::of({10, 20, 30, 40})),
                 out(c, Array<std::int32_t, 1>::of({80, 40, 40, 40, 80}))});
}

/// Start values, conditions and sources of a reduction read what is not there beyond the end.
TEST(TailRoundUp, OfAReductionWithStartValuesAndCondition) {
  EveryBackend run;
  auto a = placeholder<std::int32_t>({6, 3}, "a");
  auto bias = placeholder<std::int32_t>({6}, "bias");
  auto k = reduce_axis(3, "k");
  auto b = compute({6}, [&](Index i) { return sum(a(i, k), k).where(a(i, k) != 2).init(bias(i)); }, "b(i)");
  auto c = compute({6}, [&](Index i) { return b(i) - b(5 - i); }, "c(i)");
  for (const bool outside : {false, true}) {
    Schedule s(c);
    auto [o, i] = s[b].split(s[b].axis(0), 4, tail::round_up);
    if (outside) s[b].reorder(k, o, i);
    s[b].vectorize(i);
    run.expect(s, {in(a, counted<std::int32_t, 2>({6, 3})), in(bias, counted<std::int32_t, 1>({6}, 100, 10)),
                   out(c, Array<std::int32_t, 1>::of({-97, -57, -19, 19, 57, 97}))});
  }
}

TEST(Tails, TextAndCppReadBack) {
  auto a = placeholder<float>({32, 32}, "a");
  auto b = compute({32, 32}, [&](Index i, Index j) { return a(i, j) * 2.0f; }, "b(i, j)");
  auto c = compute({32, 32}, [&](Index i, Index j) { return b(j, i) + b(i, j); }, "c(i, j)");
  Schedule s(c);
  auto [i, j] = s[c].axes();
  auto [io, ii] = s[c].split(i, 8, tail::divides);
  s[c].split(j, parts(4), tail::divides);
  s[c].split(ii, 3, tail::guard);
  s[b].split(s[b].axis(0), 5, tail::round_up);
  EXPECT_EQ(s.to_text(), "split o2 o0 8 divides\nsplit o2 o1 4 parts divides\nsplit o2 s0.1 3\nsplit o1 o0 5 round_up\n");
  EXPECT_THAT(s.to_cpp(), HasSubstr("= s[c].split(j, parts(4), tail::divides);"));
  Schedule again(c);
  again.replay(s.to_text());
  EXPECT_EQ(again.to_cpp(), s.to_cpp());
  expect_error("S018", [&] { again.replay("split o2 o0 8 divides divides"); });
  expect_error("S018", [&] { again.replay("split o2 o0 8 guarded"); });
}

}  // namespace
