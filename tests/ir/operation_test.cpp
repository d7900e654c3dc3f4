// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Inputs and order of operations; checks of functions; the table of operators.

#include "lathe/ir/operation.hpp"

#include <gtest/gtest.h>

#include <set>

#include "lathe/ir/build.hpp"
#include "lathe/ir/program.hpp"

namespace {

using namespace lathe;
using namespace lathe::ir;
namespace types = lathe::scalar_types;

Operation placeholder(std::string name) {
  auto *node = new OperationNode;
  node->kind = OperationKind::placeholder;
  node->name = std::move(name);
  node->shape = {8};
  node->types = {types::float32};
  return Operation(node);
}

/// name(i) = the sum of the inputs at i.
Operation sum_of(std::string name, const std::vector<Operation> &inputs, Expr extent = 8) {
  auto *node = new OperationNode;
  node->name = std::move(name);
  node->shape = {std::move(extent)};
  node->types = {types::float32};
  const Var i("i", types::index);
  node->axes = {i};
  Expr body = zero_of(types::float32);
  for (const Operation &input : inputs) body = body + read({input, 0}, {i});
  node->bodies = {body};
  return Operation(node);
}

std::vector<std::string> names(const List<Operation> &operations) {
  std::vector<std::string> result;
  for (const Operation &o : operations) result.push_back(o->name);
  return result;
}

TEST(Operations, InputsInOrderOfFirstUse) {
  const Operation a = placeholder("A"), b = placeholder("B"), lengths = placeholder("lengths");
  const Expr extent = cast(types::index, read({lengths, 0}, {0}));
  const Operation c = sum_of("C", {b, a, b}, extent);
  std::vector<std::string> found;
  for (const Tensor &t : inputs_of(c)) found.push_back(name_of(t));
  EXPECT_EQ(found, (std::vector<std::string>{"B", "A", "lengths"}));
  EXPECT_TRUE(inputs_of(a).empty());
}

TEST(Operations, ProducersComeFirst) {
  const Operation a = placeholder("A"), b = sum_of("B", {a}), c = sum_of("C", {a}), d = sum_of("D", {c, b}), e = sum_of("E", {b});
  EXPECT_EQ(names(post_order({d, e, d})), (std::vector<std::string>{"A", "C", "B", "D", "E"}));
}

TEST(Operations, ChainsOfThousandsOfStages) {
  Operation last = placeholder("A");
  for (int stage = 0; stage < 4000; ++stage) last = sum_of("S" + std::to_string(stage), {last, last});
  const List<Operation> order = post_order({last});
  ASSERT_EQ(order.size(), 4001u);
  EXPECT_EQ(order.front()->name, "A");
  EXPECT_EQ(order[1]->name, "S0");
  EXPECT_EQ(order.back()->name, "S3999");
}

TEST(Programs, DistinctChecksInOrder) {
  const Var i("i", types::index), n("n", types::index);
  const auto check = [&](Expr condition, std::string message, unsigned line) {
    return make(Check{std::move(condition), std::move(message), Location("a.cpp", line)});
  };
  Function f;
  f.body = block({check(Expr(n) < 9, "n is small", 1),
                  make(For{i, 0, n, LoopKind::serial,
                           block({check(Expr(i) < 3, "i is small", 2), check(Expr(n) < 9, "n is small", 3),
                                  check(Expr(i) < 3, "i is tiny", 4)})})});
  const List<Check> checks = checks_of(f);
  ASSERT_EQ(checks.size(), 3u);
  EXPECT_EQ(checks[0].message, "n is small");
  EXPECT_EQ(checks[0].place.line, 1u);
  EXPECT_EQ(checks[1].message, "i is small");
  EXPECT_EQ(checks[2].message, "i is tiny");
  EXPECT_TRUE(same_check(checks[0], *check(Expr(n) < 9, "n is small", 7).as<Check>()));
  EXPECT_FALSE(same_check(checks[1], checks[2]));
}

TEST(Operators, NamesAreDistinctAndSymbolsBindAsInC) {
  std::set<std::string_view> seen;
  for (int op = 0; op <= static_cast<int>(UnaryOp::any_lane); ++op)
    EXPECT_TRUE(seen.insert(info(static_cast<UnaryOp>(op)).name).second);
  for (int op = 0; op <= static_cast<int>(BinaryOp::ldexp); ++op)
    EXPECT_TRUE(seen.insert(info(static_cast<BinaryOp>(op)).name).second);
  EXPECT_EQ(info(UnaryOp::sigmoid).name, "sigmoid");
  EXPECT_EQ(info(UnaryOp::is_finite).name, "is_finite");
  EXPECT_EQ(info(UnaryOp::any_lane).name, "any_lane");
  EXPECT_EQ(info(BinaryOp::ldexp).name, "ldexp");
  EXPECT_EQ(info(BinaryOp::rounding_shift_right).name, "rounding_shift_right");
  EXPECT_EQ(info(BinaryOp::shl).symbol, "<<");
  const BinaryOp loosest_first[] = {BinaryOp::logical_or, BinaryOp::logical_and, BinaryOp::bit_or, BinaryOp::bit_xor,
                                    BinaryOp::bit_and,    BinaryOp::eq,          BinaryOp::lt,     BinaryOp::shl,
                                    BinaryOp::add,        BinaryOp::mul};
  for (std::size_t i = 1; i < std::size(loosest_first); ++i)
    EXPECT_LT(info(loosest_first[i - 1]).precedence, info(loosest_first[i]).precedence);
}

}  // namespace
