// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Expressions, statements, operations and programs as text for people. What is printed is what runs.
///
///     parallel n.c in 0..32:
///       for y in 0..112:
///         for xo in 0..7:
///           conv[0, n.c, y, xo*16 + [0:16]] = 0.0f x16
///
/// Deep or widely shared expressions print with named temporaries, so the text stays linear in the number of nodes. Variables of
/// the same name within one text get suffixes (i, i_1, …) in order of first appearance.

#include <iosfwd>
#include <string>

#include "lathe/ir/operation.hpp"
#include "lathe/ir/program.hpp"

namespace lathe::inline LATHE_ABI::ir {

/// @{
/// An expression on one line where it has no temporaries, a statement on a line per loop and store, an operation with its shape
/// and body, a program with its functions' parameters.
std::string to_string(const Expr &e);
std::string to_string(const Stmt &s);
std::string to_string(const Operation &operation);
std::string to_string(const Program &program);
/// @}
/// A constant of a scalar type so that reading it back gives the same bits: 0.1f, 1e+30, -7, nan, inf.
std::string literal_text(DType type, std::uint64_t bits);

}  // namespace lathe::inline LATHE_ABI::ir
