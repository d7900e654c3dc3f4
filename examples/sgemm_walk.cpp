// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A matrix product from three plain loops to a tuned kernel, one scheduling step after the other.
///
///     sgemm_walk [n]        C[n, n] = A[n, n] * B[n, n], float32; n is 1024 by default
///
/// After each step the program prints the loops, the innermost loop that does the work as assembly, time, GFLOP/s, and per cent
/// of the peak of multiply-adds, which is measured beside each step on one thread, times the threads. Every result is compared
/// with a product computed in double; exits with 1 if one is wrong. docs/sgemm.md explains what is printed.

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <lathe/jit.hpp>
#include <lathe/lathe.hpp>
#include <lathe/runtime/llvm_jit.hpp>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "probes/probes.hpp"

using namespace lathe;

namespace {

/// The expression.
struct Product {
  std::int64_t n;
  Input<float, 2> A = placeholder<float>({n, n}, "A"), B = placeholder<float>({n, n}, "B");
  ReduceAxis k = reduce_axis(n, "k");
  Tensor<float, 2> C = compute({n, n}, [&](Index i, Index j) { return sum(A(i, k) * B(k, j), k); }, "C(i, j)");
};

/// The steps in their order; each includes those before it.
enum class Step { naive, tile, vectorize, registers, unroll, panels, reorder, parallel };
constexpr const char *titles[] = {"no schedule",
                                  "tile: rows x columns of C at a time, k outside of them",
                                  "vectorize: the columns are lanes",
                                  "cache_write: the tile is summed up in memory of its own",
                                  "unroll: that memory becomes registers",
                                  "cache_read: a panel of B is copied to lie in one piece",
                                  "reorder: a panel serves all rows before the next is copied",
                                  "parallel: panels are shared among threads"};

/// Sizes of tiles. Vector registers hold rows x vectors sums, a row of B, and one element of A: 6 x 4 + 4 + 1 of 32 under
/// AVX-512, 4 x 2 + 2 + 1 of 16 otherwise.
struct Sizes {
  int lanes = std::max(Target::host().lanes(32), 4);
  int rows = lanes == 16 ? 6 : 4, columns = (lanes == 16 ? 4 : 2) * lanes;
};

/// The schedule up to `last`.
Schedule scheduled(const Product &p, Step last, const Sizes &size = {}) {
  Schedule s(p.C);
  if (last < Step::tile) return s;
  // From cache_write on, the sums are a stage of their own, computed for a tile of C at a time.
  const bool registers = last >= Step::registers;
  const Tensor<float, 2> sums = registers ? s.cache_write(p.C, scope::local) : p.C;

  auto [i, j] = s[p.C].axes();
  auto [io, jo, ii, ji] = s[p.C].tile(i, j, size.rows, size.columns);
  if (!registers) s[p.C].reorder(p.k, ii, ji);
  if (last == Step::vectorize) s[p.C].vectorize(s[p.C].split(ji, size.lanes).second);
  if (!registers) return s;

  auto [vector, lane] = s[p.C].split(ji, size.lanes);
  s[p.C].vectorize(lane);
  s[sums].compute_at(s[p.C], jo);
  auto [si, sj] = s[sums].axes();
  auto [sum_vector, sum_lane] = s[sums].split(sj, size.lanes);
  s[sums].reorder(p.k, si, sum_vector, sum_lane);
  s[sums].vectorize(sum_lane);
  if (last < Step::unroll) return s;

  for (const auto &axis : {ii, vector}) s[p.C].unroll(axis);
  for (const auto &axis : {si, sum_vector}) s[sums].unroll(axis);
  if (last < Step::panels) return s;

  const Tensor<float, 2> panel = s.cache_read(p.B, scope::global, sums);
  s[panel].compute_at(s[p.C], jo);
  auto [panel_vector, panel_lane] = s[panel].split(s[panel].axis(1), size.lanes);
  s[panel].unroll(panel_vector);
  s[panel].vectorize(panel_lane);
  if (last < Step::reorder) return s;

  s[p.C].reorder(jo, io);
  s[sums].compute_at(s[p.C], io);
  if (last < Step::parallel) return s;

  s[p.C].parallel(jo);
  return s;
}

// ---- assembly
// ------------------------------------------------------------------------------------------------------------------

/// Multiplications and multiply-adds of floats, on x86-64 and aarch64.
bool multiplies(const std::string &instruction) {
  for (const char *name : {"fmadd", "fmla", "fmul", "mulps", "mulss"})
    if (instruction.find(name) != std::string::npos) return true;
  return false;
}

/// The innermost loop with most multiplications, and of those the shortest: from its label to the jump back.
std::string hottest_loop(const std::string &assembly) {
  std::vector<std::string> lines;
  std::istringstream text(assembly);
  for (std::string line; std::getline(text, line);) lines.push_back(line);

  std::map<std::string, std::size_t> labels;  // that were passed already: a jump to one goes back
  std::size_t innermost_from = 0;             // no loop that starts before this line is innermost
  std::pair<std::size_t, std::size_t> best{0, 0};
  std::size_t most = 0;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const std::string &line = lines[at];
    if (const std::size_t colon = line.find(':'); !line.empty() && line[0] == '.' && colon != std::string::npos) {
      labels[line.substr(0, colon)] = at;
      continue;
    }
    const std::size_t operand = line.find_last_of(" \t,");
    const auto target = operand == std::string::npos ? labels.end() : labels.find(line.substr(operand + 1));
    if (target == labels.end() || target->second < innermost_from) continue;
    innermost_from = target->second + 1;
    const auto count = static_cast<std::size_t>(std::count_if(lines.begin() + static_cast<std::ptrdiff_t>(target->second),
                                                              lines.begin() + static_cast<std::ptrdiff_t>(at), multiplies));
    if (count > most || (count == most && count > 0 && at - target->second < best.second - best.first)) {
      most = count;
      best = {target->second, at};
    }
  }
  std::string result;
  for (std::size_t at = best.first; most > 0 && at <= best.second; ++at)
    if (lines[at].find(".p2align") == std::string::npos) result += lines[at] + "\n";
  return result;
}

// ---- measuring
// -----------------------------------------------------------------------------------------------------------------

/// Seconds on a clock: the processor's, which stands still while other programs run, for one thread; that on the wall for more.
double now(int threads) {
  timespec time{};
  clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Seconds of the fastest of several calls, for about two seconds.
double fastest(int threads, const std::function<void()> &run) {
  double best = 0, spent = 0;
  for (int call = 0; call < 100 && (call < 2 || spent < 2); ++call) {
    const double start = now(threads);
    run();
    const double time = now(threads) - start;
    best = call == 0 ? time : std::min(best, time);
    spent += time;
  }
  return best;
}

/// In double, from the definition.
std::vector<double> product(const Array<float, 2> &a, const Array<float, 2> &b, std::int64_t n) {
  std::vector<double> c(static_cast<std::size_t>(n * n));
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t k = 0; k < n; ++k)
      for (std::int64_t j = 0; j < n; ++j)
        c[static_cast<std::size_t>(i * n + j)] += static_cast<double>(a(i, k)) * static_cast<double>(b(k, j));
  return c;
}

/// The largest difference from `expected`, as a part of the largest magnitude there.
double error_of(const Array<float, 2> &c, const std::vector<double> &expected) {
  double worst = 0, scale = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double difference = std::abs(static_cast<double>(c.data()[i]) - expected[i]);
    worst = std::isnan(difference) ? INFINITY : std::max(worst, difference);
    scale = std::max(scale, std::abs(expected[i]));
  }
  return worst / scale;
}

}  // namespace

int main(int argc, char **argv) try {
  const std::int64_t n = argc > 1 ? std::atoll(argv[1]) : 1024;
  if (n < 1) {
    std::fprintf(stderr, "usage: sgemm_walk [n]\n");
    return 2;
  }
  const auto element = [](std::int64_t i, std::int64_t j) { return static_cast<float>((i * 31 + j * 17) % 64 - 32) / 32; };
  const auto a = Array<float, 2>::generate({n, n}, element);
  const auto b = Array<float, 2>::generate({n, n}, [&](std::int64_t i, std::int64_t j) { return element(j + 7, i); });
  const std::vector<double> expected = product(a, b, n);

  const Product p{n};
  SerialExecutor serial;
  bool good = true;
  for (const Step step :
       {Step::naive, Step::tile, Step::vectorize, Step::registers, Step::unroll, Step::panels, Step::reorder, Step::parallel}) {
    const int number = static_cast<int>(step);
    const int threads = step == Step::parallel ? default_executor().thread_count() : 1;
    const Schedule s = scheduled(p, step);
    Executor *const executor = threads == 1 ? static_cast<Executor *>(&serial) : &default_executor();
    const Options options{.name = "sgemm", .executor = executor};
    auto kernel = jit(s, options, p.A, p.B, p.C);
    Array<float, 2> c({n, n});
    c.fill(NAN);
    kernel(a, b, c);
    const double error = error_of(c, expected);
    good = good && error < 1e-5;

    const double before = probes::peak_gflops(1), time = fastest(threads, [&] { kernel(a, b, c); });
    const double peak = threads * std::max(before, probes::peak_gflops(1));
    const double gflops = 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n) / time * 1e-9;
    std::printf("==== %d. %s\n\n%s\n%s\n", number, titles[number], print(s, p.A, p.B, p.C).c_str(),
                hottest_loop(compile_assembly(emit_llvm(s, options, p.A, p.B, p.C), options.target)).c_str());
    std::printf("%d thread%s: %.2f ms, %.1f GFLOP/s, %.1f %% of the peak of %.0f; error %.1e%s\n\n", threads,
                threads == 1 ? "" : "s", time * 1e3, gflops, 100 * gflops / peak, peak, error, error < 1e-5 ? "" : "  WRONG");
    std::fflush(stdout);
  }
  return good ? 0 : 1;
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
