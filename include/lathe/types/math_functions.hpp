// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Math functions written in the IR itself, so that they become lanes like any other expression and every back end and the
/// interpreter compute the same bits.

#include "lathe/ir/expr.hpp"

namespace lathe::inline LATHE_ABI::types {

/// `op` at `a` as an expression of additions, multiplications, selects and bit patterns; undefined where this room has none:
/// types that are not in the table, and functions that are left to the library. `a` may have lanes. With `fused`, for targets
/// that have the instruction, products are added with one rounding; with `scales`, numbers are scaled by a power of two with
/// `ldexp`, which gives the same bits; with `quick`, no |a| is beyond `quick_reach`. Right for NaN, infinities, zeros of either
/// sign, overflow and subnormal arguments and results. Circular functions are as accurate for great arguments as for small ones.
///
/// The greatest errors that were found, in units of the last place, with fused multiply-adds and without: of float32 over all
/// 2^32 arguments (fused: all but cos and tan; not fused: exp, exp2, log and tanh) or over every 61st of them
/// (`lathe_math_accuracy` in tests/types measures them); of float64 over 200,000 random arguments, or 6 million from exp2 on, a
/// million for sin and cos, 120,000 for tan, many of them next to multiples of pi / 2.
///
///     float32   fused   at             not fused   at                float64   fused   not fused
///     exp       0.896   26.7221527     1.176       -71.0455322       exp       0.82    1.09
///     exp2      0.885   -126.43634     1.094       0.530941248       expm1     1.77    1.91
///     log       0.876   1.2743293      0.923       0.706430793       log       0.75    0.77
///     tanh      1.362   0.630005956    1.347       0.632605851       tanh      1.29    1.29
///     expm1     1.465   0.384363800    1.542       0.386475623       sigmoid   1.79    1.86
///     log2      1.094   1.39780772     1.910       1.40423155        exp2      0.91    1.18
///     log1p     1.472   0.414285153    1.489       0.461060315       log2      0.77    0.74
///     sigmoid   1.967   -6.23769903    1.997       -5.87893391       log1p     1.37    1.38
///     erf       1.091   1.05848145     1.323       -1.05633593       erf       1.19    1.39
///     sin       1.614   1.81109989e23  1.608       -9.0025115e35     sinh      1.75    2.23
///     cos       1.594   -9.86710553e32 1.600       1.22323329e19     cosh      1.22    1.40
///     tan       1.889   6.38894421e13  1.907       -3.25347422e13    asin      1.97    1.97
///     sinh      1.435   8.66825962     1.780       0.384290457       acos      1.11    1.11
///     cosh      1.253   5.21988726     1.386       3.83215094        atan      1.51    1.65
///     asin      2.023   0.841272354    1.974       -0.837418616
///     acos      1.153   0.541320026    1.122       0.625191987
///     atan      1.408   1.01519275     1.403       -1.10298431       sin       0.81    0.86
///                                                                    cos       0.80    0.86
///                                                                    tan       0.99    0.99
ir::Expr math_function(ir::UnaryOp op, const ir::Expr &a, bool fused, bool scales = false, bool quick = false);
/// Up to which |a| `op` gives the same bits with `quick`; infinite where there is one way only.
double quick_reach(ir::UnaryOp op, DType type);
/// pow and atan2, y first, of float32 and float64. The greatest errors over random pairs: of pow 0.51 (600,000 pairs) and 1.3 (6
/// million) units of the last place, of atan2 1.47 (6 million) and 1.7 (3 million). And ldexp of both, rounded right.
ir::Expr math_function(ir::BinaryOp op, const ir::Expr &a, const ir::Expr &b, bool fused);

}  // namespace lathe::inline LATHE_ABI::types
