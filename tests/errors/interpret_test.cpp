// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Every fault that the interpreter and the reference evaluator find in what a schedule computes, with its text.
/// programs_test.cpp has those of loops by hand.

#include <lathe/lathe.hpp>

#include "golden.hpp"

namespace {

using namespace lathe;
using golden::expect_refusal;

TEST(Faults, R001IndexOutOfBounds) {
  auto table = placeholder<float>({10}, "table");
  auto ids = placeholder<int>({4}, "ids");
  auto out = compute({4}, [&](Index i) { return unchecked(table(ids(i))); }, "out(i)");
  Array<float, 1> t({10}), o({4});
  const auto wrong = Array<int, 1>::of({0, 9, 10, 3});
  auto kernel = interpret(Schedule(out), table, ids, out);
  expect_refusal("R001", [&] { kernel(t, wrong, o); });
  expect_refusal("R001", [&] { evaluate(out, {{table, t}, {ids, wrong}}); }, "_evaluate");
}

TEST(Faults, R004IndexOverflow) {
  auto n = size_var("n");
  auto out = compute({4}, [&](Index i) { return cast<float>((i + 1) * n); }, "out(i)");
  Array<float, 1> o({4});
  auto kernel = interpret(Schedule(out), n, out);
  expect_refusal("R004", [&] { kernel(std::int64_t{1} << 62, o); });
  expect_refusal("R004", [&] { evaluate(out, {{n, std::int64_t{1} << 62}}); }, "_evaluate");
}

TEST(Faults, R005PromisedRange) {
  auto table = placeholder<float>({10}, "table");
  auto ids = placeholder<int>({4}, "ids");
  auto out = compute({4}, [&](Index i) { return table(assume_range(ids(i), 0, 9)); }, "out(i)");
  Array<float, 1> t({10}), o({4});
  const auto wrong = Array<int, 1>::of({0, 9, 10, 3});
  auto kernel = interpret(Schedule(out), table, ids, out);
  expect_refusal("R005", [&] { kernel(t, wrong, o); });
  expect_refusal("R005", [&] { evaluate(out, {{table, t}, {ids, wrong}}); }, "_evaluate");
}

TEST(Faults, R006CheckOfTheProgram) {
  auto table = placeholder<float>({10}, "table");
  auto ids = placeholder<int>({4}, "ids");
  auto out = compute({4}, [&](Index i) { return table(ids(i)); }, "out(i)");
  Array<float, 1> t({10}), o({4});
  const auto wrong = Array<int, 1>::of({0, 9, 10, 3});
  auto kernel = interpret(Schedule(out), table, ids, out);
  expect_refusal("R006", [&] { kernel(t, wrong, o); });
}

TEST(Faults, R008InputsDoNotFit) {
  auto n = size_var("n");
  auto a = placeholder<float>({4}, "a");
  auto b = compute({4}, [&](Index i) { return a(i) + 1.0f; }, "b(i)");
  auto c = compute({n}, [&](Index i) { return a(i % 4); }, "c(i)");
  const Array<float, 1> five({5}), four({4});
  expect_refusal("R008", [&] { evaluate(b, {}); });
  expect_refusal("R008", [&] { evaluate(b, {{a, five}}); }, "_shape");
  expect_refusal("R008", [&] { evaluate(c, {{a, four}, {n, -1}}); }, "_size");
  expect_refusal("R008", [&] { evaluate(c, {{a, four}}); }, "_value");
}

}  // namespace
