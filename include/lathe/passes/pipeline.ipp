// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The table of passes.

#include <string>
#include <utility>

#include "lathe/ir/verify.hpp"
#include "lathe/passes/contract_multiply_adds.hpp"
#include "lathe/passes/fill_vectors.hpp"
#include "lathe/passes/guard_loads.hpp"
#include "lathe/passes/lower_math_functions.hpp"
#include "lathe/passes/narrow_indices.hpp"
#include "lathe/passes/partition_loops.hpp"
#include "lathe/passes/pipeline.hpp"
#include "lathe/passes/reuse_buffers.hpp"
#include "lathe/passes/share_loads.hpp"
#include "lathe/passes/simplify_loops.hpp"
#include "lathe/passes/unroll_loops.hpp"
#include "lathe/passes/vectorize_loops.hpp"
#include "lathe/passes/widen_small_floats.hpp"

namespace lathe::inline LATHE_ABI::passes {

LATHE_INLINE std::span<const Row> pipeline() {
  constexpr std::uint32_t guarded = ir::form_no_guarding_selects;
  constexpr std::uint32_t vectorized = guarded | ir::form_no_vectorized_loops | ir::form_scalar_conditions;
  constexpr std::uint32_t unrolled = vectorized | ir::form_no_unrolled_loops;
  static constexpr Row rows[] = {
      {"simplify_loops", simplify_loops, ir::form_lowered},
      {"partition_loops", partition_loops, ir::form_lowered},
      {"guard_loads", guard_loads, guarded},
      {"widen_small_floats", widen_small_floats, guarded},
      {"vectorize_loops", vectorize_loops, vectorized},
      {"unroll_loops", unroll_loops, unrolled},
      {"simplify_loops", simplify_loops, unrolled},
      {"fill_vectors", fill_vectors, unrolled},
      {"narrow_indices", narrow_indices, unrolled},
      {"contract_multiply_adds", contract_multiply_adds, unrolled},
      {"lower_math_functions", lower_math_functions, unrolled},
      {"share_loads", share_loads, unrolled},
      {"reuse_buffers", reuse_buffers, unrolled},
  };
  return rows;
}

LATHE_INLINE ir::Program run_passes(ir::Program program, const PassContext &context, const PipelineOptions &options) {
  if (options.verify) ir::verify(program, ir::form_lowered, "lowering");
  for (const Row &row : pipeline()) {
    const auto start = std::chrono::steady_clock::now();
    try {
      for (ir::Function &function : program.functions) function.body = row.function(function.body, context);
    } catch (const Error &error) {
      fail_again(error, program.place_of(error.stage()));
    }
    if (options.times) options.times->push_back({row.name, std::chrono::steady_clock::now() - start});
    if (options.verify) ir::verify(program, row.form, std::string(row.name));
    if (options.dump) options.dump(row.name, program);
  }
  return program;
}

}  // namespace lathe::inline LATHE_ABI::passes
