// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Every definition of this room.

#include "lathe/ir/build.ipp"
#include "lathe/ir/evaluate.ipp"
#include "lathe/ir/expr.ipp"
#include "lathe/ir/operation.ipp"
#include "lathe/ir/operators.ipp"
#include "lathe/ir/print.ipp"
#include "lathe/ir/print_exprs.ipp"
#include "lathe/ir/program.ipp"
#include "lathe/ir/stmt.ipp"
#include "lathe/ir/verify.ipp"
#include "lathe/ir/walk.ipp"
#include "lathe/ir/walk_questions.ipp"
