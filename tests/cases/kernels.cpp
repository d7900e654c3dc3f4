// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cases/kernels.hpp"

#include <bit>
#include <cmath>

namespace cases {

namespace {

/// Numbers that no sum of products of which is exact.
float uneven(std::int64_t i) { return static_cast<float>((i * 37 + 11) % 101 - 50) / 7.0f; }

/// Any bits, those of special values among them.
template <class T>
Array<T, 1> wild(std::int64_t count) {
  constexpr double special[] = {0.0, -0.0, 1, -1, 0.5, 1e-40, -1e-310, 6e-8, 65504, 65520, -65536, 2.5, 3.5, -0.75, 127.5, 255.5};
  return Array<T, 1>::generate({count}, [&](std::int64_t i) {
    if (i % 5 == 0) return static_cast<T>(special[i / 5 % 16]);
    if (i % 17 == 1) return static_cast<T>(i % 2 ? INFINITY : -INFINITY);
    if (i % 17 == 2) return static_cast<T>(NAN);
    return static_cast<T>(std::ldexp(static_cast<double>((i * 7919) % 2003 - 1001), static_cast<int>(i * 31 % 60) - 34));
  });
}

// ---- floats -------------------------------------------------------------------------------------------------------------------

/// Register tiles of 4 by 16, the last one of a row cut short.
KernelCase sgemm() {
  constexpr std::int64_t m = 13, n = 40, depth = 33;
  auto A = placeholder<float>({m, depth}, "A"), B = placeholder<float>({depth, n}, "B");
  auto k = reduce_axis(depth, "k");
  auto C = compute({m, n}, [&](Index i, Index j) { return sum(A(i, k) * B(k, j), k); }, "C(i, j)");
  Schedule s(C);
  auto sums = s.cache_write(C, scope::local);
  auto [i, j] = s[C].axes();
  auto [io, jo, ii, ji] = s[C].tile(i, j, 4, 16);
  s[C].unroll(ii);
  s[C].vectorize(ji);
  s[sums].compute_at(s[C], jo);
  auto [si, sj] = s[sums].axes();
  s[sums].reorder(k, si, sj);
  s[sums].unroll(si);
  s[sums].vectorize(sj);
  const auto a = Array<float, 2>::generate({m, depth}, [](std::int64_t y, std::int64_t x) { return uneven(y * depth + x); });
  const auto b = Array<float, 2>::generate({depth, n}, [](std::int64_t y, std::int64_t x) { return uneven(3 * y + 5 * x); });
  return {"sgemm", s, {in(A, a), in(B, b), out(C, evaluate(C, {{A, a}, {B, b}}))}};
}

/// A window of 3 by 3 over a picture with a border of zeros that is never stored: loads at the edges are masked.
KernelCase depthwise() {
  constexpr std::int64_t channels = 3, height = 9, width = 37;
  auto A = placeholder<float>({channels, height, width}, "A"), F = placeholder<float>({channels, 3, 3}, "F");
  auto ky = reduce_axis(3, "ky"), kx = reduce_axis(3, "kx");
  auto padded = compute(
      {channels, height + 2, width + 2},
      [&](Index c, Index y, Index x) {
        return if_then_else(y >= 1 && y <= height && x >= 1 && x <= width, A(c, y - 1, x - 1), 0.0f);
      },
      "padded(c, y, x)");
  auto C = compute(
      {channels, height, width}, [&](Index c, Index y, Index x) { return sum(padded(c, y + ky, x + kx) * F(c, ky, kx), ky, kx); },
      "C(c, y, x)");
  Schedule s(C);
  s[padded].compute_inline();
  auto [c, y, x] = s[C].axes();
  auto [xo, xi] = s[C].split(x, 16);
  s[C].reorder(c, y, xo, ky, kx, xi);
  s[C].unroll(ky);
  s[C].unroll(kx);
  s[C].vectorize(xi);
  s[C].parallel(c);
  const auto a =
      Array<float, 3>::generate({channels, height, width}, [](auto i, auto j, auto l) { return uneven(i + 7 * j + l); });
  const auto f = Array<float, 3>::generate({channels, 3, 3}, [](auto i, auto j, auto l) { return uneven(9 * i + 3 * j + l); });
  return {"depthwise", s, {in(A, a), in(F, f), out(C, evaluate(C, {{A, a}, {F, f}}))}};
}

KernelCase softmax() {
  constexpr std::int64_t rows = 5, columns = 45;
  auto A = placeholder<float>({rows, columns}, "A");
  auto k = reduce_axis(columns, "k"), l = reduce_axis(columns, "l");
  auto most = compute({rows}, [&](Index r) { return max(A(r, k), k); }, "most(r)");
  auto e = compute({rows, columns}, [&](Index r, Index i) { return exp(A(r, i) - most(r)); }, "e(r, i)");
  auto total = compute({rows}, [&](Index r) { return sum(e(r, l), l); }, "total(r)");
  auto C = compute({rows, columns}, [&](Index r, Index i) { return e(r, i) / total(r); }, "C(r, i)");
  Schedule s(C);
  auto [r, i] = s[C].axes();
  s[C].parallel(r);
  s[C].vectorize(s[C].split(i, 16).second);
  s[total].compute_at(s[C], r);
  s[e].compute_at(s[C], r);
  s[e].vectorize(s[e].split(s[e].axis(1), 16).second);
  s[most].compute_at(s[C], r);
  const auto a = Array<float, 2>::generate({rows, columns}, [](auto y, auto x) { return uneven(y * columns + x); });
  return {"softmax", s, {in(A, a), out(C, evaluate(C, {{A, a}}))}, 16};
}

/// Least and greatest of numbers with NaN and zeros of both signs, in lanes and in one chain.
KernelCase extrema() {
  constexpr std::int64_t n = 53;
  auto A = placeholder<float>({n}, "A"), B = placeholder<float>({n}, "B");
  auto D = placeholder<double>({4, n}, "D");
  auto k = reduce_axis(4, "k");
  auto low = compute({n}, [&](Index i) { return min(A(i), B(i)); }, "low(i)");
  auto high = compute({n}, [&](Index i) { return max(max(A(i), B(i)), -2.0f); }, "high(i)");
  auto most = compute({n}, [&](Index i) { return max(D(k, i), k); }, "most(i)");
  Schedule s(low, high, most);
  s[low].vectorize(s[low].split(s[low].axis(0), 16).second);
  s[high].vectorize(s[high].split(s[high].axis(0), 8).second);
  auto [io, ii] = s[most].split(s[most].axis(0), 8);
  s[most].reorder(io, k, ii);
  s[most].vectorize(ii);
  const auto a = wild<float>(n);
  const auto b = Array<float, 1>::generate({n}, [&](std::int64_t i) { return a((i * 7 + 3) % n); });
  const auto flat = wild<double>(4 * n);
  const auto d =
      Array<double, 2>::generate({4, n}, [&](std::int64_t y, std::int64_t x) { return flat((y * n + x) * 3 % (4 * n)); });
  return {"extrema",
          s,
          {in(A, a), in(B, b), in(D, d), out(low, evaluate(low, {{A, a}, {B, b}})), out(high, evaluate(high, {{A, a}, {B, b}})),
           out(most, evaluate(most, {{D, d}}))}};
}

// ---- integers -----------------------------------------------------------------------------------------------------------------

/// Products of bytes summed in 32 bits: along rows, and with the columns of the second matrix strided.
KernelCase widening() {
  constexpr std::int64_t m = 7, n = 35, depth = 29;
  auto A = placeholder<std::int8_t>({m, depth}, "A"), B = placeholder<std::int8_t>({depth, n}, "B");
  auto W = placeholder<std::uint8_t>({n, depth}, "W");
  auto k = reduce_axis(depth, "k"), l = reduce_axis(depth, "l");
  auto C = compute(
      {m, n}, [&](Index i, Index j) { return sum(cast<std::int32_t>(A(i, k)) * cast<std::int32_t>(B(k, j)), k); }, "C(i, j)");
  auto D = compute(
      {m, n}, [&](Index i, Index j) { return sum(cast<std::int32_t>(A(i, l)) * cast<std::int32_t>(W(j, l)), l); }, "D(i, j)");
  Schedule s(C, D);
  auto [co, ci] = s[C].split(s[C].axis(1), 16);
  s[C].reorder(co, k, ci);
  s[C].vectorize(ci);
  auto [d_o, di] = s[D].split(s[D].axis(1), 8);
  s[D].reorder(d_o, l, di);
  s[D].vectorize(di);
  const auto a =
      Array<std::int8_t, 2>::generate({m, depth}, [](auto y, auto x) { return static_cast<std::int8_t>(y * 53 + x * 89 - 128); });
  const auto b =
      Array<std::int8_t, 2>::generate({depth, n}, [](auto y, auto x) { return static_cast<std::int8_t>(y * 31 + x * 67); });
  const auto w =
      Array<std::uint8_t, 2>::generate({n, depth}, [](auto y, auto x) { return static_cast<std::uint8_t>(y * 71 + x * 13); });
  return {"widening",
          s,
          {in(A, a), in(B, b), in(W, w), out(C, evaluate(C, {{A, a}, {B, b}})), out(D, evaluate(D, {{A, a}, {W, w}}))}};
}

/// Numbers to narrower ones, clamped, and back; halves of odd numbers rounded by shifting.
KernelCase conversions() {
  constexpr std::int64_t n = 85;
  auto A = placeholder<float>({n}, "A");
  auto D = placeholder<double>({n}, "D");
  auto bytes = compute({n}, [&](Index i) { return saturate_cast<std::uint8_t>(A(i) * 0.5f); }, "bytes(i)");
  auto whole = compute({n}, [&](Index i) { return cast<std::int32_t>(A(i)); }, "whole(i)");
  auto unsigned_whole = compute({n}, [&](Index i) { return cast<std::uint32_t>(D(i)); }, "unsigned_whole(i)");
  auto longs = compute({n}, [&](Index i) { return cast<std::int64_t>(D(i)); }, "longs(i)");
  auto floats = compute({n}, [&](Index i) { return cast<float>(cast<std::uint64_t>(D(i))); }, "floats(i)");
  auto shorts = compute({n}, [&](Index i) { return saturate_cast<std::int16_t>(whole(i) / 3 + whole(i) % 7); }, "shorts(i)");
  Schedule s(bytes, whole, unsigned_whole, longs, floats, shorts);
  const auto lanes = [&](const auto &tensor, std::int64_t count) {
    s[tensor].vectorize(s[tensor].split(s[tensor].axis(0), count).second);
  };
  lanes(bytes, 32);
  lanes(whole, 16);
  lanes(unsigned_whole, 8);
  lanes(longs, 8);
  lanes(floats, 4);
  lanes(shorts, 16);
  const auto a = wild<float>(n);
  const auto d = wild<double>(n);
  const List<Binding> bindings{{A, a}, {D, d}};
  return {"conversions",
          s,
          {in(A, a), in(D, d), out(bytes, evaluate(bytes, bindings)), out(whole, evaluate(whole, bindings)),
           out(unsigned_whole, evaluate(unsigned_whole, bindings)), out(longs, evaluate(longs, bindings)),
           out(floats, evaluate(floats, bindings)), out(shorts, evaluate(shorts, bindings))}};
}

// ---- small floats -------------------------------------------------------------------------------------------------------------

template <class T>
KernelCase small_floats(const char *name) {
  constexpr std::int64_t n = 75, m = 4;
  auto A = placeholder<float>({n}, "A");
  auto D = placeholder<double>({n}, "D");
  auto H = placeholder<T>({m, n}, "H");
  auto k = reduce_axis(m, "k");
  auto narrow = compute({n}, [&](Index i) { return cast<T>(A(i)); }, "narrow(i)");
  auto from_double = compute({n}, [&](Index i) { return cast<T>(D(i)); }, "from_double(i)");
  auto wide = compute({m, n}, [&](Index i, Index j) { return cast<float>(H(i, j)); }, "wide(i, j)");
  auto products = compute({n}, [&](Index i) { return sum(H(k, i) * H(k, i), k); }, "products(i)");
  auto bytes = compute({n}, [&](Index i) { return saturate_cast<std::int8_t>(H(1, i)); }, "bytes(i)");
  Schedule s(narrow, from_double, wide, products, bytes);
  s[narrow].vectorize(s[narrow].split(s[narrow].axis(0), 16).second);
  s[from_double].vectorize(s[from_double].split(s[from_double].axis(0), 8).second);
  s[wide].vectorize(s[wide].split(s[wide].axis(1), 8).second);
  auto [io, ii] = s[products].split(s[products].axis(0), 16);
  s[products].reorder(io, k, ii);
  s[products].vectorize(ii);
  s[bytes].vectorize(s[bytes].split(s[bytes].axis(0), 16).second);
  const auto a = wild<float>(n);
  const auto d = wild<double>(n);
  const auto h = Array<T, 2>::generate({m, n}, [](std::int64_t y, std::int64_t x) {
    return T::from_bits(static_cast<std::uint16_t>((y * n + x) * 40503 % 65536));
  });
  const List<Binding> bindings{{A, a}, {D, d}, {H, h}};
  return {
      name,
      s,
      {in(A, a), in(D, d), in(H, h), out(narrow, evaluate(narrow, bindings)), out(from_double, evaluate(from_double, bindings)),
       out(wide, evaluate(wide, bindings)), out(products, evaluate(products, bindings)), out(bytes, evaluate(bytes, bindings))}};
}

// ---- memory -------------------------------------------------------------------------------------------------------------------

/// Loads with strides of both signs, by index, and under a condition, of elements of every width; a store across rows.
template <class T>
KernelCase places(const char *name) {
  constexpr std::int64_t n = 43, length = 4 * n;
  auto A = placeholder<T>({length}, "A");
  auto P = placeholder<std::int32_t>({n}, "P");
  auto third = compute({n}, [&](Index i) { return A(3 * i + 1); }, "third(i)");
  auto far = compute({17}, [&](Index i) { return A(10 * i); }, "far(i)");
  auto back = compute({n}, [&](Index i) { return A(length - 1 - 2 * i); }, "back(i)");
  auto picked = compute({n}, [&](Index i) { return A(clamp(cast<index_t>(P(i)), 0, length - 1)); }, "picked(i)");
  auto some = compute(
      {n},
      [&](Index i) { return if_then_else(P(i) >= 0 && P(i) < static_cast<std::int32_t>(length), A(cast<index_t>(P(i))), A(0)); },
      "some(i)");
  auto across = compute({9, 16}, [&](Index i, Index j) { return A(i * 16 + j); }, "across(i, j)");
  Schedule s(third, far, back, picked, some, across);
  const auto lanes = [&](const auto &tensor, std::int64_t count) {
    s[tensor].vectorize(s[tensor].split(s[tensor].axis(0), count).second);
  };
  lanes(third, 16);
  lanes(far, 8);
  lanes(back, 8);
  lanes(picked, 16);
  lanes(some, 8);
  auto [ao, ai] = s[across].split(s[across].axis(0), 4);
  s[across].reorder(ao, s[across].axis(1), ai);
  s[across].vectorize(ai);
  const auto a = Array<T, 1>::generate({length}, [](std::int64_t i) { return static_cast<T>((i * 29 + 5) % 120); });
  const auto p =
      Array<std::int32_t, 1>::generate({n}, [](std::int64_t i) { return static_cast<std::int32_t>(i * 59 % 230 - 30); });
  const List<Binding> bindings{{A, a}, {P, p}};
  return {name,
          s,
          {in(A, a), in(P, p), out(third, evaluate(third, bindings)), out(far, evaluate(far, bindings)),
           out(back, evaluate(back, bindings)), out(picked, evaluate(picked, bindings)), out(some, evaluate(some, bindings)),
           out(across, evaluate(across, bindings))}};
}

/// Lengths known at the call that no vector divides, for elements of every width; conditions as bytes.
KernelCase tails() {
  auto n = size_var("n");
  auto A = placeholder<std::int8_t>({n}, "A");
  auto B = placeholder<std::uint16_t>({n}, "B");
  auto F = placeholder<float>({n}, "F");
  auto D = placeholder<double>({n}, "D");
  auto a8 = compute({n}, [&](Index i) { return A(i) * A(i) + A(i); }, "a8(i)");
  auto b16 = compute({n}, [&](Index i) { return (B(i) >> 3) + B(i) / 5; }, "b16(i)");
  auto f32 = compute({n}, [&](Index i) { return F(i) * 3.0f + 1.0f; }, "f32(i)");
  auto f64 = compute({n}, [&](Index i) { return sqrt(abs(D(i))) - D(i); }, "f64(i)");
  auto less = compute({n}, [&](Index i) { return F(i) < cast<float>(A(i)) || D(i) >= 10.0; }, "less(i)");
  auto longs = compute({n}, [&](Index i) { return cast<std::int64_t>(A(i)) * 5000000000 + cast<std::int64_t>(i); }, "longs(i)");
  Schedule s(a8, b16, f32, f64, less, longs);
  const auto lanes = [&](const auto &tensor, std::int64_t count) {
    s[tensor].vectorize(s[tensor].split(s[tensor].axis(0), count).second);
  };
  lanes(a8, 64);
  lanes(b16, 16);
  lanes(f32, 16);
  lanes(f64, 8);
  lanes(less, 32);
  lanes(longs, 8);
  constexpr std::int64_t length = 77;
  const auto a = Array<std::int8_t, 1>::generate({length}, [](std::int64_t i) { return static_cast<std::int8_t>(i * 7 - 90); });
  const auto b = Array<std::uint16_t, 1>::generate({length}, [](std::int64_t i) { return static_cast<std::uint16_t>(i * 9973); });
  const auto f = Array<float, 1>::generate({length}, [](std::int64_t i) { return uneven(i); });
  const auto d = Array<double, 1>::generate({length}, [](std::int64_t i) { return uneven(i + 3) / 3.0; });
  const List<Binding> bindings{{A, a}, {B, b}, {F, f}, {D, d}, {n, length}};
  return {"tails",
          s,
          {in(A, a), in(B, b), in(F, f), in(D, d), out(a8, evaluate(a8, bindings)), out(b16, evaluate(b16, bindings)),
           out(f32, evaluate(f32, bindings)), out(f64, evaluate(f64, bindings)), out(less, evaluate(less, bindings)),
           out(longs, evaluate(longs, bindings))}};
}

/// A stage of more than the stack holds, in parallel: scratch memory and a table of constants.
KernelCase scratch() {
  constexpr std::int64_t rows = 8, columns = 6000;
  auto A = placeholder<float>({rows, columns}, "A");
  auto weights = constant<float>({1, 4, 6, 4, 1}, "weights");
  auto k = reduce_axis(5, "k");
  auto double_a = compute({rows, columns}, [&](Index r, Index i) { return A(r, i) * 2.0f + 1.0f; }, "double_a(r, i)");
  auto C = compute(
      {rows, columns / 2}, [&](Index r, Index i) { return sum(double_a(r, min(2 * i + k, columns - 1)) * weights(k), k); },
      "C(r, i)");
  Schedule s(C);
  auto [r, i] = s[C].axes();
  s[C].parallel(r);
  auto [io, ii] = s[C].split(i, 8);
  s[C].reorder(r, io, k, ii);
  s[C].vectorize(ii);
  s[double_a].compute_at(s[C], r);
  s[double_a].vectorize(s[double_a].split(s[double_a].axis(1), 16).second);
  const auto a = Array<float, 2>::generate({rows, columns}, [](auto y, auto x) { return uneven(y * 13 + x); });
  return {"scratch", s, {in(A, a), out(C, evaluate(C, {{A, a}}))}};
}

}  // namespace

std::vector<KernelCase> kernels() {
  return {sgemm(),
          depthwise(),
          softmax(),
          extrema(),
          widening(),
          conversions(),
          small_floats<float16>("float16_kernel"),
          small_floats<bfloat16>("bfloat16_kernel"),
          places<std::int8_t>("places_of_bytes"),
          places<std::int16_t>("places_of_shorts"),
          places<float>("places_of_floats"),
          places<double>("places_of_doubles"),
          tails(),
          scratch()};
}

}  // namespace cases
