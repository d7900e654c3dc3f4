// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "depthwise_conv/plain.hpp"

#include <algorithm>
#include <vector>

namespace plain {
namespace {

/// One channel with zeros around it.
void pad(const Shape &s, const float *channel, std::vector<float> &padded, std::int64_t padded_width,
         std::int64_t padded_height) {
  const std::int64_t top = s.pad_before(s.height, s.out_height()), left = s.pad_before(s.width, s.out_width());
  std::fill(padded.begin(), padded.end(), 0.0f);
  for (std::int64_t y = 0; y < s.height && y + top < padded_height; ++y)
    std::copy_n(channel + y * s.width, std::min(s.width, padded_width - left), padded.data() + (y + top) * padded_width + left);
}

template <class Finish>
void convolve(const Shape &s, const float *input, const float *filter, float *output, const Finish &finish) {
  const std::int64_t out_height = s.out_height(), out_width = s.out_width();
  const std::int64_t padded_height = (out_height - 1) * s.stride + s.kernel, padded_width = (out_width - 1) * s.stride + s.kernel;
  std::vector<float> padded(static_cast<std::size_t>(padded_height * padded_width));
  for (std::int64_t c = 0; c < s.channels; ++c) {
    pad(s, input + c * s.height * s.width, padded, padded_width, padded_height);
    for (std::int64_t m = 0; m < s.multiplier; ++m) {
      const std::int64_t channel = c * s.multiplier + m;
      const float *taps = filter + channel * s.kernel * s.kernel;
      for (std::int64_t y = 0; y < out_height; ++y) {
        float *row = output + (channel * out_height + y) * out_width;
        std::fill_n(row, out_width, 0.0f);
        for (std::int64_t ky = 0; ky < s.kernel; ++ky)
          for (std::int64_t kx = 0; kx < s.kernel; ++kx) {
            const float tap = taps[ky * s.kernel + kx];
            const float *from = padded.data() + (y * s.stride + ky) * padded_width + kx;
            if (s.stride == 1)
              for (std::int64_t x = 0; x < out_width; ++x) row[x] += tap * from[x];
            else
              for (std::int64_t x = 0; x < out_width; ++x) row[x] += tap * from[x * s.stride];
          }
        finish(channel, row, out_width);
      }
    }
  }
}

}  // namespace

void depthwise(const Shape &shape, const float *input, const float *filter, float *output) {
  convolve(shape, input, filter, output, [](std::int64_t, float *, std::int64_t) {});
}

void depthwise_relu(const Shape &shape, const float *input, const float *filter, const float *scale, const float *shift,
                    float *output) {
  convolve(shape, input, filter, output, [&](std::int64_t channel, float *row, std::int64_t width) {
    for (std::int64_t x = 0; x < width; ++x) row[x] = std::max(row[x] * scale[channel] + shift[channel], 0.0f);
  });
}

void reference(const Shape &s, const float *input, const float *filter, double *output) {
  const std::int64_t top = s.pad_before(s.height, s.out_height()), left = s.pad_before(s.width, s.out_width());
  for (std::int64_t channel = 0; channel < s.channels * s.multiplier; ++channel)
    for (std::int64_t y = 0; y < s.out_height(); ++y)
      for (std::int64_t x = 0; x < s.out_width(); ++x) {
        double sum = 0;
        for (std::int64_t ky = 0; ky < s.kernel; ++ky)
          for (std::int64_t kx = 0; kx < s.kernel; ++kx) {
            const std::int64_t iy = y * s.stride + ky - top, ix = x * s.stride + kx - left;
            if (iy < 0 || iy >= s.height || ix < 0 || ix >= s.width) continue;
            sum += static_cast<double>(input[(channel / s.multiplier * s.height + iy) * s.width + ix]) *
                   filter[(channel * s.kernel + ky) * s.kernel + kx];
          }
        *output++ = sum;
      }
}

}  // namespace plain
