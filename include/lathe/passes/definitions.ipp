// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Every definition of this room.

#include "lathe/passes/conditions.ipp"
#include "lathe/passes/contract_multiply_adds.ipp"
#include "lathe/passes/fill_vectors.ipp"
#include "lathe/passes/guard_loads.ipp"
#include "lathe/passes/independent_lanes.ipp"
#include "lathe/passes/lower_math_functions.ipp"
#include "lathe/passes/make_lanes.ipp"
#include "lathe/passes/narrow_indices.ipp"
#include "lathe/passes/partition_loops.ipp"
#include "lathe/passes/pipeline.ipp"
#include "lathe/passes/reuse_buffers.ipp"
#include "lathe/passes/share_loads.ipp"
#include "lathe/passes/simplify_loops.ipp"
#include "lathe/passes/unroll_loops.ipp"
#include "lathe/passes/vectorize_loops.ipp"
#include "lathe/passes/widen_small_floats.ipp"
