// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Flattening of indices.

#include <algorithm>
#include <utility>

#include "lathe/codegen/access.hpp"
#include "lathe/ir/build.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::codegen {

LATHE_INLINE bool same_factors(const List<ir::Expr> &a, const List<ir::Expr> &b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!ir::equal(a[i], b[i])) return false;
  return true;
}

namespace flattening {

/// Threads have stacks of a few megabytes, and what is asked for by scope is asked for on purpose.
inline constexpr std::int64_t most_stack_bytes = 16 * 1024, most_local_bytes = 64 * 1024;
/// Steps spent on taking one index apart; beyond, what is left counts as atoms. Sharing can make an index exponentially long.
inline constexpr int most_steps = 512;

/// Adds a term to a sum; alike terms share one entry, and an entry that cancels goes.
LATHE_INLINE void add_term(List<AccessTerm> &sum, AccessTerm term) {
  for (std::size_t i = 0; i < sum.size(); ++i) {
    AccessTerm &other = sum[i];
    if (other.atom.defined() != term.atom.defined() || !same_factors(other.factors, term.factors)) continue;
    if (term.atom.defined() && !ir::equal(other.atom, term.atom)) continue;
    other.coefficient = wrapping_add(other.coefficient, term.coefficient);
    if (other.coefficient == 0) sum.erase(sum.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
  if (term.coefficient != 0) sum.push_back(std::move(term));
}

/// One index on its way apart: `atom` is what is left to look at.
class Flattener {
 public:
  explicit Flattener(Access &access) : access_(access) {}

  void add(AccessTerm index) {
    stack_.push_back(std::move(index));
    for (int steps = 0; !stack_.empty(); ++steps) {
      AccessTerm item = std::move(stack_.back());
      stack_.pop_back();
      if (steps >= most_steps || !take_apart(item)) settle(std::move(item));
    }
  }

 private:
  bool take_apart(const AccessTerm &item) {
    const ir::Expr &e = item.atom;
    switch (e.node()->kind()) {
      case ir::ExprKind::ranged: return push(item, e.as<ir::Ranged>()->a);
      case ir::ExprKind::broadcast: {
        const ir::Expr &a = e.as<ir::Broadcast>()->a;
        return a.lanes() == 1 && push(item, a);
      }
      case ir::ExprKind::ramp: return take_ramp(item, *e.as<ir::Ramp>());
      case ir::ExprKind::unary: return e.as<ir::Unary>()->op == ir::UnaryOp::neg && push(item, e.as<ir::Unary>()->a, -1);
      case ir::ExprKind::binary: return take_binary(item, *e.as<ir::Binary>());
      default: return false;
    }
  }

  bool take_ramp(const AccessTerm &item, const ir::Ramp &ramp) {
    if (ramp.base.lanes() > 1) return false;
    if (const auto stride = ir::constant_integer(ramp.stride))
      add_stride(item.coefficient, *stride, item.factors);
    else
      add_term(access_.stride_terms, {ramp.stride, item.factors, item.coefficient});
    return push(item, ramp.base);
  }

  bool take_binary(const AccessTerm &item, const ir::Binary &b) {
    if (b.op == ir::BinaryOp::add || b.op == ir::BinaryOp::sub) {
      push(item, b.b, b.op == ir::BinaryOp::sub ? -1 : 1);
      return push(item, b.a);
    }
    if (b.op != ir::BinaryOp::mul) return false;
    if (const auto c = ir::constant_integer(b.b)) return push(item, b.a, *c);
    if (const auto c = ir::constant_integer(b.a)) return push(item, b.b, *c);
    // The lanes of a vector times one scalar stay a ramp.
    if (const auto *scale = b.b.as<ir::Broadcast>(); scale && scale->a.lanes() == 1) return push(item, b.a, 1, scale->a);
    if (const auto *scale = b.a.as<ir::Broadcast>(); scale && scale->a.lanes() == 1) return push(item, b.b, 1, scale->a);
    return false;
  }

  bool push(const AccessTerm &item, const ir::Expr &e, std::int64_t scale = 1, const ir::Expr &factor = {}) {
    stack_.push_back({e, item.factors, wrapping_mul(item.coefficient, scale)});
    if (factor.defined()) stack_.back().factors.push_back(factor);
    return true;
  }

  void add_stride(std::int64_t coefficient, std::int64_t stride, const List<ir::Expr> &factors) {
    const std::int64_t product = wrapping_mul(coefficient, stride);
    if (factors.empty())
      access_.stride = wrapping_add(access_.stride, product);
    else
      add_term(access_.stride_terms, {{}, factors, product});
  }

  void settle(AccessTerm item) {
    if (const auto c = ir::constant_integer(item.atom)) {
      item.coefficient = wrapping_mul(item.coefficient, *c);
      item.atom = {};
      if (item.factors.empty()) {
        access_.constant = wrapping_add(access_.constant, item.coefficient);
        return;
      }
    }
    List<AccessTerm> &sum = item.atom.defined() && item.atom.lanes() > 1 ? access_.lane_terms : access_.terms;
    add_term(sum, std::move(item));
  }

  Access &access_;
  List<AccessTerm> stack_;
};

/// The strides of all dimensions as a constant and symbolic factors.
LATHE_INLINE List<AccessTerm> strides_of(const ir::Buffer &buffer) {
  const std::size_t rank = buffer->shape.size();
  List<AccessTerm> strides(rank);
  const auto scale = [](AccessTerm &stride, const ir::Expr &e) {
    if (const auto c = ir::constant_integer(e))
      stride.coefficient = wrapping_mul(stride.coefficient, *c);
    else
      stride.factors.push_back(e);
  };
  AccessTerm compact;
  for (std::size_t d = rank; d-- > 0;) {
    if (buffer->strides.empty()) {
      strides[d] = compact;
      scale(compact, buffer->shape[d]);
    } else {
      scale(strides[d], buffer->strides[d]);
    }
  }
  return strides;
}

LATHE_INLINE AccessKind kind_of(const Access &access) {
  if (access.lanes == 1) return AccessKind::scalar;
  if (!access.lane_terms.empty()) return AccessKind::gather;
  if (!access.stride_terms.empty()) return AccessKind::strided;
  if (access.stride == 1) return AccessKind::contiguous;
  return access.stride == 0 ? AccessKind::broadcast : AccessKind::strided;
}

}  // namespace flattening

LATHE_INLINE int proven_alignment(const ir::Buffer &buffer, const Access &access, int base_alignment) {
  const std::int64_t bytes = buffer->type.bytes();
  if (!access.lane_terms.empty()) return static_cast<int>(bytes);
  std::uint64_t all = static_cast<std::uint64_t>(access.constant * bytes);
  for (const AccessTerm &term : access.terms) all |= static_cast<std::uint64_t>(wrapping_mul(term.coefficient, bytes));
  const std::int64_t base = std::max<std::int64_t>({base_alignment, buffer->alignment, bytes});
  all |= static_cast<std::uint64_t>(base);
  return static_cast<int>(all & (~all + 1));
}

LATHE_INLINE Access access_of(const ir::Buffer &buffer, const List<ir::Expr> &indices, int base_alignment) {
  Access access;
  for (const ir::Expr &index : indices) access.lanes = std::max(access.lanes, index.lanes());
  List<AccessTerm> strides = flattening::strides_of(buffer);
  flattening::Flattener flattener(access);
  for (std::size_t d = 0; d < indices.size(); ++d) {
    strides[d].atom = indices[d];
    flattener.add(std::move(strides[d]));
  }
  access.kind = flattening::kind_of(access);
  access.alignment = proven_alignment(buffer, access, base_alignment);
  return access;
}

LATHE_INLINE Access difference_of(const ir::Expr &a, const ir::Expr &b) {
  Access difference;
  difference.lanes = std::max(a.lanes(), b.lanes());
  flattening::Flattener flattener(difference);
  flattener.add({a, {}, 1});
  flattener.add({b, {}, -1});
  difference.kind = flattening::kind_of(difference);
  return difference;
}

LATHE_INLINE ir::Expr sum_of(const List<AccessTerm> &terms, std::int64_t constant) {
  ir::Expr sum;
  const auto append = [&](ir::Expr e) { sum = sum.defined() ? sum + std::move(e) : std::move(e); };
  for (const AccessTerm &term : terms) {
    ir::Expr product = term.atom;
    for (const ir::Expr &factor : term.factors) product = product.defined() ? product * factor : factor;
    append(term.coefficient == 1 ? product : product * ir::Expr(term.coefficient));
  }
  if (constant != 0 || !sum.defined()) append(ir::Expr(constant));
  return sum;
}

LATHE_INLINE bool has_constant_layout(const ir::Buffer &buffer) {
  for (const ir::Expr &e : buffer->shape)
    if (!ir::constant_integer(e)) return false;
  for (const ir::Expr &e : buffer->strides)
    if (!ir::constant_integer(e)) return false;
  return true;
}

LATHE_INLINE std::int64_t constant_elements(const ir::Buffer &buffer) {
  std::int64_t last = 0, compact = 1;
  bool empty = false;
  for (std::size_t d = 0; d < buffer->shape.size(); ++d) {
    const std::int64_t extent = ir::constant_integer(buffer->shape[d]).value_or(0);
    empty = empty || extent <= 0;
    compact = wrapping_mul(compact, extent);
    if (!buffer->strides.empty()) last += (extent - 1) * ir::constant_integer(buffer->strides[d]).value_or(0);
  }
  if (empty) return 0;
  return buffer->strides.empty() ? compact : last + 1;
}

LATHE_INLINE bool lives_on_stack(const ir::Buffer &buffer) {
  if (!has_constant_layout(buffer)) return false;
  const std::int64_t most = buffer->scope.name == "local" ? flattening::most_local_bytes : flattening::most_stack_bytes;
  return constant_elements(buffer) <= most / buffer->type.bytes();
}

}  // namespace lathe::inline LATHE_ABI::codegen
