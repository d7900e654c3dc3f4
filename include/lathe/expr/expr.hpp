// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Typed scalar expressions: thin handles on untyped nodes, and the rules by which C++ values and expressions meet.
///
/// Element types do not mix silently; a C++ arithmetic literal takes the type of the expression beside it.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "lathe/dtype/traits.hpp"
#include "lathe/ir/build.hpp"

namespace lathe::inline LATHE_ABI {

template <class T>
class Expr;
template <class T>
class Reduction;

/// An expression of index arithmetic: 64-bit, assumed not to overflow, however its sums and comparisons are rearranged. Data that
/// becomes an index therefore lies within ±2^62.
using Index = Expr<index_t>;

/// How C++ types stand for expressions and literals. Users meet these names in compilers' messages only.
namespace typing {

template <class T>
T element(const Expr<T> *);
void element(...);
template <class T>
std::true_type is_reduction(const Reduction<T> *);
std::false_type is_reduction(...);

/// The element type of an expression handle (or of what derives from one); void for anything else.
template <class A>
using element_t = decltype(element(static_cast<const A *>(nullptr)));

template <class A>
concept Typed = !std::is_void_v<element_t<A>>;
template <class A>
concept Reducing = decltype(is_reduction(static_cast<const A *>(nullptr)))::value;
/// Anything of Lathe's that functions on expressions react to.
template <class A>
concept Value = Typed<A> || Reducing<A>;

/// A C++ value that may stand beside an expression.
template <class A>
concept Literal = std::is_arithmetic_v<A> || (std::is_class_v<A> && !std::same_as<A, index_t> && Scalar<A>);

/// The arguments of a function on expressions: at least one value of Lathe's, else only literals. Everything else is left alone.
template <class... A>
concept Operands = (Value<A> || ...) && ((Value<A> || Literal<A>) && ...);

template <class T>
constexpr Kind kind() {
  if constexpr (std::is_same_v<T, index_t>)
    return Kind::index;
  else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>)
    return ScalarTraits<T>::type().kind;
  else
    return Kind::custom;
}
template <class T>
inline constexpr bool is_bool = std::is_same_v<T, bool>;
template <class T>
inline constexpr bool is_index = std::is_same_v<T, index_t>;
/// Data or index, not bool.
template <class T>
inline constexpr bool is_integer = std::is_integral_v<T> ? !is_bool<T> : is_index<T>;
template <class T>
inline constexpr bool is_data_integer = std::is_integral_v<T> && !is_bool<T>;
template <class T>
inline constexpr bool is_floating = !std::is_void_v<T> && kind<T>() == Kind::floating;
/// Types that mathematical functions take: floats and users' own.
template <class T>
inline constexpr bool is_real = is_floating<T> || (std::is_class_v<T> && kind<T>() == Kind::custom);
template <class T>
inline constexpr bool is_number = is_integer<T> || is_real<T>;

/// One element type, though C++ may have two names for it (long and long long).
template <class T, class U>
constexpr bool same() {
  if constexpr (std::is_same_v<T, U>)
    return true;
  else if constexpr (is_data_integer<T> && is_data_integer<U> && std::is_integral_v<T> && std::is_integral_v<U>)
    return sizeof(T) == sizeof(U) && std::is_signed_v<T> == std::is_signed_v<U>;
  else
    return false;
}

/// Whether a literal of type L may take element type T.
template <class L, class T>
constexpr bool literal_fits() {
  if constexpr (std::is_same_v<L, T>)
    return true;
  else if constexpr (!std::is_arithmetic_v<L> || is_bool<L> || is_bool<T>)
    return false;
  else if constexpr (is_integer<T>)
    return std::is_integral_v<L>;
  else if constexpr (kind<T>() == Kind::custom)
    return std::is_constructible_v<T, L>;
  else
    return true;
}

/// The element type on which two operands agree; void if they do not. Of two literals: the type of C++.
template <class A, class B, bool = Typed<A>, bool = Typed<B>>
struct Join {
  using type = void;
};
template <class A, class B>
struct Join<A, B, true, true> {
  using type = std::conditional_t<same<element_t<A>, element_t<B>>(), element_t<A>, void>;
};
template <class A, class B>
struct Join<A, B, true, false> {
  using type = std::conditional_t<literal_fits<B, element_t<A>>(), element_t<A>, void>;
};
template <class A, class B>
struct Join<A, B, false, true> : Join<B, A> {};
template <class A, class B>
  requires(Literal<A> && Literal<B>)
struct Join<A, B, false, false> {
  using type =
      std::conditional_t<std::is_same_v<A, B>, A, decltype(std::is_arithmetic_v<A> && std::is_arithmetic_v<B> ? A{} : B{})>;
};
template <class A, class B>
using join_t = typename Join<A, B>::type;

/// The same for three operands. Literals follow whichever expression there is.
template <class A, class B, class C>
struct Join3 {
  template <class First, class Other>
  static constexpr bool agree =
      Typed<Other> ? same<element_t<First>, element_t<Other>>() : literal_fits<Other, element_t<First>>();
  template <class First>
  using check = std::conditional_t<agree<First, A> && agree<First, B> && agree<First, C>, element_t<First>, void>;
  using First = std::conditional_t<Typed<A>, A, std::conditional_t<Typed<B>, B, C>>;
  using type = check<First>;
};
template <class A, class B, class C>
using join3_t = typename Join3<A, B, C>::type;

/// A literal as a constant of `type`. \throws Error E001 where it does not fit: an integer outside the range of an integer type,
/// a finite number that would become infinite.
ir::Expr literal(DType type, bool value);
ir::Expr literal(DType type, std::int64_t value);
ir::Expr literal(DType type, std::uint64_t value);
ir::Expr literal(DType type, double value);
/// The value of a class type by its bytes.
ir::Expr literal_bytes(DType type, const void *value, std::size_t bytes);

template <class T, class L>
ir::Expr literal_of(const L &value) {
  constexpr DType type = dtype_of<T>();
  if constexpr (std::is_class_v<T> && std::is_same_v<T, L>)
    return literal_bytes(type, &value, sizeof(T));
  else if constexpr (kind<T>() == Kind::custom)
    return literal_of<T>(T(value));
  else if constexpr (is_bool<L>)
    return literal(type, value);
  else if constexpr (std::is_floating_point_v<L>)
    return literal(type, static_cast<double>(value));
  else if constexpr (std::is_signed_v<L>)
    return literal(type, static_cast<std::int64_t>(value));
  else
    return literal(type, static_cast<std::uint64_t>(value));
}

/// An operand as an untyped expression of element type T.
template <class T, class A>
ir::Expr operand(const A &a) {
  if constexpr (Typed<A>)
    return a.untyped();
  else
    return literal_of<T>(a);
}

/// The sentence for a reduction inside a larger expression. (Deduced result types make compilers look into these functions at
/// once, so that their sentence is the first error.)
template <class... A>
constexpr auto refuse_reductions() {
  static_assert(!(Reducing<A> || ...),
                "a reduction is the whole body of its stage: name it first, for example  "
                "auto total = compute({M}, [&](Index i) { return sum(A(i, k), k); });  then  total(i) / n");
  return true;
}

/// The type that a refused expression goes on with, so that one mistake gives one error. Declared only.
template <class A, class... More>
auto recover() {
  if constexpr (Value<A>)
    return std::type_identity<typename A::Element>();
  else
    return recover<More...>();
}
template <class... A>
Expr<typename decltype(recover<A...>())::type> refused();

}  // namespace typing

/// A scalar expression of element type T. Copies share the node.
template <class T>
class Expr {
  static_assert(Scalar<T>,
                "Expr<T>: T is an element type: bool, an integer, float16, bfloat16, float, double, or a registered type");

 public:
  using Element = T;  ///< the element type

  /// A literal takes the expression's type. \throws Error E001 if it does not fit.
  template <typing::Literal L>
    requires(typing::literal_fits<L, T>())
  Expr(const L &value) : node_(typing::literal_of<T>(value)) {}  // NOLINT: implicit by design

  /// The same element type under another C++ name (long and long long).
  template <class U>
    requires(!std::is_same_v<T, U> && typing::same<T, U>())
  Expr(const Expr<U> &other) : node_(other.untyped()) {}  // NOLINT: implicit by design

  /// Any integer data becomes an index where one is expected.
  template <class U>
    requires(typing::is_index<T> && typing::is_data_integer<U>)
  Expr(const Expr<U> &data) : node_(ir::cast(dtype_of<index_t>(), data.untyped())) {}  // NOLINT: implicit by design

  /// Wraps an untyped scalar expression of this type.
  template <std::same_as<ir::Expr> Node>
  explicit Expr(Node node) : node_(std::move(node)) {}

  /// The untyped expression.
  const ir::Expr &untyped() const { return node_; }

  /// A condition is known per element, not while the program builds it.
  explicit operator bool() const = delete;  // write if_then_else(condition, a, b)

  /// e = e + a, and so on: the name stands for the longer expression.
  template <class A>
  Expr &operator+=(const A &a) {
    return *this = *this + a;
  }
  /// e = e - a.
  template <class A>
  Expr &operator-=(const A &a) {
    return *this = *this - a;
  }
  /// e = e * a.
  template <class A>
  Expr &operator*=(const A &a) {
    return *this = *this * a;
  }
  /// e = e / a.
  template <class A>
  Expr &operator/=(const A &a) {
    return *this = *this / a;
  }

 private:
  ir::Expr node_;
};

}  // namespace lathe::inline LATHE_ABI
