// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: kernel(): arguments have the element types and ranks it was made with
// expect-note: Array<double, 1>
#include <lathe/jit.hpp>
#include <lathe/lathe.hpp>

using namespace lathe;

int main() {
  auto A = placeholder<float>({8}, "A"), B = placeholder<float>({8}, "B");
  auto C = compute({8}, [&](Index i) { return A(i) + B(i); }, "C");
  Schedule s(C);
  auto kernel = jit(s, A, B, C);
  Array<float, 1> a({8}), c({8});
#ifdef PASSING
  Array<float, 1> b({8});
#else
  Array<double, 1> b({8});
#endif
  kernel(a, b, c);
}
