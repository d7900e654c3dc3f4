// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// References to callables.

#include "lathe/support/function_ref.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace {

using lathe::FunctionRef;

int twice(FunctionRef<int(int)> f, int x) { return f(f(x)); }

TEST(FunctionRef, CallsWhatItRefersTo) {
  int calls = 0;
  const auto count = [&](int x) {
    ++calls;
    return x + 1;
  };
  EXPECT_EQ(twice(count, 5), 7);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(twice([](int x) { return x * 3; }, 2), 18);
}

TEST(FunctionRef, CopiesReferToTheSame) {
  int state = 0;
  auto f = [&state](int x) { return state += x; };
  const FunctionRef<int(int)> first(f);
  FunctionRef<int(int)> second = first;
  EXPECT_EQ(first(2), 2);
  EXPECT_EQ(second(3), 5);
}

TEST(FunctionRef, ForwardsArguments) {
  const auto take = [](std::unique_ptr<int> p) { return *p; };
  const FunctionRef<int(std::unique_ptr<int>)> f(take);
  EXPECT_EQ(f(std::make_unique<int>(4)), 4);
}

}  // namespace
