// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Finding accumulators.

#include <iterator>
#include <utility>

#include "lathe/codegen/llvm_accumulators.hpp"
#include "lathe/ir/build.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/support/hash_map.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/lists.hpp"

namespace lathe::inline LATHE_ABI::codegen {

namespace llvm_accumulators {

LATHE_INLINE bool same_terms(const List<AccessTerm> &a, const List<AccessTerm> &b) {
  const auto same = [](const AccessTerm &x, const AccessTerm &y) {
    if (x.coefficient != y.coefficient || x.atom.defined() != y.atom.defined()) return false;
    return same_factors(x.factors, y.factors) && (!x.atom.defined() || ir::equal(x.atom, y.atom));
  };
  return lists::equal(a, b, same);
}

/// Looks through one loop. Stores first: in most loops they rule all candidates out, and expressions need no look.
class Search {
 public:
  Search(const ir::For &loop, const List<ir::Buffer> &candidates) : loop_(loop) {
    for (const ir::Buffer &buffer : candidates) found_.push_back({{buffer, {}, {}, {}}, {}});
  }

  List<LlvmAccumulator> run() && {
    bound_.insert(loop_.var.node());
    names(loop_.body);
    stores(loop_.body, true);
    erase_if(found_, [](const Candidate &c) { return !all_surely(c); });
    if (!found_.empty()) loads(loop_.body);
    erase_if(found_, [](const Candidate &c) { return !all_surely(c); });
    List<LlvmAccumulator> result;
    for (Candidate &c : found_) result.push_back(std::move(c.accumulator));
    return result;
  }

 private:
  struct Candidate {
    LlvmAccumulator accumulator;
    HashMap<std::int64_t, bool> surely;  ///< of each place: whether it is stored to in every iteration
  };

  /// Only then may the place be read before the loop.
  static bool all_surely(const Candidate &c) {
    for (const auto &place : c.surely)
      if (!place.second) return false;
    return true;
  }

  /// Variables that change within the loop. A check or a parallel loop rules everything out.
  void names(const ir::Stmt &s) {
    if (const auto *loop = s.as<ir::For>()) bound_.insert(loop->var.node());
    if (const auto *bind = s.as<ir::Bind>()) bound_.insert(bind->var.node());
    const auto *loop = s.as<ir::For>();
    if (s.as<ir::Check>() || (loop && loop->kind == ir::LoopKind::parallel)) found_.clear();
    ir::for_each_stmt(s, [&](const ir::Stmt &inner) { names(inner); });
  }

  /// Two statements that store to the same place do so either way.
  static bool alike(const ir::If &branch) {
    const auto *a = branch.then_body.as<ir::Store>(), *b = branch.else_body.as<ir::Store>();
    return a && b && a->buffer == b->buffer &&
           lists::equal(a->indices, b->indices, [](const ir::Expr &x, const ir::Expr &y) { return ir::equal(x, y); });
  }

  void stores(const ir::Stmt &s, bool surely) {
    if (found_.empty()) return;
    if (const auto *store = s.as<ir::Store>()) access(store->buffer, store->indices, store->predicate, surely);
    if (const auto *branch = s.as<ir::If>()) surely = surely && alike(*branch);
    if (const auto *loop = s.as<ir::For>()) surely = surely && ir::constant_integer(loop->extent).value_or(0) > 0;
    ir::for_each_stmt(s, [&](const ir::Stmt &inner) { stores(inner, surely); });
  }

  void loads(const ir::Stmt &s) {
    ir::for_each_expr(s, [&](const ir::Expr &root) {
      ir::walk_down(root, [&](const ir::Expr &e) {
        if (!seen_.insert(e.node())) return false;
        if (const auto *load = e.as<ir::Load>()) access(load->buffer, load->indices, load->predicate, false);
        return true;
      });
    });
    ir::for_each_stmt(s, [&](const ir::Stmt &inner) { loads(inner); });
  }

  void access(const ir::Buffer &buffer, const List<ir::Expr> &indices, const ir::Expr &predicate, bool surely) {
    Candidate *it = lists::find_if(found_, [&](const Candidate &c) { return c.accumulator.buffer == buffer; });
    if (!it) return;
    const Access access = access_of(buffer, indices);
    if (!accept(it->accumulator, access, ir::is_true(predicate) ? ir::Expr() : predicate)) {
      found_.erase(it);
      return;
    }
    bool &known = it->surely[access.constant];
    known = known || surely;
  }

  bool accept(LlvmAccumulator &a, const Access &access, const ir::Expr &predicate) const {
    if (access.kind != AccessKind::scalar && access.kind != AccessKind::contiguous) return false;
    // A predicate of the lanes can go with the load before and the store after the loop; a scalar one would need branches.
    const auto *uniform = predicate.as<ir::Broadcast>();
    if (predicate.defined() && (predicate.lanes() == 1 || (uniform && uniform->a.lanes() == 1))) return false;
    const bool first = a.places.empty();
    if (!add_place(a.places, access.constant, access.lanes)) return false;
    if (first) {
      a.predicate = predicate;
      a.access = access;
      return is_invariant(a);
    }
    const bool same_predicate =
        predicate.defined() == a.predicate.defined() && (!predicate.defined() || ir::equal(predicate, a.predicate));
    return same_predicate && same_terms(a.access.terms, access.terms);
  }

  bool is_invariant(const LlvmAccumulator &a) const {
    for (const AccessTerm &term : a.access.terms) {
      if (term.atom.defined() && !is_invariant(term.atom)) return false;
      for (const ir::Expr &factor : term.factors)
        if (!is_invariant(factor)) return false;
    }
    return !a.predicate.defined() || is_invariant(a.predicate);
  }
  bool is_invariant(const ir::Expr &e) const {
    bool invariant = true;
    ir::walk_down(e, [&](const ir::Expr &x) {
      const auto *var = x.as<ir::VarRef>();
      invariant = invariant && !x.as<ir::Load>() && !x.as<ir::Call>() && !(var && bound_.contains(var->var.node()));
      return invariant;
    });
    return invariant;
  }

  const ir::For &loop_;
  List<Candidate> found_;
  NodeSet bound_;
  NodeSet seen_;
};

}  // namespace llvm_accumulators

LATHE_INLINE bool add_place(LlvmPlaces &places, std::int64_t offset, int lanes) {
  // More places than this would be spilled registers anyway, and phis at every loop.
  constexpr std::size_t most_places = 512;
  const auto *next = places.lower_bound(offset);
  if (next != places.end() && next->first == offset) return next->second == lanes;
  if (next != places.end() && next->first < offset + lanes) return false;
  if (next != places.begin() && next[-1].first + next[-1].second > offset) return false;
  places[offset] = lanes;
  return places.size() <= most_places;
}

LATHE_INLINE List<LlvmAccumulator> find_accumulators(const ir::For &loop, const List<ir::Buffer> &candidates) {
  if (candidates.empty()) return {};
  return llvm_accumulators::Search(loop, candidates).run();
}

}  // namespace lathe::inline LATHE_ABI::codegen
