// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Integer arithmetic that never wraps: on int64 values, intervals and congruences. What would leave int64 widens the interval to
/// "unbounded" and the congruence to "nothing known".

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>

#include "lathe/arith/simplify.hpp"

namespace lathe::inline LATHE_ABI::arith {

using Int = std::int64_t;

/// a += b and a *= b; false, leaving `a` unspecified, on overflow.
inline bool add_to(Int &a, Int b) { return !__builtin_add_overflow(a, b, &a); }
inline bool multiply_by(Int &a, Int b) { return !__builtin_mul_overflow(a, b, &a); }

/// Rounds down; c > 0.
constexpr Int floor_div(Int a, Int c) { return a / c - (a % c < 0 ? 1 : 0); }
/// In [0, c); c > 0.
constexpr Int floor_mod(Int a, Int c) { return a % c < 0 ? a % c + c : a % c; }

/// |a| as a modulus; 0 for the least int64, whose absolute value is no int64.
constexpr Int magnitude(Int a) { return a == Bounds::unbounded_below ? 0 : a < 0 ? -a : a; }

// ---- intervals ----------------------------------------------------------------------------------------------------------------

constexpr bool bounded_below(const Bounds &b) { return b.min != Bounds::unbounded_below; }
constexpr bool bounded_above(const Bounds &b) { return b.max != Bounds::unbounded_above; }
constexpr bool bounded(const Bounds &b) { return bounded_below(b) && bounded_above(b); }
constexpr Bounds everything() { return {}; }
constexpr Bounds point(Int value) { return {value, value}; }
constexpr Bounds hull(const Bounds &a, const Bounds &b) { return {std::min(a.min, b.min), std::max(a.max, b.max)}; }
/// Both hold. Where they contradict each other nothing is true of the value, and `a` is as good as any.
constexpr Bounds meet(const Bounds &a, const Bounds &b) {
  const Bounds both{std::max(a.min, b.min), std::min(a.max, b.max)};
  return both.min <= both.max ? both : a;
}

inline Bounds sum(const Bounds &a, const Bounds &b) {
  Bounds out{a.min, a.max};
  if (!bounded_below(a) || !bounded_below(b) || !add_to(out.min, b.min)) out.min = Bounds::unbounded_below;
  if (!bounded_above(a) || !bounded_above(b) || !add_to(out.max, b.max)) out.max = Bounds::unbounded_above;
  return out;
}

inline Bounds scaled(const Bounds &a, Int k) {
  if (k == 0) return point(0);
  Bounds out = k > 0 ? a : Bounds{a.max, a.min};
  const bool below = k > 0 ? bounded_below(a) : bounded_above(a);
  const bool above = k > 0 ? bounded_above(a) : bounded_below(a);
  if (!below || !multiply_by(out.min, k)) out.min = Bounds::unbounded_below;
  if (!above || !multiply_by(out.max, k)) out.max = Bounds::unbounded_above;
  return out;
}

inline Bounds product(const Bounds &a, const Bounds &b) {
  if (a.is_point()) return scaled(b, a.min);
  if (b.is_point()) return scaled(a, b.min);
  if (a.min >= 0 && b.min >= 0) {
    Bounds out{a.min, a.max};
    if (!multiply_by(out.min, b.min)) out.min = 0;
    if (!bounded_above(a) || !bounded_above(b) || !multiply_by(out.max, b.max)) out.max = Bounds::unbounded_above;
    return out;
  }
  if (!bounded(a) || !bounded(b)) return everything();
  const Bounds low = scaled(b, a.min), high = scaled(b, a.max);
  return hull(low, high);
}

/// Floor division by c > 0.
inline Bounds quotient(const Bounds &a, Int c) {
  return {bounded_below(a) ? floor_div(a.min, c) : a.min, bounded_above(a) ? floor_div(a.max, c) : a.max};
}

/// The q for which all of `a` lies in [q c, q c + c), if there is one; c > 0.
inline std::optional<Int> block_of(const Bounds &a, Int c) {
  if (!bounded(a) || floor_div(a.min, c) != floor_div(a.max, c)) return std::nullopt;
  return floor_div(a.min, c);
}

// ---- congruences --------------------------------------------------------------------------------------------------------------

constexpr Congruence nothing_known() { return {1, 0}; }
constexpr Congruence exactly(Int value) { return {0, value}; }

inline Congruence reduced(Int modulus, Int remainder) {
  if (modulus == Bounds::unbounded_below) return nothing_known();
  modulus = magnitude(modulus);
  return {modulus, modulus == 0 ? remainder : floor_mod(remainder, modulus)};
}

/// gcd where 0 is the neutral element.
inline Int common_divisor(Int a, Int b) {
  if (a == Bounds::unbounded_below || b == Bounds::unbounded_below) return 1;
  return std::gcd(a, b);
}

inline Congruence sum(const Congruence &a, const Congruence &b) {
  Int remainder = a.remainder;
  return add_to(remainder, b.remainder) ? reduced(common_divisor(a.modulus, b.modulus), remainder) : nothing_known();
}

inline Congruence product(const Congruence &a, const Congruence &b) {
  Int mm = a.modulus, mr = a.modulus, rm = a.remainder, rr = a.remainder;
  if (!multiply_by(mm, b.modulus) || !multiply_by(mr, b.remainder) || !multiply_by(rm, b.modulus) ||
      !multiply_by(rr, b.remainder))
    return nothing_known();
  return reduced(common_divisor(common_divisor(mm, mr), rm), rr);
}

/// Either may hold.
inline Congruence either(const Congruence &a, const Congruence &b) {
  Int difference = a.remainder;
  if (__builtin_sub_overflow(a.remainder, b.remainder, &difference)) return nothing_known();
  return reduced(common_divisor(common_divisor(a.modulus, b.modulus), difference), a.remainder);
}

/// Both hold; the more telling one where they do not combine simply.
inline Congruence meet(const Congruence &a, const Congruence &b) {
  if (a.modulus == 0 || b.modulus == 0) return a.modulus == 0 ? a : b;
  return a.modulus >= b.modulus ? a : b;
}

/// The remainder of a value modulo c > 0, if it is known.
inline std::optional<Int> remainder_of(const Congruence &a, Int c) {
  if (a.modulus != 0 && a.modulus % c != 0) return std::nullopt;
  return floor_mod(a.remainder, c);
}

}  // namespace lathe::inline LATHE_ABI::arith
