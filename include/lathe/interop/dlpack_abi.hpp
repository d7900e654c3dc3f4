// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The binary interface of DLPack as types of Lathe's own, with DLPack's names of members: what arrays are exchanged by between
/// libraries of one process. The functions of `dlpack.hpp` take these, or those of <dlpack/dlpack.h> where a program has it; the
/// two may be used side by side. Pointers from elsewhere (`void *` out of a Python capsule) are cast to `dlpack::ManagedTensor *`
/// or, if the capsule's name says "versioned", to `dlpack::ManagedTensorVersioned *`.

#include <cstddef>
#include <cstdint>

#include "lathe/dtype/traits.hpp"
#include "lathe/version.hpp"

namespace lathe::inline LATHE_ABI {

/// The types of DLPack and what they are made of.
namespace dlpack {

/// Of the interface. Another major number means other members.
struct Version {
  std::uint32_t major;  ///< 1 for what is declared here
  std::uint32_t minor;  ///< added members and flags
};

/// Where elements are.
struct Device {
  std::int32_t device_type;  ///< 1 is the processor's memory
  std::int32_t device_id;    ///< 0 for it
};

/// Of elements.
struct DataType {
  std::uint8_t code;    ///< a `TypeCode`
  std::uint8_t bits;    ///< of one lane in memory
  std::uint16_t lanes;  ///< 1 unless elements are short vectors
};

/// Elements at strides, without an owner.
struct Tensor {
  void *data;                 ///< on the device
  Device device;              ///< where
  std::int32_t ndim;          ///< number of dimensions
  DataType dtype;             ///< of the elements
  std::int64_t *shape;        ///< `ndim` extents
  std::int64_t *strides;      ///< `ndim` strides in elements; null: row-major without gaps
  std::uint64_t byte_offset;  ///< from `data` to element (0, 0, …)
};

/// A tensor with its owner, without a version.
struct ManagedTensor {
  Tensor dl_tensor;                      ///< the elements
  void *manager_ctx;                     ///< the owner's own
  void (*deleter)(ManagedTensor *self);  ///< gives elements and `self` back; null where nothing is to be done
};

/// A tensor with its owner, since version 1.0.
struct ManagedTensorVersioned {
  Version version;                                ///< which the producer speaks
  void *manager_ctx;                              ///< the owner's own
  void (*deleter)(ManagedTensorVersioned *self);  ///< gives elements and `self` back; null where nothing is to be done
  std::uint64_t flags;                            ///< see `read_only`
  Tensor dl_tensor;                               ///< the elements
};

static_assert(sizeof(void *) != 8 ||
                  (sizeof(Tensor) == 48 && sizeof(ManagedTensor) == 64 && sizeof(ManagedTensorVersioned) == 80 &&
                   offsetof(ManagedTensorVersioned, manager_ctx) == 8 && offsetof(ManagedTensorVersioned, deleter) == 16 &&
                   offsetof(ManagedTensorVersioned, flags) == 24 && offsetof(ManagedTensorVersioned, dl_tensor) == 32),
              "the structs are DLPack's");

/// The major version that is read and written.
inline constexpr std::uint32_t major_version = 1;
/// `Device::device_type` of the processor's memory.
inline constexpr std::int32_t cpu = 1;
/// In `flags`: the elements must not be written.
inline constexpr std::uint64_t read_only = 1;

/// The families of element types that Lathe has a type for.
enum class TypeCode : std::uint8_t {
  integer = 0,           ///< signed
  unsigned_integer = 1,  ///< unsigned
  floating = 2,          ///< IEEE-754
  bfloat = 4,            ///< bfloat16
  boolean = 6,           ///< a byte, 0 or 1
};

/// DLPack's description of a scalar type that has one: bool, integers of 8 to 64 bits, float16, bfloat16, float32, float64.
constexpr DataType data_type_of(const ScalarType &type) {
  TypeCode code = TypeCode::integer;
  switch (type.kind) {
    case Kind::boolean: code = TypeCode::boolean; break;
    case Kind::unsigned_integer: code = TypeCode::unsigned_integer; break;
    case Kind::floating: code = type.bits == 16 && type.exponent_bits == 8 ? TypeCode::bfloat : TypeCode::floating; break;
    default: break;
  }
  return {static_cast<std::uint8_t>(code), type.storage_bits, 1};
}

/// A C++ type that DLPack has a description of.
template <class T>
concept Exchangeable = Scalar<T> && ScalarTraits<std::remove_cv_t<T>>::type().kind != Kind::index &&
                       ScalarTraits<std::remove_cv_t<T>>::type().kind != Kind::custom;

/// `Tensor`, or `DLTensor` of <dlpack/dlpack.h>.
template <class D>
concept TensorStruct = requires(D &d) { d.data, d.device.device_type, d.ndim, d.dtype.lanes, d.shape, d.strides, d.byte_offset; };

/// `ManagedTensor`, `ManagedTensorVersioned`, or their models in <dlpack/dlpack.h>.
template <class M>
concept Managed = requires(M &m) {
  requires TensorStruct<decltype(m.dl_tensor)>;
  m.manager_ctx;
  m.deleter(&m);
};

/// Those of them with a version and flags.
template <class M>
concept Versioned = Managed<M> && requires(M &m) { m.version.major, m.flags; };

/// A tensor's description as Lathe's own struct.
template <TensorStruct D>
Tensor described(const D &tensor) {
  return {tensor.data,       {static_cast<std::int32_t>(tensor.device.device_type), tensor.device.device_id},
          tensor.ndim,       {tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes},
          tensor.shape,      tensor.strides,
          tensor.byte_offset};
}

}  // namespace dlpack

}  // namespace lathe::inline LATHE_ABI
