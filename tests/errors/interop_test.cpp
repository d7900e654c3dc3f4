// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Every refusal of data from other libraries and for them, with its text.

#include <lathe/interop/containers.hpp>
#include <lathe/interop/dlpack.hpp>
#include <lathe/lathe.hpp>
#include <vector>

#include "golden.hpp"
#include "interop/foreign_tensor.hpp"

namespace {

using namespace lathe;
using golden::expect_refusal;

/// What an import of a float32 tensor [2, 3] as T and Rank says after `change`.
template <class T = float, int Rank = 2, class Change>
void expect_import_refusal(const std::string &code, Change change, const std::string &suffix = {}) {
  ForeignVersioned foreign;
  change(foreign.managed);
  expect_refusal(code, [&] { (void)from_dlpack<T, Rank>(&foreign.managed); }, suffix);
}

TEST(InteropRefusals, I001Null) {
  expect_refusal("I001", [] { (void)from_dlpack<float, 2>(static_cast<dlpack::ManagedTensor *>(nullptr)); });
}

TEST(InteropRefusals, I002Device) {
  expect_import_refusal("I002", [](auto &managed) { managed.dl_tensor.device.device_type = 2; });
  expect_import_refusal("I002", [](auto &managed) { managed.dl_tensor.device.device_type = 12; }, "_unknown");
}

TEST(InteropRefusals, I003Type) {
  expect_import_refusal<const double>("I003", [](auto &) {});
  expect_import_refusal("I003", [](auto &managed) { managed.dl_tensor.dtype = {5, 64, 1}; }, "_complex");
  expect_import_refusal("I003", [](auto &managed) { managed.dl_tensor.dtype = {10, 8, 1}; }, "_unknown");
}

TEST(InteropRefusals, I004Lanes) {
  expect_import_refusal("I004", [](auto &managed) { managed.dl_tensor.dtype.lanes = 4; });
}

TEST(InteropRefusals, I005Rank) {
  expect_import_refusal<float, 3>("I005", [](auto &) {});
  expect_import_refusal("I005", [](auto &managed) { managed.dl_tensor.ndim = -2; }, "_negative");
}

TEST(InteropRefusals, I006Version) {
  expect_import_refusal("I006", [](auto &managed) { managed.version = {2, 1}; });
}

TEST(InteropRefusals, I007ReadOnly) {
  expect_import_refusal("I007", [](auto &managed) { managed.flags = dlpack::read_only; });
}

TEST(InteropRefusals, I008Shape) {
  expect_import_refusal("I008", [](auto &managed) { managed.dl_tensor.shape[1] = -3; });
  expect_import_refusal("I008", [](auto &managed) { managed.dl_tensor.shape[0] = std::int64_t{1} << 61; }, "_bytes");
  expect_import_refusal("I008", [](auto &managed) { managed.dl_tensor.shape = nullptr; }, "_null");
  std::int64_t strides[] = {std::int64_t{1} << 62, 1};
  expect_import_refusal("I008", [&](auto &managed) { managed.dl_tensor.strides = strides; }, "_strides");
  expect_import_refusal("I008", [](auto &managed) { managed.dl_tensor.byte_offset = ~std::uint64_t{3}; }, "_offset");
}

TEST(InteropRefusals, I009NullData) {
  expect_import_refusal("I009", [](auto &managed) { managed.dl_tensor.data = nullptr; });
}

TEST(InteropRefusals, I010Alignment) {
  expect_import_refusal("I010", [](auto &managed) { managed.dl_tensor.byte_offset = 3; });
}

TEST(InteropRefusals, I011NothingToExport) {
  expect_refusal("I011", [] { (void)to_dlpack(std::shared_ptr<Array<float, 2>>()); });
}

TEST(InteropRefusals, I101Extents) {
  const std::vector<float> v(12);
  expect_refusal("I101", [&] { view_of(v, {3, 5}); });
  expect_refusal("I101", [&] { view_of(v, {2, 5}); }, "_part");
}

}  // namespace
