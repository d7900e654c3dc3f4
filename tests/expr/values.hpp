// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Elements of tensors by the reference evaluator, and the code of an error, for tests of the language.

#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "lathe/codegen/reference.hpp"
#include "lathe/expr/compute.hpp"

namespace lathe_test {

/// What a placeholder or variable is in one evaluation.
class Given {
 public:
  /// A placeholder of constant extents.
  template <class T, int Rank>
  Given(const lathe::Tensor<T, Rank> &tensor, const std::vector<T> &values)
      : Given(tensor, values, constant_shape(tensor.untyped())) {}
  template <class T, int Rank>
  Given(const lathe::Tensor<T, Rank> &tensor, const std::vector<T> &values, std::vector<std::int64_t> shape)
      : tensor_(tensor.untyped()), array_(lathe::dtype_of<T>(), std::move(shape)) {
    for (std::size_t n = 0; n < values.size(); ++n) {
      const T value = values[n];
      array_.set(static_cast<std::int64_t>(n), lathe::ir::load_element(array_.type, &value));
    }
  }
  template <class T>
  Given(const lathe::ScalarArgument<T> &scalar, T value)
      : var_(scalar.var()), bits_(lathe::ir::load_element(lathe::dtype_of<T>(), &value)) {}

  void add_to(lathe::codegen::ReferenceInputs &inputs) const {
    if (var_.defined())
      inputs.scalars.emplace_back(var_, bits_);
    else
      inputs.tensors.emplace_back(tensor_, array_);
  }

 private:
  static std::vector<std::int64_t> constant_shape(const lathe::ir::Tensor &tensor) {
    std::vector<std::int64_t> shape;
    for (const auto &extent : lathe::ir::shape_of(tensor)) shape.push_back(lathe::ir::constant_integer(extent).value());
    return shape;
  }

  lathe::ir::Tensor tensor_;
  lathe::codegen::ReferenceArray array_;
  lathe::ir::Var var_;
  lathe::ir::Bits bits_ = 0;
};

/// The elements of a tensor, row-major.
template <class T, int Rank>
std::vector<T> values(const lathe::Tensor<T, Rank> &tensor, std::initializer_list<Given> given = {}) {
  lathe::codegen::ReferenceInputs inputs;
  for (const Given &g : given) g.add_to(inputs);
  const lathe::ir::Tensor output = tensor.untyped();
  const auto result = lathe::codegen::evaluate_reference({&output, 1}, inputs).front();
  std::vector<T> list;
  for (std::int64_t n = 0; n < result.size(); ++n) {
    T value;
    lathe::ir::store_element(result.type, &value, result.at(n));
    list.push_back(value);
  }
  return list;
}

/// The value of an expression without reads.
template <class T>
T value_of(const lathe::Expr<T> &e) {
  return values(lathe::compute([&] { return e; })).front();
}

/// Code and headline of the error that `action` throws, or "none".
template <class Action>
std::string error_of(Action &&action) {
  try {
    action();
  } catch (const lathe::Error &error) {
    return error.code() + " " + error.diagnostic().message;
  }
  return "none";
}

/// The same whole, as printed.
template <class Action>
std::string text_of_error(Action &&action) {
  try {
    action();
  } catch (const lathe::Error &error) {
    return error.what();
  }
  return "none";
}

}  // namespace lathe_test
