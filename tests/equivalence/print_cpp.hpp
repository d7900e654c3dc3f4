// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// A case as a C++ program of the public interface, which computes it under its schedule and without one and says what differs.

#include <string>

#include "equivalence/check.hpp"

namespace equivalence {

std::string to_cpp(const Case &tested, const Outcome &outcome);

}  // namespace equivalence
