// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The runtime table of an executor, and the rule for loops inside loops.

#include "lathe/runtime/executor.hpp"
#include "lathe/runtime/process.hpp"
#include "lathe/runtime/scratch.hpp"

namespace lathe::inline LATHE_ABI {

/// The functions behind the pointers of `Runtime`. Compiled code must not be unwound, so nothing leaves them by an exception.
struct RuntimeTable {
  static Executor &executor(const Runtime *runtime) { return *static_cast<Executor *>(runtime->context); }

  static std::int32_t parallel_for(const Runtime *runtime, std::int64_t begin, std::int64_t end, CompiledFunction body,
                                   const Slot *slots) noexcept {
    const auto run_chunk = [=](std::int64_t first, std::int64_t last) {
      const Args args{slots, first, last};
      return body(&args, runtime);
    };
    try {
      return executor(runtime).parallel_for(begin, end, run_chunk);
    } catch (...) {  // thrown by somebody's own executor
      return status_callback_failed;
    }
  }

  static void *scratch_acquire(const Runtime *runtime, std::uint64_t bytes) noexcept {
    return thread_scratch().acquire(bytes, executor(runtime).scratch_limit_);
  }

  static void scratch_release(const Runtime *, void *block) noexcept { thread_scratch().release(block); }
};

LATHE_INLINE Executor::Executor(std::uint64_t scratch_limit)
    : scratch_limit_(scratch_limit),
      runtime_{
          1, sizeof(Runtime), this, &RuntimeTable::parallel_for, &RuntimeTable::scratch_acquire, &RuntimeTable::scratch_release} {
}

LATHE_INLINE std::int32_t Executor::parallel_for(std::int64_t begin, std::int64_t end, LoopBody body) {
  if (begin >= end) return status_ok;
  bool &inside = inside_loop_body();
  if (inside || begin + 1 == end) return body(begin, end);
  const auto marked = [body](std::int64_t first, std::int64_t last) {
    bool &inside_here = inside_loop_body();
    inside_here = true;
    const std::int32_t status = body(first, last);
    inside_here = false;
    return status;
  };
  return run(begin, end, marked);
}

}  // namespace lathe::inline LATHE_ABI
