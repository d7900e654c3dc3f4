// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lathe/passes/narrow_indices.hpp"

#include <string>

#include "lathe/jit.hpp"
#include "lathe/lathe.hpp"
#include "passes/loops.hpp"

namespace {

using namespace loops;
using passes::narrow_indices;

const DType f32x8(scalar_types::float32, 8);

struct NarrowIndices : testing::Test {
  Var x = index_var("x"), n = loops::size_var("n");
  Buffer A{"A", f32, {64}}, B{"B", f32, {64}};
  ir::Expr lanes = ir::ramp(ir::Expr(x) * 8, 1, 8);

  Stmt over(ir::Expr value, ir::Expr count = 8) const { return loop(x, std::move(count), store(B, {lanes}, std::move(value))); }
  /// The text after the pass; values stay.
  std::string narrowed(const Stmt &s, std::int64_t n_is = 8) const {
    const Code code{{A}, {B}, {{n, n_is}}, s};
    passes::PassContext context = on_vectors();
    context.facts.assume(ir::Expr(n) >= 0);
    const Stmt after = narrow_indices(s, context);
    ir::verify(code.program(after), ir::form_lowered, "narrow_indices");
    EXPECT_EQ(run(code, after), run(code, s));
    return ir::to_string(after);
  }
};

TEST_F(NarrowIndices, lanes_that_become_data) {
  const std::string text = narrowed(over(ir::cast(f32x8, lanes)));
  EXPECT_NE(text.find("int32"), std::string::npos) << text;
}

TEST_F(NarrowIndices, places_with_divisions_and_no_others) {
  const ir::Expr third = lanes * 2 / 3;
  EXPECT_NE(narrowed(over(ir::load(A, {third}))).find("int32"), std::string::npos);
  const Stmt plain = over(ir::load(A, {lanes}));
  EXPECT_TRUE(narrow_indices(plain, on_vectors()).same_as(plain));
  const ir::Expr back = ir::broadcast(ir::Expr(63), 8) - lanes;
  EXPECT_EQ(narrowed(over(ir::load(A, {back}))).find("int32"), std::string::npos);
}

TEST_F(NarrowIndices, comparisons_of_remainders) {
  const ir::Expr odd = ir::equals(lanes % ir::broadcast(ir::Expr(3), 8), ir::broadcast(ir::Expr(1), 8));
  const std::string text = narrowed(over(ir::select(odd, ir::load(A, {lanes}), ir::broadcast(number(0), 8))));
  EXPECT_NE(text.find("int32"), std::string::npos) << text;
}

/// More than 2^28 iterations of 8 lanes do not fit; nor does a step on the way.
TEST_F(NarrowIndices, what_needs_more_bits_stays) {
  const Stmt far = over(ir::cast(f32x8, lanes), ir::Expr((std::int64_t{1} << 28) + 1));
  EXPECT_TRUE(narrow_indices(far, on_vectors()).same_as(far));
  const ir::Expr through = (lanes * (std::int64_t{1} << 30)) / (std::int64_t{1} << 30);
  EXPECT_EQ(narrowed(over(ir::load(A, {through}))).find("int32"), std::string::npos);
}

TEST_F(NarrowIndices, twice_where_sizes_decide) {
  const std::string text = narrowed(over(ir::cast(f32x8, lanes), ir::Expr(n)));
  EXPECT_NE(text.find("if n < 32768:"), std::string::npos) << text;
  EXPECT_NE(text.find("else:"), std::string::npos) << text;
}

/// Every third column, from another place of a row: sizes beyond 32767 take the general code.
TEST(NarrowIndicesOfKernels, both_variants_are_right) {
  auto n = lathe::size_var("n"), m = lathe::size_var("m");
  auto a = placeholder<float>({n}, "a");
  auto b = compute({m}, [&](Index i) { return a(i * n / m) + cast<float>(i % 7); }, "b(i)");
  Schedule s(b);
  s[b].vectorize(s[b].split(s[b].axis(0), 16).second);
  const auto kernel = jit(s, {.verify = true}, a, b);
  const std::pair<std::int64_t, std::int64_t> sizes[] = {{5, 37},       {37, 5},       {100, 100},
                                                         {40000, 1000}, {1000, 40000}, {32767, 32767}};
  for (const auto &[from, to] : sizes) {
    const auto in = Array<float, 1>::generate({from}, [](std::int64_t i) { return static_cast<float>(i); });
    Array<float, 1> out({to});
    kernel(in, out);
    for (std::int64_t i = 0; i < to; ++i)
      ASSERT_EQ(out(i), static_cast<float>(i * from / to + i % 7)) << from << " " << to << " " << i;
  }
}

}  // namespace
