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
  explicit Stmt(const StmtNode *node);                       ///< takes over a new node: see `make`
  bool defined() const { return static_cast<bool>(node_); }  ///< whether there is one
  const StmtNode *node() const { return node_.get(); }       ///< null when undefined
  /// The node as a `Node`, or null.
  template <class Node>
  const Node *as() const;
  /// The same node (not: an equal statement; that is `equal` in walk.hpp).
  bool same_as(const Stmt &other) const { return node_ == other.node_; }

 private:
  Shared<StmtNode> node_;
};

/// The kinds of statements, in the order in which they are defined below.
enum class StmtKind : std::uint8_t { loop, block, store, allocate, branch, bind, check, evaluate, prefetch };

/// How the iterations of a loop run.
enum class LoopKind : std::uint8_t {
  serial,      ///< one after another
  parallel,    ///< iterations may run at the same time, on any thread
  vectorized,  ///< iterations become lanes; gone after vectorize_loops
  unrolled,    ///< repeated in the code; gone after unroll_loops
};

/// for var in [min, min + extent): body. An extent of 0 or less runs nothing.
struct For {
  Var var;  ///< an index, bound in the body only
  /// @{
  /// Of type index, evaluated once.
  Expr min, extent;
  /// @}
  LoopKind kind = LoopKind::serial;  ///< how iterations run
  Stmt body;                         ///< one iteration
  static constexpr StmtKind node_kind = StmtKind::loop;
  Fields fields() const { return {var, min, extent, kind, body}; }
};
/// The statements in order. `label` names what they compute ("conv"), for people.
struct Block {
  List<Stmt> body;    ///< all defined
  std::string label;  ///< the name of a stage, or empty
  static constexpr StmtKind node_kind = StmtKind::block;
  Fields fields() const { return {body, label}; }
};
/// buffer[indices] = value, in the lanes where `predicate` holds.
struct Store {
  Buffer buffer;       ///< what is written
  List<Expr> indices;  ///< of type index, one per dimension
  Expr value;          ///< of the buffer's type, with the lanes of the indices
  Expr predicate;      ///< optional; bool, a scalar or with the lanes of the store
  static constexpr StmtKind node_kind = StmtKind::store;
  Fields fields() const { return {buffer, indices, value, predicate}; }
};
/// `buffers` exist within `body`, unwritten at its start.
struct Allocate {
  List<Buffer> buffers;  ///< their shapes are evaluated once, at the start
  Stmt body;             ///< where they exist
  static constexpr StmtKind node_kind = StmtKind::allocate;
  Fields fields() const { return {buffers, body}; }
};
/// One of two statements, or one or none.
struct If {
  Expr condition;  ///< bool; scalar once vectorize_loops has run
  Stmt then_body;  ///< where it holds
  Stmt else_body;  ///< where it does not; optional
  static constexpr StmtKind node_kind = StmtKind::branch;
  Fields fields() const { return {condition, then_body, else_body}; }
};
/// `var` is `value` within `body`.
struct Bind {
  Var var;     ///< of the value's type, lanes included
  Expr value;  ///< evaluated once
  Stmt body;   ///< where the variable exists
  static constexpr StmtKind node_kind = StmtKind::bind;
  Fields fields() const { return {var, value, body}; }
};
/// Ends the kernel with this failure if `condition` is false.
struct Check {
  Expr condition;       ///< a scalar bool
  std::string message;  ///< what does not hold, for the user
  Location place;       ///< the user's line
  static constexpr StmtKind node_kind = StmtKind::check;
  Fields fields() const { return {condition, message}; }
};
/// Evaluates for the effect of a call.
struct Evaluate {
  Expr value;  ///< thrown away
  static constexpr StmtKind node_kind = StmtKind::evaluate;
  Fields fields() const { return {value}; }
};

/// A hint that the element is loaded soon. Nothing need lie at that place.
struct Prefetch {
  Buffer buffer;       ///< in memory, not in registers
  List<Expr> indices;  ///< scalars of type index, one per dimension, which may leave the buffer
  static constexpr StmtKind node_kind = StmtKind::prefetch;
  Fields fields() const { return {buffer, indices}; }
};

/// What a `Stmt` is a handle on: one of the structs above.
struct StmtNode : Counted {
  StmtKind kind() const { return kind_; }  ///< which struct it is
  /// The struct, if it is a `Node`, or null.
  template <class Node>
  const Node *as() const;

 protected:
  /// `destroy` deletes the whole node.
  StmtNode(StmtKind kind, void (*destroy)(const Counted *)) : Counted(destroy), kind_(kind) {}

 private:
  StmtKind kind_;
};

/// A node with its struct.
template <class Node>
struct StmtNodeOf : StmtNode {
  Node data;  ///< the struct
  /// Takes the struct as it is.
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

/// A new node of one of the structs above.
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
    case StmtKind::evaluate: return f(*node.as<Evaluate>());
    case StmtKind::prefetch: break;
  }
  return f(*node.as<Prefetch>());
}

/// A block of the defined statements among `body`; a single one without label is returned as it is.
Stmt block(List<Stmt> body, std::string label = {});

}  // namespace lathe::inline LATHE_ABI::ir
