// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Linking object files by LLJIT.

#include <memory>
#include <new>
#include <utility>

#include "lathe/diag/diagnostic.hpp"
#include "lathe/runtime/llvm_engine.hpp"
#include "lathe/runtime/llvm_thread.hpp"
#include "lathe/runtime/process.hpp"

namespace lathe::inline LATHE_ABI {

LATHE_INLINE std::string take_message(const LlvmLibrary &library, llvm_c::Error error) {
  if (error == nullptr) return {};
  char *const text = library.LLVMGetErrorMessage(error);
  std::string message = text;
  library.LLVMDisposeErrorMessage(text);
  return message;
}

LATHE_INLINE LlvmEngine::LlvmEngine(const LlvmLibrary &library) : library_(library) {
  if (std::string why = take_message(library_, library_.LLVMOrcCreateLLJIT(&jit_, nullptr)); !why.empty())
    fail_internal({"LLVM made no linker for this machine: ", why});
  session_ = library_.LLVMOrcLLJITGetExecutionSession(jit_);
  library_.LLVMOrcExecutionSessionSetErrorReporter(session_, &LlvmEngine::report, this);
}

/// What LLVM would print on stderr: the reasons behind a failing look-up. Comes on whatever thread does the linking.
LATHE_INLINE void LlvmEngine::report(void *engine, llvm_c::Error error) {
  auto &self = *static_cast<LlvmEngine *>(engine);
  const std::string message = take_message(self.library_, error);
  const std::lock_guard lock(self.mutex_);
  self.reports_.append(self.reports_.empty() ? "" : "; ").append(message);
}

LATHE_INLINE std::string LlvmEngine::take_reports() {
  const std::lock_guard lock(mutex_);
  return std::exchange(reports_, {});
}

LATHE_INLINE llvm_c::Dylib LlvmEngine::take_dylib() {
  const std::lock_guard lock(mutex_);
  if (free_dylibs_.empty()) return make_dylib();
  const llvm_c::Dylib dylib = free_dylibs_.back();
  free_dylibs_.pop_back();
  return dylib;
}

LATHE_INLINE llvm_c::Dylib LlvmEngine::make_dylib() {
  const std::string name = "lathe." + std::to_string(made_dylibs_++);
  const llvm_c::Dylib dylib = library_.LLVMOrcExecutionSessionCreateBareJITDylib(session_, name.c_str());
  llvm_c::Generator process = nullptr;
  const llvm_c::Error error = library_.LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(
      &process, library_.LLVMOrcLLJITGetGlobalPrefix(jit_), nullptr, nullptr);
  if (std::string why = take_message(library_, error); !why.empty()) fail_internal({"LLVM cannot search this process: ", why});
  library_.LLVMOrcJITDylibAddGenerator(dylib, process);
  return dylib;
}

LATHE_INLINE llvm_c::Dylib LlvmEngine::add(std::span<const std::byte> object) {
  // Only reads the table of symbols, which meets no fatal errors and so needs no thread of LLVM's.
  const llvm_c::Dylib dylib = take_dylib();
  const llvm_c::MemoryBuffer buffer = library_.LLVMCreateMemoryBufferWithMemoryRange(
      reinterpret_cast<const char *>(object.data()), object.size(), "lathe.o", false);
  const std::string why = take_message(library_, library_.LLVMOrcLLJITAddObjectFile(jit_, dylib, buffer));
  if (why.empty()) return dylib;
  remove(dylib);
  fail_internal({"LLVM does not take the object file: ", why});
}

namespace llvm_lookups {

/// The answer to one look-up, which LLVM may give on another thread when that one is linking the same object. Shared with the
/// asker, who may go on as soon as it is given.
struct Answer {
  const LlvmLibrary &library;
  std::uint64_t address = 0;
  std::string why{};
  std::atomic<bool> given{false};

  /// `answer` is a shared pointer of its own.
  static void receive(llvm_c::Error error, llvm_c::Symbol *symbols, std::size_t count, void *answer) {
    const std::unique_ptr<std::shared_ptr<Answer>> held(static_cast<std::shared_ptr<Answer> *>(answer));
    Answer &self = **held;
    self.why = take_message(self.library, error);
    if (error == nullptr && count == 1) self.address = symbols[0].address;
    self.given.store(true, std::memory_order_release);
    self.given.notify_one();
  }
};

}  // namespace llvm_lookups

LATHE_INLINE void *LlvmEngine::address(llvm_c::Dylib dylib, const std::string &name) {
  void *address = nullptr;
  std::string why;
  const auto look_up = [&] {
    using llvm_lookups::Answer;
    const std::shared_ptr<Answer> answer(new Answer{library_});
    llvm_c::SearchElement where{dylib, llvm_c::exported_symbols_only};
    llvm_c::LookupElement what{library_.LLVMOrcLLJITMangleAndIntern(jit_, name.c_str()), llvm_c::required_symbol};
    library_.LLVMOrcExecutionSessionLookup(session_, llvm_c::lookup_static, &where, 1, &what, 1, &Answer::receive,
                                           new std::shared_ptr<Answer>(answer));
    answer->given.wait(false, std::memory_order_acquire);
    address = reinterpret_cast<void *>(answer->address);
    why = std::move(answer->why);
  };
  try {
    llvm_thread().run(look_up);
  } catch (const LlvmFatalError &error) {
    lost_.store(true, std::memory_order_release);
    fail_llvm_gave_up(error);
  }
  if (why.empty()) return address;
  const std::string reports = take_reports();
  fail("J004", {"function ", name, " cannot be linked"}, {},
       {{"why", reports.empty() ? why : reports, {}},
        {"help", "the symbols must be in the program or in a library that it has loaded; link executables with -rdynamic", {}}});
}

LATHE_INLINE void LlvmEngine::remove(llvm_c::Dylib dylib) noexcept {
  // At the end of the process LLVM's own globals may be gone already; its memory goes with the process. On this thread, since
  // kernels may be destroyed after the thread's other objects, LLVM's thread among them.
  if (is_lost() || process_is_ending()) return;
  try {
    if (!take_message(library_, library_.LLVMOrcJITDylibClear(dylib)).empty()) return;
    const std::lock_guard lock(mutex_);
    free_dylibs_.push_back(dylib);
  } catch (const std::bad_alloc &) {
    // The emptied library stays unused; nothing else is lost.
  }
}

}  // namespace lathe::inline LATHE_ABI
