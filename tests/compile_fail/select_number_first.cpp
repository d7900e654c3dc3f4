// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: select and if_then_else take a condition first
#include <lathe/lathe.hpp>

using namespace lathe;

int main() {
  auto A = placeholder<float>({8, 4}, "A");
#ifdef PASSING
  auto B = compute({8}, [&](Index i) { return select(A(i, 0) != 0, A(i, 0), 1.0f); });
#else
  auto B = compute({8}, [&](Index i) { return select(A(i, 0), A(i, 0), 1.0f); });
#endif
}
