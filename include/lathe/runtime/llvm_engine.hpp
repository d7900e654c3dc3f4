// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// LLVM's just-in-time linker: object files in, addresses of functions out.

#include <atomic>
#include <cstddef>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "lathe/runtime/llvm_library.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI {

/// Takes the text out of an error of LLVM's, which it destroys; empty for success.
std::string take_message(const LlvmLibrary &library, llvm_c::Error error);

/// One LLJIT. Each object file is linked in a library of its own (a "JITDylib"), so names of functions may repeat from one to
/// the next; emptied ones serve again, since LLVM's C interface cannot delete them. Safe for use by many threads.
///
/// Never destroyed: kernels may outlive every other object of the program.
class LlvmEngine {
 public:
  /// \throws Error X001 when LLVM cannot make a linker for this machine.
  explicit LlvmEngine(const LlvmLibrary &library);
  LlvmEngine(const LlvmEngine &) = delete;
  LlvmEngine &operator=(const LlvmEngine &) = delete;

  /// Adds an object file, which must stay where it is until `remove`. It is linked when its first function is looked up.
  /// \throws Error X001 when LLVM does not take it.
  llvm_c::Dylib add(std::span<const std::byte> object);

  /// The address of a function. Names that the object lacks are searched in the process.
  /// \throws Error J004 when it is not there or refers to something that is not there, J003 after a fatal error.
  void *address(llvm_c::Dylib dylib, const std::string &name);

  /// Unloads an object file's code.
  void remove(llvm_c::Dylib dylib) noexcept;

  /// Whether a fatal error has made this engine unusable: it may hold locks for ever. Code that it has linked runs on.
  bool is_lost() const { return lost_.load(std::memory_order_acquire); }

 private:
  llvm_c::Dylib take_dylib();
  llvm_c::Dylib make_dylib();
  static void report(void *engine, llvm_c::Error error);
  std::string take_reports();

  const LlvmLibrary &library_;
  llvm_c::Jit jit_ = nullptr;
  llvm_c::Session session_ = nullptr;
  std::atomic<bool> lost_{false};
  std::mutex mutex_;  // guards what follows
  List<llvm_c::Dylib> free_dylibs_;
  std::size_t made_dylibs_ = 0;
  std::string reports_;
};

}  // namespace lathe::inline LATHE_ABI
