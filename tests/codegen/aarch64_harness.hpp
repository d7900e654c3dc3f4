// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Runs programs as aarch64 code under qemu, and compares what they leave in memory with what the interpreter leaves, which runs
/// the same loops here.
///
///     aarch64_harness::Machine machine;
///     Recorder recorder;
///     machine.add(program, target, recorder.record(program, [&](const KernelCode &code) { … code.call(…); }));
///     for (const auto &[name, what] : machine.run()) …  // what is wrong
///
/// The interpreter's slots, recorded before and after the call, go through a file to a program (aarch64_main.cpp) that the cross
/// compiler links to the objects.

#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "lathe/codegen/c.hpp"
#include "lathe/codegen/interpret.hpp"
#include "lathe/codegen/llvm_ir.hpp"
#include "lathe/ir/evaluate.hpp"
#include "lathe/ir/print.hpp"
#include "lathe/runtime/kernel_code.hpp"
#include "lathe/runtime/llvm_jit.hpp"

namespace aarch64_harness {

using namespace lathe;

/// Whether the tools of `need` in ./run are there.
inline bool is_available() {
  return std::system("command -v aarch64-linux-gnu-g++ >/dev/null && command -v qemu-aarch64 >/dev/null") == 0;
}

/// What a slot held before and after a call; for a scalar only its bits.
struct RecordedSlot {
  bool is_scalar = false;
  std::uint64_t bits = 0;
  DType type;
  std::string name;
  std::string before, after;
};

/// Runs the interpreter in place of a kernel's code and keeps what its slots hold.
class Recorder {
 public:
  /// Tells how many bytes lie at an address that a call passes; of constants it is known.
  void holds(const void *data, std::size_t bytes) { sizes_[data] = bytes; }

  /// Calls `call` with the interpreted program.
  std::vector<RecordedSlot> record(const ir::Program &program, const std::function<void(const KernelCode &)> &call) {
    slots_.clear();
    current() = this;
    const KernelCode code(program, &run);
    call(code);
    current() = nullptr;
    return std::move(slots_);
  }

 private:
  static Recorder *&current() {
    static Recorder *recorder = nullptr;
    return recorder;
  }

  static void run(const ir::Program &program, std::span<const Slot> slots) {
    Recorder &self = *current();
    const List<ir::Parameter> &parameters = program.entry().parameters;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const ir::Parameter &parameter = parameters[i];
      if (parameter.kind == ir::ParameterKind::function) throw std::runtime_error("a function of this process cannot be called");
      RecordedSlot slot{parameter.kind == ir::ParameterKind::scalar, slots[i].bits, {}, parameter.name, {}, {}};
      if (!slot.is_scalar) {
        slot.type = parameter.buffer->type;
        slot.before = self.bytes_of(parameter, slots[i].pointer);
      }
      self.slots_.push_back(std::move(slot));
    }
    codegen::interpret(program, slots);
    for (std::size_t i = 0; i < slots.size(); ++i)
      if (!self.slots_[i].is_scalar) self.slots_[i].after = self.bytes_of(parameters[i], slots[i].pointer);
  }

  std::string bytes_of(const ir::Parameter &parameter, const void *data) const {
    const std::size_t bytes = parameter.kind == ir::ParameterKind::constant ? parameter.data->size() : sizes_.at(data);
    return {static_cast<const char *>(data), bytes};
  }

  std::map<const void *, std::size_t> sizes_;
  std::vector<RecordedSlot> slots_;
};

/// Programs with recorded calls, run all at once.
class Machine {
 public:
  Machine() {
    std::string pattern = (std::filesystem::temp_directory_path() / "lathe_aarch64_XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("no temporary directory");
    folder_ = pattern;
  }
  ~Machine() { std::filesystem::remove_all(folder_); }
  Machine(const Machine &) = delete;
  Machine &operator=(const Machine &) = delete;

  std::size_t size() const { return calls_.size(); }

  /// A program as an object file that LLVM makes. `tolerance` is in units in the last place: 0 for the same bits.
  void add(const ir::Program &program, const Target &target, std::vector<RecordedSlot> slots, int tolerance = 0) {
    const std::string name = program.entry().name;
    const ObjectCode object = compile_object(codegen::emit_llvm(program, target), target);
    write(name + ".o", {reinterpret_cast<const char *>(object.bytes.data()), object.bytes.size()});
    files_ += " " + path(name + ".o");
    calls_.push_back({name, std::move(slots), tolerance});
  }

  /// A program as C.
  void add_c(const ir::Program &program, std::vector<RecordedSlot> slots, int tolerance = 0) {
    const Source source = codegen::emit_c(program);
    write(source.entry + ".c", source.text);
    c_files_ += " " + path(source.entry + ".c");
    files_ += " " + path(source.entry + ".o");
    calls_.push_back({source.entry, std::move(slots), tolerance});
  }

  /// Compiles, links and runs everything; gives what is wrong: the kernel's name and a sentence.
  std::vector<std::pair<std::string, std::string>> run() {
    std::string kernels, calls;
    for (const Call &call : calls_) {
      kernels += "KERNEL(" + call.name + ")\n";
      put_number(calls, call.slots.size());
      for (const RecordedSlot &slot : call.slots) {
        put_number(calls, slot.is_scalar);
        put_number(calls, slot.is_scalar ? slot.bits : slot.before.size());
        calls += slot.before;
      }
    }
    write("kernels.inc", kernels);
    write("calls", calls);
    const std::string tests = std::string(LATHE_TEST_DATA) + "/..", log = " 2> " + path("log");
    const std::string compile_c =
        c_files_.empty() ? "true" : "aarch64-linux-gnu-gcc -std=c11 -O1 -w -ffp-contract=off -c" + c_files_;
    const std::string link = "aarch64-linux-gnu-g++ -std=c++20 -O1 -I" + folder_.string() + " -I" + tests + "/../include " +
                             tests + "/codegen/aarch64_main.cpp" + files_ + " -lm -o " + path("program");
    if (std::system(("cd " + folder_.string() + " && { " + compile_c + " && " + link + "; }" + log).c_str()) != 0)
      return {{"all", "is not built: " + read("log")}};
    const std::string qemu =
        "qemu-aarch64 -L /usr/aarch64-linux-gnu " + path("program") + " " + path("calls") + " " + path("results") + log;
    const bool ended = std::system(qemu.c_str()) == 0;
    if (!ended) return {{last_name(read("log")), "ends with: " + read("log")}};
    return compare(read("results"));
  }

 private:
  struct Call {
    std::string name;
    std::vector<RecordedSlot> slots;
    int tolerance;
  };

  std::string path(const std::string &name) const { return (folder_ / name).string(); }
  void write(const std::string &name, const std::string &text) const {
    std::ofstream file(path(name), std::ios::binary);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
  }
  std::string read(const std::string &name) const {
    std::ifstream file(path(name), std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return std::move(text).str();
  }
  static void put_number(std::string &to, std::uint64_t number) {
    to.append(reinterpret_cast<const char *>(&number), sizeof number);
  }

  /// The kernel that the program named last.
  std::string last_name(const std::string &log) const {
    std::istringstream lines(log);
    std::string name = "all";
    for (std::string line; std::getline(lines, line);)
      for (const Call &call : calls_)
        if (call.name == line) name = line;
    return name;
  }

  std::vector<std::pair<std::string, std::string>> compare(const std::string &results) const {
    std::vector<std::pair<std::string, std::string>> wrong;
    const char *at = results.data();
    for (const Call &call : calls_)
      for (const char *where : {" behind a forbidden page", " before a forbidden page"}) {
        std::int64_t status = 0;
        std::memcpy(&status, at, sizeof status);
        at += sizeof status;
        std::string what = status == 0 ? "" : "status " + std::to_string(status) + "; ";
        for (const RecordedSlot &slot : call.slots) {
          if (slot.is_scalar) continue;
          what += difference(slot, at, call.tolerance);
          at += slot.after.size();
        }
        if (!what.empty()) wrong.emplace_back(call.name, what + "arguments" + where);
      }
    return wrong;
  }

  static std::string difference(const RecordedSlot &slot, const char *results, int tolerance) {
    const auto width = static_cast<std::size_t>(slot.type.bytes());
    for (std::size_t i = 0; i * width < slot.after.size(); ++i) {
      const ir::Bits want = ir::load_element(slot.type, slot.after.data() + i * width),
                     got = ir::load_element(slot.type, results + i * width);
      if (same(slot.type, want, got, tolerance)) continue;
      return "element " + std::to_string(i) + " of " + slot.name + " is " + ir::literal_text(slot.type, got) + " instead of " +
             ir::literal_text(slot.type, want) + "; ";
    }
    return {};
  }

  static bool same(DType type, ir::Bits want, ir::Bits got, int tolerance) {
    if (want == got) return true;
    if (!type.is_float()) return false;
    const double w = ir::to_double(type, want), g = ir::to_double(type, got);
    if (std::isnan(w) && std::isnan(g)) return true;
    return std::fabs(w - g) <= tolerance * std::ldexp(std::max(std::fabs(w), std::fabs(g)), -type.scalar().mantissa_bits);
  }

  std::filesystem::path folder_;
  std::string files_, c_files_;
  std::vector<Call> calls_;
};

}  // namespace aarch64_harness
