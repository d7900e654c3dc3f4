// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lathe/passes/reuse_buffers.hpp"

#include <string>
#include <vector>

#include "lathe/jit.hpp"
#include "lathe/lathe.hpp"
#include "passes/loops.hpp"

namespace {

using namespace loops;
using passes::reuse_buffers;

constexpr std::int64_t n = 2048;

struct ReuseBuffers : testing::Test {
  Buffer A{"A", f32, {n}}, Z{"Z", f32, {n}}, b{"b", f32, {n}}, c{"c", f32, {n}}, d{"d", f32, {n}}, e{"e", f32, {n}};

  /// to[i] = Σ from[i] + 1
  static Stmt step(const Buffer &to, const std::vector<Buffer> &from) {
    const Var i = index_var("i");
    ir::Expr sum = number(1);
    for (const Buffer &buffer : from) sum = sum + ir::load(buffer, {i});
    return loop(i, to->shape[0], store(to, {i}, sum));
  }
  Stmt within(const std::vector<Buffer> &buffers, std::vector<Stmt> body) const {
    return ir::make(ir::Allocate{{buffers.begin(), buffers.end()}, sequence(std::move(body))});
  }
  static std::size_t allocated(const Stmt &s) {
    std::size_t count = 0;
    ir::walk_down(s, [&](const Stmt &each) {
      if (const auto *a = each.as<ir::Allocate>()) count += a->buffers.size();
      return true;
    });
    return count;
  }
  /// The values that a pass left, if they are those of before.
  void expect_allocated(std::size_t count, const Stmt &s) const {
    const Code code{{A}, {Z}, {}, s};
    const Stmt after = reuse_buffers(s, on_vectors());
    EXPECT_EQ(allocated(after), count) << ir::to_string(after);
    ir::verify(code.program(after), ir::form_lowered, "reuse_buffers");
    EXPECT_EQ(run(code, after), run(code, s));
  }
};

TEST_F(ReuseBuffers, a_chain_needs_two) {
  expect_allocated(2, within({b, c, d, e}, {step(b, {A}), step(c, {b}), step(d, {c}), step(e, {d}), step(Z, {e})}));
}

TEST_F(ReuseBuffers, what_is_read_later_stays) {
  expect_allocated(3, within({b, c, d, e}, {step(b, {A}), step(c, {b}), step(d, {c}), step(e, {d}), step(Z, {e, b})}));
  expect_allocated(4, within({b, c, d, e}, {step(b, {A}), step(c, {A}), step(d, {b, c}), step(e, {b, c, d}), step(Z, {e, d})}));
}

TEST_F(ReuseBuffers, in_one_statement_all_are_alive) {
  expect_allocated(1, within({b, c}, {sequence({step(b, {A}), step(Z, {b})}), step(c, {A}), step(Z, {c, A})}));
  const Stmt nested = within({b, c}, {sequence({step(b, {A}), step(c, {A}), step(Z, {b})}, "both"), step(Z, {c})});
  expect_allocated(2, nested);
}

TEST_F(ReuseBuffers, others_are_told_apart) {
  const auto chain = [&](const Buffer &second) {
    return within({b, second}, {step(b, {A}), step(Z, {b}), step(second, {A}), step(Z, {A})});
  };
  expect_allocated(1, chain(c));
  expect_allocated(2, chain(Buffer("shorter", f32, {n - 1})));
  ir::BufferNode local;
  local.name = "local", local.type = f32, local.shape = {n}, local.scope = {"local"};
  expect_allocated(2, chain(Buffer(local)));
  const Buffer first("first", f32, {8}), small("small", f32, {8});
  expect_allocated(2, within({first, small}, {step(first, {A}), step(Z, {A}), step(small, {A}), step(Z, {A})}));
}

TEST(ReuseBuffersOfStages, eight_stages_in_the_memory_of_two) {
  auto size = lathe::size_var("size");
  auto input = placeholder<float>({size}, "input");
  std::vector<Tensor<float, 1>> stages;
  for (int i = 0; i < 8; ++i)
    stages.push_back(compute(
        {size}, [&](Index x) { return (i == 0 ? input(x) : stages.back()(x)) * 2.0f + cast<float>(x); },
        "stage" + std::to_string(i)));
  Schedule s(stages.back());
  for (const auto &stage : stages)
    if (&stage != &stages.back()) s[stage].compute_root();
  const ir::Program program = optimize_program(s, {input, stages.back()}, {});
  std::size_t buffers = 0;
  ir::walk_down(program.entry().body, [&](const Stmt &each) {
    if (const auto *a = each.as<ir::Allocate>()) buffers += a->buffers.size();
    return true;
  });
  EXPECT_EQ(buffers, 2u);
  const auto in = Array<float, 1>::generate({3000}, [](std::int64_t i) { return i % 5; });
  Array<float, 1> out({3000});
  jit(s, input, stages.back())(in, out);
  for (std::int64_t i = 0; i < 3000; ++i) EXPECT_EQ(out(i), 256 * (i % 5) + 255 * i);
}

}  // namespace
