// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Whole tensors as operands: element-wise operators and functions with NumPy's broadcasting, each a small `compute`.
///
///     auto y = max(x * scale + shift, 0.0f);     // x: [N, C, H, W], scale and shift: [C, 1, 1]
///
/// Shapes are aligned at their last dimensions; an extent of 1 stretches. Symbolic extents meet if they are the same expression.
/// Beside tensors stand literals and scalar arguments. Results are named after the operator.

#include <tuple>

#include "lathe/expr/compute.hpp"
#include "lathe/expr/functions.hpp"

namespace lathe::inline LATHE_ABI {

namespace typing {

template <class T, int Rank>
Tensor<T, Rank> tensor_base(const Tensor<T, Rank> *);
void tensor_base(...);
template <class A>
concept TensorLike = !std::is_void_v<decltype(tensor_base(static_cast<const A *>(nullptr)))>;

template <class T>
std::true_type is_scalar_argument(const ScalarArgument<T> *);
std::false_type is_scalar_argument(...);

/// Operands of tensor-level operators: one tensor at least.
template <class... A>
concept TensorOperands = (TensorLike<A> || ...) && ((TensorLike<A> || Value<A> || Literal<A>) && ...);

/// What stands for an operand while the element expression is built: an element, or the scalar itself.
template <class A>
const A &at(const A &scalar, const ir::Expr &) {
  static_assert(!Typed<A> || decltype(is_scalar_argument(static_cast<const A *>(nullptr)))::value,
                "beside whole tensors stand tensors, literals and scalar arguments: within compute read an element, for example  "
                "A(i, j) * x(i)");
  return scalar;
}
template <TensorLike A>
Expr<typename A::Element> at(const A &, const ir::Expr &element) {
  return Expr<typename A::Element>(element);
}

template <class A>
constexpr int rank_of() {
  if constexpr (TensorLike<A>)
    return A::rank;
  else
    return 0;
}
template <class A>
ir::Tensor untyped_or_none(const A &a) {
  if constexpr (TensorLike<A>)
    return a.untyped();
  else
    return {};
}

/// Gives the result's element from the operands' elements (undefined for scalars).
struct ElementCall {
  void *operands;
  ir::Expr (*call)(void *operands, const ir::Expr *elements);
};
/// \throws Error E007 if the shapes do not broadcast.
ir::Tensor elementwise(DType type, const ir::Tensor *tensors, int count, ElementCall element, const char *name);

template <class F, class... A>
auto map_elements(const char *name, const F &f, const A &...a) {
  refuse_reductions<A...>();
  const auto element = [&](const ir::Expr *elements) {
    const ir::Expr *next = elements;
    const auto take = [&next](const auto &operand) -> decltype(auto) { return at(operand, *next++); };
    const std::tuple<decltype(at(a, *next))...> values{take(a)...};  // braces: left to right
    return std::apply(f, values);
  };
  using Element = decltype(element);
  using T = element_t<decltype(element(nullptr))>;
  constexpr int rank = [] {
    int most = 0;
    ((most = rank_of<A>() > most ? rank_of<A>() : most), ...);
    return most;
  }();
  const ir::Tensor tensors[] = {untyped_or_none(a)...};
  const ElementCall call{const_cast<void *>(static_cast<const void *>(&element)), [](void *operands, const ir::Expr *elements) {
                           return (*static_cast<Element *>(operands))(elements).untyped();
                         }};
  return Tensor<T, rank>(elementwise(dtype_of<T>(), tensors, static_cast<int>(sizeof...(A)), call, name));
}

template <class A, class F>
auto map(const char *name, const A &a, const F &f) {
  return map_elements(name, f, a);
}
template <class A, class B, class F>
auto map(const char *name, const A &a, const B &b, const F &f) {
  return map_elements(name, f, a, b);
}
template <class A, class B, class C, class F>
auto map(const char *name, const A &a, const B &b, const C &c, const F &f) {
  return map_elements(name, f, a, b, c);
}

}  // namespace typing

/// Element-wise a + b.
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator+(const A &a, const B &b) {
  return typing::map("add", a, b, [](const auto &x, const auto &y) { return x + y; });
}
/// Element-wise a - b.
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator-(const A &a, const B &b) {
  return typing::map("subtract", a, b, [](const auto &x, const auto &y) { return x - y; });
}
/// Element-wise a * b.
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator*(const A &a, const B &b) {
  return typing::map("multiply", a, b, [](const auto &x, const auto &y) { return x * y; });
}
/// Element-wise a / b.
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator/(const A &a, const B &b) {
  return typing::map("divide", a, b, [](const auto &x, const auto &y) { return x / y; });
}
/// Element-wise a % b.
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator%(const A &a, const B &b) {
  return typing::map("remainder", a, b, [](const auto &x, const auto &y) { return x % y; });
}
/// Element-wise a == b.
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator==(const A &a, const B &b) {
  return typing::map("equal", a, b, [](const auto &x, const auto &y) { return x == y; });
}
/// Element-wise a != b.
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator!=(const A &a, const B &b) {
  return typing::map("not_equal", a, b, [](const auto &x, const auto &y) { return x != y; });
}
/// Element-wise a < b.
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator<(const A &a, const B &b) {
  return typing::map("less", a, b, [](const auto &x, const auto &y) { return x < y; });
}
/// Element-wise a <= b.
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator<=(const A &a, const B &b) {
  return typing::map("less_equal", a, b, [](const auto &x, const auto &y) { return x <= y; });
}
/// Element-wise a > b.
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator>(const A &a, const B &b) {
  return typing::map("greater", a, b, [](const auto &x, const auto &y) { return x > y; });
}
/// Element-wise a >= b.
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator>=(const A &a, const B &b) {
  return typing::map("greater_equal", a, b, [](const auto &x, const auto &y) { return x >= y; });
}
/// Element-wise a && b.
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator&&(const A &a, const B &b) {
  return typing::map("both", a, b, [](const auto &x, const auto &y) { return x && y; });
}
/// Element-wise a || b.
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator||(const A &a, const B &b) {
  return typing::map("either", a, b, [](const auto &x, const auto &y) { return x || y; });
}
/// Element-wise a & b.
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator&(const A &a, const B &b) {
  return typing::map("bit_and", a, b, [](const auto &x, const auto &y) { return x & y; });
}
/// Element-wise a | b.
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator|(const A &a, const B &b) {
  return typing::map("bit_or", a, b, [](const auto &x, const auto &y) { return x | y; });
}
/// Element-wise a ^ b.
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator^(const A &a, const B &b) {
  return typing::map("bit_xor", a, b, [](const auto &x, const auto &y) { return x ^ y; });
}
/// Element-wise a << b.
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator<<(const A &a, const B &b) {
  return typing::map("shift_left", a, b, [](const auto &x, const auto &y) { return x << y; });
}
/// Element-wise a >> b.
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator>>(const A &a, const B &b) {
  return typing::map("shift_right", a, b, [](const auto &x, const auto &y) { return x >> y; });
}
/// Element-wise -a.
template <class A>
  requires typing::TensorOperands<A>
auto operator-(const A &a) {
  return typing::map("negate", a, [](const auto &x) { return -x; });
}
/// Element-wise !a.
template <class A>
  requires typing::TensorOperands<A>
auto operator!(const A &a) {
  return typing::map("not", a, [](const auto &x) { return !x; });
}
/// Element-wise ~a.
template <class A>
  requires typing::TensorOperands<A>
auto operator~(const A &a) {
  return typing::map("bit_not", a, [](const auto &x) { return ~x; });
}

// ---- functions, as on elements ------------------------------------------------------------------------------------------------

/// Element-wise exp.
template <class A>
  requires typing::TensorOperands<A>
auto exp(const A &a) {
  return typing::map("exp", a, [](const auto &x) { return exp(x); });
}
/// Element-wise exp2.
template <class A>
  requires typing::TensorOperands<A>
auto exp2(const A &a) {
  return typing::map("exp2", a, [](const auto &x) { return exp2(x); });
}
/// Element-wise expm1.
template <class A>
  requires typing::TensorOperands<A>
auto expm1(const A &a) {
  return typing::map("expm1", a, [](const auto &x) { return expm1(x); });
}
/// Element-wise log.
template <class A>
  requires typing::TensorOperands<A>
auto log(const A &a) {
  return typing::map("log", a, [](const auto &x) { return log(x); });
}
/// Element-wise log2.
template <class A>
  requires typing::TensorOperands<A>
auto log2(const A &a) {
  return typing::map("log2", a, [](const auto &x) { return log2(x); });
}
/// Element-wise log1p.
template <class A>
  requires typing::TensorOperands<A>
auto log1p(const A &a) {
  return typing::map("log1p", a, [](const auto &x) { return log1p(x); });
}
/// Element-wise sqrt.
template <class A>
  requires typing::TensorOperands<A>
auto sqrt(const A &a) {
  return typing::map("sqrt", a, [](const auto &x) { return sqrt(x); });
}
/// Element-wise rsqrt.
template <class A>
  requires typing::TensorOperands<A>
auto rsqrt(const A &a) {
  return typing::map("rsqrt", a, [](const auto &x) { return rsqrt(x); });
}
/// Element-wise sin.
template <class A>
  requires typing::TensorOperands<A>
auto sin(const A &a) {
  return typing::map("sin", a, [](const auto &x) { return sin(x); });
}
/// Element-wise cos.
template <class A>
  requires typing::TensorOperands<A>
auto cos(const A &a) {
  return typing::map("cos", a, [](const auto &x) { return cos(x); });
}
/// Element-wise tan.
template <class A>
  requires typing::TensorOperands<A>
auto tan(const A &a) {
  return typing::map("tan", a, [](const auto &x) { return tan(x); });
}
/// Element-wise sinh.
template <class A>
  requires typing::TensorOperands<A>
auto sinh(const A &a) {
  return typing::map("sinh", a, [](const auto &x) { return sinh(x); });
}
/// Element-wise cosh.
template <class A>
  requires typing::TensorOperands<A>
auto cosh(const A &a) {
  return typing::map("cosh", a, [](const auto &x) { return cosh(x); });
}
/// Element-wise tanh.
template <class A>
  requires typing::TensorOperands<A>
auto tanh(const A &a) {
  return typing::map("tanh", a, [](const auto &x) { return tanh(x); });
}
/// Element-wise asin.
template <class A>
  requires typing::TensorOperands<A>
auto asin(const A &a) {
  return typing::map("asin", a, [](const auto &x) { return asin(x); });
}
/// Element-wise acos.
template <class A>
  requires typing::TensorOperands<A>
auto acos(const A &a) {
  return typing::map("acos", a, [](const auto &x) { return acos(x); });
}
/// Element-wise atan.
template <class A>
  requires typing::TensorOperands<A>
auto atan(const A &a) {
  return typing::map("atan", a, [](const auto &x) { return atan(x); });
}
/// Element-wise erf.
template <class A>
  requires typing::TensorOperands<A>
auto erf(const A &a) {
  return typing::map("erf", a, [](const auto &x) { return erf(x); });
}
/// Element-wise sigmoid.
template <class A>
  requires typing::TensorOperands<A>
auto sigmoid(const A &a) {
  return typing::map("sigmoid", a, [](const auto &x) { return sigmoid(x); });
}
/// Element-wise floor.
template <class A>
  requires typing::TensorOperands<A>
auto floor(const A &a) {
  return typing::map("floor", a, [](const auto &x) { return floor(x); });
}
/// Element-wise ceil.
template <class A>
  requires typing::TensorOperands<A>
auto ceil(const A &a) {
  return typing::map("ceil", a, [](const auto &x) { return ceil(x); });
}
/// Element-wise round.
template <class A>
  requires typing::TensorOperands<A>
auto round(const A &a) {
  return typing::map("round", a, [](const auto &x) { return round(x); });
}
/// Element-wise trunc.
template <class A>
  requires typing::TensorOperands<A>
auto trunc(const A &a) {
  return typing::map("trunc", a, [](const auto &x) { return trunc(x); });
}
/// Element-wise isnan.
template <class A>
  requires typing::TensorOperands<A>
auto isnan(const A &a) {
  return typing::map("isnan", a, [](const auto &x) { return isnan(x); });
}
/// Element-wise isinf.
template <class A>
  requires typing::TensorOperands<A>
auto isinf(const A &a) {
  return typing::map("isinf", a, [](const auto &x) { return isinf(x); });
}
/// Element-wise isfinite.
template <class A>
  requires typing::TensorOperands<A>
auto isfinite(const A &a) {
  return typing::map("isfinite", a, [](const auto &x) { return isfinite(x); });
}
/// Element-wise abs.
template <class A>
  requires typing::TensorOperands<A>
auto abs(const A &a) {
  return typing::map("abs", a, [](const auto &x) { return abs(x); });
}
/// Element-wise sign.
template <class A>
  requires typing::TensorOperands<A>
auto sign(const A &a) {
  return typing::map("sign", a, [](const auto &x) { return sign(x); });
}
/// Element-wise pow.
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto pow(const A &a, const B &b) {
  return typing::map("pow", a, b, [](const auto &x, const auto &y) { return pow(x, y); });
}
/// Element-wise atan2.
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto atan2(const A &a, const B &b) {
  return typing::map("atan2", a, b, [](const auto &x, const auto &y) { return atan2(x, y); });
}
/// Element-wise fmod.
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto fmod(const A &a, const B &b) {
  return typing::map("fmod", a, b, [](const auto &x, const auto &y) { return fmod(x, y); });
}
/// Element-wise ldexp.
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto ldexp(const A &a, const B &b) {
  return typing::map("ldexp", a, b, [](const auto &x, const auto &y) { return ldexp(x, y); });
}
/// Element-wise min.
template <class A>
  requires typing::TensorOperands<A>
auto min(const A &a, const A &b) {
  return typing::map("min", a, b, [](const auto &x, const auto &y) { return min(x, y); });
}
/// Element-wise min.
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto min(const A &a, const B &b) {
  return typing::map("min", a, b, [](const auto &x, const auto &y) { return min(x, y); });
}
/// Element-wise max.
template <class A>
  requires typing::TensorOperands<A>
auto max(const A &a, const A &b) {
  return typing::map("max", a, b, [](const auto &x, const auto &y) { return max(x, y); });
}
/// Element-wise max.
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto max(const A &a, const B &b) {
  return typing::map("max", a, b, [](const auto &x, const auto &y) { return max(x, y); });
}
/// Element-wise min(max(a, low), high).
template <class A, class L, class H>
  requires typing::TensorOperands<A, L, H>
auto clamp(const A &a, const L &low, const H &high) {
  return typing::map("clamp", a, low, high, [](const auto &x, const auto &l, const auto &h) { return clamp(x, l, h); });
}
/// Element-wise condition ? a : b; all three broadcast.
template <class C, class A, class B>
  requires typing::TensorOperands<C, A, B>
auto select(const C &condition, const A &a, const B &b) {
  return typing::map("select", condition, a, b, [](const auto &c, const auto &x, const auto &y) { return select(c, x, y); });
}
/// Every element as a T, as by cast<T> of an expression.
template <class T, class A>
  requires typing::TensorOperands<A>
auto cast(const A &a) {
  return typing::map("cast", a, [](const auto &x) { return cast<T>(x); });
}
/// Every element as a T, clamped to its range.
template <class T, class A>
  requires typing::TensorOperands<A>
auto saturate_cast(const A &a) {
  return typing::map("saturate_cast", a, [](const auto &x) { return saturate_cast<T>(x); });
}

}  // namespace lathe::inline LATHE_ABI
