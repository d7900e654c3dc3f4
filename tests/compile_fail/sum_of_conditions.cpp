// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: arithmetic takes numbers: combine conditions by && and ||
#include <lathe/lathe.hpp>

using namespace lathe;

int main() {
  auto A = placeholder<float>({8, 4}, "A");
#ifdef PASSING
  auto B = compute({8}, [&](Index i) { return select(A(i, 0) > 0 || A(i, 1) > 0, 1, 0); });
#else
  auto B = compute({8}, [&](Index i) { return select((A(i, 0) > 0) + (A(i, 1) > 0), 1, 0); });
#endif
}
