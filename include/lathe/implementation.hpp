// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Every definition behind the declarations, room by room. The front door includes this file in header-only mode; with
/// LATHE_COMPILED exactly one file of a program does, or the CMake target lathe::compiled is linked, which compiles the rooms
/// apart. The leaf rooms that programs include by themselves bring their own definitions in header-only mode.

#include "lathe/arith/definitions.ipp"
#include "lathe/codegen/definitions.ipp"
#include "lathe/compile.ipp"
#include "lathe/diag/definitions.ipp"
#include "lathe/dtype/definitions.ipp"
#include "lathe/expr/definitions.ipp"
#include "lathe/ir/definitions.ipp"
#include "lathe/lower/definitions.ipp"
#include "lathe/passes/definitions.ipp"
#include "lathe/runtime/definitions.ipp"
#include "lathe/schedule/definitions.ipp"
#include "lathe/target/definitions.ipp"
#include "lathe/types/definitions.ipp"
#if defined(LATHE_COMPILED)
#include "lathe/interop/definitions.ipp"
#endif
