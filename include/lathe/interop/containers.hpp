// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Views of `std::vector`, `std::span`, `std::array` and other containers whose elements lie side by side. Nothing is copied.
///
///     std::vector<float> a(12), c(12);
///     kernel(a, c);                                        // parameters of rank 1
///     kernel(view_of(a, {3, 4}), view_of(c, {3, 4}));      // of rank 2: the same elements, row by row
///     View<float, 2> v(pointer, {3, 4}, {8, 1});           // a bare pointer: runtime/array.hpp
///
/// `std::vector<bool>` has no elements that could be looked at; `Array<bool, Rank>` takes a byte an element.
/// Include `lathe/lathe.hpp` as well.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "lathe/dtype/traits.hpp"
#include "lathe/interop/checks.hpp"
#include "lathe/runtime/array.hpp"
#if !defined(LATHE_COMPILED)
#include "lathe/interop/definitions.ipp"
#endif

namespace lathe::inline LATHE_ABI {

namespace interop {

/// What `data()` and `begin()` point to, const or not.
template <class C>
using ElementOf = std::remove_pointer_t<decltype(std::declval<C &>().data())>;

/// Elements of a scalar type side by side in memory, in one dimension and nothing more: matrices and mdspan have headers of their
/// own, where `data()` and `size()` mean something else.
template <class C>
concept Container = requires(C &c) {
  { c.size() } -> std::integral;
  requires std::is_pointer_v<decltype(c.data())>;
  requires std::contiguous_iterator<decltype(c.begin())>;
} && Scalar<ElementOf<C>> && !requires(C &c) { c.rows(); } && !requires { C::rank(); };

/// One of rank 1 from any reference to a container.
template <class C>
View<ElementOf<C>, 1> view_of_elements(C &container) {
  return {container.data(), {container.size()}};
}

}  // namespace interop

/// Of a container, in rank 1. A container is as const as its elements are through it: a `const std::vector` gives a view that
/// only reads, a `const std::span<float>` one that writes; and so does a temporary span, whereas a temporary vector is only read.
template <interop::Container C>
struct ViewTraits<C, 1> {
  /// @{
  /// All elements.
  static auto view(C &container) { return interop::view_of_elements(container); }
  static auto view(const C &container) { return interop::view_of_elements(container); }
  /// @}
};

/// The elements of a container in row-major order: `view_of(v, {3, 4})`; the rank is the number of extents. Looks at them, copies
/// none, and is const as a view of rank 1 would be.
/// \throws Error I101 unless the container has exactly that many elements.
template <class C, std::size_t Rank>
  requires interop::Container<std::remove_cvref_t<C>>
auto view_of(C &&container, const Extent (&extents)[Rank], Location place = Location::current()) {
  const auto elements = ViewTraits<std::remove_cvref_t<C>, 1>::view(static_cast<C &&>(container));
  std::array<std::int64_t, Rank> shape{};
  for (std::size_t d = 0; d < Rank; ++d) shape[d] = extents[d].value;
  constexpr int rank = static_cast<int>(Rank);
  interop::check_extents(elements.size(), shape.data(), rank, place);
  return View<typename decltype(elements)::Element, rank>(elements.data(), shape);
}

}  // namespace lathe::inline LATHE_ABI
