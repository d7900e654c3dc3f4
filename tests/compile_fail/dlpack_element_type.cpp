// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: from_dlpack<T, Rank>(): DLPack has bool, integers, float16, bfloat16, float and double
#include <lathe/interop/dlpack.hpp>
#include <lathe/lathe.hpp>

using namespace lathe;

int main() {
  dlpack::ManagedTensor *managed = nullptr;
#ifdef PASSING
  auto ids = from_dlpack<const std::int64_t, 1>(managed);
#else
  auto ids = from_dlpack<const index_t, 1>(managed);
#endif
}
