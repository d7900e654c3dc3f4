// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Which liberties generated code may take with floating-point arithmetic.

#include "lathe/version.hpp"

namespace lathe::inline LATHE_ABI {

/// Nothing is relaxed but what is said here. The default contracts products feeding sums, as g++ and clang do.
struct Numerics {
  bool contract = true;  ///< a * b + c may become one fused multiply-add where the target has it
  bool no_nan = false;   ///< min and max may assume that no operand is NaN
  /// Math functions are those of the C library, one call an element, instead of Lathe's own (types/math_functions.hpp).
  bool library_math = false;

  /// No liberty at all: every operation rounds as written. Math functions stay Lathe's own, which back ends agree on.
  static constexpr Numerics strict() { return {.contract = false, .no_nan = false, .library_math = false}; }
  friend bool operator==(const Numerics &, const Numerics &) = default;  ///< the same liberties
};

}  // namespace lathe::inline LATHE_ABI
