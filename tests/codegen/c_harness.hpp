// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Compiles emitted C with the machine's compilers, loads it, and runs it on a plain runtime of its own; and small programs by
/// hand.

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "lathe/codegen/c.hpp"
#include "lathe/codegen/interpret.hpp"
#include "lathe/ir/build.hpp"
#include "lathe/ir/evaluate.hpp"

namespace c_harness {

using namespace lathe;
using namespace lathe::ir;
using lathe::ir::Expr;  // not the typed one

inline const DType i8 = scalar_types::int8, i16 = scalar_types::int16, i32 = scalar_types::int32, i64 = scalar_types::int64;
inline const DType u8 = scalar_types::uint8, u16 = scalar_types::uint16, u32 = scalar_types::uint32, u64 = scalar_types::uint64;
inline const DType f16 = scalar_types::float16, bf16 = scalar_types::bfloat16, f32 = scalar_types::float32;
inline const DType f64 = scalar_types::float64, bool_type = scalar_types::boolean, index_type = scalar_types::index;

// ---- running C ----------------------------------------------------------------------------------------------------------------

/// Counts what is held, so that tests see leaks. Parallel loops run in chunks of 3, last chunk first.
struct PlainRuntime {
  Runtime table{1, sizeof(Runtime), this, &parallel_for, &acquire, &release};
  int held = 0;
  int acquired = 0;
  bool exhausted = false;

  static PlainRuntime &self(const Runtime *runtime) { return *static_cast<PlainRuntime *>(runtime->context); }
  static std::int32_t parallel_for(const Runtime *runtime, std::int64_t begin, std::int64_t end, CompiledFunction body,
                                   const Slot *slots) {
    for (; end > begin; end -= 3) {
      const Args args{slots, end - 3 > begin ? end - 3 : begin, end};
      if (const std::int32_t status = body(&args, runtime)) return status;
    }
    return 0;
  }
  static void *acquire(const Runtime *runtime, std::uint64_t bytes) {
    PlainRuntime &me = self(runtime);
    if (me.exhausted || bytes > (std::uint64_t{1} << 40)) return nullptr;
    ++me.held, ++me.acquired;
    void *memory = std::aligned_alloc(64, (bytes + 64) / 64 * 64);
    std::memset(memory, 0xcb, bytes);
    return memory;
  }
  static void release(const Runtime *runtime, void *memory) {
    --self(runtime).held;
    std::free(memory);
  }
};

/// A loaded shared object made from a source.
class CompiledC {
 public:
  CompiledC(const Source &source, const std::string &compiler, const std::string &options = "-O2") {
    namespace fs = std::filesystem;
    std::string pattern = (fs::temp_directory_path() / "lathe_c_XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("no folder for temporary files");
    const fs::path folder = pattern;
    std::ofstream(folder / "kernel.c") << source.text;
    const std::string command = compiler + " -std=c11 -Wall -Wextra -Werror -ffp-contract=off " + options + " -shared -fPIC -o " +
                                (folder / "kernel.so").string() + " " + (folder / "kernel.c").string() + " -lm 2>" +
                                (folder / "log").string();
    if (std::system(command.c_str()) != 0) {
      std::stringstream log;
      log << std::ifstream(folder / "log").rdbuf();
      ADD_FAILURE() << compiler << " refuses the text:\n" << log.str() << "\n" << source.text;
    } else {
      library_ = dlopen((folder / "kernel.so").c_str(), RTLD_NOW | RTLD_LOCAL);
      if (!library_) ADD_FAILURE() << dlerror();
    }
    if (library_) function_ = reinterpret_cast<CompiledFunction>(dlsym(library_, source.entry.c_str()));
    fs::remove_all(folder);
  }
  CompiledC(const CompiledC &) = delete;
  ~CompiledC() {
    if (library_) dlclose(library_);
  }

  std::int32_t run(const std::vector<Slot> &slots, PlainRuntime &runtime) const {
    if (!function_) return -100;
    const Args args{slots.data(), 0, 0};
    return function_(&args, &runtime.table);
  }

 private:
  void *library_ = nullptr;
  CompiledFunction function_ = nullptr;
};

inline std::vector<std::string> compilers() {
  std::vector<std::string> found;
  for (const char *name : {"gcc", "clang-19"})
    if (std::system(("command -v " + std::string(name) + " >/dev/null 2>&1").c_str()) == 0) found.push_back(name);
  if (found.empty()) found.push_back("cc");
  return found;
}

// ---- programs by hand ---------------------------------------------------------------------------------------------------------

inline Var index_var(std::string name, bool nonnegative = false) { return Var(std::move(name), index_type, nonnegative); }
inline Stmt store(Buffer buffer, std::vector<Expr> indices, Expr value, Expr predicate = {}) {
  return make(Store{std::move(buffer), std::move(indices), std::move(value), std::move(predicate)});
}
inline Stmt loop(Var var, Expr extent, Stmt body, LoopKind kind = LoopKind::serial, Expr min = 0) {
  return make(For{std::move(var), std::move(min), std::move(extent), kind, std::move(body)});
}
inline Parameter input(const Buffer &buffer) {
  Parameter p;
  p.kind = ParameterKind::input;
  p.name = buffer->name;
  p.buffer = buffer;
  return p;
}
inline Parameter output(const Buffer &buffer) {
  Parameter p = input(buffer);
  p.kind = ParameterKind::output;
  return p;
}
inline Parameter scalar(const Var &var) {
  Parameter p;
  p.kind = ParameterKind::scalar;
  p.name = var.name();
  p.var = var;
  return p;
}
inline Program program(std::string name, std::vector<Parameter> parameters, Stmt body) {
  Program result;
  result.functions.push_back({std::move(name), std::move(parameters), std::move(body)});
  return result;
}
template <class T>
Slot address(std::vector<T> &data) {
  Slot slot{};
  slot.pointer = data.data();
  return slot;
}
inline Slot integer(std::int64_t value) {
  Slot slot{};
  slot.integer = value;
  return slot;
}

/// Bytes of which NaNs of one type all look the same: their payloads are nobody's promise.
inline std::vector<Bits> values(DType type, const std::vector<std::byte> &bytes) {
  std::vector<Bits> result;
  for (std::size_t i = 0; i < bytes.size(); i += static_cast<std::size_t>(type.bytes())) {
    Bits bits = load_element(type, bytes.data() + i);
    if (type.is_float() && evaluate(UnaryOp::is_nan, type, bits)) bits = ~Bits{0};
    result.push_back(bits);
  }
  return result;
}

}  // namespace c_harness
