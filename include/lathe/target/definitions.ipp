// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Every definition of this room.

#include "lathe/target/cpu_table.ipp"
#include "lathe/target/host_cpu.ipp"
#include "lathe/target/target.ipp"
