// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Collects the medians that Google Benchmark measures, and prints them as a table and as JSON.

#include <benchmark/benchmark.h>

#include <cstddef>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "cases.hpp"

namespace bench {

/// One line of the result. Rates are in 10^9 a second.
struct Row {
  std::string workload, implementation;
  int threads;
  double median_s, gflops, gbs, pct_roofline, max_error;
  double peak_gflops, peak_gbs;  ///< the two limits of the roofline of this workload in this run
};

/// Keeps the time of every repetition of every benchmark; prints nothing.
class Medians : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context &) override { return true; }
  void ReportRuns(const std::vector<benchmark::BenchmarkReporter::Run> &runs) override;

  /// Seconds of one run of the benchmark registered as `name`.
  double seconds(const std::string &name) const;

 private:
  std::map<std::string, std::vector<double>> times_;
};

void print_table(std::ostream &out, const std::vector<Row> &rows);
void print_json(std::ostream &out, const std::vector<Row> &rows);

}  // namespace bench
