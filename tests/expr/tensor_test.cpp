// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Placeholders, promises about memory, scalars, data in the program, shapes.

#include "lathe/expr/tensor.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "expr/values.hpp"
#include "lathe/expr/print.hpp"
#include "lathe/runtime/array.hpp"

namespace {

using namespace lathe;
using lathe_test::error_of;
using lathe_test::values;

std::string shape_text(const AnyTensor &tensor) {
  std::string text;
  for (const auto &extent : ir::shape_of(tensor.untyped())) text += (text.empty() ? "" : " ") + ir::to_string(extent);
  return text;
}

TEST(Placeholder, ShapesMixIntegersSymbolsAndNames) {
  auto n = size_var("n");
  const std::size_t four = 4;
  auto A = placeholder<float>({2, four, n, n * 2 + 1, dim("B", 64)}, "A");
  static_assert(std::is_same_v<decltype(A), Input<float, 5>>);
  EXPECT_EQ(shape_text(A), "2 4 n n*2 + 1 64");
  EXPECT_EQ(A.untyped().operation->extent_names, (std::vector<std::string>{"", "", "", "", "B"}));
  EXPECT_EQ(A.untyped().operation->kind, ir::OperationKind::placeholder);
  EXPECT_EQ(A.name(), "A");
  auto B = placeholder<bfloat16>(A.shape(), "B");
  static_assert(std::is_same_v<decltype(B), Input<bfloat16, 5>>);
  EXPECT_EQ(shape_text(B), "2 4 n n*2 + 1 64");
  EXPECT_EQ(B.untyped().operation->extent_names.back(), "B");
  auto [a, b, c, d, e] = A.shape();
  EXPECT_TRUE(c.untyped().same_as(n.untyped()));
  EXPECT_EQ(e.name(), "B");
  EXPECT_EQ(to_string(e + a), "66");
  EXPECT_EQ(error_of([] { placeholder<float>({3, -1}, "A"); }),
            "E002 the extent of dimension 1 of A is -1: extents are 0 or more");
  EXPECT_EQ(error_of([] { dim("B", -2); }), "E002 the extent of B is -2: extents are 0 or more");
}

TEST(Placeholder, RankZeroAndDefaultNames) {
  static_assert(std::is_same_v<decltype(placeholder<float>()), Input<float, 0>>);
  static_assert(std::is_same_v<decltype(placeholder<int>({5})), Input<int, 1>>);
  static_assert(std::is_same_v<decltype(placeholder<int>({0}, "empty")), Input<int, 1>>);
  static_assert(std::is_same_v<decltype(placeholder<int>({}, "x")), Input<int, 0>>);
  EXPECT_EQ(placeholder<float>("x").name(), "x");
  const auto line = std::to_string(__LINE__ + 1);
  EXPECT_EQ(placeholder<float>({3}).name(), "input" + line);
  EXPECT_EQ(placeholder<float>().untyped().operation->place.line, static_cast<std::uint32_t>(__LINE__));
  auto x = placeholder<float>("x");
  EXPECT_EQ(values(compute({2}, [&](Index) { return x() + 1; }), {{x, std::vector<float>{3}}}), (std::vector<float>{4, 4}));
}

TEST(Placeholder, PromisesMakeANewOne) {
  auto A = placeholder<float>({3, 4}, "A");
  auto ld = size_var("ld");
  auto strided = A.strides({ld, 1}).align(64);
  EXPECT_NE(strided.untyped(), A.untyped());
  EXPECT_EQ(strided.name(), "A");
  const auto &memory = strided.untyped().operation->memory;
  EXPECT_TRUE(memory.strides[0].same_as(ld.untyped()));
  EXPECT_TRUE(ir::is_constant(memory.strides[1], 1));
  EXPECT_EQ(memory.alignment, 64);
  EXPECT_EQ(A.untyped().operation->memory.alignment, 0);
  const auto columns = A.column_major();
  EXPECT_TRUE(ir::is_constant(columns.untyped().operation->memory.strides[0], 1));
  EXPECT_TRUE(ir::is_constant(columns.untyped().operation->memory.strides[1], 3));
  EXPECT_EQ(error_of([&] { (void)A.align(48); }),
            "E012 A cannot be aligned to 48 bytes: an alignment is a power of two, at least the 4 of an element");
  EXPECT_EQ(error_of([&] { (void)A.align(2); }).substr(0, 4), "E012");
  EXPECT_EQ(error_of([&] { (void)A.strides({-4, 1}); }), "E012 stride 0 of A is -4: strides are 0 or more");
}

TEST(Reads, TakeIndicesIntegersAndIntegerData) {
  auto A = placeholder<float>({3, 4}, "A");
  auto I = placeholder<std::uint8_t>({3}, "I");
  auto k = size_var("k");
  const std::size_t one = 1;
  EXPECT_EQ(to_string(A(k, one)), "A(k, 1)");
  EXPECT_EQ(to_string(A(I(k) + 1, 2)), "A(index(I(k) + 1), 2)");
  auto gather = compute({3}, [&](Index i) { return A(I(i), i + 1); });
  EXPECT_EQ(
      values(gather, {{A, std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}}, {I, std::vector<std::uint8_t>{2, 0, 1}}}),
      (std::vector<float>{9, 2, 7}));
}

TEST(ScalarArguments, AreExpressions) {
  auto alpha = scalar<float>("alpha");
  auto A = placeholder<float>({2}, "A");
  auto scaled = compute({2}, [&](Index i) { return alpha * A(i) + 1; });
  EXPECT_EQ(values(scaled, {{A, std::vector<float>{2, 3}}, {alpha, 0.5f}}), (std::vector<float>{2, 2.5f}));
  EXPECT_EQ(alpha.name(), "alpha");
  EXPECT_EQ(alpha.var().type(), DType(scalar_types::float32));
  auto n = size_var("n");
  EXPECT_TRUE(n.var().nonnegative());
  EXPECT_FALSE(size_var("n").var() == n.var());
}

TEST(Constants, FromBracesContainersAndArrays) {
  using List = std::vector<float>;
  auto whole = [](const auto &tensor) { return values(tensor); };
  auto braces = constant<float>({1, 4, 6}, "taps");
  static_assert(std::is_same_v<decltype(braces), Constant<float, 1>>);
  EXPECT_EQ(whole(braces), (List{1, 4, 6}));
  auto rows = constant<float>({{1, 2, 3}, {4, 5, 6}});
  static_assert(std::is_same_v<decltype(rows), Constant<float, 2>>);
  EXPECT_EQ(whole(rows), (List{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(shape_text(rows), "2 3");
  EXPECT_EQ(whole(constant({{{1, 2}}, {{3, 4}}})), (std::vector<int>{1, 2, 3, 4}));
  EXPECT_EQ(whole(constant(std::vector<double>{1.5, 2.5})), (std::vector<double>{1.5, 2.5}));
  EXPECT_EQ(whole(constant(std::array<std::int8_t, 2>{-1, 7})), (std::vector<std::int8_t>{-1, 7}));
  EXPECT_EQ(whole(constant({true, false})), (std::vector<bool>{true, false}));
  const auto array = Array<float, 2>::of({{1, 2, 3}, {4, 5, 6}});
  auto from_array = constant(array, "weights");
  static_assert(std::is_same_v<decltype(from_array), Constant<float, 2>>);
  EXPECT_EQ(whole(from_array), (List{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(from_array.name(), "weights");
  const View<const float, 2> transposed(array.data(), {3, 2}, {1, 3});
  EXPECT_EQ(whole(constant(transposed)), (List{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(whole(constant(std::vector<float>{})), List{});
  const float data[] = {1, 2};
  const std::int64_t shape[] = {2}, backwards[] = {-1};
  EXPECT_EQ(error_of([&] { typing::constant(scalar_types::float32, data + 1, shape, backwards, 1, "d", {}); }),
            "E009 dimension 0 of d has a negative extent or stride");
}

TEST(AnyTensor, GivesTypedHandlesBack) {
  const AnyTensor any = placeholder<float>({2, 3}, "A");
  EXPECT_EQ(any.rank(), 2);
  EXPECT_EQ(any.type(), DType(scalar_types::float32));
  EXPECT_EQ((any.as<float, 2>().untyped()), any.untyped());
  EXPECT_EQ(error_of([&] { any.as<float, 3>(); }), "E013 A has elements of float32 in 2 dimensions, not of float32 in 3");
  EXPECT_EQ(error_of([&] { any.as<double, 2>(); }).substr(0, 4), "E013");
}

}  // namespace
