// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Reasoning about index expressions: what is known of variables, simplification, proofs and intervals.

#include <cstdint>
#include <limits>

#include "lathe/ir/build.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/shared.hpp"

namespace lathe::inline LATHE_ABI::arith {

/// A closed interval of integers; the ends of int64 stand for "unbounded".
struct Bounds {
  static constexpr std::int64_t unbounded_below =
      std::numeric_limits<std::int64_t>::min();  ///< as `min`: no least value is known
  static constexpr std::int64_t unbounded_above = std::numeric_limits<std::int64_t>::max();  ///< as `max`: no greatest value
  std::int64_t min = unbounded_below;                                                        ///< the least value
  std::int64_t max = unbounded_above;                                                        ///< the greatest value
  bool is_point() const { return min == max; }                                               ///< one value only
  friend bool operator==(const Bounds &, const Bounds &) = default;                          ///< the same ends
};

/// value ≡ remainder (mod modulus); modulus 0: exactly `remainder`; modulus 1: nothing known.
struct Congruence {
  std::int64_t modulus = 1;    ///< 0 or more
  std::int64_t remainder = 0;  ///< in [0, modulus) unless the modulus is 0
};

/// A symbolic closed interval; an undefined end is unbounded.
struct Interval {
  /// @{
  /// The least and the greatest value.
  ir::Expr min, max;
  /// @}
};

struct Known;

/// What is known: domains of variables, and conditions that hold. A value: copies share what they know until one of them learns
/// more, so one per loop is cheap.
class Facts {
 public:
  /// `var` lies in [min, min + extent). The ends may be expressions over variables with facts of their own (symbolic sizes, outer
  /// loops). This implies extent ≥ 1: use such facts inside the loop only. A later domain of the same variable replaces this one.
  void bind(const ir::Var &var, const ir::Expr &min, const ir::Expr &extent);
  /// `condition` (a bool expression; conjunctions are taken apart) holds: comparisons of index expressions, and `e % c == r`.
  void assume(const ir::Expr &condition);

  Bounds bounds(const ir::Expr &e) const;          ///< constant interval that holds e (all its lanes)
  Congruence congruence(const ir::Expr &e) const;  ///< what is known of its remainders

  /// An equal expression (index or bool typed parts are normalised; data arithmetic is only folded where it is exact), in a
  /// canonical linear form. The same handle when nothing changes.
  ir::Expr simplify(const ir::Expr &e) const;
  /// Surely true. False means "not proven".
  bool proves(const ir::Expr &condition) const;

  /// Interval of `e` while the variables in `ranges` run over their (symbolic) intervals and all others stay symbolic: the region
  /// that a loop nest touches. The ends of a range may name other variables in `ranges`; those of the result name none. Sound;
  /// tight for affine expressions, division and modulo by constants, min, max, select, clamp, Ranged.
  Interval interval(const ir::Expr &e, const ir::VarMap<Interval> &ranges) const;

  /// What `bind` was told: `var` lies in [min, min + extent).
  struct Domain {
    /// @{
    /// As `bind` was given it.
    ir::Var var;
    ir::Expr min, extent;
    /// @}
  };
  const List<Domain> &domains() const;       ///< the last one of each variable
  const List<ir::Expr> &conditions() const;  ///< what `assume` was told

 private:
  Known &learn();
  Shared<Known> known_;  // null: nothing
};

/// e = Σ coefficient · atom + constant with distinct, non-linear atoms in a deterministic order.
struct Linear {
  /// coefficient · atom.
  struct Term {
    ir::Expr atom;             ///< what is not a sum or a multiple itself
    std::int64_t coefficient;  ///< not 0
  };
  List<Term> terms;           ///< none for a constant
  std::int64_t constant = 0;  ///< what is added to them
};
/// The form of a scalar index expression, its atoms as they stand and in order of first appearance. Where a coefficient would
/// leave int64, the whole of `e` is the only atom.
Linear linear_form(const ir::Expr &e);
/// The expression, terms in order but for the first that is added (so that it does not start by a negation).
ir::Expr from_linear(const Linear &linear);

}  // namespace lathe::inline LATHE_ABI::arith
