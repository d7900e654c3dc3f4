// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Every definition of this room.

#include "lathe/runtime/array.ipp"
#include "lathe/runtime/executor.ipp"
#include "lathe/runtime/kernel_code.ipp"
#include "lathe/runtime/llvm_engine.ipp"
#include "lathe/runtime/llvm_jit.ipp"
#include "lathe/runtime/llvm_library.ipp"
#include "lathe/runtime/llvm_target_machines.ipp"
#include "lathe/runtime/llvm_thread.ipp"
#include "lathe/runtime/pool_executor.ipp"
#include "lathe/runtime/process.ipp"
#include "lathe/runtime/scratch.ipp"
