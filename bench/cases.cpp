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

Case sgemm(std::string name, std::int64_t m, std::int64_t n, std::int64_t k, int threads) {
  std::vector<const float *> in;
  Case made = allocate(std::move(name), 2.0 * m * n * k, {std::size_t(m * k), std::size_t(k * n)}, m * n, in);
  std::vector<double> reference(m * n, 0.0);
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t l = 0; l < k; ++l)
      for (std::int64_t j = 0; j < n; ++j) reference[i * n + j] += double(in[0][i * k + l]) * double(in[1][l * n + j]);
  run_all(made, Sgemm{m, n, k, in[0], in[1], made.output.data(), threads}, reference);
  return made;
}

// The 3x3 sums of one output row at the columns 0 .. width, added to `sums`: zeros around the image.
void add_window(const float *input, const float *filter, std::int64_t height, std::int64_t width, std::int64_t y, double *sums) {
  for (std::int64_t v = std::max<std::int64_t>(0, y - 1); v <= std::min(height - 1, y + 1); ++v)
    for (std::int64_t x = 0; x < width; ++x)
      for (std::int64_t u = std::max<std::int64_t>(0, x - 1); u <= std::min(width - 1, x + 1); ++u)
        sums[x] += double(input[v * width + u]) * double(filter[(v - y + 1) * 3 + (u - x + 1)]);
}

std::vector<double> depthwise_reference(std::int64_t channels, std::int64_t height, std::int64_t width, const float *input,
                                        const float *filter) {
  std::vector<double> reference(channels * height * width, 0.0);
  for (std::int64_t c = 0; c < channels; ++c)
    for (std::int64_t y = 0; y < height; ++y)
      add_window(input + c * height * width, filter + c * 9, height, width, y, &reference[(c * height + y) * width]);
  return reference;
}

Case depthwise(std::string name, std::int64_t channels, std::int64_t height, std::int64_t width, int threads) {
  std::vector<const float *> in;
  const std::size_t size = channels * height * width;
  Case made = allocate(std::move(name), 18.0 * size, {size, std::size_t(channels * 9)}, size, in);
  const std::vector<double> reference = depthwise_reference(channels, height, width, in[0], in[1]);
  run_all(made, Depthwise{channels, height, width, in[0], in[1], made.output.data(), threads}, reference);
  return made;
}

// Three operations more an element: multiplication, addition, maximum.
Case depthwise_relu(std::string name, std::int64_t channels, std::int64_t height, std::int64_t width, int threads) {
  std::vector<const float *> in;
  const std::size_t size = channels * height * width, each = channels;
  Case made = allocate(std::move(name), 21.0 * size, {size, 9 * each, each, each}, size, in);
  std::vector<double> reference = depthwise_reference(channels, height, width, in[0], in[1]);
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t c = i / (height * width);
    reference[i] = std::max(reference[i] * double(in[2][c]) + double(in[3][c]), 0.0);
  }
  const Depthwise conv{channels, height, width, in[0], in[1], made.output.data(), threads};
  run_all(made, DepthwiseRelu{conv, in[2], in[3]}, reference);
  return made;
}

Case conv(std::string name, std::int64_t channels, std::int64_t height, std::int64_t width, std::int64_t outputs, int threads) {
  std::vector<const float *> in;
  const std::size_t plane = height * width, size = outputs * plane;
  Case made =
      allocate(std::move(name), 18.0 * size * channels, {channels * plane, std::size_t(9 * outputs * channels)}, size, in);
  std::vector<double> reference(size, 0.0);
  for (std::int64_t o = 0; o < outputs; ++o)
    for (std::int64_t c = 0; c < channels; ++c)
      for (std::int64_t y = 0; y < height; ++y)
        add_window(in[0] + c * plane, in[1] + (o * channels + c) * 9, height, width, y, &reference[o * plane + y * width]);
  run_all(made, Conv{channels, height, width, outputs, in[0], in[1], made.output.data(), threads}, reference);
  return made;
}

// Eleven operations an element: three for either mean, two differences and absolute values, and their sum.
Case stencil(std::string name, std::int64_t n, int threads) {
  std::vector<const float *> in;
  const std::int64_t width = n + 4;
  Case made = allocate(std::move(name), 11.0 * n * n, {std::size_t(width * width)}, n * n, in);
  const auto mean = [&](std::int64_t y, std::int64_t x) {  // both means at once
    double sum = 0;
    for (int v = 0; v < 3; ++v)
      for (int u = 0; u < 3; ++u) sum += in[0][(y + v) * width + x + u];
    return sum / 9;
  };
  std::vector<double> reference(n * n);
  for (std::int64_t y = 0; y < n; ++y)
    for (std::int64_t x = 0; x < n; ++x)
      reference[y * n + x] = std::fabs(mean(y + 1, x + 2) - mean(y + 1, x)) + std::fabs(mean(y + 2, x + 1) - mean(y, x + 1));
  run_all(made, Stencil{n, in[0], made.output.data(), threads}, reference);
  return made;
}

// One operation an element: the move.
Case transpose(std::string name, std::int64_t n, int threads) {
  std::vector<const float *> in;
  Case made = allocate(std::move(name), static_cast<double>(n) * n, {std::size_t(n * n)}, n * n, in);
  std::vector<double> reference(n * n);
  for (std::int64_t i = 0; i < n * n; ++i) reference[i] = in[0][i % n * n + i / n];
  run_all(made, Transpose{n, in[0], made.output.data(), threads}, reference);
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
    case MathFunction::Kind::erf: return std::erf(x);
    case MathFunction::Kind::sin: return std::sin(x);
    case MathFunction::Kind::cos: return std::cos(x);
    case MathFunction::Kind::tan: return std::tan(x);
    case MathFunction::Kind::sinh: return std::sinh(x);
    case MathFunction::Kind::cosh: return std::cosh(x);
    case MathFunction::Kind::asin: return std::asin(x);
    case MathFunction::Kind::acos: return std::acos(x);
    case MathFunction::Kind::atan: return std::atan(x);
    default: return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
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
  for (const std::int64_t n : {256, 512, 1024, 2048}) add("sgemm/" + std::to_string(n), sgemm, n, n, n);
  add("sgemm/16x1024x1024", sgemm, 16, 1024, 1024);
  add("sgemm/1x1024x1024", sgemm, 1, 1024, 1024);
  add("depthwise/256x96x96", depthwise, 256, 96, 96);
  add("depthwise/32x112x112", depthwise, 32, 112, 112);
  add("depthwise/128x56x56", depthwise, 128, 56, 56);
  add("depthwise/256x28x28", depthwise, 256, 28, 28);
  add("depthwise/512x14x14", depthwise, 512, 14, 14);
  add("depthwise_relu/32x112x112", depthwise_relu, 32, 112, 112);
  add("conv3x3/64x56x56", conv, 64, 56, 56, 64);
  add("stencil3/2048x2048", stencil, 2048);
  add("transpose/2048x2048", transpose, 2048);
  add("softmax/4096x1024", softmax, 4096, 1024);
  add("gelu/1048576", math_function, MathFunction::Kind::gelu, 1 << 20);
  add("math/exp", math_function, MathFunction::Kind::exp, 4096);
  add("math/log", math_function, MathFunction::Kind::log, 4096);
  add("math/tanh", math_function, MathFunction::Kind::tanh, 4096);
  add("math/erf", math_function, MathFunction::Kind::erf, 4096);
  add("math/sin", math_function, MathFunction::Kind::sin, 4096);
  add("math/cos", math_function, MathFunction::Kind::cos, 4096);
  add("math/tan", math_function, MathFunction::Kind::tan, 4096);
  add("math/sinh", math_function, MathFunction::Kind::sinh, 4096);
  add("math/cosh", math_function, MathFunction::Kind::cosh, 4096);
  add("math/asin", math_function, MathFunction::Kind::asin, 4096);
  add("math/acos", math_function, MathFunction::Kind::acos, 4096);
  add("math/atan", math_function, MathFunction::Kind::atan, 4096);
  return cases;
}

}  // namespace bench
