// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The semantics of scalar operators as code. Where operators.hpp leaves a choice, what stands here is the rule:
/// - `rsqrt(x)` is 1 / sqrt(x) and `sigmoid(x)` is 1 / (1 + exp(-x)), each step rounded;
/// - `mod` of floats: r = fmod(x, y); if r is not 0 and its sign differs from that of y, r + y; a zero keeps the sign of x;
/// - integers and bool reach float16 and bfloat16 through float32; float64 is rounded to them once;
/// - anything but 0 (NaN too) converts to true; `saturate` to a float clamps to its finite range and keeps NaN.

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "lathe/diag/diagnostic.hpp"
#include "lathe/dtype/small_float.hpp"
#include "lathe/ir/evaluate.hpp"

namespace lathe::inline LATHE_ABI::ir {

namespace evaluation {

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

[[noreturn]] LATHE_INLINE void refuse(std::string_view op, DType type) {
  fail_internal({"no ", op, " of ", to_string(type), " to evaluate"});
}

/// The lowest `type.bits()` bits, extended to 64 as patterns are.
inline Bits wrap(DType type, std::uint64_t value) {
  const int unused = 64 - type.bits();
  value <<= unused;
  return type.is_signed() ? static_cast<Bits>(static_cast<std::int64_t>(value) >> unused) : value >> unused;
}
inline std::uint64_t mask(DType type) { return ~std::uint64_t{0} >> (64 - type.bits()); }
inline std::int64_t least(DType type) { return type.is_signed() ? -1 - static_cast<std::int64_t>(mask(type) >> 1) : 0; }
inline std::uint64_t greatest(DType type) { return type.is_signed() ? mask(type) >> 1 : mask(type); }
inline std::int64_t as_signed(Bits a) { return static_cast<std::int64_t>(a); }

// ---- integers -----------------------------------------------------------------------------------------------------------------

LATHE_INLINE Bits integer_unary(UnaryOp op, DType type, Bits a) {
  const bool negative = type.is_signed() && as_signed(a) < 0;
  switch (op) {
    case UnaryOp::neg: return wrap(type, 0 - a);
    case UnaryOp::bit_not: return wrap(type, ~a);
    case UnaryOp::logical_not: return a == 0;
    case UnaryOp::abs: return negative ? wrap(type, 0 - a) : a;
    case UnaryOp::sign: return negative ? ~Bits{0} : Bits{a != 0};
    case UnaryOp::popcount: return wrap(type, static_cast<Bits>(std::popcount(a & mask(type))));
    case UnaryOp::clz: return wrap(type, static_cast<Bits>(type.bits()) - static_cast<Bits>(std::bit_width(a & mask(type))));
    case UnaryOp::is_nan:
    case UnaryOp::is_inf: return 0;
    case UnaryOp::is_finite: return 1;
    case UnaryOp::any_lane: return a;
    default: refuse(info(op).name, type);
  }
}

struct Division {
  Bits quotient, remainder;
};

/// Division that truncates or floors, total: by 0 both are 0, and the quotient of the least value by -1 wraps.
LATHE_INLINE Division divide(DType type, Bits a, Bits b, bool floors) {
  if (b == 0) return {0, 0};
  if (!type.is_signed()) return {a / b, a % b};
  if (as_signed(b) == -1) return {wrap(type, 0 - a), 0};
  std::int64_t quotient = as_signed(a) / as_signed(b), remainder = as_signed(a) % as_signed(b);
  if (floors && remainder != 0 && (remainder < 0) != (as_signed(b) < 0)) --quotient, remainder += as_signed(b);
  return {static_cast<Bits>(quotient), static_cast<Bits>(remainder)};
}

/// The amount of a shift, or `type.bits()` when it is out of range.
inline int shift_amount(DType type, Bits b) { return b < static_cast<Bits>(type.bits()) ? static_cast<int>(b) : type.bits(); }

LATHE_INLINE Bits shift_right(DType type, Bits a, Bits b) {
  const int amount = shift_amount(type, b);
  if (type.is_signed()) return static_cast<Bits>(as_signed(a) >> (amount < 64 ? amount : 63));
  return amount == type.bits() ? 0 : a >> amount;
}

inline Wide widened(DType type, Bits a) { return type.is_signed() ? Wide{as_signed(a)} : Wide{a}; }

LATHE_INLINE Bits rounding_shift_right(DType type, Bits a, Bits b) {
  if (b == 0 || (type.is_signed() && as_signed(b) < 0)) return a;
  if (b > 65) return 0;  // |a| < 2^64 is below half of 2^b
  return wrap(type, static_cast<Bits>((widened(type, a) + (Wide{1} << (b - 1))) >> b));
}

LATHE_INLINE Bits mul_high(DType type, Bits a, Bits b) {
  const auto product = static_cast<UnsignedWide>(widened(type, a)) * static_cast<UnsignedWide>(widened(type, b));
  return wrap(type, static_cast<Bits>(product >> type.bits()));
}

LATHE_INLINE Bits integer_binary(BinaryOp op, DType type, Bits a, Bits b) {
  const bool less = type.is_signed() ? as_signed(a) < as_signed(b) : a < b;
  switch (op) {
    case BinaryOp::add: return wrap(type, a + b);
    case BinaryOp::sub: return wrap(type, a - b);
    case BinaryOp::mul: return wrap(type, a * b);
    case BinaryOp::div: return divide(type, a, b, true).quotient;
    case BinaryOp::mod: return divide(type, a, b, true).remainder;
    case BinaryOp::trunc_div: return divide(type, a, b, false).quotient;
    case BinaryOp::trunc_mod: return divide(type, a, b, false).remainder;
    case BinaryOp::min: return less ? a : b;
    case BinaryOp::max: return less ? b : a;
    case BinaryOp::eq: return a == b;
    case BinaryOp::ne: return a != b;
    case BinaryOp::lt: return less;
    case BinaryOp::le: return less || a == b;
    case BinaryOp::gt: return !less && a != b;
    case BinaryOp::ge: return !less;
    case BinaryOp::logical_and: return a != 0 && b != 0;
    case BinaryOp::logical_or: return a != 0 || b != 0;
    case BinaryOp::bit_and: return a & b;
    case BinaryOp::bit_or: return a | b;
    case BinaryOp::bit_xor: return a ^ b;
    case BinaryOp::shl: return shift_amount(type, b) == type.bits() ? 0 : wrap(type, a << b);
    case BinaryOp::shr: return shift_right(type, a, b);
    case BinaryOp::mul_high: return mul_high(type, a, b);
    case BinaryOp::rounding_shift_right: return rounding_shift_right(type, a, b);
    default: refuse(info(op).name, type);
  }
}

// ---- floats -------------------------------------------------------------------------------------------------------------------

/// What becomes of a float: another one, or a truth value.
template <class F>
F float_unary(UnaryOp op, F x) {
  switch (op) {
    case UnaryOp::neg: return -x;
    case UnaryOp::abs: return std::fabs(x);
    case UnaryOp::sign: return x > 0 ? F(1) : x < 0 ? F(-1) : x;
    case UnaryOp::sqrt: return std::sqrt(x);
    case UnaryOp::rsqrt: return F(1) / std::sqrt(x);
    case UnaryOp::floor: return std::floor(x);
    case UnaryOp::ceil: return std::ceil(x);
    case UnaryOp::round: return std::nearbyint(x);
    case UnaryOp::trunc: return std::trunc(x);
    case UnaryOp::exp: return std::exp(x);
    case UnaryOp::exp2: return std::exp2(x);
    case UnaryOp::expm1: return std::expm1(x);
    case UnaryOp::log: return std::log(x);
    case UnaryOp::log2: return std::log2(x);
    case UnaryOp::log1p: return std::log1p(x);
    case UnaryOp::sin: return std::sin(x);
    case UnaryOp::cos: return std::cos(x);
    case UnaryOp::tan: return std::tan(x);
    case UnaryOp::sinh: return std::sinh(x);
    case UnaryOp::cosh: return std::cosh(x);
    case UnaryOp::tanh: return std::tanh(x);
    case UnaryOp::asin: return std::asin(x);
    case UnaryOp::acos: return std::acos(x);
    case UnaryOp::atan: return std::atan(x);
    case UnaryOp::erf: return std::erf(x);
    case UnaryOp::sigmoid: return F(1) / (F(1) + std::exp(-x));
    case UnaryOp::is_nan: return std::isnan(x);
    case UnaryOp::is_inf: return std::isinf(x);
    case UnaryOp::is_finite: return std::isfinite(x);
    default: refuse(info(op).name, sizeof(F) == 4 ? scalar_types::float32 : scalar_types::float64);
  }
}

/// The lesser one; NaN if any is, -0 before +0.
template <class F>
F lesser(F x, F y) {
  if (std::isnan(x)) return x;
  if (std::isnan(y)) return y;
  if (x == y) return std::signbit(x) ? x : y;
  return x < y ? x : y;
}

template <class F>
F floored_remainder(F x, F y) {
  const F remainder = std::fmod(x, y);
  return remainder != 0 && (remainder < 0) != (y < 0) ? remainder + y : remainder;
}

template <class F>
F scaled_by_power(F x, F power) {
  if (std::isnan(power)) return power;
  if (std::isinf(power)) return (std::isnan(x) ? 1 : x) * (power > 0 ? power : 0);
  return std::ldexp(x, static_cast<int>(std::clamp(std::floor(power), F{-5000}, F{5000})));
}

template <class F>
F float_binary(BinaryOp op, F x, F y) {
  switch (op) {
    case BinaryOp::add: return x + y;
    case BinaryOp::sub: return x - y;
    case BinaryOp::mul: return x * y;
    case BinaryOp::div: return x / y;
    case BinaryOp::mod: return floored_remainder(x, y);
    case BinaryOp::trunc_div: return std::trunc(x / y);
    case BinaryOp::trunc_mod:
    case BinaryOp::fmod: return std::fmod(x, y);
    case BinaryOp::min: return lesser(x, y);
    case BinaryOp::max: return -lesser(-x, -y);
    case BinaryOp::eq: return x == y;
    case BinaryOp::ne: return x != y;
    case BinaryOp::lt: return x < y;
    case BinaryOp::le: return x <= y;
    case BinaryOp::gt: return x > y;
    case BinaryOp::ge: return x >= y;
    case BinaryOp::pow: return std::pow(x, y);
    case BinaryOp::atan2: return std::atan2(x, y);
    case BinaryOp::ldexp: return scaled_by_power(x, y);
    default: refuse(info(op).name, sizeof(F) == 4 ? scalar_types::float32 : scalar_types::float64);
  }
}

/// The value of a floating pattern of at most 32 bits: exact.
inline float to_float(DType type, Bits a) {
  if (type.bits() == 32) return std::bit_cast<float>(static_cast<std::uint32_t>(a));
  return widen_small_float(static_cast<std::uint16_t>(a), type.scalar().exponent_bits, type.scalar().mantissa_bits);
}

/// Rounds to a floating type.
inline Bits round_to(DType type, double value) {
  if (type.bits() == 64) return std::bit_cast<Bits>(value);
  if (type.bits() == 32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return round_to_small_float(value, type.scalar().exponent_bits, type.scalar().mantissa_bits);
}

// ---- conversion ---------------------------------------------------------------------------------------------------------------

/// Truncates to an integer type; what does not fit gives the nearest end, NaN gives 0.
LATHE_INLINE Bits saturated(DType type, double value) {
  if (std::isnan(value)) return 0;
  const double end = std::ldexp(1.0, type.is_signed() ? type.bits() - 1 : type.bits());  // one past the greatest
  if (value >= end) return greatest(type);
  if (!type.is_signed()) return value <= 0 ? 0 : static_cast<Bits>(value);
  return value <= -end ? static_cast<Bits>(least(type)) : static_cast<Bits>(static_cast<std::int64_t>(value));
}

/// Clamps an integer of type `from` to the range of `to`.
LATHE_INLINE Bits clamped(DType to, DType from, Bits a) {
  const Wide value = widened(from, a);
  if (value < least(to)) return static_cast<Bits>(least(to));
  return value > Wide{greatest(to)} ? greatest(to) : a;
}

/// An integer or bool on its way to the floating type `to`: rounded to double or float.
LATHE_INLINE double integer_to_float(DType to, DType from, Bits a) {
  if (to.bits() == 64) return from.is_signed() ? static_cast<double>(as_signed(a)) : static_cast<double>(a);
  return from.is_signed() ? static_cast<float>(as_signed(a)) : static_cast<float>(a);
}

/// A float clamped to the finite values of `to`.
LATHE_INLINE double within_range(DType to, double value) {
  if (std::isnan(value)) return value;
  const int bias = (1 << (to.scalar().exponent_bits - 1)) - 1;
  const double end = std::ldexp(2.0 - std::ldexp(1.0, -to.scalar().mantissa_bits), bias);
  return value > end ? end : value < -end ? -end : value;
}

}  // namespace evaluation

LATHE_INLINE Bits evaluate(UnaryOp op, DType type, Bits a) {
  using namespace evaluation;
  if (type.kind() == Kind::custom) refuse(info(op).name, type);
  if (!type.is_float()) return integer_unary(op, type, a);
  if (type.bits() == 64) {
    const double result = float_unary(op, std::bit_cast<double>(a));
    return gives_bool(op) ? Bits{result != 0} : std::bit_cast<Bits>(result);
  }
  const float result = float_unary(op, to_float(type, a));
  return gives_bool(op) ? Bits{result != 0} : round_to(type, result);
}

LATHE_INLINE Bits evaluate(BinaryOp op, DType type, Bits a, Bits b) {
  using namespace evaluation;
  if (type.kind() == Kind::custom) refuse(info(op).name, type);
  if (!type.is_float()) return integer_binary(op, type, a, b);
  if (type.bits() == 64) {
    const double result = float_binary(op, std::bit_cast<double>(a), std::bit_cast<double>(b));
    return gives_bool(op) ? Bits{result != 0} : std::bit_cast<Bits>(result);
  }
  const float result = float_binary(op, to_float(type, a), to_float(type, b));
  return gives_bool(op) ? Bits{result != 0} : round_to(type, result);
}

LATHE_INLINE Bits evaluate_mul_add(DType type, Bits a, Bits b, Bits c) {
  using namespace evaluation;
  if (type.kind() == Kind::custom) refuse("mul_add", type);
  if (!type.is_float()) return wrap(type, a * b + c);
  if (type.bits() == 64) return std::bit_cast<Bits>(std::fma(to_double(type, a), to_double(type, b), to_double(type, c)));
  return round_to(type, std::fma(to_float(type, a), to_float(type, b), to_float(type, c)));
}

LATHE_INLINE Bits evaluate_cast(CastMode mode, DType to, DType from, Bits a) {
  using namespace evaluation;
  if (to.kind() == Kind::custom || from.kind() == Kind::custom) refuse("cast", to.kind() == Kind::custom ? to : from);
  if (mode == CastMode::reinterpret) return wrap(to, a);
  if (to.is_float()) {
    const double value = from.is_float() ? to_double(from, a) : integer_to_float(to, from, a);
    return round_to(to, mode == CastMode::saturate ? within_range(to, value) : value);
  }
  if (from.is_float()) {
    if (to.is_bool() && mode == CastMode::convert) return to_double(from, a) != 0;
    return saturated(to, to_double(from, a));
  }
  if (mode == CastMode::saturate) return clamped(to, from, a);
  return to.is_bool() ? Bits{a != 0} : wrap(to, a);
}

LATHE_INLINE Bits from_double(DType type, double value) {
  if (type.kind() == Kind::custom) evaluation::refuse("number", type);
  if (type.is_float()) return evaluation::round_to(type, value);
  return type.is_bool() ? Bits{value != 0} : evaluation::saturated(type, value);
}

LATHE_INLINE double to_double(DType type, Bits bits) {
  if (type.kind() == Kind::custom) evaluation::refuse("number", type);
  if (!type.is_float()) return type.is_signed() ? static_cast<double>(evaluation::as_signed(bits)) : static_cast<double>(bits);
  return type.bits() == 64 ? std::bit_cast<double>(bits) : evaluation::to_float(type, bits);
}

LATHE_INLINE Bits from_integer(DType type, std::int64_t value) {
  return evaluate_cast(CastMode::convert, type, scalar_types::int64, static_cast<Bits>(value));
}

LATHE_INLINE std::int64_t to_integer(DType type, Bits bits) {
  ensure(type.is_integer() || type.is_bool(), "only integers have an integer value");
  return evaluation::as_signed(bits);
}

// ---- memory -------------------------------------------------------------------------------------------------------------------

LATHE_INLINE Bits load_element(DType type, const void *address) {
  const auto fetch = [&]<class Word>(Word word) {
    std::memcpy(&word, address, sizeof word);
    return Bits{word};
  };
  Bits bits = 0;
  switch (type.bytes()) {
    case 1: bits = fetch(std::uint8_t{}); break;
    case 2: bits = fetch(std::uint16_t{}); break;
    case 4: bits = fetch(std::uint32_t{}); break;
    default: bits = fetch(std::uint64_t{}); break;
  }
  if (type.is_bool()) return bits != 0;
  return type.kind() == Kind::custom ? bits : evaluation::wrap(type, bits);
}

LATHE_INLINE void store_element(DType type, void *address, Bits bits) {
  const auto put = [&]<class Word>(Word word) { std::memcpy(address, &word, sizeof word); };
  switch (type.bytes()) {
    case 1: return put(static_cast<std::uint8_t>(bits));
    case 2: return put(static_cast<std::uint16_t>(bits));
    case 4: return put(static_cast<std::uint32_t>(bits));
    default: return put(bits);
  }
}

}  // namespace lathe::inline LATHE_ABI::ir
