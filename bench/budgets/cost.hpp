// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// What work costs, in processor time and in time that passes: medians of several runs.

#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>
#include <vector>

namespace budgets {

/// Seconds: of the processors that this process and its children had, and that passed.
struct Cost {
  double processor, passed;
};

inline double seconds_of(const timeval &time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

/// Since the process began.
inline Cost now() {
  timespec own{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
  rusage children{};
  getrusage(RUSAGE_CHILDREN, &children);
  return {static_cast<double>(own.tv_sec) + static_cast<double>(own.tv_nsec) * 1e-9 + seconds_of(children.ru_utime) +
              seconds_of(children.ru_stime),
          std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count()};
}

inline Cost since(const Cost &start) {
  const Cost end = now();
  return {end.processor - start.processor, end.passed - start.passed};
}

inline double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

inline Cost median(const std::vector<Cost> &costs) {
  std::vector<double> processor, passed;
  for (const Cost &cost : costs) processor.push_back(cost.processor), passed.push_back(cost.passed);
  return {median(std::move(processor)), median(std::move(passed))};
}

inline Cost median_of(int runs, const std::function<void()> &run) {
  std::vector<Cost> costs;
  for (int i = 0; i < runs; ++i) {
    const Cost start = now();
    run();
    costs.push_back(since(start));
  }
  return median(costs);
}

/// The cost of one of many calls, each too short to be measured alone.
inline Cost median_of_calls(int runs, int calls, const std::function<void()> &call_many) {
  const Cost cost = median_of(runs, call_many);
  return {cost.processor / calls, cost.passed / calls};
}

}  // namespace budgets
