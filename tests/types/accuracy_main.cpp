// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The greatest error of each math function over all float32 numbers, or every STRIDEth of them, on this machine and without
/// fused multiply-adds:
///
///     lathe_math_accuracy [STRIDE [FUNCTION…]]

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "types/accuracy.hpp"

int main(int count, char **words) {
  const std::uint32_t stride = count > 1 ? static_cast<std::uint32_t>(std::strtoul(words[1], nullptr, 10)) : 1;
  const lathe::Target targets[] = {lathe::Target::host(), lathe::Target::host("x86-64")};
  std::printf("| function | greatest error in ulp | at | without fused multiply-adds | at |\n|---|---|---|---|---|\n");
  for (const accuracy::Function &function : accuracy::functions()) {
    bool asked = count < 3;
    for (int i = 2; i < count; ++i) asked = asked || std::string_view(words[i]) == function.name;
    if (!asked) continue;
    std::printf("| %s ", function.name);
    for (const lathe::Target &target : targets) {
      const accuracy::Worst worst = accuracy::Tested(function, target).over(0, stride);
      std::printf("| %.3f | %.9g ", worst.ulp, static_cast<double>(worst.at));
      std::fflush(stdout);
    }
    std::printf("|\n");
  }
}
