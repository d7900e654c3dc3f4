// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Well-formedness, checked node by node: types first, then names along the paths of statements.

#include <algorithm>
#include <utility>

#include "lathe/ir/build.ipp"
#include "lathe/ir/print.hpp"
#include "lathe/ir/verify.hpp"
#include "lathe/ir/walk.ipp"
#include "lathe/support/hash_map.hpp"

namespace lathe::inline LATHE_ABI::ir {

namespace verifying {

/// What is wrong with one node whose children are right, or null.
class NodeCheck {
 public:
  explicit NodeCheck(const Expr &e) : e_(e), type_(e.type()) {}

  const char *fault() const {
    switch (e_.node()->kind()) {
      case ExprKind::constant: return type_.lanes() == 1 ? nullptr : "a constant has one lane";
      case ExprKind::var:
        return type_ == e_.as<VarRef>()->var.type() ? nullptr : "a variable's use has another type than the variable";
      case ExprKind::read: return "a read of a tensor remains";
      case ExprKind::load: return load(*e_.as<Load>());
      case ExprKind::unary: return unary(*e_.as<Unary>());
      case ExprKind::binary: return binary(*e_.as<Binary>());
      case ExprKind::mul_add: {
        const MulAdd &m = *e_.as<MulAdd>();
        return is(m.a, type_) && is(m.b, type_) && is(m.c, type_) ? nullptr : "the operands of mul_add have another type than it";
      }
      case ExprKind::select: return select(*e_.as<Select>());
      case ExprKind::cast: return cast(*e_.as<Cast>());
      case ExprKind::ranged: {
        const Ranged &r = *e_.as<Ranged>();
        const bool same = is(r.a, type_) && is(r.min, type_) && is(r.max, type_);
        return same && type_.is_integer() ? nullptr : "value and ends of a range are integers of one type";
      }
      case ExprKind::ramp: {
        const Ramp &r = *e_.as<Ramp>();
        const bool scalar = is(r.base, type_.element()) && is(r.stride, type_.element());
        return scalar && type_.is_integer() && type_.is_vector() ? nullptr : "a ramp makes a vector of a scalar base and stride";
      }
      case ExprKind::broadcast:
        return is(e_.as<Broadcast>()->a, type_.element()) && type_.is_vector() ? nullptr
                                                                               : "a broadcast makes a vector of a scalar";
      case ExprKind::shuffle: return shuffle(*e_.as<Shuffle>());
      case ExprKind::call:
        for (const Expr &a : e_.as<Call>()->arguments)
          if (!a.defined() || a.lanes() != type_.lanes()) return "arguments of a call have its lanes";
        return nullptr;
      case ExprKind::reduce: return "a reduction remains";
    }
    return "a node of no kind";
  }

 private:
  static bool is(const Expr &e, DType type) { return e.defined() && e.type() == type; }

  const char *load(const Load &l) const {
    if (l.indices.size() != l.buffer->shape.size()) return "the number of indices is not the rank of the buffer";
    int lanes = 1;
    for (const Expr &i : l.indices) {
      if (!i.defined() || !i.type().is_index()) return "an index is not of type index";
      if (i.lanes() > 1 && lanes > 1 && i.lanes() != lanes) return "indices have different numbers of lanes";
      lanes = std::max(lanes, i.lanes());
    }
    if (type_ != l.buffer->type.with_lanes(lanes)) return "a load has another type than its buffer and indices give";
    return predicate_fault(l.predicate, lanes);
  }

  const char *unary(const Unary &u) const {
    if (!u.a.defined() || !building::accepts(u.op, u.a.type())) return "an operator does not take this operand";
    return type_ == building::result_of(u.op, u.a.type()) ? nullptr : "an operator has another type than its operand gives";
  }

  const char *binary(const Binary &b) const {
    if (!b.a.defined() || !b.b.defined() || b.a.type() != b.b.type())
      return "the operands of an operator differ in type or lanes";
    if (!building::accepts(b.op, b.a.type())) return "an operator does not take these operands";
    const DType result = gives_bool(b.op) ? DType(scalar_types::boolean, b.a.lanes()) : b.a.type();
    return type_ == result ? nullptr : "an operator has another type than its operands give";
  }

  const char *select(const Select &s) const {
    if (!is(s.condition, DType(scalar_types::boolean, type_.lanes()))) return "the condition of a select is bool with its lanes";
    return is(s.a, type_) && is(s.b, type_) ? nullptr : "the arms of a select have another type than it";
  }

  const char *cast(const Cast &c) const {
    if (!c.a.defined() || c.a.lanes() != type_.lanes()) return "a cast keeps the lanes";
    const bool custom = type_.kind() == Kind::custom || c.a.type().kind() == Kind::custom;
    return c.mode != CastMode::reinterpret || custom || c.a.type().bits() == type_.bits() ? nullptr
                                                                                          : "reinterpreting keeps the width";
  }

  const char *shuffle(const Shuffle &s) const {
    int total = 0;
    for (const Expr &v : s.vectors) {
      if (!v.defined() || v.type().element() != type_.element()) return "a shuffle's vectors have another element type than it";
      total += v.lanes();
    }
    for (const int lane : s.lanes)
      if (lane < 0 || lane >= total) return "a shuffle picks a lane that does not exist";
    return static_cast<int>(s.lanes.size()) == type_.lanes() ? nullptr : "a shuffle has another number of lanes than it picks";
  }

 public:
  /// Predicates of loads and stores: bool, for all lanes or for each.
  static const char *predicate_fault(const Expr &predicate, int lanes) {
    if (!predicate.defined()) return nullptr;
    if (!predicate.type().is_bool()) return "a predicate is not bool";
    return predicate.lanes() == 1 || predicate.lanes() == lanes ? nullptr : "a predicate has other lanes than its access";
  }

 private:
  const Expr &e_;
  DType type_;
};

/// Checks the statements of a program, with the names that are in scope.
class Verifier {
 public:
  Verifier(std::uint32_t form, const std::string &after) : form_(form), after_(after) {}

  void program(const Program &program) {
    ensure(!program.functions.empty(), "a program has a function");
    for (const Function &f : program.functions) {
      vars_.clear();
      buffers_.clear();
      here_ = "the parameters of " + f.name;
      for (const Parameter &p : f.parameters) parameter(p);
      for (const Parameter &p : f.parameters)
        if (p.buffer.defined()) extents(p.buffer);
      if (&f == &program.functions.front())
        for (const Requirement &r : program.requirements) {
          here_ = composed({"the requirement \"", r.text, "\""});
          condition(r.condition);
        }
      require(f.body.defined(), "a function has a body");
      statement(f.body);
    }
  }

 private:
  [[noreturn]] void fail(const Phrase &what) const {
    std::string where = here_;
    if (statement_) {
      where = to_string(*statement_);
      std::size_t end = 0;
      for (int lines = 0; lines < most_lines && end != std::string::npos; ++lines) end = where.find('\n', end + 1);
      if (end != std::string::npos) where.resize(end), where += "\n…";
    }
    fail_internal({"after ", after_, ": ", what, ", in\n", where});
  }
  void require(bool holds, const Phrase &rule) const {
    if (!holds) fail(rule);
  }

  void parameter(const Parameter &p) {
    if (p.kind == ParameterKind::function) return;
    if (p.kind == ParameterKind::scalar) {
      require(p.var.defined(), "a scalar parameter has a variable");
      return require(vars_.insert(p.var.node()), {"parameter ", p.name, " appears twice"});
    }
    require(p.buffer.defined(), "a parameter in memory has a buffer");
    require(buffers_.insert(p.buffer.node()), {"parameter ", p.name, " appears twice"});
  }

  void expression(const Expr &root, const Phrase &what) {
    if (!root.defined()) fail({what, " is missing"});
    walk(root, [&](const Expr &e) {
      if (sound_.insert(e.node())) {
        if (const char *fault = NodeCheck(e).fault()) fail({fault, ": ", to_string(e)});
        if ((form_ & form_scalar) && e.lanes() > 1) fail({"a value has lanes: ", to_string(e)});
        const auto *s = e.as<Select>();
        if ((form_ & form_no_guarding_selects) && s && s->guards) fail({"a select guards: ", to_string(e)});
      }
      if (const auto *v = e.as<VarRef>(); v && !vars_.contains(v->var.node()))
        fail({"variable ", v->var.name(), " is used where it is not defined"});
      if (const auto *l = e.as<Load>()) accessible(l->buffer);
    });
  }

  void condition(const Expr &e) {
    expression(e, "a condition");
    require(e.type().is_bool(), "a condition is not bool");
  }

  void accessible(const Buffer &b) const {
    if (!buffers_.contains(b.node())) fail({"buffer ", b->name, " is used where it is not defined"});
  }

  void extents(const Buffer &b) {
    for (const Expr &e : b->shape) expression(e, "an extent"), require(e.type().is_index(), "an extent is not an index");
    for (const Expr &e : b->strides) expression(e, "a stride"), require(e.type().is_index(), "a stride is not an index");
    require(b->strides.empty() || b->strides.size() == b->shape.size(), "a buffer has not one stride per dimension");
  }

  void enter(NodeSet &scope, const void *name, const Phrase &text) {
    require(scope.insert(name), {text, " is defined again within its own scope"});
  }

  /// Checks `body` with `name` in scope.
  void within(NodeSet &scope, const void *name, const Phrase &text, const Stmt &body) {
    enter(scope, name, text);
    require(body.defined(), "a body is missing");
    statement(body);
    scope.erase(name);
  }

  void statement(const Stmt &s) {
    const Stmt *outer = std::exchange(statement_, &s);
    switch (s.node()->kind()) {
      case StmtKind::loop: loop(*s.as<For>()); break;
      case StmtKind::block:
        for (const Stmt &nested : s.as<Block>()->body) require(nested.defined(), "a statement is missing"), statement(nested);
        break;
      case StmtKind::store: store(*s.as<Store>()); break;
      case StmtKind::allocate: {
        const Allocate &a = *s.as<Allocate>();
        for (const Buffer &b : a.buffers) extents(b);
        for (const Buffer &b : a.buffers) enter(buffers_, b.node(), {"buffer ", b->name});
        require(a.body.defined(), "a body is missing");
        statement(a.body);
        for (const Buffer &b : a.buffers) buffers_.erase(b.node());
        break;
      }
      case StmtKind::branch: branch(*s.as<If>()); break;
      case StmtKind::bind: {
        const Bind &b = *s.as<Bind>();
        expression(b.value, "a value");
        require(b.value.type() == b.var.type(), "a variable is bound to a value of another type");
        within(vars_, b.var.node(), {"variable ", b.var.name()}, b.body);
        break;
      }
      case StmtKind::check:
        condition(s.as<Check>()->condition);
        require(s.as<Check>()->condition.lanes() == 1, "the condition of a check has lanes");
        break;
      case StmtKind::evaluate: expression(s.as<Evaluate>()->value, "a value"); break;
      case StmtKind::prefetch: prefetch(*s.as<Prefetch>()); break;
    }
    statement_ = outer;
  }

  void prefetch(const Prefetch &p) {
    accessible(p.buffer);
    require(p.indices.size() == p.buffer->shape.size(), "a prefetch has not one index per dimension");
    for (const Expr &index : p.indices) {
      expression(index, "an index");
      require(index.type() == DType(scalar_types::index), "an index of a prefetch is not a scalar index");
    }
  }

  void loop(const For &f) {
    expression(f.min, "the start of a loop");
    expression(f.extent, "the extent of a loop");
    require(f.var.type() == DType(scalar_types::index), "a loop variable is not an index");
    require(f.min.type().is_index() && f.extent.type().is_index(), "the bounds of a loop are not of type index");
    if (form_ & form_scalar_conditions) require(f.min.lanes() == 1 && f.extent.lanes() == 1, "the bounds of a loop have lanes");
    if (form_ & form_no_vectorized_loops) require(f.kind != LoopKind::vectorized, "a loop is still vectorized");
    if (form_ & form_no_unrolled_loops) require(f.kind != LoopKind::unrolled, "a loop is still unrolled");
    within(vars_, f.var.node(), {"variable ", f.var.name()}, f.body);
  }

  void store(const Store &s) {
    accessible(s.buffer);
    expression(s.value, "the value of a store");
    require(s.indices.size() == s.buffer->shape.size(), "the number of indices is not the rank of the buffer");
    int lanes = 1;
    for (const Expr &i : s.indices) {
      expression(i, "an index");
      require(i.type().is_index(), "an index is not of type index");
      require(i.lanes() == 1 || lanes == 1 || i.lanes() == lanes, "indices have different numbers of lanes");
      lanes = std::max(lanes, i.lanes());
    }
    require(s.value.type() == s.buffer->type.with_lanes(lanes),
            "the value of a store has another type than its buffer and indices give");
    if (!s.predicate.defined()) return;
    expression(s.predicate, "a predicate");
    if (const char *fault = NodeCheck::predicate_fault(s.predicate, lanes)) fail(fault);
  }

  void branch(const If &i) {
    condition(i.condition);
    if (form_ & form_scalar_conditions) require(i.condition.lanes() == 1, "the condition of an if has lanes");
    require(i.then_body.defined(), "a body is missing");
    statement(i.then_body);
    if (i.else_body.defined()) statement(i.else_body);
  }

  static constexpr int most_lines = 12;

  std::uint32_t form_;
  const std::string &after_;
  std::string here_;                 ///< what is being checked outside of statements
  const Stmt *statement_ = nullptr;  ///< the statement being checked
  NodeSet vars_, buffers_;           ///< in scope
  NodeSet sound_;                    ///< nodes found well-typed
};

}  // namespace verifying

LATHE_INLINE void verify(const Program &program, std::uint32_t form, const std::string &after) {
  verifying::Verifier(form, after).program(program);
}

}  // namespace lathe::inline LATHE_ABI::ir
