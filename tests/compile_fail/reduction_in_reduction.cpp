// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: a reduction is the whole body of its stage: name it first
#include <lathe/lathe.hpp>

using namespace lathe;

int main() {
  auto A = placeholder<float>({8, 4}, "A");
  auto k = reduce_axis(4, "k");
  auto l = reduce_axis(8, "l");
#ifdef PASSING
  auto B = compute([&] { return sum(A(l, k), l, k); });
#else
  auto B = compute([&] { return sum(sum(A(l, k), k), l); });
#endif
}
