// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// What the interpreter runs: a tree of statements whose expressions are flat lists of instructions over registers. Compiled once
/// per run, so that variables and buffers are numbers by then.

#include <cstdint>

#include "lathe/codegen/interpret_memory.hpp"
#include "lathe/ir/program.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::codegen::interpreter {

/// A value: a register per lane, one after another.
struct Value {
  std::uint32_t start = 0;
  std::uint16_t lanes = 1;
  /// The register of lane `lane`; a scalar has the same value in all lanes.
  std::uint32_t lane(int lane) const { return lanes == 1 ? start : start + static_cast<std::uint32_t>(lane); }
};

enum class Code : std::uint8_t {
  add_index,
  sub_index,
  mul_index,
  less_index,  ///< scalars only
  unary,
  binary,
  mul_add,
  select,
  cast,
  ramp,
  broadcast,
  shuffle,
  load,
  ranged,
  call,
  move,
  mask_and,
  mask_and_not,  ///< lanes of `a` (if any) where `b` holds, or does not
  jump,
  jump_if_false,
  jump_if_true,  ///< to instruction `site`; on `a`
  force,
  finish,  ///< runs procedure `site` unless it ran for this statement; ends it
  stop,
};

struct Instruction {
  Code code = Code::stop;
  std::uint8_t op = 0;  ///< UnaryOp, BinaryOp or CastMode
  bool masked = false;  ///< only in the lanes where `c` holds: load, ranged, call
  Value target = {}, a = {}, b = {}, c = {};
  std::uint32_t site = 0;
  DType type = {}, from = {};
};

/// The further operands of an instruction.
struct Site {
  List<Value> operands = {};
  List<DType> types = {};
  List<int> lanes = {};  ///< of a shuffle
  std::uint32_t memory = 0;
  bool predicated = false;
  Value predicate = {};
  const void *function = nullptr;
};

/// A statement. Which fields count depends on its kind.
struct Statement {
  ir::StmtKind kind = ir::StmtKind::block;
  const ir::StmtNode *node = nullptr;
  std::uint32_t start = 0;        ///< its expressions, from this instruction to the next `stop`
  Value value = {};               ///< loop variable, stored value, condition
  Site site = {};                 ///< store: where; loop: min and extent; a buffer of an allocate: shape, then strides
  List<Statement> children = {};  ///< allocate: one for each buffer, then the body
};

/// A function, compiled.
struct CompiledFunctionCode {
  List<Instruction> instructions;
  List<Site> sites;
  List<std::uint32_t> procedure_starts;
  List<ir::Bits> registers;         ///< initial values: constants are in place
  List<ir::Buffer> buffers;         ///< of each memory, by number; those of the parameters first
  List<Value> scalars;              ///< of each parameter: its register, for scalars
  List<std::uint32_t> memories;     ///< of each parameter: its memory, for buffers
  List<Statement> layouts;          ///< of each parameter: shape and strides, for buffers
  List<Statement> requirements;     ///< of the program
  List<bool> watched;               ///< of each memory: written in a parallel loop
  std::size_t parallel_levels = 0;  ///< nesting depth of parallel loops
  Statement body;
};

/// What is called by name and address: the addresses that the arguments give, beside those that functions have.
using FindFunction = FunctionRef<const void *(const ir::ExternalFunction &)>;

CompiledFunctionCode compile_function(const ir::Program &program, FindFunction find_function);

}  // namespace lathe::inline LATHE_ABI::codegen::interpreter
