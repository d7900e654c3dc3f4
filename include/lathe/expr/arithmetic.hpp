// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Operators on typed expressions. Integers wrap, `/` and `%` floor (on integers and, for `%`, on floats); `ir/operators.hpp` has
/// the whole semantics. Both sides have one element type; a literal takes the other side's.

#include "lathe/expr/expr.hpp"

namespace lathe::inline LATHE_ABI {

namespace typing {

/// The sentences for operands that do not go together.
template <class A, class B>
constexpr auto refuse_mixed() {
  refuse_reductions<A, B>();
  if constexpr (Reducing<A> || Reducing<B>)
    return true;
  else if constexpr (Typed<A> && Typed<B>)
    static_assert(!std::is_void_v<join_t<A, B>>,
                  "operators do not mix element types: convert one side, for example  cast<float>(i) + x(i)");
  else
    static_assert(!std::is_void_v<join_t<A, B>>,
                  "this literal cannot take the type of the expression beside it: convert the expression, for example  "
                  "cast<float>(i) * 0.5f");
  return true;
}

template <class A, class B>
auto arithmetic(ir::BinaryOp op, const A &a, const B &b) {
  refuse_mixed<A, B>();
  using T = join_t<A, B>;
  static_assert(std::is_void_v<T> || is_number<T>,
                "arithmetic takes numbers: combine conditions by && and ||, count them by  cast<int>(condition)");
  if constexpr (is_number<T>)
    return Expr<T>(ir::binary(op, operand<T>(a), operand<T>(b)));
  else
    return refused<A, B>();
}

template <class A, class B>
auto bits(ir::BinaryOp op, const A &a, const B &b) {
  refuse_mixed<A, B>();
  using T = join_t<A, B>;
  static_assert(
      std::is_void_v<T> || is_integer<T>,
      "& | ^ << >> take integers: combine conditions by && and ||, see the bits of a float by  reinterpret<std::uint32_t>(x)");
  if constexpr (is_integer<T>)
    return Expr<T>(ir::binary(op, operand<T>(a), operand<T>(b)));
  else
    return refused<A, B>();
}

template <class A, class B>
Expr<bool> equality(ir::BinaryOp op, const A &a, const B &b) {
  using T = join_t<A, B>;
  if constexpr (std::is_void_v<T>)
    return refused<Expr<bool>>();
  else
    return Expr<bool>(ir::binary(op, operand<T>(a), operand<T>(b)));
}

template <class A, class B>
auto order(ir::BinaryOp op, const A &a, const B &b) {
  refuse_mixed<A, B>();
  static_assert(std::is_void_v<join_t<A, B>> || is_number<join_t<A, B>>,
                "< <= > >= compare numbers: combine conditions by && and ||, for example  !a && b");
  return equality(op, a, b);
}

template <class A, class B>
auto logic(ir::BinaryOp op, const A &a, const B &b) {
  refuse_reductions<A, B>();
  static_assert(is_bool<join_t<A, B>>, "&& and || take conditions: compare first, for example  x(i) != 0 && y(i) != 0");
  return equality(op, a, b);
}

}  // namespace typing

/// The sum; integers wrap.
template <class A, class B>
  requires typing::Operands<A, B>
auto operator+(const A &a, const B &b) {
  return typing::arithmetic(ir::BinaryOp::add, a, b);
}
/// The difference; integers wrap.
template <class A, class B>
  requires typing::Operands<A, B>
auto operator-(const A &a, const B &b) {
  return typing::arithmetic(ir::BinaryOp::sub, a, b);
}
/// The product; integers wrap.
template <class A, class B>
  requires typing::Operands<A, B>
auto operator*(const A &a, const B &b) {
  return typing::arithmetic(ir::BinaryOp::mul, a, b);
}
/// Of integers: rounds toward minus infinity; x / 0 = 0.
template <class A, class B>
  requires typing::Operands<A, B>
auto operator/(const A &a, const B &b) {
  return typing::arithmetic(ir::BinaryOp::div, a, b);
}
/// Has the sign of the divisor; x % 0 = 0 for integers.
template <class A, class B>
  requires typing::Operands<A, B>
auto operator%(const A &a, const B &b) {
  return typing::arithmetic(ir::BinaryOp::mod, a, b);
}

/// Whether both are equal; false beside NaN.
template <class A, class B>
  requires typing::Operands<A, B>
auto operator==(const A &a, const B &b) {
  typing::refuse_mixed<A, B>();
  return typing::equality(ir::BinaryOp::eq, a, b);
}
/// Whether they differ; true beside NaN.
template <class A, class B>
  requires typing::Operands<A, B>
auto operator!=(const A &a, const B &b) {
  typing::refuse_mixed<A, B>();
  return typing::equality(ir::BinaryOp::ne, a, b);
}
/// Whether a is less; false beside NaN.
template <class A, class B>
  requires typing::Operands<A, B>
auto operator<(const A &a, const B &b) {
  return typing::order(ir::BinaryOp::lt, a, b);
}
/// Whether a is at most b; false beside NaN.
template <class A, class B>
  requires typing::Operands<A, B>
auto operator<=(const A &a, const B &b) {
  return typing::order(ir::BinaryOp::le, a, b);
}
/// Whether a is greater; false beside NaN.
template <class A, class B>
  requires typing::Operands<A, B>
auto operator>(const A &a, const B &b) {
  return typing::order(ir::BinaryOp::gt, a, b);
}
/// Whether a is at least b; false beside NaN.
template <class A, class B>
  requires typing::Operands<A, B>
auto operator>=(const A &a, const B &b) {
  return typing::order(ir::BinaryOp::ge, a, b);
}

/// Loads on the right happen only where the left side is true.
template <class A, class B>
  requires typing::Operands<A, B>
auto operator&&(const A &a, const B &b) {
  return typing::logic(ir::BinaryOp::logical_and, a, b);
}
/// Loads on the right happen only where the left side is false.
template <class A, class B>
  requires typing::Operands<A, B>
auto operator||(const A &a, const B &b) {
  return typing::logic(ir::BinaryOp::logical_or, a, b);
}

/// Bits set in both.
template <class A, class B>
  requires typing::Operands<A, B>
auto operator&(const A &a, const B &b) {
  return typing::bits(ir::BinaryOp::bit_and, a, b);
}
/// Bits set in either.
template <class A, class B>
  requires typing::Operands<A, B>
auto operator|(const A &a, const B &b) {
  return typing::bits(ir::BinaryOp::bit_or, a, b);
}
/// Bits set in one of them.
template <class A, class B>
  requires typing::Operands<A, B>
auto operator^(const A &a, const B &b) {
  return typing::bits(ir::BinaryOp::bit_xor, a, b);
}
/// A shift by a negative amount or by at least the width gives 0.
template <class A, class B>
  requires typing::Operands<A, B>
auto operator<<(const A &a, const B &b) {
  return typing::bits(ir::BinaryOp::shl, a, b);
}
/// Keeps the sign of signed integers. A shift by a negative amount or by at least the width gives 0, or the sign.
template <class A, class B>
  requires typing::Operands<A, B>
auto operator>>(const A &a, const B &b) {
  return typing::bits(ir::BinaryOp::shr, a, b);
}

/// -a; the least signed integer wraps to itself.
template <class A>
  requires typing::Operands<A>
auto operator-(const A &a) {
  typing::refuse_reductions<A>();
  using T = typing::element_t<A>;
  static_assert(typing::is_number<T>, "-x takes a number: negate a condition by  !x");
  return Expr<T>(ir::unary(ir::UnaryOp::neg, a.untyped()));
}
/// a itself.
template <class A>
  requires typing::Operands<A>
auto operator+(const A &a) {
  typing::refuse_reductions<A>();
  return Expr<typing::element_t<A>>(a.untyped());
}
/// Not a.
template <class A>
  requires typing::Operands<A>
auto operator!(const A &a) {
  typing::refuse_reductions<A>();
  static_assert(typing::is_bool<typing::element_t<A>>, "!x takes a condition: compare first, for example  x(i) == 0");
  return Expr<bool>(ir::unary(ir::UnaryOp::logical_not, a.untyped()));
}
/// a with every bit flipped.
template <class A>
  requires typing::Operands<A>
auto operator~(const A &a) {
  typing::refuse_reductions<A>();
  using T = typing::element_t<A>;
  static_assert(typing::is_integer<T>, "~x takes an integer: negate a condition by  !x");
  return Expr<T>(ir::unary(ir::UnaryOp::bit_not, a.untyped()));
}

}  // namespace lathe::inline LATHE_ABI
