// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// What was found out about nodes, by node: an open-addressing table that keeps its keys alive. Never iterated.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "lathe/ir/expr.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::arith {

template <class Value>
class Memo {
 public:
  /// Null if nothing was noted. Valid until the next `note`.
  const Value *find(const ir::Expr &e) const {
    if (entries_.empty()) return nullptr;
    if (slots_.empty()) {
      for (const Entry &entry : entries_)
        if (entry.key.same_as(e)) return &entry.value;
      return nullptr;
    }
    for (std::size_t at = slot_of(e);; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at] == 0) return nullptr;
      const Entry &entry = entries_[slots_[at] - 1];
      if (entry.key.same_as(e)) return &entry.value;
    }
  }

  /// Notes `value`; the first note of a node stays.
  void note(const ir::Expr &e, Value value) {
    if (find(e)) return;
    entries_.push_back({e, std::move(value)});
    if (entries_.size() <= few) return;
    if (entries_.size() * 2 > slots_.size()) {
      slots_.assign(slots_.empty() ? 4 * few : slots_.size() * 2, 0);
      for (std::size_t i = 0; i < entries_.size(); ++i) place(i);
    } else {
      place(entries_.size() - 1);
    }
  }

 private:
  struct Entry {
    ir::Expr key;
    Value value;
  };
  static constexpr std::size_t few = 8;  // as many are searched one after the other

  std::size_t slot_of(const ir::Expr &e) const {
    const auto bits = reinterpret_cast<std::uintptr_t>(e.node());
    return static_cast<std::size_t>((bits >> 4) * 0x9e3779b97f4a7c15u >> 20) & (slots_.size() - 1);
  }
  void place(std::size_t entry) {
    std::size_t at = slot_of(entries_[entry].key);
    while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = static_cast<std::uint32_t>(entry + 1);
  }

  List<Entry> entries_;
  List<std::uint32_t> slots_;  // 1 + position in entries_, 0: free
};

}  // namespace lathe::inline LATHE_ABI::arith
