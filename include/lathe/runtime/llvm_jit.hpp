// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// From the text of an LLVM module to an object file, and from an object file to functions that run in this process.
///
/// There is one path: `compile_llvm` makes the same object file as `compile_object` does for export or a cache, and links it as
/// `link_object` links one from a cache. All functions may be called by many threads at once.

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "lathe/runtime/abi.hpp"
#include "lathe/support/list.hpp"
#include "lathe/target/target.hpp"

struct LLVMOrcOpaqueJITDylib;

namespace lathe::inline LATHE_ABI {

class LlvmEngine;

/// How LLVM treats a module. Loops come out of Lathe as they shall be, so LLVM does little by default.
struct LlvmOptions {
  /// A pipeline in the words of `opt -passes=`; empty for none. Two traps: `licm` must be written `loop-mssa(licm)`, and
  /// `instcombine` needs `<no-verify-fixpoint>` from LLVM 18 on.
  std::string passes = "function(sroa,early-cse<memssa>)";
  /// Effort of code generation, 0 to 3.
  int codegen_level = 2;
  /// Whether LLVM's loop passes, if the pipeline has any, may unroll, interleave and vectorise.
  bool loop_transforms = false;
};

/// Seconds that LLVM took.
struct LlvmTimes {
  double parse_s = 0;   ///< to read the text
  double verify_s = 0;  ///< to check the module
  double passes_s = 0;  ///< to run `LlvmOptions::passes`
  double emit_s = 0;    ///< to generate code
  double link_s = 0;    ///< to look functions up so far; the first look-up links
};

/// An object file for the linker of the target's system, and how long it took to make.
struct ObjectCode {
  List<std::byte> bytes;  ///< the whole file
  LlvmTimes times;        ///< all but `link_s`
};

/// Compiles the text of an LLVM module for any target. Equal inputs give equal bytes with the same release of LLVM.
/// \throws Error J001, J002 without a usable LLVM, J003 when LLVM gives up, J005 when it lacks the architecture, J006 for
/// passes that it does not know, T001 to T003 for a target with unknown names, X001 for text that is not valid, with LLVM's
/// message and the line.
ObjectCode compile_object(std::string_view ir, const Target &target, const LlvmOptions &options = {});

/// The same as assembly, to be read. \throws Error as `compile_object`.
std::string compile_assembly(std::string_view ir, const Target &target, const LlvmOptions &options = {});

/// Code linked into this process; unloaded by its destructor. Immutable, may be used by many threads.
class LlvmModule {
 public:
  /// Links `object`, made for this machine. `ir`, `target` and `options` say how it was made and are kept for `assembly`.
  /// \throws Error as `link_object`.
  LlvmModule(ObjectCode object, std::string ir, Target target, LlvmOptions options);
  ~LlvmModule();
  LlvmModule(const LlvmModule &) = delete;
  LlvmModule &operator=(const LlvmModule &) = delete;

  /// The address of a function or global of the module; the first call links the module.
  /// \throws Error J004 when the module has nothing of that name or refers to symbols that nothing in this process defines.
  void *address(std::string_view name) const;

  /// A function with Lathe's interface. \throws Error as `address`.
  CompiledFunction function(std::string_view name) const { return reinterpret_cast<CompiledFunction>(address(name)); }

  /// The object file.
  std::span<const std::byte> object() const { return object_.bytes; }

  /// The text that the module was compiled from; empty for one that came as an object file.
  const std::string &ir() const { return ir_; }

  /// What `compile_assembly` makes of `ir`; compiles again at each call. \throws Error as `compile_assembly`.
  std::string assembly() const;

  /// How long this module took so far.
  LlvmTimes times() const;

 private:
  ObjectCode object_;
  std::string ir_;
  Target target_;
  LlvmOptions options_;
  LlvmEngine *engine_;
  LLVMOrcOpaqueJITDylib *dylib_;
  mutable std::atomic<double> link_s_{0};
};

/// Compiles the text of an LLVM module and loads it. Undefined symbols are searched in this process: libm, libc, whatever
/// libraries are loaded and, with -rdynamic, the program itself. Names may repeat from module to module.
/// \throws Error as `compile_object`, and X001 when the code is not for this machine.
std::shared_ptr<const LlvmModule> compile_llvm(std::string_view ir, const Target &target, const LlvmOptions &options = {});

/// Loads an object file that `compile_object` has made, perhaps in another process. `assembly` of it is empty.
/// \throws Error J001 to J003 as `compile_object`, X001 when LLVM does not take the file.
std::shared_ptr<const LlvmModule> link_object(List<std::byte> object);

}  // namespace lathe::inline LATHE_ABI
