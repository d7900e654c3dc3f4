// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Functions of floating-point expressions (and of registered types that define them). What they compute is said in
/// `ir/operators.hpp`. All overloads react to Lathe's values only, so they live beside `using namespace std`.

#include "lathe/expr/arithmetic.hpp"

namespace lathe::inline LATHE_ABI {

namespace typing {

template <class A>
concept RealOperand = is_real<element_t<A>>;

template <class A>
Expr<element_t<A>> unary(ir::UnaryOp op, const A &a) {
  return Expr<element_t<A>>(ir::unary(op, a.untyped()));
}

}  // namespace typing

/// e to the power x.
template <class A>
  requires typing::Operands<A>
auto exp(const A &x) {
  typing::refuse_reductions<A>();
  static_assert(typing::RealOperand<A>, "exp(): takes a floating-point expression, for example  exp(cast<float>(i))");
  return typing::unary(ir::UnaryOp::exp, x);
}
/// 2 to the power x.
template <class A>
  requires typing::Operands<A>
auto exp2(const A &x) {
  typing::refuse_reductions<A>();
  static_assert(typing::RealOperand<A>, "exp2(): takes a floating-point expression, for example  exp2(cast<float>(i))");
  return typing::unary(ir::UnaryOp::exp2, x);
}
/// exp(x) - 1, exact for small x.
template <class A>
  requires typing::Operands<A>
auto expm1(const A &x) {
  typing::refuse_reductions<A>();
  static_assert(typing::RealOperand<A>, "expm1(): takes a floating-point expression, for example  expm1(cast<float>(i))");
  return typing::unary(ir::UnaryOp::expm1, x);
}
/// Natural logarithm.
template <class A>
  requires typing::Operands<A>
auto log(const A &x) {
  typing::refuse_reductions<A>();
  static_assert(typing::RealOperand<A>, "log(): takes a floating-point expression, for example  log(cast<float>(i))");
  return typing::unary(ir::UnaryOp::log, x);
}
/// Logarithm to base 2.
template <class A>
  requires typing::Operands<A>
auto log2(const A &x) {
  typing::refuse_reductions<A>();
  static_assert(typing::RealOperand<A>, "log2(): takes a floating-point expression, for example  log2(cast<float>(i))");
  return typing::unary(ir::UnaryOp::log2, x);
}
/// log(1 + x), exact for small x.
template <class A>
  requires typing::Operands<A>
auto log1p(const A &x) {
  typing::refuse_reductions<A>();
  static_assert(typing::RealOperand<A>, "log1p(): takes a floating-point expression, for example  log1p(cast<float>(i))");
  return typing::unary(ir::UnaryOp::log1p, x);
}
/// Square root, correctly rounded.
template <class A>
  requires typing::Operands<A>
auto sqrt(const A &x) {
  typing::refuse_reductions<A>();
  static_assert(typing::RealOperand<A>, "sqrt(): takes a floating-point expression, for example  sqrt(cast<float>(i))");
  return typing::unary(ir::UnaryOp::sqrt, x);
}
/// 1 / sqrt(x).
template <class A>
  requires typing::Operands<A>
auto rsqrt(const A &x) {
  typing::refuse_reductions<A>();
  static_assert(typing::RealOperand<A>, "rsqrt(): takes a floating-point expression, for example  rsqrt(cast<float>(i))");
  return typing::unary(ir::UnaryOp::rsqrt, x);
}
/// Sine of radians.
template <class A>
  requires typing::Operands<A>
auto sin(const A &x) {
  typing::refuse_reductions<A>();
  static_assert(typing::RealOperand<A>, "sin(): takes a floating-point expression, for example  sin(cast<float>(i))");
  return typing::unary(ir::UnaryOp::sin, x);
}
/// Cosine of radians.
template <class A>
  requires typing::Operands<A>
auto cos(const A &x) {
  typing::refuse_reductions<A>();
  static_assert(typing::RealOperand<A>, "cos(): takes a floating-point expression, for example  cos(cast<float>(i))");
  return typing::unary(ir::UnaryOp::cos, x);
}
/// Tangent of radians.
template <class A>
  requires typing::Operands<A>
auto tan(const A &x) {
  typing::refuse_reductions<A>();
  static_assert(typing::RealOperand<A>, "tan(): takes a floating-point expression, for example  tan(cast<float>(i))");
  return typing::unary(ir::UnaryOp::tan, x);
}
/// Hyperbolic sine.
template <class A>
  requires typing::Operands<A>
auto sinh(const A &x) {
  typing::refuse_reductions<A>();
  static_assert(typing::RealOperand<A>, "sinh(): takes a floating-point expression, for example  sinh(cast<float>(i))");
  return typing::unary(ir::UnaryOp::sinh, x);
}
/// Hyperbolic cosine.
template <class A>
  requires typing::Operands<A>
auto cosh(const A &x) {
  typing::refuse_reductions<A>();
  static_assert(typing::RealOperand<A>, "cosh(): takes a floating-point expression, for example  cosh(cast<float>(i))");
  return typing::unary(ir::UnaryOp::cosh, x);
}
/// Hyperbolic tangent.
template <class A>
  requires typing::Operands<A>
auto tanh(const A &x) {
  typing::refuse_reductions<A>();
  static_assert(typing::RealOperand<A>, "tanh(): takes a floating-point expression, for example  tanh(cast<float>(i))");
  return typing::unary(ir::UnaryOp::tanh, x);
}
/// Inverse sine.
template <class A>
  requires typing::Operands<A>
auto asin(const A &x) {
  typing::refuse_reductions<A>();
  static_assert(typing::RealOperand<A>, "asin(): takes a floating-point expression, for example  asin(cast<float>(i))");
  return typing::unary(ir::UnaryOp::asin, x);
}
/// Inverse cosine.
template <class A>
  requires typing::Operands<A>
auto acos(const A &x) {
  typing::refuse_reductions<A>();
  static_assert(typing::RealOperand<A>, "acos(): takes a floating-point expression, for example  acos(cast<float>(i))");
  return typing::unary(ir::UnaryOp::acos, x);
}
/// Inverse tangent.
template <class A>
  requires typing::Operands<A>
auto atan(const A &x) {
  typing::refuse_reductions<A>();
  static_assert(typing::RealOperand<A>, "atan(): takes a floating-point expression, for example  atan(cast<float>(i))");
  return typing::unary(ir::UnaryOp::atan, x);
}
/// The error function.
template <class A>
  requires typing::Operands<A>
auto erf(const A &x) {
  typing::refuse_reductions<A>();
  static_assert(typing::RealOperand<A>, "erf(): takes a floating-point expression, for example  erf(cast<float>(i))");
  return typing::unary(ir::UnaryOp::erf, x);
}
/// 1 / (1 + exp(-x)).
template <class A>
  requires typing::Operands<A>
auto sigmoid(const A &x) {
  typing::refuse_reductions<A>();
  static_assert(typing::RealOperand<A>, "sigmoid(): takes a floating-point expression, for example  sigmoid(cast<float>(i))");
  return typing::unary(ir::UnaryOp::sigmoid, x);
}
/// Rounds toward minus infinity.
template <class A>
  requires typing::Operands<A>
auto floor(const A &x) {
  typing::refuse_reductions<A>();
  static_assert(typing::RealOperand<A>, "floor(): takes a floating-point expression, for example  floor(cast<float>(i))");
  return typing::unary(ir::UnaryOp::floor, x);
}
/// Rounds toward infinity.
template <class A>
  requires typing::Operands<A>
auto ceil(const A &x) {
  typing::refuse_reductions<A>();
  static_assert(typing::RealOperand<A>, "ceil(): takes a floating-point expression, for example  ceil(cast<float>(i))");
  return typing::unary(ir::UnaryOp::ceil, x);
}
/// Rounds to the nearest integer, ties to even.
template <class A>
  requires typing::Operands<A>
auto round(const A &x) {
  typing::refuse_reductions<A>();
  static_assert(typing::RealOperand<A>, "round(): takes a floating-point expression, for example  round(cast<float>(i))");
  return typing::unary(ir::UnaryOp::round, x);
}
/// Rounds toward zero.
template <class A>
  requires typing::Operands<A>
auto trunc(const A &x) {
  typing::refuse_reductions<A>();
  static_assert(typing::RealOperand<A>, "trunc(): takes a floating-point expression, for example  trunc(cast<float>(i))");
  return typing::unary(ir::UnaryOp::trunc, x);
}
/// Whether x is NaN.
template <class A>
  requires typing::Operands<A>
auto isnan(const A &x) {
  typing::refuse_reductions<A>();
  static_assert(typing::RealOperand<A>, "isnan(): takes a floating-point expression, for example  isnan(A(i, j))");
  return Expr<bool>(ir::unary(ir::UnaryOp::is_nan, x.untyped()));
}
/// Whether x is infinite.
template <class A>
  requires typing::Operands<A>
auto isinf(const A &x) {
  typing::refuse_reductions<A>();
  static_assert(typing::RealOperand<A>, "isinf(): takes a floating-point expression, for example  isinf(A(i, j))");
  return Expr<bool>(ir::unary(ir::UnaryOp::is_inf, x.untyped()));
}
/// Whether x is neither infinite nor NaN.
template <class A>
  requires typing::Operands<A>
auto isfinite(const A &x) {
  typing::refuse_reductions<A>();
  static_assert(typing::RealOperand<A>, "isfinite(): takes a floating-point expression, for example  isfinite(A(i, j))");
  return Expr<bool>(ir::unary(ir::UnaryOp::is_finite, x.untyped()));
}
/// x to the power y.
template <class A, class B>
  requires typing::Operands<A, B>
auto pow(const A &x, const B &y) {
  typing::refuse_reductions<A, B>();
  using T = typing::join_t<A, B>;
  static_assert(typing::is_real<T>, "pow(): takes two floating-point values of one type, for example  pow(x(i), cast<float>(j))");
  return Expr<T>(ir::binary(ir::BinaryOp::pow, typing::operand<T>(x), typing::operand<T>(y)));
}
/// The angle of the point (y, x), in radians.
template <class A, class B>
  requires typing::Operands<A, B>
auto atan2(const A &y, const B &x) {
  typing::refuse_reductions<A, B>();
  using T = typing::join_t<A, B>;
  static_assert(typing::is_real<T>,
                "atan2(): takes two floating-point values of one type, for example  atan2(x(i), cast<float>(j))");
  return Expr<T>(ir::binary(ir::BinaryOp::atan2, typing::operand<T>(y), typing::operand<T>(x)));
}
/// The remainder of x / y with the sign of x, exact; `x % y` has the sign of y.
template <class A, class B>
  requires typing::Operands<A, B>
auto fmod(const A &x, const B &y) {
  typing::refuse_reductions<A, B>();
  using T = typing::join_t<A, B>;
  static_assert(typing::is_real<T>,
                "fmod(): takes two floating-point values of one type, for example  fmod(x(i), cast<float>(j))");
  return Expr<T>(ir::binary(ir::BinaryOp::fmod, typing::operand<T>(x), typing::operand<T>(y)));
}
/// x * 2^n, rounded once, for a whole n; another n is rounded down. Of NaN it is infinite for an infinite n, and 0 for -infinity,
/// as the instruction has it.
template <class A, class B>
  requires typing::Operands<A, B>
auto ldexp(const A &x, const B &n) {
  typing::refuse_reductions<A, B>();
  using T = typing::join_t<A, B>;
  static_assert(typing::is_real<T>,
                "ldexp(): takes two floating-point values of one type, for example  ldexp(x(i), cast<float>(j))");
  return Expr<T>(ir::binary(ir::BinaryOp::ldexp, typing::operand<T>(x), typing::operand<T>(n)));
}
/// x * y + z, rounded once.
template <class A, class B, class C>
  requires typing::Operands<A, B, C>
auto fma(const A &x, const B &y, const C &z) {
  typing::refuse_reductions<A, B, C>();
  using T = typing::join3_t<A, B, C>;
  static_assert(typing::is_real<T>, "fma(): takes three floating-point values of one type, for example  fma(x(i), 2.0f, y(i))");
  return Expr<T>(ir::mul_add(typing::operand<T>(x), typing::operand<T>(y), typing::operand<T>(z)));
}

}  // namespace lathe::inline LATHE_ABI
