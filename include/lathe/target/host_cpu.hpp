// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Asking this machine what it is, without LLVM.

#include <string>

#include "lathe/target/cpu_table.hpp"
#include "lathe/target/target.hpp"

namespace lathe::inline LATHE_ABI {

/// The triple that this program was compiled for, as LLVM writes it. \throws Error T003 on architectures other than ours.
std::string host_triple();

/// The processor's name in our tables; the best generic one when its model is not known. Features come from
/// `host_features` alone: under a hypervisor or Valgrind a processor may lack some that its name promises.
std::string host_cpu_name();

/// The features that both the processor has and the operating system saves.
FeatureSet host_features();

/// The data and unified caches that the folder `cache` of a processor under /sys describes, 0 for a level that it does not.
CacheSizes caches_in(const std::string &folder);

/// The data caches of the first processor: what /sys says, else what sysconf says, else the defaults of `CacheSizes`.
CacheSizes host_caches();

}  // namespace lathe::inline LATHE_ABI
