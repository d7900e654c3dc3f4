// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Hand-built loops for the tests of passes: short names to build them, and a run of them by the interpreter on distinct values.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "lathe/codegen/interpret.hpp"
#include "lathe/ir/build.hpp"
#include "lathe/ir/evaluate.hpp"
#include "lathe/ir/print.hpp"
#include "lathe/ir/verify.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/passes/pass.hpp"

namespace loops {

using namespace lathe;
using ir::Buffer;
using ir::Expr;
using ir::LoopKind;
using ir::Stmt;
using ir::Var;

inline const DType f32(scalar_types::float32);
inline const DType i32(scalar_types::int32);
inline const DType index_type(scalar_types::index);

inline Var index_var(std::string name) { return Var(std::move(name), index_type); }
inline Var size_var(std::string name) { return Var(std::move(name), index_type, true); }
inline Expr number(double value, DType type = f32) { return ir::constant(type, value); }

inline Stmt loop(const Var &var, Expr extent, Stmt body, LoopKind kind = LoopKind::serial, Expr min = 0) {
  return ir::make(ir::For{var, std::move(min), std::move(extent), kind, std::move(body)});
}
inline Stmt vectorized(const Var &var, Expr extent, Stmt body) {
  return loop(var, std::move(extent), std::move(body), LoopKind::vectorized);
}
inline Stmt unrolled(const Var &var, Expr extent, Stmt body) {
  return loop(var, std::move(extent), std::move(body), LoopKind::unrolled);
}
inline Stmt store(const Buffer &buffer, std::vector<Expr> indices, Expr value, Expr predicate = {}) {
  return ir::make(ir::Store{buffer, std::move(indices), std::move(value), std::move(predicate)});
}
inline Stmt when(Expr condition, Stmt yes, Stmt no = {}) {
  return ir::make(ir::If{std::move(condition), std::move(yes), std::move(no)});
}
inline Stmt allocate(const Buffer &buffer, Stmt body) { return ir::make(ir::Allocate{{buffer}, std::move(body)}); }
inline Stmt let(const Var &var, Expr value, Stmt body) { return ir::make(ir::Bind{var, std::move(value), std::move(body)}); }
inline Stmt check(Expr condition, std::string message) {
  return ir::make(ir::Check{std::move(condition), std::move(message), {}});
}
inline Stmt sequence(std::vector<Stmt> body, std::string label = {}) {
  return ir::make(ir::Block{std::move(body), std::move(label)});
}

inline passes::PassContext on_vectors() {
  passes::PassContext context;
  context.target.vectors = true;
  context.target.has_fma = true;
  context.target.vector_bits = 256;
  return context;
}

/// A body with its parameters. Sizes are given values; memory follows from the shapes.
struct Code {
  std::vector<Buffer> inputs, outputs;
  std::vector<std::pair<Var, std::int64_t>> sizes;
  Stmt body;

  ir::Program program(const Stmt &with) const {
    ir::Function function{"f", {}, with};
    for (const Buffer &b : inputs) function.parameters.push_back({ir::ParameterKind::input, b->name, b, {}, {}, {}, true});
    for (const Buffer &b : outputs) function.parameters.push_back({ir::ParameterKind::output, b->name, b, {}, {}, {}, true});
    for (const auto &[var, value] : sizes)
      function.parameters.push_back({ir::ParameterKind::scalar, var.name(), {}, var, {}, {}, true});
    return {{function}, {}, 0};
  }

  std::int64_t elements(const Buffer &buffer) const {
    std::int64_t count = 1;
    for (const Expr &extent : buffer->shape) {
      const Expr value = ir::rewrite(extent, [&](const Expr &e) -> Expr {
        if (const auto *v = e.as<ir::VarRef>())
          for (const auto &[var, size] : sizes)
            if (var == v->var) return size;
        const auto *b = e.as<ir::Binary>();
        return b ? ir::binary(b->op, b->a, b->b) : e;
      });
      count *= ir::constant_integer(value).value();
    }
    return count;
  }
};

using Memory = std::vector<std::vector<std::byte>>;

/// What the outputs hold after `body` has run, poison where nothing was written. Input elements are distinct small integers.
inline Memory run(const Code &code, const Stmt &body) {
  Memory memory;
  std::vector<Slot> slots;
  const auto add = [&](const Buffer &b, bool input) {
    const std::int64_t count = code.elements(b);
    const auto bytes = static_cast<std::size_t>(b->type.bytes());
    memory.emplace_back(static_cast<std::size_t>(count) * bytes + 1, std::byte{0x5a});
    for (std::int64_t i = 0; input && i < count; ++i)
      ir::store_element(b->type, memory.back().data() + static_cast<std::size_t>(i) * bytes,
                        ir::from_integer(i32, 3 * i - 20 + 1000 * static_cast<std::int64_t>(slots.size())) & 0xffffffffu);
    if (input && !b->type.is_integer())
      for (std::int64_t i = 0; i < count; ++i)
        ir::store_element(b->type, memory.back().data() + static_cast<std::size_t>(i) * bytes,
                          ir::from_double(b->type, static_cast<double>(3 * i - 20) + 100 * static_cast<double>(slots.size())));
    Slot slot;
    slot.pointer = memory.back().data();
    slots.push_back(slot);
  };
  memory.reserve(code.inputs.size() + code.outputs.size());
  for (const Buffer &b : code.inputs) add(b, true);
  for (const Buffer &b : code.outputs) add(b, false);
  for (const auto &[var, value] : code.sizes) {
    Slot slot;
    slot.integer = value;
    slots.push_back(slot);
  }
  codegen::interpret(code.program(body), slots);
  return Memory(memory.begin() + static_cast<std::ptrdiff_t>(code.inputs.size()), memory.end());
}

/// Output `position` as numbers; poison included.
template <class T>
std::vector<T> values(const Memory &outputs, std::size_t position = 0) {
  std::vector<T> result(outputs[position].size() / sizeof(T));
  std::memcpy(result.data(), outputs[position].data(), result.size() * sizeof(T));
  return result;
}
template <class T>
std::vector<T> interpreted(const Code &code, const Stmt &body, std::size_t position = 0) {
  return values<T>(run(code, body), position);
}
/// Element i of the input at `position`, as run() makes it.
inline float input_element(std::int64_t i, int position = 0) { return static_cast<float>(3 * i - 20 + 100 * position); }

/// `pass` gives well-formed code of `form` that computes what `code` computes. Returns its text.
inline std::string same_meaning(const Code &code, ir::Stmt (*pass)(const Stmt &, const passes::PassContext &),
                                std::uint32_t form = 0, const passes::PassContext &context = on_vectors()) {
  const Stmt after = pass(code.body, context);
  ir::verify(code.program(code.body), ir::form_lowered, "the test");
  ir::verify(code.program(after), form, "the pass");
  EXPECT_EQ(run(code, code.body), run(code, after)) << ir::to_string(code.body) << "\nbecame\n" << ir::to_string(after);
  return ir::to_string(after);
}

}  // namespace loops
