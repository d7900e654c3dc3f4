// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The front door: expressions, schedules, lowering, source emitters, interpreter. Needs no LLVM, CUDA or OpenCL.

#include "lathe/compile.hpp"
#include "lathe/expr/compute.hpp"
#include "lathe/expr/expr.hpp"
#include "lathe/expr/functions.hpp"
#include "lathe/expr/layout.hpp"
#include "lathe/expr/math.hpp"
#include "lathe/expr/operators.hpp"
#include "lathe/expr/print.hpp"
#include "lathe/ir/print.hpp"
#include "lathe/runtime/array.hpp"
#include "lathe/schedule/schedule.hpp"
#include "lathe/version.hpp"

#if !defined(LATHE_COMPILED)
#include "lathe/implementation.hpp"
#endif
