// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A depthwise convolution of a photograph with a bank of filters, written inline, under three schedules.
///
///     depthwise_conv [photograph.png [result.png]]
///
/// Each channel of the picture goes through four filters (blur, sharpen, Sobel x and y), 3x3 and 5x5, with stride 1 and 2 and
/// SAME padding. For each schedule the program prints the loops, the largest difference from a reference computed in double,
/// time, GFLOP/s, per cent of the roofline measured in this run, and the speed against plain C++ loops compiled with -O3
/// -march=native.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <lathe/jit.hpp>
#include <lathe/lathe.hpp>

#include "depthwise_conv/picture.hpp"
#include "depthwise_conv/plain.hpp"
#include "probes/probes.hpp"

using namespace lathe;

namespace {

constexpr std::int64_t channels = 3, multiplier = 4;
const char *const filter_names[multiplier] = {"blur", "sharpen", "Sobel x", "Sobel y"};

/// The bank of filters for one kernel size: the outer product of a smoothing and a second profile, per filter.
Array<float, 4> filter_bank(std::int64_t size) {
  const bool small = size == 3;
  const std::vector<float> smooth = small ? std::vector<float>{1, 2, 1} : std::vector<float>{1, 4, 6, 4, 1};
  const std::vector<float> slope = small ? std::vector<float>{-1, 0, 1} : std::vector<float>{-1, -2, 0, 2, 1};
  const float weight = small ? 1.0f / 4 : 1.0f / 16, gain = small ? 1.0f : 1.0f / 2;
  return Array<float, 4>::generate(
      {channels, multiplier, size, size}, [&](std::int64_t, std::int64_t m, std::int64_t y, std::int64_t x) {
        const auto uy = static_cast<std::size_t>(y), ux = static_cast<std::size_t>(x);
        const float blur = smooth[uy] * smooth[ux] * weight * weight;
        if (m == 0) return blur;
        if (m == 1) return (y == size / 2 && x == size / 2 ? 2.0f : 0.0f) - blur;
        return m == 2 ? smooth[uy] * slope[ux] * weight * gain : slope[uy] * smooth[ux] * weight * gain;
      });
}

/// The expression, as it stands in a paper.
struct Depthwise {
  Input<float, 4> input, filter;
  Input<float, 1> scale, shift;
  Tensor<float, 4> padded, conv, relu;
  ReduceAxis ky, kx;
};

Depthwise depthwise(const plain::Shape &p) {
  const std::int64_t OH = p.out_height(), OW = p.out_width(), K = p.kernel, H = p.height, W = p.width;
  const std::int64_t top = p.pad_before(H, OH), left = p.pad_before(W, OW), stride = p.stride;
  auto input = placeholder<float>({1, channels, H, W}, "input");
  auto filter = placeholder<float>({channels, multiplier, K, K}, "filter");
  auto scale = placeholder<float>({channels * multiplier}, "scale");
  auto shift = placeholder<float>({channels * multiplier}, "shift");
  auto padded = compute(
      {1, channels, (OH - 1) * stride + K, (OW - 1) * stride + K},
      [&](Index n, Index c, Index y, Index x) {
        return if_then_else(y >= top && y < H + top && x >= left && x < W + left, input(n, c, y - top, x - left), 0.0f);
      },
      "padded(n, c, y, x)");
  auto ky = reduce_axis(K, "ky"), kx = reduce_axis(K, "kx");
  auto conv = compute(
      {1, channels * multiplier, OH, OW},
      [&](Index n, Index c, Index y, Index x) {
        return sum(padded(n, c / multiplier, y * stride + ky, x * stride + kx) * filter(c / multiplier, c % multiplier, ky, kx),
                   ky, kx);
      },
      "conv(n, c, y, x)");
  auto relu = compute(
      conv.shape(), [&](Index n, Index c, Index y, Index x) { return max(conv(n, c, y, x) * scale(c) + shift(c), 0.0f); },
      "relu(n, c, y, x)");
  return {input, filter, scale, shift, padded, conv, relu, ky, kx};
}

/// Register tiles of `rows` rows by a few vectors: the sums stay in registers while the window runs.
template <class T>
void tile(Schedule &s, const Depthwise &d, const Tensor<T, 4> &out, const Tensor<T, 4> &sums, std::int64_t rows,
          std::int64_t columns) {
  auto [n, c, y, x] = s[out].axes();
  auto [yo, xo, yi, xi] = s[out].tile(y, x, rows, columns);
  s[out].unroll(yi);
  s[out].vectorize(xi);
  s[sums].compute_at(s[out], xo);
  s[sums].set_scope(scope::local);
  auto [sn, sc, sy, sx] = s[sums].axes();
  s[sums].reorder(d.ky, d.kx, sy, sx);
  s[sums].unroll(d.ky);
  s[sums].unroll(d.kx);
  s[sums].unroll(sy);
  s[sums].vectorize(sx);
  auto padded_axes = s[d.padded].axes();
  auto [po, pi] = s[d.padded].split(padded_axes[3], columns);
  s[d.padded].vectorize(pi);
}

double seconds(const std::function<void()> &run) {
  using clock = std::chrono::steady_clock;
  run();
  std::vector<double> times;
  for (int repetition = 0; repetition < 15; ++repetition) {
    const auto start = clock::now();
    run();
    times.push_back(std::chrono::duration<double>(clock::now() - start).count());
  }
  std::nth_element(times.begin(), times.begin() + 7, times.end());
  return times[7];
}

/// What is measured once for all.
struct Machine {
  int threads = default_executor().thread_count();
  double peak_one = probes::peak_gflops(1), peak_all = probes::peak_gflops(threads);
};

class Demo {
 public:
  Demo(const Picture &photograph, std::int64_t kernel, std::int64_t stride, const Machine &machine)
      : shape_{channels, multiplier, photograph.height, photograph.width, kernel, stride},
        machine_(machine),
        image_({1, channels, shape_.height, shape_.width}),
        filters_(filter_bank(kernel)),
        scale_({channels * multiplier}),
        shift_({channels * multiplier}),
        result_({1, channels * multiplier, shape_.out_height(), shape_.out_width()}),
        d_(depthwise(shape_)) {
    std::copy(photograph.planes.begin(), photograph.planes.end(), image_.data());
    // Slopes are shown around grey: half their value, shifted by a half.
    for (std::int64_t c = 0; c < channels * multiplier; ++c) {
      scale_(c) = c % multiplier < 2 ? 1.0f : 0.5f;
      shift_(c) = c % multiplier < 2 ? 0.0f : 0.5f;
    }
    reference_.resize(static_cast<std::size_t>(result_.size()));
    plain::reference(shape_, image_.data(), filters_.data(), reference_.data());
    const double flops = 2.0 * static_cast<double>(result_.size()) * static_cast<double>(kernel * kernel);
    flops_ = flops;
    plain_ = seconds([&] { plain::depthwise(shape_, image_.data(), filters_.data(), result_.data()); });
    plain_relu_ = seconds(
        [&] { plain::depthwise_relu(shape_, image_.data(), filters_.data(), scale_.data(), shift_.data(), result_.data()); });
    std::printf(
        "\n==== %lld x %lld filters, stride %lld: [1, %lld, %lld, %lld] -> [1, %lld, %lld, %lld]; plain C++ %.3f ms, with "
        "scale-shift-ReLU %.3f ms\n",
        ll(kernel), ll(kernel), ll(stride), ll(channels), ll(shape_.height), ll(shape_.width), ll(channels * multiplier),
        ll(shape_.out_height()), ll(shape_.out_width()), plain_ * 1e3, plain_relu_ * 1e3);
  }

  bool run() {
    Schedule none(d_.conv);
    report("no schedule", none, false, 1, plain_);

    Schedule tiled(d_.conv);
    auto sums = tiled.cache_write(d_.conv, scope::local);
    tile(tiled, d_, d_.conv, sums, 4, 16);
    report("tiled and vectorised", tiled, false, 1, plain_);

    Schedule fused(d_.relu);
    tile(fused, d_, d_.relu, d_.conv, 4, 16);
    auto loops = fused[d_.relu].loops();
    fused[d_.relu].parallel(fused[d_.relu].fuse({loops[0], loops[1], loops[2]}));
    fused[d_.padded].parallel(
        fused[d_.padded].fuse({fused[d_.padded].loops()[0], fused[d_.padded].loops()[1], fused[d_.padded].loops()[2]}));
    report("the same, parallel, scale-shift-ReLU fused", fused, true, machine_.threads, plain_relu_);
    return good_;
  }

  /// The picture that filter m makes.
  Picture picture(std::int64_t m) const {
    Picture result(shape_.out_height(), shape_.out_width());
    for (int plane = 0; plane < channels; ++plane)
      for (std::int64_t y = 0; y < result.height; ++y)
        for (std::int64_t x = 0; x < result.width; ++x) result.at(plane, y, x) = result_(0, plane * multiplier + m, y, x);
    return result;
  }

 private:
  static long long ll(std::int64_t value) { return static_cast<long long>(value); }

  void report(const char *title, const Schedule &s, bool relu, int threads, double plain) {
    double time = 0;
    std::string text;
    result_.fill(-1.0f);
    if (relu) {
      text = print(s, d_.input, d_.filter, d_.scale, d_.shift, d_.relu);
      auto kernel = jit(s, {.name = "depthwise_relu"}, d_.input, d_.filter, d_.scale, d_.shift, d_.relu);
      time = seconds([&] { kernel(image_, filters_, scale_, shift_, result_); });
    } else {
      text = print(s, d_.input, d_.filter, d_.conv);
      auto kernel = jit(s, {.name = "depthwise"}, d_.input, d_.filter, d_.conv);
      time = seconds([&] { kernel(image_, filters_, result_); });
    }
    const double difference = largest_difference(relu);
    good_ &= difference < 1e-5;
    const double peak = threads == 1 ? machine_.peak_one : machine_.peak_all;
    const auto read = static_cast<std::size_t>(image_.size() + filters_.size()) * 4,
               written = static_cast<std::size_t>(result_.size()) * 4;
    const double memory = static_cast<double>(read + written) / (probes::bandwidth_gbs(read, written, threads) * 1e9);
    const double roofline = std::max(memory, flops_ / (peak * 1e9));
    std::printf("\n-- %s\n%s\n", title, text.c_str());
    std::printf(
        "%d thread%s: %.3f ms, %.1f GFLOP/s, %.0f %% of the roofline (%.0f GFLOP/s: %s), %.2f times plain C++; largest "
        "difference %.1e%s\n",
        threads, threads == 1 ? "" : "s", time * 1e3, flops_ / time * 1e-9, 100 * roofline / time, flops_ / roofline * 1e-9,
        memory > flops_ / (peak * 1e9) ? "memory" : "arithmetic", plain / time, difference, difference < 1e-5 ? "" : "  WRONG");
  }

  double largest_difference(bool relu) const {
    double largest = 0;
    const std::int64_t plane = shape_.out_height() * shape_.out_width();
    for (std::int64_t i = 0; i < result_.size(); ++i) {
      double expected = reference_[static_cast<std::size_t>(i)];
      if (relu) expected = std::max(expected * scale_(i / plane) + shift_(i / plane), 0.0);
      largest = std::max(largest, std::abs(expected - result_.data()[i]));
    }
    return largest;
  }

  plain::Shape shape_;
  const Machine &machine_;
  Array<float, 4> image_, filters_;
  Array<float, 1> scale_, shift_;
  Array<float, 4> result_;
  Depthwise d_;
  std::vector<double> reference_;
  double flops_ = 0, plain_ = 0, plain_relu_ = 0;
  bool good_ = true;
};

/// The photograph and, below it, a row of results for each convolution.
Picture contact_sheet(const Picture &photograph, const std::vector<std::vector<Picture>> &rows) {
  std::int64_t height = photograph.height, width = photograph.width;
  for (const auto &row : rows) {
    std::int64_t row_width = 0;
    for (const Picture &picture : row) row_width += picture.width;
    width = std::max(width, photograph.width + row_width);
    height += row.front().height;
  }
  height -= photograph.height;
  Picture sheet(std::max(height, photograph.height), width);
  sheet.paste(photograph, 0, 0);
  std::int64_t top = 0;
  for (const auto &row : rows) {
    std::int64_t left = photograph.width;
    for (const Picture &picture : row) {
      sheet.paste(picture, top, left);
      left += picture.width;
    }
    top += row.front().height;
  }
  return sheet;
}

}  // namespace

int main(int argc, char **argv) try {
  const std::string from = argc > 1 ? argv[1] : EXAMPLE_DATA "/images/photograph.png";
  const std::string to = argc > 2 ? argv[2] : "depthwise_conv.png";
  const Picture photograph = read_png(from);
  const Machine machine;
  std::printf("%s: %lld x %lld. Peak measured now: %.0f GFLOP/s on one thread, %.0f on %d\n", from.c_str(),
              static_cast<long long>(photograph.width), static_cast<long long>(photograph.height), machine.peak_one,
              machine.peak_all, machine.threads);
  bool good = true;
  std::vector<std::vector<Picture>> rows;
  for (const std::int64_t kernel : {3, 5})
    for (const std::int64_t stride : {1, 2}) {
      Demo demo(photograph, kernel, stride, machine);
      good &= demo.run();
      std::vector<Picture> row;
      for (std::int64_t m = 0; m < multiplier; ++m) row.push_back(demo.picture(m));
      rows.push_back(std::move(row));
    }
  write_png(to, contact_sheet(photograph, rows));
  std::printf("\nThe photograph with %s, %s, %s and %s beside it: %s\n", filter_names[0], filter_names[1], filter_names[2],
              filter_names[3], to.c_str());
  return good ? 0 : 1;
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
