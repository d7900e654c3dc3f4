// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Expressions of the untyped IR: a closed set of plain structs behind an immutable shared handle.
///
/// Expressions form a DAG: a node used twice is one node, and walks, rewrites and code generation treat it once. `Var`, `Buffer`,
/// `Operation` and `Reducer` are compared by identity. Each node names its fields once; `walk.hpp` is written over that.

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>

#include "lathe/diag/diagnostic.hpp"
#include "lathe/dtype/scalar_type.hpp"
#include "lathe/ir/operators.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/shared.hpp"

namespace lathe::inline LATHE_ABI::ir {

struct ExprNode;
struct OperationNode;
struct ReducerNode;

/// An immutable expression. A default-constructed one is undefined: "none" where a field is optional.
class Expr {
 public:
  Expr() = default;
  explicit Expr(const ExprNode *node);  ///< takes over a new node: see `make`
  /// @{
  /// An index constant.
  Expr(std::int64_t index_constant);  // NOLINT: implicit by design, integers are index constants
  Expr(int index_constant) : Expr(static_cast<std::int64_t>(index_constant)) {}  // NOLINT
  /// @}

  bool defined() const { return static_cast<bool>(node_); }  ///< whether there is one
  const ExprNode *node() const { return node_.get(); }       ///< null when undefined
  DType type() const;                                        ///< of a defined expression, lanes included
  int lanes() const { return type().lanes(); }               ///< 1 for scalars
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
  std::string name;       ///< for people; need not be unique
  DType type;             ///< of the value, lanes included
  bool positive = false;  ///< a size: known to be at least 0
};

/// A handle on a variable. A default-constructed one is undefined.
class Var {
 public:
  Var() = default;
  /// A new variable, different from all others.
  Var(std::string name, DType type, bool nonnegative = false);
  bool defined() const { return static_cast<bool>(node_); }  ///< whether there is one
  const std::string &name() const { return node_->name; }    ///< for people; need not be unique
  DType type() const { return node_->type; }                 ///< of the value, lanes included
  bool nonnegative() const { return node_->positive; }       ///< a size: known to be at least 0
  const VarNode *node() const { return node_.get(); }        ///< null when undefined
  /// Its value.
  operator Expr() const;  // NOLINT: a variable is an expression
  /// Whether both are one variable.
  friend bool operator==(const Var &a, const Var &b) { return a.node_ == b.node_; }

 private:
  Shared<VarNode> node_;
};

/// Where a buffer lives. An open value: back ends define further scopes.
struct Scope {
  std::string name;  ///< empty: main memory, or what the place of computation implies
  friend bool operator==(const Scope &, const Scope &) = default;  ///< by name
};

/// N-dimensional memory of scalars.
struct BufferNode : Counted {
  std::string name;       ///< for people; need not be unique
  DType type;             ///< of an element, a scalar
  List<Expr> shape;       ///< extents, index-typed
  List<Expr> strides;     ///< in elements; empty: compact, row-major
  Scope scope;            ///< where it lives
  int alignment = 0;      ///< of element 0 in bytes; 0: that of the element
  bool streamed = false;  ///< whole vectors are stored past the caches
  bool shared = false;    ///< may be the memory of another parameter (`Parameter::shares`)
};

/// A handle on memory. A default-constructed one is undefined.
class Buffer {
 public:
  Buffer() = default;
  /// @{
  /// A new buffer, different from all others; of a shape alone: compact and row-major.
  explicit Buffer(BufferNode node) : node_(new BufferNode(std::move(node))) {}
  Buffer(std::string name, DType type, List<Expr> shape, Scope scope = {});
  /// @}
  bool defined() const { return static_cast<bool>(node_); }     ///< whether there is one
  const BufferNode *operator->() const { return node_.get(); }  ///< of a defined buffer
  const BufferNode *node() const { return node_.get(); }        ///< null when undefined
  /// Whether both are one buffer.
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
  Operation operation;                                               ///< what computes it
  int output = 0;                                                    ///< which of its outputs, counted from 0
  friend bool operator==(const Tensor &, const Tensor &) = default;  ///< the same output of one operation
};

/// A variable with its half-open domain [min, min + extent).
struct Axis {
  Var var;      ///< of type index
  Expr min;     ///< the first value
  Expr extent;  ///< how many values
};

/// A function of the C ABI taking and giving scalars. Its address is an argument of the kernel, never part of the code.
struct ExternalFunction {
  std::string name;               ///< as emitted sources and the linker know it
  const void *address = nullptr;  ///< null: resolved by name by the linker or dynamic loader
  bool pure = true;               ///< the result depends on the arguments alone, and nothing else happens
  friend bool operator==(const ExternalFunction &, const ExternalFunction &) = default;  ///< in all three
};

// ---- fields -------------------------------------------------------------------------------------------------------------------

class Stmt;

/// A field of a node as walks, comparisons and hashes see it: its kind, and where it is, or its value if that is a number.
struct Field {
  /// The type of what `at` points to; `number` has none.
  enum class Kind : std::uint8_t {
    number,
    expr,
    exprs,
    axes,
    stmt,
    stmts,
    var,
    buffer,
    buffers,
    tensor,
    reducer,
    function,
    lanes,
    text
  };
  Kind kind;  ///< which of the two below it is
  union {
    std::uint64_t number;  ///< an integer, bool or enumeration
    const void *at;        ///< a field of any other kind, in the node
  };

  Field() {}  ///< still to be assigned
  /// @{
  /// Names a field, by its type.
  template <class Number>
    requires(std::is_integral_v<Number> || std::is_enum_v<Number>)
  Field(const Number &value) : kind(Kind::number), number(static_cast<std::uint64_t>(value)) {}  // NOLINT: implicit, as all here
  Field(const Expr &field) : kind(Kind::expr), at(&field) {}                                     // NOLINT
  Field(const List<Expr> &field) : kind(Kind::exprs), at(&field) {}                              // NOLINT
  Field(const List<Axis> &field) : kind(Kind::axes), at(&field) {}                               // NOLINT
  Field(const Stmt &field) : kind(Kind::stmt), at(&field) {}                                     // NOLINT
  Field(const List<Stmt> &field) : kind(Kind::stmts), at(&field) {}                              // NOLINT
  Field(const Var &field) : kind(Kind::var), at(&field) {}                                       // NOLINT
  Field(const Buffer &field) : kind(Kind::buffer), at(&field) {}                                 // NOLINT
  Field(const List<Buffer> &field) : kind(Kind::buffers), at(&field) {}                          // NOLINT
  Field(const Tensor &field) : kind(Kind::tensor), at(&field) {}                                 // NOLINT
  Field(const Reducer &field) : kind(Kind::reducer), at(&field) {}                               // NOLINT
  Field(const ExternalFunction &field) : kind(Kind::function), at(&field) {}                     // NOLINT
  Field(const List<int> &field) : kind(Kind::lanes), at(&field) {}                               // NOLINT
  Field(const std::string &field) : kind(Kind::text), at(&field) {}                              // NOLINT
  /// @}

  /// The field, of the type that `kind` says.
  template <class Type>
  const Type &as() const {
    return *static_cast<const Type *>(at);
  }
};

/// The fields that a node names, in order. They refer to the node.
class Fields {
 public:
  /// At most six.
  template <class... Types>
  Fields(const Types &...fields) : fields_{Field(fields)...}, size_(sizeof...(fields)) {}  // NOLINT: returned as a list
  const Field *begin() const { return fields_; }                                           ///< the first field
  const Field *end() const { return fields_ + size_; }                                     ///< behind the last

 private:
  Field fields_[6];
  int size_;
};

// ---- the nodes ----------------------------------------------------------------------------------------------------------------
// Each has its kind as `node_kind`, and `fields()`, which names all its fields in order: whoever adds a field names it there.

/// The kinds of nodes, in the order in which they are defined below.
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

/// A scalar constant: the lowest `bits()` bits of `bits` are its pattern. Signed integers and indices are kept sign-extended.
struct Const {
  std::uint64_t bits;  ///< the pattern
  static constexpr ExprKind node_kind = ExprKind::constant;
  Fields fields() const { return {bits}; }
};
/// The value of a variable.
struct VarRef {
  Var var;  ///< which one
  static constexpr ExprKind node_kind = ExprKind::var;
  Fields fields() const { return {var}; }
};
/// An element of a tensor. Only in expressions and schedules: lowering turns it into `Load`.
struct Read {
  Tensor tensor;           ///< what is read
  List<Expr> indices;      ///< of type index, one per dimension
  bool unchecked = false;  ///< the user promised that the indices are in range
  static constexpr ExprKind node_kind = ExprKind::read;
  Fields fields() const { return {tensor, indices, unchecked}; }
};
/// An element of a buffer (a vector of elements when an index has lanes). Where `predicate` is false nothing is read and the
/// value is 0.
struct Load {
  Buffer buffer;       ///< what is read
  List<Expr> indices;  ///< of type index, one per dimension
  Expr predicate;      ///< optional; bool, a scalar or with the lanes of the load
  static constexpr ExprKind node_kind = ExprKind::load;
  Fields fields() const { return {buffer, indices, predicate}; }
};
/// op a.
struct Unary {
  UnaryOp op;  ///< what happens
  Expr a;      ///< to what
  static constexpr ExprKind node_kind = ExprKind::unary;
  Fields fields() const { return {op, a}; }
};
/// a op b.
struct Binary {
  BinaryOp op;  ///< what happens
  /// @{
  /// Of one type.
  Expr a, b;
  /// @}
  static constexpr ExprKind node_kind = ExprKind::binary;
  Fields fields() const { return {op, a, b}; }
};
/// a * b + c rounded once.
struct MulAdd {
  /// @{
  /// Of one type, not bool.
  Expr a, b, c;
  /// @}
  static constexpr ExprKind node_kind = ExprKind::mul_add;
  Fields fields() const { return {a, b, c}; }
};
/// condition ? a : b. If `guards`, loads in an arm happen only where the condition chooses that arm.
struct Select {
  /// @{
  /// A bool, and two values of the node's type; all with as many lanes.
  Expr condition, a, b;
  /// @}
  bool guards = false;  ///< as `if_then_else` of the front end
  static constexpr ExprKind node_kind = ExprKind::select;
  Fields fields() const { return {condition, a, b, guards}; }
};
/// `a` in the node's type.
struct Cast {
  CastMode mode;  ///< how
  Expr a;         ///< what, with the lanes of the node
  static constexpr ExprKind node_kind = ExprKind::cast;
  Fields fields() const { return {mode, a}; }
};
/// `a`, promised by the user to lie in [min, max]. The interpreter checks it.
struct Ranged {
  /// @{
  /// Integers of one type.
  Expr a, min, max;
  /// @}
  static constexpr ExprKind node_kind = ExprKind::ranged;
  Fields fields() const { return {a, min, max}; }
};
/// Lanes base, base + stride, base + 2 stride, …
struct Ramp {
  /// @{
  /// Scalar integers of one type.
  Expr base, stride;
  /// @}
  static constexpr ExprKind node_kind = ExprKind::ramp;
  Fields fields() const { return {base, stride}; }
};
/// All lanes `a`.
struct Broadcast {
  Expr a;  ///< a scalar
  static constexpr ExprKind node_kind = ExprKind::broadcast;
  Fields fields() const { return {a}; }
};
/// Lane i is lane lanes[i] of the vectors laid end to end.
struct Shuffle {
  List<Expr> vectors;  ///< of one element type
  List<int> lanes;     ///< as many as the node has
  static constexpr ExprKind node_kind = ExprKind::shuffle;
  Fields fields() const { return {vectors, lanes}; }
};
/// A call of an external scalar function.
struct Call {
  ExternalFunction function;  ///< which one
  List<Expr> arguments;       ///< with the lanes of the node: it is called once for each
  static constexpr ExprKind node_kind = ExprKind::call;
  Fields fields() const { return {function, arguments}; }
};
/// One output of a tuple reduction over `axes`; only as the whole body of a compute. The bodies of one operation differ in
/// `output` alone.
struct Reduce {
  Reducer reducer;     ///< how elements combine
  List<Expr> sources;  ///< what is combined, one per output
  List<Axis> axes;     ///< outermost first; domains may depend on the axes before
  Expr where;          ///< optional: elements where it is false do not take part
  List<Expr> init;     ///< optional: starts instead of the identities, one per output
  int output = 0;      ///< which output this is, counted from 0
  static constexpr ExprKind node_kind = ExprKind::reduce;
  Fields fields() const { return {reducer, sources, axes, where, init, output}; }
};

/// What an `Expr` is a handle on: a type and one of the structs above.
struct ExprNode : Counted {
  DType type;  ///< of the value, lanes included
  /// The node's structural hash once somebody has asked for it, or 0: `hash` in walk.hpp.
  mutable std::atomic<std::size_t> known_hash{0};

  ExprKind kind() const { return kind_; }  ///< which struct it is
  /// The struct, if it is a `Node`, or null.
  template <class Node>
  const Node *as() const;

 protected:
  /// `destroy` deletes the whole node.
  ExprNode(DType t, ExprKind kind, void (*destroy)(const Counted *)) : Counted(destroy), type(t), kind_(kind) {}

 private:
  ExprKind kind_;
};

/// A node with its struct.
template <class Node>
struct ExprNodeOf : ExprNode {
  Node data;  ///< the struct
  /// Takes both as they are.
  ExprNodeOf(DType t, Node node)
      : ExprNode(t, Node::node_kind, [](const Counted *counted) { delete static_cast<const ExprNodeOf *>(counted); }),
        data(static_cast<Node &&>(node)) {}
};

inline Expr::Expr(const ExprNode *node) : node_(node) {}
inline DType Expr::type() const { return node_->type; }
template <class Node>
const Node *ExprNode::as() const {
  return kind_ == Node::node_kind ? &static_cast<const ExprNodeOf<Node> *>(this)->data : nullptr;
}
template <class Node>
const Node *Expr::as() const {
  return node_ ? node_->template as<Node>() : nullptr;
}

/// A new node. `build.hpp` checks types and folds; this does not.
template <class Node>
Expr make(DType type, Node node) {
  return Expr(new ExprNodeOf<Node>(type, static_cast<Node &&>(node)));
}

/// Calls `f` on the struct in `node`.
template <class F>
auto visit(const ExprNode &node, F &&f) {
  switch (node.kind()) {
    case ExprKind::constant: return f(*node.as<Const>());
    case ExprKind::var: return f(*node.as<VarRef>());
    case ExprKind::read: return f(*node.as<Read>());
    case ExprKind::load: return f(*node.as<Load>());
    case ExprKind::unary: return f(*node.as<Unary>());
    case ExprKind::binary: return f(*node.as<Binary>());
    case ExprKind::mul_add: return f(*node.as<MulAdd>());
    case ExprKind::select: return f(*node.as<Select>());
    case ExprKind::cast: return f(*node.as<Cast>());
    case ExprKind::ranged: return f(*node.as<Ranged>());
    case ExprKind::ramp: return f(*node.as<Ramp>());
    case ExprKind::broadcast: return f(*node.as<Broadcast>());
    case ExprKind::shuffle: return f(*node.as<Shuffle>());
    case ExprKind::call: return f(*node.as<Call>());
    case ExprKind::reduce: break;
  }
  return f(*node.as<Reduce>());
}

}  // namespace lathe::inline LATHE_ABI::ir
