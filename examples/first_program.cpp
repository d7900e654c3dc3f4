// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The first program of README.md.

#include <cstdio>
#include <lathe/jit.hpp>
#include <lathe/lathe.hpp>

using namespace lathe;

int main() {
  auto A = placeholder<float>({64, 48}, "A"), B = placeholder<float>({48, 32}, "B");
  auto k = reduce_axis(48, "k");
  auto C = compute({64, 32}, [&](Index i, Index j) { return sum(A(i, k) * B(k, j), k); }, "C(i, j)");

  Schedule s(C);  // what to compute stays as it is; the schedule says how
  auto [i, j] = s[C].axes();
  auto [jo, ji] = s[C].split(j, 8);
  s[C].reorder(i, jo, k, ji);
  s[C].vectorize(ji);
  s[C].parallel(i);
  std::puts(print(s, A, B, C).c_str());

  auto kernel = jit(s, A, B, C);  // Kernel<In<float, 2>, In<float, 2>, Out<float, 2>>
  auto a = Array<float, 2>::generate({64, 48}, [](auto y, auto x) { return y + x; });
  auto b = Array<float, 2>::generate({48, 32}, [](auto y, auto x) { return y == x; });
  Array<float, 2> c({64, 32});
  kernel(a, b, c);
  std::printf("c(3, 4) = %g\n", c(3, 4));

  try {
    s[C].reorder(ji, j, i);
  } catch (const Error &error) {
    std::puts(error.what());
  }
}
