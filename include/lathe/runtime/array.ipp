// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Sizes of arrays, and what is wrong with some.

#include <string>

#include "lathe/diag/diagnostic.hpp"
#include "lathe/runtime/array.hpp"

namespace lathe::inline LATHE_ABI {

LATHE_INLINE std::size_t array_bytes(const std::int64_t *shape, int rank, std::size_t element_bytes) {
  std::int64_t bytes = static_cast<std::int64_t>(element_bytes);
  bool overflows = false, is_empty = false;
  for (int d = 0; d < rank; ++d) {
    if (shape[d] < 0) {
      fail("K101", {"an array has no negative extents, but dimension ", d, " is ", shape[d]}, {},
           {{"help", "check the arithmetic of the extent; an empty dimension is 0", {}}});
    }
    // An empty array may have any other extents, so an overflow counts only when no extent is 0.
    is_empty = is_empty || shape[d] == 0;
    overflows = overflows || (shape[d] > 0 && __builtin_mul_overflow(bytes, shape[d], &bytes));
  }
  if (is_empty) return 0;
  if (overflows) {
    fail("K101", "an array of this shape has more bytes than 63 bits can count", {},
         {{"help", {"check the extents: their product times ", element_bytes, " bytes overflows"}, {}}});
  }
  return static_cast<std::size_t>(bytes);
}

LATHE_INLINE void fail_ragged_rows(std::size_t first, std::size_t other) {
  fail("K102", {"the rows of an array have one length, but the first has ", first, " elements and another ", other}, {},
       {{"help", "fill the shorter rows up", {}}});
}

}  // namespace lathe::inline LATHE_ABI
