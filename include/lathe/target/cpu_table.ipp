// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The tables of processors and features, and the look-ups over them.

#include <algorithm>
#include <numeric>
#include <utility>

#include "lathe/diag/diagnostic.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/lists.hpp"
#include "lathe/target/cpu_table.hpp"

namespace lathe::inline LATHE_ABI {

namespace cpu_tables {

inline constexpr FeatureRow x86_features[] = {
    {"sse", ""},
    {"sse2", "sse"},
    {"sse3", "sse2"},
    {"ssse3", "sse3"},
    {"sse4.1", "ssse3"},
    {"sse4.2", "sse4.1"},
    {"cx16", ""},
    {"popcnt", ""},
    {"movbe", ""},
    {"lzcnt", ""},
    {"bmi", ""},
    {"bmi2", ""},
    {"aes", "sse2"},
    {"pclmul", "sse2"},
    {"sha", "sse2"},
    {"gfni", "sse2"},
    {"avx", "sse4.2"},
    {"f16c", "avx"},
    {"fma", "avx"},
    {"avx2", "avx"},
    {"vaes", "avx2 aes"},
    {"vpclmulqdq", "avx pclmul"},
    {"avxvnni", "avx2"},
    {"avxvnniint8", "avx2"},
    {"avxifma", "avx2"},
    {"avxneconvert", "avx2"},
    {"avx512f", "avx2 f16c fma"},
    {"avx512cd", "avx512f"},
    {"avx512bw", "avx512f"},
    {"avx512dq", "avx512f"},
    {"avx512vl", "avx512f"},
    {"avx512ifma", "avx512f"},
    {"avx512vnni", "avx512f"},
    {"avx512vpopcntdq", "avx512f"},
    {"avx512vbmi", "avx512bw"},
    {"avx512vbmi2", "avx512bw"},
    {"avx512bitalg", "avx512bw"},
    {"avx512bf16", "avx512bw"},
    {"avx512fp16", "avx512bw avx512dq avx512vl"},
};

inline constexpr CpuRow x86_cpus[] = {
    // Levels of the psABI.
    {"x86-64", "", "sse2"},
    {"x86-64-v2", "x86-64", "sse4.2 cx16 popcnt"},
    {"x86-64-v3", "x86-64-v2", "avx2 bmi bmi2 f16c fma lzcnt movbe"},
    {"x86-64-v4", "x86-64-v3", "avx512bw avx512cd avx512dq avx512vl"},
    // Intel, big cores.
    {"core2", "x86-64", "ssse3 cx16"},
    {"penryn", "core2", "sse4.1"},
    {"nehalem", "x86-64-v2", ""},
    {"westmere", "nehalem", "pclmul"},
    {"sandybridge", "westmere", "avx"},
    {"ivybridge", "sandybridge", "f16c"},
    {"haswell", "ivybridge", "avx2 bmi bmi2 fma lzcnt movbe"},
    {"broadwell", "haswell", ""},
    {"skylake", "broadwell", "aes"},
    {"skylake-avx512", "skylake", "avx512bw avx512cd avx512dq avx512vl"},
    {"cascadelake", "skylake-avx512", "avx512vnni"},
    {"cooperlake", "cascadelake", "avx512bf16"},
    {"cannonlake", "skylake-avx512", "avx512ifma avx512vbmi sha"},
    {"icelake-client", "cannonlake", "avx512bitalg avx512vbmi2 avx512vnni avx512vpopcntdq gfni vaes vpclmulqdq"},
    {"icelake-server", "icelake-client", ""},
    {"tigerlake", "icelake-client", ""},
    {"rocketlake", "icelake-client", ""},
    {"sapphirerapids", "icelake-server", "avx512bf16 avx512fp16 avxvnni"},
    {"emeraldrapids", "sapphirerapids", ""},
    {"graniterapids", "sapphirerapids", ""},
    {"graniterapids-d", "graniterapids", "", 17},
    // Intel, hybrid and small cores.
    {"alderlake", "skylake", "avxvnni gfni sha vaes vpclmulqdq"},
    {"raptorlake", "alderlake", ""},
    {"meteorlake", "alderlake", ""},
    {"gracemont", "alderlake", "", 17},
    {"sierraforest", "alderlake", "avxifma avxneconvert avxvnniint8"},
    {"grandridge", "sierraforest", ""},
    {"arrowlake", "sierraforest", "", 17},
    {"lunarlake", "arrowlake", "", 17},
    {"clearwaterforest", "sierraforest", "", 18},
    {"silvermont", "nehalem", "movbe pclmul"},
    {"goldmont", "silvermont", "aes sha"},
    {"goldmont-plus", "goldmont", ""},
    {"tremont", "goldmont-plus", "gfni"},
    // AMD.
    {"btver2", "x86-64-v2", "aes avx bmi f16c lzcnt movbe pclmul"},
    {"znver1", "x86-64-v3", "aes pclmul sha"},
    {"znver2", "znver1", ""},
    {"znver3", "znver2", "vaes vpclmulqdq"},
    {"znver4", "znver3",
     "avx512bf16 avx512bitalg avx512cd avx512dq avx512ifma avx512vbmi avx512vbmi2 avx512vl avx512vnni avx512vpopcntdq gfni"},
    {"znver5", "znver4", "avxvnni", 19},
};

inline constexpr FeatureRow aarch64_features[] = {
    {"fp-armv8", ""},      {"neon", "fp-armv8"},     {"crc", ""},
    {"lse", ""},           {"aes", "neon"},          {"sha2", "neon"},
    {"sha3", "sha2"},      {"rdm", "neon"},          {"dotprod", "neon"},
    {"complxnum", "neon"}, {"jsconv", "fp-armv8"},   {"bf16", ""},
    {"i8mm", ""},          {"fullfp16", "fp-armv8"}, {"fp16fml", "fullfp16"},
    {"sve", "fullfp16"},   {"sve2", "sve"},
};

inline constexpr CpuRow aarch64_cpus[] = {
    {"generic", "", "neon"},
    {"cortex-a53", "generic", "aes crc sha2"},
    {"cortex-a57", "cortex-a53", ""},
    {"cortex-a72", "cortex-a57", ""},
    {"cortex-a73", "cortex-a72", ""},
    {"cortex-a55", "cortex-a53", "dotprod fullfp16 lse rdm"},
    {"cortex-a76", "cortex-a55", ""},
    {"cortex-a78", "cortex-a76", ""},
    {"cortex-x1", "cortex-a78", ""},
    {"neoverse-n1", "cortex-a76", ""},
    {"neoverse-v1", "neoverse-n1", "bf16 complxnum fp16fml i8mm jsconv sha3 sve"},
    {"cortex-x2", "generic", "bf16 complxnum crc dotprod fp16fml i8mm jsconv lse rdm sve2"},
    {"cortex-a710", "cortex-x2", ""},
    {"neoverse-n2", "cortex-a710", ""},
    {"neoverse-v2", "neoverse-n2", ""},
    {"a64fx", "cortex-a53", "complxnum fullfp16 lse rdm sve"},
    {"ampere1", "neoverse-n1", "bf16 complxnum fp16fml i8mm jsconv sha3"},
    {"apple-m1", "neoverse-n1", "complxnum fp16fml jsconv sha3"},
    {"apple-m2", "apple-m1", "bf16 i8mm"},
};

/// Calls `use(word)` for each word of a list separated by blanks.
template <class Use>
void each_word(std::string_view list, const Use &use) {
  while (!list.empty()) {
    const auto end = std::min(list.find(' '), list.size());
    use(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

/// Insertions, deletions and substitutions that turn `a` into `b`.
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  List<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] != b[j])});
      diagonal = above;
    }
  }
  return row.back();
}

/// The four names of `rows` nearest to `wanted`, nearest first, in one string.
template <class Row>
std::string near_names(std::span<const Row> rows, std::string_view wanted) {
  List<std::pair<std::size_t, std::string_view>> names;
  for (const Row &row : rows) names.emplace_back(edit_distance(wanted, row.name), row.name);
  lists::sort(names, [](const auto &a, const auto &b) { return a.first != b.first ? a.first < b.first : a.second < b.second; });
  names.resize(std::min<std::size_t>(names.size(), 4));
  std::string text;
  for (const auto &[distance, name] : names) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

inline const FeatureRow &find_feature(Architecture architecture, std::string_view feature) {
  const auto rows = feature_rows(architecture);
  for (const FeatureRow &row : rows)
    if (row.name == feature) return row;
  fail("T002", {"there is no processor feature named \"", feature, "\""}, {},
       {{"help", {"near names: ", near_names(rows, feature)}, {}}});
}

}  // namespace cpu_tables

LATHE_INLINE std::span<const FeatureRow> feature_rows(Architecture architecture) {
  if (architecture == Architecture::aarch64) return cpu_tables::aarch64_features;
  return cpu_tables::x86_features;
}

LATHE_INLINE std::span<const CpuRow> cpu_rows(Architecture architecture) {
  if (architecture == Architecture::aarch64) return cpu_tables::aarch64_cpus;
  return cpu_tables::x86_cpus;
}

LATHE_INLINE void FeatureSet::add(std::string_view feature) {
  const FeatureRow &row = cpu_tables::find_feature(architecture_, feature);
  const auto at = std::lower_bound(names_.begin(), names_.end(), row.name);
  if (at != names_.end() && *at == row.name) return;
  names_.insert(at, row.name);
  cpu_tables::each_word(row.implies, [this](std::string_view implied) { add(implied); });
}

LATHE_INLINE void FeatureSet::remove(std::string_view feature) {
  const FeatureRow &removed = cpu_tables::find_feature(architecture_, feature);
  if (!contains(removed.name)) return;
  names_.erase(std::lower_bound(names_.begin(), names_.end(), removed.name));
  for (const FeatureRow &row : feature_rows(architecture_)) {
    cpu_tables::each_word(row.implies, [&](std::string_view implied) {
      if (implied == removed.name) remove(row.name);
    });
  }
}

LATHE_INLINE Architecture architecture_of(std::string_view triple) {
  const std::string_view name = triple.substr(0, triple.find('-'));
  if (name == "x86_64" || name == "amd64") return Architecture::x86_64;
  if (name == "aarch64" || name == "arm64") return Architecture::aarch64;
  fail("T003", {"code cannot be made for the architecture \"", name, "\""}, {},
       {{"help", "use a triple of x86_64 or aarch64, or emit C source with Target::c()", {}}});
}

LATHE_INLINE const CpuRow &find_cpu(Architecture architecture, std::string_view cpu) {
  const auto rows = cpu_rows(architecture);
  for (const CpuRow &row : rows)
    if (row.name == cpu) return row;
  fail("T001", {"there is no processor named \"", cpu, "\""}, {},
       {{"help", {"near names: ", cpu_tables::near_names(rows, cpu)}, {}}});
}

LATHE_INLINE FeatureSet features_of(Architecture architecture, const CpuRow &cpu) {
  FeatureSet features = cpu.base.empty() ? FeatureSet(architecture) : features_of(architecture, find_cpu(architecture, cpu.base));
  cpu_tables::each_word(cpu.adds, [&](std::string_view feature) { features.add(feature); });
  return features;
}

LATHE_INLINE std::string_view name_for_llvm(Architecture architecture, std::string_view cpu, int llvm_major) {
  const CpuRow *row = &find_cpu(architecture, cpu);
  while (row->since_llvm > llvm_major) row = &find_cpu(architecture, row->base);
  return row->name;
}

}  // namespace lathe::inline LATHE_ABI
