// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// fill_vectors: for each buffer of an allocation, a search that finds its places and their masks, and a rewrite that drops
/// these.

#include <cstdint>
#include <optional>
#include <utility>

#include "lathe/ir/build.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/passes/fill_vectors.hpp"
#include "lathe/support/hash_map.hpp"
#include "lathe/support/sorted_map.hpp"

namespace lathe::inline LATHE_ABI::passes {

namespace filling {

using ir::Expr;
using ir::Stmt;

/// A vector in a buffer, and the mask of every store to it.
struct Place {
  int lanes = 0;
  Expr mask;
};

/// Where the vector at constant `indices` begins, counted in elements; nothing unless all of it lies within the buffer, whose
/// extents are constants.
LATHE_INLINE std::optional<std::int64_t> offset_of(const ir::Buffer &buffer, const List<Expr> &indices) {
  if (indices.empty() || !buffer->strides.empty()) return std::nullopt;
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    const bool last = d + 1 == indices.size();
    const auto *ramp = indices[d].as<ir::Ramp>();
    if (last != (ramp != nullptr) || (ramp && !ir::is_constant(ramp->stride, 1))) return std::nullopt;
    const auto index = ir::constant_integer(ramp ? ramp->base : indices[d]), extent = ir::constant_integer(buffer->shape[d]);
    if (!index || !extent || *index < 0 || *index + indices[d].lanes() > *extent) return std::nullopt;
    offset = offset * *extent + *index;
  }
  return offset;
}

/// Whether a store's predicate is a condition of each lane. What is the same for all lanes spares work where it is false.
inline bool is_mask(const Expr &e) { return e.defined() && e.lanes() > 1 && !e.as<ir::Broadcast>(); }

/// Buffers in a statement to whose begin they are unwritten.
class Filling {
 public:
  Filling(const List<ir::Buffer> &buffers, const Stmt &s) {
    for (const ir::Buffer &buffer : buffers) places_.emplace(buffer.node(), Places());
    ir::walk_down(s, [&](const Stmt &inner) {
      if (const auto *loop = inner.as<ir::For>()) bound_.insert(loop->var.node());
      if (const auto *bind = inner.as<ir::Bind>()) add(*bind);
      return true;
    });
    add_stores(s, true);
  }

  bool is_possible() const {
    for (const auto &of_buffer : places_)
      if (!of_buffer.second.empty()) return true;
    return false;
  }

  Stmt operator()(const Stmt &s) const {
    const Stmt changed = ir::map_children(
        s, [&](const Expr &e) { return ir::rewrite(e, [&](const Expr &x) { return unmasked(x); }); },
        [&](const Stmt &nested) { return (*this)(nested); });
    const auto *store = changed.as<ir::Store>();
    if (!store || !places_of(store->buffer)) return changed;
    return ir::make(ir::Store{store->buffer, store->indices, store->value, {}});
  }

 private:
  using Places = SortedMap<Place>;

  const Places *places_of(const ir::Buffer &buffer) const {
    const auto *found = places_.find(buffer.node());
    return found ? &found->second : nullptr;
  }
  Places *places_of(const ir::Buffer &buffer) {
    return const_cast<Places *>(static_cast<const Filling *>(this)->places_of(buffer));
  }

  /// Masks are named where they are made: what a name stands for tells whether two are the same.
  void add(const ir::Bind &bind) {
    const Expr value = meaning_of(bind.value);
    is_invariant(value) ? static_cast<void>(meanings_.emplace(bind.var, value))
                        : static_cast<void>(bound_.insert(bind.var.node()));
  }

  /// `always`: the statement runs whenever the allocation does.
  void add_stores(const Stmt &s, bool always) {
    const auto *loop = s.as<ir::For>();
    const auto *store = s.as<ir::Store>();
    if (s.as<ir::If>() || (loop && ir::constant_integer(loop->extent).value_or(0) < 1)) always = false;
    if (Places *places = store ? places_of(store->buffer) : nullptr; places && !add(*places, *store, always))
      places_.erase(store->buffer.node());
    ir::for_each_stmt(s, [&](const Stmt &nested) { add_stores(nested, always); });
  }

  /// A place whose first store may not happen stays masked: loads without a mask would be of what was never written.
  bool add(Places &places, const ir::Store &store, bool always) const {
    const auto offset = offset_of(store.buffer, store.indices);
    const Expr mask = meaning_of(store.predicate);
    if (!offset || !is_mask(mask) || !is_invariant(mask) || has_call(store.value)) return false;
    const int lanes = store.indices.back().lanes();
    const auto *next = places.lower_bound(*offset);
    if (next != places.end() && next->first == *offset) return next->second.lanes == lanes && ir::equal(next->second.mask, mask);
    if (next != places.end() && next->first < *offset + lanes) return false;
    if (next != places.begin() && next[-1].first + next[-1].second.lanes > *offset) return false;
    places[*offset] = {lanes, mask};
    return always;
  }

  Expr meaning_of(const Expr &e) const { return e.defined() && !meanings_.empty() ? ir::substitute(e, meanings_) : e; }

  bool is_invariant(const Expr &e) const {
    if (!ir::is_pure_scalar(e)) return false;
    for (const ir::Var &var : ir::free_vars(e))
      if (bound_.contains(var.node())) return false;
    return true;
  }

  static bool has_call(const Expr &root) {
    bool found = false;
    ir::walk_down(root, [&](const Expr &e) {
      found = found || e.as<ir::Call>();
      return !found;
    });
    return found;
  }

  Expr unmasked(const Expr &e) const {
    const auto *load = e.as<ir::Load>();
    const Places *places = load && load->predicate.defined() ? places_of(load->buffer) : nullptr;
    const auto offset = places ? offset_of(load->buffer, load->indices) : std::nullopt;
    if (!offset) return e;
    const auto *place = places->find(*offset);
    if (!place || place->second.lanes != e.lanes() || !ir::equal(place->second.mask, meaning_of(load->predicate))) return e;
    return ir::load(load->buffer, load->indices);
  }

  NodeSet bound_;              ///< variables that change
  ir::VarMap<Expr> meanings_;  ///< of those that do not
  NodeMap<Places> places_;     ///< of each buffer that may lose its masks
};

LATHE_INLINE Stmt fill(const List<ir::Buffer> &buffers, const Stmt &body) {
  if (body.as<ir::If>())
    return ir::map_children(body, [](const Expr &e) { return e; }, [&](const Stmt &nested) { return fill(buffers, nested); });
  const Filling filling(buffers, body);
  return filling.is_possible() ? filling(body) : body;
}

}  // namespace filling

LATHE_INLINE ir::Stmt fill_vectors(const ir::Stmt &s, const PassContext &) {
  NodeSet masked;
  ir::walk_down(s, [&](const ir::Stmt &inner) {
    if (const auto *store = inner.as<ir::Store>(); store && filling::is_mask(store->predicate))
      masked.insert(store->buffer.node());
    return true;
  });
  if (masked.empty()) return s;
  return ir::rewrite_stmts(s, [&](const ir::Stmt &inner) {
    const auto *allocate = inner.as<ir::Allocate>();
    if (!allocate) return inner;
    List<ir::Buffer> buffers;
    for (const ir::Buffer &buffer : allocate->buffers)
      if (masked.contains(buffer.node())) buffers.push_back(buffer);
    if (buffers.empty()) return inner;
    ir::Stmt body = filling::fill(buffers, allocate->body);
    return body.same_as(allocate->body) ? inner : ir::make(ir::Allocate{allocate->buffers, std::move(body)});
  });
}

}  // namespace lathe::inline LATHE_ABI::passes
