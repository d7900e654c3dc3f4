// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// lower_math_functions: a bottom-up rewrite, and a branch in each statement that has a quick way and a complete one.

#include <bit>
#include <cmath>
#include <utility>

#include "lathe/ir/walk.hpp"
#include "lathe/passes/lower_math_functions.hpp"
#include "lathe/types/math_functions.hpp"

namespace lathe::inline LATHE_ABI::passes {

namespace math_lowering {

using ir::Expr;
using ir::Stmt;

/// Whether numbers of that type are scaled by a power of two in one instruction: lanes that fill registers of AVX-512.
inline bool scales(const Target &target, DType type) {
  const int bits = type.bits() * type.lanes();
  const bool whole = std::has_single_bit(static_cast<unsigned>(type.lanes())) && bits >= 128;
  return whole && target.has("avx512f") && ((bits >= 512 && target.vector_bits >= 512) || target.has("avx512vl"));
}

/// Whether there is a quick way for all but great arguments.
inline bool has_two_ways(const ir::Unary &u) { return types::quick_reach(u.op, u.a.type()) < HUGE_VAL; }

/// Takes the two ways apart. Functions that have one way only are lowered before.
class Ways {
 public:
  explicit Ways(bool fused) : in_full_{fused, false}, in_short_{fused, true}, complete_(in_full_), quick_(in_short_) {}

  Stmt operator()(const Stmt &s) {
    if (const auto *store = s.as<ir::Store>())
      if (const Stmt branch = branched(*store); branch.defined()) return branch;
    return ir::map_children(s, [&](const Expr &e) { return complete_(e); }, [&](const Stmt &nested) { return (*this)(nested); });
  }

 private:
  /// More calls in one statement than these are not worth a look at each.
  static constexpr std::size_t most_calls = 64;

  struct Way {
    bool fused, quick;
    Expr operator()(const Expr &e) const {
      const auto *u = e.as<ir::Unary>();
      return u && has_two_ways(*u) ? types::math_function(u->op, u->a, fused, false, quick) : e;
    }
  };

  /// The store either way; undefined where there is but one.
  Stmt branched(const ir::Store &store) {
    List<Expr> calls;
    effects_ = false;
    collect(store.value, calls);
    for (const Expr &index : store.indices) collect(index, calls);
    const Expr &predicate = store.predicate;
    const auto *uniform = predicate.as<ir::Broadcast>();
    const bool everywhere = predicate.defined() && (uniform || predicate.lanes() == 1);
    if (predicate.defined() && !everywhere) collect(predicate, calls);
    if (calls.empty() || calls.size() > most_calls || effects_) return {};
    const auto either = [&](ir::Rewriter &way) {
      List<Expr> indices;
      for (const Expr &index : store.indices) indices.push_back(way(index));
      return ir::make(ir::Store{store.buffer, std::move(indices), way(store.value), everywhere ? Expr() : way(predicate)});
    };
    const Stmt both = ir::make(ir::If{far(calls), either(complete_), either(quick_)});
    // Where nothing is stored, nothing that the condition needs may be read.
    return everywhere ? ir::make(ir::If{complete_(uniform ? uniform->a : predicate), both, {}}) : both;
  }

  /// Adds the calls in an expression that have two ways, those inside others first.
  void collect(const Expr &root, List<Expr> &calls) {
    ir::walk(root, [&](const Expr &e) {
      bool holds = false, reads = false;
      ir::for_each_child(e, [&](const Expr &child) {
        holds = holds || holds_calls_.contains(child.node());
        reads = reads || reads_by_calls_.contains(child.node());
      });
      reads = reads || (holds && e.as<ir::Load>());
      const auto *external = e.as<ir::Call>();
      effects_ = effects_ || (external && !external->function.pure);
      const auto *u = e.as<ir::Unary>();
      const bool call = u && has_two_ways(*u);
      if (call) calls.push_back(e);
      if (holds || call) holds_calls_.insert(e.node());
      if (reads) reads_by_calls_.insert(e.node());
    });
  }

  /// Whether an argument is beyond the reach of the quick way. Arguments are themselves computed that way: where it is wrong for
  /// a call inside one, that call has made the answer true. Only what tells where to read must be right.
  Expr far(const List<Expr> &calls) {
    List<Expr> found;  // one for each number of lanes
    NodeSet seen;
    for (const Expr &call : calls) {
      const ir::Unary &u = *call.as<ir::Unary>();
      if (!seen.insert(u.a.node())) continue;
      const Expr a = reads_by_calls_.contains(u.a.node()) ? complete_(u.a) : quick_(u.a);
      Expr beyond = ir::unary(ir::UnaryOp::abs, a) > ir::constant(a.type(), types::quick_reach(u.op, a.type()));
      for (Expr &other : found)
        if (beyond.defined() && other.lanes() == beyond.lanes()) other = other || std::exchange(beyond, Expr());
      if (beyond.defined()) found.push_back(beyond);
    }
    Expr any = ir::unary(ir::UnaryOp::any_lane, found.front());
    for (std::size_t i = 1; i < found.size(); ++i) any = any || ir::unary(ir::UnaryOp::any_lane, found[i]);
    return any;
  }

  Way in_full_, in_short_;
  ir::Rewriter complete_, quick_;
  NodeSet holds_calls_;     ///< calls that have two ways, and what contains them
  NodeSet reads_by_calls_;  ///< what contains loads whose place depends on such calls
  bool effects_ = false;    ///< a function of the present statement must be called once
};

}  // namespace math_lowering

LATHE_INLINE ir::Stmt lower_math_functions(const ir::Stmt &s, const PassContext &context) {
  const bool fused = context.target.has_fma, library = context.numerics.library_math;
  bool two_ways = false;
  const ir::Stmt rest = ir::rewrite_exprs(s, [&](const ir::Expr &e) {
    ir::Expr lowered;
    const bool scales = math_lowering::scales(context.target, e.type());
    if (const auto *u = e.as<ir::Unary>(); u && !library) {
      if (math_lowering::has_two_ways(*u)) return two_ways = true, e;
      lowered = types::math_function(u->op, u->a, fused, scales);
    }
    if (const auto *b = e.as<ir::Binary>(); b && (b->op == ir::BinaryOp::ldexp ? !scales : !library))
      lowered = types::math_function(b->op, b->a, b->b, fused);
    return lowered.defined() ? lowered : e;
  });
  return two_ways ? math_lowering::Ways(fused)(rest) : rest;
}

}  // namespace lathe::inline LATHE_ABI::passes
