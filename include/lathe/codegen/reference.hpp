// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The oracle of every test: tensors evaluated as they are written, element by element, without schedule, lowering or loops.
///
/// It shares nothing with the path from schedule to code but the scalar operators of ir/evaluate.hpp.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "lathe/ir/evaluate.hpp"
#include "lathe/ir/operation.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::codegen {

/// A whole tensor of any rank (rank 0: one element), compact and row-major.
struct ReferenceArray {
  DType type;                ///< of the elements
  List<std::int64_t> shape;  ///< extents
  List<std::byte> data;      ///< elements as in memory, row-major

  ReferenceArray() = default;
  /// Zeros.
  ReferenceArray(DType element, List<std::int64_t> extents);
  /// A copy of the elements at `elements`.
  ReferenceArray(DType element, List<std::int64_t> extents, const void *elements);

  std::int64_t size() const;  ///< elements
  /// @{
  /// The element at a position in row-major order: its pattern, or its value as a number.
  ir::Bits at(std::int64_t element) const;
  void set(std::int64_t element, ir::Bits bits);
  double number(std::int64_t element) const { return ir::to_double(type, at(element)); }
  /// @}
  /// The same type, shape and bits.
  friend bool operator==(const ReferenceArray &, const ReferenceArray &) = default;
};

/// In what the oracle computes.
enum class Arithmetic {
  in_program_types,  ///< bit for bit what the semantics of the IR say; reductions one element after another in the axes' order
  in_double,  ///< every float is a float64 and never rounded to a narrower type; integers, bools and indices stay as they are
};

/// What the tensors are computed from.
struct ReferenceInputs {
  /// Placeholders; a computed tensor given here is not computed. In double, arrays may be of the tensor's type or float64.
  List<std::pair<ir::Tensor, ReferenceArray>> tensors;
  /// Scalar arguments and size symbols. A size symbol missing here is taken from the first placeholder whose shape names it
  /// alone.
  List<std::pair<ir::Var, ir::Bits>> scalars;
};

/// Evaluates `outputs`, each tensor on the way once and whole. In double, arrays of floating tensors come as float64.
/// \throws Error R001 for an index out of bounds that no condition guards, R004 for overflow of index arithmetic, R005 for a
/// broken promise of a range, R008 for a missing or ill-shaped input, G001 for a C function that is not loaded, G002 at the
/// call of one with more than 6 integers or 8 floats.
List<ReferenceArray> evaluate_reference(std::span<const ir::Tensor> outputs, const ReferenceInputs &inputs,
                                        Arithmetic arithmetic = Arithmetic::in_program_types);

}  // namespace lathe::inline LATHE_ABI::codegen
