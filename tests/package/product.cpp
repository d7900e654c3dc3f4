// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A matrix product followed by max(., 0) on Eigen's memory, against Eigen, in a unit that opens both `lathe` and `std`.

#include <lathe/jit.hpp>
#include <lathe/lathe.hpp>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <numeric>
#include <random>
#include <string>
#include <vector>

using namespace lathe;
using namespace std;

bool product_is_right() {
  const int M = 7, N = 19, K = 5;
  auto A = placeholder<float>({M, K}, "A");
  auto B = placeholder<float>({K, N}, "B");
  auto k = reduce_axis(K, "k");
  auto product = compute({M, N}, [&](Index i, Index j) { return sum(A(i, k) * B(k, j), k); }, "product");
  auto relu = compute({M, N}, [&](Index i, Index j) { return max(product(i, j), 0.0f); }, "relu");

  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Matrix a(M, K), b(K, N), c = Matrix::Constant(M, N, NAN);
  for (int i = 0; i < a.size(); ++i) a.data()[i] = float(i % 13 - 6);
  for (int i = 0; i < b.size(); ++i) b.data()[i] = float(i % 17 - 8);
  const Matrix expected = (a * b).cwiseMax(0.0f);

  Schedule s(relu);
  s[product].compute_at(s[relu], s[relu].axis(0));
  auto kernel = jit(s, A, B, relu);
  kernel(View<float, 2>(a.data(), {M, K}, {K, 1}), View<float, 2>(b.data(), {K, N}, {N, 1}),
         View<float, 2>(c.data(), {M, N}, {N, 1}));
  if (c != expected) return false;

  Array<float, 2> first({M, K}), second({K, N});
  copy(a.data(), a.data() + a.size(), first.data());
  copy(b.data(), b.data() + b.size(), second.data());
  Array<float, 2> result = evaluate(relu, {{A, first}, {B, second}});
  return equal(result.data(), result.data() + M * N, expected.data());
}
