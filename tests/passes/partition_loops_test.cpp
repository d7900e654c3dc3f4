// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lathe/passes/partition_loops.hpp"

#include "gmock/gmock.h"
#include "passes/loops.hpp"

namespace {

using namespace loops;
using passes::partition_loops;
using testing::HasSubstr;
using testing::Not;

Expr inside(const Expr &e, const Expr &end) { return e >= 0 && e < end; }

struct PartitionLoops : testing::Test {
  Var n = size_var("n"), y = index_var("y"), x = index_var("x"), i = index_var("i"), k = index_var("k");
  Buffer A{"A", f32, {32}}, B{"B", f32, {32}};

  /// A[e] where e lies inside, else 0.
  Expr padded(const Expr &e) const { return ir::select(inside(e, 32), ir::load(A, {e}), number(0), true); }
  /// for y in 0..8: vectorized i in 0..4: B[4y + i] = padded(4y + i + shift)
  Stmt shifted(std::int64_t shift) const {
    const Expr at = Expr(y) * 4 + i;
    return loop(y, 8, vectorized(i, 4, store(B, {at}, padded(at + shift))));
  }
  Code code(Stmt body) const { return {{A}, {B}, {}, std::move(body)}; }
};

// 4y + i - 1 >= 0 for all i from y = 1 on; the other end is never reached.
TEST_F(PartitionLoops, LanesOfAVector) {
  const Code c = code(shifted(-1));
  EXPECT_EQ(same_meaning(c, partition_loops),
            "for y in 0..8:\n"
            "  if y >= 1:\n"
            "    vectorized i in 0..4:\n"
            "      B[y*4 + i] = A[y*4 + i - 1]\n"
            "  else:\n"
            "    vectorized i in 0..4:\n"
            "      B[y*4 + i] = if_then_else(y*4 + i - 1 >= 0 && y*4 + i - 1 < 32, A[y*4 + i - 1], 0.0f)");
  const std::vector<float> result = interpreted<float>(c, partition_loops(c.body, on_vectors()));
  for (std::int64_t e = 0; e < 32; ++e) EXPECT_EQ(result[static_cast<std::size_t>(e)], e < 1 ? 0.0f : input_element(e - 1)) << e;
}

// 4y + i + 2 < 32 for all i up to y = 6.
TEST_F(PartitionLoops, TheUpperEnd) { EXPECT_THAT(same_meaning(code(shifted(2)), partition_loops), HasSubstr("if y < 7:\n")); }

TEST_F(PartitionLoops, WhatMasksDoForNothingIsLeft) {
  passes::PassContext context = on_vectors();
  context.target.features = {"avx512f"};
  const Stmt body = shifted(-1);
  EXPECT_TRUE(partition_loops(body, context).same_as(body));
}

TEST_F(PartitionLoops, SteadyInFewerThanHalfOfTheIterations) {
  EXPECT_THAT(same_meaning(code(shifted(20)), partition_loops), Not(HasSubstr("if y")));
  EXPECT_THAT(same_meaning(code(shifted(16)), partition_loops), HasSubstr("if y < 4:\n"));
}

TEST_F(PartitionLoops, ASingleScalarStoreIsLeft) {
  EXPECT_THAT(same_meaning(code(loop(y, 32, store(B, {y}, padded(Expr(y) - 1)))), partition_loops), Not(HasSubstr("if y")));
}

// A reduction loop inside: the conditions are those of its whole window.
TEST_F(PartitionLoops, AWindowInALoopOfItsOwn) {
  const Expr sum = ir::load(B, {y}) + padded(Expr(y) + k - 2);
  const Code c = code(loop(y, 32, sequence({store(B, {y}, number(0)), loop(k, 5, store(B, {y}, sum))})));
  EXPECT_THAT(same_meaning(c, partition_loops), HasSubstr("if y >= 2 && y < 30:\n"));
}

// Conditions on both axes are asked once, where both can hold.
TEST_F(PartitionLoops, TwoAxes) {
  const Buffer image("image", f32, {8, 32}), out("out", f32, {8, 32});
  const Expr row = Expr(y) * 2 + k - 1, column = Expr(x) * 4 + i + 1;
  const Expr value = ir::select(inside(row, 8) && inside(column, 32), ir::load(image, {row, column}), number(0), true);
  const Stmt body =
      loop(y, 4, loop(x, 8, unrolled(k, 2, vectorized(i, 4, store(out, {Expr(y) * 2 + k, Expr(x) * 4 + i}, value)))));
  const Code c{{image}, {out}, {}, body};
  EXPECT_THAT(same_meaning(c, partition_loops), HasSubstr("for y in 0..4:\n"
                                                          "  for x in 0..8:\n"
                                                          "    if y >= 1 && x < 7:\n"
                                                          "      unrolled k in 0..2:\n"));
}

TEST_F(PartitionLoops, SymbolicExtents) {
  const Buffer in("in", f32, {n}), out("out", f32, {(Expr(n) + 3) / 4 * 4});
  const Expr at = Expr(y) * 4 + i;
  const Expr value = ir::select(inside(at - 1, n), ir::load(in, {at - 1}), number(7), true);
  for (const std::int64_t size : {1, 3, 4, 17}) {
    const Code c{{in}, {out}, {{n, size}}, loop(y, (Expr(n) + 3) / 4, vectorized(i, 4, store(out, {at}, value)))};
    EXPECT_THAT(same_meaning(c, partition_loops), HasSubstr("if y >= 1 && y*4 + 2 < n:\n"));
  }
}

// The arm for the outside first.
TEST_F(PartitionLoops, TheOtherWayRound) {
  const Expr at = Expr(y) * 4 + i;
  const Expr value = ir::select(at < 1 || at >= 31, number(0), ir::load(A, {at + 1}), true);
  const std::string text = same_meaning(code(loop(y, 8, vectorized(i, 4, store(B, {at}, value)))), partition_loops);
  EXPECT_THAT(text, HasSubstr("  if y >= 1 && y < 7:\n"
                              "    vectorized i in 0..4:\n"
                              "      B[y*4 + i] = A[y*4 + i + 1]\n"));
}

// A condition that asks memory stays, with what it relies on dropped where that holds.
TEST_F(PartitionLoops, OtherConditionsStay) {
  const Expr at = Expr(y) * 4 + i;
  const Expr value = ir::select(at >= 1 && ir::load(A, {at - 1}) > number(0), ir::load(A, {at - 1}), number(0), true);
  const std::string text = same_meaning(code(loop(y, 8, vectorized(i, 4, store(B, {at}, value)))), partition_loops);
  EXPECT_THAT(text, HasSubstr("if y >= 1:\n"
                              "    vectorized i in 0..4:\n"
                              "      B[y*4 + i] = if_then_else(A[y*4 + i - 1] > 0.0f, A[y*4 + i - 1], 0.0f)\n"));
}

// Each copy has buffers of its own, so that one may be kept in registers whatever the other needs.
TEST_F(PartitionLoops, BuffersAreCopied) {
  const Buffer tile("tile", f32, {4});
  const Expr at = Expr(y) * 4 + i;
  const Stmt fill = vectorized(i, 4, store(tile, {i}, padded(at - 1)));
  const Stmt drain = vectorized(k, 4, store(B, {Expr(y) * 4 + k}, ir::load(tile, {k})));
  const std::string text = same_meaning(code(loop(y, 8, allocate(tile, sequence({fill, drain})))), partition_loops);
  EXPECT_THAT(text, HasSubstr("allocate tile: float32[4]"));
  EXPECT_THAT(text, HasSubstr("allocate tile_1: float32[4]"));
}

TEST_F(PartitionLoops, CodeSizeIsCapped) {
  const Expr at = Expr(y) * 4 + i;
  const Stmt body =
      loop(y, 8, unrolled(k, passes::most_partitioned_stores + 1, vectorized(i, 4, store(B, {at}, padded(at - 1)))));
  EXPECT_THAT(same_meaning(code(body), partition_loops), Not(HasSubstr("if y")));
}

}  // namespace
