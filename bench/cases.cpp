// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cases.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "workloads.hpp"

namespace bench {

Memory::Memory(std::size_t floats) : memory_(new(std::align_val_t(64)) float[floats + 2 * margin]), size_(floats) {
  std::fill_n(memory_.get(), floats + 2 * margin, 0.0f);
}

namespace {

constexpr std::size_t gap = 16 * 17;  // floats between inputs, so that equal indices are not equal modulo a page

// Distinct-looking values in [-1, 1), the same in every run.
void fill(float *data, std::size_t count, std::uint64_t seed) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u + seed * 0xd1b54a32d192ed03u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    data[i] = static_cast<float>(x >> 40) / static_cast<float>(1 << 23) - 1.0f;
  }
}

double relative_error(const Memory &output, const std::vector<double> &reference) {
  double worst = 0, scale = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const double difference = std::fabs(output.data()[i] - reference[i]);
    if (!(difference <= worst)) worst = std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
    scale = std::max(scale, std::fabs(reference[i]));
  }
  return worst / scale;
}

// The arrays of a case with inputs of the given sizes; `inputs` receives where each starts.
Case allocate(std::string name, double flops, const std::vector<std::size_t> &sizes, std::size_t output,
              std::vector<const float *> &inputs) {
  std::size_t total = 0;
  for (const std::size_t size : sizes) total += size + gap;
  Case made{std::move(name), flops, Memory(total), Memory(output), {}};
  fill(made.inputs.data(), total, 7);
  std::size_t at = 0;
  for (const std::size_t size : sizes) inputs.push_back(made.inputs.data() + at), at += (size + gap) / 16 * 16;
  return made;
}

// Prepares every implementation, runs it once on poisoned output and compares.
template <class Workload>
void run_all(Case &made, const Workload &workload, const std::vector<double> &reference) {
  for (const Implementation<Workload> &implementation : implementations<Workload>()) {
    std::fill_n(made.output.data(), made.output.size(), std::numeric_limits<float>::quiet_NaN());
    std::function<void()> run = implementation.make(workload);
    if (!run) continue;
    run();
    made.runs.push_back({implementation.name, std::move(run), relative_error(made.output, reference)});
  }
  const std::vector<std::string> order = {"plain", "libmvec", "eigen", "xsimd", "lathe"};
  const auto place = [&](const Run &run) { return std::find(order.begin(), order.end(), run.implementation) - order.begin(); };
  std::stable_sort(made.runs.begin(), made.runs.end(), [&](const Run &a, const Run &b) { return place(a) < place(b); });
}

Case vector_add(std::string name, std::int64_t n, int threads) {
  std::vector<const float *> in;
  Case made = allocate(std::move(name), static_cast<double>(n), {std::size_t(n), std::size_t(n)}, n, in);
  std::vector<double> reference(n);
  for (std::int64_t i = 0; i < n; ++i) reference[i] = double(in[0][i]) + double(in[1][i]);
  run_all(made, VectorAdd{n, in[0], in[1], made.output.data(), threads}, reference);
  return made;
}

Case sgemm(std::string name, std::int64_t n, int threads) {
  std::vector<const float *> in;
  const std::size_t size = n * n;
  Case made = allocate(std::move(name), 2.0 * n * n * n, {size, size}, size, in);
  std::vector<double> reference(size, 0.0);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t k = 0; k < n; ++k)
      for (std::int64_t j = 0; j < n; ++j) reference[i * n + j] += double(in[0][i * n + k]) * double(in[1][k * n + j]);
  run_all(made, Sgemm{n, in[0], in[1], made.output.data(), threads}, reference);
  return made;
}

Case depthwise(std::string name, std::int64_t channels, std::int64_t height, std::int64_t width, int threads) {
  std::vector<const float *> in;
  const std::size_t size = channels * height * width;
  Case made = allocate(std::move(name), 18.0 * size, {size, std::size_t(channels * 9)}, size, in);
  std::vector<double> reference(size, 0.0);
  for (std::int64_t c = 0; c < channels; ++c)
    for (std::int64_t y = 0; y < height; ++y)
      for (std::int64_t x = 0; x < width; ++x)
        for (std::int64_t v = std::max<std::int64_t>(0, y - 1); v <= std::min(height - 1, y + 1); ++v)
          for (std::int64_t u = std::max<std::int64_t>(0, x - 1); u <= std::min(width - 1, x + 1); ++u)
            reference[(c * height + y) * width + x] +=
                double(in[0][(c * height + v) * width + u]) * double(in[1][c * 9 + (v - y + 1) * 3 + (u - x + 1)]);
  run_all(made, Depthwise{channels, height, width, in[0], in[1], made.output.data(), threads}, reference);
  return made;
}

// Five operations an element: maximum, subtraction, exponential, addition, multiplication.
Case softmax(std::string name, std::int64_t rows, std::int64_t columns, int threads) {
  std::vector<const float *> in;
  const std::size_t size = rows * columns;
  Case made = allocate(std::move(name), 5.0 * size, {size}, size, in);
  std::vector<double> reference(size);
  for (std::int64_t r = 0; r < rows; ++r) {
    const float *x = in[0] + r * columns;
    const double most = *std::max_element(x, x + columns);
    double sum = 0;
    for (std::int64_t i = 0; i < columns; ++i) sum += reference[r * columns + i] = std::exp(x[i] - most);
    for (std::int64_t i = 0; i < columns; ++i) reference[r * columns + i] /= sum;
  }
  run_all(made, Softmax{rows, columns, in[0], made.output.data(), threads}, reference);
  return made;
}

double value_of(MathFunction::Kind kind, double x) {
  switch (kind) {
    case MathFunction::Kind::exp: return std::exp(x);
    case MathFunction::Kind::log: return std::log(x);
    case MathFunction::Kind::tanh: return std::tanh(x);
    default: return std::erf(x);
  }
}

// One operation an element: the function.
Case math_function(std::string name, MathFunction::Kind kind, std::int64_t n, int threads) {
  std::vector<const float *> in;
  Case made = allocate(std::move(name), static_cast<double>(n), {std::size_t(n)}, n, in);
  if (kind == MathFunction::Kind::log)
    for (float *x = made.inputs.data(); x < made.inputs.data() + n; ++x) *x = std::fabs(*x) + 1e-6f;
  std::vector<double> reference(n);
  for (std::int64_t i = 0; i < n; ++i) reference[i] = value_of(kind, in[0][i]);
  run_all(made, MathFunction{kind, n, in[0], made.output.data(), threads}, reference);
  return made;
}

}  // namespace

std::vector<Case> make_cases(const std::string &filter, int threads) {
  std::vector<Case> cases;
  const auto add = [&](const std::string &name, auto make, auto... extents) {
    if (name.find(filter) != std::string::npos) cases.push_back(make(name, extents..., threads));
  };
  add("vector_add/1048576", vector_add, 1048576);
  add("sgemm/256", sgemm, 256);
  add("sgemm/512", sgemm, 512);
  add("sgemm/1024", sgemm, 1024);
  add("depthwise/256x96x96", depthwise, 256, 96, 96);
  add("depthwise/32x112x112", depthwise, 32, 112, 112);
  add("softmax/4096x1024", softmax, 4096, 1024);
  add("math/exp", math_function, MathFunction::Kind::exp, 4096);
  add("math/log", math_function, MathFunction::Kind::log, 4096);
  add("math/tanh", math_function, MathFunction::Kind::tanh, 4096);
  add("math/erf", math_function, MathFunction::Kind::erf, 4096);
  return cases;
}

}  // namespace bench
