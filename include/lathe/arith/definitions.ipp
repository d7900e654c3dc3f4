// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Every definition of this room.

#include "lathe/arith/bounds.ipp"
#include "lathe/arith/conditions.ipp"
#include "lathe/arith/congruence.ipp"
#include "lathe/arith/divide.ipp"
#include "lathe/arith/facts.ipp"
#include "lathe/arith/interval.ipp"
#include "lathe/arith/linear.ipp"
#include "lathe/arith/prove.ipp"
#include "lathe/arith/simplify.ipp"
#include "lathe/arith/sums.ipp"
#include "lathe/arith/vectors.ipp"
