// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Handing work to LLVM's thread, and giving the thread up.

#include <unistd.h>

#include <memory>
#include <utility>

#include "lathe/diag/diagnostic.hpp"
#include "lathe/runtime/llvm_thread.hpp"
#include "lathe/runtime/process.hpp"

namespace lathe::inline LATHE_ABI {

LATHE_INLINE void fail_llvm_gave_up(const LlvmFatalError &error) {
  fail("J003", {"LLVM gave up: ", error.reason}, {},
       {{"why", "LLVM met something that it cannot handle; compiling other kernels still works", {}},
        {"help",
         "check LlvmOptions::passes and the target; with the defaults, please report it with the output under LATHE_DUMP=all",
         {}}});
}

LATHE_INLINE void LlvmThread::Seat::change(State next) {
  state.store(next, std::memory_order_seq_cst);  // before notify looks for waiters
  state.notify_one();
}

LATHE_INLINE void LlvmThread::Seat::serve() {
  llvm_seat() = this;
  for (std::uint32_t now; (now = state.load(std::memory_order_acquire)) != leaving;) {
    if (now != working) {
      state.wait(now, std::memory_order_acquire);
      continue;
    }
    try {
      (*work)();
    } catch (...) {
      thrown = std::current_exception();
    }
    change(done);
  }
}

LATHE_INLINE void LlvmThread::Seat::give_up(const char *why) {
  reason = why;
  change(gave_up);
  while (true) ::pause();
}

LATHE_INLINE LlvmThread::~LlvmThread() {
  if (seat_ == nullptr) return;
  if (seat_->process != ::getpid()) {
    forget();
    return;
  }
  seat_->change(Seat::leaving);
  seat_->thread.join();
  delete seat_;
}

LATHE_INLINE void LlvmThread::start() {
  auto seat = std::make_unique<Seat>();
  seat->process = ::getpid();
  seat->thread = std::thread(&Seat::serve, seat.get());
  seat_ = seat.release();
}

/// Leaves the seat to a thread that sleeps for ever, or that does not exist in this process.
LATHE_INLINE void LlvmThread::forget() {
  seat_->thread.detach();
  seat_ = nullptr;
}

LATHE_INLINE void LlvmThread::run(FunctionRef<void()> work) {
  if (seat_ != nullptr && seat_->process != ::getpid()) forget();
  if (seat_ == nullptr) start();
  seat_->work = &work;
  seat_->change(Seat::working);
  seat_->state.wait(Seat::working, std::memory_order_acquire);
  if (seat_->state.load(std::memory_order_acquire) == Seat::gave_up) {
    LlvmFatalError error{seat_->reason};
    forget();
    throw error;
  }
  if (seat_->thrown) std::rethrow_exception(std::exchange(seat_->thrown, nullptr));
}

}  // namespace lathe::inline LATHE_ABI
