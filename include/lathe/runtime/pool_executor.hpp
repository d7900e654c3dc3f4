// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The default executor: a small pool of threads made for loops that last microseconds.
///
/// A loop is cut into chunks, which the caller and the workers claim one by one from an atomic counter. The caller never waits
/// for a worker to wake up: it works through the chunks itself and at the end waits only for chunks that others have claimed.
/// Workers spin for some microseconds after their last chunk, since kernels often follow each other closely, then sleep.

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "lathe/runtime/executor.hpp"

namespace lathe::inline LATHE_ABI {

/// A fixed number of threads. Loops begun by several callers at once share the workers.
class PoolExecutor final : public Executor {
 public:
  /// `threads` counts the caller, so `threads - 1` workers are started, when the first loop needs them. If the system refuses
  /// some, the loops run on fewer.
  explicit PoolExecutor(int threads, std::uint64_t scratch_limit = UINT64_MAX);
  /// Waits until the workers have ended. No loop may be running.
  ~PoolExecutor() override;

  int thread_count() const override { return threads_; }

 private:
  /// A loop under way. Regions are reused and never freed, so a worker may look at one at any time; all that it may conclude
  /// follows from one successful exchange of `ticket`.
  struct Region {
    /// Written by the caller while no chunk is claimed, read by whoever has claimed one.
    alignas(64) std::atomic<std::uint64_t> ticket{0};
    std::int64_t begin = 0;
    std::uint64_t chunk_size = 0;
    std::uint64_t longer_chunks = 0;  ///< the first so many chunks have one iteration more
    std::uint32_t chunks = 0;
    LoopBody body;
    /// Written by everybody who has completed chunks.
    alignas(64) std::atomic<std::uint32_t> completed{0};
    std::atomic<std::int32_t> status{status_ok};
    /// Claimed and freed by callers.
    alignas(64) std::atomic<bool> taken{false};

    Region();
    bool has_unclaimed_chunks() const;
    /// Claims the next chunk; false when there is none.
    bool claim(std::uint32_t &chunk);
    /// Claims all chunks that are left, so that nobody runs them, and returns how many.
    std::uint32_t claim_rest();
    /// Opens a loop whose first chunk is already claimed, for the caller.
    void open(std::int64_t first, std::int64_t last, std::uint32_t chunk_count, LoopBody loop_body);
    /// Runs `chunk`, already claimed, and then all others that can be claimed.
    void work_from(std::uint32_t chunk);
    std::int32_t run_chunk(std::uint32_t chunk) const;
    void wait_until_completed() const;
  };

  std::int32_t run(std::int64_t begin, std::int64_t end, LoopBody body) override;
  Region *take_region();
  void start_workers();
  void wake_workers();
  void serve();
  bool has_work() const;
  void wait_for_work();

  const int threads_;
  /// Callers beyond as many at once run their loops alone, which is no loss: the machine is busy.
  Region regions_[4];
  alignas(64) std::atomic<std::uint32_t> signal_{0};  ///< counts loops, so that workers can sleep until it changes
  std::atomic<bool> stopping_{false};
  std::once_flag started_;
  std::vector<std::thread> workers_;
};

}  // namespace lathe::inline LATHE_ABI
