// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tensor(): takes one index per dimension, for example  A(i, j)
#include <lathe/lathe.hpp>

using namespace lathe;

int main() {
  auto A = placeholder<float>({8, 4}, "A");
#ifdef PASSING
  auto B = compute({8, 4}, [&](Index i, Index j) { return A(i, j); });
#else
  auto B = compute({8}, [&](Index i) { return A(i); });
#endif
}
