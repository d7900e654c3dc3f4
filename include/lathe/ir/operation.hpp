// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Operations: what a tensor is, before any schedule.

#include <cstddef>
#include <memory>

#include "lathe/ir/expr.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::ir {

/// How (possibly tuple-valued) partial results combine. `lhs` is the accumulator, `rhs` the new element.
struct ReducerNode : Counted {
  std::string name;  ///< "sum"
  /// @{
  /// The accumulators and the new elements, one per output.
  List<Var> lhs, rhs;
  /// @}
  List<Expr> result;         ///< over lhs and rhs, one per output
  List<Expr> identity;       ///< constants, one per output
  bool associative = false;  ///< parts may be combined apart, each from the identity: up to rounding the same
  bool commutative = false;  ///< the two sides may change places
};

/// Where an operation's elements come from.
enum class OperationKind : std::uint8_t {
  placeholder,  ///< an argument of the kernel
  constant,     ///< data known when the kernel is made
  compute,      ///< an expression per element
};

/// What an argument's memory is promised to be, checked when the kernel is called.
struct MemoryPromise {
  List<Expr> strides;  ///< in elements; empty: compact, row-major
  int alignment = 0;   ///< bytes; 0: the element's
};

/// What computes one or more tensors of one shape. Fields of other kinds than its own are empty.
struct OperationNode : Counted {
  OperationKind kind = OperationKind::compute;  ///< which fields mean something
  std::string name;                             ///< of the tensors, as printouts show it; need not be unique
  Location place;                               ///< the user's line
  List<Expr> shape;                             ///< extents of every output, index-typed
  List<std::string> extent_names;               ///< names that extents were given, one per dimension, "" for none; or empty
  List<DType> types;                            ///< of the outputs
  List<Var> axes;                               ///< compute: one per dimension, over [0, shape[i])
  List<Expr> bodies;                            ///< compute: one per output; all are `Reduce` or none is
  MemoryPromise memory;                         ///< placeholder
  std::shared_ptr<const List<std::byte>> data;  ///< constant: elements in row-major order

  /// The first body, if the operation reduces, or null.
  const Reduce *reduction() const { return bodies.empty() ? nullptr : bodies.front().as<Reduce>(); }
};

/// @{
/// Of the operation behind a tensor; the type is that of its output.
inline const std::string &name_of(const Tensor &tensor) { return tensor.operation->name; }
inline const List<Expr> &shape_of(const Tensor &tensor) { return tensor.operation->shape; }
inline DType type_of(const Tensor &tensor) { return tensor.operation->types[static_cast<std::size_t>(tensor.output)]; }
/// @}

/// The tensors that the bodies (and shapes) of an operation read, in order of first use, each once.
List<Tensor> inputs_of(const Operation &operation);

/// All operations that `outputs` need, producers before consumers, in depth-first order of first use.
List<Operation> post_order(const List<Operation> &outputs);

}  // namespace lathe::inline LATHE_ABI::ir
