// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Making target machines, with names that this LLVM knows.

#include "lathe/diag/diagnostic.hpp"
#include "lathe/runtime/llvm_target_machines.hpp"
#include "lathe/target/cpu_table.hpp"

namespace lathe::inline LATHE_ABI {

namespace llvm_targets {

/// Says of every feature in our table whether it is there, since LLVM would otherwise take it from the processor's name: a
/// hypervisor may hide some, and an older LLVM is given an older name.
inline std::string features_for_llvm(Architecture architecture, const Target &target) {
  FeatureSet wanted(architecture);
  for (const std::string &feature : target.features) wanted.add(feature);
  std::string text;
  for (const FeatureRow &row : feature_rows(architecture))
    text.append(text.empty() ? "" : ",").append(wanted.contains(row.name) ? "+" : "-").append(row.name);
  return text;
}

}  // namespace llvm_targets

LATHE_INLINE LlvmTargetMachines::~LlvmTargetMachines() {
  for (const Entry &entry : machines_) library_.LLVMDisposeTargetMachine(entry.machine);
}

LATHE_INLINE llvm_c::TargetMachine LlvmTargetMachines::find(const Target &target, int level) {
  const Architecture architecture = architecture_of(target.triple);
  const std::string cpu(name_for_llvm(architecture, target.cpu, library_.major));
  const std::string features = llvm_targets::features_for_llvm(architecture, target);
  std::string key = composed({target.triple, " ", cpu, " ", features, " ", level});
  for (const Entry &entry : machines_)
    if (entry.key == key) return entry.machine;
  machines_.reserve(machines_.size() + 1);  // so that a machine just made cannot be lost
  machines_.push_back({std::move(key), make(target.triple, cpu, features, level)});
  return machines_.back().machine;
}

LATHE_INLINE llvm_c::TargetMachine LlvmTargetMachines::make(const std::string &triple, const std::string &cpu,
                                                            const std::string &features, int level) const {
  llvm_c::TargetRef target = nullptr;
  char *message = nullptr;
  llvm_c::TargetMachine machine = nullptr;
  if (library_.LLVMGetTargetFromTriple(triple.c_str(), &target, &message)) {
    library_.LLVMDisposeMessage(message);
  } else {
    // Position-independent, so that the same object serves the just-in-time linker and a shared library.
    machine = library_.LLVMCreateTargetMachine(target, triple.c_str(), cpu.c_str(), features.c_str(), level,
                                               llvm_c::relocation_pic, llvm_c::code_model_default);
  }
  if (machine != nullptr) return machine;
  fail("J005", {"this LLVM was built without the architecture of ", triple}, {},
       {{"help", "use a libLLVM that has it, as Debian's libllvm19 does, by setting LATHE_LLVM to its path", {}}});
}

}  // namespace lathe::inline LATHE_ABI
