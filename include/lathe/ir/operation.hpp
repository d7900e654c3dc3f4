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
  std::string name;
  List<Var> lhs, rhs;
  List<Expr> result;    ///< over lhs and rhs, one per output
  List<Expr> identity;  ///< constants, one per output
  bool associative = false;
  bool commutative = false;
};

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

struct OperationNode : Counted {
  OperationKind kind = OperationKind::compute;
  std::string name;
  Location place;
  List<Expr> shape;                             ///< extents of every output, index-typed
  List<std::string> extent_names;               ///< names that extents were given, one per dimension, "" for none; or empty
  List<DType> types;                            ///< of the outputs
  List<Var> axes;                               ///< compute: one per dimension, over [0, shape[i])
  List<Expr> bodies;                            ///< compute: one per output; all are `Reduce` or none is
  MemoryPromise memory;                         ///< placeholder
  std::shared_ptr<const List<std::byte>> data;  ///< constant: elements in row-major order

  const Reduce *reduction() const { return bodies.empty() ? nullptr : bodies.front().as<Reduce>(); }
};

inline const std::string &name_of(const Tensor &tensor) { return tensor.operation->name; }
inline const List<Expr> &shape_of(const Tensor &tensor) { return tensor.operation->shape; }
inline DType type_of(const Tensor &tensor) { return tensor.operation->types[static_cast<std::size_t>(tensor.output)]; }

/// The tensors that the bodies (and shapes) of an operation read, in order of first use, each once.
List<Tensor> inputs_of(const Operation &operation);

/// All operations that `outputs` need, producers before consumers, in depth-first order of first use.
List<Operation> post_order(const List<Operation> &outputs);

}  // namespace lathe::inline LATHE_ABI::ir
