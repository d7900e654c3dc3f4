// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The two limits of a roofline, measured on this machine: the rate of fused multiply-adds, and the rate at which a given number
/// of bytes can be read and written once.

#include <cstddef>
#include <cstdint>

namespace probes {

/// Floating-point operations that one round of `fma_rounds` does on each thread.
extern const double flops_per_round;

/// Independent float32 multiply-adds in the widest registers of this machine, `rounds` times on each of `threads` threads.
void fma_rounds(std::int64_t rounds, int threads);

/// Reads `read_bytes` and writes `write_bytes` once, front to back, in wide plain loads and stores: the least that any kernel
/// with these operands must do. `streams` (1, 4 or 8) places are walked at a time, which lets more prefetchers work; which number
/// is fastest depends on the machine. Both addresses are aligned to 64 bytes.
void touch(const void *read, std::size_t read_bytes, void *write, std::size_t write_bytes, int threads, int streams);

/// The peak of `threads` threads in GFLOP/s, float32: the best of several bursts of a millisecond.
double peak_gflops(int threads);

/// GB/s at which `read_bytes` are read and `write_bytes` written, when done again and again: operands that fit a cache stay in
/// it. The best of several passes and numbers of streams. Allocates both.
double bandwidth_gbs(std::size_t read_bytes, std::size_t write_bytes, int threads);

}  // namespace probes
