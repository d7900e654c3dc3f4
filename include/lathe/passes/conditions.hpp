// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// What the passes ask of conditions: their conjuncts, their opposite, whether they bound a variable, and whether they keep their
/// value while statements run.

#include <cstdint>
#include <optional>

#include "lathe/arith/simplify.hpp"
#include "lathe/ir/stmt.hpp"
#include "lathe/support/hash_map.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::passes {

/// Buffers by identity, for lookup only.
using BufferSet = NodeSet;

/// The buffers that some `Store` within `s` writes.
BufferSet stored_buffers(const ir::Stmt &s);

/// Keeps its value while code runs that writes the `stored` buffers: no load from those, no read, no impure call.
bool is_stable(const ir::Expr &e, const BufferSet &stored);

/// Contains a load.
bool has_loads(const ir::Expr &e);

/// The operands of a (nested) conjunction, in order.
List<ir::Expr> conjuncts(const ir::Expr &condition);

/// Their conjunction, undefined if there are none.
ir::Expr conjunction(const List<ir::Expr> &conditions);

/// An expression equal to !condition: comparisons of integers turn round, disjunctions of conditions become conjunctions.
ir::Expr negation(const ir::Expr &condition);

/// `condition` written as coefficient * var + rest < 0. A positive coefficient bounds `var` from above (low values satisfy it), a
/// negative one from below.
struct Inequality {
  std::int64_t coefficient;
  arith::Linear rest;  ///< without `var`
};

/// The inequality that `condition` is when it compares scalar index expressions linear in `var` by <, <=, > or >=; nothing
/// otherwise, also when `var` does not occur.
std::optional<Inequality> inequality_in(const ir::Expr &condition, const ir::Var &var);

/// The rest of an inequality to reckon with: 64-bit data in it may be so far from everything else that sums with it leave 64
/// bits, so it is brought nearer, where it compares the same. Undefined where that cannot be done.
ir::Expr rest_in_reach(const Inequality &inequality);

}  // namespace lathe::inline LATHE_ABI::passes
