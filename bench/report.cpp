// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace bench {

void Medians::ReportRuns(const std::vector<benchmark::BenchmarkReporter::Run> &runs) {
  for (const auto &run : runs)
    if (run.run_type == benchmark::BenchmarkReporter::Run::RT_Iteration && run.iterations > 0)
      times_[run.run_name.function_name].push_back(run.real_accumulated_time / static_cast<double>(run.iterations));
}

double Medians::seconds(const std::string &name) const {
  std::vector<double> times = times_.at(name);
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

namespace {
template <class... Values>
std::string format(const char *pattern, Values... values) {
  char text[512];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}
}  // namespace

void print_table(std::ostream &out, const std::vector<Row> &rows) {
  std::string workload;
  double plain = 0;
  for (const Row &row : rows) {
    if (row.workload != workload) {
      workload = row.workload;
      plain = 0;
      if (row.implementation == "probe") {
        out << workload << ": " << (row.gflops > 0 ? format("%.1f GFLOP/s", row.gflops) : format("%.1f GB/s", row.gbs)) << "\n";
        continue;
      }
      out << format("\n%s, %d thread%s; at most %.1f GFLOP/s, and %.1f GB/s on these arrays\n", workload.c_str(), row.threads,
                    row.threads == 1 ? "" : "s", row.peak_gflops, row.peak_gbs)
          << format("  %-10s %12s %10s %8s %10s %8s %10s\n", "", "median us", "GFLOP/s", "GB/s", "% roofline", "x plain",
                    "max error");
    }
    if (row.implementation == "plain") plain = row.median_s;
    const std::string speed = plain > 0 ? format("%.2f", plain / row.median_s) : "-";
    out << format("  %-10s %12.1f %10.1f %8.1f %10.1f %8s %10.1e\n", row.implementation.c_str(), row.median_s * 1e6, row.gflops,
                  row.gbs, row.pct_roofline, speed.c_str(), row.max_error);
  }
}

void print_json(std::ostream &out, const std::vector<Row> &rows) {
  const auto number = [](double value) { return std::isfinite(value) ? format("%.9g", value) : std::string("null"); };
  out << "[\n";
  for (const Row &row : rows) {
    out << "  {\"workload\": \"" << row.workload << "\", \"implementation\": \"" << row.implementation
        << "\", \"threads\": " << row.threads << ", \"median_s\": " << number(row.median_s)
        << ", \"gflops\": " << number(row.gflops) << ", \"gbs\": " << number(row.gbs)
        << ", \"pct_roofline\": " << number(row.pct_roofline) << ", \"max_error\": " << number(row.max_error)
        << ", \"peak_gflops\": " << number(row.peak_gflops) << ", \"peak_gbs\": " << number(row.peak_gbs) << "}"
        << (&row == &rows.back() ? "\n" : ",\n");
  }
  out << "]\n";
}

}  // namespace bench
