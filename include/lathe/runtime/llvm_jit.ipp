// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Driving LLVM from text to object file.

#include <algorithm>
#include <chrono>
#include <utility>

#include "lathe/diag/diagnostic.hpp"
#include "lathe/runtime/llvm_engine.hpp"
#include "lathe/runtime/llvm_jit.hpp"
#include "lathe/runtime/llvm_target_machines.hpp"
#include "lathe/runtime/llvm_thread.hpp"
#include "lathe/runtime/process.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI {

namespace llvm_compiling {

/// Adds the seconds of its life to a sum.
class Stopwatch {
 public:
  explicit Stopwatch(double &seconds) : seconds_(seconds) {}
  ~Stopwatch() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  Stopwatch(const Stopwatch &) = delete;
  Stopwatch &operator=(const Stopwatch &) = delete;

 private:
  double &seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// For a message of the verifier, which quotes instructions without saying where they stand: the lines of `ir` that read the
/// same.
inline std::string quoted_lines(std::string_view message, std::string_view ir) {
  const auto trimmed = [](std::string_view line) {
    const auto first = line.find_first_not_of(" \t");
    return first == std::string_view::npos ? std::string_view{} : line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
  };
  const auto next_line = [](std::string_view &text) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
  };
  std::string found;
  while (!message.empty()) {
    const std::string_view quoted = trimmed(next_line(message));
    if (quoted.empty()) continue;
    std::string_view rest = ir;
    for (int number = 1; !rest.empty(); ++number)
      if (trimmed(next_line(rest)) == quoted) found += composed({"\nlathe.ll:", number, ": ", quoted});
  }
  return found;
}

/// One module on its way through LLVM. Lives on LLVM's thread.
class Compilation {
 public:
  Compilation(std::string_view ir, const Target &target, const LlvmOptions &options)
      : library_(llvm_library()),
        ir_(ir),
        options_(options),
        triple_(target.triple),
        machine_(thread_target_machines().find(target, options.codegen_level)),
        context_(library_.LLVMContextCreate()) {
    library_.LLVMContextSetDiagnosticHandler(context_, &Compilation::receive, this);
  }

  ~Compilation() {
    if (module_ != nullptr) library_.LLVMDisposeModule(module_);
    library_.LLVMContextDispose(context_);
  }

  Compilation(const Compilation &) = delete;
  Compilation &operator=(const Compilation &) = delete;

  /// Runs all phases and calls `use` with the bytes of the file.
  void emit(int file_type, LlvmTimes &times, FunctionRef<void(std::string_view)> use) {
    parse(times.parse_s);
    verify(times.verify_s);
    run_passes(times.passes_s);
    const llvm_c::MemoryBuffer file = generate_code(file_type, times.emit_s);
    use({library_.LLVMGetBufferStart(file), library_.LLVMGetBufferSize(file)});
    library_.LLVMDisposeMemoryBuffer(file);
  }

 private:
  void parse(double &seconds) {
    const Stopwatch watch(seconds);
    // A copy, since LLVM wants a zero behind the text.
    const auto text = library_.LLVMCreateMemoryBufferWithMemoryRangeCopy(ir_.data(), ir_.size(), "lathe.ll");
    char *message = nullptr;
    if (library_.LLVMParseIRInContext(context_, text, &module_, &message)) {
      module_ = nullptr;
      fail_internal({"LLVM does not read the generated code:\n", taken(message)});
    }
    library_.LLVMSetTarget(module_, triple_.c_str());
    const llvm_c::TargetData layout = library_.LLVMCreateTargetDataLayout(machine_);
    library_.LLVMSetModuleDataLayout(module_, layout);
    library_.LLVMDisposeTargetData(layout);
  }

  void verify(double &seconds) {
    const Stopwatch watch(seconds);
    constexpr int return_status = 2;
    char *message = nullptr;
    const bool is_broken = library_.LLVMVerifyModule(module_, return_status, &message);
    const std::string text = taken(message);
    if (is_broken) fail_internal({"the generated LLVM code is not valid:\n", text, quoted_lines(text, ir_)});
  }

  void run_passes(double &seconds) {
    const Stopwatch watch(seconds);
    if (options_.passes.empty()) return;
    const llvm_c::PassOptions options = library_.LLVMCreatePassBuilderOptions();
    library_.LLVMPassBuilderOptionsSetLoopUnrolling(options, options_.loop_transforms);
    library_.LLVMPassBuilderOptionsSetLoopInterleaving(options, options_.loop_transforms);
    library_.LLVMPassBuilderOptionsSetLoopVectorization(options, options_.loop_transforms);
    library_.LLVMPassBuilderOptionsSetSLPVectorization(options, options_.loop_transforms);
    const llvm_c::Error error = library_.LLVMRunPasses(module_, options_.passes.c_str(), machine_, options);
    library_.LLVMDisposePassBuilderOptions(options);
    if (const std::string why = take_message(library_, error); !why.empty()) {
      fail("J006", {"LLVM does not know the passes \"", options_.passes, "\""}, {},
           {{"why", why, {}}, {"help", "LlvmOptions::passes takes what `opt -passes=` of the same release takes", {}}});
    }
  }

  llvm_c::MemoryBuffer generate_code(int file_type, double &seconds) {
    const Stopwatch watch(seconds);
    char *message = nullptr;
    llvm_c::MemoryBuffer file = nullptr;
    if (library_.LLVMTargetMachineEmitToMemoryBuffer(machine_, module_, file_type, &message, &file))
      fail_internal({"LLVM generates no code: ", taken(message)});
    if (complaints_.empty()) return file;
    library_.LLVMDisposeMemoryBuffer(file);
    fail_internal({"LLVM generates no code:", complaints_});
  }

  std::string taken(char *message) const {
    if (message == nullptr) return {};
    std::string text = message;
    library_.LLVMDisposeMessage(message);
    return text;
  }

  /// Errors that LLVM reports aside while it generates code; without a handler it would end the program.
  static void receive(llvm_c::DiagnosticInfo diagnostic, void *compilation) {
    auto &self = *static_cast<Compilation *>(compilation);
    if (self.library_.LLVMGetDiagInfoSeverity(diagnostic) != llvm_c::severity_error) return;
    self.complaints_ += "\n" + self.taken(self.library_.LLVMGetDiagInfoDescription(diagnostic));
  }

  const LlvmLibrary &library_;
  const std::string_view ir_;
  const LlvmOptions &options_;
  const std::string triple_;
  const llvm_c::TargetMachine machine_;
  const llvm_c::Context context_;
  llvm_c::Module module_ = nullptr;
  std::string complaints_;
};

/// Makes a file and calls `use` with its bytes.
inline void compile(std::string_view ir, const Target &target, const LlvmOptions &options, int file_type, LlvmTimes &times,
                    FunctionRef<void(std::string_view)> use) {
  try {
    llvm_thread().run([&] { Compilation(ir, target, options).emit(file_type, times, use); });
  } catch (const LlvmFatalError &error) {
    fail_llvm_gave_up(error);
  }
}

}  // namespace llvm_compiling

LATHE_INLINE ObjectCode compile_object(std::string_view ir, const Target &target, const LlvmOptions &options) {
  ObjectCode object;
  llvm_compiling::compile(ir, target, options, llvm_c::file_object, object.times, [&](std::string_view file) {
    const auto *bytes = reinterpret_cast<const std::byte *>(file.data());
    object.bytes.assign(bytes, bytes + file.size());
  });
  return object;
}

LATHE_INLINE std::string compile_assembly(std::string_view ir, const Target &target, const LlvmOptions &options) {
  std::string assembly;
  LlvmTimes times;
  llvm_compiling::compile(ir, target, options, llvm_c::file_assembly, times, [&](std::string_view file) { assembly = file; });
  return assembly;
}

LATHE_INLINE LlvmModule::LlvmModule(ObjectCode object, std::string ir, Target target, LlvmOptions options)
    : object_(std::move(object)),
      ir_(std::move(ir)),
      target_(std::move(target)),
      options_(std::move(options)),
      engine_(&llvm_engine()),
      dylib_(engine_->add(object_.bytes)) {}

LATHE_INLINE LlvmModule::~LlvmModule() { engine_->remove(dylib_); }

LATHE_INLINE void *LlvmModule::address(std::string_view name) const {
  double seconds = 0;
  void *address = nullptr;
  {
    const llvm_compiling::Stopwatch watch(seconds);
    address = engine_->address(dylib_, std::string(name));
  }
  link_s_.fetch_add(seconds, std::memory_order_relaxed);
  return address;
}

LATHE_INLINE std::string LlvmModule::assembly() const {
  return ir_.empty() ? std::string() : compile_assembly(ir_, target_, options_);
}

LATHE_INLINE LlvmTimes LlvmModule::times() const {
  LlvmTimes times = object_.times;
  times.link_s = link_s_.load(std::memory_order_relaxed);
  return times;
}

LATHE_INLINE std::shared_ptr<const LlvmModule> compile_llvm(std::string_view ir, const Target &target,
                                                            const LlvmOptions &options) {
  return std::shared_ptr<const LlvmModule>(new LlvmModule(compile_object(ir, target, options), std::string(ir), target, options));
}

LATHE_INLINE std::shared_ptr<const LlvmModule> link_object(List<std::byte> object) {
  return std::shared_ptr<const LlvmModule>(
      new LlvmModule(ObjectCode{std::move(object), {}}, std::string(), Target{}, LlvmOptions{}));
}

}  // namespace lathe::inline LATHE_ABI
