// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Whole tensors, producers before consumers.

#include <cstring>

#include "lathe/codegen/reference_tape.ipp"
#include "lathe/ir/build.hpp"
#include "lathe/support/hash_map.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/lists.hpp"

namespace lathe::inline LATHE_ABI::codegen {

namespace reference_evaluation {

LATHE_INLINE std::int64_t product_of(const List<std::int64_t> &extents) {
  std::int64_t product = 1;
  for (const std::int64_t extent : extents) {
    if (extent == 0) return 0;  // beside it the others may overflow
    product = static_cast<std::int64_t>(static_cast<std::uint64_t>(product) * static_cast<std::uint64_t>(extent));
  }
  return product;
}

/// Whether the bytes of so many elements can be counted, whatever their type.
LATHE_INLINE bool is_countable(const List<std::int64_t> &extents) {
  std::int64_t product = 16;
  bool countable = true;
  for (const std::int64_t extent : extents) {
    if (extent == 0) return true;
    countable = countable && !__builtin_mul_overflow(product, extent, &product);
  }
  return countable;
}

// Steps `position` through [0, extents) in row-major order; false after the last.
LATHE_INLINE bool advance(List<std::int64_t> &position, const List<std::int64_t> &extents) {
  for (std::size_t i = position.size(); i-- > 0;) {
    if (++position[i] < extents[i]) return true;
    position[i] = 0;
  }
  return false;
}

/// Everything evaluated so far.
class Evaluation {
 public:
  Evaluation(const ReferenceInputs &inputs, Arithmetic arithmetic) : inputs_(inputs), arithmetic_(arithmetic) {
    bind_sizes();
    for (const auto &[tensor, array] : inputs.tensors) place_input(tensor, array);
  }

  /// Evaluates what `root` needs, then it.
  void require(const ir::Operation &root);
  const Storage &storage_of(const ir::Tensor &tensor) const;

 private:
  void bind_sizes();
  void place_input(const ir::Tensor &tensor, const ReferenceArray &array);
  bool is_given(const ir::Operation &operation) const {
    const auto *found = storages_.find(operation.get());
    if (!found || found->second.size() < operation->types.size()) return false;
    return lists::all_of(found->second, [](const auto &storage) { return storage.has_value(); });
  }
  void evaluate(const ir::Operation &operation);
  void evaluate_constant(const ir::Operation &operation);

  friend class OperationEvaluation;
  const ReferenceInputs &inputs_;
  Arithmetic arithmetic_;
  List<std::pair<ir::Var, ir::Bits>> scalars_;
  NodeMap<List<std::optional<Storage>>> storages_;
};

/// The evaluation of one computed operation: its registers, tapes and loops.
class OperationEvaluation {
 public:
  OperationEvaluation(Evaluation &whole, const ir::Operation &operation) : whole_(whole), operation_(operation) {
    for (const auto &[var, bits] : whole.scalars_) registers_[registers_.of_variable(var)] = bits;
    shape_ = integers(compile(operation->shape));
    for (const std::int64_t extent : shape_)
      if (extent < 0)
        fail("R008", "the shape " + bracketed(shape_) + " of " + operation->name + " has a negative extent", operation->place);
    if (!is_countable(shape_))
      fail("R008", "a tensor of the shape " + bracketed(shape_) + ", which " + operation->name + " has, fits no memory",
           operation->place);
    for (const ir::Var &axis : operation->axes) axes_.push_back(registers_.of_variable(axis));
  }

  const List<std::int64_t> &shape() const { return shape_; }

  List<Storage> run() {
    List<Storage> results;
    const std::int64_t size = product_of(shape_);
    for (const DType type : operation_->types)
      results.push_back({computed_type(type, whole_.arithmetic_), shape_, List<ir::Bits>(static_cast<std::size_t>(size))});
    const ir::Reduce *reduction = operation_->reduction();
    if (reduction) compile_reduction(*reduction);
    Tape bodies = reduction ? Tape() : compile(operation_->bodies);
    if (size == 0) return results;
    List<std::int64_t> position(shape_.size(), 0);
    std::size_t element = 0;
    try {
      do {
        for (std::size_t i = 0; i < axes_.size(); ++i) registers_[axes_[i]] = static_cast<ir::Bits>(position[i]);
        if (reduction)
          reduce();
        else
          bodies.run(registers_);
        for (std::size_t i = 0; i < results.size(); ++i)
          results[i].elements[element] = registers_[reduction ? accumulators_[i] : bodies.roots()[i]];
        ++element;
      } while (advance(position, shape_));
    } catch (const Error &error) {
      rethrow_at(error, position);
    }
    return results;
  }

 private:
  Tape compile(const List<ir::Expr> &roots) {
    return compile_tape(
        roots, registers_, [&](const ir::Tensor &tensor) -> const Storage & { return whole_.storage_of(tensor); },
        whole_.arithmetic_);
  }

  List<std::int64_t> integers(Tape tape) {
    tape.run(registers_);
    List<std::int64_t> values;
    for (const std::uint32_t root : tape.roots()) values.push_back(static_cast<std::int64_t>(registers_[root]));
    return values;
  }

  struct ReductionAxis {
    std::uint32_t variable;
    Tape domain;  // min and extent, over the axes outside
  };

  void compile_reduction(const ir::Reduce &reduce) {
    const ir::ReducerNode &reducer = *reduce.reducer;
    for (const ir::Var &var : reducer.lhs) accumulators_.push_back(registers_.of_variable(var));
    for (const ir::Var &var : reducer.rhs) elements_.push_back(registers_.of_variable(var));
    start_ = compile(reduce.init.empty() ? reducer.identity : reduce.init);
    for (const ir::Axis &axis : reduce.axes) {
      Tape domain = compile({axis.min, axis.extent});
      reduction_axes_.push_back({registers_.of_variable(axis.var), std::move(domain)});
    }
    if (reduce.where.defined()) where_ = compile({reduce.where});
    sources_ = compile(reduce.sources);
    combine_ = compile(reducer.result);
  }

  static void copy(Registers &registers, const List<std::uint32_t> &from, const List<std::uint32_t> &to) {
    for (std::size_t i = 0; i < to.size(); ++i) registers[to[i]] = registers[from[i]];
  }

  // The accumulators start with identity or init, then take one element after another.
  void reduce() {
    start_.run(registers_);
    copy(registers_, start_.roots(), accumulators_);
    reduce_over(0);
  }

  void reduce_over(std::size_t depth) {
    if (depth == reduction_axes_.size()) return reduce_element();
    ReductionAxis &axis = reduction_axes_[depth];
    axis.domain.run(registers_);
    const auto min = static_cast<std::int64_t>(registers_[axis.domain.roots()[0]]);
    const auto extent = static_cast<std::int64_t>(registers_[axis.domain.roots()[1]]);
    for (std::int64_t i = 0; i < extent; ++i) {
      registers_[axis.variable] = static_cast<ir::Bits>(min + i);
      reduce_over(depth + 1);
    }
  }

  void reduce_element() {
    if (where_) {
      where_->run(registers_);
      if (!registers_[where_->roots()[0]]) return;
    }
    sources_.run(registers_);
    copy(registers_, sources_.roots(), elements_);
    combine_.run(registers_);
    copy(registers_, combine_.roots(), accumulators_);
  }

  [[noreturn]] void rethrow_at(const Error &error, const List<std::int64_t> &position) const {
    Diagnostic diagnostic = error.diagnostic();
    diagnostic.stage = operation_->name;
    diagnostic.place = operation_->place;
    diagnostic.notes.push_back({"note", "found while evaluating " + operation_->name + bracketed(position), {}});
    throw Error(std::move(diagnostic));
  }

  Evaluation &whole_;
  const ir::Operation &operation_;
  Registers registers_;
  List<std::int64_t> shape_;
  List<std::uint32_t> axes_, accumulators_, elements_;
  List<ReductionAxis> reduction_axes_;
  Tape start_, sources_, combine_;
  std::optional<Tape> where_;
};

LATHE_INLINE void Evaluation::bind_sizes() {
  scalars_ = inputs_.scalars;
  for (const auto &[tensor, array] : inputs_.tensors)
    for (std::size_t i = 0; i < ir::shape_of(tensor).size(); ++i) {
      const auto *size = ir::shape_of(tensor)[i].as<ir::VarRef>();
      if (!size || i >= array.shape.size()) continue;
      if (lists::none_of(scalars_, [&](const auto &scalar) { return scalar.first == size->var; }))
        scalars_.emplace_back(size->var, static_cast<ir::Bits>(array.shape[i]));
    }
  for (const auto &[var, bits] : scalars_)
    if (var.nonnegative() && static_cast<std::int64_t>(bits) < 0)
      fail("R008", "the size " + var.name() + " is given as " + std::to_string(static_cast<std::int64_t>(bits)), {},
           {{"why", "a size is at least 0", {}}});
}

LATHE_INLINE void Evaluation::place_input(const ir::Tensor &tensor, const ReferenceArray &array) {
  const List<std::int64_t> shape = OperationEvaluation(*this, tensor.operation).shape();
  const std::string &name = ir::name_of(tensor);
  if (array.shape != shape)
    fail("R008", "the array given for " + name + " has the shape " + bracketed(array.shape) + " instead of " + bracketed(shape),
         tensor.operation->place);
  const DType type = ir::type_of(tensor), computed = computed_type(type, arithmetic_);
  if (!(array.type == type) && !(array.type == computed))
    fail("R008", "the array given for " + name + " holds " + to_string(array.type) + " instead of " + to_string(type),
         tensor.operation->place);
  Storage storage{computed, shape, {}};
  for (std::int64_t i = 0; i < array.size(); ++i)
    storage.elements.push_back(array.type == computed ? array.at(i) : ir::from_double(computed, array.number(i)));
  auto &outputs = storages_[tensor.operation.get()];
  outputs.resize(tensor.operation->types.size());
  outputs[static_cast<std::size_t>(tensor.output)] = std::move(storage);
}

LATHE_INLINE const Storage &Evaluation::storage_of(const ir::Tensor &tensor) const {
  return *storages_.at(tensor.operation.get())[static_cast<std::size_t>(tensor.output)];
}

LATHE_INLINE void Evaluation::require(const ir::Operation &root) {
  struct Visit {
    ir::Operation operation;
    bool inputs_done;
  };
  List<Visit> visits{{root, false}};
  while (!visits.empty()) {
    const Visit visit = visits.back();
    visits.pop_back();
    if (is_given(visit.operation)) continue;
    if (visit.inputs_done) {
      evaluate(visit.operation);
      continue;
    }
    visits.push_back({visit.operation, true});
    for (const ir::Tensor &input : ir::inputs_of(visit.operation)) {
      const auto *found = storages_.find(input.operation.get());
      const auto output = static_cast<std::size_t>(input.output);
      if (!found || !found->second[output]) visits.push_back({input.operation, false});
    }
  }
}

LATHE_INLINE void Evaluation::evaluate(const ir::Operation &operation) {
  if (operation->kind == ir::OperationKind::placeholder)
    fail("R008", "no array was given for " + operation->name, operation->place,
         {{"help", "bind it:   evaluate(…, {{" + operation->name + ", array}})", {}}});
  if (operation->kind == ir::OperationKind::constant) return evaluate_constant(operation);
  List<Storage> results;
  try {
    results = OperationEvaluation(*this, operation).run();
  } catch (const Error &error) {
    fail_again(error, operation->place, operation->name);
  }
  auto &outputs = storages_[operation.get()];
  outputs.resize(results.size());
  for (std::size_t i = 0; i < results.size(); ++i)
    if (!outputs[i]) outputs[i] = std::move(results[i]);
}

LATHE_INLINE void Evaluation::evaluate_constant(const ir::Operation &operation) {
  const ReferenceArray array(operation->types.front(), OperationEvaluation(*this, operation).shape(), operation->data->data());
  place_input({operation, 0}, array);
}

}  // namespace reference_evaluation

LATHE_INLINE ReferenceArray::ReferenceArray(DType element, List<std::int64_t> extents)
    : type(element), shape(std::move(extents)), data(static_cast<std::size_t>(size() * element.bytes())) {}

LATHE_INLINE ReferenceArray::ReferenceArray(DType element, List<std::int64_t> extents, const void *elements)
    : ReferenceArray(element, std::move(extents)) {
  if (!data.empty()) std::memcpy(data.data(), elements, data.size());
}

LATHE_INLINE std::int64_t ReferenceArray::size() const { return reference_evaluation::product_of(shape); }

LATHE_INLINE ir::Bits ReferenceArray::at(std::int64_t element) const {
  return ir::load_element(type, data.data() + element * type.bytes());
}

LATHE_INLINE void ReferenceArray::set(std::int64_t element, ir::Bits bits) {
  ir::store_element(type, data.data() + element * type.bytes(), bits);
}

LATHE_INLINE List<ReferenceArray> evaluate_reference(std::span<const ir::Tensor> outputs, const ReferenceInputs &inputs,
                                                     Arithmetic arithmetic) {
  reference_evaluation::Evaluation evaluation(inputs, arithmetic);
  List<ReferenceArray> results;
  for (const ir::Tensor &output : outputs) {
    evaluation.require(output.operation);
    const reference_evaluation::Storage &storage = evaluation.storage_of(output);
    ReferenceArray array(storage.type, storage.shape);
    for (std::int64_t i = 0; i < array.size(); ++i) array.set(i, storage.elements[static_cast<std::size_t>(i)]);
    results.push_back(std::move(array));
  }
  return results;
}

}  // namespace lathe::inline LATHE_ABI::codegen
