// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The operators of ir/operators.hpp as LLVM instructions, with exactly their semantics. Scalars and vectors alike.

#include <string_view>

#include "lathe/codegen/llvm_writer.hpp"
#include "lathe/ir/operators.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::codegen {

/// What is proven of the operands of a division.
struct DivisionFacts {
  bool dividend_not_negative = false;
  bool divisor_positive = false;
};

/// `type` is that of the operand as the IR has it.
LlvmValue llvm_unary(LlvmWriter &w, ir::UnaryOp op, DType type, LlvmValue a);
/// `type` is that of both operands.
LlvmValue llvm_binary(LlvmWriter &w, ir::BinaryOp op, DType type, LlvmValue a, LlvmValue b, const DivisionFacts &facts = {});
LlvmValue llvm_mul_add(LlvmWriter &w, DType type, LlvmValue a, LlvmValue b, LlvmValue c);
LlvmValue llvm_cast(LlvmWriter &w, ir::CastMode mode, DType to, DType from, LlvmValue a);

/// Integer division and modulo, flooring or truncating (llvm_division.ipp).
LlvmValue llvm_divide(LlvmWriter &w, ir::BinaryOp op, DType type, LlvmValue a, LlvmValue b, const DivisionFacts &facts);
/// Minimum and maximum of floats (llvm_extrema.ipp).
LlvmValue llvm_float_extremum(LlvmWriter &w, bool is_max, DType type, LlvmValue a, LlvmValue b);
/// float16 and bfloat16 (carried as i16) to and from float32 (llvm_casts.ipp).
LlvmValue llvm_widen(LlvmWriter &w, DType from, LlvmValue a);
LlvmValue llvm_narrow(LlvmWriter &w, DType to, LlvmValue a);

/// A call of a function of the C ABI, once per lane. `callee` is its text ("@expf" or a pointer's name), `types` are the scalar
/// types of the arguments. Pure calls are merged and moved like any other instruction.
LlvmValue llvm_call(LlvmWriter &w, std::string_view callee, LlvmValue pointer, DType result, const List<LlvmValue> &arguments,
                    const List<DType> &types, bool pure);

}  // namespace lathe::inline LATHE_ABI::codegen
