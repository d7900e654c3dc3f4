// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The runtime table of an executor, and the rule for loops inside loops.

#include <utility>

#include "lathe/runtime/executor.hpp"
#include "lathe/runtime/process.hpp"
#include "lathe/runtime/scratch.hpp"

namespace lathe::inline LATHE_ABI {

/// The functions behind the pointers of `Runtime`. Compiled code must not be unwound, so nothing leaves them by an exception.
struct RuntimeTable {
  static Executor &executor(const Runtime *runtime) { return *static_cast<Executor *>(runtime->context); }

  static std::int32_t parallel_for(const Runtime *runtime, std::int64_t begin, std::int64_t end, CompiledFunction body,
                                   const Slot *slots) noexcept {
    try {
      return executor(runtime).parallel_for(begin, end, LoopBody(body, slots, runtime));
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

LATHE_INLINE LoopBody::LoopBody(CompiledFunction function, const Slot *slots, const Runtime *runtime)
    : call_([](const LoopBody &self, std::int64_t begin, std::int64_t end) noexcept {
        const Args args{self.slots_, begin, end};
        return self.function_(&args, self.runtime_);
      }),
      function_(function),
      slots_(slots),
      runtime_(runtime) {}

LATHE_INLINE std::int32_t LoopBody::operator()(std::int64_t begin, std::int64_t end) const {
  bool &inside = inside_loop_body();
  const bool before = std::exchange(inside, true);
  const std::int32_t status = call_(*this, begin, end);
  inside = before;
  return status;
}

LATHE_INLINE std::int32_t Executor::parallel_for(std::int64_t begin, std::int64_t end, LoopBody body) {
  if (begin >= end) return status_ok;
  // A single iteration does not count as a loop: those inside it may still be shared out.
  if (inside_loop_body() || begin + 1 == end) return body.call_(body, begin, end);
  return run(begin, end, body);
}

}  // namespace lathe::inline LATHE_ABI
