// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// How the pool's threads share out loops.

#include <algorithm>
#include <chrono>
#include <system_error>

#include "lathe/runtime/pool_executor.hpp"

namespace lathe::inline LATHE_ABI {

/// A ticket is the number of the loop (32 bits), its number of chunks (16) and the next chunk to claim (16). Being one word, it
/// is exchanged only if all three are as they were read, so nobody can claim a chunk of a loop that has ended.
namespace tickets {

inline constexpr std::uint32_t most_chunks = 0xffff;

inline std::uint32_t next(std::uint64_t ticket) { return ticket & 0xffff; }
inline std::uint32_t chunks(std::uint64_t ticket) { return ticket >> 16 & 0xffff; }
inline std::uint64_t following(std::uint64_t ticket, std::uint32_t chunk_count) {
  return (((ticket >> 32) + 1) << 32) | std::uint64_t{chunk_count} << 16 | 1;
}
inline std::uint64_t exhausted(std::uint64_t ticket) { return (ticket & ~std::uint64_t{0xffff}) | chunks(ticket); }

}  // namespace tickets

namespace spinning {

inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/// Spins until `is_done()`, but only for about as long as putting a thread to sleep and waking it up costs. Returns whether it is
/// done.
template <class IsDone>
bool until(const IsDone &is_done) {
  using Clock = std::chrono::steady_clock;
  constexpr auto patience = std::chrono::microseconds(30);
  const auto start = Clock::now();
  do {
    for (int i = 0; i < 32; ++i) {
      if (is_done()) return true;
      pause();
    }
  } while (Clock::now() - start < patience);
  return false;
}

}  // namespace spinning

LATHE_INLINE PoolExecutor::Region::Region() : body([](std::int64_t, std::int64_t) { return std::int32_t{status_ok}; }) {}

LATHE_INLINE bool PoolExecutor::Region::has_unclaimed_chunks() const {
  const std::uint64_t now = ticket.load(std::memory_order_relaxed);
  return tickets::next(now) < tickets::chunks(now);
}

LATHE_INLINE bool PoolExecutor::Region::claim(std::uint32_t &chunk) {
  std::uint64_t now = ticket.load(std::memory_order_relaxed);
  while (tickets::next(now) < tickets::chunks(now)) {
    if (ticket.compare_exchange_weak(now, now + 1, std::memory_order_acquire, std::memory_order_relaxed)) {
      chunk = tickets::next(now);
      return true;
    }
  }
  return false;
}

LATHE_INLINE std::uint32_t PoolExecutor::Region::claim_rest() {
  std::uint64_t now = ticket.load(std::memory_order_relaxed);
  while (!ticket.compare_exchange_weak(now, tickets::exhausted(now), std::memory_order_relaxed)) {
  }
  return tickets::chunks(now) - tickets::next(now);
}

LATHE_INLINE void PoolExecutor::Region::open(std::int64_t first, std::int64_t last, std::uint32_t chunk_count,
                                             LoopBody loop_body) {
  const std::uint64_t iterations = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  begin = first;
  chunks = chunk_count;
  chunk_size = iterations / chunk_count;
  longer_chunks = iterations % chunk_count;
  body = loop_body;
  completed.store(0, std::memory_order_relaxed);
  status.store(status_ok, std::memory_order_relaxed);
  ticket.store(tickets::following(ticket.load(std::memory_order_relaxed), chunk_count), std::memory_order_release);
}

LATHE_INLINE std::int32_t PoolExecutor::Region::run_chunk(std::uint32_t chunk) const {
  const std::uint64_t offset = chunk * chunk_size + std::min<std::uint64_t>(chunk, longer_chunks);
  const std::uint64_t length = chunk_size + (chunk < longer_chunks ? 1 : 0);
  const auto first = static_cast<std::int64_t>(static_cast<std::uint64_t>(begin) + offset);
  return body(first, static_cast<std::int64_t>(static_cast<std::uint64_t>(first) + length));
}

LATHE_INLINE void PoolExecutor::Region::work_from(std::uint32_t chunk) {
  const std::uint32_t all = chunks;
  std::uint32_t mine = 0;
  do {
    ++mine;
    if (const std::int32_t failure = run_chunk(chunk); failure != status_ok) {
      std::int32_t none = status_ok;
      status.compare_exchange_strong(none, failure, std::memory_order_relaxed);
      mine += claim_rest();
    }
  } while (claim(chunk));
  // From here on the caller may return and the region serve another loop.
  if (completed.fetch_add(mine, std::memory_order_acq_rel) + mine == all) completed.notify_one();
}

LATHE_INLINE void PoolExecutor::Region::wait_until_completed() const {
  const auto is_completed = [this] { return completed.load(std::memory_order_acquire) == chunks; };
  if (is_completed() || spinning::until(is_completed)) return;
  for (std::uint32_t seen; (seen = completed.load(std::memory_order_acquire)) != chunks;)
    completed.wait(seen, std::memory_order_acquire);
}

LATHE_INLINE PoolExecutor::PoolExecutor(int threads, std::uint64_t scratch_limit)
    : Executor(scratch_limit), threads_(std::max(threads, 1)) {}

LATHE_INLINE PoolExecutor::~PoolExecutor() {
  stopping_.store(true, std::memory_order_relaxed);
  wake_workers();
  for (std::thread &worker : workers_) worker.join();
}

LATHE_INLINE std::int32_t PoolExecutor::run(std::int64_t begin, std::int64_t end, LoopBody body) {
  Region *const region = threads_ > 1 ? take_region() : nullptr;
  if (region == nullptr) return body(begin, end);
  std::call_once(started_, [this] { start_workers(); });
  // Several chunks a thread even out unequal iterations and threads that come late.
  const std::uint64_t iterations = static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin);
  const std::uint64_t wanted = std::min<std::uint64_t>(std::uint64_t{4} * threads_, tickets::most_chunks);
  region->open(begin, end, static_cast<std::uint32_t>(std::min(iterations, wanted)), body);
  wake_workers();
  region->work_from(0);
  region->wait_until_completed();
  const std::int32_t status = region->status.load(std::memory_order_relaxed);
  region->taken.store(false, std::memory_order_release);
  return status;
}

LATHE_INLINE PoolExecutor::Region *PoolExecutor::take_region() {
  for (Region &region : regions_) {
    if (!region.taken.load(std::memory_order_relaxed) && !region.taken.exchange(true, std::memory_order_acquire)) return &region;
  }
  return nullptr;
}

LATHE_INLINE void PoolExecutor::start_workers() {
  try {
    workers_.reserve(threads_ - 1);
    for (int i = 1; i < threads_; ++i) workers_.emplace_back([this] { serve(); });
  } catch (const std::system_error &) {
    // No more threads to be had: those already running and the callers do the work.
  }
}

LATHE_INLINE void PoolExecutor::wake_workers() {
  // Sequentially consistent, as is the look at the waiters inside notify_all: either a worker going to sleep sees the new
  // number, or it is seen as a waiter.
  signal_.fetch_add(1, std::memory_order_seq_cst);
  signal_.notify_all();
}

LATHE_INLINE bool PoolExecutor::has_work() const {
  return std::any_of(std::begin(regions_), std::end(regions_),
                     [](const Region &region) { return region.has_unclaimed_chunks(); });
}

LATHE_INLINE void PoolExecutor::wait_for_work() {
  const auto is_wanted = [this] { return has_work() || stopping_.load(std::memory_order_relaxed); };
  if (spinning::until(is_wanted)) return;
  const std::uint32_t seen = signal_.load(std::memory_order_acquire);
  if (!is_wanted()) signal_.wait(seen, std::memory_order_acquire);
}

LATHE_INLINE void PoolExecutor::serve() {
  while (!stopping_.load(std::memory_order_relaxed)) {
    for (Region &region : regions_) {
      if (std::uint32_t chunk; region.claim(chunk)) region.work_from(chunk);
    }
    wait_for_work();
  }
}

}  // namespace lathe::inline LATHE_ABI
