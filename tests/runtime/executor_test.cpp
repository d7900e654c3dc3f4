// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Executors: each iteration once, failures, loops in loops, several callers, compiled code's table. Meant to run under tsan too.

#include "lathe/runtime/executor.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <thread>
#include <vector>

#include "lathe/runtime/pool_executor.hpp"

namespace lathe {
namespace {

/// How often each of the iterations [0, n) runs. Plain ints: a second run of one at the same time is a race that tsan reports.
std::vector<int> runs_of(Executor &executor, std::int64_t n) {
  std::vector<int> runs(static_cast<std::size_t>(n));
  const auto body = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) ++runs[static_cast<std::size_t>(i)];
    return std::int32_t{0};
  };
  EXPECT_EQ(executor.parallel_for(0, n, body), 0);
  return runs;
}

TEST(Executor, RunsEachIterationOnce) {
  SerialExecutor serial;
  PoolExecutor two(2), five(5);
  for (Executor *executor : {static_cast<Executor *>(&serial), static_cast<Executor *>(&two), static_cast<Executor *>(&five)}) {
    for (const std::int64_t n : {0, 1, 2, 3, 7, 8, 9, 19, 20, 21, 1000})
      EXPECT_EQ(runs_of(*executor, n), std::vector<int>(static_cast<std::size_t>(n), 1)) << n;
  }
}

TEST(Executor, ManySmallLoopsInARow) {
  PoolExecutor pool(3);
  std::int64_t total = 0;
  std::vector<std::int64_t> parts(16);
  for (int round = 0; round < 20000; ++round) {
    const auto body = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) parts[static_cast<std::size_t>(i)] += i;
      return std::int32_t{0};
    };
    ASSERT_EQ(pool.parallel_for(0, 16, body), 0);
  }
  for (const std::int64_t part : parts) total += part;
  EXPECT_EQ(total, 20000 * 120);
}

TEST(Executor, WakesAfterSleeping) {
  PoolExecutor pool(2);
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_EQ(runs_of(pool, 100), std::vector<int>(100, 1));
  }
}

TEST(Executor, SeveralThreadsTakePart) {
  PoolExecutor pool(2);
  std::atomic<int> present{0};
  const auto body = [&](std::int64_t, std::int64_t) {
    present.fetch_add(1);
    while (present.load() < 2) std::this_thread::yield();
    return std::int32_t{0};
  };
  EXPECT_EQ(pool.parallel_for(0, 2, body), 0) << "the two iterations wait for each other";
}

TEST(Executor, HandlesRangesAtTheEndsOfTheType) {
  PoolExecutor pool(2);
  const std::int64_t least = std::numeric_limits<std::int64_t>::min(), greatest = std::numeric_limits<std::int64_t>::max();
  std::atomic<std::uint64_t> iterations{0};
  const auto body = [&](std::int64_t begin, std::int64_t end) {
    iterations += static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin);
    return std::int32_t{0};
  };
  EXPECT_EQ(pool.parallel_for(least, greatest, body), 0);
  EXPECT_EQ(iterations.load(), UINT64_MAX);
  iterations = 0;
  EXPECT_EQ(pool.parallel_for(greatest - 3, greatest, body), 0);
  EXPECT_EQ(iterations.load(), 3u);
  EXPECT_EQ(pool.parallel_for(5, -5, body), 0);
  EXPECT_EQ(iterations.load(), 3u);
}

TEST(Executor, AFailureStopsTheLoop) {
  PoolExecutor pool(3);
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> calls{0};
    const auto body = [&](std::int64_t begin, std::int64_t) {
      ++calls;
      return begin == 0 ? std::int32_t{41} : std::int32_t{0};
    };
    ASSERT_EQ(pool.parallel_for(0, 1000, body), 41);
    ASSERT_LE(calls.load(), 12);
    ASSERT_EQ(runs_of(pool, 50), std::vector<int>(50, 1)) << "the pool works on after a failure";
  }
}

TEST(Executor, OneOfSeveralFailuresIsReturned) {
  PoolExecutor pool(3);
  const auto body = [](std::int64_t begin, std::int64_t) { return static_cast<std::int32_t>(begin + 1); };
  for (int round = 0; round < 100; ++round) {
    const std::int32_t status = pool.parallel_for(0, 12, body);
    ASSERT_GE(status, 1);
    ASSERT_LE(status, 12);
  }
}

TEST(Executor, LoopsInsideLoopsStayOnTheirThread) {
  PoolExecutor pool(3);
  std::vector<int> runs(30 * 40);
  const auto outer = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::thread::id here = std::this_thread::get_id();
      const auto inner = [&](std::int64_t first, std::int64_t last) {
        EXPECT_EQ(std::this_thread::get_id(), here);
        for (std::int64_t j = first; j < last; ++j) ++runs[static_cast<std::size_t>(i * 40 + j)];
        return std::int32_t{0};
      };
      if (const std::int32_t status = pool.parallel_for(0, 40, inner)) return status;
    }
    return std::int32_t{0};
  };
  EXPECT_EQ(pool.parallel_for(0, 30, outer), 0);
  EXPECT_EQ(runs, std::vector<int>(30 * 40, 1));
}

TEST(Executor, ServesSeveralCallersAtOnce) {
  PoolExecutor pool(3);
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 8; ++caller) {
    callers.emplace_back([&pool] {
      for (int round = 0; round < 500; ++round) ASSERT_EQ(runs_of(pool, 37), std::vector<int>(37, 1));
    });
  }
  for (std::thread &caller : callers) caller.join();
}

TEST(Executor, PoolsComeAndGo) {
  for (int round = 0; round < 50; ++round) {
    PoolExecutor pool(4);
    if (round % 2 == 0) {
      EXPECT_EQ(runs_of(pool, 9), std::vector<int>(9, 1));
    }
  }
}

struct Sum {
  std::atomic<std::int64_t> value{0};
};

/// A compiled function, as the JIT would make one: adds its iterations up in scratch memory, then into slot 0.
std::int32_t sum_iterations(const Args *args, const Runtime *runtime) {
  auto &sum = *static_cast<Sum *>(args->slots[0].pointer);
  auto *partial = static_cast<std::int64_t *>(runtime->scratch_acquire(runtime, sizeof(std::int64_t)));
  if (partial == nullptr) return status_out_of_scratch;
  *partial = 0;
  for (std::int64_t i = args->begin; i < args->end; ++i) *partial += i;
  sum.value += *partial;
  runtime->scratch_release(runtime, partial);
  return args->slots[1].integer != 0 && args->begin <= 500 && 500 < args->end ? 7 : 0;
}

TEST(Executor, CompiledCodeUsesTheTable) {
  PoolExecutor pool(4);
  const Runtime &runtime = pool.runtime();
  EXPECT_EQ(runtime.version, 1u);
  EXPECT_EQ(runtime.size, sizeof(Runtime));
  Sum sum;
  Slot slots[2] = {{.pointer = &sum}, {.integer = 0}};
  EXPECT_EQ(runtime.parallel_for(&runtime, 10, 1000, &sum_iterations, slots), 0);
  EXPECT_EQ(sum.value.load(), 999 * 1000 / 2 - 45);
  slots[1].integer = 1;
  EXPECT_EQ(runtime.parallel_for(&runtime, 10, 1000, &sum_iterations, slots), 7);
}

class Throwing final : public Executor {
 public:
  int thread_count() const override { return 2; }

 private:
  std::int32_t run(std::int64_t, std::int64_t, LoopBody) override { throw std::runtime_error("no threads today"); }
};

TEST(Executor, ExceptionsDoNotReachCompiledCode) {
  Throwing executor;
  Slot slots[1] = {{.integer = 0}};
  EXPECT_EQ(executor.runtime().parallel_for(&executor.runtime(), 0, 10, &sum_iterations, slots), status_callback_failed);
}

TEST(Executor, TheDefaultOneIsOne) {
  EXPECT_EQ(&default_executor(), &default_executor());
  EXPECT_GE(default_executor().thread_count(), 1);
  EXPECT_EQ(runs_of(default_executor(), 100), std::vector<int>(100, 1));
}

}  // namespace
}  // namespace lathe
