// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Emitted C, compiled by every C compiler here with warnings as errors, against the interpreter and against values known from
/// elsewhere.

#include "lathe/codegen/c.hpp"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "c_harness.hpp"
#include "lathe/dtype/small_float.hpp"

namespace {

using namespace c_harness;
using codegen::emit_c;
using codegen::interpret;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Expressions over the elements of inputs, each stored to an output of its own, for all pairs of operands: a table of results.
class Table {
 public:
  Table(DType type, std::vector<Bits> operands) : type_(type), operands_(std::move(operands)) {
    const auto n = static_cast<std::int64_t>(operands_.size());
    a_ = Buffer("a", type, {n});
    x_ = load(a_, {i_});
    y_ = load(a_, {j_});
  }
  Expr x() const { return x_; }
  Expr y() const { return y_; }
  void add(std::string name, Expr e) {
    names_.push_back(std::move(name));
    exprs_.push_back(std::move(e));
  }

  /// Runs interpreter and C; results[k] are those of expression k, for operand i times n + j.
  std::vector<std::vector<Bits>> check(const std::string &options = "-O2") const {
    const auto n = static_cast<std::int64_t>(operands_.size());
    std::vector<Parameter> parameters{input(a_)};
    std::vector<Stmt> stores;
    for (std::size_t k = 0; k < exprs_.size(); ++k) {
      const Buffer out(names_[k], exprs_[k].type(), {n, n});
      parameters.push_back(output(out));
      stores.push_back(store(out, {i_, j_}, exprs_[k]));
    }
    const Program p = program("table", parameters, loop(i_, n, loop(j_, n, block(stores))));
    std::vector<std::byte> memory(operands_.size() * static_cast<std::size_t>(type_.bytes()));
    for (std::size_t k = 0; k < operands_.size(); ++k)
      store_element(type_, memory.data() + k * static_cast<std::size_t>(type_.bytes()), operands_[k]);
    const auto run = [&](auto &&go) {
      std::vector<std::vector<std::byte>> outputs;
      std::vector<Slot> slots{address(memory)};
      for (const Expr &e : exprs_) outputs.emplace_back(static_cast<std::size_t>(n * n * e.type().bytes()), std::byte{0xcb});
      for (auto &bytes : outputs) slots.push_back(address(bytes));
      go(slots);
      std::vector<std::vector<Bits>> results;
      for (std::size_t k = 0; k < exprs_.size(); ++k) results.push_back(values(exprs_[k].type(), outputs[k]));
      return results;
    };
    const auto expected = run([&](const std::vector<Slot> &slots) { interpret(p, slots); });
    const Source source = emit_c(p);
    for (const std::string &compiler : compilers()) {
      // One compiler's sanitizer is enough; the other one's warnings and results count.
      const bool plain = compiler != compilers()[0] && options.find("sanitize") != std::string::npos;
      const CompiledC compiled(source, compiler, plain ? "-O0" : options);
      PlainRuntime runtime;
      const auto results = run([&](const std::vector<Slot> &slots) { EXPECT_EQ(compiled.run(slots, runtime), 0); });
      for (std::size_t k = 0; k < exprs_.size(); ++k)
        for (std::size_t e = 0; e < expected[k].size(); ++e)
          if (results[k][e] != expected[k][e]) {
            ADD_FAILURE() << compiler << ": " << names_[k] << " of " << to_string(type_) << " bits "
                          << operands_[e / operands_.size()] << " and " << operands_[e % operands_.size()] << " is "
                          << results[k][e] << " instead of " << expected[k][e];
            break;
          }
    }
    return expected;
  }

 private:
  DType type_;
  std::vector<Bits> operands_;
  Var i_ = index_var("i"), j_ = index_var("j");
  Buffer a_;
  Expr x_, y_;
  std::vector<std::string> names_;
  std::vector<Expr> exprs_;
};

constexpr BinaryOp integer_operators[] = {BinaryOp::add,       BinaryOp::sub,
                                          BinaryOp::mul,       BinaryOp::div,
                                          BinaryOp::mod,       BinaryOp::trunc_div,
                                          BinaryOp::trunc_mod, BinaryOp::min,
                                          BinaryOp::max,       BinaryOp::eq,
                                          BinaryOp::ne,        BinaryOp::lt,
                                          BinaryOp::le,        BinaryOp::gt,
                                          BinaryOp::ge,        BinaryOp::bit_and,
                                          BinaryOp::bit_or,    BinaryOp::bit_xor,
                                          BinaryOp::shl,       BinaryOp::shr,
                                          BinaryOp::mul_high,  BinaryOp::rounding_shift_right};
constexpr UnaryOp integer_unary[] = {UnaryOp::neg,  UnaryOp::bit_not,  UnaryOp::abs,
                                     UnaryOp::sign, UnaryOp::popcount, UnaryOp::clz};

std::vector<Bits> all_patterns(DType type) {
  std::vector<Bits> bits;
  for (int v = 0; v < 256; ++v) bits.push_back(from_integer(type, v));
  return bits;
}

/// Ends of the ranges, powers of two and their neighbours, shift amounts.
std::vector<Bits> interesting(DType type) {
  std::vector<std::int64_t> numbers{0,  1,  -1, 2,  -2, 3,  -3, 5,  7,   -7,   8,     9,     15,
                                    16, 17, 31, 32, 33, 63, 64, 65, 100, -100, 12345, -12345};
  const int bits = type.bits();
  const std::int64_t top = std::int64_t{1} << (bits - 2);
  for (const std::int64_t n :
       {top, top - 1, top + 1, -top, 2 * (top - 1) + 1, -2 * (top - 1) - 2, -2 * (top - 1) - 1, top / 3, -top / 3})
    numbers.push_back(n);
  std::vector<Bits> result;
  for (const std::int64_t n : numbers) result.push_back(from_integer(type, n));
  return result;
}

void add_integer_operators(Table &table, DType type) {
  for (const BinaryOp op : integer_operators) table.add(std::string(info(op).name), binary(op, table.x(), table.y()));
  for (const UnaryOp op : integer_unary) table.add(std::string(info(op).name) + "_u", unary(op, table.x()));
  table.add("select", select(table.x() < table.y(), table.x(), table.y()));
  // Constants on the right, where the text is plain C.
  for (const std::int64_t c : {1, 3, 7}) {
    const std::string suffix = "_by" + std::to_string(c);
    for (const BinaryOp op :
         {BinaryOp::div, BinaryOp::mod, BinaryOp::trunc_div, BinaryOp::trunc_mod, BinaryOp::shl, BinaryOp::shr})
      table.add(std::string(info(op).name) + suffix, binary(op, table.x(), constant(type, c)));
  }
}

TEST(C, Int8OperatorsExhaustively) {
  for (const DType type : {i8, u8}) {
    Table table(type, all_patterns(type));
    add_integer_operators(table, type);
    table.check("-O1");
  }
}

TEST(C, WiderIntegerOperators) {
  for (const DType type : {i16, u16, i32, u32, i64, u64}) {
    Table table(type, interesting(type));
    add_integer_operators(table, type);
    table.check("-O1 -fsanitize=undefined -fsanitize-undefined-trap-on-error");
  }
}

TEST(C, FlooringDivisionOfTheCases) {  // halide C1
  for (const DType type : {i8, i16, i32, i64}) {
    Table table(type, {from_integer(type, -7), from_integer(type, 7), from_integer(type, 2), from_integer(type, -2),
                       from_integer(type, 3), from_integer(type, -3), from_integer(type, 1)});
    table.add("quotient", table.x() / table.y());
    table.add("remainder", table.x() % table.y());
    const auto results = table.check();
    const auto at = [&](std::size_t which, std::size_t a, std::size_t b) { return to_integer(type, results[which][a * 7 + b]); };
    // a = -7, then a = 7, by 2, -2, 3, -3
    EXPECT_THAT((std::vector{at(0, 0, 2), at(0, 0, 3), at(0, 0, 4), at(0, 0, 5)}), ElementsAre(-4, 3, -3, 2));
    EXPECT_THAT((std::vector{at(1, 0, 2), at(1, 0, 3), at(1, 0, 4), at(1, 0, 5)}), ElementsAre(1, -1, 2, -1));
    EXPECT_THAT((std::vector{at(0, 1, 2), at(0, 1, 3), at(0, 1, 4), at(0, 1, 5)}), ElementsAre(3, -4, 2, -3));
    EXPECT_THAT((std::vector{at(1, 1, 2), at(1, 1, 3), at(1, 1, 4), at(1, 1, 5)}), ElementsAre(1, -1, 1, -2));
    EXPECT_EQ(at(0, 0, 6), -7);
  }
}

TEST(C, ShiftsOutOfRangeOfTheCases) {  // halide C3
  {
    Table table(i8, {from_integer(i8, 1), from_integer(i8, -128)});
    table.add("shifted", binary(BinaryOp::shl, table.x(), table.y()));
    EXPECT_EQ(table.check()[0][1], 0u);  // 1 << -128
  }
  {
    Table table(u32, {1, 32, 0xffffffffu, 0xfffffffcu});
    table.add("left", binary(BinaryOp::shl, table.x(), table.y()));
    table.add("right", binary(BinaryOp::shr, table.x(), table.y()));
    const auto results = table.check();
    EXPECT_EQ(results[0][1], 0u);          // 1 << 32
    EXPECT_EQ(results[1][1], 0u);          // 1 >> 32
    EXPECT_EQ(results[0][2 * 4 + 3], 0u);  // a negated unsigned amount is a large one
  }
  {
    Table table(i32, {from_integer(i32, -5), 0, 7, from_integer(i32, INT32_MIN), from_integer(i32, -1), 31, 32});
    table.add("right", binary(BinaryOp::shr, table.x(), table.y()));
    const auto results = table.check();
    const auto at = [&](std::size_t a, std::size_t b) { return to_integer(i32, results[0][a * 7 + b]); };
    EXPECT_THAT((std::vector{at(0, 5), at(1, 5), at(2, 5), at(3, 5)}), ElementsAre(-1, 0, 0, -1));  // x >> 31
    EXPECT_EQ(at(4, 6), -1);                                                                        // -1 >> 32
  }
}

std::vector<Bits> float_patterns(DType type) {
  std::vector<Bits> bits;
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double v : {0.0,          1.0,   0.5,    1.5,     2.5,        3.5,     0.1,          127.0,        128.0,
                         255.0,        256.0, 300.0,  32767.5, 65519.99,   65520.0, 2147483647.0, 2147483648.0, 4294967295.0,
                         4294967296.0, 1e10,  9.3e18, 1.9e19,  16777217.0, 1e-20,   1e-40,        3.4e38,       infinity})
    for (const double sign : {1.0, -1.0}) bits.push_back(from_double(type, sign * v));
  bits.push_back(from_double(type, std::numeric_limits<double>::quiet_NaN()));
  bits.push_back(least_of(type).as<Const>()->bits);
  bits.push_back(greatest_of(type).as<Const>()->bits);
  bits.push_back(1);  // the least subnormal
  return bits;
}

TEST(C, FloatOperators) {
  for (const DType type : {f32, f64}) {
    Table table(type, float_patterns(type));
    for (const BinaryOp op : {BinaryOp::add, BinaryOp::sub, BinaryOp::mul, BinaryOp::div, BinaryOp::mod, BinaryOp::trunc_div,
                              BinaryOp::trunc_mod, BinaryOp::min, BinaryOp::max, BinaryOp::eq, BinaryOp::ne, BinaryOp::lt,
                              BinaryOp::le, BinaryOp::gt, BinaryOp::ge, BinaryOp::pow, BinaryOp::atan2, BinaryOp::fmod})
      table.add(std::string(info(op).name), binary(op, table.x(), table.y()));
    for (int op = 0; op <= static_cast<int>(UnaryOp::is_finite); ++op) {
      const auto unary_op = static_cast<UnaryOp>(op);
      if (unary_op == UnaryOp::bit_not || unary_op == UnaryOp::logical_not || unary_op == UnaryOp::popcount ||
          unary_op == UnaryOp::clz)
        continue;
      table.add(std::string(info(unary_op).name) + "_u", unary(unary_op, table.x()));
    }
    table.add("fused", mul_add(table.x(), table.y(), table.x()));
    const auto results = table.check();
    // halide D6: NaN wins on both sides of min and max; -0 is below +0.
    const std::size_t n = float_patterns(type).size(), nan = n - 4, one = 2;
    for (const std::size_t op : {7u, 8u}) {
      EXPECT_EQ(results[op][nan * n + one], ~Bits{0});
      EXPECT_EQ(results[op][one * n + nan], ~Bits{0});
    }
    EXPECT_EQ(results[7][0 * n + 1], from_double(type, -0.0));
    EXPECT_EQ(results[7][1 * n + 0], from_double(type, -0.0));
    EXPECT_EQ(results[8][1 * n + 0], from_double(type, 0.0));
  }
}

TEST(C, ConversionsBetweenAllTypes) {  // halide C14 and D2 among them
  const std::vector<DType> types{bool_type, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, index_type};
  for (const DType from : types) {
    const std::vector<Bits> operands = from.is_bool()    ? std::vector<Bits>{0, 1}
                                       : from.is_float() ? float_patterns(from)
                                                         : interesting(from);
    Table table(from, operands);
    for (const DType to : types) {
      if (to == from) continue;
      const std::string name = "to_" + to_string(to);
      table.add(name, cast(to, table.x()));
      table.add(name + "_saturated", cast(to, table.x(), CastMode::saturate));
      if (to.bits() == from.bits() && !to.is_bool()) table.add(name + "_bits", cast(to, table.x(), CastMode::reinterpret));
    }
    table.check("-O1 -fsanitize=undefined -fsanitize-undefined-trap-on-error");
  }
  Table table(f32, {from_double(f32, 300.0), from_double(f32, -1.0), from_double(f32, std::nan("")), from_double(f32, 1e10),
                    from_double(f32, 65519.99), from_double(f32, 65520.0)});
  table.add("u", cast(u8, table.x()));
  table.add("i", cast(i32, table.x()));
  table.add("h", cast(f16, table.x()));
  const auto results = table.check();
  EXPECT_THAT((std::vector{results[0][0], results[0][6], results[0][12]}), ElementsAre(255u, 0u, 0u));
  EXPECT_EQ(to_integer(i32, results[1][18]), INT32_MAX);
  EXPECT_THAT((std::vector{results[2][24], results[2][30]}), ElementsAre(0x7bffu, 0x7c00u));
}

TEST(C, EverySmallFloatWidensAndRoundsBack) {
  for (const DType type : {f16, bf16}) {
    const Var i = index_var("i");
    const Buffer a("a", type, {65536}), wide("wide", f32, {65536}), back("back", type, {65536});
    const Expr widened = cast(f32, load(a, {i}));
    const Program p = program("small", {input(a), output(wide), output(back)},
                              loop(i, 65536, block({store(wide, {i}, widened), store(back, {i}, cast(type, widened))})));
    std::vector<std::uint16_t> patterns(65536), rounded(65536);
    std::iota(patterns.begin(), patterns.end(), std::uint16_t{0});
    std::vector<float> floats(65536);
    const CompiledC compiled(emit_c(p), compilers()[0]);
    PlainRuntime runtime;
    ASSERT_EQ(compiled.run({address(patterns), address(floats), address(rounded)}, runtime), 0);
    for (std::size_t k = 0; k < 65536; ++k) {
      const float expected = type == f16 ? static_cast<float>(float16::from_bits(patterns[k]))
                                         : static_cast<float>(bfloat16::from_bits(patterns[k]));
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(floats[k])) << k;
        continue;
      }
      ASSERT_EQ(std::bit_cast<std::uint32_t>(floats[k]), std::bit_cast<std::uint32_t>(expected)) << k;
      ASSERT_EQ(rounded[k], patterns[k]);
    }
  }
}

TEST(C, LiteralsReadBackBitForBit) {  // halide D5
  std::vector<Stmt> stores;
  std::vector<Parameter> parameters;
  std::vector<std::vector<Bits>> expected;
  std::vector<std::vector<std::byte>> memory;
  const double infinity = std::numeric_limits<double>::infinity();
  for (const DType type : {f16, bf16, f32, f64, i8, u8, i16, u16, i32, u32, i64, u64, index_type, bool_type}) {
    std::vector<Bits> bits;
    if (type.is_float()) {
      for (const double v : {infinity, -infinity, std::nan(""), 1e-20, 0.1, 1.0 / 3, 1.17549435e-38, 1.7976931348623157e308,
                             16777217.0, -0.0, 0.0, 100.0, 1e22, 5e-324, 1e-45, 123456.789})
        bits.push_back(from_double(type, v));
    } else {
      for (const std::int64_t v :
           {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, INT64_MIN, INT64_MAX, std::int64_t{INT32_MIN},
            std::int64_t{INT32_MAX}, std::int64_t{1} << 32, std::int64_t{-129}, std::int64_t{32768}})
        bits.push_back(from_integer(type, v));
    }
    const Buffer out(to_string(type), type, {static_cast<std::int64_t>(bits.size())});
    for (std::size_t k = 0; k < bits.size(); ++k)
      stores.push_back(store(out, {static_cast<std::int64_t>(k)}, constant_bits(type, bits[k])));
    parameters.push_back(output(out));
    expected.push_back(bits);
    memory.emplace_back(bits.size() * static_cast<std::size_t>(type.bytes()));
  }
  const Source source = emit_c(program("literals", parameters, block(stores)));
  EXPECT_THAT(source.text, HasSubstr("0.1f"));
  for (const std::string &compiler : compilers()) {
    std::vector<Slot> slots;
    for (auto &bytes : memory) slots.push_back(address(bytes));
    PlainRuntime runtime;
    EXPECT_EQ(CompiledC(source, compiler).run(slots, runtime), 0);
    for (std::size_t t = 0; t < memory.size(); ++t) {
      const DType type = parameters[t].buffer->type;
      for (std::size_t k = 0; k < expected[t].size(); ++k)
        EXPECT_EQ(load_element(type, memory[t].data() + k * static_cast<std::size_t>(type.bytes())), expected[t][k])
            << to_string(type) << " " << k;
    }
  }
  EXPECT_EQ(expected[0][0], 0x7c00u);
  EXPECT_EQ(expected[0][1], 0xfc00u);
}

TEST(C, DeepAndSharedExpressions) {
  const Buffer a("a", u32, {1}), out("out", u32, {3});
  Expr chain = load(a, {0}), doubled = load(a, {0}), nested = load(a, {0});
  for (int n = 0; n < 10000; ++n) chain = chain + constant(u32, std::int64_t{1});
  for (int n = 0; n < 500; ++n) doubled = doubled * doubled;
  for (int n = 0; n < 400; ++n)
    nested = select(nested < constant(u32, std::int64_t{n}), constant(u32, std::int64_t{3 * n}), nested);
  const Program p = program("deep", {input(a), output(out)},
                            block({store(out, {0}, chain), store(out, {1}, doubled), store(out, {2}, nested)}));
  const Source source = emit_c(p);
  std::vector<std::uint32_t> in{3}, expected(3), result(3);
  interpret(p, std::vector<Slot>{address(in), address(expected)});
  EXPECT_EQ(expected[0], 10003u);
  for (const std::string &compiler : compilers()) {
    PlainRuntime runtime;
    EXPECT_EQ(CompiledC(source, compiler, "-O0").run({address(in), address(result)}, runtime), 0);
    EXPECT_EQ(result, expected) << compiler;
  }
  std::size_t longest = 0;
  for (std::size_t begin = 0, end; (end = source.text.find('\n', begin)) != std::string::npos; begin = end + 1)
    longest = std::max(longest, end - begin);
  EXPECT_LT(longest, 400u);
}

TEST(C, TextIsWhatAnEngineerWouldWrite) {
  const Var i = index_var("i"), j = index_var("j"), k = index_var("k.outer"), n = index_var("n", true);
  const Buffer a("a", f32, {n, 16}), b("b", f32, {16, 8}), c("c", f32, {n, 8});
  const Stmt update = store(c, {i, j}, load(c, {i, j}) + load(a, {i, k}) * load(b, {k, j}));
  const Stmt body = make(Block{{store(c, {i, j}, constant(f32, 0.0)), loop(k, 16, update)}, "product"});
  const Source source = emit_c(program("gemm", {input(a), input(b), output(c), scalar(n)}, loop(i, n, loop(j, 8, body))));
  EXPECT_EQ(source.entry, "gemm");
  EXPECT_EQ(source.parameters.size(), 4u);
  const std::string function = source.text.substr(source.text.find("// gemm takes"));
  EXPECT_EQ(function, R"(// gemm takes in its slots
//   0: const float a[n][16]
//   1: const float b[16][8]
//   2: float c[n][8]
//   3: int64_t n
int32_t gemm(const lathe_args *args, const lathe_runtime *runtime) {
  (void)runtime;
  const float *restrict a = (const float *)args->slots[0].pointer;
  const float *restrict b = (const float *)args->slots[1].pointer;
  float *restrict c = (float *)args->slots[2].pointer;
  const int64_t n = args->slots[3].integer;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < 8; ++j) {
      // product
      c[i * 8 + j] = 0.0f;
      for (int64_t k_outer = 0; k_outer < 16; ++k_outer) {
        c[i * 8 + j] += a[i * 16 + k_outer] * b[k_outer * 8 + j];
      }
    }
  }
  return 0;
}
)");
  EXPECT_EQ(emit_c(program("gemm", {input(a), input(b), output(c), scalar(n)}, loop(i, n, loop(j, 8, body)))).text, source.text);
}

TEST(C, NamesAreUniqueAndNeverCsOwn) {
  const Var first = index_var("int"), second = index_var("int"), third = index_var("exp"), fourth = index_var("t0"),
            fifth = index_var("2.x");
  const Buffer a("add_i32", i32, {2, 2, 2, 2, 2}), b("add_i32", i32, {2, 2, 2, 2, 2}), odd("r\xc3\xa9sum\xc3\xa9 \\", f32, {1});
  const Expr value = load(a, {first, second, third, fourth, fifth}) + cast(i32, unary(UnaryOp::exp, load(odd, {0})));
  Stmt body = make(Block{{store(b, {first, second, third, fourth, fifth}, value)}, "a stage \\"});
  for (const Var &var : {fifth, fourth, third, second, first}) body = loop(var, 2, body);
  const Program p = program("read", {input(a), output(b), input(odd)}, body);
  const Source source = emit_c(p);
  EXPECT_EQ(source.entry, "read_kernel");
  std::vector<std::int32_t> in(32), result(32), expected(32);
  std::iota(in.begin(), in.end(), 5);
  std::vector<float> one{1.0f};
  interpret(p, std::vector<Slot>{address(in), address(expected), address(one)});
  for (const std::string &compiler : compilers()) {
    PlainRuntime runtime;
    EXPECT_EQ(CompiledC(source, compiler).run({address(in), address(result), address(one)}, runtime), 0);
    EXPECT_EQ(result, expected);
    EXPECT_EQ(result[31], 5 + 31 + 2);
  }
}

/// No number behind them makes such names free: they begin as the types and the macros of stdint.h do, or the ABI's.
TEST(C, NamesThatBeginLikeTheTextsOwn) {
  for (const char *name : {"INTENSITY", "INT8", "UINT64_MAX", "lathe_args", "lathe_", "linux", "unix"}) {
    const Buffer a(name, i32, {3}), b(name, i32, {3});
    const Var i = index_var(name);
    const Program p =
        program(name, {input(a), output(b)}, loop(i, 3, store(b, {i}, load(a, {2 - Expr(i)}) + constant(i32, std::int64_t{1}))));
    std::vector<std::int32_t> in{5, 6, 7}, result(3);
    PlainRuntime runtime;
    EXPECT_EQ(CompiledC(emit_c(p), "cc", "-std=gnu11").run({address(in), address(result)}, runtime), 0) << name;
    EXPECT_EQ(result, (std::vector<std::int32_t>{8, 7, 6})) << name;
  }
}

/// Rows in parallel, blocks of columns in parallel inside, with scratch per row, and captures of every kind.
Program parallel_program() {
  const Var i = index_var("i"), j = index_var("j"), k = index_var("k"), n = index_var("n", true), alpha("alpha", f32),
            flag("flag", bool_type);
  const Var half("half", f16), row = index_var("row");
  const Buffer a("a", f32, {n, 1000}), c("c", f32, {n, 1000}), scratch("scratch", f32, {n + 5000}), tile("tile", f32, {4});
  const Expr scaled = load(a, {row, j}) * alpha + cast(f32, half);
  const Stmt fill = loop(j, 1000, store(scratch, {j}, select(flag, scaled, constant(f32, -1.0))));
  const Stmt inner = loop(j, 4, store(tile, {j}, load(scratch, {Expr(k) * 4 + j}) + constant(f32, 1.0)));
  const Stmt outer = loop(j, 4, store(c, {row, Expr(k) * 4 + j}, load(tile, {j})));
  const Stmt blocks = loop(k, 250, make(Allocate{{tile}, block({inner, outer})}), LoopKind::parallel);
  const Stmt checked = make(Check{Expr(row) < 5, "at most five rows", {}});
  const Stmt rows = make(Bind{row, Expr(i) * 1 + 0, make(Allocate{{scratch}, block({checked, fill, blocks})})});
  return program("rows", {input(a), output(c), scalar(n), scalar(alpha), scalar(flag), scalar(half)},
                 loop(i, n, rows, LoopKind::parallel));
}

TEST(C, ParallelLoopsScratchAndChecks) {
  const Program p = parallel_program();
  const Source source = emit_c(p);
  Slot alpha{}, half{};
  alpha.f32 = 0.5f;
  half.bits = 0x3c00;  // 1.0
  std::vector<float> a(8000), expected(8000), result(8000);
  std::iota(a.begin(), a.end(), 1.0f);
  const auto slots = [&](std::vector<float> &out, int n) {
    return std::vector<Slot>{address(a), address(out), integer(n), alpha, integer(1), half};
  };
  interpret(p, slots(expected, 5));
  EXPECT_EQ(expected[1234], 1235 * 0.5f + 2);
  EXPECT_THROW(interpret(p, slots(expected, 6)), Error);
  for (const std::string &compiler : compilers()) {
    const CompiledC compiled(source, compiler);
    PlainRuntime runtime;
    EXPECT_EQ(compiled.run(slots(result, 5), runtime), 0);
    EXPECT_EQ(result, expected) << compiler;
    EXPECT_EQ(runtime.acquired, 5);
    EXPECT_EQ(runtime.held, 0);
    // The row that fails holds scratch, and gives it back.
    EXPECT_EQ(compiled.run(slots(result, 6), runtime), 1);
    EXPECT_EQ(source.checks.at(0).message, "at most five rows");
    EXPECT_EQ(runtime.held, 0);
    runtime.exhausted = true;
    EXPECT_EQ(compiled.run(slots(result, 5), runtime), status_out_of_scratch);
    EXPECT_EQ(compiled.run(slots(result, 0), runtime), 0);
  }
}

TEST(C, ScratchThatOverflowsCannotBeHad) {
  const Var n = index_var("n", true);
  const Buffer big("big", f64, {n, n, n}), out("out", f64, {1});
  const Stmt body =
      make(Allocate{{big}, block({store(big, {0, 0, 0}, constant(f64, 1.0)), store(out, {0}, load(big, {0, 0, 0}))})});
  const Source source = emit_c(program("big", {output(out), scalar(n)}, body));
  std::vector<double> result(1);
  PlainRuntime runtime;
  const CompiledC compiled(source, compilers()[0]);
  EXPECT_EQ(compiled.run({address(result), integer(2)}, runtime), 0);
  EXPECT_EQ(result[0], 1.0);
  EXPECT_EQ(compiled.run({address(result), integer(std::int64_t{1} << 40)}, runtime), status_out_of_scratch);
  EXPECT_EQ(runtime.held, 0);
}

TEST(C, PredicatesBoolsAndStrides) {
  const Var i = index_var("i"), s = index_var("s");
  BufferNode strided;
  strided.name = "a";
  strided.type = i32;
  strided.shape = {4};
  strided.strides = {s};
  const Buffer a(strided), c("c", i32, {6}), odd("odd", bool_type, {6});
  const Expr inside = Expr(i) >= 1 && Expr(i) < 5;
  const Stmt body = block({store(c, {i}, load(a, {Expr(i) - 1}, inside)), store(odd, {i}, equals(Expr(i) % 2, 1)),
                           store(c, {i}, constant(i32, std::int64_t{9}), load(odd, {i}) && !inside)});
  const Program p = program("predicated", {input(a), output(c), output(odd), scalar(s)}, loop(i, 6, body));
  std::vector<std::int32_t> in{1, 0, 2, 0, 3, 0, 4}, result(6), expected(6);
  std::vector<std::uint8_t> flags(6), expected_flags(6);
  interpret(p, std::vector<Slot>{address(in), address(expected), address(expected_flags), integer(2)});
  EXPECT_THAT(expected, ElementsAre(0, 1, 2, 3, 4, 9));
  for (const std::string &compiler : compilers()) {
    PlainRuntime runtime;
    EXPECT_EQ(CompiledC(emit_c(p), compiler).run({address(in), address(result), address(flags), integer(2)}, runtime), 0);
    EXPECT_EQ(result, expected);
    EXPECT_EQ(flags, expected_flags);
  }
}

TEST(C, IndexArithmeticIsWideAndPlainWhereItMayBe) {
  const Var i = index_var("i"), j = index_var("j"), m = index_var("m");
  const Buffer out("out", i64, {24, 5});
  const auto raw = [](BinaryOp op, Expr a, Expr b) { return make(index_type, Binary{op, a, b}); };
  const Expr large = raw(BinaryOp::mul, select(Expr(i) < 3, Expr(100000), Expr(200000)), Expr(100000));
  const Program p = program(
      "indices", {output(out), scalar(m)},
      loop(i, 24,
           block({store(out, {i, 0}, cast(i64, Expr(i) / 8 + Expr(i) % 8)), store(out, {i, 1}, cast(i64, (Expr(i) - 5) / 8)),
                  store(out, {i, 2}, cast(i64, large)), store(out, {i, 3}, cast(i64, Expr(i) % m)),
                  store(out, {i, 4}, cast(i64, raw(BinaryOp::sub, Expr(2000000000), -Expr(2000000000))))})));
  const Source source = emit_c(p);
  EXPECT_THAT(source.text, HasSubstr("i / 8 + i % 8"));
  EXPECT_THAT(source.text, HasSubstr("div_i64(i - 5, 8)"));
  std::vector<std::int64_t> expected(120), result(120);
  interpret(p, std::vector<Slot>{address(expected), integer(-7)});
  EXPECT_EQ(expected[5 * 4 + 2], 20000000000);
  EXPECT_EQ(expected[4], 4000000000);
  for (const std::string &compiler : compilers()) {
    PlainRuntime runtime;
    EXPECT_EQ(CompiledC(source, compiler).run({address(result), integer(-7)}, runtime), 0);
    EXPECT_EQ(result, expected);
  }
}

float halved_plus(float x, std::int8_t n, bool negate) { return (negate ? -x : x) / 2 + n; }

TEST(C, ExternalFunctionsByAddressAndByName) {
  const Var i = index_var("i");
  const Buffer a("a", f64, {4}), out("out", f64, {4});
  const ExternalFunction given{"halved_plus", reinterpret_cast<const void *>(&halved_plus), true}, named{"cbrt", nullptr, true};
  const Expr x = load(a, {i});
  const Expr value = cast(f64, call(f32, given, {cast(f32, x), cast(i8, i), x > constant(f64, 2.0)})) + call(f64, named, {x});
  Parameter function;
  function.kind = ParameterKind::function;
  function.name = "halved_plus";
  function.function = given;
  const Program p = program("calls", {input(a), output(out), function}, loop(i, 4, store(out, {i}, value), LoopKind::parallel));
  std::vector<double> in{1, 8, 27, 64}, result(4), expected(4);
  Slot slot{};
  slot.pointer = reinterpret_cast<void *>(&halved_plus);
  interpret(p, std::vector<Slot>{address(in), address(expected), slot});
  EXPECT_EQ(expected[1], -4.0 + 1 + 2.0);
  for (const std::string &compiler : compilers()) {
    PlainRuntime runtime;
    EXPECT_EQ(CompiledC(emit_c(p), compiler).run({address(in), address(result), slot}, runtime), 0);
    EXPECT_EQ(result, expected);
  }
  const Program clash = program("clash", {output(out)},
                                store(out, {0}, call(f64, named, {constant(f64, 1.0)}) + call(f64, named, {constant(f32, 1.0)})));
  try {
    emit_c(clash);
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), "G003");
  }
}

TEST(C, ConditionsAreAskedOnce) {
  const Var i = index_var("i");
  const Buffer a("a", f32, {4}), out("out", f32, {6});
  const Expr inside = Expr(i) >= 1 && Expr(i) < 5;
  const Expr value = select(inside, load(a, {Expr(i) - 1}, inside), constant(f32, -1.0));
  const Program p = program("edge", {input(a), output(out)}, loop(i, 6, store(out, {i}, value)));
  const Source source = emit_c(p);
  EXPECT_THAT(source.text, HasSubstr("t0 ? a[i - 1] : -1.0f;"));
  std::vector<float> in{1, 2, 3, 4}, result(6);
  PlainRuntime runtime;
  EXPECT_EQ(CompiledC(source, compilers()[0]).run({address(in), address(result)}, runtime), 0);
  EXPECT_THAT(result, ElementsAre(-1, 1, 2, 3, 4, -1));
}

int bumps = 0;
std::int32_t bump(std::int32_t by) { return bumps += by; }

TEST(C, CallsForTheirEffectHappenThoughNobodyUsesTheResult) {
  const Var i = index_var("i"), ignored("ignored", i32);
  const ExternalFunction function{"bump", reinterpret_cast<const void *>(&bump), false};
  Parameter parameter;
  parameter.kind = ParameterKind::function;
  parameter.function = function;
  const Expr called = call(i32, function, {cast(i32, i)});
  const Stmt body = block({make(Bind{ignored, called, block({})}), make(Evaluate{called})});
  const Program p = program("effects", {parameter}, loop(i, 4, body));
  Slot slot{};
  slot.pointer = reinterpret_cast<void *>(&bump);
  bumps = 0;
  interpret(p, std::vector<Slot>{slot});
  EXPECT_EQ(bumps, 12);
  for (const std::string &compiler : compilers()) {
    PlainRuntime runtime;
    bumps = 0;
    EXPECT_EQ(CompiledC(emit_c(p), compiler).run({slot}, runtime), 0);
    EXPECT_EQ(bumps, 12);
  }
}

TEST(C, OnlyWhatIsUsedIsPrinted) {
  const Var i = index_var("i"), unused = index_var("unused");
  const Buffer a("a", f32, {4}), b("b", f32, {4}), out("out", f32, {4});
  const Stmt body = make(Bind{unused, Expr(i) + 1, store(out, {i}, load(a, {i}))});
  const Source source = emit_c(program("copy", {input(a), input(b), output(out)}, loop(i, 4, body)));
  EXPECT_THAT(source.text, Not(HasSubstr("unused")));
  EXPECT_THAT(source.text, Not(HasSubstr("slots[1]")));
  EXPECT_THAT(source.text, Not(HasSubstr("static inline")));
  PlainRuntime runtime;
  std::vector<float> in{1, 2, 3, 4}, result(4);
  for (const std::string &compiler : compilers())
    EXPECT_EQ(CompiledC(source, compiler, "-O2 -std=c99").run({address(in), Slot{}, address(result)}, runtime), 0);
  EXPECT_EQ(result, in);
}

}  // namespace
