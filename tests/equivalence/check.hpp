// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// One case: a program under a schedule, run by every back end. The interpreter and C are compared with the evaluator of
/// unscheduled expressions, with a tolerance where math functions are, and kernels with the interpreter, bit for bit where no
/// function of the C library is called.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "equivalence/program.hpp"
#include "equivalence/schedule_draw.hpp"
#include "target/levels.hpp"

namespace aarch64_harness {
class Machine;
}

namespace equivalence {

struct Case {
  std::uint64_t seed = 0;
  Program program;
  Steps steps;
  int target = 0;             ///< of `levels::all`; 0: this machine
  bool contract = false;      ///< products may fuse with sums; if the target can, the interpreter is compared with nothing
  bool library_math = false;  ///< math functions are the C library's
  bool in_c = false;          ///< run as C too
  bool on_aarch64 = false;    ///< run as aarch64 code too, where there are a cross compiler and qemu
  bool lowered = false;       ///< interpret the loops before any pass too
  bool verify = false;        ///< verify the loops after every pass
};

/// The aarch64 processor of a case that runs on one.
inline const char *aarch64_cpu(const Case &tested) {
  constexpr const char *cpus[] = {"cortex-a76", "neoverse-n1", "neoverse-v1"};
  return cpus[tested.seed % 3];
}

enum class Verdict : std::uint8_t {
  right,
  wrong,     ///< a back end disagrees or fails
  unusable,  ///< the evaluator itself refuses the program: nothing to compare with
};

struct Outcome {
  Verdict verdict = Verdict::right;
  std::string kind;     ///< "jit: values differ", "interpreter: R002": failures of one kind have one cause, most likely
  std::string message;  ///< all of it
  std::string output;   ///< name of the output that differs first
};

/// What a caller may look into or change on the way.
struct Hooks {
  std::function<void(const char *)> phase;         ///< called with what is run next
  std::function<ir::Program(ir::Program)> tamper;  ///< changes what the interpreter runs: to plant a fault
};

/// Draws the case of a seed: program, schedule and how to run it. What goes wrong while steps are drawn is in `failure`.
Case draw_case(std::uint64_t seed, Tally &tally, std::optional<Outcome> &failure);

/// A C program that waits to be compiled together with others, with what is needed to run and compare it.
class CQueue {
 public:
  CQueue();
  ~CQueue();
  struct Waiting;
  void add(std::unique_ptr<Waiting> waiting);
  std::size_t size() const;
  /// Compiles and runs all that waits; gives what is wrong, by seed.
  std::vector<std::pair<std::uint64_t, Outcome>> run(const Hooks &hooks);

 private:
  std::vector<std::unique_ptr<Waiting>> waiting_;
};

/// Programs that wait to be linked and run as aarch64 code together.
class Aarch64Queue {
 public:
  Aarch64Queue();
  ~Aarch64Queue();
  void add(const Case &tested);
  std::size_t size() const { return seeds_.size(); }
  /// Links and runs all that waits; gives what is wrong, by seed.
  std::vector<std::pair<std::uint64_t, Outcome>> run(const Hooks &hooks);

 private:
  std::unique_ptr<aarch64_harness::Machine> machine_;
  std::vector<std::uint64_t> seeds_;
};

/// What waits.
struct Queues {
  CQueue c;
  Aarch64Queue aarch64;
};

/// Runs a case. C and aarch64 code are put into `queues` if there are any, else run at once.
Outcome check_case(const Case &tested, const Hooks &hooks, Queues *queues);

}  // namespace equivalence
