// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ldexp against the C library's, by instruction and by arithmetic, of every pair of some numbers.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "codegen/c_harness.hpp"
#include "lathe/jit.hpp"
#include "lathe/lathe.hpp"

namespace {

using namespace lathe;

template <class F>
using BitsOf = std::conditional_t<sizeof(F) == 4, std::uint32_t, std::uint64_t>;

template <class F>
class Ldexp : public testing::Test {
 protected:
  static constexpr F inf = std::numeric_limits<F>::infinity(), nan = std::numeric_limits<F>::quiet_NaN();

  Ldexp() {
    using Limits = std::numeric_limits<F>;
    const F third = F(1) / 3,
            numbers[] = {
                0,   1,  third, 3 - Limits::epsilon(), Limits::min(), Limits::denorm_min(), Limits::min() * third, Limits::max(),
                inf, nan};
    const int reach = 2 * Limits::max_exponent + Limits::digits + 3;
    std::vector<F> powers = {inf, -inf, nan, F(1e30), F(-1e30), F(0.5), F(-0.5), F(-0.0)};
    for (int n = -reach; n <= reach; n += Limits::max_exponent > 200 ? 7 : 1) powers.push_back(static_cast<F>(n));
    for (const F number : numbers)
      for (const F sign : {F(1), F(-1)})
        for (const F power : powers) x_.push_back(sign * number), n_.push_back(power);
    while (x_.size() % 16 != 0) x_.push_back(1), n_.push_back(1);
  }

  F right(std::size_t i) const {
    const F x = x_[i], n = n_[i];
    if (std::isnan(n)) return nan;
    if (std::isinf(n)) return (std::isnan(x) ? 1 : x) * (n > 0 ? inf : 0);
    return static_cast<F>(std::ldexp(x, static_cast<int>(std::floor(std::max(F(-9999), std::min(F(9999), n))))));
  }

  void expect(const std::vector<F> &got, const std::string &where) const {
    for (std::size_t i = 0; i < x_.size(); ++i)
      if (const F wanted = right(i); std::isnan(wanted)) {
        EXPECT_TRUE(std::isnan(got[i])) << where << ": ldexp(" << x_[i] << ", " << n_[i] << ") is " << got[i];
      } else {
        EXPECT_EQ(std::bit_cast<BitsOf<F>>(got[i]), std::bit_cast<BitsOf<F>>(wanted))
            << where << ": ldexp(" << x_[i] << ", " << n_[i] << ") is " << got[i];
      }
  }

  std::int64_t size() const { return static_cast<std::int64_t>(x_.size()); }
  View<const F, 1> x() const { return View<const F, 1>(x_.data(), {size()}); }
  View<const F, 1> n() const { return View<const F, 1>(n_.data(), {size()}); }

  std::vector<F> x_, n_;
};

/// z(i) = ldexp(x(i), n(i)) in lanes.
template <class F>
struct Scaling {
  Scaling(std::int64_t size, int lanes)
      : x(placeholder<F>({size}, "x")),
        n(placeholder<F>({size}, "n")),
        z(compute(
            {size}, [&](Index i) { return ldexp(x(i), n(i)); }, "z(i)")),
        schedule(z) {
    if (lanes > 1) schedule[z].vectorize(schedule[z].split(schedule[z].axis(0), lanes).second);
  }

  Input<F, 1> x, n;
  Tensor<F, 1> z;
  Schedule schedule;
};

using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(Ldexp, Floats);

TYPED_TEST(Ldexp, OnEveryBackEnd) {
  using F = TypeParam;
  std::vector<F> z(this->x_.size());
  const View<F, 1> out(z.data(), {this->size()});
  for (const int lanes : {1, 3, 4, 8, 16, 64}) {
    const Scaling<F> s(this->size(), lanes);
    const auto name = std::to_string(lanes) + " lanes of ";
    interpret(s.schedule, s.x, s.n, s.z)(this->x(), this->n(), out);
    this->expect(z, name + "the interpreter");
    Target narrow = Target::host();
    narrow.vector_bits = std::min(narrow.vector_bits, 256);
    std::vector<Target> targets = {Target::host(), narrow};
    if (narrow.triple.find("x86_64") != std::string::npos) targets.push_back(Target::host("x86-64"));
    for (const Target &target : targets) {
      jit(s.schedule, {.target = target, .verify = true}, s.x, s.n, s.z)(this->x(), this->n(), out);
      this->expect(z, name + to_string(target));
      jit(s.schedule, {.target = target, .numerics = {.library_math = true}}, s.x, s.n, s.z)(this->x(), this->n(), out);
      this->expect(z, name + "library math, " + to_string(target));
    }
  }
}

TYPED_TEST(Ldexp, InC) {
  using F = TypeParam;
  std::vector<F> x = this->x_, n = this->n_, z(x.size());
  const Scaling<F> s(this->size(), 4);
  c_harness::PlainRuntime runtime;
  const Source source = emit_c(s.schedule, s.x, s.n, s.z);
  EXPECT_EQ(
      c_harness::CompiledC(source, "cc").run({c_harness::address(x), c_harness::address(n), c_harness::address(z)}, runtime), 0);
  this->expect(z, "C");
}

TYPED_TEST(Ldexp, TheInstructionWhereThereIsOne) {
  if (Target::host().triple.find("x86_64") == std::string::npos) GTEST_SKIP() << "the instruction is that of AVX-512";
  const int fit = 512 / (8 * sizeof(TypeParam));
  const auto text = [&](const char *cpu, int lanes) {
    const Scaling<TypeParam> s(this->size(), lanes);
    return emit_llvm(s.schedule, {.target = Target::host(cpu)}, s.x, s.n, s.z);
  };
  const auto has = [](const std::string &text, const std::string &what) { return text.find(what) != std::string::npos; };
  EXPECT_TRUE(has(text("skylake-avx512", fit), "call <" + std::to_string(fit) + " x "));
  EXPECT_TRUE(has(text("skylake-avx512", fit), "@llvm.x86.avx512.mask.scalef"));
  EXPECT_TRUE(has(text("skylake-avx512", fit / 2), "scalef.p"));
  EXPECT_FALSE(has(text("skylake-avx512", 3), "scalef"));
  EXPECT_FALSE(has(text("haswell", fit), "scalef"));
}

}  // namespace
