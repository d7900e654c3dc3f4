// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: compute(): an index becomes data by a cast
#include <lathe/lathe.hpp>

using namespace lathe;

int main() {
#ifdef PASSING
  auto B = compute({8}, [&](Index i) { return cast<std::int64_t>(i * 2); });
#else
  auto B = compute({8}, [&](Index i) { return i * 2; });
#endif
}
