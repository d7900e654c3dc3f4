// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: call(): arguments have the types of the function's parameters
#include <lathe/lathe.hpp>

using namespace lathe;

int main() {
  auto A = placeholder<float>({8, 4}, "A");
  float (*gain)(float, int) = nullptr;
#ifdef PASSING
  auto B = compute({8}, [&](Index i) { return call<float>(gain, A(i, 0), cast<int>(i)); });
#else
  auto B = compute({8}, [&](Index i) { return call<float>(gain, A(i, 0), i); });
#endif
}
