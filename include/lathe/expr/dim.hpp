// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Extents of tensors: integers, symbols, named constants and index expressions mix freely in a shape list.

#include <string>
#include <string_view>

#include "lathe/expr/arithmetic.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI {

/// A name that a user may give or leave out. (A string would swallow braces of integers.)
class Label {
 public:
  Label() = default;
  /// From anything that is a string. It must outlive the call that takes the label.
  template <class S>
    requires std::is_convertible_v<const S &, std::string_view>
  Label(const S &text) : text_(text) {}  // NOLINT: implicit by design

  /// The name, or `kind` with the line where it was made.
  std::string or_else(const char *kind, const Location &place) const;
  std::string_view text() const { return text_; }  ///< empty when left out

 private:
  std::string_view text_;
};

/// A symbolic extent, at least 0: one kernel then serves every size. A call binds it by its first bare occurrence in an
/// argument's shape, or by an explicit scalar argument.
class SizeVar : public Index {
 public:
  /// Wraps an untyped variable, which is known to be at least 0.
  explicit SizeVar(ir::Var var) : Index(ir::Expr(var)), var_(std::move(var)) {}
  const ir::Var &var() const { return var_; }              ///< the untyped variable
  const std::string &name() const { return var_.name(); }  ///< as printouts show it

 private:
  ir::Var var_;
};

/// A fresh symbol: two of the same name are two symbols.
SizeVar size_var(std::string_view name);

/// One extent of a shape: made from integers, symbols, index and integer expressions, or by `dim("B", 64)`. It is an index
/// itself.
class Dim : public Index {
 public:
  /// \throws Error E001 if an integer does not fit 63 bits.
  template <typing::Literal I>
    requires(typing::literal_fits<I, index_t>())
  Dim(const I &extent) : Index(extent) {}  // NOLINT: implicit by design
  /// From an index, or integer data, which becomes one.
  template <class E>
    requires(typing::is_integer<typing::element_t<E>> && !std::is_same_v<E, Dim>)
  Dim(const E &extent) : Index(static_cast<const Expr<typing::element_t<E>> &>(extent)) {}  // NOLINT: implicit by design
  /// With a name that printouts keep.
  Dim(Index extent, std::string_view name) : Index(std::move(extent)), name_(name) {}

  /// Empty unless made by `dim`.
  const std::string &name() const { return name_; }

 private:
  std::string name_;
};

/// A constant extent with a name that printouts keep. \throws Error E002 for a negative one.
Dim dim(std::string_view name, std::int64_t extent, Location place = Location::current());

/// The shape of a tensor of `Rank` dimensions: `auto [m, n] = A.shape();` or `compute(A.shape(), …)`.
template <int Rank>
class Shape {
 public:
  /// One extent per dimension.
  explicit Shape(List<Dim> dims) : dims_(std::move(dims)) {}
  /// The extent of a dimension, counted from 0.
  const Dim &operator[](int dimension) const { return dims_[static_cast<std::size_t>(dimension)]; }
  const List<Dim> &dims() const { return dims_; }  ///< all extents
  /// For structured bindings.
  template <std::size_t I>
  const Dim &get() const {
    return dims_[I];
  }

 private:
  List<Dim> dims_;
};

/// Stands for `{}`: the shape of a tensor of rank 0.
struct NoDims {};

}  // namespace lathe::inline LATHE_ABI

// Structured bindings of shapes: the number of names is checked, and each name is an extent.
/// \cond
template <int Rank>
struct std::tuple_size<lathe::Shape<Rank>> : std::integral_constant<std::size_t, static_cast<std::size_t>(Rank)> {};
template <std::size_t I, int Rank>
struct std::tuple_element<I, lathe::Shape<Rank>> {
  using type = const lathe::Dim &;
};
/// \endcond
