// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// layout: where the elements of a stage lie in its memory. Its loops stay.
///
///     for k: for n: p[k, n] = b[k, n]     →     for k: for n: p[n / 16, k, n % 16] = b[k, n]

#include "lathe/schedule/layout.hpp"
#include "lathe/schedule/legality.hpp"
#include "lathe/schedule/steps/placement.ipp"

namespace lathe::inline LATHE_ABI::scheduling {

LATHE_INLINE void apply_layout(State &state, const Step &step) {
  StageState &stage = require_stage(state, step);
  placement::refuse_output(state, step, stage, "S011", "laid out anew", placement::cached(stage));
  std::string why;
  Layout layout = parse_layout(step.text, static_cast<int>(stage.operation->shape.size()), why);
  if (why.empty()) why = why_not_injective(layout);
  if (why.empty() && !stage.alignments.empty()) why = "the strides of its rows are aligned by storage_align";
  if (!why.empty())
    refuse(
        state, step, "S021", {stage.name(), " cannot be laid out as ", step.text},
        {{"why", why, {}},
         {"help",
          "every axis appears whole or in its parts, in places of their own or weighted so that they do not meet:   at(n / 16, "
          "k, n % 16)   or   at(n / 16, k * 16 + n % 16)",
          {}}});
  mark_scheduled(state, stage);
  stage.layout = std::move(layout);
}

}  // namespace lathe::inline LATHE_ABI::scheduling
