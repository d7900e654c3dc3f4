// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// A small map in the order of its keys, for places in memory and the like.

#include <cstddef>
#include <cstdint>

#include "lathe/support/list.hpp"
#include "lathe/version.hpp"

namespace lathe::inline LATHE_ABI {

/// From integers to values, side by side in the order of the keys. Entries move when others are added before them.
template <class Value>
class SortedMap {
 public:
  struct Entry {
    std::int64_t first;
    Value second;
  };

  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  Entry *begin() { return entries_.begin(); }
  Entry *end() { return entries_.end(); }
  const Entry *begin() const { return entries_.begin(); }
  const Entry *end() const { return entries_.end(); }

  /// The first entry whose key is not below `key`, or `end()`.
  const Entry *lower_bound(std::int64_t key) const {
    const Entry *first = begin();
    for (std::size_t count = size(); count > 0;) {
      const std::size_t half = count / 2;
      if (first[half].first < key) {
        first += half + 1;
        count -= half + 1;
      } else {
        count = half;
      }
    }
    return first;
  }
  /// The entry of `key`, or null.
  const Entry *find(std::int64_t key) const {
    const Entry *at = lower_bound(key);
    return at != end() && at->first == key ? at : nullptr;
  }
  /// The value of `key`; a new one if it is not there yet.
  Value &operator[](std::int64_t key) {
    const Entry *at = lower_bound(key);
    if (at == end() || at->first != key) at = entries_.insert(at, {key, Value()});
    return const_cast<Entry *>(at)->second;
  }

 private:
  List<Entry> entries_;
};

}  // namespace lathe::inline LATHE_ABI
