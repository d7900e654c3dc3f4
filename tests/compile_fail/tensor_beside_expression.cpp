// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: beside whole tensors stand tensors, literals and scalar arguments
#include <lathe/lathe.hpp>

using namespace lathe;

int main() {
  auto A = placeholder<float>({8, 4}, "A");
#ifdef PASSING
  auto B = compute({8, 4}, [&](Index i, Index j) { return A(i, j) * cast<float>(i); });
#else
  auto B = compute({8, 4}, [&](Index i, Index j) { return (A * cast<float>(i))(i, j); });
#endif
}
