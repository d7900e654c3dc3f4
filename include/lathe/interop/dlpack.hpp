// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Arrays to and from other libraries of this process by DLPack (NumPy, PyTorch, JAX, TVM, CuPy, …), without copying.
///
///     auto a = from_dlpack<const float, 2>(managed);      // owns the tensor now: calls its deleter when it goes
///     Array<float, 2> c({64, 32});
///     kernel(a, b, c);
///     return to_dlpack<dlpack::ManagedTensor>(std::move(c)).release();   // the receiver calls the deleter
///
/// `managed` points to a `dlpack::ManagedTensor`, a `dlpack::ManagedTensorVersioned`, or to their models in <dlpack/dlpack.h>,
/// which is not needed and may be included before or after. What a tensor must be is checked before its elements are touched.
/// Include `lathe/lathe.hpp` as well.

#include <array>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "lathe/diag/diagnostic.hpp"
#include "lathe/interop/checks.hpp"
#include "lathe/interop/dlpack_abi.hpp"
#include "lathe/runtime/array.hpp"
#include "lathe/support/list.hpp"
#if !defined(LATHE_COMPILED)
#include "lathe/interop/definitions.ipp"
#endif

namespace lathe::inline LATHE_ABI {

namespace interop {

/// A tensor that goes out, its extents and strides, and what keeps the elements.
template <dlpack::Managed M>
struct Exported {
  M managed{};
  List<std::int64_t> dimensions;  ///< extents, then strides
  std::shared_ptr<const void> owner;

  static void destroy(M *self) { delete static_cast<Exported *>(self->manager_ctx); }
};

template <class T, int Rank>
View<T, Rank> view_of_tensor(const dlpack::Tensor &tensor, const Location &place) {
  static_assert(dlpack::Exchangeable<T>,
                "from_dlpack<T, Rank>(): DLPack has bool, integers, float16, bfloat16, float and double, for example  "
                "from_dlpack<const float, 2>(managed)");
  std::array<std::int64_t, static_cast<std::size_t>(Rank)> shape{}, strides{};
  const Wanted wanted{ScalarTraits<std::remove_cv_t<T>>::type(), Rank, !std::is_const_v<T>};
  void *const data = check_tensor(tensor, wanted, shape.data(), strides.data(), place);
  return View<T, Rank>(static_cast<T *>(data), shape, strides);
}

template <class T, int Rank, dlpack::Managed M>
View<T, Rank> view_of_managed(const M *managed, const Location &place) {
  if (!managed) fail_no_tensor(place);
  if constexpr (dlpack::Versioned<M>) {
    check_version(managed->version.major, managed->version.minor, place);
    const auto view = view_of_tensor<T, Rank>(dlpack::described(managed->dl_tensor), place);
    check_writing(managed->flags, {ScalarTraits<std::remove_cv_t<T>>::type(), Rank, !std::is_const_v<T>}, place);
    return view;
  } else {
    return view_of_tensor<T, Rank>(dlpack::described(managed->dl_tensor), place);
  }
}

}  // namespace interop

namespace dlpack {

/// Calls a tensor's deleter, if it has one.
struct Delete {
  /// Once for each tensor.
  template <Managed M>
  void operator()(M *managed) const noexcept {
    if (managed->deleter) managed->deleter(managed);
  }
};

/// A tensor whose deleter is called, unless `release()` hands it on.
template <Managed M>
using Owner = std::unique_ptr<M, Delete>;

/// A tensor that came by DLPack, with its owner: gives it back when it is destroyed, exactly once. Can be moved, not copied; is
/// an argument of kernels as a View<T, Rank> is.
template <class T, int Rank>
class Imported {
 public:
  /// Takes a tensor over. What `from_dlpack` calls, and throws as that does.
  template <Managed M>
  Imported(Owner<M> managed, Location place);

  /// The elements, for as long as this object or who it was moved to lives.
  const View<T, Rank> &view() const { return view_; }

  /// Takes the tensor; `other` then looks at nothing: its view is of a null pointer and all extents are 0.
  Imported(Imported &&other) noexcept : owner_(std::move(other.owner_)), view_(std::exchange(other.view_, nothing())) {}
  /// Gives its own tensor back and takes the other's.
  Imported &operator=(Imported &&other) noexcept {
    owner_ = std::move(other.owner_);
    view_ = std::exchange(other.view_, nothing());
    return *this;
  }

 private:
  using Shape = typename View<T, Rank>::Shape;
  static View<T, Rank> nothing() { return View<T, Rank>(nullptr, Shape{}); }

  std::unique_ptr<void, void (*)(void *)> owner_;
  View<T, Rank> view_;
};

template <class T, int Rank>
template <Managed M>
Imported<T, Rank>::Imported(Owner<M> managed, Location place)
    : owner_(nullptr, [](void *taken) { Delete()(static_cast<M *>(taken)); }),
      view_(interop::view_of_managed<T, Rank>(managed.get(), place)) {
  owner_.reset(managed.release());
}

}  // namespace dlpack

/// Of an imported tensor, which must outlive the view.
template <class T, int Rank>
struct ViewTraits<dlpack::Imported<T, Rank>, Rank> {
  /// Its elements, const as they were asked for.
  static View<T, Rank> view(const dlpack::Imported<T, Rank> &imported) { return imported.view(); }
};

/// @{
/// Takes over a tensor of T and Rank. Its deleter is called exactly once: when the result goes, or before an error leaves this
/// function. (So rename a Python capsule to "used_dltensor" before the call.) `from_dlpack<const float, 2>` only reads.
/// \throws Error I001 for a null pointer; I006 for another major version; I002 unless the memory is the CPU's; I004 for elements
/// of several lanes; I003 for another type; I005 for another rank; I008 for an impossible shape, strides or offset; I009 for null
/// data; I010 for an address that is not aligned to an element; I007 if the elements may only be read and T is not const.
template <class T, int Rank, dlpack::Managed M>
[[nodiscard]] dlpack::Imported<T, Rank> from_dlpack(dlpack::Owner<M> managed, Location place = Location::current()) {
  return dlpack::Imported<T, Rank>(std::move(managed), place);
}
template <class T, int Rank, dlpack::Managed M>
[[nodiscard]] dlpack::Imported<T, Rank> from_dlpack(M *managed, Location place = Location::current()) {
  return dlpack::Imported<T, Rank>(dlpack::Owner<M>(managed), place);
}
/// @}

/// Looks at a tensor that somebody else owns and keeps: a `dlpack::Tensor` or `DLTensor`, or a managed one, whose deleter is not
/// called. \throws Error as `from_dlpack`; a tensor that is not managed cannot say that it may only be read.
template <class T, int Rank, class D>
  requires(dlpack::TensorStruct<D> || dlpack::Managed<D>)
View<T, Rank> view_dlpack(const D &tensor, Location place = Location::current()) {
  if constexpr (dlpack::Managed<D>)
    return interop::view_of_managed<T, Rank>(&tensor, place);
  else
    return interop::view_of_tensor<T, Rank>(dlpack::described(tensor), place);
}

/// Exports the elements of a view, which `owner` keeps alive (null: they live for ever). M is the struct to make:
/// `dlpack::ManagedTensorVersioned` unless named, `dlpack::ManagedTensor` for receivers from before DLPack 1.0, or one of
/// <dlpack/dlpack.h>. Whoever gets the pointer calls its deleter once, on any thread, which drops `owner`; until it is released
/// from the result, the result does. A View<const T> is exported as read-only, which an unversioned tensor cannot say: that does
/// not compile. \throws Error I011 for a null pointer to elements.
template <dlpack::Managed M = dlpack::ManagedTensorVersioned, class T, int Rank>
[[nodiscard]] dlpack::Owner<M> to_dlpack(View<T, Rank> view, std::shared_ptr<const void> owner,
                                         Location place = Location::current()) {
  static_assert(dlpack::Exchangeable<T>,
                "to_dlpack(): DLPack has bool, integers, float16, bfloat16, float and double, for example  "
                "to_dlpack(Array<float, 2>({m, n}))");
  static_assert(dlpack::Versioned<M> || !std::is_const_v<T>,
                "to_dlpack(): const elements need a versioned tensor, which can say that they may only be read:  "
                "to_dlpack<dlpack::ManagedTensorVersioned>(…)");
  if (!view.data() && view.size() != 0) interop::fail_no_elements(place);
  auto exported = std::make_unique<interop::Exported<M>>();
  exported->dimensions = List<std::int64_t>(view.shape());
  exported->dimensions.append(view.strides().begin(), view.strides().end());
  exported->owner = std::move(owner);
  M &managed = exported->managed;
  auto &tensor = managed.dl_tensor;
  tensor.data = const_cast<std::remove_const_t<T> *>(view.data());
  tensor.device.device_type = static_cast<decltype(tensor.device.device_type)>(dlpack::cpu);
  tensor.ndim = Rank;
  constexpr dlpack::DataType type = dlpack::data_type_of(ScalarTraits<std::remove_const_t<T>>::type());
  tensor.dtype.code = type.code, tensor.dtype.bits = type.bits, tensor.dtype.lanes = type.lanes;
  tensor.shape = exported->dimensions.data();
  tensor.strides = exported->dimensions.data() + Rank;
  if constexpr (dlpack::Versioned<M>) {
    managed.version.major = dlpack::major_version;
    managed.flags = std::is_const_v<T> ? dlpack::read_only : 0;
  }
  managed.manager_ctx = exported.get();
  managed.deleter = &interop::Exported<M>::destroy;
  return dlpack::Owner<M>(&exported.release()->managed);
}

/// Exports an array that moves into the tensor: `to_dlpack(std::move(c))`. Ownership as above; when an exception leaves this
/// function, the array is as it was.
template <dlpack::Managed M = dlpack::ManagedTensorVersioned, class T, int Rank>
[[nodiscard]] dlpack::Owner<M> to_dlpack(Array<T, Rank> &&array) {
  auto shared = std::make_shared<Array<T, Rank>>();
  auto managed = to_dlpack<M>(View<T, Rank>(array), shared);
  shared->swap(array);  // which moves no element
  return managed;
}

/// Exports an array that stays shared with its other owners, who see what a receiver writes; or anything else that owns elements
/// and of which a View can be made. A `std::shared_ptr<const Array<T, Rank>>` is exported as read-only.
/// \throws Error I011 for a null pointer.
template <dlpack::Managed M = dlpack::ManagedTensorVersioned, class A>
  requires requires(A &array) { View(array); }
[[nodiscard]] dlpack::Owner<M> to_dlpack(std::shared_ptr<A> array, Location place = Location::current()) {
  if (!array) interop::fail_no_elements(place);
  const View view(*array);
  return to_dlpack<M>(view, std::move(array), place);
}

/// Refuses an array that would stay with the caller, and with it the memory.
template <class M = dlpack::ManagedTensorVersioned, class T, int Rank>
void to_dlpack(const Array<T, Rank> &) {
  static_assert(Rank < 0,
                "to_dlpack(): the receiver keeps the memory: move the array,  to_dlpack(std::move(array)),  or share it by "
                "std::shared_ptr");
}

}  // namespace lathe::inline LATHE_ABI
