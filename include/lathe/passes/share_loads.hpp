// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Reads a row once where overlapping vectors of it are wanted, and puts the others together from lanes.

#include "lathe/ir/stmt.hpp"
#include "lathe/passes/pass.hpp"

namespace lathe::inline LATHE_ABI::passes {

/// Vectors of one row whose places differ by constants, loaded in straight-line code with no store to the buffer between them,
/// form a window. Those that its other vectors cover become shuffles of two of these; nothing is read that was not read before:
///
///     B[[0:16]] = A[x + [0:16]] + A[x + [1:17]] + A[x + [2:18]]
///     B[[16:32]] = A[x + [16:32]] + A[x + [17:33]] + A[x + [18:34]]
///
///     let low = A[x + [0:16]], high = A[x + [16:32]], last = A[x + [18:34]]
///     B[[0:16]] = low + shuffle([low, high], [1, 2, …, 16]) + shuffle([low, high], [2, 3, …, 17])
///     B[[16:32]] = high + shuffle([high, last], [1, 2, …, 15, 30]) + last
///
/// Vectors of stride s that lie in between each other, as the even and the odd elements of a row, become shuffles of the s
/// contiguous vectors that they make up together; code generation would otherwise load those for each of them:
///
///     max(A[2*x + [0:32:2]], A[2*x + [1:33:2]])
///     max(shuffle([A[2*x + [0:16]], A[2*x + [16:32]]], [0, 2, …, 30]), shuffle([…], [1, 3, …, 31]))
///
/// A shuffle's loads stand where the load stood that it replaces, so it is of the same values; that the vectors which cover it
/// are loaded in any case, of the values that they have there, is what makes it cheap and keeps it in bounds. Loads under a
/// predicate stay, and windows do not reach across a check, into a loop or into a branch of a condition.
///
/// What it costs decides. Measured on a Sapphire Rapids core, as time of the loads over time with shuffles, interleaved:
///
///     sums of 3, 5, 9 neighbours, vectors of 64 bytes (AVX-512)       1.1 to 1.4 in L1, 1.0 to 1.5 in L2, 1 in memory
///     the same with vectors of 32 bytes of AVX-512, in L1             0.94 to 1.10
///     the same with AVX2, in L1                                       0.76 to 1.03
///     depthwise 3x3, AVX-512, each load wanted once or twice          1.0 to 1.33
///     depthwise and pooling of stride 2                               AVX-512 1.06 to 1.8, AVX2 1.04 to 1.47
///     pixels of 3 and 4 channels of 16 to 64 bits                     AVX-512 1.03 to 1.96, AVX2 1.0 to 2.05
///     the same of 8 bits                                              0.87 to 1.23
///
/// A load that crosses a cache line costs two. With 64 bytes all do that are not aligned, and a shuffle is one instruction on a
/// port that arithmetic uses too: as many loads are replaced as bring the two into balance, none where each is used three times
/// or its maximum is taken with care for NaN. With 32 bytes every second load crosses, three are done a cycle, and AVX2 needs two
/// or three instructions to shuffle across its halves: there windows of neighbours stay as they are. Strided vectors only lose
/// loads, and become shuffles everywhere but for bytes at strides of 3 and 4.
///
/// Holds afterwards: what held before.
ir::Stmt share_loads(const ir::Stmt &s, const PassContext &context);

}  // namespace lathe::inline LATHE_ABI::passes
