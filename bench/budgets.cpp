// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// `./run bench budgets`: what compiling, the JIT and a call cost, beside what they may cost.
///
///     lathe_budgets [--json FILE]
///
/// Times are medians of several runs. Two are shown: processor time, which is what the work takes and what is held against the
/// budget, and the time that passed, which on a machine with other work is longer. Compilers run as child processes; the first
/// JIT is measured in a fresh process, after one process has run so that the libraries are in the page cache. Exit status 1 if a
/// budget is not held.

#include <sys/resource.h>
#include <time.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <lathe/jit.hpp>
#include <lathe/lathe.hpp>
#include <string>
#include <vector>

namespace {

using namespace lathe;
using Clock = std::chrono::steady_clock;

/// Seconds: of the processors that this process and its children had, and that passed.
struct Cost {
  double processor, passed;
};

double seconds_of(const timeval &time) { return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6; }

/// Since the process began.
Cost now() {
  timespec own{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
  rusage children{};
  getrusage(RUSAGE_CHILDREN, &children);
  return {static_cast<double>(own.tv_sec) + static_cast<double>(own.tv_nsec) * 1e-9 + seconds_of(children.ru_utime) +
              seconds_of(children.ru_stime),
          std::chrono::duration<double>(Clock::now().time_since_epoch()).count()};
}

Cost since(const Cost &start) {
  const Cost end = now();
  return {end.processor - start.processor, end.passed - start.passed};
}

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

Cost median(const std::vector<Cost> &costs) {
  std::vector<double> processor, passed;
  for (const Cost &cost : costs) processor.push_back(cost.processor), passed.push_back(cost.passed);
  return {median(std::move(processor)), median(std::move(passed))};
}

Cost median_of(int runs, const std::function<void()> &run) {
  std::vector<Cost> costs;
  for (int i = 0; i < runs; ++i) {
    const Cost start = now();
    run();
    costs.push_back(since(start));
  }
  return median(costs);
}

/// Makes a kernel from expression to function pointer, everything included.
void jit_vector_add() {
  constexpr std::int64_t n = 1024;
  auto a = placeholder<float>({n}, "a"), b = placeholder<float>({n}, "b");
  auto c = compute({n}, [&](Index i) { return a(i) + b(i); }, "c");
  Schedule s(c);
  auto [i] = s[c].axes();
  auto [io, ii] = s[c].split(i, 16);
  s[c].vectorize(ii);
  auto kernel = jit(s, a, b, c);
  Array<float, 1> x({n}), y({n}), z({n});
  kernel(x, y, z);
}

void jit_depthwise() {
  constexpr std::int64_t C = 32, H = 112, W = 112, width = 16, rows = 4;
  auto input = placeholder<float>({1, C, H, W}, "input"), filter = placeholder<float>({C, 1, 3, 3}, "filter");
  auto padded = compute(
      {1, C, H + 2, W + 2},
      [&](Index n, Index c, Index y, Index x) {
        return if_then_else(y >= 1 && y < H + 1 && x >= 1 && x < W + 1, input(n, c, y - 1, x - 1), 0.0f);
      },
      "padded");
  auto ky = reduce_axis(3, "ky"), kx = reduce_axis(3, "kx");
  auto conv = compute(
      {1, C, H, W},
      [&](Index n, Index c, Index y, Index x) { return sum(padded(n, c, y + ky, x + kx) * filter(c, 0, ky, kx), ky, kx); },
      "conv");
  Schedule s(conv);
  auto sums = s.cache_write(conv, scope::local);
  auto [n, c, y, x] = s[conv].axes();
  auto [yo, xo, yi, xi] = s[conv].tile(y, x, rows, width);
  s[conv].unroll(yi);
  s[conv].vectorize(xi);
  s[sums].compute_at(s[conv], xo);
  auto [sn, sc, sy, sx] = s[sums].axes();
  s[sums].reorder(ky, kx, sy, sx);
  s[sums].unroll(ky);
  s[sums].unroll(kx);
  s[sums].unroll(sy);
  s[sums].vectorize(sx);
  s[padded].compute_at(s[conv], c);
  jit(s, input, filter, conv);
}

void jit_sgemm() {
  constexpr std::int64_t n = 1024, width = 16, rows = 4, columns = 64;
  auto A = placeholder<float>({n, n}, "A"), B = placeholder<float>({n, n}, "B");
  auto k = reduce_axis(n, "k");
  auto C = compute({n, n}, [&](Index i, Index j) { return sum(A(i, k) * B(k, j), k); }, "C");
  Schedule s(C);
  auto sums = s.cache_write(C, scope::local);
  auto [i, j] = s[C].axes();
  auto [io, jo, ii, ji] = s[C].tile(i, j, rows, columns);
  auto [jv, jl] = s[C].split(ji, width);
  s[C].unroll(ii);
  s[C].unroll(jv);
  s[C].vectorize(jl);
  s[sums].compute_at(s[C], jo);
  auto [si, sj] = s[sums].axes();
  auto [sv, sl] = s[sums].split(sj, width);
  s[sums].reorder(k, si, sv, sl);
  s[sums].unroll(si);
  s[sums].unroll(sv);
  s[sums].vectorize(sl);
  jit(s, A, B, C);
}

/// A call with ready arguments of a kernel that does next to nothing, in seconds.
Cost call_overhead() {
  auto a = placeholder<float>({1}, "a"), b = placeholder<float>({1}, "b");
  auto c = compute({1}, [&](Index i) { return a(i) + b(i); }, "c");
  Schedule s(c);
  auto kernel = jit(s, a, b, c);
  Array<float, 1> x({1}), y({1}), z({1});
  constexpr int calls = 100000;
  const Cost cost = median_of(9, [&] {
    for (int call = 0; call < calls; ++call) kernel(x, y, z);
  });
  return {cost.processor / calls, cost.passed / calls};
}

struct Row {
  std::string what;
  Cost value;
  double budget;
  const char *unit;
};

class Compilations {
 public:
  explicit Compilations(std::string folder) : folder_(std::move(folder)) {
    write("bare.cpp",
          "#include <algorithm>\n#include <memory>\n#include <string>\n#include <unordered_map>\n#include <variant>\n#include "
          "<vector>\n"
          "int main() { std::vector<std::string> v{\"a\"}; return static_cast<int>(v.size()) - 1; }\n");
    write("user.cpp",
          "#include <lathe/jit.hpp>\n#include <lathe/lathe.hpp>\nusing namespace lathe;\n"
          "int main() {\n  auto a = placeholder<float>({64}, \"a\"), b = placeholder<float>({64}, \"b\");\n"
          "  auto c = compute({64}, [&](Index i) { return a(i) + b(i); }, \"c\");\n  Schedule s(c);\n"
          "  s[c].vectorize(s[c].split(s[c].axis(0), 16).second);\n  auto kernel = jit(s, a, b, c);\n"
          "  Array<float, 1> x({64}), y({64}), z({64});\n  kernel(x, y, z);\n}\n");
  }

  /// Seconds that the compiler takes.
  Cost time(const std::string &file, const std::string &flags, int runs = 3) const {
    const std::string command = std::string(LATHE_CXX) + " -std=c++20 -I" LATHE_INCLUDE_DIR " " + flags + " -c " + folder_ + "/" +
                                file + " -o " + folder_ + "/out.o";
    return median_of(runs, [&] {
      if (std::system(command.c_str()) != 0) std::exit(2);
    });
  }

 private:
  void write(const char *name, const char *text) const { std::ofstream(folder_ + "/" + name) << text; }
  std::string folder_;
};

std::vector<Row> measure(const char *self) {
  std::vector<Row> rows;
  char folder[] = "/tmp/lathe_budgets_XXXXXX";
  if (!mkdtemp(folder)) std::exit(2);
  const Compilations compile(folder);
  const auto against = [&](const char *level) {
    const Cost bare = compile.time("bare.cpp", level), user = compile.time("user.cpp", std::string(level) + " -DLATHE_COMPILED");
    return Cost{user.processor / bare.processor, user.passed / bare.passed};
  };
  rows.push_back({"compile against lathe::compiled, -O0, times bare std headers", against("-O0"), 3, "x"});
  rows.push_back({"compile against lathe::compiled, -O2, times bare std headers", against("-O2"), 3, "x"});
  rows.push_back({"compile header-only, -O0", compile.time("user.cpp", "-O0"), 10, "s"});
  std::system(("rm -r " + std::string(folder)).c_str());

  const std::string first = std::string(self) + " --first-jit";
  std::vector<Cost> firsts;
  for (int run = 0; run < 6; ++run) {
    FILE *child = popen(first.c_str(), "r");
    Cost cost{};
    if (!child || std::fscanf(child, "%lf %lf", &cost.processor, &cost.passed) != 2) std::exit(2);
    pclose(child);
    if (run > 0) firsts.push_back(cost);
  }
  const auto scaled = [](const Cost &cost, double factor) { return Cost{cost.processor * factor, cost.passed * factor}; };
  rows.push_back({"first JIT in a process: vector add", scaled(median(firsts), 1e3), 20, "ms"});
  jit_vector_add();
  rows.push_back({"next JIT: vector add", scaled(median_of(15, jit_vector_add), 1e3), 3, "ms"});
  rows.push_back(
      {"JIT of the scheduled depthwise convolution (a fifth of Halide 14)", scaled(median_of(9, jit_depthwise), 1e3), 13, "ms"});
  rows.push_back({"JIT of the tiled sgemm (a quarter of Halide 14)", scaled(median_of(9, jit_sgemm), 1e3), 8, "ms"});
  rows.push_back({"call with ready arguments, all checks", scaled(call_overhead(), 1e9), 20, "ns"});
  return rows;
}

void write_json(const std::string &path, const std::vector<Row> &rows) {
  std::ofstream file(path);
  file << "[\n";
  for (std::size_t i = 0; i < rows.size(); ++i)
    file << "  {\"what\": \"" << rows[i].what << "\", \"value\": " << rows[i].value.processor
         << ", \"passed\": " << rows[i].value.passed << ", \"budget\": " << rows[i].budget << ", \"unit\": \"" << rows[i].unit
         << "\"}" << (i + 1 < rows.size() ? "," : "") << "\n";
  file << "]\n";
}

}  // namespace

int main(int argc, char **argv) {
  if (argc > 1 && std::strcmp(argv[1], "--first-jit") == 0) {
    const Cost start = now();
    jit_vector_add();
    const Cost cost = since(start);
    std::printf("%.6f %.6f\n", cost.processor, cost.passed);
    return 0;
  }
  const std::vector<Row> rows = measure(argv[0]);
  bool held = true;
  std::printf("%-68s %10s %10s %10s\n", "what", "passed", "measured", "budget");
  for (const Row &row : rows) {
    const bool good = row.value.processor <= row.budget;
    held &= good;
    std::printf("%-68s %7.2f %-2s %7.2f %-2s %7.2f %-2s %s\n", row.what.c_str(), row.value.passed, row.unit, row.value.processor,
                row.unit, row.budget, row.unit, good ? "" : "  over");
  }
  if (argc > 2 && std::strcmp(argv[1], "--json") == 0) write_json(argv[2], rows);
  return held ? 0 : 1;
}
