// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lathe/codegen/access.hpp"

#include <gtest/gtest.h>

#include "lathe/arith/simplify.hpp"
#include "lathe/ir/build.hpp"
#include "lathe/ir/walk.hpp"

namespace lathe::codegen {
namespace {

using namespace ir;

const DType f32(scalar_types::float32), index_type(scalar_types::index);

struct AccessTest : testing::Test {
  Var x{"x", index_type}, y{"y", index_type}, n{"n", index_type, true}, m{"m", index_type, true};
};

TEST_F(AccessTest, ConstantShapeGivesCoefficients) {
  const Access a = access_of(Buffer("a", f32, {10, 20}), {Expr(y) + Expr(1), Expr(x) * Expr(16) + Expr(3)});
  EXPECT_EQ(a.kind, AccessKind::scalar);
  EXPECT_EQ(a.constant, 23);
  ASSERT_EQ(a.terms.size(), 2u);
  EXPECT_EQ(a.terms[0].atom.as<VarRef>()->var, y);
  EXPECT_EQ(a.terms[0].coefficient, 20);
  EXPECT_EQ(a.terms[1].atom.as<VarRef>()->var, x);
  EXPECT_EQ(a.terms[1].coefficient, 16);
}

TEST_F(AccessTest, SymbolicShapeGivesFactors) {
  const Access a = access_of(Buffer("a", f32, {Expr(5), Expr(n), Expr(m)}), {Expr(2), Expr(y) + Expr(1), Expr(x)});
  // 2·n·m + y·m + m + x
  EXPECT_EQ(a.constant, 0);
  ASSERT_EQ(a.terms.size(), 4u);
  EXPECT_FALSE(a.terms[0].atom.defined());
  EXPECT_EQ(a.terms[0].factors.size(), 2u);
  EXPECT_EQ(a.terms[0].coefficient, 2);
  EXPECT_EQ(a.terms[1].factors.size(), 1u);
  const Expr sum = sum_of(a.terms, a.constant);
  VarMap<Expr> values;
  values.emplace(n, Expr(7)), values.emplace(m, Expr(11)), values.emplace(x, Expr(3)), values.emplace(y, Expr(5));
  EXPECT_EQ(constant_integer(arith::Facts().simplify(substitute(sum, values))), 2 * 7 * 11 + 6 * 11 + 3);
}

TEST_F(AccessTest, StridesReplaceTheShape) {
  BufferNode node;
  node.name = "a", node.type = f32, node.shape = {Expr(8), Expr(8)}, node.strides = {Expr(1), Expr(n)};
  const Access a = access_of(Buffer(node), {ramp(x, Expr(1), 8), broadcast(Expr(y), 8)});
  EXPECT_EQ(a.kind, AccessKind::contiguous);
  const Access b = access_of(Buffer(node), {broadcast(Expr(y), 8), ramp(x, Expr(1), 8)});
  EXPECT_EQ(b.kind, AccessKind::strided);
  EXPECT_EQ(b.stride, 0);
  ASSERT_EQ(b.stride_terms.size(), 1u);
  EXPECT_EQ(b.stride_terms[0].coefficient, 1);
}

TEST_F(AccessTest, KindsOfVectors) {
  const Buffer a("a", f32, {10, 20});
  const auto kind = [&](const Expr &row, const Expr &column) { return access_of(a, {row, column}).kind; };
  const Expr lanes = ramp(Expr(x) * Expr(8), Expr(1), 8);
  EXPECT_EQ(kind(y, lanes), AccessKind::contiguous);
  EXPECT_EQ(kind(y, lanes + broadcast(Expr(3), 8)), AccessKind::contiguous);
  EXPECT_EQ(kind(y, lanes * broadcast(Expr(2), 8)), AccessKind::strided);
  EXPECT_EQ(kind(lanes, y), AccessKind::strided);
  EXPECT_EQ(kind(y, broadcast(Expr(x), 8)), AccessKind::broadcast);
  EXPECT_EQ(kind(y, lanes - lanes), AccessKind::broadcast);
  EXPECT_EQ(kind(y, lanes % broadcast(Expr(5), 8)), AccessKind::gather);
  EXPECT_EQ(access_of(a, {Expr(y), -lanes}).stride, -1);
  EXPECT_EQ(access_of(a, {lanes, lanes}).stride, 21);
}

TEST_F(AccessTest, AlignmentFollowsFromCoefficients) {
  BufferNode node;
  node.name = "a", node.type = f32, node.shape = {Expr(8), Expr(64)}, node.alignment = 64;
  const Buffer a(node);
  const auto alignment = [&](const Expr &column) { return access_of(a, {Expr(y), column}).alignment; };
  EXPECT_EQ(alignment(ramp(Expr(x) * Expr(16), Expr(1), 16)), 64);
  EXPECT_EQ(alignment(ramp(Expr(x) * Expr(16) + Expr(4), Expr(1), 16)), 16);
  EXPECT_EQ(alignment(ramp(Expr(x), Expr(1), 16)), 4);
  EXPECT_EQ(access_of(Buffer("b", f32, {8, 64}), {Expr(y), Expr(0)}).alignment, 4);
  EXPECT_EQ(access_of(Buffer("b", f32, {8, 64}), {Expr(y), Expr(0)}, 64).alignment, 64);
}

TEST_F(AccessTest, SharedIndicesDoNotExplode) {
  Expr e = Expr(x) % Expr(7);
  for (int i = 0; i < 60; ++i) e = make(index_type, Binary{BinaryOp::add, e, e});  // 2^60 · (x % 7)
  const Access a = access_of(Buffer("a", f32, {Expr(n)}), {e});
  EXPECT_GE(a.terms.size(), 1u);
  Expr chain = x;
  for (int i = 0; i < 20000; ++i) chain = make(index_type, Binary{BinaryOp::add, chain, y});
  EXPECT_EQ(access_of(Buffer("a", f32, {Expr(n)}), {chain}).kind, AccessKind::scalar);
}

TEST_F(AccessTest, OnlySmallConstantBuffersLiveOnTheStack) {
  EXPECT_TRUE(lives_on_stack(Buffer("a", f32, {64, 64})));
  EXPECT_FALSE(lives_on_stack(Buffer("a", f32, {65, 64})));
  EXPECT_TRUE(lives_on_stack(Buffer("a", f32, {65, 64}, Scope{"local"})));
  EXPECT_FALSE(lives_on_stack(Buffer("a", f32, {257, 64}, Scope{"local"})));
  EXPECT_FALSE(lives_on_stack(Buffer("a", f32, {Expr(n)}, Scope{"local"})));
  EXPECT_EQ(constant_elements(Buffer("a", f32, {3, 0})), 0);
}

}  // namespace
}  // namespace lathe::codegen
