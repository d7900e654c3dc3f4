// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The one binary interface of compiled code: kernels, bodies of parallel loops, JIT, emitted C and later ahead-of-time
/// objects all use it, so no process address is ever baked into code.

#include <cstdint>

#include "lathe/version.hpp"

namespace lathe::inline LATHE_ABI {

/// Eight bytes of argument: the address of a buffer or function, or the bits of a scalar in its lowest bytes.
union Slot {
  void *pointer;
  std::int64_t integer;
  std::uint64_t bits;
  float f32;
  double f64;
};
static_assert(sizeof(Slot) == 8);

struct Runtime;

/// What a compiled function is called with. `slots[i]` is parameter i of the function, in the order of `Function::parameters`.
/// `begin` and `end` are the iterations to run of a parallel loop's body; kernels ignore them.
struct Args {
  const Slot *slots;
  std::int64_t begin;
  std::int64_t end;
};

/// Every compiled function: 0 on success; a positive value k names check k - 1 of the program; a negative one is a `Status`.
using CompiledFunction = std::int32_t (*)(const Args *, const Runtime *);

/// Failures that the runtime itself reports.
enum Status : std::int32_t {
  status_ok = 0,
  status_out_of_scratch = -1,
  status_callback_failed = -2,
};

/// Services that compiled code may call. Versioned: fields are only ever appended; `size` is sizeof the provider's table.
struct Runtime {
  std::uint32_t version;  ///< 1
  std::uint32_t size;
  void *context;  ///< the provider's own
  /// Runs `body` over [begin, end) in chunks on any number of threads and returns the first status that is not 0. Nested calls
  /// run inline.
  std::int32_t (*parallel_for)(const Runtime *, std::int64_t begin, std::int64_t end, CompiledFunction body, const Slot *slots);
  /// Last-in-first-out scratch memory of the calling thread, aligned to 64 bytes; null when it cannot be had.
  void *(*scratch_acquire)(const Runtime *, std::uint64_t bytes);
  void (*scratch_release)(const Runtime *, void *);
};

}  // namespace lathe::inline LATHE_ABI
