// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Math functions in plain loops: the C library's, one element at a time.

#include "math_loops.hpp"

namespace bench {
namespace {

const Register<MathFunction> registered("plain", math_function);

}  // namespace
}  // namespace bench
