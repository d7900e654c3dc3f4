// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// alias: an output whose memory may be that of an input. That each element is read before it is written, lowering proves.

#include "lathe/schedule/legality.hpp"

namespace lathe::inline LATHE_ABI::scheduling {

LATHE_INLINE void apply_alias(State &state, const Step &step) {
  StageState &stage = require_stage(state, step);
  const StageState *input = state.find(step.stages.at(0));
  if (!input) refuse(state, step, "S002", "alias names a tensor that this schedule does not have");
  const auto refuse_alias = [&](const Phrase &why, const Phrase &help) {
    refuse(state, step, "S040", {stage.name(), " and ", input->name(), " cannot share memory"},
           {{"why", why, {}}, {"help", help, {}}});
  };
  if (!stage.output || stage.operation->types.size() != 1)
    refuse_alias(stage.name() + (stage.output ? " has several tensors" : " is no output"), "name an output of one tensor first");
  if (input->operation->kind != ir::OperationKind::placeholder)
    refuse_alias({input->name(), " is no input"}, "name an input second: other memory is the kernel's own");
  if (input->operation->types[0] != stage.operation->types[0] || input->operation->shape.size() != stage.operation->shape.size())
    refuse_alias("their elements have different types, or their shapes different ranks",
                 "an input like the output can be its memory");
  for (const StageState &other : state.stages)
    if (other.alias && (&other == &stage || other.alias == input->key))
      refuse_alias({other.name(), " may be the memory of ", other.alias->name, " already"}, "leave out one of the two");
  if (stage.first_step < 0) stage.first_step = static_cast<int>(state.steps.size());
  stage.alias = input->key;
  stage.aliased_by = static_cast<int>(state.steps.size());
}

}  // namespace lathe::inline LATHE_ABI::scheduling
