// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Expressions of the untyped IR: a closed variant of plain structs behind an immutable shared handle.
///
/// Expressions form a DAG: a node used twice is one node, and walks, rewrites and code generation treat it once. `Var`, `Buffer`,
/// `Operation` and `Reducer` are compared by identity. Each node names its fields once; `walk.hpp` is written over that.

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "lathe/diag/diagnostic.hpp"
#include "lathe/dtype/scalar_type.hpp"
#include "lathe/ir/operators.hpp"
#include "lathe/support/shared.hpp"

namespace lathe::inline LATHE_ABI::ir {

struct ExprNode;
struct OperationNode;
struct ReducerNode;

/// An immutable expression. A default-constructed one is undefined: "none" where a field is optional.
class Expr {
 public:
  Expr() = default;
  explicit Expr(const ExprNode *node);
  Expr(std::int64_t index_constant);  // NOLINT: implicit by design, integers are index constants
  Expr(int index_constant) : Expr(static_cast<std::int64_t>(index_constant)) {}  // NOLINT

  bool defined() const { return static_cast<bool>(node_); }
  const ExprNode *node() const { return node_.get(); }
  DType type() const;
  int lanes() const { return type().lanes(); }
  /// The node as a `Node`, or null.
  template <class Node>
  const Node *as() const;
  /// The same node (not: an equal expression; that is `equal` in walk.hpp).
  bool same_as(const Expr &other) const { return node_ == other.node_; }

 private:
  Shared<ExprNode> node_;
};

/// A variable: loop variable, axis, size symbol, scalar argument.
struct VarNode : Counted {
  std::string name;
  DType type;
  bool positive = false;  ///< a size: known to be at least 0
};

class Var {
 public:
  Var() = default;
  Var(std::string name, DType type, bool nonnegative = false);
  bool defined() const { return static_cast<bool>(node_); }
  const std::string &name() const { return node_->name; }
  DType type() const { return node_->type; }
  bool nonnegative() const { return node_->positive; }
  const VarNode *node() const { return node_.get(); }
  operator Expr() const;  // NOLINT: a variable is an expression
  friend bool operator==(const Var &a, const Var &b) { return a.node_ == b.node_; }

 private:
  Shared<VarNode> node_;
};

/// Where a buffer lives. An open value: back ends define further scopes.
struct Scope {
  std::string name;  ///< empty: main memory, or what the place of computation implies
  friend bool operator==(const Scope &, const Scope &) = default;
};

/// N-dimensional memory of scalars.
struct BufferNode : Counted {
  std::string name;
  DType type;
  std::vector<Expr> shape;    ///< extents, index-typed
  std::vector<Expr> strides;  ///< in elements; empty: compact, row-major
  Scope scope;
  int alignment = 0;  ///< of element 0 in bytes; 0: that of the element
};

class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(BufferNode node) : node_(new BufferNode(std::move(node))) {}
  Buffer(std::string name, DType type, std::vector<Expr> shape, Scope scope = {});
  bool defined() const { return static_cast<bool>(node_); }
  const BufferNode *operator->() const { return node_.get(); }
  const BufferNode *node() const { return node_.get(); }
  friend bool operator==(const Buffer &a, const Buffer &b) { return a.node_ == b.node_; }

 private:
  Shared<BufferNode> node_;
};

/// What computes a tensor: see operation.hpp.
using Operation = Shared<OperationNode>;
/// How a reduction combines: see operation.hpp.
using Reducer = Shared<ReducerNode>;

/// One output of an operation.
struct Tensor {
  Operation operation;
  int output = 0;
  friend bool operator==(const Tensor &, const Tensor &) = default;
};

/// A variable with its half-open domain [min, min + extent).
struct Axis {
  Var var;
  Expr min;
  Expr extent;
};

/// A function of the C ABI taking and giving scalars. Its address is an argument of the kernel, never part of the code.
struct ExternalFunction {
  std::string name;
  const void *address = nullptr;  ///< null: resolved by name by the linker or dynamic loader
  bool pure = true;
  friend bool operator==(const ExternalFunction &, const ExternalFunction &) = default;
};

// ---- the nodes ----------------------------------------------------------------------------------------------------------------

/// A scalar constant: the lowest `bits()` bits of `bits` are its pattern. Signed integers and indices are kept sign-extended.
struct Const {
  std::uint64_t bits;
  static constexpr auto fields() { return std::make_tuple(&Const::bits); }
};
/// The value of a variable.
struct VarRef {
  Var var;
  static constexpr auto fields() { return std::make_tuple(&VarRef::var); }
};
/// An element of a tensor. Only in expressions and schedules: lowering turns it into `Load`.
struct Read {
  Tensor tensor;
  std::vector<Expr> indices;
  bool unchecked = false;  ///< the user promised that the indices are in range
  static constexpr auto fields() { return std::make_tuple(&Read::tensor, &Read::indices, &Read::unchecked); }
};
/// An element of a buffer (a vector of elements when an index has lanes). Where `predicate` is false nothing is read and the
/// value is 0.
struct Load {
  Buffer buffer;
  std::vector<Expr> indices;
  Expr predicate;  ///< optional; bool with the lanes of the load
  static constexpr auto fields() { return std::make_tuple(&Load::buffer, &Load::indices, &Load::predicate); }
};
struct Unary {
  UnaryOp op;
  Expr a;
  static constexpr auto fields() { return std::make_tuple(&Unary::op, &Unary::a); }
};
struct Binary {
  BinaryOp op;
  Expr a, b;
  static constexpr auto fields() { return std::make_tuple(&Binary::op, &Binary::a, &Binary::b); }
};
/// a * b + c rounded once.
struct MulAdd {
  Expr a, b, c;
  static constexpr auto fields() { return std::make_tuple(&MulAdd::a, &MulAdd::b, &MulAdd::c); }
};
/// condition ? a : b. If `guards`, loads in an arm happen only where the condition chooses that arm.
struct Select {
  Expr condition, a, b;
  bool guards = false;
  static constexpr auto fields() { return std::make_tuple(&Select::condition, &Select::a, &Select::b, &Select::guards); }
};
/// `a` in the node's type.
struct Cast {
  CastMode mode;
  Expr a;
  static constexpr auto fields() { return std::make_tuple(&Cast::mode, &Cast::a); }
};
/// `a`, promised by the user to lie in [min, max]. The interpreter checks it.
struct Ranged {
  Expr a, min, max;
  static constexpr auto fields() { return std::make_tuple(&Ranged::a, &Ranged::min, &Ranged::max); }
};
/// Lanes base, base + stride, base + 2 stride, …
struct Ramp {
  Expr base, stride;
  static constexpr auto fields() { return std::make_tuple(&Ramp::base, &Ramp::stride); }
};
/// All lanes `a`.
struct Broadcast {
  Expr a;
  static constexpr auto fields() { return std::make_tuple(&Broadcast::a); }
};
/// Lane i is lane lanes[i] of the vectors laid end to end.
struct Shuffle {
  std::vector<Expr> vectors;
  std::vector<int> lanes;
  static constexpr auto fields() { return std::make_tuple(&Shuffle::vectors, &Shuffle::lanes); }
};
/// A call of an external scalar function.
struct Call {
  ExternalFunction function;
  std::vector<Expr> arguments;
  static constexpr auto fields() { return std::make_tuple(&Call::function, &Call::arguments); }
};
/// One output of a tuple reduction over `axes`; only as the whole body of a compute. The bodies of one operation differ in
/// `output` alone.
struct Reduce {
  Reducer reducer;
  std::vector<Expr> sources;  ///< what is combined, one per output
  std::vector<Axis> axes;
  Expr where;              ///< optional: elements where it is false do not take part
  std::vector<Expr> init;  ///< optional: starts instead of the identities, one per output
  int output = 0;
  static constexpr auto fields() {
    return std::make_tuple(&Reduce::reducer, &Reduce::sources, &Reduce::axes, &Reduce::where, &Reduce::init, &Reduce::output);
  }
};

/// The kinds, in the order of the variant below.
enum class ExprKind : std::uint8_t {
  constant,
  var,
  read,
  load,
  unary,
  binary,
  mul_add,
  select,
  cast,
  ranged,
  ramp,
  broadcast,
  shuffle,
  call,
  reduce,
};

struct ExprNode : Counted {
  using Data = std::variant<Const, VarRef, Read, Load, Unary, Binary, MulAdd, Select, Cast, Ranged, Ramp, Broadcast, Shuffle,
                            Call, Reduce>;
  DType type;
  Data data;
  ExprNode(DType t, Data d) : type(t), data(std::move(d)) {}
  ExprKind kind() const { return static_cast<ExprKind>(data.index()); }
};

inline Expr::Expr(const ExprNode *node) : node_(node) {}
inline DType Expr::type() const { return node_->type; }
template <class Node>
const Node *Expr::as() const {
  return node_ ? std::get_if<Node>(&node_->data) : nullptr;
}

/// A new node. `build.hpp` checks types and folds; this does not.
template <class Node>
Expr make(DType type, Node node) {
  return Expr(new ExprNode(type, std::move(node)));
}

}  // namespace lathe::inline LATHE_ABI::ir
