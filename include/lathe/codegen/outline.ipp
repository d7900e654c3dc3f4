// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Captures of parallel loops.

#include <utility>

#include "lathe/codegen/outline.hpp"

namespace lathe::inline LATHE_ABI::codegen {

LATHE_INLINE Captures captures_of(const ir::For &loop) {
  ir::FreeNames names = ir::free_names(loop.body);
  Captures captures{std::move(names.vars), std::move(names.buffers), std::move(names.functions)};
  erase_if(captures.vars, [&](const ir::Var &var) { return var == loop.var; });
  return captures;
}

}  // namespace lathe::inline LATHE_ABI::codegen
