// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: to_dlpack(): const elements need a versioned tensor
#include <lathe/interop/dlpack.hpp>
#include <lathe/lathe.hpp>

using namespace lathe;

int main() {
  std::shared_ptr<const Array<float, 2>> weights = std::make_shared<Array<float, 2>>();
#ifdef PASSING
  auto managed = to_dlpack<dlpack::ManagedTensorVersioned>(weights);
#else
  auto managed = to_dlpack<dlpack::ManagedTensor>(weights);
#endif
}
