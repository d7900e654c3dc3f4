// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The same elements elsewhere: transpose, reshape, concat, slice, pad. Each is a small `compute`, a stage like any other:
/// `compute_inline` keeps it from moving data, as does the default where it is read at one place outside reductions.

#include "lathe/expr/compute.hpp"

namespace lathe::inline LATHE_ABI {

namespace typing {

ir::Tensor transpose(const ir::Tensor &tensor, const int *order, const Label &name, const Location &place);
ir::Tensor reshape(const ir::Tensor &tensor, const Dim *shape, int rank, const Label &name, const Location &place);
ir::Tensor concat(const ir::Tensor *parts, int count, int axis, const Label &name, const Location &place);
ir::Tensor slice(const ir::Tensor &tensor, const Dim *begin, const Dim *end, const Dim *step, const Label &name,
                 const Location &place);
ir::Tensor pad(const ir::Tensor &tensor, const Dim *before, const Dim *after, const ir::Expr &value, const Label &name,
               const Location &place);

}  // namespace typing

/// Dimension d of the result is dimension order[d] of the tensor: `transpose(A, {0, 2, 1})`. \throws Error E008 unless each
/// dimension is named once.
template <class T, int Rank, int N>
Tensor<T, Rank> transpose(const Tensor<T, Rank> &tensor, const int (&order)[N], Label name = {},
                          Location place = Location::current()) {
  static_assert(N == Rank,
                "transpose(): takes one source dimension per dimension, for example  transpose(A, {1, 0})  for rank 2");
  return Tensor<T, Rank>(typing::transpose(tensor.untyped(), order, name, place));
}
/// Dimensions in reverse order.
template <class T, int Rank>
Tensor<T, Rank> transpose(const Tensor<T, Rank> &tensor, Label name = {}, Location place = Location::current()) {
  return Tensor<T, Rank>(typing::transpose(tensor.untyped(), nullptr, name, place));
}

/// The elements in row-major order under another shape. \throws Error E008 if the numbers of elements are known and differ.
template <class T, int Rank, int N>
Tensor<T, N> reshape(const Tensor<T, Rank> &tensor, const Dim (&shape)[N], Label name = {},
                     Location place = Location::current()) {
  return Tensor<T, N>(typing::reshape(tensor.untyped(), shape, N, name, place));
}

/// The tensors one after another along `axis`: `concat({A, B}, 1)`. \throws Error E008 if the tensors have no such
/// axis, or unless their other extents are the same numbers or expressions.
template <class T, int Rank, int N>
Tensor<T, Rank> concat(const Tensor<T, Rank> (&parts)[N], int axis, Label name = {}, Location place = Location::current()) {
  static_assert(Rank > 0, "concat(): takes tensors of rank 1 or more, for example  concat({A, B}, 0)");
  ir::Tensor list[N];
  for (int n = 0; n < N; ++n) list[n] = parts[n].untyped();
  return Tensor<T, Rank>(typing::concat(list, N, axis, name, place));
}

/// Elements with begin ≤ index < end in every dimension: `slice(A, {0, 1}, {m, 3})`. \throws Error E008 if known to leave the
/// tensor.
/// (Beside `using namespace std` and `<valarray>` write `lathe::slice`.)
template <class T, int Rank, int B, int E>
Tensor<T, Rank> slice(const Tensor<T, Rank> &tensor, const Dim (&begin)[B], const Dim (&end)[E], Label name = {},
                      Location place = Location::current()) {
  static_assert(B == Rank && E == Rank,
                "slice(): takes one begin and one end per dimension, for example  slice(A, {0, 1}, {m, 3})");
  return Tensor<T, Rank>(typing::slice(tensor.untyped(), begin, end, nullptr, name, place));
}
/// Every step-th of them; steps are at least 1.
template <class T, int Rank, int B, int E, int S>
Tensor<T, Rank> slice(const Tensor<T, Rank> &tensor, const Dim (&begin)[B], const Dim (&end)[E], const Dim (&step)[S],
                      Label name = {}, Location place = Location::current()) {
  static_assert(B == Rank && E == Rank && S == Rank,
                "slice(): takes one begin, end and step per dimension, for example  slice(A, {0, 1}, {m, 9}, {1, 2})");
  return Tensor<T, Rank>(typing::slice(tensor.untyped(), begin, end, step, name, place));
}

/// The tensor with `before[d]` elements of `value` ahead of and `after[d]` behind dimension d.
/// \throws Error E001 for a value that does not fit, E008 for a negative number of elements.
template <class T, int Rank, int B, int A, class V = int>
Tensor<T, Rank> pad(const Tensor<T, Rank> &tensor, const Dim (&before)[B], const Dim (&after)[A], const V &value = 0,
                    Label name = {}, Location place = Location::current()) {
  static_assert(B == Rank && A == Rank,
                "pad(): takes one number per dimension, before and after, for example  pad(A, {0, 1}, {0, 1}, 0.0f)");
  static_assert(std::is_same_v<typing::join_t<V, Expr<T>>, T>,
                "pad(): the value has the tensor's element type, for example  pad(A, {1}, {1}, 0.0f)");
  return Tensor<T, Rank>(typing::pad(tensor.untyped(), before, after, typing::operand<T>(value), name, place));
}

}  // namespace lathe::inline LATHE_ABI
