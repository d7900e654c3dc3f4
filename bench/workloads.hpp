// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The workloads of the benchmarks and the registry of their implementations.
///
/// To add an implementation, put a file into `implementations/`:
///
///     static std::function<void()> sgemm(const bench::Sgemm &w) {
///       auto kernel = …;                                  // untimed: compiling, packing what a user packs once
///       return [=] { kernel(w.a, w.b, w.c); };            // timed; an empty function where the shape is not supported
///     }
///     static const bench::Register<bench::Sgemm> registered("lathe", sgemm);
///
/// All arrays are float32, compact and row-major, 64-byte aligned, with at least 64 readable bytes on both sides.

#include <omp.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bench {

/// out[i] = a[i] + b[i]
struct VectorAdd {
  std::int64_t n;
  const float *a, *b;
  float *out;
  int threads;
};

/// c[m, n] = a[m, k] * b[k, n]
struct Sgemm {
  std::int64_t m, n, k;
  const float *a, *b;
  float *c;
  int threads;
};

/// 3x3, stride 1, SAME padding: output[c, y, x] = sum over ky, kx of input[c, y + ky - 1, x + kx - 1] * filter[c, ky, kx].
/// As a tensor the input is [1, channels, height, width] and the filter [channels, 1, 3, 3].
struct Depthwise {
  std::int64_t channels, height, width;
  const float *input, *filter;
  float *output;
  int threads;
};

/// The same, then output = max(scale[c] * that + shift[c], 0).
struct DepthwiseRelu {
  Depthwise conv;
  const float *scale, *shift;
};

/// 3x3, stride 1, SAME padding, all channels of one image:
/// output[o, y, x] = sum over c, ky, kx of input[c, y + ky - 1, x + kx - 1] * filter[o, c, ky, kx].
/// As a tensor the input is [1, channels, height, width] and the filter [outputs, channels, 3, 3].
struct Conv {
  std::int64_t channels, height, width, outputs;
  const float *input, *filter;
  float *output;
  int threads;
};

/// Three stages over an image with a border of two: the mean of three neighbours in a row, of three in a column, and the
/// gradient's magnitude by central differences, as sum of absolute values.
///
///     across[y, x] = (input[y, x] + input[y, x + 1] + input[y, x + 2]) / 3               y < n + 4, x < n + 2
///     mean[y, x]   = (across[y, x] + across[y + 1, x] + across[y + 2, x]) / 3            y < n + 2, x < n + 2
///     output[y, x] = |mean[y + 1, x + 2] - mean[y + 1, x]| + |mean[y + 2, x + 1] - mean[y, x + 1]|
///
/// The input is [n + 4, n + 4], the output [n, n].
struct Stencil {
  std::int64_t n;
  const float *input;
  float *output;
  int threads;
};

/// output[j, i] = input[i, j], both [n, n]
struct Transpose {
  std::int64_t n;
  const float *input;
  float *output;
  int threads;
};

/// output[r, :] = exp(input[r, :] - max) / sum of the same
struct Softmax {
  std::int64_t rows, columns;
  const float *input;
  float *output;
  int threads;
};

/// output[i] = f(input[i]); the logarithm of numbers in (0, 1], others of [-1, 1). gelu is x / 2 * (1 + erf(x / sqrt 2)).
struct MathFunction {
  enum class Kind { exp, log, tanh, erf, sin, cos, tan, sinh, cosh, asin, acos, atan, gelu } kind;
  std::int64_t n;
  const float *input;
  float *output;
  int threads;
};

/// Prepares an implementation for one workload; what it returns is timed.
template <class Workload>
using Make = std::function<void()> (*)(const Workload &);

template <class Workload>
struct Implementation {
  std::string name;
  Make<Workload> make;
};

template <class Workload>
std::vector<Implementation<Workload>> &implementations() {
  static std::vector<Implementation<Workload>> all;
  return all;
}

template <class Workload>
struct Register {
  Register(const char *name, Make<Workload> make) { implementations<Workload>().push_back({name, make}); }
};

/// Calls body(begin, end) on `threads` threads, which share [0, n) evenly: how implementations without threads of their own get
/// them.
template <class Body>
void for_ranges(std::int64_t n, int threads, Body &&body) {
  if (threads == 1) return body(std::int64_t{0}, n);
#pragma omp parallel num_threads(threads)
  {
    const std::int64_t part = omp_get_thread_num(), parts = omp_get_num_threads();
    body(n * part / parts, n * (part + 1) / parts);
  }
}

}  // namespace bench
