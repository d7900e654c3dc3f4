// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: any and all take conditions
#include <lathe/lathe.hpp>

using namespace lathe;

int main() {
  auto A = placeholder<float>({8, 4}, "A");
  auto k = reduce_axis(4, "k");
#ifdef PASSING
  auto B = compute({8}, [&](Index i) { return any(A(i, k) > 0, k); });
#else
  auto B = compute({8}, [&](Index i) { return any(A(i, k), k); });
#endif
}
