// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// widen_small_floats: a bottom-up rewrite.

#include <utility>

#include "lathe/ir/build.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/passes/widen_small_floats.hpp"
#include "lathe/support/hash_map.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::passes {

namespace float_widening {

using ir::Expr;

inline bool is_small(const DType &type) { return type.is_float() && type.bits() < 32; }

class Widener {
 public:
  Expr operator()(const Expr &e) {
    switch (e.node()->kind()) {
      case ir::ExprKind::unary: {
        const auto *u = e.as<ir::Unary>();
        return is_small(u->a.type()) ? rounded(e.type(), ir::unary(u->op, wide(u->a))) : e;
      }
      case ir::ExprKind::binary: {
        const auto *b = e.as<ir::Binary>();
        return is_small(b->a.type()) ? rounded(e.type(), ir::binary(b->op, wide(b->a), wide(b->b))) : e;
      }
      case ir::ExprKind::mul_add: {
        const auto *m = e.as<ir::MulAdd>();
        return is_small(e.type()) ? rounded(e.type(), ir::mul_add(wide(m->a), wide(m->b), wide(m->c))) : e;
      }
      default: return e;
    }
  }

 private:
  /// The operand in float32; one node for each operand, however often it is used.
  Expr wide(const Expr &e) {
    Expr &known = wide_[e.node()];
    if (!known.defined()) {
      known = ir::cast(scalar_types::float32, e);
      kept_.push_back(e);
    }
    return known;
  }
  static Expr rounded(const DType &type, Expr e) { return type.is_bool() ? e : ir::cast(type, std::move(e)); }

  NodeMap<Expr> wide_;
  List<Expr> kept_;  // keeps the addresses in wide_ taken
};

}  // namespace float_widening

LATHE_INLINE ir::Stmt widen_small_floats(const ir::Stmt &s, const PassContext &) {
  float_widening::Widener widener;
  return ir::rewrite_exprs(s, [&](const ir::Expr &e) { return widener(e); });
}

}  // namespace lathe::inline LATHE_ABI::passes
