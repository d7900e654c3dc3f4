// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The processor by cpuid (x86-64) or the kernel's capability bits (aarch64), the caches by /sys or sysconf.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <fstream>

#include "lathe/diag/diagnostic.hpp"
#include "lathe/target/host_cpu.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace lathe::inline LATHE_ABI {

LATHE_INLINE std::string host_triple() {
#if defined(__x86_64__)
  return "x86_64-unknown-linux-gnu";
#elif defined(__aarch64__)
  return "aarch64-unknown-linux-gnu";
#else
  fail("T003", "this machine's architecture is neither x86-64 nor aarch64", {},
       {{"help", "emit C source with Target::c(), which any compiler takes", {}}});
#endif
}

#if defined(__x86_64__)

namespace host_cpuid {

enum Register { eax, ebx, ecx, edx };

struct Answer {
  std::array<unsigned, 4> registers{};
  bool bit(Register which, int index) const { return registers[which] >> index & 1; }
};

/// The answers that matter, each asked for once: under a hypervisor a single cpuid takes 10 microseconds or more.
enum Leaf { vendor, identity, structured, structured_more, extended, leaf_count };
using Answers = std::array<Answer, leaf_count>;

inline Answer ask(unsigned leaf, unsigned subleaf = 0) {
  Answer answer;
  auto &r = answer.registers;
  __cpuid_count(leaf, subleaf, r[eax], r[ebx], r[ecx], r[edx]);
  return answer;
}

inline Answers ask_all() {
  Answers answers;
  answers[vendor] = ask(0);
  answers[identity] = ask(1);
  if (answers[vendor].registers[eax] >= 7) {
    answers[structured] = ask(7, 0);
    if (answers[structured].registers[eax] >= 1) answers[structured_more] = ask(7, 1);
  }
  constexpr unsigned first_extended = 0x80000000;
  if (ask(first_extended).registers[eax] > first_extended) answers[extended] = ask(first_extended + 1);
  return answers;
}

inline const Answers &answers() {
  static const Answers all = ask_all();
  return all;
}

/// What the operating system must save for a feature to be usable.
enum class State { none, avx, avx512 };

struct FeatureBit {
  std::string_view name;
  Leaf leaf;
  Register where;
  int bit;
  State needs;
};

inline constexpr FeatureBit feature_bits[] = {
    {"sse2", identity, edx, 26, State::none},
    {"sse3", identity, ecx, 0, State::none},
    {"pclmul", identity, ecx, 1, State::none},
    {"ssse3", identity, ecx, 9, State::none},
    {"fma", identity, ecx, 12, State::avx},
    {"cx16", identity, ecx, 13, State::none},
    {"sse4.1", identity, ecx, 19, State::none},
    {"sse4.2", identity, ecx, 20, State::none},
    {"movbe", identity, ecx, 22, State::none},
    {"popcnt", identity, ecx, 23, State::none},
    {"aes", identity, ecx, 25, State::none},
    {"avx", identity, ecx, 28, State::avx},
    {"f16c", identity, ecx, 29, State::avx},
    {"lzcnt", extended, ecx, 5, State::none},
    {"bmi", structured, ebx, 3, State::none},
    {"avx2", structured, ebx, 5, State::avx},
    {"bmi2", structured, ebx, 8, State::none},
    {"avx512f", structured, ebx, 16, State::avx512},
    {"avx512dq", structured, ebx, 17, State::avx512},
    {"avx512ifma", structured, ebx, 21, State::avx512},
    {"avx512cd", structured, ebx, 28, State::avx512},
    {"sha", structured, ebx, 29, State::none},
    {"avx512bw", structured, ebx, 30, State::avx512},
    {"avx512vl", structured, ebx, 31, State::avx512},
    {"avx512vbmi", structured, ecx, 1, State::avx512},
    {"avx512vbmi2", structured, ecx, 6, State::avx512},
    {"gfni", structured, ecx, 8, State::none},
    {"vaes", structured, ecx, 9, State::avx},
    {"vpclmulqdq", structured, ecx, 10, State::avx},
    {"avx512vnni", structured, ecx, 11, State::avx512},
    {"avx512bitalg", structured, ecx, 12, State::avx512},
    {"avx512vpopcntdq", structured, ecx, 14, State::avx512},
    {"avx512fp16", structured, edx, 23, State::avx512},
    {"avxvnni", structured_more, eax, 4, State::avx},
    {"avx512bf16", structured_more, eax, 5, State::avx512},
    {"avxifma", structured_more, eax, 23, State::avx},
    {"avxvnniint8", structured_more, edx, 4, State::avx},
    {"avxneconvert", structured_more, edx, 5, State::avx},
};

/// The register states that the operating system saves (XCR0), 0 when it saves none beyond SSE.
inline std::uint64_t saved_states() {
  if (!answers()[identity].bit(ecx, 27)) return 0;  // OSXSAVE
  unsigned low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return std::uint64_t{high} << 32 | low;
}

inline bool saves(std::uint64_t states, State needed) {
  const auto all = [states](std::uint64_t mask) { return (states & mask) == mask; };
  switch (needed) {
    case State::none: return true;
    case State::avx: return all(0x6);
    case State::avx512: return all(0xe6);
  }
  return false;
}

/// Model numbers in Intel's family 6. Cascade Lake and Cooper Lake share Skylake's and are told apart by features.
struct IntelRow {
  std::string_view name;
  unsigned char models[7];  ///< filled up with 0, which no processor of ours has
};

inline constexpr IntelRow intel_rows[] = {
    {"core2", {0x0f, 0x16}},
    {"penryn", {0x17, 0x1d}},
    {"nehalem", {0x1a, 0x1e, 0x1f, 0x2e}},
    {"westmere", {0x25, 0x2c, 0x2f}},
    {"sandybridge", {0x2a, 0x2d}},
    {"ivybridge", {0x3a, 0x3e}},
    {"haswell", {0x3c, 0x3f, 0x45, 0x46}},
    {"broadwell", {0x3d, 0x47, 0x4f, 0x56}},
    {"skylake", {0x4e, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6}},
    {"skylake-avx512", {0x55}},
    {"cannonlake", {0x66}},
    {"icelake-client", {0x7d, 0x7e}},
    {"icelake-server", {0x6a, 0x6c}},
    {"tigerlake", {0x8c, 0x8d}},
    {"rocketlake", {0xa7}},
    {"sapphirerapids", {0x8f}},
    {"emeraldrapids", {0xcf}},
    {"graniterapids", {0xad}},
    {"graniterapids-d", {0xae}},
    {"alderlake", {0x97, 0x9a}},
    {"raptorlake", {0xb7, 0xba, 0xbf}},
    {"meteorlake", {0xaa, 0xac}},
    {"gracemont", {0xbe}},
    {"arrowlake", {0xb5, 0xc5, 0xc6}},
    {"lunarlake", {0xbd}},
    {"sierraforest", {0xaf}},
    {"grandridge", {0xb6}},
    {"clearwaterforest", {0xdd}},
    {"silvermont", {0x37, 0x4a, 0x4c, 0x4d, 0x5a, 0x5d}},
    {"goldmont", {0x5c, 0x5f}},
    {"goldmont-plus", {0x7a}},
    {"tremont", {0x86, 0x8a, 0x96, 0x9c}},
};

inline std::string_view intel_model(unsigned model) {
  for (const IntelRow &row : intel_rows)
    for (const unsigned char candidate : row.models)
      if (candidate == model && candidate != 0) return row.name;
  return "";
}

inline std::string_view amd_model(unsigned family, unsigned model) {
  switch (family) {
    case 0x16: return "btver2";
    case 0x17: return model >= 0x30 ? "znver2" : "znver1";
    case 0x19: return (model >= 0x10 && model <= 0x1f) || (model >= 0x60 && model <= 0xaf) ? "znver4" : "znver3";
    case 0x1a: return "znver5";
    default: return "";
  }
}

inline std::string_view model_name() {
  const unsigned maker = answers()[vendor].registers[ebx];
  const unsigned signature = answers()[identity].registers[eax];
  unsigned family = signature >> 8 & 0xf;
  unsigned model = signature >> 4 & 0xf;
  if (family == 6 || family == 15) model |= (signature >> 16 & 0xf) << 4;
  if (family == 15) family += signature >> 20 & 0xff;
  constexpr unsigned genu = 0x756e6547, auth = 0x68747541;  // "Genu"ineIntel, "Auth"enticAMD
  if (maker == genu && family == 6) return intel_model(model);
  if (maker == auth) return amd_model(family, model);
  return "";
}

}  // namespace host_cpuid

LATHE_INLINE FeatureSet host_features() {
  using namespace host_cpuid;
  FeatureSet features(Architecture::x86_64);
  const std::uint64_t states = saved_states();
  for (const FeatureBit &feature : feature_bits) {
    if (answers()[feature.leaf].bit(feature.where, feature.bit) && saves(states, feature.needs)) features.add(feature.name);
  }
  return features;
}

LATHE_INLINE std::string host_cpu_name() {
  const FeatureSet features = host_features();
  const std::string_view name = host_cpuid::model_name();
  if (name == "skylake-avx512") {
    if (features.contains("avx512bf16")) return "cooperlake";
    if (features.contains("avx512vnni")) return "cascadelake";
  }
  if (!name.empty()) return std::string(name);
  for (const std::string_view level : {"x86-64-v4", "x86-64-v3", "x86-64-v2"}) {
    bool complete = true;
    for (const std::string &needed : features_of(Architecture::x86_64, find_cpu(Architecture::x86_64, level)).names())
      complete = complete && features.contains(needed);
    if (complete) return std::string(level);
  }
  return "x86-64";
}

#elif defined(__aarch64__)

namespace host_capabilities {

struct FeatureBit {
  std::string_view name;
  unsigned long kind;  ///< AT_HWCAP (16) or AT_HWCAP2 (26)
  int bit;
};

/// Bits as Linux numbers them in asm/hwcap.h, written out since older headers lack the later ones.
inline constexpr FeatureBit feature_bits[] = {
    {"fp-armv8", 16, 0}, {"neon", 16, 1},     {"aes", 16, 3},     {"sha2", 16, 6},       {"crc", 16, 7},   {"lse", 16, 8},
    {"fullfp16", 16, 9}, {"rdm", 16, 12},     {"jsconv", 16, 13}, {"complxnum", 16, 14}, {"sha3", 16, 17}, {"dotprod", 16, 20},
    {"sve", 16, 22},     {"fp16fml", 16, 23}, {"sve2", 26, 1},    {"i8mm", 26, 13},      {"bf16", 26, 14},
};

/// Processors by implementer << 12 | part, as /proc/cpuinfo shows both.
struct PartRow {
  std::string_view name;
  unsigned part;
};

inline constexpr PartRow part_rows[] = {
    {"cortex-a53", 0x41d03},  {"cortex-a55", 0x41d05},  {"cortex-a57", 0x41d07},  {"cortex-a72", 0x41d08},
    {"cortex-a73", 0x41d09},  {"cortex-a76", 0x41d0b},  {"neoverse-n1", 0x41d0c}, {"neoverse-v1", 0x41d40},
    {"cortex-a78", 0x41d41},  {"cortex-x1", 0x41d44},   {"cortex-a710", 0x41d47}, {"cortex-x2", 0x41d48},
    {"neoverse-n2", 0x41d49}, {"neoverse-v2", 0x41d4f}, {"a64fx", 0x46001},       {"ampere1", 0xc0ac3},
};

inline std::string_view part_name(unsigned part) {
  for (const PartRow &row : part_rows)
    if (row.part == part) return row.name;
  return "generic";
}

/// The number behind `key` in a line of /proc/cpuinfo like "CPU part	: 0xd0c"; 0 when the line is about something else.
inline unsigned cpuinfo_number(const std::string &line, std::string_view key) {
  const auto colon = line.find(':');
  if (colon == std::string::npos || !line.starts_with(key)) return 0;
  return static_cast<unsigned>(std::strtoul(line.c_str() + colon + 1, nullptr, 0));
}

}  // namespace host_capabilities

LATHE_INLINE FeatureSet host_features() {
  FeatureSet features(Architecture::aarch64);
  for (const auto &feature : host_capabilities::feature_bits)
    if (getauxval(feature.kind) >> feature.bit & 1) features.add(feature.name);
  return features;
}

LATHE_INLINE std::string host_cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  unsigned implementer = 0, part = 0;
  for (std::string line; std::getline(file, line) && !(implementer && part);) {
    if (!implementer) implementer = host_capabilities::cpuinfo_number(line, "CPU implementer");
    if (!part) part = host_capabilities::cpuinfo_number(line, "CPU part");
  }
  return std::string(host_capabilities::part_name(implementer << 12 | part));
}

#else

LATHE_INLINE FeatureSet host_features() { return FeatureSet(architecture_of(host_triple())); }
LATHE_INLINE std::string host_cpu_name() { return host_triple(); }

#endif

namespace host_cache {

inline std::string line_of(const std::string &path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// Bytes in a text like "48K" or "2M".
inline std::int64_t bytes_in(const std::string &text) {
  std::int64_t bytes = std::strtoll(text.c_str(), nullptr, 10);
  if (text.ends_with('K')) bytes <<= 10;
  if (text.ends_with('M')) bytes <<= 20;
  return bytes;
}

/// What the C library says; 0 where it does not know.
inline CacheSizes from_sysconf() {
#ifdef _SC_LEVEL1_DCACHE_SIZE
  const auto ask = [](int name) { return std::max<std::int64_t>(sysconf(name), 0); };
  return {ask(_SC_LEVEL1_DCACHE_SIZE), ask(_SC_LEVEL2_CACHE_SIZE), ask(_SC_LEVEL3_CACHE_SIZE)};
#else
  return {0, 0, 0};
#endif
}

}  // namespace host_cache

LATHE_INLINE CacheSizes caches_in(const std::string &folder) {
  CacheSizes found{0, 0, 0};
  for (int index = 0; index < 8; ++index) {
    const std::string cache = composed({folder, "/index", index, "/"});
    const std::string level = host_cache::line_of(cache + "level");
    if (level.empty()) break;
    if (host_cache::line_of(cache + "type") == "Instruction") continue;
    std::int64_t *const size = level == "1" ? &found.l1d : level == "2" ? &found.l2 : level == "3" ? &found.l3 : nullptr;
    if (size) *size = host_cache::bytes_in(host_cache::line_of(cache + "size"));
  }
  return found;
}

LATHE_INLINE CacheSizes host_caches() {
  // The kernel first: what glibc before 2.37 takes for the third level of an AMD processor is the sum over all groups of cores.
  CacheSizes found = caches_in("/sys/devices/system/cpu/cpu0/cache");
  if (found.l1d == 0) found = host_cache::from_sysconf();
  // Many processors have no third level, but a machine that reports no first one reports nothing.
  return found.l1d > 0 ? found : CacheSizes{};
}

}  // namespace lathe::inline LATHE_ABI
