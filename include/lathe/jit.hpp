// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The LLVM JIT. LLVM (16 or later; Debian's package libllvm19) is found when the first kernel is compiled; nothing is linked.

#include "lathe/lathe.hpp"

namespace lathe::inline LATHE_ABI {

/// Compiles a kernel for this machine: `auto kernel = jit(s, A, B, C); kernel(a, b, c);`
/// The arguments are the inputs, scalars, size variables and outputs, in the order in which the kernel takes them.
/// \throws Error L… (lowering), T… (target), J… (LLVM is missing or fails), K103.
template <class... A>
calling::KernelOf<A...> jit(const Schedule &schedule, const Options &options, const A &...arguments) {
  return calling::KernelOf<A...>(jit_code(schedule, calling::list(arguments...), options));
}
/// With default options.
template <calling::NotOptions First, class... A>
calling::KernelOf<First, A...> jit(const Schedule &schedule, const First &first, const A &...arguments) {
  return calling::KernelOf<First, A...>(jit_code(schedule, calling::list(first, arguments...), {}));
}

}  // namespace lathe::inline LATHE_ABI
