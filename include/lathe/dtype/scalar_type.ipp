// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Names of scalar types.

#include "lathe/dtype/scalar_type.hpp"
#include "lathe/support/phrase.hpp"

namespace lathe::inline LATHE_ABI {

LATHE_INLINE const ScalarType *find_scalar_type(std::string_view name) {
  using namespace scalar_types;
  for (const ScalarType *type : {&boolean, &int8, &int16, &int32, &int64, &uint8, &uint16, &uint32, &uint64,
                                 &scalar_types::float16, &scalar_types::bfloat16, &float32, &float64, &index})
    if (type->name == name) return type;
  return nullptr;
}

LATHE_INLINE std::string to_string(const DType &type) {
  std::string text(type.scalar().name);
  return type.lanes() == 1 ? text : composed({text, "x", type.lanes()});
}

}  // namespace lathe::inline LATHE_ABI
