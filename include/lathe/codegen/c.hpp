// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The C back end: a program as one freestanding C11 file that any compiler may take.
///
///     // depthwise, slot 0: const float input[1][32][114][114]
///     int32_t depthwise(const lathe_args *args, const lathe_runtime *runtime) {
///       const float *restrict input = (const float *)args->slots[0].pointer;
///       …
///       for (int64_t y = 0; y < 112; ++y) {

#include "lathe/codegen/source.hpp"

namespace lathe::inline LATHE_ABI::codegen {

/// Emits lowered code without lanes, guarding selects and small-float arithmetic (what the C target's pipeline gives). The text
/// includes <stdint.h> and nothing else; functions of math.h and external functions without an address are declared and left to
/// the linker. Compile with -ffp-contract=off for the results of every other back end, bit for bit. The ABI is restated in the
/// text. Equal programs give equal text. \throws Error G003 when two calls give one function different types.
Source emit_c(const ir::Program &program);

}  // namespace lathe::inline LATHE_ABI::codegen
