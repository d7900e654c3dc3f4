// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Makes a failing case smaller while it goes on to fail in the same way.

#include <functional>

#include "equivalence/check.hpp"

namespace equivalence {

/// Tries simpler cases until none of them fails like `failing` any more, or `most` have been tried. `fails` runs a case and says
/// whether it fails in the same way.
Case shrink(const Case &failing, const std::function<bool(const Case &)> &fails, int most);

}  // namespace equivalence
