// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Every refusal of a schedule step, with its text.

#include <lathe/lathe.hpp>

#include "golden.hpp"

namespace {

using namespace lathe;
using golden::expect_refusal;

/// matmul with an epilogue: two computed stages.
struct Matmul {
  Input<float, 2> A = placeholder<float>({64, 48}, "A"), B = placeholder<float>({48, 32}, "B");
  ReduceAxis k = reduce_axis(48, "k");
  Tensor<float, 2> C = compute({64, 32}, [&](Index i, Index j) { return sum(A(i, k) * B(k, j), k); }, "C(i, j)");
  Tensor<float, 2> D = compute({64, 32}, [&](Index i, Index j) { return max(C(i, j), 0.0f); }, "D(i, j)");
};

TEST(ScheduleRefusals, S001FactorBelowOne) {
  Matmul m;
  Schedule s(m.C);
  auto [i, j] = s[m.C].axes();
  expect_refusal("S001", [&] { s[m.C].split(i, 0); });
  expect_refusal("S001", [&] { s[m.C].split(i, -1); }, "_negative");
  EXPECT_TRUE(s.steps().empty());
}

TEST(ScheduleRefusals, S002AxisOfAnotherStage) {
  Matmul m;
  Schedule s(m.D);
  auto [i, j] = s[m.C].axes();
  expect_refusal("S002", [&] { s[m.D].parallel(i); });
  expect_refusal("S002", [&] { s[m.D].unroll(m.k); }, "_reduction");
  Schedule other(m.D);
  auto [outer, inner] = other[m.D].split(other[m.D].axis(0), 4);
  expect_refusal("S002", [&] { s[m.D].parallel(outer); }, "_other_schedule");
}

TEST(ScheduleRefusals, S002NoSuchDimension) {
  Matmul m;
  Schedule s(m.C);
  expect_refusal("S002", [&] { s[m.C].axis(2); }, "_dimension");
  EXPECT_THROW(s[m.C].axis(-1), Error);
}

TEST(ScheduleRefusals, S003AxisIsGone) {
  Matmul m;
  Schedule s(m.C);
  auto [i, j] = s[m.C].axes();
  auto [io, ii] = s[m.C].split(i, 32);
  expect_refusal("S003", [&] { s[m.C].reorder(io, j, i); });
  auto f = s[m.C].fuse(io, ii);
  expect_refusal("S003", [&] { s[m.C].split(ii, 2); }, "_fused");
  s[m.C].parallel(f);
}

TEST(ScheduleRefusals, S004AxisNamedTwice) {
  Matmul m;
  Schedule s(m.C);
  auto [i, j] = s[m.C].axes();
  expect_refusal("S004", [&] { s[m.C].reorder(i, j, i); });
}

TEST(ScheduleRefusals, S005NotNeighbours) {
  Matmul m;
  Schedule s(m.C);
  auto [i, j] = s[m.C].axes();
  expect_refusal("S005", [&] { s[m.C].fuse(j, i); });
  expect_refusal("S005", [&] { s[m.C].fuse(i, m.k); }, "_apart");
}

TEST(ScheduleRefusals, S006ReductionAxis) {
  Matmul m;
  Schedule s(m.C);
  auto [i, j] = s[m.C].axes();
  AnyAxis k = s[m.C].loops()[2];
  expect_refusal("S006", [&] { s[m.C].parallel(k); });
  expect_refusal("S006", [&] { s[m.C].vectorize(k); }, "_vectorize");
  // The kind of a fused loop follows its parts: halide A4.
  AnyAxis jk = s[m.C].fuse({AnyAxis(j), k});
  expect_refusal("S006", [&] { s[m.C].vectorize(jk); }, "_fused");
}

TEST(ScheduleRefusals, S007InlineOutput) {
  Matmul m;
  Schedule s(m.D);
  expect_refusal("S007", [&] { s[m.D].compute_inline(); });
}

TEST(ScheduleRefusals, S008InlineReduction) {
  Matmul m;
  Schedule s(m.D);
  expect_refusal("S008", [&] { s[m.C].compute_inline(); });
}

TEST(ScheduleRefusals, S009InsideItself) {
  Matmul m;
  Schedule s(m.D);
  auto [i, j] = s[m.C].axes();
  expect_refusal("S009", [&] { s[m.C].compute_at(s[m.C], i); });
}

TEST(ScheduleRefusals, S010NotAConsumer) {
  Matmul m;
  auto E = compute({64, 32}, [&](Index i, Index j) { return m.A(i, j) + 1.0f; }, "E");
  Schedule s(m.D, E);
  expect_refusal("S010", [&] { s[m.C].compute_at(s[E], s[E].axis(0)); });
  Schedule cycle(m.D);
  auto copy = cycle.cache_read(m.C, scope::local, m.D);
  expect_refusal("S010", [&] { cycle[copy].compute_at(cycle[m.C], cycle[m.C].axis(0)); }, "_reversed");
}

TEST(ScheduleRefusals, S011Output) {
  Matmul m;
  Schedule s(m.C, m.D);
  expect_refusal("S011", [&] { s[m.C].compute_at(s[m.D], s[m.D].axis(0)); });
  expect_refusal("S011", [&] { s[m.D].set_scope(scope::local); }, "_scope");
}

TEST(ScheduleRefusals, S012NotAReader) {
  Matmul m;
  Schedule s(m.D);
  expect_refusal("S012", [&] { s.cache_read(m.A, scope::local, m.D); });
}

TEST(ScheduleRefusals, S013InsideVectorizedLoop) {
  Matmul m;
  Schedule s(m.D);
  auto [i, j] = s[m.D].axes();
  s[m.D].vectorize(j);
  expect_refusal("S013", [&] { s[m.C].compute_at(s[m.D], j); });
}

TEST(ScheduleRefusals, S014MarkedTwice) {
  Matmul m;
  Schedule s(m.C);
  auto [i, j] = s[m.C].axes();
  s[m.C].parallel(i);
  expect_refusal("S014", [&] { s[m.C].vectorize(i); });
  expect_refusal("S014", [&] { s[m.C].split(i, 4); }, "_split");
  expect_refusal("S014", [&] { s[m.C].fuse(i, j); }, "_fuse");
}

TEST(ScheduleRefusals, S015Inlined) {
  Matmul m;
  auto T = compute({64, 48}, [&](Index i, Index j) { return m.A(i, j) * 2.0f; }, "T(i, j)");
  auto U = compute({64, 48}, [&](Index i, Index j) { return T(i, j) + 1.0f; }, "U(i, j)");
  Schedule s(U);
  auto t = s[T].axis(0);
  s[T].compute_inline();
  expect_refusal("S015", [&] { s[T].parallel(t); });
  Schedule split(U);
  split[T].split(split[T].axis(0), 4);
  expect_refusal("S015", [&] { split[T].compute_inline(); }, "_scheduled");
}

TEST(ScheduleRefusals, S002MovedByCacheWrite) {
  Matmul m;
  Schedule s(m.C);
  auto [io, ii] = s[m.C].split(s[m.C].axis(0), 4);
  s.cache_write(m.C, scope::local);
  expect_refusal("S002", [&, inner = ii] { s[m.C].unroll(inner); }, "_moved");
}

TEST(ScheduleRefusals, S017Input) {
  Matmul m;
  Schedule s(m.C);
  expect_refusal("S017", [&] { s[AnyTensor(m.A)].compute_root(); });
  expect_refusal("S017", [&] { Schedule nothing(std::vector<AnyTensor>{m.A}); }, "_output");
}

TEST(ScheduleRefusals, S018NotAStep) {
  Matmul m;
  Schedule s(m.C);
  expect_refusal("S018", [&] { s.replay("split o2 o0 16\nsplit o2 x 16\n"); });
  EXPECT_TRUE(s.steps().empty());
  expect_refusal("S018", [&] { s.replay("split o2 o0 16 halves"); }, "_word");
  scheduling::Step without_axis;
  without_axis.primitive = scheduling::Primitive::split;
  without_axis.stage = {-1, 2};
  without_axis.numbers = {4};
  expect_refusal("S018", [&] { s.apply(without_axis); }, "_data");
}

TEST(ScheduleRefusals, S022NameOfAScope) {
  Matmul m;
  Schedule s(m.C);
  expect_refusal("S022", [&] { s.cache_read(m.A, Scope{"my scope"}, m.C); });
}

TEST(ScheduleRefusals, S021Layout) {
  Matmul m;
  Schedule s(m.C);
  auto cache = s.cache_read(m.B, scope::local, m.C);
  expect_refusal("S021", [&] { s[cache].layout([](Index k, Index j) { return at(j / 16, k); }); });
  expect_refusal("S021", [&] { s[cache].layout([](Index k, Index j) { return at(k * 4 + j % 16, j / 16); }); }, "_sum");
  expect_refusal("S021", [&] { s[cache].layout("i0, i7"); }, "_text");
}

TEST(ScheduleRefusals, S020ExtentOfALoopInside) {
  auto x = placeholder<float>({10}, "x");
  auto b = compute(
      {10},
      [&](Index i) {
        auto r = reduce_axis(i, "r");
        return sum(x(r), r);
      },
      "b(i)");
  Schedule s(b);
  auto [i] = s[b].axes();
  auto [io, ii] = s[b].split(i, 4);
  auto [ro, ri] = s[b].split(s[b].reduce_axes()[0], 2);
  s[b].reorder(io, ri, ii, ro);  // the inner part has a constant extent
  expect_refusal("S020", [&] { s[b].reorder(io, ro, ii, ri); });
}

TEST(ScheduleRefusals, S031DoesNotDivide) {
  Matmul m;
  Schedule s(m.D);
  expect_refusal("S031", [&] { s[m.D].split(s[m.D].axis(0), 24, tail::divides); });
  s[m.C].split(s[m.C].axis(0), 24, tail::divides);  // where it will be computed says what its extent is
  expect_refusal("S031", [&] { s[m.C].split(m.k, parts(5), tail::divides); }, "_parts");
}

TEST(ScheduleRefusals, S033NotAboutSizes) {
  auto n = size_var("n"), other = size_var("other");
  auto x = placeholder<float>({n}, "x");
  auto alpha = scalar<int>("alpha");
  auto y = compute({n}, [&](Index i) { return x(i) + cast<float>(alpha); }, "y(i)");
  Schedule s(y);
  expect_refusal("S033", [&] { s.assume(other % 2 == 0); });
  expect_refusal("S033", [&] { s.assume(alpha > 0); }, "_scalar");
  expect_refusal("S033", [&] { s.replay("assume == v1 2"); }, "_text");
}

TEST(ScheduleRefusals, S034CannotHold) {
  auto n = size_var("n");
  auto x = placeholder<float>({n, 4}, "x");
  auto y = compute({n}, [&](Index i) { return x(i, 0) + 1.0f; }, "y(i)");
  Schedule s(y);
  s.assume(n % 4 == 2);
  expect_refusal("S034", [&] { s.assume(n % 2 == 1); });
  expect_refusal("S034", [&] { s.assume(x.shape()[1] == 5); }, "_constant");
}

TEST(ScheduleRefusals, S038NoStream) {
  Matmul m;
  Schedule s(m.D);
  expect_refusal("S038", [&] { s[m.C].stream(); });
  auto cache = s.cache_write(m.D, scope::local);
  expect_refusal("S038", [&] { s[cache].stream(); }, "_local");
  s[m.D].stream();
  s[cache].set_scope(scope::global);
  s[cache].stream();
  expect_refusal("S038", [&] { s[cache].set_scope(scope::local); }, "_scope");
}

TEST(ScheduleRefusals, S040NoAlias) {
  Matmul m;
  auto like = placeholder<double>({64, 32}, "like");
  auto E = compute({64, 32}, [&](Index y, Index x) { return m.D(y, x) + cast<float>(like(y, x)) + m.A(y, x); }, "E");
  Schedule s(E);
  expect_refusal("S040", [&] { s.alias(m.D, m.A); });
  expect_refusal("S040", [&] { s.alias(AnyTensor(E), AnyTensor(m.D)); }, "_computed");
  expect_refusal("S040", [&] { s.alias(E, like); }, "_type");
  s.alias(E, m.A);
  expect_refusal("S040", [&] { s.alias(E, m.A); }, "_twice");
}

TEST(ScheduleRefusals, S039NoPrefetch) {
  Matmul m;
  Schedule s(m.D);
  auto [i, j] = s[m.D].axes();
  expect_refusal("S039", [&] { s[m.D].prefetch(m.A, i, 2); });
  expect_refusal("S039", [&] { s[m.D].prefetch(m.C, j, 0); }, "_now");
  s[m.D].prefetch(m.C, j, 8);
  auto a = placeholder<float>({8}, "a");
  auto b = compute({8}, [&](Index x) { return a(x) + 1.0f; }, "b");
  auto c = compute({8}, [&](Index x) { return b(x) * 2.0f; }, "c");
  Schedule inlined(c);
  inlined[b].compute_inline();
  expect_refusal("S039", [&] { inlined[c].prefetch(b, inlined[c].axis(0), 2); }, "_inlined");
}

TEST(ScheduleRefusals, S037NothingToFollow) {
  Matmul m;
  Schedule s(m.D);
  auto [i, j] = s[m.C].axes();
  expect_refusal("S037", [&] { s[m.D].reverse_compute_at(s[m.C], m.k); });
  expect_refusal("S037", [&] { s[m.C].reverse_compute_at(s[m.D], s[m.D].axis(0)); }, "_reader");
  Schedule parted(m.D);
  auto outer = parted[m.C].split(parted[m.C].axis(0), parts(4)).first;
  expect_refusal("S037", [&] { parted[m.D].reverse_compute_at(parted[m.C], outer); }, "_parts");
  s[m.D].parallel(s[m.D].axis(0));
  expect_refusal("S037", [&] { s[m.D].reverse_compute_at(s[m.C], i); }, "_scheduled");
  auto E = compute({64, 32}, [&](Index y, Index x) { return m.C(63 - y, x) + m.D(y, x); }, "E");
  Schedule t(E);
  expect_refusal("S037", [&] { t[E].reverse_compute_at(t[m.C], t[m.C].axis(0)); }, "_readers");
  auto F = compute({64, 32}, [&](Index y, Index x) { return m.C(63 - y, x) + 1.0f; }, "F");
  Schedule u(F);
  expect_refusal("S037", [&] { u[F].reverse_compute_at(u[m.C], u[m.C].axis(0)); }, "_axis");
  EXPECT_EQ(u.to_text(), "");
}

TEST(ScheduleRefusals, S036NothingToUnroll) {
  Matmul m;
  Schedule s(m.C);
  auto [i, j] = s[m.C].axes();
  expect_refusal("S036", [&] { s[m.C].auto_unroll(m.k, 16); });
  expect_refusal("S036", [&] { s[m.C].auto_unroll(i, 1); }, "_once");
}

TEST(ScheduleRefusals, S035NoStrideToAlign) {
  Matmul m;
  Schedule s(m.D);
  auto [i, j] = s[m.C].axes();
  expect_refusal("S035", [&] { s[m.D].storage_align(s[m.D].axis(0), 8); });
  expect_refusal("S035", [&] { s[m.C].storage_align(j, 8); }, "_innermost");
  expect_refusal("S035", [&] { s[m.C].storage_align(i, 8, 8); }, "_offset");
  expect_refusal("S035", [&] { s[m.C].storage_align(AnyAxis(s[m.C].reduce_axes()[0]), 8); }, "_reduction");
  auto [io, ii] = s[m.C].split(i, 4);
  expect_refusal("S035", [&] { s[m.C].storage_align(io, 8); }, "_part");
  s[m.C].storage_align(i, 8, 1);
  expect_refusal("S035", [&] { s[m.C].storage_align(i, 8, 2); }, "_twice");
  Matmul n;
  auto E = compute({64, 32}, [&](Index y, Index x) { return n.A(y, x) + 1.0f; }, "E");
  auto F = compute({64, 32}, [&](Index y, Index x) { return E(y, x) + 1.0f; }, "F");
  Schedule t(F);
  t[E].storage_align(t[E].axis(0), 8);
  expect_refusal("S015", [&] { t[E].compute_inline(); }, "_align");
}

TEST(ScheduleRefusals, S032CannotBeRoundedUp) {
  Matmul m;
  Schedule s(m.D);
  expect_refusal("S032", [&] { s[m.D].split(s[m.D].axis(0), 24, tail::round_up); });
  expect_refusal("S032", [&] { s[m.C].split(m.k, 5, tail::round_up); }, "_reduction");
  auto [io, ii] = s[m.C].split(s[m.C].axis(0), 24, tail::round_up);
  expect_refusal("S032", [&] { s[m.C].split(io, 2, tail::round_up); }, "_part");
  auto triangle = compute(
      {64},
      [&](Index i) {
        auto r = reduce_axis(0, i, "r");
        return sum(m.A(i, 0), r);
      },
      "triangle(i)");
  auto last = compute({64}, [&](Index i) { return triangle(63 - i) + triangle(i); }, "last(i)");
  Schedule t(last);
  expect_refusal("S032", [&] { t[triangle].split(t[triangle].axis(0), 24, tail::round_up); }, "_ragged");
}

TEST(ScheduleRefusals, S019NoSuchName) {
  Matmul m;
  Schedule s(m.C);
  expect_refusal("S019", [&] { s.find("padded"); });
}

}  // namespace
