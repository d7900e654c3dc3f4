// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tensor(): indices are integers: convert what is not, for example  A(cast<index_t>(x))
#include <lathe/lathe.hpp>

using namespace lathe;

int main() {
  auto A = placeholder<float>({8, 4}, "A");
#ifdef PASSING
  auto B = compute({8}, [&](Index i) { return A(cast<index_t>(A(i, 0)), 0); });
#else
  auto B = compute({8}, [&](Index i) { return A(A(i, 0), 0); });
#endif
}
