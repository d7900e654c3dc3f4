// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: compute(): the lambda returns one scalar expression or a reduction
#include <lathe/lathe.hpp>

using namespace lathe;

int main() {
  auto A = placeholder<float>({8, 4}, "A");
#ifdef PASSING
  auto B = compute({8, 4}, [&](Index i, Index j) { return A(i, j); });
#else
  auto B = compute({8, 4}, [&](Index, Index) { return A; });
#endif
}
