// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// A non-owning reference to something callable: how generic walks take their visitor without being templates.

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

#include "lathe/version.hpp"

namespace lathe::inline LATHE_ABI {

template <class Signature>
class FunctionRef;

/// Refers to a callable for the duration of a call. The callable must outlive the reference, which a function argument does.
template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  template <class Callable>
    requires(!std::same_as<std::remove_cvref_t<Callable>, FunctionRef> && std::is_invocable_r_v<Result, Callable &, Arguments...>)
  FunctionRef(Callable &&callable)  // NOLINT: implicit by design
      : callable_(const_cast<void *>(static_cast<const void *>(std::addressof(callable)))),
        call_([](void *c, Arguments... arguments) -> Result {
          return std::invoke(*static_cast<std::remove_reference_t<Callable> *>(c), std::forward<Arguments>(arguments)...);
        }) {}

  Result operator()(Arguments... arguments) const { return call_(callable_, std::forward<Arguments>(arguments)...); }

 private:
  void *callable_;
  Result (*call_)(void *, Arguments...);
};

}  // namespace lathe::inline LATHE_ABI
