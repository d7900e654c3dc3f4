// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Kernels by hand on xsimd, for the instruction set of this machine.

#include <xsimd/xsimd.hpp>

#include <vector>

#include "workloads.hpp"

namespace bench {
namespace {

using Batch = xsimd::batch<float>;
constexpr std::int64_t lanes = Batch::size;

std::function<void()> vector_add(const VectorAdd &w) {
  return [=] {
    for_ranges(w.n, w.threads, [&](std::int64_t begin, std::int64_t end) {
      std::int64_t i = begin;
      for (; i + 4 * lanes <= end; i += 4 * lanes)
        for (std::int64_t u = 0; u < 4 * lanes; u += lanes)
          (Batch::load_unaligned(w.a + i + u) + Batch::load_unaligned(w.b + i + u)).store_unaligned(w.out + i + u);
      for (; i < end; ++i) w.out[i] = w.a[i] + w.b[i];
    });
  };
}

// Rows of one tile of outputs: each loaded input vector serves up to three of them. As many as the registers hold beside 9 filter
// taps.
constexpr int tile_rows = lanes >= 16 ? 8 : 4;

struct Taps {
  Batch at[9];
};
using Lanes = xsimd::batch_bool<float>;

// Outputs (y .. y + Rows, x .. x + lanes), from the Rows + 2 input rows around them. The lanes left and right of the image count
// as 0.
template <int Rows, bool AtLeft, bool AtRight>
inline void tile(const float *const *rows, std::int64_t x, std::int64_t width, const Taps &taps, Lanes first, Lanes last,
                 float *out) {
  Batch sums[Rows];
  for (int j = 0; j < Rows; ++j) sums[j] = Batch(0.0f);
#pragma GCC unroll 10
  for (int i = 0; i < Rows + 2; ++i) {
    Batch left = Batch::load_unaligned(rows[i] + x - 1), middle = Batch::load_unaligned(rows[i] + x),
          right = Batch::load_unaligned(rows[i] + x + 1);
    if constexpr (AtLeft) left = xsimd::select(first, Batch(0.0f), left);
    if constexpr (AtRight) right = xsimd::select(last, Batch(0.0f), right);
#pragma GCC unroll 8
    for (int j = 0; j < Rows; ++j) {
      const int ky = i - j;
      if (ky < 0 || ky > 2) continue;
      sums[j] = xsimd::fma(left, taps.at[ky * 3], sums[j]);
      sums[j] = xsimd::fma(middle, taps.at[ky * 3 + 1], sums[j]);
      sums[j] = xsimd::fma(right, taps.at[ky * 3 + 2], sums[j]);
    }
  }
#pragma GCC unroll 8
  for (int j = 0; j < Rows; ++j) sums[j].store_unaligned(out + j * width + x);
}

struct Channel {
  const Depthwise &w;
  const float *zeros;  // a row of zeros, readable one vector to both sides
  Taps taps;
  Lanes first, last;
  std::int64_t index;

  template <int Rows>
  void rows(std::int64_t y) const {
    const float *input = w.input + index * w.height * w.width;
    float *out = w.output + (index * w.height + y) * w.width;
    const float *around[Rows + 2];
    for (int i = 0; i < Rows + 2; ++i) {
      const std::int64_t row = y + i - 1;
      around[i] = row < 0 || row >= w.height ? zeros : input + row * w.width;
    }
    const std::int64_t end = w.width - lanes;  // where the last vector starts; it may overlap the one before
    if (end == 0) return tile<Rows, true, true>(around, 0, w.width, taps, first, last, out);
    tile<Rows, true, false>(around, 0, w.width, taps, first, last, out);
    for (std::int64_t x = lanes; x < end; x += lanes) tile<Rows, false, false>(around, x, w.width, taps, first, last, out);
    tile<Rows, false, true>(around, end, w.width, taps, first, last, out);
  }
};

void depthwise_channels(const Depthwise &w, std::int64_t begin, std::int64_t end) {
  const std::vector<float> zeros(w.width + 2 * lanes, 0.0f);
  float number[lanes];
  for (std::int64_t i = 0; i < lanes; ++i) number[i] = static_cast<float>(i);
  const Batch lane = Batch::load_unaligned(number);
  Channel channel{w, zeros.data() + lanes, {}, lane == Batch(0.0f), lane == Batch(static_cast<float>(lanes - 1)), 0};
  for (channel.index = begin; channel.index < end; ++channel.index) {
    for (int i = 0; i < 9; ++i) channel.taps.at[i] = Batch(w.filter[channel.index * 9 + i]);
    std::int64_t y = 0;
    for (; y + tile_rows <= w.height; y += tile_rows) channel.rows<tile_rows>(y);
    for (; y < w.height; ++y) channel.rows<1>(y);
  }
}

std::function<void()> depthwise(const Depthwise &w) {
  if (w.width < lanes) return {};
  return [=] {
    for_ranges(w.channels, w.threads, [&](std::int64_t begin, std::int64_t end) { depthwise_channels(w, begin, end); });
  };
}

const Register<VectorAdd> registered_vector_add("xsimd", vector_add);
const Register<Depthwise> registered_depthwise("xsimd", depthwise);

}  // namespace
}  // namespace bench
