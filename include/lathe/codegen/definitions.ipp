// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Every definition of this room.

#include "lathe/codegen/access.ipp"
#include "lathe/codegen/c.ipp"
#include "lathe/codegen/c_like.ipp"
#include "lathe/codegen/c_like_expressions.ipp"
#include "lathe/codegen/c_like_names.ipp"
#include "lathe/codegen/c_like_operators.ipp"
#include "lathe/codegen/external_call.ipp"
#include "lathe/codegen/interpret.ipp"
#include "lathe/codegen/interpret_code.ipp"
#include "lathe/codegen/interpret_memory.ipp"
#include "lathe/codegen/llvm_casts.ipp"
#include "lathe/codegen/llvm_division.ipp"
#include "lathe/codegen/llvm_expressions.ipp"
#include "lathe/codegen/llvm_extrema.ipp"
#include "lathe/codegen/llvm_function.ipp"
#include "lathe/codegen/llvm_ir.ipp"
#include "lathe/codegen/llvm_memory.ipp"
#include "lathe/codegen/llvm_operators.ipp"
#include "lathe/codegen/llvm_statements.ipp"
#include "lathe/codegen/llvm_uses.ipp"
#include "lathe/codegen/llvm_writer.ipp"
#include "lathe/codegen/outline.ipp"
#include "lathe/codegen/reference.ipp"
#include "lathe/codegen/reference_tape.ipp"
