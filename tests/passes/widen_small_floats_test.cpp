// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lathe/passes/widen_small_floats.hpp"

#include <cmath>

#include "lathe/dtype/small_float.hpp"
#include "passes/loops.hpp"

namespace {

using namespace loops;
using passes::widen_small_floats;

bool is_wide(const Stmt &s) {
  bool wide = true;
  ir::walk(s, [&](const Expr &e) {
    if (!e.as<ir::Unary>() && !e.as<ir::Binary>() && !e.as<ir::MulAdd>()) return;
    ir::for_each_child(e, [&](const Expr &child) { wide = wide && !(child.type().is_float() && child.type().bits() < 32); });
  });
  return wide;
}

template <class Small>
void every_operator_rounds(DType type) {
  const Var i = index_var("i");
  const Buffer A("A", type, {40}), C("C", type, {40}), B("B", type, {40});
  const Expr a = ir::load(A, {i}), c = ir::load(C, {i});
  const Code code{{A, C}, {B}, {}, loop(i, 40, store(B, {i}, a / c * a + ir::unary(ir::UnaryOp::sqrt, c)))};
  same_meaning(code, widen_small_floats);
  const Stmt after = widen_small_floats(code.body, {});
  EXPECT_TRUE(is_wide(after));
  const auto result = interpreted<std::uint16_t>(code, after);
  for (int k = 0; k < 40; ++k) {
    const float x = Small(input_element(k)), y = Small(input_element(k, 1));
    const float quotient = Small(x / y), product = Small(quotient * x), root = Small(std::sqrt(static_cast<double>(y)));
    EXPECT_EQ(result[static_cast<std::size_t>(k)], Small(product + root).bits) << k;
  }
}

TEST(WidenSmallFloats, every_operator_rounds_once_float16) { every_operator_rounds<float16>(scalar_types::float16); }
TEST(WidenSmallFloats, every_operator_rounds_once_bfloat16) { every_operator_rounds<bfloat16>(scalar_types::bfloat16); }

TEST(WidenSmallFloats, comparisons_widen_and_the_rest_stays) {
  const DType half(scalar_types::float16);
  const Var i = index_var("i");
  const Buffer A("A", half, {4}), B("B", half, {4}), F("F", f32, {4});
  const Expr a = ir::load(A, {i});
  const Stmt s = store(B, {i}, ir::select(a < number(1, half), a, ir::cast(half, ir::load(F, {i}))));
  EXPECT_EQ(ir::to_string(widen_small_floats(s, {})), "B[i] = select(float32(A[i]) < 1.0f, A[i], float16(F[i]))");
  const Stmt plain = store(F, {i}, ir::load(F, {i}) + ir::cast(f32, a));
  EXPECT_TRUE(widen_small_floats(plain, {}).same_as(plain));
}

TEST(WidenSmallFloats, an_operand_is_widened_once) {
  const DType half(scalar_types::float16);
  const Buffer A("A", half, {4}), B("B", half, {4});
  const Expr a = ir::load(A, {0});
  const Stmt after = widen_small_floats(store(B, {0}, a * a), {});
  std::size_t casts = 0;
  ir::walk(after, [&](const Expr &e) { casts += e.as<ir::Cast>() && e.type() == f32; });
  EXPECT_EQ(casts, 1u);
}

TEST(WidenSmallFloats, bool_results_need_no_rounding) {
  const DType brain(scalar_types::bfloat16);
  const Buffer A("A", brain, {4}), B("B", scalar_types::boolean, {4});
  const Stmt after = widen_small_floats(store(B, {0}, ir::unary(ir::UnaryOp::is_nan, ir::load(A, {0}))), {});
  EXPECT_EQ(ir::to_string(after), "B[0] = is_nan(float32(A[0]))");
}

}  // namespace
