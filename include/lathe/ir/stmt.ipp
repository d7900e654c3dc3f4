// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Sequences of statements.

#include "lathe/ir/operation.hpp"
#include "lathe/ir/stmt.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::ir {

LATHE_INLINE Stmt block(List<Stmt> body, std::string label) {
  erase_if(body, [](const Stmt &s) { return !s.defined(); });
  if (body.size() == 1 && label.empty()) return body.front();
  return make(Block{std::move(body), std::move(label)});
}

}  // namespace lathe::inline LATHE_ABI::ir
