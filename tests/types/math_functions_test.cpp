// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lathe/types/math_functions.hpp"

#include <gtest/gtest.h>

#include <random>

#include "codegen/c_harness.hpp"
#include "lathe/ir/walk.hpp"
#include "types/accuracy.hpp"
#include "types/circular_table.hpp"

namespace {

using namespace lathe;
using accuracy::Function;

constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
constexpr float least = 0x1p-149f, greatest = std::numeric_limits<float>::max();

const Function &function(std::string_view name) {
  for (const Function &f : accuracy::functions())
    if (f.name == name) return f;
  throw std::runtime_error("no such function");
}

/// What `kernel` gives for all of `x`.
template <class Kernel>
std::vector<float> values(const Kernel &kernel, const std::vector<float> &x) {
  const auto length = static_cast<std::int64_t>(x.size());
  std::vector<float> y(x.size());
  kernel(View<const float, 1>(x.data(), {length}), View<float, 1>(y.data(), {length}));
  return y;
}

/// Bits, of which all NaNs have the same.
std::vector<std::uint32_t> bits_of(const std::vector<float> &values) {
  std::vector<std::uint32_t> bits;
  for (const float value : values) bits.push_back(std::isnan(value) ? 0x7fc00000u : std::bit_cast<std::uint32_t>(value));
  return bits;
}

std::vector<std::uint64_t> bits_of(const std::vector<double> &values) {
  std::vector<std::uint64_t> bits;
  for (const double value : values) bits.push_back(std::isnan(value) ? ~std::uint64_t{0} : std::bit_cast<std::uint64_t>(value));
  return bits;
}

// ---- accuracy -----------------------------------------------------------------------------------------------------------------

TEST(MathFunctions, are_accurate_for_every_257th_float) {
  for (const Function &f : accuracy::functions()) {
    const accuracy::Worst worst = accuracy::Tested(f, Target::host()).over(0, 257);
    EXPECT_LE(worst.ulp, f.most_ulp) << f.name << "(" << worst.at << ") is " << worst.got << " instead of " << worst.right;
    EXPECT_GE(worst.ulp, 0.5) << f.name << ": no arithmetic of float32 is as good as that";
  }
}

TEST(MathFunctions, are_accurate_without_fused_multiply_adds) {
  for (const Function &f : accuracy::functions()) {
    Target target = Target::host();
    target.has_fma = false;
    const accuracy::Worst worst = accuracy::Tested(f, target).over(1, 4093);
    EXPECT_LE(worst.ulp, f.most_ulp) << f.name << "(" << worst.at << ") is " << worst.got << " instead of " << worst.right;
  }
}

// ---- special values -----------------------------------------------------------------------------------------------------------

struct Special {
  const char *name;
  std::vector<std::pair<float, float>> cases;  // argument, result
};

const std::vector<Special> &special_values() {
  static const std::vector<Special> all = {
      {"exp",
       {{0, 1},
        {-0.0f, 1},
        {inf, inf},
        {-inf, 0},
        {nan, nan},
        {least, 1},
        {greatest, inf},
        {-greatest, 0},
        {0x1.62e42ep6f, 0x1.ffff08p127f},
        {0x1.62e430p6f, inf},
        {-0x1.9fe368p6f, least},
        {-0x1.9fe36ap6f, 0}}},
      {"exp2",
       {{0, 1},
        {-0.0f, 1},
        {inf, inf},
        {-inf, 0},
        {nan, nan},
        {128, inf},
        {127, 0x1p127f},
        {-126, 0x1p-126f},
        {-127, 0x1p-127f},
        {-149, least},
        {-150, 0},
        {-0x1.2bfffep7f, least},
        {1, 2},
        {10, 1024},
        {greatest, inf}}},
      {"expm1",
       {{0, 0},
        {-0.0f, -0.0f},
        {inf, inf},
        {-inf, -1},
        {nan, nan},
        {least, least},
        {-least, -least},
        {0x1p-126f, 0x1p-126f},
        {-greatest, -1},
        {greatest, inf},
        {-20, -1},
        {0x1.62e430p6f, inf},
        {0x1.62e42ep6f, 0x1.ffff08p127f},
        {0x1p-40f, 0x1p-40f}}},
      {"log",
       {{1, 0},
        {0, -inf},
        {-0.0f, -inf},
        {inf, inf},
        {-inf, nan},
        {nan, nan},
        {-1, nan},
        {-least, nan},
        {least, -0x1.9d1da0p6f},
        {greatest, 0x1.62e430p6f}}},
      {"log2",
       {{1, 0},
        {0, -inf},
        {-0.0f, -inf},
        {inf, inf},
        {-inf, nan},
        {nan, nan},
        {-1, nan},
        {least, -149},
        {2, 1},
        {0.5f, -1},
        {0x1p127f, 127},
        {0x1p-127f, -127},
        {-least, nan}}},
      {"log1p",
       {{0, 0},
        {-0.0f, -0.0f},
        {-1, -inf},
        {inf, inf},
        {-inf, nan},
        {nan, nan},
        {-2, nan},
        {-greatest, nan},
        {least, least},
        {-least, -least},
        {greatest, 0x1.62e430p6f},
        {0x1p-40f, 0x1p-40f}}},
      {"tanh",
       {{0, 0},
        {-0.0f, -0.0f},
        {inf, 1},
        {-inf, -1},
        {nan, nan},
        {least, least},
        {-least, -least},
        {greatest, 1},
        {-20, -1},
        {0x1p-40f, 0x1p-40f}}},
      {"sigmoid",
       {{0, 0.5f},
        {-0.0f, 0.5f},
        {inf, 1},
        {-inf, 0},
        {nan, nan},
        {greatest, 1},
        {-greatest, 0},
        {40, 1},
        {-104, 0},
        {-103.5f, least}}},
      {"erf",
       {{0, 0}, {-0.0f, -0.0f}, {inf, 1}, {-inf, -1}, {nan, nan}, {least, least}, {-least, -least}, {greatest, 1}, {-4, -1}}},
      // Those that are not exact are from mpmath in 600 bits.
      {"sin",
       {{0, 0},
        {-0.0f, -0.0f},
        {inf, nan},
        {-inf, nan},
        {nan, nan},
        {least, least},
        {-least, -least},
        {0x1p-126f, 0x1p-126f},
        {0x1.921fb6p1f, -0x1.777a5cp-24f},
        {-0x1.921fb6p0f, -1},
        {0x1.f9cbe2p22f, 0x1.1fa3bcp-13f},
        {0x1.47d0fep34f, 1},
        {0x1p50f, 0x1.fc4f5ep-2f},
        {-0x1p102f, -0x1.c79988p-1f},
        {greatest, -0x1.0b3366p-1f}}},
      {"cos",
       {{0, 1},
        {-0.0f, 1},
        {inf, nan},
        {-inf, nan},
        {nan, nan},
        {least, 1},
        {0x1.921fb6p1f, -1},
        {-0x1.921fb6p0f, -0x1.777a5cp-25f},
        {0x1.47d0fep34f, -0x1.149dbp-29f},
        {-0x1p102f, -0x1.d3377ep-2f},
        {greatest, 0x1.b4bf2cp-1f}}},
      {"tan",
       {{0, 0},
        {-0.0f, -0.0f},
        {inf, nan},
        {-inf, nan},
        {nan, nan},
        {least, least},
        {-least, -least},
        {0x1p-126f, 0x1p-126f},
        {0x1.921fb6p1f, 0x1.777a5cp-24f},
        {0x1.f9cbe2p22f, 0x1.1fa3bcp-13f},
        {0x1.47d0fep34f, -0x1.d9d75p28f},
        {greatest, -0x1.393d94p-1f}}},
      {"sinh",
       {{0, 0},
        {-0.0f, -0.0f},
        {inf, inf},
        {-inf, -inf},
        {nan, nan},
        {least, least},
        {-least, -least},
        {0x1p-13f, 0x1p-13f},
        {1, 0x1.2cd9fcp0f},
        {0x1.65a9fap6f, inf},
        {greatest, inf},
        {-greatest, -inf}}},
      {"cosh",
       {{0, 1},
        {-0.0f, 1},
        {inf, inf},
        {-inf, inf},
        {nan, nan},
        {least, 1},
        {0x1p-13f, 1},
        {0x1.65a9fap6f, inf},
        {-greatest, inf}}},
      {"asin",
       {{0, 0},
        {-0.0f, -0.0f},
        {1, 0x1.921fb6p0f},
        {-1, -0x1.921fb6p0f},
        {0.5f, 0x1.0c1524p-1f},
        {0x1.000002p0f, nan},
        {-2, nan},
        {inf, nan},
        {-inf, nan},
        {nan, nan},
        {least, least},
        {-least, -least}}},
      {"acos",
       {{0, 0x1.921fb6p0f},
        {-0.0f, 0x1.921fb6p0f},
        {1, 0},
        {-1, 0x1.921fb6p1f},
        {0.5f, 0x1.0c1524p0f},
        {-0.5f, 0x1.0c1524p1f},
        {0x1.fffffep-1f, 0x1.6a09e6p-12f},
        {-0x1.fffffep-1f, 0x1.921464p1f},
        {0x1.000002p0f, nan},
        {-2, nan},
        {inf, nan},
        {-inf, nan},
        {nan, nan},
        {least, 0x1.921fb6p0f}}},
      {"atan",
       {{0, 0},
        {-0.0f, -0.0f},
        {2, 0x1.1b6e1ap0f},
        {inf, 0x1.921fb6p0f},
        {-inf, -0x1.921fb6p0f},
        {greatest, 0x1.921fb6p0f},
        {nan, nan},
        {least, least},
        {-least, -least}}},
  };
  return all;
}

TEST(MathFunctions, special_values) {
  EXPECT_EQ(special_values().size(), accuracy::functions().size());
  for (const Special &special : special_values()) {
    std::vector<float> x, right;
    for (const auto &[argument, result] : special.cases) x.push_back(argument), right.push_back(result);
    const accuracy::Scheduled scheduled(function(special.name), static_cast<std::int64_t>(x.size()));
    for (const char *cpu : {"", "x86-64"}) {
      if (*cpu && Target::host().triple.find("x86_64") == std::string::npos) continue;
      const Target target = *cpu ? Target::host(cpu) : Target::host();
      const auto got = bits_of(values(jit(scheduled.schedule, {.target = target}, scheduled.x, scheduled.y), x));
      for (std::size_t i = 0; i < x.size(); ++i)
        EXPECT_EQ(got[i], bits_of(right)[i])
            << special.name << "(" << x[i] << ") is " << std::bit_cast<float>(got[i]) << " instead of " << right[i];
    }
  }
}

/// A window of 2 / pi serves each range of exponents: x and the numbers after it, where the windows change.
TEST(MathFunctions, circular_functions_reduce_any_argument) {
  std::vector<float> x;
  std::mt19937 random(11);
  for (int exponent = -30; exponent < 128; ++exponent)
    for (int i = 0; i < 300; ++i) {
      const float last = std::ldexp(1.0f, exponent) * (i == 0 ? 1 : 1 + std::ldexp(static_cast<float>(random() >> 9), -23));
      x.push_back(last), x.push_back(std::nextafter(std::ldexp(1.0f, exponent), -inf));
    }
  for (const char *name : {"sin", "cos", "tan"})
    for (const bool fused : {true, false}) {
      Options options;
      options.target.has_fma = options.target.has_fma && fused;
      const accuracy::Scheduled s(function(name), static_cast<std::int64_t>(x.size()));
      const std::vector<float> y = values(jit(s.schedule, options, s.x, s.y), x);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double right = function(name).right(static_cast<double>(x[i]));
        EXPECT_LE(accuracy::ulps(right, y[i]), function(name).most_ulp) << name << "(" << x[i] << ") is " << y[i];
        EXPECT_TRUE(*name == 't' || std::fabs(y[i]) <= 1) << name << "(" << x[i] << ") is " << y[i];
      }
    }
}

// ---- the same everywhere ------------------------------------------------------------------------------------------------------

/// Numbers of every magnitude.
std::vector<float> numbers(std::size_t count) {
  std::vector<float> all = {0, -0.0f, inf, -inf, nan, least, -least, greatest, -greatest, 1, -1};
  std::mt19937 random(7);
  while (all.size() < count / 2) all.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
  while (all.size() < count) all.push_back(std::uniform_real_distribution<float>(-12, 12)(random));
  return all;
}

std::vector<double> wide_numbers(std::size_t count) {
  std::vector<double> all = {0, -0.0, HUGE_VAL, -HUGE_VAL, NAN, 0x1p-1074, 1, -1};
  std::mt19937_64 random(9);
  while (all.size() < count / 2) all.push_back(std::bit_cast<double>(random()));
  while (all.size() < count) all.push_back(std::uniform_real_distribution<double>(-12, 12)(random));
  return all;
}

TEST(MathFunctions, the_same_bits_from_interpreter_and_jit_and_c) {
  const std::vector<float> x = numbers(997);
  for (const Function &f : accuracy::functions()) {
    const accuracy::Scheduled s(f, static_cast<std::int64_t>(x.size()));
    const Options host{.name = "kernel", .verify = true};
    EXPECT_EQ(bits_of(values(interpret(s.schedule, host, s.x, s.y), x)), bits_of(values(jit(s.schedule, host, s.x, s.y), x)))
        << f.name;
    Options plain = host;
    plain.target = Target::c();
    const auto right = bits_of(values(interpret(s.schedule, plain, s.x, s.y), x));
    const Source source = emit_c(s.schedule, plain, s.x, s.y);
    EXPECT_EQ(source.text.find(" " + std::string(f.name) + "f("), std::string::npos) << source.text;
    std::vector<float> in = x, out(x.size());
    c_harness::PlainRuntime runtime;
    EXPECT_EQ(c_harness::CompiledC(source, "cc").run({c_harness::address(in), c_harness::address(out)}, runtime), 0);
    EXPECT_EQ(bits_of(out), right) << f.name;
  }
}

TEST(MathFunctions, the_library_when_asked_for) {
  const std::vector<float> x = numbers(300);
  for (const Function &f : accuracy::functions()) {
    const accuracy::Scheduled s(f, static_cast<std::int64_t>(x.size()));
    const Options options{.numerics = {.library_math = true}};
    const Array<float, 1> in = Array<float, 1>::generate({300}, [&](std::int64_t i) { return x[static_cast<std::size_t>(i)]; });
    const Array<float, 1> right = evaluate(s.y, {{s.x, in}});
    EXPECT_EQ(bits_of(values(jit(s.schedule, options, s.x, s.y), x)),
              bits_of(std::vector<float>(right.data(), right.data() + right.size())))
        << f.name;
  }
}

TEST(MathFunctions, other_types_and_functions_are_left) {
  const ir::Var half("half", scalar_types::float16), wide("wide", scalar_types::float64), x("x", scalar_types::float32);
  EXPECT_FALSE(types::math_function(ir::UnaryOp::exp, half, true).defined());
  EXPECT_FALSE(types::math_function(ir::UnaryOp::sin, half, true).defined());
  EXPECT_FALSE(types::math_function(ir::UnaryOp::sqrt, wide, true).defined());
  EXPECT_FALSE(types::math_function(ir::UnaryOp::sqrt, x, true).defined());
  EXPECT_FALSE(types::math_function(ir::BinaryOp::pow, half, half, true).defined());
  EXPECT_FALSE(types::math_function(ir::BinaryOp::fmod, x, x, true).defined());
}

TEST(MathFunctions, of_small_floats_round_once) {
  auto x = placeholder<float16>({31744}, "x");  // all that are not negative, infinity left out
  auto y = compute({31744}, [&](Index i) { return exp(-x(i)); }, "y(i)");
  Schedule s(y);
  s[y].vectorize(s[y].split(s[y].axis(0), 16).second);
  Array<float16, 1> in({31744}), out({31744});
  for (std::uint16_t i = 0; i < 31744; ++i) in(i).bits = i;
  jit(s, x, y)(in, out);
  std::int64_t off = 0;
  for (std::int64_t i = 0; i < 31744; ++i) {
    const int distance = std::abs(out(i).bits - float16(std::exp(-static_cast<double>(static_cast<float>(in(i))))).bits);
    EXPECT_LE(distance, 1) << i;
    off += distance;
  }
  EXPECT_LE(off, 5);  // where the truth is next to the middle of two
}

// ---- functions of two numbers -------------------------------------------------------------------------------------------------

template <class T>
using OfTwo = Expr<T> (*)(const Expr<T> &, const Expr<T> &);
template <class T>
Expr<T> power(const Expr<T> &x, const Expr<T> &y) {
  return pow(x, y);
}
template <class T>
Expr<T> angle(const Expr<T> &y, const Expr<T> &x) {
  return atan2(y, x);
}

/// z(i) = f(x(i), y(i)), in 16 lanes.
template <class T>
struct ScheduledOfTwo {
  ScheduledOfTwo(OfTwo<T> f, std::int64_t n)
      : x(placeholder<T>({n}, "x")),
        y(placeholder<T>({n}, "y")),
        z(compute(
            {n}, [&](Index i) { return f(x(i), y(i)); }, "z(i)")),
        schedule(z) {
    schedule[z].vectorize(schedule[z].split(schedule[z].axis(0), 16).second);
  }
  Input<T, 1> x, y;
  Tensor<T, 1> z;
  Schedule schedule;
};

template <class Kernel, class T>
std::vector<T> values(const Kernel &kernel, const std::vector<T> &x, const std::vector<T> &y) {
  const auto n = static_cast<std::int64_t>(x.size());
  std::vector<T> z(x.size());
  kernel(View<const T, 1>(x.data(), {n}), View<const T, 1>(y.data(), {n}), View<T, 1>(z.data(), {n}));
  return z;
}

template <class T>
std::vector<T> values(OfTwo<T> f, const std::vector<T> &x, const std::vector<T> &y, bool fused = true) {
  const ScheduledOfTwo<T> s(f, static_cast<std::int64_t>(x.size()));
  Options options;
  options.target.has_fma = options.target.has_fma && fused;
  return values(jit(s.schedule, options, s.x, s.y, s.z), x, y);
}

template <class T>
void expect_the_same_bits(const std::vector<T> &x) {
  const std::vector<T> y(x.rbegin(), x.rend());
  for (const OfTwo<T> f : {power<T>, angle<T>}) {
    const ScheduledOfTwo<T> s(f, static_cast<std::int64_t>(x.size()));
    const Options host{.name = "kernel", .verify = true};
    EXPECT_EQ(bits_of(values(interpret(s.schedule, host, s.x, s.y, s.z), x, y)),
              bits_of(values(jit(s.schedule, host, s.x, s.y, s.z), x, y)));
    Options plain = host;
    plain.target = Target::c();
    const auto right = bits_of(values(interpret(s.schedule, plain, s.x, s.y, s.z), x, y));
    std::vector<T> a = x, b = y, out(x.size());
    c_harness::PlainRuntime runtime;
    const c_harness::CompiledC compiled(emit_c(s.schedule, plain, s.x, s.y, s.z), "cc");
    EXPECT_EQ(compiled.run({c_harness::address(a), c_harness::address(b), c_harness::address(out)}, runtime), 0);
    EXPECT_EQ(bits_of(out), right);
  }
}

TEST(MathFunctions, of_two_numbers_the_same_bits_from_interpreter_and_jit_and_c) {
  expect_the_same_bits(numbers(997));
  expect_the_same_bits(wide_numbers(508));
}

TEST(MathFunctions, atan2_is_accurate) {
  std::vector<float> y, x;
  for (const float a : {0.0f, -0.0f, inf, -inf, nan, 1.0f, -1.0f, least, -least, greatest, -greatest, 0x1p-126f, -2.0f})
    for (const float b : {0.0f, -0.0f, inf, -inf, nan, 1.0f, -1.0f, least, -least, greatest, -greatest, 0x1p-126f, -2.0f})
      y.push_back(a), x.push_back(b);
  std::mt19937 random(3);
  const auto uniform = [&] { return std::uniform_real_distribution<float>(-1, 1)(random); };
  for (int i = 0; i < 100000; ++i) {
    y.push_back(uniform()), x.push_back(uniform());
    y.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random()))), x.push_back(uniform());
    y.push_back(uniform()), x.push_back(std::ldexp(uniform(), static_cast<int>(random() % 200) - 140));
  }
  for (const bool fused : {true, false}) {
    const std::vector<float> z = values(angle<float>, y, x, fused);
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_LE(accuracy::ulps(std::atan2(static_cast<double>(y[i]), static_cast<double>(x[i])), z[i]), 1.6)
          << "atan2(" << y[i] << ", " << x[i] << ") is " << z[i];
  }
}

TEST(MathFunctions, pow_of_special_values) {
  const std::vector<float> some = {0,
                                   -0.0f,
                                   1,
                                   -1,
                                   2,
                                   -2,
                                   0.5f,
                                   -0.5f,
                                   3,
                                   -3,
                                   1.5f,
                                   -1.5f,
                                   inf,
                                   -inf,
                                   nan,
                                   7,
                                   -7,
                                   33,
                                   1e9f,
                                   -1e9f,
                                   0x1p23f,
                                   0x1.000002p23f,
                                   least,
                                   -least,
                                   greatest,
                                   -greatest,
                                   0x1.fffffep22f,
                                   0x1p24f,
                                   -0x1.fffffep23f,
                                   -0.1f};
  std::vector<float> x, y;
  for (const float a : some)
    for (const float b : some) x.push_back(a), y.push_back(b);
  for (const bool fused : {true, false}) {
    const std::vector<float> z = values(power<float>, x, y, fused);
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_LE(accuracy::ulps(std::pow(static_cast<double>(x[i]), static_cast<double>(y[i])), z[i]), 1)
          << "pow(" << x[i] << ", " << y[i] << ") is " << z[i];
  }
}

TEST(MathFunctions, pow_is_accurate) {
  std::mt19937 random(3);
  std::vector<float> x, y;
  const auto uniform = [&](float low, float high) { return std::uniform_real_distribution<float>(low, high)(random); };
  for (int i = 0; i < 200000; ++i) {
    x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random()) >> 1)), y.push_back(uniform(-2, 2));
    x.push_back(uniform(0, 4)), y.push_back(uniform(-80, 80));
    x.push_back(1 + std::ldexp(uniform(-1, 1), -static_cast<int>(random() % 24))),
        y.push_back(std::ldexp(uniform(-1, 1), static_cast<int>(random() % 31)));
  }
  const std::vector<float> z = values(power<float>, x, y);
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    worst = std::max(worst, accuracy::ulps(std::pow(static_cast<double>(x[i]), static_cast<double>(y[i])), z[i]));
  EXPECT_LE(worst, 0.51);
}

// ---- float64 ------------------------------------------------------------------------------------------------------------------

struct WideFunction {
  const char *name;
  Expr<double> (*lathe)(const Expr<double> &);
  long double (*right)(long double);
  double most_ulp;
};

const WideFunction wide_functions[] = {
    {"exp", [](const Expr<double> &x) { return exp(x); }, [](long double x) { return std::exp(x); }, 1.2},
    {"expm1", [](const Expr<double> &x) { return expm1(x); }, [](long double x) { return std::expm1(x); }, 2.2},
    {"log", [](const Expr<double> &x) { return log(x); }, [](long double x) { return std::log(x); }, 1},
    {"tanh", [](const Expr<double> &x) { return tanh(x); }, [](long double x) { return std::tanh(x); }, 1.6},
    {"sigmoid", [](const Expr<double> &x) { return sigmoid(x); },
     [](long double x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }, 2.1},
    {"exp2", [](const Expr<double> &x) { return exp2(x); }, [](long double x) { return std::exp2(x); }, 1.3},
    {"log2", [](const Expr<double> &x) { return log2(x); }, [](long double x) { return std::log2(x); }, 0.9},
    {"log1p", [](const Expr<double> &x) { return log1p(x); }, [](long double x) { return std::log1p(x); }, 1.5},
    {"erf", [](const Expr<double> &x) { return erf(x); }, [](long double x) { return std::erf(x); }, 1.5},
    {"sinh", [](const Expr<double> &x) { return sinh(x); }, [](long double x) { return std::sinh(x); }, 2.3},
    {"cosh", [](const Expr<double> &x) { return cosh(x); }, [](long double x) { return std::cosh(x); }, 1.4},
    {"asin", [](const Expr<double> &x) { return asin(x); }, [](long double x) { return std::asin(x); }, 2},
    {"acos", [](const Expr<double> &x) { return acos(x); }, [](long double x) { return std::acos(x); }, 1.2},
    {"atan", [](const Expr<double> &x) { return atan(x); }, [](long double x) { return std::atan(x); }, 1.7},
    {"sin", [](const Expr<double> &x) { return sin(x); }, [](long double x) { return std::sin(x); }, 0.9},
    {"cos", [](const Expr<double> &x) { return cos(x); }, [](long double x) { return std::cos(x); }, 0.9},
    {"tan", [](const Expr<double> &x) { return tan(x); }, [](long double x) { return std::tan(x); }, 1.2},
};

double wide_ulps(long double right, double got) {
  if (std::isnan(right) || std::isnan(got)) return std::isnan(right) && std::isnan(got) ? 0 : HUGE_VAL;
  if (std::signbit(right) != std::signbit(got)) return HUGE_VAL;
  const auto finite = [](long double x) { return std::fmin(std::fabs(x), 0x1p1024L); };
  const int exponent = right == 0 ? -1022 : std::clamp(std::ilogb(finite(right)), -1022, 1023);
  return static_cast<double>(std::ldexp(std::fabs(finite(right) - finite(got)), 52 - exponent));
}

TEST(MathFunctions, of_float64_are_accurate) {
  std::vector<double> all = {0,
                             -0.0,
                             inf,
                             -inf,
                             nan,
                             0x1p-1074,
                             -0x1p-1074,
                             1,
                             -1,
                             0x1p-1022,
                             0x1.fffffffffffffp1023,
                             -0x1p1023,
                             709.78,
                             709.79,
                             -745.13,
                             -745.14,
                             710.4,
                             710.5,
                             -710.5,
                             1023.9999,
                             -1074,
                             -1074.5,
                             -1075.5,
                             -1022.5,
                             5.9,
                             0x1p-29,
                             -0.5,
                             0x1.fffffffffffffp-1,
                             0x1.0000000000001p0,
                             -0x1.fffffffffffffp-1,
                             0x1p-53,
                             0x1p-55,
                             -0x1p-54,
                             0.625,
                             36.8,
                             -37.4,
                             -37.5};
  std::mt19937_64 random(5);
  while (all.size() < 40000) all.push_back(std::bit_cast<double>(random()));
  for (const double range : {1100.0, 800.0, 40.0, 3.0, 1.0, 0.7})
    for (int i = 0; i < 40000; ++i) all.push_back(std::uniform_real_distribution<double>(-range, range)(random));
  const auto n = static_cast<std::int64_t>(all.size());
  const Array<double, 1> in = Array<double, 1>::generate({n}, [&](std::int64_t i) { return all[static_cast<std::size_t>(i)]; });
  Array<double, 1> out({n});
  for (const WideFunction &f : wide_functions)
    for (const bool fused : {true, false}) {
      auto x = placeholder<double>({n}, "x");
      auto y = compute({n}, [&](Index i) { return f.lathe(x(i)); }, "y(i)");
      Schedule s(y);
      s[y].vectorize(s[y].split(s[y].axis(0), 8).second);
      Options options;
      options.target.has_fma = options.target.has_fma && fused;
      jit(s, options, x, y)(in, out);
      double worst = 0, at = 0;
      for (std::int64_t i = 0; i < n; ++i)
        if (const double ulp = wide_ulps(f.right(in(i)), out(i)); ulp > worst) worst = ulp, at = in(i);
      EXPECT_LE(worst, f.most_ulp) << f.name << "(" << at << ")";
      EXPECT_GE(worst, 0.5) << f.name;
    }
}

TEST(MathFunctions, of_float64_the_same_bits_from_interpreter_and_jit_and_c) {
  const std::vector<double> x = wide_numbers(508);
  const auto n = static_cast<std::int64_t>(x.size());
  for (const WideFunction &f : wide_functions) {
    auto in = placeholder<double>({n}, "in");
    auto out = compute({n}, [&](Index i) { return f.lathe(in(i)); }, "out(i)");
    Schedule s(out);
    s[out].vectorize(s[out].split(s[out].axis(0), 8).second);
    const auto run = [&](const auto &kernel) {
      std::vector<double> y(x.size());
      kernel(View<const double, 1>(x.data(), {n}), View<double, 1>(y.data(), {n}));
      return bits_of(y);
    };
    const Options host{.name = "kernel", .verify = true};
    EXPECT_EQ(run(interpret(s, host, in, out)), run(jit(s, host, in, out))) << f.name;
    Options plain = host;
    plain.target = Target::c();
    std::vector<double> arguments = x, y(x.size());
    c_harness::PlainRuntime runtime;
    const c_harness::CompiledC compiled(emit_c(s, plain, in, out), "cc");
    EXPECT_EQ(compiled.run({c_harness::address(arguments), c_harness::address(y)}, runtime), 0);
    EXPECT_EQ(bits_of(y), run(interpret(s, plain, in, out))) << f.name;
  }
}

TEST(MathFunctions, circular_ones_of_float64_near_multiples_of_a_quarter_and_of_great_numbers) {
  std::vector<double> x;
  for (const circular::Line &line : circular::table) x.push_back(line.x), x.push_back(-line.x);
  x.insert(x.end(), {HUGE_VAL, -HUGE_VAL, NAN, 0.0, -0.0});
  const auto n = static_cast<std::int64_t>(x.size());
  const auto right = [&](char name, std::size_t i) -> long double {
    if (!std::isfinite(x[i])) return NAN;
    if (x[i] == 0) return name == 'c' ? 1.0 : x[i];
    const circular::Line &line = circular::table[i / 2];
    const circular::Value &value = name == 's' ? line.sin : name == 'c' ? line.cos : line.tan;
    const long double sum = static_cast<long double>(value.high) + static_cast<long double>(value.low);
    return i % 2 == 1 && name != 'c' ? -sum : sum;
  };
  for (const WideFunction &f : wide_functions) {
    if (f.name != std::string_view("sin") && f.name != std::string_view("cos") && f.name != std::string_view("tan")) continue;
    for (const bool fused : {true, false})
      for (const int lanes : {1, 8}) {
        auto in = placeholder<double>({n}, "in");
        auto out = compute({n}, [&](Index i) { return f.lathe(in(i)); }, "out(i)");
        Schedule s(out);
        if (lanes > 1) s[out].vectorize(s[out].split(s[out].axis(0), lanes).second);
        Options options;
        options.target.has_fma = options.target.has_fma && fused;
        std::vector<double> y(x.size());
        jit(s, options, in, out)(View<const double, 1>(x.data(), {n}), View<double, 1>(y.data(), {n}));
        for (std::size_t i = 0; i < x.size(); ++i)
          EXPECT_LE(wide_ulps(right(*f.name, i), y[i]), f.most_ulp) << f.name << "(" << x[i] << ") is " << y[i];
      }
  }
}

const double wide_some[] = {0,
                            -0.0,
                            1,
                            -1,
                            2,
                            -2,
                            0.5,
                            -0.5,
                            3,
                            -3,
                            1.5,
                            -1.5,
                            HUGE_VAL,
                            -HUGE_VAL,
                            NAN,
                            7,
                            -7,
                            1e9,
                            -1e9,
                            0x1p52,
                            0x1.0000000000001p52,
                            0x1p-1074,
                            -0x1p-1074,
                            0x1.fffffffffffffp1023,
                            -0x1.fffffffffffffp1023,
                            0x1.fffffffffffffp51,
                            0x1p53,
                            -0x1.fffffffffffffp52,
                            -0.1,
                            0x1p-1022,
                            0x1.0000000000001p0,
                            1e300};

/// sin, cos or tan of x in 8 lanes, from the interpreter, the JIT or C.
template <class F>
std::vector<F> turned(int function, const std::vector<F> &x, const Target &target, std::string_view by) {
  const auto n = static_cast<std::int64_t>(x.size());
  auto in = placeholder<F>({n}, "in");
  auto out =
      compute({n}, [&](Index i) { return function == 0   ? sin(in(i))
                                         : function == 1 ? cos(in(i))
                                                         : tan(in(i)); }, "out(i)");
  Schedule s(out);
  s[out].vectorize(s[out].split(s[out].axis(0), 8).second);
  const Options options{.name = "kernel", .target = target, .verify = true};
  std::vector<F> arguments = x, y(x.size());
  const View<const F, 1> from(arguments.data(), {n});
  const View<F, 1> to(y.data(), {n});
  if (by == "interpreter") interpret(s, options, in, out)(from, to);
  if (by == "jit") jit(s, options, in, out)(from, to);
  if (by == "c") {
    c_harness::PlainRuntime runtime;
    const c_harness::CompiledC compiled(emit_c(s, options, in, out), "cc");
    EXPECT_EQ(compiled.run({c_harness::address(arguments), c_harness::address(y)}, runtime), 0);
  }
  return y;
}

/// Small numbers alone, and the same ones beside great numbers, for which all lanes go the long way.
template <class F>
void expect_lanes_on_their_own() {
  std::mt19937_64 random(21);
  const F most = std::numeric_limits<F>::max(), unbounded = std::numeric_limits<F>::infinity();
  const F great[] = {F(1e30), unbounded, most, F(6e7), F(-3e20), -unbounded, -most};
  const F some[] = {0, F(-0.0), std::numeric_limits<F>::denorm_min(), -std::numeric_limits<F>::min(), F(24576)};
  std::vector<F> small, mixed;
  for (std::size_t i = 0; i < 64 * 8; ++i) {
    small.push_back(i < 5 ? some[i] : std::uniform_real_distribution<F>(-24576, 24576)(random));
    mixed.push_back(i % 8 == 7 ? great[i / 8 % 7] : small.back());
  }
  std::vector<Target> targets = {Target::host(), Target::c()};
  if (Target::host().triple.find("x86_64") != std::string::npos)
    targets.push_back(Target::host("haswell")), targets.push_back(Target::host("x86-64"));
  for (int function = 0; function < 3; ++function)
    for (const Target &target : targets) {
      const std::string_view by = target.vectors ? "jit" : "c";
      const auto alone = bits_of(turned(function, small, target, by)), beside = bits_of(turned(function, mixed, target, by));
      EXPECT_EQ(beside, bits_of(turned(function, mixed, target, "interpreter"))) << function << " for " << to_string(target);
      for (std::size_t i = 0; i < small.size(); ++i)
        if (i % 8 != 7) {
          EXPECT_EQ(alone[i], beside[i]) << function << " of " << small[i] << " for " << to_string(target);
        }
    }
}

TEST(MathFunctions, circular_ones_do_not_depend_on_other_lanes) {
  expect_lanes_on_their_own<float>();
  expect_lanes_on_their_own<double>();
}

TEST(MathFunctions, atan2_of_float64_is_accurate) {
  std::vector<double> y, x;
  for (const double a : wide_some)
    for (const double b : wide_some) y.push_back(a), x.push_back(b);
  std::mt19937_64 random(3);
  const auto uniform = [&] { return std::uniform_real_distribution<double>(-1, 1)(random); };
  for (int i = 0; i < 50000; ++i) {
    y.push_back(uniform()), x.push_back(uniform());
    y.push_back(std::bit_cast<double>(random())), x.push_back(uniform());
    y.push_back(uniform()), x.push_back(std::ldexp(uniform(), static_cast<int>(random() % 1400) - 1000));
  }
  for (const bool fused : {true, false}) {
    const std::vector<double> z = values(angle<double>, y, x, fused);
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_LE(wide_ulps(std::atan2(static_cast<long double>(y[i]), static_cast<long double>(x[i])), z[i]), 1.8)
          << "atan2(" << y[i] << ", " << x[i] << ") is " << z[i];
  }
}

/// x87's powl is right to 64 bits for these.
TEST(MathFunctions, pow_of_float64_is_accurate) {
  std::vector<double> x, y;
  for (const double a : wide_some)
    for (const double b : wide_some) x.push_back(a), y.push_back(b);
  const std::size_t specials = x.size();
  std::mt19937_64 random(3);
  const auto uniform = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  for (int i = 0; i < 30000; ++i) {
    x.push_back(std::bit_cast<double>(random() >> 1)), y.push_back(uniform(-2, 2));
    x.push_back(uniform(0, 4)), y.push_back(uniform(-500, 500));
    x.push_back(uniform(0.5, 2)), y.push_back(uniform(-1000, 1000));
    x.push_back(1 + std::ldexp(uniform(-1, 1), -static_cast<int>(random() % 53))),
        y.push_back(std::ldexp(uniform(-1, 1), static_cast<int>(random() % 62)));
    x.push_back(std::round(uniform(0, 30))), y.push_back(std::round(uniform(0, 10)));  // exact
  }
  for (const bool fused : {true, false}) {
    const std::vector<double> z = values(power<double>, x, y, fused);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const long double right = std::pow(static_cast<long double>(x[i]), static_cast<long double>(y[i]));
      const bool exact = i < specials && std::fabs(right) == 1;
      EXPECT_LE(wide_ulps(right, z[i]), exact ? 0 : 1.3) << "pow(" << x[i] << ", " << y[i] << ") is " << z[i];
    }
    for (std::size_t i = specials + 4; i < x.size(); i += 5) {
      double product = 1;
      for (int k = 0; k < static_cast<int>(y[i]); ++k) product *= x[i];  // of integers, exact below 2^53
      EXPECT_TRUE(product > 0x1p53 || z[i] == product) << "pow(" << x[i] << ", " << y[i] << ") is " << z[i];
    }
  }
}

}  // namespace
