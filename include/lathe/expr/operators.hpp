// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Whole tensors as operands: element-wise operators and functions with NumPy's broadcasting, each a small `compute`.
///
///     auto y = max(x * scale + shift, 0.0f);     // x: [N, C, H, W], scale and shift: [C, 1, 1]
///
/// Shapes are aligned at their last dimensions; an extent of 1 stretches. Symbolic extents meet if they are the same expression.
/// Beside tensors stand literals and scalar arguments. Results are named after the operator.

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
                "beside whole tensors stand tensors, literals and scalar arguments: within compute read an element, for example  A(i, j) * x(i)");
  return scalar;
}
template <TensorLike A>
Expr<typename A::Element> at(const A &, const ir::Expr &element) {
  return Expr<typename A::Element>(element);
}

template <class A>
constexpr int rank_of() {
  if constexpr (TensorLike<A>) return A::rank;
  else return 0;
}
template <class A>
ir::Tensor untyped_or_none(const A &a) {
  if constexpr (TensorLike<A>) return a.untyped();
  else return {};
}

/// Gives the result's element from the operands' elements (undefined for scalars).
struct ElementCall {
  void *operands;
  ir::Expr (*call)(void *operands, const ir::Expr *elements);
};
/// \throws Error E007 if the shapes do not broadcast.
ir::Tensor elementwise(DType type, const ir::Tensor *tensors, int count, ElementCall element, const char *name);

template <class F, class... A>
auto map(const char *name, const F &f, const A &...a) {
  refuse_reductions<A...>();
  const auto element = [&](const ir::Expr *elements) {
    const ir::Expr *next = elements;
    const auto take = [&next](const auto &operand) { return at(operand, *next++); };
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

}  // namespace typing

template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator+(const A &a, const B &b) { return typing::map("add", [](const auto &x, const auto &y) { return x + y; }, a, b); }
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator-(const A &a, const B &b) { return typing::map("subtract", [](const auto &x, const auto &y) { return x - y; }, a, b); }
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator*(const A &a, const B &b) { return typing::map("multiply", [](const auto &x, const auto &y) { return x * y; }, a, b); }
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator/(const A &a, const B &b) { return typing::map("divide", [](const auto &x, const auto &y) { return x / y; }, a, b); }
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator%(const A &a, const B &b) { return typing::map("remainder", [](const auto &x, const auto &y) { return x % y; }, a, b); }
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator==(const A &a, const B &b) { return typing::map("equal", [](const auto &x, const auto &y) { return x == y; }, a, b); }
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator!=(const A &a, const B &b) { return typing::map("not_equal", [](const auto &x, const auto &y) { return x != y; }, a, b); }
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator<(const A &a, const B &b) { return typing::map("less", [](const auto &x, const auto &y) { return x < y; }, a, b); }
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator<=(const A &a, const B &b) { return typing::map("less_equal", [](const auto &x, const auto &y) { return x <= y; }, a, b); }
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator>(const A &a, const B &b) { return typing::map("greater", [](const auto &x, const auto &y) { return x > y; }, a, b); }
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator>=(const A &a, const B &b) { return typing::map("greater_equal", [](const auto &x, const auto &y) { return x >= y; }, a, b); }
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator&&(const A &a, const B &b) { return typing::map("both", [](const auto &x, const auto &y) { return x && y; }, a, b); }
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator||(const A &a, const B &b) { return typing::map("either", [](const auto &x, const auto &y) { return x || y; }, a, b); }
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator&(const A &a, const B &b) { return typing::map("bit_and", [](const auto &x, const auto &y) { return x & y; }, a, b); }
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator|(const A &a, const B &b) { return typing::map("bit_or", [](const auto &x, const auto &y) { return x | y; }, a, b); }
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator^(const A &a, const B &b) { return typing::map("bit_xor", [](const auto &x, const auto &y) { return x ^ y; }, a, b); }
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator<<(const A &a, const B &b) { return typing::map("shift_left", [](const auto &x, const auto &y) { return x << y; }, a, b); }
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto operator>>(const A &a, const B &b) { return typing::map("shift_right", [](const auto &x, const auto &y) { return x >> y; }, a, b); }
template <class A>
  requires typing::TensorOperands<A>
auto operator-(const A &a) { return typing::map("negate", [](const auto &x) { return -x; }, a); }
template <class A>
  requires typing::TensorOperands<A>
auto operator!(const A &a) { return typing::map("not", [](const auto &x) { return !x; }, a); }
template <class A>
  requires typing::TensorOperands<A>
auto operator~(const A &a) { return typing::map("bit_not", [](const auto &x) { return ~x; }, a); }

// ---- functions, as on elements ------------------------------------------------------------------------------------------------

template <class A>
  requires typing::TensorOperands<A>
auto exp(const A &a) { return typing::map("exp", [](const auto &x) { return exp(x); }, a); }
template <class A>
  requires typing::TensorOperands<A>
auto exp2(const A &a) { return typing::map("exp2", [](const auto &x) { return exp2(x); }, a); }
template <class A>
  requires typing::TensorOperands<A>
auto expm1(const A &a) { return typing::map("expm1", [](const auto &x) { return expm1(x); }, a); }
template <class A>
  requires typing::TensorOperands<A>
auto log(const A &a) { return typing::map("log", [](const auto &x) { return log(x); }, a); }
template <class A>
  requires typing::TensorOperands<A>
auto log2(const A &a) { return typing::map("log2", [](const auto &x) { return log2(x); }, a); }
template <class A>
  requires typing::TensorOperands<A>
auto log1p(const A &a) { return typing::map("log1p", [](const auto &x) { return log1p(x); }, a); }
template <class A>
  requires typing::TensorOperands<A>
auto sqrt(const A &a) { return typing::map("sqrt", [](const auto &x) { return sqrt(x); }, a); }
template <class A>
  requires typing::TensorOperands<A>
auto rsqrt(const A &a) { return typing::map("rsqrt", [](const auto &x) { return rsqrt(x); }, a); }
template <class A>
  requires typing::TensorOperands<A>
auto sin(const A &a) { return typing::map("sin", [](const auto &x) { return sin(x); }, a); }
template <class A>
  requires typing::TensorOperands<A>
auto cos(const A &a) { return typing::map("cos", [](const auto &x) { return cos(x); }, a); }
template <class A>
  requires typing::TensorOperands<A>
auto tan(const A &a) { return typing::map("tan", [](const auto &x) { return tan(x); }, a); }
template <class A>
  requires typing::TensorOperands<A>
auto sinh(const A &a) { return typing::map("sinh", [](const auto &x) { return sinh(x); }, a); }
template <class A>
  requires typing::TensorOperands<A>
auto cosh(const A &a) { return typing::map("cosh", [](const auto &x) { return cosh(x); }, a); }
template <class A>
  requires typing::TensorOperands<A>
auto tanh(const A &a) { return typing::map("tanh", [](const auto &x) { return tanh(x); }, a); }
template <class A>
  requires typing::TensorOperands<A>
auto asin(const A &a) { return typing::map("asin", [](const auto &x) { return asin(x); }, a); }
template <class A>
  requires typing::TensorOperands<A>
auto acos(const A &a) { return typing::map("acos", [](const auto &x) { return acos(x); }, a); }
template <class A>
  requires typing::TensorOperands<A>
auto atan(const A &a) { return typing::map("atan", [](const auto &x) { return atan(x); }, a); }
template <class A>
  requires typing::TensorOperands<A>
auto erf(const A &a) { return typing::map("erf", [](const auto &x) { return erf(x); }, a); }
template <class A>
  requires typing::TensorOperands<A>
auto sigmoid(const A &a) { return typing::map("sigmoid", [](const auto &x) { return sigmoid(x); }, a); }
template <class A>
  requires typing::TensorOperands<A>
auto floor(const A &a) { return typing::map("floor", [](const auto &x) { return floor(x); }, a); }
template <class A>
  requires typing::TensorOperands<A>
auto ceil(const A &a) { return typing::map("ceil", [](const auto &x) { return ceil(x); }, a); }
template <class A>
  requires typing::TensorOperands<A>
auto round(const A &a) { return typing::map("round", [](const auto &x) { return round(x); }, a); }
template <class A>
  requires typing::TensorOperands<A>
auto trunc(const A &a) { return typing::map("trunc", [](const auto &x) { return trunc(x); }, a); }
template <class A>
  requires typing::TensorOperands<A>
auto isnan(const A &a) { return typing::map("isnan", [](const auto &x) { return isnan(x); }, a); }
template <class A>
  requires typing::TensorOperands<A>
auto isinf(const A &a) { return typing::map("isinf", [](const auto &x) { return isinf(x); }, a); }
template <class A>
  requires typing::TensorOperands<A>
auto isfinite(const A &a) { return typing::map("isfinite", [](const auto &x) { return isfinite(x); }, a); }
template <class A>
  requires typing::TensorOperands<A>
auto abs(const A &a) { return typing::map("abs", [](const auto &x) { return abs(x); }, a); }
template <class A>
  requires typing::TensorOperands<A>
auto sign(const A &a) { return typing::map("sign", [](const auto &x) { return sign(x); }, a); }
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto pow(const A &a, const B &b) { return typing::map("pow", [](const auto &x, const auto &y) { return pow(x, y); }, a, b); }
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto atan2(const A &a, const B &b) { return typing::map("atan2", [](const auto &x, const auto &y) { return atan2(x, y); }, a, b); }
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto fmod(const A &a, const B &b) { return typing::map("fmod", [](const auto &x, const auto &y) { return fmod(x, y); }, a, b); }
template <class A>
  requires typing::TensorOperands<A>
auto min(const A &a, const A &b) { return typing::map("min", [](const auto &x, const auto &y) { return min(x, y); }, a, b); }
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto min(const A &a, const B &b) { return typing::map("min", [](const auto &x, const auto &y) { return min(x, y); }, a, b); }
template <class A>
  requires typing::TensorOperands<A>
auto max(const A &a, const A &b) { return typing::map("max", [](const auto &x, const auto &y) { return max(x, y); }, a, b); }
template <class A, class B>
  requires typing::TensorOperands<A, B>
auto max(const A &a, const B &b) { return typing::map("max", [](const auto &x, const auto &y) { return max(x, y); }, a, b); }
template <class A, class L, class H>
  requires typing::TensorOperands<A, L, H>
auto clamp(const A &a, const L &low, const H &high) {
  return typing::map("clamp", [](const auto &x, const auto &l, const auto &h) { return clamp(x, l, h); }, a, low, high);
}
template <class C, class A, class B>
  requires typing::TensorOperands<C, A, B>
auto select(const C &condition, const A &a, const B &b) {
  return typing::map("select", [](const auto &c, const auto &x, const auto &y) { return select(c, x, y); }, condition, a, b);
}
template <class T, class A>
  requires typing::TensorOperands<A>
auto cast(const A &a) {
  return typing::map("cast", [](const auto &x) { return cast<T>(x); }, a);
}
template <class T, class A>
  requires typing::TensorOperands<A>
auto saturate_cast(const A &a) {
  return typing::map("saturate_cast", [](const auto &x) { return saturate_cast<T>(x); }, a);
}

}  // namespace lathe::inline LATHE_ABI
