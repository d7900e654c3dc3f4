// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: to_dlpack(): the receiver keeps the memory: move the array
#include <lathe/interop/dlpack.hpp>
#include <lathe/lathe.hpp>

using namespace lathe;

int main() {
  Array<float, 2> c({8, 4});
#ifdef PASSING
  auto managed = to_dlpack(std::move(c));
#else
  to_dlpack(c);
#endif
}
