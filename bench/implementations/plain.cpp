// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Plain loops, as a careful user writes them without intrinsics, under -O3 -march=native.

#include <algorithm>
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
    for_ranges(w.m, w.threads, [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t n = w.n;
      for (std::int64_t i = begin; i < end; ++i) {
        float *__restrict c = w.c + i * n;
        for (std::int64_t j = 0; j < n; ++j) c[j] = 0;
        for (std::int64_t k = 0; k < w.k; ++k) {
          const float a = w.a[i * w.k + k];
          const float *b = w.b + k * n;
          for (std::int64_t j = 0; j < n; ++j) c[j] += a * b[j];
        }
      }
    });
  };
}

// Three input rows at a time; rows outside the image are a row of zeros, the two border columns are written out. `epilogue(c)` is
// what becomes of the sums of channel c.
template <class Epilogue>
void depthwise_channels(const Depthwise &w, std::int64_t begin, std::int64_t end, Epilogue epilogue) {
  const std::int64_t height = w.height, width = w.width;
  const std::vector<float> zeros(width, 0.0f);
  for (std::int64_t channel = begin; channel < end; ++channel) {
    const float *f = w.filter + channel * 9;
    const float f0 = f[0], f1 = f[1], f2 = f[2], f3 = f[3], f4 = f[4], f5 = f[5], f6 = f[6], f7 = f[7], f8 = f[8];
    const auto finish = epilogue(channel);
    for (std::int64_t y = 0; y < height; ++y) {
      const float *b = w.input + (channel * height + y) * width;
      const float *a = y > 0 ? b - width : zeros.data();
      const float *c = y + 1 < height ? b + width : zeros.data();
      float *__restrict out = w.output + (channel * height + y) * width;
      const std::int64_t last = width - 1;
      out[0] = finish(a[0] * f1 + a[1] * f2 + b[0] * f4 + b[1] * f5 + c[0] * f7 + c[1] * f8);
      for (std::int64_t x = 1; x < last; ++x)
        out[x] = finish(a[x - 1] * f0 + a[x] * f1 + a[x + 1] * f2 + b[x - 1] * f3 + b[x] * f4 + b[x + 1] * f5 + c[x - 1] * f6 +
                        c[x] * f7 + c[x + 1] * f8);
      out[last] = finish(a[last - 1] * f0 + a[last] * f1 + b[last - 1] * f3 + b[last] * f4 + c[last - 1] * f6 + c[last] * f7);
    }
  }
}

std::function<void()> depthwise(const Depthwise &w) {
  if (w.width < 2) return {};
  return [=] {
    for_ranges(w.channels, w.threads, [&](std::int64_t begin, std::int64_t end) {
      depthwise_channels(w, begin, end, [](std::int64_t) { return [](float sum) { return sum; }; });
    });
  };
}

std::function<void()> depthwise_relu(const DepthwiseRelu &w) {
  if (w.conv.width < 2) return {};
  return [=] {
    for_ranges(w.conv.channels, w.conv.threads, [&](std::int64_t begin, std::int64_t end) {
      depthwise_channels(w.conv, begin, end, [&](std::int64_t channel) {
        return [scale = w.scale[channel], shift = w.shift[channel]](float sum) {
          const float y = sum * scale + shift;
          return y > 0.0f ? y : 0.0f;
        };
      });
    });
  };
}

// Output planes one after the other; each input row is added to the output rows that it touches, in loops over x that vectorise.
std::function<void()> conv(const Conv &w) {
  if (w.width < 2) return {};
  return [=] {
    for_ranges(w.outputs, w.threads, [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t height = w.height, width = w.width, last = width - 1;
      for (std::int64_t o = begin; o < end; ++o)
        for (std::int64_t y = 0; y < height; ++y) {
          float *__restrict out = w.output + (o * height + y) * width;
          for (std::int64_t x = 0; x < width; ++x) out[x] = 0;
          for (std::int64_t c = 0; c < w.channels; ++c)
            for (std::int64_t v = y > 0 ? y - 1 : 0; v <= y + 1 && v < height; ++v) {
              const float *in = w.input + (c * height + v) * width;
              const float *f = w.filter + (o * w.channels + c) * 9 + (v - y + 1) * 3;
              const float f0 = f[0], f1 = f[1], f2 = f[2];
              out[0] += in[0] * f1 + in[1] * f2;
              for (std::int64_t x = 1; x < last; ++x) out[x] += in[x - 1] * f0 + in[x] * f1 + in[x + 1] * f2;
              out[last] += in[last - 1] * f0 + in[last] * f1;
            }
        }
    });
  };
}

// A pass over the whole image for each stage.
std::function<void()> stencil(const Stencil &w) {
  const std::int64_t n = w.n, row = n + 4, inner = n + 2;
  return [=, across = std::vector<float>(row * inner), mean = std::vector<float>(inner * inner)]() mutable {
    for_ranges(row, w.threads, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t y = begin; y < end; ++y) {
        const float *in = w.input + y * row;
        float *__restrict out = across.data() + y * inner;
        for (std::int64_t x = 0; x < inner; ++x) out[x] = (in[x] + in[x + 1] + in[x + 2]) * (1.0f / 3);
      }
    });
    for_ranges(inner, w.threads, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t y = begin; y < end; ++y) {
        const float *a = across.data() + y * inner, *b = a + inner, *c = b + inner;
        float *__restrict out = mean.data() + y * inner;
        for (std::int64_t x = 0; x < inner; ++x) out[x] = (a[x] + b[x] + c[x]) * (1.0f / 3);
      }
    });
    for_ranges(n, w.threads, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t y = begin; y < end; ++y) {
        const float *a = mean.data() + y * inner, *b = a + inner, *c = b + inner;
        float *__restrict out = w.output + y * n;
        for (std::int64_t x = 0; x < n; ++x) out[x] = std::fabs(b[x + 2] - b[x]) + std::fabs(c[x + 1] - a[x + 1]);
      }
    });
  };
}

// In blocks, so that the lines of the side that is walked across are used up while they are near.
std::function<void()> transpose(const Transpose &w) {
  constexpr std::int64_t block = 16;
  return [=] {
    const std::int64_t n = w.n;
    for_ranges((n + block - 1) / block, w.threads, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t jo = begin * block; jo < std::min(end * block, n); jo += block)
        for (std::int64_t io = 0; io < n; io += block)
          for (std::int64_t j = jo; j < std::min(jo + block, n); ++j) {
            const float *in = w.input + j;
            float *__restrict out = w.output + j * n;
            for (std::int64_t i = io; i < std::min(io + block, n); ++i) out[i] = in[i * n];
          }
    });
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
const Register<DepthwiseRelu> registered_depthwise_relu("plain", depthwise_relu);
const Register<Conv> registered_conv("plain", conv);
const Register<Stencil> registered_stencil("plain", stencil);
const Register<Transpose> registered_transpose("plain", transpose);
const Register<Softmax> registered_softmax("plain", softmax);

}  // namespace
}  // namespace bench
