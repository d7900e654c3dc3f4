// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Lets a buffer take the memory of one that is not used any more.

#include "lathe/ir/stmt.hpp"
#include "lathe/passes/pass.hpp"

namespace lathe::inline LATHE_ABI::passes {

/// Stages that follow each other are allocated together, though each may be dead when the next but one begins. A buffer whose
/// first use comes after the last use of another one of the same type, shape and strides becomes that one:
///
///     allocate b: float32[n]                 allocate b: float32[n]
///     allocate c: float32[n]                 allocate c: float32[n]
///     allocate d: float32[n]
///       b[…] = f(a[…])                         b[…] = f(a[…])
///       c[…] = g(b[…])                         c[…] = g(b[…])
///       d[…] = h(c[…])                         b[…] = h(c[…])
///       e[…] = k(d[…])                         e[…] = k(b[…])
///
/// so that a chain of any length needs two, and works in what the caches hold. Uses are counted by the statements that make the
/// allocation's body. Buffers of less than a page, or of a scope, stay: they are registers, or on the stack.
ir::Stmt reuse_buffers(const ir::Stmt &s, const PassContext &context);

}  // namespace lathe::inline LATHE_ABI::passes
