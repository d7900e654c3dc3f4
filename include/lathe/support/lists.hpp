// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// What <algorithm> does, for whole arrays and cheap to compile: one function a use, where `std::any_of` costs five and
/// `std::sort` fifteen. Any array will do that a range-based `for` takes.

#include <cstddef>
#include <utility>

#include "lathe/support/list.hpp"
#include "lathe/version.hpp"

namespace lathe::inline LATHE_ABI::lists {

/// The first element of which `holds` is true, or null.
template <class Array, class Predicate>
auto find_if(Array &array, Predicate holds) -> decltype(&*array.begin()) {
  for (auto &element : array)
    if (holds(element)) return &element;
  return nullptr;
}
template <class Array, class Predicate>
bool any_of(const Array &array, Predicate holds) {
  for (const auto &element : array)
    if (holds(element)) return true;
  return false;
}
template <class Array, class Predicate>
bool all_of(const Array &array, Predicate holds) {
  for (const auto &element : array)
    if (!holds(element)) return false;
  return true;
}
template <class Array, class Predicate>
bool none_of(const Array &array, Predicate holds) {
  for (const auto &element : array)
    if (holds(element)) return false;
  return true;
}
/// Whether some element equals `value`.
template <class Array, class Value>
bool contains(const Array &array, const Value &value) {
  for (const auto &element : array)
    if (element == value) return true;
  return false;
}
/// Whether both are as long and `same` is true of each pair.
template <class Array, class Same>
bool equal(const Array &a, const Array &b, Same same) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!same(a[i], b[i])) return false;
  return true;
}

/// Sorts; equal elements stay in order. Merges runs that insertion has sorted: O(n log n) comparisons and moves.
template <class T, class Before>
void sort(List<T> &list, Before before) {
  constexpr std::size_t run = 16;
  const auto least = [&](std::size_t end) { return end < list.size() ? end : list.size(); };
  for (std::size_t first = 0; first < list.size(); first += run)
    for (std::size_t i = first + 1; i < least(first + run); ++i)
      for (std::size_t j = i; j > first && before(list[j], list[j - 1]); --j) std::swap(list[j], list[j - 1]);
  for (std::size_t width = run; width < list.size(); width *= 2) {
    List<T> merged;
    merged.reserve(list.size());
    for (std::size_t first = 0; first < list.size(); first += 2 * width) {
      const std::size_t middle = least(first + width), end = least(first + 2 * width);
      for (std::size_t i = first, j = middle; i < middle || j < end;) {
        const bool later = i == middle || (j < end && before(list[j], list[i]));
        merged.push_back(std::move(list[later ? j++ : i++]));
      }
    }
    list.swap(merged);
  }
}

}  // namespace lathe::inline LATHE_ABI::lists
