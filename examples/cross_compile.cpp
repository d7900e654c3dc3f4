// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A kernel for another machine: writes twice_and_one.o for 64-bit Arm.

#include <cstdio>
#include <fstream>
#include <lathe/jit.hpp>
#include <lathe/lathe.hpp>
#include <lathe/runtime/llvm_jit.hpp>

using namespace lathe;

int main() {
  const Target arm = Target::of("aarch64-unknown-linux-gnu", "neoverse-n1");
  auto A = placeholder<float>({1000}, "A");
  auto B = compute({1000}, [&](Index i) { return 2.0f * A(i) + 1.0f; }, "B(i)");
  Schedule s(B);
  s[B].vectorize(s[B].split(s[B].axis(0), arm.lanes(32)).second);

  const Options options{.name = "twice_and_one", .target = arm};
  const ObjectCode object = compile_object(emit_llvm(s, options, A, B), arm);
  std::ofstream file("twice_and_one.o", std::ios::binary);
  file.write(reinterpret_cast<const char *>(object.bytes.data()), static_cast<std::streamsize>(object.bytes.size()));
  std::printf("twice_and_one.o: %zu bytes\n", object.bytes.size());
}
