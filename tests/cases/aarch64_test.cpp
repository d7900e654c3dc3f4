// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The same kernels as aarch64 code, run by qemu.

#include "cases/kernels.hpp"
#include "codegen/aarch64_harness.hpp"

namespace {

using namespace cases;

Target aarch64(const char *cpu) { return Target::of("aarch64-unknown-linux-gnu", cpu); }

std::vector<AnyArgument> arguments_of(const std::vector<Given> &given) {
  std::vector<AnyArgument> arguments;
  for (const Given &g : given) arguments.push_back(g.argument);
  return arguments;
}

/// The slots of a call with the interpreter's results, which are first compared with what the case states if `stated`.
std::vector<aarch64_harness::RecordedSlot> record(const KernelCase &kernel, const ir::Program &program, bool stated) {
  if (stated) call_and_compare(KernelCode(program, &codegen::interpret), kernel.given, true, kernel.tolerance);
  aarch64_harness::Recorder recorder;
  return recorder.record(program, [&](const KernelCode &code) {
    std::vector<std::vector<std::byte>> memory;
    std::vector<CallArgument> arguments;
    for (const Given &given : kernel.given) {
      // What an output holds before is anything but its result.
      memory.push_back(given.kind == Given::Kind::output ? std::vector<std::byte>(given.elements.size(), std::byte{0x5c})
                                                         : given.elements);
      recorder.holds(memory.back().data(), memory.back().size());
      CallArgument argument;
      argument.data = memory.back().data();
      argument.shape = given.shape.data();
      argument.scalar = given.scalar;
      arguments.push_back(argument);
    }
    code.call(arguments.data(), arguments.size());
  });
}

class Aarch64 : public testing::Test {
 protected:
  void SetUp() override {
    if (!aarch64_harness::is_available()) GTEST_SKIP() << "needs aarch64-linux-gnu-g++ and qemu-aarch64";
  }

  static void expect_right(aarch64_harness::Machine &machine) {
    for (const auto &[name, what] : machine.run()) ADD_FAILURE() << name << ": " << what;
  }
};

TEST_F(Aarch64, ObjectsGiveWhatTheInterpreterGives) {
  aarch64_harness::Machine machine;
  const char *const cpus[] = {"cortex-a76", "neoverse-n1", "neoverse-v1"};
  for (int cpu = 0; cpu < 3; ++cpu)
    for (const bool contract : {false, true})
      for (const KernelCase &kernel : kernels()) {
        SCOPED_TRACE(kernel.name);
        Options options{.target = aarch64(cpus[cpu]), .verify = true};
        options.numerics.contract = contract;
        options.name = kernel.name + (contract ? "_fused_" : "_strict_") + std::to_string(cpu);
        const ir::Program program = optimize_program(kernel.schedule, arguments_of(kernel.given), options);
        machine.add(program, options.target, record(kernel, program, !contract));
      }
  expect_right(machine);
}

TEST_F(Aarch64, EmittedCGivesWhatTheInterpreterGives) {
  aarch64_harness::Machine machine;
  for (const KernelCase &kernel : kernels()) {
    SCOPED_TRACE(kernel.name);
    Options options{.name = kernel.name, .target = Target::c()};
    const ir::Program program = optimize_program(kernel.schedule, arguments_of(kernel.given), options);
    machine.add_c(program, record(kernel, program, true));
  }
  expect_right(machine);
}

TEST_F(Aarch64, WrongResultsAreSeen) {
  aarch64_harness::Machine machine;
  const KernelCase kernel = kernels().front();
  const Options options{.target = aarch64("cortex-a76")};
  const ir::Program program = optimize_program(kernel.schedule, arguments_of(kernel.given), options);
  auto slots = record(kernel, program, false);
  slots.back().after[4] ^= 1;
  machine.add(program, options.target, slots);
  const auto wrong = machine.run();
  ASSERT_EQ(wrong.size(), 2u) << "the call is made with arguments at both ends of memory";
  EXPECT_NE(wrong[0].second.find("element 1 of C is"), std::string::npos) << wrong[0].second;
}

TEST(Aarch64Assembly, TilesAreFusedMultiplyAddsOfNeon) {
  const KernelCase kernel = kernels().front();
  for (const char *cpu : {"cortex-a76", "neoverse-n1"}) {
    const Target target = aarch64(cpu);
    const auto assembly = [&](const Numerics &numerics) {
      const Options options{.target = target, .numerics = numerics};
      return compile_assembly(emit_llvm_text(kernel.schedule, arguments_of(kernel.given), options), target);
    };
    const std::string fused = assembly({}), strict = assembly(Numerics::strict());
    // fmla v0.4s, v1.4s, v2.s[0]: four lanes, the element of A from a lane or broadcast.
    EXPECT_NE(fused.find("fmla\tv"), std::string::npos) << fused;
    EXPECT_NE(fused.find(".4s"), std::string::npos) << fused;
    EXPECT_EQ(strict.find("fmla\t"), std::string::npos) << strict;
    EXPECT_NE(strict.find("fmul\tv"), std::string::npos) << strict;
  }
}

}  // namespace
