// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: strides(): takes one stride per dimension
#include <lathe/lathe.hpp>

using namespace lathe;

int main() {
#ifdef PASSING
  auto A = placeholder<float>({8, 4}, "A").strides({16, 1});
#else
  auto A = placeholder<float>({8, 4}, "A").strides({16});
#endif
}
