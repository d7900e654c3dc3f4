// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Calls C functions that only run time knows, for the evaluators that generate no code.

#include <span>

#include "lathe/ir/evaluate.hpp"
#include "lathe/ir/expr.hpp"

namespace lathe::inline LATHE_ABI::codegen {

/// The address of an external function: its own, or what the dynamic loader finds by its name.
/// \throws Error G001 when no loaded library has the name.
const void *resolve(const ir::ExternalFunction &function);

/// Calls a function of the C ABI that takes scalars of `types` and gives one of type `result`: at most 6 integers (bool and small
/// floats count as integers) and 8 floats. \throws Error G002 for more.
ir::Bits call_external(const void *address, DType result, std::span<const DType> types, std::span<const ir::Bits> arguments);

}  // namespace lathe::inline LATHE_ABI::codegen
