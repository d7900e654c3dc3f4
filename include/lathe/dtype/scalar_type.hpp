// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Scalar types as plain descriptors. Built-in types and users' own are described alike; nothing but the type's room asks which.

#include <cstdint>
#include <string>
#include <string_view>

#include "lathe/version.hpp"

namespace lathe::inline LATHE_ABI {

/// The families of arithmetic a scalar type may have.
enum class Kind : std::uint8_t {
  boolean,           ///< false or true
  integer,           ///< two's complement, wraps
  unsigned_integer,  ///< wraps
  floating,          ///< IEEE-754 style, described by its exponent and mantissa widths
  index,             ///< 64-bit signed index arithmetic, assumed not to overflow
  custom,            ///< lowering functions give it meaning
};

/// One scalar type. Descriptors live as long as the program or registry that defined them and are compared by address.
struct ScalarType {
  std::string_view name;       ///< "float32"; unique within a program
  Kind kind;                   ///< what arithmetic means
  std::uint8_t bits;           ///< of value
  std::uint8_t storage_bits;   ///< of one element in memory: 8, 16, 32 or 64
  std::uint8_t exponent_bits;  ///< floating only
  std::uint8_t mantissa_bits;  ///< floating only, without the hidden bit
};

/// The built-in types.
namespace scalar_types {
/// @{
/// Named as printouts show it. bool takes a byte in memory, index 8 bytes; floats have their IEEE-754 widths.
inline constexpr ScalarType boolean{"bool", Kind::boolean, 1, 8, 0, 0};
inline constexpr ScalarType int8{"int8", Kind::integer, 8, 8, 0, 0};
inline constexpr ScalarType int16{"int16", Kind::integer, 16, 16, 0, 0};
inline constexpr ScalarType int32{"int32", Kind::integer, 32, 32, 0, 0};
inline constexpr ScalarType int64{"int64", Kind::integer, 64, 64, 0, 0};
inline constexpr ScalarType uint8{"uint8", Kind::unsigned_integer, 8, 8, 0, 0};
inline constexpr ScalarType uint16{"uint16", Kind::unsigned_integer, 16, 16, 0, 0};
inline constexpr ScalarType uint32{"uint32", Kind::unsigned_integer, 32, 32, 0, 0};
inline constexpr ScalarType uint64{"uint64", Kind::unsigned_integer, 64, 64, 0, 0};
inline constexpr ScalarType float16{"float16", Kind::floating, 16, 16, 5, 10};
inline constexpr ScalarType bfloat16{"bfloat16", Kind::floating, 16, 16, 8, 7};
inline constexpr ScalarType float32{"float32", Kind::floating, 32, 32, 8, 23};
inline constexpr ScalarType float64{"float64", Kind::floating, 64, 64, 11, 52};
inline constexpr ScalarType index{"index", Kind::index, 64, 64, 0, 0};
/// @}
}  // namespace scalar_types

/// The built-in type of that name, or null.
const ScalarType *find_scalar_type(std::string_view name);

/// The type of an expression: a scalar type and a number of lanes.
class DType {
 public:
  constexpr DType() = default;
  /// A scalar (1 lane), or a vector of up to 65535 lanes. The descriptor must outlive the type.
  constexpr DType(const ScalarType &scalar, int lanes = 1)  // NOLINT: implicit by design
      : scalar_(&scalar), lanes_(static_cast<std::uint16_t>(lanes)) {}

  constexpr const ScalarType &scalar() const { return *scalar_; }    ///< of one lane
  constexpr int lanes() const { return lanes_; }                     ///< 1 for scalars
  constexpr Kind kind() const { return scalar_->kind; }              ///< of one lane
  constexpr int bits() const { return scalar_->bits; }               ///< of one lane's value
  constexpr int bytes() const { return scalar_->storage_bits / 8; }  ///< of one lane in memory

  constexpr bool is_vector() const { return lanes_ > 1; }  ///< more than one lane
  /// @{
  /// Questions about the kind, the same for scalars and vectors; an index is signed, a bool and a float neither signed nor
  /// unsigned.
  constexpr bool is_bool() const { return kind() == Kind::boolean; }
  constexpr bool is_float() const { return kind() == Kind::floating; }
  constexpr bool is_index() const { return kind() == Kind::index; }
  constexpr bool is_signed() const { return kind() == Kind::integer || kind() == Kind::index; }
  constexpr bool is_unsigned() const { return kind() == Kind::unsigned_integer; }
  constexpr bool is_data_integer() const { return kind() == Kind::integer || kind() == Kind::unsigned_integer; }
  constexpr bool is_integer() const { return is_data_integer() || is_index(); }  ///< data or index, not bool
  /// @}

  constexpr DType with_lanes(int lanes) const { return DType(*scalar_, lanes); }  ///< the scalar type with other lanes
  constexpr DType element() const { return DType(*scalar_, 1); }                  ///< the type of one lane

  /// The same descriptor and as many lanes.
  friend constexpr bool operator==(const DType &, const DType &) = default;

 private:
  const ScalarType *scalar_ = &scalar_types::boolean;
  std::uint16_t lanes_ = 1;
};

/// "float32", "int8x16".
std::string to_string(const DType &type);

}  // namespace lathe::inline LATHE_ABI
