// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: call<T>(): T is what the function returns
#include <lathe/lathe.hpp>

using namespace lathe;

int main() {
  auto A = placeholder<float>({8, 4}, "A");
  double (*half)(float) = nullptr;
#ifdef PASSING
  auto B = compute({8}, [&](Index i) { return call<double>(half, A(i, 0)); });
#else
  auto B = compute({8}, [&](Index i) { return call<float>(half, A(i, 0)); });
#endif
}
