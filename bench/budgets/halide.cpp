// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the JIT of Halide 14 and a call of its kernels cost for the workloads of the budgets: a yardstick of the machine in the
/// same run. A process of its own, since two releases of LLVM in one would disturb what is measured.
///
///     lathe_halide [first]
///
/// Prints a line each, of processor seconds and passed seconds: the first JIT of the process, which is of a vector add; and,
/// unless `first` is given, the next one, the depthwise convolution, the tiled sgemm, and a call.

#include <Halide.h>

#include <cstdio>
#include <vector>

#include "budgets/cost.hpp"

namespace {

using namespace Halide;

/// Without the checks that its code makes of arguments, so that what it compiles is the loops.
Target target() { return get_jit_target_from_environment().with_feature(Target::NoBoundsQuery).with_feature(Target::NoAsserts); }

/// A dense input with constant extents, innermost dimension first.
ImageParam dense_input(const std::vector<int> &extents, const char *name) {
  ImageParam input(Float(32), static_cast<int>(extents.size()), name);
  int stride = 1;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    input.dim(static_cast<int>(i)).set_bounds(0, extents[i]).set_stride(stride);
    stride *= extents[i];
  }
  return input;
}

void jit_vector_add() {
  ImageParam a = dense_input({1024}, "a"), b = dense_input({1024}, "b");
  Var i;
  Func c;
  c(i) = a(i) + b(i);
  c.vectorize(i, 16);
  c.compile_jit(target());
}

// As bench/budgets/budgets.cpp: one padded plane at a time, register tiles of 4 rows of 16, taps unrolled.
void jit_depthwise() {
  constexpr int C = 32, H = 112, W = 112, width = 16, rows = 4;
  ImageParam input = dense_input({W, H, C}, "input"), filter = dense_input({3, 3, C}, "filter");
  Var x("x"), y("y"), c("c"), xo("xo"), xi("xi"), yo("yo"), yi("yi");
  Func outside = BoundaryConditions::constant_exterior(input, 0.0f, {{0, W}, {0, H}, {Expr(), Expr()}});
  Func padded("padded"), conv("conv");
  padded(x, y, c) = outside(x, y, c);
  Expr sum = 0.0f;
  for (int ky = 0; ky < 3; ++ky)
    for (int kx = 0; kx < 3; ++kx) sum += padded(x + kx - 1, y + ky - 1, c) * filter(kx, ky, c);
  conv(x, y, c) = sum;
  conv.bound(x, 0, W).bound(y, 0, H).bound(c, 0, C);
  conv.tile(x, y, xo, yo, xi, yi, width, rows).vectorize(xi).unroll(yi);
  padded.compute_at(conv, c);
  conv.compile_jit(target());
}

// As bench/budgets/budgets.cpp: register tiles of 4 rows of 4 vectors.
void jit_sgemm() {
  constexpr int n = 1024, width = 16, rows = 4, columns = 64;
  ImageParam A = dense_input({n, n}, "A"), B = dense_input({n, n}, "B");
  Var i("i"), j("j"), io("io"), ii("ii"), jo("jo"), ji("ji");
  RDom k(0, n, "k");
  Func sums("sums"), C("C");
  sums(j, i) += A(k, i) * B(j, k);
  C(j, i) = sums(j, i);
  C.bound(j, 0, n).bound(i, 0, n);
  C.tile(j, i, jo, io, ji, ii, columns, rows).vectorize(ji, width).unroll(ji).unroll(ii);
  sums.compute_at(C, jo).vectorize(j, width).unroll(j).unroll(i);
  sums.update().reorder(j, i, k).vectorize(j, width).unroll(j).unroll(i);
  C.compile_jit(target());
}

budgets::Cost call_overhead() {
  ImageParam a = dense_input({1}, "a"), b = dense_input({1}, "b");
  Var i;
  Func c;
  c(i) = a(i) + b(i);
  Buffer<float> x(1), y(1), z(1);
  a.set(x);
  b.set(y);
  Pipeline pipeline(c);
  pipeline.compile_jit();
  constexpr int calls = 20000;
  return budgets::median_of_calls(9, calls, [&] {
    for (int call = 0; call < calls; ++call) pipeline.realize(z);
  });
}

void print(const budgets::Cost &cost) { std::printf("%.9g %.9g\n", cost.processor, cost.passed); }

}  // namespace

int main(int argc, char **) {
  print(budgets::median_of(1, jit_vector_add));
  if (argc > 1) return 0;
  print(budgets::median_of(9, jit_vector_add));
  print(budgets::median_of(5, jit_depthwise));
  print(budgets::median_of(5, jit_sgemm));
  print(call_overhead());
}
