// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Tensors that come by DLPack: what is looked at, what is refused, and that each is given back exactly once.

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "interop/foreign_tensor.hpp"
#include "interop/refused.hpp"
#include "lathe/interop/dlpack.hpp"
#include "lathe/jit.hpp"

namespace {

using namespace lathe;

TEST(DlpackImport, StructsAreThoseOfTheSpecification) {
  EXPECT_EQ(sizeof(dlpack::Tensor), 48u);
  EXPECT_EQ(offsetof(dlpack::Tensor, data), 0u);
  EXPECT_EQ(offsetof(dlpack::Tensor, device), 8u);
  EXPECT_EQ(offsetof(dlpack::Tensor, ndim), 16u);
  EXPECT_EQ(offsetof(dlpack::Tensor, dtype), 20u);
  EXPECT_EQ(offsetof(dlpack::Tensor, shape), 24u);
  EXPECT_EQ(offsetof(dlpack::Tensor, strides), 32u);
  EXPECT_EQ(offsetof(dlpack::Tensor, byte_offset), 40u);
  EXPECT_EQ(sizeof(dlpack::ManagedTensor), 64u);
  EXPECT_EQ(offsetof(dlpack::ManagedTensor, dl_tensor), 0u);
  EXPECT_EQ(offsetof(dlpack::ManagedTensor, manager_ctx), 48u);
  EXPECT_EQ(offsetof(dlpack::ManagedTensor, deleter), 56u);
  EXPECT_EQ(sizeof(dlpack::ManagedTensorVersioned), 80u);
  EXPECT_EQ(offsetof(dlpack::ManagedTensorVersioned, version), 0u);
  EXPECT_EQ(offsetof(dlpack::ManagedTensorVersioned, manager_ctx), 8u);
  EXPECT_EQ(offsetof(dlpack::ManagedTensorVersioned, deleter), 16u);
  EXPECT_EQ(offsetof(dlpack::ManagedTensorVersioned, flags), 24u);
  EXPECT_EQ(offsetof(dlpack::ManagedTensorVersioned, dl_tensor), 32u);
}

TEST(DlpackImport, LooksAtTheSameElements) {
  Foreign foreign;
  {
    const auto imported = from_dlpack<float, 2>(&foreign.managed);
    EXPECT_EQ(imported.view().data(), foreign.elements.data());
    EXPECT_TRUE(imported.view().is_compact());  // strides were left out
    EXPECT_EQ(imported.view()(1, 2), 5);
    imported.view()(1, 0) = 30;
    EXPECT_EQ(foreign.elements[3], 30);
    EXPECT_EQ(foreign.deleted, 0);
  }
  EXPECT_EQ(foreign.deleted, 1);
}

TEST(DlpackImport, StridesAndOffset) {
  Foreign foreign;
  foreign.set({3, 2}, {1, 3});
  EXPECT_EQ((view_dlpack<const float, 2>(foreign.managed)(2, 1)), 5);
  EXPECT_EQ((view_dlpack<const float, 2>(foreign.managed)(1, 1)), 4);
  foreign.set({2, 2}, {3, -1});
  foreign.managed.dl_tensor.byte_offset = 2 * sizeof(float);
  const auto backwards = view_dlpack<const float, 2>(foreign.managed.dl_tensor);
  EXPECT_EQ(backwards(0, 0), 2);
  EXPECT_EQ(backwards(1, 1), 4);
  EXPECT_EQ(foreign.deleted, 0);
}

TEST(DlpackImport, RankZeroAndNoElements) {
  Foreign foreign;
  foreign.managed.dl_tensor.ndim = 0;
  foreign.managed.dl_tensor.shape = nullptr;
  foreign.managed.dl_tensor.byte_offset = 16;
  EXPECT_EQ((from_dlpack<float, 0>(&foreign.managed).view()()), 4);
  ForeignVersioned empty;
  empty.set({std::int64_t{1} << 62, 0, std::int64_t{1} << 62});
  empty.managed.dl_tensor.data = nullptr;
  EXPECT_EQ((from_dlpack<float, 3>(&empty.managed).view().size()), 0);
  EXPECT_EQ(foreign.deleted, 1);
  EXPECT_EQ(empty.deleted, 1);
}

TEST(DlpackImport, IsAnArgumentOfKernels) {
  auto A = placeholder<float>({3, 2}, "A").column_major();
  auto x = placeholder<float>({2}, "x");
  auto B = compute({3, 2}, [&](Index i, Index j) { return A(i, j) * x(j); }, "B(i, j)");
  Schedule s(B);
  const auto kernel = jit(s, A, x, B);
  Foreign a, vector, out;
  a.set({3, 2}, {1, 3});
  vector.set({2});
  vector.elements = {10, 100};
  vector.managed.dl_tensor.data = vector.elements.data();
  out.set({3, 2});
  {
    const auto result = from_dlpack<float, 2>(&out.managed);
    kernel(from_dlpack<const float, 2>(&a.managed), from_dlpack<float, 1>(&vector.managed), result);
    EXPECT_EQ(a.deleted, 1);
    EXPECT_EQ(vector.deleted, 1);
    EXPECT_EQ(out.deleted, 0);
  }
  EXPECT_EQ(out.deleted, 1);
  EXPECT_EQ(out.elements, (std::vector<float>{0, 300, 10, 400, 20, 500}));
}

TEST(DlpackImport, MovesGiveBackOnce) {
  Foreign first, second;
  {
    auto a = from_dlpack<float, 2>(&first.managed);
    auto b = std::move(a);
    EXPECT_EQ(a.view().data(), nullptr);
    EXPECT_EQ(a.view().size(), 0);
    EXPECT_EQ(b.view()(0, 1), 1);
    EXPECT_EQ(first.deleted, 0);
    auto c = from_dlpack<float, 2>(&second.managed);
    b = std::move(c);
    EXPECT_EQ(first.deleted, 1);
    EXPECT_EQ(second.deleted, 0);
    EXPECT_EQ(b.view().data(), second.elements.data());
    auto &same = b;
    b = std::move(same);
    EXPECT_EQ(second.deleted, 0);
    EXPECT_EQ(b.view()(1, 1), 4);
    std::vector<dlpack::Imported<float, 2>> many;
    for (int i = 0; i < 10; ++i) many.push_back(i == 3 ? std::move(b) : std::move(a));
    EXPECT_EQ(second.deleted, 0);
  }
  EXPECT_EQ(first.deleted, 1);
  EXPECT_EQ(second.deleted, 1);
}

TEST(DlpackImport, BetweenStructsOfBothKinds) {
  // Each handle keeps how to delete what it has.
  Foreign plain;
  ForeignVersioned versioned;
  {
    auto a = from_dlpack<float, 2>(&plain.managed), b = from_dlpack<float, 2>(&versioned.managed);
    std::swap(a, b);
    a = std::move(b);
    EXPECT_EQ(versioned.deleted, 1);
    EXPECT_EQ(plain.deleted, 0);
  }
  EXPECT_EQ(plain.deleted, 1);
  EXPECT_EQ(versioned.deleted, 1);
}

TEST(DlpackImport, ExceptionsGiveBackOnce) {
  Foreign foreign;
  const auto fail_after_import = [&] {
    const auto imported = from_dlpack<float, 2>(&foreign.managed);
    throw std::runtime_error("after the import");
  };
  EXPECT_THROW(fail_after_import(), std::runtime_error);
  EXPECT_EQ(foreign.deleted, 1);
  // A kernel that refuses a temporary.
  auto A = placeholder<float>({4}, "A");
  auto B = compute({4}, [&](Index i) { return A(i); }, "B(i)");
  Schedule s(B);
  Foreign wrong;
  wrong.set({3});
  Array<float, 1> b({4});
  EXPECT_EQ(code_of([&] { interpret(s, A, B)(from_dlpack<float, 1>(&wrong.managed), b); }), "K001");
  EXPECT_EQ(wrong.deleted, 1);
}

TEST(DlpackImport, NoDeleterIsNoneToCall) {
  Foreign foreign;
  foreign.managed.deleter = nullptr;
  EXPECT_EQ((from_dlpack<float, 2>(&foreign.managed).view()(0, 2)), 2);
}

TEST(DlpackImport, ReadOnlyDataIsOnlyRead) {
  ForeignVersioned foreign;
  foreign.managed.flags = 1;  // DLPACK_FLAG_BITMASK_READ_ONLY
  EXPECT_EQ((from_dlpack<const float, 2>(&foreign.managed).view()(1, 1)), 4);
  EXPECT_EQ(foreign.deleted, 1);
  EXPECT_EQ(code_of([&] { (void)from_dlpack<float, 2>(&foreign.managed); }), "I007");
  EXPECT_EQ(foreign.deleted, 2);
  EXPECT_EQ(code_of([&] { (void)view_dlpack<float, 2>(foreign.managed); }), "I007");
  foreign.managed.flags = 2 | 4;  // copied; padded subbyte types
  EXPECT_EQ(code_of([&] { (void)view_dlpack<float, 2>(foreign.managed); }), "none");
  EXPECT_EQ(foreign.deleted, 2);
  static_assert(!std::is_convertible_v<dlpack::Imported<const float, 2> &, View<float, 2>>);
  static_assert(std::is_convertible_v<dlpack::Imported<float, 2> &, View<const float, 2>>);
}

TEST(DlpackImport, MinorVersionsAreTaken) {
  ForeignVersioned foreign;
  foreign.managed.version.minor = 99;
  EXPECT_EQ((from_dlpack<float, 2>(&foreign.managed).view()(1, 2)), 5);
}

/// Each mistake is refused as it should be, from both structs, and the deleter is called exactly once.
TEST(DlpackImport, RefusalsGiveBackOnce) {
  using Change = std::function<void(dlpack::Tensor &)>;
  std::vector<std::pair<const char *, Change>> mistakes = {
      {"I002", [](auto &tensor) { tensor.device.device_type = 2; }},
      {"I002", [](auto &tensor) { tensor.device.device_type = 0; }},
      {"I003", [](auto &tensor) { tensor.dtype.bits = 64; }},
      {"I003", [](auto &tensor) { tensor.dtype.code = 0; }},
      {"I004", [](auto &tensor) { tensor.dtype.lanes = 4; }},
      {"I004", [](auto &tensor) { tensor.dtype.lanes = 0; }},
      {"I005", [](auto &tensor) { tensor.ndim = 1; }},
      {"I005", [](auto &tensor) { tensor.ndim = -1; }},
      {"I005", [](auto &tensor) { tensor.ndim = 0, tensor.shape = nullptr; }},
      {"I005", [](auto &tensor) { tensor.ndim = std::numeric_limits<std::int32_t>::max(); }},
      {"I008", [](auto &tensor) { tensor.shape = nullptr; }},
      {"I008", [](auto &tensor) { tensor.shape[1] = -1; }},
      {"I008", [](auto &tensor) { tensor.shape[0] = tensor.shape[1] = std::int64_t{1} << 31; }},
      {"I008", [](auto &tensor) { tensor.byte_offset = ~std::uint64_t{3}; }},
      {"I009", [](auto &tensor) { tensor.data = nullptr; }},
      {"I010", [](auto &tensor) { tensor.byte_offset = 2; }},
      {"I010", [](auto &tensor) { tensor.data = static_cast<char *>(tensor.data) + 1; }},
  };
  // Strides whose products or sums leave 63 bits.
  std::int64_t great[] = {std::numeric_limits<std::int64_t>::max(), 1}, least[] = {std::numeric_limits<std::int64_t>::min(), -1},
               both[] = {std::int64_t{3} << 59, std::int64_t{3} << 58};
  for (std::int64_t *strides : {great, least, both})
    mistakes.emplace_back("I008", [strides](auto &tensor) { tensor.strides = strides; });
  int number = 0;
  for (const auto &[code, change] : mistakes) {
    SCOPED_TRACE(number++);
    Foreign plain;
    change(plain.managed.dl_tensor);
    EXPECT_EQ(code_of([&] { (void)from_dlpack<float, 2>(&plain.managed); }), code);
    EXPECT_EQ(plain.deleted, 1);
    EXPECT_EQ(code_of([&] { (void)view_dlpack<float, 2>(plain.managed.dl_tensor); }), code);
    EXPECT_EQ(plain.deleted, 1);
    ForeignVersioned versioned;
    change(versioned.managed.dl_tensor);
    EXPECT_EQ(code_of([&] { (void)from_dlpack<const float, 2>(&versioned.managed); }), code);
    EXPECT_EQ(versioned.deleted, 1);
  }
}

TEST(DlpackImport, AnotherMajorVersionIsNotReadAtAll) {
  for (const std::uint32_t major : {0u, 2u}) {
    ForeignVersioned foreign;
    foreign.managed.version.major = major;
    foreign.managed.dl_tensor.device.device_type = 2;
    EXPECT_EQ(code_of([&] { (void)from_dlpack<float, 2>(&foreign.managed); }), "I006");
    EXPECT_EQ(foreign.deleted, 1);
  }
}

TEST(DlpackImport, NullIsNoTensor) {
  EXPECT_EQ(code_of([] { (void)from_dlpack<float, 2>(static_cast<dlpack::ManagedTensor *>(nullptr)); }), "I001");
  EXPECT_EQ(code_of([] { (void)from_dlpack<float, 2>(static_cast<dlpack::ManagedTensorVersioned *>(nullptr)); }), "I001");
}

template <class T>
void expect_type(int code, int bits) {
  Foreign foreign;
  foreign.set({1});
  foreign.managed.dl_tensor.dtype.code = static_cast<std::uint8_t>(code);
  foreign.managed.dl_tensor.dtype.bits = static_cast<std::uint8_t>(bits);
  EXPECT_EQ(code_of([&] { (void)from_dlpack<T, 1>(&foreign.managed); }), "none") << code << ", " << bits;
  // No other type is taken for it.
  int taken = 0;
  for (int other = 0; other < 18; ++other)
    for (const int width : {1, 4, 8, 16, 32, 64, 128}) {
      foreign.managed.dl_tensor.dtype.code = static_cast<std::uint8_t>(other);
      foreign.managed.dl_tensor.dtype.bits = static_cast<std::uint8_t>(width);
      taken += code_of([&] { (void)view_dlpack<T, 1>(foreign.managed); }) == "none";
    }
  EXPECT_EQ(taken, 1) << code << ", " << bits;
}

// DLDataTypeCode of dlpack.h 1.0: kDLInt 0, kDLUInt 1, kDLFloat 2, kDLBfloat 4, kDLBool 6; a bool has 8 bits.
TEST(DlpackImport, ElementTypes) {
  expect_type<bool>(6, 8);
  expect_type<std::int8_t>(0, 8);
  expect_type<std::int16_t>(0, 16);
  expect_type<std::int32_t>(0, 32);
  expect_type<std::int64_t>(0, 64);
  expect_type<std::uint8_t>(1, 8);
  expect_type<std::uint16_t>(1, 16);
  expect_type<std::uint32_t>(1, 32);
  expect_type<std::uint64_t>(1, 64);
  expect_type<float16>(2, 16);
  expect_type<bfloat16>(4, 16);
  expect_type<float>(2, 32);
  expect_type<double>(2, 64);
}

}  // namespace
