// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The one place where process-wide and thread-local state lives.

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>

#include "lathe/diag/diagnostic.hpp"
#include "lathe/runtime/executor.hpp"
#include "lathe/runtime/llvm_engine.hpp"
#include "lathe/runtime/llvm_library.hpp"
#include "lathe/runtime/llvm_target_machines.hpp"
#include "lathe/runtime/pool_executor.hpp"
#include "lathe/runtime/process.hpp"
#include "lathe/runtime/scratch.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI {

namespace process_state {

inline std::atomic<bool> &ending() {
  static std::atomic<bool> flag{false};
  return flag;
}

/// LLVM ends the program when this returns.
inline void handle_fatal_error(const char *reason) {
  if (LlvmThread::Seat *const seat = llvm_seat()) seat->give_up(reason);
  std::fprintf(stderr, "LLVM ERROR: %s\n", reason);
}

inline LlvmLibrary set_up_llvm() {
  const LlvmLibrary library = load_llvm();
  library.LLVMInstallFatalErrorHandler(&handle_fatal_error);
  // Registered after the destructors of LLVM's globals, hence called before them.
  std::atexit([] { ending().store(true, std::memory_order_relaxed); });
  return library;
}

/// Processors that this process may run on.
inline int processor_count() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

inline int default_thread_count() {
  const char *const text = std::getenv("LATHE_NUM_THREADS");
  if (text == nullptr || *text == 0) return std::min(processor_count(), 1024);
  int threads = 0;
  const char *const end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, threads);
  if (error == std::errc{} && rest == end && threads >= 1 && threads <= 1024) return threads;
  fail("K103", {"LATHE_NUM_THREADS is a number from 1 to 1024, unlike \"", text, "\""}, {},
       {{"help", "set it to the number of threads that parallel loops may use, or unset it to use all processors", {}}});
}

}  // namespace process_state

LATHE_INLINE const LlvmLibrary &llvm_library() {
  static const LlvmLibrary library = process_state::set_up_llvm();
  return library;
}

LATHE_INLINE LlvmEngine &llvm_engine() {
  static std::mutex &mutex = *new std::mutex;
  static List<LlvmEngine *> &engines = *new List<LlvmEngine *>;  // all but the last are lost
  const LlvmLibrary &library = llvm_library();
  const std::lock_guard lock(mutex);
  if (engines.empty() || engines.back()->is_lost()) engines.push_back(new LlvmEngine(library));
  return *engines.back();
}

LATHE_INLINE bool process_is_ending() { return process_state::ending().load(std::memory_order_relaxed); }

LATHE_INLINE Executor &default_executor() {
  static Executor &executor = *new PoolExecutor(process_state::default_thread_count());
  return executor;
}

LATHE_INLINE LlvmTargetMachines &thread_target_machines() {
  thread_local LlvmTargetMachines machines(llvm_library());
  return machines;
}

LATHE_INLINE LlvmThread &llvm_thread() {
  thread_local LlvmThread thread;
  return thread;
}

LATHE_INLINE LlvmThread::Seat *&llvm_seat() {
  thread_local LlvmThread::Seat *seat = nullptr;
  return seat;
}

LATHE_INLINE ScratchArena &thread_scratch() {
  thread_local ScratchArena arena;
  return arena;
}

LATHE_INLINE bool &inside_loop_body() {
  thread_local bool inside = false;
  return inside;
}

}  // namespace lathe::inline LATHE_ABI
