// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Making targets from the host, from names and changes.

#include "lathe/diag/diagnostic.hpp"
#include "lathe/support/lists.hpp"
#include "lathe/target/cpu_table.hpp"
#include "lathe/target/host_cpu.hpp"
#include "lathe/target/target.hpp"

namespace lathe::inline LATHE_ABI {

namespace targets {

/// The widest vectors worth using. 512 bits need the features that every AVX-512 processor but Xeon Phi has: without them
/// neither narrow elements nor masks on narrower registers work.
inline int vector_bits(Architecture architecture, const FeatureSet &features) {
  if (architecture == Architecture::aarch64) return 128;  // SVE's registers have no fixed width
  const auto has = [&](std::string_view feature) { return features.contains(feature); };
  if (has("avx512bw") && has("avx512dq") && has("avx512vl")) return 512;
  return has("avx") ? 256 : 128;
}

inline Target make(std::string triple, std::string_view cpu, const FeatureSet &features, const CacheSizes &caches) {
  const Architecture architecture = architecture_of(triple);
  Target target;
  target.triple = std::move(triple);
  target.cpu = cpu;
  target.features = features.names();
  target.vector_bits = vector_bits(architecture, features);
  target.has_fma = features.contains(architecture == Architecture::aarch64 ? "neon" : "fma");
  target.vectors = true;
  target.caches = caches;
  return target;
}

inline void apply(FeatureSet &features, std::string_view change) {
  if (change.starts_with('+')) return features.add(change.substr(1));
  if (change.starts_with('-')) return features.remove(change.substr(1));
  fail("T002", {"a change of features begins with + or -, unlike \"", change, "\""}, {},
       {{"help", {"write \"+", change, "\" to switch it on"}, {}}});
}

}  // namespace targets

LATHE_INLINE Target Target::host() {
  static const Target target = targets::make(host_triple(), host_cpu_name(), host_features(), host_caches());
  return target;
}

LATHE_INLINE Target Target::host(std::string_view cpu, std::initializer_list<std::string_view> changes, Location place) {
  Target target = of(host_triple(), cpu, changes, place);
  if (const Target here = host(); here.cpu == target.cpu) target.caches = here.caches;
  return target;
}

LATHE_INLINE Target Target::of(std::string_view triple, std::string_view cpu, std::initializer_list<std::string_view> changes,
                               Location place) try {
  const Architecture architecture = architecture_of(triple);
  FeatureSet features = features_of(architecture, find_cpu(architecture, cpu));
  for (const std::string_view change : changes) targets::apply(features, change);
  return targets::make(std::string(triple), cpu, features, CacheSizes{});
} catch (const Error &error) {
  fail_again(error, place);
}

LATHE_INLINE Target Target::c() { return {}; }

LATHE_INLINE bool Target::has(std::string_view feature) const { return lists::contains(features, feature); }

LATHE_INLINE std::string to_string(const Target &target) {
  std::string text = target.triple.empty() ? "c" : target.triple;
  if (!target.cpu.empty()) text += " cpu=" + target.cpu;
  text += " features=";
  for (const std::string &feature : target.features) text += '+' + feature;
  text += " vector_bits=" + std::to_string(target.vector_bits);
  text += " vectors=" + std::to_string(target.vectors);
  text += " fma=" + std::to_string(target.has_fma);
  const CacheSizes &caches = target.caches;
  return composed({text, " caches=", caches.l1d, ",", caches.l2, ",", caches.l3});
}

}  // namespace lathe::inline LATHE_ABI
