// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// What is checked where data comes from other libraries or goes to them. Nothing here touches elements.

#include <cstdint>

#include "lathe/diag/diagnostic.hpp"
#include "lathe/interop/dlpack_abi.hpp"

namespace lathe::inline LATHE_ABI {

namespace interop {

/// Whether so many elements fill a shape. \throws Error I101.
void check_extents(std::int64_t elements, const std::int64_t *shape, int rank, const Location &place);

/// What an import asks for.
struct Wanted {
  const ScalarType &type;  ///< of the elements
  int rank;                ///< number of dimensions
  bool writes;             ///< whether the view is of elements that are not const
};

/// Element (0, 0, …) of a tensor that is as wanted; its extents and strides go to `shape` and `strides`, `wanted.rank` of each.
/// \throws Error I002 to I005, I008 to I010 for what is not as wanted.
void *check_tensor(const dlpack::Tensor &tensor, const Wanted &wanted, std::int64_t *shape, std::int64_t *strides,
                   const Location &place);

/// \throws Error I006: the major version is another one.
void check_version(std::uint32_t major, std::uint32_t minor, const Location &place);
/// \throws Error I007: the flags forbid to write, which is wanted.
void check_writing(std::uint64_t flags, const Wanted &wanted, const Location &place);
/// Throws Error I001: there is no tensor.
[[noreturn]] void fail_no_tensor(const Location &place);
/// Throws Error I011: there is nothing to export.
[[noreturn]] void fail_no_elements(const Location &place);

}  // namespace interop

}  // namespace lathe::inline LATHE_ABI
