// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
///     lathe_bench [FILTER] [--threads N] [--json FILE] [--repetitions N]
///
/// Times every implementation of the workloads whose name contains FILTER. Google Benchmark runs the repetitions of all of them
/// in random order, together with the probes of this machine's limits, so that a disturbance hits everything alike; medians are
/// reported. The roofline of a workload is the lesser of the measured peak and of its operations at the rate at which its own
/// arrays are read and written once. Exits with 1 when a result is wrong.

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "cases.hpp"
#include "probes/probes.hpp"
#include "report.hpp"

namespace {

constexpr double wrong = 1e-4;               // a relative error that rounding in float32 does not reach on these workloads
constexpr std::int64_t fma_rounds = 200000;  // about a millisecond
constexpr int stream_counts[] = {1, 4, 8};

struct Options {
  std::string filter, json;
  int threads = 1, repetitions = 11;
};

Options parse(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.rfind("--", 0) != 0) {
      options.filter = argument;
    } else if (i + 1 < argc && argument == "--threads") {
      options.threads = std::atoi(argv[++i]);
    } else if (i + 1 < argc && argument == "--json") {
      options.json = argv[++i];
    } else if (i + 1 < argc && argument == "--repetitions") {
      options.repetitions = std::atoi(argv[++i]);
    } else {
      std::cerr << "usage: bench [FILTER] [--threads N] [--json FILE] [--repetitions N]\n";
      std::exit(2);
    }
  }
  if (options.threads < 1 || options.repetitions < 1) {
    std::cerr << "bench: --threads and --repetitions take a positive number\n";
    std::exit(2);
  }
  return options;
}

template <class F>
void time(const std::string &name, F run) {
  benchmark::RegisterBenchmark(name.c_str(), [run](benchmark::State &state) {
    for (auto _ : state) {
      run();
      benchmark::ClobberMemory();
    }
  })->UseRealTime();
}

// Registers reading `inputs` and writing `output` once, as the benchmarks `name` touch 1, 4 and 8.
void time_touch(const std::string &name, const bench::Memory &inputs, const bench::Memory &output, int threads) {
  for (const int streams : stream_counts)
    time(name + " touch " + std::to_string(streams), [&inputs, &output, threads, streams] {
      probes::touch(inputs.data(), inputs.size() * 4, output.data(), output.size() * 4, threads, streams);
    });
}

double touch_seconds(const bench::Medians &medians, const std::string &name) {
  double best = medians.seconds(name + " touch 1");
  for (const int streams : stream_counts) best = std::min(best, medians.seconds(name + " touch " + std::to_string(streams)));
  return best;
}

void measure(bench::Medians &medians, int repetitions) {
  std::string arguments[] = {"bench", "--benchmark_enable_random_interleaving=true", "--benchmark_min_time=0.02",
                             "--benchmark_repetitions=" + std::to_string(repetitions)};
  std::vector<char *> argv;
  for (std::string &argument : arguments) argv.push_back(argument.data());
  int argc = static_cast<int>(argv.size());
  benchmark::Initialize(&argc, argv.data());
  benchmark::RunSpecifiedBenchmarks(&medians);
  benchmark::Shutdown();
}

}  // namespace

int main(int argc, char **argv) {
  const Options options = parse(argc, argv);
  const int threads = options.threads;
  const std::vector<bench::Case> cases = bench::make_cases(options.filter, threads);
  if (cases.empty()) {
    std::cerr << "bench: no workload's name contains " << options.filter << "\n";
    return 2;
  }

  const bench::Memory stream_inputs(std::size_t{2} << 24), stream_output(std::size_t{1} << 24);  // 192 MiB together
  time("peak/fma", [threads] { probes::fma_rounds(fma_rounds, threads); });
  time_touch("peak/stream", stream_inputs, stream_output, threads);
  for (const bench::Case &made : cases) {
    time_touch(made.name, made.inputs, made.output, threads);
    for (const bench::Run &run : made.runs) time(made.name + " " + run.implementation, run.run);
  }
  bench::Medians medians;
  measure(medians, options.repetitions);

  const double fma_seconds = medians.seconds("peak/fma"), stream_seconds = touch_seconds(medians, "peak/stream");
  const double peak = probes::flops_per_round * fma_rounds * threads / fma_seconds * 1e-9;
  const double stream = 4.0 * static_cast<double>(stream_inputs.size() + stream_output.size()) / stream_seconds * 1e-9;
  std::vector<bench::Row> rows = {{"peak/fma", "probe", threads, fma_seconds, peak, 0, 100, 0, peak, stream},
                                  {"peak/stream", "probe", threads, stream_seconds, 0, stream, 100, 0, peak, stream}};
  int status = 0;
  for (const bench::Case &made : cases) {
    const double bandwidth = made.bytes() / touch_seconds(medians, made.name) * 1e-9;
    const double roofline = std::min(peak, bandwidth * made.flops / made.bytes());
    for (const bench::Run &run : made.runs) {
      const double seconds = medians.seconds(made.name + " " + run.implementation), gflops = made.flops / seconds * 1e-9;
      rows.push_back({made.name, run.implementation, threads, seconds, gflops, made.bytes() / seconds * 1e-9,
                      100 * gflops / roofline, run.max_error, peak, bandwidth});
      if (!(run.max_error < wrong)) {
        std::cerr << "bench: " << made.name << " by " << run.implementation << " is wrong, relative error " << run.max_error
                  << "\n";
        status = 1;
      }
    }
  }
  bench::print_table(std::cout, rows);
  if (!options.json.empty()) {
    std::ofstream file(options.json);
    bench::print_json(file, rows);
    if (!file) {
      std::cerr << "bench: cannot write " << options.json << "\n";
      return 2;
    }
  }
  return status;
}
