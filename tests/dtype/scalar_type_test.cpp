// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Descriptors of scalar types, and the way to them from C++ types.

#include "lathe/dtype/scalar_type.hpp"

#include <gtest/gtest.h>

#include <string>

#include "lathe/dtype/traits.hpp"

namespace {

using namespace lathe;
namespace types = lathe::scalar_types;

TEST(ScalarType, FoundByName) {
  for (const ScalarType *type :
       {&types::boolean, &types::int8, &types::int16, &types::int32, &types::int64, &types::uint8, &types::uint16, &types::uint32,
        &types::uint64, &types::float16, &types::bfloat16, &types::float32, &types::float64, &types::index})
    EXPECT_EQ(find_scalar_type(type->name), type);
  EXPECT_EQ(find_scalar_type("posit16"), nullptr);
  EXPECT_EQ(find_scalar_type(""), nullptr);
}

TEST(ScalarType, FloatsAddUp) {
  for (const ScalarType *type : {&types::float16, &types::bfloat16, &types::float32, &types::float64})
    EXPECT_EQ(1 + type->exponent_bits + type->mantissa_bits, type->bits) << type->name;
}

TEST(DType, Questions) {
  const DType v(types::float32, 8);
  EXPECT_EQ(to_string(v), "float32x8");
  EXPECT_EQ(to_string(v.element()), "float32");
  EXPECT_TRUE(v.is_vector() && v.is_float() && !v.element().is_vector());
  EXPECT_EQ(v.bytes(), 4);
  EXPECT_EQ(v.with_lanes(4), DType(types::float32, 4));
  EXPECT_FALSE(v == DType(types::float32));
  EXPECT_FALSE(DType(types::int64) == DType(types::index));
  EXPECT_TRUE(DType(types::index).is_integer() && DType(types::index).is_signed() && !DType(types::index).is_data_integer());
  EXPECT_TRUE(DType(types::uint8).is_unsigned() && DType(types::uint8).is_data_integer());
  EXPECT_TRUE(DType().is_bool() && !DType().is_integer());
}

TEST(Traits, CppTypes) {
  EXPECT_EQ(dtype_of<float>(), DType(types::float32));
  EXPECT_EQ(dtype_of<const double>(), DType(types::float64));
  EXPECT_EQ(dtype_of<bool>(), DType(types::boolean));
  EXPECT_EQ(dtype_of<float16>(), DType(types::float16));
  EXPECT_EQ(dtype_of<bfloat16>(), DType(types::bfloat16));
  EXPECT_EQ(dtype_of<index_t>(), DType(types::index));
  EXPECT_EQ(dtype_of<char>(), dtype_of<signed char>());
  EXPECT_EQ(dtype_of<long long>(), DType(types::int64));
  EXPECT_EQ(dtype_of<unsigned short>(), DType(types::uint16));
  static_assert(!Scalar<std::string> && !Scalar<void *>);
}

}  // namespace
