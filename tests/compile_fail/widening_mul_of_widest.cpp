// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: widening_mul(): takes two values of one element type that has a wider one
#include <lathe/lathe.hpp>

using namespace lathe;

int main() {
  auto I = placeholder<std::int64_t>({8}, "I");
  auto S = placeholder<std::int16_t>({8}, "S");
#ifdef PASSING
  auto B = compute({8}, [&](Index i) { return widening_mul(S(i), S(i)); });
#else
  auto B = compute({8}, [&](Index i) { return widening_mul(I(i), I(i)); });
#endif
}
