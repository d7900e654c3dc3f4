// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Views of `std::mdspan`, of its reference implementation and of anything like it: a type with `rank()`, `extent(i)`,
/// `stride(i)` and `data_handle()` or `data()`. Nothing is copied, and the standard header is not included here.
///
///     std::mdspan a(pointer, 64, 48);
///     kernel(a, b, c);
///
/// Layouts other than row-major without gaps need `.strides({…})` or `.column_major()` on the kernel's placeholder; otherwise the
/// call throws K002. Layouts without strides, and accessors whose handle is no pointer, cannot be looked at.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "lathe/runtime/array.hpp"

namespace lathe::inline LATHE_ABI {

namespace interop {

/// Where element (0, 0, …) is: `data_handle()`, or `data()` in what is older than C++23.
template <class M>
constexpr auto handle_of(M &m) {
  if constexpr (requires { m.data_handle(); })
    return m.data_handle();
  else
    return m.data();
}

/// Elements at strides in a number of dimensions that is known by type.
template <class M>
concept MdspanLike = requires(M &m) {
  requires static_cast<int>(M::rank()) >= 0;
  { m.extent(std::size_t{0}) } -> std::integral;
  { m.stride(std::size_t{0}) } -> std::integral;
  requires requires { m.data_handle(); } || requires { m.data(); };
  requires std::is_pointer_v<decltype(handle_of(m))>;
};

/// From any reference to one.
template <class M>
auto view_of_span(M &m) {
  constexpr int rank = static_cast<int>(M::rank());
  std::array<std::int64_t, static_cast<std::size_t>(rank)> shape{}, strides{};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    shape[d] = static_cast<std::int64_t>(m.extent(d));
    strides[d] = static_cast<std::int64_t>(m.stride(d));
  }
  return View<std::remove_pointer_t<decltype(handle_of(m))>, rank>(handle_of(m), shape, strides);
}

}  // namespace interop

/// Of an mdspan, in its rank. Constness of the mdspan itself means nothing, as with pointers; that of its elements does.
template <interop::MdspanLike M, int Rank>
  requires(Rank == static_cast<int>(M::rank()))
struct ViewTraits<M, Rank> {
  /// @{
  /// All elements.
  static auto view(M &span) { return interop::view_of_span(span); }
  static auto view(const M &span) { return interop::view_of_span(span); }
  /// @}
};

}  // namespace lathe::inline LATHE_ABI
