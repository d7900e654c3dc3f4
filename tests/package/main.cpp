// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Runs the two units of this program, each of which includes all of Lathe.

#include <cstdio>

bool depthwise_is_right();
bool product_is_right();

int main() {
  const bool depthwise = depthwise_is_right(), product = product_is_right();
  std::printf("depthwise convolution: %s\nmatrix product: %s\n", depthwise ? "right" : "wrong", product ? "right" : "wrong");
  return depthwise && product ? 0 : 1;
}
