// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lathe/passes/unroll_loops.hpp"

#include <algorithm>

#include "lathe/passes/simplify_loops.hpp"
#include "passes/loops.hpp"

namespace {

using namespace loops;
using ir::form_no_unrolled_loops;
using passes::unroll_loops;

struct UnrollLoops : testing::Test {
  Var n = size_var("n"), i = index_var("i"), j = index_var("j"), o = index_var("o");
  Buffer A{"A", f32, {n}}, B{"B", f32, {n}};
  Stmt copy(const Expr &k) { return store(B, {k}, ir::load(A, {k})); }
};

Stmt unrolled_and_simplified(const Stmt &s, const passes::PassContext &context) {
  return passes::simplify_loops(unroll_loops(s, context), context);
}

TEST_F(UnrollLoops, copies) {
  const Code code{{A}, {B}, {{n, 20}}, loop(o, 5, unrolled(i, 3, copy(Expr(o) * 4 + i)))};
  EXPECT_EQ(same_meaning(code, unrolled_and_simplified, form_no_unrolled_loops),
            "for o in 0..5:\n"
            "  B[o*4] = A[o*4]\n"
            "  B[o*4 + 1] = A[o*4 + 1]\n"
            "  B[o*4 + 2] = A[o*4 + 2]");
}

TEST_F(UnrollLoops, no_iteration_is_nothing_and_minima_count) {
  EXPECT_EQ(ir::to_string(unroll_loops(unrolled(i, 0, copy(i)), on_vectors())), "pass");
  EXPECT_EQ(ir::to_string(unroll_loops(unrolled(i, (Expr(n) - n) * 3, copy(i)), on_vectors())), "pass");
  EXPECT_EQ(ir::to_string(unrolled_and_simplified(loop(i, 2, copy(i), LoopKind::unrolled, 5), on_vectors())),
            "B[5] = A[5]\nB[6] = A[6]");
}

TEST_F(UnrollLoops, inner_extents_may_depend_on_outer_variables) {
  const Code code{{A}, {B}, {{n, 20}}, unrolled(o, 3, unrolled(i, ir::min(4, 9 - Expr(o) * 4), copy(Expr(o) * 4 + i)))};
  const std::string text = same_meaning(code, unrolled_and_simplified, form_no_unrolled_loops);
  EXPECT_EQ(std::count(text.begin(), text.end(), '='), 9) << text;
}

TEST_F(UnrollLoops, the_usual_case_is_free_of_conditions) {
  for (std::int64_t size : {0, 1, 3, 4, 5, 7, 8}) {
    const Expr k = Expr(o) * 4 + i;
    const Code code{{A}, {B}, {{n, size}}, loop(o, (Expr(n) + 3) / 4, unrolled(i, 4, when(k < n, copy(k))))};
    const std::string text = same_meaning(code, unrolled_and_simplified, form_no_unrolled_loops);
    EXPECT_EQ(text.substr(0, text.find("for", 1)),
              "for o in 0..n/4:\n"
              "  B[o*4] = A[o*4]\n"
              "  B[o*4 + 1] = A[o*4 + 1]\n"
              "  B[o*4 + 2] = A[o*4 + 2]\n"
              "  B[o*4 + 3] = A[o*4 + 3]\n");
  }
}

TEST_F(UnrollLoops, that_condition_leaves_the_loops_around) {
  const Expr k = Expr(o) * 4 + i;
  const Stmt body = loop(j, 9, unrolled(i, 4, when(k < n, store(B, {k}, ir::load(B, {k}) + ir::load(A, {j})))));
  const Stmt after = unrolled_and_simplified(loop(o, (Expr(n) + 3) / 4, body), on_vectors());
  EXPECT_EQ(ir::to_string(after).substr(0, 70), "for o in 0..n/4:\n  for j in 0..9:\n    B[o*4] = B[o*4] + A[j]\n    B[o*4");
}

TEST_F(UnrollLoops, memory_inside_is_there_for_each_copy) {
  const Buffer T("T", f32, {1});
  const Stmt step = allocate(T, sequence({store(T, {0}, ir::load(A, {i})), store(B, {i}, ir::load(T, {0}) * number(2))}));
  same_meaning({{A}, {B}, {{n, 4}}, unrolled(i, 4, step)}, unroll_loops, form_no_unrolled_loops);
}

TEST_F(UnrollLoops, a_symbolic_extent_is_refused) {
  try {
    unroll_loops(unrolled(i, n, copy(i)), on_vectors());
    FAIL() << "no error";
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), "L064");
    EXPECT_NE(std::string(error.what()).find("loop i is unrolled, but its extent n is not constant"), std::string::npos)
        << error.what();
  }
}

TEST_F(UnrollLoops, too_much_code_is_refused) {
  const Stmt inner = unrolled(j, 129, copy(Expr(i) * 129 + j));
  EXPECT_NO_THROW(unroll_loops(unrolled(i, 127, inner), on_vectors()));
  try {
    unroll_loops(loop(o, 1000000, unrolled(i, 1000000, unrolled(index_var("k"), 1000000000, inner))), on_vectors());
    FAIL() << "no error";
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), "L065");
    EXPECT_NE(std::string(error.what()).find("loop i is unrolled, which gives"), std::string::npos) << error.what();
  }
  try {
    unroll_loops(sequence({unrolled(i, 127, inner), unrolled(o, 2, copy(o))}), on_vectors());
    FAIL() << "no error";
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find("loop o is unrolled, which gives 2 statements, in all 16385"), std::string::npos)
        << error.what();
  }
}

// C03 of the te cases: split by 8, the outer by 16, the innermost unrolled, at 130 elements and around.
TEST_F(UnrollLoops, multi_level_splits_with_tails) {
  for (std::int64_t size : {1, 7, 8, 9, 127, 128, 129, 130, 136, 256}) {
    const Var oo = index_var("oo"), oi = index_var("oi");
    const Expr outer = Expr(oo) * 16 + oi, k = outer * 8 + i;
    const Stmt body = when(k < n, store(B, {k}, ir::max(ir::load(A, {k}), number(0))));
    const Stmt nest = loop(oo, (Expr(n) + 127) / 128, loop(oi, 16, when(outer < (Expr(n) + 7) / 8, unrolled(i, 8, body))));
    const Code code{{A}, {B}, {{n, size}}, nest};
    same_meaning(code, unrolled_and_simplified, form_no_unrolled_loops);
    const std::vector<float> result = interpreted<float>(code, unrolled_and_simplified(nest, on_vectors()));
    for (std::int64_t e = 0; e < size; ++e) EXPECT_EQ(result[static_cast<std::size_t>(e)], std::max(input_element(e), 0.0f));
  }
}

}  // namespace
