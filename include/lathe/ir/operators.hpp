// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The operators of the IR and their written semantics. `evaluate.hpp` says the same in code, and every back end obeys.
///
/// Every operator is total, so that speculation and masked lanes are safe:
/// - data integers (int8…uint64) wrap; index arithmetic is 64-bit and assumed not to overflow,
///   however its sums and comparisons are rearranged: data that becomes an index lies within ±2^62;
/// - `div` and `mod` floor; x / 0 = 0 and x % 0 = 0; INT_MIN / -1 wraps to INT_MIN; `trunc_div` and `trunc_mod` round toward
/// zero,
///   likewise total;
/// - `div` of floats is IEEE division, `mod` of floats is x - floor(x / y) * y computed as C's fmod corrected to the sign of y;
///   a zero keeps the sign of x;
/// - shifts by a negative amount or by at least the width give 0, or the sign for `shr` of a signed value;
/// - `min` and `max` propagate NaN and order -0 before +0; comparisons with NaN are false except `ne`;
/// - float to integer saturates and takes NaN to 0; integer to narrower integer wraps (`CastMode::saturate` clamps);
/// - `round` ties to even; `abs` of the least signed integer wraps to itself; `popcount`, `clz` give the type of their operand
///   (clz(0) = width);
/// - `sign` gives -1, 0 or 1 (NaN for NaN; ±0 for ±0);
/// - math functions (exp … sigmoid, pow, atan2) are near the true value, not rounded like it: which last bits they have is said
///   where they are computed, in types/math_functions.hpp or a library (Numerics::library_math);
/// - float16 and bfloat16 arithmetic is computed in float32 and rounded once;
/// - logical operators take and give bool; both sides may be evaluated, but loads on the right of && and || and in the arms of a
///   guarding `Select` happen only where the condition lets them.

#include <cstdint>
#include <string_view>

#include "lathe/version.hpp"

namespace lathe::inline LATHE_ABI::ir {

/// Operators of one operand. Those from `sqrt` to `sigmoid` are defined on floats only, those from `is_nan` on give bool. All but
/// `any_lane`, which code for lanes alone has, compute each lane by itself.
enum class UnaryOp : std::uint8_t {
  neg,
  bit_not,
  logical_not,
  abs,
  sign,
  sqrt,
  rsqrt,  ///< 1 / sqrt(x)
  floor,
  ceil,
  round,
  trunc,
  exp,
  exp2,
  expm1,
  log,
  log2,
  log1p,
  sin,
  cos,
  tan,
  sinh,
  cosh,
  tanh,
  asin,
  acos,
  atan,
  erf,
  sigmoid,  ///< 1 / (1 + exp(-x))
  popcount,
  clz,
  is_nan,
  is_inf,
  is_finite,
  any_lane,  ///< whether a bool is true in any of its lanes: a scalar
};

/// Operators of two operands of one type. Those from `eq` to `logical_or` give bool.
enum class BinaryOp : std::uint8_t {
  add,
  sub,
  mul,
  div,
  mod,
  trunc_div,
  trunc_mod,
  min,
  max,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  logical_and,
  logical_or,
  bit_and,
  bit_or,
  bit_xor,
  shl,
  shr,
  mul_high,              ///< the upper half of the double-width product of integers
  rounding_shift_right,  ///< (a + (1 << b >> 1)) >> b in infinite precision; b ≤ 0 gives a
  pow,
  atan2,
  fmod,
  ldexp,  ///< a 2^floor(b), rounded once; 0 2^inf and inf 2^-inf are NaN, NaN 2^±inf is 2^±inf
};

/// How a value changes type.
enum class CastMode : std::uint8_t {
  convert,      ///< the value, by the rules above
  saturate,     ///< clamped to the target's range
  reinterpret,  ///< the same bits; widths are equal
};

/// What the front end, printers and tables need to know of an operator.
struct OperatorInfo {
  std::string_view name;    ///< as a function: "add", "exp"
  std::string_view symbol;  ///< infix or prefix in printouts, empty when printed as a call
  int precedence;           ///< of the infix form in C's order, larger binds tighter
};

/// @{
/// Of any operator.
const OperatorInfo &info(UnaryOp op);
const OperatorInfo &info(BinaryOp op);
/// @}

constexpr bool is_comparison(BinaryOp op) { return op >= BinaryOp::eq && op <= BinaryOp::ge; }                ///< == != < <= > >=
constexpr bool is_logical(BinaryOp op) { return op == BinaryOp::logical_and || op == BinaryOp::logical_or; }  ///< && ||
/// @{
/// Operators whose result is bool whatever their operands are.
constexpr bool gives_bool(BinaryOp op) { return is_comparison(op) || is_logical(op); }
constexpr bool gives_bool(UnaryOp op) { return op == UnaryOp::logical_not || op >= UnaryOp::is_nan; }
/// @}
/// sqrt … sigmoid: defined on floats only.
constexpr bool is_float_only(UnaryOp op) { return op >= UnaryOp::sqrt && op <= UnaryOp::sigmoid; }
/// Whether a op b = b op a for all operands, bit for bit but for the payload of NaN.
constexpr bool is_commutative(BinaryOp op) {
  switch (op) {
    case BinaryOp::add:
    case BinaryOp::mul:
    case BinaryOp::min:
    case BinaryOp::max:
    case BinaryOp::eq:
    case BinaryOp::ne:
    case BinaryOp::logical_and:
    case BinaryOp::logical_or:
    case BinaryOp::bit_and:
    case BinaryOp::bit_or:
    case BinaryOp::bit_xor:
    case BinaryOp::mul_high: return true;
    default: return false;
  }
}

}  // namespace lathe::inline LATHE_ABI::ir
