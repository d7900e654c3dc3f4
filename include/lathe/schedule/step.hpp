// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// A schedule is a list of steps as data. Applying, legality, printing back as C++, storing, hashing and quoting in an error all
/// read this list. Stages and axes are named "original n" or "step k, output j", never by pointer or label.
///
/// One line of text a step is the canonical form:
///
///     split o2 o3 16            split axis "original 3" of stage "original 2" by 16
///     split o2 o3 4 parts divides   into 4 parts, which promises that 4 divides its extent
///     reorder o2 o0 o1 s0.0 o4 o5 s0.1
///     parallel o2 o0
///     compute_at o1 o2 s0.0     stage o1 at axis s0.0 of stage o2
///     prefetch o2 o0 o3 8       what stage o2 reads of o0, 8 iterations of axis o3 ahead
///     cache_read o0 local o2    a copy of o0 in scope "local" for reader o2

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "lathe/diag/diagnostic.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::scheduling {

/// Names a stage: number `index` of the expression's operations in post-order (`step` = -1), or output `index` of a step.
struct StageId {
  int step = -1;                                                       ///< number of a step, counted from 0, or -1
  int index = 0;                                                       ///< of the operation, or of the step's output
  friend bool operator==(const StageId &, const StageId &) = default;  ///< the same name
};

/// Names an axis within a stage: its original axis `index` (data axes first, then reduction axes), or output `index` of a step.
struct AxisId {
  int step = -1;  ///< number of a step, counted from 0, or -1
  int index = 0;  ///< of the original axis, or of the step's output: split has 0 (outer) and 1 (inner), fuse 0
  friend bool operator==(const AxisId &, const AxisId &) = default;  ///< the same name, within one stage
};

/// What a step does, and which fields of `Step` say it. All but cache_read and assume act on the computed stage `stage`.
enum class Primitive : std::uint8_t {
  split,           ///< axes[0] by numbers[0]; numbers[1] = 1: into that many parts, else parts of that size; numbers[2]: Tail
  fuse,            ///< axes, outermost first
  reorder,         ///< axes in their new order
  vectorize,       ///< axes[0]
  unroll,          ///< axes[0]
  parallel,        ///< axes[0]
  compute_at,      ///< at axes[0] of stages[0]
  compute_inline,  ///< no more fields
  compute_root,    ///< no more fields
  cache_read,      ///< `stage` is what is read; stages: the readers; text: scope
  cache_write,     ///< text: scope
  set_scope,       ///< text: scope
  layout,          ///< text: the map (layout.hpp)
  auto_unroll,     ///< inside axes[0]; numbers: the most copies
  storage_align,   ///< the original data axis axes[0]; numbers: factor, offset
  stream,          ///< no more fields
  prefetch,        ///< stages[0], which is read, at axes[0]; numbers: how many iterations ahead
  alias,           ///< the output `stage` and the input stages[0] may be one memory
  assume,          ///< no stage; text: the condition, operators before their operands, symbols by number: "== % v0 16 0"
};

/// What a split does where its parts do not fill the axis.
enum class Tail : std::uint8_t {
  guard,     ///< iterations beyond the end are left out by a condition
  divides,   ///< there are none: a promise, which is proven, or checked at each call
  round_up,  ///< they run too, on memory that is there for them
};

/// "split", …
std::string_view name_of(Primitive primitive);

/// One step. Which fields a primitive uses is said beside its name above.
struct Step {
  /// @{
  /// As `primitive` says.
  Primitive primitive = Primitive::split;
  StageId stage;
  List<AxisId> axes;
  List<StageId> stages;
  List<std::int64_t> numbers;
  std::string text;
  /// @}
  Location place;  ///< the user's line, for diagnostics

  /// Equal up to the place.
  friend bool operator==(const Step &a, const Step &b) {
    return a.primitive == b.primitive && a.stage == b.stage && a.axes == b.axes && a.stages == b.stages &&
           a.numbers == b.numbers && a.text == b.text;
  }
};

/// The tail of a split; where nothing says it, `guard`.
inline Tail tail_of(const Step &split) { return split.numbers.size() > 2 ? static_cast<Tail>(split.numbers[2]) : Tail::guard; }

/// Steps are shared between copies of a schedule, so a handle can tell whether its step is part of a schedule.
using StepRef = std::shared_ptr<const Step>;

/// The canonical line, without newline.
std::string to_text(const Step &step);
/// Reads lines back; blank lines are skipped. Places are unknown. \throws Error S018 with the line on anything that is not a
/// step.
List<Step> parse_steps(std::string_view text);

}  // namespace lathe::inline LATHE_ABI::scheduling
