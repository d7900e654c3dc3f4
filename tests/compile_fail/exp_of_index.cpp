// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exp(): takes a floating-point expression, for example  exp(cast<float>(i))
#include <lathe/lathe.hpp>

using namespace lathe;

int main() {
#ifdef PASSING
  auto B = compute({8}, [&](Index i) { return exp(cast<float>(i)); });
#else
  auto B = compute({8}, [&](Index i) { return exp(i); });
#endif
}
