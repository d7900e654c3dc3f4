// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The fuzzer itself: that it makes what it says it makes, and that it notices faults.

#include <gtest/gtest.h>

#include <set>

#include "codegen/aarch64_harness.hpp"
#include "equivalence/check.hpp"
#include "equivalence/generate.hpp"
#include "equivalence/guarded_memory.hpp"
#include "equivalence/print_cpp.hpp"
#include "equivalence/shrink.hpp"
#include "equivalence/terms.hpp"
#include "lathe/ir/walk.hpp"

namespace {

using namespace equivalence;

Case drawn(std::uint64_t seed) {
  Tally tally;
  std::optional<Outcome> failure;
  Case tested = draw_case(seed, tally, failure);
  EXPECT_FALSE(failure) << "case " << seed << ": " << failure->message;
  return tested;
}

TEST(Fuzzer, SameSeedSameCase) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) EXPECT_EQ(to_cpp(drawn(seed), {}), to_cpp(drawn(seed), {})) << seed;
  EXPECT_NE(to_cpp(drawn(1), {}), to_cpp(drawn(2), {}));
}

TEST(Fuzzer, MakesEveryKindOfTerm) {
  std::set<TermKind> kinds;
  std::set<ir::UnaryOp> unary;
  std::set<ir::BinaryOp> binary;
  std::set<std::string> types;
  std::set<lathe::typing::Combine> combines;
  std::set<std::size_t> ranks;
  int ragged = 0, by_data = 0, where = 0, init = 0, symbolic = 0, empty = 0, several = 0, constants = 0, gathers = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    const Program program = generate_program(seed);
    int outputs = 0;
    for (const Size &size : program.sizes) symbolic += size.symbolic, empty += size.value == 0;
    for (const TensorNode &tensor : program.tensors) {
      outputs += tensor.output;
      constants += tensor.kind == TensorKind::constant;
      types.insert(lathe::to_string(tensor.type));
      ranks.insert(tensor.shape.size());
      for_each_root(tensor, [&](const TermRef &root) {
        for_each_term(root, [&](const TermRef &term) {
          kinds.insert(term->kind);
          if (term->kind == TermKind::unary) unary.insert(term->unary);
          if (term->kind == TermKind::binary) binary.insert(term->binary);
          if (term->kind == TermKind::read)
            for (const TermRef &index : term->operands)
              for_each_term(index, [&](const TermRef &part) { gathers += part->kind == TermKind::read; });
        });
      });
      if (!tensor.reduction) continue;
      combines.insert(tensor.reduction->combine);
      where += tensor.reduction->where != nullptr;
      init += tensor.reduction->init != nullptr;
      for (const ReductionAxis &axis : tensor.reduction->axes) {
        bool data = false, other = false;
        for_each_term(axis.extent,
                      [&](const TermRef &term) { data |= term->kind == TermKind::read, other |= term->kind == TermKind::axis; });
        by_data += data;
        ragged += other && !data;
      }
    }
    several += outputs > 1;
  }
  EXPECT_EQ(kinds.size(), 13u);
  EXPECT_EQ(types.size(), 13u) << "bool, eight integers, four floats";
  EXPECT_EQ(ranks, (std::set<std::size_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(combines.size(), 6u);
  EXPECT_EQ(unary.size(), 33u);
  EXPECT_EQ(binary.size(), 28u);
  for (const int count : {ragged, by_data, where, init, symbolic, empty, several, constants, gathers}) EXPECT_GT(count, 20);
}

TEST(Fuzzer, DrawsEveryPrimitive) {
  Tally tally;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::optional<Outcome> failure;
    draw_case(seed, tally, failure);
  }
  for (const char *primitive :
       {"split", "fuse", "reorder", "vectorize", "unroll", "parallel", "compute_at", "compute_inline", "compute_root",
        "cache_read", "cache_write", "set_scope", "layout", "auto_unroll", "storage_align", "prefetch", "assume"})
    EXPECT_GT(tally.made[primitive], 3) << primitive;
  std::int64_t made = 0, refused_late = 0;
  for (const auto &[name, count] : tally.made) made += count;
  for (const auto &[code, count] : tally.refused)
    if (code[0] == 'L') refused_late += count;
  EXPECT_LT(refused_late * 6, made) << "of the steps that are legal at the call, lowering refuses few";
}

TEST(Fuzzer, DrawsEveryProcessor) {
  Tally tally;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    std::optional<Outcome> failure;
    draw_case(seed, tally, failure);
  }
  for (const levels::Level &level : levels::all) EXPECT_GT(tally.targets[levels::name_of(level)], 0) << levels::name_of(level);
}

TEST(Fuzzer, PrintsTheProcessor) {
  for (std::size_t level = 0; level < levels::all.size(); ++level) {
    Case tested = drawn(3);
    tested.target = static_cast<int>(level);
    EXPECT_NE(to_cpp(tested, {}).find("\n  " + levels::cpp_of(levels::all[level]) + "\n"), std::string::npos) << level;
  }
}

TEST(Fuzzer, RunsAarch64Code) {
  if (!aarch64_harness::is_available()) GTEST_SKIP() << "needs aarch64-linux-gnu-g++ and qemu-aarch64";
  Aarch64Queue queue;
  std::size_t drawn_for_it = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Case tested = drawn(seed);
    drawn_for_it += tested.on_aarch64;
    queue.add(tested);
  }
  EXPECT_GT(drawn_for_it, 5u);
  EXPECT_GT(queue.size(), 30u) << "all that calls no function of the C library";
  for (const auto &[seed, outcome] : queue.run({})) ADD_FAILURE() << seed << ": " << outcome.message;
  EXPECT_EQ(queue.size(), 0u);
}

TEST(Fuzzer, StepsReplay) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Case tested = drawn(seed);
    const Built built = build(tested.program);
    lathe::Schedule again(built.output_tensors());
    replay_steps(again, tested.program, tested.steps);
    std::string text;
    for (const lathe::scheduling::Step &step : tested.steps.steps) text += lathe::scheduling::to_text(step) + "\n";
    EXPECT_EQ(again.to_text(), text) << seed;
    lathe::Schedule from_text(built.output_tensors());
    from_text.replay(text);
    EXPECT_EQ(from_text.to_text(), text) << seed;
  }
}

// ---- planted faults
// -------------------------------------------------------------------------------------------------------------

/// Changes the first statement that `change` changes.
ir::Program change_first(ir::Program program, bool &changed, const std::function<ir::Stmt(const ir::Stmt &)> &change) {
  program.functions[0].body = ir::rewrite_stmts(program.functions[0].body, [&](const ir::Stmt &s) {
    if (changed) return s;
    ir::Stmt next = change(s);
    changed = !next.same_as(s);
    return next;
  });
  return program;
}

/// In how many of the cases that could be changed the change was noticed.
void expect_noticed(const std::function<ir::Stmt(const ir::Stmt &)> &change, int per_cent) {
  int planted = 0, noticed = 0;
  for (std::uint64_t seed = 0; seed < 90; ++seed) {
    Case tested = drawn(seed);
    tested.in_c = tested.on_aarch64 = tested.lowered = tested.contract = tested.verify = false;
    bool changed = false;
    Hooks hooks;
    hooks.tamper = [&](ir::Program program) { return change_first(std::move(program), changed, change); };
    const Outcome outcome = check_case(tested, hooks, nullptr);
    planted += changed;
    noticed += changed && outcome.verdict == Verdict::wrong && outcome.kind.starts_with("interpreter");
  }
  EXPECT_GT(planted, 15);
  EXPECT_GE(noticed * 100, planted * per_cent) << noticed << " of " << planted;
}

TEST(Fuzzer, NoticesAFlippedBit) {
  expect_noticed(
      [](const ir::Stmt &s) -> ir::Stmt {
        const ir::Store *store = s.as<ir::Store>();
        if (!store || store->value.type().is_float()) return s;
        ir::Store other = *store;
        const ir::Expr one = ir::constant(store->value.type(), std::int64_t{1});
        other.value = store->value.type().is_bool() ? !store->value : ir::binary(ir::BinaryOp::bit_xor, store->value, one);
        return ir::make(other);
      },
      40);
}

TEST(Fuzzer, NoticesAMissingIteration) {
  expect_noticed(
      [](const ir::Stmt &s) -> ir::Stmt {
        const ir::For *loop = s.as<ir::For>();
        if (!loop) return s;
        ir::For other = *loop;
        other.extent = loop->extent - ir::Expr(1);
        return ir::make(other);
      },
      60);
}

TEST(Fuzzer, NoticesAFlippedGuard) {
  expect_noticed(
      [](const ir::Stmt &s) -> ir::Stmt {
        const ir::If *branch = s.as<ir::If>();
        if (!branch || branch->condition.lanes() != 1) return s;
        ir::If other = *branch;
        other.condition = !branch->condition;
        return ir::make(other);
      },
      50);
}

TEST(GuardedMemoryDeathTest, NoticesTouchesBesideAnArgument) {
  GuardedMemory memory;
  for (const bool at_end : {false, true}) {
    std::byte *data = memory.place(40, at_end);
    EXPECT_TRUE(memory.surroundings_intact());
    data[at_end ? -1 : 40] = std::byte{1};
    EXPECT_FALSE(memory.surroundings_intact());
  }
  std::byte *data = memory.place(40, true);
  EXPECT_DEATH(*const_cast<volatile std::byte *>(data + 40) = std::byte{1}, "");
  data = memory.place(40, false);
  EXPECT_DEATH(*const_cast<volatile std::byte *>(data - 1) = std::byte{1}, "");
}

TEST(Fuzzer, ShrinksToWhatMatters) {
  // "Fails" wherever a product of int32 is computed.
  const auto fails = [](const Case &tested) {
    bool found = false;
    const std::vector<bool> need = tested.program.needed();
    for (std::size_t t = 0; t < need.size(); ++t)
      if (need[t])
        for_each_root(tested.program.tensors[t], [&](const TermRef &root) {
          for_each_term(root, [&](const TermRef &term) {
            found |= term->kind == TermKind::binary && term->binary == ir::BinaryOp::mul &&
                     term->type == DType(lathe::scalar_types::int32);
          });
        });
    return found;
  };
  int tried = 0;
  for (std::uint64_t seed = 0; tried < 5; ++seed) {
    const Case tested = drawn(seed);
    if (!fails(tested)) continue;
    ++tried;
    const Case small = shrink(tested, fails, 2000);
    EXPECT_TRUE(fails(small));
    EXPECT_TRUE(small.steps.steps.empty());
    int terms = 0;
    const std::vector<bool> need = small.program.needed();
    for (std::size_t t = 0; t < need.size(); ++t)
      if (need[t])
        for_each_root(small.program.tensors[t],
                      [&](const TermRef &root) { for_each_term(root, [&](const TermRef &) { ++terms; }); });
    EXPECT_LE(terms, 12);  // from some hundred
  }
}

}  // namespace
