// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Programs as LLVM IR in text form, for LLVM 16 to 19.
///
/// Every function of the program becomes an external function of the ABI in runtime/abi.hpp, which loads its slots and calls an
/// internal function with plain parameters; bodies of parallel loops likewise. What the text already contains, so that code
/// generation alone makes good code of it and no optimisation pipeline is needed:
/// - each pure computation and each load once, as far out of loops as its operands and the loop's stores let it go;
/// - small local buffers that are only accessed at constant places as values (phis at loops and branches), not memory;
/// - addresses as chains of constant multiples, the innermost loop's part and a constant last;
/// - loops in rotated form, with metadata that keeps pipelines from vectorising and unrolling them again.

#include <string>

#include "lathe/ir/program.hpp"
#include "lathe/target/target.hpp"

namespace lathe::inline LATHE_ABI::codegen {

/// What text generation may assume beyond the program.
struct LlvmTextOptions {
  bool no_nan = false;  ///< min and max may assume that no operand is NaN (Numerics::no_nan)
};

/// The program as one LLVM module. Expects the form that the passes leave: no vectorized or unrolled loops, no guarding selects,
/// no reads and reductions. Deterministic: equal programs and targets give equal text.
std::string emit_llvm(const ir::Program &program, const Target &target, const LlvmTextOptions &options = {});

}  // namespace lathe::inline LATHE_ABI::codegen
