// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Arrays that go out by DLPack, seen through the structs of <dlpack/dlpack.h> where that has them, and the way back.

#include <dlpack/dlpack.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "interop/foreign_tensor.hpp"
#include "interop/refused.hpp"
#include "lathe/interop/containers.hpp"
#include "lathe/interop/dlpack.hpp"
#include "lathe/interop/eigen.hpp"
#include "lathe/jit.hpp"

namespace {

using namespace lathe;

// The package's own header and ours describe the same memory.
static_assert(sizeof(DLTensor) == sizeof(dlpack::Tensor) && alignof(DLTensor) == alignof(dlpack::Tensor));
static_assert(offsetof(DLTensor, device) == offsetof(dlpack::Tensor, device));
static_assert(offsetof(DLTensor, ndim) == offsetof(dlpack::Tensor, ndim));
static_assert(offsetof(DLTensor, dtype) == offsetof(dlpack::Tensor, dtype));
static_assert(offsetof(DLTensor, shape) == offsetof(dlpack::Tensor, shape));
static_assert(offsetof(DLTensor, strides) == offsetof(dlpack::Tensor, strides));
static_assert(offsetof(DLTensor, byte_offset) == offsetof(dlpack::Tensor, byte_offset));
static_assert(sizeof(DLManagedTensor) == sizeof(dlpack::ManagedTensor));
static_assert(offsetof(DLManagedTensor, manager_ctx) == offsetof(dlpack::ManagedTensor, manager_ctx));
static_assert(offsetof(DLManagedTensor, deleter) == offsetof(dlpack::ManagedTensor, deleter));
static_assert(static_cast<int>(dlpack::TypeCode::integer) == kDLInt && static_cast<int>(dlpack::TypeCode::bfloat) == kDLBfloat);
static_assert(static_cast<int>(dlpack::TypeCode::unsigned_integer) == kDLUInt && dlpack::cpu == kDLCPU);
static_assert(static_cast<int>(dlpack::TypeCode::floating) == kDLFloat);

Array<float, 2> counted() {
  return Array<float, 2>::generate({3, 4}, [](std::int64_t i, std::int64_t j) { return static_cast<float>(10 * i + j); });
}

TEST(DlpackExport, OfAnArrayThatMoves) {
  auto array = counted();
  const float *const elements = array.data();
  const auto owner = to_dlpack<DLManagedTensor>(std::move(array));
  EXPECT_EQ(array.data(), nullptr);  // as one constructed by default
  EXPECT_EQ(array.size(), 0);
  const DLTensor &tensor = owner->dl_tensor;
  EXPECT_EQ(tensor.data, elements);
  EXPECT_EQ(tensor.device.device_type, kDLCPU);
  EXPECT_EQ(tensor.device.device_id, 0);
  ASSERT_EQ(tensor.ndim, 2);
  EXPECT_EQ(tensor.dtype.code, kDLFloat);
  EXPECT_EQ(tensor.dtype.bits, 32);
  EXPECT_EQ(tensor.dtype.lanes, 1);
  EXPECT_EQ(tensor.shape[0], 3);
  EXPECT_EQ(tensor.shape[1], 4);
  EXPECT_EQ(tensor.strides[0], 4);
  EXPECT_EQ(tensor.strides[1], 1);
  EXPECT_EQ(tensor.byte_offset, 0u);
  EXPECT_EQ(static_cast<const float *>(tensor.data)[2 * 4 + 3], 23);
}

TEST(DlpackExport, VersionedUnlessNamed) {
  const auto owner = to_dlpack(Array<std::int16_t, 1>::of({1, 2}));
  static_assert(std::is_same_v<decltype(owner.get()), dlpack::ManagedTensorVersioned *>);
  EXPECT_EQ(owner->version.major, 1u);
  EXPECT_EQ(owner->flags, 0u);
  EXPECT_EQ(owner->dl_tensor.dtype.code, kDLInt);
  EXPECT_EQ(owner->dl_tensor.dtype.bits, 16);
}

TEST(DlpackExport, RankZeroAndNoElements) {
  auto one = Array<double, 0>();
  one() = 2.5;
  const auto scalar = from_dlpack<double, 0>(to_dlpack<dlpack::ManagedTensor>(std::move(one)));
  EXPECT_EQ(scalar.view()(), 2.5);
  EXPECT_EQ(one(), 0);
  const auto none = from_dlpack<double, 2>(to_dlpack(Array<double, 2>({0, 3})));
  EXPECT_EQ(none.view().shape(1), 3);
  EXPECT_EQ(none.view().size(), 0);
}

/// Counts as long as it is shared.
struct Kept {
  int &alive;
  explicit Kept(int &count) : alive(++count) {}
  ~Kept() { --alive; }
};

TEST(DlpackExport, ReleasedTensorsAreFreedByTheirDeleter) {
  int alive = 0;
  std::vector<float> memory(30);
  View<float, 2> view(memory.data() + 4, {3, 4}, {8, 2});
  auto *managed = to_dlpack<DLManagedTensor>(view, std::make_shared<Kept>(alive)).release();
  EXPECT_EQ(alive, 1);
  EXPECT_EQ(managed->dl_tensor.data, memory.data() + 4);
  EXPECT_EQ(managed->dl_tensor.strides[0], 8);
  EXPECT_EQ(managed->dl_tensor.strides[1], 2);
  managed->deleter(managed);
  EXPECT_EQ(alive, 0);
  // Until it is released the result owns it; any thread may delete.
  {
    const auto owner = to_dlpack(view, std::make_shared<Kept>(alive));
  }
  EXPECT_EQ(alive, 0);
  auto *versioned = to_dlpack(view, std::make_shared<Kept>(alive)).release();
  std::thread([&] { versioned->deleter(versioned); }).join();
  EXPECT_EQ(alive, 0);
  // And on the way back through an import.
  {
    const auto imported = from_dlpack<float, 2>(to_dlpack(view, std::make_shared<Kept>(alive)));
    EXPECT_EQ(alive, 1);
    imported.view()(2, 3) = 7;
  }
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(memory[4 + 16 + 6], 7);
  EXPECT_EQ(code_of([&] { (void)from_dlpack<double, 2>(to_dlpack(view, std::make_shared<Kept>(alive))); }), "I003");
  EXPECT_EQ(alive, 0);
}

TEST(DlpackExport, SharedArraysStayShared) {
  auto array = std::make_shared<Array<float, 2>>(counted());
  auto owner = to_dlpack<dlpack::ManagedTensor>(array);
  EXPECT_EQ(array.use_count(), 2);
  EXPECT_EQ(owner->dl_tensor.data, array->data());
  const auto imported = from_dlpack<float, 2>(std::move(owner));
  imported.view()(0, 0) = -1;
  EXPECT_EQ((*array)(0, 0), -1);
  const std::weak_ptr<void> watch = array;
  array.reset();
  EXPECT_FALSE(watch.expired());
  EXPECT_EQ(imported.view()(2, 3), 23);
  const auto last = from_dlpack<float, 2>(to_dlpack(std::make_shared<dlpack::Imported<float, 2>>(
      from_dlpack<float, 2>(to_dlpack(std::make_shared<Array<float, 2>>(counted()))))));
  EXPECT_EQ(last.view()(1, 1), 11);
}

TEST(DlpackExport, OfOtherLibrariesElements) {
  const auto vector = from_dlpack<double, 1>(to_dlpack(std::make_shared<std::vector<double>>(3, 1.5)));
  EXPECT_EQ(vector.view()(2), 1.5);
  auto matrix = std::make_shared<Eigen::MatrixXf>(2, 3);
  *matrix << 1, 2, 3, 4, 5, 6;
  const auto owner = to_dlpack<DLManagedTensor>(matrix);
  EXPECT_EQ(owner->dl_tensor.strides[0], 1);
  EXPECT_EQ(owner->dl_tensor.strides[1], 2);
  EXPECT_EQ((view_dlpack<float, 2>(owner->dl_tensor)(1, 2)), 6);
}

TEST(DlpackExport, ConstElementsAreReadOnly) {
  const std::shared_ptr<const Array<float, 2>> array = std::make_shared<Array<float, 2>>(counted());
  auto owner = to_dlpack(array);
  EXPECT_EQ(owner->flags, 1u);  // DLPACK_FLAG_BITMASK_READ_ONLY
  EXPECT_EQ(code_of([&] { (void)view_dlpack<float, 2>(*owner); }), "I007");
  EXPECT_EQ((from_dlpack<const float, 2>(std::move(owner)).view()(2, 1)), 21);
  EXPECT_EQ(array.use_count(), 1);
}

TEST(DlpackExport, NothingIsRefused) {
  EXPECT_EQ(code_of([] { (void)to_dlpack(std::shared_ptr<Array<float, 2>>()); }), "I011");
  int alive = 0;
  EXPECT_EQ(code_of([&] { (void)to_dlpack(View<float, 1>(nullptr, {3}), std::make_shared<Kept>(alive)); }), "I011");
  EXPECT_EQ(alive, 0);
}

template <class T>
void expect_round_trip(int code, int bits) {
  Array<T, 3> array({2, 3, 5});
  std::uint8_t next = 0;
  for (T &element : array) element = static_cast<T>(next++ % 2);
  const Array<T, 3> copy = array;
  auto owner = to_dlpack(std::move(array));
  EXPECT_EQ(owner->dl_tensor.dtype.code, code);
  EXPECT_EQ(owner->dl_tensor.dtype.bits, bits);
  EXPECT_EQ(owner->dl_tensor.dtype.lanes, 1);
  const auto back = from_dlpack<const T, 3>(std::move(owner));
  for (std::int64_t i = 0; i < 2; ++i)
    for (std::int64_t j = 0; j < 3; ++j)
      for (std::int64_t k = 0; k < 5; ++k) EXPECT_EQ(back.view()(i, j, k), copy(i, j, k));
}

TEST(DlpackExport, EveryTypeThereAndBack) {
  expect_round_trip<bool>(6, 8);  // kDLBool, newer than the package's header
  expect_round_trip<std::int8_t>(kDLInt, 8);
  expect_round_trip<std::int16_t>(kDLInt, 16);
  expect_round_trip<std::int32_t>(kDLInt, 32);
  expect_round_trip<std::int64_t>(kDLInt, 64);
  expect_round_trip<std::uint8_t>(kDLUInt, 8);
  expect_round_trip<std::uint16_t>(kDLUInt, 16);
  expect_round_trip<std::uint32_t>(kDLUInt, 32);
  expect_round_trip<std::uint64_t>(kDLUInt, 64);
  expect_round_trip<float16>(kDLFloat, 16);
  expect_round_trip<bfloat16>(kDLBfloat, 16);
  expect_round_trip<float>(kDLFloat, 32);
  expect_round_trip<double>(kDLFloat, 64);
}

TEST(DlpackExport, TensorsOfThePackagesHeaderComeIn) {
  ForeignTensor<DLManagedTensor> foreign;
  foreign.set({3, 2}, {1, 3});
  EXPECT_EQ((view_dlpack<float, 2>(foreign.managed.dl_tensor)(2, 1)), 5);
  EXPECT_EQ(foreign.deleted, 0);
  EXPECT_EQ((from_dlpack<float, 2>(&foreign.managed).view()(2, 0)), 2);
  EXPECT_EQ(foreign.deleted, 1);
  foreign.managed.dl_tensor.device.device_type = kDLCUDAHost;
  EXPECT_EQ(code_of([&] { (void)from_dlpack<float, 2>(&foreign.managed); }), "I002");
  EXPECT_EQ(foreign.deleted, 2);
}

}  // namespace
