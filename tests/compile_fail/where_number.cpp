// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: where(): takes a condition, for example  sum(e, k).where(k <= i)
#include <lathe/lathe.hpp>

using namespace lathe;

int main() {
  auto A = placeholder<float>({8, 4}, "A");
  auto k = reduce_axis(4, "k");
#ifdef PASSING
  auto B = compute({8}, [&](Index i) { return sum(A(i, k), k).where(k != i); });
#else
  auto B = compute({8}, [&](Index i) { return sum(A(i, k), k).where(A(i, k)); });
#endif
}
