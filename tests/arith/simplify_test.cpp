// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Expected forms of simplified expressions, proofs, bounds and intervals.

#include <gtest/gtest.h>

#include "lathe/arith/simplify.hpp"
#include "lathe/ir/print.hpp"
#include "points.hpp"

namespace {

using namespace lathe;
using namespace lathe::ir;
using arith::Bounds;
using arith::Facts;
using arith::Interval;

/// The variables that the tables below speak of.
struct Names : testing::Test {
  static Expr index(const char *name) { return Var(name, scalar_types::index); }
  static Expr size(const char *name) { return Var(name, scalar_types::index, true); }
  static Var var(const Expr &e) { return e.as<VarRef>()->var; }

  Expr x = index("x"), y = index("y"), z = index("z");  // anything
  Expr n = size("n"), m = size("m"), k = size("k");     // sizes
  Expr xo = index("xo"), xi = index("xi"), yo = index("yo"), yi = index("yi");
  Facts tiled;     // xo in [0, 7), xi in [0, 16)
  Facts symbolic;  // yo in [0, n), yi in [0, m)
  Names() {
    tiled.bind(var(xo), 0, 7);
    tiled.bind(var(xi), 0, 16);
    symbolic.bind(var(yo), 0, n);
    symbolic.bind(var(yi), 0, m);
  }

  struct Row {
    Expr from;
    const char *to;
  };
  static void check(const Facts &facts, const std::vector<Row> &rows) {
    for (const Row &row : rows) {
      const Expr simple = facts.simplify(row.from);
      EXPECT_EQ(to_string(simple), row.to) << "from " << to_string(row.from);
      EXPECT_TRUE(facts.simplify(simple).same_as(simple)) << to_string(simple);
    }
  }
  static Expr ramp16(const Expr &base) { return ramp(base, 1, 16); }
};

TEST_F(Names, Sums) {
  check({}, {
                {x + x, "x*2"},
                {x - x, "0"},
                {y + 3 + x - 5, "x + y - 2"},
                {(x + 1) * 3 - x * 2, "x + 3"},
                {5 - x, "5 - x"},
                {-x - 5, "-x - 5"},
                {-x + y, "y - x"},
                {(x + 3) * (y - 2), "y*3 - x*2 + x*y - 6"},
                {y * x - x * y, "0"},
                {x * n * 2 + n * x, "n*x*3"},
            });
  check(tiled, {{xi + xo * 16 + n, "n + xo*16 + xi"}, {xi + 1 + xo, "xo + xi + 1"}});
}

TEST_F(Names, UnchangedExpressionsKeepTheirHandle) {
  for (const Expr &e : {xo * 16 + xi, min(n, xo * 16 + xi), xo * 16 + xi < n, (x + xo * 3) / 7, select(x < y, x, y)}) {
    EXPECT_TRUE(tiled.simplify(e).same_as(e)) << to_string(e) << " -> " << to_string(tiled.simplify(e));
  }
}

TEST_F(Names, DivisionByConstants) {
  check({}, {
                {(x * 16 + y) / 16, "x + y/16"},
                {(x * 17 + y) / 16, "x + (x + y)/16"},
                {x / 4 / 8, "x/32"},
                {(x / 4 + 3) / 8, "(x + 12)/32"},
                {x % 32 % 16, "x%16"},
                {(x % 32) / 16, "x/16%2"},
                {x / 16 * 16 + x % 16, "x"},
                {x / 32 * 32 + x / 16 % 2 * 16 + x % 16, "x"},
                {x / 16 % 4 * 16 + x % 16, "x%64"},
                {(x * 17 + y) / 16 * 16 + (x * 17 + y) % 16, "x*17 + y"},
                {x - x / 16 * 16, "x%16"},
                {(x * 4 + 2) % 8, "x%2*4 + 2"},
                {(x * 4 + 2) / 8, "x/2"},
                {x / -3, "-x/3"},
                {x / 0, "0"},
                {x % 0, "0"},
                {x % 1, "0"},
                {binary(BinaryOp::shr, x, 4), "x/16"},
                {binary(BinaryOp::shl, x, 4), "x*16"},
                {binary(BinaryOp::bit_and, x, 15), "x%16"},
            });
  check(tiled, {
                   {(xo * 16 + xi) / 16, "xo"},
                   {(xo * 16 + xi) % 16, "xi"},
                   {(xo * 32 + xi) / 48, "xo*2/3"},
                   {(xo * 16 + xi) % 32, "xo%2*16 + xi"},
                   {(xo * 16 + xi) / 112, "0"},
                   {(xo * 16 + xi + 1) / 16, "xo + (xi + 1)/16"},
                   {(x * 16 - xi) / 16, "x + -xi/16"},
                   {(15 - xi) / 16, "0"},
                   {binary(BinaryOp::trunc_div, xi, 4), "xi/4"},
                   {binary(BinaryOp::trunc_mod, xi, 4), "xi%4"},
               });
}

// 241 + 48 x over 16 is 15 + 3 x for floor division: for x = -10 both are -15, while division that truncates gives -14.
TEST_F(Names, FloorDivisionOfNegatives) {
  const Expr floor = (241 + x * 48) / 16;
  check({}, {{floor, "x*3 + 15"}, {(Expr(24) + 10 - 1) / 10, "3"}});
  lathe_tests::Points points{{var(x)}, {{-10}}, 1};
  lathe_tests::Evaluation evaluation(points);
  EXPECT_EQ(static_cast<std::int64_t>(evaluation(floor).front()), -15);
  const Expr truncating = binary(BinaryOp::trunc_div, 241 + x * 48, 16);
  EXPECT_EQ(static_cast<std::int64_t>(evaluation(truncating).front()), -14);
  EXPECT_EQ(static_cast<std::int64_t>(evaluation(Facts().simplify(truncating)).front()), -14);
}

TEST_F(Names, SymbolicDivisors) {
  check(symbolic, {
                      {(x * m + yi) / m, "x"},
                      {(x * m + yi) % m, "yi"},
                      {(x * m + y) / m, "x + y/m"},
                      {x / m * m + x % m, "x"},
                      {x / m % n * m + x % m, "x%(m*n)"},
                      {(x * m + yi) / (n * m), "x/n"},
                      {(x * m + yi) % (n * m), "m*(x%n) + yi"},
                      {yi / m, "0"},
                      {yi % m, "yi"},
                  });
  check({}, {{(x * m + y) / m, "(y + m*x)/m"}});  // m may be 0, and then the quotient is 0
}

TEST_F(Names, MinimumAndMaximum) {
  check(tiled, {
                   {min(xi, 20), "xi"},
                   {max(min(x, 10), 0), "max(min(x, 10), 0)"},
                   {max(min(xi, 10), 0), "min(xi, 10)"},
                   {min(x + 1, x + 3), "x + 1"},
                   {min(min(x, y), x), "min(x, y)"},
                   {max(min(x, y), x), "x"},
                   {min(xo * 16 + 15, n - 1) - xo * 16 + 1, "min(n - xo*16, 16)"},
                   {min(n - 1, 15) + 1, "min(n, 16)"},
                   {xo * 16 + min(16, n - xo * 16) - 1, "min(n - 1, xo*16 + 15)"},
               });
  check(symbolic, {{min(yi, m - 1), "yi"}, {max(yo, n), "n"}});
}

TEST_F(Names, Comparisons) {
  check(tiled, {
                   {xo * 16 + xi < 112, "true"},
                   {xo * 16 + xi < Expr(100), "xo*16 + xi < 100"},
                   {xo * 16 < Expr(90), "xo < 6"},
                   {x * 4 < Expr(10), "x < 3"},
                   {x - 3 >= Expr(0), "x >= 3"},
                   {x + 5 < y + 7, "x < y + 2"},
                   {x / 16 < Expr(3), "x < 48"},
                   {x / 16 >= y, "y*16 <= x"},
                   {equals(x * 2, 3), "false"},
                   {equals(x - 3, 0), "x == 3"},
                   {binary(BinaryOp::ne, xi, 16), "true"},
                   {!(x < y), "y <= x"},
                   {x < y && x + 1 < y, "x + 1 < y"},
                   {x < y && y < x, "false"},
                   {x < y || x >= y, "true"},
                   {x < 5 || x < 3, "x < 5"},
                   {x < 5 && x < 5 && xi < 16, "x < 5"},
                   {!(x < 3 && y < 4), "x >= 3 || y >= 4"},
                   {min(x, y) >= 3, "x >= 3 && y >= 3"},
                   {max(x, y) < 3, "x < 3 && y < 3"},
                   {min(x, xi) < 16, "true"},
                   {select(x < 3, xi, xi), "xi"},
                   {select(xi < 16, x, y), "x"},
               });
}

TEST_F(Names, Vectors) {
  const auto wide = [](Expr e) { return broadcast(std::move(e), 16); };
  check(tiled, {
                   {ramp16(xo * 16) + wide(x), "x + xo*16 + [0:16]"},
                   {ramp16(x) + ramp16(y), "x + y + [0:16]*2"},
                   {ramp16(xo * 16) * wide(3), "xo*48 + [0:16]*3"},
                   {ramp16(xo * 16) / wide(16), "xo x16"},
                   {ramp16(xo * 16) % wide(16), "[0:16]"},
                   {ramp16(xo * 16) < wide(112), "true x16"},
                   {ramp16(xo * 16) >= wide(112), "false x16"},
                   {ramp16(xo * 16) < wide(n), "xo*16 + [0:16] < (n x16)"},
                   {wide(15) - ramp16(0), "15 + [0:16]*-1"},
                   {ramp16(x) - ramp16(y), "(x - y) x16"},
                   {min(ramp16(0), wide(20)), "[0:16]"},
                   {select(ramp16(0) < wide(16), ramp16(x), wide(y)), "x + [0:16]"},
                   {ramp16(x) / wide(4) * wide(4) + ramp16(x) % wide(4), "x + [0:16]"},
               });
  Facts aligned;
  aligned.assume(equals(n % 16, 0));
  check(aligned, {{ramp16(n) / wide(16), "(n/16) x16"}, {ramp16(n) % wide(16), "[0:16]"}});
}

TEST_F(Names, Divisibility) {
  Facts facts;
  facts.assume(equals(n % 16, 0));
  facts.bind(var(xo), 0, n / 16);
  facts.bind(var(xi), 0, 16);
  check(facts, {
                   {n % 16, "0"},
                   {n % 8, "0"},
                   {n / 16 * 16, "n"},
                   {(n + 15) / 16, "n/16"},
                   {(n + xi) % 16, "xi"},
                   {xo * 16 + xi < n, "true"},
                   {equals(n, x * 16 + 3), "false"},
                   {n * 3 % 48, "0"},
               });
}

TEST_F(Names, Proofs) {
  Facts tail;
  tail.bind(var(xo), 0, (n + 15) / 16);
  tail.bind(var(xi), 0, 16);
  EXPECT_FALSE(tail.proves(xo * 16 + xi < n));
  EXPECT_TRUE(tail.proves(xo * 16 < n));
  EXPECT_TRUE(tail.proves(n >= 1));
  tail.assume(xo * 16 + xi < n);
  EXPECT_TRUE(tail.proves(xo * 16 + xi < n));
  EXPECT_TRUE(tail.proves(xo * 16 + xi + 1 <= n));
  EXPECT_FALSE(tail.proves(xo * 16 + xi + 1 < n));

  EXPECT_TRUE(symbolic.proves(yo * m + yi < n * m));
  EXPECT_TRUE(symbolic.proves(yo * m + yi >= 0));
  EXPECT_FALSE(symbolic.proves(yo * m + yi < n * m - 1));
  EXPECT_TRUE(symbolic.proves(min(yo, x) < n));
  EXPECT_FALSE(symbolic.proves(max(yo, x) < n));
  EXPECT_TRUE(symbolic.proves(max(yo, min(x, n - 1)) < n));

  Facts chain;
  chain.assume(x < y && y <= z);
  EXPECT_TRUE(chain.proves(x < z));
  EXPECT_TRUE(chain.proves(x + 1 <= z));
  EXPECT_FALSE(chain.proves(x + 2 <= z));
  chain.assume(n >= 4 && n <= 9);
  EXPECT_TRUE(chain.proves(n * 2 < 19));
  EXPECT_EQ(chain.bounds(n), (Bounds{4, 9}));

  Facts window;  // a convolution reads within its padded input
  window.bind(var(yo), 0, n);
  window.bind(var(yi), 0, 3);
  EXPECT_TRUE(window.proves(yo * 2 + yi < n * 2 + 1));
  EXPECT_FALSE(window.proves(yo * 2 + yi < n * 2));
  EXPECT_TRUE(window.proves(yo * 2 + yi <= (n - 1) * 2 + 2));
}

TEST_F(Names, OtherConditionsAreKnownAsTheyStand) {
  const Expr a = Var("a", scalar_types::float32), b = Var("b", scalar_types::float32), flag = Var("flag", scalar_types::boolean);
  Facts facts;
  facts.assume(a < b && flag);
  EXPECT_TRUE(facts.proves(a < b));
  EXPECT_TRUE(facts.proves(flag || x < y));
  EXPECT_FALSE(facts.proves(b < a));
}

TEST_F(Names, DataIsFoldedButNotReassociated) {
  const Expr i = Var("i", scalar_types::int32), f = Var("f", scalar_types::float32);
  const Expr one = constant(scalar_types::int32, std::int64_t{1}), half = constant(scalar_types::float32, 0.5);
  for (const Expr &e : {i + one - one, f + half - half, i - i, f * half * half}) EXPECT_TRUE(Facts().simplify(e).same_as(e));
  Buffer buffer("A", scalar_types::float32, {n});
  check(tiled, {{load(buffer, {(xo * 16 + xi) / 16}) + half, "A[xo] + 0.5f"}});
  check(tiled, {{cast(scalar_types::int32, xi / 16) + one, "1"}});
}

TEST_F(Names, BoundsOfTypesAndPromises) {
  Buffer ids("ids", scalar_types::uint8, {n});
  const Expr id = cast(scalar_types::index, load(ids, {x}));
  EXPECT_EQ(Facts().bounds(id), (Bounds{0, 255}));
  EXPECT_EQ(Facts().bounds(ranged(id, 3, 9)), (Bounds{3, 9}));
  EXPECT_EQ(Facts().bounds(n), (Bounds{0, Bounds::unbounded_above}));
  EXPECT_EQ(Facts().bounds(x), Bounds{});
  EXPECT_EQ(tiled.bounds(xo * 16 + xi), (Bounds{0, 111}));
  EXPECT_EQ(tiled.bounds(ramp16(xo * 16)), (Bounds{0, 111}));
  EXPECT_EQ(tiled.bounds(-xi % 4), (Bounds{0, 3}));
}

TEST_F(Names, Congruences) {
  const auto of = [](const Facts &facts, const Expr &e) {
    const auto c = facts.congruence(e);
    return std::pair{c.modulus, c.remainder};
  };
  using P = std::pair<std::int64_t, std::int64_t>;
  EXPECT_EQ(of({}, x * 16 + y * 24 + 5), P(8, 5));
  EXPECT_EQ(of({}, x * 6 % 4), P(2, 0));
  EXPECT_EQ(of({}, max(x * 4, y * 6 + 2)), P(2, 0));
  EXPECT_EQ(of({}, Expr(7)), P(0, 7));
  Facts facts;
  facts.assume(equals((x + 1) % 8, 3));
  EXPECT_EQ(of(facts, x), P(8, 2));
  EXPECT_EQ(of(facts, x * 2 + 1), P(16, 5));
}

TEST_F(Names, ConstantsThatLeaveInt64AreLeftAlone) {
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max() - 5;
  for (const Expr &e :
       {x * huge + x * huge, (x + huge) + (y + huge), x * huge * huge, (x + huge) * 16 < y, x + huge < y - huge}) {
    const Expr simple = Facts().simplify(e);
    EXPECT_EQ(to_string(Facts().simplify(simple)), to_string(simple));
    EXPECT_FALSE(is_true(simple) || is_false(simple)) << to_string(e);
  }
  Facts facts;
  facts.bind(var(x), 0, huge);
  EXPECT_EQ(facts.bounds(x * 16).max, Bounds::unbounded_above);
  EXPECT_EQ(facts.bounds(x * 16).min, 0);
  EXPECT_EQ(facts.congruence(x * huge * 2).modulus, 1);
}

TEST_F(Names, DeepAndSharedExpressions) {
  Expr chain = Var("f", scalar_types::float32), sum = x, shared = x + 1, logic = x < y, nest = x;
  for (int i = 0; i < 10000; ++i) chain = chain + constant(scalar_types::float32, double{i + 0.5});
  for (int i = 0; i < 10000; ++i) sum = sum + Expr(i % 3);
  for (int i = 0; i < 60; ++i) shared = shared + shared;  // 2^60 paths
  for (int i = 0; i < 10000; ++i) logic = logic && index("v") < i;
  for (int i = 0; i < 10000; ++i) nest = min(nest / 2 + 1, y);
  EXPECT_TRUE(Facts().simplify(chain).same_as(chain));
  EXPECT_EQ(to_string(Facts().simplify(sum)), "x + 9999");
  EXPECT_EQ(to_string(Facts().simplify(shared)), "x*1152921504606846976 + 1152921504606846976");
  EXPECT_EQ(Facts().simplify(logic).type(), DType(scalar_types::boolean));
  EXPECT_EQ(Facts().simplify(nest).type(), DType(scalar_types::index));
}

TEST_F(Names, LinearForms) {
  const arith::Linear form = arith::linear_form((x * 3 + y / 2) * 2 - x + 7);
  ASSERT_EQ(form.terms.size(), 2u);
  EXPECT_EQ(to_string(form.terms[0].atom), "x");
  EXPECT_EQ(form.terms[0].coefficient, 5);
  EXPECT_EQ(to_string(form.terms[1].atom), "y/2");
  EXPECT_EQ(form.terms[1].coefficient, 2);
  EXPECT_EQ(form.constant, 7);
  EXPECT_EQ(to_string(arith::from_linear(form)), "x*5 + y/2*2 + 7");
}

TEST_F(Names, Intervals) {
  const auto text = [](const Interval &i) {
    const auto end = [](const Expr &e) { return e.defined() ? to_string(e) : std::string("?"); };
    return "[" + end(i.min) + ", " + end(i.max) + "]";
  };
  const Facts none;
  VarMap<Interval> ranges{{var(xi), {0, 2}}};
  EXPECT_EQ(text(none.interval(x * 2 + xi - 1, ranges)), "[x*2 - 1, x*2 + 1]");
  EXPECT_EQ(text(none.interval(x - xi, ranges)), "[x - 2, x]");
  EXPECT_EQ(text(none.interval(max(0, min(x + xi, n - 1)), ranges)), "[max(min(x, n - 1), 0), max(min(x + 2, n - 1), 0)]");
  EXPECT_EQ(text(none.interval((x * 4 + xi) % 4, ranges)), "[0, 2]");
  // What leaves 64 bits is no sum of others.
  const arith::Interval far = none.interval((xi + (std::int64_t{1} << 61)) * 4, ranges);
  EXPECT_FALSE(far.min.defined() && ir::constant_integer(far.min).value_or(0) > 0) << ir::to_string(far.min);
  EXPECT_EQ(text(none.interval((x * 4 + xi) / 4, ranges)), "[x, x]");
  EXPECT_EQ(text(none.interval((x + xi) % 4, ranges)), "[0, 3]");
  EXPECT_EQ(text(none.interval((x + xi) / 4, ranges)), "[x/4, (x + 2)/4]");
  EXPECT_EQ(text(none.interval(xi * n, ranges)), "[0, n*2]");
  EXPECT_EQ(text(none.interval(select(xi < 1, x, y), ranges)), "[min(x, y), max(x, y)]");
  EXPECT_EQ(text(none.interval(select(x < 1, xi, y), ranges)), "[select(x < 1, 0, y), select(x < 1, 2, y)]");
  Buffer ids("ids", scalar_types::int64, {n});
  const Expr id = cast(scalar_types::index, load(ids, {xi}));
  EXPECT_EQ(text(none.interval(id, ranges)), "[?, ?]");
  EXPECT_EQ(text(none.interval(ranged(id, 0, n - 1) + xi, ranges)), "[0, n + 1]");
  EXPECT_EQ(text(none.interval(min(id, n) + xi, ranges)), "[?, n + 2]");

  ranges = {{var(xi), {0, min(16, n - xo * 16) - 1}}};
  EXPECT_EQ(text(none.interval(xo * 16 + xi, ranges)), "[xo*16, min(xo*16 + 15, n - 1)]");
  ranges.emplace(var(xo), Interval{0, (n + 15) / 16 - 1});
  EXPECT_EQ(text(none.interval(xo * 16 + xi, ranges)), "[0, n - 1]");
  EXPECT_EQ(text(none.interval((xo * 16 + xi) / 4, ranges)), "[0, (n + 3)/4 - 1]");
  ranges.emplace(var(yo), Interval{x, {}});
  EXPECT_EQ(text(none.interval(yo + xo, ranges)), "[x, ?]");
}

TEST_F(Names, CopiesOfFactsAreIndependent) {
  Facts outer = tiled, inner = outer;
  inner.bind(var(x), 0, 4);
  inner.assume(n < 9);
  EXPECT_TRUE(inner.proves(x < 4 && n < 9));
  EXPECT_FALSE(outer.proves(x < 4));
  EXPECT_FALSE(outer.proves(n < 9));
  EXPECT_EQ(outer.domains().size(), 2u);
  EXPECT_EQ(inner.domains().size(), 3u);
  EXPECT_EQ(inner.conditions().size(), 1u);
  inner.bind(var(xo), 0, 2);  // replaces the domain in this copy
  EXPECT_TRUE(inner.proves(xo < 2));
  EXPECT_FALSE(outer.proves(xo < 2));
}

}  // namespace
