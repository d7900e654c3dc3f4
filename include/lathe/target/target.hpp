// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// What code is made for: a processor, its features, its vectors and its caches, as a plain value.
///
/// Names of processors and features are checked here, against tables of our own: LLVM only prints a line to stderr for an
/// unknown name and goes on with a generic processor.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "lathe/diag/diagnostic.hpp"
#include "lathe/support/list.hpp"
#include "lathe/version.hpp"

namespace lathe::inline LATHE_ABI {

/// Bytes of the data caches that one core reaches, 0 where a level does not exist. The values here stand in for a machine
/// that cannot be asked: another one than this, or one whose kernel does not say.
struct CacheSizes {
  std::int64_t l1d = std::int64_t{32} << 10;  ///< first level, data
  std::int64_t l2 = std::int64_t{1} << 20;    ///< second level
  std::int64_t l3 = std::int64_t{16} << 20;   ///< third level, shared with other cores as a rule

  friend bool operator==(const CacheSizes &, const CacheSizes &) = default;  ///< at every level
};

/// A processor to make code for. A value: copy it, change a field (`target.vector_bits = 256`), compare it.
struct Target {
  /// The LLVM triple, "x86_64-unknown-linux-gnu"; empty for C source, which any compiler may take.
  std::string triple;
  /// The name that LLVM and GCC know the processor by, "znver4"; empty for C source.
  std::string cpu;
  /// Names of features as LLVM writes them, "avx512f", sorted, each with all that it implies. Features that change nothing in
  /// the code of kernels are left out.
  List<std::string> features;
  /// Width in bits of the widest vector register to use: 512, 256 or 128; 0 without vectors. 256 keeps code off the 512-bit
  /// registers of AVX-512. 128 does not keep it off those of AVX, for which LLVM has no switch: take the features away, "-avx".
  int vector_bits = 0;
  /// Whether a multiply-add of floats with one rounding is an instruction.
  bool has_fma = false;
  /// Whether vector types may be emitted at all. False for C source.
  bool vectors = false;
  /// For those who choose tile sizes; code does not depend on them.
  CacheSizes caches;

  /// The machine that this runs on, as its processor and kernel report it. Found out once, then copied.
  /// \throws Error T003 when the architecture is neither x86-64 nor aarch64.
  static Target host();

  /// A named processor on this machine's architecture and system, `Target::host("znver4")`, with features switched on or off
  /// by `changes` like "+avx512f" or "-fma": "+" brings what the feature implies, "-" takes along what needs it. The host's own
  /// name gives the host's caches, any other one the defaults. The code need not run here.
  /// \throws Error T001 for a processor and T002 for a feature that is not known; both list near names.
  static Target host(std::string_view cpu, std::initializer_list<std::string_view> changes = {},
                     Location place = Location::current());

  /// A named processor behind any triple, for cross-compilation: `Target::of("aarch64-unknown-linux-gnu", "neoverse-n1")`.
  /// \throws Error T001, T002 as `host`, T003 when the triple's architecture is not known.
  static Target of(std::string_view triple, std::string_view cpu, std::initializer_list<std::string_view> changes = {},
                   Location place = Location::current());

  /// Portable C source: no vectors, no fused multiply-add, whatever the compiler makes of it.
  static Target c();

  /// Whether `feature` is in `features`.
  bool has(std::string_view feature) const;

  /// How many elements of `bits` bits a vector register holds; 1 without vectors.
  int lanes(int bits) const { return vectors && bits > 0 && bits < vector_bits ? vector_bits / bits : 1; }

  /// In every field, caches included.
  friend bool operator==(const Target &, const Target &) = default;
};

/// One line that says all of it, the same for equal targets and different for unequal ones.
std::string to_string(const Target &target);

}  // namespace lathe::inline LATHE_ABI
