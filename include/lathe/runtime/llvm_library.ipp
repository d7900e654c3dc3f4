// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Finding LLVM's library, and its functions in it.

#include <dlfcn.h>

#include <cstdlib>
#include <string>

#include "lathe/diag/diagnostic.hpp"
#include "lathe/runtime/llvm_library.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI {

namespace llvm_loading {

#ifdef LATHE_LINK_LLVM

/// LLVM's functions under names of our own, so that LLVM's headers, with other spellings of the same types, may be included too.
#define LATHE_LLVM_DECLARE(name, Result, parameters) extern "C" Result lathe_linked_##name parameters __asm__(#name);
LATHE_LLVM_FUNCTIONS(LATHE_LLVM_DECLARE)
#undef LATHE_LLVM_DECLARE

inline void *open_library() { return RTLD_DEFAULT; }

inline void resolve(LlvmLibrary &library, void *) {
#define LATHE_LLVM_RESOLVE(name, Result, parameters) library.name = &lathe_linked_##name;
  LATHE_LLVM_FUNCTIONS(LATHE_LLVM_RESOLVE)
#undef LATHE_LLVM_RESOLVE
}

#else

/// Names by which distributions install LLVM, the release that Lathe is tuned with first.
inline constexpr const char *names[] = {
    "libLLVM.so.19.1", "libLLVM-19.so.1", "libLLVM-19.so",   "libLLVM.so.20.1", "libLLVM-20.so",   "libLLVM.so.18.1",
    "libLLVM-18.so.1", "libLLVM-18.so",   "libLLVM-17.so.1", "libLLVM-17.so",   "libLLVM-16.so.1", "libLLVM-16.so",
};

[[noreturn]] inline void fail_missing(const List<Note> &reasons) {
  List<Note> notes = reasons;
  notes.push_back({"help", "install it: apt-get install libllvm19 (Debian's llvm-19 brings it along)", {}});
  notes.push_back({"help", "or set LATHE_LLVM to the path of a libLLVM of release 16 or later", {}});
  notes.push_back({"note", "without LLVM, emit_c and interpret work", {}});
  fail("J001", "LLVM is not installed, so nothing can be compiled at run time", {}, std::move(notes));
}

inline void *open_library() {
  // Local, so that LLVM's symbols do not meet those of another LLVM that a driver in this process may carry.
  constexpr int flags = RTLD_LAZY | RTLD_LOCAL;
  if (const char *path = std::getenv("LATHE_LLVM"); path != nullptr && *path != 0) {
    if (void *handle = dlopen(path, flags)) return handle;
    fail_missing({{"why", std::string("LATHE_LLVM is set, and ") + dlerror(), {}}});
  }
  std::string tried;
  for (const char *name : names) {
    if (void *handle = dlopen(name, flags)) return handle;
    tried.append(tried.empty() ? "" : ", ").append(name);
  }
  fail_missing({{"why", "no library has one of the names " + tried, {}}});
}

inline void *symbol(void *handle, const char *name) {
  if (void *address = dlsym(handle, name)) return address;
  fail("J002", "this LLVM is too old or incomplete", {},
       {{"why", {"its library has no function ", name}, {}},
        {"help", "install release 16 or later: apt-get install libllvm19", {}},
        {"help", "or set LATHE_LLVM to the path of one", {}}});
}

inline void resolve(LlvmLibrary &library, void *handle) {
#define LATHE_LLVM_RESOLVE(name, Result, parameters) \
  library.name = reinterpret_cast<decltype(library.name)>(symbol(handle, #name));
  LATHE_LLVM_FUNCTIONS(LATHE_LLVM_RESOLVE)
#undef LATHE_LLVM_RESOLVE
}

#endif

/// Registers a back end; without effect when the library was built without it, which shows when a target machine is asked for.
inline void initialize_back_end(void *handle, const std::string &name) {
  for (const char *part : {"TargetInfo", "Target", "TargetMC", "AsmPrinter"}) {
    if (void *function = dlsym(handle, (composed({"LLVMInitialize", name, part})).c_str()))
      reinterpret_cast<void (*)()>(function)();
  }
}

}  // namespace llvm_loading

LATHE_INLINE LlvmLibrary load_llvm() {
  LlvmLibrary library;
  void *const handle = llvm_loading::open_library();
  llvm_loading::resolve(library, handle);
  unsigned major = 0, minor = 0, patch = 0;
  library.LLVMGetVersion(&major, &minor, &patch);
  library.major = static_cast<int>(major);
  llvm_loading::initialize_back_end(handle, "X86");
  llvm_loading::initialize_back_end(handle, "AArch64");
  return library;
}

}  // namespace lathe::inline LATHE_ABI
