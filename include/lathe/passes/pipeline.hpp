// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The passes between lowering and code generation: one table, and what runs it.

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "lathe/ir/program.hpp"
#include "lathe/passes/pass.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::passes {

/// A pass in the pipeline.
struct Row {
  std::string_view name;                                        ///< of the function, and of its file
  ir::Stmt (*function)(const ir::Stmt &, const PassContext &);  ///< rewrites the body of one function
  std::uint32_t form;  ///< ir::Form bits that hold after it, those of the rows before included
};

/// The rows in the order in which they run:
///
///     simplify_loops            loops and conditions that say nothing go
///     partition_loops           steady loops without conditions, and what is left of them
///     guard_loads               conditional evaluation becomes predicates of loads
///     widen_small_floats        float16 and bfloat16 are computed in float32
///     vectorize_loops           loops become lanes
///     unroll_loops              loops become copies
///     simplify_loops            constants that lanes and copies brought
///     fill_vectors              vectors of a stage's own memory need no masks
///     narrow_indices            lanes of indices need not have 64 bits; when lanes and copies have made them what they are
///     contract_multiply_adds    products fuse with sums
///     lower_math_functions      functions that need no library become arithmetic
///     share_loads               overlapping vectors of a row are read once; weighs loads against arithmetic as it will be
///     reuse_buffers             memory that is free is taken again; last, since the others tell buffers apart
///
/// Forms that hold from a row on: guard_loads form_no_guarding_selects, vectorize_loops form_no_vectorized_loops and
/// form_scalar_conditions, unroll_loops form_no_unrolled_loops.
std::span<const Row> pipeline();

/// How long a row took for all functions of a program.
struct PassTime {
  std::string_view name;          ///< as in the table
  std::chrono::nanoseconds time;  ///< on the wall, without verifying
};

/// What to watch while passes run.
struct PipelineOptions {
  bool verify = false;  ///< check the form of the program before the first row and after each row
  std::function<void(std::string_view pass, const ir::Program &)> dump;  ///< called after each row, if set
  List<PassTime> *times = nullptr;                                       ///< gets an entry per row, if set
};

/// Runs every row over every function. \throws Error L061 to L065 as passes say, with the place of the
/// stage; X001 when `verify` finds a form broken.
ir::Program run_passes(ir::Program program, const PassContext &context, const PipelineOptions &options = {});

}  // namespace lathe::inline LATHE_ABI::passes
