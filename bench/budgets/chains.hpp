// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// What lowering costs as programs grow: chains of elementwise stages, each reading the one before.

#include "budgets/cost.hpp"

namespace budgets {

/// Where the stages of a chain are computed.
enum class Placement {
  root,  ///< each as a whole
  at,    ///< each inside a loop of the last one
};

/// Lowering a scheduled chain of `stages` and running all passes, up to code generation: seconds a stage, the median of some
/// runs.
Cost lowering_of_chain(int stages, Placement placement);

}  // namespace budgets
