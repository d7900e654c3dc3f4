// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The working side of `Facts`: what it stores, and the reasoner that one question is asked of. A reasoner remembers what it
/// found out about each node, so its work is linear in the nodes of a DAG; its walks keep their own stacks.
///
/// Canonical expressions: every index sum is Σ coefficient · atom + constant with distinct atoms in the order of `before`
/// (variables that are bound outside come first, so that what a loop does not change stands together); atoms are variables,
/// products of variables, divisions, remainders, extrema and opaque values. Vector expressions of indices and conditions are
/// simplified as scalar ones of a lane variable.

#include <initializer_list>
#include <optional>
#include <utility>

#include "lathe/arith/checked.hpp"
#include "lathe/arith/memo.hpp"
#include "lathe/arith/simplify.hpp"
#include "lathe/support/function_ref.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/shared.hpp"
#include "lathe/support/sorted_map.hpp"

namespace lathe::inline LATHE_ABI::arith {

using ir::Binary;
using ir::BinaryOp;
using ir::Expr;
using ir::Var;

/// The domain of a variable, ready for use.
struct VarFact : Counted {
  Var var;
  Linear first, last;     ///< canonical ends, both included
  Bounds constant;        ///< of the ends as far as they are constants
  bool symbolic = false;  ///< an end is no constant
};

/// What `Facts` shares.
struct Known : Counted {
  struct AtomBounds {
    Expr atom;
    Bounds bounds;
  };
  struct Nonnegative : Counted {
    Linear form;
  };
  struct Residue : Counted {
    Linear form;  ///< constant 0
    Congruence congruence;
  };
  List<Facts::Domain> domains;
  List<Expr> conditions;
  List<Shared<VarFact>> variables;         ///< in the order of `domains`
  List<Shared<Nonnegative>> nonnegatives;  ///< forms of two or more atoms that are ≥ 0
  List<AtomBounds> atoms;                  ///< from conditions on one atom
  List<Shared<Residue>> residues;          ///< from e % c == r
  List<Expr> opaque;                       ///< other conditions that hold, simplified
  bool symbolic = false;                   ///< some domain has an end that is no constant
};

/// Sums terms up. `overflow` is set when something left int64.
class LinearSum {
 public:
  explicit LinearSum(Linear start = {}) : form_(std::move(start)) {}
  void add(const Expr &atom, Int coefficient);
  void add(const Linear &form, Int factor);
  void add_constant(Int value) { overflow_ |= !add_to(form_.constant, value); }
  void add_constant(Int value, Int factor) {
    if (multiply_by(value, factor))
      add_constant(value);
    else
      overflow_ = true;
  }
  /// Adds factor · e, taking sums apart.
  void add_flattened(const Expr &e, Int factor);
  bool overflow() const { return overflow_; }
  void fail() { overflow_ = true; }
  /// Without the terms that cancelled.
  Linear take();

 private:
  void add_shared(const Expr &e, Int factor);
  Linear form_;
  SortedMap<std::size_t> positions_;  // of terms, once there are many
  bool overflow_ = false;
};

/// The constant of a scalar index or bool expression, through `Const` alone.
inline const ir::Const *scalar_constant(const Expr &e) { return e.as<ir::Const>(); }
inline Int value_of(const ir::Const &c) { return static_cast<Int>(c.bits); }

/// Structurally equal; quick for the small trees that atoms are.
bool same(const Expr &a, const Expr &b, int depth = 6);
bool same(const Linear &a, const Linear &b);
/// Whether b has the terms of a, for sign -1 with opposite coefficients, whatever the constants.
bool same_terms(const Linear &a, const Linear &b, Int sign = 1);

/// Whether from_linear(linear) would be equal to `e`; false negatives are possible.
bool is_written_as(const Expr &e, const Linear &linear);

/// A scalar index node, without checks and folding.
Expr index_node(BinaryOp op, Expr a, Expr b);
Expr index_constant(Int value);
/// The node if `e` is a scalar index operation `op`.
const Binary *as_binary(const Expr &e, BinaryOp op);
/// x and c of x / c or x % c with a constant c > 0.
struct ByConstant {
  const Expr *x = nullptr;
  Int c = 0;
  explicit operator bool() const { return x != nullptr; }
};
ByConstant by_constant(const Expr &e, BinaryOp op);
/// The factors of a product atom, or the atom itself.
void collect_factors(const Expr &atom, List<Expr> &factors);
/// Interior node of a linear form: sum, difference, negation, product with a constant.
bool is_linear_node(const Expr &e);
inline bool is_leaf(const Expr &e) { return e.node()->kind() == ir::ExprKind::constant || e.node()->kind() == ir::ExprKind::var; }

namespace lanes {
bool is_region(const Expr &e);
void leaves_of(const Expr &root, List<Expr> &leaves);
}  // namespace lanes

class Reasoner {
 public:
  explicit Reasoner(const Known &known) : known_(known) {}

  Expr simplify(const Expr &e);
  Bounds bounds(const Expr &e);  ///< of a canonical expression
  Bounds bounds(const Linear &form);
  Congruence congruence(const Expr &e);  ///< of a canonical expression
  Congruence congruence(const Linear &form);
  bool nonnegative(const Linear &form);                          ///< proves form ≥ 0; of canonical atoms
  bool nonnegative(const Linear &form, Int factor, Int addend);  ///< factor · form + addend ≥ 0

  // ---- rules: operands are canonical, so are results
  // ---------------------------------------------------------------------------
  Expr sum(Linear form);
  Linear divided(Linear form, Int c);    ///< floor(form / c), c > 0
  Linear remainder(Linear form, Int c);  ///< form mod c, c > 0
  Expr quotient(const Expr &a, const Expr &b);
  Expr modulo(const Expr &a, const Expr &b);
  Expr product(const Expr &a, const Expr &b);
  Expr extremum(BinaryOp op, const Expr &a, const Expr &b);
  Expr compare(BinaryOp op, const Expr &a, const Expr &b);
  void normalise_inequality(Linear &form);
  Expr at_least_zero(Linear form, int depth = 0);  ///< the condition form ≥ 0
  Expr equality(BinaryOp op, Linear form);         ///< form == 0 or form != 0
  Expr junction(BinaryOp op, const Expr &a, const Expr &b);
  Expr negation(const Expr &a);
  Expr choice(const Expr &condition, const Expr &a, const Expr &b, bool guards);

  /// Order of atoms in sums: see above. Deterministic; what it cannot tell apart stays in order of appearance.
  bool before(const Expr &a, const Expr &b);
  /// Position of the innermost variable in `e`; -1 without variables that have a domain.
  int rank(const Expr &e, int depth = 8);
  int rank_of(const Var &var) const;
  const VarFact *fact_of(const Var &var) const;

 private:
  // simplify.ipp
  struct Frame {
    Expr e;
    Linear form;  ///< of a linear node, once entered
    bool entered = false;
  };
  Expr leaf(const Expr &e);
  Expr known_condition(const Expr &e);
  /// What became of a node that was simplified before.
  Expr done(const Expr &e) { return is_leaf(e) ? leaf(e) : *simplified_.find(e); }
  void enter(Frame &frame, List<Expr> &needs);
  Expr finish(const Frame &frame);
  Expr finish_linear(const Frame &frame);
  Expr finish_index(const Expr &e);
  Expr finish_bool(const Expr &e);
  Expr finish_binary(const Binary &node);
  Expr rebuilt(const Expr &e);
  Expr value_or_point(Expr atom);
  /// Replaces atoms by what they are known to be, merges quotients and remainders; sorts.
  void settle_terms(Linear &form);
  bool merge_quotients(Linear &form);
  bool merge_remainders(Linear &form);
  bool push_into_extremum(Linear &form);
  bool replace(Linear &form, std::initializer_list<std::size_t> gone, const Linear &by, Int factor);
  void collect_operands(const Expr &e, BinaryOp op, List<Expr> &operands);
  Expr make_atom(BinaryOp op, const Expr &a, const Expr &b);
  Expr symbolic_division(BinaryOp op, const Expr &a, const Expr &b);
  std::optional<Linear> within_factor(const Linear &rest, Int c, bool quotient);
  std::optional<Expr> within_symbolic_factor(BinaryOp op, const Linear &dividend, const Linear::Term &divisor);
  bool below(const Linear &y, const Linear &b);
  Linear whole_quotient(const Linear &x, Int c);
  std::optional<Int> block(const Linear &form, Int c);
  bool is_multiple(const Expr &atom, Int coefficient, Int c);
  Expr product_of(List<Expr> &factors);
  /// Whether some facts are more than constant bounds.
  bool symbolic() const { return !known_.nonnegatives.empty() || known_.symbolic; }
  Expr split_extremum(const Linear &form, int depth);
  bool settle_sides(BinaryOp op, Linear &form);
  std::optional<Linear> without_quotient(const Linear &form);

  // vectors.ipp
  struct LaneVar {
    Var var;
    int lanes;
  };
  struct StandIn {
    Var var;
    Expr value;
  };
  Expr finish_region(const Expr &root);
  Expr scalar_twin(const Expr &root);
  Expr vector_twin(const Expr &scalar, int lanes);
  Expr vector_node(const Expr &e, const Memo<Expr> &twins, int lanes);
  Expr combine_ramps(BinaryOp op, const Expr &a, const Expr &b);
  Expr lane_variable(int lanes);
  Expr stand_in(const Expr &opaque);

  // bounds.ipp, congruence.ipp
  Bounds leaf_bounds(const Expr &e);
  Bounds node_bounds(const Expr &e);
  Bounds binary_bounds(const Binary &node);
  Congruence leaf_congruence(const Expr &e);
  Congruence node_congruence(const Expr &e);

  // prove.ipp
  bool search(const Linear &goal, int depth, int &budget);
  bool search_with(const Linear &goal, std::size_t term, const Linear &fact, Int fact_coefficient, int depth, int &budget);
  bool split_cases(const Linear &goal, std::size_t term, int depth, int &budget, bool &tried);
  void facts_about(const Expr &atom, bool positive, List<Linear> &facts);
  void intrinsic_facts(const Expr &atom, bool positive, List<Linear> &facts);
  void product_facts(const Expr &atom, bool positive, List<Linear> &facts);

  const Known &known_;
  Memo<Expr> simplified_;
  Memo<Bounds> bounds_;
  Memo<Congruence> congruences_;
  Memo<int> ranks_;
  List<LaneVar> lanes_;
  List<StandIn> stand_ins_;
};

/// Calls `finish` on `root` and all that it needs, children first; `needs` lists the children of a node that are not settled yet.
void settle(const Expr &root, FunctionRef<void(const Expr &, List<Expr> &)> needs, FunctionRef<bool(const Expr &)> settled,
            FunctionRef<void(const Expr &)> finish);

}  // namespace lathe::inline LATHE_ABI::arith
