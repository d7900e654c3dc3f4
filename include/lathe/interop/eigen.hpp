// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Views of Eigen's matrices, arrays, vectors, maps, references and blocks. Nothing is copied, and Eigen is not included here:
/// any type that answers `rows()`, `cols()`, `data()`, `outerStride()`, `innerStride()` and `IsRowMajor` as Eigen's do will do.
///
///     using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
///     Matrix a(64, 48), c(64, 32);
///     Eigen::MatrixXf b(48, 32);                                              // column-major, Eigen's default
///     auto B = placeholder<float>({48, 32}, "B").column_major();              // says so
///     kernel(a, b, c);
///
/// A kernel takes its arguments as its placeholders promise: column-major matrices need `.column_major()`, blocks
/// `.strides({…})`; otherwise the call throws K002, which says this. Outputs are compact and row-major. Expressions (`a + b`)
/// have no memory: call `.eval()` and keep the result.

#include <concepts>
#include <type_traits>
#include <utility>

#include "lathe/runtime/array.hpp"

namespace lathe::inline LATHE_ABI {

namespace interop {

/// A matrix in memory, as Eigen has them. What the elements are is left to `data()`.
template <class M>
concept EigenLike = requires(M &m) {
  { m.rows() } -> std::integral;
  { m.cols() } -> std::integral;
  { m.outerStride() } -> std::integral;
  { m.innerStride() } -> std::integral;
  requires std::is_pointer_v<decltype(m.data())>;
  { M::IsRowMajor ? 1 : 0 };
};

/// Whether one dimension is 1 by type, as that of Eigen's vectors is.
template <class M>
inline constexpr bool is_eigen_vector = [] {
  if constexpr (requires { bool(M::IsVectorAtCompileTime); })
    return bool(M::IsVectorAtCompileTime);
  else
    return false;
}();

/// Whether objects of the type own their elements: `PlainObject` is what Eigen would store a matrix in. Maps, blocks and
/// transposes look at somebody else's.
template <class M>
inline constexpr bool owns_elements = [] {
  if constexpr (requires { typename M::PlainObject; })
    return std::is_same_v<M, typename M::PlainObject>;
  else
    return true;
}();

/// Rank 2 for every matrix, rank 1 for vectors, from any reference to one.
template <int Rank, class M>
auto view_of_matrix(M &m) {
  using Result = View<std::remove_pointer_t<decltype(m.data())>, Rank>;
  const auto outer = m.outerStride(), inner = m.innerStride();
  if constexpr (Rank == 1)
    return Result(m.data(), {m.rows() * m.cols()}, {inner});
  else if constexpr (M::IsRowMajor ? true : false)
    return Result(m.data(), {m.rows(), m.cols()}, {outer, inner});
  else
    return Result(m.data(), {m.rows(), m.cols()}, {inner, outer});
}

}  // namespace interop

/// Of a matrix of Eigen's in rank 2: rows, columns, and the strides that it has. Vectors, whose one dimension is 1 by type, are
/// looked at in rank 1 too. A const matrix, a map of const elements and a temporary that owns its elements give a view that only
/// reads; maps and blocks may be temporary: `kernel(a, c.topRows(8))`.
template <interop::EigenLike M, int Rank>
  requires(Rank == 2 || (Rank == 1 && interop::is_eigen_vector<M>))
struct ViewTraits<M, Rank> {
  /// @{
  /// All elements.
  static auto view(M &matrix) { return interop::view_of_matrix<Rank>(matrix); }
  static auto view(const M &matrix) { return interop::view_of_matrix<Rank>(matrix); }
  static auto view(M &&matrix)
    requires(!interop::owns_elements<M>)
  {
    return interop::view_of_matrix<Rank>(matrix);
  }
  /// @}
};

}  // namespace lathe::inline LATHE_ABI
