// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: compute(): the lambda takes one Index per extent
#include <lathe/lathe.hpp>

using namespace lathe;

int main() {
  auto A = placeholder<float>({8, 4}, "A");
#ifdef PASSING
  auto B = compute({8, 4}, [&](Index i, Index j) { return A(i, j); });
#else
  auto B = compute({8, 4}, [&](Index i) { return A(i, 0); });
#endif
}
