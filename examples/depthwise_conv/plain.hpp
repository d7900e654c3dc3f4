// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// What the example measures Lathe against: the convolution as one would write it by hand in C++, compiled with -O3
/// -march=native.

#include <cstdint>

namespace plain {

/// A depthwise convolution with channel multiplier, NCHW, SAME padding: channel c * multiplier + m of the output is channel c of
/// the input under filter (c, m).
struct Shape {
  std::int64_t channels, multiplier, height, width, kernel, stride;
  std::int64_t out_height() const { return (height + stride - 1) / stride; }
  std::int64_t out_width() const { return (width + stride - 1) / stride; }
  /// Rows above and columns left of the image that the first window reaches over, when `size` elements become `out`.
  std::int64_t pad_before(std::int64_t size, std::int64_t out) const {
    const std::int64_t total = (out - 1) * stride + kernel - size;
    return total > 0 ? total / 2 : 0;
  }
};

/// Loops over the output, the image padded beforehand so that the inner loops have no condition.
void depthwise(const Shape &shape, const float *input, const float *filter, float *output);
/// The same followed by max(output * scale + shift, 0), in the same loops.
void depthwise_relu(const Shape &shape, const float *input, const float *filter, const float *scale, const float *shift,
                    float *output);

/// The reference: straight from the definition, in double, with a bounds test at every element.
void reference(const Shape &shape, const float *input, const float *filter, double *output);

}  // namespace plain
