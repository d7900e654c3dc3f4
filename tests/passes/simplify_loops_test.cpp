// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lathe/passes/simplify_loops.hpp"

#include "passes/loops.hpp"

namespace {

using namespace loops;
using passes::simplify_loops;

struct SimplifyLoops : testing::Test {
  Var n = size_var("n"), m = size_var("m"), i = index_var("i"), j = index_var("j"), o = index_var("o");
  Buffer A{"A", f32, {n}}, B{"B", f32, {n}}, C{"C", f32, {64}};
  std::string simplified(const Stmt &s) { return ir::to_string(simplify_loops(s, on_vectors())); }
  Stmt copy(const Expr &k) { return store(B, {k}, ir::load(A, {k})); }
};

TEST_F(SimplifyLoops, a_loop_of_one_iteration_is_its_body) {
  const Code code{{A}, {B}, {{n, 8}}, loop(o, 1, loop(i, n, copy(Expr(o) * 8 + i)))};
  EXPECT_EQ(same_meaning(code, simplify_loops), "for i in 0..n:\n  B[i] = A[i]");
  EXPECT_EQ(simplified(loop(i, 1, copy(i), LoopKind::parallel, 3)), "B[3] = A[3]");
  EXPECT_EQ(simplified(loop(i, (Expr(n) + 1) - n, copy(i), LoopKind::vectorized)), "B[0] = A[0]");
}

TEST_F(SimplifyLoops, a_loop_without_iterations_is_nothing) {
  EXPECT_EQ(simplified(loop(o, 4, loop(i, 0, copy(i)))), "pass");
  EXPECT_EQ(simplified(sequence({loop(i, ir::min(n, 0), copy(i)), copy(1)})), "B[1] = A[1]");
  EXPECT_EQ(simplified(allocate(C, loop(i, 0, store(C, {i}, number(1))))), "pass");
}

TEST_F(SimplifyLoops, decided_conditions_fold) {
  EXPECT_EQ(simplified(loop(i, 8, when(Expr(i) < 8, copy(i), copy(0)))), "for i in 0..8:\n  B[i] = A[i]");
  EXPECT_EQ(simplified(loop(i, 8, when(Expr(i) >= 8, copy(i), copy(0)))), "for i in 0..8:\n  B[0] = A[0]");
  EXPECT_EQ(simplified(when(Expr(n) < 4, when(Expr(n) < 5, copy(0)))), "if n < 4:\n  B[0] = A[0]");
  EXPECT_EQ(simplified(when(Expr(n) < 4, copy(0), when(Expr(n) >= 4, copy(1), copy(2)))),
            "if n < 4:\n  B[0] = A[0]\nelse:\n  B[1] = A[1]");
  EXPECT_EQ(simplified(when(Expr(n) < 4, sequence({}), copy(1))), "if n >= 4:\n  B[1] = A[1]");
}

TEST_F(SimplifyLoops, guards_of_splits_that_divide_vanish) {
  const Expr k = Expr(o) * 16 + i;
  EXPECT_EQ(simplified(loop(o, Expr(4), loop(i, 16, when(k < 64, store(C, {k}, number(1)))))),
            "for o in 0..4:\n  for i in 0..16:\n    C[o*16 + i] = 1.0f");
}

TEST_F(SimplifyLoops, conditions_leave_loops_that_do_not_matter_to_them) {
  const Code code{{A}, {B}, {{n, 7}, {m, 3}}, loop(o, m, loop(i, n, when(Expr(m) < 4 && Expr(o) < 2, copy(i))))};
  EXPECT_EQ(same_meaning(code, simplify_loops),
            "if m < 4:\n"
            "  for o in 0..min(m, 2):\n"
            "    for i in 0..n:\n"
            "      B[i] = A[i]");
}

TEST_F(SimplifyLoops, both_branches_leave) {
  const Code code{{A}, {B}, {{n, 7}, {m, 3}}, loop(i, n, when(Expr(m) < 3, copy(i), store(B, {i}, number(1))))};
  EXPECT_EQ(same_meaning(code, simplify_loops),
            "if m < 3:\n"
            "  for i in 0..n:\n"
            "    B[i] = A[i]\n"
            "else:\n"
            "  for i in 0..n:\n"
            "    B[i] = 1.0f");
}

TEST_F(SimplifyLoops, conditions_become_extents) {
  for (std::int64_t size : {0, 1, 15, 16, 17, 33}) {
    const Expr k = Expr(o) * 16 + i;
    const Code code{{A}, {B}, {{n, size}}, loop(o, (Expr(n) + 15) / 16, loop(i, 16, when(k < n, copy(k))))};
    EXPECT_EQ(same_meaning(code, simplify_loops),
              "for o in 0..(n + 15)/16:\n"
              "  for i in 0..min(n - o*16, 16):\n"
              "    B[o*16 + i] = A[o*16 + i]");
  }
}

TEST_F(SimplifyLoops, extents_never_become_negative) {
  for (std::int64_t size : {0, 5, 20, 40}) {
    const Expr k = Expr(o) * 16 + 3 * Expr(i);
    const Code code{{A}, {B}, {{n, size}}, loop(o, 3, loop(i, 5, when(k <= Expr(n) - 1, copy(k))))};
    const std::string text = same_meaning(code, simplify_loops);
    EXPECT_EQ(text.find("if"), std::string::npos) << text;
    EXPECT_NE(text.find("max("), std::string::npos) << text;
  }
}

TEST_F(SimplifyLoops, vectorized_loops_keep_their_extent) {
  const Expr k = Expr(o) * 16 + i;
  EXPECT_EQ(simplified(loop(o, (Expr(n) + 15) / 16, vectorized(i, 16, when(k < n, copy(k))))),
            "for o in 0..(n + 15)/16:\n"
            "  vectorized i in 0..16:\n"
            "    if o*16 + i < n:\n"
            "      B[o*16 + i] = A[o*16 + i]");
  EXPECT_EQ(simplified(unrolled(i, 16, when(Expr(i) < 10, copy(i)))), "unrolled i in 0..10:\n  B[i] = A[i]");
  EXPECT_EQ(simplified(unrolled(i, 16, when(Expr(i) < m, copy(i)))), "unrolled i in 0..16:\n  if i < m:\n    B[i] = A[i]");
}

// A1 of the Halide cases: what the loop itself changes is no fact about it.
TEST_F(SimplifyLoops, conditions_over_written_memory_stay) {
  const Buffer M("M", i32, {1});
  const Expr least = ir::cast(index_type, ir::load(M, {0}));
  const Stmt step = when(Expr(i) < least, store(M, {0}, ir::cast(i32, Expr(i) * 0 + 3)));
  const Stmt start = store(M, {0}, number(100, i32));
  const Code code{
      {},
      {M},
      {},
      sequence({start, loop(i, 10, when(least > 50, sequence({step, when(least > 50, store(M, {0}, number(7, i32)))})))})};
  same_meaning(code, simplify_loops);
  EXPECT_EQ(interpreted<std::int32_t>(code, simplify_loops(code.body, {}))[0], 3);
}

TEST_F(SimplifyLoops, a_loop_that_may_be_empty_keeps_conditions_with_loads) {
  const Buffer L("L", i32, {m});
  const Code code{{A, L}, {B}, {{n, 4}, {m, 0}}, loop(o, m, loop(i, 4, when(ir::load(L, {0}) > number(0, i32), copy(i))))};
  same_meaning(code, simplify_loops);  // L[0] does not exist: the interpreter would fault
  EXPECT_EQ(simplified(code.body), "for o in 0..m:\n  if L[0] > 0:\n    for i in 0..4:\n      B[i] = A[i]");
}

// The second conjunct may only be read where the first holds.
TEST_F(SimplifyLoops, conjuncts_with_loads_do_not_overtake) {
  const Buffer L("L", i32, {m});
  const Expr both = Expr(o) < m && ir::load(L, {ir::min(o, Expr(m) - 1)}) > number(-100, i32);
  const Code code{{A, L}, {B}, {{n, 4}, {m, 0}}, loop(o, 3, loop(i, 4, when(both, copy(i))))};
  same_meaning(code, simplify_loops);
}

TEST_F(SimplifyLoops, blocks_flatten_and_equal_conditions_join) {
  const Stmt inner = sequence({copy(1), sequence({copy(2), sequence({})})});
  EXPECT_EQ(simplified(sequence({copy(0), inner, sequence({copy(3)}, "stage")})),
            "B[0] = A[0]\nB[1] = A[1]\nB[2] = A[2]\n# stage\nB[3] = A[3]");
  EXPECT_EQ(simplified(sequence({when(Expr(n) < 4, copy(0)), when(Expr(n) < 4, copy(1), copy(2))})),
            "if n < 4:\n  B[0] = A[0]\n  B[1] = A[1]\nelse:\n  B[2] = A[2]");
  EXPECT_EQ(simplified(when(Expr(n) < 4, when(Expr(m) < 4, copy(0)))), "if n < 4 && m < 4:\n  B[0] = A[0]");
}

TEST_F(SimplifyLoops, a_label_goes_inside_a_lone_condition) {
  const Stmt s = loop(i, n, sequence({sequence({when(Expr(m) < 4, copy(i))}, "copy")}));
  EXPECT_EQ(simplified(s), "if m < 4:\n  for i in 0..n:\n    # copy\n    B[i] = A[i]");
}

TEST_F(SimplifyLoops, bindings_of_variables_and_constants_vanish) {
  const Var t = index_var("t"), u = index_var("u");
  EXPECT_EQ(simplified(loop(i, n, let(t, i, let(u, Expr(t) * 0 + 2, copy(Expr(t) + u))))),
            "for i in 0..n:\n  B[i + 2] = A[i + 2]");
  EXPECT_EQ(simplified(loop(i, n, let(t, Expr(i) * 3, copy(i)))), "for i in 0..n:\n  B[i] = A[i]");
  const Var half("half", f32);
  EXPECT_EQ(simplified(let(half, ir::load(A, {0}), store(B, {0}, Expr(half) * half))), "let half = A[0]\nB[0] = half*half");
}

TEST_F(SimplifyLoops, checks_that_hold_vanish_and_others_inform) {
  EXPECT_EQ(simplified(loop(i, 4, sequence({check(Expr(i) < 4, "in range"), copy(i)}))), "for i in 0..4:\n  B[i] = A[i]");
  EXPECT_EQ(simplified(sequence({check(Expr(m) < 4, "small"), when(Expr(m) < 5, copy(0))})),
            "check m < 4, \"small\"\nB[0] = A[0]");
}

TEST_F(SimplifyLoops, guarding_selects_inform_their_arms) {
  const Expr e = ir::select(Expr(i) < 5, ir::select(Expr(i) < 6, ir::load(A, {i}), number(1), true), number(2), true);
  EXPECT_EQ(simplified(loop(i, 8, store(B, {i}, e))), "for i in 0..8:\n  B[i] = if_then_else(i < 5, A[i], 2.0f)");
}

TEST_F(SimplifyLoops, shapes_follow_loops_of_one_iteration) {
  const Buffer T("T", f32, {Expr(o) + 4});
  const Code code{
      {A},
      {B},
      {{n, 8}},
      loop(o, 1,
           allocate(T, sequence({loop(i, 4, store(T, {i}, ir::load(A, {i}))), loop(i, 4, store(B, {i}, ir::load(T, {i})))})),
           LoopKind::serial, 2)};
  EXPECT_NE(same_meaning(code, simplify_loops).find("float32[6]"), std::string::npos);
}

TEST_F(SimplifyLoops, a_condition_that_parts_the_iterations_makes_two_loops) {
  const Stmt other = store(B, {i}, number(7));
  EXPECT_EQ(simplified(loop(i, 8, when(Expr(i) * 4 < 14, copy(i), other))),
            "for i in 0..4:\n  B[i] = A[i]\nfor i in 4..8:\n  B[i] = 7.0f");
  EXPECT_EQ(simplified(loop(i, 8, when(Expr(i) * 3 > 4 && Expr(i) >= 1, copy(i), other))),
            "for i in 0..2:\n  B[i] = 7.0f\nfor i in 2..8:\n  B[i] = A[i]");
  EXPECT_EQ(simplified(loop(i, 8, when(Expr(i) < 7 && Expr(i) < 9, copy(i), other))),
            "for i in 0..7:\n  B[i] = A[i]\nB[7] = 7.0f");
  EXPECT_EQ(simplified(loop(i, n, when(Expr(i) * 4 + 3 < n, copy(i), other))),
            "for i in 0..n/4:\n  B[i] = A[i]\nfor i in n/4..n:\n  B[i] = 7.0f");
  for (const std::int64_t size : {0, 3, 8, 11}) {
    const Code code{{A}, {B}, {{n, 8}, {m, size}}, loop(i, n, when(Expr(i) < m, copy(i), other))};
    EXPECT_EQ(same_meaning(code, simplify_loops).find("if"), std::string::npos);
  }
  // In two places, or where iterations may run at the same time, the condition stays.
  EXPECT_EQ(simplified(loop(i, 8, when(Expr(i) >= 1 && Expr(i) < 7, copy(i), other))),
            "for i in 0..8:\n  if i >= 1 && i < 7:\n    B[i] = A[i]\n  else:\n    B[i] = 7.0f");
  EXPECT_EQ(simplified(loop(i, 8, when(Expr(i) < 7, copy(i), other), LoopKind::parallel)),
            "parallel i in 0..8:\n  if i < 7:\n    B[i] = A[i]\n  else:\n    B[7] = 7.0f");
}

TEST_F(SimplifyLoops, what_is_never_loaded_is_not_stored) {
  const Buffer T("T", f32, {4}), U("U", f32, {4});
  const Stmt fill = loop(i, 4, store(T, {i}, ir::load(A, {i})));
  EXPECT_EQ(
      simplified(ir::make(ir::Allocate{{T, U}, sequence({fill, store(U, {0}, number(2)), store(B, {0}, ir::load(U, {0}))})})),
      "allocate U: float32[4]\nU[0] = 2.0f\nB[0] = U[0]");
  EXPECT_EQ(simplified(allocate(T, sequence({fill, copy(0)}))), "B[0] = A[0]");
  // A call may do more than give its value.
  const ir::ExternalFunction f{"f", nullptr, false};
  const Stmt calls = allocate(T, store(T, {0}, ir::call(f32, f, {number(1)})));
  EXPECT_NE(ir::to_string(simplify_loops(calls, on_vectors())), "pass");
}

}  // namespace
