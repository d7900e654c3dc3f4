// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Kernels: functions over arrays whose arity, element types, ranks and constness are checked by the C++ compiler; extents, strides,
/// alignment and overlap when they are called.

#include <cstring>
#include <memory>
#include <optional>

#include "lathe/dtype/traits.hpp"
#include "lathe/runtime/array.hpp"
#include "lathe/runtime/kernel_code.hpp"

namespace lathe::inline LATHE_ABI {

/// Parameter of a kernel: a tensor it reads.
template <class T, int Rank>
struct In {};
/// Parameter of a kernel: a tensor it writes.
template <class T, int Rank>
struct Out {};
/// Parameter of a kernel: a scalar by value.
template <class T>
struct Value {};

namespace calling {

/// What a parameter takes, and how it becomes a `CallArgument`.
template <class Parameter>
struct ParameterTraits;

/// A tensor as the caller holds it. Arrays are compact, which spares the test of their strides.
template <class T, int Rank>
struct TensorArgument {
  std::optional<View<T, Rank>> view;  ///< only for what had to be converted
  CallArgument known;
  CallArgument argument() const { return view ? of(*view) : known; }

  template <class A>
  static TensorArgument take(const A &a) {
    if constexpr (std::is_same_v<A, Array<std::remove_const_t<T>, Rank>>)
      return {std::nullopt, {const_cast<std::remove_const_t<T> *>(a.data()), a.shape().data(), nullptr, {}}};
    else if constexpr (std::is_same_v<A, View<T, Rank>> || std::is_same_v<A, View<std::remove_const_t<T>, Rank>>)
      return {std::nullopt, of(a)};
    else
      return {View<T, Rank>(a), {}};
  }

 private:
  template <class V>
  static CallArgument of(const V &v) {
    return {const_cast<std::remove_const_t<T> *>(v.data()), v.shape().data(), v.strides().data(), {}};
  }
};
template <class T, int Rank>
struct ParameterTraits<In<T, Rank>> {
  template <class A>
  static constexpr bool accepts = std::is_convertible_v<A, View<const T, Rank>>;
  template <class A>
  static auto take(const A &a) { return TensorArgument<const T, Rank>::take(a); }
};
template <class T, int Rank>
struct ParameterTraits<Out<T, Rank>> {
  template <class A>
  static constexpr bool accepts = std::is_convertible_v<A, View<T, Rank>>;
  template <class A>
  static auto take(A &a) { return TensorArgument<T, Rank>::take(a); }
};
template <class T>
struct ScalarCallArgument {
  T value;
  CallArgument argument() const {
    CallArgument result;
    std::memcpy(&result.scalar, &value, sizeof(T));
    return result;
  }
};
template <>
struct ParameterTraits<Value<index_t>> {
  using Takes = ScalarCallArgument<std::int64_t>;
  template <class A>
  static constexpr bool accepts = std::is_integral_v<std::remove_cvref_t<A>>;
  template <class A>
  static Takes take(A a) { return {static_cast<std::int64_t>(a)}; }
};
template <class T>
struct ParameterTraits<Value<T>> {
  using Takes = ScalarCallArgument<T>;
  template <class A>
  static constexpr bool accepts = std::is_convertible_v<A, T>;
  template <class A>
  static Takes take(A a) { return {static_cast<T>(a)}; }
};

}  // namespace calling

/// A kernel with parameters `In<T, Rank>`, `Out<T, Rank>` and `Value<T>`. A cheap handle on immutable code: copies share it, and many
/// threads may call it at once. Tensor arguments are arrays or views; outputs must not overlap other arguments.
template <class... Parameters>
class Kernel {
 public:
  explicit Kernel(std::shared_ptr<const KernelCode> code) : code_(std::move(code)) {}

  /// Runs. \throws Error as `KernelCode::call`.
  template <class... Arguments>
  void operator()(Arguments &&...arguments) const {
    static_assert(sizeof...(Arguments) == sizeof...(Parameters),
                  "kernel(): takes one argument per tensor or scalar it was made with, for example  kernel(a, b, c)");
    if constexpr (sizeof...(Arguments) == sizeof...(Parameters)) {
      static_assert((calling::ParameterTraits<Parameters>::template accepts<Arguments> && ...),
                    "kernel(): arguments have the element types and ranks it was made with, and outputs are not const, for example  "
                    "Array<float, 2> c({m, n});  kernel(a, b, c)");
      if constexpr ((calling::ParameterTraits<Parameters>::template accepts<Arguments> && ...))
        call(calling::ParameterTraits<Parameters>::take(arguments)...);
    }
  }

  const KernelCode &code() const { return *code_; }
  const std::shared_ptr<const KernelCode> &shared_code() const { return code_; }

 private:
  template <class... Taken>
  void call(const Taken &...taken) const {
    const CallArgument list[sizeof...(Taken) + 1] = {taken.argument()...};
    code_->call(list, sizeof...(Taken));
  }

  std::shared_ptr<const KernelCode> code_;
};

}  // namespace lathe::inline LATHE_ABI
