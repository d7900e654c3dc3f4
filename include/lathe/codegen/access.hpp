// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Where an access to a buffer lies in memory: n-dimensional indices flattened to one offset in elements, as a sum of terms, and
/// how the lanes of a vector access lie to each other.
///
///     A[y + 1, x*16 + [0:16]]  of shape [n, m]   →   contiguous from  1·y·m + 16·x + 1·m

#include <cstdint>

#include "lathe/ir/expr.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::codegen {

/// Index arithmetic as machines do it, for offsets that may never be used.
inline std::int64_t wrapping_mul(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
inline std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

/// coefficient · atom · factors: a part of an index times the symbolic part of its dimension's stride.
struct AccessTerm {
  ir::Expr atom;           ///< undefined: 1
  List<ir::Expr> factors;  ///< scalars
  std::int64_t coefficient = 1;
};

/// How the lanes of an access lie in memory.
enum class AccessKind : std::uint8_t {
  scalar,      ///< one element
  contiguous,  ///< lane i is element i
  broadcast,   ///< all lanes are one element
  strided,     ///< lane i is element i · (stride + stride_terms)
  gather,      ///< as strided, and the lane's value of lane_terms beside
};

/// The element that lane i reads or writes is  constant + Σ terms + i · (stride + Σ stride_terms) + Σ lane_terms[i].
struct Access {
  AccessKind kind = AccessKind::scalar;
  int lanes = 1;
  std::int64_t constant = 0;
  List<AccessTerm> terms;  ///< with scalar atoms, in order of first appearance; alike ones are added up
  std::int64_t stride = 0;
  List<AccessTerm> stride_terms;
  List<AccessTerm> lane_terms;  ///< with vector atoms
  int alignment = 1;            ///< of lane 0's address in bytes, as far as proven

  /// Whether the offset of lane 0 is the constant.
  bool constant_offset() const { return terms.empty() && lane_terms.empty(); }
};

/// Flattens the indices of an access to `buffer`. Uses the buffer's strides, or its shape where it is compact. `base_alignment`
/// is what is known of element 0's address where that is more than the buffer says, in bytes.
Access access_of(const ir::Buffer &buffer, const List<ir::Expr> &indices, int base_alignment = 0);

/// a - b of two index expressions, lane by lane, in the same form.
Access difference_of(const ir::Expr &a, const ir::Expr &b);

/// The greatest power of two that is proven to divide the address of lane 0, in bytes.
int proven_alignment(const ir::Buffer &buffer, const Access &access, int base_alignment = 0);

/// Whether the factors of two terms are equal.
bool same_factors(const List<ir::Expr> &a, const List<ir::Expr> &b);

/// Σ terms + constant as an index expression.
ir::Expr sum_of(const List<AccessTerm> &terms, std::int64_t constant);

/// Whether all extents (or strides, where given) of a buffer are constants; then also how many elements it holds.
bool has_constant_layout(const ir::Buffer &buffer);
std::int64_t constant_elements(const ir::Buffer &buffer);

/// Whether an allocation lives on the stack of the function that contains it: its size is constant and at most 16 KiB, or 64 KiB
/// in scope local.
bool lives_on_stack(const ir::Buffer &buffer);

}  // namespace lathe::inline LATHE_ABI::codegen
