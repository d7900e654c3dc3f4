// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Statements of the untyped IR: what lowering produces and passes rewrite.

#include "lathe/ir/expr.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::ir {

struct StmtNode;

/// An immutable statement. A default-constructed one is undefined ("none" where a field is optional); an empty `Block` does
/// nothing.
class Stmt {
 public:
  Stmt() = default;
  explicit Stmt(const StmtNode *node);
  bool defined() const { return static_cast<bool>(node_); }
  const StmtNode *node() const { return node_.get(); }
  template <class Node>
  const Node *as() const;
  bool same_as(const Stmt &other) const { return node_ == other.node_; }

 private:
  Shared<StmtNode> node_;
};

enum class StmtKind : std::uint8_t { loop, block, store, allocate, branch, bind, check, evaluate };

enum class LoopKind : std::uint8_t {
  serial,
  parallel,    ///< iterations may run at the same time, on any thread
  vectorized,  ///< iterations become lanes; gone after vectorize_loops
  unrolled,    ///< repeated in the code; gone after unroll_loops
};

/// for var in [min, min + extent): body
struct For {
  Var var;
  Expr min, extent;
  LoopKind kind = LoopKind::serial;
  Stmt body;
  static constexpr StmtKind node_kind = StmtKind::loop;
  Fields fields() const { return {var, min, extent, kind, body}; }
};
/// The statements in order. `label` names what they compute ("conv"), for people.
struct Block {
  List<Stmt> body;
  std::string label;
  static constexpr StmtKind node_kind = StmtKind::block;
  Fields fields() const { return {body, label}; }
};
/// buffer[indices] = value, in the lanes where `predicate` holds.
struct Store {
  Buffer buffer;
  List<Expr> indices;
  Expr value;
  Expr predicate;  ///< optional
  static constexpr StmtKind node_kind = StmtKind::store;
  Fields fields() const { return {buffer, indices, value, predicate}; }
};
/// `buffer` exists within `body`, unwritten at its start.
struct Allocate {
  Buffer buffer;
  Stmt body;
  static constexpr StmtKind node_kind = StmtKind::allocate;
  Fields fields() const { return {buffer, body}; }
};
struct If {
  Expr condition;
  Stmt then_body;
  Stmt else_body;  ///< optional
  static constexpr StmtKind node_kind = StmtKind::branch;
  Fields fields() const { return {condition, then_body, else_body}; }
};
/// `var` is `value` within `body`.
struct Bind {
  Var var;
  Expr value;
  Stmt body;
  static constexpr StmtKind node_kind = StmtKind::bind;
  Fields fields() const { return {var, value, body}; }
};
/// Ends the kernel with this failure if `condition` is false.
struct Check {
  Expr condition;
  std::string message;
  Location place;
  static constexpr StmtKind node_kind = StmtKind::check;
  Fields fields() const { return {condition, message}; }
};
/// Evaluates for the effect of a call.
struct Evaluate {
  Expr value;
  static constexpr StmtKind node_kind = StmtKind::evaluate;
  Fields fields() const { return {value}; }
};

/// What a `Stmt` is a handle on: one of the structs above.
struct StmtNode : Counted {
  StmtKind kind() const { return kind_; }
  /// The struct, if it is a `Node`, or null.
  template <class Node>
  const Node *as() const;

 protected:
  StmtNode(StmtKind kind, void (*destroy)(const Counted *)) : Counted(destroy), kind_(kind) {}

 private:
  StmtKind kind_;
};

template <class Node>
struct StmtNodeOf : StmtNode {
  Node data;
  explicit StmtNodeOf(Node node)
      : StmtNode(Node::node_kind, [](const Counted *counted) { delete static_cast<const StmtNodeOf *>(counted); }),
        data(static_cast<Node &&>(node)) {}
};

inline Stmt::Stmt(const StmtNode *node) : node_(node) {}
template <class Node>
const Node *StmtNode::as() const {
  return kind_ == Node::node_kind ? &static_cast<const StmtNodeOf<Node> *>(this)->data : nullptr;
}
template <class Node>
const Node *Stmt::as() const {
  return node_ ? node_->template as<Node>() : nullptr;
}

template <class Node>
Stmt make(Node node) {
  return Stmt(new StmtNodeOf<Node>(static_cast<Node &&>(node)));
}

/// Calls `f` on the struct in `node`.
template <class F>
auto visit(const StmtNode &node, F &&f) {
  switch (node.kind()) {
    case StmtKind::loop: return f(*node.as<For>());
    case StmtKind::block: return f(*node.as<Block>());
    case StmtKind::store: return f(*node.as<Store>());
    case StmtKind::allocate: return f(*node.as<Allocate>());
    case StmtKind::branch: return f(*node.as<If>());
    case StmtKind::bind: return f(*node.as<Bind>());
    case StmtKind::check: return f(*node.as<Check>());
    case StmtKind::evaluate: break;
  }
  return f(*node.as<Evaluate>());
}

/// A block of the defined statements among `body`; a single one without label is returned as it is.
Stmt block(List<Stmt> body, std::string label = {});

}  // namespace lathe::inline LATHE_ABI::ir
