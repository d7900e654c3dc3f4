// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Handles on the stages of a schedule. Each call is one step (step.hpp); it is checked at once and throws `Error` with a code
/// S…, leaving the schedule as it was. (`tile` is three steps.) Beside the codes that a primitive names, any step throws S015 on
/// a stage that is inlined, but compute_at and compute_root, which undo that; and S017 on an input, which only untyped programs
/// can name.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "lathe/expr/compute.hpp"
#include "lathe/schedule/axes.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI {

/// Where a stage is kept. An open value: targets define more.
struct Scope {
  std::string_view name;  ///< empty: main memory. Copied by the step that takes the scope.
};
/// The scopes that Lathe knows.
namespace scope {
inline constexpr Scope global{""};        ///< main memory
inline constexpr Scope local{"local"};    ///< the thread's own: registers where the accesses allow it, else its stack
inline constexpr Scope shared{"shared"};  ///< a GPU block's
}  // namespace scope

/// A scope with the place of the call: nothing can follow the readers of cache_read.
struct LocatedScope {
  Scope scope;     ///< the scope
  Location place;  ///< of the call
  /// From a scope, where the call stands.
  LocatedScope(Scope s, std::source_location where = std::source_location::current()) : scope(s), place(where) {}  // NOLINT
};

/// A split by number of parts: `s[C].split(i, parts(4))`.
struct Parts {
  std::int64_t count;  ///< at least 1
};
/// Asks a split for `count` parts instead of parts of a size.
inline Parts parts(std::int64_t count) { return {count}; }

/// What a split does where its parts do not fill the axis: `s[C].split(i, 16, tail::divides)`.
using scheduling::Tail;
/// The ways of `Tail`.
namespace tail {
inline constexpr Tail guard = Tail::guard;        ///< a condition leaves out what is beyond the end: what split does by itself
inline constexpr Tail divides = Tail::divides;    ///< promises that nothing is beyond the end
inline constexpr Tail round_up = Tail::round_up;  ///< computes what is beyond the end too, on a buffer that is padded for it
}  // namespace tail

class Schedule;

/// What a layout's lambda returns: `at(n / 16, k, n % 16)`.
struct MemoryIndices {
  List<ir::Expr> indices;  ///< of the memory, outermost first
};
/// The place of an element in memory, of indices and integers.
template <class... Indices>
MemoryIndices at(const Indices &...indices) {
  static_assert(((std::is_same_v<Indices, Index> || std::is_integral_v<Indices>) && ...),
                "at(): takes indices, for example  at(n / 16, k, n % 16)");
  return {{typing::operand<index_t>(indices)...}};
}

/// A cheap handle on a stage of a schedule, whose element type and rank are known when the program runs. It refers to the
/// schedule.
class AnyStage {
 public:
  /// Schedules make these, by `s[C]`. The schedule must outlive the handle and stay where it is.
  AnyStage(Schedule &schedule, ir::Operation key) : schedule_(&schedule), key_(std::move(key)) {}

  const std::string &name() const { return key_->name; }  ///< of the tensor
  const ir::Operation &key() const { return key_; }       ///< the operation that tensors name, whatever steps made of it

  /// The original data axes, outermost first.
  List<AnyAxis> axes() const;
  /// The axes that the stage reduces over. After cache_write they belong to the cache's stage.
  List<ReductionAxis> reduce_axes() const;
  /// The current loops, outermost first.
  List<AnyAxis> loops() const;

  /// One loop becomes two: `auto [outer, inner] = s[C].split(i, 16)`.
  ///
  ///     for i in 0..e: body(i)     →     for i.outer in 0..ceil(e/16):
  ///                                        for i.inner in 0..16:
  ///                                          if i.outer*16 + i.inner < e: body(i.outer*16 + i.inner)
  ///
  /// The condition stands only where it is not known to hold, and an inner loop is never longer than a known e. \throws Error
  /// S001 unless the factor is at least 1, S002 (not an axis of this stage), S003 (split or fused already), S014 (marked by
  /// vectorize, unroll or parallel: mark a part instead).
  template <class A>
  std::pair<scheduling::PartOf<A>, scheduling::PartOf<A>> split(const A &axis, std::int64_t factor,
                                                                Location place = Location::current()) {
    static_assert(scheduling::AxisLike<A>, "split(): takes an axis of this stage and a factor, for example  s[C].split(i, 16)");
    return split_pair<A>(axis, factor, false, Tail::guard, place);
  }
  /// The same, saying what happens where the parts do not fill the axis: `auto [outer, inner] = s[C].split(i, 16,
  /// tail::divides)`.
  ///
  ///     for i in 0..e: body(i)     → tail::divides →      for i.outer in 0..e/16:
  ///                                                         for i.inner in 0..16: body(i.outer*16 + i.inner)
  ///
  ///     allocate c: float32[e]:    → tail::round_up →     allocate c: float32[ceil(e/16)*16]:
  ///       for i in 0..e: c[i] = …                           for i.outer in 0..ceil(e/16):
  ///                                                           for i.inner in 0..16: c[i.outer*16 + i.inner] = …
  ///
  /// `divides` promises that the extent is a multiple of the factor. Lowering proves it, with `Schedule::assume` if need be;
  /// otherwise each call of the kernel checks it (K005). Lowering refuses what is not so, or cannot be checked before the kernel
  /// runs (L031). `round_up` pads a dimension of the stage's own buffer. The padding holds values that nobody reads but other
  /// padding: what the expression gives there where all that it reads is in memory, else 0 in place of the element or of what is
  /// reduced.
  /// \throws Error as the split above; S031 if the promise is false; S032 where there is nothing to pad: an output, a reduction
  /// axis, a part of an axis, or an axis that the extent of a reduction depends on.
  template <class A>
  std::pair<scheduling::PartOf<A>, scheduling::PartOf<A>> split(const A &axis, std::int64_t factor, Tail tail,
                                                                Location place = Location::current()) {
    static_assert(scheduling::AxisLike<A>,
                  "split(): takes an axis of this stage and a factor, for example  s[C].split(i, 16, tail::divides)");
    return split_pair<A>(axis, factor, false, tail, place);
  }
  /// Into `parts.count` parts: `auto [outer, inner] = s[C].split(i, parts(4))`.
  ///
  ///     for i in 0..e: body(i)     →     for i.outer in 0..4:
  ///                                        for i.inner in 0..ceil(e/4):
  ///                                          if i.outer*ceil(e/4) + i.inner < e: body(i.outer*ceil(e/4) + i.inner)
  ///
  /// A known e below the count makes e parts. \throws Error as the other split.
  template <class A>
  std::pair<scheduling::PartOf<A>, scheduling::PartOf<A>> split(const A &axis, Parts parts,
                                                                Location place = Location::current()) {
    static_assert(scheduling::AxisLike<A>, "split(): takes an axis of this stage, for example  s[C].split(i, parts(4))");
    return split_pair<A>(axis, parts.count, true, Tail::guard, place);
  }
  /// The same, saying what happens where the parts do not fill the axis.
  ///
  ///     for i in 0..e: body(i)     → parts(4), tail::divides →     for i.outer in 0..4:
  ///                                                                  for i.inner in 0..e/4: body(i.outer*(e/4) + i.inner)
  ///
  /// \throws Error as the split with a factor and a tail.
  template <class A>
  std::pair<scheduling::PartOf<A>, scheduling::PartOf<A>> split(const A &axis, Parts parts, Tail tail,
                                                                Location place = Location::current()) {
    static_assert(scheduling::AxisLike<A>,
                  "split(): takes an axis of this stage, for example  s[C].split(i, parts(4), tail::divides)");
    return split_pair<A>(axis, parts.count, true, tail, place);
  }

  /// Neighbouring loops, named from the outer to the inner, become one: `auto f = s[C].fuse(i, j)`.
  ///
  ///     for i in 0..m:             →     for i.j in 0..m*n:
  ///       for j in 0..n: body(i, j)        body(i.j / n, i.j % n)
  ///
  /// \throws Error S002, S003, S004 (named twice), S005 (not neighbours), S014 (marked).
  template <class A, class B>
  scheduling::FusionOf<A, B> fuse(const A &a, const B &b, Location place = Location::current()) {
    static_assert(scheduling::AxisLike<A> && scheduling::AxisLike<B>,
                  "fuse(): takes neighbouring axes, for example  s[C].fuse(i, j)");
    return scheduling::FusionOf<A, B>(fuse_axes({a, b}, place));
  }
  /// Three of them.
  template <class A, class B, class C>
    requires scheduling::AxisLike<C>
  scheduling::FusionOf<A, B, C> fuse(const A &a, const B &b, const C &c, Location place = Location::current()) {
    return scheduling::FusionOf<A, B, C>(fuse_axes({a, b, c}, place));
  }
  /// Four of them.
  template <class A, class B, class C, class D>
    requires scheduling::AxisLike<D>
  scheduling::FusionOf<A, B, C, D> fuse(const A &a, const B &b, const C &c, const D &d, Location place = Location::current()) {
    return scheduling::FusionOf<A, B, C, D>(fuse_axes({a, b, c, d}, place));
  }
  /// Any number of axes, also none: that makes a loop of one iteration around all others.
  ///
  ///     body     → fuse({}) →     for unit in 0..1: body
  AnyAxis fuse(const List<AnyAxis> &axes, Location place = Location::current());

  /// Permutes the named loops among the places they hold; others stay.
  ///
  ///     for i: for j: for k: body     → reorder(k, i) →     for k: for j: for i: body
  ///
  /// A data loop may move inside a reduction loop: the start values are then written by loops of their own before.
  /// \throws Error S002, S003, S004 (named twice), S020 (a loop would stand outside one that its extent depends on).
  template <class... Axes>
  void reorder(scheduling::LocatedAxis first, const Axes &...rest) {
    static_assert((scheduling::AxisLike<Axes> && ...),
                  "reorder(): takes axes of this stage in their new order, for example  s[C].reorder(i, k, j)");
    reorder_axes({first.axis, scheduling::AxisRef(rest)...}, first.place);
  }
  /// Axes that the program finds while it runs.
  void reorder(const List<AnyAxis> &axes, Location place = Location::current());

  /// Both axes split and reordered to (x.outer, y.outer, x.inner, y.inner), which it returns.
  ///
  ///     for x: for y: body     →     for x.outer: for y.outer: for x.inner in 0..fx: for y.inner in 0..fy: body
  ///
  /// Three steps: two splits and a reorder. \throws Error as those; then none is taken.
  template <class X, class Y>
  auto tile(const X &x, const Y &y, std::int64_t x_factor, std::int64_t y_factor, Location place = Location::current()) {
    static_assert(scheduling::AxisLike<X> && scheduling::AxisLike<Y>,
                  "tile(): takes two axes and their factors, for example  s[C].tile(i, j, 8, 16)");
    scheduling::State before = state_now();
    try {
      auto [xo, xi] = split(x, x_factor, place);
      auto [yo, yi] = split(y, y_factor, place);
      reorder_axes({xo, yo, xi, yi}, place);
      return std::tuple(xo, yo, xi, yi);
    } catch (const Error &) {
      go_back(std::move(before));
      throw;
    }
  }

  /// The loop's iterations become lanes of vector instructions. Its extent must be constant when lowered (L062), and at most
  /// 4096 (L063). Where lanes would change the meaning or cannot express it, the loop runs as it is: passes/vectorize_loops.hpp.
  ///
  ///     for i in 0..8: b[i] = a[i]     →     b[0:8] = a[0:8]
  ///
  /// \throws Error S002, S003, S006 (a reduction axis), S014.
  template <class A>
  void vectorize(const A &axis, Location place = Location::current()) {
    static_assert(scheduling::AxisLike<A> && !scheduling::is_surely_reduction<A>,
                  "vectorize(): takes a data axis, since lanes of a reduction axis would add to the same element, for example  "
                  "s[C].vectorize(j)");
    mark(scheduling::Primitive::vectorize, axis, place);
  }
  /// The loop's body is repeated in the code. Its extent must be constant when lowered (L064), and not too large (L065).
  ///
  ///     for i in 0..2: b[i] = a[i]     →     b[0] = a[0]; b[1] = a[1]
  ///
  /// \throws Error S002, S003, S014.
  template <class A>
  void unroll(const A &axis, Location place = Location::current()) {
    static_assert(scheduling::AxisLike<A>, "unroll(): takes an axis of this stage, for example  s[C].unroll(i)");
    mark(scheduling::Primitive::unroll, axis, place);
  }
  /// Unrolls what stands inside a loop, as far as that makes at most `most` copies of a statement: loops of constant extent that
  /// no other step marks, from the innermost outwards, up to the first that would be too many or has no constant extent. Copies
  /// that `unroll` makes count, lanes do not.
  ///
  ///     for i in 0..n:                         →     for i in 0..n:
  ///       for j in 0..8:                               for j in 0..8:
  ///         for k in 0..4: c[i, j] += …                  c[i, j] += …; c[i, j] += …; c[i, j] += …; c[i, j] += …
  ///
  /// (for `s[C].auto_unroll(i, 16)`). The loop itself is left as it is; when it is split later, the inner part counts. \throws
  /// Error S002, S003, S036 (no loop stands inside it, or `most` is below 2, so it could not have an effect).
  template <class A>
  void auto_unroll(const A &axis, std::int64_t most, Location place = Location::current()) {
    static_assert(scheduling::AxisLike<A>,
                  "auto_unroll(): takes an axis of this stage and a number of copies, for example  s[C].auto_unroll(i, 16)");
    limit_unrolling(axis, most, place);
  }
  /// The loop's iterations may run at the same time on several threads.
  ///
  ///     for i in 0..n: b[i] = a[i]     →     parallel i in 0..n: b[i] = a[i]
  ///
  /// \throws Error S002, S003, S006 (a reduction axis), S014.
  template <class A>
  void parallel(const A &axis, Location place = Location::current()) {
    static_assert(scheduling::AxisLike<A> && !scheduling::is_surely_reduction<A>,
                  "parallel(): takes a data axis, since iterations of a reduction axis add to the same element, for example  "
                  "s[C].parallel(i)");
    mark(scheduling::Primitive::parallel, axis, place);
  }

  /// Computes this stage inside a loop of its consumer, as much as one iteration needs. When that axis is split later, the stage
  /// stays in the inner part; when fused, in the fused loop.
  ///
  ///     for y: b[y] = …                 →   for y:
  ///     for y: for x: c[y, x] = b[y]…         b[y] = …
  ///                                           for x: c[y, x] = b[y]…
  ///
  /// The consumer may read it through other stages. \throws Error S009 (itself), S010 (not a consumer), S011 (an output), S013 (a
  /// vectorized loop), S015 (the consumer is inlined), S002, S003. Whether all readers lie inside that loop is seen by lowering
  /// (L001).
  template <class A>
  void compute_at(const AnyStage &consumer, const A &axis, Location place = Location::current()) {
    static_assert(scheduling::AxisLike<A>,
                  "compute_at(): takes a consumer and one of its axes, for example  s[B].compute_at(s[C], i)");
    attach(consumer, axis, place);
  }
  /// The other way to say compute_at: this stage, an epilogue, follows the loops that its producer has down to `axis`, and the
  /// producer is computed inside them.
  ///
  ///     for y.outer: for y.inner: for x: for k: c[y, x] += …     →     for y.outer:
  ///     for y: for x: d[y, x] = f(c[y, x])                               for y.inner: for x: for k: c[y, x] += …
  ///                                                                      for y.inner: for x: d[y, x] = f(c[y, x])
  ///
  /// (for `s[D].reverse_compute_at(s[C], y_outer)`). Several steps: the splits, fusions, orders and marks of those loops on this
  /// stage, then compute_at of the producer. A split keeps its factor and its promise to divide. \throws Error as those, and then
  /// none is taken; S037 where it has no meaning: this stage does not read the producer, others read it too, loops of this stage
  /// are scheduled already, the loops down to `axis` are reduced over, came from a split by parts, or are not axes of this stage.
  template <class A>
  void reverse_compute_at(const AnyStage &producer, const A &axis, Location place = Location::current()) {
    static_assert(scheduling::AxisLike<A>,
                  "reverse_compute_at(): takes a producer and one of its axes, for example  s[D].reverse_compute_at(s[C], io)");
    follow(producer, axis, place);
  }
  /// Fetches what is read of `tensor` inside a loop of this stage, by it and by stages that are computed there, into the caches
  /// `ahead` iterations before: at the start of each iteration, one hint for each line of 64 bytes of the box that is read in
  /// one.
  ///
  ///     for i in 0..n:                          →     for i in 0..n:
  ///       for j in 0..4: b[i, j] = a[i, j]              prefetch a[i + 8, 0]
  ///                                                     for j in 0..4: b[i, j] = a[i, j]
  ///
  /// (for `s[B].prefetch(A, i, 8)`). Places beyond the tensor's end are computed as if it went on, and hints for them do nothing:
  /// where rows follow each other in memory, iterations past the end of one fetch the next. When the loop is split later, the
  /// inner part counts. Hints do not change values. \throws Error S002, S003, S039 (the stage does not read the tensor, which may
  /// also be inlined; `ahead` is below 1, or above 2^40). Lowering refuses (L033) places that depend on data, a tensor that is
  /// not in memory when the iteration begins, or no longer read, and loops that run once, or are, or stand inside, lanes.
  template <class A>
  void prefetch(const AnyTensor &tensor, const A &axis, std::int64_t ahead, Location place = Location::current()) {
    static_assert(
        scheduling::AxisLike<A>,
        "prefetch(): takes a tensor that the stage reads, an axis of the stage and a number of iterations, for example  "
        "s[B].prefetch(A, i, 8)");
    fetch_ahead(tensor, axis, ahead, place);
  }
  /// Substitutes this stage's expression into its readers.
  ///
  ///     b[i] = a[i] * 2;  c[i] = b[i] + 1     →     c[i] = a[i] * 2 + 1
  ///
  /// \throws Error S007 (an output), S008 (a reduction, or several outputs), S015 (its loops were split or fused, or it is
  /// inlined already). Other marks and orders of its loops are given up.
  void compute_inline(Location place = Location::current());
  /// Computes the stage as a whole before its readers: undoes compute_at and compute_inline, and the inlining by default.
  ///
  ///     c[i] = a[i] * 2 + 1     →     for i: b[i] = a[i] * 2
  ///                                   for i: c[i] = b[i] + 1
  void compute_root(Location place = Location::current());
  /// Keeps the stage's elements in a scope.
  ///
  ///     allocate b: float32[8]:     →     allocate b: float32[8] in local:
  ///       for i: b[i] = …                   for i: b[i] = …
  ///
  /// \throws Error S011 for an output, S022 for a scope whose name is not one word of letters, digits, _ and dots.
  void set_scope(Scope scope, Location place = Location::current());
  /// Where the elements lie in the stage's memory, by a map in text: "i1/16,i0,i1%16" puts element (i0, i1) at (i1/16, i0,
  /// i1%16). See `Stage::layout`. \throws Error as that, and S021 for text that is no map.
  void layout(std::string_view map, Location place = Location::current());
  /// Pads the stage's buffer so that the stride of a dimension, counted in elements, leaves `offset` when divided by `factor`:
  /// rows that begin at multiples of a vector, or that do not all fall into the same sets of a cache.
  ///
  ///     allocate b: float32[8, 30]     → storage_align(y, 16, 0) →     allocate b: float32[8, 30] strides [32, 1]
  ///
  /// The axis is an original one, whatever became of it; with several such steps the inner dimensions are padded first. \throws
  /// Error S002 (not an axis of this stage), S035 where there is no stride of the stage's own to pad: an output, the innermost
  /// dimension, a reduction axis, a part of an axis, an axis that is aligned already; or unless 0 <= offset < factor.
  template <class A>
  void storage_align(const A &axis, std::int64_t factor, std::int64_t offset = 0, Location place = Location::current()) {
    static_assert(scheduling::AxisLike<A> && !scheduling::is_surely_reduction<A>,
                  "storage_align(): takes a data axis, a factor and an offset, for example  s[B].storage_align(y, 16, 0)");
    align_axis(axis, factor, offset, place);
  }
  /// Stores whole vectors past the caches (non-temporally): for elements that nobody reads soon, so that the caches keep what is
  /// worth it. Other threads see them when the kernel is done.
  ///
  ///     b[i:i + 16] = a[i:i + 16]     → vmovups (a), zmm0; vmovntps zmm0, (b)
  ///
  /// An output must then begin at a multiple of 64 bytes, as every `Array` does; each call is checked for it (K003). What is no
  /// whole vector, or not proven to lie at a multiple of its size, is stored as ever, and so is all of it in C. \throws Error
  /// S038 for a reduction, whose elements are read again, or a stage that is not kept in main memory. Lowering refuses a stage
  /// without a vectorized loop (L032).
  void stream(Location place = Location::current());

 protected:
  AnyAxis axis_handle(scheduling::AxisId id) const;               ///< on an axis that the stage has
  AnyAxis data_axis(int dimension, const Location &place) const;  ///< an original one; S002
  const scheduling::StageState &state() const;                    ///< of this stage in the schedule

 private:
  template <class A>
  std::pair<scheduling::PartOf<A>, scheduling::PartOf<A>> split_pair(const scheduling::AxisRef &axis, std::int64_t factor,
                                                                     bool by_parts, Tail tail, const Location &place) {
    std::pair<AnyAxis, AnyAxis> halves = split_axis(axis, factor, by_parts, tail, place);
    using Part = scheduling::PartOf<A>;
    return {Part(std::move(halves.first)), Part(std::move(halves.second))};
  }
  std::pair<AnyAxis, AnyAxis> split_axis(const scheduling::AxisRef &axis, std::int64_t factor, bool by_parts, Tail tail,
                                         const Location &place);
  AnyAxis fuse_axes(const List<scheduling::AxisRef> &axes, const Location &place);
  void reorder_axes(const List<scheduling::AxisRef> &axes, const Location &place);
  scheduling::State state_now() const;
  void go_back(scheduling::State before);
  void mark(scheduling::Primitive primitive, const scheduling::AxisRef &axis, const Location &place);
  void follow(const AnyStage &producer, const scheduling::AxisRef &axis, const Location &place);
  void limit_unrolling(const scheduling::AxisRef &axis, std::int64_t most, const Location &place);
  void fetch_ahead(const AnyTensor &tensor, const scheduling::AxisRef &axis, std::int64_t ahead, const Location &place);
  void align_axis(const scheduling::AxisRef &axis, std::int64_t factor, std::int64_t offset, const Location &place);
  void attach(const AnyStage &consumer, const scheduling::AxisRef &axis, const Location &place);
  void plain_step(scheduling::Primitive primitive, std::string text, const Location &place);

  Schedule *schedule_;
  ir::Operation key_;
};

/// A handle on the stage that computes a tensor of known element type and rank.
template <class T, int Rank>
class Stage : public AnyStage {
 public:
  using AnyStage::AnyStage;

  /// The original data axes: `auto [i, j] = s[C].axes();`
  std::array<DataAxis, static_cast<std::size_t>(Rank)> axes() const {
    return axes(std::make_index_sequence<static_cast<std::size_t>(Rank)>());
  }
  /// One of them, counted from 0. \throws Error S002 if there is none.
  DataAxis axis(int dimension, Location place = Location::current()) const { return DataAxis(data_axis(dimension, place)); }

  /// Where the elements lie in the stage's memory (te's transform_layout): `s[p].layout([](Index k, Index n) { return at(n / 16,
  /// k, n % 16); })` keeps panels of 16 columns, each row by row. The indices are those within the region that the stage holds,
  /// from 0.
  ///
  ///     allocate p: float32[64, 32]:               →   allocate p: float32[2, 64, 16]:
  ///       for k: for n: p[k, n] = b[k, n]                for k: for n: p[n/16, k, n%16] = b[k, n]
  ///       for i: for j: for k: … p[k, j] …               for i: for j: for k: … p[j/16, k, j%16] …
  ///
  /// Loops stay as they are. A last call counts. \throws Error S011 (an output), S021 unless the map surely keeps all elements
  /// apart: each index is a sum of parts of axes (i, i/a, i%a, i/a%b) that do not reach each other, and each axis appears in all
  /// its parts.
  template <class Map>
  void layout(Map &&map, Location place = Location::current()) {
    if constexpr (std::is_convertible_v<Map, std::string_view>)
      AnyStage::layout(std::string_view(map), place);
    else
      layout_by(map, place, std::make_index_sequence<static_cast<std::size_t>(Rank)>());
  }

 private:
  template <class Map, std::size_t... D>
  void layout_by(Map &map, const Location &place, std::index_sequence<D...>) {
    static_assert(
        std::is_invocable_r_v<MemoryIndices, Map &, typing::IndexAt<D>...>,
        "layout(): the lambda takes one Index per dimension and returns at(…), for example  s[p].layout([](Index k, Index "
        "n) { return at(n / 16, k, n % 16); })");
    if constexpr (std::is_invocable_r_v<MemoryIndices, Map &, typing::IndexAt<D>...>) {
      const List<ir::Var> axes = scheduling::layout_axes(Rank);
      const MemoryIndices result = map(Index(ir::Expr(axes[D]))...);
      AnyStage::layout(scheduling::to_text(scheduling::Layout{axes, result.indices}), place);
    }
  }

  template <std::size_t... D>
  std::array<DataAxis, sizeof...(D)> axes(std::index_sequence<D...>) const {
    return {DataAxis(axis_handle({-1, static_cast<int>(D)}))...};
  }
};

}  // namespace lathe::inline LATHE_ABI
