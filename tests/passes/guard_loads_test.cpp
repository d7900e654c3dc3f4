// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lathe/passes/guard_loads.hpp"

#include "passes/loops.hpp"

namespace {

using namespace loops;
using ir::form_no_guarding_selects;
using passes::guard_loads;

struct GuardLoads : testing::Test {
  Var n = size_var("n"), i = index_var("i");
  Buffer A{"A", f32, {n}}, B{"B", f32, {Expr(n) + 4}};
  Code code(Stmt body) { return {{A}, {B}, {{n, 5}}, std::move(body)}; }
};

// The interpreter faults on a read outside of A, so equal results mean that no load lost its guard.
TEST_F(GuardLoads, arms_of_a_select) {
  const Expr inside = ir::select(Expr(i) < n, ir::load(A, {i}) * number(2), ir::load(A, {Expr(i) - n}), true);
  const Code c = code(loop(i, Expr(n) + 4, store(B, {i}, inside)));
  EXPECT_EQ(same_meaning(c, guard_loads, form_no_guarding_selects),
            "for i in 0..n + 4:\n"
            "  B[i] = select(i < n, A[i if i < n]*2.0f, A[i - n if i >= n])");
  const std::vector<float> result = interpreted<float>(c, guard_loads(c.body, on_vectors()));
  for (std::int64_t k = 0; k < 9; ++k)
    EXPECT_EQ(result[static_cast<std::size_t>(k)], k < 5 ? 2 * input_element(k) : input_element(k - 5));
}

TEST_F(GuardLoads, right_sides_of_logic) {
  const Expr a = ir::load(A, {i}) > number(-10);
  const Expr b = ir::select(Expr(i) < n && a, number(1), number(0));
  EXPECT_EQ(same_meaning(code(loop(i, Expr(n) + 4, store(B, {i}, b))), guard_loads, form_no_guarding_selects),
            "for i in 0..n + 4:\n"
            "  B[i] = select(i < n && A[i if i < n] > -10.0f, 1.0f, 0.0f)");
  const Expr c = ir::select(Expr(i) >= n || a, number(1), number(0));
  EXPECT_EQ(same_meaning(code(loop(i, Expr(n) + 4, store(B, {i}, c))), guard_loads, form_no_guarding_selects),
            "for i in 0..n + 4:\n"
            "  B[i] = select(i >= n || A[i if i < n] > -10.0f, 1.0f, 0.0f)");
}

TEST_F(GuardLoads, nested_guards_and_indices_that_load) {
  const Expr hop = ir::ranged(ir::cast(index_type, ir::load(A, {i})), -20, 0);
  const Expr value = ir::select(Expr(i) < n, ir::select(ir::load(A, {i}) < number(-14), ir::load(A, {hop + 20}), number(7), true),
                                number(9), true);
  const std::string text = same_meaning(code(loop(i, Expr(n) + 4, store(B, {i}, value))), guard_loads, form_no_guarding_selects);
  EXPECT_EQ(text.find("A[i]"), std::string::npos) << text;
  EXPECT_NE(text.find("let t1 = i < n && A[i if i < n] < -14.0f"), std::string::npos) << text;
  EXPECT_NE(text.find("A[assume_range(index(A[i if t1]), -20, 0) + 20 if t1]"), std::string::npos) << text;
}

// One node used unguarded and under a guard: the first use must not get the predicate of the second.
TEST_F(GuardLoads, shared_node_is_treated_by_context) {
  const Expr shared = ir::load(A, {ir::min(i, Expr(n) - 1)}) + number(1);
  const Expr value = shared + ir::select(Expr(i) < 2, shared * number(10), number(0), true);
  const std::string text = same_meaning(code(loop(i, Expr(n) + 4, store(B, {i}, value))), guard_loads, form_no_guarding_selects);
  EXPECT_NE(text.find("A[min(i, n - 1)]"), std::string::npos) << text;
  EXPECT_NE(text.find("A[min(i, n - 1) if i < 2]"), std::string::npos) << text;
}

TEST_F(GuardLoads, selects_without_loads_only_lose_the_mark) {
  const Expr e = ir::select(Expr(i) < n, number(1), number(2), true);
  const Stmt after = guard_loads(store(B, {i}, e), {});
  const auto *select = after.as<ir::Store>()->value.as<ir::Select>();
  ASSERT_NE(select, nullptr);
  EXPECT_FALSE(select->guards);
}

TEST_F(GuardLoads, a_load_or_zero_is_a_load_with_a_predicate) {
  const Expr low = ir::select(Expr(i) < n, ir::load(A, {i}), number(0), true);
  const Expr high = ir::select(Expr(i) < 4, number(0), ir::load(A, {Expr(i) - 4}), true);
  const Expr negative = ir::select(Expr(i) < n, ir::load(A, {i}), number(-0.0), true);
  EXPECT_EQ(same_meaning(code(loop(i, Expr(n) + 4, store(B, {i}, low * high))), guard_loads, form_no_guarding_selects),
            "for i in 0..n + 4:\n  B[i] = A[i if i < n]*A[i - 4 if i >= 4]");
  EXPECT_EQ(same_meaning(code(loop(i, Expr(n) + 4, store(B, {i}, negative))), guard_loads, form_no_guarding_selects),
            "for i in 0..n + 4:\n  B[i] = select(i < n, A[i if i < n], -0.0f)");
}

TEST_F(GuardLoads, unguarded_code_is_returned_as_it_is) {
  const Stmt s = loop(i, n, store(B, {i}, ir::load(A, {i}) + number(1)));
  EXPECT_TRUE(guard_loads(s, {}).same_as(s));
}

// E2 of the Halide cases: with the flag false at run time nothing of p may be touched, though both arms are evaluated.
TEST_F(GuardLoads, a_flag_guards_memory_that_may_be_empty) {
  const Var flag = index_var("flag"), m = size_var("m");
  const Buffer p("p", f32, {m});
  const Expr value = ir::select(Expr(flag) > 0, ir::load(p, {i}) + ir::load(p, {Expr(i) + 1}), number(42), true);
  const Code c{{p}, {B}, {{n, 4}, {m, 0}, {flag, 0}}, loop(i, 8, store(B, {i}, value))};
  same_meaning(c, guard_loads, form_no_guarding_selects);
  const std::vector<float> result = interpreted<float>(c, guard_loads(c.body, {}));
  EXPECT_EQ(std::vector<float>(result.begin(), result.begin() + 8), std::vector<float>(8, 42.0f));
}

TEST_F(GuardLoads, deep_chains_need_no_deep_stack) {
  Expr e = number(0);
  for (int k = 0; k < 10000; ++k) e = ir::select(ir::equals(i, k), ir::load(A, {i}) + number(k), e, true);
  const Stmt after = guard_loads(store(B, {i}, e), {});
  std::size_t loads = 0;
  ir::walk(after, [&](const Expr &node) {
    if (const auto *load = node.as<ir::Load>()) loads += load->predicate.defined();
  });
  EXPECT_EQ(loads, 10000u);
}

TEST_F(GuardLoads, too_many_conditions_for_shared_parts_are_refused) {
  Expr e = ir::load(A, {i});
  for (int k = 0; k < 40; ++k) e = ir::select(ir::equals(i, k), e, e + number(k + 1), true);
  try {
    guard_loads(store(B, {i}, e), {});
    FAIL() << "no error";
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), "L061");
  }
}

}  // namespace
