// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: scalar<T>(): T is an element type; for a size write  size_var("n")
#include <lathe/lathe.hpp>

using namespace lathe;

int main() {
#ifdef PASSING
  auto n = size_var("n");
#else
  auto n = scalar<index_t>("n");
#endif
}
