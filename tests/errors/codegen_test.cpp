// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Every refusal of code generation, with its text.

#include <lathe/lathe.hpp>

#include "golden.hpp"

namespace {

using namespace lathe;
using golden::expect_refusal;

/// A call of the function that the linker or loader finds under a name.
template <class T, class A>
Expr<T> call_by_name(const char *name, const A &argument) {
  return Expr<T>(ir::call(dtype_of<T>(), {name, nullptr, true}, {argument.untyped()}));
}

TEST(CodegenRefusals, G001FunctionIsNotLoaded) {
  auto a = placeholder<float>({4}, "a");
  auto b = compute({4}, [&](Index i) { return call_by_name<float>("gain_of_channel", a(i)); }, "b(i)");
  Array<float, 1> x({4}), y({4});
  auto kernel = interpret(Schedule(b), a, b);
  expect_refusal("G001", [&] { kernel(x, y); });
  expect_refusal("G001", [&] { evaluate(b, {{a, x}}); }, "_evaluate");
}

int sum_of_seven(int a, int b, int c, int d, int e, int f, int g) { return a + b + c + d + e + f + g; }

TEST(CodegenRefusals, G002TooManyParameters) {
  auto a = placeholder<int>({4}, "a");
  auto b = compute({4}, [&](Index i) { return call<int>("sum_of_seven", &sum_of_seven, a(i), 2, 3, 4, 5, 6, 7); }, "b(i)");
  Array<int, 1> x({4}), y({4});
  auto kernel = interpret(Schedule(b), a, b);
  expect_refusal("G002", [&] { kernel(x, y); });
  expect_refusal("G002", [&] { evaluate(b, {{a, x}}); }, "_evaluate");
}

TEST(CodegenRefusals, G003TwoTypes) {
  auto a = placeholder<float>({4}, "a");
  auto ids = placeholder<int>({4}, "ids");
  auto b = compute({4}, [&](Index i) { return call_by_name<float>("gain", a(i)) + call_by_name<float>("gain", ids(i)); }, "b(i)");
  expect_refusal("G003", [&] { emit_c(Schedule(b), a, ids, b); });
}

}  // namespace
