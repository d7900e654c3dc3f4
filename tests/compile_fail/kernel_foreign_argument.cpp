// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: kernel(): arguments have the element types and ranks it was made with
// expect-note: include their header of lathe/interop/
#include <lathe/lathe.hpp>
#include <vector>
#ifdef PASSING
#include <lathe/interop/containers.hpp>
#endif

using namespace lathe;

int main() {
  auto a = placeholder<float>({4}, "a");
  auto b = compute({4}, [&](Index i) { return a(i); }, "b(i)");
  Schedule s(b);
  std::vector<float> x(4), y(4);
  interpret(s, a, b)(x, y);
}
