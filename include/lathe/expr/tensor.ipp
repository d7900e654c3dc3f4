// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Extents, placeholders and data.

#include <cstring>

#include "lathe/expr/tensor.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI {

LATHE_INLINE std::string Label::or_else(const char *kind, const Location &place) const {
  return text_.empty() ? kind + std::to_string(place.line) : std::string(text_);
}

LATHE_INLINE SizeVar size_var(std::string_view name) { return SizeVar(ir::Var(std::string(name), scalar_types::index, true)); }

namespace tensors {

/// Refuses an extent that is known to be negative.
LATHE_INLINE void check_extent(const ir::Expr &extent, const std::string &of, const Location &place) {
  if (const auto value = ir::constant_integer(extent); value && *value < 0)
    fail("E002", {"the extent of ", of, " is ", *value, ": extents are 0 or more"}, place,
         {{"help", "check the arithmetic of the extent; an empty dimension is 0", {}}});
}

/// Gives an operation its shape.
LATHE_INLINE void set_shape(ir::OperationNode &operation, const Dim *dims, int rank) {
  bool named = false;
  for (int d = 0; d < rank; ++d) {
    check_extent(dims[d].untyped(), composed({"dimension ", d, " of ", operation.name}), operation.place);
    operation.shape.push_back(dims[d].untyped());
    named = named || !dims[d].name().empty();
  }
  for (int d = 0; named && d < rank; ++d) operation.extent_names.push_back(dims[d].name());
}

LATHE_INLINE ir::Tensor finish(ir::OperationNode operation) {
  return ir::Tensor{ir::Operation(new ir::OperationNode(std::move(operation))), 0};
}

}  // namespace tensors

LATHE_INLINE Dim dim(std::string_view name, std::int64_t extent, Location place) {
  tensors::check_extent(extent, std::string(name), place);
  return Dim(Index(extent), name);
}

LATHE_INLINE void AnyTensor::check(DType type, int expected_rank, const Location &place) const {
  if (this->type() == type && rank() == expected_rank) return;
  fail("E013",
       {name(), " has elements of ", to_string(this->type()), " in ", rank(), " dimensions, not of ", to_string(type), " in ",
        expected_rank},
       place);
}

namespace typing {

LATHE_INLINE ir::Expr read(const ir::Tensor &tensor, const ir::Expr *indices, int rank) {
  return ir::read(tensor, List<ir::Expr>(indices, indices + rank));
}

LATHE_INLINE List<Dim> dims_of(const ir::Tensor &tensor) {
  List<Dim> dims;
  const auto &names = tensor.operation->extent_names;
  for (const ir::Expr &extent : ir::shape_of(tensor))
    dims.emplace_back(Index(extent), names.empty() ? std::string_view() : std::string_view(names[dims.size()]));
  return dims;
}

LATHE_INLINE ir::Var scalar(DType type, std::string_view name) { return ir::Var(std::string(name), type); }

LATHE_INLINE ir::Tensor placeholder(DType type, const Dim *dims, int rank, const Label &name, const Location &place) {
  ir::OperationNode operation;
  operation.kind = ir::OperationKind::placeholder;
  operation.name = name.or_else("input", place);
  operation.place = place;
  operation.types = {type};
  tensors::set_shape(operation, dims, rank);
  return tensors::finish(std::move(operation));
}

LATHE_INLINE ir::Tensor with_strides(const ir::Tensor &placeholder, const Dim *strides, int rank, const Location &place) {
  ir::OperationNode operation = *placeholder.operation;
  operation.memory.strides.clear();
  for (int d = 0; d < rank; ++d) {
    if (const auto value = ir::constant_integer(strides[d].untyped()); value && *value < 0)
      fail("E012", {"stride ", d, " of ", operation.name, " is ", *value, ": strides are 0 or more"}, place);
    operation.memory.strides.push_back(strides[d].untyped());
  }
  return tensors::finish(std::move(operation));
}

LATHE_INLINE ir::Tensor with_alignment(const ir::Tensor &placeholder, int bytes, const Location &place) {
  ir::OperationNode operation = *placeholder.operation;
  if (bytes < operation.types.front().bytes() || (bytes & (bytes - 1)) != 0)
    fail("E012",
         {operation.name, " cannot be aligned to ", bytes, " bytes: an alignment is a power of two, at least the ",
          operation.types.front().bytes(), " of an element"},
         place);
  operation.memory.alignment = bytes;
  return tensors::finish(std::move(operation));
}

LATHE_INLINE ir::Tensor with_column_major(const ir::Tensor &placeholder) {
  ir::OperationNode operation = *placeholder.operation;
  operation.memory.strides.clear();
  ir::Expr stride = 1;
  for (const ir::Expr &extent : operation.shape) {
    operation.memory.strides.push_back(stride);
    stride = stride * extent;
  }
  return tensors::finish(std::move(operation));
}

LATHE_INLINE ir::Tensor constant(DType type, const void *elements, const std::int64_t *shape, const std::int64_t *strides,
                                 int rank, const Label &name, const Location &place) {
  ir::OperationNode operation;
  operation.kind = ir::OperationKind::constant;
  operation.name = name.or_else("constant", place);
  operation.place = place;
  operation.types = {type};
  std::int64_t count = 1;
  for (int d = 0; d < rank; ++d) {
    if (shape[d] < 0 || (strides && strides[d] < 0))
      fail("E009", {"dimension ", d, " of ", operation.name, " has a negative extent or stride"}, place,
           {{"help", "copy the elements into an Array, which holds them in order", {}}});
    operation.shape.push_back(shape[d]);
    count *= shape[d];
  }
  const auto size = static_cast<std::size_t>(type.bytes());
  std::shared_ptr<List<std::byte>> data(new List<std::byte>(static_cast<std::size_t>(count) * size));
  List<std::int64_t> index(static_cast<std::size_t>(rank), 0);
  for (std::int64_t n = 0; n < count; ++n) {
    std::int64_t from = strides ? 0 : n;
    for (int d = 0; strides && d < rank; ++d) from += index[static_cast<std::size_t>(d)] * strides[d];
    std::memcpy(data->data() + static_cast<std::size_t>(n) * size,
                static_cast<const std::byte *>(elements) + static_cast<std::size_t>(from) * size, size);
    for (int d = rank; d-- > 0;) {
      if (++index[static_cast<std::size_t>(d)] < shape[d]) break;
      index[static_cast<std::size_t>(d)] = 0;
    }
  }
  operation.data = std::move(data);
  return tensors::finish(std::move(operation));
}

}  // namespace typing

}  // namespace lathe::inline LATHE_ABI
