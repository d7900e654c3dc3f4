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

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

std::function<void()> sgemm(const Sgemm &w) {
  return [=] {
    Eigen::setNbThreads(w.threads);
    Eigen::Map<Matrix>(w.c, w.m, w.n).noalias() =
        Eigen::Map<const Matrix>(w.a, w.m, w.k) * Eigen::Map<const Matrix>(w.b, w.k, w.n);
  };
}

// `finish(c, out, sums)` assigns what becomes of the sums of channel c.
template <class Finish>
void depthwise_channels(const Depthwise &w, std::int64_t begin, std::int64_t end, Finish finish) {
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
      finish(channel, out.segment(1, inner),
             a.segment(0, inner) * f[0] + a.segment(1, inner) * f[1] + a.segment(2, inner) * f[2] + b.segment(0, inner) * f[3] +
                 b.segment(1, inner) * f[4] + b.segment(2, inner) * f[5] + c.segment(0, inner) * f[6] +
                 c.segment(1, inner) * f[7] + c.segment(2, inner) * f[8]);
      out(last) = a(last - 1) * f[0] + a(last) * f[1] + b(last - 1) * f[3] + b(last) * f[4] + c(last - 1) * f[6] + c(last) * f[7];
      for (const std::int64_t edge : {std::int64_t{0}, last}) finish(channel, out.segment(edge, 1), out.segment(edge, 1));
    }
  }
}

std::function<void()> depthwise(const Depthwise &w) {
  if (w.width < 2) return {};
  return [=] {
    for_ranges(w.channels, w.threads, [&](std::int64_t begin, std::int64_t end) {
      depthwise_channels(w, begin, end, [](std::int64_t, auto out, const auto &sums) { out = sums; });
    });
  };
}

std::function<void()> depthwise_relu(const DepthwiseRelu &w) {
  if (w.conv.width < 2) return {};
  return [=] {
    for_ranges(w.conv.channels, w.conv.threads, [&](std::int64_t begin, std::int64_t end) {
      depthwise_channels(w.conv, begin, end, [&](std::int64_t channel, auto out, const auto &sums) {
        out = (sums * w.scale[channel] + w.shift[channel]).max(0.0f);
      });
    });
  };
}

// An expression a stage, over the whole image.
std::function<void()> stencil(const Stencil &w) {
  using Image = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const std::int64_t n = w.n;
  return [=, across = Image(n + 4, n + 2), mean = Image(n + 2, n + 2)]() mutable {
    const auto rows = [&](std::int64_t count, auto stage) {
      for_ranges(count, w.threads, [&](std::int64_t begin, std::int64_t end) { stage(begin, end - begin); });
    };
    const Eigen::Map<const Image> in(w.input, n + 4, n + 4);
    rows(n + 4, [&](std::int64_t y, std::int64_t h) {
      across.middleRows(y, h) = (in.block(y, 0, h, n + 2) + in.block(y, 1, h, n + 2) + in.block(y, 2, h, n + 2)) * (1.0f / 3);
    });
    rows(n + 2, [&](std::int64_t y, std::int64_t h) {
      mean.middleRows(y, h) = (across.middleRows(y, h) + across.middleRows(y + 1, h) + across.middleRows(y + 2, h)) * (1.0f / 3);
    });
    rows(n, [&](std::int64_t y, std::int64_t h) {
      Eigen::Map<Image>(w.output, n, n).middleRows(y, h) = (mean.block(y + 1, 2, h, n) - mean.block(y + 1, 0, h, n)).abs() +
                                                           (mean.block(y + 2, 1, h, n) - mean.block(y, 1, h, n)).abs();
    });
  };
}

std::function<void()> transpose(const Transpose &w) {
  return [=] {
    for_ranges(w.n, w.threads, [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t count = end - begin;
      Eigen::Map<Matrix>(w.output, w.n, w.n).middleRows(begin, count) =
          Eigen::Map<const Matrix>(w.input, w.n, w.n).middleCols(begin, count).transpose();
    });
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
  switch (w.kind) {
    case MathFunction::Kind::exp:
    case MathFunction::Kind::log:
    case MathFunction::Kind::tanh:
    case MathFunction::Kind::sin:
    case MathFunction::Kind::cos: break;
    default: return {};  // in Eigen's unsupported modules, or one element at a time
  }
  return [=] {
    for_ranges(w.n, w.threads, [&](std::int64_t begin, std::int64_t end) {
      const ConstRow x(w.input + begin, end - begin);
      Row y(w.output + begin, end - begin);
      switch (w.kind) {
        case MathFunction::Kind::exp: y = x.exp(); break;
        case MathFunction::Kind::log: y = x.log(); break;
        case MathFunction::Kind::sin: y = x.sin(); break;
        case MathFunction::Kind::cos: y = x.cos(); break;
        default: y = x.tanh(); break;
      }
    });
  };
}

const Register<VectorAdd> registered_vector_add("eigen", vector_add);
const Register<Sgemm> registered_sgemm("eigen", sgemm);
const Register<Depthwise> registered_depthwise("eigen", depthwise);
const Register<DepthwiseRelu> registered_depthwise_relu("eigen", depthwise_relu);
const Register<Stencil> registered_stencil("eigen", stencil);
const Register<Transpose> registered_transpose("eigen", transpose);
const Register<Softmax> registered_softmax("eigen", softmax);
const Register<MathFunction> registered_math_function("eigen", math_function);

}  // namespace
}  // namespace bench
