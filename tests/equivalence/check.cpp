// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "equivalence/check.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "codegen/aarch64_harness.hpp"
#include "equivalence/generate.hpp"
#include "equivalence/guarded_memory.hpp"
#include "lathe/arith/simplify.hpp"
#include "lathe/codegen/c.hpp"
#include "lathe/codegen/interpret.hpp"
#include "lathe/codegen/reference.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/jit.hpp"

namespace equivalence {

using lathe::codegen::ReferenceArray;

namespace {

// ---- one program with its data ------------------------------------------------------------------------------------------------

/// A program with inputs and the results that are right.
class Subject {
 public:
  explicit Subject(const Program &program) : program_(program), built_(build(program)) {
    lathe::codegen::ReferenceInputs inputs;
    for (std::size_t s = 0; s < program.sizes.size(); ++s)
      if (built_.sizes[s].defined()) inputs.scalars.push_back({built_.sizes[s], static_cast<ir::Bits>(program.sizes[s].value)});
    for (std::size_t s = 0; s < program.scalars.size(); ++s)
      inputs.scalars.push_back({built_.scalars[s], program.scalars[s].bits});
    arrays_.resize(program.tensors.size());
    for (const int t : built_.inputs) {
      const TensorNode &tensor = program.tensors[static_cast<std::size_t>(t)];
      ReferenceArray &array = arrays_[static_cast<std::size_t>(t)];
      array = ReferenceArray(tensor.type, program.shape(tensor));
      const std::vector<std::uint64_t> bits = elements_of(program, tensor);
      for (std::size_t i = 0; i < bits.size(); ++i) array.set(static_cast<std::int64_t>(i), bits[i]);
      inputs.tensors.push_back({built_.tensors[static_cast<std::size_t>(t)], array});
    }
    std::vector<ir::Tensor> outputs;
    for (const int t : built_.outputs) outputs.push_back(built_.tensors[static_cast<std::size_t>(t)]);
    lathe::List<ReferenceArray> results = lathe::codegen::evaluate_reference(outputs, inputs);
    for (std::size_t i = 0; i < results.size(); ++i) arrays_[static_cast<std::size_t>(built_.outputs[i])] = std::move(results[i]);
  }

  const Program &program() const { return program_; }
  const Built &built() const { return built_; }
  const ReferenceArray &array(int tensor) const { return arrays_[static_cast<std::size_t>(tensor)]; }

  /// What `code` computes, when its arguments lie at one end of guarded memory. Fills `fault` if it touches what it must not.
  lathe::List<ReferenceArray> run(const lathe::KernelCode &code, bool at_end, std::string &fault,
                                  aarch64_harness::Recorder *recorder = nullptr) const {
    std::vector<lathe::CallArgument> arguments;
    std::vector<std::byte *> data(program_.tensors.size());
    std::size_t region = 0;
    for (const Built::Source &source : built_.sources) {
      lathe::CallArgument argument;
      if (source.kind == Built::Source::Kind::tensor) {
        data[static_cast<std::size_t>(source.number)] = place(memory(region++), source.number, at_end);
        argument.data = data[static_cast<std::size_t>(source.number)];
        argument.shape = array(source.number).shape.data();
        if (recorder) recorder->holds(argument.data, array(source.number).data.size());
      } else if (source.kind == Built::Source::Kind::size) {
        argument.scalar.integer = program_.sizes[static_cast<std::size_t>(source.number)].value;
      } else {
        const ScalarNode &scalar = program_.scalars[static_cast<std::size_t>(source.number)];
        ir::store_element(scalar.type, &argument.scalar, scalar.bits);
      }
      arguments.push_back(argument);
    }
    std::vector<bool> shared(program_.tensors.size());
    if (!recorder) share(code, arguments, data, shared);
    code.call(arguments.data(), arguments.size());
    return collect(data, shared, fault);
  }

 private:
  static GuardedMemory &memory(std::size_t region) {
    static std::vector<std::unique_ptr<GuardedMemory>> regions;
    while (regions.size() <= region) regions.push_back(std::make_unique<GuardedMemory>());
    return *regions[region];
  }

  /// Outputs that may be the memory of an input are.
  void share(const lathe::KernelCode &code, std::vector<lathe::CallArgument> &arguments, std::vector<std::byte *> &data,
             std::vector<bool> &shared) const {
    const auto &parameters = code.program().entry().parameters;
    for (std::size_t output = 0; output < arguments.size(); ++output)
      for (std::size_t input = 0; parameters[output].shares.defined() && input < arguments.size(); ++input) {
        if (parameters[input].buffer != parameters[output].shares) continue;
        arguments[output].data = arguments[input].data;
        const auto from = static_cast<std::size_t>(built_.sources[input].number);
        data[static_cast<std::size_t>(built_.sources[output].number)] = data[from];
        shared[from] = true;
      }
  }

  std::byte *place(GuardedMemory &memory, int tensor, bool at_end) const {
    const ReferenceArray &array = this->array(tensor);
    std::byte *data = memory.place(array.data.size(), at_end);
    if (array.data.empty()) return data;
    if (program_.tensors[static_cast<std::size_t>(tensor)].output)
      std::memset(data, 0xcb, array.data.size());
    else
      std::memcpy(data, array.data.data(), array.data.size());
    return data;
  }

  lathe::List<ReferenceArray> collect(const std::vector<std::byte *> &data, const std::vector<bool> &shared,
                                      std::string &fault) const {
    lathe::List<ReferenceArray> results;
    std::size_t region = 0;
    for (const Built::Source &source : built_.sources) {
      if (source.kind != Built::Source::Kind::tensor) continue;
      const TensorNode &tensor = program_.tensors[static_cast<std::size_t>(source.number)];
      const ReferenceArray &array = this->array(source.number);
      const std::byte *at = data[static_cast<std::size_t>(source.number)];
      if (!memory(region++).surroundings_intact()) fault = "memory around " + tensor.name + " is written";
      if (tensor.output)
        results.emplace_back(tensor.type, array.shape, at);
      else if (!shared[static_cast<std::size_t>(source.number)] && !array.data.empty() &&
               std::memcmp(at, array.data.data(), array.data.size()) != 0)
        fault = "the input " + tensor.name + " is written";
    }
    return results;
  }

  const Program &program_;
  Built built_;
  lathe::List<ReferenceArray> arrays_;
};

// ---- comparing ----------------------------------------------------------------------------------------------------------------

bool same_element(const TensorNode &tensor, std::uint64_t expected, std::uint64_t actual, bool exactly) {
  if (expected == actual) return true;
  if (!tensor.type.is_float()) return false;
  const double e = ir::to_double(tensor.type, expected), a = ir::to_double(tensor.type, actual);
  if (std::isnan(e) && std::isnan(a)) return true;
  if (exactly || !tensor.tolerant) return false;
  // Units of the last place, which are not smaller among subnormal numbers than among the least normal ones.
  const int mantissa_bits = tensor.type.scalar().mantissa_bits;
  const double least_normal = std::ldexp(1.0, 2 - (1 << (tensor.type.bits() - 2 - mantissa_bits)));
  return std::fabs(e - a) <= std::ldexp(std::max({std::fabs(e), std::fabs(a), least_normal}), 3 - mantissa_bits);
}

/// The first difference in words; empty if there is none.
std::string difference(const Program &program, const Built &built,
                       const std::function<const ReferenceArray &(std::size_t)> &expected,
                       const lathe::List<ReferenceArray> &actual, bool exactly, std::string &output) {
  for (std::size_t o = 0; o < actual.size(); ++o) {
    const TensorNode &tensor = program.tensors[static_cast<std::size_t>(built.outputs[o])];
    const ReferenceArray &want = expected(o);
    std::int64_t wrong = 0, first = -1;
    for (std::int64_t i = 0; i < want.size(); ++i)
      if (!same_element(tensor, want.at(i), actual[o].at(i), exactly)) {
        ++wrong;
        if (first < 0) first = i;
      }
    if (first < 0) continue;
    output = tensor.name;
    std::string index;
    std::int64_t rest = first;
    for (std::size_t d = want.shape.size(); d-- > 0;) {
      index = std::to_string(rest % want.shape[d]) + (index.empty() ? "" : ", ") + index;
      rest /= want.shape[d];
    }
    return tensor.name + "(" + index + ") is " + ir::literal_text(tensor.type, actual[o].at(first)) + " instead of " +
           ir::literal_text(tensor.type, want.at(first)) + "; " + std::to_string(wrong) + " of " + std::to_string(want.size()) +
           " elements differ";
  }
  return {};
}

Outcome wrong(const std::string &who, const std::string &what, const std::string &message, const std::string &output = {}) {
  return {Verdict::wrong, who + ": " + what, message, output};
}

/// Errors of one kind: internal ones differ by the invariant that is broken.
std::string kind_of(const lathe::Diagnostic &error) {
  if (error.code != "X001") return error.code;
  std::string text = error.message.substr(0, error.message.find('\n'));
  const std::size_t from = text.find(": ");
  if (from != std::string::npos) text = text.substr(from + 2);
  return "X001 " + text.substr(0, std::min(text.find(':'), std::size_t{60}));
}

/// What a program gave when it was run first.
struct Baseline {
  lathe::List<ReferenceArray> results;
  bool exact = false;  ///< whether it must give the same bits again
};

/// Whether functions of the C library are called, whose last bits depend on who computes them: LLVM folds those of constants.
bool calls_library(const ir::Program &program) {
  bool calls = false;
  for (const ir::Function &function : program.functions)
    ir::walk(function.body, [&](const ir::Expr &e) {
      const auto *u = e.as<ir::Unary>();
      const auto *b = e.as<ir::Binary>();
      calls = calls || (u && u->op >= ir::UnaryOp::exp && u->op <= ir::UnaryOp::sigmoid) ||
              (b && (b->op == ir::BinaryOp::pow || b->op == ir::BinaryOp::atan2));
    });
  return calls;
}

/// Runs and compares: with `baseline` if it is there and filled, else with what is right if `comparable` to that. An empty
/// baseline is filled.
Outcome run_and_compare(const Subject &subject, const lathe::KernelCode &code, const char *who, bool at_end, bool comparable,
                        Baseline *baseline) {
  std::string fault, output;
  lathe::List<ReferenceArray> results;
  try {
    results = subject.run(code, at_end, fault);
  } catch (const lathe::Error &error) {
    return wrong(who, kind_of(error.diagnostic()), error.what());
  }
  if (!fault.empty()) return wrong(who, "stray write", fault);
  const bool same_program = baseline && !baseline->results.empty();
  if (baseline && !same_program) baseline->results = results;
  if (!same_program && !comparable) return {};
  const std::string text = difference(
      subject.program(), subject.built(),
      [&](std::size_t o) -> const ReferenceArray & {
        return same_program ? baseline->results[o] : subject.array(subject.built().outputs[o]);
      },
      results, same_program && baseline->exact, output);
  return text.empty() ? Outcome{} : wrong(who, "values differ", text, output);
}

const lathe::Target &target_of(const Case &tested) {
  static const std::vector<lathe::Target> targets = [] {
    std::vector<lathe::Target> list;
    for (const levels::Level &level : levels::all) list.push_back(levels::target_of(level));
    return list;
  }();
  return targets[static_cast<std::size_t>(tested.target)];
}

lathe::Options options_of(const Case &tested) {
  lathe::Options options;
  options.target = target_of(tested);
  if (!tested.contract) options.numerics = lathe::Numerics::strict();
  options.numerics.library_math = tested.library_math;
  options.verify = tested.verify;
  return options;
}

}  // namespace

// ---- C ------------------------------------------------------------------------------------------------------------------------

struct CQueue::Waiting {
  Case tested;
  std::unique_ptr<Subject> subject;
  ir::Program program;
  std::string text, entry;
};

CQueue::CQueue() = default;
CQueue::~CQueue() = default;
void CQueue::add(std::unique_ptr<Waiting> waiting) { waiting_.push_back(std::move(waiting)); }
std::size_t CQueue::size() const { return waiting_.size(); }

std::vector<std::pair<std::uint64_t, Outcome>> CQueue::run(const Hooks &hooks) {
  std::vector<std::pair<std::uint64_t, Outcome>> failures;
  if (waiting_.empty()) return failures;
  namespace fs = std::filesystem;
  std::string pattern = (fs::temp_directory_path() / "lathe_fuzz_XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw std::runtime_error("no temporary directory");
  const fs::path folder = pattern;
  if (hooks.phase) hooks.phase("compiling C");
  std::string files;
  for (const auto &waiting : waiting_) {
    const fs::path file = folder / (waiting->entry + ".c");
    std::ofstream(file) << waiting->text;
    files += " " + file.string();
  }
  const std::string library = (folder / "all.so").string(), log = (folder / "log").string();
  const std::string command =
      "cc -std=c11 -O1 -w -ffp-contract=off -fPIC -shared -o " + library + files + " -lm > " + log + " 2>&1";
  if (std::system(command.c_str()) != 0) {
    std::ifstream in(log);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    failures.emplace_back(waiting_.front()->tested.seed, wrong("c", "does not compile", text));
  } else if (void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    for (const auto &waiting : waiting_) {
      if (hooks.phase) hooks.phase(("running C of " + std::to_string(waiting->tested.seed)).c_str());
      const auto function = reinterpret_cast<lathe::CompiledFunction>(dlsym(handle, waiting->entry.c_str()));
      const lathe::KernelCode code(waiting->program, function, nullptr);
      for (const bool at_end : {false, true}) {
        Outcome outcome = run_and_compare(*waiting->subject, code, "c", at_end, true, nullptr);
        if (outcome.verdict == Verdict::right) continue;
        outcome.message += "\n" + waiting->text;
        failures.emplace_back(waiting->tested.seed, std::move(outcome));
        break;
      }
    }
    dlclose(handle);
  } else {
    failures.emplace_back(waiting_.front()->tested.seed, wrong("c", "does not load", dlerror()));
  }
  waiting_.clear();
  fs::remove_all(folder);
  return failures;
}

// ---- aarch64 ------------------------------------------------------------------------------------------------------------------

Aarch64Queue::Aarch64Queue() = default;
Aarch64Queue::~Aarch64Queue() = default;

void Aarch64Queue::add(const Case &tested) {
  static const bool available = aarch64_harness::is_available();
  if (!available) return;
  const Subject subject(tested.program);
  lathe::Schedule schedule(subject.built().output_tensors());
  replay_steps(schedule, tested.program, tested.steps);
  lathe::Options options = options_of(tested);
  options.target = lathe::Target::of("aarch64-unknown-linux-gnu", aarch64_cpu(tested));
  options.name = "case_" + std::to_string(tested.seed);
  const ir::Program program = lathe::optimize_program(schedule, subject.built().arguments, options);
  if (calls_library(program)) return;  // another one than the interpreter's
  aarch64_harness::Recorder recorder;
  std::string fault;
  auto slots = recorder.record(program, [&](const lathe::KernelCode &code) { subject.run(code, false, fault, &recorder); });
  if (!machine_) machine_ = std::make_unique<aarch64_harness::Machine>();
  machine_->add(program, options.target, std::move(slots));
  seeds_.push_back(tested.seed);
}

std::vector<std::pair<std::uint64_t, Outcome>> Aarch64Queue::run(const Hooks &hooks) {
  std::vector<std::pair<std::uint64_t, Outcome>> failures;
  if (seeds_.empty()) return failures;
  if (hooks.phase) hooks.phase("linking and running aarch64 code");
  for (const auto &[name, what] : machine_->run()) {
    const bool one = name.starts_with("case_");
    failures.emplace_back(one ? std::stoull(name.substr(5)) : seeds_.front(),
                          wrong("aarch64", what.starts_with("element") ? "values differ" : what.substr(0, what.find(':')), what));
  }
  machine_.reset();
  seeds_.clear();
  return failures;
}

// ---- cases --------------------------------------------------------------------------------------------------------------------

namespace {

Outcome run_backends(const Case &tested, const Subject &subject, const lathe::Schedule &schedule, const Hooks &hooks) {
  const auto phase = [&](const char *what) {
    if (hooks.phase) hooks.phase(what);
  };
  const std::vector<lathe::AnyArgument> &arguments = subject.built().arguments;
  const lathe::Options options = options_of(tested);
  if (tested.lowered) {
    phase("the interpreter, loops as lowered");
    const lathe::KernelCode code(lathe::lower_program(schedule, arguments, options), &lathe::codegen::interpret);
    const Outcome outcome = run_and_compare(subject, code, "interpreter of lowered loops", tested.seed % 2 == 0, true, nullptr);
    if (outcome.verdict != Verdict::right) return outcome;
  }
  Baseline baseline;
  phase("the interpreter");
  ir::Program program = lathe::optimize_program(schedule, arguments, options);
  if (hooks.tamper) program = hooks.tamper(std::move(program));
  baseline.exact = !calls_library(program);
  const lathe::KernelCode interpreted(std::move(program), &lathe::codegen::interpret);
  // Where no product is fused, loops round as expressions do. Kernels are made for the same target and must give the same bits.
  const bool as_written = !(tested.contract && options.target.has_fma);
  Outcome outcome = run_and_compare(subject, interpreted, "interpreter", tested.seed % 2 == 1, as_written, &baseline);
  if (outcome.verdict != Verdict::right) return outcome;
  phase("making the kernel");
  const auto kernel = lathe::jit_code(schedule, arguments, options);
  for (const bool at_end : {false, true}) {
    phase(at_end ? "the kernel, arguments before a forbidden page" : "the kernel, arguments behind a forbidden page");
    outcome = run_and_compare(subject, *kernel, "jit", at_end, as_written, &baseline);
    if (outcome.verdict != Verdict::right) return outcome;
  }
  return outcome;
}

/// The program as C, with data and results of its own.
std::unique_ptr<CQueue::Waiting> make_c(const Case &tested) {
  auto waiting = std::make_unique<CQueue::Waiting>();
  waiting->tested = tested;
  waiting->subject = std::make_unique<Subject>(waiting->tested.program);
  lathe::Schedule schedule(waiting->subject->built().output_tensors());
  replay_steps(schedule, waiting->tested.program, tested.steps);
  lathe::Options options = options_of(tested);
  options.target = lathe::Target::c();
  options.name = "case_" + std::to_string(tested.seed);
  waiting->program = lathe::optimize_program(schedule, waiting->subject->built().arguments, options);
  lathe::Source source = lathe::codegen::emit_c(waiting->program);
  waiting->text = std::move(source.text);
  waiting->entry = std::move(source.entry);
  return waiting;
}

}  // namespace

Outcome check_case(const Case &tested, const Hooks &hooks, Queues *queues) {
  const char *who = "evaluator";
  try {
    if (hooks.phase) hooks.phase("the evaluator");
    std::unique_ptr<Subject> subject;
    try {
      subject = std::make_unique<Subject>(tested.program);
    } catch (const lathe::Error &error) {
      return {error.code() == "X001" ? Verdict::wrong : Verdict::unusable, "evaluator: " + error.code(), error.what(), {}};
    }
    who = "compiler";
    lathe::Schedule schedule(subject->built().output_tensors());
    replay_steps(schedule, tested.program, tested.steps);
    const Outcome outcome = run_backends(tested, *subject, schedule, hooks);
    if (outcome.verdict != Verdict::right) return outcome;
    Queues own;
    Queues &waiting = queues ? *queues : own;
    if (hooks.phase) hooks.phase("emitting C or aarch64 code");
    if (tested.in_c) waiting.c.add(make_c(tested));
    if (tested.on_aarch64) waiting.aarch64.add(tested);
    auto failures = own.c.run(hooks);
    if (failures.empty()) failures = own.aarch64.run(hooks);
    return failures.empty() ? Outcome{} : failures.front().second;
  } catch (const lathe::Error &error) {
    return wrong(who, kind_of(error.diagnostic()), error.what());
  } catch (const std::exception &error) {
    return wrong(who, "exception", error.what());
  }
}

namespace {

/// How often the statements of `s` may run, all loops around them counted at their longest.
double iterations(const ir::Stmt &s, const lathe::arith::Facts &facts, double around) {
  double count = 0;
  lathe::arith::Facts inside = facts;
  if (const auto *loop = s.as<ir::For>()) {
    const std::int64_t most = facts.bounds(loop->extent).max;
    around *= most < 1000 ? static_cast<double>(std::max<std::int64_t>(most, 1)) : 10;  // of sizes, which are small
    inside.bind(loop->var, loop->min, loop->extent);
  }
  if (s.as<ir::Store>()) count += around;
  ir::for_each_stmt(s, [&](const ir::Stmt &nested) { count += iterations(nested, inside, around); });
  return count;
}

/// Recomputing stages in the loops of stages that are recomputed themselves multiplies: some schedules would run for minutes.
std::optional<lathe::Diagnostic> too_slow(const ir::Program &program) {
  double count = 0;
  for (const ir::Function &function : program.functions) count += iterations(function.body, {}, 1);
  if (count < 3e6) return std::nullopt;
  lathe::Diagnostic diagnostic;
  diagnostic.code = "slow";
  return diagnostic;
}

/// Schedules may promise what the sizes of the case do not keep.
std::optional<lathe::Diagnostic> unmet_requirement(const ir::Program &lowered, const Program &program, const Built &built) {
  ir::VarMap<ir::Expr> sizes;
  for (std::size_t s = 0; s < program.sizes.size(); ++s)
    if (built.sizes[s].defined()) sizes.emplace(built.sizes[s], ir::Expr(program.sizes[s].value));
  for (const ir::Requirement &requirement : lowered.requirements)
    if (!lathe::arith::Facts().proves(ir::substitute(requirement.condition, sizes))) {
      lathe::Diagnostic diagnostic;
      diagnostic.code = "unmet";
      return diagnostic;
    }
  return std::nullopt;
}

}  // namespace

Case draw_case(std::uint64_t seed, Tally &tally, std::optional<Outcome> &failure) {
  Case tested;
  tested.seed = seed;
  tested.program = generate_program(mix(seed));
  Random random(mix(seed + 1) ^ 0x5eed);
  // This machine as it is half of the time, else any level.
  const std::int64_t level = random.between(1 - static_cast<std::int64_t>(levels::all.size()), levels::all.size() - 1);
  tested.target = static_cast<int>(std::max<std::int64_t>(level, 0));
  ++tally.targets[levels::name_of(levels::all[static_cast<std::size_t>(tested.target)])];
  tested.contract = random.percent(20);
  tested.in_c = random.percent(30);
  tested.lowered = random.percent(25);
  tested.verify = random.percent(25);
  tested.library_math = mix(seed + 2) % 3 == 0;
  tested.on_aarch64 = mix(seed + 3) % 5 == 0;
  const int count = static_cast<int>(random.pick({0, 3, 5, 8, 8, 12, 12, 16}));
  try {
    const Built built = build(tested.program);
    lathe::Schedule schedule(built.output_tensors());
    const lathe::Options options = options_of(tested);
    const auto error = draw_schedule(
        schedule, tested.program, random, count,
        [&](const lathe::Schedule &s, bool whole) -> std::optional<lathe::Diagnostic> {
          try {
            const ir::Program lowered = lathe::lower_program(s, built.arguments, options);
            if (auto slow = too_slow(lowered)) return slow;
            if (auto unmet = unmet_requirement(lowered, tested.program, built)) return unmet;
            if (whole) lathe::optimize_program(s, built.arguments, options);
            return std::nullopt;
          } catch (const lathe::Error &refusal) {
            return refusal.diagnostic();
          }
        },
        tally);
    tested.steps = steps_of(schedule);
    if (error) failure = wrong("compiler", kind_of(*error), lathe::render(*error));
  } catch (const lathe::Error &error) {
    failure = wrong("compiler", kind_of(error.diagnostic()), error.what());
  }
  return tested;
}

}  // namespace equivalence
