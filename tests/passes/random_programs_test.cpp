// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Random loop nests before and after each pass and the whole pipeline, run by the interpreter.

#include <cstdlib>
#include <random>

#include "lathe/passes/pipeline.hpp"
#include "lathe/passes/vectorize_loops.hpp"
#include "passes/loops.hpp"

namespace {

using namespace loops;

/// Makes well-formed programs whose reads are all of written memory and, where their guards hold, in bounds.
class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  Code program() {
    const Var i = index_var("start");
    const Stmt start = loop(i, size, store(B, {i}, ir::load(A, {i}) + number(1)));
    return {{A, I}, {B}, {{n, below(4)}}, sequence({start, statement(5)})};
  }

 private:
  static constexpr int size = 64;

  int below(int end) { return std::uniform_int_distribution<int>(0, end - 1)(random_); }
  bool chance(int percent) { return below(100) < percent; }

  Expr any_var() {
    if (vars_.empty() || chance(10)) return n;
    return vars_[static_cast<std::size_t>(below(static_cast<int>(vars_.size())))];
  }
  /// Anything.
  Expr free_index() {
    static constexpr int coefficients[] = {1, 1, 1, 2, 3, 8, -1};
    Expr e = any_var() * coefficients[below(7)] + below(5);
    if (chance(50)) e = e + any_var() * coefficients[below(7)];
    if (chance(15)) e = e / (1 + below(4));
    if (chance(15)) e = e % (2 + below(5));
    if (chance(10)) e = ir::cast(index_type, ir::load(I, {e % size}));
    return e;
  }
  /// Within [0, extent).
  Expr index(int extent) {
    if (chance(50) && !vars_.empty()) {
      Expr e = any_var();  // variables are below 7
      if (extent >= size && chance(70)) e = chance(50) ? e + any_var() * 7 : e * 8 + any_var();
      if (extent >= size) return e;
    }
    return free_index() % extent;
  }
  /// An element of B. Inside a loop that shall become lanes mostly one of the iteration's own.
  Expr element() {
    if (!lane_.defined() || chance(3)) return index(size);
    const bool inner = vars_.size() > lane_depth_ && chance(40);
    return inner ? lane_ + vars_[lane_depth_ + static_cast<std::size_t>(below(static_cast<int>(vars_.size() - lane_depth_)))]
                 : lane_;
  }
  Expr condition(int depth = 2) {
    if (lane_.defined() && chance(30)) return free_index() < below(20);
    if (depth > 0 && chance(25)) return condition(depth - 1) && condition(depth - 1);
    if (depth > 0 && chance(15)) return condition(depth - 1) || condition(depth - 1);
    if (chance(15)) return ir::load(A, {index(size)}) < number(below(100));
    if (chance(10)) return ir::load(B, {element()}) < number(below(100));
    static constexpr ir::BinaryOp comparisons[] = {ir::BinaryOp::lt, ir::BinaryOp::le, ir::BinaryOp::gt, ir::BinaryOp::ge,
                                                   ir::BinaryOp::eq, ir::BinaryOp::ne, ir::BinaryOp::lt};
    return ir::binary(comparisons[below(7)], free_index(), chance(60) ? Expr(below(12)) : free_index());
  }
  Expr value(int depth = 2) {
    switch (depth == 0 ? below(4) : below(8)) {
      case 0: return number(below(9));
      case 1: return ir::load(A, {index(size)});
      case 2: return locals_.empty() ? ir::load(B, {element()}) : ir::load(local(), {index(4)});
      case 3: return floats_.empty() ? ir::cast(f32, free_index()) : Expr(floats_.back());
      case 4: return value(depth - 1) * number(2) + value(depth - 1);
      case 5: {
        const Expr k = free_index();
        if (chance(40)) return ir::select(k >= 0 && k < size, ir::load(A, {k}), number(0), true);
        return ir::select(k >= 0 && k < size, ir::load(A, {k}) + value(depth - 1), value(depth - 1), true);
      }
      case 6: return ir::select(condition(1), value(depth - 1), value(depth - 1), chance(50));
      default: return ir::max(value(depth - 1), value(depth - 1));
    }
  }
  const Buffer &local() { return locals_[static_cast<std::size_t>(below(static_cast<int>(locals_.size())))]; }

  Stmt assignment() {
    if (!locals_.empty() && chance(40)) {
      const Buffer t = local();
      const Expr k = index(4);
      return store(t, {k}, chance(50) ? ir::load(t, {k}) + value() : value());
    }
    const Expr k = element();
    return store(B, {k}, chance(50) ? ir::load(B, {k}) + value() : value());
  }

  Stmt some_loop(int depth) {
    const Var v = index_var("v" + std::to_string(names_++));
    static constexpr LoopKind kinds[] = {LoopKind::serial, LoopKind::vectorized, LoopKind::vectorized, LoopKind::unrolled};
    const LoopKind kind = kinds[below(4)];
    Expr extent = below(7);
    if (kind == LoopKind::serial && chance(40)) extent = chance(50) ? Expr(n) : ir::min(ir::max(free_index(), 0), 5);
    const Expr min = kind != LoopKind::serial || chance(50) ? Expr(0) : Expr(below(2));
    vars_.push_back(v);
    const bool lanes = kind == LoopKind::vectorized && !lane_.defined() && locals_.empty();
    if (lanes) lane_ = Expr(v) * 9 + below(3), lane_depth_ = vars_.size();
    Stmt body = statement(depth - 1);
    if (lanes) lane_ = {};
    vars_.pop_back();
    return loop(v, extent, body, kind, min);
  }

  Stmt statement(int depth) {
    if (depth == 0) return assignment();
    const int kind = below(14);
    if (kind < 5) return some_loop(depth);
    if (kind < 8) return when(condition(), statement(depth - 1), chance(35) ? statement(depth - 1) : Stmt());
    if (kind < 10) {
      std::vector<Stmt> list;
      for (int k = 1 + below(3); k >= 0; --k) list.push_back(statement(depth - 1));
      return sequence(list, chance(20) ? "stage" : "");
    }
    if (kind < 11) {
      const Buffer t("t" + std::to_string(names_++), f32, {4});
      std::vector<Stmt> list;
      for (int k = 0; k < 4; ++k) list.push_back(store(t, {k}, value(1)));
      locals_.push_back(t);
      list.push_back(statement(depth - 1));
      list.push_back(store(B, {element()}, ir::load(t, {index(4)})));
      locals_.pop_back();
      return allocate(t, sequence(list));
    }
    if (kind < 12) {
      const Var x("x" + std::to_string(names_++), f32);
      const Expr bound = value();
      floats_.push_back(x);
      Stmt body = statement(depth - 1);
      floats_.pop_back();
      return let(x, bound, body);
    }
    if (kind < 13) {
      const Var k = index_var("k" + std::to_string(names_++));
      const Expr bound = free_index() % 7;
      vars_.push_back(k);
      Stmt body = statement(depth - 1);
      vars_.pop_back();
      return let(k, bound, body);
    }
    return assignment();
  }

  std::mt19937 random_;
  Var n = size_var("n");
  Buffer A{"A", f32, {size}}, I{"I", i32, {size}}, B{"B", f32, {size}};
  std::vector<Var> vars_, floats_;
  std::vector<Buffer> locals_;
  Expr lane_;                   // set inside a vectorized loop: less than 57, apart by 9 between iterations
  std::size_t lane_depth_ = 0;  // how many of vars_ are from outside of its body
  int names_ = 0;
};

/// What went on in all programs: that lanes and masks came up at all.
struct Seen {
  int vectors = 0, masks = 0;
};

void try_program(unsigned seed, Seen &seen) {
  const Code code = Generator(seed).program();
  SCOPED_TRACE("seed " + std::to_string(seed));
  ir::verify(code.program(code.body), ir::form_lowered, "the generator");
  const Memory expected = run(code, code.body);
  passes::PassContext context = on_vectors();
  context.numerics.contract = false;
  Stmt body = code.body;
  for (const passes::Row &row : passes::pipeline()) {
    const Stmt before = body;
    body = row.function(body, context);
    ir::verify(code.program(body), row.form, std::string(row.name));
    std::string fault;
    Memory result;
    try {
      result = run(code, body);
    } catch (const Error &error) {
      fault = error.what();
    }
    ASSERT_TRUE(fault.empty() && result == expected) << row.name << " made of\n"
                                                     << ir::to_string(before) << "\n\nthis\n"
                                                     << ir::to_string(body) << "\n\n"
                                                     << fault;
  }
  ir::walk(body, [&](const Expr &e) {
    seen.vectors += e.lanes() > 1;
    seen.masks += e.as<ir::Load>() && e.as<ir::Load>()->predicate.defined() && e.lanes() > 1;
  });
}

TEST(RandomPrograms, mean_the_same_after_every_pass) {
  Seen seen;
  const char *first = std::getenv("LATHE_TEST_SEED");
  const char *count = std::getenv("LATHE_TEST_COUNT");
  const auto start = static_cast<unsigned>(first ? std::atoi(first) : 1);
  const auto end = start + static_cast<unsigned>(count ? std::atoi(count) : 400);
  for (unsigned seed = start; seed < end && !HasFatalFailure(); ++seed) try_program(seed, seen);
  if (!count) {
    EXPECT_GT(seen.vectors, 1000);
    EXPECT_GT(seen.masks, 100);
  }
}

}  // namespace
