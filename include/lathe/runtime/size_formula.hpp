// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Expressions over the sizes of a call, made ready to be computed in nanoseconds.

#include <cstdint>
#include <optional>

#include "lathe/ir/expr.hpp"
#include "lathe/runtime/abi.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI {

/// An integer or condition over size symbols, as steps on a small stack.
class SizeFormula {
 public:
  SizeFormula() = default;
  /// `symbols` by slot, here and below; an undefined one where the slot is none.
  SizeFormula(const ir::Expr &e, const List<ir::Var> &symbols);

  /// The value where the symbols have those of the slots. \throws Error X001 if the expression is not one of sizes.
  std::int64_t value(const List<ir::Var> &symbols, const Slot *slots) const;
  const ir::Expr &expression() const { return expression_; }  ///< what it computes

 private:
  enum class Kind : std::uint8_t { constant, symbol, unary, binary, cast, select };
  struct Step {
    Kind kind = Kind::constant;
    std::uint8_t op = 0;      ///< of the operator, or the mode of a cast
    DType type, from;         ///< of operands; of a cast: to and from
    std::uint64_t value = 0;  ///< a constant's bits, or a slot
  };
  static constexpr std::size_t most_steps = 64, most_values = 16;

  bool add(const ir::Expr &e, const List<ir::Var> &symbols, std::size_t depth);
  std::optional<std::int64_t> quick(const Slot *slots) const;
  std::int64_t exact(const List<ir::Var> &symbols, const Slot *slots) const;

  ir::Expr expression_;
  List<Step> steps_;  ///< operands before operators; none where the expression is too much for them
};

}  // namespace lathe::inline LATHE_ABI
