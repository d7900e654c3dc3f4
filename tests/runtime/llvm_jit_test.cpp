// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// LLVM text, written here by hand, to running code. Skipped as a whole where LLVM is not installed.

#include "lathe/runtime/llvm_jit.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "lathe/diag/diagnostic.hpp"
#include "lathe/runtime/executor.hpp"
#include "lathe/runtime/process.hpp"

namespace lathe {
namespace {

bool llvm_is_missing() {
  try {
    (void)llvm_library();
  } catch (const Error &error) {
    return error.code() == "J001";
  }
  return false;
}

class LlvmJit : public testing::Test {
 protected:
  void SetUp() override {
    if (llvm_is_missing()) GTEST_SKIP() << "LLVM is not installed";
  }
};

/// The begin of a kernel that loads slots 0 to 3 of its arguments as %a, %b, %c and %n.
const char *const entry = R"(
define i32 @kernel(ptr noalias readonly %args, ptr %runtime) nounwind {
entry:
  %slots = load ptr, ptr %args, align 8
  %a = load ptr, ptr %slots, align 8
  %slot1 = getelementptr i64, ptr %slots, i64 1
  %b = load ptr, ptr %slot1, align 8
  %slot2 = getelementptr i64, ptr %slots, i64 2
  %c = load ptr, ptr %slot2, align 8
  %slot3 = getelementptr i64, ptr %slots, i64 3
  %n = load i64, ptr %slot3, align 8
)";

/// c[i] = a[i] + `constant` * b[i] for i below n.
std::string add_kernel(const std::string &constant = "1.0") {
  return entry + std::string(R"(  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %pa = getelementptr float, ptr %a, i64 %i
  %pb = getelementptr float, ptr %b, i64 %i
  %pc = getelementptr float, ptr %c, i64 %i
  %x = load float, ptr %pa, align 4
  %y = load float, ptr %pb, align 4
  %scaled = fmul float %y, )") +
         constant + R"(
  %sum = fadd float %x, %scaled
  store float %sum, ptr %pc, align 4
  %next = add nsw i64 %i, 1
  br label %loop
done:
  ret i32 0
}
)";
}

struct Vectors {
  std::vector<float> a, b, c;

  explicit Vectors(int n) : a(n), b(n), c(n, -1.0f) {
    for (int i = 0; i < n; ++i) {
      a[i] = static_cast<float>(i) + 0.25f;
      b[i] = static_cast<float>(1000 - 3 * i);
    }
  }

  std::int32_t run(CompiledFunction function, std::int64_t n) {
    const Slot slots[] = {{.pointer = a.data()}, {.pointer = b.data()}, {.pointer = c.data()}, {.integer = n}};
    const Args args{slots, 0, 0};
    SerialExecutor serial;
    return function(&args, &serial.runtime());
  }
};

template <class Action>
std::string error_of(const Action &action) {
  try {
    action();
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST_F(LlvmJit, AddsVectors) {
  const auto module = compile_llvm(add_kernel(), Target::host());
  Vectors v(37);
  EXPECT_EQ(v.run(module->function("kernel"), 37), 0);
  for (int i = 0; i < 37; ++i) EXPECT_EQ(v.c[i], v.a[i] + v.b[i]) << i;
}

TEST_F(LlvmJit, LoadsUnderAMask) {
  const std::string ir = entry + std::string(R"(
  %limit = insertelement <8 x i64> poison, i64 %n, i64 0
  %limits = shufflevector <8 x i64> %limit, <8 x i64> poison, <8 x i32> zeroinitializer
  %mask = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %limits
  %x = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %a, i32 4, <8 x i1> %mask, <8 x float> zeroinitializer)
  %y = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %b, i32 4, <8 x i1> %mask, <8 x float> zeroinitializer)
  %sum = fadd <8 x float> %x, %y
  call void @llvm.masked.store.v8f32.p0(<8 x float> %sum, ptr %c, i32 4, <8 x i1> %mask)
  ret i32 0
}
declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)
declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32, <8 x i1>)
)");
  const auto module = compile_llvm(ir, Target::host());
  for (int n = 0; n <= 8; ++n) {
    Vectors v(8);
    v.a.resize(static_cast<std::size_t>(n));  // asan sees a load behind it only if it is instrumented; stores are checked below
    EXPECT_EQ(v.run(module->function("kernel"), n), 0);
    for (int i = 0; i < 8; ++i) EXPECT_EQ(v.c[i], i < n ? v.a[i] + v.b[i] : -1.0f) << n << ' ' << i;
  }
}

TEST_F(LlvmJit, CallsTheMathLibrary) {
  const std::string ir = entry + std::string(R"(
  %x = load float, ptr %a, align 4
  %e = call float @expf(float %x)
  %y = load float, ptr %b, align 4
  %p = call float @llvm.pow.f32(float %e, float %y)
  store float %p, ptr %c, align 4
  ret i32 0
}
declare float @expf(float)
declare float @llvm.pow.f32(float, float)
)");
  const auto module = compile_llvm(ir, Target::host());
  Vectors v(1);
  v.a = {1.5f};
  v.b = {0.75f};
  EXPECT_EQ(v.run(module->function("kernel"), 1), 0);
  EXPECT_FLOAT_EQ(v.c[0], std::pow(std::exp(1.5f), 0.75f));
}

TEST_F(LlvmJit, CallsTheRuntimesTable) {
  const std::string ir = R"(
define i32 @kernel(ptr %args, ptr %runtime) nounwind {
  %slots = load ptr, ptr %args, align 8
  %p = getelementptr i8, ptr %runtime, i64 16
  %parallel_for = load ptr, ptr %p, align 8
  %status = call i32 %parallel_for(ptr %runtime, i64 0, i64 1000, ptr @body, ptr %slots)
  ret i32 %status
}
define internal i32 @body(ptr %args, ptr %runtime) nounwind {
entry:
  %slots = load ptr, ptr %args, align 8
  %out = load ptr, ptr %slots, align 8
  %pbegin = getelementptr i64, ptr %args, i64 1
  %begin = load i64, ptr %pbegin, align 8
  %pend = getelementptr i64, ptr %args, i64 2
  %end = load i64, ptr %pend, align 8
  br label %loop
loop:
  %i = phi i64 [ %begin, %entry ], [ %next, %loop ]
  %p = getelementptr i64, ptr %out, i64 %i
  %square = mul i64 %i, %i
  store i64 %square, ptr %p, align 8
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %end
  br i1 %more, label %loop, label %done
done:
  ret i32 0
}
)";
  const auto module = compile_llvm(ir, Target::host());
  std::vector<std::int64_t> out(1000, -1);
  const Slot slots[] = {{.pointer = out.data()}};
  const Args args{slots, 0, 0};
  EXPECT_EQ(module->function("kernel")(&args, &default_executor().runtime()), 0);
  for (std::int64_t i = 0; i < 1000; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], i * i);
}

TEST_F(LlvmJit, NamesMayRepeatAndCodeIsUnloaded) {
  auto one = compile_llvm(add_kernel("1.0"), Target::host());
  const auto two = compile_llvm(add_kernel("2.0"), Target::host());
  Vectors v(4), w(4);
  EXPECT_EQ(v.run(one->function("kernel"), 4), 0);
  EXPECT_EQ(w.run(two->function("kernel"), 4), 0);
  EXPECT_EQ(v.c[3], v.a[3] + v.b[3]);
  EXPECT_EQ(w.c[3], w.a[3] + 2 * w.b[3]);
  one.reset();
  for (int round = 0; round < 20; ++round) {
    const auto again = compile_llvm(add_kernel("4.0"), Target::host());
    Vectors x(4);
    EXPECT_EQ(x.run(again->function("kernel"), 4), 0);
    EXPECT_EQ(x.c[3], x.a[3] + 4 * x.b[3]);
  }
  EXPECT_EQ(w.run(two->function("kernel"), 4), 0);
}

TEST_F(LlvmJit, AnObjectFileLinksElsewhere) {
  const ObjectCode object = compile_object(add_kernel("3.0"), Target::host());
  EXPECT_EQ(object.bytes, compile_object(add_kernel("3.0"), Target::host()).bytes) << "equal inputs, equal bytes";
  const auto module = link_object(object.bytes);
  Vectors v(4);
  EXPECT_EQ(v.run(module->function("kernel"), 4), 0);
  EXPECT_EQ(v.c[2], v.a[2] + 3 * v.b[2]);
  EXPECT_EQ(module->assembly(), "");
  List<std::byte> truncated = object.bytes;
  truncated.resize(truncated.size() / 2);
  EXPECT_CONTAINS(error_of([&] { (void)link_object(truncated); }), "error[X001]");
}

TEST_F(LlvmJit, TargetsDecideTheInstructions) {
  const std::string ir = R"(
define <16 x float> @f(<16 x float> %x, <16 x float> %y) {
  %s = fmul <16 x float> %x, %y
  ret <16 x float> %s
}
)";
  const std::string wide = compile_assembly(ir, Target::of("x86_64-unknown-linux-gnu", "znver4"));
  const std::string half = compile_assembly(ir, Target::of("x86_64-unknown-linux-gnu", "znver4", {"-avx512f"}));
  const std::string arm = compile_assembly(ir, Target::of("aarch64-unknown-linux-gnu", "neoverse-n1"));
  EXPECT_CONTAINS(wide, "zmm");
  EXPECT_EQ(half.find("zmm"), std::string::npos) << half;
  EXPECT_CONTAINS(half, "ymm");
  EXPECT_CONTAINS(arm, "fmul\tv");
  const ObjectCode object = compile_object(ir, Target::of("aarch64-unknown-linux-gnu", "neoverse-n1"));
  ASSERT_GT(object.bytes.size(), 20u);
  EXPECT_EQ(std::to_integer<int>(object.bytes[18]), 183) << "e_machine of ELF: EM_AARCH64";
}

TEST_F(LlvmJit, EveryProcessorOfTheTablesIsKnown) {
  testing::internal::CaptureStderr();
  const std::string ir = "define i32 @f() {\n  ret i32 7\n}\n";
  for (const char *cpu : {"x86-64", "skylake", "sapphirerapids", "graniterapids-d", "clearwaterforest", "btver2", "znver5"})
    (void)compile_object(ir, Target::of("x86_64-unknown-linux-gnu", cpu));
  for (const char *cpu : {"generic", "a64fx", "neoverse-v2", "apple-m2"})
    (void)compile_object(ir, Target::of("aarch64-unknown-linux-gnu", cpu));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "LLVM complains of unknown names on stderr";
}

TEST_F(LlvmJit, AssemblyOnDemandAndTimes) {
  const auto module = compile_llvm(add_kernel(), Target::host());
  EXPECT_CONTAINS(module->assembly(), "kernel:");
  EXPECT_GT(module->times().parse_s, 0.0);
  EXPECT_GT(module->times().emit_s, 0.0);
  EXPECT_EQ(module->times().link_s, 0.0);
  (void)module->address("kernel");
  EXPECT_GT(module->times().link_s, 0.0);
  EXPECT_FALSE(module->object().empty());
}

TEST_F(LlvmJit, InvalidTextIsOurFault) {
  const std::string syntax = error_of([] { (void)compile_llvm("define i32 @f() {\n  ret i33 x\n}\n", Target::host()); });
  EXPECT_CONTAINS(syntax, "error[X001]");
  EXPECT_CONTAINS(syntax, "lathe.ll:2:");
  const std::string shape = error_of([] {
    (void)compile_llvm("define i32 @f(i32 %x) {\na:\n  br label %b\nb:\n  %p = phi i32 [ %x, %a ], [ %x, %b ]\n  ret i32 %p\n}\n",
                       Target::host());
  });
  EXPECT_CONTAINS(shape, "error[X001]");
  EXPECT_CONTAINS(shape, "lathe.ll:5: %p = phi");
}

TEST_F(LlvmJit, MissingSymbolsAreNamed) {
  const auto module = compile_llvm(
      "declare i32 @lathe_nobody()\ndefine i32 @f() {\n  %x = call i32 @lathe_nobody()\n  ret i32 %x\n}\n", Target::host());
  const std::string message = error_of([&] { (void)module->address("f"); });
  EXPECT_CONTAINS(message, "error[J004]");
  EXPECT_CONTAINS(message, "lathe_nobody");
  const std::string absent = error_of([&] { (void)compile_llvm(add_kernel(), Target::host())->address("kernal"); });
  EXPECT_CONTAINS(absent, "error[J004]");
}

TEST_F(LlvmJit, UnknownPassesAreRefused) {
  const std::string message =
      error_of([] { (void)compile_llvm(add_kernel(), Target::host(), {.passes = "function(sroa,magic)"}); });
  EXPECT_CONTAINS(message, "error[J006]");
  EXPECT_CONTAINS(message, "magic");
}

TEST_F(LlvmJit, GoesOnAfterAFatalErrorOfLlvm) {
  // The plain spelling of licm ends a process by way of LLVM's handler of fatal errors.
  const std::string message =
      error_of([] { (void)compile_llvm(add_kernel(), Target::host(), {.passes = "function(loop(licm))"}); });
  EXPECT_CONTAINS(message, "error[J003]");
  const auto module = compile_llvm(add_kernel("5.0"), Target::host(), {.passes = "function(loop-mssa(licm))"});
  Vectors v(4);
  EXPECT_EQ(v.run(module->function("kernel"), 4), 0);
  EXPECT_EQ(v.c[1], v.a[1] + 5 * v.b[1]);
}

TEST_F(LlvmJit, FatalErrorsOnManyThreads) {
  std::vector<std::thread> threads;
  std::array<int, 4> good{};
  for (int &count : good) {
    threads.emplace_back([&count] {
      for (int round = 0; round < 3; ++round) {
        const std::string message =
            error_of([] { (void)compile_object(add_kernel(), Target::host(), {.passes = "function(loop(licm))"}); });
        const auto module = compile_llvm(add_kernel(), Target::host());
        Vectors v(4);
        count += message.find("error[J003]") != std::string::npos && v.run(module->function("kernel"), 4) == 0;
      }
    });
  }
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(good, (std::array<int, 4>{3, 3, 3, 3}));
}

#if !defined(__SANITIZE_THREAD__)  // which does not support threads in a child of a process with threads
TEST_F(LlvmJit, AForkedChildCompiles) {
  (void)compile_llvm(add_kernel(), Target::host());
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    Vectors v(100);
    const auto module = compile_llvm(add_kernel("6.0"), Target::host());
    const bool is_right = v.run(module->function("kernel"), 100) == 0 && v.c[99] == v.a[99] + 6 * v.b[99];
    const std::int32_t loop = default_executor().parallel_for(0, 100, [](std::int64_t, std::int64_t) { return std::int32_t{5}; });
    _exit(is_right && loop == 5 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}
#endif

TEST_F(LlvmJit, UnusableTargetsAreRefused) {
  Target target = Target::host();
  target.cpu = "x68";
  EXPECT_CONTAINS(error_of([&] { (void)compile_llvm(add_kernel(), target); }), "error[T001]");
  EXPECT_CONTAINS(error_of([&] { (void)compile_llvm(add_kernel(), Target::c()); }), "error[T003]");
}

TEST_F(LlvmJit, ManyThreadsCompileAtOnce) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(16, -1);
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([t, &wrong] {
      int failures = 0;
      for (int round = 0; round < 4; ++round) {
        const std::string constant = std::to_string(1 + 4 * t + round) + ".0";
        const auto module = compile_llvm(add_kernel(constant), Target::host());
        Vectors v(9);
        failures += v.run(module->function("kernel"), 9) != 0;
        failures += v.c[8] != v.a[8] + static_cast<float>(1 + 4 * t + round) * v.b[8];
      }
      wrong[static_cast<std::size_t>(t)] = failures;
    });
  }
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(16, 0));
}

TEST_F(LlvmJit, ManyThreadsLinkOneModule) {
  for (int round = 0; round < 10; ++round) {
    const auto module = compile_llvm(add_kernel(), Target::host());
    std::array<void *, 8> addresses{};
    std::vector<std::thread> threads;
    for (void *&address : addresses) threads.emplace_back([&] { address = module->address("kernel"); });
    for (std::thread &thread : threads) thread.join();
    for (void *const address : addresses) EXPECT_EQ(address, addresses[0]);
  }
}

}  // namespace
}  // namespace lathe
