// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// A producer of DLPack tensors that counts how often its deleter is called.

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "lathe/interop/dlpack_abi.hpp"

/// M is the managed struct. By default the tensor is float32 [2, 3], row-major, of elements 0 to 5; tests change what they like.
template <class M>
struct ForeignTensor {
  std::vector<float> elements = {0, 1, 2, 3, 4, 5};
  std::vector<std::int64_t> shape = {2, 3}, strides;
  M managed{};
  int deleted = 0;

  ForeignTensor() {
    auto &tensor = managed.dl_tensor;
    tensor.data = elements.data();
    tensor.device.device_type = static_cast<decltype(tensor.device.device_type)>(1);  // kDLCPU
    tensor.ndim = 2;
    tensor.dtype.code = 2;  // kDLFloat
    tensor.dtype.bits = 32;
    tensor.dtype.lanes = 1;
    tensor.shape = shape.data();
    managed.manager_ctx = this;
    managed.deleter = [](M *self) { ++static_cast<ForeignTensor *>(self->manager_ctx)->deleted; };
    if constexpr (requires { managed.version; }) managed.version.major = 1;
  }
  ForeignTensor(const ForeignTensor &) = delete;

  void set(std::vector<std::int64_t> new_shape, std::vector<std::int64_t> new_strides = {}) {
    shape = std::move(new_shape);
    strides = std::move(new_strides);
    managed.dl_tensor.ndim = static_cast<std::int32_t>(shape.size());
    managed.dl_tensor.shape = shape.data();
    managed.dl_tensor.strides = strides.empty() ? nullptr : strides.data();
  }
};

using Foreign = ForeignTensor<lathe::dlpack::ManagedTensor>;
using ForeignVersioned = ForeignTensor<lathe::dlpack::ManagedTensorVersioned>;
