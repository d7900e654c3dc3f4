// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// `compute`: a tensor by the expression of its elements.
///
///     auto C = compute({M, N}, [&](Index i, Index j) { return sum(A(i, k) * B(k, j), k); }, "C");
///     auto total = compute([&] { return sum(A(i, k), i, k); }, "total");       // rank 0
///     compute({N, H, W}, [&](Index n, Index y, Index x) { … }, "conv(n, y, x)");  // axes with names of their own

#include "lathe/expr/reduce.hpp"
#include "lathe/expr/tensor.hpp"

namespace lathe::inline LATHE_ABI {

namespace typing {

/// Calls a body at given axes. Type-erased, so that all of `compute` but the call is compiled once.
struct BodyCall {
  void *body;
  ir::Expr (*call)(void *body, const ir::Expr *axes);
};

/// Makes the axes, calls the body, checks what it gives and makes the operation.
/// \throws Error E002, E003, E004, E011, and what the body throws, with the place of the compute.
ir::Tensor compute(DType type, const Dim *dims, int rank, BodyCall body, const Label &name, const Location &place);

template <std::size_t>
using IndexAt = Index;

/// Whether a body takes one index per dimension, and what it gives; void if not.
template <class Body, class Sequence>
struct BodyOf;
template <class Body, std::size_t... D>
struct BodyOf<Body, std::index_sequence<D...>> {
  static constexpr bool callable = std::is_invocable_v<Body &, IndexAt<D>...>;

  static auto result() {
    if constexpr (callable)
      return std::type_identity<std::remove_cvref_t<std::invoke_result_t<Body &, IndexAt<D>...>>>();
    else
      return std::type_identity<void>();
  }
  using Result = typename decltype(result())::type;

  template <class T>
  static ir::Expr call(void *body, [[maybe_unused]] const ir::Expr *axes) {
    const auto result = (*static_cast<Body *>(body))(Index(axes[D])...);
    if constexpr (Reducing<Result>)
      return result.untyped();
    else
      return operand<T>(result);
  }
};

template <class Result>
struct ElementOf {
  using type = join_t<Result, Result>;
};
template <class T>
struct ElementOf<Reduction<T>> {
  using type = T;
};
template <>
struct ElementOf<void> {
  using type = void;
};

template <int Rank, class Body>
auto compute_typed(const Dim *dims, Body &body, const Label &name, const Location &place) {
  using Call = BodyOf<Body, std::make_index_sequence<static_cast<std::size_t>(Rank)>>;
  static_assert(Call::callable,
                "compute(): the lambda takes one Index per extent, for example  compute({M, N}, [&](Index i, Index j) { return "
                "A(i, j); })");
  if constexpr (Call::callable) {
    using T = typename ElementOf<typename Call::Result>::type;
    static_assert(!std::is_void_v<T>,
                  "compute(): the lambda returns one scalar expression or a reduction, for example  return A(i, j) + 1;");
    static_assert(!is_index<T>, "compute(): an index becomes data by a cast, for example  return cast<std::int64_t>(i);");
    if constexpr (!std::is_void_v<T> && !is_index<T>)
      return Tensor<T, Rank>(compute(dtype_of<T>(), dims, Rank,
                                     {const_cast<void *>(static_cast<const void *>(&body)), &Call::template call<T>}, name,
                                     place));
  }
}

}  // namespace typing

/// A tensor of the shape whose element (i, j, …) is `body(i, j, …)`: an expression, a literal, or a reduction. `name` may name
/// the axes too ("C(i, j)"); else they are i and j up to rank 2 and i0, i1, … beyond. \throws Error E001 … E004, E011.
template <int Rank, class Body>
auto compute(const Dim (&shape)[Rank], Body &&body, Label name = {}, Location place = Location::current()) {
  return typing::compute_typed<Rank>(shape, body, name, place);
}
/// With the shape of another tensor.
template <int Rank, class Body>
auto compute(const Shape<Rank> &shape, Body &&body, Label name = {}, Location place = Location::current()) {
  return typing::compute_typed<Rank>(shape.dims().data(), body, name, place);
}
/// Rank 0: `compute([&] { return sum(A(k), k); }, "total")`.
template <class Body>
auto compute(Body &&body, Label name = {}, Location place = Location::current()) {
  return typing::compute_typed<0>(nullptr, body, name, place);
}
/// Rank 0, written with an empty shape.
template <class Body>
auto compute(NoDims, Body &&body, Label name = {}, Location place = Location::current()) {
  return typing::compute_typed<0>(nullptr, body, name, place);
}

}  // namespace lathe::inline LATHE_ABI
