// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// What the tests of this folder share.

#include <string>

#include "lathe/diag/diagnostic.hpp"

/// The code of what an action throws, or "none".
template <class Action>
std::string code_of(const Action &action) {
  try {
    action();
  } catch (const lathe::Error &error) {
    return error.code();
  }
  return "none";
}
