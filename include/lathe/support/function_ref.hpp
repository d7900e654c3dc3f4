// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// A non-owning reference to something callable: how generic walks take their visitor without being templates.

#include <concepts>
#include <type_traits>

#include "lathe/version.hpp"

namespace lathe::inline LATHE_ABI {

template <class Signature>
class FunctionRef;

/// Refers to a callable for the duration of a call. The callable must outlive the reference, which a function argument does.
template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  template <class Callable>
    requires(!std::same_as<std::remove_cvref_t<Callable>, FunctionRef> &&
             requires(Callable &callable, Arguments... arguments) {
               static_cast<Result>(callable(static_cast<Arguments &&>(arguments)...));
             })
  FunctionRef(Callable &&callable)  // NOLINT: implicit by design
      : callable_(const_cast<void *>(static_cast<const void *>(&callable))), call_(&call<std::remove_reference_t<Callable>>) {}

  Result operator()(Arguments... arguments) const { return call_(callable_, static_cast<Arguments &&>(arguments)...); }

 private:
  template <class Callable>
  static Result call(void *callable, Arguments... arguments) {
    return (*static_cast<Callable *>(callable))(static_cast<Arguments &&>(arguments)...);
  }

  void *callable_;
  Result (*call_)(void *, Arguments...);
};

}  // namespace lathe::inline LATHE_ABI
