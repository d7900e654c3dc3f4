// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lathe/runtime/size_formula.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "lathe/ir/build.hpp"
#include "lathe/jit.hpp"
#include "lathe/lathe.hpp"

namespace {

using namespace lathe;
using ir::Expr;
using ir::Var;

struct Formulas : testing::Test {
  Var n{"n", scalar_types::index, true}, unused{"unused", scalar_types::float32}, m{"m", scalar_types::index},
      small{"small", scalar_types::int8};
  List<Var> symbols = {n, Var(), m, small};

  std::int64_t value(const Expr &e, std::int64_t n_is, std::int64_t m_is = 0, std::int64_t small_is = 0) const {
    Slot slots[4] = {};
    slots[0].integer = n_is, slots[2].integer = m_is, slots[3].integer = small_is;
    return SizeFormula(e, symbols).value(symbols, slots);
  }
};

TEST_F(Formulas, follow_the_operators) {
  EXPECT_EQ(value((Expr(n) + 15) / 16 * 16, 33), 48);
  EXPECT_EQ(value(Expr(m) / 4, 0, -5), -2);
  EXPECT_EQ(value(Expr(m) % 4, 0, -5), 3);
  EXPECT_EQ(value(ir::min(Expr(n), Expr(m)) - ir::max(Expr(n), 7), 5, 3), -4);
  EXPECT_EQ(value(ir::equals(Expr(n) % 16, 0) && Expr(m) < 9, 32, 8), 1);
  EXPECT_EQ(value(ir::equals(Expr(n) % 16, 0) && Expr(m) < 9, 33, 8), 0);
  EXPECT_EQ(value(ir::select(Expr(n) > Expr(m), Expr(n) * 2, Expr(m) * 3), 5, 4), 10);
  EXPECT_EQ(value(ir::select(Expr(n) > Expr(m), Expr(n) * 2, Expr(m) * 3), 4, 5), 15);
  EXPECT_EQ(value(ir::cast(scalar_types::index, Expr(small)) + 1, 0, 0, -3), -2);
  EXPECT_EQ(value(!(Expr(n) <= 3), 3), 0);
}

/// What leaves 64 bits on the way is rearranged, as index arithmetic may be.
TEST_F(Formulas, do_not_wrap) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(value((Expr(n) + Expr(m)) - Expr(n), most, 5), 5);
}

/// Deeper, and of more operators, than the stack of steps.
TEST_F(Formulas, of_any_size) {
  Expr deep = Expr(n), long_sum = Expr(n);
  for (int i = 0; i < 40; ++i) deep = ir::max(Expr(m) * i, ir::select(Expr(n) > i, deep - 1, Expr(i)));
  for (int i = 0; i < 200; ++i) long_sum = ir::max(long_sum - 1, Expr(m) % (i + 1));
  EXPECT_EQ(value(deep, 1000, -1), 960);
  EXPECT_EQ(value(long_sum, 1000), 800);
}

TEST_F(Formulas, at_each_call) {
  auto rows = size_var("rows");
  auto a = placeholder<float>({rows, 4}, "a");
  auto b = compute({rows * 2 + 1}, [&](Index i) { return a(min(i / 2, rows - 1), i % 4); }, "b(i)");
  Schedule s(b);
  s.assume(rows % 3 == 0 && rows > 0);
  const auto kernel = jit(s, a, b);
  Array<float, 1> right({13}), wrong({12});
  const auto six = Array<float, 2>::generate({6, 4}, [](auto i, auto j) { return static_cast<float>(10 * i + j); });
  kernel(six, right);
  EXPECT_EQ(right(7), 33);
  EXPECT_THROW(kernel(six, wrong), Error);
  Array<float, 1> nine({9});
  EXPECT_THROW(kernel(Array<float, 2>({4, 4}), nine), Error);
}

}  // namespace
