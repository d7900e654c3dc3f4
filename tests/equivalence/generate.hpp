// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Random programs: two to six stages over small odd extents, all element types, reads that shift, transpose, broadcast, gather
/// and are guarded, reductions of every kind, ragged ones among them.
///
/// Every index is in range wherever it is evaluated, for the values that the program's symbols have. Reductions of floats are
/// exact where that could be arranged; the others are marked, and keep their order.

#include <cstdint>

#include "equivalence/program.hpp"

namespace equivalence {

/// The program of a seed: the same on every machine.
Program generate_program(std::uint64_t seed);

}  // namespace equivalence
