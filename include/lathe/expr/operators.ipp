// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Tensor-level operators as computes.

#include <algorithm>
#include <span>

#include "lathe/expr/compute.ipp"
#include "lathe/expr/layout.hpp"
#include "lathe/expr/operators.hpp"
#include "lathe/ir/print.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/lists.hpp"

namespace lathe::inline LATHE_ABI {

namespace tensor_operators {

/// `typing::compute` with a body over a vector of axes.
template <class Body>
ir::Tensor compute(DType type, const List<Dim> &dims, const Body &body, const Label &name, const Location &place) {
  struct Call {
    const Body *body;
    std::size_t rank;
  } call{&body, dims.size()};
  return typing::compute(type, dims.data(), static_cast<int>(dims.size()),
                         {&call,
                          [](void *c, const ir::Expr *axes) {
                            const auto *self = static_cast<const Call *>(c);
                            return (*self->body)(List<ir::Expr>(axes, axes + self->rank));
                          }},
                         name, place);
}

LATHE_INLINE std::string shape_text(const ir::Tensor &tensor) {
  std::string text = "[";
  for (const ir::Expr &extent : ir::shape_of(tensor)) text += (text.size() > 1 ? ", " : "") + ir::to_string(extent);
  return text + "]";
}

LATHE_INLINE Label name_or(const Label &name, const char *otherwise) { return name.text().empty() ? Label(otherwise) : name; }

[[noreturn]] LATHE_INLINE void misfit(const char *function, const Phrase &what, const Location &place, const char *help) {
  fail("E008", {function, "(): ", what}, place, {{"help", help, {}}});
}

/// Dimension d, counted from the last, of the result's and the last tensor's shape meet. Returns the extent of the result.
LATHE_INLINE Dim meet(const Dim &a, const Dim &b, std::span<const ir::Tensor> tensors) {
  if (ir::is_constant(a.untyped(), 1)) return b;
  if (ir::is_constant(b.untyped(), 1)) return a;
  if (ir::equal(a.untyped(), b.untyped())) return a.name().empty() ? b : a;
  std::string shapes;
  List<Note> notes;
  for (const ir::Tensor &tensor : tensors) {
    if (!tensor.operation) continue;
    shapes += (shapes.empty() ? "" : " and ") + shape_text(tensor);
    notes.push_back({"note", composed({ir::name_of(tensor), " has the shape ", shape_text(tensor)}), tensor.operation->place});
  }
  notes.push_back({"why", "shapes are aligned at their last dimensions, where extents are equal or one of them is 1", {}});
  notes.push_back({"help", "say by compute() which elements meet", {}});
  fail("E007",
       {"shapes ", shapes, " do not broadcast: extents ", ir::to_string(a.untyped()), " and ", ir::to_string(b.untyped()),
        " differ"},
       {}, notes);
}

}  // namespace tensor_operators

LATHE_INLINE ir::Tensor typing::elementwise(DType type, const ir::Tensor *tensors, int count, ElementCall element,
                                            const char *name) {
  List<Dim> dims;  // of the result, last dimension first
  for (int t = 0; t < count; ++t) {
    if (!tensors[t].operation) continue;
    const List<Dim> own = dims_of(tensors[t]);
    for (std::size_t d = 0; d < own.size(); ++d) {
      const Dim &extent = own[own.size() - 1 - d];
      if (d < dims.size())
        dims[d] = tensor_operators::meet(dims[d], extent, {tensors, static_cast<std::size_t>(t) + 1});
      else
        dims.push_back(extent);
    }
  }
  std::reverse(dims.begin(), dims.end());
  return tensor_operators::compute(type, dims,
                                   [&](const List<ir::Expr> &axes) {
                                     List<ir::Expr> elements(static_cast<std::size_t>(count));
                                     for (int t = 0; t < count; ++t) {
                                       if (!tensors[t].operation) continue;
                                       const auto &shape = ir::shape_of(tensors[t]);
                                       List<ir::Expr> at(axes.end() - static_cast<std::ptrdiff_t>(shape.size()), axes.end());
                                       for (std::size_t d = 0; d < shape.size(); ++d)
                                         if (ir::is_constant(shape[d], 1)) at[d] = 0;
                                       elements[static_cast<std::size_t>(t)] = ir::read(tensors[t], std::move(at));
                                     }
                                     return element.call(element.operands, elements.data());
                                   },
                                   name, {});
}

namespace typing {

LATHE_INLINE ir::Tensor transpose(const ir::Tensor &tensor, const int *order, const Label &name, const Location &place) {
  const List<Dim> dims = dims_of(tensor);
  const int rank = static_cast<int>(dims.size());
  List<int> from;
  for (int d = 0; d < rank; ++d) {
    const int source = order ? order[d] : rank - 1 - d;
    if (source < 0 || source >= rank || lists::contains(from, source))
      tensor_operators::misfit("transpose",
                               {"dimension ", source, source < 0 || source >= rank ? " does not exist" : " is named twice"},
                               place, "name each dimension once, counted from 0,  transpose(A, {1, 0})");
    from.push_back(source);
  }
  List<Dim> shape;
  for (const int source : from) shape.push_back(dims[static_cast<std::size_t>(source)]);
  return tensor_operators::compute(
      ir::type_of(tensor), shape,
      [&](const List<ir::Expr> &axes) {
        List<ir::Expr> at(axes.size());
        for (std::size_t d = 0; d < axes.size(); ++d) at[static_cast<std::size_t>(from[d])] = axes[d];
        return ir::read(tensor, std::move(at));
      },
      tensor_operators::name_or(name, "transpose"), place);
}

LATHE_INLINE ir::Tensor reshape(const ir::Tensor &tensor, const Dim *dims, int rank, const Label &name, const Location &place) {
  const List<Dim> shape(dims, dims + rank);
  const auto &source = ir::shape_of(tensor);
  ir::Expr before = 1, after = 1;
  for (const ir::Expr &extent : source) before = before * extent;
  for (const Dim &extent : shape) after = after * extent.untyped();
  const auto count = ir::constant_integer(before), wanted = ir::constant_integer(after);
  if (count && wanted && *count != *wanted)
    tensor_operators::misfit("reshape", {ir::name_of(tensor), " has ", *count, " elements, the shape ", *wanted}, place,
                             "choose extents whose product is the number of elements");
  return tensor_operators::compute(
      ir::type_of(tensor), shape,
      [&](const List<ir::Expr> &axes) {
        ir::Expr linear = 0;
        for (std::size_t d = 0; d < axes.size(); ++d) linear = linear * shape[d].untyped() + axes[d];
        List<ir::Expr> at(source.size());
        for (std::size_t d = source.size(); d-- > 0;) {
          at[d] = d == 0 ? linear : linear % source[d];
          linear = linear / source[d];
        }
        return ir::read(tensor, std::move(at));
      },
      tensor_operators::name_or(name, "reshape"), place);
}

LATHE_INLINE ir::Tensor concat(const ir::Tensor *parts, int count, int axis, const Label &name, const Location &place) {
  List<Dim> shape = dims_of(parts[0]);
  if (axis < 0 || axis >= static_cast<int>(shape.size()))
    tensor_operators::misfit("concat", {"axis ", axis, " does not exist"}, place, "count dimensions from 0,  concat({A, B}, 1)");
  const auto along = static_cast<std::size_t>(axis);
  List<ir::Expr> starts{0};
  for (int p = 0; p < count; ++p) {
    const auto &extents = ir::shape_of(parts[p]);
    for (std::size_t d = 0; d < shape.size(); ++d)
      if (d != along && !ir::equal(extents[d], shape[d].untyped()))
        tensor_operators::misfit("concat",
                                 {"dimension ", d, " is ", ir::to_string(shape[d].untyped()), " in ", ir::name_of(parts[0]),
                                  " and ", ir::to_string(extents[d]), " in ", ir::name_of(parts[p])},
                                 place, "all extents but the one along the axis are equal");
    starts.push_back(starts.back() + extents[along]);
  }
  shape[along] = Dim(Index(starts.back()));
  return tensor_operators::compute(
      ir::type_of(parts[0]), shape,
      [&](List<ir::Expr> at) {
        const ir::Expr index = at[along];
        ir::Expr element;
        for (int p = count; p-- > 0;) {
          at[along] = index - starts[static_cast<std::size_t>(p)];
          const ir::Expr own = ir::read(parts[p], at);
          element = element.defined() ? ir::select(index < starts[static_cast<std::size_t>(p) + 1], own, element, true) : own;
        }
        return element;
      },
      tensor_operators::name_or(name, "concat"), place);
}

LATHE_INLINE ir::Tensor slice(const ir::Tensor &tensor, const Dim *begin, const Dim *end, const Dim *step, const Label &name,
                              const Location &place) {
  const List<Dim> dims = dims_of(tensor);
  List<Dim> shape;
  const auto refuse_if = [&](const ir::Expr &condition, std::size_t d) {
    if (ir::is_true(condition))
      tensor_operators::misfit(
          "slice",
          {"dimension ", d, " of ", ir::name_of(tensor), " has ", ir::to_string(dims[d].untyped()),
           " elements, which do not contain ", ir::to_string(begin[d].untyped()), " to ", ir::to_string(end[d].untyped())},
          place, "0 <= begin <= end <= extent, and steps are at least 1");
  };
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const ir::Expr first = begin[d].untyped(), last = end[d].untyped(), by = step ? step[d].untyped() : ir::Expr(1);
    for (const ir::Expr &bad : {first<0, last> dims[d].untyped(), first > last, by < 1}) refuse_if(bad, d);
    shape.emplace_back(Index((last - first + (by - 1)) / by));
  }
  return tensor_operators::compute(
      ir::type_of(tensor), shape,
      [&](const List<ir::Expr> &axes) {
        List<ir::Expr> at;
        for (std::size_t d = 0; d < axes.size(); ++d)
          at.push_back(begin[d].untyped() + (step ? axes[d] * step[d].untyped() : axes[d]));
        return ir::read(tensor, std::move(at));
      },
      tensor_operators::name_or(name, "slice"), place);
}

LATHE_INLINE ir::Tensor pad(const ir::Tensor &tensor, const Dim *before, const Dim *after, const ir::Expr &value,
                            const Label &name, const Location &place) {
  const List<Dim> dims = dims_of(tensor);
  List<Dim> shape;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    for (const Dim *side : {&before[d], &after[d]})
      if (const auto width = ir::constant_integer(side->untyped()); width && *width < 0)
        tensor_operators::misfit("pad", {"a width of dimension ", d, " is negative"}, place, "cut elements off by slice()");
    shape.push_back(dims[d] + before[d] + after[d]);
  }
  return tensor_operators::compute(
      ir::type_of(tensor), shape,
      [&](List<ir::Expr> at) {
        ir::Expr inside;
        for (std::size_t d = 0; d < at.size(); ++d) {
          const ir::Expr low = before[d].untyped(), axis = at[d];
          at[d] = axis - low;
          if (!ir::is_constant(low, 0)) inside = ir::both(inside, axis >= low);
          if (!ir::is_constant(after[d].untyped(), 0)) inside = ir::both(inside, axis < low + dims[d].untyped());
        }
        const ir::Expr element = ir::read(tensor, std::move(at));
        return inside.defined() ? ir::select(inside, element, value, true) : element;
      },
      tensor_operators::name_or(name, "pad"), place);
}

}  // namespace typing

}  // namespace lathe::inline LATHE_ABI
