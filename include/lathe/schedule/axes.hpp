// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Handles on the loops of a stage. They are values: valid in the schedule that made them and in copies of it made afterwards.

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "lathe/expr/reduce.hpp"
#include "lathe/schedule/state.hpp"

namespace lathe::inline LATHE_ABI {

/// An axis whose kind is known when the program runs: what `loops()` and untyped programs give.
class AnyAxis {
 public:
  /// Stages make these; `key` is the stage's operation, `origin` the step that made the axis, or null.
  AnyAxis(ir::Operation key, scheduling::AxisId id, scheduling::StepRef origin, bool reduction, std::string name)
      : key_(std::move(key)), id_(id), origin_(std::move(origin)), reduction_(reduction), name_(std::move(name)) {}

  const std::string &name() const { return name_; }  ///< "j.outer"
  bool is_reduction() const { return reduction_; }   ///< whether a reduction runs over it, or over an axis fused into it

  const ir::Operation &key() const { return key_; }              ///< the operation of the stage that it belongs to
  scheduling::AxisId id() const { return id_; }                  ///< as steps name it
  const scheduling::StepRef &origin() const { return origin_; }  ///< the step that made it; null for original axes

 private:
  ir::Operation key_;  // of the stage
  scheduling::AxisId id_;
  scheduling::StepRef origin_;  // the step that made the axis; null for original axes
  bool reduction_;
  std::string name_;
};

/// An axis over elements of the result.
class DataAxis : public AnyAxis {
 public:
  /// For an axis that is known to be one.
  explicit DataAxis(AnyAxis axis) : AnyAxis(std::move(axis)) {}
};

/// An axis that a reduction runs over, or a loop fused with one.
class ReductionAxis : public AnyAxis {
 public:
  /// For an axis that is known to be one.
  explicit ReductionAxis(AnyAxis axis) : AnyAxis(std::move(axis)) {}
};

namespace scheduling {

/// What a step may be given for an axis: a handle, or the reduce_axis of the expression.
class AxisRef {
 public:
  /// @{
  /// Either of the two.
  AxisRef(const AnyAxis &axis) : handle_(axis) {}             // NOLINT: implicit by design
  AxisRef(const ReduceAxis &axis) : var_(axis.axis().var) {}  // NOLINT: implicit by design
  /// @}

  const std::optional<AnyAxis> &handle() const { return handle_; }  ///< nothing for a reduce_axis
  const ir::Var &var() const { return var_; }                       ///< of the reduce_axis; undefined for a handle

 private:
  std::optional<AnyAxis> handle_;
  ir::Var var_;
};

/// An axis with the place of the call: nothing can follow a pack of axes, so the first one carries it.
struct LocatedAxis {
  AxisRef axis;    ///< the axis
  Location place;  ///< of the call

  /// From an axis, where the call stands.
  template <class A>
    requires std::is_convertible_v<const A &, AxisRef>
  LocatedAxis(const A &a, std::source_location where = std::source_location::current()) : axis(a), place(where) {}  // NOLINT
};

/// A type of axes that are steps' arguments.
template <class A>
concept AxisLike = std::is_base_of_v<AnyAxis, A> || std::is_base_of_v<ReduceAxis, A>;
/// Whether all axes of a type are reduced over. (Of an `AnyAxis` only the program's run tells.)
template <class A>
inline constexpr bool is_surely_reduction = std::is_base_of_v<ReductionAxis, A> || std::is_base_of_v<ReduceAxis, A>;

/// The handle type of parts of an axis: they are of its kind.
template <class A>
using PartOf = std::conditional_t<is_surely_reduction<A>, ReductionAxis,
                                  std::conditional_t<std::is_base_of_v<DataAxis, A>, DataAxis, AnyAxis>>;
/// The handle type of a fusion: a reduction axis if one of them is, a data axis if all are.
template <class... A>
using FusionOf = std::conditional_t<(is_surely_reduction<A> || ...), ReductionAxis,
                                    std::conditional_t<(std::is_base_of_v<DataAxis, A> && ...), DataAxis, AnyAxis>>;

}  // namespace scheduling

}  // namespace lathe::inline LATHE_ABI
