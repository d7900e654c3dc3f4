// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Text of literals, expressions, statements, operations and programs.

#include "lathe/ir/print.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>

#include "lathe/ir/build.hpp"
#include "lathe/ir/evaluate.hpp"

namespace {

using namespace lathe;
using namespace lathe::ir;
namespace types = lathe::scalar_types;

const Var i("i", types::index), j("j", types::index), k("k", types::index), n("n", types::index, true);
const Var x("x", types::float32), y("y", types::float32), p("p", types::boolean), q("q", types::int32);

Operation operation(std::string name, OperationKind kind = OperationKind::placeholder) {
  auto *node = new OperationNode;
  node->kind = kind;
  node->name = std::move(name);
  node->shape = {n, 16};
  node->types = {types::float32};
  return Operation(node);
}

TEST(Print, Literals) {
  const auto text = [](DType type, double value) { return literal_text(type, from_double(type, value)); };
  EXPECT_EQ(text(types::float32, 0), "0.0f");
  EXPECT_EQ(text(types::float32, -0.0), "-0.0f");
  EXPECT_EQ(text(types::float32, 0.1), "0.1f");
  EXPECT_EQ(text(types::float32, 1e30), "1e+30f");
  EXPECT_EQ(text(types::float32, 16777217), "16777216.0f");
  EXPECT_EQ(text(types::float64, 0.1), "0.1");
  EXPECT_EQ(text(types::float64, 1e30), "1e+30");
  EXPECT_EQ(text(types::float16, 0.1), "0.1h");
  EXPECT_EQ(text(types::float16, 65504), "6.55e+04h");
  EXPECT_EQ(text(types::bfloat16, 1.0078125), "1.01bf");
  EXPECT_EQ(text(types::float32, std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(text(types::float16, -std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(text(types::float64, std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(literal_text(types::float32, 0x7fc00001u), "nan(0x7fc00001)");
  EXPECT_EQ(literal_text(types::index, static_cast<std::uint64_t>(-7)), "-7");
  EXPECT_EQ(literal_text(types::uint64, ~std::uint64_t{0}), "18446744073709551615");
  EXPECT_EQ(literal_text(types::boolean, 1), "true");
  static constexpr ScalarType posit{"posit16", Kind::custom, 16, 16, 0, 0};
  EXPECT_EQ(literal_text(posit, 0x4000), "posit16(0x4000)");
}

TEST(Print, FloatLiteralsReadBackBitForBit) {
  for (std::uint64_t bits = 1; bits < 0x7f800000u; bits += 1234567)
    EXPECT_EQ(std::bit_cast<std::uint32_t>(std::strtof(literal_text(types::float32, bits).c_str(), nullptr)), bits);
  for (const ScalarType *type : {&types::float16, &types::bfloat16})
    for (std::uint64_t bits = 0; bits < 0x10000; bits += 7) {
      const double value = to_double(*type, bits);
      if (value - value != 0) continue;  // infinities and NaN have names
      ASSERT_EQ(from_double(*type, std::strtod(literal_text(*type, bits).c_str(), nullptr)), bits);
    }
}

TEST(Print, FewestParentheses) {
  EXPECT_EQ(to_string(Expr(i) * 16 + j), "i*16 + j");
  EXPECT_EQ(to_string((Expr(i) + j) * 16), "(i + j)*16");
  EXPECT_EQ(to_string(Expr(i) - (Expr(j) - k)), "i - (j - k)");
  EXPECT_EQ(to_string(Expr(i) - j - k), "i - j - k");
  EXPECT_EQ(to_string(Expr(i) / 4 % 3), "i/4%3");
  EXPECT_EQ(to_string(Expr(i) / (Expr(j) * 4)), "i/(j*4)");
  EXPECT_EQ(to_string(Expr(i) + -1), "i - 1");
  EXPECT_EQ(to_string(Expr(x) + constant(types::float32, -1.0)), "x + -1.0f");
  EXPECT_EQ(to_string((Expr(i) < 3 || p) && Expr(j) >= n), "(i < 3 || p) && j >= n");
  EXPECT_EQ(to_string(!(Expr(i) < 3)), "!(i < 3)");
  EXPECT_EQ(to_string(-(-Expr(x))), "-(-x)");
  EXPECT_EQ(to_string(-(Expr(x) * y)), "-(x*y)");
  EXPECT_EQ(to_string(binary(BinaryOp::bit_and, q, q) * q), "(q & q)*q");
  EXPECT_EQ(to_string(binary(BinaryOp::shl, Expr(q) + q, q)), "q + q << q");
  EXPECT_EQ(to_string(equals(binary(BinaryOp::bit_and, q, q), q)), "(q & q) == q");
}

TEST(Print, CallsAndVectors) {
  const Buffer a("A", types::float32, {n, 16});
  EXPECT_EQ(to_string(min(unary(UnaryOp::exp, Expr(x) + y), y)), "min(exp(x + y), y)");
  EXPECT_EQ(to_string(mul_add(x, y, x)), "mul_add(x, y, x)");
  EXPECT_EQ(to_string(select(p, x, y)), "select(p, x, y)");
  EXPECT_EQ(to_string(select(Expr(i) < n, load(a, {i, 0}), y, true)), "if_then_else(i < n, A[i, 0], y)");
  EXPECT_EQ(to_string(cast(types::float32, i)), "float32(i)");
  EXPECT_EQ(to_string(cast(types::int8, x, CastMode::saturate)), "saturate<int8>(x)");
  EXPECT_EQ(to_string(cast(types::uint32, x, CastMode::reinterpret)), "reinterpret<uint32>(x)");
  EXPECT_EQ(to_string(ranged(i, 0, Expr(n) - 1)), "assume_range(i, 0, n - 1)");
  EXPECT_EQ(to_string(ramp(Expr(i) * 16, 1, 16)), "i*16 + [0:16]");
  EXPECT_EQ(to_string(ramp(0, 3, 4)), "[0:4]*3");
  EXPECT_EQ(to_string(ramp(i, Expr(n) + 1, 4)), "i + [0:4]*(n + 1)");
  EXPECT_EQ(to_string(broadcast(x, 16)), "x x16");
  EXPECT_EQ(to_string(broadcast(Expr(x) + y, 4) * broadcast(y, 4)), "((x + y) x4)*(y x4)");
  EXPECT_EQ(to_string(shuffle({ramp(i, 1, 4), broadcast(j, 2)}, {0, 4, 1})), "shuffle([i + [0:4], j x2], [0, 4, 1])");
  EXPECT_EQ(to_string(call(types::float32, {"sinf", nullptr, true}, {x})), "sinf(x)");
  EXPECT_EQ(to_string(load(a, {i, ramp(0, 1, 4)}, ramp(0, 1, 4) < Expr(n))), "A[i, [0:4] if [0:4] < (n x4)]");
  EXPECT_EQ(to_string(load(Buffer("cell", types::float32, {}), {}, p)), "cell[if p]");
  EXPECT_EQ(to_string(Expr()), "none");
}

TEST(Print, ReadsAndReductions) {
  const Operation a = operation("A");
  auto *reducer = new ReducerNode;
  reducer->name = "sum";
  const Reducer sum(reducer);
  const Expr source = read({a, 0}, {i, k}) * read({a, 0}, {k, j}, true);
  const Expr one = make(types::float32, Reduce{sum, {source}, {{k, 0, 16}}, {}, {}, 0});
  EXPECT_EQ(to_string(one), "sum(A(i, k)*A.unchecked(k, j), k in 0..16)");
  const Expr full = make(types::float32, Reduce{sum, {x, y}, {{k, 1, n}}, Expr(k) <= i, {x, y}, 1});
  EXPECT_EQ(to_string(full), "sum((x, y), k in 1..1 + n, where k <= i, init (x, y)).1");
}

TEST(Print, NamesakesGetSuffixes) {
  const Var other("i", types::index), third("i", types::index), taken("i_1", types::index);
  EXPECT_EQ(to_string(Expr(i) + taken + other + third + i), "i + i_1 + i_2 + i_3 + i");
  EXPECT_EQ(to_string(Expr(third) + i), "i + i_1");
}

TEST(Print, SharedAndDeepPartsGetNames) {
  const Expr part = Expr(i) * 1024 + Expr(j) * 1024 + Expr(k) * 10240;
  EXPECT_EQ(to_string(part * part), "let t1 = i*1024 + j*1024 + k*10240\nt1*t1");
  EXPECT_EQ(to_string((Expr(i) + 1) * (Expr(i) + 1)), "(i + 1)*(i + 1)");

  Expr squares = x;
  for (int level = 0; level < 500; ++level) squares = squares * squares;
  EXPECT_LT(to_string(squares).size(), 500 * 40u);

  Expr chain = x;
  for (int step = 0; step < 10000; ++step) chain = unary(UnaryOp::exp, chain);
  const std::string text = to_string(chain);
  EXPECT_LT(text.size(), 10000 * 7u);
  EXPECT_EQ(std::count(text.begin(), text.end(), '('), 10000);
  std::size_t longest = 0, start = 0;
  for (std::size_t end; (end = text.find('\n', start)) != std::string::npos; start = end + 1)
    longest = std::max(longest, end - start);
  EXPECT_LT(longest, 400u);
}

TEST(Print, Statements) {
  const Var nc("n.c", types::index), row("y", types::index), xo("xo", types::index), xi("xi", types::index);
  const Buffer conv("conv", types::float32, {1, 32, 112, 112}), tile("tile", types::float32, {4, 16}, {"local"});
  const Stmt zero = make(Store{conv, {0, nc, row, ramp(Expr(xo) * 16, 1, 16)}, zero_of(DType(types::float32, 16)), {}});
  const Stmt copy = make(
      For{xi, Expr(xo) * 16, 16, LoopKind::vectorized, make(Store{tile, {0, xi}, load(conv, {0, nc, row, xi}), Expr(xi) < n})});
  const Stmt body =
      block({block({zero}, "conv"),
             make(Allocate{{tile}, block({copy, make(For{k, 0, n, LoopKind::unrolled, make(Evaluate{load(tile, {0, k})})})})}),
             make(If{Expr(row) < 3, make(Check{Expr(n) > 0, "n is positive", {}}), make(Block{})})});
  const Stmt s = make(
      For{nc, 0, 32, LoopKind::parallel,
          make(For{row, 0, 112, LoopKind::serial, make(For{xo, 0, 7, LoopKind::serial, make(Bind{j, Expr(xo) * 2, body})})})});
  EXPECT_EQ(to_string(s),
            "parallel n.c in 0..32:\n"
            "  for y in 0..112:\n"
            "    for xo in 0..7:\n"
            "      let j = xo*2\n"
            "      # conv\n"
            "      conv[0, n.c, y, xo*16 + [0:16]] = 0.0f x16\n"
            "      allocate tile: float32[4, 16] in local:\n"
            "        vectorized xi in xo*16..xo*16 + 16:\n"
            "          tile[0, xi if xi < n] = conv[0, n.c, y, xi]\n"
            "        unrolled k in 0..n:\n"
            "          tile[0, k]\n"
            "      if y < 3:\n"
            "        check n > 0, \"n is positive\"\n"
            "      else:\n"
            "        pass");
}

TEST(Print, NamedPartsStandBeforeTheirStatement) {
  const Buffer a("A", types::index, {n});
  const Expr part = Expr(i) * 1024 + Expr(j) * 1024 + Expr(k) * 10240;
  EXPECT_EQ(to_string(make(For{i, 0, 4, LoopKind::serial, make(Store{a, {part}, part, {}})})),
            "for i in 0..4:\n"
            "  let t1 = i*1024 + j*1024 + k*10240\n"
            "  A[t1] = t1");
}

TEST(Print, Operations) {
  const Operation a = operation("A");
  EXPECT_EQ(to_string(a), "placeholder A: float32[n, 16]");
  auto *node = new OperationNode(*operation("B", OperationKind::compute));
  node->axes = {i, j};
  node->bodies = {read({a, 0}, {i, j}) + constant(types::float32, 1.0)};
  EXPECT_EQ(to_string(Operation(node)), "compute B: float32[n, 16]\n  B(i, j) = A(i, j) + 1.0f");
  auto *promised = new OperationNode(*a);
  promised->memory = {{32, 1}, 64};
  EXPECT_EQ(to_string(Operation(promised)), "placeholder A: float32[n, 16], strides [32, 1], aligned 64");
}

TEST(Print, Programs) {
  const Buffer a("A", types::float32, {n}), b("B", types::float32, {n}), w("w", types::float32, {3});
  Program program;
  program.functions.resize(1);
  Function &f = program.functions[0];
  f.name = "copy";
  f.parameters = {
      {.kind = ParameterKind::input, .name = "A", .buffer = a, .var = {}, .function = {}, .data = {}},
      {.kind = ParameterKind::output, .name = "B", .buffer = b, .var = {}, .function = {}, .data = {}},
      {.kind = ParameterKind::constant, .name = "w", .buffer = w, .var = {}, .function = {}, .data = {}},
      {.kind = ParameterKind::scalar, .name = "n", .buffer = {}, .var = n, .function = {}, .data = {}},
      {.kind = ParameterKind::function, .name = "f", .buffer = {}, .var = {}, .function = {"f", nullptr, true}, .data = {}}};
  f.body = make(For{i, 0, n, LoopKind::serial, make(Store{b, {i}, load(a, {i}), {}})});
  program.requirements = {{equals(Expr(n) % 16, 0), "n is a multiple of 16", {}}};
  program.scratch_bytes = 4096;
  EXPECT_EQ(to_string(program),
            "function copy(A: in float32[n], B: out float32[n], w: constant float32[3], n: index, f: function):\n"
            "  require n%16 == 0, \"n is a multiple of 16\"\n"
            "  scratch 4096 bytes\n"
            "  for i in 0..n:\n"
            "    B[i] = A[i]");
}

}  // namespace
