// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Typed handles on tensors, and the arguments of kernels: placeholders, scalars, baked-in data.

#include <string>
#include <string_view>

#include "lathe/expr/dim.hpp"
#include "lathe/ir/operation.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI {

namespace typing {

/// What indexes a tensor: index expressions, integer literals, and integer data, which become indices.
template <class I>
concept Indexing = is_integer<element_t<I>> || (std::is_integral_v<I> && !is_bool<I>);

template <Indexing I>
ir::Expr index_of(const I &index) {
  if constexpr (Typed<I>)
    return Index(static_cast<const Expr<element_t<I>> &>(index)).untyped();
  else
    return literal_of<index_t>(index);
}

ir::Expr read(const ir::Tensor &tensor, const ir::Expr *indices, int rank);
List<Dim> dims_of(const ir::Tensor &tensor);

}  // namespace typing

template <class T, int Rank>
class Tensor;

/// A tensor whose element type and rank are known when the program runs: what importers and tuners hold.
class AnyTensor {
 public:
  /// Wraps an untyped tensor.
  explicit AnyTensor(ir::Tensor tensor) : tensor_(std::move(tensor)) {}
  /// Forgets element type and rank.
  template <class T, int Rank>
  AnyTensor(const Tensor<T, Rank> &tensor) : tensor_(tensor.untyped()) {}  // NOLINT: implicit by design

  DType type() const { return ir::type_of(tensor_); }                          ///< of the elements
  int rank() const { return static_cast<int>(ir::shape_of(tensor_).size()); }  ///< number of dimensions
  const std::string &name() const { return ir::name_of(tensor_); }             ///< as printouts show it
  const ir::Tensor &untyped() const { return tensor_; }                        ///< the untyped handle

  /// \throws Error E013 if type or rank differ.
  template <class T, int Rank>
  Tensor<T, Rank> as(Location place = Location::current()) const {
    check(dtype_of<T>(), Rank, place);
    return Tensor<T, Rank>(tensor_);
  }

  /// Whether both name the same tensor.
  friend bool operator==(const AnyTensor &, const AnyTensor &) = default;

 private:
  void check(DType type, int rank, const Location &place) const;
  ir::Tensor tensor_;
};

/// A tensor of `Rank` dimensions with elements of type T: an input, data, or the result of `compute`. Copies name the same
/// tensor.
template <class T, int Rank>
class Tensor {
  static_assert(
      Scalar<T>,
      "Tensor<T, Rank>: T is an element type: bool, an integer, float16, bfloat16, float, double, or a registered type");
  static_assert(Rank >= 0, "Tensor<T, Rank>: the rank is 0 or more");

 public:
  using Element = T;                 ///< of the elements
  static constexpr int rank = Rank;  ///< number of dimensions

  /// Wraps an untyped tensor of this type and rank.
  explicit Tensor(ir::Tensor tensor) : tensor_(std::move(tensor)) {}

  /// The element at one index per dimension: index expressions, integers, or integer data (`table(ids(i), j)`).
  template <class... I>
  Expr<T> operator()(const I &...indices) const {
    static_assert(
        sizeof...(I) == Rank,
        "tensor(): takes one index per dimension, for example  A(i, j)  for a tensor of rank 2 and  total()  for rank 0");
    static_assert((typing::Indexing<I> && ...),
                  "tensor(): indices are integers: convert what is not, for example  A(cast<index_t>(x))");
    const ir::Expr at[sizeof...(I) + 1] = {typing::index_of(indices)...};
    return Expr<T>(typing::read(tensor_, at, Rank));
  }

  /// The extents.
  Shape<Rank> shape() const { return Shape<Rank>(typing::dims_of(tensor_)); }
  const std::string &name() const { return ir::name_of(tensor_); }  ///< as printouts show it
  const ir::Tensor &untyped() const { return tensor_; }             ///< the untyped handle

 private:
  ir::Tensor tensor_;
};

/// A tensor that callers pass: kernels take it as const. What is promised here about its memory is checked at each call; without
/// promises it is compact, row-major and aligned to its element.
template <class T, int Rank>
class Input : public Tensor<T, Rank> {
 public:
  using Tensor<T, Rank>::Tensor;

  /// Strides in elements, one per dimension, 0 or more; a symbol among them gets its value from an extent
  /// or an argument of the kernel. \throws Error E012 for a
  /// negative constant.
  template <int R>
  [[nodiscard]] Input strides(const Dim (&strides)[R], Location place = Location::current()) const;
  /// Element 0 lies at a multiple of `bytes`. \throws Error E012 unless that is a power of two of at least the element's size.
  [[nodiscard]] Input align(int bytes, Location place = Location::current()) const;
  /// The first dimension is contiguous, as in Fortran and in Eigen by default.
  [[nodiscard]] Input column_major() const;
};

/// Data that is part of the program. Stages over constants alone are computed at every call, as any other.
template <class T, int Rank>
class Constant : public Tensor<T, Rank> {
 public:
  using Tensor<T, Rank>::Tensor;
};

/// A scalar that callers pass by value.
template <class T>
class ScalarArgument : public Expr<T> {
 public:
  /// Wraps an untyped variable.
  explicit ScalarArgument(ir::Var var) : Expr<T>(ir::Expr(var)), var_(std::move(var)) {}
  const ir::Var &var() const { return var_; }              ///< the untyped variable
  const std::string &name() const { return var_.name(); }  ///< as printouts show it

 private:
  ir::Var var_;
};

namespace typing {

/// A new placeholder. \throws Error E002 for a negative extent.
ir::Tensor placeholder(DType type, const Dim *dims, int rank, const Label &name, const Location &place);
/// The same placeholder with other promises: a new operation.
ir::Tensor with_strides(const ir::Tensor &placeholder, const Dim *strides, int rank, const Location &place);
ir::Tensor with_alignment(const ir::Tensor &placeholder, int bytes, const Location &place);
ir::Tensor with_column_major(const ir::Tensor &placeholder);
ir::Var scalar(DType type, std::string_view name);

/// A tensor over a copy of `count` elements that lie at `elements`, dimension d having `strides[d]` (null: row-major).
/// \throws Error E009 if a stride or extent is negative.
ir::Tensor constant(DType type, const void *elements, const std::int64_t *shape, const std::int64_t *strides, int rank,
                    const Label &name, const Location &place);

template <class T>
constexpr void check_element() {
  static_assert(Scalar<T> && !is_index<T>,
                "elements in memory are bool, integers, float16, bfloat16, float, double or a registered type, for example  "
                "placeholder<std::int64_t>({n}, \"ids\")");
}

}  // namespace typing

/// An argument of the kernel with elements of type T: `placeholder<float>({M, size_var("n")}, "A")`. \throws Error E001, E002.
template <class T, int Rank>
Input<T, Rank> placeholder(const Dim (&shape)[Rank], Label name = {}, Location place = Location::current()) {
  typing::check_element<T>();
  return Input<T, Rank>(typing::placeholder(dtype_of<T>(), shape, Rank, name, place));
}
/// With the shape of another tensor.
template <class T, int Rank>
Input<T, Rank> placeholder(const Shape<Rank> &shape, Label name = {}, Location place = Location::current()) {
  typing::check_element<T>();
  return Input<T, Rank>(typing::placeholder(dtype_of<T>(), shape.dims().data(), Rank, name, place));
}
/// Rank 0: one element in memory.
template <class T>
Input<T, 0> placeholder(Label name = {}, Location place = Location::current()) {
  typing::check_element<T>();
  return Input<T, 0>(typing::placeholder(dtype_of<T>(), nullptr, 0, name, place));
}
/// Rank 0, written with an empty shape.
template <class T>
Input<T, 0> placeholder(NoDims, Label name, Location place = Location::current()) {
  return placeholder<T>(name, place);
}

/// A by-value argument of the kernel: `auto alpha = scalar<float>("alpha");`
template <class T>
ScalarArgument<T> scalar(Label name = {}, Location place = Location::current()) {
  static_assert(Scalar<T> && !typing::is_index<T>,
                "scalar<T>(): T is an element type; for a size write  size_var(\"n\"),  for another integer  "
                "scalar<std::int64_t>(\"offset\")");
  return ScalarArgument<T>(typing::scalar(dtype_of<T>(), name.or_else("scalar", place)));
}

// ---- data in the program ------------------------------------------------------------------------------------------------------
// Stages computed as a whole that depend on constants alone are computed once, when the kernel is made (print shows them as a
// function of their own): a cache_read of weights with a layout packs them.

/// From braces: `constant<float>({1, 4, 6, 4, 1})`, `constant<float>({{1, 2}, {3, 4}}, "taps")`.
template <class T, int N>
Constant<T, 1> constant(const T (&values)[N], Label name = {}, Location place = Location::current()) {
  typing::check_element<T>();
  const std::int64_t shape[] = {N};
  return Constant<T, 1>(typing::constant(dtype_of<T>(), values, shape, nullptr, 1, name, place));
}
/// From braces in two dimensions.
template <class T, int M, int N>
Constant<T, 2> constant(const T (&values)[M][N], Label name = {}, Location place = Location::current()) {
  typing::check_element<T>();
  const std::int64_t shape[] = {M, N};
  return Constant<T, 2>(typing::constant(dtype_of<T>(), values, shape, nullptr, 2, name, place));
}
/// From braces in three dimensions.
template <class T, int L, int M, int N>
Constant<T, 3> constant(const T (&values)[L][M][N], Label name = {}, Location place = Location::current()) {
  typing::check_element<T>();
  const std::int64_t shape[] = {L, M, N};
  return Constant<T, 3>(typing::constant(dtype_of<T>(), values, shape, nullptr, 3, name, place));
}

namespace typing {

/// Arrays with a rank: `Array`, `View` and what looks like them.
template <class A>
concept Shaped = requires(const A &a) {
  a.data();
  a.shape();
  a.strides();
  { A::rank } -> std::convertible_to<int>;
};
/// Contiguous sequences: std::vector, std::array, std::span.
template <class A>
concept Sequence = !Shaped<A> && requires(const A &a) {
  { *a.data() };
  { a.size() } -> std::convertible_to<std::size_t>;
};

}  // namespace typing

/// From an `Array`, a `View`, a vector, a std::array or a span. The elements are copied.
/// \throws Error E009 for a view with a negative stride.
template <class A>
  requires(typing::Shaped<A> || typing::Sequence<A>)
auto constant(const A &values, Label name = {}, Location place = Location::current()) {
  using T = std::remove_cvref_t<decltype(*values.data())>;
  typing::check_element<T>();
  if constexpr (typing::Shaped<A>) {
    std::int64_t shape[A::rank + 1] = {}, strides[A::rank + 1] = {};
    for (int d = 0; d < A::rank; ++d) {
      shape[d] = static_cast<std::int64_t>(values.shape()[static_cast<std::size_t>(d)]);
      strides[d] = static_cast<std::int64_t>(values.strides()[static_cast<std::size_t>(d)]);
    }
    return Constant<T, A::rank>(typing::constant(dtype_of<T>(), values.data(), shape, strides, A::rank, name, place));
  } else {
    const std::int64_t shape[] = {static_cast<std::int64_t>(values.size())};
    return Constant<T, 1>(typing::constant(dtype_of<T>(), values.data(), shape, nullptr, 1, name, place));
  }
}

/// \cond
template <class T, int Rank>
template <int R>
Input<T, Rank> Input<T, Rank>::strides(const Dim (&strides)[R], Location place) const {
  static_assert(R == Rank, "strides(): takes one stride per dimension, in elements, for example  .strides({ld, 1})  for rank 2");
  return Input(typing::with_strides(this->untyped(), strides, R, place));
}
template <class T, int Rank>
Input<T, Rank> Input<T, Rank>::align(int bytes, Location place) const {
  return Input(typing::with_alignment(this->untyped(), bytes, place));
}
template <class T, int Rank>
Input<T, Rank> Input<T, Rank>::column_major() const {
  return Input(typing::with_column_major(this->untyped()));
}
/// \endcond

}  // namespace lathe::inline LATHE_ABI
