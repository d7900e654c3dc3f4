// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: init(): takes a value of the reduction's element type
#include <lathe/lathe.hpp>

using namespace lathe;

int main() {
  auto A = placeholder<float>({8, 4}, "A");
  auto k = reduce_axis(4, "k");
#ifdef PASSING
  auto B = compute({8}, [&](Index i) { return sum(A(i, k), k).init(cast<float>(i)); });
#else
  auto B = compute({8}, [&](Index i) { return sum(A(i, k), k).init(i); });
#endif
}
