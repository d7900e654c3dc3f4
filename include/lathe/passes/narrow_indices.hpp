// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Computes lanes of indices in 32 bits where that is enough.

#include "lathe/ir/stmt.hpp"
#include "lathe/passes/pass.hpp"

namespace lathe::inline LATHE_ABI::passes {

/// Indices have 64 bits, so a register holds half as many of them as of float32, and processors divide, multiply and convert such
/// lanes slowly. Lanes whose every step is known to lie within 32 bits are computed as int32:
///
///     B[[0:16]] = cast<float32>(x*16 + [0:16])     B[[0:16]] = cast<float32>(broadcast(cast<int32>(x*16)) + cast<int32>([0:16]))
///     B[[0:16]] = A[[0:16]*3 / 2]                  B[[0:16]] = A[cast<index>(cast<int32>([0:16])*3 / 2)]
///
/// Lanes that become data are, and those that locate elements or are compared if they have divisions, products, extrema or
/// choices: ramps alone need no arithmetic. Scalars stay, which processors do not do faster in 32 bits.
///
/// Where sizes are symbols, lanes may be narrow for the sizes that programs have and not for all; then the code is there twice,
///
///     if n < 32768 and m < 32768: …narrow…  else: …
///
/// Holds afterwards: what held before.
ir::Stmt narrow_indices(const ir::Stmt &s, const PassContext &context);

}  // namespace lathe::inline LATHE_ABI::passes
