// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Shared ownership of immutable nodes by an intrusive count, with destruction that never recurses: dropping the last handle
/// of a chain of ten thousand nodes needs constant stack.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "lathe/version.hpp"

namespace lathe::inline LATHE_ABI {

/// Base of every node that `Shared` handles own.
class Counted {
 public:
  Counted() = default;
  Counted(const Counted &) {}
  Counted &operator=(const Counted &) { return *this; }

 protected:
  /// Of a node whose handles know it by a base class only: how to delete it.
  explicit Counted(void (*destroy)(const Counted *)) : destroy_(destroy) {}

 private:
  template <class>
  friend class Shared;
  friend inline void release(const Counted *node);

  /// How many handles there are. Of a node that has none any more: the next one to be destroyed, or 0.
  mutable std::atomic<std::uintptr_t> count_{0};
  /// Deletes the node. Kept here, so that a handle can be dropped where its node's type is incomplete and users' files never
  /// instantiate the destructors of nodes.
  mutable void (*destroy_)(const Counted *) = nullptr;
};

/// Gives up one count. Destroys the node when that was the last; nodes whose last handles its destructor drops are chained behind
/// it and destroyed by the outermost call on this thread, instead of recursing.
inline void release(const Counted *node) {
  // The last handle needs no exchange: nobody else can copy it.
  if (node->count_.load(std::memory_order_acquire) != 1 && node->count_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  thread_local std::uintptr_t *chain = nullptr;  // of the outermost call
  if (chain) {
    node->count_.store(*chain, std::memory_order_relaxed);
    *chain = reinterpret_cast<std::uintptr_t>(node);
    return;
  }
  std::uintptr_t first = 0;
  chain = &first;
  for (const Counted *next = node; next;) {
    next->destroy_(next);
    next = reinterpret_cast<const Counted *>(first);
    if (next) first = next->count_.load(std::memory_order_relaxed);
  }
  chain = nullptr;
}

/// A handle on an immutable node of type `Node`, which derives from `Counted`. Copies share the node; handles may be copied and
/// dropped on any thread.
template <class Node>
class Shared {
 public:
  Shared() = default;
  explicit Shared(const Node *node) : node_(node) {
    if (node_ && node_->count_.fetch_add(1, std::memory_order_relaxed) == 0 && !node_->destroy_)
      node_->destroy_ = [](const Counted *counted) { delete static_cast<const Node *>(counted); };
  }
  Shared(const Shared &other) : node_(other.node_) {
    if (node_) node_->count_.fetch_add(1, std::memory_order_relaxed);
  }
  Shared(Shared &&other) noexcept : node_(other.node_) { other.node_ = nullptr; }
  Shared &operator=(Shared other) noexcept {
    const Counted *node = node_;
    node_ = other.node_;
    other.node_ = node;
    return *this;
  }
  ~Shared() {
    if (node_) release(node_);
  }

  const Node *get() const { return static_cast<const Node *>(node_); }
  const Node *operator->() const { return get(); }
  const Node &operator*() const { return *get(); }
  explicit operator bool() const { return node_ != nullptr; }
  /// Whether no other handle shares the node, so that its owner may change it.
  bool is_unique() const { return node_->count_.load(std::memory_order_acquire) == 1; }
  friend bool operator==(const Shared &a, const Shared &b) { return a.node_ == b.node_; }

 private:
  const Counted *node_ = nullptr;
};

}  // namespace lathe::inline LATHE_ABI
