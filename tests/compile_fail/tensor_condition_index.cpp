// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tensor(): indices are integers
#include <lathe/lathe.hpp>

using namespace lathe;

int main() {
  auto A = placeholder<float>({8, 4}, "A");
#ifdef PASSING
  auto B = compute({8}, [&](Index i) { return A(cast<index_t>(i > 2), 0); });
#else
  auto B = compute({8}, [&](Index i) { return A(i > 2, 0); });
#endif
}
