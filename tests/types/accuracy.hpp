// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// How far math functions are from the truth: kernels of the JIT on every nth of all float32 numbers, against the C library in
/// float64.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "lathe/jit.hpp"

namespace accuracy {

using lathe::Array;
using lathe::Expr;
using lathe::Index;

struct Function {
  const char *name;
  Expr<float> (*lathe)(const Expr<float> &);
  double (*right)(double);
  double most_ulp;  ///< the greatest error that there may be
};

inline const std::vector<Function> &functions() {
  static const std::vector<Function> all = {
      {"exp", [](const Expr<float> &x) { return exp(x); }, [](double x) { return std::exp(x); }, 1.2},
      {"exp2", [](const Expr<float> &x) { return exp2(x); }, [](double x) { return std::exp2(x); }, 1.1},
      {"expm1", [](const Expr<float> &x) { return expm1(x); }, [](double x) { return std::expm1(x); }, 1.6},
      {"log", [](const Expr<float> &x) { return log(x); }, [](double x) { return std::log(x); }, 0.9},
      {"log2", [](const Expr<float> &x) { return log2(x); }, [](double x) { return std::log2(x); }, 2},
      {"log1p", [](const Expr<float> &x) { return log1p(x); }, [](double x) { return std::log1p(x); }, 1.5},
      {"tanh", [](const Expr<float> &x) { return tanh(x); }, [](double x) { return std::tanh(x); }, 1.5},
      {"sigmoid", [](const Expr<float> &x) { return sigmoid(x); },
       [](double x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }, 2.1},
      {"erf", [](const Expr<float> &x) { return erf(x); }, [](double x) { return std::erf(x); }, 1.4},
      {"sin", [](const Expr<float> &x) { return sin(x); }, [](double x) { return std::sin(x); }, 1.7},
      {"cos", [](const Expr<float> &x) { return cos(x); }, [](double x) { return std::cos(x); }, 1.7},
      {"tan", [](const Expr<float> &x) { return tan(x); }, [](double x) { return std::tan(x); }, 2},
      {"sinh", [](const Expr<float> &x) { return sinh(x); }, [](double x) { return std::sinh(x); }, 1.9},
      {"cosh", [](const Expr<float> &x) { return cosh(x); }, [](double x) { return std::cosh(x); }, 1.4},
      {"asin", [](const Expr<float> &x) { return asin(x); }, [](double x) { return std::asin(x); }, 2},
      {"acos", [](const Expr<float> &x) { return acos(x); }, [](double x) { return std::acos(x); }, 1.2},
      {"atan", [](const Expr<float> &x) { return atan(x); }, [](double x) { return std::atan(x); }, 1.5},
  };
  return all;
}

/// The distance of `got` from `right` in units of the last place of float32 at `right`; infinite where only one is NaN, or a zero
/// or a tiny result has the wrong sign. Infinity stands for 2^128, which rounds to it.
inline double ulps(double right, float got) {
  if (std::isnan(right) || std::isnan(got)) return std::isnan(right) && std::isnan(got) ? 0 : HUGE_VAL;
  if (std::signbit(right) != std::signbit(got)) return HUGE_VAL;
  const auto finite = [](double x) { return std::fmin(std::fabs(x), 0x1p128); };
  const int exponent = right == 0 ? -126 : std::clamp(std::ilogb(finite(right)), -126, 127);
  return std::ldexp(std::fabs(finite(right) - finite(static_cast<double>(got))), 23 - exponent);
}

struct Worst {
  double ulp = 0;
  float at = 0, got = 0;
  double right = 0;
};

/// y(i) = f(x(i)), in 16 lanes.
struct Scheduled {
  Scheduled(const Function &function, std::int64_t length)
      : x(lathe::placeholder<float>({length}, "x")),
        y(lathe::compute(
            {length}, [&](Index i) { return function.lathe(x(i)); }, "y(i)")),
        schedule(y) {
    auto [outer, inner] = schedule[y].split(schedule[y].axis(0), 16);
    schedule[y].vectorize(inner);
  }
  lathe::Input<float, 1> x;
  lathe::Tensor<float, 1> y;
  lathe::Schedule schedule;
};

/// One function as a kernel.
class Tested {
 public:
  static constexpr std::int64_t block = 1 << 14;

  Tested(const Function &function, const lathe::Target &target)
      : function_(function),
        scheduled_(function, block),
        x_({block}),
        y_({block}),
        kernel_(lathe::jit(scheduled_.schedule, {.name = function.name, .target = target}, scheduled_.x, scheduled_.y)) {}

  /// The worst of all numbers whose bits are `first` plus a multiple of `stride`.
  Worst over(std::uint32_t first, std::uint32_t stride) {
    Worst worst;
    for (std::uint64_t bits = first; bits < std::uint64_t{1} << 32;) {
      for (std::int64_t i = 0; i < block; ++i, bits += stride) x_(i) = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      kernel_(x_, y_);
      for (std::int64_t i = 0; i < block; ++i) {
        const double right = function_.right(static_cast<double>(x_(i)));
        if (worst.ulp >= 0.5 && static_cast<float>(right) == y_(i) && right != 0) continue;  // at most half a unit away
        if (const double ulp = ulps(right, y_(i)); ulp > worst.ulp) worst = {ulp, x_(i), y_(i), right};
      }
    }
    return worst;
  }

 private:
  const Function &function_;
  Scheduled scheduled_;
  Array<float, 1> x_, y_;
  lathe::Kernel<lathe::In<float, 1>, lathe::Out<float, 1>> kernel_;
};

}  // namespace accuracy
