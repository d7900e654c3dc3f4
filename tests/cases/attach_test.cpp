// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Cases about where stages are computed, and about steps that are refused.

#include "cases/every_backend.hpp"

namespace {

using namespace cases;

struct Chain {
  Input<std::int32_t, 2> X = placeholder<std::int32_t>({10, 10}, "X");
  Tensor<std::int32_t, 2> A = compute({10, 10}, [&](Index i, Index j) { return X(i, j) * 3; }, "A(i, j)");
  Tensor<std::int32_t, 2> B = compute({10, 10}, [&](Index i, Index j) { return A(i, j) + 1; }, "B(i, j)");
  std::vector<Given> given() const {
    return {in(X, counted<std::int32_t, 2>({10, 10}, 2)), out(B, counted<std::int32_t, 2>({10, 10}, 7, 3))};
  }
};

TEST(TeCases, C20_RefusedAttachments) {
  EveryBackend run;
  Chain c;
  Schedule s(c.B);
  auto [i, j] = s[c.B].axes();
  expect_error("S009", [&] { s[c.A].compute_at(s[c.A], s[c.A].axis(0)); });
  expect_error("S011", [&] { s[c.B].compute_at(s[c.A], s[c.A].axis(0)); });  // an output
  auto [io, ii] = s[c.B].split(i, 2);
  expect_error("S003", [&] { s[c.A].compute_at(s[c.B], i); });
  auto f = s[c.B].fuse(ii, j);
  expect_error("S003", [&] { s[c.A].compute_at(s[c.B], j); });
  s[c.A].compute_at(s[c.B], f);
  run.expect(s, c.given());

  // The handles of another schedule.
  Schedule other(c.B);
  auto [oo, oi] = other[c.B].split(other[c.B].axis(0), 5);
  Schedule fresh(c.B);
  expect_error("S002", [&] { fresh[c.A].compute_at(other[c.B], oo); });
  expect_error("S002", [&] { fresh[c.A].compute_at(fresh[c.B], oo); });
}

TEST(TeCases, C20_StagesAttachedToEachOther) {
  Chain c;
  auto D = compute({10, 10}, [&](Index i, Index j) { return c.B(i, j) - c.A(i, j); }, "D(i, j)");
  Schedule s(D);
  expect_error("S010", [&] { s[c.B].compute_at(s[c.A], s[c.A].axis(0)); });  // inside its own input
  s[c.A].compute_at(s[c.B], s[c.B].axis(0));
  expect_error("S010", [&] { s[c.B].compute_at(s[c.A], s[c.A].axis(0)); });
}

/// A stage for each level of the last one's loops, the first ones inside others that are inside it.
TEST(TeCases, C20_SeveralLevels) {
  EveryBackend run;
  auto X = placeholder<std::int32_t>({12, 16}, "X");
  auto a = compute({12, 16}, [&](Index i, Index j) { return X(i, j) + 1; }, "a(i, j)");
  auto b = compute({12, 15}, [&](Index i, Index j) { return a(i, j) * a(i, j + 1); }, "b(i, j)");
  auto k = reduce_axis(3, "k");
  auto c = compute({10, 15}, [&](Index i, Index j) { return sum(b(i + k, j), k); }, "c(i, j)");
  auto d = compute({10, 14}, [&](Index i, Index j) { return c(i, j) - c(i, j + 1) + a(i, j); }, "d(i, j)");
  const auto values = counted<std::int32_t, 2>({12, 16}, 3, 5);
  const auto a_is = [&](std::int64_t i, std::int64_t j) { return values(i, j) + 1; };
  const auto c_is = [&](std::int64_t i, std::int64_t j) {
    std::int32_t total = 0;
    for (std::int64_t z = 0; z < 3; ++z) total += a_is(i + z, j) * a_is(i + z, j + 1);
    return total;
  };
  const auto right =
      Array<std::int32_t, 2>::generate({10, 14}, [&](auto i, auto j) { return c_is(i, j) - c_is(i, j + 1) + a_is(i, j); });
  const auto given = {in(X, values), out(d, right)};
  Schedule s(d);
  auto [i, j] = s[d].axes();
  auto [io, jo, ii, ji] = s[d].tile(i, j, 4, 7);
  s[a].compute_at(s[d], io);
  s[b].compute_at(s[d], jo);
  s[c].compute_at(s[d], ii);
  run.expect(s, given);
  s[b].compute_at(s[c], s[c].axis(0));
  run.expect(s, given);
  s[b].compute_at(s[c], k);  // inside the reduction of a stage that is inside d
  run.expect(s, given);
  auto read = s.cache_read(a, scope::local, b);
  s[read].compute_at(s[b], s[b].axis(0));
  run.expect(s, given);
}

TEST(TeCases, C20_OneOfTwoConsumersIsOutside) {
  EveryBackend run;
  Chain c;
  auto D = compute({10, 10}, [&](Index i, Index j) { return c.A(i, j) - c.B(i, j); }, "D(i, j)");
  Schedule s(c.B, D);
  s[c.A].compute_at(s[c.B], s[c.B].axis(0));
  run.expect_unbuildable("L001", s, {c.X, c.B, D});
}

TEST(TeCases, C20_AttachedThenSplit) {
  EveryBackend run;
  Chain c;
  Schedule s(c.B);
  auto [i, j] = s[c.B].axes();
  s[c.A].compute_at(s[c.B], j);
  auto [jo, ji] = s[c.B].split(j, 2);
  run.expect(s, c.given());
  s[c.B].split(ji, 3);
  run.expect(s, c.given());
}

TEST(TeCases, C20_AttachedThenFused) {
  EveryBackend run;
  Chain c;
  Schedule s(c.B);
  auto [i, j] = s[c.B].axes();
  s[c.A].compute_at(s[c.B], j);
  auto f = s[c.B].fuse(i, j);
  run.expect(s, c.given());
  s[c.B].split(f, 7);
  run.expect(s, c.given());
}

TEST(TeCases, C20_AttachedInsideLanes) {
  EveryBackend run;
  Chain c;
  Schedule s(c.B);
  auto [i, j] = s[c.B].axes();
  s[c.A].compute_at(s[c.B], j);
  try {
    s[c.B].vectorize(j);
    run.expect(s, c.given());
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), "S013") << error.what();
  }
  Schedule t(c.B);
  t[c.B].vectorize(t[c.B].axis(1));
  expect_error("S013", [&] { t[c.A].compute_at(t[c.B], t[c.B].axis(1)); });
  t[c.A].compute_at(t[c.B], t[c.B].axis(0));
  run.expect(t, c.given());
}

TEST(TeCases, F06_InlineRules) {
  Chain c;
  Schedule s(c.B);
  expect_error("S007", [&] { s[c.B].compute_inline(); });
  auto k = reduce_axis(10, "k");
  auto R = compute({10}, [&](Index i) { return sum(c.X(i, k), k); }, "R(i)");
  auto Q = compute({10}, [&](Index i) { return R(i) + R(9 - i); }, "Q(i)");
  Schedule t(Q);
  expect_error("S008", [&] { t[R].compute_inline(); });
}

TEST(TeCases, F07_UnsafeMarks) {
  Chain c;
  auto k = reduce_axis(10, "k");
  auto R = compute({10}, [&](Index i) { return sum(c.X(i, k), k); }, "R(i)");
  Schedule s(R);
  const AnyAxis reduction = s[R].reduce_axes()[0];
  expect_error("S006", [&] { s[R].parallel(reduction); });
  expect_error("S006", [&] { s[R].vectorize(reduction); });
  expect_error("S001", [&] { s[R].split(s[R].axis(0), 0); });
  expect_error("S001", [&] { s[R].split(s[R].axis(0), -1); });
  expect_error("S001", [&] { s[R].split(k, parts(0)); });
  EXPECT_TRUE(s.steps().empty());
}

TEST(HalideCases, A15_OverlappingRegionsUnderParallelTiles) {
  EveryBackend run;
  // f(y, x) at (y - 10, x - 10); distinct values beside the ones of the case.
  const int n = 50;
  auto one = reduce_axis(1, "one");
  auto f = compute(
      {n + 20, n + 20}, [&](Index y, Index x) { return sum(cast<std::int32_t>(y * 1000 + x + one + 1), one); }, "f(y, x)");
  auto ones = compute({n + 20, n + 20}, [&](Index, Index) { return sum(cast<std::int32_t>(one + 1), one); }, "ones(y, x)");
  auto g = compute({n, n}, [&](Index y, Index x) { return f(y, x) + f(y + 20, x + 20); }, "g(y, x)");
  auto two = compute({n, n}, [&](Index y, Index x) { return ones(y, x) + ones(y + 20, x + 20); }, "two(y, x)");
  Array<std::int32_t, 2> twos({n, n});
  twos.fill(2);
  const auto right =
      Array<std::int32_t, 2>::generate({n, n}, [](std::int64_t y, std::int64_t x) { return 2 * (y * 1000 + x + 1) + 20020; });
  for (const bool at_inner : {false, true}) {
    Schedule s(g, two);
    const auto schedule = [&](const auto &producer, const auto &consumer) {
      auto [y, x] = s[consumer].axes();
      auto [yo, xo, yi, xi] = s[consumer].tile(y, x, 16, 16);
      s[consumer].parallel(yo);
      s[consumer].parallel(xo);
      s[producer].compute_at(s[consumer], at_inner ? xo : yo);
    };
    schedule(f, g);
    schedule(ones, two);
    run.expect(s, {out(g, right), out(two, twos)});
  }
}

TEST(HalideCases, E8_UsedOutsideTheLoopItIsComputedIn) {
  EveryBackend run;
  auto X = placeholder<std::int32_t>({16}, "X");
  auto f = compute({16}, [&](Index i) { return X(i) * 2; }, "f(i)");
  auto g = compute({16}, [&](Index i) { return f(i) + 1; }, "g(i)");
  auto h = compute({16}, [&](Index i) { return f(15 - i) + g(i); }, "h(i)");
  Schedule s(h);
  s[g].compute_root();
  s[f].compute_at(s[g], s[g].axis(0));
  run.expect_unbuildable("L001", s, {X, h});
  try {
    print(s, X, h);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error &error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("f"), std::string::npos);
    EXPECT_NE(text.find("h"), std::string::npos) << "the read outside is named: " << text;
  }
  s[f].compute_root();
  run.expect(s, {in(X, counted<std::int32_t, 1>({16})),
                 out(h, Array<std::int32_t, 1>::generate({16}, [](std::int64_t i) { return 2 * (15 - i) + 2 * i + 1; }))});
}

TEST(HalideCases, G5_TwoStagesOfOneName) {
  EveryBackend run;
  auto X = placeholder<std::int32_t>({4, 4}, "X");
  const auto stage = [&](auto &&shape_of) { return shape_of(); };
  auto first = stage([&] { return compute({4, 4}, [&](Index i, Index j) { return X(i, j) + 1; }, "f"); });
  auto second = stage([&] { return compute({4}, [&](Index i) { return first(i, 3 - i) * 10; }, "f"); });
  Schedule s(second);
  s[first].compute_root();
  run.expect(s, {in(X, counted<std::int32_t, 2>({4, 4})), out(second, Array<std::int32_t, 1>::of({40, 70, 100, 130}))});
  expect_error("S019", [&] { s.find("f"); });
}

}  // namespace
