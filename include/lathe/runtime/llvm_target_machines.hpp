// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// LLVM's target machines for our targets.

#include <string>

#include "lathe/runtime/llvm_library.hpp"
#include "lathe/support/list.hpp"
#include "lathe/target/target.hpp"

namespace lathe::inline LATHE_ABI {

/// The target machines that one thread has used: making one takes longer than compiling a small kernel with it.
class LlvmTargetMachines {
 public:
  explicit LlvmTargetMachines(const LlvmLibrary &library) : library_(library) {}
  LlvmTargetMachines(const LlvmTargetMachines &) = delete;
  LlvmTargetMachines &operator=(const LlvmTargetMachines &) = delete;
  ~LlvmTargetMachines();

  /// The machine for `target` at a code generation level from 0 to 3; it belongs to this object.
  /// \throws Error T001, T002, T003 for names that are not known, J005 when this LLVM was built without the architecture.
  llvm_c::TargetMachine find(const Target &target, int level);

 private:
  struct Entry {
    std::string key;
    llvm_c::TargetMachine machine;
  };

  llvm_c::TargetMachine make(const std::string &triple, const std::string &cpu, const std::string &features, int level) const;

  const LlvmLibrary &library_;
  List<Entry> machines_;
};

}  // namespace lathe::inline LATHE_ABI
