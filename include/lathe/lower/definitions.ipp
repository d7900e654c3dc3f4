// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Every definition of this room.

#include "lathe/lower/build_nest.ipp"
#include "lathe/lower/check_reads.ipp"
#include "lathe/lower/infer_regions.ipp"
#include "lathe/lower/inline_stages.ipp"
#include "lathe/lower/lower.ipp"
#include "lathe/lower/region_report.ipp"
