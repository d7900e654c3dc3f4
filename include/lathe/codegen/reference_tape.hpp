// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The reference evaluator's expressions: a graph of scalar nodes compiled once to a flat list of steps over registers, then run
/// for every element.
///
/// A node is computed once however often it is used. What only one arm of a guarding `Select`, or the right side of && or ||,
/// needs is skipped where the condition says so. A node shared between such arms becomes a procedure that the first to need it
/// runs, so the list stays linear in the number of nodes.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "lathe/codegen/reference.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::codegen::reference_evaluation {

/// A tensor's elements as `Bits` of `type`, row-major.
struct Storage {
  DType type;
  List<std::int64_t> shape;
  List<ir::Bits> elements;
};

/// Finds the elements of a tensor that was evaluated before.
using FindStorage = FunctionRef<const Storage &(const ir::Tensor &)>;

/// The registers that all tapes of an operation share: a register keeps constants and variables, every other is written by one
/// step.
class Registers {
 public:
  std::uint32_t fresh() {
    values_.push_back(0);
    return size() - 1;
  }
  std::uint32_t of_variable(const ir::Var &var);
  std::uint32_t size() const { return static_cast<std::uint32_t>(values_.size()); }
  bool knows(const ir::Var &var) const { return variables_.contains(var); }
  ir::Bits &operator[](std::uint32_t index) { return values_[index]; }
  ir::Bits *data() { return values_.data(); }

 private:
  List<ir::Bits> values_{0};  // the first one serves steps without a target
  ir::VarMap<std::uint32_t> variables_;
};

enum class Code : std::uint8_t {
  index_add,
  index_sub,
  index_mul,
  index_less,  ///< the commonest, without a call
  unary,
  binary,
  mul_add,
  select,
  cast,
  read,
  ranged,
  call,
  move,
  jump,
  jump_if_false,
  jump_if_true,  ///< to instruction `b`; on register `a`
  force,
  finish,  ///< runs procedure `a` unless it ran for this element; ends it
  stop,
};

struct Instruction {
  Code code;
  std::uint8_t op = 0;  ///< UnaryOp, BinaryOp or CastMode
  std::uint32_t target = 0, a = 0, b = 0, c = 0;
  DType type = {}, from = {};
};

/// Where a tape reads a tensor or calls a function.
struct Site {
  const ir::ExprNode *node = nullptr;
  const Storage *storage = nullptr;
  const void *function = nullptr;
  List<std::uint32_t> operands = {};
  List<DType> types = {};
};

/// Several expressions evaluated together.
class Tape {
 public:
  /// Runs all steps; the results are then in the registers `roots()`. \throws Error R001, R004, R005 without place or stage.
  void run(Registers &registers);
  const List<std::uint32_t> &roots() const { return roots_; }

 private:
  friend class TapeCompiler;
  void read(const Instruction &step, ir::Bits *values) const;
  void call(const Instruction &step, ir::Bits *values) const;

  List<Instruction> code_;
  List<Site> sites_;
  List<std::uint32_t> roots_;
  List<std::uint32_t> procedure_starts_;
  List<std::uint64_t> done_;     // of each procedure: the run that it last ran in
  List<std::uint32_t> returns_;  // of the procedures under way
  std::uint64_t runs_ = 0;
};

/// Compiles `roots` in the given arithmetic.
Tape compile_tape(const List<ir::Expr> &roots, Registers &registers, FindStorage find_storage, Arithmetic arithmetic);

/// float64 for every float in double, else the type itself.
inline DType computed_type(DType type, Arithmetic arithmetic) {
  return arithmetic == Arithmetic::in_double && type.is_float() ? DType(scalar_types::float64) : type;
}

}  // namespace lathe::inline LATHE_ABI::codegen::reference_evaluation
