// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: a reduction is the whole body of its stage: name it first
#include <lathe/lathe.hpp>

using namespace lathe;

int main() {
  auto A = placeholder<float>({8, 4}, "A");
  auto k = reduce_axis(4, "k");
#ifdef PASSING
  auto total = compute({8}, [&](Index i) { return sum(A(i, k), k); });
  auto B = compute({8}, [&](Index i) { return total(i) / 4; });
#else
  auto B = compute({8}, [&](Index i) { return sum(A(i, k), k) / 4; });
#endif
}
