// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cases/every_backend.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <new>

#include "lathe/codegen/c.hpp"
#include "lathe/codegen/interpret.hpp"
#include "lathe/codegen/reference.hpp"
#include "lathe/ir/evaluate.hpp"
#include "lathe/ir/walk.hpp"

namespace cases {

namespace {

using codegen::ReferenceArray;

// ---- memory -------------------------------------------------------------------------------------------------------------------

/// Bytes that end at, or begin behind, a page that cannot be touched; poisoned, as is the rest of their pages.
class Guarded {
 public:
  static constexpr unsigned char poison = 0xa5;

  Guarded(std::size_t bytes, bool at_end) : bytes_(bytes) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    guard_ = 16 * page;
    usable_bytes_ = (bytes / page + 1) * page;
    void *pages = mmap(nullptr, usable_bytes_ + 2 * guard_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    pages_ = static_cast<std::byte *>(pages);
    if (mprotect(pages_ + guard_, usable_bytes_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    std::memset(pages_ + guard_, poison, usable_bytes_);
    data_ = pages_ + guard_ + (at_end ? usable_bytes_ - bytes : 0);
  }
  Guarded(const Guarded &) = delete;
  ~Guarded() { munmap(pages_, usable_bytes_ + 2 * guard_); }

  std::byte *data() const { return data_; }
  bool surroundings_intact() const {
    const auto intact = [](const std::byte *from, const std::byte *to) {
      for (; from != to; ++from)
        if (*from != std::byte{poison}) return false;
      return true;
    };
    return intact(pages_ + guard_, data_) && intact(data_ + bytes_, pages_ + guard_ + usable_bytes_);
  }

 private:
  std::size_t bytes_, guard_, usable_bytes_;
  std::byte *pages_, *data_;
};

// ---- comparing ----------------------------------------------------------------------------------------------------------------

const ir::Tensor &tensor_of(const Given &given) { return given.argument.tensor(); }
DType type_of(const Given &given) { return ir::type_of(tensor_of(given)); }

bool same_element(DType type, ir::Bits want, ir::Bits got, int tolerance) {
  if (want == got) return true;
  if (!type.is_float()) return false;
  const double w = ir::to_double(type, want), g = ir::to_double(type, got);
  if (std::isnan(w) && std::isnan(g)) return true;
  return std::fabs(w - g) <= tolerance * std::ldexp(std::max(std::fabs(w), std::fabs(g)), -type.scalar().mantissa_bits);
}

void compare(const Given &given, const std::byte *actual, int tolerance = 0) {
  const DType type = type_of(given);
  const auto width = static_cast<std::size_t>(type.bytes());
  std::size_t wrong = 0;
  std::string first;
  for (std::size_t i = 0; i * width < given.elements.size(); ++i) {
    const ir::Bits want = ir::load_element(type, given.elements.data() + i * width),
                   got = ir::load_element(type, actual + i * width);
    if (same_element(type, want, got, tolerance)) continue;
    if (wrong++ == 0)
      first =
          "element " + std::to_string(i) + " is " + ir::literal_text(type, got) + " instead of " + ir::literal_text(type, want);
  }
  EXPECT_EQ(wrong, 0u) << ir::name_of(tensor_of(given)) << ": " << first << "; " << wrong << " of "
                       << given.elements.size() / width << " differ";
}

std::vector<AnyArgument> arguments_of(const std::vector<Given> &given) {
  std::vector<AnyArgument> arguments;
  for (const Given &g : given) arguments.push_back(g.argument);
  return arguments;
}

// ---- running ------------------------------------------------------------------------------------------------------------------

/// Calls `code` and gives where its arguments lie.
std::vector<std::unique_ptr<Guarded>> call(const KernelCode &code, const std::vector<Given> &given, bool at_end) {
  std::vector<std::unique_ptr<Guarded>> memory(given.size());
  std::vector<CallArgument> arguments(given.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    arguments[i].scalar = given[i].scalar;
    if (given[i].kind == Given::Kind::scalar) continue;
    memory[i] = std::make_unique<Guarded>(given[i].elements.size(), at_end);
    arguments[i].data = memory[i]->data();
    arguments[i].shape = given[i].shape.data();
    if (given[i].kind == Given::Kind::input && !given[i].elements.empty())
      std::memcpy(memory[i]->data(), given[i].elements.data(), given[i].elements.size());
  }
  code.call(arguments.data(), arguments.size());
  return memory;
}

void run(const KernelCode &code, const std::vector<Given> &given, bool at_end, int tolerance = 0) {
  const std::vector<std::unique_ptr<Guarded>> memory = call(code, given, at_end);
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i].kind == Given::Kind::scalar) continue;
    EXPECT_TRUE(memory[i]->surroundings_intact()) << "memory around " << ir::name_of(tensor_of(given[i])) << " is written";
    if (given[i].kind == Given::Kind::output)
      compare(given[i], memory[i]->data(), tolerance);
    else
      EXPECT_TRUE(given[i].elements.empty() ||
                  std::memcmp(memory[i]->data(), given[i].elements.data(), given[i].elements.size()) == 0)
          << "the input " << ir::name_of(tensor_of(given[i])) << " is written";
  }
}

void run_reference(const std::vector<Given> &given) {
  codegen::ReferenceInputs inputs;
  std::vector<ir::Tensor> outputs;
  for (const Given &g : given)
    if (g.kind == Given::Kind::output)
      outputs.push_back(tensor_of(g));
    else if (g.kind == Given::Kind::input)
      inputs.tensors.push_back({tensor_of(g), ReferenceArray(type_of(g), g.shape, g.elements.data())});
    else
      inputs.scalars.push_back({g.argument.scalar(), ir::load_element(g.argument.scalar().type(), &g.scalar)});
  const List<ReferenceArray> results = codegen::evaluate_reference(outputs, inputs);
  std::size_t next = 0;
  for (const Given &g : given) {
    if (g.kind != Given::Kind::output) continue;
    const ReferenceArray &result = results[next++];
    EXPECT_EQ(result.shape, g.shape);
    if (result.shape == g.shape) compare(g, result.data.data());
  }
}

void attempt(const std::string &who, const Location &place, const std::function<void()> &action) {
  ::testing::ScopedTrace trace(place.file, static_cast<int>(place.line), who);
  try {
    action();
  } catch (const std::exception &error) {
    ADD_FAILURE() << error.what();
  }
}

Options options_for(Target target) {
  Options options = exact_options();
  options.target = std::move(target);
  options.verify = true;
  return options;
}

/// What is made of a schedule but for C, by name.
struct Maker {
  std::string name;
  bool interpreter;
  std::function<std::shared_ptr<const KernelCode>(const Schedule &, const std::vector<AnyArgument> &)> make;
};
const std::vector<Maker> &makers() {
  using Arguments = std::vector<AnyArgument>;
  static const std::vector<Maker> list = {
      {"the interpreter, before the passes", true,
       [](const Schedule &s, const Arguments &a) {
         return std::make_shared<const KernelCode>(lower_program(s, a, options_for(Target::host())), &codegen::interpret);
       }},
      {"the interpreter", true,
       [](const Schedule &s, const Arguments &a) { return interpreter_code(s, a, options_for(Target::host())); }},
      {"the JIT", false, [](const Schedule &s, const Arguments &a) { return jit_code(s, a, options_for(Target::host())); }},
      {"the JIT for x86-64", false,
       [](const Schedule &s, const Arguments &a) { return jit_code(s, a, options_for(Target::host("x86-64"))); }},
  };
  return list;
}

}  // namespace

void call_and_compare(const KernelCode &code, const std::vector<Given> &given, bool at_end, int tolerance) {
  run(code, given, at_end, tolerance);
}

std::vector<Given> results_of(const KernelCode &code, std::vector<Given> given) {
  const std::vector<std::unique_ptr<Guarded>> memory = call(code, given, true);
  for (std::size_t i = 0; i < given.size(); ++i)
    if (given[i].kind == Given::Kind::output)
      given[i].elements.assign(memory[i]->data(), memory[i]->data() + given[i].elements.size());
  return given;
}

// ---- EveryBackend -------------------------------------------------------------------------------------------------------------

struct EveryBackend::Waiting {
  std::vector<Given> given;
  std::string expected_code;  ///< of the error when it is called; empty: right values
  Location place;
  ir::Program program;
  Source source;
};

EveryBackend::EveryBackend() = default;
EveryBackend::~EveryBackend() { finish(); }

void EveryBackend::expect(const Schedule &schedule, const std::vector<Given> &given, Location place) {
  const std::vector<AnyArgument> arguments = arguments_of(given);
  attempt("the reference evaluator", place, [&] { run_reference(given); });
  for (const Maker &maker : makers())
    attempt(maker.name, place, [&] {
      const auto code = maker.make(schedule, arguments);
      run(*code, given, true);
      if (!maker.interpreter) run(*code, given, false);
    });
  attempt("emitting C", place, [&] {
    Options options = options_for(Target::c());
    options.name = "kernel_" + std::to_string(waiting_.size());
    ir::Program program = optimize_program(schedule, arguments, options);
    Source source = codegen::emit_c(program);
    waiting_.push_back({given, {}, place, std::move(program), std::move(source)});
  });
}

void EveryBackend::expect_unbuildable(const char *code, const Schedule &schedule, const std::vector<AnyArgument> &arguments,
                                      Location place) {
  for (const Maker &maker : makers()) {
    ::testing::ScopedTrace trace(place.file, static_cast<int>(place.line), maker.name);
    expect_error(code, [&] { maker.make(schedule, arguments); }, place);
  }
  expect_error(code, [&] { emit_c_source(schedule, arguments, exact_options()); }, place);
}

void EveryBackend::expect_failure(const char *code, const char *interpreter_code, const Schedule &schedule,
                                  const std::vector<Given> &given, Location place) {
  const std::vector<AnyArgument> arguments = arguments_of(given);
  for (const Maker &maker : makers())
    attempt(maker.name, place, [&] {
      const auto made = maker.make(schedule, arguments);
      expect_error(maker.interpreter ? interpreter_code : code, [&] { run(*made, given, true); }, place);
    });
  attempt("emitting C", place, [&] {
    Options options = options_for(Target::c());
    options.name = "kernel_" + std::to_string(waiting_.size());
    ir::Program program = optimize_program(schedule, arguments, options);
    Source source = codegen::emit_c(program);
    waiting_.push_back({given, code, place, std::move(program), std::move(source)});
  });
}

void EveryBackend::finish() {
  if (waiting_.empty()) return;
  const std::vector<Waiting> waiting = std::move(waiting_);
  waiting_.clear();
  namespace fs = std::filesystem;
  std::string pattern = (fs::temp_directory_path() / "lathe_cases_XXXXXX").string();
  ASSERT_NE(mkdtemp(pattern.data()), nullptr);
  const fs::path folder = pattern;
  std::string files;
  for (const Waiting &w : waiting) {
    const fs::path file = folder / (w.source.entry + ".c");
    std::ofstream(file) << w.source.text;
    files += " " + file.string();
  }
  const std::string library = (folder / "all.so").string(), log = (folder / "log").string();
  const std::string command =
      "cc -std=c11 -O1 -Wall -Wextra -Werror -ffp-contract=off -fPIC -shared -o " + library + files + " -lm > " + log + " 2>&1";
  if (std::system(command.c_str()) != 0) {
    std::ifstream in(log);
    ADD_FAILURE_AT(waiting[0].place.file, static_cast<int>(waiting[0].place.line))
        << "emitted C does not compile:\n"
        << std::string((std::istreambuf_iterator<char>(in)), {});
  } else if (void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    for (const Waiting &w : waiting)
      attempt("C", w.place, [&] {
        const auto function = reinterpret_cast<CompiledFunction>(dlsym(handle, w.source.entry.c_str()));
        const KernelCode code(w.program, function, nullptr);
        if (!w.expected_code.empty()) return expect_error(w.expected_code.c_str(), [&] { run(code, w.given, true); }, w.place);
        run(code, w.given, true);
        run(code, w.given, false);
      });
    dlclose(handle);
  } else {
    ADD_FAILURE() << dlerror();
  }
  fs::remove_all(folder);
}

std::vector<Allocated> allocations(const Schedule &schedule, const std::vector<AnyArgument> &arguments) {
  std::vector<Allocated> found;
  const ir::Program program = lower_program(schedule, arguments, {});
  ir::walk_down(program.entry().body, [&](const ir::Stmt &s) {
    const auto *allocate = s.as<ir::Allocate>();
    for (const ir::Buffer &buffer : allocate ? allocate->buffers : List<ir::Buffer>{}) {
      Allocated one{buffer->name, {}};
      for (const ir::Expr &extent : buffer->shape) one.shape.push_back(ir::constant_integer(extent).value_or(-1));
      found.push_back(std::move(one));
    }
    return true;
  });
  return found;
}

}  // namespace cases
