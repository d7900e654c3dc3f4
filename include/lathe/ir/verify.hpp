// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Well-formedness of lowered code, and the further forms that passes establish. Run after every pass when asked.

#include <cstdint>

#include "lathe/ir/program.hpp"

namespace lathe::inline LATHE_ABI::ir {

/// Forms as bits; each includes well-formedness: operand types and lanes agree; conditions are bool; variables and buffers are
/// defined where used, and bound once on each path; ranks match; no `Read` and no `Reduce`.
enum Form : std::uint32_t {
  form_lowered = 0,              ///< well-formed
  form_no_vectorized_loops = 1,  ///< no loop is `vectorized`
  form_no_unrolled_loops = 2,    ///< no loop is `unrolled`
  form_no_guarding_selects = 4,  ///< no `Select` guards; loads carry predicates instead
  form_scalar = 8,               ///< no value has lanes (targets without vectors)
  form_scalar_conditions = 16,   ///< conditions of `If` and bounds of loops are scalar
};

/// Throws an internal error that names `after` (a pass), what is wrong, and the statement.
void verify(const Program &program, std::uint32_t form, const std::string &after);

}  // namespace lathe::inline LATHE_ABI::ir
