// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Promises about expressions.

#include "lathe/expr/functions.hpp"
#include "lathe/ir/print.hpp"

namespace lathe::inline LATHE_ABI::typing {

LATHE_INLINE ir::Expr assume_range(ir::Expr index, ir::Expr low, ir::Expr high) {
  const auto least = ir::constant_integer(low), greatest = ir::constant_integer(high);
  if (least && greatest && *least > *greatest)
    fail("E006", {"assume_range(): no index lies in [", *least, ", ", *greatest, "]: both ends are included"}, {},
         {{"help", "write the least and the greatest index,  assume_range(ids(i), 0, n - 1)", {}}});
  return ir::ranged(std::move(index), std::move(low), std::move(high));
}

LATHE_INLINE ir::Expr unchecked(const ir::Expr &read) {
  const auto *node = read.as<ir::Read>();
  if (!node)
    fail("E005", {"unchecked() takes the read of a tensor's element, not ", ir::to_string(read)}, {},
         {{"help", "mark the read itself,  unchecked(table(ids(i))) * 2", {}}});
  return ir::read(node->tensor, node->indices, true);
}

}  // namespace lathe::inline LATHE_ABI::typing
