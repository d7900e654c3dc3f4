// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Cases about floating point: special values, rounding, narrow floats, constants that survive every back end.

#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>

#include "cases/every_backend.hpp"

namespace {

using namespace cases;

constexpr float inf = std::numeric_limits<float>::infinity(), nan_value = std::numeric_limits<float>::quiet_NaN();

template <class T, class... Bits>
Array<T, 1> of_bits(Bits... bits) {
  return Array<T, 1>::of({T::from_bits(static_cast<std::uint16_t>(bits))...});
}

TEST(HalideCases, C2_FloatRemainder) {
  EveryBackend run;
  auto A = placeholder<float>({13}, "A");
  auto M = compute({13}, [&](Index k) { return A(k) % 1.0f + 0.0f; }, "M(k)");
  auto F = compute({13}, [&](Index k) { return (0.1f * (cast<float>(k) - 12.0f)) % 1.0f + 0.0f; }, "F(k)");
  const auto a = Array<float, 1>::generate({13}, [](std::int64_t k) { return 0.1f * (static_cast<float>(k) - 12.0f); });
  // x mod 1 is exact for these x, in float as in double, but for one rounding where x is above -1. (The sign of a zero is not at
  // issue:
  // + 0.0f takes it away.)
  const auto right = Array<float, 1>::generate({13}, [&](std::int64_t k) {
    const double x = a(k);
    return static_cast<float>(x - std::floor(x));
  });
  const float stated[] = {.8f, .9f, 0, .1f, .2f, .3f, .4f, .5f, .6f, .7f, .8f, .9f, 0};
  for (int k = 0; k < 13; ++k) EXPECT_NEAR(right(k), stated[k], 2e-7f) << k;
  Schedule s(M, F), v(M, F);
  v[M].vectorize(v[M].split(v[M].axis(0), 4).second);
  v[F].vectorize(v[F].split(v[F].axis(0), 8).second);
  for (const Schedule &each : {s, v}) run.expect(each, {in(A, a), out(M, right), out(F, right)});
}

TEST(HalideCases, D1_Float16Constant) {
  EveryBackend run;
  auto H = compute({3}, [&](Index) { return Expr<float16>(100.0); }, "H(i)");
  run.expect(Schedule(H), {out(H, of_bits<float16>(0x5640, 0x5640, 0x5640))});
}

TEST(HalideCases, D2_FloatsToFloat16) {
  EveryBackend run;
  auto A = placeholder<float>({6}, "A");
  auto H = compute({6}, [&](Index i) { return cast<float16>(A(i)); }, "H(i)");
  auto I = compute({6}, [&](Index i) { return isinf(cast<float16>(A(i))); }, "I(i)");
  auto N = compute({6}, [&](Index i) { return isnan(cast<float16>(A(i))); }, "N(i)");
  const auto a = Array<float, 1>::of({65519.99f, 65520.0f, 1e10f, inf, -inf, nan_value});
  const std::vector<Given> given = {in(A, a), out(H, of_bits<float16>(0x7BFF, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0x7E00)),
                                    out(I, Array<bool, 1>::of({false, true, true, true, true, false})),
                                    out(N, Array<bool, 1>::of({false, false, false, false, false, true}))};
  Schedule s(H, I, N), v(H, I, N);
  v[H].vectorize(v[H].axis(0));
  v[I].vectorize(v[I].axis(0));
  v[N].vectorize(v[N].axis(0));
  for (const Schedule &each : {s, v}) run.expect(each, given);
}

TEST(HalideCases, D4_FloatsToBfloat16) {
  EveryBackend run;
  auto A = placeholder<float>({3}, "A");
  auto B = compute({3}, [&](Index i) { return cast<bfloat16>(A(i)); }, "B(i)");
  auto F = compute({3}, [&](Index i) { return cast<float>(B(i)); }, "F(i)");
  const float e8 = std::ldexp(1.0f, -8), e20 = std::ldexp(1.0f, -20);
  const auto a = Array<float, 1>::of({1 + e8, 1 + 3 * e8, 1 + e8 + e20});
  Schedule s(B, F), v(B, F);
  v[B].vectorize(v[B].axis(0));
  for (const Schedule &each : {s, v})
    run.expect(each, {in(A, a), out(B, of_bits<bfloat16>(0x3F80, 0x3F82, 0x3F81)),
                      out(F, Array<float, 1>::of({1.0f, 1.015625f, 1.0078125f}))});
}

/// Literals in the text, one stage each, and the same values as data of the program.
template <class T>
void round_trip(EveryBackend &run, const Array<T, 1> &values) {
  std::vector<AnyTensor> stages;
  std::vector<Given> given;
  for (std::int64_t i = 0; i < values.size(); ++i) {
    auto literal = compute({1}, [&](Index) { return Expr<T>(values(i)); }, "literal");
    stages.push_back(literal);
    given.push_back(out(literal, Array<T, 1>::of({values(i)})));
  }
  auto data = constant(values, "data");
  auto copied = compute({values.size()}, [&](Index i) { return data(i); }, "copied(i)");
  stages.push_back(copied);
  given.push_back(out(copied, values));
  run.expect(Schedule(stages), given);
}

TEST(HalideCases, D5_ConstantsSurvive) {
  EveryBackend run;
  round_trip<float>(run, Array<float, 1>::of({inf, -inf, nan_value, 1e-20f, 0.1f, 1.0f / 3, FLT_MIN, -FLT_MAX, FLT_TRUE_MIN,
                                              16777217.0f, -0.0f, 0.0f}));
  const double infinity = std::numeric_limits<double>::infinity();
  round_trip<double>(run, Array<double, 1>::of({infinity, -infinity, std::nan(""), 1e-20, 0.1, 1.0 / 3, FLT_MIN, DBL_MIN, DBL_MAX,
                                                DBL_TRUE_MIN, 16777217.0, -0.0}));
  round_trip<float16>(run, of_bits<float16>(0x7C00, 0xFC00, 0x7E00, 0x2E66, 0x3555, 0x0001, 0x0400, 0x7BFF, 0x8000));
  round_trip<bfloat16>(run, of_bits<bfloat16>(0x7F80, 0xFF80, 0x7FC0, 0x3DCD, 0x3EAB, 0x0001, 0x0080, 0x7F7F, 0x8000));
  round_trip<std::int64_t>(run, Array<std::int64_t, 1>::of({std::numeric_limits<std::int64_t>::min(),
                                                            std::numeric_limits<std::int64_t>::max(), -1, 1LL << 53}));
  round_trip<std::uint64_t>(run, Array<std::uint64_t, 1>::of({~0ULL, 1ULL << 63, 0ULL}));
}

TEST(HalideCases, NothingFromZeroIsPositiveZero) {
  EveryBackend run;
  auto x = placeholder<float>({2}, "x");
  auto A = compute({2}, [&](Index i) { return 0.0f - cast<float>(i); }, "A(i)");
  auto B = compute({2}, [&](Index i) { return 0.0f - abs(x(i)); }, "B(i)");
  auto C = compute({2}, [&](Index i) { return 0.0 - cast<double>(x(i) > 1.0f); }, "C(i)");
  run.expect(Schedule(A, B, C), {in(x, Array<float, 1>::of({-0.0f, 2.0f})), out(A, Array<float, 1>::of({0.0f, -1.0f})),
                                 out(B, Array<float, 1>::of({0.0f, -2.0f})), out(C, Array<double, 1>::of({0.0, -1.0}))});
}

TEST(HalideCases, D5_InfinitiesOfFloat16) {
  EveryBackend run;
  auto H = compute({1}, [&](Index) { return Expr<float16>(std::numeric_limits<double>::infinity()); }, "H(i)");
  auto L = compute({1}, [&](Index) { return Expr<float16>(-std::numeric_limits<double>::infinity()); }, "L(i)");
  run.expect(Schedule(H, L), {out(H, of_bits<float16>(0x7C00)), out(L, of_bits<float16>(0xFC00))});
}

TEST(HalideCases, D6_NaN) {
  EveryBackend run;
  auto A = placeholder<float>({2}, "A");
  auto k = reduce_axis(2, "k");
  auto reduced = compute([&] { return max(A(k), k); }, "reduced");
  Array<float, 0> nan0;
  nan0() = nan_value;
  run.expect(Schedule(reduced), {in(A, Array<float, 1>::of({nan_value, nan_value})), out(reduced, nan0)});
  run.expect(Schedule(reduced), {in(A, Array<float, 1>::of({nan_value, 5})), out(reduced, nan0)});
  run.expect(Schedule(reduced), {in(A, Array<float, 1>::of({5, nan_value})), out(reduced, nan0)});

  auto X = placeholder<float>({6}, "X"), Y = placeholder<float>({6}, "Y");
  auto greater = compute({6}, [&](Index i) { return max(X(i), Y(i)); }, "greater(i)");
  auto lesser = compute({6}, [&](Index i) { return min(X(i), Y(i)); }, "lesser(i)");
  Schedule s(greater, lesser), v(greater, lesser);
  v[greater].vectorize(v[greater].axis(0));
  v[lesser].vectorize(v[lesser].axis(0));
  for (const Schedule &each : {s, v})
    run.expect(each, {in(X, Array<float, 1>::of({nan_value, 1, nan_value, -0.0f, 0.0f, 2})),
                      in(Y, Array<float, 1>::of({1, nan_value, nan_value, 0.0f, -0.0f, 3})),
                      out(greater, Array<float, 1>::of({nan_value, nan_value, nan_value, 0.0f, 0.0f, 3})),
                      out(lesser, Array<float, 1>::of({nan_value, nan_value, nan_value, -0.0f, -0.0f, 2}))});

  auto odd = compute({4}, [&](Index i) { return select(i % 2 == 1, Expr<float>(1.0f), nan_value); }, "odd(i)");
  auto known = compute({6}, [&](Index i) { return select(isnan(X(i)), Expr<float>(nan_value), 1.0f); }, "known(i)");
  Schedule t(odd, known), w(odd, known);
  w[odd].vectorize(w[odd].axis(0));
  w[known].vectorize(w[known].axis(0));
  for (const Schedule &each : {t, w})
    run.expect(each, {in(X, Array<float, 1>::of({nan_value, 1, nan_value, inf, 0, -nan_value})),
                      out(odd, Array<float, 1>::of({nan_value, 1, nan_value, 1})),
                      out(known, Array<float, 1>::of({nan_value, 1, nan_value, 1, 1, nan_value}))});
}

TEST(HalideCases, D7_SumsAreNotDistributed) {
  EveryBackend run;
  auto x = scalar<float>("x"), n = scalar<float>("n");
  auto once = compute({1}, [&](Index) { return (x + 1.0f) * n; }, "once(i)");
  auto lanes = compute({8}, [&](Index) { return (x + 1.0f) * n; }, "lanes(i)");
  auto shared = compute(
      {8},
      [&](Index i) {
        const auto plus = x + 1.0f;
        return select(i < 4, plus * n, n * plus);
      },
      "shared(i)");
  auto folded = compute({1}, [&](Index) { return (Expr<float>(16777216.0f) + 1.0f) * 3.0f; }, "folded(i)");
  Schedule s(once, lanes, shared, folded);
  s[lanes].vectorize(s[lanes].axis(0));
  s[shared].vectorize(s[shared].axis(0));
  Array<float, 1> eight({8});
  eight.fill(50331648.0f);
  const auto one = Array<float, 1>::of({50331648.0f});
  run.expect(s, {value(x, 16777216.0f), value(n, 3.0f), out(once, one), out(lanes, eight), out(shared, eight), out(folded, one)});
}

TEST(HalideCases, D7_NotEvenWhenProductsMayFuse) {
  auto x = scalar<float>("x"), n = scalar<float>("n");
  auto lanes = compute({8}, [&](Index) { return (x + 1.0f) * n; }, "lanes(i)");
  Schedule s(lanes);
  s[lanes].vectorize(s[lanes].axis(0));
  Array<float, 1> result({8}), eight({8});
  eight.fill(50331648.0f);
  jit(s, x, n, lanes)(16777216.0f, 3.0f, result);
  EXPECT_EQ(result, eight);
}

TEST(HalideCases, D8_HalvesRoundToEven) {
  EveryBackend run;
  auto A = placeholder<float>({8}, "A");
  auto D = placeholder<double>({8}, "D");
  auto R = compute({8}, [&](Index i) { return round(A(i) / 2.0f); }, "R(i)");
  auto Q = compute({8}, [&](Index i) { return round(D(i) / 2.0); }, "Q(i)");
  auto F = compute({8}, [&](Index i) { return round(cast<float>(i) / 2.0f); }, "F(i)");
  const auto right = Array<float, 1>::of({0, 0, 1, 2, 2, 2, 3, 4});
  Schedule s(R, Q, F), v(R, Q, F);
  v[R].vectorize(v[R].axis(0));
  v[Q].vectorize(v[Q].axis(0));
  v[F].unroll(v[F].axis(0));
  for (const Schedule &each : {s, v})
    run.expect(each, {in(A, counted<float, 1>({8})), in(D, counted<double, 1>({8})), out(R, right),
                      out(Q, Array<double, 1>::of({0, 0, 1, 2, 2, 2, 3, 4})), out(F, right)});
}

TEST(HalideCases, D10_ProductsOfConvertedWords) {
  EveryBackend run;
  auto A = placeholder<std::uint16_t>({9}, "A");
  auto P = compute({9}, [&](Index i) { return cast<float>(A(i)) * cast<float>(A(i)); }, "P(i)");
  Array<std::uint16_t, 1> a({9});
  a.fill(65535);
  Array<float, 1> right({9});
  right.fill(4294836224.0f);
  Schedule s(P);
  s[P].vectorize(s[P].split(s[P].axis(0), 4).second);
  run.expect(s, {in(A, a), out(P, right)});
}

}  // namespace
