// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Who runs the iterations of parallel loops, and what compiled code may ask of it.
///
/// Kernels run on `default_executor()` unless they are given another one: `SerialExecutor`, a `PoolExecutor` of one's own, or a
/// class derived from `Executor` that hands the iterations to a scheduler that the program already has:
///
///     class OpenMp final : public lathe::Executor {
///       int thread_count() const override { return omp_get_max_threads(); }
///       std::int32_t run(std::int64_t begin, std::int64_t end, lathe::LoopBody body) override { … body(first, last) … }
///     };

#include <cstdint>
#include <type_traits>

#include "lathe/runtime/abi.hpp"
#include "lathe/version.hpp"

namespace lathe::inline LATHE_ABI {

/// What a parallel loop does: `body(begin, end)` runs the iterations [begin, end) in order and returns 0, or the status of the
/// first one that fails; it does not throw. Refers to a callable that must outlive it, or to a compiled function. Copied whole
/// to the threads that take part, since each further line of memory that they read from the caller delays them by 0.1 us.
class LoopBody {
 public:
  /// From `callable(begin, end)` returning a status.
  template <class Callable>
    requires(!std::is_same_v<std::remove_cvref_t<Callable>, LoopBody> &&
             std::is_invocable_r_v<std::int32_t, Callable &, std::int64_t, std::int64_t>)
  LoopBody(Callable &&callable)  // NOLINT: implicit by design
      : call_([](const LoopBody &self, std::int64_t begin, std::int64_t end) noexcept -> std::int32_t {
          return (*static_cast<std::remove_reference_t<Callable> *>(self.callable_))(begin, end);
        }),
        callable_(const_cast<void *>(static_cast<const void *>(&callable))) {}

  /// From a compiled function with its slots.
  LoopBody(CompiledFunction function, const Slot *slots, const Runtime *runtime);

  /// Runs iterations; loops inside them stay on this thread.
  std::int32_t operator()(std::int64_t begin, std::int64_t end) const;

 private:
  friend class Executor;
  using Call = std::int32_t (*)(const LoopBody &, std::int64_t begin, std::int64_t end) noexcept;

  Call call_;
  union {
    void *callable_;
    CompiledFunction function_;
  };
  const Slot *slots_ = nullptr;
  const Runtime *runtime_ = nullptr;
};

/// Runs loops on several threads. May be called by several threads at once; lives as long as anything that runs on it.
class Executor {
 public:
  /// A kernel on this executor gets at most `scratch_limit` bytes of scratch memory on each thread.
  explicit Executor(std::uint64_t scratch_limit = UINT64_MAX);
  virtual ~Executor() = default;
  Executor(const Executor &) = delete;
  Executor &operator=(const Executor &) = delete;

  /// How many threads take part in a loop, the caller included; 1 or more.
  virtual int thread_count() const = 0;

  /// Runs all iterations of [begin, end) and returns when they are done: 0, or the status that the first failing call of `body`
  /// (first in time) returned, after which no further iterations are begun. Within a body, loops run on the calling thread
  /// alone, so they cannot wait for each other; a loop of one iteration does not count as one.
  std::int32_t parallel_for(std::int64_t begin, std::int64_t end, LoopBody body);

  /// The table that compiled code is called with; part of this object.
  const Runtime &runtime() const { return runtime_; }

 private:
  /// Does what `parallel_for` promises, for at least two iterations and outside of any body: calls `body` on any threads, in as
  /// many pieces as it likes.
  virtual std::int32_t run(std::int64_t begin, std::int64_t end, LoopBody body) = 0;

  std::uint64_t scratch_limit_;
  Runtime runtime_;
  friend struct RuntimeTable;
};

/// Runs everything on the calling thread.
class SerialExecutor final : public Executor {
 public:
  using Executor::Executor;
  int thread_count() const override { return 1; }

 private:
  std::int32_t run(std::int64_t begin, std::int64_t end, LoopBody body) override { return body(begin, end); }
};

/// The executor of kernels that are given none: a pool with as many threads as the environment variable LATHE_NUM_THREADS says,
/// or else as there are processors that this process may run on. Made at the first call, never destroyed.
/// \throws Error K103 when LATHE_NUM_THREADS is not a number from 1 to 1024.
Executor &default_executor();

}  // namespace lathe::inline LATHE_ABI
