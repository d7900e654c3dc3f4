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
  void *pointer;         ///< of a buffer's element 0, or of a function
  std::int64_t integer;  ///< of an index
  std::uint64_t bits;    ///< of any scalar
  float f32;             ///< of a float32
  double f64;            ///< of a float64
};
static_assert(sizeof(Slot) == 8);

struct Runtime;

/// What a compiled function is called with.
struct Args {
  const Slot *slots;   ///< slots[i] is parameter i of the function, in the order of `Function::parameters`
  std::int64_t begin;  ///< of a parallel loop's body: the first iteration to run; kernels ignore it
  std::int64_t end;    ///< the iteration after the last one
};

/// Every compiled function: 0 on success; a positive value k names check k - 1 of the program; a negative one is a `Status`.
using CompiledFunction = std::int32_t (*)(const Args *, const Runtime *);

/// Failures that the runtime itself reports.
enum Status : std::int32_t {
  status_ok = 0,                ///< no failure
  status_out_of_scratch = -1,   ///< `Runtime::scratch_acquire` gave null
  status_callback_failed = -2,  ///< the executor threw an exception
};

/// Services that compiled code may call. Versioned: fields are only ever appended; `size` is sizeof the provider's table.
struct Runtime {
  std::uint32_t version;  ///< 1
  std::uint32_t size;     ///< in bytes
  void *context;          ///< the provider's own
  /// Runs `body` over [begin, end) in chunks on any number of threads and returns the first status that is not 0. Nested calls
  /// run inline.
  std::int32_t (*parallel_for)(const Runtime *, std::int64_t begin, std::int64_t end, CompiledFunction body, const Slot *slots);
  /// Last-in-first-out scratch memory of the calling thread, aligned to 64 bytes; null when it cannot be had.
  void *(*scratch_acquire)(const Runtime *, std::uint64_t bytes);
  /// Gives back the block acquired last, and with it what was acquired after `block`.
  void (*scratch_release)(const Runtime *, void *);
};

}  // namespace lathe::inline LATHE_ABI
