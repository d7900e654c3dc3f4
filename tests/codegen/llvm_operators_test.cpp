// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Every operator of every type, scalar and in vectors, against ir/evaluate.hpp.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "codegen/llvm_harness.hpp"
#include "lathe/ir/operators.hpp"

namespace lathe::llvm_harness {
namespace {

/// One function over whole arrays: what it computes per element as LLVM does and as evaluate.hpp does.
struct Case {
  std::string name;
  DType result;
  std::function<Expr(Expr, Expr)> build;
  std::function<Bits(Bits, Bits)> expected;
};

/// Compiles all cases of operand types `ta` and `tb` in one module per target (or for the oldest and newest only) and compares
/// all elements.
void check(const std::vector<Case> &cases, DType ta, DType tb, const Elements &a, const Elements &b, bool all_targets = true,
           const std::vector<int> &widths = {1, 4, 16}) {
  const auto n = static_cast<std::int64_t>(a.size());
  ASSERT_EQ(n % 16, 0);
  std::vector<Target> targets = runnable_targets();
  if (!all_targets) targets.erase(targets.begin() + 1, targets.size() > 1 ? targets.end() - 1 : targets.end());
  for (const Target &target : targets) {
    Program p;
    for (const Case &c : cases) {
      for (const int width : widths) {
        Buffer ba("a", ta, {Expr(n)}), bb("b", tb, {Expr(n)}), out("out", c.result, {Expr(n)});
        Var i("i", index_type);
        const Expr at = lanes(Expr(i) * Expr(width), width);
        const Expr value = c.build(load(ba, {at}), load(bb, {at}));
        Function f{c.name + "." + std::to_string(width),
                   {input(ba), input(bb), output(out)},
                   loop(i, 0, Expr(n / width), store(out, {at}, value))};
        p.functions.push_back(std::move(f));
      }
    }
    const Compiled compiled(p, target);
    for (const Case &c : cases) {
      for (const int width : widths) {
        const std::string name = c.name + "." + std::to_string(width);
        Elements out(c.result, a.size());
        ASSERT_EQ(compiled.run({slot(a.bytes.data()), slot(b.bytes.data()), slot(out.bytes.data())}, nullptr, name.c_str()), 0);
        int wrong = 0;
        for (std::size_t i = 0; i < a.size() && wrong < 3; ++i) {
          const Bits expected = c.expected(a[i], b[i]);
          if (same_value(c.result, out[i], expected)) continue;
          ++wrong;
          ADD_FAILURE() << name << " of " << to_string(ta) << " on " << target.cpu << ": a " << std::hex << a[i] << ", b " << b[i]
                        << " gives " << out[i] << ", expected " << expected;
        }
      }
    }
  }
}

/// Operands: all pairs of special values and many random ones; all pairs there are for types of one byte.
std::pair<Elements, Elements> operands(DType ta, DType tb) {
  Elements a(ta), b(tb);
  if (ta.bits() <= 8 && tb.bits() <= 8 && !ta.is_bool() && !tb.is_bool()) {
    for (int x = 0; x < 256; ++x)
      for (int y = 0; y < 256; ++y) a.add(from_integer(ta, x)), b.add(from_integer(tb, y));
    return {a, b};
  }
  for (const Bits x : special_values(ta))
    for (const Bits y : special_values(tb)) a.add(x), b.add(y);
  std::mt19937_64 random(7);
  for (int i = 0; i < 400; ++i) a.add(random_value(ta, random)), b.add(random_value(tb, random));
  while (a.size() % 16 != 0) a.add(random_value(ta, random)), b.add(random_value(tb, random));
  return {a, b};
}

/// Operands of operators of one operand: all that there are of one byte, else the special values and random ones.
Elements single_operands(DType type) {
  Elements a(type);
  if (type.bits() == 8)
    for (int x = 0; x < 256; ++x) a.add(from_integer(type, x));
  else
    for (const Bits x : special_values(type)) a.add(x);
  std::mt19937_64 random(11);
  for (int i = 0; i < 400 || a.size() % 16 != 0; ++i) a.add(random_value(type, random));
  return a;
}

/// Constants that operators treat apart: small ones, powers of two, both ends; zeros, powers of two, infinity, NaN.
std::vector<Bits> special_constants(DType type) {
  std::vector<Bits> values;
  if (type.is_float()) {
    for (const double v : {0.0, -0.0, 1.0, -2.0, 0.1, 1e300, 0x1p-126}) values.push_back(from_double(type, v));
    values.push_back(from_double(type, std::numeric_limits<double>::quiet_NaN()));
    return values;
  }
  for (const std::int64_t v : {0, 1, 2, 7, 8, -1, -2, -7}) values.push_back(from_integer(type, v));
  for (const int v : {type.bits() - 1, type.bits()}) values.push_back(from_integer(type, v));
  values.push_back(from_integer(type, static_cast<std::int64_t>(Bits{1} << (type.bits() - 1))));
  return values;
}

bool is_for(BinaryOp op, DType type) {
  switch (op) {
    case BinaryOp::bit_and:
    case BinaryOp::bit_or:
    case BinaryOp::bit_xor: return !type.is_float();
    case BinaryOp::shl:
    case BinaryOp::shr:
    case BinaryOp::mul_high:
    case BinaryOp::rounding_shift_right: return type.is_integer();
    case BinaryOp::logical_and:
    case BinaryOp::logical_or: return type.is_bool();
    case BinaryOp::pow:
    case BinaryOp::atan2:
    case BinaryOp::fmod: return type.is_float();
    default: return !type.is_bool() || is_comparison(op) || op == BinaryOp::min || op == BinaryOp::max;
  }
}

bool is_for(UnaryOp op, DType type) {
  if (op == UnaryOp::logical_not) return type.is_bool();
  if (is_float_only(op) || op >= UnaryOp::is_nan) return type.is_float();
  if (op == UnaryOp::bit_not || op == UnaryOp::popcount || op == UnaryOp::clz) return type.is_integer();
  return !type.is_bool();
}

class Operators : public testing::TestWithParam<DType> {};

TEST_P(Operators, OfTwoOperands) {
  const DType type = GetParam();
  const auto [a, b] = operands(type, type);
  std::vector<Case> cases;
  for (int i = 0; i <= static_cast<int>(BinaryOp::fmod); ++i) {
    const auto op = static_cast<BinaryOp>(i);
    if (!is_for(op, type)) continue;
    cases.push_back({std::string(info(op).name), gives_bool(op) ? DType(scalar_types::boolean) : type,
                     [op](Expr x, Expr y) { return binary(op, x, y); },
                     [=](Bits x, Bits y) { return evaluate(op, type, x, y); }});
  }
  check(cases, type, type, a, b);
}

TEST_P(Operators, OfOneOperand) {
  const DType type = GetParam();
  const Elements a = single_operands(type), &b = a;
  std::vector<Case> cases;
  for (int i = 0; i <= static_cast<int>(UnaryOp::is_finite); ++i) {
    const auto op = static_cast<UnaryOp>(i);
    if (!is_for(op, type)) continue;
    cases.push_back({std::string(info(op).name), gives_bool(op) ? DType(scalar_types::boolean) : type,
                     [op](Expr x, Expr) { return unary(op, x); }, [=](Bits x, Bits) { return evaluate(op, type, x); }});
  }
  check(cases, type, type, a, b);
}

/// Constant operands take paths of their own in divisions, shifts and extrema.
TEST_P(Operators, WithAConstant) {
  const DType type = GetParam();
  if (type.is_bool()) return;
  std::vector<Case> cases;
  for (const BinaryOp op : {BinaryOp::div, BinaryOp::mod, BinaryOp::trunc_div, BinaryOp::trunc_mod, BinaryOp::shl, BinaryOp::shr,
                            BinaryOp::rounding_shift_right, BinaryOp::min, BinaryOp::max}) {
    const bool extremum = op == BinaryOp::min || op == BinaryOp::max;
    if (!is_for(op, type) || (extremum && !type.is_float()) || (type.is_float() && !extremum && op != BinaryOp::div)) continue;
    int number = 0;
    for (const Bits c : special_constants(type)) {
      const auto constant = [=](const Expr &like) { return constant_bits(DType(type.scalar(), like.lanes()), c); };
      const std::string name = std::string(info(op).name) + "." + std::to_string(number++);
      cases.push_back({name + ".right", type, [=](Expr x, Expr) { return binary(op, x, constant(x)); },
                       [=](Bits x, Bits) { return evaluate(op, type, x, c); }});
      if (!extremum) continue;
      cases.push_back({name + ".left", type, [=](Expr x, Expr) { return binary(op, constant(x), x); },
                       [=](Bits x, Bits) { return evaluate(op, type, c, x); }});
    }
  }
  const Elements a = single_operands(type);
  check(cases, type, type, a, a, false, {1, 4});
}

TEST_P(Operators, CastsToEveryType) {
  const DType from = GetParam();
  const Elements a = single_operands(from), &b = a;
  for (const DType &to : all_types()) {
    std::vector<Case> cases;
    for (const CastMode mode : {CastMode::convert, CastMode::saturate, CastMode::reinterpret}) {
      if (mode == CastMode::reinterpret && (to.bits() != from.bits() || to.is_bool())) continue;
      if (to == from) continue;  // not a cast
      cases.push_back({"cast" + std::to_string(static_cast<int>(mode)), to,
                       [=](Expr x, Expr) { return cast(DType(to.scalar(), x.lanes()), x, mode); },
                       [=](Bits x, Bits) { return evaluate_cast(mode, to, from, x); }});
    }
    check(cases, from, from, a, b, false);
  }
}

TEST_P(Operators, SelectAndMultiplyAdd) {
  const DType type = GetParam();
  if (type.is_bool()) return;
  const auto [a, b] = operands(type, type);
  std::vector<Case> cases;
  cases.push_back({"select", type, [](Expr x, Expr y) { return select(x < y, y, x); },
                   [=](Bits x, Bits y) { return evaluate(BinaryOp::lt, type, x, y) ? y : x; }});
  cases.push_back({"mul_add", type, [](Expr x, Expr y) { return mul_add(x, y, x); },
                   [=](Bits x, Bits y) { return evaluate_mul_add(type, x, y, x); }});
  check(cases, type, type, a, b);
}

INSTANTIATE_TEST_SUITE_P(AllTypes, Operators, testing::ValuesIn(all_types()),
                         [](const testing::TestParamInfo<DType> &type) { return to_string(type.param); });

/// Indices whose difference is a ramp are compared in 32 bits; bounds far outside of them must not wrap.
TEST(LlvmOperators, ComparisonsOfRamps) {
  const DType truth(scalar_types::boolean);
  constexpr int width = 8;
  const std::vector<BinaryOp> ops{BinaryOp::eq, BinaryOp::ne, BinaryOp::lt, BinaryOp::le, BinaryOp::gt, BinaryOp::ge};
  for (const int stride : {1, -1, 3}) {
    Var x("x", index_type), y("y", index_type), i("i", index_type);
    Buffer out("out", truth, {Expr(12), Expr(width)}), bounded("bounded", truth, {Expr(5), Expr(width)});
    std::vector<Stmt> body;
    for (std::size_t k = 0; k < ops.size(); ++k) {
      const Expr ramp_side = lanes(Expr(x) * Expr(2) + Expr(1), width, stride), other = broadcast(Expr(y), width);
      body.push_back(store(out, {Expr(static_cast<std::int64_t>(2 * k)), lanes(0, width)}, binary(ops[k], ramp_side, other)));
      body.push_back(store(out, {Expr(static_cast<std::int64_t>(2 * k + 1)), lanes(0, width)}, binary(ops[k], other, ramp_side)));
    }
    const Expr small = lanes(Expr(i) * Expr(width), width, stride) < broadcast(Expr(20), width);
    body.push_back(loop(i, 0, 5, store(bounded, {Expr(i), lanes(0, width)}, small)));
    const Compiled compiled(program({scalar(x), scalar(y), output(out), output(bounded)}, block(body)));
    for (const std::int64_t vx :
         {std::int64_t{0}, std::int64_t{5}, std::int64_t{-7}, std::int64_t{1} << 31, -(std::int64_t{1} << 40)}) {
      for (const std::int64_t vy : {std::int64_t{0}, std::int64_t{11}, std::int64_t{14}, std::int64_t{1} << 32,
                                    (std::int64_t{1} << 32) + 4, -(std::int64_t{1} << 41)}) {
        std::vector<unsigned char> o(12 * width, 9), b(5 * width, 9);
        ASSERT_EQ(compiled.run({slot(vx), slot(vy), slot(o.data()), slot(b.data())}), 0);
        for (std::size_t k = 0; k < 12; ++k)
          for (int lane = 0; lane < width; ++lane) {
            Bits left = static_cast<Bits>(vx * 2 + 1 + lane * stride), right = static_cast<Bits>(vy);
            if (k % 2 == 1) std::swap(left, right);
            EXPECT_EQ(o[k * width + static_cast<std::size_t>(lane)], evaluate(ops[k / 2], index_type, left, right))
                << k << " " << vx << " " << vy;
          }
        for (int k = 0; k < 5 * width; ++k)
          EXPECT_EQ(b[static_cast<std::size_t>(k)], k / width * width + k % width * stride < 20);
      }
    }
  }
}

TEST(LlvmOperators, ExtremaWithoutNanKeepTheSignOfZero) {
  const DType type(scalar_types::float32, 16);
  Buffer a("a", type.element(), {Expr(16)}), b("b", type.element(), {Expr(16)}), out("out", type.element(), {Expr(32)});
  const Expr at = lanes(0, 16), x = load(a, {at}), y = load(b, {at});
  const Program p =
      program({input(a), input(b), output(out)}, block({store(out, {at}, min(x, y)), store(out, {lanes(16, 16)}, max(x, y))}));
  const Compiled compiled(p, Target::host(), {.no_nan = true});
  std::vector<float> va(16, 0.0f), vb(16, -0.0f), vo(32, 7.0f);
  va[3] = -0.0f, vb[3] = 0.0f, va[4] = 5, vb[4] = -6;
  ASSERT_EQ(compiled.run({slot(va.data()), slot(vb.data()), slot(vo.data())}), 0);
  for (int i = 0; i < 16; ++i) {
    if (i == 4) continue;
    EXPECT_TRUE(vo[static_cast<std::size_t>(i)] == 0 && std::signbit(vo[static_cast<std::size_t>(i)])) << i;
    EXPECT_TRUE(vo[static_cast<std::size_t>(16 + i)] == 0 && !std::signbit(vo[static_cast<std::size_t>(16 + i)])) << i;
  }
  EXPECT_EQ(vo[4], -6);
  EXPECT_EQ(vo[20], 5);
}

}  // namespace
}  // namespace lathe::llvm_harness
