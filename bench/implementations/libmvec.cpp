// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Plain loops under -ffast-math, for which g++ calls the vectors of functions in the C library (libmvec: up to 4 ulp).

#include "math_loops.hpp"

namespace bench {
namespace {

const Register<MathFunction> registered("libmvec", math_function);

}  // namespace
}  // namespace bench
