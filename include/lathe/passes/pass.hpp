// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// What every pass is given beside the code it rewrites.

#include "lathe/arith/simplify.hpp"
#include "lathe/target/numerics.hpp"
#include "lathe/target/target.hpp"

namespace lathe::inline LATHE_ABI::passes {

struct PassContext {
  Target target;
  Numerics numerics;
  arith::Facts facts;  ///< what holds of the parameters: sizes are not negative, assumed conditions
};

}  // namespace lathe::inline LATHE_ABI::passes
