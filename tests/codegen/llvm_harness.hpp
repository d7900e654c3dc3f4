// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Small programs built by hand, compiled by LLVM and run in this process.

#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "lathe/codegen/llvm_ir.hpp"
#include "lathe/ir/build.hpp"
#include "lathe/ir/evaluate.hpp"
#include "lathe/ir/program.hpp"
#include "lathe/runtime/executor.hpp"
#include "lathe/runtime/llvm_jit.hpp"
#include "lathe/target/target.hpp"

namespace lathe::llvm_harness {

using namespace ir;

inline constexpr DType index_type(scalar_types::index);

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
inline Parameter function(const ExternalFunction &f) {
  Parameter p;
  p.kind = ParameterKind::function;
  p.name = f.name;
  p.function = f;
  return p;
}

inline Stmt store(const Buffer &buffer, std::vector<Expr> indices, Expr value, Expr predicate = {}) {
  return make(Store{buffer, std::move(indices), std::move(value), std::move(predicate)});
}
inline Stmt loop(const Var &var, Expr min, Expr extent, Stmt body, LoopKind kind = LoopKind::serial) {
  return make(For{var, std::move(min), std::move(extent), kind, std::move(body)});
}
inline Expr lanes(Expr base, int n, int stride = 1) { return n == 1 ? base : ramp(std::move(base), Expr(stride), n); }

inline Program program(std::vector<Parameter> parameters, Stmt body) {
  Program p;
  p.functions.push_back({"kernel", std::move(parameters), std::move(body)});
  return p;
}

/// A slot from an address, an integer or a float.
inline Slot slot(const void *pointer) {
  Slot s;
  s.pointer = const_cast<void *>(pointer);
  return s;
}
inline Slot slot(std::int64_t value) {
  Slot s;
  s.integer = value;
  return s;
}

class Compiled {
 public:
  explicit Compiled(const Program &program, const Target &target = Target::host(), const codegen::LlvmTextOptions &options = {})
      : text_(codegen::emit_llvm(program, target, options)) {
    // No passes: the text has to be right and good as it stands.
    LlvmOptions llvm;
    llvm.passes = "";
    llvm.codegen_level = 1;
    module_ = compile_llvm(text_, target, llvm);
  }

  const std::string &text() const { return text_; }
  std::int32_t run(const std::vector<Slot> &slots, Executor *executor = nullptr, const char *name = "kernel") const {
    SerialExecutor serial;
    const Args args{slots.data(), 0, 0};
    return module_->function(name)(&args, &(executor ? *executor : serial).runtime());
  }

 private:
  std::string text_;
  std::shared_ptr<const LlvmModule> module_;
};

/// How often `part` stands in `text`.
inline int count(const std::string &text, const std::string &part) {
  int n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

/// Processors whose code runs here: the oldest one, and those with the vectors that this machine has.
inline std::vector<Target> runnable_targets() {
  std::vector<Target> targets;
  const Target host = Target::host();
  if (host.triple.rfind("x86_64", 0) == 0) {
    targets.push_back(Target::host("x86-64"));
    if (host.has("avx2") && host.has("fma") && host.has("f16c")) targets.push_back(Target::host("x86-64-v3"));
  }
  targets.push_back(host);
  return targets;
}

// ---- elements
// ------------------------------------------------------------------------------------------------------------------

inline bool is_nan(DType type, Bits bits) { return type.is_float() && evaluate(UnaryOp::is_nan, type, bits) != 0; }

/// Equal patterns; all NaNs are one.
inline bool same_value(DType type, Bits a, Bits b) { return a == b || (is_nan(type, a) && is_nan(type, b)); }

/// The least, greatest and unusual values of a type, as patterns.
inline std::vector<Bits> special_values(DType type) {
  std::vector<Bits> values;
  if (type.is_bool()) return {0, 1};
  if (!type.is_float()) {
    for (const std::int64_t v : {0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 63, 64, 65, 100, -1, -2, -3, -7, -8, -31, -32, -64})
      values.push_back(from_integer(type, v));
    const Bits top = Bits{1} << (type.bits() - 1);
    for (const Bits v : {top, top - 1, top + 1, top >> 1}) values.push_back(from_integer(type, static_cast<std::int64_t>(v)));
    return values;
  }
  const int mantissa = type.scalar().mantissa_bits;
  const Bits infinity = ((Bits{1} << type.scalar().exponent_bits) - 1) << mantissa, sign = Bits{1} << (type.bits() - 1);
  for (const Bits v : {Bits{0}, Bits{1}, (Bits{1} << mantissa) - 1, Bits{1} << mantissa, infinity - 1, infinity,
                       infinity + (Bits{1} << (mantissa - 1))})
    values.push_back(v), values.push_back(v | sign);
  for (const double v :
       {1.0, 0.5, 1.5, 2.5, 3.0, 0.1, 127.5, 255.5, 1e10, 2147483648.0, 9.3e18, 1.9e19, 65519.9, 65520.0, 1e-7, 3e38})
    values.push_back(from_double(type, v)), values.push_back(from_double(type, -v));
  return values;
}

/// A random pattern; floats mostly of moderate size.
inline Bits random_value(DType type, std::mt19937_64 &random) {
  const Bits bits = random() >> (64 - type.bits());
  if (!type.is_float() || random() % 4 == 0) return type.is_float() ? bits : from_integer(type, static_cast<std::int64_t>(bits));
  return from_double(type, (static_cast<double>(random() >> 11) * 0x1p-52 - 1) * static_cast<double>(1 << (random() % 12)));
}

/// Elements of a type in memory.
struct Elements {
  DType type;
  std::vector<unsigned char> bytes;
  explicit Elements(DType t, std::size_t n = 0) : type(t), bytes(n * static_cast<std::size_t>(t.bytes()), 0xa5) {}
  std::size_t size() const { return bytes.size() / static_cast<std::size_t>(type.bytes()); }
  void add(Bits value) {
    bytes.resize(bytes.size() + static_cast<std::size_t>(type.bytes()));
    store_element(type, bytes.data() + bytes.size() - static_cast<std::size_t>(type.bytes()), value);
  }
  Bits operator[](std::size_t i) const { return load_element(type, bytes.data() + i * static_cast<std::size_t>(type.bytes())); }
};

inline const std::vector<DType> &all_types() {
  namespace st = scalar_types;
  static const std::vector<DType> types{st::boolean, st::int8,   st::int16,   st::int32,    st::int64,   st::uint8,   st::uint16,
                                        st::uint32,  st::uint64, st::float16, st::bfloat16, st::float32, st::float64, st::index};
  return types;
}

}  // namespace lathe::llvm_harness
