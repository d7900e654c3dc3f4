// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The processors and features that Lathe knows by name, and which features come with which.
///
/// The names are LLVM's. Only features that change the code of kernels are listed; all others stay as LLVM sets them for the
/// processor.

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "lathe/support/list.hpp"
#include "lathe/version.hpp"

namespace lathe::inline LATHE_ABI {

enum class Architecture { x86_64, aarch64 };

/// A feature, and the features (separated by blanks) without which it cannot be.
struct FeatureRow {
  std::string_view name;
  std::string_view implies;
};

/// A processor: all features of `base`, another row, and those in `adds` with what they imply.
struct CpuRow {
  std::string_view name;
  std::string_view base;
  std::string_view adds;
  /// The LLVM release that first knows the name; before it, `base` stands in.
  int since_llvm = 16;
};

/// A set of feature names that always holds what its members imply.
class FeatureSet {
 public:
  explicit FeatureSet(Architecture architecture) : architecture_(architecture) {}

  /// Adds a feature and what it implies. \throws Error T002 for an unknown name.
  void add(std::string_view feature);
  /// Removes a feature and what implies it. \throws Error T002 for an unknown name.
  void remove(std::string_view feature);
  bool contains(std::string_view feature) const { return std::binary_search(names_.begin(), names_.end(), feature); }
  /// Sorted.
  List<std::string> names() const { return {names_.begin(), names_.end()}; }

 private:
  Architecture architecture_;
  List<std::string_view> names_;  // sorted; views into the tables
};

/// The architecture of an LLVM triple. \throws Error T003 when it is not one of ours.
Architecture architecture_of(std::string_view triple);

/// All features of an architecture, each after those it implies.
std::span<const FeatureRow> feature_rows(Architecture architecture);

/// All processors of an architecture, each after its base.
std::span<const CpuRow> cpu_rows(Architecture architecture);

/// The row named `cpu`. \throws Error T001 when there is none; lists near names.
const CpuRow &find_cpu(Architecture architecture, std::string_view cpu);

/// The features of a processor by its row.
FeatureSet features_of(Architecture architecture, const CpuRow &cpu);

/// The name that LLVM `llvm_major` is given for `cpu`: the processor's own, or the closest older one that this LLVM knows.
std::string_view name_for_llvm(Architecture architecture, std::string_view cpu, int llvm_major);

}  // namespace lathe::inline LATHE_ABI
