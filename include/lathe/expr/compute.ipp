// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Making and checking computes and reductions.

#include <algorithm>
#include <limits>

#include "lathe/expr/compute.hpp"
#include "lathe/expr/tensor.ipp"
#include "lathe/ir/walk.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/lists.hpp"

namespace lathe::inline LATHE_ABI {

// ---- reductions ---------------------------------------------------------------------------------------------------------------

LATHE_INLINE ReduceAxis reduce_axis(const Dim &min, const Dim &extent, Label name, Location place) {
  const std::string text = name.or_else("k", place);
  tensors::check_extent(extent.untyped(), "axis " + text, place);
  return ReduceAxis(ir::Axis{ir::Var(text, scalar_types::index), min.untyped(), extent.untyped()});
}

LATHE_INLINE ReduceAxis reduce_axis(const Dim &extent, Label name, Location place) { return reduce_axis(0, extent, name, place); }

namespace reducing {

struct Rule {
  const char *name;
  ir::BinaryOp op;
};

LATHE_INLINE Rule rule_of(typing::Combine combine) {
  using typing::Combine;
  switch (combine) {
    case Combine::sum: return {"sum", ir::BinaryOp::add};
    case Combine::prod: return {"prod", ir::BinaryOp::mul};
    case Combine::min: return {"min", ir::BinaryOp::min};
    case Combine::max: return {"max", ir::BinaryOp::max};
    case Combine::any: return {"any", ir::BinaryOp::logical_or};
    case Combine::all: return {"all", ir::BinaryOp::logical_and};
  }
  fail_internal("an unknown reducer");
}

LATHE_INLINE ir::Expr identity_of(typing::Combine combine, DType type) {
  using typing::Combine;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  switch (combine) {
    case Combine::sum: return ir::zero_of(type);
    case Combine::prod: return ir::constant(type, std::int64_t{1});
    case Combine::min: return type.is_float() ? ir::constant(type, infinity) : ir::greatest_of(type);
    case Combine::max: return type.is_float() ? ir::constant(type, -infinity) : ir::least_of(type);
    case Combine::any: return ir::boolean(false);
    case Combine::all: return ir::boolean(true);
  }
  fail_internal("an unknown reducer");
}

}  // namespace reducing

namespace typing {

LATHE_INLINE ir::Reducer reducer(Combine combine, DType type) {
  const reducing::Rule rule = reducing::rule_of(combine);
  const ReducerDraft draft(type);
  auto *node = new ir::ReducerNode;
  node->name = rule.name;
  node->lhs = {draft.x};
  node->rhs = {draft.y};
  node->result = {ir::binary(rule.op, draft.x, draft.y)};
  node->identity = {reducing::identity_of(combine, type)};
  node->associative = node->commutative = true;
  return ir::Reducer(node);
}

LATHE_INLINE ReducerDraft::ReducerDraft(DType type) : x("x", type), y("y", type) {}

LATHE_INLINE ir::Reducer ReducerDraft::finish(std::string_view name, ir::Expr result, ir::Expr identity) const {
  auto *node = new ir::ReducerNode;
  node->name = std::string(name);
  node->lhs = {x};
  node->rhs = {y};
  node->result = {std::move(result)};
  node->identity = {std::move(identity)};
  return ir::Reducer(node);
}

LATHE_INLINE ir::Expr reduce(const ir::Reducer &reducer, ir::Expr source, const ir::Axis *const *axes, int count) {
  ir::Reduce reduce;
  const DType type = source.type();
  reduce.reducer = reducer;
  reduce.sources = {std::move(source)};
  for (int a = 0; a < count; ++a) {
    for (const ir::Axis &before : reduce.axes)
      if (before.var == axes[a]->var)
        fail("E004", {reducer->name, " reduces over axis ", before.var.name(), " twice"}, {},
             {{"help", "name each axis once", {}}});
    reduce.axes.push_back(*axes[a]);
  }
  return ir::make(type, std::move(reduce));
}

LATHE_INLINE ir::Expr with_where(const ir::Expr &reduction, ir::Expr condition) {
  ir::Reduce reduce = *reduction.as<ir::Reduce>();
  reduce.where = ir::both(std::move(reduce.where), std::move(condition));
  return ir::make(reduction.type(), std::move(reduce));
}

LATHE_INLINE ir::Expr with_init(const ir::Expr &reduction, ir::Expr init) {
  ir::Reduce reduce = *reduction.as<ir::Reduce>();
  reduce.init = {std::move(init)};
  return ir::make(reduction.type(), std::move(reduce));
}

}  // namespace typing

// ---- computes -----------------------------------------------------------------------------------------------------------------

namespace computing {

/// Splits "conv(n, c)" into the name and the names of the axes; without brackets the axes get default names.
LATHE_INLINE List<std::string> axis_names(std::string &name, int rank, const Location &place) {
  List<std::string> names;
  const auto open = name.find('(');
  if (open == std::string::npos) {
    for (int d = 0; d < rank; ++d)
      names.push_back(rank <= 2 ? std::string(1, static_cast<char>('i' + d)) : "i" + std::to_string(d));
    return names;
  }
  std::string word;
  for (const char c : name.substr(open + 1)) {
    if (c == ',' || c == ')')
      names.push_back(std::exchange(word, {}));
    else if (c != ' ')
      word += c;
  }
  if (name.back() != ')')
    fail("E011", {"\"", name, "\" names axes, but does not end with a bracket"}, place,
         {{"help", "write one name per extent, as in  \"C(i, j)\",  or the name of the tensor alone", {}}});
  if (static_cast<int>(names.size()) != rank || std::count(names.begin(), names.end(), std::string()) != 0)
    fail("E011", {"\"", name, "\" names ", names.size(), " axes, the shape has ", rank}, place,
         {{"help", "write one name per extent, as in  \"C(i, j)\",  or the name of the tensor alone", {}}});
  name.resize(open);
  return names;
}

/// Refuses index variables that nothing binds: an axis of another compute, or a reduction axis outside its reduction.
LATHE_INLINE void check_free(const ir::Expr &e, const List<ir::Var> &known, const char *where) {
  if (!e.defined()) return;
  for (const ir::Var &var : ir::free_vars(e)) {
    if (!var.type().is_index() || var.nonnegative() || lists::contains(known, var)) continue;
    fail("E003", {"axis ", var.name(), " is used in ", where, ", where it has no value"}, {},
         {{"why", "an axis has a value only within its own compute, and a reduction axis only within a reduction over it", {}},
          {"help", {"reduce over it,  sum(e, ", var.name(), "),  or use an axis of this compute"}, {}}});
  }
}

LATHE_INLINE void check_body(const ir::Expr &body, const List<ir::Var> &axes) {
  const auto *reduce = body.as<ir::Reduce>();
  if (!reduce) return check_free(body, axes, "the expression");
  List<ir::Var> known = axes;
  for (const ir::Expr &init : reduce->init) check_free(init, axes, "the reduction's init");
  for (const ir::Axis &axis : reduce->axes) {
    check_free(axis.min, known, "the domain of a reduction axis");
    check_free(axis.extent, known, "the domain of a reduction axis");
    known.push_back(axis.var);
  }
  for (const ir::Expr &source : reduce->sources) check_free(source, known, "the reduction");
  check_free(reduce->where, known, "the reduction's condition");
}

}  // namespace computing

LATHE_INLINE ir::Tensor typing::compute(DType type, const Dim *dims, int rank, BodyCall body, const Label &name,
                                        const Location &place) {
  ir::OperationNode operation;
  operation.kind = ir::OperationKind::compute;
  operation.name = name.or_else("compute", place);
  operation.place = place;
  operation.types = {type};
  const auto names = computing::axis_names(operation.name, rank, place);
  try {
    tensors::set_shape(operation, dims, rank);
    for (const ir::Expr &extent : operation.shape) computing::check_free(extent, {}, "an extent");
    List<ir::Expr> indices;
    for (const std::string &axis : names) {
      operation.axes.emplace_back(axis, DType(scalar_types::index));
      indices.push_back(operation.axes.back());
    }
    operation.bodies = {body.call(body.body, indices.data())};
    computing::check_body(operation.bodies.front(), operation.axes);
  } catch (const Error &error) {
    fail_again(error, place, operation.name);
  }
  return tensors::finish(std::move(operation));
}

}  // namespace lathe::inline LATHE_ABI
