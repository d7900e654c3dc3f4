// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: a reduction runs over reduction axes
#include <lathe/lathe.hpp>

using namespace lathe;

int main() {
  auto A = placeholder<float>({8, 4}, "A");
  auto k = reduce_axis(4, "k");
#ifdef PASSING
  auto B = compute({8}, [&](Index i) { return sum(A(i, k), k); });
#else
  auto B = compute({8}, [&](Index i) { return sum(A(i, k), k, i); });
#endif
}
