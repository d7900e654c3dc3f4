// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Functions of expressions of any element type: choosing, converting, integer arithmetic, calls of C functions, promises.

#include <string_view>

#include "lathe/expr/math.hpp"
#include "lathe/expr/reduce.hpp"

namespace lathe::inline LATHE_ABI {

// ---- choosing -----------------------------------------------------------------------------------------------------------------

namespace typing {

/// min and max of two numbers. `max(e, k)` with data and a reduction axis is a reduction, see reduce.hpp.
template <class A, class B>
concept Pair = Operands<A, B> && !Extremal<A, B>;

template <class A, class B>
auto extreme(ir::BinaryOp op, const A &a, const B &b) {
  refuse_reductions<A, B>();
  using T = join_t<A, B>;
  static_assert(Reducing<A> || Reducing<B> || is_number<T>,
                "min and max take two numbers of one element type: convert one, for example  max(cast<float>(i), x(i))");
  if constexpr (is_number<T>)
    return Expr<T>(ir::binary(op, operand<T>(a), operand<T>(b)));
  else
    return refused<A, B>();
}

template <class C, class A, class B>
auto choose(bool guards, const C &condition, const A &a, const B &b) {
  refuse_reductions<C, A, B>();
  static_assert(Reducing<C> || is_bool<join_t<C, C>>,
                "select and if_then_else take a condition first: compare, for example  select(x(i) != 0, x(i), y(i))");
  using T = join_t<A, B>;
  static_assert(Reducing<A> || Reducing<B> || !std::is_void_v<T>,
                "select and if_then_else choose between values of one element type: convert one, for example  "
                "if_then_else(i < n, cast<float>(ids(i)), 0.0f)");
  if constexpr (is_bool<join_t<C, C>> && !std::is_void_v<T>)
    return Expr<T>(ir::select(operand<bool>(condition), operand<T>(a), operand<T>(b), guards));
  else
    return refused<A, B, C>();
}

}  // namespace typing

/// The lesser; NaN if one is NaN; -0 before +0.
template <class A>
  requires typing::Pair<A, A>
auto min(const A &a, const A &b) {
  return typing::extreme(ir::BinaryOp::min, a, b);
}
/// The same of two kinds of operands, such as a literal.
template <class A, class B>
  requires typing::Pair<A, B>
auto min(const A &a, const B &b) {
  return typing::extreme(ir::BinaryOp::min, a, b);
}
/// The greater; NaN if one is NaN; -0 before +0.
template <class A>
  requires typing::Pair<A, A>
auto max(const A &a, const A &b) {
  return typing::extreme(ir::BinaryOp::max, a, b);
}
/// The same of two kinds of operands, such as a literal.
template <class A, class B>
  requires typing::Pair<A, B>
auto max(const A &a, const B &b) {
  return typing::extreme(ir::BinaryOp::max, a, b);
}

/// min(max(x, low), high).
template <class A, class L, class H>
  requires typing::Operands<A, L, H>
auto clamp(const A &x, const L &low, const H &high) {
  typing::refuse_reductions<A, L, H>();
  using T = typing::join3_t<A, L, H>;
  static_assert(typing::is_number<T>,
                "clamp(): takes three numbers of one element type, for example  clamp(cast<index_t>(ids(i)), 0, n - 1)");
  return Expr<T>(ir::min(ir::max(typing::operand<T>(x), typing::operand<T>(low)), typing::operand<T>(high)));
}
/// The same for three operands of one C++ type, which std::clamp would take otherwise.
template <class A>
  requires typing::Operands<A>
auto clamp(const A &x, const A &low, const A &high) {
  return clamp<A, A, A>(x, low, high);
}

/// condition ? a : b, where both arms may be evaluated: reads in them must be in range whatever the condition is.
template <class C, class A, class B>
  requires typing::Operands<C, A, B>
auto select(const C &condition, const A &a, const B &b) {
  return typing::choose(false, condition, a, b);
}
/// condition ? a : b, where reads in an arm happen only if the condition chooses it.
template <class C, class A, class B>
  requires typing::Operands<C, A, B>
auto if_then_else(const C &condition, const A &a, const B &b) {
  return typing::choose(true, condition, a, b);
}

/// |x|; the least signed integer wraps to itself.
template <class A>
  requires typing::Operands<A>
auto abs(const A &x) {
  typing::refuse_reductions<A>();
  static_assert(typing::is_number<typing::element_t<A>>, "abs(): takes a number, for example  abs(x(i))");
  return typing::unary(ir::UnaryOp::abs, x);
}
/// -1, 0 or 1 in the type of x; NaN for NaN, ±0 for ±0.
template <class A>
  requires typing::Operands<A>
auto sign(const A &x) {
  typing::refuse_reductions<A>();
  static_assert(typing::is_number<typing::element_t<A>>, "sign(): takes a number, for example  sign(x(i))");
  return typing::unary(ir::UnaryOp::sign, x);
}

// ---- converting ---------------------------------------------------------------------------------------------------------------

/// The value as a T: floats to integers saturate (NaN gives 0), integers wrap, floats round to nearest.
template <class T, class A>
  requires typing::Operands<A>
Expr<T> cast(const A &x) {
  typing::refuse_reductions<A>();
  static_assert(!typing::is_bool<T> || typing::is_bool<typing::join_t<A, A>>,
                "cast(): a condition is made by comparing, for example  x(i) != 0");
  return Expr<T>(ir::cast(dtype_of<T>(), x.untyped()));
}
/// The value as a T, clamped to the range of its finite values; NaN gives 0 in integers and stays NaN in floats.
template <class T, class A>
  requires typing::Operands<A>
Expr<T> saturate_cast(const A &x) {
  typing::refuse_reductions<A>();
  static_assert(!typing::is_bool<T>, "saturate_cast(): a condition is made by comparing, for example  x(i) != 0");
  return Expr<T>(ir::cast(dtype_of<T>(), x.untyped(), ir::CastMode::saturate));
}
/// The same bits seen as a T.
template <class T, class A>
  requires typing::Operands<A>
Expr<T> reinterpret(const A &x) {
  typing::refuse_reductions<A>();
  using From = typing::join_t<A, A>;
  static_assert(!typing::is_index<From> && !typing::is_index<T> && !typing::is_bool<From> && !typing::is_bool<T>,
                "reinterpret(): takes and gives data, for example  reinterpret<std::uint32_t>(x(i))");
  static_assert(
      dtype_of<From>().scalar().storage_bits == dtype_of<T>().scalar().storage_bits,
      "reinterpret(): both types have the same number of bits, for example  reinterpret<std::uint32_t>(x(i))  of a float");
  return Expr<T>(ir::cast(dtype_of<T>(), x.untyped(), ir::CastMode::reinterpret));
}

// ---- integers -----------------------------------------------------------------------------------------------------------------

namespace typing {

template <class A, class B>
auto integers(ir::BinaryOp op, const A &a, const B &b) {
  refuse_reductions<A, B>();
  using T = join_t<A, B>;
  static_assert(is_integer<T>,
                "floor_div, floor_mod, trunc_div, trunc_mod and rounding_shift_right take two integers of one element type, "
                "for example  floor_div(i + 1, 2)");
  return Expr<T>(ir::binary(op, operand<T>(a), operand<T>(b)));
}

/// The next wider type that holds every product.
template <class T>
struct Wider {
  using type = void;
};
template <>
struct Wider<float16> {
  using type = float;
};
template <>
struct Wider<bfloat16> {
  using type = float;
};
template <>
struct Wider<float> {
  using type = double;
};
template <class T>
  requires(is_data_integer<T> && sizeof(T) < 8)
struct Wider<T> {
  template <class Signed, class Unsigned>
  using pick = std::conditional_t<std::is_signed_v<T>, Signed, Unsigned>;
  using type = std::conditional_t<
      sizeof(T) == 1, pick<std::int16_t, std::uint16_t>,
      std::conditional_t<sizeof(T) == 2, pick<std::int32_t, std::uint32_t>, pick<std::int64_t, std::uint64_t>>>;
};
template <class T>
using wider_t = typename Wider<T>::type;

}  // namespace typing

/// Quotient rounded toward minus infinity, which is also what `/` means; x / 0 = 0.
template <class A, class B>
  requires typing::Operands<A, B>
auto floor_div(const A &a, const B &b) {
  return typing::integers(ir::BinaryOp::div, a, b);
}
/// Remainder with the sign of the divisor, which is also what `%` means; x % 0 = 0.
template <class A, class B>
  requires typing::Operands<A, B>
auto floor_mod(const A &a, const B &b) {
  return typing::integers(ir::BinaryOp::mod, a, b);
}
/// Quotient rounded toward zero, as in C; 0 for a divisor of 0.
template <class A, class B>
  requires typing::Operands<A, B>
auto trunc_div(const A &a, const B &b) {
  return typing::integers(ir::BinaryOp::trunc_div, a, b);
}
/// Remainder with the sign of the dividend, as in C; 0 for a divisor of 0.
template <class A, class B>
  requires typing::Operands<A, B>
auto trunc_mod(const A &a, const B &b) {
  return typing::integers(ir::BinaryOp::trunc_mod, a, b);
}
/// a / 2^b rounded to nearest, halves up, computed without overflow; b ≤ 0 gives a.
template <class A, class B>
  requires typing::Operands<A, B>
auto rounding_shift_right(const A &a, const B &b) {
  return typing::integers(ir::BinaryOp::rounding_shift_right, a, b);
}

/// The exact product in the type twice as wide: int8 gives int16, float16 gives float, …
template <class A, class B>
  requires typing::Operands<A, B>
auto widening_mul(const A &a, const B &b) {
  typing::refuse_reductions<A, B>();
  using T = typing::join_t<A, B>;
  using W = typing::wider_t<T>;
  static_assert(!std::is_void_v<W>,
                "widening_mul(): takes two values of one element type that has a wider one, for example int8 or float16: "
                "widening_mul(a(i), b(i))");
  constexpr DType wide = dtype_of<W>();
  return Expr<W>(ir::cast(wide, typing::operand<T>(a)) * ir::cast(wide, typing::operand<T>(b)));
}
/// The upper half of the product twice as wide.
template <class A, class B>
  requires typing::Operands<A, B>
auto mul_high(const A &a, const B &b) {
  typing::refuse_reductions<A, B>();
  using T = typing::join_t<A, B>;
  static_assert(typing::is_data_integer<T>,
                "mul_high(): takes two data integers of one element type, for example  mul_high(a(i), b(i))");
  return Expr<T>(ir::binary(ir::BinaryOp::mul_high, typing::operand<T>(a), typing::operand<T>(b)));
}
/// Number of bits set, in the type of x.
template <class A>
  requires typing::Operands<A>
auto popcount(const A &x) {
  typing::refuse_reductions<A>();
  static_assert(typing::is_data_integer<typing::element_t<A>>,
                "popcount(): takes a data integer, for example  popcount(a(i) & b(i))");
  return typing::unary(ir::UnaryOp::popcount, x);
}
/// Number of leading zero bits, in the type of x; the width for 0.
template <class A>
  requires typing::Operands<A>
auto clz(const A &x) {
  typing::refuse_reductions<A>();
  static_assert(typing::is_data_integer<typing::element_t<A>>, "clz(): takes a data integer, for example  clz(a(i))");
  return typing::unary(ir::UnaryOp::clz, x);
}

// ---- promises -----------------------------------------------------------------------------------------------------------------

namespace typing {
ir::Expr assume_range(ir::Expr index, ir::Expr low, ir::Expr high);
ir::Expr unchecked(const ir::Expr &read);
}  // namespace typing

/// The integer as an index, promised to lie in [low, high]: bounds of what it reads follow from that. The interpreter checks it.
/// \throws Error E006 for constant ends with low > high.
template <class A, class L, class H>
  requires typing::Operands<A, L, H>
Index assume_range(const A &index, const L &low, const H &high) {
  static_assert(typing::is_integer<typing::element_t<A>> && typing::is_integer<typing::join_t<L, L>> &&
                    typing::is_integer<typing::join_t<H, H>>,
                "assume_range(): takes an integer expression and integer bounds, for example  assume_range(ids(i), 0, n - 1)");
  return Index(typing::assume_range(Index(index).untyped(), Index(low).untyped(), Index(high).untyped()));
}

/// A read whose indices the user promises to be in range: no run-time check is made where none is proven.
/// \throws Error E005 for anything but a read.
template <class T>
Expr<T> unchecked(const Expr<T> &read) {
  return Expr<T>(typing::unchecked(read.untyped()));
}

// ---- C functions --------------------------------------------------------------------------------------------------------------

namespace typing {

template <class P, class A>
inline constexpr bool passes = std::is_same_v<P, A> || (Typed<A> ? same<element_t<A>, P>() : literal_fits<A, P>());

template <class T, class R, class... P, class... A>
Expr<T> call(std::string_view name, const void *address, R (*)(P...), const A &...arguments) {
  refuse_reductions<A...>();
  static_assert((std::is_arithmetic_v<R> && ... && std::is_arithmetic_v<P>),
                "call(): the function takes and gives numbers by value, for example  "
                "extern \"C\" float gain(float, std::int32_t);");
  static_assert(
      same<R, T>(),
      "call<T>(): T is what the function returns, for example  call<double>(&cbrt_of, x(i))  for a function that returns double");
  static_assert(sizeof...(P) == sizeof...(A),
                "call(): takes one argument per parameter of the function, for example  call<float>(&gain, x(i), 2)");
  if constexpr (sizeof...(P) == sizeof...(A)) {
    static_assert((passes<P, A> && ...),
                  "call(): arguments have the types of the function's parameters: convert, for example  "
                  "call<float>(&gain, cast<float>(i))");
    return Expr<T>(ir::call(dtype_of<T>(), ir::ExternalFunction{std::string(name), address, true}, {operand<P>(arguments)...}));
  }
}

}  // namespace typing

/// The result of a C function of scalars, `call<float>(&gain, x(i), 2)`. It must depend on its arguments alone: it may be called
/// in any order, more than once or not at all, from several threads. It must not throw: compiled code ends the process then.
template <class T, class R, class... P, class... A>
  requires typing::Operands<A...>
Expr<T> call(R (*function)(P...), const A &...arguments) {
  return typing::call<T>("function", reinterpret_cast<const void *>(function), function, arguments...);
}
/// With the name that emitted sources call it by: `call<float>("gain", &gain, x(i), 2)`.
template <class T, class R, class... P, class... A>
  requires typing::Operands<A...>
Expr<T> call(std::string_view name, R (*function)(P...), const A &...arguments) {
  return typing::call<T>(name, reinterpret_cast<const void *>(function), function, arguments...);
}

}  // namespace lathe::inline LATHE_ABI
