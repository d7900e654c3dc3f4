// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: select and if_then_else choose between values of one element type
#include <lathe/lathe.hpp>

using namespace lathe;

int main() {
  auto A = placeholder<float>({8, 4}, "A");
#ifdef PASSING
  auto B = compute({8}, [&](Index i) { return select(i > 2, A(i, 0), cast<float>(i)); });
#else
  auto B = compute({8}, [&](Index i) { return select(i > 2, A(i, 0), i); });
#endif
}
