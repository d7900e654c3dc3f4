// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Overlapping vectors of a row: what is emitted for a stencil, a pooling and a depthwise convolution, and their values.

#include <algorithm>
#include <string>

#include "cases/every_backend.hpp"

namespace {

using namespace cases;

std::size_t count(const std::string &text, const std::string &what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

/// Loads of whole vectors and shuffles that pick lanes of two vectors (no splats) in the LLVM text.
struct Counts {
  std::size_t loads, shuffles;
  friend bool operator==(const Counts &, const Counts &) = default;
  friend void PrintTo(const Counts &c, std::ostream *out) { *out << c.loads << " loads, " << c.shuffles << " shuffles"; }
};
Counts counts_for(const char *cpu, const Schedule &s, const List<AnyArgument> &arguments) {
  Options options;
  options.target = Target::of("x86_64-unknown-linux-gnu", cpu);
  const std::string text = emit_llvm_text(s, arguments, options), lanes = std::to_string(options.target.lanes(32)) + " x float>";
  std::size_t splats = 0;
  for (std::size_t at = text.find(" = shufflevector <"); at != std::string::npos; at = text.find(" = shufflevector <", at + 1))
    splats += text.substr(at, text.find('\n', at) - at).find("> zeroinitializer") != std::string::npos;
  return {count(text, " = load <" + lanes), count(text, " = shufflevector <" + lanes) - splats};
}

/// Rows of `width` elements in 16 lanes, two vectors and `rows` rows at a time.
template <int Rank>
Schedule in_vectors(const Tensor<float, Rank> &t, std::int64_t rows, std::int64_t lanes) {
  Schedule s(t);
  auto [y, x] = s[t].axes();
  auto [yo, yi] = s[t].split(y, rows);
  auto [xo, xi] = s[t].split(x, 2 * lanes);
  auto [xv, xl] = s[t].split(xi, lanes);
  s[t].reorder(yo, xo, yi, xv, xl);
  s[t].unroll(yi);
  s[t].unroll(xv);
  s[t].vectorize(xl);
  return s;
}

TEST(ShareLoads, Stencil) {
  EveryBackend run;
  auto a = placeholder<float>({68}, "a");
  auto b = compute({64}, [&](Index i) { return a(i) + a(i + 1) + a(i + 2) + a(i + 3) + a(i + 4); }, "b(i)");
  Schedule s(b);
  auto [io, ii] = s[b].split(s[b].axis(0), 32);
  auto [iv, il] = s[b].split(ii, 16);
  s[b].unroll(iv);
  s[b].vectorize(il);
  // 26 half cycles of loads (two aligned) and 8 of sums: 5 shuffles make it 11 and 13.
  EXPECT_EQ(counts_for("sapphirerapids", s, {a, b}), (Counts{5, 5}));
  run.expect(s, {in(a, counted<float, 1>({68}, -7, 3)),
                 out(b, Array<float, 1>::generate({64}, [](auto i) { return static_cast<float>(5 * (3 * (i + 2) - 7)); }))});

  Schedule halves(b);
  auto [ho, hi] = halves[b].split(halves[b].axis(0), 16);
  auto [hv, hl] = halves[b].split(hi, 8);
  halves[b].unroll(hv);
  halves[b].vectorize(hl);
  EXPECT_EQ(counts_for("haswell", halves, {a, b}), (Counts{10, 0}));
}

TEST(ShareLoads, Depthwise) {
  EveryBackend run;
  auto a = placeholder<float>({6, 68}, "a"), w = placeholder<float>({3, 3}, "w");
  auto b = compute(
      {4, 64},
      [&](Index y, Index x) {
        Expr<float> total = a(y, x) * w(0, 0);
        for (int k = 1; k < 9; ++k) total = total + a(y + k / 3, x + k % 3) * w(k / 3, k % 3);
        return total;
      },
      "b(y, x)");
  // In each of three rows three vectors cover the other three.
  EXPECT_EQ(counts_for("sapphirerapids", in_vectors(b, 1, 16), {a, w, b}), (Counts{9, 9}));
  // Four rows of the result share their loads, so that there is twice the arithmetic for each: 9 of 18 are shuffled.
  EXPECT_EQ(counts_for("sapphirerapids", in_vectors(b, 4, 16), {a, w, b}), (Counts{27, 9}));
  EXPECT_EQ(counts_for("haswell", in_vectors(b, 1, 8), {a, w, b}), (Counts{18, 0}));
  const auto image = counted<float, 2>({6, 68}, -30, 1);
  const auto weights = counted<float, 2>({3, 3}, -4, 1);
  const auto right = Array<float, 2>::generate({4, 64}, [&](auto y, auto x) {
    float total = 0;  // exact: small integers
    for (std::int64_t k = 0; k < 9; ++k) total += image(y + k / 3, x + k % 3) * weights(k / 3, k % 3);
    return total;
  });
  for (std::int64_t rows : {1, 4})
    for (std::int64_t lanes : {8, 16}) run.expect(in_vectors(b, rows, lanes), {in(a, image), in(w, weights), out(b, right)});
}

TEST(ShareLoads, PoolingOfStride1) {
  EveryBackend run;
  auto a = placeholder<std::int32_t>({3, 34}, "a");
  auto b = compute(
      {1, 32},
      [&](Index y, Index x) {
        Expr<std::int32_t> most = a(y, x);
        for (int k = 1; k < 9; ++k) most = max(most, a(y + k / 3, x + k % 3));
        return most;
      },
      "b(y, x)");
  Schedule s(b);
  auto [xv, xl] = s[b].split(s[b].axis(1), 16);
  s[b].unroll(xv);
  s[b].vectorize(xl);
  Options options;
  options.target = Target::of("x86_64-unknown-linux-gnu", "sapphirerapids");
  const std::string text = emit_llvm_text(s, {a, b}, options);
  EXPECT_EQ(count(text, " = load <16 x i32>") + count(text, " = shufflevector <16 x i32>"), 18u) << text;
  EXPECT_GE(count(text, " = shufflevector <16 x i32>"), 4u) << text;
  const auto image = Array<std::int32_t, 2>::generate({3, 34}, [](auto y, auto x) { return std::int32_t(x * 37 % 53 - 5 * y); });
  run.expect(s, {in(a, image), out(b, Array<std::int32_t, 2>::generate({1, 32}, [&](auto y, auto x) {
                                     std::int32_t most = image(y, x);
                                     for (std::int64_t k = 1; k < 9; ++k) most = std::max(most, image(y + k / 3, x + k % 3));
                                     return most;
                                   }))});
}

TEST(ShareLoads, PoolingOfStride2) {
  EveryBackend run;
  auto a = placeholder<float>({5, 129}, "a");
  auto b = compute(
      {2, 64},
      [&](Index y, Index x) {
        Expr<float> most = a(2 * y, 2 * x);
        for (int k = 1; k < 9; ++k) most = max(most, a(2 * y + k / 3, 2 * x + k % 3));
        return most;
      },
      "b(y, x)");
  // In each of three rows: two pairs of contiguous vectors, and two for the last tap of the second vector, each with its
  // shuffles; and the last tap of the first vector, which others cover.
  EXPECT_EQ(counts_for("sapphirerapids", in_vectors(b, 1, 16), {a, b}), (Counts{18, 18}));
  EXPECT_EQ(counts_for("haswell", in_vectors(b, 1, 8), {a, b}), (Counts{18, 18}));
  const auto image = Array<float, 2>::generate({5, 129}, [](auto y, auto x) { return float(x * 37 % 53 - 5 * y); });
  const auto right = Array<float, 2>::generate({2, 64}, [&](auto y, auto x) {
    float most = image(2 * y, 2 * x);
    for (std::int64_t k = 1; k < 9; ++k) most = std::max(most, image(2 * y + k / 3, 2 * x + k % 3));
    return most;
  });
  for (std::int64_t rows : {1, 2})
    for (std::int64_t lanes : {4, 8, 16}) run.expect(in_vectors(b, rows, lanes), {in(a, image), out(b, right)});
}

TEST(ShareLoads, Pixels) {
  EveryBackend run;
  for (std::int64_t channels : {3, 4})
    for (std::int64_t lanes : {4, 16}) {
      auto a = placeholder<std::int16_t>({32 * channels}, "a");
      auto b = compute(
          {32},
          [&](Index i) {
            Expr<std::int16_t> total = a(i * channels);
            for (std::int64_t k = 1; k < channels; ++k) total = total + a(i * channels + k) * std::int16_t(k + 1);
            return total;
          },
          "b(i)");
      Schedule s(b);
      s[b].vectorize(s[b].split(s[b].axis(0), lanes).second);
      const auto pixels =
          Array<std::int16_t, 1>::generate({32 * channels}, [](auto i) { return std::int16_t(i * i % 101 - 50); });
      run.expect(s, {in(a, pixels), out(b, Array<std::int16_t, 1>::generate({32}, [&](auto i) {
                                          int total = 0;
                                          for (std::int64_t k = 0; k < channels; ++k)
                                            total += static_cast<int>(k + 1) * pixels(i * channels + k);
                                          return static_cast<std::int16_t>(total);
                                        }))});
    }
}

}  // namespace
