// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// How the pool's threads share out loops.

#include <algorithm>
#include <chrono>
#include <system_error>

#include "lathe/runtime/pool_executor.hpp"

namespace lathe::inline LATHE_ABI {

/// The fields of `Part::progress`, 8 bits each: chunks claimed, chunks completed, chunks in all, and whether the caller sleeps
/// until all are completed. In one word, so that a claim succeeds only on exactly the state that it was decided on; whether that
/// is still the same loop does not matter, since what a chunk means is read after claiming it.
namespace progress_word {

inline constexpr std::uint32_t one_claimed = 1;
inline constexpr std::uint32_t one_completed = 1u << 8;
inline constexpr std::uint32_t caller_sleeps = 1u << 24;

inline std::uint32_t claimed(std::uint32_t word) { return word & 0xff; }
inline std::uint32_t completed(std::uint32_t word) { return word >> 8 & 0xff; }
inline std::uint32_t chunks(std::uint32_t word) { return word >> 16 & 0xff; }
inline std::uint32_t unclaimed(std::uint32_t word) { return chunks(word) - claimed(word); }
inline std::uint32_t opened(std::uint32_t chunk_count) { return chunk_count << 16; }

}  // namespace progress_word

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
  Clock::time_point end{};
  while (true) {
    for (int i = 0; i < 32; ++i) {
      if (is_done()) return true;
      pause();
    }
    const Clock::time_point now = Clock::now();
    if (end == Clock::time_point{}) end = now + patience;
    if (now >= end) return false;
  }
}

}  // namespace spinning

LATHE_INLINE PoolExecutor::Part::Part() : body([](std::int64_t, std::int64_t) { return std::int32_t{status_ok}; }) {}

LATHE_INLINE void PoolExecutor::Part::open(std::int64_t first, std::uint64_t iterations, LoopBody loop_body) {
  // Several chunks even out unequal iterations and threads that come late.
  const auto chunks = static_cast<std::uint32_t>(std::min<std::uint64_t>(iterations, 4));
  begin = first;
  chunk_size = iterations / chunks;
  longer_chunks = static_cast<std::uint32_t>(iterations % chunks);
  body = loop_body;
  progress.store(progress_word::opened(chunks), std::memory_order_release);
}

LATHE_INLINE bool PoolExecutor::Part::has_unclaimed_chunks() const {
  return progress_word::unclaimed(progress.load(std::memory_order_relaxed)) != 0;
}

LATHE_INLINE bool PoolExecutor::Part::claim(std::uint32_t &chunk) {
  std::uint32_t word = progress.load(std::memory_order_relaxed);
  while (progress_word::unclaimed(word) != 0) {
    if (progress.compare_exchange_weak(word, word + progress_word::one_claimed, std::memory_order_acquire,
                                       std::memory_order_relaxed)) {
      chunk = progress_word::claimed(word);
      return true;
    }
  }
  return false;
}

LATHE_INLINE std::int32_t PoolExecutor::Part::run(std::uint32_t chunk) const {
  const std::uint64_t offset = chunk * chunk_size + std::min(chunk, longer_chunks);
  const std::uint64_t length = chunk_size + (chunk < longer_chunks ? 1 : 0);
  const auto first = static_cast<std::int64_t>(static_cast<std::uint64_t>(begin) + offset);
  return body(first, static_cast<std::int64_t>(static_cast<std::uint64_t>(first) + length));
}

LATHE_INLINE bool PoolExecutor::Part::complete_and_claim(std::uint32_t &chunk) {
  std::uint32_t word = progress.load(std::memory_order_relaxed);
  std::uint32_t claims = 0;
  do {
    claims = progress_word::unclaimed(word) != 0 ? progress_word::one_claimed : 0;
  } while (!progress.compare_exchange_weak(word, word + progress_word::one_completed + claims, std::memory_order_acq_rel,
                                           std::memory_order_relaxed));
  chunk = progress_word::claimed(word);
  // Without a claim the caller may return from here on, and the part serve another loop; only its address is used.
  if (claims == 0 && (word & progress_word::caller_sleeps)) progress.notify_one();
  return claims != 0;
}

LATHE_INLINE void PoolExecutor::Part::cancel() {
  constexpr std::uint32_t one = progress_word::one_claimed + progress_word::one_completed;
  std::uint32_t word = progress.load(std::memory_order_relaxed);
  while (!progress.compare_exchange_weak(word, word + progress_word::unclaimed(word) * one, std::memory_order_acq_rel)) {
  }
  if (word & progress_word::caller_sleeps) progress.notify_one();
}

LATHE_INLINE void PoolExecutor::Part::wait_until_completed() {
  const auto is_completed = [](std::uint32_t word) { return progress_word::completed(word) == progress_word::chunks(word); };
  if (spinning::until([&] { return is_completed(progress.load(std::memory_order_acquire)); })) return;
  progress.fetch_or(progress_word::caller_sleeps, std::memory_order_relaxed);
  for (std::uint32_t seen; !is_completed(seen = progress.load(std::memory_order_acquire));)
    progress.wait(seen, std::memory_order_acquire);
}

LATHE_INLINE PoolExecutor::PoolExecutor(int threads, std::uint64_t scratch_limit)
    : Executor(scratch_limit), threads_(std::max(threads, 1)) {
  for (Region &region : regions_) region.parts = std::make_unique<Part[]>(static_cast<std::size_t>(threads_));
}

LATHE_INLINE PoolExecutor::~PoolExecutor() {
  stopping_.store(true, std::memory_order_relaxed);
  wake_workers();
  for (std::thread &worker : workers_) worker.join();
}

LATHE_INLINE std::int32_t PoolExecutor::run(std::int64_t begin, std::int64_t end, LoopBody body) {
  Region *const region = threads_ > 1 ? take_region() : nullptr;
  if (region == nullptr) return body(begin, end);
  std::call_once(started_, [this] { start_workers(); });
  const int used = open(*region, begin, end, body);
  // Not ordered after opening, since that would cost as much as the rest of a short loop. A worker that is just falling asleep
  // looks for open loops for some time after it has counted itself; missing one would only leave more to the others.
  if (sleepers_.load(std::memory_order_relaxed) != 0) wake_workers();
  work_on(*region, 0);
  for (int part = 0; part < used; ++part) region->part(part).wait_until_completed();
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

LATHE_INLINE int PoolExecutor::open(Region &region, std::int64_t begin, std::int64_t end, LoopBody body) {
  const std::uint64_t iterations = static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin);
  const auto used = static_cast<int>(std::min(iterations, static_cast<std::uint64_t>(threads_)));
  const std::uint64_t size = iterations / static_cast<std::uint64_t>(used),
                      longer = iterations % static_cast<std::uint64_t>(used);
  region.status.store(status_ok, std::memory_order_relaxed);
  // From the end, so that the workers begin before the caller has opened its own part.
  std::uint64_t first = static_cast<std::uint64_t>(end);
  for (int part = used; part-- > 0;) {
    const std::uint64_t length = size + (static_cast<std::uint64_t>(part) < longer ? 1 : 0);
    first -= length;
    region.part(part).open(static_cast<std::int64_t>(first), length, body);
  }
  return used;
}

LATHE_INLINE void PoolExecutor::work_on(Region &region, int own) {
  for (int i = 0; i < threads_; ++i) work_on(region, region.part((own + i) % threads_));
}

LATHE_INLINE void PoolExecutor::work_on(Region &region, Part &part) {
  std::uint32_t chunk = 0;
  for (bool is_mine = part.claim(chunk); is_mine; is_mine = part.complete_and_claim(chunk)) {
    const std::int32_t failure = part.run(chunk);
    if (failure == status_ok) continue;
    std::int32_t none = status_ok;
    region.status.compare_exchange_strong(none, failure, std::memory_order_relaxed);
    // As long as this chunk is not completed, the region serves this loop and no other.
    for (int i = 0; i < threads_; ++i) region.part(i).cancel();
  }
}

LATHE_INLINE void PoolExecutor::start_workers() {
  try {
    workers_.reserve(static_cast<std::size_t>(threads_ - 1));
    for (int own = 1; own < threads_; ++own) workers_.emplace_back([this, own] { serve(own); });
  } catch (const std::system_error &) {
    // No more threads to be had: those already running and the callers do the work.
  }
}

LATHE_INLINE void PoolExecutor::wake_workers() {
  signal_.fetch_add(1, std::memory_order_seq_cst);  // before notify looks for waiters
  signal_.notify_all();
}

LATHE_INLINE bool PoolExecutor::is_wanted(int own) const {
  return stopping_.load(std::memory_order_relaxed) ||
         std::any_of(std::begin(regions_), std::end(regions_),
                     [own](const Region &r) { return r.part(own).has_unclaimed_chunks(); });
}

LATHE_INLINE void PoolExecutor::wait_for_work(int own) {
  const auto wanted = [this, own] { return is_wanted(own); };
  if (spinning::until(wanted)) return;
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  const std::uint32_t seen = signal_.load(std::memory_order_acquire);
  if (!spinning::until(wanted)) signal_.wait(seen, std::memory_order_acquire);
  sleepers_.fetch_sub(1, std::memory_order_relaxed);
}

LATHE_INLINE void PoolExecutor::serve(int own) {
  while (!stopping_.load(std::memory_order_relaxed)) {
    for (Region &region : regions_) {
      if (region.part(own).has_unclaimed_chunks()) work_on(region, own);
    }
    wait_for_work(own);
  }
}

}  // namespace lathe::inline LATHE_ABI
