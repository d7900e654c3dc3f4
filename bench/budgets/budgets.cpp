// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// `./run bench budgets`: what compiling, the JIT, lowering and a call cost, beside what they may cost.
///
///     lathe_budgets [--json FILE]
///
/// Times are medians of several runs. Two are shown: processor time, which is what the work takes and what is held against the
/// budget, and the time that passed, which on a machine with other work is longer. Since machines differ, and one machine from
/// hour to hour, budgets are shares of what a yardstick takes in the same run: bare std headers for the compiler, Halide 14 for
/// the JIT and for calls, a chain a tenth as long for lowering, which is to be linear. Without Halide (Debian's libhalide14-0-dev
/// when this was built) they are the seconds of the machine on which the shares were chosen. Compilers run as child processes;
/// the first JIT is measured in fresh processes, after one has run so that the libraries are in the page cache. Exit status 1 if
/// a budget is not held.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <lathe/jit.hpp>
#include <lathe/lathe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "budgets/chains.hpp"
#include "budgets/cost.hpp"

namespace {

using namespace lathe;
using budgets::Cost, budgets::median, budgets::median_of;

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
  return budgets::median_of_calls(9, calls, [&] {
    for (int call = 0; call < calls; ++call) kernel(x, y, z);
  });
}

struct Row {
  std::string what;
  Cost value;
  double budget;
  const char *unit;
  std::optional<double> yardstick = {};  ///< what `budget` is a share of, in the same unit

  bool is_held() const { return value.processor <= budget; }
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

/// Costs that a process prints, one a line.
std::vector<Cost> costs_printed_by(const std::string &command) {
  std::vector<Cost> costs;
  FILE *child = popen(command.c_str(), "r");
  if (!child) std::exit(2);
  for (Cost cost{}; std::fscanf(child, "%lf %lf", &cost.processor, &cost.passed) == 2;) costs.push_back(cost);
  if (pclose(child) != 0 || costs.empty()) std::exit(2);
  return costs;
}

/// The first cost that fresh processes print.
Cost first_cost_of(const std::string &command) {
  std::vector<Cost> firsts;
  for (int run = 0; run < 6; ++run) {
    const Cost cost = costs_printed_by(command).front();
    if (run > 0) firsts.push_back(cost);
  }
  return median(firsts);
}

/// What the JIT is measured at, in the order in which Halide's costs are printed too.
struct Task {
  const char *what;
  const char *unit;
  double units_a_second;
  double share_of_halide;
  double budget_without_halide;
};
constexpr Task tasks[] = {
    {"first JIT in a process: vector add (1/18 of Halide 14)", "ms", 1e3, 1.0 / 18, 20},
    {"next JIT: vector add (3/19)", "ms", 1e3, 3.0 / 19, 3},
    {"JIT of the scheduled depthwise convolution (1/5)", "ms", 1e3, 1.0 / 5, 13},
    {"JIT of the tiled sgemm (1/4)", "ms", 1e3, 1.0 / 4, 8},
    {"call with ready arguments, all checks (1/4)", "ns", 1e9, 1.0 / 4, 20},
};

std::vector<Cost> costs_of_lathe(const char *self) {
  const Cost first = first_cost_of(std::string(self) + " --first-jit");
  jit_vector_add();
  return {first, median_of(15, jit_vector_add), median_of(9, jit_depthwise), median_of(9, jit_sgemm), call_overhead()};
}

/// Empty without Halide.
std::vector<Cost> costs_of_halide() {
#ifdef LATHE_HALIDE_COSTS
  std::vector<Cost> costs = costs_printed_by(LATHE_HALIDE_COSTS);
  costs.front() = first_cost_of(LATHE_HALIDE_COSTS " first");
  return costs;
#else
  return {};
#endif
}

std::vector<Row> rows_of_compilers() {
  std::vector<Row> rows;
  char folder[] = "/tmp/lathe_budgets_XXXXXX";
  if (!mkdtemp(folder)) std::exit(2);
  const Compilations compile(folder);
  const auto against_bare = [&](const std::string &what, const char *level, const std::string &flags, double times) {
    const double bare = compile.time("bare.cpp", level).processor;
    rows.push_back({what, compile.time("user.cpp", level + flags), times * bare, "s", bare});
  };
  against_bare("compile against lathe::compiled, -O0 (3 times bare headers)", "-O0", " -DLATHE_COMPILED", 3);
  against_bare("compile against lathe::compiled, -O2 (3 times)", "-O2", " -DLATHE_COMPILED", 3);
  against_bare("compile header-only, -O0 (20 times)", "-O0", "", 20);
  std::system(("rm -r " + std::string(folder)).c_str());
  return rows;
}

std::vector<Row> rows_of_jit(const char *self) {
  std::vector<Row> rows;
  const std::vector<Cost> own = costs_of_lathe(self), halide = costs_of_halide();
  for (std::size_t i = 0; i < std::size(tasks); ++i) {
    const Task &task = tasks[i];
    const auto in_units = [&](double seconds) { return seconds * task.units_a_second; };
    Row row{task.what, {in_units(own[i].processor), in_units(own[i].passed)}, task.budget_without_halide, task.unit};
    if (!halide.empty()) {
      row.yardstick = in_units(halide[i].processor);
      row.budget = task.share_of_halide * *row.yardstick;
    }
    rows.push_back(row);
  }
  return rows;
}

/// Microseconds a stage of chains, each against one of a tenth of its stages.
std::vector<Row> rows_of_lowering() {
  std::vector<Row> rows;
  for (const budgets::Placement placement : {budgets::Placement::root, budgets::Placement::at}) {
    const bool root = placement == budgets::Placement::root;
    Cost before = budgets::lowering_of_chain(10, placement);
    for (const int stages : {100, 1000}) {
      const Cost cost = budgets::lowering_of_chain(stages, placement);
      rows.push_back({"lowering " + std::to_string(stages) + " stages " + (root ? "at root" : "in a loop") +
                          ", a stage (1.5 of " + std::to_string(stages / 10) + ")",
                      {cost.processor * 1e6, cost.passed * 1e6},
                      1.5 * before.processor * 1e6,
                      "us",
                      before.processor * 1e6});
      before = cost;
    }
  }
  return rows;
}

void write_json(const std::string &path, const std::vector<Row> &rows) {
  std::ofstream file(path);
  file << "[\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row &row = rows[i];
    file << "  {\"what\": \"" << row.what << "\", \"value\": " << row.value.processor << ", \"passed\": " << row.value.passed;
    if (row.yardstick) file << ", \"yardstick\": " << *row.yardstick;
    file << ", \"budget\": " << row.budget << ", \"unit\": \"" << row.unit << "\"}" << (i + 1 < rows.size() ? "," : "") << "\n";
  }
  file << "]\n";
}

void print(const std::vector<Row> &rows) {
  std::printf("%-60s %10s %10s %10s %10s\n", "what", "passed", "measured", "yardstick", "budget");
  for (const Row &row : rows) {
    const auto cell = [&](double value) {
      char text[32];
      std::snprintf(text, sizeof text, "%.2f %s", value, row.unit);
      return std::string(text);
    };
    std::printf("%-60s %10s %10s %10s %10s%s\n", row.what.c_str(), cell(row.value.passed).c_str(),
                cell(row.value.processor).c_str(), row.yardstick ? cell(*row.yardstick).c_str() : "", cell(row.budget).c_str(),
                row.is_held() ? "" : "   over");
  }
}

}  // namespace

int main(int argc, char **argv) {
  if (argc > 1 && std::strcmp(argv[1], "--first-jit") == 0) {
    const Cost cost = median_of(1, jit_vector_add);
    std::printf("%.9g %.9g\n", cost.processor, cost.passed);
    return 0;
  }
  std::vector<Row> rows = rows_of_compilers();
  for (Row &row : rows_of_jit(argv[0])) rows.push_back(std::move(row));
  for (Row &row : rows_of_lowering()) rows.push_back(std::move(row));
  print(rows);
  if (argc > 2 && std::strcmp(argv[1], "--json") == 0) write_json(argv[2], rows);
  return std::all_of(rows.begin(), rows.end(), [](const Row &row) { return row.is_held(); }) ? 0 : 1;
}
