// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lathe/passes/lower_math_functions.hpp"

#include <cmath>
#include <stdexcept>

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

const DType f64(scalar_types::float64);

/// The branch that a statement has become.
const ir::If &branch_of(const Stmt &s) {
  const auto *branch = s.as<ir::If>();
  if (!branch) throw std::runtime_error("no branch:\n" + ir::to_string(s));
  return *branch;
}
std::size_t casts_to_f64(const Stmt &s) {
  std::size_t count = 0;
  ir::walk(s, [&](const Expr &e) { count += e.as<ir::Cast>() && e.type().element() == f64; });
  return count;
}

TEST(LowerMathFunctions, great_arguments_take_a_branch_of_their_own) {
  const Buffer A("A", f32, {8}), B("B", f32, {8});
  const Expr all = ir::ramp(0, 1, 8);
  for (const double scale : {1.0, 3e3, 1e30}) {  // no lane is beyond the reach, some are, all are
    const Stmt s = store(B, {all}, ir::unary(ir::UnaryOp::sin, ir::load(A, {all}) * number(scale, f32.with_lanes(8))));
    const Stmt after = lower_math_functions(s, on_vectors());
    const ir::If &branch = branch_of(after);
    EXPECT_EQ(branch.condition.lanes(), 1);
    EXPECT_EQ(ir::to_string(branch.condition).find("any_lane("), 0u) << ir::to_string(branch.condition);
    EXPECT_GT(casts_to_f64(branch.then_body), 0u);  // float32 is reduced in float64
    EXPECT_EQ(casts_to_f64(branch.else_body), 0u);
    const auto result = interpreted<float>({{A}, {B}, {}, s}, after);
    for (int i = 0; i < 8; ++i)
      EXPECT_NEAR(result[static_cast<std::size_t>(i)],
                  std::sin(static_cast<double>(input_element(i) * static_cast<float>(scale))), 1.2e-7)
          << i << " times " << scale;
  }
}

TEST(LowerMathFunctions, one_branch_for_all_calls_of_a_statement) {
  const Buffer A("A", f32, {8}), B("B", f32, {8}), C("C", f32, {8});
  const Expr all = ir::ramp(0, 1, 8), a = ir::load(A, {all}), c = ir::load(C, {all});
  const Expr scalar = ir::unary(ir::UnaryOp::tan, ir::load(C, {0}));
  const Expr nested = ir::unary(ir::UnaryOp::sin, ir::unary(ir::UnaryOp::tan, a) * number(1e5, f32.with_lanes(8)));
  const Stmt s = store(B, {all}, nested + ir::unary(ir::UnaryOp::cos, c) + ir::broadcast(scalar, 8));
  const Stmt after = lower_math_functions(s, on_vectors());
  std::size_t branches = 0, limits = 0, questions = 0;
  ir::walk_down(after, [&](const Stmt &inner) { return branches += inner.as<ir::If>() != nullptr, true; });
  EXPECT_EQ(branches, 1u);
  ir::walk(branch_of(after).condition, [&](const Expr &e) {
    limits += e.as<ir::Binary>() && e.as<ir::Binary>()->op == ir::BinaryOp::gt;
    questions += e.as<ir::Unary>() && e.as<ir::Unary>()->op == ir::UnaryOp::any_lane;
  });
  EXPECT_EQ(limits, 4u);
  EXPECT_EQ(questions, 1u);  // a scalar needs none
  EXPECT_EQ(casts_to_f64(branch_of(after).else_body), 0u);
  const auto result = interpreted<float>({{A, C}, {B}, {}, s}, after);
  for (int i = 0; i < 8; ++i) {
    const auto element = [&](int k, int input) { return static_cast<double>(input_element(k, input)); };
    const float inner = static_cast<float>(std::tan(element(i, 0)));
    const double right = std::sin(static_cast<double>(inner * 1e5f)) + std::cos(element(i, 1)) + std::tan(element(0, 1));
    EXPECT_NEAR(result[static_cast<std::size_t>(i)], right, std::fabs(static_cast<double>(inner)) * 1e5 * 2.4e-7 + 1e-6) << i;
  }
}

TEST(LowerMathFunctions, scalars_and_lanes_are_asked_apart_in_any_order) {
  const Buffer A("A", f32, {8}), B("B", f32, {8});
  const Expr all = ir::ramp(0, 1, 8);
  const auto scalar = [&](ir::UnaryOp op, int at) { return ir::broadcast(ir::unary(op, ir::load(A, {at})), 8); };
  const Expr sum = scalar(ir::UnaryOp::sin, 1) + ir::unary(ir::UnaryOp::cos, ir::load(A, {all})) + scalar(ir::UnaryOp::cos, 2);
  const Stmt s = store(B, {all}, sum);
  const auto result = interpreted<float>({{A}, {B}, {}, s}, lower_math_functions(s, on_vectors()));
  const auto element = [](int k) { return static_cast<double>(input_element(k)); };
  for (int i = 0; i < 8; ++i)
    EXPECT_NEAR(result[static_cast<std::size_t>(i)], std::sin(element(1)) + std::cos(element(i)) + std::cos(element(2)), 1e-6)
        << i;
}

TEST(LowerMathFunctions, the_condition_reads_where_the_statement_does) {
  const Buffer A("A", f32, {4}), B("B", f32, {8});
  const Var n = size_var("n");
  const Expr all = ir::ramp(0, 1, 8), row = ir::broadcast(ir::load(A, {Expr(n)}), 8);
  for (const Expr &predicate : {Expr(n) < 4, ir::broadcast(Expr(n) < 4, 8)})
    for (const std::int64_t size : {3, 4}) {  // there is no A[4]
      const Stmt s = store(B, {all}, ir::unary(ir::UnaryOp::cos, row), predicate);
      const Stmt after = lower_math_functions(s, on_vectors());
      EXPECT_TRUE(ir::equal(branch_of(after).condition, Expr(n) < 4));
      EXPECT_FALSE(branch_of(branch_of(after).then_body).then_body.as<ir::Store>()->predicate.defined());
      const Memory memory = run({{A}, {B}, {{n, size}}, s}, after);
      if (size == 3) {
        EXPECT_NEAR(values<float>(memory)[5], std::cos(static_cast<double>(input_element(3))), 1.2e-7);
      }
    }
  // Where to read depends on the sine of a great number, which must be right in the condition as well.
  const Expr great = ir::load(A, {0}) * number(1e30);
  const Expr place = ir::cast(index_type, ir::unary(ir::UnaryOp::sin, great) * number(1.5) + number(2));
  const Stmt s = store(B, {0}, ir::unary(ir::UnaryOp::sin, ir::load(A, {place})));
  const auto result = interpreted<float>({{A}, {B}, {}, s}, lower_math_functions(s, on_vectors()));
  const double first = std::sin(static_cast<double>(input_element(0) * 1e30f));
  EXPECT_NEAR(result[0], std::sin(static_cast<double>(input_element(static_cast<int>(first * 1.5 + 2)))), 1.2e-7);
}

TEST(LowerMathFunctions, what_has_no_branch_takes_the_complete_way) {
  const Buffer A("A", f32, {1}), B("B", f32, {1});
  const Var x("x", f32);
  const Expr great = ir::load(A, {0}) * number(1e30);
  const Stmt s = let(x, ir::unary(ir::UnaryOp::tan, great), store(B, {0}, x));
  const Stmt after = lower_math_functions(s, on_vectors());
  ASSERT_TRUE(after.as<ir::Bind>());
  EXPECT_EQ(count_of(after, ir::UnaryOp::tan), 0u);
  const double right = std::tan(static_cast<double>(input_element(0) * 1e30f));
  EXPECT_NEAR(interpreted<float>({{A}, {B}, {}, s}, after)[0], right, std::fabs(right) * 3e-7);
  const Expr counted = ir::make(f32, ir::Call{{"count", nullptr, false}, {ir::load(A, {0})}});
  EXPECT_TRUE(lower_math_functions(store(B, {0}, ir::unary(ir::UnaryOp::sin, counted)), on_vectors()).as<ir::Store>());
  Expr sum = number(0);
  for (int i = 0; i < 100; ++i) sum = sum + ir::unary(ir::UnaryOp::sin, ir::load(A, {0}) * number(i));
  EXPECT_TRUE(lower_math_functions(store(B, {0}, sum), on_vectors()).as<ir::Store>());
}

}  // namespace
