// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: reinterpret(): both types have the same number of bits
#include <lathe/lathe.hpp>

using namespace lathe;

int main() {
  auto A = placeholder<float>({8, 4}, "A");
#ifdef PASSING
  auto B = compute({8}, [&](Index i) { return reinterpret<std::uint32_t>(A(i, 0)); });
#else
  auto B = compute({8}, [&](Index i) { return reinterpret<std::uint64_t>(A(i, 0)); });
#endif
}
