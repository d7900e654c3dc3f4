// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Making terms, with what is known of their values: intervals of indices, exactness of floats.

#include "equivalence/program.hpp"

namespace equivalence::terms {

// ---- indices: `low` and `high` are right for the values that symbols have -----------------------------------------------------

TermRef index(std::int64_t value);
/// An axis that runs over [low, high].
TermRef axis(int number, std::int64_t low, std::int64_t high);
TermRef extent(const Program &program, const Extent &extent);
TermRef add(TermRef a, TermRef b);
TermRef sub(TermRef a, TermRef b);
TermRef mul(TermRef a, std::int64_t factor);
TermRef div(TermRef a, std::int64_t divisor);
/// Of an `a` that may have any sign by something positive.
TermRef mod(TermRef a, TermRef divisor);
TermRef min(TermRef a, TermRef b);
TermRef max(TermRef a, TermRef b);
/// Integer data as an index clamped to [0, last].
TermRef clamped(TermRef data, TermRef last);

// ---- values -------------------------------------------------------------------------------------------------------------------

TermRef constant(DType type, std::uint64_t bits);
TermRef number(DType type, double value);
TermRef read(const Program &program, int tensor, std::vector<TermRef> indices);
TermRef scalar(const Program &program, int scalar);
TermRef unary(ir::UnaryOp op, TermRef a);
TermRef binary(ir::BinaryOp op, TermRef a, TermRef b);
TermRef fma(TermRef a, TermRef b, TermRef c);
TermRef choose(TermKind kind, TermRef condition, TermRef a, TermRef b);
TermRef cast(TermKind kind, DType type, TermRef a);

/// Digits of a float's significand, the hidden one included.
int digits(DType type);
/// Whether a float of that magnitude and fraction is exact in `type`.
bool fits(DType type, int magnitude, int fraction);

// ---- knowledge ----------------------------------------------------------------------------------------------------------------

/// `term` over other operands, with what is known of it found anew.
TermRef rebuild(const Program &program, const Term &term, std::vector<TermRef> operands);
/// Every term below `root` replaced by what `change` gives for it after its operands were; null stays null.
TermRef rewrite(const Program &program, const TermRef &root, const std::function<TermRef(const TermRef &)> &change);
/// Finds what is known of a tensor's elements, and whether its order matters.
void know(TensorNode &tensor);
/// Finds all that is known anew, after a change.
void refresh(Program &program);

}  // namespace equivalence::terms
