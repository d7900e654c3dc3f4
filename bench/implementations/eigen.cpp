// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The workloads in Eigen's expressions, on maps of the same arrays.

#include <Eigen/Core>

#include "workloads.hpp"

namespace bench {
namespace {

using Row = Eigen::Map<Eigen::ArrayXf>;
using ConstRow = Eigen::Map<const Eigen::ArrayXf>;

std::function<void()> vector_add(const VectorAdd &w) {
  return [=] {
    for_ranges(w.n, w.threads, [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t n = end - begin;
      Row(w.out + begin, n) = ConstRow(w.a + begin, n) + ConstRow(w.b + begin, n);
    });
  };
}

std::function<void()> sgemm(const Sgemm &w) {
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return [=] {
    Eigen::setNbThreads(w.threads);
    Eigen::Map<Matrix>(w.c, w.n, w.n).noalias() =
        Eigen::Map<const Matrix>(w.a, w.n, w.n) * Eigen::Map<const Matrix>(w.b, w.n, w.n);
  };
}

void depthwise_channels(const Depthwise &w, std::int64_t begin, std::int64_t end) {
  const std::int64_t height = w.height, width = w.width, inner = width - 2, last = width - 1;
  const Eigen::ArrayXf zeros = Eigen::ArrayXf::Zero(width);
  for (std::int64_t channel = begin; channel < end; ++channel) {
    const float *f = w.filter + channel * 9;
    for (std::int64_t y = 0; y < height; ++y) {
      const float *middle = w.input + (channel * height + y) * width;
      const ConstRow a(y > 0 ? middle - width : zeros.data(), width), b(middle, width),
          c(y + 1 < height ? middle + width : zeros.data(), width);
      Row out(w.output + (channel * height + y) * width, width);
      out(0) = a(0) * f[1] + a(1) * f[2] + b(0) * f[4] + b(1) * f[5] + c(0) * f[7] + c(1) * f[8];
      out.segment(1, inner) = a.segment(0, inner) * f[0] + a.segment(1, inner) * f[1] + a.segment(2, inner) * f[2] +
                              b.segment(0, inner) * f[3] + b.segment(1, inner) * f[4] + b.segment(2, inner) * f[5] +
                              c.segment(0, inner) * f[6] + c.segment(1, inner) * f[7] + c.segment(2, inner) * f[8];
      out(last) = a(last - 1) * f[0] + a(last) * f[1] + b(last - 1) * f[3] + b(last) * f[4] + c(last - 1) * f[6] + c(last) * f[7];
    }
  }
}

std::function<void()> depthwise(const Depthwise &w) {
  if (w.width < 2) return {};
  return [=] {
    for_ranges(w.channels, w.threads, [&](std::int64_t begin, std::int64_t end) { depthwise_channels(w, begin, end); });
  };
}

std::function<void()> softmax(const Softmax &w) {
  return [=] {
    for_ranges(w.rows, w.threads, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) {
        const ConstRow in(w.input + r * w.columns, w.columns);
        Row out(w.output + r * w.columns, w.columns);
        out = (in - in.maxCoeff()).exp();
        out *= 1.0f / out.sum();
      }
    });
  };
}

std::function<void()> math_function(const MathFunction &w) {
  if (w.kind == MathFunction::Kind::erf) return {};  // in Eigen's unsupported modules
  return [=] {
    for_ranges(w.n, w.threads, [&](std::int64_t begin, std::int64_t end) {
      const ConstRow x(w.input + begin, end - begin);
      Row y(w.output + begin, end - begin);
      switch (w.kind) {
        case MathFunction::Kind::exp: y = x.exp(); break;
        case MathFunction::Kind::log: y = x.log(); break;
        default: y = x.tanh(); break;
      }
    });
  };
}

const Register<VectorAdd> registered_vector_add("eigen", vector_add);
const Register<Sgemm> registered_sgemm("eigen", sgemm);
const Register<Depthwise> registered_depthwise("eigen", depthwise);
const Register<Softmax> registered_softmax("eigen", softmax);
const Register<MathFunction> registered_math_function("eigen", math_function);

}  // namespace
}  // namespace bench
