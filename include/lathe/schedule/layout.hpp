// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Where a stage keeps its elements: a map from its indices to those of its memory, as a value, as text and checked.

#include <string>
#include <string_view>

#include "lathe/ir/expr.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::scheduling {

/// Element (axes…) of a stage lies at `indices` of its memory. Both empty: where the stage says, row by row.
struct Layout {
  List<ir::Var> axes;                          ///< "i0", "i1", …: one per dimension of the stage
  List<ir::Expr> indices;                      ///< over `axes`: one per dimension of the memory
  bool empty() const { return axes.empty(); }  ///< whether there is none: elements lie as they are
};

/// The axes of a layout of a stage of this rank.
List<ir::Var> layout_axes(int rank);

/// "i1/16,i0,i1%16": one word, which `parse_layout` reads back.
std::string to_text(const Layout &layout);

/// A map of a stage of this rank from its text. Throws nothing: `why` says what is wrong, and is empty where nothing is.
Layout parse_layout(std::string_view text, int rank, std::string &why);

/// Why two elements might come to lie at one place, or empty when they cannot, whatever the extents. Each index must be a sum of
/// digits of the axes (i, i/a, i%a, i/a%b) of which no part can reach the next, and an axis must be told by its digits.
std::string why_not_injective(const Layout &layout);

}  // namespace lathe::inline LATHE_ABI::scheduling
