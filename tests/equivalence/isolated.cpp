// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "equivalence/isolated.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>

#include "equivalence/random.hpp"
#include "equivalence/shrink.hpp"

namespace equivalence {

namespace {

/// Seconds that one case may take.
constexpr unsigned most_seconds = 60;

/// Where a process says what it is doing; readable when it is dead.
struct Desk {
  std::uint64_t seed;
  std::int64_t number;
  char phase[200];

  void set_phase(const char *what) { std::strncpy(phase, what, sizeof phase - 1); }
};

Desk *new_desk() {
  void *memory = mmap(nullptr, sizeof(Desk), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return new (memory) Desk{};
}

// ---- text through a pipe: fields end with a zero byte
// ---------------------------------------------------------------------------

void put(std::string &out, const std::string &field) { out += field + '\0'; }
void put(std::string &out, std::int64_t number) { put(out, std::to_string(number)); }

class Fields {
 public:
  explicit Fields(const std::string &text) : text_(text) {}
  bool more() const { return at_ < text_.size(); }
  std::string text() {
    const std::size_t end = std::min(text_.find('\0', at_), text_.size());
    std::string field = text_.substr(at_, end - at_);
    at_ = end + 1;
    return field;
  }
  std::int64_t number() { return std::stoll(text()); }

 private:
  const std::string &text_;
  std::size_t at_ = 0;
};

void put(std::string &out, const Outcome &outcome) {
  put(out, static_cast<std::int64_t>(outcome.verdict));
  put(out, outcome.kind);
  put(out, outcome.message);
  put(out, outcome.output);
}

Outcome get_outcome(Fields &fields) {
  Outcome outcome;
  outcome.verdict = static_cast<Verdict>(fields.number());
  outcome.kind = fields.text();
  outcome.message = fields.text();
  outcome.output = fields.text();
  return outcome;
}

void put(std::string &out, const std::map<std::string, std::int64_t> &counts) {
  put(out, static_cast<std::int64_t>(counts.size()));
  for (const auto &[name, count] : counts) put(out, name), put(out, count);
}

void get(Fields &fields, std::map<std::string, std::int64_t> &counts) {
  for (std::int64_t n = fields.number(); n > 0; --n) {
    const std::string name = fields.text();
    counts[name] += fields.number();
  }
}

/// Runs `work` in a child; gives what it writes, and fills `died` with how it ended if not well.
std::string in_child(const std::function<std::string()> &work, std::string &died) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) {
    close(ends[0]);
    const std::string text = work();
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t n = write(ends[1], text.data() + sent, text.size() - sent);
      if (n <= 0) break;
      sent += static_cast<std::size_t>(n);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    died = WTERMSIG(status) == SIGALRM ? "takes longer than " + std::to_string(most_seconds) + " s"
                                       : std::string("crash: ") + strsignal(WTERMSIG(status));
  else if (WEXITSTATUS(status) != 0)
    died = "exit with " + std::to_string(WEXITSTATUS(status));
  return text;
}

/// The loop within a child.
class Loop {
 public:
  Loop(Desk &desk, bool go_on) : desk_(desk), go_on_(go_on) {
    hooks_.phase = [this](const char *what) { desk_.set_phase(what); };
  }

  std::string run(std::uint64_t seed, std::int64_t first, std::int64_t count) {
    for (std::int64_t n = first; n < first + count && (go_on_ || report_.failures.empty()); ++n) one(case_seed(seed, n), n);
    run_queues();
    std::string text;
    put(text, report_.cases);
    put(text, report_.unusable);
    put(text, report_.tally.made);
    put(text, report_.tally.refused);
    put(text, report_.tally.targets);
    for (const auto &[failing, outcome] : report_.failures) {
      put(text, std::to_string(failing));
      put(text, outcome);
    }
    return text;
  }

 private:
  void one(std::uint64_t seed, std::int64_t number) {
    desk_.seed = seed;
    desk_.number = number;
    desk_.set_phase("drawing a schedule");
    alarm(most_seconds);
    std::optional<Outcome> failure;
    const Case tested = draw_case(seed, report_.tally, failure);
    Outcome outcome = failure ? *failure : check_case(tested, hooks_, &queues_);
    ++report_.cases;
    report_.unusable += outcome.verdict == Verdict::unusable;
    if (outcome.verdict == Verdict::wrong) report_.failures.emplace_back(seed, std::move(outcome));
    if (queues_.c.size() >= 24 || queues_.aarch64.size() >= 60) run_queues();
  }

  void run_queues() {
    alarm(10 * most_seconds);
    for (auto &failure : queues_.c.run(hooks_)) report_.failures.push_back(std::move(failure));
    for (auto &failure : queues_.aarch64.run(hooks_)) report_.failures.push_back(std::move(failure));
  }

  Desk &desk_;
  bool go_on_;
  Hooks hooks_;
  Queues queues_;
  Report report_;
};

}  // namespace

std::uint64_t case_seed(std::uint64_t seed, std::int64_t number) {
  return mix(seed * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(number)) >> 16;
}

Report run_cases(std::uint64_t seed, std::int64_t first, std::int64_t count, bool go_on) {
  Desk *desk = new_desk();
  std::string died;
  const std::string text = in_child([&] { return Loop(*desk, go_on).run(seed, first, count); }, died);
  Report report;
  if (!died.empty()) {
    report.finished = false;
    report.cases = desk->number - first + 1;
    const std::string phase = desk->phase;
    std::uint64_t guilty = desk->seed;
    if (phase.starts_with("running C of ")) guilty = std::stoull(phase.substr(13));
    report.failures.emplace_back(guilty, Outcome{Verdict::wrong, died, "while at: " + phase, {}});
  } else {
    Fields fields(text);
    report.cases = fields.number();
    report.unusable = fields.number();
    get(fields, report.tally.made);
    get(fields, report.tally.refused);
    get(fields, report.tally.targets);
    while (fields.more()) {
      const std::uint64_t failing = std::stoull(fields.text());
      report.failures.emplace_back(failing, get_outcome(fields));
    }
  }
  munmap(desk, sizeof(Desk));
  return report;
}

Outcome run_isolated(const Case &tested) {
  Desk *desk = new_desk();
  std::string died;
  const std::string text = in_child(
      [&] {
        alarm(most_seconds);
        Hooks hooks;
        hooks.phase = [&](const char *what) { desk->set_phase(what); };
        std::string out;
        put(out, check_case(tested, hooks, nullptr));
        return out;
      },
      died);
  const std::string phase = desk->phase;
  munmap(desk, sizeof(Desk));
  if (!died.empty()) return {Verdict::wrong, died, "while at: " + phase, {}};
  Fields fields(text);
  return get_outcome(fields);
}

Case shrink_isolated(const Case &failing, const std::string &kind) {
  const bool in_c = kind.starts_with("c:"), on_aarch64 = kind.starts_with("aarch64");
  const int most = in_c || on_aarch64 ? 500 : 3000;
  const auto alike = [&](const Case &candidate, const std::function<Outcome(const Case &)> &run) {
    Case by_itself = candidate;
    by_itself.in_c = in_c;
    by_itself.on_aarch64 = on_aarch64;
    const Outcome again = run(by_itself);
    return again.verdict == Verdict::wrong && again.kind == kind;
  };
  // The child answers; here the same questions are asked again and get its answers.
  std::string died;
  const std::string answers = in_child(
      [&] {
        std::string said;
        shrink(
            failing,
            [&](const Case &candidate) {
              alarm(most_seconds);
              const bool fails = alike(candidate, [](const Case &c) { return check_case(c, {}, nullptr); });
              said += fails ? '1' : '0';
              return fails;
            },
            most);
        return said;
      },
      died);
  if (!died.empty()) return shrink(failing, [&](const Case &candidate) { return alike(candidate, run_isolated); }, most / 2);
  std::size_t next = 0;
  return shrink(failing, [&](const Case &) { return next < answers.size() && answers[next++] == '1'; }, most);
}

}  // namespace equivalence
