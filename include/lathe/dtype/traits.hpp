// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// From a C++ type to its descriptor.

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "lathe/dtype/scalar_type.hpp"
#include "lathe/dtype/small_float.hpp"

namespace lathe::inline LATHE_ABI {

/// Tag of index arithmetic: `Expr<index_t>` is an index.
struct index_t {};

/// Specialise with a static member `const ScalarType &type()` to make a C++ type an element type.
template <class T>
struct ScalarTraits;

/// The traits of a C++ type that a built-in type describes.
template <const ScalarType &descriptor>
struct BuiltinScalar {
  /// The descriptor.
  static constexpr const ScalarType &type() { return descriptor; }
};

template <>
struct ScalarTraits<bool> : BuiltinScalar<scalar_types::boolean> {};
template <>
struct ScalarTraits<float16> : BuiltinScalar<scalar_types::float16> {};
template <>
struct ScalarTraits<bfloat16> : BuiltinScalar<scalar_types::bfloat16> {};
template <>
struct ScalarTraits<float> : BuiltinScalar<scalar_types::float32> {};
template <>
struct ScalarTraits<double> : BuiltinScalar<scalar_types::float64> {};
template <>
struct ScalarTraits<index_t> : BuiltinScalar<scalar_types::index> {};

/// All C++ integers of one width and signedness (long and long long, char and signed char) share a descriptor.
template <class T>
  requires(std::integral<T> && !std::same_as<T, bool>)
struct ScalarTraits<T> {
  /// By width and signedness.
  static constexpr const ScalarType &type() {
    using namespace scalar_types;
    if constexpr (std::is_signed_v<T>) {
      if constexpr (sizeof(T) == 1)
        return int8;
      else if constexpr (sizeof(T) == 2)
        return int16;
      else if constexpr (sizeof(T) == 4)
        return int32;
      else
        return int64;
    } else {
      if constexpr (sizeof(T) == 1)
        return uint8;
      else if constexpr (sizeof(T) == 2)
        return uint16;
      else if constexpr (sizeof(T) == 4)
        return uint32;
      else
        return uint64;
    }
  }
};

/// A C++ type that may be the element of a tensor.
template <class T>
concept Scalar = requires {
  { ScalarTraits<std::remove_cv_t<T>>::type() } -> std::convertible_to<const ScalarType &>;
};

/// The descriptor of a C++ element type.
template <Scalar T>
constexpr DType dtype_of() {
  return DType(ScalarTraits<std::remove_cv_t<T>>::type());
}

}  // namespace lathe::inline LATHE_ABI
