// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Math functions in plain loops. What includes this is compiled with flags of its own, so nothing here has external linkage.

#include <cmath>

#include "workloads.hpp"

namespace bench {
namespace {

template <class F>
std::function<void()> each(const MathFunction &w, F f) {
  return [=] {
    for_ranges(w.n, w.threads, [&](std::int64_t begin, std::int64_t end) {
      const float *x = w.input;
      float *__restrict y = w.output;
      for (std::int64_t i = begin; i < end; ++i) y[i] = f(x[i]);
    });
  };
}

std::function<void()> math_function(const MathFunction &w) {
  switch (w.kind) {
    case MathFunction::Kind::exp: return each(w, [](float x) { return std::exp(x); });
    case MathFunction::Kind::log: return each(w, [](float x) { return std::log(x); });
    case MathFunction::Kind::tanh: return each(w, [](float x) { return std::tanh(x); });
    case MathFunction::Kind::erf: return each(w, [](float x) { return std::erf(x); });
    case MathFunction::Kind::sin: return each(w, [](float x) { return std::sin(x); });
    case MathFunction::Kind::cos: return each(w, [](float x) { return std::cos(x); });
    case MathFunction::Kind::tan: return each(w, [](float x) { return std::tan(x); });
    case MathFunction::Kind::sinh: return each(w, [](float x) { return std::sinh(x); });
    case MathFunction::Kind::cosh: return each(w, [](float x) { return std::cosh(x); });
    case MathFunction::Kind::asin: return each(w, [](float x) { return std::asin(x); });
    case MathFunction::Kind::acos: return each(w, [](float x) { return std::acos(x); });
    case MathFunction::Kind::atan: return each(w, [](float x) { return std::atan(x); });
    default: return each(w, [](float x) { return 0.5f * x * (1.0f + std::erf(x * 0.70710678f)); });
  }
}

}  // namespace
}  // namespace bench
