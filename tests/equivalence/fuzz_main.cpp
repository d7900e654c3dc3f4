// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Random expressions under random schedules, on every back end, against the evaluator.
///
///     lathe_fuzz [N | --seconds S] [SEED] [--go-on] [--case CASE_SEED] [--no-shrink]
///
/// Prints a C++ program that reproduces the first mismatch, made as small as it could be, and exits with 1.

#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>

#include "equivalence/isolated.hpp"
#include "equivalence/print_cpp.hpp"

namespace {

using namespace equivalence;

struct Arguments {
  std::int64_t cases = 1000;
  double seconds = 0;
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> only;
  bool go_on = false, shrinks = true;
};

Arguments read_arguments(int count, char **words) {
  Arguments arguments;
  int positional = 0;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const char *next = i + 1 < count ? words[i + 1] : "";
    if (word == "--seconds")
      arguments.seconds = std::stod(next), ++i, positional = 1;
    else if (word == "--case")
      arguments.only = std::stoull(next), ++i;
    else if (word == "--go-on")
      arguments.go_on = true;
    else if (word == "--no-shrink")
      arguments.shrinks = false;
    else if (positional++ == 0)
      arguments.cases = std::stoll(word);
    else
      arguments.seed = std::stoull(word);
  }
  return arguments;
}

/// Prints a failing case, shrunk; false if it does not fail again.
void show(std::uint64_t seed, const Outcome &seen, bool shrinks) {
  std::printf("case %llu: %s\n%s\n", static_cast<unsigned long long>(seed), seen.kind.c_str(), seen.message.c_str());
  std::fflush(stdout);
  Tally tally;
  std::optional<Outcome> failure;
  Case tested = draw_case(seed, tally, failure);
  Outcome outcome = run_isolated(tested);
  if (outcome.verdict != Verdict::wrong) {
    std::printf("it does not fail again by itself\n");
    return;
  }
  if (shrinks) {
    tested = shrink_isolated(tested, outcome.kind);
    outcome = run_isolated(tested);
  }
  std::printf("\n---- smallest program found ----\n%s\n%s\n---- it says ----\n%s\n", outcome.kind.c_str(),
              to_cpp(tested, outcome).c_str(), outcome.message.c_str());
  std::fflush(stdout);
}

void add(Report &sum, const Report &part) {
  sum.cases += part.cases;
  sum.unusable += part.unusable;
  for (const auto &[name, count] : part.tally.made) sum.tally.made[name] += count;
  for (const auto &[name, count] : part.tally.refused) sum.tally.refused[name] += count;
  for (const auto &[name, count] : part.tally.targets) sum.tally.targets[name] += count;
  sum.failures.insert(sum.failures.end(), part.failures.begin(), part.failures.end());
}

void print_counts(const char *title, const std::map<std::string, std::int64_t> &counts) {
  std::printf("%s:", title);
  const char *between = " ";
  for (const auto &[name, count] : counts) {
    std::printf("%s%s %lld", between, name.c_str(), static_cast<long long>(count));
    between = "; ";
  }
  std::printf("\n");
}

int fuzz(const Arguments &arguments) {
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  Report sum;
  while (arguments.seconds > 0 ? elapsed() < arguments.seconds : sum.cases < arguments.cases) {
    const std::int64_t count = arguments.seconds > 0 ? 100 : std::min<std::int64_t>(200, arguments.cases - sum.cases);
    const Report part = run_cases(arguments.seed, sum.cases, count, arguments.go_on);
    add(sum, part);
    for (const auto &[seed, outcome] : part.failures)
      if (arguments.go_on)
        std::printf("case %llu: %s: %.300s\n", static_cast<unsigned long long>(seed), outcome.kind.c_str(),
                    outcome.message.c_str());
    std::fflush(stdout);
    if (!part.failures.empty() && !arguments.go_on) break;
  }
  std::printf("%lld cases in %.1f s (%.0f a second), %lld without a right result, %zu wrong\n", static_cast<long long>(sum.cases),
              elapsed(), static_cast<double>(sum.cases) / elapsed(), static_cast<long long>(sum.unusable), sum.failures.size());
  print_counts("steps made", sum.tally.made);
  print_counts("steps refused", sum.tally.refused);
  print_counts("processors", sum.tally.targets);
  if (sum.failures.empty()) return 0;
  if (!arguments.go_on) show(sum.failures.front().first, sum.failures.front().second, arguments.shrinks);
  return 1;
}

}  // namespace

int main(int count, char **words) {
  const Arguments arguments = read_arguments(count, words);
  if (!arguments.only) return fuzz(arguments);
  show(*arguments.only, {Verdict::wrong, "as asked", "", {}}, arguments.shrinks);
  return 0;
}
