// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: operators do not mix element types: convert one side, for example  cast<float>(i) + x(i)
#include <lathe/lathe.hpp>

using namespace lathe;

int main() {
  auto A = placeholder<float>({8, 4}, "A");
#ifdef PASSING
  auto B = compute({8, 4}, [&](Index i, Index j) { return A(i, j) * cast<float>(i); });
#else
  auto B = compute({8, 4}, [&](Index i, Index j) { return A(i, j) * i; });
#endif
}
