// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Builders: checks, folding, identities, broadcasting.

#include "lathe/ir/build.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lathe/ir/operation.hpp"
#include "lathe/ir/print.hpp"
#include "lathe/ir/walk.hpp"

namespace {

using namespace lathe;
using namespace lathe::ir;
namespace types = lathe::scalar_types;

const Var i("i", types::index), j("j", types::index), x("x", types::float32), p("p", types::boolean);

TEST(Build, ConstantsTakeTheTypesValue) {
  EXPECT_EQ(constant_integer(constant(types::int8, std::int64_t{300})), 44);
  EXPECT_EQ(constant_integer(constant(types::uint8, std::int64_t{-1})), 255);
  EXPECT_EQ(constant_float(constant(types::float32, 0.1)), static_cast<double>(0.1f));
  EXPECT_EQ(constant_float(constant(types::float16, 100.0)), 100.0);
  EXPECT_EQ(constant_float(constant(types::float64, std::int64_t{3})), 3.0);
  EXPECT_EQ(constant_integer(boolean(true)), 1);
  EXPECT_FALSE(constant_integer(constant(types::float32, 1.0)));
  EXPECT_FALSE(constant_float(Expr(1)));
  EXPECT_FALSE(constant_integer(Expr(i)));
  EXPECT_FALSE(constant_integer(constant_bits(types::uint64, ~std::uint64_t{0})));  // no int64 holds it
  const Expr v = constant(DType(types::int32, 4), std::int64_t{7});
  EXPECT_EQ(v.type(), DType(types::int32, 4));
  EXPECT_NE(v.as<Broadcast>(), nullptr);
  EXPECT_TRUE(is_constant(v, 7));
  EXPECT_TRUE(is_true(constant(DType(types::boolean, 8), std::int64_t{1})));
}

TEST(Build, EndsOfTypes) {
  EXPECT_EQ(constant_integer(least_of(types::int8)), -128);
  EXPECT_EQ(constant_integer(greatest_of(types::int16)), 32767);
  EXPECT_EQ(constant_integer(greatest_of(types::uint32)), 4294967295);
  EXPECT_EQ(constant_integer(least_of(types::index)), INT64_MIN);
  EXPECT_EQ(constant_integer(greatest_of(types::boolean)), 1);
  EXPECT_EQ(constant_float(greatest_of(types::float16)), 65504);
  EXPECT_EQ(constant_float(least_of(types::float16)), -65504);
  EXPECT_EQ(constant_float(greatest_of(types::bfloat16)), 0x1.FEp127);
  EXPECT_EQ(constant_float(least_of(types::float32)), -static_cast<double>(std::numeric_limits<float>::max()));
  EXPECT_EQ(constant_float(greatest_of(types::float64)), std::numeric_limits<double>::max());
}

TEST(Build, IdentitiesOfIndexArithmetic) {
  const Expr e = i;
  EXPECT_TRUE((e + 0).same_as(e));
  EXPECT_TRUE((Expr(0) + e).same_as(e));
  EXPECT_TRUE((e - 0).same_as(e));
  EXPECT_TRUE((e * 1).same_as(e));
  EXPECT_TRUE((Expr(1) * e).same_as(e));
  EXPECT_TRUE(is_constant(e * 0, 0));
  EXPECT_TRUE((e / 1).same_as(e));
  EXPECT_TRUE(is_constant(e % 1, 0));
  EXPECT_TRUE(is_constant(Expr(7) * 3 - 1, 20));
  EXPECT_TRUE(is_constant(Expr(-7) / 2, -4));
  EXPECT_FALSE((e + 1).same_as(e));
}

TEST(Build, FloatsKeepTheirArithmetic) {
  const Expr e = x, zero = zero_of(types::float32);
  EXPECT_NE((e + zero).as<Binary>(), nullptr);  // -0 + 0 is not -0
  EXPECT_NE((e * zero).as<Binary>(), nullptr);  // nor is NaN * 0 a zero
  EXPECT_EQ(constant_float(constant(types::float32, 0.1) + constant(types::float32, 0.2)), static_cast<double>(0.1f + 0.2f));
  // The last bits of exp are those of a lowering function, not of this machine's libm.
  EXPECT_NE(unary(UnaryOp::exp, constant(types::float32, 1.0)).as<Unary>(), nullptr);
  EXPECT_EQ(constant_float(unary(UnaryOp::sqrt, constant(types::float32, 2.0))), static_cast<double>(std::sqrt(2.0f)));
}

TEST(Build, LogicIsFolded) {
  const Expr q = p;
  EXPECT_TRUE((q && boolean(true)).same_as(q));
  EXPECT_TRUE((boolean(true) && q).same_as(q));
  EXPECT_TRUE(is_false(q && boolean(false)));
  EXPECT_TRUE((q || boolean(false)).same_as(q));
  EXPECT_TRUE(is_true(boolean(true) || q));
  EXPECT_TRUE(is_true(Expr(1) < Expr(2)));
  EXPECT_TRUE(is_true(!boolean(false)));
  EXPECT_TRUE(both({}, q).same_as(q));
  EXPECT_TRUE(both(q, {}).same_as(q));
  EXPECT_FALSE(both({}, {}).defined());
  EXPECT_EQ(to_string(both(q, i < j)), "p && i < j");
}

TEST(Build, ScalarsAreBroadcastBesideVectors) {
  const Expr v = ramp(i, 1, 8);
  const Expr sum = v + 3;
  EXPECT_EQ(sum.type(), DType(types::index, 8));
  EXPECT_EQ((Expr(j) < v).type(), DType(types::boolean, 8));
  EXPECT_EQ(select(p, v, 0).type(), DType(types::index, 8));
  EXPECT_EQ(select(p, v, 0).as<Select>()->condition.lanes(), 8);
  EXPECT_EQ(mul_add(v, 2, j).type(), DType(types::index, 8));
  EXPECT_EQ(cast(types::float32, v).type(), DType(types::float32, 8));
  EXPECT_EQ(cast(DType(types::float32, 4), Expr(i)).type(), DType(types::float32, 4));
  EXPECT_TRUE((v + 0).same_as(v));
}

TEST(Build, Select) {
  const Expr a = i, b = j;
  EXPECT_TRUE(select(boolean(true), a, b).same_as(a));
  EXPECT_TRUE(select(boolean(false), a, b).same_as(b));
  EXPECT_TRUE(select(p, a, a).same_as(a));
  EXPECT_TRUE(select(p, a, b, true).as<Select>()->guards);
}

TEST(Build, CastsAndRanges) {
  const Expr a = i;
  EXPECT_TRUE(cast(types::index, a).same_as(a));
  EXPECT_EQ(constant_integer(cast(types::int8, Expr(200), CastMode::saturate)), 127);
  EXPECT_TRUE(is_constant(ranged(Expr(5), 0, 10), 5));
  EXPECT_NE(ranged(Expr(11), 0, 10).as<Ranged>(), nullptr);  // a broken promise stays to be seen
  EXPECT_NE(ranged(a, 0, 10).as<Ranged>(), nullptr);
}

TEST(Build, Vectors) {
  EXPECT_TRUE(is_constant(ramp(3, 1, 1), 3));
  EXPECT_NE(ramp(i, 0, 4).as<Broadcast>(), nullptr);
  const Expr v = ramp(i, 2, 4), s = x;
  EXPECT_TRUE(broadcast(s, 1).same_as(s));
  EXPECT_TRUE(broadcast(v, 4).same_as(v));
  EXPECT_TRUE(shuffle({v}, {0, 1, 2, 3}).same_as(v));
  EXPECT_EQ(shuffle({v, v}, {0, 4, 1, 5, 7}).type(), DType(types::index, 5));
  EXPECT_TRUE(equal(shuffle({v}, {3}), Expr(i) + 6));
  EXPECT_TRUE(shuffle({broadcast(s, 4)}, {2}).same_as(s));
  EXPECT_TRUE(shuffle({broadcast(x, 4), s}, {4}).same_as(s));
  EXPECT_EQ(unary(UnaryOp::any_lane, v < broadcast(3, 4)).type(), DType(types::boolean));
  EXPECT_TRUE(is_true(unary(UnaryOp::any_lane, broadcast(boolean(true), 4))));
  const Expr truth = Expr(i) < 3;
  EXPECT_TRUE(unary(UnaryOp::any_lane, truth).same_as(truth));
}

TEST(Build, Loads) {
  const Buffer a("A", types::float32, {8, 16});
  EXPECT_EQ(load(a, {i, j}).type(), DType(types::float32));
  EXPECT_EQ(load(a, {i, ramp(j, 1, 4)}).type(), DType(types::float32, 4));
  EXPECT_EQ(load(a, {i, ramp(0, 1, 4)}, p).as<Load>()->predicate.lanes(), 4);
  const Expr mask = ramp(0, 1, 4) < Expr(j);
  EXPECT_EQ(load(a, {i, j}, mask).type(), DType(types::float32, 4));
  EXPECT_FALSE(load(a, {i, j}, boolean(true)).as<Load>()->predicate.defined());
  EXPECT_EQ(constant_float(load(a, {i, j}, boolean(false))), 0.0);
  EXPECT_THROW(load(a, {i}), Error);
  EXPECT_THROW(load(a, {i, x}), Error);
}

TEST(Build, Calls) {
  const ExternalFunction f{"f", nullptr, true};
  EXPECT_EQ(call(types::float32, f, {x}).type(), DType(types::float32));
  const Expr vector = call(types::float32, f, {x, broadcast(x, 4)});
  EXPECT_EQ(vector.type(), DType(types::float32, 4));
  EXPECT_EQ(vector.as<Call>()->arguments[0].lanes(), 4);
}

TEST(Build, RefusesMixedTypes) {
  EXPECT_THROW(Expr(i) + x, Error);
  EXPECT_THROW(unary(UnaryOp::exp, i), Error);
  EXPECT_THROW(binary(BinaryOp::bit_and, x, x), Error);
  EXPECT_THROW(binary(BinaryOp::shl, x, x), Error);
  EXPECT_THROW(Expr(p) + p, Error);
  EXPECT_THROW(Expr(i) && p, Error);
  EXPECT_THROW(select(i, x, x), Error);
  EXPECT_THROW(select(p, x, i), Error);
  EXPECT_THROW(cast(types::int64, x, CastMode::reinterpret), Error);
  EXPECT_THROW(ramp(i, 1, 4) + ramp(i, 1, 8), Error);
  EXPECT_THROW(shuffle({x}, {1}), Error);
  EXPECT_THROW(shuffle({x, i}, {1}), Error);
}

TEST(Build, Blocks) {
  const Stmt s = make(Evaluate{i});
  EXPECT_TRUE(block({{}, s, {}}).same_as(s));
  EXPECT_EQ(block({s, s}).as<Block>()->body.size(), 2u);
  EXPECT_EQ(block({s}, "conv").as<Block>()->label, "conv");
  EXPECT_TRUE(block({}).as<Block>()->body.empty());
}

}  // namespace
