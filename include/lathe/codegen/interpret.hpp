// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The checking interpreter: runs lowered code before or after any pass, and finds what compiled code would do silently.
///
/// Results are those of every back end bit for bit. Faults are `Error`s that name the buffer, the indices, the stage (the label
/// of the enclosing block) and the values of the enclosing loops:
///
/// | code | fault |
/// |---|---|
/// | R001 | an index is out of the buffer's bounds |
/// | R002 | an element is read that was never written (allocated buffers and outputs) |
/// | R003 | two iterations of a parallel loop touch an element, and one of them writes it |
/// | R004 | index arithmetic overflows 64 bits |
/// | R005 | a value lies outside the range that was promised for it |
/// | R006 | a check or a requirement of the program fails |
/// | R007 | an argument's address breaks the promised alignment, or is null |
/// | R008 | arguments do not fit the parameters, or memory cannot be had |

#include <span>

#include "lathe/ir/program.hpp"
#include "lathe/runtime/abi.hpp"

namespace lathe::inline LATHE_ABI::codegen {

/// What a parameter of the entry function gets: the address of element 0, or a scalar's bits in the lowest bytes.
using InterpreterArgument = Slot;

/// Runs the entry function of `program` on `arguments`, one per parameter in their order. How many elements lie behind an address
/// follows from the parameter's shape and strides. Iterations of parallel loops run one after another, in order.
/// \throws Error R001 to R008 as above, with memory as the code left it; G001, before anything runs, for a C function that is not
/// loaded; G002 at the call of one with more than 6 integers or 8 floats; what an external function throws.
void interpret(const ir::Program &program, std::span<const InterpreterArgument> arguments);

}  // namespace lathe::inline LATHE_ABI::codegen
