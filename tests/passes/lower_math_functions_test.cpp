// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lathe/passes/lower_math_functions.hpp"

#include <cmath>

#include "passes/loops.hpp"

namespace {

using namespace loops;
using passes::lower_math_functions;

std::size_t count_of(const Stmt &s, ir::UnaryOp op) {
  std::size_t count = 0;
  ir::walk(s, [&](const Expr &e) { count += e.as<ir::Unary>() && e.as<ir::Unary>()->op == op; });
  return count;
}
std::size_t fused(const Stmt &s) {
  std::size_t count = 0;
  ir::walk(s, [&](const Expr &e) { count += e.as<ir::MulAdd>() != nullptr; });
  return count;
}

TEST(LowerMathFunctions, functions_become_arithmetic_of_as_many_lanes) {
  const Buffer A("A", f32, {8}), B("B", f32, {8});
  const Expr all = ir::ramp(0, 1, 8);
  const Stmt s = store(B, {all}, ir::unary(ir::UnaryOp::exp, ir::load(A, {all})) + number(1, f32.with_lanes(8)));
  const Stmt after = lower_math_functions(s, on_vectors());
  EXPECT_EQ(count_of(after, ir::UnaryOp::exp), 0u);
  EXPECT_GT(fused(after), 5u);
  ir::walk(after, [&](const Expr &e) {
    const bool scalar = !e.type().is_float() || e.as<ir::Const>();
    EXPECT_TRUE(scalar || e.lanes() == 8) << ir::to_string(e);
  });
  const auto result = interpreted<float>({{A}, {B}, {}, s}, after);
  for (int i = 0; i < 8; ++i) {
    const float right = 1 + std::exp(input_element(i));
    EXPECT_NEAR(result[static_cast<std::size_t>(i)], right, std::ldexp(right, -22)) << i;
  }
}

TEST(LowerMathFunctions, only_what_has_fused_multiply_adds_gets_them) {
  const Buffer A("A", f32, {1}), B("B", f32, {1});
  const Stmt s = store(B, {0}, ir::unary(ir::UnaryOp::tanh, ir::load(A, {0})));
  EXPECT_GT(fused(lower_math_functions(s, on_vectors())), 0u);
  EXPECT_EQ(fused(lower_math_functions(s, {})), 0u);
}

TEST(LowerMathFunctions, what_stays) {
  const Buffer A("A", f32, {1}), B("B", f32, {1});
  const Expr a = ir::load(A, {0});
  const Stmt library = store(B, {0}, ir::binary(ir::BinaryOp::fmod, a, a) + ir::unary(ir::UnaryOp::sqrt, a));
  EXPECT_TRUE(lower_math_functions(library, on_vectors()).same_as(library));
  passes::PassContext asked = on_vectors();
  asked.numerics.library_math = true;
  const Stmt s = store(B, {0}, ir::unary(ir::UnaryOp::exp, a));
  EXPECT_TRUE(lower_math_functions(s, asked).same_as(s));
  EXPECT_FALSE(lower_math_functions(s, on_vectors()).same_as(s));
}

TEST(LowerMathFunctions, an_argument_and_a_shared_function_are_computed_once) {
  const Buffer A("A", f32, {1}), B("B", f32, {1});
  const Expr e = ir::unary(ir::UnaryOp::exp, ir::unary(ir::UnaryOp::sqrt, ir::load(A, {0})));
  const Stmt once = lower_math_functions(store(B, {0}, e), on_vectors());
  const Stmt twice = lower_math_functions(store(B, {0}, e * e), on_vectors());
  EXPECT_EQ(count_of(twice, ir::UnaryOp::sqrt), 1u);
  EXPECT_EQ(fused(twice), fused(once));
}

TEST(LowerMathFunctions, long_chains) {
  const Buffer A("A", f32, {1}), B("B", f32, {1});
  Expr e = ir::load(A, {0});
  for (int i = 0; i < 5000; ++i) e = ir::unary(ir::UnaryOp::tanh, e);
  EXPECT_EQ(count_of(lower_math_functions(store(B, {0}, e), on_vectors()), ir::UnaryOp::tanh), 0u);
}

}  // namespace
