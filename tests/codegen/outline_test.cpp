// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lathe/codegen/outline.hpp"

#include <gtest/gtest.h>

#include "lathe/ir/build.hpp"

namespace lathe::codegen {
namespace {

using namespace ir;

TEST(Outline, CapturesWhatTheBodyTakesFromOutside) {
  const DType f32(scalar_types::float32), index_type(scalar_types::index);
  const Var i("i", index_type), j("j", index_type), n("n", index_type, true), m("m", index_type, true), alpha("alpha", f32);
  const Buffer in("in", f32, {Expr(n), Expr(m)}), out("out", f32, {Expr(n)}), local("local", f32, {4});
  const ExternalFunction f{"f", &f32};
  const Stmt body = make(Allocate{{local},
                                  make(For{j, 0, 4, LoopKind::serial,
                                           block({make(Store{local, {Expr(j)}, load(in, {Expr(i), Expr(j)}) * Expr(alpha), {}}),
                                                  make(Store{out, {Expr(i)}, call(f32, f, {load(local, {Expr(j)})}), {}})})})});
  const For loop{i, 0, Expr(n) + Expr(m), LoopKind::parallel, body};
  const Captures captures = captures_of(loop);
  // The loop's own variable, inner loops and allocations are not captured; the extents that addresses are computed from are.
  EXPECT_EQ(captures.size(), captures.vars.size() + 3);
  const auto has = [&](const Var &v) { return std::find(captures.vars.begin(), captures.vars.end(), v) != captures.vars.end(); };
  EXPECT_TRUE(has(alpha) && has(m));
  EXPECT_FALSE(has(i) || has(j));
  EXPECT_EQ(captures.buffers, (std::vector<Buffer>{in, out}));
  EXPECT_EQ(captures.functions, (std::vector<ExternalFunction>{f}));
}

}  // namespace
}  // namespace lathe::codegen
