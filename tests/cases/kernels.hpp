// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Kernels as programs have them, each with data and the evaluator's results: what is compiled for every processor.

#include <string>
#include <vector>

#include "cases/every_backend.hpp"

namespace cases {

/// A kernel under a schedule.
struct KernelCase {
  std::string name;  ///< a C identifier
  Schedule schedule;
  std::vector<Given> given;
  int tolerance = 0;  ///< units in the last place, where math functions are
};

/// All of them.
std::vector<KernelCase> kernels();

}  // namespace cases
