// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The table of operators: names, symbols and how tightly they bind.

#include <iterator>

#include "lathe/ir/operators.hpp"

namespace lathe::inline LATHE_ABI::ir {

namespace operator_table {

// In the order of the enumerations. A call binds tighter than anything, as precedence 12 says.
// clang-format off
inline constexpr OperatorInfo unary[] = {
    {"neg", "-", 11}, {"bit_not", "~", 11}, {"logical_not", "!", 11}, {"abs", "", 12}, {"sign", "", 12},
    {"sqrt", "", 12}, {"rsqrt", "", 12}, {"floor", "", 12}, {"ceil", "", 12}, {"round", "", 12}, {"trunc", "", 12},
    {"exp", "", 12}, {"exp2", "", 12}, {"expm1", "", 12}, {"log", "", 12}, {"log2", "", 12}, {"log1p", "", 12},
    {"sin", "", 12}, {"cos", "", 12}, {"tan", "", 12}, {"sinh", "", 12}, {"cosh", "", 12}, {"tanh", "", 12},
    {"asin", "", 12}, {"acos", "", 12}, {"atan", "", 12}, {"erf", "", 12}, {"sigmoid", "", 12},
    {"popcount", "", 12}, {"clz", "", 12}, {"is_nan", "", 12}, {"is_inf", "", 12}, {"is_finite", "", 12},
    {"any_lane", "", 12},
};

inline constexpr OperatorInfo binary[] = {
    {"add", "+", 9}, {"sub", "-", 9}, {"mul", "*", 10}, {"div", "/", 10}, {"mod", "%", 10},
    {"trunc_div", "", 12}, {"trunc_mod", "", 12}, {"min", "", 12}, {"max", "", 12},
    {"eq", "==", 6}, {"ne", "!=", 6}, {"lt", "<", 7}, {"le", "<=", 7}, {"gt", ">", 7}, {"ge", ">=", 7},
    {"logical_and", "&&", 2}, {"logical_or", "||", 1},
    {"bit_and", "&", 5}, {"bit_or", "|", 3}, {"bit_xor", "^", 4}, {"shl", "<<", 8}, {"shr", ">>", 8},
    {"mul_high", "", 12}, {"rounding_shift_right", "", 12}, {"pow", "", 12}, {"atan2", "", 12}, {"fmod", "", 12},
    {"ldexp", "", 12},
};
// clang-format on

static_assert(std::size(unary) == static_cast<std::size_t>(UnaryOp::any_lane) + 1);
static_assert(std::size(binary) == static_cast<std::size_t>(BinaryOp::ldexp) + 1);

}  // namespace operator_table

LATHE_INLINE const OperatorInfo &info(UnaryOp op) { return operator_table::unary[static_cast<std::size_t>(op)]; }
LATHE_INLINE const OperatorInfo &info(BinaryOp op) { return operator_table::binary[static_cast<std::size_t>(op)]; }

}  // namespace lathe::inline LATHE_ABI::ir
