// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The one file of `lathe::compiled`: every definition behind the plain functions that users' files only see declared.

#define LATHE_IMPLEMENTATION
#include "lathe/implementation.hpp"
