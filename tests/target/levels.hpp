// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The processors that kernels are tested for on this machine: itself, and less of it.

#include <algorithm>
#include <array>
#include <string>

#include "lathe/target/target.hpp"

namespace levels {

/// A processor and how wide its vectors may be.
struct Level {
  const char *cpu;  ///< empty: this machine
  int vector_bits;  ///< 0: as the processor has them
};

/// The psABI's levels of x86-64, AVX without AVX2, F16C and FMA (sandybridge), and narrower vectors where that changes code.
/// A level comes behind those that are simpler to say.
inline constexpr std::array all = {
    Level{"", 0},          Level{"", 256},          Level{"", 128},          Level{"x86-64", 0},
    Level{"x86-64-v2", 0}, Level{"sandybridge", 0}, Level{"x86-64-v3", 0},   Level{"x86-64-v3", 128},
    Level{"x86-64-v4", 0}, Level{"x86-64-v4", 256}, Level{"x86-64-v4", 128},
};

/// Whether this machine runs what is compiled for the level, and the level says anything new.
inline bool is_usable(const Level &level) {
  const lathe::Target host = lathe::Target::host();
  if (!*level.cpu) return level.vector_bits < host.vector_bits;
  if (!host.triple.starts_with("x86_64")) return false;
  const lathe::Target named = lathe::Target::host(level.cpu);
  return level.vector_bits < named.vector_bits &&
         std::all_of(named.features.begin(), named.features.end(), [&](const std::string &feature) { return host.has(feature); });
}

/// The target of a level; of this machine if the level is not usable.
inline lathe::Target target_of(const Level &level) {
  if (!is_usable(level)) return lathe::Target::host();
  lathe::Target target = *level.cpu ? lathe::Target::host(level.cpu) : lathe::Target::host();
  if (level.vector_bits > 0) target.vector_bits = level.vector_bits;
  return target;
}

/// "x86-64-v4", "host, 256 bits".
inline std::string name_of(const Level &level) {
  if (!is_usable(level)) return "host";
  return std::string(*level.cpu ? level.cpu : "host") +
         (level.vector_bits > 0 ? ", " + std::to_string(level.vector_bits) + " bits" : "");
}

/// The same as statements of C++ that define `target`.
inline std::string cpp_of(const Level &level) {
  const bool usable = is_usable(level);
  std::string text = "Target target = Target::host(";
  if (usable && *level.cpu) text += '"' + std::string(level.cpu) + '"';
  text += ");";
  if (usable && level.vector_bits > 0) text += " target.vector_bits = " + std::to_string(level.vector_bits) + ";";
  return text;
}

}  // namespace levels
