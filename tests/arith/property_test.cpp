// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Random expressions over small domains, compared at every point: simplifying keeps values and is idempotent; bounds,
/// congruences and intervals hold; what is proven holds.

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "lathe/arith/simplify.hpp"
#include "lathe/ir/print.hpp"
#include "points.hpp"

namespace {

using namespace lathe;
using namespace lathe::ir;
using lathe_tests::Evaluation;
using lathe_tests::Points;

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  int below(int n) { return static_cast<int>(engine_() % static_cast<unsigned>(n)); }
  std::int64_t constant() {
    static constexpr std::int64_t values[] = {-16, -7, -4, -3, -2, -1, 0, 1, 1, 2, 2, 3, 4, 4, 5, 8, 8, 12, 16};
    return values[below(static_cast<int>(std::size(values)))];
  }

 private:
  std::mt19937 engine_;
};

/// Variables with domains of every sort: constant, up to a symbol, from another variable; and a size.
struct Space {
  Var n{"n", scalar_types::index, true}, x{"x", scalar_types::index}, y{"y", scalar_types::index}, z{"z", scalar_types::index};
  Buffer buffer{"ids", scalar_types::int32, {64}};
  arith::Facts facts;
  Points points;

  Space() {
    facts.bind(x, 0, 5);
    facts.bind(y, 0, n);
    facts.bind(z, Expr(x) - 2, 4);
    points.vars = {n, x, y, z};
    points.columns.resize(4);
    for (std::int64_t size = 0; size < 7; ++size)
      for (std::int64_t i = 0; i < 5; ++i)
        for (std::int64_t j = 0; j < size; ++j)
          for (std::int64_t k = i - 2; k < i + 2; ++k) {
            const std::int64_t values[] = {size, i, j, k};
            for (std::size_t c = 0; c < 4; ++c) points.columns[c].push_back(values[c]);
            ++points.count;
          }
  }
};

/// Expressions of index and bool type; with lanes > 1, vectors of them.
class Generator {
 public:
  Generator(Space &space, Random &random, int lanes = 1) : space_(space), random_(random), lanes_(lanes) {}

  Expr index(int depth) {
    if (depth == 0 || random_.below(8) == 0) return leaf();
    const auto sub = [&] { return index(depth - 1); };
    switch (random_.below(22)) {
      case 0:
      case 1:
      case 2:
      case 3: return sub() + sub();
      case 4:
      case 5: return sub() - sub();
      case 6:
      case 7: return sub() * constant();
      case 8: return sub() * sub();
      case 9:
      case 10: return sub() / constant();
      case 11:
      case 12: return sub() % constant();
      case 13: return random_.below(2) ? sub() / sized() : sub() % sized();
      case 14: return min(sub(), sub());
      case 15: return max(sub(), sub());
      case 16: return select(condition(depth - 1), sub(), sub());
      case 17: return random_.below(2) ? -sub() : unary(UnaryOp::abs, sub());
      case 18: return scaled_sum(sub());
      case 19: return binary(random_.below(2) ? BinaryOp::trunc_div : BinaryOp::trunc_mod, sub(), constant());
      case 20: return odd(sub());
      default: return split(sub());
    }
  }

  Expr condition(int depth) {
    static constexpr BinaryOp comparisons[] = {BinaryOp::eq, BinaryOp::ne, BinaryOp::lt,
                                               BinaryOp::le, BinaryOp::gt, BinaryOp::ge};
    if (depth <= 0 || random_.below(3) > 0)
      return binary(comparisons[random_.below(6)], index(depth), index(depth > 0 ? depth - 1 : 0));
    switch (random_.below(4)) {
      case 0: return !condition(depth - 1);
      case 1: return condition(depth - 1) || condition(depth - 1);
      default: return condition(depth - 1) && condition(depth - 1);
    }
  }

 private:
  Expr wide(Expr e) { return lanes_ == 1 ? e : broadcast(std::move(e), lanes_); }
  Expr constant() { return wide(random_.constant()); }
  Expr sized() { return random_.below(3) ? wide(space_.n) : wide(Expr(space_.n) * random_.constant()); }
  Expr leaf() {
    const Var vars[] = {space_.n, space_.x, space_.y, space_.z};
    const Expr scalar = vars[random_.below(4)];
    if (random_.below(5) == 0) return constant();
    if (lanes_ == 1 || random_.below(2)) return wide(scalar);
    return ramp(random_.below(2) ? scalar * 8 : scalar, random_.below(4) ? Expr(1) : Expr(random_.constant()), lanes_);
  }
  Expr scaled_sum(const Expr &e) {
    static constexpr std::int64_t factors[] = {2, 4, 8, 16};
    return e * wide(factors[random_.below(4)]) + leaf();
  }
  Expr split(const Expr &e) {
    static constexpr std::int64_t factors[] = {2, 3, 4, 8};
    const Expr c = wide(factors[random_.below(4)]);
    return random_.below(2) ? e / c * c + e % c : (e / c) % c * c;
  }
  Expr odd(const Expr &e) {
    switch (random_.below(4)) {
      case 0: return binary(BinaryOp::shl, e, wide(random_.below(4)));
      case 1: return binary(BinaryOp::shr, e, wide(random_.below(4)));
      case 2: return binary(BinaryOp::bit_and, e, wide((std::int64_t{1} << random_.below(5)) - 1));
      default: {
        const Expr value = cast(DType(scalar_types::index, lanes_), load(space_.buffer, {e}));
        return random_.below(2) ? value : ranged(value, wide(0), wide(7));
      }
    }
  }

  Space &space_;
  Random &random_;
  int lanes_;
};

std::int64_t integer(Bits bits) { return static_cast<std::int64_t>(bits); }

/// Checks all that `facts` says of `e` at the points.
void check(const arith::Facts &facts, const Points &points, const Expr &e) {
  Evaluation evaluation(points);
  const auto &expected = evaluation(e);
  const Expr simple = facts.simplify(e);
  ASSERT_EQ(simple.type(), e.type()) << to_string(e);
  const auto &actual = evaluation(simple);
  const auto lanes = static_cast<std::size_t>(e.lanes());
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_EQ(integer(expected[i]), integer(actual[i]))
        << to_string(e) << "\n became " << to_string(simple) << "\n at" << points.at(i / lanes) << " lane " << i % lanes;
  const Expr again = facts.simplify(simple);
  ASSERT_TRUE(again.same_as(simple)) << to_string(e) << "\n became " << to_string(simple) << "\n and then " << to_string(again);
  if (e.type().is_index()) {
    const arith::Bounds bounds = facts.bounds(e);
    const arith::Congruence congruence = facts.congruence(e);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const std::int64_t value = integer(expected[i]);
      ASSERT_LE(bounds.min, value) << to_string(e) << " at" << points.at(i / lanes);
      ASSERT_GE(bounds.max, value) << to_string(e) << " at" << points.at(i / lanes);
      const std::int64_t off = value - congruence.remainder;
      ASSERT_TRUE(congruence.modulus == 0 ? off == 0 : off % congruence.modulus == 0)
          << to_string(e) << " = " << value << " is not " << congruence.remainder << " mod " << congruence.modulus << " at"
          << points.at(i / lanes);
    }
  } else if (facts.proves(e)) {
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(expected[i], 1u) << to_string(e) << " at" << points.at(i / lanes);
  }
}

/// LATHE_TEST_ROUNDS and LATHE_TEST_SEED ask for more, by hand.
int from_environment(const char *name, int otherwise) {
  const char *text = std::getenv(name);
  return text ? std::atoi(text) : otherwise;
}
const int rounds = from_environment("LATHE_TEST_ROUNDS", 400);
const unsigned seed = static_cast<unsigned>(from_environment("LATHE_TEST_SEED", 0)) * 10;

TEST(Properties, SimplifiedExpressionsAreEqual) {
  Space space;
  Random random(seed + 1);
  Generator generate(space, random);
  for (int i = 0; i < rounds && !HasFatalFailure(); ++i) check(space.facts, space.points, generate.index(1 + random.below(4)));
  for (int i = 0; i < rounds && !HasFatalFailure(); ++i)
    check(space.facts, space.points, generate.condition(1 + random.below(3)));
}

TEST(Properties, VectorsToo) {
  Space space;
  Random random(seed + 2);
  Generator generate(space, random, 4);
  for (int i = 0; i < rounds / 3 && !HasFatalFailure(); ++i)
    check(space.facts, space.points, generate.index(1 + random.below(4)));
  for (int i = 0; i < rounds / 3 && !HasFatalFailure(); ++i)
    check(space.facts, space.points, generate.condition(1 + random.below(3)));
}

TEST(Properties, AssumedConditionsHold) {
  Space space;
  Random random(seed + 3);
  Generator generate(space, random);
  for (int i = 0, tried = 0; i < rounds && tried < 20 * rounds && !HasFatalFailure(); ++tried) {
    const Expr condition = random.below(3) ? generate.condition(1 + random.below(2))
                                           : equals((generate.index(1)) % (2 + random.below(6)), random.below(2));
    const Points points = space.points.where(Evaluation(space.points)(condition));
    if (points.count == 0 || points.count == space.points.count) continue;
    arith::Facts facts = space.facts;
    facts.assume(condition);
    SCOPED_TRACE("assuming " + to_string(condition));
    ++i;
    check(facts, points, generate.condition(2));
    if (!HasFatalFailure()) check(facts, points, generate.index(3));
  }
}

TEST(Properties, IntervalsHold) {
  Space space;
  Random random(seed + 4);
  Generator generate(space, random);
  const VarMap<arith::Interval> choices[] = {
      {{space.x, {0, 4}}},
      {{space.y, {0, Expr(space.n) - 1}}},
      {{space.z, {Expr(space.x) - 2, Expr(space.x) + 1}}},
      {{space.x, {0, 4}}, {space.z, {Expr(space.x) - 2, Expr(space.x) + 1}}, {space.y, {0, Expr(space.n) - 1}}},
  };
  for (int i = 0; i < rounds && !HasFatalFailure(); ++i) {
    const auto &ranges = choices[random.below(4)];
    const Expr e = generate.index(1 + random.below(3));
    const arith::Interval interval = space.facts.interval(e, ranges);
    Evaluation evaluation(space.points);
    const auto &values = evaluation(e);
    for (const bool below : {true, false}) {
      const Expr &end = below ? interval.min : interval.max;
      if (!end.defined()) continue;
      for (const auto &range : ranges) ASSERT_FALSE(uses(end, range.first)) << to_string(e) << ": " << to_string(end);
      const auto &limits = evaluation(end);
      for (std::size_t p = 0; p < values.size(); ++p)
        ASSERT_TRUE(below ? integer(limits[p]) <= integer(values[p]) : integer(limits[p]) >= integer(values[p]))
            << to_string(e) << " = " << integer(values[p]) << " at" << space.points.at(p) << " is beyond " << to_string(end);
    }
  }
}

}  // namespace
