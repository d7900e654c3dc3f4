// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Targets. Features of named processors are compared with what clang-19 gives `-march=` (printed in target-features of the
/// LLVM text of an empty function), typed in here by hand.

#include "lathe/target/target.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "lathe/diag/diagnostic.hpp"
#include "lathe/target/cpu_table.hpp"
#include "lathe/target/host_cpu.hpp"

namespace lathe {
namespace {

std::string joined(const List<std::string> &names) {
  std::string text;
  for (const std::string &name : names) text += (text.empty() ? "" : " ") + name;
  return text;
}

template <class Action>
std::string error_of(const Action &action) {
  try {
    action();
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

std::string x86_features(std::string_view cpu) { return joined(Target::of("x86_64-unknown-linux-gnu", cpu).features); }
std::string arm_features(std::string_view cpu) { return joined(Target::of("aarch64-unknown-linux-gnu", cpu).features); }

TEST(Target, FeaturesOfNamedProcessorsAreClangs) {
  EXPECT_EQ(x86_features("x86-64"), "sse sse2");
  EXPECT_EQ(x86_features("nehalem"), "cx16 popcnt sse sse2 sse3 sse4.1 sse4.2 ssse3");
  EXPECT_EQ(x86_features("haswell"),
            "avx avx2 bmi bmi2 cx16 f16c fma lzcnt movbe pclmul popcnt sse sse2 sse3 sse4.1 sse4.2 ssse3");
  EXPECT_EQ(x86_features("skylake-avx512"),
            "aes avx avx2 avx512bw avx512cd avx512dq avx512f avx512vl bmi bmi2 cx16 f16c fma lzcnt movbe pclmul popcnt sse sse2 "
            "sse3 sse4.1 sse4.2 ssse3");
  EXPECT_EQ(x86_features("sierraforest"),
            "aes avx avx2 avxifma avxneconvert avxvnni avxvnniint8 bmi bmi2 cx16 f16c fma gfni lzcnt movbe pclmul popcnt sha sse "
            "sse2 sse3 sse4.1 sse4.2 ssse3 vaes vpclmulqdq");
  EXPECT_EQ(x86_features("sapphirerapids"),
            "aes avx avx2 avx512bf16 avx512bitalg avx512bw avx512cd avx512dq avx512f avx512fp16 avx512ifma avx512vbmi "
            "avx512vbmi2 avx512vl avx512vnni avx512vpopcntdq avxvnni bmi bmi2 cx16 f16c fma gfni lzcnt movbe pclmul popcnt sha "
            "sse sse2 sse3 sse4.1 sse4.2 ssse3 vaes vpclmulqdq");
  EXPECT_EQ(x86_features("znver4"),
            "aes avx avx2 avx512bf16 avx512bitalg avx512bw avx512cd avx512dq avx512f avx512ifma avx512vbmi avx512vbmi2 avx512vl "
            "avx512vnni avx512vpopcntdq bmi bmi2 cx16 f16c fma gfni lzcnt movbe pclmul popcnt sha sse sse2 sse3 sse4.1 sse4.2 "
            "ssse3 vaes vpclmulqdq");
  EXPECT_EQ(arm_features("cortex-a53"), "aes crc fp-armv8 neon sha2");
  EXPECT_EQ(arm_features("neoverse-v1"),
            "aes bf16 complxnum crc dotprod fp-armv8 fp16fml fullfp16 i8mm jsconv lse neon rdm sha2 sha3 sve");
}

TEST(Target, VectorsFollowFromFeatures) {
  const Target zen4 = Target::host("znver4"), haswell = Target::host("haswell"), sandybridge = Target::host("sandybridge");
  EXPECT_EQ(zen4.vector_bits, 512);
  EXPECT_EQ(haswell.vector_bits, 256);
  EXPECT_TRUE(haswell.has_fma);
  EXPECT_EQ(sandybridge.vector_bits, 256);
  EXPECT_FALSE(sandybridge.has_fma);
  EXPECT_EQ(Target::host("penryn").vector_bits, 128);
  EXPECT_EQ(Target::of("aarch64-unknown-linux-gnu", "a64fx").vector_bits, 128);
  EXPECT_TRUE(Target::of("aarch64-unknown-linux-gnu", "generic").has_fma);
}

TEST(Target, LanesOfAVector) {
  const Target haswell = Target::host("haswell");
  EXPECT_EQ(haswell.lanes(32), 8);
  EXPECT_EQ(haswell.lanes(8), 32);
  EXPECT_EQ(haswell.lanes(256), 1);
  EXPECT_EQ(haswell.lanes(1024), 1);
  EXPECT_EQ(Target::c().lanes(32), 1);
}

TEST(Target, ChangesKeepFeaturesConsistent) {
  const Target narrow = Target::host("znver4", {"-avx2"});
  EXPECT_FALSE(narrow.has("avx512f"));
  EXPECT_FALSE(narrow.has("avx512bf16"));
  EXPECT_FALSE(narrow.has("vaes"));
  EXPECT_TRUE(narrow.has("avx"));
  EXPECT_TRUE(narrow.has_fma);
  EXPECT_EQ(narrow.vector_bits, 256);
  const Target wide = Target::host("x86-64", {"+avx512fp16"});
  EXPECT_TRUE(wide.has("sse4.2"));
  EXPECT_TRUE(wide.has("avx512vl"));
  EXPECT_TRUE(wide.has_fma);
  EXPECT_EQ(wide.vector_bits, 512);
}

TEST(Target, UnknownNamesAreRefusedWithNearOnes) {
  const std::string cpu = error_of([] { (void)Target::host("zenver4"); });
  EXPECT_NE(cpu.find("error[T001]"), std::string::npos) << cpu;
  EXPECT_NE(cpu.find("znver4"), std::string::npos) << cpu;
  const std::string feature = error_of([] { (void)Target::host("znver4", {"+avx512"}); });
  EXPECT_NE(feature.find("error[T002]"), std::string::npos) << feature;
  EXPECT_NE(feature.find("avx512f"), std::string::npos) << feature;
  const std::string unsigned_change = error_of([] { (void)Target::host("znver4", {"avx2"}); });
  EXPECT_NE(unsigned_change.find("+avx2"), std::string::npos) << unsigned_change;
  const std::string triple = error_of([] { (void)Target::of("riscv64-unknown-linux-gnu", "generic"); });
  EXPECT_NE(triple.find("error[T003]"), std::string::npos) << triple;
}

TEST(Target, EveryRowOfTheTablesHolds) {
  for (const Architecture architecture : {Architecture::x86_64, Architecture::aarch64}) {
    for (const CpuRow &row : cpu_rows(architecture)) {
      EXPECT_NO_THROW((void)features_of(architecture, row)) << row.name;
      EXPECT_NO_THROW((void)name_for_llvm(architecture, row.name, 16)) << row.name;
    }
  }
  EXPECT_EQ(name_for_llvm(Architecture::x86_64, "znver5", 18), "znver4");
  EXPECT_EQ(name_for_llvm(Architecture::x86_64, "znver5", 19), "znver5");
  EXPECT_EQ(name_for_llvm(Architecture::x86_64, "lunarlake", 16), "sierraforest");
}

TEST(Target, IsAValue) {
  Target a = Target::host("haswell"), b = a;
  EXPECT_EQ(a, b);
  EXPECT_EQ(to_string(a), to_string(b));
  b.vector_bits = 128;
  EXPECT_NE(a, b);
  EXPECT_NE(to_string(a), to_string(b));
  EXPECT_EQ(to_string(Target::c()).substr(0, 2), "c ");
}

/// The words behind "flags" of /proc/cpuinfo, padded with blanks; empty where there is no such line.
std::string kernel_flags() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("flags")) return line + ' ';
  return {};
}

TEST(Target, HostAgreesWithTheKernel) {
  const std::string flags = kernel_flags();
  if (flags.empty()) GTEST_SKIP() << "no flags in /proc/cpuinfo";
  const Target host = Target::host();
  const std::pair<const char *, const char *> names[] = {
      {"sse2", "sse2"},
      {"ssse3", "ssse3"},
      {"sse4.2", "sse4_2"},
      {"avx", "avx"},
      {"avx2", "avx2"},
      {"fma", "fma"},
      {"f16c", "f16c"},
      {"bmi2", "bmi2"},
      {"lzcnt", "abm"},
      {"movbe", "movbe"},
      {"avx512f", "avx512f"},
      {"avx512bw", "avx512bw"},
      {"avx512vl", "avx512vl"},
      {"avxvnni", "avx_vnni"},
      {"avx512bf16", "avx512_bf16"},
      {"avx512fp16", "avx512_fp16"},
      {"gfni", "gfni"},
      {"sha", "sha_ni"},
      {"avx512vnni", "avx512_vnni"},
      {"vpclmulqdq", "vpclmulqdq"},
  };
  for (const auto &[feature, flag] : names)
    EXPECT_EQ(host.has(feature), flags.find(' ' + std::string(flag) + ' ') != std::string::npos) << feature;
  EXPECT_TRUE(host.vectors);
  EXPECT_TRUE(std::is_sorted(host.features.begin(), host.features.end()));
  EXPECT_EQ(Target::host(host.cpu).caches, host.caches);
}

/// A folder like a processor's `cache` under /sys; a line per cache: level, type, size.
class CacheFolder {
 public:
  explicit CacheFolder(std::initializer_list<std::array<const char *, 3>> caches) {
    std::string pattern = (std::filesystem::temp_directory_path() / "lathe_caches_XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("no temporary directory");
    folder_ = pattern;
    int index = 0;
    for (const auto &[level, type, size] : caches) {
      const std::filesystem::path cache = folder_ / ("index" + std::to_string(index++));
      std::filesystem::create_directory(cache);
      std::ofstream(cache / "level") << level << '\n';
      std::ofstream(cache / "type") << type << '\n';
      std::ofstream(cache / "size") << size << '\n';
    }
  }
  ~CacheFolder() { std::filesystem::remove_all(folder_); }
  CacheSizes sizes() const { return caches_in(folder_.string()); }

 private:
  std::filesystem::path folder_;
};

TEST(Target, CachesAreReadFromTheKernelsFiles) {
  const CacheFolder server(
      {{"1", "Data", "48K"}, {"1", "Instruction", "32K"}, {"2", "Unified", "2048K"}, {"3", "Unified", "260M"}});
  EXPECT_EQ(server.sizes(), (CacheSizes{48 << 10, 2 << 20, 260 << 20}));
  const CacheFolder other_order({{"2", "Unified", "512K"}, {"1", "Instruction", "64K"}, {"1", "Data", "32K"}});
  EXPECT_EQ(other_order.sizes(), (CacheSizes{32 << 10, 512 << 10, 0}));
  EXPECT_EQ(CacheFolder({}).sizes(), (CacheSizes{0, 0, 0}));
}

TEST(Target, HostsCachesAreTheKernels) {
  namespace fs = std::filesystem;
  const fs::path folder = "/sys/devices/system/cpu/cpu0/cache";
  if (!fs::exists(folder / "index0")) GTEST_SKIP() << "the kernel describes no caches";
  std::map<int, std::int64_t> sizes;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder)) {
    std::string type, size;
    int level = 0;
    std::ifstream(entry.path() / "type") >> type;
    std::ifstream(entry.path() / "size") >> size;
    std::ifstream(entry.path() / "level") >> level;
    if (type == "Data" || type == "Unified") sizes[level] = std::stoll(size) * 1024;  // the kernel writes them in K
  }
  EXPECT_EQ(Target::host().caches, (CacheSizes{sizes[1], sizes[2], sizes[3]}));
}

TEST(Target, HostsCachesArePlausible) {
  const CacheSizes caches = Target::host().caches;
  EXPECT_GE(caches.l1d, 4 << 10);
  EXPECT_LE(caches.l1d, 1 << 20);
  EXPECT_TRUE(caches.l2 == 0 || caches.l2 > caches.l1d) << caches.l2;
}

}  // namespace
}  // namespace lathe
