// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: cast(): a condition is made by comparing
#include <lathe/lathe.hpp>

using namespace lathe;

int main() {
  auto A = placeholder<float>({8, 4}, "A");
#ifdef PASSING
  auto B = compute({8}, [&](Index i) { return A(i, 0) != 0; });
#else
  auto B = compute({8}, [&](Index i) { return cast<bool>(A(i, 0)); });
#endif
}
