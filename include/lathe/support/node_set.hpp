// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// A set of nodes, made for walks: each walk over an expression has one, most of them small.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "lathe/version.hpp"

namespace lathe::inline LATHE_ABI {

/// Addresses of nodes of any kind, null among them. They lie side by side, those of small sets in the set itself, and are never
/// walked, so no output can depend on them.
class NodeSet {
 public:
  NodeSet() = default;
  NodeSet(const NodeSet &other) : NodeSet() { copy(other); }
  NodeSet(NodeSet &&other) noexcept : NodeSet() { swap(other); }
  NodeSet &operator=(NodeSet other) noexcept {
    swap(other);
    return *this;
  }
  ~NodeSet() { delete[] many_; }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool contains(const void *node) const { return slots()[place_of(key_of(node))] != nullptr; }
  /// Whether `node` is new.
  bool insert(const void *node) {
    const void *key = key_of(node);
    std::size_t at = place_of(key);
    if (slots()[at]) return false;
    if (4 * (size_ + 1) > 3 * capacity()) {
      grow();
      at = place_of(key);
    }
    slots()[at] = key;
    ++size_;
    return true;
  }
  /// Whether `node` was there.
  bool erase(const void *node) {
    std::size_t hole = place_of(key_of(node));
    if (!slots()[hole]) return false;
    // Those behind it move up unless their search begins after the hole.
    for (std::size_t at = next(hole); slots()[at]; at = next(at)) {
      const std::size_t home = home_of(slots()[at]);
      if (((at - home) & (capacity() - 1)) < ((at - hole) & (capacity() - 1))) continue;
      slots()[hole] = slots()[at];
      hole = at;
    }
    slots()[hole] = nullptr;
    --size_;
    return true;
  }
  void clear() { *this = NodeSet(); }

 private:
  static constexpr int few_bits = 4;

  /// Free slots are null, so null lies there as an address that no node has.
  static const void *key_of(const void *node) { return node ? node : reinterpret_cast<const void *>(std::uintptr_t{1}); }

  std::size_t capacity() const { return std::size_t{1} << bits_; }
  const void **slots() { return many_ ? many_ : few_; }
  const void *const *slots() const { return many_ ? many_ : few_; }
  std::size_t next(std::size_t at) const { return (at + 1) & (capacity() - 1); }
  /// The top bits of a product with the golden ratio: addresses differ in few of their own.
  std::size_t home_of(const void *key) const {
    return reinterpret_cast<std::uintptr_t>(key) * 0x9e3779b97f4a7c15u >> (64 - bits_);
  }
  /// Where `key` is, or the free slot where it belongs.
  std::size_t place_of(const void *key) const {
    std::size_t at = home_of(key);
    while (slots()[at] && slots()[at] != key) at = next(at);
    return at;
  }
  void grow() {
    NodeSet larger;
    larger.bits_ = bits_ + 2;
    larger.many_ = new const void *[larger.capacity()]();
    for (std::size_t i = 0; i < capacity(); ++i)
      if (slots()[i]) larger.slots()[larger.place_of(slots()[i])] = slots()[i];
    larger.size_ = size_;
    swap(larger);
  }
  void copy(const NodeSet &other) {
    bits_ = other.bits_;
    size_ = other.size_;
    if (other.many_) many_ = new const void *[capacity()];
    std::memcpy(slots(), other.slots(), capacity() * sizeof(const void *));
  }
  void swap(NodeSet &other) noexcept {
    unsigned char kept[sizeof(NodeSet)];
    std::memcpy(kept, static_cast<const void *>(this), sizeof kept);
    std::memcpy(static_cast<void *>(this), static_cast<const void *>(&other), sizeof kept);
    std::memcpy(static_cast<void *>(&other), kept, sizeof kept);
  }

  int bits_ = few_bits;  ///< of the number of slots
  std::size_t size_ = 0;
  const void **many_ = nullptr;  ///< instead of `few_`
  const void *few_[std::size_t{1} << few_bits] = {};
};

}  // namespace lathe::inline LATHE_ABI
