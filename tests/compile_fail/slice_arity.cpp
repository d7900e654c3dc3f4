// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: slice(): takes one begin and one end per dimension
#include <lathe/lathe.hpp>

using namespace lathe;

int main() {
  auto A = placeholder<float>({8, 4}, "A");
#ifdef PASSING
  auto B = slice(A, {0, 1}, {8, 3});
#else
  auto B = slice(A, {0}, {8});
#endif
}
