// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: deleted function
// expect-note: if_then_else(condition, a, b)
#include <lathe/lathe.hpp>

using namespace lathe;

int main() {
  auto A = placeholder<float>({8, 4}, "A");
#ifdef PASSING
  auto B = compute({8}, [&](Index i) { return if_then_else(i > 2, A(i, 0), A(i, 1)); });
#else
  auto B = compute({8}, [&](Index i) {
    if (i > 2) return A(i, 0);
    return A(i, 1);
  });
#endif
}
