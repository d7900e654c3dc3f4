// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Statements of the untyped IR: what lowering produces and passes rewrite.

#include "lathe/ir/expr.hpp"

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
  static constexpr auto fields() { return std::make_tuple(&For::var, &For::min, &For::extent, &For::kind, &For::body); }
};
/// The statements in order. `label` names what they compute ("conv"), for people.
struct Block {
  std::vector<Stmt> body;
  std::string label;
  static constexpr auto fields() { return std::make_tuple(&Block::body, &Block::label); }
};
/// buffer[indices] = value, in the lanes where `predicate` holds.
struct Store {
  Buffer buffer;
  std::vector<Expr> indices;
  Expr value;
  Expr predicate;  ///< optional
  static constexpr auto fields() { return std::make_tuple(&Store::buffer, &Store::indices, &Store::value, &Store::predicate); }
};
/// `buffer` exists within `body`, unwritten at its start.
struct Allocate {
  Buffer buffer;
  Stmt body;
  static constexpr auto fields() { return std::make_tuple(&Allocate::buffer, &Allocate::body); }
};
struct If {
  Expr condition;
  Stmt then_body;
  Stmt else_body;  ///< optional
  static constexpr auto fields() { return std::make_tuple(&If::condition, &If::then_body, &If::else_body); }
};
/// `var` is `value` within `body`.
struct Bind {
  Var var;
  Expr value;
  Stmt body;
  static constexpr auto fields() { return std::make_tuple(&Bind::var, &Bind::value, &Bind::body); }
};
/// Ends the kernel with this failure if `condition` is false.
struct Check {
  Expr condition;
  std::string message;
  Location place;
  static constexpr auto fields() { return std::make_tuple(&Check::condition, &Check::message, &Check::place); }
};
/// Evaluates for the effect of a call.
struct Evaluate {
  Expr value;
  static constexpr auto fields() { return std::make_tuple(&Evaluate::value); }
};

enum class StmtKind : std::uint8_t { loop, block, store, allocate, branch, bind, check, evaluate };

struct StmtNode : Counted {
  using Data = std::variant<For, Block, Store, Allocate, If, Bind, Check, Evaluate>;
  Data data;
  explicit StmtNode(Data d) : data(std::move(d)) {}
  StmtKind kind() const { return static_cast<StmtKind>(data.index()); }
};

inline Stmt::Stmt(const StmtNode *node) : node_(node) {}
template <class Node>
const Node *Stmt::as() const {
  return node_ ? std::get_if<Node>(&node_->data) : nullptr;
}

template <class Node>
Stmt make(Node node) {
  return Stmt(new StmtNode(std::move(node)));
}

/// A block of the defined statements among `body`; a single one without label is returned as it is.
Stmt block(std::vector<Stmt> body, std::string label = {});

}  // namespace lathe::inline LATHE_ABI::ir
