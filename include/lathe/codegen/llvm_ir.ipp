// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Programs as LLVM modules.

#include "lathe/codegen/llvm_accumulators.ipp"
#include "lathe/codegen/llvm_function.ipp"
#include "lathe/codegen/llvm_ir.hpp"
#include "lathe/codegen/llvm_operators.ipp"
#include "lathe/codegen/llvm_uses.ipp"
#include "lathe/codegen/llvm_writer.ipp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::codegen {

LATHE_INLINE std::string emit_llvm(const ir::Program &program, const Target &target, const LlvmTextOptions &options) {
  LlvmUnit unit(target, options);
  for (const ir::Function &function : program.functions) {
    LlvmKernel kernel{unit, function, LlvmUses(function.body), ir::checks_of(function), {}, false};
    List<LlvmSlot> slots;
    for (const ir::Parameter &parameter : function.parameters) {
      switch (parameter.kind) {
        case ir::ParameterKind::scalar: slots.push_back({parameter.var, {}, {}}); break;
        case ir::ParameterKind::function: slots.push_back({{}, {}, parameter.function}); break;
        default: slots.push_back({{}, parameter.buffer, {}}); break;
      }
    }
    LlvmFunction(kernel, function.name).write_kernel(slots);
  }
  return unit.text();
}

}  // namespace lathe::inline LATHE_ABI::codegen
