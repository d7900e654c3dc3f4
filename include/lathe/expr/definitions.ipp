// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Every definition of this room.

#include "lathe/expr/compute.ipp"
#include "lathe/expr/functions.ipp"
#include "lathe/expr/literal.ipp"
#include "lathe/expr/operators.ipp"
#include "lathe/expr/promises.ipp"
#include "lathe/expr/tensor.ipp"
