// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Every refusal of a target, with its text.

#include <lathe/lathe.hpp>

#include "golden.hpp"

namespace {

using namespace lathe;
using golden::expect_refusal;

constexpr const char *x86 = "x86_64-unknown-linux-gnu";

TEST(TargetRefusals, T001Processor) {
  expect_refusal("T001", [] { Target::of(x86, "znver6"); });
}

TEST(TargetRefusals, T002Feature) {
  expect_refusal("T002", [] { Target::of(x86, "znver4", {"-avx512"}); });
  expect_refusal("T002", [] { Target::of(x86, "haswell", {"avx512f"}); }, "_sign");
}

TEST(TargetRefusals, T003Architecture) {
  expect_refusal("T003", [] { Target::of("riscv64-unknown-linux-gnu", "generic"); });
}

}  // namespace
