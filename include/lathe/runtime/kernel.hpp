// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Kernels: functions over arrays whose arity, element types, ranks and constness are checked by the C++ compiler; extents,
/// strides, alignment and overlap when they are called.

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

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

/// An argument as an `Array` or `View`: itself, or a view that it converts to and that lives as long as the call.
template <class T, int Rank, class A>
decltype(auto) hold_tensor(const A &a) {
  using Element = std::remove_const_t<T>;
  if constexpr (std::is_same_v<A, Array<Element, Rank>> || std::is_same_v<A, View<T, Rank>> ||
                std::is_same_v<A, View<Element, Rank>>)
    return (a);
  else
    return View<T, Rank>(a);
}
/// Arrays are compact, which spares the test of their strides.
template <class T, int Rank>
CallArgument argument_of(const Array<T, Rank> &array) {
  return {const_cast<T *>(array.data()), array.shape().data(), nullptr, {}};
}
template <class T, int Rank>
CallArgument argument_of(const View<T, Rank> &view) {
  return {const_cast<std::remove_const_t<T> *>(view.data()), view.shape().data(), view.strides().data(), {}};
}
template <class T>
CallArgument argument_of(const T &scalar) {
  CallArgument result;
  std::memcpy(&result.scalar, &scalar, sizeof(T));
  return result;
}

template <class T, int Rank>
struct ParameterTraits<In<T, Rank>> {
  template <class A>
  static constexpr bool accepts = std::is_convertible_v<A, View<const T, Rank>>;
  template <class A>
  static decltype(auto) hold(const A &a) {
    return hold_tensor<const T, Rank>(a);
  }
};
template <class T, int Rank>
struct ParameterTraits<Out<T, Rank>> {
  template <class A>
  static constexpr bool accepts = std::is_convertible_v<A, View<T, Rank>>;
  template <class A>
  static decltype(auto) hold(A &a) {
    if constexpr (std::is_convertible_v<const A &, View<T, Rank>> || std::is_same_v<A, Array<T, Rank>>)
      return hold_tensor<T, Rank>(a);
    else
      return View<T, Rank>(a);
  }
};
/// Whether a number is one of T's.
template <class T, class A>
bool fits(A a) {
  if constexpr (std::is_floating_point_v<A>)
    return a == std::trunc(a) && a >= static_cast<A>(std::numeric_limits<T>::min()) &&
           a < std::ldexp(static_cast<A>(1), std::numeric_limits<T>::digits);
  else if constexpr (std::is_same_v<T, bool>)
    return a == A(0) || a == A(1);
  else
    return std::in_range<std::conditional_t<std::is_signed_v<T>, std::make_signed_t<T>, std::make_unsigned_t<T>>>(+a);
}
/// `a` as a T. \throws Error K010 for a number that no integer T is.
template <class T, class A>
T scalar_as(A a) {
  if constexpr (std::is_integral_v<T> && std::is_arithmetic_v<A> && !std::is_same_v<A, T>)
    if (!fits<T>(a)) [[unlikely]]
      fail_scalar(std::to_string(a), to_string(dtype_of<T>()));
  return static_cast<T>(a);
}
template <>
struct ParameterTraits<Value<index_t>> {
  template <class A>
  static constexpr bool accepts = std::is_integral_v<std::remove_cvref_t<A>>;
  template <class A>
  static std::int64_t hold(A a) {
    return scalar_as<std::int64_t>(a);
  }
};
template <class T>
struct ParameterTraits<Value<T>> {
  template <class A>
  static constexpr bool accepts = std::is_convertible_v<A, T>;
  template <class A>
  static T hold(A a) {
    return scalar_as<T>(a);
  }
};

/// Argument `Position`, counted from 1, which the compiler names beside the sentence.
template <std::size_t Position, class Parameter, class Argument>
struct KernelArgument {
  static_assert(ParameterTraits<Parameter>::template accepts<Argument>,
                "kernel(): arguments have the element types and ranks it was made with, and outputs are not const, for example  "
                "Array<float, 2> c({m, n});  kernel(a, b, c)  (for types of other libraries include their header of "
                "lathe/interop/)");
};
/// Says what is wrong with arguments that do not fit.
template <class... Parameters>
struct Refusal {
  template <class... Arguments, std::size_t... I>
  static void given(std::index_sequence<I...>) {
    (static_cast<void>(KernelArgument<I + 1, Parameters, Arguments>()), ...);
  }
};

}  // namespace calling

/// A kernel with parameters `In<T, Rank>`, `Out<T, Rank>` and `Value<T>`. A cheap handle on immutable code: copies share it, and
/// many threads may call it at once. Tensor arguments are arrays, views, or what a view can be made of; outputs must not overlap
/// other arguments.
template <class... Parameters>
class Kernel {
 public:
  /// Puts types around code; they must be those of its arguments, in order.
  explicit Kernel(std::shared_ptr<const KernelCode> code) : code_(std::move(code)) {}

  /// Runs. \throws Error as `KernelCode::call`.
  template <class... Arguments>
  void operator()(Arguments &&...arguments) const {
    static_assert(sizeof...(Arguments) == sizeof...(Parameters),
                  "kernel(): takes one argument per tensor or scalar it was made with, for example  kernel(a, b, c)");
    if constexpr (sizeof...(Arguments) == sizeof...(Parameters)) {
      if constexpr ((calling::ParameterTraits<Parameters>::template accepts<Arguments> && ...))
        call(calling::ParameterTraits<Parameters>::hold(arguments)...);
      else
        calling::Refusal<Parameters...>::template given<Arguments...>(std::index_sequence_for<Arguments...>());
    }
  }

  const KernelCode &code() const { return *code_; }                               ///< the untyped kernel, with its loops
  const std::shared_ptr<const KernelCode> &shared_code() const { return code_; }  ///< for who keeps it

 private:
  template <class... Held>
  void call(const Held &...held) const {
    const CallArgument list[sizeof...(Held) + 1] = {calling::argument_of(held)...};
    code_->call(list, sizeof...(Held));
  }

  std::shared_ptr<const KernelCode> code_;
};

}  // namespace lathe::inline LATHE_ABI
