// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Operators as instructions.

#include <bit>
#include <string>

#include "lathe/codegen/llvm_casts.ipp"
#include "lathe/codegen/llvm_division.ipp"
#include "lathe/codegen/llvm_extrema.ipp"
#include "lathe/codegen/llvm_operators.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::codegen {

namespace llvm_operators {

/// The C library's name of a function of doubles, or nothing.
LATHE_INLINE std::string_view library_name(ir::UnaryOp op) {
  switch (op) {
    case ir::UnaryOp::exp:
    case ir::UnaryOp::sigmoid: return "exp";
    case ir::UnaryOp::exp2: return "exp2";
    case ir::UnaryOp::expm1: return "expm1";
    case ir::UnaryOp::log: return "log";
    case ir::UnaryOp::log2: return "log2";
    case ir::UnaryOp::log1p: return "log1p";
    case ir::UnaryOp::sin: return "sin";
    case ir::UnaryOp::cos: return "cos";
    case ir::UnaryOp::tan: return "tan";
    case ir::UnaryOp::sinh: return "sinh";
    case ir::UnaryOp::cosh: return "cosh";
    case ir::UnaryOp::tanh: return "tanh";
    case ir::UnaryOp::asin: return "asin";
    case ir::UnaryOp::acos: return "acos";
    case ir::UnaryOp::atan: return "atan";
    case ir::UnaryOp::erf: return "erf";
    default: return {};
  }
}

LATHE_INLINE LlvmValue call_library(LlvmWriter &w, std::string_view name, DType type, const List<LlvmValue> &arguments) {
  std::string callee = "@";
  callee += name;
  if (type.bits() == 32) callee += 'f';
  return llvm_call(w, callee, {}, type, arguments, List<DType>(arguments.size(), type.element()), true);
}

LATHE_INLINE LlvmValue float_unary(LlvmWriter &w, ir::UnaryOp op, DType type, LlvmValue a) {
  const LlvmValue one = w.floating(type, 1);
  const auto infinity = [&] { return w.constant(type, type.bits() == 64 ? 0x7ff0000000000000u : 0x7f800000u); };
  const auto magnitude = [&] { return w.intrinsic("llvm.fabs", type, {a}); };
  switch (op) {
    case ir::UnaryOp::neg: return w.op1("fneg", a);
    case ir::UnaryOp::abs: return magnitude();
    case ir::UnaryOp::sign: {
      const LlvmValue unit = w.intrinsic("llvm.copysign", type, {one, a});
      return w.select(w.compare("fcmp one", a, w.zero(type)), unit, a);
    }
    case ir::UnaryOp::sqrt: return w.intrinsic("llvm.sqrt", type, {a});
    case ir::UnaryOp::rsqrt: return w.op2("fdiv", one, w.intrinsic("llvm.sqrt", type, {a}), LlvmWriter::Cost::dear);
    case ir::UnaryOp::floor: return w.intrinsic("llvm.floor", type, {a});
    case ir::UnaryOp::ceil: return w.intrinsic("llvm.ceil", type, {a});
    case ir::UnaryOp::round: return w.intrinsic("llvm.roundeven", type, {a});
    case ir::UnaryOp::trunc: return w.intrinsic("llvm.trunc", type, {a});
    case ir::UnaryOp::sigmoid: {
      const LlvmValue e = call_library(w, "exp", type, {w.op1("fneg", a)});
      return w.op2("fdiv", one, w.op2("fadd", one, e), LlvmWriter::Cost::dear);
    }
    case ir::UnaryOp::is_nan: return w.compare("fcmp uno", a, a);
    case ir::UnaryOp::is_inf: return w.compare("fcmp oeq", magnitude(), infinity());
    case ir::UnaryOp::is_finite: return w.compare("fcmp one", magnitude(), infinity());
    default: return call_library(w, library_name(op), type, {a});
  }
}

LATHE_INLINE LlvmValue integer_unary(LlvmWriter &w, ir::UnaryOp op, DType type, LlvmValue a) {
  const LlvmValue zero = w.zero(type);
  const DType truth(scalar_types::boolean, type.lanes());
  switch (op) {
    case ir::UnaryOp::neg: return w.op2("sub", zero, a);
    case ir::UnaryOp::bit_not: return w.op2("xor", a, w.integer(type, -1));
    case ir::UnaryOp::logical_not: return type.is_bool() ? w.op2("xor", a, w.integer(type, -1)) : w.compare("icmp eq", a, zero);
    case ir::UnaryOp::abs:
      return type.is_signed() ? w.intrinsic("llvm.abs", type, {a, w.zero(scalar_types::boolean)}, {type}) : a;
    case ir::UnaryOp::sign: {
      if (type.is_bool()) return a;
      const LlvmValue positive = w.convert("zext", w.compare(type.is_signed() ? "icmp sgt" : "icmp ne", a, zero), type);
      if (!type.is_signed()) return positive;
      return w.op2("or", positive, w.op2("ashr", a, w.integer(type, type.bits() - 1)));
    }
    case ir::UnaryOp::popcount: return type.is_bool() ? a : w.intrinsic("llvm.ctpop", type, {a});
    case ir::UnaryOp::clz:
      if (type.is_bool()) return w.op2("xor", a, w.integer(type, -1));
      return w.intrinsic("llvm.ctlz", type, {a, w.zero(scalar_types::boolean)}, {type});
    case ir::UnaryOp::is_nan:
    case ir::UnaryOp::is_inf: return w.zero(truth);
    case ir::UnaryOp::is_finite: return w.integer(truth, 1);
    case ir::UnaryOp::any_lane: return type.is_vector() ? w.intrinsic("llvm.vector.reduce.or", type.element(), {a}, {type}) : a;
    default: fail_internal("an operator of floats is applied to integers");
  }
}

LATHE_INLINE std::string_view comparison(ir::BinaryOp op, DType type) {
  const bool f = type.is_float(), s = type.is_signed();
  switch (op) {
    case ir::BinaryOp::eq: return f ? "fcmp oeq" : "icmp eq";
    case ir::BinaryOp::ne: return f ? "fcmp une" : "icmp ne";
    case ir::BinaryOp::lt: return f ? "fcmp olt" : s ? "icmp slt" : "icmp ult";
    case ir::BinaryOp::le: return f ? "fcmp ole" : s ? "icmp sle" : "icmp ule";
    case ir::BinaryOp::gt: return f ? "fcmp ogt" : s ? "icmp sgt" : "icmp ugt";
    default: return f ? "fcmp oge" : s ? "icmp sge" : "icmp uge";
  }
}

/// a / c as a · (1 / c) where 1 / c is exact: c is a power of two and neither is subnormal.
LATHE_INLINE LlvmValue divide_floats(LlvmWriter &w, DType type, LlvmValue a, LlvmValue b) {
  if (const auto bits = w.constant_bits(b)) {
    const int mantissa = type.scalar().mantissa_bits;
    const std::uint64_t bias = (std::uint64_t{1} << (type.scalar().exponent_bits - 1)) - 1;
    const std::uint64_t exponent = (*bits >> mantissa) & (2 * bias + 1), sign = *bits >> (type.bits() - 1);
    const bool power = (*bits & ((std::uint64_t{1} << mantissa) - 1)) == 0;
    if (power && exponent > 0 && exponent < 2 * bias)
      return w.op2("fmul", a, w.constant(type, ((2 * bias - exponent) << mantissa) | (sign << (type.bits() - 1))));
  }
  return w.op2("fdiv", a, b, LlvmWriter::Cost::dear);
}

/// By AVX-512's instruction, in pieces of a register; lower_math_functions leaves no other ldexp.
LATHE_INLINE LlvmValue scale_by_power(LlvmWriter &w, DType type, LlvmValue a, LlvmValue b) {
  const int bits = type.bits() * type.lanes();
  ensure(w.unit().has("avx512f") && bits >= 128, "ldexp is not lowered");
  if (bits > w.unit().target().vector_bits && bits > 128) {
    const int half = type.lanes() / 2;
    List<int> low, high, all;
    for (int i = 0; i < 2 * half; ++i) (i < half ? low : high).push_back(i), all.push_back(i);
    const auto piece = [&](const List<int> &lanes) {
      return scale_by_power(w, type.with_lanes(half), w.shuffle(a, {}, lanes), w.shuffle(b, {}, lanes));
    };
    return w.shuffle(piece(low), piece(high), all);
  }
  const DType mask(type.lanes() <= 8 ? scalar_types::uint8 : scalar_types::uint16);
  const std::string name = composed({"llvm.x86.avx512.mask.scalef.p", type.bits() == 64 ? "d." : "s.", bits});
  const LlvmValue every = w.integer(mask, -1), current_rounding = w.integer(scalar_types::int32, 4);
  if (bits == 512) return w.intrinsic(name, type, {a, b, w.zero(type), every, current_rounding}, {});
  return w.intrinsic(name, type, {a, b, w.zero(type), every}, {});
}

LATHE_INLINE LlvmValue float_binary(LlvmWriter &w, ir::BinaryOp op, DType type, LlvmValue a, LlvmValue b) {
  switch (op) {
    case ir::BinaryOp::add: return w.op2("fadd", a, b);
    case ir::BinaryOp::sub: return w.op2("fsub", a, b);
    case ir::BinaryOp::mul: return w.op2("fmul", a, b);
    case ir::BinaryOp::div: return divide_floats(w, type, a, b);
    case ir::BinaryOp::trunc_div: return w.intrinsic("llvm.trunc", type, {divide_floats(w, type, a, b)});
    case ir::BinaryOp::min:
    case ir::BinaryOp::max: return llvm_float_extremum(w, op == ir::BinaryOp::max, type, a, b);
    case ir::BinaryOp::mod: {
      const LlvmValue zero = w.zero(type), r = call_library(w, "fmod", type, {a, b});
      const LlvmValue differ = w.op2("xor", w.compare("fcmp olt", r, zero), w.compare("fcmp olt", b, zero));
      return w.select(w.op2("and", w.compare("fcmp une", r, zero), differ), w.op2("fadd", r, b), r);
    }
    case ir::BinaryOp::trunc_mod:
    case ir::BinaryOp::fmod: return call_library(w, "fmod", type, {a, b});
    case ir::BinaryOp::pow: return call_library(w, "pow", type, {a, b});
    case ir::BinaryOp::atan2: return call_library(w, "atan2", type, {a, b});
    case ir::BinaryOp::ldexp: return scale_by_power(w, type, a, b);
    default: fail_internal("an operator of integers is applied to floats");
  }
}

/// Shifts; amounts out of range give 0 or the sign.
LATHE_INLINE LlvmValue shift(LlvmWriter &w, bool left, DType type, LlvmValue a, LlvmValue b) {
  const bool arithmetic = !left && type.is_signed();
  const LlvmValue width = w.integer(type, type.bits());
  const std::string_view op = left ? "shl" : arithmetic ? "ashr" : "lshr";
  if (const auto amount = w.constant_bits(b)) {
    if (*amount < static_cast<std::uint64_t>(type.bits())) return w.op2(op, a, b);
    return arithmetic ? w.op2(op, a, w.integer(type, type.bits() - 1)) : w.zero(type);
  }
  if (type.is_bool()) return w.op2("and", a, w.op2("xor", b, w.integer(type, -1)));
  if (arithmetic) return w.op2(op, a, w.intrinsic("llvm.umin", type, {b, w.integer(type, type.bits() - 1)}));
  return w.select(w.compare("icmp ult", b, width), w.op2(op, a, b), w.zero(type));
}

/// (a >> b) plus the last bit that went, which is what rounding half up adds.
LATHE_INLINE LlvmValue rounding_shift_right(LlvmWriter &w, DType type, LlvmValue a, LlvmValue b) {
  const LlvmValue one = w.integer(type, 1);
  const LlvmValue previous = shift(w, false, type, a, w.op2("sub", b, one));
  const LlvmValue rounded = w.op2("add", shift(w, false, type, a, b), w.op2("and", previous, one));
  return w.select(w.compare(type.is_signed() ? "icmp sgt" : "icmp ne", b, w.zero(type)), rounded, a);
}

LATHE_INLINE LlvmValue mul_high(LlvmWriter &w, DType type, LlvmValue a, LlvmValue b) {
  if (type.is_bool()) return w.zero(type);
  const ScalarType &wide = type.bits() == 8    ? scalar_types::int16
                           : type.bits() == 16 ? scalar_types::int32
                           : type.bits() == 32 ? scalar_types::int64
                                               : llvm_types::i128;
  const DType wide_type(wide, type.lanes());
  const std::string_view extend = type.is_signed() ? "sext" : "zext";
  const LlvmValue product = w.op2("mul", w.convert(extend, a, wide_type), w.convert(extend, b, wide_type));
  return w.convert("trunc", w.op2("lshr", product, w.integer(wide_type, type.bits())), type);
}

LATHE_INLINE LlvmValue integer_binary(LlvmWriter &w, ir::BinaryOp op, DType type, LlvmValue a, LlvmValue b,
                                      const DivisionFacts &facts) {
  const std::string prefix = type.is_signed() ? "llvm.s" : "llvm.u";
  switch (op) {
    case ir::BinaryOp::add: return w.is_constant(b, 0) ? a : w.is_constant(a, 0) ? b : w.op2("add", a, b);
    case ir::BinaryOp::sub: return w.is_constant(b, 0) ? a : w.op2("sub", a, b);
    case ir::BinaryOp::mul: return w.is_constant(b, 1) ? a : w.is_constant(a, 1) ? b : w.op2("mul", a, b);
    case ir::BinaryOp::div:
    case ir::BinaryOp::mod:
    case ir::BinaryOp::trunc_div:
    case ir::BinaryOp::trunc_mod: return llvm_divide(w, op, type, a, b, facts);
    case ir::BinaryOp::min: return type.is_bool() ? w.op2("and", a, b) : w.intrinsic(prefix + "min", type, {a, b});
    case ir::BinaryOp::max: return type.is_bool() ? w.op2("or", a, b) : w.intrinsic(prefix + "max", type, {a, b});
    case ir::BinaryOp::bit_and: return w.op2("and", a, b);
    case ir::BinaryOp::bit_or: return w.op2("or", a, b);
    case ir::BinaryOp::bit_xor: return w.op2("xor", a, b);
    case ir::BinaryOp::shl: return shift(w, true, type, a, b);
    case ir::BinaryOp::shr: return shift(w, false, type, a, b);
    case ir::BinaryOp::mul_high: return mul_high(w, type, a, b);
    case ir::BinaryOp::rounding_shift_right: return rounding_shift_right(w, type, a, b);
    default: fail_internal("an operator of floats is applied to integers");
  }
}

LATHE_INLINE LlvmValue truth_of(LlvmWriter &w, DType type, LlvmValue a) {
  return type.is_bool() ? a : w.compare(type.is_float() ? "fcmp une" : "icmp ne", a, w.zero(type));
}

/// How an argument or result of a C function is extended to a register.
inline std::string_view extension(DType type) {
  if (type.is_bool()) return " zeroext";
  if (type.is_float() || type.bits() >= 32) return "";
  return type.is_signed() ? " signext" : " zeroext";
}

}  // namespace llvm_operators

LATHE_INLINE LlvmValue llvm_unary(LlvmWriter &w, ir::UnaryOp op, DType type, LlvmValue a) {
  using namespace llvm_operators;
  if (!type.is_float()) return integer_unary(w, op, type, a);
  if (!llvm_casts::is_small(type)) return float_unary(w, op, type, a);
  const LlvmValue result = float_unary(w, op, llvm_casts::as(type, scalar_types::float32), llvm_widen(w, type, a));
  return ir::gives_bool(op) ? result : llvm_narrow(w, type, result);
}

LATHE_INLINE LlvmValue llvm_binary(LlvmWriter &w, ir::BinaryOp op, DType type, LlvmValue a, LlvmValue b,
                                   const DivisionFacts &facts) {
  using namespace llvm_operators;
  if (llvm_casts::is_small(type)) {
    const DType f32 = llvm_casts::as(type, scalar_types::float32);
    const LlvmValue result = llvm_binary(w, op, f32, llvm_widen(w, type, a), llvm_widen(w, type, b), facts);
    return ir::gives_bool(op) ? result : llvm_narrow(w, type, result);
  }
  if (ir::is_logical(op))
    return w.op2(op == ir::BinaryOp::logical_and ? "and" : "or", truth_of(w, type, a), truth_of(w, type, b));
  if (ir::is_comparison(op)) return w.compare(comparison(op, type), a, b);
  return type.is_float() ? float_binary(w, op, type, a, b) : integer_binary(w, op, type, a, b, facts);
}

LATHE_INLINE LlvmValue llvm_mul_add(LlvmWriter &w, DType type, LlvmValue a, LlvmValue b, LlvmValue c) {
  if (!type.is_float()) return w.op2("add", w.op2("mul", a, b), c);
  if (!llvm_casts::is_small(type)) return w.intrinsic("llvm.fma", type, {a, b, c});
  const DType f32 = llvm_casts::as(type, scalar_types::float32);
  const LlvmValue result = w.intrinsic("llvm.fma", f32, {llvm_widen(w, type, a), llvm_widen(w, type, b), llvm_widen(w, type, c)});
  return llvm_narrow(w, type, result);
}

LATHE_INLINE LlvmValue llvm_call(LlvmWriter &w, std::string_view callee, LlvmValue pointer, DType result,
                                 const List<LlvmValue> &arguments, const List<DType> &types, bool pure) {
  using namespace llvm_operators;
  const DType element = result.element();
  if (!pointer.defined()) {
    std::string declaration = "declare";
    declaration += extension(element);
    declaration += ' ';
    append_llvm_type(declaration, element);
    declaration += ' ';
    declaration += callee;
    declaration += '(';
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (i > 0) declaration += ", ";
      append_llvm_type(declaration, types[i]);
      declaration += extension(types[i]);
    }
    w.unit().declare(std::string(callee), declaration + ")");
  }
  LlvmValue vector;
  for (int lane = 0; lane < result.lanes(); ++lane) {
    List<LlvmValue> scalars;
    for (const LlvmValue argument : arguments) scalars.push_back(w.lane(argument, lane));
    w.start("call").put(extension(element)).put(" ").put(element).put(" ");
    if (pointer.defined())
      w.put(pointer);
    else
      w.put(callee);
    for (std::size_t i = 0; i < scalars.size(); ++i)
      w.put(i == 0 ? "(" : ", ").put(types[i]).put(extension(types[i])).put(" ").put(scalars[i]);
    w.put(scalars.empty() ? "()" : ")").put(pure ? " #1" : " #2");
    const LlvmValue value = pure ? w.finish(element, LlvmWriter::Cost::dear) : w.perform(element);
    vector = result.is_vector() ? w.with_lane(vector, value, lane, result.lanes()) : value;
  }
  return vector;
}

}  // namespace lathe::inline LATHE_ABI::codegen
