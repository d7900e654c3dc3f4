// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Places in memory that a loop updates again and again: they become values while the loop runs.
///
///     for k: C[i, j] = C[i, j] + A[i, k] * B[k, j]   →   c = C[i, j];  for k: c = c + A[i, k] * B[k, j];  C[i, j] = c

#include "lathe/codegen/access.hpp"
#include "lathe/codegen/llvm_uses.hpp"
#include "lathe/ir/stmt.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::codegen {

/// The places that a loop accesses of one buffer: all at `access` but for its constant, lanes and kind, which `places` hold.
struct LlvmAccumulator {
  ir::Buffer buffer;
  Access access;
  LlvmPlaces places;
  ir::Expr predicate;  ///< of every access; optional
};

/// Those of `candidates`, buffers that `loop` stores to, whose every access in it is to the same places whatever the iteration,
/// at least once in every one, and never after a check.
List<LlvmAccumulator> find_accumulators(const ir::For &loop, const List<ir::Buffer> &candidates);

/// Adds a place unless it overlaps another one in part, or there are too many.
bool add_place(LlvmPlaces &places, std::int64_t offset, int lanes);

}  // namespace lathe::inline LATHE_ABI::codegen
