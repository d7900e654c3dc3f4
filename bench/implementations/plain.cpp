// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Plain loops, as a careful user writes them without intrinsics, under -O3 -march=native.

#include <cmath>
#include <vector>

#include "workloads.hpp"

namespace bench {
namespace {

std::function<void()> vector_add(const VectorAdd &w) {
  return [=] {
    for_ranges(w.n, w.threads, [&](std::int64_t begin, std::int64_t end) {
      const float *a = w.a, *b = w.b;
      float *__restrict out = w.out;
      for (std::int64_t i = begin; i < end; ++i) out[i] = a[i] + b[i];
    });
  };
}

// The order i, k, j: the innermost loop is contiguous in b and c and vectorises.
std::function<void()> sgemm(const Sgemm &w) {
  return [=] {
    for_ranges(w.n, w.threads, [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t n = w.n;
      for (std::int64_t i = begin; i < end; ++i) {
        float *__restrict c = w.c + i * n;
        for (std::int64_t j = 0; j < n; ++j) c[j] = 0;
        for (std::int64_t k = 0; k < n; ++k) {
          const float a = w.a[i * n + k];
          const float *b = w.b + k * n;
          for (std::int64_t j = 0; j < n; ++j) c[j] += a * b[j];
        }
      }
    });
  };
}

// Three input rows at a time; rows outside the image are a row of zeros, the two border columns are written out.
void depthwise_channels(const Depthwise &w, std::int64_t begin, std::int64_t end) {
  const std::int64_t height = w.height, width = w.width;
  const std::vector<float> zeros(width, 0.0f);
  for (std::int64_t channel = begin; channel < end; ++channel) {
    const float *f = w.filter + channel * 9;
    const float f0 = f[0], f1 = f[1], f2 = f[2], f3 = f[3], f4 = f[4], f5 = f[5], f6 = f[6], f7 = f[7], f8 = f[8];
    for (std::int64_t y = 0; y < height; ++y) {
      const float *b = w.input + (channel * height + y) * width;
      const float *a = y > 0 ? b - width : zeros.data();
      const float *c = y + 1 < height ? b + width : zeros.data();
      float *__restrict out = w.output + (channel * height + y) * width;
      const std::int64_t last = width - 1;
      out[0] = a[0] * f1 + a[1] * f2 + b[0] * f4 + b[1] * f5 + c[0] * f7 + c[1] * f8;
      for (std::int64_t x = 1; x < last; ++x)
        out[x] = a[x - 1] * f0 + a[x] * f1 + a[x + 1] * f2 + b[x - 1] * f3 + b[x] * f4 + b[x + 1] * f5 + c[x - 1] * f6 +
                 c[x] * f7 + c[x + 1] * f8;
      out[last] = a[last - 1] * f0 + a[last] * f1 + b[last - 1] * f3 + b[last] * f4 + c[last - 1] * f6 + c[last] * f7;
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
      const std::int64_t n = w.columns;
      for (std::int64_t r = begin; r < end; ++r) {
        const float *in = w.input + r * n;
        float *__restrict out = w.output + r * n;
        float most = in[0];
        for (std::int64_t i = 1; i < n; ++i) most = in[i] > most ? in[i] : most;
        float sum = 0;
        for (std::int64_t i = 0; i < n; ++i) {
          out[i] = std::exp(in[i] - most);
          sum += out[i];
        }
        const float scale = 1.0f / sum;
        for (std::int64_t i = 0; i < n; ++i) out[i] *= scale;
      }
    });
  };
}

const Register<VectorAdd> registered_vector_add("plain", vector_add);
const Register<Sgemm> registered_sgemm("plain", sgemm);
const Register<Depthwise> registered_depthwise("plain", depthwise);
const Register<Softmax> registered_softmax("plain", softmax);

}  // namespace
}  // namespace bench
