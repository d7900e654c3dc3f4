// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Every refusal of the JIT, with its text.

#include <lathe/jit.hpp>
#include <lathe/runtime/llvm_jit.hpp>
#include <lathe/runtime/llvm_library.hpp>
#include <lathe/runtime/llvm_target_machines.hpp>

#include "golden.hpp"

namespace {

using namespace lathe;
using golden::expect_refusal;
using golden::expect_refusal_with;

void compile_copy() {
  auto a = placeholder<float>({4}, "a");
  auto b = compute({4}, [&](Index i) { return a(i); }, "b(i)");
  jit(Schedule(b), a, b);
}

#ifndef LATHE_LINK_LLVM

TEST(JitRefusals, J001LlvmIsMissing) { expect_refusal_with("LATHE_LLVM", "/opt/llvm/lib/libLLVM.so", "J001", compile_copy); }

TEST(JitRefusals, J002IncompleteLlvm) { expect_refusal_with("LATHE_LLVM", "libm.so.6", "J002", compile_copy); }

#endif

constexpr const char *empty_loop = R"(
define void @f(i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
)";

TEST(JitRefusals, J003LlvmGaveUp) {
  // `licm` without its analysis of memory ends a process by way of LLVM's handler of fatal errors.
  expect_refusal("J003", [] { compile_llvm(empty_loop, Target::host(), {.passes = "function(loop(licm))"}); });
}

TEST(JitRefusals, J004CannotBeLinked) {
  auto a = placeholder<float>({4}, "a");
  auto b = compute(
      {4},
      [&](Index i) { return Expr<float>(ir::call(dtype_of<float>(), {"gain_of_channel", nullptr, true}, {a(i).untyped()})); },
      "b(i)");
  expect_refusal("J004", [&] { jit(Schedule(b), a, b); });
  expect_refusal("J004", [] { compile_llvm(empty_loop, Target::host())->function("g"); }, "_name");
}

TEST(JitRefusals, J005ArchitectureIsMissing) {
  // An LLVM that was built without AArch64 answers like this.
  LlvmLibrary library = load_llvm();
  library.LLVMGetTargetFromTriple = [](const char *, llvm_c::TargetRef *, char **message) -> llvm_c::Bool {
    *message = nullptr;
    return 1;
  };
  LlvmTargetMachines machines(library);
  expect_refusal("J005", [&] { machines.find(Target::of("aarch64-unknown-linux-gnu", "neoverse-n1"), 2); });
}

TEST(JitRefusals, J006UnknownPass) {
  expect_refusal("J006", [] { compile_llvm(empty_loop, Target::host(), {.passes = "function(sroa,magic)"}); });
}

}  // namespace
