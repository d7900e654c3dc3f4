// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Loops, branches, local buffers, parallel loops, scratch memory, checks and calls; and what the text must not contain.

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "codegen/llvm_harness.hpp"

namespace lathe::llvm_harness {
namespace {

const DType f32(scalar_types::float32), f64(scalar_types::float64), i32(scalar_types::int32);

Stmt bind(const Var &var, Expr value, Stmt body) { return make(Bind{var, std::move(value), std::move(body)}); }
Stmt allocate(const Buffer &buffer, Stmt body) { return make(Allocate{{buffer}, std::move(body)}); }
Stmt branch(Expr condition, Stmt a, Stmt b = {}) { return make(If{std::move(condition), std::move(a), std::move(b)}); }
Stmt check(Expr condition, std::string message) { return make(Check{std::move(condition), std::move(message), {}}); }
Expr at(const Buffer &buffer, Expr index) { return load(buffer, {std::move(index)}); }

TEST(LlvmStatements, LoopsOfAnyExtent) {
  Var n("n", index_type), first("first", index_type), i("i", index_type), j("j", index_type);
  Buffer out("out", i32, {Expr(64)});
  // Counts in out[0]; the inner loop depends on the outer one.
  const Program p = program(
      {scalar(first), scalar(n), output(out)},
      block(
          {store(out, {0}, constant(i32, std::int64_t{0})),
           loop(i, first, n, loop(j, 0, Expr(i) - Expr(first), store(out, {0}, at(out, 0) + constant(i32, std::int64_t{1}))))}));
  const Compiled compiled(p);
  for (const std::int64_t extent : {-5, 0, 1, 2, 7}) {
    std::vector<std::int32_t> o(64, -1);
    ASSERT_EQ(compiled.run({slot(std::int64_t{-3}), slot(extent), slot(o.data())}), 0);
    EXPECT_EQ(o[0], extent <= 0 ? 0 : extent * (extent - 1) / 2);
  }
}

TEST(LlvmStatements, BranchesJoinLocalValues) {
  Var i("i", index_type);
  Buffer in("in", i32, {8}), out("out", i32, {8}), t("t", i32, {2}, Scope{"local"});
  const Expr x = at(in, i);
  const Stmt body = allocate(
      t, block({store(t, {0}, x), store(t, {1}, constant(i32, std::int64_t{7})),
                branch(x > constant(i32, std::int64_t{3}), store(t, {0}, at(t, 0) * at(t, 1)),
                       branch(x > constant(i32, std::int64_t{1}), block({store(t, {1}, x), store(t, {0}, at(t, 1) + at(t, 0))}))),
                store(out, {Expr(i)}, at(t, 0) + at(t, 1))}));
  const Compiled compiled(program({input(in), output(out)}, loop(i, 0, 8, body)));
  EXPECT_EQ(count(compiled.text(), "alloca"), 0);
  std::vector<std::int32_t> a{0, 1, 2, 3, 4, 5, 6, 7}, o(8);
  ASSERT_EQ(compiled.run({slot(a.data()), slot(o.data())}), 0);
  EXPECT_EQ(o, (std::vector<std::int32_t>{7, 8, 6, 9, 35, 42, 49, 56}));
}

TEST(LlvmStatements, PredicatesOnLocalValues) {
  Var n("n", index_type, true), i("i", index_type);
  Buffer in("in", i32, {8}), out("out", i32, {Expr(3), Expr(8)}), t("t", i32, {8}, Scope{"local"}),
      s("s", i32, {1}, Scope{"local"});
  const Expr row = lanes(0, 8), mask = row < broadcast(Expr(n), 8), few = Expr(n) < Expr(4);
  const Program p = program(
      {scalar(n), input(in), output(out)},
      allocate(
          t, allocate(s, block({store(t, {row}, constant(i32.with_lanes(8), std::int64_t{-1})),
                                store(s, {0}, constant(i32, std::int64_t{5})), store(t, {row}, load(in, {row}), mask),
                                store(s, {0}, at(s, 0) + at(in, 7), few), store(out, {Expr(0), row}, load(t, {row})),
                                store(out, {Expr(1), row}, load(t, {row}, row >= broadcast(Expr(n), 8))),
                                store(out, {Expr(2), Expr(0)}, at(s, 0)), store(out, {Expr(2), Expr(1)}, load(s, {0}, few))}))));
  const Compiled compiled(p);
  EXPECT_EQ(count(compiled.text(), "alloca"), 0);
  std::vector<std::int32_t> a{10, 11, 12, 13, 14, 15, 16, 17}, o(24);
  for (const std::int32_t size : {0, 3, 5, 8}) {
    ASSERT_EQ(compiled.run({slot(std::int64_t{size}), slot(a.data()), slot(o.data())}), 0);
    for (std::int32_t k = 0; k < 8; ++k) {
      EXPECT_EQ(o[static_cast<std::size_t>(k)], k < size ? 10 + k : -1);
      EXPECT_EQ(o[static_cast<std::size_t>(8 + k)], k < size ? 0 : -1);
    }
    EXPECT_EQ(o[16], size < 4 ? 22 : 5);
    EXPECT_EQ(o[17], size < 4 ? 22 : 0);
  }
}

TEST(LlvmStatements, AccumulatorsAreValuesCarriedByLoops) {
  // A tile of 2 x 2 vectors over a reduction of symbolic length, perhaps 0.
  Var n("n", index_type, true), k("k", index_type);
  Buffer a("a", f32, {Expr(n), Expr(2)}), b("b", f32, {Expr(n), Expr(32)}), c("c", f32, {2, 32}),
      acc("acc", f32, {2, 32}, Scope{"local"});
  std::vector<Stmt> start, step, end;
  for (int r = 0; r < 2; ++r)
    for (int v = 0; v < 2; ++v) {
      const std::vector<Expr> place{Expr(r), lanes(v * 16, 16)};
      start.push_back(store(acc, place, zero_of(f32.with_lanes(16))));
      step.push_back(store(
          acc, place, load(acc, place) + broadcast(load(a, {Expr(k), Expr(r)}), 16) * load(b, {Expr(k), lanes(v * 16, 16)})));
      end.push_back(store(c, place, load(acc, place)));
    }
  const Program p = program({scalar(n), input(a), input(b), output(c)},
                            allocate(acc, block({block(start), loop(k, 0, n, block(step)), block(end)})));
  const Compiled compiled(p);
  EXPECT_EQ(count(compiled.text(), "alloca"), 0);
  EXPECT_EQ(count(compiled.text(), "load <16 x float>"), 2);  // each vector of b once for both rows
  for (const std::int64_t size : {0, 1, 5}) {
    std::vector<float> va(static_cast<std::size_t>(size) * 2 + 1), vb(static_cast<std::size_t>(size) * 32 + 1), vc(64, -1);
    std::iota(va.begin(), va.end(), 1.0f);
    std::iota(vb.begin(), vb.end(), 2.0f);
    ASSERT_EQ(compiled.run({slot(size), slot(va.data()), slot(vb.data()), slot(vc.data())}), 0);
    for (std::size_t r = 0; r < 2; ++r)
      for (std::size_t x = 0; x < 32; ++x) {
        float sum = 0;
        for (std::size_t q = 0; q < static_cast<std::size_t>(size); ++q) sum += va[q * 2 + r] * vb[q * 32 + x];
        EXPECT_EQ(vc[r * 32 + x], sum);
      }
  }
}

/// Sums straight into an output: the loop carries the value, memory is touched before and after it.
TEST(LlvmStatements, PlacesThatALoopUpdatesBecomeValues) {
  Var n("n", index_type, true), m("m", index_type, true), i("i", index_type), j("j", index_type), k("k", index_type);
  Buffer a("a", f32, {4, Expr(n)}), b("b", f32, {Expr(n), Expr(m)}), c("c", f32, {4, Expr(m)});
  const Expr x = lanes(Expr(j) * Expr(8), 8), mask = x < broadcast(Expr(m), 8);
  const std::vector<Expr> place{Expr(i), x};
  const Stmt step =
      store(c, place, load(c, place, mask) + broadcast(load(a, {Expr(i), Expr(k)}), 8) * load(b, {Expr(k), x}, mask), mask);
  const Program p = program({scalar(n), scalar(m), input(a), input(b), output(c)},
                            loop(i, 0, 4,
                                 loop(j, 0, (Expr(m) + Expr(7)) / Expr(8),
                                      block({store(c, place, zero_of(f32.with_lanes(8)), mask), loop(k, 0, n, step)}))));
  const Compiled compiled(p);
  const std::string &text = compiled.text();
  const std::size_t fma = text.find("fadd <8 x float>"), begin = text.rfind("phi i64", fma), end = text.find("br i1", fma);
  EXPECT_EQ(count(text.substr(begin, end - begin), "@llvm.masked.store"), 0);
  EXPECT_EQ(count(text.substr(begin, end - begin), "@llvm.masked.load"), 1);
  for (const std::int64_t size : {0, 1, 3})
    for (const std::int64_t width : {1, 8, 13}) {
      std::vector<float> va(static_cast<std::size_t>(4 * size + 1)), vb(static_cast<std::size_t>(size * width + 1)),
          vc(static_cast<std::size_t>(4 * width), -1);
      std::iota(va.begin(), va.end(), 1.0f);
      std::iota(vb.begin(), vb.end(), 2.0f);
      ASSERT_EQ(compiled.run({slot(size), slot(width), slot(va.data()), slot(vb.data()), slot(vc.data())}), 0);
      for (std::int64_t y = 0; y < 4; ++y)
        for (std::int64_t q = 0; q < width; ++q) {
          float sum = 0;
          for (std::int64_t r = 0; r < size; ++r)
            sum += va[static_cast<std::size_t>(y * size + r)] * vb[static_cast<std::size_t>(r * width + q)];
          EXPECT_EQ(vc[static_cast<std::size_t>(y * width + q)], sum);
        }
    }
}

TEST(LlvmStatements, PlacesUpdatedNowAndThenStayInMemory) {
  Var n("n", index_type, true), i("i", index_type), j("j", index_type);
  Buffer out("out", i32, {Expr(4)});
  const Expr one = constant(i32, std::int64_t{1});
  // out[1] only under a condition, out[2] in a loop that may not run, out[j] elsewhere than out[3].
  const Program p =
      program({scalar(n), output(out)},
              loop(i, 0, 3,
                   block({store(out, {0}, at(out, 0) + one), branch(Expr(i) > Expr(n), store(out, {1}, at(out, 1) + one)),
                          loop(j, 0, n, store(out, {2}, at(out, 2) + cast(i32, j))),
                          loop(j, 0, 2, store(out, {Expr(3) - Expr(j)}, at(out, 3) + one))})));
  std::vector<std::int32_t> o{10, 20, 30, 40};
  const Compiled compiled(p);
  ASSERT_EQ(compiled.run({slot(std::int64_t{0}), slot(o.data())}), 0);
  EXPECT_EQ(o, (std::vector<std::int32_t>{13, 22, 44, 43}));
  // What is not updated may not even be there.
  Buffer far("far", i32, {1});
  const Program q = program(
      {scalar(n), output(out), output(far)},
      loop(i, 0, 3, block({store(out, {0}, at(out, 0) + one), branch(Expr(i) > Expr(n), store(far, {0}, at(far, 0) + one))})));
  ASSERT_EQ(Compiled(q).run({slot(std::int64_t{9}), slot(o.data()), slot(static_cast<const void *>(nullptr))}), 0);
  EXPECT_EQ(o[0], 16);
}

TEST(LlvmStatements, SharedNodesSeeStores) {
  Var n("n", index_type, true), i("i", index_type);
  Buffer out("out", i32, {4}), t("t", i32, {1}, Scope{"local"});
  const Expr held = at(t, 0), memory = at(out, 3), sum = held + memory;  // one node each, used before and after stores
  const Expr one = constant(i32, std::int64_t{1});
  const Program p = program(
      {scalar(n), output(out)},
      allocate(t, block({store(t, {0}, one), store(out, {3}, constant(i32, std::int64_t{5})), store(out, {0}, sum),
                         store(t, {0}, held + held), store(out, {3}, memory + one), store(out, {1}, sum),
                         store(out, {3}, constant(i32, std::int64_t{100}), Expr(n) > Expr(2)),
                         loop(i, 0, Expr(n) - Expr(1), store(out, {3}, constant(i32, std::int64_t{7}))), store(out, {2}, sum)})));
  const Compiled compiled(p);
  std::vector<std::int32_t> o(4);
  ASSERT_EQ(compiled.run({slot(std::int64_t{0}), slot(o.data())}), 0);
  EXPECT_EQ(o, (std::vector<std::int32_t>{6, 8, 8, 6}));
  ASSERT_EQ(compiled.run({slot(std::int64_t{3}), slot(o.data())}), 0);
  EXPECT_EQ(o, (std::vector<std::int32_t>{6, 8, 9, 7}));
}

TEST(LlvmStatements, LocalBuffersOfMixedAccessStayInMemory) {
  Var i("i", index_type);
  Buffer in("in", f32, {16}), out("out", f32, {16}), t("t", f32, {16});
  const Program p =
      program({input(in), output(out)}, allocate(t, block({store(t, {lanes(0, 16)}, load(in, {lanes(0, 16)})),
                                                           loop(i, 0, 16, store(out, {Expr(i)}, at(t, Expr(15) - Expr(i))))})));
  const Compiled compiled(p);
  EXPECT_EQ(count(compiled.text(), "alloca [16 x float], align 64"), 1);
  std::vector<float> a(16), o(16);
  std::iota(a.begin(), a.end(), 1.0f);
  ASSERT_EQ(compiled.run({slot(a.data()), slot(o.data())}), 0);
  for (std::size_t j = 0; j < 16; ++j) EXPECT_EQ(o[j], a[15 - j]);
}

/// Loads may move out of loops only where nothing stores to the buffer, and never out of a branch or above a check.
TEST(LlvmStatements, LoadsMoveOnlyWhereTheyMay) {
  Var n("n", index_type, true), i("i", index_type);
  Buffer w("w", f32, {1}), out("out", f32, {Expr(n)}), sum("sum", f32, {1});
  const auto run = [&](const Stmt &body, std::int64_t size, std::vector<float> &o, std::vector<float> &s, float *weight) {
    const Compiled compiled(program({scalar(n), input(w), output(out), output(sum)}, body));
    EXPECT_EQ(compiled.run({slot(size), slot(weight), slot(o.data()), slot(s.data())}), 0);
  };
  std::vector<float> o(4), s{10};
  float weight = 3;
  // sum[0] changes in the loop, w[0] does not.
  run(loop(i, 0, n, block({store(sum, {0}, at(sum, 0) + at(w, 0)), store(out, {Expr(i)}, at(sum, 0))})), 4, o, s, &weight);
  EXPECT_EQ(o, (std::vector<float>{13, 16, 19, 22}));
  // No iteration and no branch taken: w is not there.
  run(loop(i, 0, n, store(out, {Expr(i)}, at(w, 0))), 0, o, s, nullptr);
  run(loop(i, 0, n, branch(Expr(i) > Expr(10), store(out, {Expr(i)}, at(w, 0)))), 4, o, s, nullptr);
  const Compiled checked(program({scalar(n), input(w), output(out), output(sum)},
                                 loop(i, 0, n, block({check(Expr(n) < Expr(3), "few"), store(out, {Expr(i)}, at(w, 0))}))));
  EXPECT_EQ(checked.run({slot(std::int64_t{4}), slot(static_cast<const void *>(nullptr)), slot(o.data()), slot(s.data())}), 1);
}

TEST(LlvmStatements, AnOuterStoreIsSeenByInnerLoads) {
  Var i("i", index_type), j("j", index_type);
  Buffer t("t", i32, {Expr(3)}), out("out", i32, {4, 2});
  // t[0] is stored in the outer loop, read in the inner one; then read again after the inner loop has changed it.
  const Program p =
      program({output(t), output(out)},
              loop(i, 0, 4,
                   block({store(t, {0}, cast(i32, i)), loop(j, 0, 2, store(out, {Expr(i), Expr(j)}, at(t, 0) + at(t, 1))),
                          loop(j, 0, 2, store(t, {1}, at(t, 1) + at(t, 0))), store(t, {2}, at(t, 1))})));
  std::vector<std::int32_t> v{9, 0, 0}, o(8);
  ASSERT_EQ(Compiled(p).run({slot(v.data()), slot(o.data())}), 0);
  EXPECT_EQ(o, (std::vector<std::int32_t>{0, 0, 1, 1, 4, 4, 9, 9}));
  EXPECT_EQ(v, (std::vector<std::int32_t>{3, 12, 12}));
}

TEST(LlvmStatements, EqualExpressionsAreOneInstruction) {
  Var i("i", index_type), n("n", index_type, true);
  Buffer in("in", f32, {Expr(n)}), out("out", f32, {Expr(n), Expr(4)});
  std::vector<Stmt> body;
  for (int c = 0; c < 4; ++c) {
    // Not shared: equal nodes made anew.
    const Expr x = unary(UnaryOp::sqrt, at(in, Expr(i) * Expr(3) + Expr(1)));
    body.push_back(store(out, {Expr(i), Expr(c)}, x + constant(f32, static_cast<double>(c))));
  }
  const std::string text =
      codegen::emit_llvm(program({scalar(n), input(in), output(out)}, loop(i, 0, n, block(body))), Target::host());
  EXPECT_EQ(count(text, "call float @llvm.sqrt"), 1);
  EXPECT_EQ(count(text, "load float"), 1);
  EXPECT_EQ(count(text, "mul"), 0);  // scales hide in the types of address instructions
}

TEST(LlvmStatements, DeepChainsAndDeterminism) {
  Buffer in("in", f32, {1}), out("out", f32, {1});
  Expr e = at(in, 0);
  for (int k = 0; k < 10000; ++k) e = e + constant(f32, 1.0);
  const Program p = program({input(in), output(out)}, store(out, {0}, e));
  EXPECT_EQ(codegen::emit_llvm(p, Target::host()), codegen::emit_llvm(p, Target::host()));
  float a = 5, o = 0;
  ASSERT_EQ(Compiled(p).run({slot(&a), slot(&o)}), 0);
  EXPECT_EQ(o, 10005);
}

TEST(LlvmStatements, ScalarsOfEveryTypeArriveInSlots) {
  for (const DType &type : all_types()) {
    Var v("v", type);
    Buffer out("out", type, {1});
    const Compiled compiled(program({scalar(v), output(out)}, store(out, {0}, v)));
    for (const Bits bits : special_values(type)) {
      Slot s;
      s.bits = 0xa5a5a5a5a5a5a5a5u;
      store_element(type, &s, bits);
      Elements o(type, 1);
      ASSERT_EQ(compiled.run({s, slot(o.bytes.data())}), 0);
      EXPECT_EQ(o[0], bits) << to_string(type);
    }
  }
}

TEST(LlvmStatements, ParallelLoopsCaptureWhatTheyNeed) {
  Var n("n", index_type, true), m("m", index_type, true), alpha("alpha", f64), flag("flag", scalar_types::boolean),
      small("small", scalar_types::int8);
  Var i("i", index_type), j("j", index_type), twice("twice", index_type);
  Buffer in("in", f64, {Expr(n), Expr(m)}), out("out", f64, {Expr(n), Expr(m)}), row("row", f64, {4});
  // A nested parallel loop that captures the outer loop's variable, a bound value, and a buffer on the outer body's stack.
  const Expr value =
      load(in, {Expr(i), Expr(j)}) * Expr(alpha) + at(row, Expr(j) % Expr(4)) + cast(f64, Expr(small)) + cast(f64, Expr(twice));
  const Stmt inner = loop(j, 0, m, store(out, {Expr(i), Expr(j)}, select(Expr(flag), value, zero_of(f64))), LoopKind::parallel);
  const Var q("q", index_type);
  const Stmt body = bind(twice, Expr(i) * Expr(2),
                         allocate(row, block({loop(q, 0, 4, store(row, {Expr(q)}, cast(f64, Expr(q) * Expr(100)))), inner})));
  const Program p = program({scalar(n), scalar(m), scalar(alpha), scalar(flag), scalar(small), input(in), output(out)},
                            loop(i, 1, Expr(n) - Expr(1), body, LoopKind::parallel));
  const Compiled compiled(p);
  Slot a, f, s;
  a.f64 = 0.5, f.integer = 1, s.integer = 0xfd;  // -3 in the lowest byte
  const std::size_t rows = 37, columns = 19;
  std::vector<double> vi(rows * columns), vo(rows * columns, -1);
  std::iota(vi.begin(), vi.end(), 1.0);
  ASSERT_EQ(compiled.run({slot(std::int64_t{37}), slot(std::int64_t{19}), a, f, s, slot(vi.data()), slot(vo.data())},
                         &default_executor()),
            0);
  for (std::size_t y = 0; y < rows; ++y)
    for (std::size_t x = 0; x < columns; ++x) {
      const double expected =
          y == 0 ? -1 : vi[y * columns + x] * 0.5 + static_cast<double>(x % 4) * 100 - 3 + 2 * static_cast<double>(y);
      EXPECT_EQ(vo[y * columns + x], expected) << y << " " << x;
    }
}

TEST(LlvmStatements, ParallelLoopsCaptureVectors) {
  const DType v(scalar_types::int16, 8), mask_type(scalar_types::boolean, 8);
  Var n("n", index_type, true), i("i", index_type), values("values", v), mask("mask", mask_type);
  Buffer in("in", v.element(), {Expr(8)}), out("out", v.element(), {Expr(n), Expr(8)});
  const Stmt body = loop(i, 0, n, store(out, {Expr(i), lanes(0, 8)}, values, mask), LoopKind::parallel);
  const Expr x = load(in, {lanes(0, 8)});
  const Compiled compiled(program({scalar(n), input(in), output(out)}, bind(values, x + x, bind(mask, x > zero_of(v), body))));
  std::vector<std::int16_t> a{1, -1, 2, -2, 3, -3, 4, 0}, o(5 * 8, -9);
  ASSERT_EQ(compiled.run({slot(std::int64_t{5}), slot(a.data()), slot(o.data())}, &default_executor()), 0);
  for (std::size_t k = 0; k < o.size(); ++k) EXPECT_EQ(o[k], a[k % 8] > 0 ? 2 * a[k % 8] : -9);
}

/// Counts what is taken and given back, and can refuse.
class CountingRuntime {
 public:
  explicit CountingRuntime(int refuse_at = -1) : refuse_at_(refuse_at) {
    table_ = {1, sizeof(Runtime), this, serial, acquire, release};
  }
  const Runtime *table() const { return &table_; }
  int taken = 0, alive = 0;
  std::uint64_t last_bytes = 0;

 private:
  static std::int32_t serial(const Runtime *r, std::int64_t begin, std::int64_t end, CompiledFunction body, const Slot *slots) {
    const Args args{slots, begin, end};
    return begin < end ? body(&args, r) : 0;
  }
  static void *acquire(const Runtime *r, std::uint64_t bytes) {
    auto &self = *static_cast<CountingRuntime *>(r->context);
    self.last_bytes = bytes;
    if (self.taken == self.refuse_at_ || bytes > (1u << 30)) return nullptr;
    ++self.taken, ++self.alive;
    return std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  }
  static void release(const Runtime *r, void *p) {
    --static_cast<CountingRuntime *>(r->context)->alive;
    std::free(p);
  }
  int refuse_at_;
  Runtime table_;
};

std::int32_t run_with(const CountingRuntime &runtime, const Program &p, const std::vector<Slot> &slots) {
  const auto module = compile_llvm(codegen::emit_llvm(p, Target::host()), Target::host());
  const Args args{slots.data(), 0, 0};
  return module->function("kernel")(&args, runtime.table());
}

TEST(LlvmStatements, ScratchMemoryIsGivenBackOnEveryWayOut) {
  Var n("n", index_type, true), i("i", index_type);
  Buffer out("out", f32, {1}), big("big", f32, {8192}), sized("sized", f32, {Expr(n), Expr(3)});
  const Stmt inner =
      block({store(sized, {Expr(n) - Expr(1), Expr(2)}, constant(f32, 2.0)), store(big, {8191}, constant(f32, 1.0)),
             check(Expr(n) > Expr(0) || Expr(i) > Expr(0), "never"), check(Expr(n) < Expr(10), "few"),
             store(out, {0}, at(big, 8191) + load(sized, {Expr(n) - Expr(1), Expr(2)}))});
  const Program p = program({scalar(n), output(out)}, loop(i, 0, 3, allocate(big, allocate(sized, inner))));
  float o = 0;
  CountingRuntime fine;
  EXPECT_EQ(run_with(fine, p, {slot(std::int64_t{5}), slot(&o)}), 0);
  EXPECT_EQ(o, 3);
  EXPECT_EQ(fine.taken, 6);
  EXPECT_EQ(fine.alive, 0);
  EXPECT_EQ(fine.last_bytes, 60u);
  CountingRuntime failing;
  EXPECT_EQ(run_with(failing, p, {slot(std::int64_t{10}), slot(&o)}), 2);
  EXPECT_EQ(failing.taken, 2);
  EXPECT_EQ(failing.alive, 0);
  CountingRuntime refusing(1);
  EXPECT_EQ(run_with(refusing, p, {slot(std::int64_t{5}), slot(&o)}), status_out_of_scratch);
  EXPECT_EQ(refusing.alive, 0);
  // A size that overflows asks for more than there is, not for a few bytes.
  Buffer huge("huge", f32, {Expr(n), Expr(n), Expr(n)});
  CountingRuntime overflow;
  EXPECT_EQ(run_with(overflow, program({scalar(n), output(out)}, allocate(huge, store(out, {0}, constant(f32, 1.0)))),
                     {slot(std::int64_t{1} << 31), slot(&o)}),
            status_out_of_scratch);
  EXPECT_EQ(overflow.last_bytes, UINT64_MAX);
}

TEST(LlvmStatements, FailuresInParallelLoopsGiveScratchBack) {
  Var n("n", index_type, true), i("i", index_type);
  Buffer out("out", i32, {Expr(n)}), temporary("temporary", i32, {Expr(n)});
  const Stmt inner =
      loop(i, 0, n, block({check(Expr(i) < Expr(3), "small"), store(out, {Expr(i)}, cast(i32, i))}), LoopKind::parallel);
  const Program p = program({scalar(n), output(out)}, allocate(temporary, inner));
  std::vector<std::int32_t> o(4);
  CountingRuntime fine, failing;
  EXPECT_EQ(run_with(fine, p, {slot(std::int64_t{3}), slot(o.data())}), 0);
  EXPECT_EQ(run_with(failing, p, {slot(std::int64_t{4}), slot(o.data())}), 1);
  EXPECT_EQ(fine.taken + failing.taken, 2);
  EXPECT_EQ(fine.alive + failing.alive, 0);
}

TEST(LlvmStatements, FailuresInParallelLoopsComeBack) {
  Var n("n", index_type, true), i("i", index_type);
  Buffer out("out", i32, {Expr(n)});
  const Program p = program(
      {scalar(n), output(out)},
      block(
          {check(Expr(n) > Expr(0), "some"),
           loop(i, 0, n, block({check(Expr(i) < Expr(1000), "small"), store(out, {Expr(i)}, cast(i32, i))}), LoopKind::parallel),
           store(out, {0}, constant(i32, std::int64_t{-7}))}));
  const Compiled compiled(p);
  std::vector<std::int32_t> o(2000);
  EXPECT_EQ(compiled.run({slot(std::int64_t{0}), slot(o.data())}), 1);
  EXPECT_EQ(compiled.run({slot(std::int64_t{1000}), slot(o.data())}, &default_executor()), 0);
  EXPECT_EQ(o[0], -7);
  EXPECT_EQ(o[999], 999);
  EXPECT_EQ(compiled.run({slot(std::int64_t{2000}), slot(o.data())}, &default_executor()), 2);
}

float weigh(float x, std::int8_t y, bool z) { return z ? x * static_cast<float>(y) : -x; }
std::int8_t narrow(std::int32_t x) { return static_cast<std::int8_t>(x); }
std::int32_t count_calls() {
  static std::atomic<int> calls{0};
  return ++calls;
}

TEST(LlvmStatements, CallsOfExternalFunctions) {
  const DType i8(scalar_types::int8);
  const ExternalFunction f{"weigh", reinterpret_cast<const void *>(&weigh)}, g{"narrow", reinterpret_cast<const void *>(&narrow)};
  const ExternalFunction counter{"count_calls", reinterpret_cast<const void *>(&count_calls), false}, library{"cbrtf", nullptr};
  Var i("i", index_type);
  Buffer in("in", f32, {16}), out("out", f32, {64}), calls("calls", i32, {3});
  const Expr place = lanes(0, 16), x = load(in, {place}), number = cast(i32.with_lanes(16), x);
  const Stmt body =
      block({store(out, {place}, call(f32, f, {x, cast(i8.with_lanes(16), number), x > zero_of(f32.with_lanes(16))})),
             store(out, {lanes(16, 16)}, cast(f32.with_lanes(16), call(i8, g, {number * constant(i32, std::int64_t{100})}))),
             store(out, {lanes(32, 16)}, call(f32, library, {x})), make(Evaluate{call(i32, counter, {})}),
             loop(i, 0, 3, store(calls, {Expr(i)}, call(i32, counter, {})), LoopKind::parallel)});
  const Program p = program({input(in), output(out), output(calls), function(f), function(g), function(counter)}, body);
  std::vector<float> a(16), o(64);
  std::iota(a.begin(), a.end(), -8.0f);
  std::vector<std::int32_t> c(3);
  ASSERT_EQ(
      Compiled(p).run({slot(a.data()), slot(o.data()), slot(c.data()), slot(f.address), slot(g.address), slot(counter.address)}),
      0);
  for (std::size_t k = 0; k < 16; ++k) {
    EXPECT_EQ(o[k], weigh(a[k], static_cast<std::int8_t>(a[k]), a[k] > 0));
    EXPECT_EQ(o[16 + k], narrow(static_cast<std::int32_t>(a[k]) * 100));
    EXPECT_EQ(o[32 + k], std::cbrt(a[k]));
  }
  EXPECT_EQ(c, (std::vector<std::int32_t>{2, 3, 4}));
}

TEST(LlvmStatements, NamesOfAnyCharacters) {
  Buffer out("out \"1\"", f32, {1});
  Var i("i.j k", index_type);
  Program p = program({output(out)}, loop(i, 0, 2, store(out, {0}, cast(f32, i)), LoopKind::parallel));
  p.functions[0].name = "conv 2d/\"x\"";
  const auto module = compile_llvm(codegen::emit_llvm(p, Target::host()), Target::host());
  float o = 0;
  const Slot s = slot(&o);
  const Args args{&s, 0, 0};
  SerialExecutor serial;
  EXPECT_EQ(module->function("conv 2d/\"x\"")(&args, &serial.runtime()), 0);
  EXPECT_EQ(o, 1);
}

}  // namespace
}  // namespace lathe::llvm_harness
