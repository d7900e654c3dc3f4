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

// What becomes of the sums of a channel.
template <class Batch>
struct Identity {
  Batch operator()(const Batch &sums) const { return sums; }
};
template <class Batch>
struct ScaleShiftRelu {
  Batch scale, shift;
  Batch operator()(const Batch &sums) const { return xsimd::max(xsimd::fma(sums, scale, shift), Batch(0.0f)); }
};

// One channel in vectors of some width, which is at most the image's.
template <class Batch, class Finish>
struct Channel {
  using Lanes = xsimd::batch_bool<float, typename Batch::arch_type>;
  static constexpr std::int64_t lanes = Batch::size;
  // Rows of one tile of outputs: each loaded input vector serves up to three of them. As many as the registers hold beside 9
  // filter taps.
  static constexpr int tile_rows = lanes >= 16 ? 8 : 4;

  const Depthwise &w;
  const float *zeros;  // a row of zeros, readable one vector to both sides
  Finish finish;
  std::int64_t index;
  Batch taps[9] = {};
  Lanes first = lane() == Batch(0.0f), last = lane() == Batch(static_cast<float>(lanes - 1));

  static Batch lane() {
    float number[lanes];
    for (std::int64_t i = 0; i < lanes; ++i) number[i] = static_cast<float>(i);
    return Batch::load_unaligned(number);
  }

  // Outputs (y .. y + Rows, x .. x + lanes), from the Rows + 2 input rows around them. The lanes left and right of the image
  // count as 0.
  template <int Rows, bool AtLeft, bool AtRight>
  void tile(const float *const *rows, std::int64_t x, float *out) const {
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
        sums[j] = xsimd::fma(left, taps[ky * 3], sums[j]);
        sums[j] = xsimd::fma(middle, taps[ky * 3 + 1], sums[j]);
        sums[j] = xsimd::fma(right, taps[ky * 3 + 2], sums[j]);
      }
    }
#pragma GCC unroll 8
    for (int j = 0; j < Rows; ++j) finish(sums[j]).store_unaligned(out + j * w.width + x);
  }

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
    if (end == 0) return tile<Rows, true, true>(around, 0, out);
    tile<Rows, true, false>(around, 0, out);
    for (std::int64_t x = lanes; x < end; x += lanes) tile<Rows, false, false>(around, x, out);
    tile<Rows, false, true>(around, end, out);
  }

  void run() {
    for (int i = 0; i < 9; ++i) taps[i] = Batch(w.filter[index * 9 + i]);
    std::int64_t y = 0;
    for (; y + tile_rows <= w.height; y += tile_rows) rows<tile_rows>(y);
    for (; y < w.height; ++y) rows<1>(y);
  }
};

// Every channel in vectors of `Batch`; `epilogue(c)` is what becomes of the sums of channel c.
template <class Batch, class Epilogue>
std::function<void()> channels(const Depthwise &w, Epilogue epilogue) {
  return [=] {
    for_ranges(w.channels, w.threads, [&](std::int64_t begin, std::int64_t end) {
      const std::vector<float> zeros(w.width + 2 * Batch::size, 0.0f);
      for (std::int64_t c = begin; c < end; ++c)
        Channel<Batch, decltype(epilogue(c))>{w, zeros.data() + Batch::size, epilogue(c), c}.run();
    });
  };
}

// Images narrower than the widest vector are computed in half of it.
using Half = xsimd::make_sized_batch_t<float, lanes == 16 ? 8 : 4>;

std::function<void()> depthwise(const Depthwise &w) {
  if (w.width >= lanes) return channels<Batch>(w, [](std::int64_t) { return Identity<Batch>(); });
  if (w.width >= static_cast<std::int64_t>(Half::size)) return channels<Half>(w, [](std::int64_t) { return Identity<Half>(); });
  return {};
}

std::function<void()> depthwise_relu(const DepthwiseRelu &w) {
  if (w.conv.width < lanes) return {};
  return channels<Batch>(w.conv, [w](std::int64_t c) { return ScaleShiftRelu<Batch>{Batch(w.scale[c]), Batch(w.shift[c])}; });
}

const Register<VectorAdd> registered_vector_add("xsimd", vector_add);
const Register<Depthwise> registered_depthwise("xsimd", depthwise);
const Register<DepthwiseRelu> registered_depthwise_relu("xsimd", depthwise_relu);

}  // namespace
}  // namespace bench
