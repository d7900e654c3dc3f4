// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Building expressions: checks, folding of constants and the plainest identities. Only operators that are exact or correctly
/// rounded are folded; exp and its kin are not, since a target's lowering function decides their last bits.

#include <algorithm>
#include <string_view>

#include "lathe/ir/build.hpp"
#include "lathe/ir/evaluate.hpp"
#include "lathe/ir/operation.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::ir {

// ---- constants ----------------------------------------------------------------------------------------------------------------

LATHE_INLINE Expr constant_bits(DType type, std::uint64_t bits) {
  const int width = type.kind() == Kind::custom ? type.scalar().storage_bits : type.bits();
  const int unused = 64 - width;
  if (unused > 0) {
    bits <<= unused;
    bits = type.is_signed() ? static_cast<std::uint64_t>(static_cast<std::int64_t>(bits) >> unused) : bits >> unused;
  }
  return broadcast(make(type.element(), Const{bits}), type.lanes());
}

LATHE_INLINE Expr constant(DType type, std::int64_t value) {
  ensure(type.kind() != Kind::custom, "a constant of a custom type is made from its bits");
  return constant_bits(type,
                       evaluate_cast(CastMode::convert, type.element(), scalar_types::int64, static_cast<std::uint64_t>(value)));
}

LATHE_INLINE Expr constant(DType type, double value) {
  ensure(type.kind() != Kind::custom, "a constant of a custom type is made from its bits");
  return constant_bits(type, from_double(type.element(), value));
}

LATHE_INLINE Expr boolean(bool value) { return make(scalar_types::boolean, Const{value ? std::uint64_t{1} : std::uint64_t{0}}); }

LATHE_INLINE Expr zero_of(DType type) { return constant_bits(type, 0); }

LATHE_INLINE Expr least_of(DType type) {
  switch (type.kind()) {
    case Kind::boolean:
    case Kind::unsigned_integer: return constant_bits(type, 0);
    case Kind::integer:
    case Kind::index: return constant_bits(type, std::uint64_t{1} << (type.bits() - 1));
    case Kind::floating:
      return constant_bits(type, greatest_of(type.element()).as<Const>()->bits | std::uint64_t{1} << (type.bits() - 1));
    case Kind::custom: break;
  }
  fail_internal("the least value of a custom type is known to its descriptor only");
}

LATHE_INLINE Expr greatest_of(DType type) {
  switch (type.kind()) {
    case Kind::boolean: return constant_bits(type, 1);
    case Kind::unsigned_integer: return constant_bits(type, ~std::uint64_t{0});
    case Kind::integer:
    case Kind::index: return constant_bits(type, (std::uint64_t{1} << (type.bits() - 1)) - 1);
    case Kind::floating: {  // the pattern below infinity
      const int mantissa = type.scalar().mantissa_bits;
      const std::uint64_t infinity = ((std::uint64_t{1} << type.scalar().exponent_bits) - 1) << mantissa;
      return constant_bits(type, infinity - 1);
    }
    case Kind::custom: break;
  }
  fail_internal("the greatest value of a custom type is known to its descriptor only");
}

namespace building {

/// The constant that `e` is, also when broadcast, or null.
inline const Const *constant_of(const Expr &e) {
  if (const auto *b = e.as<Broadcast>()) return b->a.as<Const>();
  return e.as<Const>();
}

}  // namespace building

LATHE_INLINE std::optional<std::int64_t> constant_integer(const Expr &e) {
  const Const *c = building::constant_of(e);
  if (!c || !(e.type().is_integer() || e.type().is_bool())) return std::nullopt;
  if (e.type().is_unsigned() && static_cast<std::int64_t>(c->bits) < 0) return std::nullopt;
  return static_cast<std::int64_t>(c->bits);
}

LATHE_INLINE std::optional<double> constant_float(const Expr &e) {
  const Const *c = building::constant_of(e);
  if (!c || !e.type().is_float()) return std::nullopt;
  return to_double(e.type().element(), c->bits);
}

LATHE_INLINE bool is_constant(const Expr &e, std::int64_t value) {
  const auto known = constant_integer(e);
  return known && *known == value;
}

// ---- operators ----------------------------------------------------------------------------------------------------------------

namespace building {

/// Gives the operands equal lanes by broadcasting scalars; returns the lanes.
template <class... Operands>
int match_lanes(std::string_view what, Operands &...operands) {
  int lanes = 1;
  ((lanes = std::max(lanes, operands.lanes())), ...);
  const auto match = [&](Expr &e) {
    if (e.lanes() == lanes) return;
    ensure(e.lanes() == 1, what);
    e = broadcast(std::move(e), lanes);
  };
  (match(operands), ...);
  return lanes;
}

/// Operators whose constants fold: exact or correctly rounded ones, on types that evaluate.hpp knows.
inline bool folds(UnaryOp op, DType type) {
  return type.kind() != Kind::custom && op != UnaryOp::rsqrt && !(op >= UnaryOp::exp && op <= UnaryOp::sigmoid);
}
inline bool folds(BinaryOp op, DType type) { return type.kind() != Kind::custom && op != BinaryOp::pow && op != BinaryOp::atan2; }

/// What `op` gives for an operand of that type.
inline DType result_of(UnaryOp op, DType type) {
  return gives_bool(op) ? DType(scalar_types::boolean, op == UnaryOp::any_lane ? 1 : type.lanes()) : type;
}

LATHE_INLINE bool accepts(UnaryOp op, DType type) {
  if (type.kind() == Kind::custom) return true;
  if (is_float_only(op)) return type.is_float();
  switch (op) {
    case UnaryOp::logical_not:
    case UnaryOp::any_lane: return type.is_bool();
    case UnaryOp::bit_not: return !type.is_float();
    case UnaryOp::popcount:
    case UnaryOp::clz: return type.is_integer();
    case UnaryOp::is_nan:
    case UnaryOp::is_inf:
    case UnaryOp::is_finite: return true;
    default: return !type.is_bool();
  }
}

LATHE_INLINE bool accepts(BinaryOp op, DType type) {
  if (is_logical(op)) return type.is_bool();
  if (type.kind() == Kind::custom || is_comparison(op)) return true;
  switch (op) {
    case BinaryOp::min:
    case BinaryOp::max: return true;
    case BinaryOp::bit_and:
    case BinaryOp::bit_or:
    case BinaryOp::bit_xor: return !type.is_float();
    case BinaryOp::shl:
    case BinaryOp::shr:
    case BinaryOp::mul_high:
    case BinaryOp::rounding_shift_right: return type.is_integer();
    case BinaryOp::pow:
    case BinaryOp::atan2:
    case BinaryOp::fmod:
    case BinaryOp::ldexp: return type.is_float();
    default: return !type.is_bool();
  }
}

/// Identities of index arithmetic and logic; undefined when none applies.
LATHE_INLINE Expr identity(BinaryOp op, const Expr &a, const Expr &b) {
  const bool index = a.type().is_index();
  switch (op) {
    case BinaryOp::add:
      if (index && is_constant(b, 0)) return a;
      if (index && is_constant(a, 0)) return b;
      break;
    case BinaryOp::sub:
      if (index && is_constant(b, 0)) return a;
      break;
    case BinaryOp::mul:
      if (index && (is_constant(b, 1) || is_constant(a, 0))) return a;
      if (index && (is_constant(a, 1) || is_constant(b, 0))) return b;
      break;
    case BinaryOp::div:
      if (index && is_constant(b, 1)) return a;
      break;
    case BinaryOp::mod:
      if (index && is_constant(b, 1)) return zero_of(a.type());
      break;
    case BinaryOp::logical_and:
      if (is_true(b) || is_false(a)) return a;
      if (is_true(a) || is_false(b)) return b;
      break;
    case BinaryOp::logical_or:
      if (is_false(b) || is_true(a)) return a;
      if (is_false(a) || is_true(b)) return b;
      break;
    default: break;
  }
  return {};
}

}  // namespace building

LATHE_INLINE Expr unary(UnaryOp op, Expr a) {
  const DType type = a.type();
  if (!building::accepts(op, type)) fail_internal({info(op).name, " of ", to_string(type)});
  const DType result = building::result_of(op, type);
  if (op == UnaryOp::any_lane && type.lanes() == 1) return a;
  if (const Const *c = building::constant_of(a); c && building::folds(op, type))
    return constant_bits(result, evaluate(op, type.element(), c->bits));
  return make(result, Unary{op, std::move(a)});
}

LATHE_INLINE Expr binary(BinaryOp op, Expr a, Expr b) {
  const int lanes = building::match_lanes("operands have equal lanes", a, b);
  const DType type = a.type();
  if (b.type() != type || !building::accepts(op, type))
    fail_internal({info(op).name, " of ", to_string(type), " and ", to_string(b.type())});
  const DType result = gives_bool(op) ? DType(scalar_types::boolean, lanes) : type;
  const Const *ca = building::constant_of(a), *cb = building::constant_of(b);
  if (ca && cb && building::folds(op, type)) return constant_bits(result, evaluate(op, type.element(), ca->bits, cb->bits));
  if (Expr same = building::identity(op, a, b); same.defined()) return same;
  return make(result, Binary{op, std::move(a), std::move(b)});
}

LATHE_INLINE Expr mul_add(Expr a, Expr b, Expr c) {
  building::match_lanes("operands have equal lanes", a, b, c);
  const DType type = a.type();
  ensure(b.type() == type && c.type() == type && !type.is_bool(), "the operands of mul_add have one arithmetic type");
  const Const *ca = building::constant_of(a), *cb = building::constant_of(b), *cc = building::constant_of(c);
  if (ca && cb && cc && type.kind() != Kind::custom)
    return constant_bits(type, evaluate_mul_add(type.element(), ca->bits, cb->bits, cc->bits));
  return make(type, MulAdd{std::move(a), std::move(b), std::move(c)});
}

LATHE_INLINE Expr select(Expr condition, Expr a, Expr b, bool guards) {
  ensure(condition.type().is_bool(), "the condition of a select is bool");
  building::match_lanes("condition and arms of a select have equal lanes", condition, a, b);
  const DType type = a.type();
  ensure(b.type() == type, "the arms of a select have one type");
  if (is_true(condition) || a.same_as(b)) return a;
  if (is_false(condition)) return b;
  return make(type, Select{std::move(condition), std::move(a), std::move(b), guards});
}

LATHE_INLINE Expr cast(DType type, Expr a, CastMode mode) {
  if (type.lanes() > 1 && a.lanes() == 1) a = broadcast(std::move(a), type.lanes());
  ensure(type.lanes() == 1 || type.lanes() == a.lanes(), "a cast keeps the lanes");
  type = type.with_lanes(a.lanes());
  const DType from = a.type();
  if (from == type) return a;
  const auto width = [](DType t) { return t.kind() == Kind::custom ? int{t.scalar().storage_bits} : t.bits(); };
  ensure(mode != CastMode::reinterpret || width(type) == width(from), "reinterpreting keeps the width");
  const bool known = type.kind() != Kind::custom && from.kind() != Kind::custom;
  if (const Const *c = building::constant_of(a); c && (known || mode == CastMode::reinterpret))
    return constant_bits(type, known ? evaluate_cast(mode, type.element(), from.element(), c->bits) : c->bits);
  return make(type, Cast{mode, std::move(a)});
}

LATHE_INLINE Expr ranged(Expr a, Expr min, Expr max) {
  const int lanes = building::match_lanes("value and ends of a range have equal lanes", a, min, max);
  const DType type = a.type();
  ensure(type.is_integer() && min.type() == type && max.type() == type, "a range is of integers of one type");
  const auto value = constant_integer(a), low = constant_integer(min), high = constant_integer(max);
  if (value && low && high && *low <= *value && *value <= *high) return a;
  return make(type.with_lanes(lanes), Ranged{std::move(a), std::move(min), std::move(max)});
}

// ---- lanes --------------------------------------------------------------------------------------------------------------------

LATHE_INLINE Expr ramp(Expr base, Expr stride, int lanes) {
  ensure(base.lanes() == 1 && stride.type() == base.type() && base.type().is_integer(),
         "a ramp starts at and steps by scalar integers");
  if (lanes == 1) return base;
  if (is_constant(stride, 0)) return broadcast(std::move(base), lanes);
  const DType type = base.type().with_lanes(lanes);
  return make(type, Ramp{std::move(base), std::move(stride)});
}

LATHE_INLINE Expr broadcast(Expr a, int lanes) {
  if (a.lanes() == lanes) return a;
  ensure(a.lanes() == 1 && lanes > 1, "a scalar is broadcast");
  const DType type = a.type().with_lanes(lanes);
  return make(type, Broadcast{std::move(a)});
}

LATHE_INLINE Expr shuffle(List<Expr> vectors, List<int> lanes) {
  ensure(!vectors.empty() && !lanes.empty(), "a shuffle has lanes");
  int total = 0;
  for (const Expr &v : vectors) {
    ensure(v.type().element() == vectors.front().type().element(), "a shuffle's vectors have one element type");
    total += v.lanes();
  }
  bool whole = static_cast<int>(lanes.size()) == total;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    ensure(lanes[i] >= 0 && lanes[i] < total, "a shuffle picks lanes that exist");
    whole = whole && lanes[i] == static_cast<int>(i);
  }
  if (whole && vectors.size() == 1) return vectors.front();
  if (lanes.size() == 1) {  // one lane of a splat, a ramp or a scalar needs no vector
    int lane = lanes.front();
    std::size_t at = 0;
    while (lane >= vectors[at].lanes()) lane -= vectors[at++].lanes();
    if (vectors[at].lanes() == 1) return vectors[at];
    if (const auto *b = vectors[at].as<Broadcast>()) return b->a;
    if (const auto *r = vectors[at].as<Ramp>()) return r->base + r->stride * constant(r->base.type(), std::int64_t{lane});
  }
  const DType type = vectors.front().type().with_lanes(static_cast<int>(lanes.size()));
  return make(type, Shuffle{std::move(vectors), std::move(lanes)});
}

// ---- memory and calls ---------------------------------------------------------------------------------------------------------

namespace building {

LATHE_INLINE int lanes_of(const List<Expr> &operands) {
  int lanes = 1;
  for (const Expr &e : operands) {
    ensure(lanes == 1 || e.lanes() == 1 || e.lanes() == lanes, "vector operands have equal lanes");
    if (e.lanes() > 1) lanes = e.lanes();
  }
  return lanes;
}

LATHE_INLINE void check_indices(const List<Expr> &indices, std::size_t rank) {
  ensure(indices.size() == rank, "there is one index per dimension");
  for (const Expr &i : indices) ensure(i.type().is_index(), "indices are of type index");
}

}  // namespace building

LATHE_INLINE Expr load(Buffer buffer, List<Expr> indices, Expr predicate) {
  building::check_indices(indices, buffer->shape.size());
  int lanes = building::lanes_of(indices);
  if (predicate.defined()) {
    ensure(predicate.type().is_bool(), "the predicate of a load is bool");
    if (predicate.lanes() > 1 && lanes == 1) {
      ensure(!indices.empty(), "a load of no dimension has a scalar predicate");
      lanes = predicate.lanes();
      indices.back() = broadcast(indices.back(), lanes);
    }
    predicate = broadcast(std::move(predicate), lanes);
    if (is_false(predicate)) return zero_of(buffer->type.with_lanes(lanes));
    if (is_true(predicate)) predicate = {};
  }
  const DType type = buffer->type.with_lanes(lanes);
  return make(type, Load{std::move(buffer), std::move(indices), std::move(predicate)});
}

LATHE_INLINE Expr read(Tensor tensor, List<Expr> indices, bool unchecked) {
  building::check_indices(indices, shape_of(tensor).size());
  const DType type = type_of(tensor).with_lanes(building::lanes_of(indices));
  return make(type, Read{std::move(tensor), std::move(indices), unchecked});
}

LATHE_INLINE Expr call(DType type, ExternalFunction function, List<Expr> arguments) {
  const int lanes = std::max(type.lanes(), building::lanes_of(arguments));
  for (Expr &a : arguments) a = broadcast(std::move(a), lanes);
  return make(type.with_lanes(lanes), Call{std::move(function), std::move(arguments)});
}

LATHE_INLINE Expr both(Expr a, Expr b) {
  if (!a.defined()) return b;
  if (!b.defined()) return a;
  return std::move(a) && std::move(b);
}

}  // namespace lathe::inline LATHE_ABI::ir
