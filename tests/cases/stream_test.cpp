// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Stages whose vectors are stored past the caches: values, and the instructions that do it.

#include <gmock/gmock.h>

#include "cases/every_backend.hpp"
#include "lathe/runtime/llvm_jit.hpp"

namespace {

using namespace cases;
using testing::HasSubstr;
using testing::Not;

struct Doubling {
  std::int64_t n;
  Input<float, 1> a = placeholder<float>({n}, "a");
  Tensor<float, 1> b = compute({n}, [&](Index i) { return a(i) * 2.0f; }, "b(i)");

  std::vector<Given> given() const { return {in(a, counted<float, 1>({n})), out(b, counted<float, 1>({n}, 0, 2))}; }
};

std::string assembly(const Schedule &s, const Target &target, const std::vector<AnyArgument> &arguments) {
  return compile_llvm(emit_llvm_text(s, arguments, {.target = target}), target)->assembly();
}

TEST(Stream, StoresAlignedVectorsPastTheCaches) {
  EveryBackend run;
  Doubling d{64};
  for (const bool parallel : {false, true}) {
    Schedule s(d.b);
    auto [o, i] = s[d.b].split(s[d.b].axis(0), 8);
    s[d.b].vectorize(i);
    if (parallel) s[d.b].parallel(o);
    s[d.b].stream();
    EXPECT_THAT(print(s, d.a, d.b), HasSubstr("b: out float32[64], aligned 64, streamed"));
    run.expect(s, d.given());
    const Target target = Target::of("x86_64-unknown-linux-gnu", "x86-64-v3");
    const std::string text = emit_llvm_text(s, {d.a, d.b}, {.target = target});
    EXPECT_THAT(text, HasSubstr("!nontemporal"));
    const std::string code = assembly(s, target, {d.a, d.b});
    EXPECT_THAT(code, HasSubstr("vmovntps"));
    EXPECT_THAT(code, HasSubstr("sfence"));
  }
}

/// Rows of 12 floats begin at multiples of 16 bytes only: vectors of 8 are no longer proven aligned, those of 4 are.
TEST(Stream, LeavesWhatIsNotAligned) {
  EveryBackend run;
  auto a = placeholder<float>({4, 12}, "a");
  auto b = compute({4, 12}, [&](Index i, Index j) { return a(i, j) * 2.0f; }, "b(i, j)");
  const Target target = Target::of("x86_64-unknown-linux-gnu", "x86-64-v3");
  for (const int lanes : {4, 8}) {
    Schedule s(b);
    auto [o, i] = s[b].split(s[b].axis(1), lanes);
    s[b].vectorize(i);
    s[b].stream();
    if (lanes == 4)
      EXPECT_THAT(assembly(s, target, {a, b}), HasSubstr("vmovntps"));
    else
      EXPECT_THAT(emit_llvm_text(s, {a, b}, {.target = target}),
                  Not(HasSubstr("store <8 x float> %0, ptr %p1, align 16, !nontemporal")));
    run.expect(s, {in(a, counted<float, 2>({4, 12})), out(b, counted<float, 2>({4, 12}, 0, 2))});
  }
}

/// What the same kernel reads afterwards, on other threads too.
TEST(Stream, OfAnIntermediateStage) {
  EveryBackend run;
  Doubling d{1 << 14};
  const std::int64_t n = d.n;
  auto c = compute({n}, [&](Index i) { return d.b(n - 1 - i) + 1.0f; }, "c(i)");
  Schedule s(c);
  auto [o, i] = s[d.b].split(s[d.b].axis(0), 16);
  s[d.b].vectorize(i);
  s[d.b].parallel(s[d.b].split(o, 64).first);
  s[d.b].stream();
  s[c].parallel(s[c].split(s[c].axis(0), 512).first);
  run.expect(s, {in(d.a, counted<float, 1>({n})), out(c, counted<float, 1>({n}, 2 * n - 1, -2))});
  EXPECT_THAT(assembly(s, Target::of("x86_64-unknown-linux-gnu", "x86-64-v3"), {d.a, c}), HasSubstr("vmovntps"));
}

TEST(Stream, TextAndCppReadBack) {
  Doubling d{64};
  Schedule s(d.b);
  s[d.b].vectorize(s[d.b].axis(0));
  s[d.b].stream();
  EXPECT_EQ(s.to_text(), "vectorize o1 o0\nstream o1\n");
  EXPECT_THAT(s.to_cpp(), HasSubstr("s[b].stream();\n"));
  Schedule again(d.b);
  again.replay(s.to_text());
  EXPECT_EQ(again.to_cpp(), s.to_cpp());
}

}  // namespace
