// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Every error code with its title. Each code has one test that shows its text.

#include <string_view>

#include "lathe/version.hpp"

namespace lathe::inline LATHE_ABI {

/// A code and what it stands for.
struct CodeTitle {
  std::string_view code;
  std::string_view title;
};

inline constexpr CodeTitle code_titles[] = {
    // expressions
    {"E001", "a literal does not fit the type of its expression"},
    {"E002", "a constant extent is negative"},
    {"E003", "an axis is used outside the compute or reduction that it belongs to"},
    {"E004", "a reduction names an axis twice"},
    {"E005", "unchecked() is given something other than a read"},
    {"E006", "a range is empty"},
    {"E007", "shapes do not broadcast"},
    {"E008", "an axis, part or shape does not fit the tensor"},
    {"E009", "constant data does not fill its shape"},
    {"E010", "a reducer does not keep its promise"},
    {"E011", "the names of a compute's axes do not match its shape"},
    {"E012", "a promise about memory cannot hold"},
    {"E013", "an untyped tensor has another type or rank"},
};

/// The title of a code; empty for an unknown one.
constexpr std::string_view title_of(std::string_view code) {
  for (const CodeTitle &entry : code_titles)
    if (entry.code == code) return entry.title;
  return {};
}

}  // namespace lathe::inline LATHE_ABI
