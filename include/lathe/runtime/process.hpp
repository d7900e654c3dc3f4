// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// All state of Lathe that belongs to the process or to a thread rather than to an object. Each piece says why there is only
/// one and why that is safe; everything else is a value.
///
/// Pieces of the process are made when first used, by whichever thread comes first, and never destroyed: global objects of the
/// program may use them until its very end, and a child after `fork` must not wait for threads that it does not have.

#include "lathe/runtime/llvm_thread.hpp"
#include "lathe/version.hpp"

namespace lathe::inline LATHE_ABI {

class LlvmEngine;
class LlvmTargetMachines;
class ScratchArena;
struct LlvmLibrary;

// Of the process. (The default executor, declared in executor.hpp, is the fourth piece.)

/// The functions of LLVM. One, since a library is loaded into a process once; constant after loading. When loading fails, the
/// next call tries again. \throws Error as `load_llvm`.
const LlvmLibrary &llvm_library();

/// The linker of compiled code. One, since LLVM takes 0.3 ms to set it up and each holds on to memory. It locks by itself; after
/// a fatal error a new one takes its place, while what the old one has linked stays usable. \throws Error as `llvm_library`.
LlvmEngine &llvm_engine();

/// Whether `exit` has begun to destroy global objects, LLVM's perhaps already among them. Only ever goes from false to true.
bool process_is_ending();

// Of the calling thread; touched by no other.

/// The second thread on which LLVM works for this one. One each, so that several threads can compile at once, and kept, since
/// LLVM keeps much in thread-local caches. Ends with its owner.
LlvmThread &llvm_thread();

/// On LLVM's threads, what they share with their owner; null on all others. LLVM's handler of fatal errors is one for the process
/// and tells by it whether the error belongs to Lathe or to somebody else who uses the same library.
LlvmThread::Seat *&llvm_seat();

/// Target machines, which take long to make and serve one thread at a time; used on LLVM's threads. Freed when the thread ends.
LlvmTargetMachines &thread_target_machines();

/// Scratch memory of kernels. Blocks are given back in reverse order whatever executor a kernel runs on, so one arena serves all.
/// Freed when the thread ends.
ScratchArena &thread_scratch();

/// Whether this thread is running the body of a parallel loop, on any executor: loops inside it stay on the thread.
bool &inside_loop_body();

}  // namespace lathe::inline LATHE_ABI
