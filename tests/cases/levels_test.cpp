// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The same kernels for every processor that this machine can be: with and without AVX-512, AVX2, F16C and FMA.

#include "target/levels.hpp"

#include "cases/kernels.hpp"
#include "lathe/runtime/llvm_jit.hpp"

namespace {

using namespace cases;

std::vector<AnyArgument> arguments_of(const std::vector<Given> &given) {
  std::vector<AnyArgument> arguments;
  for (const Given &g : given) arguments.push_back(g.argument);
  return arguments;
}

class Levels : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    level_ = levels::all[GetParam()];
    if (GetParam() != 0 && !levels::is_usable(level_)) GTEST_SKIP() << "this machine is not that";
  }
  levels::Level level_;
};

/// Products and sums rounded as written: the evaluator's bits, whatever the processor.
TEST_P(Levels, GiveWhatTheEvaluatorGives) {
  for (const KernelCase &kernel : kernels()) {
    SCOPED_TRACE(kernel.name);
    Options options = exact_options();
    options.target = levels::target_of(level_);
    options.verify = true;
    const auto code = jit_code(kernel.schedule, arguments_of(kernel.given), options);
    for (const bool at_end : {false, true}) call_and_compare(*code, kernel.given, at_end, kernel.tolerance);
  }
}

/// Products fused with sums where the processor can: the bits of the interpreter, which runs the same loops.
TEST_P(Levels, FuseWhereTheInterpreterFuses) {
  for (const KernelCase &kernel : kernels()) {
    SCOPED_TRACE(kernel.name);
    const Options options{.target = levels::target_of(level_)};
    const std::vector<AnyArgument> arguments = arguments_of(kernel.given);
    const auto code = jit_code(kernel.schedule, arguments, options);
    const std::vector<Given> right = results_of(*interpreter_code(kernel.schedule, arguments, options), kernel.given);
    call_and_compare(*code, right, true);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Levels, testing::Range(std::size_t{0}, levels::all.size()), [](const auto &info) {
  const levels::Level &level = levels::all[info.param];
  std::string name =
      std::string(*level.cpu ? level.cpu : "host") + (level.vector_bits ? "_" + std::to_string(level.vector_bits) : "");
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

/// Assembly of a product of matrices in tiles of 16 columns.
std::string tile_assembly(const Target &target, const Numerics &numerics = {}) {
  const KernelCase kernel = kernels().front();
  Options options{.target = target, .numerics = numerics};
  return compile_assembly(emit_llvm_text(kernel.schedule, arguments_of(kernel.given), options), target);
}

TEST(LevelsAssembly, FeaturesDecideRegistersAndInstructions) {
  const auto x86 = [](const char *cpu) { return Target::of("x86_64-unknown-linux-gnu", cpu); };
  const auto has = [](const std::string &assembly, const char *word) { return assembly.find(word) != std::string::npos; };
  const std::string v4 = tile_assembly(x86("x86-64-v4")), v3 = tile_assembly(x86("x86-64-v3")),
                    v2 = tile_assembly(x86("x86-64-v2"));
  EXPECT_TRUE(has(v4, "zmm") && has(v4, "vfmadd"));
  EXPECT_TRUE(!has(v3, "zmm") && has(v3, "ymm") && has(v3, "vfmadd"));
  EXPECT_TRUE(!has(v2, "ymm") && has(v2, "xmm") && has(v2, "mulps") && !has(v2, "vfmadd") && !has(v2, "fmaf"));
  EXPECT_FALSE(has(tile_assembly(x86("x86-64-v4"), Numerics::strict()), "vfmadd"));
}

TEST(LevelsAssembly, VectorBitsKeepOffWiderRegisters) {
  Target target = Target::of("x86_64-unknown-linux-gnu", "x86-64-v4");
  for (const KernelCase &kernel : kernels()) {
    target.vector_bits = 256;
    const std::string text = emit_llvm_text(kernel.schedule, arguments_of(kernel.given), {.target = target});
    EXPECT_EQ(compile_assembly(text, target).find("zmm"), std::string::npos) << kernel.name;
  }
}

}  // namespace
