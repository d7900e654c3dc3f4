// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Where LLVM works: on a thread of its own, which can be given up.
///
/// LLVM reports what it cannot handle as a fatal error, by calling a handler that must not return, at any depth of its calls.
/// Throwing from there would leave dangling pointers: LLVM links objects on its stack into global lists (its timers, for one),
/// and, compiled without exceptions, it unlinks none of them when it is unwound. So the handler neither returns nor throws: it
/// tells the waiting caller and puts the thread to sleep for ever, stack and all.

#include <atomic>
#include <cstdint>
#include <exception>
#include <string>
#include <thread>

#include "lathe/support/function_ref.hpp"
#include "lathe/version.hpp"

namespace lathe::inline LATHE_ABI {

/// LLVM has met a fatal error. Whatever it was working on is lost: neither used nor freed any more.
struct LlvmFatalError {
  std::string reason;
};

/// Throws Error J003: LLVM gave up, for this reason.
[[noreturn]] void fail_llvm_gave_up(const LlvmFatalError &error);

/// Runs work on a second thread while the first one waits. Handing over takes some microseconds; the thread is kept from one
/// piece of work to the next, with all that is thread-local there. Used by one thread (`llvm_thread`).
class LlvmThread {
 public:
  LlvmThread() = default;
  /// Ends the second thread.
  ~LlvmThread();
  LlvmThread(const LlvmThread &) = delete;
  LlvmThread &operator=(const LlvmThread &) = delete;

  /// Runs `work` and passes on what it throws. \throws LlvmFatalError when LLVM gave up meanwhile: then `work` did not end and
  /// its local variables will never be destroyed. The next call begins with a fresh thread.
  void run(FunctionRef<void()> work);

  /// What the two threads share. Outlives the `LlvmThread` if the second thread was given up.
  struct Seat {
    enum State : std::uint32_t { idle, working, done, gave_up, leaving };

    std::atomic<std::uint32_t> state{idle};
    const FunctionRef<void()> *work = nullptr;
    std::exception_ptr thrown;
    std::string reason;
    int process = 0;  ///< in a child after `fork` the second thread does not exist
    std::thread thread;

    void change(State next);
    void serve();
    /// To be called on the second thread by LLVM's handler of fatal errors.
    [[noreturn]] void give_up(const char *why);
  };

 private:
  void start();
  void forget();

  Seat *seat_ = nullptr;
};

}  // namespace lathe::inline LATHE_ABI
