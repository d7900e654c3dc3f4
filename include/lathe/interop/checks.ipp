// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The checks and the texts of their refusals.

#include <string>
#include <utility>

#include "lathe/interop/checks.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI {

namespace interop {

LATHE_INLINE std::string braced(const std::int64_t *values, int count, const char *open, const char *close) {
  std::string text = open;
  for (int i = 0; i < count; ++i) text += (i ? ", " : "") + std::to_string(values[i]);
  return text + close;
}

/// The product of extents that are not negative; false where 63 bits do not hold it.
LATHE_INLINE bool multiply(const std::int64_t *shape, int rank, std::int64_t &product) {
  bool overflows = false;
  for (int d = 0; d < rank; ++d) {
    if (shape[d] == 0) {
      product = 0;
      return true;
    }
    overflows = overflows || __builtin_mul_overflow(product, shape[d], &product);
  }
  return !overflows;
}

/// DLPack's devices by their numbers; empty for those that are newer.
LATHE_INLINE std::string device_name(std::int32_t type) {
  switch (type) {
    case 2: return "CUDA";
    case 3: return "CUDA host";
    case 4: return "OpenCL";
    case 7: return "Vulkan";
    case 8: return "Metal";
    case 10: return "ROCm";
    case 11: return "ROCm host";
    case 13: return "CUDA managed";
    case 14: return "oneAPI";
    case 15: return "WebGPU";
    case 16: return "Hexagon";
    default: return {};
  }
}

/// A type that both sides have: its name as printed, and as C++ writes it.
struct TypeNames {
  const ScalarType *type;
  const char *cpp;
};
inline constexpr TypeNames type_names[] = {
    {&scalar_types::boolean, "bool"},
    {&scalar_types::int8, "std::int8_t"},
    {&scalar_types::int16, "std::int16_t"},
    {&scalar_types::int32, "std::int32_t"},
    {&scalar_types::int64, "std::int64_t"},
    {&scalar_types::uint8, "std::uint8_t"},
    {&scalar_types::uint16, "std::uint16_t"},
    {&scalar_types::uint32, "std::uint32_t"},
    {&scalar_types::uint64, "std::uint64_t"},
    {&scalar_types::float16, "lathe::float16"},
    {&scalar_types::bfloat16, "lathe::bfloat16"},
    {&scalar_types::float32, "float"},
    {&scalar_types::float64, "double"},
};

LATHE_INLINE bool is_same(const dlpack::DataType &a, const dlpack::DataType &b) { return a.code == b.code && a.bits == b.bits; }

LATHE_INLINE const TypeNames *find_names(const dlpack::DataType &type) {
  for (const TypeNames &names : type_names)
    if (is_same(dlpack::data_type_of(*names.type), type)) return &names;
  return nullptr;
}

LATHE_INLINE std::string text_of(const dlpack::DataType &type) {
  if (const TypeNames *names = find_names(type)) return std::string(names->type->name);
  if (type.code == 5) return "complex" + std::to_string(type.bits);
  return "of DLPack's type code " + std::to_string(type.code) + " with " + std::to_string(type.bits) + " bits";
}

/// `from_dlpack<const float, 2>(…)`
LATHE_INLINE std::string call_text(const dlpack::DataType &type, int rank, bool writes) {
  const TypeNames *names = find_names(type);
  return std::string("from_dlpack<") + (writes ? "" : "const ") + (names ? names->cpp : "T") + ", " + std::to_string(rank) +
         ">(…)";
}

[[noreturn]] LATHE_INLINE void fail_device(std::int32_t type, const Location &place) {
  const std::string name = device_name(type);
  fail("I002",
       "the DLPack tensor is in the memory of " +
           (name.empty() ? "device type " + std::to_string(type) : name + " (device type " + std::to_string(type) + ")") +
           ", Lathe reads that of the CPU (1)",
       place, {{"help", "copy it to the CPU before you export it, as array.to(\"cpu\") and the like do", {}}});
}

[[noreturn]] LATHE_INLINE void fail_type(const dlpack::DataType &type, const Wanted &wanted, const Location &place) {
  const bool known = find_names(type);
  fail("I003", "the elements of the DLPack tensor are " + text_of(type) + ", not " + std::string(wanted.type.name), place,
       {{"help",
         known ? "ask for what it has:   " + call_text(type, wanted.rank, wanted.writes)
               : std::string("convert it before you export it; Lathe has bool, integers of 8 to 64 bits, and floats"),
         {}}});
}

[[noreturn]] LATHE_INLINE void fail_rank(const dlpack::Tensor &tensor, const Wanted &wanted, const Location &place) {
  List<Note> notes;
  constexpr std::int32_t believable = 32;  // a greater rank is rubbish, and reading so many extents would leave their memory
  if (tensor.ndim > 0 && tensor.ndim <= believable && tensor.shape)
    notes.push_back({"note", "its shape is " + braced(tensor.shape, tensor.ndim, "[", "]"), {}});
  notes.push_back({"help",
                   tensor.ndim < 0 ? std::string("the producer of the tensor is at fault: a rank is 0 or more")
                                   : "ask for its rank:   " + call_text(tensor.dtype, tensor.ndim, wanted.writes),
                   {}});
  fail("I005", "the DLPack tensor has rank " + std::to_string(tensor.ndim) + ", not " + std::to_string(wanted.rank), place,
       notes);
}

[[noreturn]] LATHE_INLINE void fail_shape(const std::string &what, const Location &place) {
  fail("I008", "the DLPack tensor has no possible shape: " + what, place,
       {{"help", "the producer of the tensor is at fault: extents are 0 or more, and their product counts bytes of memory", {}}});
}

/// Copies the extents and returns how many elements they make.
LATHE_INLINE std::int64_t check_shape(const dlpack::Tensor &tensor, const Wanted &wanted, std::int64_t *shape,
                                      const Location &place) {
  if (wanted.rank > 0 && !tensor.shape) fail_shape("its extents are a null pointer", place);
  for (int d = 0; d < wanted.rank; ++d) {
    shape[d] = tensor.shape[d];
    if (shape[d] < 0) fail_shape("extent " + std::to_string(d) + " is " + std::to_string(shape[d]), place);
  }
  std::int64_t bytes = wanted.type.storage_bits / 8;
  if (!multiply(shape, wanted.rank, bytes))
    fail_shape(braced(shape, wanted.rank, "[", "]") + " has more bytes than 63 bits can count", place);
  return bytes;
}

/// Copies the strides; for those that are left out, makes the row-major ones.
LATHE_INLINE void fill_strides(const dlpack::Tensor &tensor, int rank, const std::int64_t *shape, std::int64_t *strides) {
  std::uint64_t compact = 1;  // unsigned: beside an extent of 0 the others may overflow
  for (int d = rank; d-- > 0; compact *= static_cast<std::uint64_t>(shape[d]))
    strides[d] = tensor.strides ? tensor.strides[d] : static_cast<std::int64_t>(compact);
}

/// That every element's distance from the first is a number of bytes that 63 bits hold.
LATHE_INLINE void check_strides(int rank, std::int64_t element, const std::int64_t *shape, const std::int64_t *strides,
                                const Location &place) {
  std::int64_t least = 0, most = 0;
  for (int d = 0; d < rank; ++d) {
    std::int64_t reach = 0;
    std::int64_t &end = strides[d] < 0 ? least : most;
    if (__builtin_mul_overflow(shape[d] - 1, strides[d], &reach) || __builtin_mul_overflow(reach, element, &reach) ||
        __builtin_add_overflow(end, reach, &end)) {
      fail("I008",
           "the DLPack tensor has impossible strides: with " + braced(strides, rank, "[", "]") + " for the extents " +
               braced(shape, rank, "[", "]") + " an element is farther from the first than 63 bits can count",
           place, {{"help", "the producer of the tensor is at fault: strides count elements of memory that is there", {}}});
    }
  }
}

/// Element (0, 0, …); null where there is none.
LATHE_INLINE void *check_address(const dlpack::Tensor &tensor, const Wanted &wanted, bool is_empty, const Location &place) {
  if (!tensor.data) {
    if (is_empty) return nullptr;
    fail("I009", "the DLPack tensor has elements, but its data is a null pointer", place,
         {{"help", "the producer of the tensor is at fault; ask whether its memory was given back already", {}}});
  }
  const auto bytes = static_cast<std::uintptr_t>(wanted.type.storage_bits / 8);
  std::uintptr_t address = 0;
  if (__builtin_add_overflow(reinterpret_cast<std::uintptr_t>(tensor.data), tensor.byte_offset, &address)) {
    fail("I008", "the DLPack tensor begins beyond the end of memory: its byte offset is " + std::to_string(tensor.byte_offset),
         place, {{"help", "the producer of the tensor is at fault: an offset leads to the first element", {}}});
  }
  if (!is_empty && address % bytes != 0) {
    fail("I010",
         "the DLPack tensor begins at an address that is no multiple of the " + std::to_string(bytes) + " bytes of an element",
         place, {{"help", "copy it before you export it: a fresh copy is aligned", {}}});
  }
  return reinterpret_cast<void *>(address);
}

}  // namespace interop

LATHE_INLINE void interop::check_extents(std::int64_t elements, const std::int64_t *shape, int rank, const Location &place) {
  bool fits = true;
  for (int d = 0; d < rank; ++d) fits = fits && shape[d] >= 0;
  std::int64_t product = 1;
  fits = fits && multiply(shape, rank, product);
  if (fits && product == elements) return;
  const bool is_part = fits && product < elements;
  fail("I101", "a container of " + std::to_string(elements) + " elements cannot be looked at as " + braced(shape, rank, "[", "]"),
       place,
       {{"why", "the extents are those of all its elements, row by row", {}},
        {"help",
         is_part ? "for the first elements alone give the pointer:   View<T, " + std::to_string(rank) + ">(data, " +
                       braced(shape, rank, "{", "}") + ")"
                 : "give extents whose product is " + std::to_string(elements),
         {}}});
}

LATHE_INLINE void *interop::check_tensor(const dlpack::Tensor &tensor, const Wanted &wanted, std::int64_t *shape,
                                         std::int64_t *strides, const Location &place) {
  if (tensor.device.device_type != dlpack::cpu) fail_device(tensor.device.device_type, place);
  if (tensor.dtype.lanes != 1) {
    fail("I004", "an element of the DLPack tensor has " + std::to_string(tensor.dtype.lanes) + " lanes, not 1", place,
         {{"help", "export the lanes as a dimension of their own, the last one", {}}});
  }
  if (!is_same(tensor.dtype, dlpack::data_type_of(wanted.type))) fail_type(tensor.dtype, wanted, place);
  if (tensor.ndim != wanted.rank) fail_rank(tensor, wanted, place);
  const std::int64_t bytes = check_shape(tensor, wanted, shape, place);
  fill_strides(tensor, wanted.rank, shape, strides);
  if (bytes > 0) check_strides(wanted.rank, wanted.type.storage_bits / 8, shape, strides, place);
  return check_address(tensor, wanted, bytes == 0, place);
}

LATHE_INLINE void interop::check_version(std::uint32_t major, std::uint32_t minor, const Location &place) {
  if (major == dlpack::major_version) return;
  fail("I006",
       "the DLPack tensor is of version " + std::to_string(major) + "." + std::to_string(minor) + ", Lathe reads versions " +
           std::to_string(dlpack::major_version) + ".x",
       place,
       {{"why", "another major version has other members", {}},
        {"help", "ask the producer for version 1, as array.__dlpack__(max_version=(1, 0)) does in Python", {}}});
}

LATHE_INLINE void interop::check_writing(std::uint64_t flags, const Wanted &wanted, const Location &place) {
  if (!wanted.writes || !(flags & dlpack::read_only)) return;
  fail("I007", "the DLPack tensor may only be read", place,
       {{"why", "its producer has set the flag of read-only data", {}},
        {"help", "ask for const elements:   " + call_text(dlpack::data_type_of(wanted.type), wanted.rank, false), {}}});
}

LATHE_INLINE void interop::fail_no_tensor(const Location &place) {
  fail("I001", "there is no DLPack tensor: the pointer is null", place,
       {{"help",
         "a Python capsule gives it under the capsule's own name:   PyCapsule_GetPointer(capsule, \"dltensor\")   or   "
         "\"dltensor_versioned\"",
         {}}});
}

LATHE_INLINE void interop::fail_no_elements(const Location &place) {
  fail("I011", "there is nothing to export: the pointer is null", place,
       {{"help", "move an Array into to_dlpack, or share one by std::make_shared<Array<T, Rank>>(…)", {}}});
}

}  // namespace lathe::inline LATHE_ABI
