// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: this literal cannot take the type of the expression beside it
#include <lathe/lathe.hpp>

using namespace lathe;

int main() {
  auto I = placeholder<int>({8}, "I");
#ifdef PASSING
  auto B = compute({8}, [&](Index i) { return cast<float>(I(i)) * 0.5f; });
#else
  auto B = compute({8}, [&](Index i) { return I(i) * 0.5f; });
#endif
}
