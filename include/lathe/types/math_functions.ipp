// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Math functions of float32 and float64: an argument is reduced to a small interval, where a polynomial is evaluated, and the
/// result is put together from that and the exponent. Here is which there are; beside this, by kind, what they are.

#include "lathe/types/math_angles.ipp"
#include "lathe/types/math_circular.ipp"
#include "lathe/types/math_exponentials.ipp"
#include "lathe/types/math_functions.hpp"
#include "lathe/types/math_logarithms.ipp"

namespace lathe::inline LATHE_ABI::types {

LATHE_INLINE ir::Expr wide_math_function(ir::UnaryOp op, const ir::Expr &a, bool fused, bool scales, bool quick) {
  const math_functions::Lanes d(scalar_types::float64, a.lanes(), fused, scales);
  switch (op) {
    case ir::UnaryOp::sin: return math_functions::sin({d, d, quick}, a);
    case ir::UnaryOp::cos: return math_functions::cos({d, d, quick}, a);
    case ir::UnaryOp::tan: return math_functions::wide_tan({d, d, quick}, a);
    case ir::UnaryOp::exp: return math_functions::exp(d, a);
    case ir::UnaryOp::exp2: return math_functions::exp2(d, a);
    case ir::UnaryOp::expm1: return math_functions::expm1(d, a);
    case ir::UnaryOp::log: return math_functions::wide_log(d, a);
    case ir::UnaryOp::log2: return math_functions::log2_64(d, a);
    case ir::UnaryOp::log1p: return math_functions::log1p(d, a);
    case ir::UnaryOp::erf: return math_functions::wide_erf(d, a);
    case ir::UnaryOp::sinh: return math_functions::sinh(d, a);
    case ir::UnaryOp::cosh: return math_functions::cosh(d, a);
    case ir::UnaryOp::asin: return math_functions::asin(d, a);
    case ir::UnaryOp::acos: return math_functions::acos(d, a);
    case ir::UnaryOp::atan: return math_functions::atan(d, a);
    case ir::UnaryOp::tanh: return math_functions::tanh(d, a);
    case ir::UnaryOp::sigmoid: return math_functions::sigmoid(d, a);
    default: return {};
  }
}

LATHE_INLINE double quick_reach(ir::UnaryOp op, DType type) {
  if (op != ir::UnaryOp::sin && op != ir::UnaryOp::cos && op != ir::UnaryOp::tan) return math_functions::infinity;
  if (type.element() == DType(scalar_types::float64)) return math_functions::format_64.quick_reach;
  return type.element() == DType(scalar_types::float32) ? math_functions::format_32.quick_reach : math_functions::infinity;
}

LATHE_INLINE ir::Expr math_function(ir::UnaryOp op, const ir::Expr &a, bool fused, bool scales, bool quick) {
  if (a.type().element() == DType(scalar_types::float64)) return wide_math_function(op, a, fused, scales, quick);
  if (a.type().element() != DType(scalar_types::float32)) return {};
  const math_functions::Lanes f(scalar_types::float32, a.lanes(), fused, scales), d(scalar_types::float64, a.lanes(), fused);
  switch (op) {
    case ir::UnaryOp::exp: return math_functions::exp(f, a);
    case ir::UnaryOp::exp2: return math_functions::exp2(f, a);
    case ir::UnaryOp::expm1: return math_functions::expm1(f, a);
    case ir::UnaryOp::log: return math_functions::log(f, a);
    case ir::UnaryOp::log2: return math_functions::log2(f, a);
    case ir::UnaryOp::log1p: return math_functions::log1p(f, a);
    case ir::UnaryOp::sin: return math_functions::sin({f, d, quick}, a);
    case ir::UnaryOp::cos: return math_functions::cos({f, d, quick}, a);
    case ir::UnaryOp::tan: return math_functions::tan({f, d, quick}, a);
    case ir::UnaryOp::sinh: return math_functions::sinh(f, a);
    case ir::UnaryOp::cosh: return math_functions::cosh(f, a);
    case ir::UnaryOp::asin: return math_functions::asin(f, a);
    case ir::UnaryOp::acos: return math_functions::acos(f, a);
    case ir::UnaryOp::atan: return math_functions::atan(f, a);
    case ir::UnaryOp::tanh: return math_functions::tanh(f, a);
    case ir::UnaryOp::erf: return math_functions::erf(f, a);
    case ir::UnaryOp::sigmoid: return math_functions::sigmoid(f, a);
    default: return {};
  }
}

LATHE_INLINE ir::Expr math_function(ir::BinaryOp op, const ir::Expr &a, const ir::Expr &b, bool fused) {
  if (op == ir::BinaryOp::ldexp) return math_functions::ldexp({a.type().scalar(), a.lanes(), fused}, a, b);
  const bool wide = a.type().element() == DType(scalar_types::float64);
  if (!wide && a.type().element() != DType(scalar_types::float32)) return {};
  const math_functions::Lanes f(scalar_types::float32, a.lanes(), fused), d(scalar_types::float64, a.lanes(), fused);
  switch (op) {
    case ir::BinaryOp::pow: return wide ? math_functions::wide_pow(d, a, b) : math_functions::pow(f, d, a, b);
    case ir::BinaryOp::atan2: return math_functions::atan2(wide ? d : f, a, b);
    default: return {};
  }
}

}  // namespace lathe::inline LATHE_ABI::types
