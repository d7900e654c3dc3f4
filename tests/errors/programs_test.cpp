// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What only loops written by hand get, with its text: faults that lowering rules out, and the fault of Lathe's own.

#include <lathe/codegen/interpret.hpp>
#include <lathe/ir/build.hpp>
#include <lathe/ir/verify.hpp>

#include "codegen/c_harness.hpp"
#include "golden.hpp"

namespace {

using namespace c_harness;
using golden::expect_refusal;

void run(const Program &program, const std::vector<Slot> &slots) { codegen::interpret(program, slots); }

Stmt labelled(std::string label, Stmt s) { return make(Block{{std::move(s)}, std::move(label)}); }

TEST(Faults, R002MemoryThatNothingWrote) {
  const Var i = index_var("i");
  const Buffer half("half", i32, {4}), out("out", i32, {4});
  const Stmt writes = labelled("half", loop(i, 2, store(half, {Expr(i) * 2}, cast(i32, i))));
  const Stmt reads = labelled("out", loop(i, 4, store(out, {i}, load(half, {i}))));
  const Program p = program("kernel", {output(out)}, make(Allocate{{half}, block({writes, reads})}));
  std::vector<std::int32_t> result(4);
  expect_refusal("R002", [&] { run(p, {address(result)}); });
}

TEST(Faults, R003RaceOfParallelIterations) {
  const Var i = index_var("i");
  const Buffer out("out", i32, {4});
  const auto parallel = [&](Stmt body) {
    return program("kernel", {output(out)}, labelled("out", loop(i, 4, std::move(body), LoopKind::parallel)));
  };
  std::vector<std::int32_t> result(4);
  const Program writers = parallel(store(out, {Expr(i) / 2}, cast(i32, i)));
  const Program reader = parallel(block({store(out, {i}, cast(i32, i)), store(out, {i}, load(out, {max(Expr(i) - 1, 0)}))}));
  expect_refusal("R003", [&] { run(writers, {address(result)}); });
  expect_refusal("R003", [&] { run(reader, {address(result)}); }, "_reader");
}

TEST(Faults, R007Address) {
  BufferNode node;
  node.name = "a";
  node.type = i32;
  node.shape = {2};
  node.alignment = 64;
  const Buffer a(node);
  const Program p = program("kernel", {output(a)}, store(a, {0}, zero_of(i32)));
  alignas(64) std::int32_t memory[32];
  Slot null{}, shifted{};
  shifted.pointer = memory + 1;
  expect_refusal("R007", [&] { run(p, {null}); });
  expect_refusal("R007", [&] { run(p, {shifted}); }, "_alignment");
}

TEST(Faults, R008MemoryAndArguments) {
  const Var m = index_var("m");
  const Buffer huge("huge", f64, {m, m});
  const Program p = program("kernel", {scalar(m)}, make(Allocate{{huge}, block({})}));
  expect_refusal("R008", [&] { run(p, {}); }, "_count");
  expect_refusal("R008", [&] { run(p, {integer(std::int64_t{1} << 29)}); }, "_memory");
}

TEST(InternalErrors, X001FaultOfLathesOwn) {
  const Buffer out("out", f32, {4});
  const Program broken = program("kernel", {output(out)}, store(out, {index_var("i")}, constant(f32, 1.0)));
  expect_refusal("X001", [&] { verify(broken, form_lowered, "lowering"); });
}

}  // namespace
