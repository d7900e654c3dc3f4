// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Lowering: a schedule and the kernel's arguments in, a program of loops out.

#include <string>

#include "lathe/arith/simplify.hpp"
#include "lathe/ir/program.hpp"
#include "lathe/schedule/state.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::lowering {

/// One argument of a kernel: a tensor, or a scalar variable.
struct Argument {
  ir::Tensor tensor;  ///< where `scalar` is undefined
  ir::Var scalar;     ///< or undefined
};

/// What lowering found, for people.
struct Lowered {
  ir::Program program;  ///< one function, with loops for all that the schedule says
  /// What is computed once, when the kernel is made: a function of its constants, whose outputs are constants of `program` that
  /// have no data yet. No function where nothing is.
  ir::Program prologue;
  arith::Facts facts;  ///< what holds of the program's parameters
  std::string report;  ///< comment lines: stages that are inlined by default, stages that compute more than is needed
};

/// Lowers. Stages at root that depend on constants alone make the prologue. The program's parameters are the arguments in their
/// order, then size symbols, constants and external functions.
///
/// \throws Error L001 (a reader outside the loop a stage is computed at), L002 (a read out of range), L003 (a symbol that no
/// argument binds), L004 (an extent that depends on an inner loop), L005 (a tensor that is read is no argument), L006 (an output
/// is no argument, or an argument is neither input nor output, or is given twice), L007 (start values or extents are computed
/// inside the loops that need them), L031 (a split does not divide, or that cannot be checked), L032 (a streamed stage has no
/// vectors), L033 (nothing can be prefetched), L034 (an alias writes what is read later), L061 (too many conditional paths), L062
/// and L064 (the extent of a vectorized or unrolled loop is not constant), L066 (inlining copies too much).
Lowered lower(const scheduling::State &state, const List<Argument> &arguments, const std::string &name);

}  // namespace lathe::inline LATHE_ABI::lowering
