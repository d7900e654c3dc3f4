// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Steps as data: handles, copies, text, replay. What schedules compute is tested in lower/ and equivalence/.

#include <gtest/gtest.h>

#include <lathe/lathe.hpp>

namespace {

using namespace lathe;

struct Matmul {
  Input<float, 2> A = placeholder<float>({64, 48}, "A"), B = placeholder<float>({48, 32}, "B");
  ReduceAxis k = reduce_axis(48, "k");
  Tensor<float, 2> C = compute({64, 32}, [&](Index i, Index j) { return sum(A(i, k) * B(k, j), k); }, "C(i, j)");
  Tensor<float, 2> D = compute({64, 32}, [&](Index i, Index j) { return max(C(i, j), 0.0f); }, "D(i, j)");
};

std::string loops_of(Schedule &s, const AnyTensor &tensor) { return scheduling::loops_text(*s.state().find(s[tensor].key())); }

TEST(Schedule, SplitFuseReorderMoveLoops) {
  Matmul m;
  Schedule s(m.C);
  auto [i, j] = s[m.C].axes();
  EXPECT_EQ(loops_of(s, m.C), "i · j · k");
  auto [io, ii] = s[m.C].split(i, 8);
  EXPECT_EQ(loops_of(s, m.C), "i.outer · i.inner · j · k");
  s[m.C].reorder(j, m.k, io);  // i.inner stays where it is
  EXPECT_EQ(loops_of(s, m.C), "j · i.inner · k · i.outer");
  s[m.C].reorder(io, j, ii, m.k);
  EXPECT_EQ(loops_of(s, m.C), "i.outer · j · i.inner · k");
  auto f = s[m.C].fuse(j, ii);
  EXPECT_EQ(loops_of(s, m.C), "i.outer · j.i.inner · k");
  EXPECT_EQ(f.name(), "j.i.inner");
  EXPECT_FALSE(f.is_reduction());
}

TEST(Schedule, TileIsTwoSplitsAndAReorder) {
  Matmul m;
  Schedule s(m.D);
  auto [i, j] = s[m.D].axes();
  auto [io, jo, ii, ji] = s[m.D].tile(i, j, 8, 16);
  EXPECT_EQ(loops_of(s, m.D), "i.outer · j.outer · i.inner · j.inner");
  EXPECT_EQ(s.to_text(), "split o3 o0 8\nsplit o3 o1 16\nreorder o3 s0.0 s1.0 s0.1 s1.1\n");
}

TEST(Schedule, ATileThatIsRefusedTakesNoStep) {
  auto a = placeholder<float>({8, 8}, "a");
  auto b = compute({8, 8}, [&](Index i, Index j) { return a(i, j) + 1.0f; }, "b");
  Schedule s(b);
  auto [i, j] = s[b].axes();
  EXPECT_THROW(s[b].tile(i, j, 4, 0), Error);
  EXPECT_EQ(s.to_text(), "");
  auto [io, jo, ii, ji] = s[b].tile(i, j, 4, 4);
  EXPECT_EQ(s[b].loops().size(), 4u);
}

TEST(Schedule, KindsOfAxesAreTypes) {
  Matmul m;
  Schedule s(m.C);
  auto [i, j] = s[m.C].axes();
  auto [ko, ki] = s[m.C].split(m.k, 8);
  static_assert(std::is_same_v<decltype(i), DataAxis>);
  static_assert(std::is_same_v<decltype(ko), ReductionAxis>);
  s[m.C].reorder(i, ko, ki, j);
  auto mixed = s[m.C].fuse(ki, j);
  static_assert(std::is_same_v<decltype(mixed), ReductionAxis>);
  EXPECT_TRUE(mixed.is_reduction());
}

TEST(Schedule, FusingNothingMakesAUnitLoop) {
  auto x = placeholder<float>({10}, "x");
  auto k = reduce_axis(10, "k");
  auto total = compute([&] { return sum(x(k), k); }, "total");
  Schedule s(total);
  AnyAxis unit = s[total].fuse(std::vector<AnyAxis>{});
  EXPECT_EQ(loops_of(s, total), "unit · k");
  s[total].split(unit, parts(20));
  EXPECT_EQ(loops_of(s, total), "unit.outer · unit.inner · k");
}

TEST(Schedule, CopiesAreIndependentAndKeepHandles) {
  Matmul m;
  Schedule s(m.C);
  auto [i, j] = s[m.C].axes();
  auto [io, ii] = s[m.C].split(i, 8);
  Schedule copy = s;
  copy[m.C].unroll(ii);  // made before the copy, so it is an axis of both
  copy[m.C].parallel(io);
  EXPECT_EQ(s.steps().size(), 1u);
  EXPECT_EQ(copy.steps().size(), 3u);
  s[m.C].vectorize(j);
  EXPECT_EQ(copy.steps().size(), 3u);
}

TEST(Schedule, OneExpressionHasManySchedules) {
  Matmul m;
  Schedule a(m.D), b(m.D);
  a[m.C].compute_at(a[m.D], a[m.D].axis(0));
  EXPECT_EQ(b.state().find(m.C.untyped().operation)->attachment.kind, scheduling::Attachment::Kind::automatic);
}

TEST(Schedule, CacheWriteMovesTheReduction) {
  Matmul m;
  Schedule s(m.C);
  auto sums = s.cache_write(m.C, scope::local);
  EXPECT_EQ(sums.name(), "C.local");
  EXPECT_EQ(loops_of(s, m.C), "i · j");
  EXPECT_EQ(loops_of(s, sums), "i · j · k");
  EXPECT_EQ(s[sums].reduce_axes().size(), 1u);
  EXPECT_TRUE(s[m.C].reduce_axes().empty());
  s[sums].split(m.k, 4);  // the axis of the expression names the loop of the stage that now reduces
  EXPECT_EQ(loops_of(s, sums), "i · j · k.outer · k.inner");
}

TEST(Schedule, CacheReadRedirectsOnlyItsReaders) {
  auto a = placeholder<float>({8}, "a");
  auto b = compute({8}, [&](Index i) { return a(i) + 1.0f; }, "b");
  auto c = compute({8}, [&](Index i) { return a(i) + b(i); }, "c");
  Schedule s(b, c);
  auto first = s.cache_read(a, scope::local, c);
  auto second = s.cache_read(a, scope::local, b);
  EXPECT_EQ(first.name(), "a.local");
  EXPECT_EQ(second.name(), "a.local1");
  ASSERT_EQ(s.inputs(c).size(), 2u);
  EXPECT_EQ(s.inputs(c)[0].name(), "a.local");
  EXPECT_EQ(s.inputs(b)[0].name(), "a.local1");
  EXPECT_EQ(s.inputs(first)[0].name(), "a");
}

TEST(Schedule, AttachPointsFollowSplitsAndFusions) {
  Matmul m;
  Schedule s(m.D);
  auto [i, j] = s[m.D].axes();
  s[m.C].compute_at(s[m.D], j);
  const auto attached = [&] {
    const scheduling::StageState &consumer = *s.state().find(m.D.untyped().operation);
    return consumer.find(consumer.follow(s.state().find(m.C.untyped().operation)->attachment.axis))->name;
  };
  EXPECT_EQ(attached(), "j");
  auto [jo, ji] = s[m.D].split(j, 2);
  EXPECT_EQ(attached(), "j.inner");
  s[m.D].reorder(jo, i, ji);
  s[m.D].fuse(i, ji);
  EXPECT_EQ(attached(), "i.j.inner");
}

TEST(Schedule, LongChainsAttachWhereTheyAreReadThroughOthers) {
  const auto in = placeholder<float>({64}, "in"), apart = placeholder<float>({64}, "apart");
  std::vector<Tensor<float, 1>> chain;
  for (int stage = 0; stage < 1500; ++stage) {
    const Tensor<float, 1> before = stage == 0 ? Tensor<float, 1>(in) : chain.back();
    chain.push_back(compute({64}, [&](Index i) { return before(i) + 1.0f; }, "stage" + std::to_string(stage) + "(i)"));
  }
  const auto beside = compute({64}, [&](Index i) { return apart(i) * 2.0f; }, "beside(i)");
  const Tensor<float, 1> last = chain.back();
  Schedule s(last, beside);
  for (std::size_t stage = 0; stage + 1 < chain.size(); ++stage) s[chain[stage]].compute_at(s[last], s[last].axis(0));
  const auto refused = [&](const Tensor<float, 1> &stage, const Tensor<float, 1> &consumer) {
    const auto diagnostic = s.try_steps([&](Schedule &t) { t[stage].compute_at(t[consumer], t[consumer].axis(0)); });
    return diagnostic ? diagnostic->code : "";
  };
  EXPECT_EQ(refused(chain[0], beside), "S010");
  EXPECT_EQ(refused(chain[700], chain[699]), "S010");
  EXPECT_EQ(refused(chain[699], chain[700]), "");
}

TEST(Schedule, TextReadsBack) {
  Matmul m;
  Schedule s(m.D);
  auto [i, j] = s[m.D].axes();
  auto sums = s.cache_write(m.C, scope::local);
  auto tile = s.cache_read(m.A, scope::global, sums);
  auto [io, jo, ii, ji] = s[m.D].tile(i, j, 8, 16);
  s[sums].compute_at(s[m.D], jo);
  s[m.C].compute_inline();
  s[tile].compute_at(s[m.D], io);
  s[m.D].vectorize(ji);
  s[m.D].unroll(ii);
  s[m.D].parallel(io);
  s[sums].split(m.k, parts(3));
  s[sums].set_scope(scope::global);
  s[sums].compute_root();
  Schedule again(m.D);
  again.replay(s.to_text());
  EXPECT_EQ(again.to_text(), s.to_text());
  ASSERT_EQ(again.steps().size(), s.steps().size());
  for (std::size_t n = 0; n < s.steps().size(); ++n) EXPECT_EQ(*again.steps()[n], *s.steps()[n]) << n;
  EXPECT_EQ(again.to_cpp(), s.to_cpp());
}

/// The code, and its text without white space.
#define CODE_AND_TEXT(...) \
  __VA_ARGS__              \
  const std::string code_text = #__VA_ARGS__;

std::string squeezed(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

TEST(Schedule, PrintsAsCpp) {
  Matmul m;
  Schedule s(m.D);
  auto sums = s.cache_write(m.C, scope::local);
  auto [i, j] = s[m.D].axes();
  auto [io, ii] = s[m.D].split(i, 8);
  s[m.D].reorder(io, j, ii);
  s[m.D].parallel(s[m.D].fuse(io, j));
  s[sums].compute_at(s[m.D], ii);
  EXPECT_EQ(s.to_cpp(),
            "Schedule s(D);\n"
            "auto C_local = s.cache_write(C, scope::local);\n"
            "auto [i, j] = s[D].axes();\n"
            "auto [i_outer, i_inner] = s[D].split(i, 8);\n"
            "s[D].reorder(i_outer, j, i_inner);\n"
            "auto i_outer_j = s[D].fuse(i_outer, j);\n"
            "s[D].parallel(i_outer_j);\n"
            "s[C_local].compute_at(s[D], i_inner);\n");
}

/// What is printed compiles and prints itself, though axes of several stages have the same names.
TEST(Schedule, PrintedCppIsTheSchedule) {
  Matmul m;
  const auto &A = m.A;
  const auto &C = m.C, &D = m.D;
  CODE_AND_TEXT(Schedule s(D); auto A_local = s.cache_read(A, scope::local, C); auto C_tile = s.cache_write(C, Scope{"tile"});
                auto [i, j] = s[D].axes(); auto [i_outer, i_inner] = s[D].split(i, 8);
                auto [j_outer, j_inner] = s[D].split(j, parts(4)); s[D].reorder(i_outer, j_outer, i_inner, j_inner);
                s[D].vectorize(j_inner); auto i_outer_j_outer = s[D].fuse(i_outer, j_outer); s[D].parallel(i_outer_j_outer);
                auto [i_1, j_1] = s[C_tile].axes(); auto [j_1_outer, j_1_inner] = s[C_tile].split(j_1, 8);
                auto k = s[C_tile].reduce_axes()[0]; s[C_tile].reorder(i_1, j_1_outer, k, j_1_inner); s[C_tile].unroll(j_1_inner);
                s[C_tile].compute_at(s[D], i_outer_j_outer); s[A_local].compute_root(); auto unit = s[A_local].fuse({});
                auto [i0, i1] = s[A_local].axes(); s[A_local].parallel(i0);)
  EXPECT_EQ(squeezed(s.to_cpp()), squeezed(code_text));
}

TEST(Schedule, TryingLeavesNoTrace) {
  Matmul m;
  Schedule s(m.C);
  auto [i, j] = s[m.C].axes();
  const std::string before = s.to_text();
  std::optional<Diagnostic> refusal = s.try_steps([&](Schedule &t) {
    t[m.C].split(i, 4);
    t[m.C].parallel(i);
  });
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->code, "S003");
  EXPECT_EQ(s.to_text(), before);
  EXPECT_EQ(loops_of(s, m.C), "i · j · k");
  scheduling::Step split = scheduling::parse_steps("split o2 o0 4")[0];
  EXPECT_FALSE(s.try_step(split));
  EXPECT_EQ(s.to_text(), "split o2 o0 4\n");
  EXPECT_EQ(s.try_step(split)->code, "S003");
}

TEST(Schedule, FindsStagesOfSomebodyElsesExpression) {
  Matmul m;
  Schedule s(m.D);
  Tensor<float, 2> c = s.find<float, 2>("C");
  s[c].unroll(s[c].reduce_axes()[0]);
  EXPECT_EQ(s.stages().size(), 2u);
  EXPECT_EQ(s.stages()[0].name(), "C");
  ASSERT_EQ(s.inputs(c).size(), 2u);
  EXPECT_EQ(s.inputs(c)[1].name(), "B");
  EXPECT_THROW((s.find<double, 2>("C")), Error);
}

TEST(Schedule, RefusalsCarryTheirFields) {
  Matmul m;
  Schedule s(m.C);
  auto [i, j] = s[m.C].axes();
  s[m.C].split(i, 32);
  try {
    s[m.C].unroll(i);
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), "S003");
    EXPECT_EQ(error.stage(), "C");
    EXPECT_EQ(error.axis(), "i");
    EXPECT_NE(error.place().line, 0u);
  }
}

/// Steps as data come from anywhere. Whatever their fields are, they are taken or refused by an `Error`.
TEST(Schedule, StepsAsDataAreCheckedWhole) {
  Matmul m;
  const Schedule fresh(m.C);
  int refused = 0;
  for (int primitive = 0; primitive < 14; ++primitive)
    for (std::size_t axes = 0; axes < 3; ++axes)
      for (std::size_t stages = 0; stages < 3; ++stages)
        for (std::size_t numbers = 0; numbers < 2; ++numbers)
          for (const int index : {-1, 0, 2, 9}) {
            scheduling::Step step;
            step.primitive = static_cast<scheduling::Primitive>(primitive);
            step.stage = {-1, index};
            for (std::size_t n = 0; n < axes; ++n) step.axes.push_back({-1, index});
            for (std::size_t n = 0; n < stages; ++n) step.stages.push_back({-1, index});
            for (std::size_t n = 0; n < numbers; ++n) step.numbers.push_back(index);
            Schedule s = fresh;
            std::optional<Diagnostic> why;
            ASSERT_NO_THROW(why = s.try_step(step))
                << primitive << " " << axes << " " << stages << " " << numbers << " " << index;
            EXPECT_EQ(s.steps().size(), why ? 0u : 1u);
            if (why) {
              ++refused;
              EXPECT_EQ(why->code.front(), 'S') << why->code;
            } else {
              EXPECT_LT(primitive, 12);
              Schedule again = fresh;
              again.replay(s.to_text());
              EXPECT_EQ(again.to_text(), s.to_text());
            }
          }
  EXPECT_GT(refused, 500);
}

}  // namespace
