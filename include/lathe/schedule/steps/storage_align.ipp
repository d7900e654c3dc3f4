// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// storage_align: the stride of a dimension of a stage's buffer is padded, so that stride mod factor = offset (in elements).
///
///     allocate b: float32[8, 30]     → storage_align(y, 16, 0) →     allocate b: float32[8, 30] strides [32, 1]

#include "lathe/schedule/legality.hpp"

namespace lathe::inline LATHE_ABI::scheduling {

LATHE_INLINE void apply_storage_align(State &state, const Step &step) {
  StageState &stage = require_stage(state, step);
  const AxisState *axis = stage.find(step.axes.at(0));
  if (!axis) refuse(state, step, "S002", {"the axis given to storage_align is not an axis of ", stage.name()});
  const auto refuse_stride = [&](const Phrase &why, const Phrase &help) {
    refuse(state, step, "S035", {"the stride of ", axis->name, " of ", stage.name(), " cannot be aligned"},
           {{"why", why, {}}, {"help", help, {}}}, axis->name);
  };
  if (stage.output)
    refuse_stride({stage.name(), " is an output: its memory is the caller's, compact and row-major"},
                  {"align a stage of its own:   auto cache = s.cache_write(", stage.name(), ", scope::local);"});
  if (axis->reduction) refuse_stride("a buffer has no dimension for a reduction axis", {"name a data axis of ", stage.name()});
  if (axis->id.step >= 0)
    refuse_stride("a buffer has dimensions for original axes, not for their parts", "name an original axis");
  const int rank = static_cast<int>(stage.operation->axes.size());
  if (axis->id.index == rank - 1)
    refuse_stride("elements of the innermost dimension lie side by side", {"name an outer axis of ", stage.name()});
  const std::int64_t factor = step.numbers.at(0), offset = step.numbers.at(1);
  if (factor < 1 || offset < 0 || offset >= factor)
    refuse_stride({"no number leaves ", offset, " when divided by ", factor},
                  "choose a factor of at least 1, and an offset from 0 to below it");
  if (!stage.layout.empty()) refuse_stride("its elements are laid out anew", "pad in the layout itself:   at(n, k * 17)");
  for (const StrideAlignment &other : stage.alignments)
    if (other.dimension == axis->id.index) refuse_stride("it is aligned already", "align an axis once");
  mark_scheduled(state, stage);
  stage.alignments.push_back({axis->id.index, factor, offset, static_cast<int>(state.steps.size())});
}

}  // namespace lathe::inline LATHE_ABI::scheduling
