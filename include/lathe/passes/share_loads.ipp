// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// share_loads: a walk that sorts the loads of each straight line of code into windows, a choice of what is shuffled in each of
/// them, and a rewrite in the order of the walk.

#include <algorithm>
#include <cstdint>
#include <utility>

#include "lathe/ir/build.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/passes/conditions.hpp"
#include "lathe/passes/share_loads.hpp"
#include "lathe/support/hash_map.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/lists.hpp"
#include "lathe/support/sorted_map.hpp"

namespace lathe::inline LATHE_ABI::passes {

namespace load_sharing {

using ir::Expr;
using ir::Stmt;

/// Windows are cut so that this many vectors cover one: they stay in registers from the first use to the last.
inline constexpr int most_covering = 8;
/// Constants beyond are left alone, so that differences stay in 64 bits.
inline constexpr std::int64_t furthest = std::int64_t{1} << 60;
/// Strided vectors up to this stride are shuffled from contiguous ones, here as in code generation.
inline constexpr std::int64_t most_interleaved = 4;

/// A load by where it stands: the same node may be read before a store and after it.
struct Occurrence {
  std::size_t site;
  const ir::ExprNode *node;
};

/// A vector of a window.
struct Vector {
  Expr load;            ///< the first one
  bool shared = false;  ///< `load` is one that may stand wherever the row is known
  List<Occurrence> occurrences;
  Expr shuffled;  ///< what replaces it
};

/// Vectors of one row: they start at Σ terms + a constant of their own, their key.
struct Window {
  ir::Buffer buffer;
  List<Expr> outer;  ///< the indices but for the last one
  arith::Linear terms;
  std::int64_t stride;
  DType type;
  std::size_t version;  ///< of the buffer
  bool open = true;     ///< its indices mean what they meant
  SortedMap<Vector> vectors;
};

/// Whether lanes that are neighbours in the last dimension are neighbours in memory.
inline bool has_rows(const ir::Buffer &buffer) { return buffer->strides.empty() || ir::is_constant(buffer->strides.back(), 1); }

/// The stride of a load without a predicate whose last index is a ramp, and the others scalars that no memory has a say in; 0 of
/// others.
LATHE_INLINE std::int64_t stride_of(const Expr &e) {
  const auto *load = e.as<ir::Load>();
  if (!load || load->predicate.defined() || e.type().is_bool() || !has_rows(load->buffer)) return 0;
  const auto *ramp = load->indices.empty() ? nullptr : load->indices.back().as<ir::Ramp>();
  if (!ramp || ramp->base.lanes() > 1) return 0;
  for (const Expr &index : load->indices)
    if (!ir::is_pure_scalar(index) || (index.lanes() > 1 && &index != &load->indices.back())) return 0;
  return std::max<std::int64_t>(ir::constant_integer(ramp->stride).value_or(0), 0);
}

LATHE_INLINE bool same_row(const Window &a, const Window &b) {
  const auto same_terms = [](const arith::Linear &x, const arith::Linear &y) {
    return lists::equal(x.terms, y.terms,
                        [](const auto &t, const auto &u) { return t.coefficient == u.coefficient && ir::equal(t.atom, u.atom); });
  };
  return a.buffer == b.buffer && a.version == b.version && a.stride == b.stride && a.type == b.type &&
         same_terms(a.terms, b.terms) &&
         lists::equal(a.outer, b.outer, [](const Expr &x, const Expr &y) { return ir::equal(x, y); });
}

/// Equal for windows of one row.
LATHE_INLINE std::int64_t row_hash(const Window &w) {
  std::size_t hash = w.version * 31 + static_cast<std::size_t>(w.stride);
  const auto mix = [&](std::size_t more) { hash = (hash ^ more) * 0x9e3779b97f4a7c15u; };
  mix(key_hash(w.buffer.node()));
  for (const Expr &index : w.outer) mix(ir::hash(index));
  for (const arith::Linear::Term &term : w.terms.terms) mix(ir::hash(term.atom) + static_cast<std::size_t>(term.coefficient));
  return static_cast<std::int64_t>(hash);
}

/// Whether the constant that a vector starts at tells of its alignment, as far as rows and their memory are aligned at all.
LATHE_INLINE bool may_be_aligned(const Window &w) {
  const int lanes = w.type.lanes();
  for (const arith::Linear::Term &term : w.terms.terms)
    if (term.coefficient % lanes != 0) return false;
  if (w.outer.empty()) return true;
  const Expr &pitch = w.buffer->strides.empty() ? w.buffer->shape.back() : w.buffer->strides[w.outer.size() - 1];
  return ir::constant_integer(pitch).value_or(1) % lanes == 0;
}

/// A vector of the row without a predicate.
LATHE_INLINE Expr load_at(const Window &w, std::int64_t constant, std::int64_t stride) {
  arith::Linear start = w.terms;
  start.constant = constant;
  List<Expr> indices = w.outer;
  indices.push_back(ir::ramp(arith::from_linear(start), Expr(stride), w.type.lanes()));
  return ir::load(w.buffer, std::move(indices));
}

/// How many instructions an operation on a vector register takes; what is slow counts as many.
namespace arithmetic_costs {

inline constexpr int slow = 16;

LATHE_INLINE int of_binary(const ir::Binary &node, const Numerics &numerics) {
  using ir::BinaryOp;
  const DType type = node.a.type();
  switch (node.op) {
    case BinaryOp::mul: return type.is_float() ? 1 : type.bits() / 16;
    case BinaryOp::min:
    case BinaryOp::max:
      if (!type.is_float()) return 1;
      if (ir::constant_float(node.a) || ir::constant_float(node.b)) return 2;
      return node.op == BinaryOp::min || numerics.no_nan ? 3 : 5;
    case BinaryOp::div:
    case BinaryOp::mod:
    case BinaryOp::trunc_div:
    case BinaryOp::trunc_mod:
    case BinaryOp::mul_high:
    case BinaryOp::rounding_shift_right:
    case BinaryOp::pow:
    case BinaryOp::atan2:
    case BinaryOp::fmod: return slow;
    default: return 1;
  }
}

LATHE_INLINE int of_unary(ir::UnaryOp op) {
  using ir::UnaryOp;
  if (op <= UnaryOp::abs) return 1;
  return (op >= UnaryOp::floor && op <= UnaryOp::trunc) || op == UnaryOp::any_lane ? 2 : slow;
}

LATHE_INLINE int instructions(const Expr &e, const Numerics &numerics) {
  switch (e.node()->kind()) {
    case ir::ExprKind::unary: return of_unary(e.as<ir::Unary>()->op);
    case ir::ExprKind::binary: return of_binary(*e.as<ir::Binary>(), numerics);
    case ir::ExprKind::mul_add: return e.type().is_float() ? 1 : 1 + e.type().bits() / 16;
    case ir::ExprKind::cast: return e.as<ir::Cast>()->mode == ir::CastMode::reinterpret ? 0 : 4;
    case ir::ExprKind::call: return slow;
    case ir::ExprKind::select:
    case ir::ExprKind::shuffle: return 1;
    default: return 0;
  }
}

}  // namespace arithmetic_costs

/// Loads in code without loops and branches. All of it runs, or none.
class Line {
 public:
  Line(const Target &target, const Numerics &numerics) : target_(target), numerics_(numerics) {}

  void add(std::size_t site, const Expr &root) {
    ir::walk(root, [&](const Expr &e) {
      if (e.lanes() == 1) return;
      if (const std::int64_t stride = stride_of(e); stride > 1 || (stride == 1 && permutes_two(e.type())))
        add(site, e, stride);
      else if (seen_.insert(e.node()))
        arithmetic_ += instructions(e);
    });
  }

  /// @{
  /// Later loads are of other values than earlier ones: of a buffer, at indices that name a variable, or all.
  void close(const ir::Buffer &buffer) { ++versions_[buffer.node()]; }
  void close(const ir::Var &var) {
    const auto names = [&](const Expr &e) { return ir::uses(e, var); };
    for (auto &numbered : windows_) {
      Window &w = numbered.second;
      w.open = w.open && lists::none_of(w.outer, names) &&
               lists::none_of(w.terms.terms, [&](const auto &term) { return names(term.atom); });
    }
  }
  void close() {
    for (auto &numbered : windows_) numbered.second.open = false;
  }
  /// @}

  /// Chooses, and tells `replace` what to put where.
  template <class Replace>
  void finish(Replace replace) {
    List<Shift> shifts;
    for (auto &numbered : windows_)
      if (numbered.second.vectors.size() > 1) choose(numbered.second, shifts);
    settle(shifts);
    for (auto &numbered : windows_) {
      Window &w = numbered.second;
      if (w.stride == 2 || (w.stride > 2 && w.stride <= most_interleaved && w.type.bits() > 8)) interleave(w);
      for (const auto &[constant, vector] : w.vectors)
        for (const Occurrence &at : vector.occurrences)
          if (vector.shuffled.defined()) replace(at, vector.shuffled);
    }
  }

 private:
  using Place = SortedMap<Vector>::Entry *;
  /// A vector that could be lanes of two others.
  struct Shift {
    Window *window;
    Place vector, low, high;
  };

  void add(std::size_t site, const Expr &e, std::int64_t stride) {
    const ir::Load &load = *e.as<ir::Load>();
    Window window{load.buffer, {load.indices.begin(), load.indices.end() - 1}, {}, stride, e.type(), 0, true, {}};
    const Expr &base = load.indices.back().as<ir::Ramp>()->base;
    window.terms = arith::linear_form(base);
    window.version = versions_[load.buffer.node()];
    const std::int64_t constant = window.terms.constant;
    if (constant > furthest || constant < -furthest) return;
    Window &found = window_like(std::move(window));
    Vector &vector = found.vectors[constant];
    if (!vector.load.defined()) vector.load = e;
    vector.occurrences.push_back({site, e.node()});
  }

  Window &window_like(Window window) {
    List<Window *> &alike = alike_[row_hash(window)];
    for (Window *w : alike)
      if (w->open && same_row(*w, window)) return *w;
    const auto number = static_cast<std::int64_t>(windows_.size());
    alike.push_back(&windows_.emplace(number, std::move(window)).first->second);
    return *alike.back();
  }

  int registers_of(DType type) const {
    const int width = std::max(target_.vector_bits, 128);
    return (type.lanes() * type.bits() + width - 1) / width;
  }

  /// Instructions on the ports of vector arithmetic.
  std::int64_t instructions(const Expr &e) const {
    const std::int64_t each = arithmetic_costs::instructions(e, numerics_);
    if (each == 0) return 0;
    int most = registers_of(e.type());
    ir::for_each_child(e, [&](const Expr &child) { most = std::max(most, registers_of(child.type())); });
    return each * most;
  }

  /// Whether lanes of any two vectors are one instruction.
  bool permutes_two(DType type) const {
    return target_.has("avx512f") && target_.vector_bits == 512 && type.lanes() * type.bits() == 512 && type.bits() >= 32;
  }

  /// Whether a vector between two that start `distance` vectors' lanes apart may be shuffled from them.
  bool joins(const Window &w, std::int64_t distance) const {
    return distance == w.type.lanes() || (distance < w.type.lanes() && permutes_two(w.type));
  }

  /// Sorts the vectors of a window into those that stay and those that may be shuffled, for each remainder by the stride.
  void choose(Window &w, List<Shift> &shifts) {
    const bool aligned = w.stride == 1 && may_be_aligned(w);
    HashMap<std::int64_t, List<Place>> classes;
    for (auto &entry : w.vectors) {
      const std::int64_t remainder = entry.first % w.stride;
      classes[remainder < 0 ? remainder + w.stride : remainder].push_back(&entry);
    }
    for (const auto &of_remainder : classes) {
      const List<Place> &places = of_remainder.second;
      int covering = 1;
      for (std::size_t low = 0, high; low + 1 < places.size(); low = high) {
        high = next_covering(w, places, low, aligned);
        if (covering == most_covering) {
          covering = 1;
          high = low + 1;  // the next window starts behind this one
          continue;
        }
        for (std::size_t i = low + 1; i < high; ++i) shifts.push_back({&w, places[i], places[low], places[high]});
        ++covering;
      }
    }
  }

  /// The vector that covers what comes after `low`, together with it: the first aligned one, or the last in reach.
  std::size_t next_covering(const Window &w, const List<Place> &places, std::size_t low, bool aligned) const {
    std::size_t best = low + 1;
    for (std::size_t i = low + 1; i < places.size(); ++i) {
      const std::int64_t distance = (places[i]->first - places[low]->first) / w.stride;
      if (distance > w.type.lanes()) break;
      if (joins(w, distance)) best = i;
      if (aligned && places[i]->first % w.type.lanes() == 0) return i;
    }
    return best;
  }

  /// Shuffles all strided vectors, and as many contiguous ones, evenly spread, as bring loads and arithmetic into balance: a load
  /// takes 3 half cycles, an aligned one, as a shuffle and other instructions, 1. What is shuffled may as well be thought to
  /// cross cache lines, since aligned loads stay.
  void settle(const List<Shift> &shifts) {
    std::int64_t loading = 0, possible = 0, seen = 0;
    const Window *last = nullptr;
    for (const Shift &shift : shifts) {
      if (shift.window->stride > 1) continue;
      ++possible;
      if (shift.window != last) loading += half_cycles(*shift.window);
      last = shift.window;
    }
    const std::int64_t wanted = std::clamp<std::int64_t>((loading - arithmetic_ + 3) / 4, 0, possible);
    for (const Shift &shift : shifts) {
      if (shift.window->stride == 1) {
        ++seen;
        if (seen * wanted / possible == (seen - 1) * wanted / possible) continue;
      }
      shift.vector->second.shuffled = shifted(shift);
    }
  }

  static std::int64_t half_cycles(const Window &w) {
    const bool aligned = may_be_aligned(w);
    std::int64_t sum = 0;
    for (const auto &[constant, vector] : w.vectors) sum += aligned && constant % w.type.lanes() == 0 ? 1 : 3;
    return sum;
  }

  /// A vector for others to use, where only the variables of the terms may be known: its own start may name more.
  static const Expr &shared(const Window &w, const Place &place) {
    Vector &vector = place->second;
    if (!std::exchange(vector.shared, true)) {
      const Expr load = load_at(w, place->first, w.stride);
      const auto base = [](const Expr &e) { return e.as<ir::Load>()->indices.back().as<ir::Ramp>()->base; };
      if (!ir::equal(base(load), base(vector.load))) vector.load = load;
    }
    return vector.load;
  }

  static Expr shifted(const Shift &shift) {
    const std::int64_t stride = shift.window->stride, lanes = shift.window->type.lanes();
    const std::int64_t from_low = (shift.vector->first - shift.low->first) / stride;
    const std::int64_t from_high = (shift.high->first - shift.vector->first) / stride;
    List<int> pick;
    for (std::int64_t i = 0; i < lanes; ++i)
      pick.push_back(static_cast<int>(i + from_low < lanes ? i + from_low : lanes + i - from_high));
    return ir::shuffle({shared(*shift.window, shift.low), shared(*shift.window, shift.high)}, std::move(pick));
  }

  /// Vectors that together are a stretch of the row, each element of it once.
  void interleave(Window &w) {
    List<Place> loaded;
    for (auto &entry : w.vectors)
      if (!entry.second.shuffled.defined()) loaded.push_back(&entry);
    const auto count = static_cast<std::size_t>(w.stride);
    NodeMap<Expr> contiguous;
    for (std::size_t first = 0; first + count <= loaded.size(); ++first) {
      if (loaded[first + count - 1]->first - loaded[first]->first != w.stride - 1) continue;
      List<Expr> pieces;
      for (std::int64_t piece = 0; piece < w.stride; ++piece)
        pieces.push_back(load_at(w, loaded[first]->first + piece * w.type.lanes(), 1));
      for (std::size_t i = 0; i < count; ++i) {
        List<int> pick;
        for (int lane = 0; lane < w.type.lanes(); ++lane) pick.push_back(static_cast<int>(i) + lane * static_cast<int>(w.stride));
        Vector &vector = loaded[first + i]->second;
        vector.shuffled = ir::shuffle(pieces, std::move(pick));
        contiguous.emplace(vector.load.node(), vector.shuffled);
      }
      first += count - 1;
    }
    for (auto &[constant, vector] : w.vectors)
      if (vector.shuffled.defined() && !contiguous.contains(vector.load.node()))
        vector.shuffled = ir::rewrite(vector.shuffled, [&](const Expr &e) {
          const auto *found = contiguous.find(e.node());
          return found ? found->second : e;
        });
  }

  const Target &target_;
  const Numerics &numerics_;
  HashMap<std::int64_t, Window> windows_;        ///< by number
  HashMap<std::int64_t, List<Window *>> alike_;  ///< by row_hash
  NodeMap<std::size_t> versions_;                ///< of buffers
  NodeSet seen_;
  std::int64_t arithmetic_ = 0;
};

/// Walks twice in the same order. Expressions are known by the number of the place where they are evaluated.
class Sharing {
 public:
  explicit Sharing(const PassContext &context) : context_(context) {}

  Stmt operator()(const Stmt &s) {
    collect_line(s);
    if (!any_) return s;
    site_ = 0;
    return rewritten(s);
  }

 private:
  void collect_line(const Stmt &s) {
    Line line(context_.target, context_.numerics);
    collect(s, line);
    finish(line);
  }

  void finish(Line &line) {
    line.finish([&](const Occurrence &at, const Expr &shuffled) {
      while (replacements_.size() <= at.site) replacements_.emplace_back();
      replacements_[at.site].emplace(at.node, shuffled);
      any_ = true;
    });
  }

  void collect(const Stmt &s, Line &line) {
    switch (s.node()->kind()) {
      case ir::StmtKind::store: return collect_store(s, *s.as<ir::Store>(), line);
      case ir::StmtKind::loop:
      case ir::StmtKind::branch: {
        expressions(s, line);
        ir::for_each_stmt(s, [&](const Stmt &nested) {
          collect_line(nested);
          close_written(nested, line);
        });
        return;
      }
      case ir::StmtKind::bind: {
        const ir::Bind &bind = *s.as<ir::Bind>();
        expressions(s, line);
        line.close(bind.var);
        collect(bind.body, line);
        return line.close(bind.var);
      }
      case ir::StmtKind::allocate:
        expressions(s, line);
        collect(s.as<ir::Allocate>()->body, line);
        for (const ir::Buffer &buffer : s.as<ir::Allocate>()->buffers) line.close(buffer);
        return;
      case ir::StmtKind::check: expressions(s, line); return line.close();
      default: break;
    }
    expressions(s, line);
    ir::for_each_stmt(s, [&](const Stmt &nested) { collect(nested, line); });
  }

  /// What is stored under one condition for all lanes is computed where that holds.
  void collect_store(const Stmt &s, const ir::Store &store, Line &line) {
    const bool conditional = store.predicate.defined() && (store.predicate.lanes() == 1 || store.predicate.as<ir::Broadcast>());
    if (conditional) {
      Line own(context_.target, context_.numerics);
      expressions(s, own);
      finish(own);
    } else {
      expressions(s, line);
    }
    line.close(store.buffer);
  }

  void expressions(const Stmt &s, Line &line) {
    const std::size_t site = site_++;
    ir::for_each_expr(s, [&](const Expr &e) { line.add(site, e); });
  }

  static void close_written(const Stmt &s, Line &line) {
    ir::walk_down(s, [&](const Stmt &inner) {
      if (const auto *store = inner.as<ir::Store>()) line.close(store->buffer);
      return true;
    });
  }

  Stmt rewritten(const Stmt &s) {
    const std::size_t site = site_++;
    const NodeMap<Expr> *here = site < replacements_.size() && !replacements_[site].empty() ? &replacements_[site] : nullptr;
    return ir::map_children(
        s,
        [&](const Expr &e) {
          if (!here) return e;
          return ir::rewrite(e, [&](const Expr &x) {
            const auto *found = here->find(x.node());
            return found ? found->second : x;
          });
        },
        [&](const Stmt &nested) { return rewritten(nested); });
  }

  const PassContext &context_;
  List<NodeMap<Expr>> replacements_;  ///< of each site
  std::size_t site_ = 0;
  bool any_ = false;
};

}  // namespace load_sharing

LATHE_INLINE ir::Stmt share_loads(const ir::Stmt &s, const PassContext &context) {
  return context.target.vectors ? load_sharing::Sharing(context)(s) : s;
}

}  // namespace lathe::inline LATHE_ABI::passes
