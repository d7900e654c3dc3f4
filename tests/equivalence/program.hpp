// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// A program to test, as a value: tensors with their expressions. It is built into the untyped IR to run, printed as C++ to
/// reproduce, and taken apart to shrink.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lathe/lathe.hpp"

namespace equivalence {

namespace ir = lathe::ir;
using lathe::DType;

/// An integer that extents are made of: a constant, or a symbol with the value it has in the call.
struct Size {
  std::string name;
  std::int64_t value = 0;
  bool symbolic = false;
};

/// factor · size + offset; without a size (-1): the offset.
struct Extent {
  int size = -1;
  std::int64_t factor = 1;
  std::int64_t offset = 0;
  friend bool operator==(const Extent &, const Extent &) = default;
};

enum class TermKind : std::uint8_t {
  constant,
  scalar,
  axis,
  extent,
  read,
  unary,
  binary,
  fma,
  select,
  if_then_else,
  cast,
  saturate_cast,
  reinterpret
};

struct Term;
/// Terms are shared, like expressions; a term used twice is one node in the IR and one C++ variable in print.
using TermRef = std::shared_ptr<const Term>;

/// First number of a reduction axis; data axes count from 0.
inline constexpr int reduction_axes_from = 100;

/// A scalar expression.
struct Term {
  TermKind kind = TermKind::constant;
  DType type;
  std::uint64_t bits = 0;                   ///< constant
  int number = 0;                           ///< axis; scalar and read: which one
  Extent extent;                            ///< extent
  ir::UnaryOp unary = ir::UnaryOp::neg;     ///< unary
  ir::BinaryOp binary = ir::BinaryOp::add;  ///< binary
  std::vector<TermRef> operands;            ///< read: the indices

  // What generation knows of the value.
  std::int64_t low = 0, high = 0;    ///< indices: the least and greatest value
  int magnitude = -1, fraction = 0;  ///< floats: a multiple of 2^-fraction below 2^magnitude; magnitude -1: not known
};

enum class Fill : std::uint8_t {
  small,  ///< distinct small values: integers, or floats of few bits so that sums are exact
  wild,   ///< any bits; floats with infinities, NaN, zeros and denormals among them
  ids,    ///< integers around [0, 12)
};

struct ReductionAxis {
  TermRef min, extent;
};

struct ReductionTerm {
  lathe::typing::Combine combine = lathe::typing::Combine::sum;
  std::vector<ReductionAxis> axes;
  TermRef where, init;  ///< optional
};

enum class TensorKind : std::uint8_t { input, constant, computed };

struct TensorNode {
  TensorKind kind = TensorKind::input;
  std::string name;
  DType type;
  std::vector<Extent> shape;
  Fill fill = Fill::small;
  TermRef body;  ///< of a reduction: what is combined
  std::optional<ReductionTerm> reduction;
  bool output = false;
  bool tolerant = false;             ///< holds results of mathematical functions, whose last bits may differ
  bool windowed = false;             ///< reads neighbours in rows that are some vectors long
  bool ordered = false;              ///< a float reduction that rounds: its order must stay
  int magnitude = -1, fraction = 0;  ///< as in `Term`
};

struct ScalarNode {
  std::string name;
  DType type;
  std::uint64_t bits = 0;
};

struct Program {
  std::vector<Size> sizes;
  std::vector<ScalarNode> scalars;
  std::vector<TensorNode> tensors;   ///< producers before consumers
  bool sizes_are_arguments = false;  ///< give all symbols explicitly, not only those that no shape binds
  std::uint64_t data_seed = 0;

  std::int64_t value(const Extent &extent) const {
    return (extent.size < 0 ? 0 : extent.factor * sizes[static_cast<std::size_t>(extent.size)].value) + extent.offset;
  }
  std::vector<std::int64_t> shape(const TensorNode &tensor) const {
    std::vector<std::int64_t> result;
    for (const Extent &extent : tensor.shape) result.push_back(value(extent));
    return result;
  }
  /// Which tensors the outputs need, themselves included.
  std::vector<bool> needed() const;
  /// Symbols that have to be given as arguments of a kernel over these tensors.
  std::vector<bool> size_arguments(const std::vector<bool> &tensors_in_use) const;
};

/// Calls `visit` on every term below and including `root`, each once, operands first.
void for_each_term(const TermRef &root, const std::function<void(const TermRef &)> &visit);
/// Calls `visit` on the roots of a tensor's terms.
void for_each_root(const TensorNode &tensor, const std::function<void(const TermRef &)> &visit);

/// The program in the IR.
struct Built {
  std::vector<ir::Tensor> tensors;  ///< one per tensor of the program; undefined operation where not needed
  std::vector<ir::Var> sizes, scalars;
  std::vector<int> outputs;  ///< tensors
  std::vector<int> inputs;   ///< tensors that are arguments and read
  std::vector<lathe::AnyArgument> arguments;
  struct Source {
    enum class Kind : std::uint8_t { tensor, scalar, size } kind;
    int number;
  };
  std::vector<Source> sources;  ///< where each argument comes from
  std::vector<lathe::AnyTensor> output_tensors() const {
    std::vector<lathe::AnyTensor> result;
    for (const int output : outputs) result.emplace_back(tensors[static_cast<std::size_t>(output)]);
    return result;
  }
};
Built build(const Program &program);

/// The elements of an input or constant, row-major, as bits.
std::vector<std::uint64_t> elements_of(const Program &program, const TensorNode &tensor);

}  // namespace equivalence
