// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Turns conditional evaluation into predicates of loads.

#include "lathe/ir/stmt.hpp"
#include "lathe/passes/pass.hpp"

namespace lathe::inline LATHE_ABI::passes {

/// A guarding `Select` and the right side of && and || let loads happen only where a condition holds. Each such load gets the
/// conjunction of the conditions on its path as its predicate, and nothing is conditional any more:
///
///     i < n ? A[i] * 2 : 0     (guards)        i < n ? (A[i] if i < n) * 2 : 0
///     i < n ? A[i] : 0         (guards)        A[i] if i < n
///     i < n && A[i] > 0                        i < n && (A[i] if i < n) > 0
///     i < n || A[i] > 0                        i < n || (A[i] if i >= n) > 0
///
/// A node that is reached both under a condition and without becomes two, each with its own predicate; nodes without loads stay
/// shared. Calls stay where they are: functions are total, only loads among their arguments get predicates.
///
/// Holds afterwards: form_no_guarding_selects; every expression may be evaluated eagerly.
/// \throws Error L061 when shared nodes lie under more different conditions than code can be made for.
ir::Stmt guard_loads(const ir::Stmt &s, const PassContext &context);

}  // namespace lathe::inline LATHE_ABI::passes
