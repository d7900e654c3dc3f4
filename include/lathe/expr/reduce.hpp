// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Reductions: axes to reduce over, sum and its kin, and users' own reducers.
///
///     auto k = reduce_axis(K, "k");
///     auto C = compute({M, N}, [&](Index i, Index j) { return sum(A(i, k) * B(k, j), k); }, "C");
///     return sum(A(i, k), k).where(k <= i).init(bias(i));

#include <string>
#include <string_view>
#include <vector>

#include "lathe/expr/dim.hpp"
#include "lathe/ir/operation.hpp"

namespace lathe::inline LATHE_ABI {

/// An axis that a reduction runs over. It is an index within the reduction.
class ReduceAxis : public Index {
 public:
  /// Wraps an untyped axis.
  explicit ReduceAxis(ir::Axis axis) : Index(ir::Expr(axis.var)), axis_(std::move(axis)) {}
  const ir::Axis &axis() const { return axis_; }                ///< variable and domain
  const std::string &name() const { return axis_.var.name(); }  ///< as printouts show it

 private:
  ir::Axis axis_;
};

/// An axis over [0, extent). The extent may be symbolic, depend on the axes of the compute around it, and contain reads.
/// \throws Error E002 for a negative constant.
ReduceAxis reduce_axis(const Dim &extent, Label name = {}, Location place = Location::current());
/// An axis over [min, min + extent).
ReduceAxis reduce_axis(const Dim &min, const Dim &extent, Label name = {}, Location place = Location::current());

namespace typing {

template <class A>
inline constexpr bool is_axis = std::is_base_of_v<ReduceAxis, A>;

/// The reducers that Lathe brings along.
enum class Combine : std::uint8_t { sum, prod, min, max, any, all };

ir::Reducer reducer(Combine combine, DType type);
ir::Expr reduce(const ir::Reducer &reducer, ir::Expr source, const ir::Axis *const *axes, int count);
ir::Expr with_where(const ir::Expr &reduction, ir::Expr condition);
ir::Expr with_init(const ir::Expr &reduction, ir::Expr init);

}  // namespace typing

/// What `sum` and its kin return: the whole body of a compute, and nothing else.
template <class T>
class Reduction {
 public:
  using Element = T;  ///< the element type

  /// Wraps an `ir::Reduce` node.
  explicit Reduction(ir::Expr reduce) : reduce_(std::move(reduce)) {}

  /// Only elements for which `condition` holds take part; loads in the others do not happen. Of several conditions, all must
  /// hold.
  template <class C>
  [[nodiscard]] Reduction where(const C &condition) const {
    static_assert(typing::is_bool<typing::element_t<C>>, "where(): takes a condition, for example  sum(e, k).where(k <= i)");
    return Reduction(typing::with_where(reduce_, condition.untyped()));
  }
  /// Starts from `init` instead of the reducer's identity. It may depend on the compute's axes, not on those reduced over.
  template <class A>
  [[nodiscard]] Reduction init(const A &init) const {
    static_assert(std::is_same_v<typing::join_t<A, Expr<T>>, T>,
                  "init(): takes a value of the reduction's element type, for example  sum(e, k).init(bias(j))");
    return Reduction(typing::with_init(reduce_, typing::operand<T>(init)));
  }

  /// The `ir::Reduce` node.
  const ir::Expr &untyped() const { return reduce_; }

 private:
  ir::Expr reduce_;
};

namespace typing {

/// A reduction is asked for: the source is Lathe's or a literal, and at least one axis follows.
template <class E, class... Axes>
concept Reducible = (Value<E> || Literal<E>) && sizeof...(Axes) > 0 && (is_axis<Axes> || ...);
/// For min and max, which take two numbers too: those are meant where the first is a literal or an index.
template <class E, class... Axes>
concept Extremal = Reducible<E, Axes...> && Value<E> && !is_index<element_t<E>>;

template <class E, class... Axes>
constexpr auto check_reduction() {
  refuse_reductions<E>();
  static_assert((is_axis<Axes> && ...),
                "a reduction runs over reduction axes, for example  auto k = reduce_axis(K, \"k\");  then  sum(A(i, k), k)");
  return true;
}

template <class E>
using source_t = join_t<E, E>;

template <class T, class... Axes>
Reduction<T> reduce(const ir::Reducer &reducer, ir::Expr source, const Axes &...axes) {
  const ir::Axis *const list[] = {&axes.axis()...};
  return Reduction<T>(reduce(reducer, std::move(source), list, static_cast<int>(sizeof...(Axes))));
}

template <class E, class... Axes>
auto reduce_numbers(Combine combine, const E &source, const Axes &...axes) {
  check_reduction<E, Axes...>();
  using T = source_t<E>;
  static_assert(Reducing<E> || is_number<T>,
                "sum, prod, min and max take numbers: count conditions by  sum(cast<int>(condition), k)");
  if constexpr (is_number<T> && (is_axis<Axes> && ...))
    return reduce<T>(reducer(combine, dtype_of<T>()), operand<T>(source), axes...);
  else
    return Reduction<typename decltype(recover<E, Axes...>())::type>(ir::Expr());
}

template <class E, class... Axes>
auto reduce_conditions(Combine combine, const E &source, const Axes &...axes) {
  check_reduction<E, Axes...>();
  static_assert(Reducing<E> || is_bool<source_t<E>>, "any and all take conditions, for example  any(A(i, k) > 0, k)");
  if constexpr (is_bool<source_t<E>> && (is_axis<Axes> && ...))
    return reduce<bool>(reducer(combine, dtype_of<bool>()), operand<bool>(source), axes...);
  else
    return Reduction<bool>(ir::Expr());
}

}  // namespace typing

/// Σ e over the axes, in the element type of e; identity 0.
template <class E, class... Axes>
  requires typing::Reducible<E, Axes...>
auto sum(const E &e, const Axes &...axes) {
  return typing::reduce_numbers(typing::Combine::sum, e, axes...);
}
/// Π e over the axes; identity 1.
template <class E, class... Axes>
  requires typing::Reducible<E, Axes...>
auto prod(const E &e, const Axes &...axes) {
  return typing::reduce_numbers(typing::Combine::prod, e, axes...);
}
/// The least e; NaN if there is one. Identity: infinity, or the greatest integer. An index as first argument means the
/// element-wise `min`.
template <class E, class... Axes>
  requires typing::Extremal<E, Axes...>
auto min(const E &e, const Axes &...axes) {
  return typing::reduce_numbers(typing::Combine::min, e, axes...);
}
/// The greatest e; NaN if there is one. Identity: -infinity, or the least integer. An index as first argument means the
/// element-wise `max`.
template <class E, class... Axes>
  requires typing::Extremal<E, Axes...>
auto max(const E &e, const Axes &...axes) {
  return typing::reduce_numbers(typing::Combine::max, e, axes...);
}
/// Whether some element holds; identity false. (Beside `using namespace std` and `<any>` write `lathe::any`.)
template <class E, class... Axes>
  requires typing::Reducible<E, Axes...>
auto any(const E &e, const Axes &...axes) {
  return typing::reduce_conditions(typing::Combine::any, e, axes...);
}
/// Whether every element holds; identity true.
template <class E, class... Axes>
  requires typing::Reducible<E, Axes...>
auto all(const E &e, const Axes &...axes) {
  return typing::reduce_conditions(typing::Combine::all, e, axes...);
}

// ---- users' reducers ----------------------------------------------------------------------------------------------------------

namespace typing {

/// A reducer over fresh variables x and y of `type`; `combine` gives the result.
struct ReducerDraft {
  ir::Var x, y;
  ReducerDraft(DType type);
  ir::Reducer finish(std::string_view name, ir::Expr result, ir::Expr identity) const;
};
/// The reducer with a promise added, after trying it on small integers and, for floats, on random values with a tolerance.
/// \throws Error E010 with a counterexample.
ir::Reducer promise_associative(const ir::Reducer &reducer, const Location &place);
ir::Reducer promise_commutative(const ir::Reducer &reducer, const Location &place);

}  // namespace typing

/// A way to combine elements, made by `reducer`. Called like `sum`.
template <class T>
class UserReducer {
 public:
  /// Wraps an untyped reducer of one output.
  explicit UserReducer(ir::Reducer reducer) : reducer_(std::move(reducer)) {}

  /// Declares combine(combine(a, b), c) = combine(a, combine(b, c)), up to rounding, and that parts of a reduction may start at
  /// the identity. Schedules that split a reduction need it. \throws Error E010 when samples show otherwise: small
  /// integers and, for floats, random numbers. What reads tensors, calls functions or is of a registered type is believed.
  [[nodiscard]] UserReducer associative(Location place = Location::current()) const {
    return UserReducer(typing::promise_associative(reducer_, place));
  }
  /// Declares combine(a, b) = combine(b, a). \throws Error E010 as `associative`.
  [[nodiscard]] UserReducer commutative(Location place = Location::current()) const {
    return UserReducer(typing::promise_commutative(reducer_, place));
  }

  /// The reduction of `e` over the axes.
  template <class E, class... Axes>
  Reduction<T> operator()(const E &e, const Axes &...axes) const {
    typing::check_reduction<E, Axes...>();
    static_assert(sizeof...(Axes) > 0, "a reducer takes an expression and its axes, for example  r(A(i, k), k)");
    static_assert(std::is_same_v<typing::join_t<E, Expr<T>>, T> || typing::same<typing::element_t<E>, T>(),
                  "a reducer combines values of its own element type: convert, for example  r(cast<float>(A(i, k)), k)");
    return typing::reduce<T>(reducer_, typing::operand<T>(e), axes...);
  }

  const ir::Reducer &untyped() const { return reducer_; }  ///< the untyped reducer

 private:
  ir::Reducer reducer_;
};

/// A reducer of one's own: `combine` takes the result so far and the next element; the identity's type is the element type.
///
///     auto norm = reducer("norm", [](Expr<float> x, Expr<float> y) { return sqrt(x * x + y * y); }, 0.0f).associative();
template <class Combine, class T>
UserReducer<T> reducer(std::string_view name, const Combine &combine, T identity) {
  static_assert(typing::Literal<T>, "reducer(): the identity is a value of the element type, for example  0.0f");
  static_assert(std::is_invocable_v<const Combine &, Expr<T>, Expr<T>>,
                "reducer(): combine takes two expressions of the identity's type, for example  "
                "reducer(\"hypot\", [](Expr<float> x, Expr<float> y) { return sqrt(x * x + y * y); }, 0.0f)");
  const typing::ReducerDraft draft(dtype_of<T>());
  const auto result = combine(Expr<T>(ir::Expr(draft.x)), Expr<T>(ir::Expr(draft.y)));
  static_assert(
      std::is_same_v<typing::join_t<std::remove_cvref_t<decltype(result)>, Expr<T>>, T>,
      "reducer(): combine gives a value of the identity's type, for example  [](Expr<float> x, Expr<float> y) { return x + y; }");
  return UserReducer<T>(draft.finish(name, typing::operand<T>(result), typing::literal_of<T>(identity)));
}

}  // namespace lathe::inline LATHE_ABI
