// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What depends on constants alone is computed once, when the kernel is made.

#include <atomic>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lathe/jit.hpp"
#include "lathe/lathe.hpp"

namespace lathe {
namespace {

using testing::HasSubstr;
using testing::Not;

std::atomic<int> calls = 0;
float twice(float x) {
  ++calls;
  return 2 * x;
}

/// c[i] = sum over k of a[i, k] * p[k] with p[k] = 2 w[k], from constants w[k] = k - 3.
struct Weighted {
  static constexpr std::int64_t rows = 5, depth = 12;
  Array<float, 1> w = Array<float, 1>::generate({depth}, [](std::int64_t k) { return static_cast<float>(k - 3); });
  Array<float, 2> a =
      Array<float, 2>::generate({rows, depth}, [](std::int64_t i, std::int64_t k) { return static_cast<float>(7 * i + k); });
  Input<float, 2> A = placeholder<float>({rows, depth}, "A");
  Constant<float, 1> W = constant(w, "W");
  Tensor<float, 1> P = compute({depth}, [&](Index k) { return call<float>("twice", &twice, W(k)); }, "P");
  ReduceAxis k = reduce_axis(depth, "k");
  Tensor<float, 1> C = compute({rows}, [&](Index i) { return sum(A(i, k) * P(k), k); }, "C");

  Array<float, 1> right() const {
    return Array<float, 1>::generate({rows}, [&](std::int64_t i) {
      float total = 0;
      for (std::int64_t at = 0; at < depth; ++at) total += a(i, at) * 2 * w(at);
      return total;
    });
  }
};

TEST(ConstantStages, ComputedOnce) {
  const Weighted p;
  Schedule s(p.C);
  s[p.P].vectorize(s[p.P].split(s[p.P].axis(0), 4).second);
  const std::string loops = print(s, p.A, p.C);
  EXPECT_THAT(loops, HasSubstr("function kernel_prologue(W: constant float32[12], P: out float32[12], twice: function):\n"));
  EXPECT_THAT(loops, HasSubstr("function kernel(A: in float32[5, 12], C: out float32[5], P: constant float32[12]):\n  # C\n"));
  calls = 0;
  const auto compiled = jit(s, p.A, p.C);
  EXPECT_EQ(calls, 12);
  const auto interpreted = interpret(s, p.A, p.C);
  EXPECT_EQ(calls, 24);
  for (int run = 0; run < 3; ++run) {
    Array<float, 1> c({5}), d({5});
    compiled(p.a, c);
    interpreted(p.a, d);
    EXPECT_EQ(c, p.right());
    EXPECT_EQ(d, p.right());
  }
  EXPECT_EQ(calls, 24);
}

TEST(ConstantStages, WithWhatIsComputedInside) {
  const Weighted p;
  auto shifted = compute({12}, [&](Index k) { return p.W(k) + 1.0f; }, "shifted");
  auto sums = compute({12}, [&](Index k) { return shifted(k) + shifted((k + 1) % 12); }, "sums");
  auto out = compute({5}, [&](Index i) { return p.A(i, 2) + sums(i) + sums(i + 1); }, "out");
  Schedule s(out);
  s[sums].compute_root();
  s[shifted].compute_at(s[sums], s[sums].axis(0));
  EXPECT_THAT(print(s, p.A, out), HasSubstr("out: out float32[5], sums: constant float32[6]):\n  # out\n"));
  Array<float, 1> c({5});
  jit(s, p.A, out)(p.a, c);
  const auto at = [&](std::int64_t k) { return p.w(k) + 1 + p.w((k + 1) % 12) + 1; };
  EXPECT_EQ(c, (Array<float, 1>::generate({5}, [&](std::int64_t i) { return p.a(i, 2) + at(i) + at(i + 1); })));
}

TEST(ConstantStages, WhatIsAskedForElsewhereStaysThere) {
  const Weighted p;
  Schedule s(p.C);
  s[p.P].compute_at(s[p.C], s[p.C].axis(0));
  EXPECT_THAT(print(s, p.A, p.C), Not(HasSubstr("prologue")));
  Array<float, 1> c({5});
  jit(s, p.A, p.C)(p.a, c);
  EXPECT_EQ(c, p.right());
}

TEST(ConstantStages, NotOfArgumentsAndNotOutputs) {
  const Weighted p;
  auto n = size_var("n");
  auto B = placeholder<float>({n}, "B");
  auto scale = scalar<float>("scale");
  auto scaled = compute({12}, [&](Index k) { return p.W(k) * scale; }, "scaled");
  auto sized = compute({n}, [&](Index k) { return p.W(k % 12); }, "sized");
  auto kept = compute({12}, [&](Index k) { return p.W(k) + 1.0f; }, "kept");
  auto out = compute({n}, [&](Index i) { return B(i) + scaled(i % 12) + sized(n - 1 - i) + kept(i % 12); }, "out");
  Schedule s(out, kept);
  s[scaled].compute_root();
  s[sized].compute_root();
  EXPECT_THAT(print(s, B, scale, out, kept), Not(HasSubstr("prologue")));
  Array<float, 1> b({20}), c({20}), d({12});
  jit(s, B, scale, out, kept)(b, 3.0f, c, d);
  for (std::int64_t i = 0; i < 20; ++i) EXPECT_EQ(c(i), 3 * p.w(i % 12) + p.w((19 - i) % 12) + p.w(i % 12) + 1) << i;
}

// Of a tensor with a symbolic extent one constant point is read; whether it exists is known at the call only.
TEST(ConstantStages, NotOfASymbolicShape) {
  auto n = size_var("n");
  auto one = constant<float>({{5.0f}}, "one");
  auto wide = compute({n, 3}, [&](Index, Index j) { return one(0, 0) + cast<float>(j); }, "wide");
  auto out = compute([&] { return wide(2, 1); }, "out");
  Schedule s(out);
  s[wide].compute_root();
  Array<float, 0> result;
  jit(s, n, out)(3, result);
  EXPECT_EQ(result(), 6.0f);
}

TEST(ConstantStages, OfAlignedStrides) {
  const Weighted p;
  auto wide = compute({4, 5}, [&](Index i, Index j) { return p.W(i + j); }, "wide");
  auto out = compute({4, 5}, [&](Index i, Index j) { return wide(3 - i, j) * 2.0f; }, "out");
  Schedule s(out);
  s[wide].storage_align(s[wide].axis(0), 8);
  const ir::Program program = lower_program(s, {out}, {});
  ASSERT_EQ(program.entry().parameters.back().name, "wide");
  EXPECT_EQ(program.entry().parameters.back().data->size(), 4u * 8 * sizeof(float));
  Array<float, 2> result({4, 5});
  jit(s, out)(result);
  EXPECT_EQ(result, (Array<float, 2>::generate({4, 5}, [&](std::int64_t i, std::int64_t j) { return 2 * p.w(3 - i + j); })));
}

TEST(ConstantStages, NotOfAnEmptyRegion) {
  const Weighted p;
  auto k = reduce_axis(1, "k");
  auto twin = compute({1, 1}, [&](Index, Index) { return sum(p.W(k + 3), k); }, "twin");
  auto out = compute({6}, [&](Index i) { return if_then_else(i < 0, twin(0, i), 4.0f); }, "out");
  Array<float, 1> result({6});
  jit(Schedule(out), out)(result);
  EXPECT_EQ(result, (Array<float, 1>::generate({6}, [](std::int64_t) { return 4.0f; })));
}

TEST(ConstantStages, SourcesCarryTheData) {
  const Weighted p;
  Schedule s(p.C);
  const ir::Program program = lower_program(s, {p.A, p.C}, {});
  const ir::Parameter &constant = program.entry().parameters.back();
  ASSERT_EQ(constant.name, "P");
  ASSERT_TRUE(constant.data);
  ASSERT_EQ(constant.data->size(), 12 * sizeof(float));
  for (std::size_t k = 0; k < 12; ++k)
    EXPECT_EQ(reinterpret_cast<const float *>(constant.data->data())[k], 2.0f * (static_cast<float>(k) - 3));
}

TEST(ConstantStages, AKernelWithoutANameOfItsOwn) {
  const Weighted p;
  Array<float, 1> c({5});
  jit(Schedule(p.C), {.name = ""}, p.A, p.C)(p.a, c);
  EXPECT_EQ(c, p.right());
}

}  // namespace
}  // namespace lathe
