// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The default executor: a small pool of threads made for loops that last microseconds.
///
/// A loop is cut into one part for each thread, always in the same way, so that one loop after another finds a part's data in the
/// same core's cache. Each part is cut into a few chunks, claimed one by one from an atomic counter, first by the part's own
/// thread, then by any thread that has finished its own. So the caller never waits for a worker to wake up: it works through all
/// that nobody else has claimed, and at the end waits only for chunks that others are running.
///
/// Workers spin for some microseconds after their last chunk, since kernels often follow each other closely, then sleep.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>

#include "lathe/runtime/executor.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI {

/// A fixed number of threads. Loops begun by several callers at once share the workers.
class PoolExecutor final : public Executor {
 public:
  /// `threads`, at least 1 (less counts as 1), counts the caller, so `threads - 1` workers are started, when the first loop needs
  /// them. If the system refuses some, the loops run on fewer.
  explicit PoolExecutor(int threads, std::uint64_t scratch_limit = UINT64_MAX);
  /// Waits until the workers have ended. No loop may be running.
  ~PoolExecutor() override;

  int thread_count() const override { return threads_; }

 private:
  /// One thread's part of a loop, in one cache line: this line, there and back again, is all that passes between the caller and
  /// the thread. Parts are reused and never freed, so any thread may look at one at any time; all that it may conclude follows
  /// from one successful exchange of `progress`, which counts chunks: all, claimed and completed ones.
  struct alignas(64) Part {
    std::atomic<std::uint32_t> progress{0};
    // Written by the caller while no chunk is claimed, read by whoever has claimed one.
    std::uint32_t longer_chunks = 0;  // the first so many chunks have one iteration more
    std::int64_t begin = 0;
    std::uint64_t chunk_size = 0;
    LoopBody body;

    Part();
    void open(std::int64_t first, std::uint64_t iterations, LoopBody loop_body);
    bool has_unclaimed_chunks() const;
    /// Claims the next chunk; false when none is left.
    bool claim(std::uint32_t &chunk);
    std::int32_t run(std::uint32_t chunk) const;
    /// Completes a chunk and claims the next one, in one exchange.
    bool complete_and_claim(std::uint32_t &chunk);
    /// Claims and completes all that is left to claim, so that nobody runs it.
    void cancel();
    void wait_until_completed();
  };

  /// A loop under way.
  struct Region {
    std::unique_ptr<Part[]> parts;
    Part &part(int i) const { return parts[static_cast<std::size_t>(i)]; }
    alignas(64) std::atomic<std::int32_t> status{status_ok};  // of the first failure
    std::atomic<bool> taken{false};
  };

  std::int32_t run(std::int64_t begin, std::int64_t end, LoopBody body) override;
  /// Shares out the iterations and returns how many parts have some.
  int open(Region &region, std::int64_t begin, std::int64_t end, LoopBody body);
  /// Runs what is unclaimed of a region, beginning with part `own`.
  void work_on(Region &region, int own);
  void work_on(Region &region, Part &part);
  Region *take_region();

  void start_workers();
  void wake_workers();
  void serve(int own);
  bool is_wanted(int own) const;
  void wait_for_work(int own);

  const int threads_;
  /// Callers beyond as many at once run their loops alone, which is no loss: the machine is busy.
  Region regions_[4];
  alignas(64) std::atomic<std::uint32_t> sleepers_{0};  // workers asleep, or about to be
  std::atomic<std::uint32_t> signal_{0};                // changed to wake them
  std::atomic<bool> stopping_{false};
  std::once_flag started_;
  List<std::thread> workers_;
};

}  // namespace lathe::inline LATHE_ABI
