// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: && and || take conditions: compare first
#include <lathe/lathe.hpp>

using namespace lathe;

int main() {
  auto I = placeholder<int>({8}, "I");
#ifdef PASSING
  auto B = compute({8}, [&](Index i) { return I(i) != 0 && i > 2; });
#else
  auto B = compute({8}, [&](Index i) { return I(i) && i > 2; });
#endif
}
