// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: reducer(): combine takes two expressions of the identity's type
#include <lathe/lathe.hpp>

using namespace lathe;

int main() {
#ifdef PASSING
  auto r = reducer("add", [](Expr<float> x, Expr<float> y) { return x + y; }, 0.0f);
#else
  auto r = reducer("add", [](Expr<float> x, Expr<float> y) { return x + y; }, 0);
#endif
}
