// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A depthwise convolution with its schedule, written inline, against four nested loops. All values are small integers, so the
/// comparison is exact.

#include <lathe/jit.hpp>
#include <lathe/lathe.hpp>

using namespace lathe;

namespace {
constexpr int N = 2, C = 3, H = 11, W = 37, KH = 3, KW = 3, p = 1, stride = 2;
constexpr int OH = (H + 2 * p - KH) / stride + 1, OW = (W + 2 * p - KW) / stride + 1;
}  // namespace

bool depthwise_is_right() {
  auto input = placeholder<float>({N, C, H, W}, "input");
  auto filter = placeholder<float>({C, 1, KH, KW}, "filter");
  auto padded = compute(
      {N, C, H + 2 * p, W + 2 * p},
      [&](Index n, Index c, Index y, Index x) {
        return if_then_else(y >= p && y < H + p && x >= p && x < W + p, input(n, c, y - p, x - p), 0.0f);
      },
      "padded");
  auto ky = reduce_axis(KH, "ky"), kx = reduce_axis(KW, "kx");
  auto conv = compute(
      {N, C, OH, OW},
      [&](Index n, Index c, Index y, Index x) {
        return sum(padded(n, c, y * stride + ky, x * stride + kx) * filter(c, 0, ky, kx), ky, kx);
      },
      "conv");

  Schedule s(conv);
  s[padded].compute_inline();
  auto [n, c, y, x] = s[conv].axes();
  auto [xo, xi] = s[conv].split(x, 16);
  s[conv].reorder(n, c, y, xo, ky, kx, xi);
  s[conv].vectorize(xi);
  s[conv].parallel(s[conv].fuse(n, c));

  auto kernel = jit(s, {.name = "depthwise"}, input, filter, conv);

  Array<float, 4> image({N, C, H, W}), weights({C, 1, KH, KW}), result({N, C, OH, OW});
  for (int b = 0; b < N; ++b)
    for (int d = 0; d < C; ++d)
      for (int i = 0; i < H; ++i)
        for (int j = 0; j < W; ++j) image(b, d, i, j) = float((b * 131 + d * 57 + i * 17 + j * 3) % 101 - 50);
  for (int d = 0; d < C; ++d)
    for (int i = 0; i < KH; ++i)
      for (int j = 0; j < KW; ++j) weights(d, 0, i, j) = float((d * 7 + i * 3 + j) % 11 - 5);
  kernel(image, weights, result);

  for (int b = 0; b < N; ++b)
    for (int d = 0; d < C; ++d)
      for (int i = 0; i < OH; ++i)
        for (int j = 0; j < OW; ++j) {
          float expected = 0;
          for (int u = 0; u < KH; ++u)
            for (int v = 0; v < KW; ++v) {
              const int row = i * stride + u - p, column = j * stride + v - p;
              if (row >= 0 && row < H && column >= 0 && column < W) expected += image(b, d, row, column) * weights(d, 0, u, v);
            }
          if (result(b, d, i, j) != expected) return false;
        }
  return true;
}
