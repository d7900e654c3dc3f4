// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "budgets/chains.hpp"

#include <lathe/lathe.hpp>
#include <string>
#include <vector>

namespace budgets {

Cost lowering_of_chain(int stages, Placement placement) {
  using namespace lathe;
  const auto input = placeholder<float>({1024}, "input");
  std::vector<Tensor<float, 1>> chain;
  for (int stage = 0; stage < stages; ++stage) {
    const Tensor<float, 1> before = stage == 0 ? Tensor<float, 1>(input) : chain.back();
    chain.push_back(compute({1024}, [&](Index i) { return before(i) * 1.5f + 1.0f; }, "stage" + std::to_string(stage) + "(i)"));
  }
  const Tensor<float, 1> last = chain.back();
  Schedule s(last);
  auto [tile, inner] = s[last].split(s[last].axis(0), 64);
  s[last].vectorize(s[last].split(inner, 16).second);
  for (int stage = 0; stage + 1 < stages; ++stage) {
    auto each = s[chain[static_cast<std::size_t>(stage)]];
    placement == Placement::at ? each.compute_at(s[last], tile) : each.compute_root();
  }
  const List<AnyArgument> arguments = {input, last};
  return median_of_calls(stages < 1000 ? 15 : 5, stages, [&] { optimize_program(s, arguments, {}); });
}

}  // namespace budgets
