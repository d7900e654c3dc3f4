// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Lathe's kernels: an expression and a schedule each. Nothing here is special to the machine but the tile sizes, which follow
/// from the width of its vectors.

#include <array>
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

/// Few rows: b is read once, in its own order, `depth` rows at a time; the sums of a tile are in registers meanwhile.
std::function<void()> skinny_sgemm(const Sgemm &w) {
  const std::int64_t depth = w.m == 1 ? 4 : 32, rows = std::min<std::int64_t>(w.m, 4), columns = (w.m == 1 ? 8 : 4) * lanes();
  auto A = placeholder<float>({w.m, w.k}, "A"), B = placeholder<float>({w.k, w.n}, "B");
  auto k = reduce_axis(w.k, "k");
  auto C = compute({w.m, w.n}, [&](Index i, Index j) { return sum(A(i, k) * B(k, j), k); }, "C(i, j)");
  Schedule s(C);
  auto [i, j] = s[C].axes();
  auto [io, jo, ii, ji] = s[C].tile(i, j, rows, columns);
  auto [jp, jt] = s[C].split(jo, parts(w.threads));
  auto [jv, jl] = s[C].split(ji, lanes());
  auto [ko, ki] = s[C].split(k, depth);
  s[C].reorder(jp, ko, jt, io, ki, ii, jv, jl);
  s[C].parallel(jp);
  if (w.m == 1) s[C].unroll(ki);
  s[C].unroll(ii);
  s[C].unroll(jv);
  s[C].vectorize(jl);
  auto kernel = jit(s, options("skinny_sgemm", w.threads), A, B, C);
  return [=] {
    kernel(View<const float, 2>(w.a, {w.m, w.k}), View<const float, 2>(w.b, {w.k, w.n}), View<float, 2>(w.c, {w.m, w.n}));
  };
}

/// Tiles of rows x columns sums in registers; a panel of b is copied to contiguous memory once for all rows.
std::function<void()> sgemm(const Sgemm &w) {
  if (w.m <= 16) return skinny_sgemm(w);
  const int width = lanes(), columns = 4 * width, rows = width == 16 ? 6 : 4;
  auto A = placeholder<float>({w.m, w.k}, "A"), B = placeholder<float>({w.k, w.n}, "B");
  auto k = reduce_axis(w.k, "k");
  auto C = compute({w.m, w.n}, [&](Index i, Index j) { return sum(A(i, k) * B(k, j), k); }, "C(i, j)");
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
  return [=] {
    kernel(View<const float, 2>(w.a, {w.m, w.k}), View<const float, 2>(w.b, {w.k, w.n}), View<float, 2>(w.c, {w.m, w.n}));
  };
}

/// The convolution with what its sums become.
struct DepthwiseExpression {
  Input<float, 4> input, filter;
  Input<float, 1> scale, shift;
  Tensor<float, 4> padded, conv, relu;
  ReduceAxis ky, kx;
};

DepthwiseExpression depthwise_expression(const Depthwise &w) {
  const std::int64_t C = w.channels, H = w.height, W = w.width;
  auto input = placeholder<float>({1, C, H, W}, "input"), filter = placeholder<float>({C, 1, 3, 3}, "filter");
  auto scale = placeholder<float>({C}, "scale"), shift = placeholder<float>({C}, "shift");
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
  auto relu = compute(
      {1, C, H, W}, [&](Index n, Index c, Index y, Index x) { return max(conv(n, c, y, x) * scale(c) + shift(c), 0.0f); },
      "relu(n, c, y, x)");
  return {input, filter, scale, shift, padded, conv, relu, ky, kx};
}

/// Tiles of some vectors of sums in registers, with all nine taps written out: few for large images, which come from memory,
/// where fewer rows are walked at a time. The border is in the loads: where the machine masks them it costs nothing, elsewhere
/// tiles inside the image run without it.
void schedule_depthwise(Schedule &s, const Depthwise &w, const DepthwiseExpression &d, const Tensor<float, 4> &out,
                        const Tensor<float, 4> &sums) {
  const int width = lanes(), rows = w.height >= 56 ? 4 : 8;
  auto [n, c, y, x] = s[out].axes();
  auto [yo, xo, yi, xi] = s[out].tile(y, x, rows, width);
  s[out].parallel(c);
  s[out].unroll(yi);
  s[out].vectorize(xi);
  s[sums].compute_at(s[out], xo);
  s[sums].set_scope(scope::local);
  auto [sn, sc, sy, sx] = s[sums].axes();
  s[sums].reorder(d.ky, d.kx, sy, sx);
  s[sums].unroll(d.ky);
  s[sums].unroll(d.kx);
  s[sums].unroll(sy);
  s[sums].vectorize(sx);
  s[d.padded].compute_inline();
}

std::function<void()> depthwise(const Depthwise &w) {
  const DepthwiseExpression d = depthwise_expression(w);
  Schedule s(d.conv);
  schedule_depthwise(s, w, d, d.conv, s.cache_write(d.conv, scope::local));
  auto kernel = jit(s, options("depthwise", w.threads), d.input, d.filter, d.conv);
  return [=] {
    const std::array<std::int64_t, 4> image = {1, w.channels, w.height, w.width};
    kernel(View<const float, 4>(w.input, image), View<const float, 4>(w.filter, {w.channels, 1, 3, 3}),
           View<float, 4>(w.output, image));
  };
}

std::function<void()> depthwise_relu(const DepthwiseRelu &all) {
  const Depthwise &w = all.conv;
  const DepthwiseExpression d = depthwise_expression(w);
  Schedule s(d.relu);
  schedule_depthwise(s, w, d, d.relu, d.conv);
  auto kernel = jit(s, options("depthwise_relu", w.threads), d.input, d.filter, d.scale, d.shift, d.relu);
  return [=, w = w] {
    const std::array<std::int64_t, 4> image = {1, w.channels, w.height, w.width};
    kernel(View<const float, 4>(w.input, image), View<const float, 4>(w.filter, {w.channels, 1, 3, 3}),
           View<const float, 1>(all.scale, {w.channels}), View<const float, 1>(all.shift, {w.channels}),
           View<float, 4>(w.output, image));
  };
}

/// Images as rows of a padded plane laid end to end, so that vectors run on from row to row: element y * pitch + x of a plane of
/// sums is output (y, x), and two of each row's sums are of no use. Tiles of 3 vectors for 8 output channels in registers.
std::function<void()> conv(const Conv &w) {
  const std::int64_t C = w.channels, H = w.height, W = w.width, O = w.outputs, pitch = W + 2;
  const std::int64_t vectors = 3, outputs = 8;
  const std::int64_t tile = vectors * lanes(), sizes = (H * pitch + tile - 1) / tile * tile;
  const std::int64_t rows = (sizes + 2 * pitch + 2 + pitch - 1) / pitch;
  auto input = placeholder<float>({1, C, H, W}, "input"), filter = placeholder<float>({O, C, 3, 3}, "filter");
  auto padded = compute(
      {C, rows * pitch},
      [&](Index c, Index p) {
        auto y = p / pitch, x = p % pitch;
        return if_then_else(y >= 1 && y < H + 1 && x >= 1 && x < W + 1, input(0, c, y - 1, x - 1), 0.0f);
      },
      "padded(c, p)");
  auto c = reduce_axis(C, "c"), ky = reduce_axis(3, "ky"), kx = reduce_axis(3, "kx");
  auto plane = compute(
      {O, sizes}, [&](Index o, Index p) { return sum(padded(c, p + ky * pitch + kx) * filter(o, c, ky, kx), c, ky, kx); },
      "plane(o, p)");
  auto out = compute({1, O, H, W}, [&](Index, Index o, Index y, Index x) { return plane(o, y * pitch + x); }, "out(n, o, y, x)");

  Schedule s(out);
  auto sums = s.cache_write(plane, scope::local);
  s[padded].compute_root();
  s[plane].compute_root();
  auto [pc, pp] = s[padded].axes();
  auto [py, px] = s[padded].split(pp, pitch);
  s[padded].parallel(pc);
  s[padded].vectorize(s[padded].split(px, lanes()).second);

  auto [o, p] = s[plane].axes();
  auto [oo, po, oi, pi] = s[plane].tile(o, p, outputs, tile);
  auto [pv, pl] = s[plane].split(pi, lanes());
  s[plane].reorder(po, oo);
  s[plane].parallel(po);
  s[plane].unroll(oi);
  s[plane].unroll(pv);
  s[plane].vectorize(pl);
  s[sums].compute_at(s[plane], oo);
  auto [so, sp] = s[sums].axes();
  auto [sv, sl] = s[sums].split(sp, lanes());
  s[sums].reorder(c, ky, kx, so, sv, sl);
  s[sums].unroll(ky);
  s[sums].unroll(kx);
  s[sums].unroll(so);
  s[sums].unroll(sv);
  s[sums].vectorize(sl);

  auto [n, co, cy, cx] = s[out].axes();
  s[out].parallel(co);
  s[out].vectorize(s[out].split(cx, 8).second);
  auto kernel = jit(s, options("conv", w.threads), input, filter, out);
  return [=] {
    kernel(View<const float, 4>(w.input, {1, C, H, W}), View<const float, 4>(w.filter, {O, C, 3, 3}),
           View<float, 4>(w.output, {1, O, H, W}));
  };
}

/// The first two stages are computed for a tile of the last, with the rows and columns around it that the next one reads, and
/// stay in the nearest cache.
std::function<void()> stencil(const Stencil &w) {
  const std::int64_t n = w.n, rows = 32, columns = 128;
  auto input = placeholder<float>({n + 4, n + 4}, "input");
  auto across = compute(
      {n + 4, n + 2}, [&](Index y, Index x) { return (input(y, x) + input(y, x + 1) + input(y, x + 2)) * (1.0f / 3); },
      "across(y, x)");
  auto mean = compute(
      {n + 2, n + 2}, [&](Index y, Index x) { return (across(y, x) + across(y + 1, x) + across(y + 2, x)) * (1.0f / 3); },
      "mean(y, x)");
  auto out = compute(
      {n, n},
      [&](Index y, Index x) { return abs(mean(y + 1, x + 2) - mean(y + 1, x)) + abs(mean(y + 2, x + 1) - mean(y, x + 1)); },
      "out(y, x)");
  Schedule s(out);
  auto [y, x] = s[out].axes();
  auto [yo, xo, yi, xi] = s[out].tile(y, x, rows, columns);
  s[out].parallel(yo);
  s[out].vectorize(s[out].split(xi, lanes()).second);
  s[mean].compute_at(s[out], xo);
  s[across].compute_at(s[out], xo);
  s[mean].vectorize(s[mean].split(s[mean].axis(1), lanes()).second);
  s[across].vectorize(s[across].split(s[across].axis(1), lanes()).second);
  auto kernel = jit(s, options("stencil", w.threads), input, out);
  return [=] { kernel(View<const float, 2>(w.input, {n + 4, n + 4}), View<float, 2>(w.output, {n, n})); };
}

/// A tile is read row by row into memory of its own and from there written row by row.
std::function<void()> transpose(const Transpose &w) {
  const std::int64_t n = w.n, tj = 64, ti = 32;
  auto input = placeholder<float>({n, n}, "input");
  auto out = compute({n, n}, [&](Index j, Index i) { return input(i, j); }, "out(j, i)");
  Schedule s(out);
  auto [j, i] = s[out].axes();
  auto [jo, io, ji, ii] = s[out].tile(j, i, tj, ti);
  s[out].parallel(jo);
  s[out].vectorize(s[out].split(ii, lanes()).second);
  auto block = s.cache_read(input, scope::global, out);
  s[block].compute_at(s[out], io);
  s[block].vectorize(s[block].split(s[block].axis(1), lanes()).second);
  auto kernel = jit(s, options("transpose", w.threads), input, out);
  return [=] { kernel(View<const float, 2>(w.input, {n, n}), View<float, 2>(w.output, {n, n})); };
}

/// Row maxima and sums are reduced in lanes first: element l of a partial result takes every width-th element of the row, then
/// the four vectors of it are reduced to one. Four rows at a time, whose chains of operations the processor overlaps.
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
  auto [ro, ri] = s[out].split(r, 4);
  auto [io, ii] = s[out].split(i, lanes());
  s[out].parallel(ro);
  s[out].vectorize(ii);
  s[out].stream();
  for (const AnyTensor &stage : {AnyTensor(most_lanes), AnyTensor(most_vector), AnyTensor(most), AnyTensor(e),
                                 AnyTensor(total_lanes), AnyTensor(total_vector), AnyTensor(total), AnyTensor(scale)})
    s[stage].compute_at(s[out], ro);
  auto [vector, lane] = s[e].split(s[e].axis(1), lanes());
  s[e].vectorize(lane);
  s[e].prefetch(input, vector, 4 * N / lanes());
  for (auto *lanes_stage : {&most_lanes, &total_lanes}) {
    const auto &axis = lanes_stage == &most_lanes ? m : t;
    s[*lanes_stage].set_scope(scope::local);
    auto [row, part] = s[*lanes_stage].axes();
    auto [vector, lane] = s[*lanes_stage].split(part, lanes());
    s[*lanes_stage].reorder(axis, row, vector, lane);
    s[*lanes_stage].unroll(row);
    s[*lanes_stage].unroll(vector);
    s[*lanes_stage].vectorize(lane);
  }
  for (auto *vector_stage : {&most_vector, &total_vector}) {
    s[*vector_stage].set_scope(scope::local);
    const auto &axis = vector_stage == &most_vector ? mv : tv;
    auto [row, lane] = s[*vector_stage].axes();
    s[*vector_stage].reorder(axis, row, lane);
    s[*vector_stage].unroll(axis);
    s[*vector_stage].unroll(row);
    s[*vector_stage].vectorize(lane);
  }
  for (auto *row_stage : {&most, &total}) {
    s[*row_stage].set_scope(scope::local);
    const auto &axis = row_stage == &most ? ml : tl;
    auto row = s[*row_stage].axis(0);
    s[*row_stage].reorder(axis, row);
    s[*row_stage].unroll(axis);
    s[*row_stage].unroll(row);
  }
  s[scale].unroll(s[scale].axis(0));
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
          case MathFunction::Kind::erf: return erf(x(i));
          case MathFunction::Kind::sin: return sin(x(i));
          case MathFunction::Kind::cos: return cos(x(i));
          case MathFunction::Kind::tan: return tan(x(i));
          case MathFunction::Kind::sinh: return sinh(x(i));
          case MathFunction::Kind::cosh: return cosh(x(i));
          case MathFunction::Kind::asin: return asin(x(i));
          case MathFunction::Kind::acos: return acos(x(i));
          case MathFunction::Kind::atan: return atan(x(i));
          default: return 0.5f * x(i) * (1.0f + erf(x(i) * 0.70710678f));
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
const Register<DepthwiseRelu> registered_depthwise_relu("lathe", depthwise_relu);
const Register<Conv> registered_conv("lathe", conv);
const Register<Stencil> registered_stencil("lathe", stencil);
const Register<Transpose> registered_transpose("lathe", transpose);
const Register<Softmax> registered_softmax("lathe", softmax);
const Register<MathFunction> registered_math_function("lathe", math_function);

}  // namespace
}  // namespace bench
