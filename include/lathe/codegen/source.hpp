// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Generated text with what is needed to compile and call it.

#include <string>

#include "lathe/ir/program.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI {

/// A program as source text.
struct Source {
  std::string text;                    ///< a whole file
  std::string entry;                   ///< name of the function to call; the ABI is that of runtime/abi.hpp
  List<ir::Parameter> parameters;      ///< one per slot, in order
  List<ir::Check> checks;              ///< a status of n > 0 from the function means that checks[n - 1] failed
  List<ir::Requirement> requirements;  ///< what callers see to: the function does not check its sizes
};

}  // namespace lathe::inline LATHE_ABI
