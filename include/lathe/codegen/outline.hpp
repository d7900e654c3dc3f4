// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Bodies of parallel loops as functions of their own: what the body needs from around it, in the order of the slots that the
/// function is called with (runtime/abi.hpp).

#include <cstddef>

#include "lathe/ir/walk.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::codegen {

/// What a loop's body captures. Slot i holds variable i, then come the addresses of the buffers, then those of the functions.
struct Captures {
  List<ir::Var> vars;
  List<ir::Buffer> buffers;
  List<ir::ExternalFunction> functions;
  std::size_t size() const { return vars.size() + buffers.size() + functions.size(); }
};

/// The free names of the loop's body but for its own variable. The loop's bounds are computed outside and do not count.
Captures captures_of(const ir::For &loop);

}  // namespace lathe::inline LATHE_ABI::codegen
