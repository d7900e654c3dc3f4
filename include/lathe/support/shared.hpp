// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Shared ownership of immutable nodes by an intrusive count, with destruction that never recurses: dropping the last handle
/// of a chain of ten thousand nodes needs constant stack.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "lathe/version.hpp"

namespace lathe::inline LATHE_ABI {

/// Base of every node that `Shared` handles own.
class Counted {
 public:
  Counted() = default;
  Counted(const Counted &) : count_(0) {}
  Counted &operator=(const Counted &) { return *this; }

 private:
  template <class>
  friend class Shared;
  mutable std::atomic<std::uint32_t> count_{0};
};

namespace shared_detail {

struct Doomed {
  const void *node;
  void (*destroy)(const void *);
};

/// Destroys a node whose last handle went. A node's destructor drops handles in turn; those land in the list of the outermost
/// call on this thread instead of recursing.
inline void bury(Doomed doomed) {
  thread_local std::vector<Doomed> *pending = nullptr;
  if (pending) {
    pending->push_back(doomed);
    return;
  }
  std::vector<Doomed> list{doomed};
  pending = &list;
  while (!list.empty()) {
    Doomed next = list.back();
    list.pop_back();
    next.destroy(next.node);
  }
  pending = nullptr;
}

}  // namespace shared_detail

/// A handle on an immutable node of type `Node`, which derives from `Counted`. Copies share the node; handles may be copied and
/// dropped on any thread.
template <class Node>
class Shared {
 public:
  Shared() = default;
  explicit Shared(const Node *node) : node_(node) { retain(); }
  Shared(const Shared &other) : node_(other.node_) { retain(); }
  Shared(Shared &&other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  Shared &operator=(Shared other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~Shared() { release(); }

  const Node *get() const { return node_; }
  const Node *operator->() const { return node_; }
  const Node &operator*() const { return *node_; }
  explicit operator bool() const { return node_ != nullptr; }
  friend bool operator==(const Shared &a, const Shared &b) { return a.node_ == b.node_; }

 private:
  void retain() const {
    if (node_) static_cast<const Counted *>(node_)->count_.fetch_add(1, std::memory_order_relaxed);
  }
  void release() {
    if (node_ && static_cast<const Counted *>(node_)->count_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      shared_detail::bury({node_, [](const void *node) { delete static_cast<const Node *>(node); }});
  }

  const Node *node_ = nullptr;
};

}  // namespace lathe::inline LATHE_ABI
