// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// One step onto a state: which file has which primitive.

#include <iterator>
#include <string>
#include <string_view>

#include "lathe/schedule/legality.ipp"
#include "lathe/schedule/state.ipp"
#include "lathe/schedule/steps/alias.ipp"
#include "lathe/schedule/steps/assume.ipp"
#include "lathe/schedule/steps/caches.ipp"
#include "lathe/schedule/steps/fuse.ipp"
#include "lathe/schedule/steps/layout.ipp"
#include "lathe/schedule/steps/loop_kinds.ipp"
#include "lathe/schedule/steps/placement.ipp"
#include "lathe/schedule/steps/prefetch.ipp"
#include "lathe/schedule/steps/reorder.ipp"
#include "lathe/schedule/steps/split.ipp"
#include "lathe/schedule/steps/storage_align.ipp"
#include "lathe/schedule/text.ipp"

namespace lathe::inline LATHE_ABI::scheduling {

namespace step_form {

/// How many axes, stages and numbers a primitive takes: exactly, or at least.
struct Form {
  std::size_t axes, stages, numbers;
  bool more_axes = false, more_stages = false;
};
inline Form form_of(Primitive primitive) {
  switch (primitive) {
    case Primitive::split: return {1, 0, 1};
    case Primitive::fuse:
    case Primitive::reorder: return {.axes = 0, .stages = 0, .numbers = 0, .more_axes = true};
    case Primitive::vectorize:
    case Primitive::unroll:
    case Primitive::parallel: return {1, 0, 0};
    case Primitive::compute_at: return {1, 1, 0};
    case Primitive::auto_unroll: return {1, 0, 1};
    case Primitive::prefetch: return {1, 1, 1};
    case Primitive::alias: return {0, 1, 0};
    case Primitive::storage_align: return {1, 0, 2};
    case Primitive::cache_read: return {.axes = 0, .stages = 0, .numbers = 0, .more_stages = true};
    default: return {0, 0, 0};
  }
}

/// Whether a scope's name is one word of `to_text`. The empty name is main memory, which is written "-" there.
inline bool is_word(std::string_view name) {
  for (const char c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.')) return false;
  return true;
}

/// That the fields which the primitive uses are there (S018), and that a scope has a name that texts can hold (S022).
inline void require(const State &state, const Step &step) {
  if (static_cast<std::size_t>(step.primitive) >= std::size(step_text::primitive_names))
    fail("S018", "a step names a primitive that there is not", step.place);
  const Form form = form_of(step.primitive);
  const std::string name(name_of(step.primitive));
  if (!form.more_axes && step.axes.size() != form.axes)
    fail("S018", {name, " takes ", form.axes, " axes, the step has ", step.axes.size()}, step.place);
  if (!form.more_stages && step.stages.size() != form.stages)
    fail("S018", {name, " takes ", form.stages, " further stages, the step has ", step.stages.size()}, step.place);
  if (step.numbers.size() < form.numbers) fail("S018", {name, " takes a number, the step has none"}, step.place);
  const bool takes_scope = step.primitive == Primitive::cache_read || step.primitive == Primitive::cache_write ||
                           step.primitive == Primitive::set_scope;
  if (takes_scope && !is_word(step.text))
    refuse(state, step, "S022", {"'", step.text, "' cannot be the name of a scope"},
           {{"why", "schedules are stored as text, in which a scope is one word", {}},
            {"help", "name it by letters, digits, _ and .", {}}});
}

}  // namespace step_form

LATHE_INLINE void apply(State &state, const StepRef &step) {
  step_form::require(state, *step);
  switch (step->primitive) {
    case Primitive::split: apply_split(state, *step); break;
    case Primitive::fuse: apply_fuse(state, *step); break;
    case Primitive::reorder: apply_reorder(state, *step); break;
    case Primitive::vectorize: apply_vectorize(state, *step); break;
    case Primitive::unroll: apply_unroll(state, *step); break;
    case Primitive::parallel: apply_parallel(state, *step); break;
    case Primitive::compute_at: apply_compute_at(state, *step); break;
    case Primitive::compute_inline: apply_compute_inline(state, *step); break;
    case Primitive::compute_root: apply_compute_root(state, *step); break;
    case Primitive::cache_read: apply_cache_read(state, *step); break;
    case Primitive::cache_write: apply_cache_write(state, *step); break;
    case Primitive::set_scope: apply_set_scope(state, *step); break;
    case Primitive::layout: apply_layout(state, *step); break;
    case Primitive::auto_unroll: apply_auto_unroll(state, *step); break;
    case Primitive::storage_align: apply_storage_align(state, *step); break;
    case Primitive::stream: apply_stream(state, *step); break;
    case Primitive::prefetch: apply_prefetch(state, *step); break;
    case Primitive::alias: apply_alias(state, *step); break;
    case Primitive::assume: apply_assume(state, *step); break;
  }
  state.steps.push_back(step);
}

}  // namespace lathe::inline LATHE_ABI::scheduling
