// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Cases about integer semantics: division, shifts, wrapping, casts. Operands come as data, as loop variables and as constants.

#include <limits>

#include "cases/every_backend.hpp"

namespace {

using namespace cases;

// ---- division, by the definitions in 64-bit arithmetic that cannot overflow here
// -----------------------------------------------

std::int64_t trunc_quotient(std::int64_t a, std::int64_t b) {
  const std::int64_t q = (a < 0 ? -a : a) / (b < 0 ? -b : b);
  return (a < 0) != (b < 0) ? -q : q;
}
std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  const std::int64_t q = trunc_quotient(a, b);
  return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

constexpr const char *division_names[] = {"floor_div", "floor_mod", "trunc_div", "trunc_mod"};
std::int64_t right_division(int which, std::int64_t a, std::int64_t b) {
  switch (which) {
    case 0: return floor_quotient(a, b);
    case 1: return a - floor_quotient(a, b) * b;
    case 2: return trunc_quotient(a, b);
    default: return a - trunc_quotient(a, b) * b;
  }
}
template <class A, class B>
auto division(int which, const A &a, const B &b) {
  switch (which) {
    case 0: return floor_div(a, b);
    case 1: return floor_mod(a, b);
    case 2: return trunc_div(a, b);
    default: return trunc_mod(a, b);
  }
}

template <class T>
class C18 : public ::testing::Test {};
using Integers = ::testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t>;
struct IntegerNames {
  template <class T>
  static std::string GetName(int) {
    return "int" + std::to_string(8 * sizeof(T));
  }
};
TYPED_TEST_SUITE(C18, Integers, IntegerNames);

constexpr int divisors = 255;  // -128 … 127 without 0
std::int64_t divisor_at(std::int64_t j) { return j < 128 ? j - 128 : j - 127; }

/// All dividends by all divisors; conversion to T wraps -128 / -1 in eight bits, as operators.hpp says.
template <class T>
Array<T, 2> all_quotients(int which) {
  return Array<T, 2>::generate({256, divisors},
                               [&](std::int64_t i, std::int64_t j) { return right_division(which, i - 128, divisor_at(j)); });
}

TYPED_TEST(C18, AllPairsOfData) {
  using T = TypeParam;
  EveryBackend run;
  auto A = placeholder<T>({256}, "A"), B = placeholder<T>({divisors}, "B");
  const auto a = counted<T, 1>({256}, -128);
  const auto b = Array<T, 1>::generate({divisors}, [](std::int64_t j) { return divisor_at(j); });
  for (int which = 0; which < 4; ++which) {
    auto C = compute({256, divisors}, [&](Index i, Index j) { return division(which, A(i), B(j)); }, division_names[which]);
    Schedule s(C);
    auto [o, v] = s[C].split(s[C].axis(1), 16);
    s[C].vectorize(v);
    run.expect(s, {in(A, a), in(B, b), out(C, all_quotients<T>(which))});
  }
}

TYPED_TEST(C18, DataByConstants) {
  using T = TypeParam;
  EveryBackend run;
  auto A = placeholder<T>({256}, "A");
  const int constants[] = {-128, -127, -16, -7, -3, -2, -1, 1, 2, 3, 7, 10, 16, 64, 127};
  for (int which = 0; which < 4; ++which) {
    std::vector<AnyTensor> stages;
    std::vector<Given> given = {in(A, counted<T, 1>({256}, -128))};
    for (const int c : constants) {
      auto C = compute({256}, [&](Index i) { return division(which, A(i), static_cast<T>(c)); }, division_names[which]);
      stages.push_back(C);
      given.push_back(out(C, Array<T, 1>::generate({256}, [&](std::int64_t i) { return right_division(which, i - 128, c); })));
      if (which % 2 == 0 && c > 0) continue;
      auto D = compute(
          {256},
          [&](Index i) { return division(which, Expr<T>(static_cast<T>(c)), if_then_else(A(i) == 0, static_cast<T>(5), A(i))); },
          "by_data");
      stages.push_back(D);
      given.push_back(
          out(D, Array<T, 1>::generate({256}, [&](std::int64_t i) { return right_division(which, c, i == 128 ? 5 : i - 128); })));
    }
    Schedule s(stages);
    for (std::size_t n = 0; n < stages.size(); n += 2)
      s[stages[n]].vectorize(s[stages[n]].split(s[stages[n]].axes()[0], 32).second);
    run.expect(s, given);
  }
}

TYPED_TEST(C18, ConstantsByConstants) {
  using T = TypeParam;
  EveryBackend run;
  std::vector<AnyTensor> stages;
  std::vector<Given> given;
  for (int which = 0; which < 4; ++which)
    for (const int a : {-128, -127, -7, -1, 0, 1, 7, 127})
      for (const int b : {-128, -3, -2, -1, 1, 2, 3, 127}) {
        auto C = compute([&] { return division(which, Expr<T>(static_cast<T>(a)), static_cast<T>(b)); }, division_names[which]);
        stages.push_back(C);
        Array<T, 0> right;
        right() = static_cast<T>(right_division(which, a, b));
        given.push_back(out(C, right));
      }
  run.expect(Schedule(stages), given);
}

TEST(TeCases, C18_LoopVariables) {
  EveryBackend run;
  for (int which = 0; which < 4; ++which) {
    auto C = compute(
        {256, divisors},
        [&](Index i, Index j) {
          const Index b = select(j < 128, j - 128, j - 127);
          return cast<std::int64_t>(division(which, i - 128, b));
        },
        division_names[which]);
    Schedule s(C);
    auto [o, v] = s[C].split(s[C].axis(1), 8);
    s[C].vectorize(v);
    run.expect(s, {out(C, all_quotients<std::int64_t>(which))});
    std::vector<AnyTensor> stages;
    std::vector<Given> given;
    for (const int c : {-128, -16, -3, -1, 1, 2, 3, 10, 16, 127}) {
      auto D = compute({256}, [&](Index i) { return cast<std::int64_t>(division(which, i - 128, c)); }, "by_constant");
      stages.push_back(D);
      given.push_back(
          out(D, Array<std::int64_t, 1>::generate({256}, [&](std::int64_t i) { return right_division(which, i - 128, c); })));
    }
    Schedule t(stages);
    for (const AnyTensor &stage : stages) t[stage].vectorize(t[stage].split(t[stage].axes()[0], 24).second);
    run.expect(t, given);
  }
}

TEST(TeCases, C18_CeilingAndLinearForms) {
  EveryBackend run;
  auto n = size_var("n");
  auto ceiling = compute([&] { return cast<std::int32_t>((n + 9) / 10); }, "ceiling");
  Array<std::int32_t, 0> three;
  three() = 3;
  run.expect(Schedule(ceiling), {size(n, 24), out(ceiling, three)});

  // x in [-20, 20): (241 + 48 x) div 16 = 15 + 3 x + (1 div 16) holds for floor only.
  auto floors = compute({40}, [&](Index i) { return cast<std::int32_t>(floor_div(48 * (i - 20) + 241, 16)); }, "floors(i)");
  auto truncs = compute({40}, [&](Index i) { return cast<std::int32_t>(trunc_div(48 * (i - 20) + 241, 16)); }, "truncs(i)");
  const auto right = [](bool floor) {
    return Array<std::int32_t, 1>::generate({40}, [=](std::int64_t i) {
      const std::int64_t a = 241 + 48 * (i - 20);
      return floor ? floor_quotient(a, 16) : trunc_quotient(a, 16);
    });
  };
  EXPECT_EQ(right(true)(10), -15);
  EXPECT_EQ(right(false)(10), -14);
  Schedule s(floors, truncs);
  s[floors].vectorize(s[floors].split(s[floors].axis(0), 16).second);
  s[truncs].vectorize(s[truncs].split(s[truncs].axis(0), 16).second);
  run.expect(s, {out(floors, right(true)), out(truncs, right(false))});
}

template <class T>
void seven_by_two_and_three(EveryBackend &run) {
  auto A = placeholder<T>({2}, "A"), B = placeholder<T>({4}, "B");
  auto Q = compute({2, 4}, [&](Index i, Index j) { return A(i) / B(j); }, "Q(i, j)");
  auto R = compute({2, 4}, [&](Index i, Index j) { return A(i) % B(j); }, "R(i, j)");
  const auto q = Array<T, 2>::of({{-4, 3, -3, 2}, {3, -4, 2, -3}}), r = Array<T, 2>::of({{1, -1, 2, -1}, {1, -1, 1, -2}});
  const auto given = {in(A, Array<T, 1>::of({-7, 7})), in(B, Array<T, 1>::of({2, -2, 3, -3})), out(Q, q), out(R, r)};
  run.expect(Schedule(Q, R), given);
  Schedule s(Q, R);
  s[Q].vectorize(s[Q].axis(1));
  s[R].vectorize(s[R].axis(1));
  run.expect(s, given);

  // By one, known and unknown.
  auto X = placeholder<T>({3}, "X"), one = placeholder<T>({3}, "one");
  auto by_one = compute(
           {3}, [&](Index i) { return X(i) / 1; }, "by_one"),
       by_data = compute({3}, [&](Index i) { return X(i) / one(i); }, "by_data");
  const auto x = Array<T, 1>::of({-128, -5, 0});
  run.expect(Schedule(by_one, by_data), {in(X, x), in(one, Array<T, 1>::of({1, 1, 1})), out(by_one, x), out(by_data, x)});
}

TEST(HalideCases, C1_FloorDivision) {
  EveryBackend run;
  seven_by_two_and_three<std::int8_t>(run);
  seven_by_two_and_three<std::int16_t>(run);
  seven_by_two_and_three<std::int32_t>(run);
  seven_by_two_and_three<std::int64_t>(run);
}

/// The same stage from data, one element at a time and in lanes, and from constants.
template <class T, class F>
void data_and_folded(EveryBackend &run, const Array<T, 1> &a, F &&f, const Array<T, 1> &right) {
  auto A = placeholder<T>({a.size()}, "A");
  auto C = compute({a.size()}, [&](Index i) { return f(A(i)); }, "C(i)");
  Schedule s(C), v(C);
  v[C].vectorize(v[C].axis(0));
  for (const Schedule &each : {s, v}) run.expect(each, {in(A, a), out(C, right)});
  for (std::int64_t i = 0; i < a.size(); ++i) {
    auto folded = compute({1}, [&](Index) { return f(Expr<T>(a(i))); }, "folded");
    run.expect(Schedule(folded), {out(folded, Array<T, 1>::of({right(i)}))});
  }
}
template <class T, class F>
void data_and_folded(EveryBackend &run, const Array<T, 1> &a, const Array<T, 1> &b, F &&f, const Array<T, 1> &right) {
  auto A = placeholder<T>({a.size()}, "A"), B = placeholder<T>({a.size()}, "B");
  auto C = compute({a.size()}, [&](Index i) { return f(A(i), B(i)); }, "C(i)");
  Schedule s(C), v(C);
  v[C].vectorize(v[C].axis(0));
  for (const Schedule &each : {s, v}) run.expect(each, {in(A, a), in(B, b), out(C, right)});
  std::vector<AnyTensor> stages;
  std::vector<Given> given;
  for (std::int64_t i = 0; i < a.size(); ++i) {
    auto folded = compute({1}, [&](Index) { return f(Expr<T>(a(i)), Expr<T>(b(i))); }, "folded");
    stages.push_back(folded);
    given.push_back(out(folded, Array<T, 1>::of({right(i)})));
  }
  run.expect(Schedule(stages), given);
}

TEST(HalideCases, C3_ShiftsBeyondTheWidth) {
  EveryBackend run;
  const auto left = [](auto x, auto n) { return x << n; };
  const auto right = [](auto x, auto n) { return x >> n; };
  data_and_folded<std::int8_t>(run, Array<std::int8_t, 1>::of({1, -1}), Array<std::int8_t, 1>::of({-128, 8}), left,
                               Array<std::int8_t, 1>::of({0, 0}));
  data_and_folded<std::uint32_t>(run, Array<std::uint32_t, 1>::of({1, 1, 3}), Array<std::uint32_t, 1>::of({32, 31, 0xFFFFFFFF}),
                                 left, Array<std::uint32_t, 1>::of({0, 0x80000000, 0}));
  data_and_folded<std::uint32_t>(run, Array<std::uint32_t, 1>::of({1, 0x80000000}), Array<std::uint32_t, 1>::of({32, 31}), right,
                                 Array<std::uint32_t, 1>::of({0, 1}));
  constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min();
  data_and_folded<std::int32_t>(run, Array<std::int32_t, 1>::of({-1, -5, 0, 7, least}),
                                Array<std::int32_t, 1>::of({32, 31, 31, 31, 31}), right,
                                Array<std::int32_t, 1>::of({-1, -1, 0, 0, -1}));

  auto X = placeholder<std::int32_t>({4}, "X");
  auto by31 = compute({4}, [&](Index i) { return X(i) >> 31; }, "by31(i)");
  run.expect(Schedule(by31),
             {in(X, Array<std::int32_t, 1>::of({-5, 0, 7, least})), out(by31, Array<std::int32_t, 1>::of({-1, 0, 0, -1}))});

  // The negated amount is unsigned: 2^32 - (2^32 - i) = i.
  auto S = placeholder<std::uint32_t>({32}, "S");
  auto F = compute({32}, [&](Index i) { return Expr<std::uint32_t>(0xFFFFFFFFu) << -S(i); }, "F(i)");
  auto G = compute({32}, [&](Index i) { return Expr<std::uint32_t>(0xFFFFFFFFu) << (0u - S(i)); }, "G(i)");
  const auto shifted = Array<std::uint32_t, 1>::generate({32}, [](std::int64_t i) { return 0xFFFFFFFFu << i; });
  Schedule s(F, G);
  s[F].vectorize(s[F].axis(0));
  run.expect(s,
             {in(S, Array<std::uint32_t, 1>::generate({32}, [](std::int64_t i) { return 0u - static_cast<std::uint32_t>(i); })),
              out(F, shifted), out(G, shifted)});
}

TEST(HalideCases, C4_AndWithAMask) {
  EveryBackend run;
  auto A = placeholder<std::uint32_t>({19}, "A");
  auto L = compute(
           {19}, [&](Index i) { return A(i) & 0xAAAAAAAAu; }, "L(i)"),
       R = compute({19}, [&](Index i) { return 0xAAAAAAAAu & A(i); }, "R(i)");
  const auto a = counted<std::uint32_t, 1>({19}, 3, 0x07654321);
  const auto right = Array<std::uint32_t, 1>::generate({19}, [&](std::int64_t i) { return a(i) & 0xAAAAAAAAu; });
  Schedule s(L, R);
  s[L].vectorize(s[L].split(s[L].axis(0), 8).second);
  run.expect(s, {in(A, a), out(L, right), out(R, right)});
}

TEST(HalideCases, C8_TheLeastInteger) {
  EveryBackend run;
  const auto least = Array<std::int8_t, 1>::of({-128}), minus_one = Array<std::int8_t, 1>::of({-1});
  // abs has the type of its operand here, so it wraps as operators.hpp says; as a byte without sign it is the 128 of the case.
  data_and_folded<std::int8_t>(run, least, [](auto x) { return -x; }, least);
  data_and_folded<std::int8_t>(run, least, [](auto x) { return abs(x); }, least);
  data_and_folded<std::int8_t>(run, least, minus_one, [](auto x, auto y) { return x / y; }, least);
  auto A = placeholder<std::int8_t>({1}, "A");
  auto magnitude = compute({1}, [&](Index i) { return cast<std::uint8_t>(abs(A(i))); }, "magnitude(i)");
  run.expect(Schedule(magnitude), {in(A, least), out(magnitude, Array<std::uint8_t, 1>::of({128}))});
}

TEST(HalideCases, C11_WrappedSumAsASignedNumber) {
  EveryBackend run;
  auto A = placeholder<std::uint32_t>({1}, "A");
  auto B = compute({1}, [&](Index i) { return cast<std::int32_t>(A(i) + 1u); }, "B(i)");
  auto F = compute({1}, [&](Index) { return cast<std::int32_t>(Expr<std::uint32_t>(0xFFFFFFF0u) + 1u); }, "F(i)");
  const auto right = Array<std::int32_t, 1>::of({-15});
  run.expect(Schedule(B, F), {in(A, Array<std::uint32_t, 1>::of({0xFFFFFFF0u})), out(B, right), out(F, right)});
}

TEST(HalideCases, C10_ReadsTwoToThe31Beyond) {
  for (const std::int64_t p : {std::int64_t{std::numeric_limits<std::int32_t>::min()}, std::int64_t{1} << 31}) {
    auto f = compute({128}, [&](Index x) { return cast<std::int32_t>(x); }, "f(x)");
    auto g = compute({128}, [&](Index x) { return f(x) + f(x + p); }, "g(x)");
    Schedule s(g);
    s[f].compute_root();
    expect_error("L002", [&] { print(s, g); });
  }
}

TEST(HalideCases, C11_UnsignedSumAsASignedNumber) {
  EveryBackend run;
  auto A = placeholder<std::uint32_t>({1}, "A");
  auto known = compute({1}, [&](Index) { return cast<std::int32_t>(Expr<std::uint32_t>(0xFFFFFFF0u) + 1u); }, "known");
  auto given = compute({1}, [&](Index i) { return cast<std::int32_t>(A(i) + 1u); }, "given");
  const auto right = Array<std::int32_t, 1>::of({-15});
  run.expect(Schedule(known, given), {in(A, Array<std::uint32_t, 1>::of({0xFFFFFFF0u})), out(known, right), out(given, right)});
}

TEST(HalideCases, C12_LiteralThatDoesNotFit) {
  auto A = placeholder<std::uint8_t>({4}, "A");
  expect_error("E001", [&] { compute({4}, [&](Index i) { return A(i) % 256; }); });
}

TEST(HalideCases, C14_FloatsToIntegers) {
  EveryBackend run;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto a = Array<float, 1>::of({300.0f, -1.0f, nan, 1e10f, -1e10f, 254.9f, -0.9f, 7.5f});
  const auto bytes = Array<std::uint8_t, 1>::of({255, 0, 0, 255, 0, 254, 0, 7});
  const auto words = Array<std::int32_t, 1>::of(
      {300, -1, 0, std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::min(), 254, 0, 7});
  auto A = placeholder<float>({8}, "A");
  auto B = compute({8}, [&](Index i) { return cast<std::uint8_t>(A(i)); }, "B(i)");
  auto W = compute({8}, [&](Index i) { return cast<std::int32_t>(A(i)); }, "W(i)");
  Schedule s(B, W), v(B, W);
  v[B].vectorize(v[B].axis(0));
  v[W].vectorize(v[W].axis(0));
  for (const Schedule &each : {s, v}) run.expect(each, {in(A, a), out(B, bytes), out(W, words)});
  std::vector<AnyTensor> stages;
  std::vector<Given> given;
  for (int i = 0; i < 8; ++i) {
    auto byte = compute({1}, [&](Index) { return cast<std::uint8_t>(Expr<float>(a(i))); }, "byte");
    auto word = compute({1}, [&](Index) { return cast<std::int32_t>(Expr<float>(a(i))); }, "word");
    stages.insert(stages.end(), {byte, word});
    given.push_back(out(byte, Array<std::uint8_t, 1>::of({bytes(i)})));
    given.push_back(out(word, Array<std::int32_t, 1>::of({words(i)})));
  }
  run.expect(Schedule(stages), given);
}

TEST(HalideCases, F4_ComparisonsOfWordsWidened) {
  EveryBackend run;
  auto A = placeholder<std::uint16_t>({13}, "A"), B = placeholder<std::uint16_t>({13}, "B");
  auto C = compute({13}, [&](Index i) { return cast<std::uint32_t>(A(i) < B(i)); }, "C(i)");
  auto D = compute(
      {13}, [&](Index i) { return select(A(i) < B(i), cast<std::uint32_t>(A(i)), cast<std::uint32_t>(B(i)) + 70000u); }, "D(i)");
  const auto a = counted<std::uint16_t, 1>({13}, 65000, 20000), b = counted<std::uint16_t, 1>({13}, 100, 7919);
  Schedule s(C, D);
  s[C].vectorize(s[C].split(s[C].axis(0), 4).second);
  s[D].vectorize(s[D].split(s[D].axis(0), 4).second);
  run.expect(
      s, {in(A, a), in(B, b), out(C, Array<std::uint32_t, 1>::generate({13}, [&](std::int64_t i) { return a(i) < b(i); })),
          out(D, Array<std::uint32_t, 1>::generate({13}, [&](std::int64_t i) { return a(i) < b(i) ? a(i) : b(i) + 70000u; }))});
}

// ---- comparisons of lanes with data

/// The ends of int64 as limits: "no limit" is written so. The differences of such limits and lanes are no int64.
TEST(IntegerSemantics, LanesComparedWithTheEndsOfInt64) {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
  EveryBackend run;
  auto n = size_var("n");
  auto low = scalar<std::int64_t>("low");
  auto high = placeholder<std::int64_t>({1}, "high");
  auto X = placeholder<std::int32_t>({n}, "X");
  auto B = compute(
      {n},
      [&](Index i) {
        return if_then_else(i >= Index(low), X(i), -1000) + if_then_else(i < Index(high(0)), 2 * X(i), -5000) +
               select(i == Index(low), 7, 0) + select(Index(low) < Index(high(0)) && i != Index(high(0)), 11, 0);
      },
      "B(i)");
  Schedule s(B);
  s[B].vectorize(s[B].split(s[B].axis(0), 4).second);
  for (const std::int64_t from : {least, least + 1, std::int64_t{0}, std::int64_t{5}, most - 1, most})
    for (const std::int64_t to : {least, least + 1, std::int64_t{6}, most - 1, most}) {
      const auto right = Array<std::int32_t, 1>::generate({11}, [&](std::int64_t i) {
        const std::int64_t x = 100 + i;
        return (i >= from ? x : -1000) + (i < to ? 2 * x : -5000) + (i == from ? 7 : 0) + (from < to && i != to ? 11 : 0);
      });
      run.expect(s, {value(low, from), in(high, Array<std::int64_t, 1>::of({to})), in(X, counted<std::int32_t, 1>({11}, 100)),
                     out(B, right)});
    }
}

}  // namespace
