// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Tensors and expressions as text for people.

#include <string>

#include "lathe/expr/tensor.hpp"
#include "lathe/ir/print.hpp"

namespace lathe::inline LATHE_ABI {

/// The operation behind a tensor with its shape and body.
inline std::string to_string(const AnyTensor &tensor) { return ir::to_string(tensor.untyped().operation); }
/// The same of a typed tensor.
template <class T, int Rank>
std::string to_string(const Tensor<T, Rank> &tensor) {
  return ir::to_string(tensor.untyped().operation);
}
/// The expression with as few brackets as precedence allows.
template <class T>
std::string to_string(const Expr<T> &e) {
  return ir::to_string(e.untyped());
}

}  // namespace lathe::inline LATHE_ABI
