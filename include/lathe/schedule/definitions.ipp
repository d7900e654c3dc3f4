// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Every definition of this room.

#include "lathe/schedule/apply.ipp"
#include "lathe/schedule/layout.ipp"
#include "lathe/schedule/legality.ipp"
#include "lathe/schedule/reverse.ipp"
#include "lathe/schedule/schedule.ipp"
#include "lathe/schedule/state.ipp"
#include "lathe/schedule/steps/assume.ipp"
#include "lathe/schedule/steps/caches.ipp"
#include "lathe/schedule/steps/fuse.ipp"
#include "lathe/schedule/steps/layout.ipp"
#include "lathe/schedule/steps/loop_kinds.ipp"
#include "lathe/schedule/steps/placement.ipp"
#include "lathe/schedule/steps/reorder.ipp"
#include "lathe/schedule/steps/split.ipp"
#include "lathe/schedule/steps/storage_align.ipp"
#include "lathe/schedule/text.ipp"
