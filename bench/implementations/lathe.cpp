// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Lathe's kernels: an expression and a schedule each. Nothing here is special to the machine but the tile sizes, which follow
/// from the width of its vectors.

#include <lathe/jit.hpp>
#include <lathe/lathe.hpp>
#include <memory>

#include "workloads.hpp"

namespace bench {
namespace {

using namespace lathe;

/// Lanes of a float32 vector here.
int lanes() { return std::max(Target::host().lanes(32), 4); }

/// One executor per number of threads, alive as long as the program.
Executor *executor(int threads) {
  static SerialExecutor serial;
  return threads == 1 ? static_cast<Executor *>(&serial) : &default_executor();
}

Options options(const char *name, int threads) { return {.name = name, .executor = executor(threads)}; }

std::function<void()> vector_add(const VectorAdd &w) {
  const std::int64_t n = w.n;
  auto a = placeholder<float>({n}, "a"), b = placeholder<float>({n}, "b");
  auto out = compute({n}, [&](Index i) { return a(i) + b(i); }, "out(i)");
  Schedule s(out);
  auto [i] = s[out].axes();
  auto [chunk, rest] = s[out].split(i, 1 << 14);
  auto [step, four] = s[out].split(rest, 4 * lanes());
  auto [copy, lane] = s[out].split(four, lanes());
  s[out].parallel(chunk);
  s[out].unroll(copy);
  s[out].vectorize(lane);
  auto kernel = jit(s, options("vector_add", w.threads), a, b, out);
  return [=] { kernel(View<const float, 1>(w.a, {n}), View<const float, 1>(w.b, {n}), View<float, 1>(w.out, {n})); };
}

/// Tiles of rows x columns sums in registers; a panel of b is copied to contiguous memory once for all rows.
std::function<void()> sgemm(const Sgemm &w) {
  const std::int64_t n = w.n;
  const int width = lanes(), columns = 4 * width, rows = width == 16 ? 6 : 4;
  auto A = placeholder<float>({n, n}, "A"), B = placeholder<float>({n, n}, "B");
  auto k = reduce_axis(n, "k");
  auto C = compute({n, n}, [&](Index i, Index j) { return sum(A(i, k) * B(k, j), k); }, "C(i, j)");
  Schedule s(C);
  auto sums = s.cache_write(C, scope::local);
  auto panel = s.cache_read(B, scope::global, sums);

  auto [i, j] = s[C].axes();
  auto [jo, ji] = s[C].split(j, columns);
  auto [io, ii] = s[C].split(i, rows);
  auto [jv, jl] = s[C].split(ji, width);
  s[C].reorder(jo, io, ii, jv, jl);
  s[C].parallel(jo);
  s[C].unroll(ii);
  s[C].unroll(jv);
  s[C].vectorize(jl);

  s[sums].compute_at(s[C], io);
  auto [si, sj] = s[sums].axes();
  auto [sv, sl] = s[sums].split(sj, width);
  s[sums].reorder(k, si, sv, sl);
  s[sums].unroll(si);
  s[sums].unroll(sv);
  s[sums].vectorize(sl);

  s[panel].compute_at(s[C], jo);
  auto [pk, pj] = s[panel].axes();
  auto [pv, pl] = s[panel].split(pj, width);
  s[panel].unroll(pv);
  s[panel].vectorize(pl);
  auto kernel = jit(s, options("sgemm", w.threads), A, B, C);
  return [=] { kernel(View<const float, 2>(w.a, {n, n}), View<const float, 2>(w.b, {n, n}), View<float, 2>(w.c, {n, n})); };
}

std::function<void()> depthwise(const Depthwise &w) {
  const std::int64_t C = w.channels, H = w.height, W = w.width;
  const int width = lanes(), rows = 8;
  auto input = placeholder<float>({1, C, H, W}, "input"), filter = placeholder<float>({C, 1, 3, 3}, "filter");
  auto padded = compute(
      {1, C, H + 2, W + 2},
      [&](Index n, Index c, Index y, Index x) {
        return if_then_else(y >= 1 && y < H + 1 && x >= 1 && x < W + 1, input(n, c, y - 1, x - 1), 0.0f);
      },
      "padded(n, c, y, x)");
  auto ky = reduce_axis(3, "ky"), kx = reduce_axis(3, "kx");
  auto conv = compute(
      {1, C, H, W},
      [&](Index n, Index c, Index y, Index x) { return sum(padded(n, c, y + ky, x + kx) * filter(c, 0, ky, kx), ky, kx); },
      "conv(n, c, y, x)");
  Schedule s(conv);
  auto sums = s.cache_write(conv, scope::local);
  auto [n, c, y, x] = s[conv].axes();
  auto [yo, xo, yi, xi] = s[conv].tile(y, x, rows, width);
  s[conv].parallel(c);
  s[conv].unroll(yi);
  s[conv].vectorize(xi);
  s[sums].compute_at(s[conv], xo);
  auto [sn, sc, sy, sx] = s[sums].axes();
  s[sums].reorder(ky, kx, sy, sx);
  s[sums].unroll(ky);
  s[sums].unroll(kx);
  s[sums].unroll(sy);
  s[sums].vectorize(sx);
  s[padded].compute_inline();
  auto kernel = jit(s, options("depthwise", w.threads), input, filter, conv);
  return [=] {
    kernel(View<const float, 4>(w.input, {1, C, H, W}), View<const float, 4>(w.filter, {C, 1, 3, 3}),
           View<float, 4>(w.output, {1, C, H, W}));
  };
}

/// Row maxima and sums are reduced in lanes first: element l of a partial result takes every width-th element of the row, then
/// the four vectors of it are reduced to one.
std::function<void()> softmax(const Softmax &w) {
  const std::int64_t R = w.rows, N = w.columns;
  const int width = 4 * lanes();
  if (N % width != 0) return {};
  auto input = placeholder<float>({R, N}, "input");
  auto m = reduce_axis(N / width, "m"), mv = reduce_axis(4, "mv"), ml = reduce_axis(lanes(), "ml");
  auto t = reduce_axis(N / width, "t"), tv = reduce_axis(4, "tv"), tl = reduce_axis(lanes(), "tl");
  auto most_lanes = compute({R, width}, [&](Index r, Index l) { return max(input(r, m * width + l), m); }, "most_lanes(r, l)");
  auto most_vector =
      compute({R, lanes()}, [&](Index r, Index l) { return max(most_lanes(r, mv * lanes() + l), mv); }, "most_vector(r, l)");
  auto most = compute({R}, [&](Index r) { return max(most_vector(r, ml), ml); }, "most(r)");
  auto e = compute({R, N}, [&](Index r, Index i) { return exp(input(r, i) - most(r)); }, "e(r, i)");
  auto total_lanes = compute({R, width}, [&](Index r, Index l) { return sum(e(r, t * width + l), t); }, "total_lanes(r, l)");
  auto total_vector =
      compute({R, lanes()}, [&](Index r, Index l) { return sum(total_lanes(r, tv * lanes() + l), tv); }, "total_vector(r, l)");
  auto total = compute({R}, [&](Index r) { return sum(total_vector(r, tl), tl); }, "total(r)");
  auto scale = compute({R}, [&](Index r) { return 1.0f / total(r); }, "scale(r)");
  auto out = compute({R, N}, [&](Index r, Index i) { return e(r, i) * scale(r); }, "out(r, i)");
  Schedule s(out);
  auto [r, i] = s[out].axes();
  s[out].parallel(r);
  auto [io, ii] = s[out].split(i, lanes());
  s[out].vectorize(ii);
  s[scale].compute_at(s[out], r);
  s[total].compute_at(s[out], r);
  s[e].compute_at(s[out], r);
  s[e].vectorize(s[e].split(s[e].axis(1), lanes()).second);
  s[most].compute_at(s[out], r);
  for (auto *lanes_stage : {&most_lanes, &total_lanes}) {
    const auto &axis = lanes_stage == &most_lanes ? m : t;
    s[*lanes_stage].compute_at(s[out], r);
    s[*lanes_stage].set_scope(scope::local);
    auto [vector, lane] = s[*lanes_stage].split(s[*lanes_stage].axis(1), lanes());
    s[*lanes_stage].reorder(axis, vector, lane);
    s[*lanes_stage].unroll(vector);
    s[*lanes_stage].vectorize(lane);
  }
  for (auto *vector_stage : {&most_vector, &total_vector}) {
    s[*vector_stage].compute_at(s[out], r);
    s[*vector_stage].set_scope(scope::local);
    const auto &axis = vector_stage == &most_vector ? mv : tv;
    s[*vector_stage].reorder(axis, s[*vector_stage].axis(1));
    s[*vector_stage].unroll(axis);
    s[*vector_stage].vectorize(s[*vector_stage].axis(1));
  }
  auto kernel = jit(s, options("softmax", w.threads), input, out);
  return [=] { kernel(View<const float, 2>(w.input, {R, N}), View<float, 2>(w.output, {R, N})); };
}

std::function<void()> math_function(const MathFunction &w) {
  const std::int64_t n = w.n;
  auto x = placeholder<float>({n}, "x");
  auto y = compute(
      {n},
      [&](Index i) {
        switch (w.kind) {
          case MathFunction::Kind::exp: return exp(x(i));
          case MathFunction::Kind::log: return log(x(i));
          case MathFunction::Kind::tanh: return tanh(x(i));
          default: return erf(x(i));
        }
      },
      "y(i)");
  Schedule s(y);
  auto [vector, lane] = s[y].split(s[y].axis(0), lanes());
  s[y].parallel(vector);
  s[y].vectorize(lane);
  auto kernel = jit(s, options("math_function", w.threads), x, y);
  return [=] { kernel(View<const float, 1>(w.input, {n}), View<float, 1>(w.output, {n})); };
}

const Register<VectorAdd> registered_vector_add("lathe", vector_add);
const Register<Sgemm> registered_sgemm("lathe", sgemm);
const Register<Depthwise> registered_depthwise("lathe", depthwise);
const Register<Softmax> registered_softmax("lathe", softmax);
const Register<MathFunction> registered_math_function("lathe", math_function);

}  // namespace
}  // namespace bench
