// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Every refusal of lowering, of calls and of arrays, with its text.

#include <lathe/codegen/interpret.hpp>
#include <lathe/jit.hpp>
#include <lathe/lathe.hpp>

#include "golden.hpp"

namespace {

using namespace lathe;
using golden::expect_refusal;

TEST(LoweringRefusals, L001ReadOutsideTheLoop) {
  auto a = placeholder<float>({8, 8}, "a");
  auto b = compute({8, 8}, [&](Index i, Index j) { return a(i, j) + 1.0f; }, "b(i, j)");
  auto c = compute({8, 8}, [&](Index i, Index j) { return b(i, j) * 2.0f; }, "c(i, j)");
  auto d = compute({8, 8}, [&](Index i, Index j) { return b(i, j) + c(i, j); }, "d(i, j)");
  Schedule s(d);
  s[c].compute_root();
  s[b].compute_at(s[c], s[c].axis(0));
  expect_refusal("L001", [&] { print(s, a, d); });
}

TEST(LoweringRefusals, L002ReadOutOfRange) {
  auto a = placeholder<float>({8}, "a");
  auto b = compute({8}, [&](Index i) { return a(i + 1); }, "b(i)");
  expect_refusal("L002", [&] { print(Schedule(b), a, b); });
  auto c = compute({8}, [&](Index i) { return a(i - 1); }, "c(i)");
  expect_refusal("L002", [&] { print(Schedule(c), a, c); }, "_below");
}

TEST(LoweringRefusals, L003SymbolWithoutValue) {
  auto n = size_var("n");
  auto b = compute({8}, [&](Index i) { return cast<float>(i * n); }, "b(i)");
  expect_refusal("L003", [&] { print(Schedule(b), b); });
}

TEST(LoweringRefusals, L004ExtentOfAFusedAxis) {
  auto x = placeholder<float>({10}, "x");
  auto b = compute(
      {10},
      [&](Index i) {
        auto r = reduce_axis(i, "r");
        return sum(x(r), r);
      },
      "b(i)");
  Schedule s(b);
  auto loops = s[b].loops();
  s[b].fuse({loops[0], loops[1]});
  expect_refusal("L004", [&] { print(s, x, b); });
}

TEST(LoweringRefusals, L005InputIsNoArgument) {
  auto a = placeholder<float>({8}, "a");
  auto b = compute({8}, [&](Index i) { return a(i); }, "b(i)");
  expect_refusal("L005", [&] { print(Schedule(b), b); });
}

TEST(LoweringRefusals, L006Arguments) {
  auto a = placeholder<float>({8}, "a"), other = placeholder<float>({8}, "other");
  auto b = compute({8}, [&](Index i) { return a(i) + 1.0f; }, "b(i)");
  auto c = compute({8}, [&](Index i) { return b(i) + b(7 - i); }, "c(i)");
  expect_refusal("L006", [&] { print(Schedule(c), a); });
  expect_refusal("L006", [&] { print(Schedule(c), a, c, other); }, "_unknown");
  expect_refusal("L006", [&] { print(Schedule(c), a, b, c); }, "_intermediate");
  expect_refusal("L006", [&] { print(Schedule(c), a, a, c); }, "_twice");
}

TEST(LoweringRefusals, L007StartValuesInsideTheReduction) {
  auto a = placeholder<float>({8, 4}, "a");
  auto start = compute({8}, [&](Index i) { return a(i, 0) * 2.0f; }, "start(i)");
  auto k = reduce_axis(4, "k");
  auto b = compute({8}, [&](Index i) { return sum(a(i, k), k).init(start(i)); }, "b(i)");
  Schedule s(b);
  s[start].compute_at(s[b], k);
  expect_refusal("L007", [&] { print(s, a, b); });
}

TEST(LoweringRefusals, L062AndL064NeedConstantExtents) {
  auto n = size_var("n");
  auto a = placeholder<float>({n}, "a");
  auto b = compute({n}, [&](Index i) { return a(i); }, "b(i)");
  Schedule vector(b), copies(b);
  vector[b].vectorize(vector[b].axis(0));
  copies[b].unroll(copies[b].axis(0));
  expect_refusal("L062", [&] { optimize_program(vector, {a, b}, {}); });
  expect_refusal("L064", [&] { optimize_program(copies, {a, b}, {}); });
}

/// The step names the axis where cache_write has moved it.
TEST(LoweringRefusals, L064OfMovedLoops) {
  auto n = size_var("n");
  auto x = placeholder<float>({n}, "x");
  auto y = compute({n}, [&](Index i) { return x(i) + 1.0f; }, "y(i)");
  Schedule s(y);
  s[y].unroll(s[y].split(s[y].axis(0), 6).first);
  s.cache_write(y, scope::local);
  expect_refusal("L064", [&] { print(s, x, y); }, "_moved");
}

TEST(LoweringRefusals, L032StreamWithoutVectors) {
  auto x = placeholder<float>({16}, "x");
  auto y = compute({16}, [&](Index i) { return x(i) + 1.0f; }, "y(i)");
  Schedule s(y);
  s[y].stream();
  expect_refusal("L032", [&] { print(s, x, y); });
}

TEST(LoweringRefusals, L034ReadAfterItIsWritten) {
  auto n = size_var("n");
  auto x = placeholder<float>({16, n}, "x");
  auto r = reduce_axis(3, "r");
  auto shifted = compute({16, n}, [&](Index i, Index j) { return x(15 - i, j) + 1.0f; }, "y(i, j)");
  auto sums = compute({16, n}, [&](Index i, Index j) { return sum(x(i, j) * cast<float>(r), r); }, "y(i, j)");
  auto smaller = compute({15, n}, [&](Index i, Index j) { return x(i, j) + 1.0f; }, "y(i, j)");
  const auto refuse = [&](const Tensor<float, 2> &y, const char *suffix) {
    Schedule s(y);
    s.alias(y, x);
    expect_refusal("L034", [&] { print(s, x, y); }, suffix);
  };
  refuse(shifted, "");
  refuse(sums, "_reduction");
  refuse(smaller, "_shape");
  auto y = compute({16, n}, [&](Index i, Index j) { return x(i, j) + 1.0f; }, "y(i, j)");
  auto z = compute({16, n}, [&](Index i, Index j) { return y(i, j) + x(i, j); }, "z(i, j)");
  Schedule later(z, y);
  later.alias(y, x);
  expect_refusal("L034", [&] { print(later, x, y, z); }, "_later");
}

TEST(LoweringRefusals, L033NoPrefetch) {
  auto x = placeholder<float>({16}, "x");
  auto ids = placeholder<int>({16}, "ids");
  auto y = compute({16}, [&](Index i) { return x(clamp(ids(i), 0, 15)) + 1.0f; }, "y(i)");
  Schedule by_data(y), lanes(y), local(y), moved(y);
  by_data[y].prefetch(x, by_data[y].axis(0), 4);
  expect_refusal("L033", [&] { print(by_data, x, ids, y); });
  lanes[y].prefetch(ids, lanes[y].axis(0), 4);
  lanes[y].vectorize(lanes[y].axis(0));
  expect_refusal("L033", [&] { print(lanes, x, ids, y); }, "_lanes");
  auto copy = local.cache_read(ids, scope::local, y);
  local[y].prefetch(copy, local[y].axis(0), 4);
  expect_refusal("L033", [&] { print(local, x, ids, y); }, "_local");
  Schedule once(y);
  once[y].prefetch(ids, once[y].split(once[y].axis(0), 16).first, 1);
  expect_refusal("L033", [&] { print(once, x, ids, y); }, "_once");
  auto twice = compute({16}, [&](Index i) { return ids(i) * 2; }, "twice(i)");
  auto z = compute({16}, [&](Index i) { return twice(i) + twice(15 - i); }, "z(i)");
  Schedule inside(z);
  inside[twice].compute_at(inside[z], inside[z].axis(0));
  inside[z].prefetch(twice, inside[z].axis(0), 1);
  expect_refusal("L033", [&] { print(inside, ids, z); }, "_inside");
  auto wide = placeholder<float>({16, 16}, "wide");
  auto ragged = compute(
      {16},
      [&](Index i) {
        auto r = reduce_axis(clamp(ids(i), 0, 16), "r");
        return sum(wide(i, r), r);
      },
      "ragged(i)");
  Schedule of_rows(ragged);
  of_rows[ragged].prefetch(wide, of_rows[ragged].axis(0), 1);
  expect_refusal("L033", [&] { print(of_rows, wide, ids, ragged); }, "_ragged");
  moved[y].prefetch(ids, moved[y].axis(0), 4);
  moved.cache_read(ids, scope::global, y);
  expect_refusal("L033", [&] { print(moved, x, ids, y); }, "_unread");
}

TEST(LoweringRefusals, L031Division) {
  auto n = size_var("n");
  auto x = placeholder<float>({n}, "x");
  auto y = compute({n}, [&](Index i) { return x(i) + 1.0f; }, "y(i)");
  auto z = compute({2 * n}, [&](Index i) { return y(i / 2) + y(i / 2); }, "z(i)");
  Schedule s(z);
  s[z].split(s[z].axis(0), 4);
  auto [outer, inner] = s[y].split(s[y].axis(0), 3, tail::divides);
  s[y].compute_at(s[z], s[z].loops()[0]);
  expect_refusal("L031", [&] { print(s, x, z); });
  auto r = placeholder<int>({4}, "r");
  auto total = compute(
      {4},
      [&](Index i) {
        auto k = reduce_axis(0, r(i), "k");
        return sum(unchecked(x(k)), k);
      },
      "total(i)");
  Schedule ragged(total);
  ragged[total].split(ragged[total].reduce_axes()[0], 4, tail::divides);
  expect_refusal("L031", [&] { print(ragged, x, r, total); }, "_data");
}

TEST(LoweringRefusals, L061TooManyConditions) {
  auto a = placeholder<float>({64}, "a");
  auto b = compute(
      {64},
      [&](Index i) {
        Expr<float> value = a(i);
        for (int n = 0; n < 32; ++n)
          value = if_then_else(a(n) > 0.0f, value + 1.0f, if_then_else(a(n + 32) > 0.0f, value, value * 2.0f));
        return value;
      },
      "b(i)");
  expect_refusal("L061", [&] { optimize_program(Schedule(b), {a, b}, {}); });
}

TEST(LoweringRefusals, L063TooManyLanes) {
  auto a = placeholder<float>({8192}, "a");
  auto b = compute({8192}, [&](Index i) { return a(i); }, "b(i)");
  Schedule s(b);
  s[b].vectorize(s[b].axis(0));
  expect_refusal("L063", [&] { optimize_program(s, {a, b}, {}); });
}

TEST(LoweringRefusals, L065TooMuchCode) {
  auto a = placeholder<float>({512, 512}, "a");
  auto b = compute({512, 512}, [&](Index i, Index j) { return a(i, j); }, "b(i, j)");
  Schedule s(b);
  auto [i, j] = s[b].axes();
  s[b].unroll(i);
  s[b].unroll(j);
  expect_refusal("L065", [&] { optimize_program(s, {a, b}, {}); });
}

TEST(LoweringRefusals, L066TooManyCopies) {
  auto a = placeholder<float>({64}, "a");
  auto last = compute({64}, [&](Index i) { return a(i) + 1.0f; }, "b0");
  for (int n = 1; n < 40; ++n) {
    const auto before = last;
    last = compute({64}, [&](Index i) { return before(i) + before(63 - i); }, "b" + std::to_string(n));
  }
  Schedule s(last);
  for (AnyStage stage : s.stages())
    if (stage.name() != "b39") stage.compute_inline();
  expect_refusal("L066", [&] { optimize_program(s, {a, last}, {}); });
}

/// A kernel over a symbolic size, run by the interpreter: the checks of a call are the same for all back ends.
struct Called {
  SizeVar n = size_var("n");
  Input<float, 2> a = placeholder<float>({n, 4}, "a");
  Input<float, 1> bias = placeholder<float>({n}, "bias").align(64);
  Tensor<float, 2> b = compute({n, 4}, [&](Index i, Index j) { return a(i, j) + bias(i); }, "b(i, j)");
  Kernel<In<float, 2>, In<float, 1>, Out<float, 2>> kernel = interpret(Schedule(b), a, bias, b);
  Array<float, 2> x = Array<float, 2>({3, 4}), y = Array<float, 2>({3, 4});
  Array<float, 1> z = Array<float, 1>({3});
};

TEST(CallRefusals, K001Extent) {
  Called c;
  Array<float, 2> wide({3, 5}), tall({4, 4});
  expect_refusal("K001", [&] { c.kernel(wide, c.z, c.y); });
  expect_refusal("K001", [&] { c.kernel(c.x, c.z, tall); }, "_symbol");
}

TEST(CallRefusals, K002Stride) {
  Called c;
  expect_refusal("K002", [&] { c.kernel(View<float, 2>(c.x.data(), {3, 4}, {1, 3}), c.z, c.y); });
}

TEST(CallRefusals, K003Address) {
  Called c;
  expect_refusal("K003", [&] { c.kernel(c.x, View<float, 1>(nullptr, {3}), c.y); });
  Array<float, 1> shifted({4});
  expect_refusal("K003", [&] { c.kernel(c.x, View<float, 1>(shifted.data() + 1, {3}), c.y); }, "_alignment");
}

TEST(CallRefusals, K003Stream) {
  auto x = placeholder<float>({16}, "x");
  auto y = compute({16}, [&](Index i) { return x(i) + 1.0f; }, "y(i)");
  Schedule s(y);
  s[y].vectorize(s[y].axis(0));
  s[y].stream();
  Array<float, 1> from({16}), to({17});
  expect_refusal("K003", [&] { jit(s, x, y)(from, View<float, 1>(to.data() + 1, {16})); }, "_stream");
}

TEST(CallRefusals, K004Overlap) {
  Called c;
  expect_refusal("K004", [&] { c.kernel(c.x, c.z, c.x); });
}

TEST(CallRefusals, K005Size) {
  // What makers of programs other than schedules may ask of a call's sizes.
  Called c;
  ir::Program program = c.kernel.code().program();
  program.requirements.push_back({(c.n % 2 == 0).untyped(), "n is even", Location::current()});
  const decltype(c.kernel) kernel(std::make_shared<const KernelCode>(std::move(program), &codegen::interpret));
  expect_refusal("K005", [&] { kernel(c.x, c.z, c.y); });
}

TEST(CallRefusals, K005Assumption) {
  auto n = size_var("n");
  auto x = placeholder<float>({n}, "x");
  auto y = compute({n}, [&](Index i) { return x(i) + 1.0f; }, "y(i)");
  Schedule s(y);
  s.assume(n % 16 == 0 && n > 0);
  Array<float, 1> from({40}), to({40});
  expect_refusal("K005", [&] { jit(s, x, y)(from, to); }, "_assumption");
}

TEST(CallRefusals, K005Division) {
  auto n = size_var("n");
  auto x = placeholder<float>({n}, "x");
  auto y = compute({n}, [&](Index i) { return x(i) + 1.0f; }, "y(i)");
  Schedule s(y);
  s[y].split(s[y].axis(0), 16, tail::divides);
  Array<float, 1> from({40}), to({40});
  expect_refusal("K005", [&] { jit(s, x, y)(from, to); }, "_division");
}

TEST(CallRefusals, K005SizeArgument) {
  auto n = size_var("n");
  auto x = placeholder<float>({4}, "x");
  auto y = compute({4}, [&](Index i) { return x(i) + cast<float>(n); }, "y(i)");
  auto kernel = jit(Schedule(y), n, x, y);
  Array<float, 1> from({4}), to({4});
  expect_refusal("K005", [&] { kernel(-5, from, to); }, "_size");
}

TEST(CallRefusals, K006CheckOfTheProgram) {
  auto table = placeholder<float>({10}, "table");
  auto ids = placeholder<int>({4}, "ids");
  auto out = compute({4}, [&](Index i) { return table(ids(i)); }, "out(i)");
  auto kernel = jit(Schedule(out), table, ids, out);
  Array<float, 1> t({10}), o({4});
  auto good = Array<int, 1>::of({0, 9, 3, 3}), bad = Array<int, 1>::of({0, 9, 10, 3});
  kernel(t, good, o);
  expect_refusal("K006", [&] { kernel(t, bad, o); });
}

TEST(CallRefusals, K007Count) {
  Called c;
  expect_refusal("K007", [&] { c.kernel.code().call(nullptr, 0); });
}

TEST(CallRefusals, K010Scalar) {
  auto a = scalar<std::int8_t>("a");
  auto y = compute({4}, [&](Index i) { return cast<std::int8_t>(i) + a; }, "y(i)");
  auto kernel = interpret(Schedule(y), a, y);
  Array<std::int8_t, 1> to({4});
  kernel(-128, to);
  EXPECT_EQ(to(3), -125);
  kernel(7.0, to);
  EXPECT_EQ(to(3), 10);
  expect_refusal("K010", [&] { kernel(300, to); });
  expect_refusal("K010", [&] { kernel(2.5, to); }, "_fraction");
  EXPECT_EQ(to(3), 10);
}

TEST(CallRefusals, K008Scratch) {
  auto a = placeholder<float>({65536}, "a");
  auto b = compute({65536}, [&](Index i) { return a(i) * 2.0f; }, "b(i)");
  auto c = compute({65536}, [&](Index i) { return b(i) + b(65535 - i); }, "c(i)");
  Schedule s(c);
  s[b].compute_root();
  SerialExecutor frugal(1024);
  auto kernel = jit(s, {.executor = &frugal}, a, c);
  Array<float, 1> x({65536}), y({65536});
  expect_refusal("K008", [&] { kernel(x, y); });
}

/// Hands nothing on: says so, or throws.
class Closed final : public Executor {
 public:
  bool throws = false;

 private:
  int thread_count() const override { return 4; }
  std::int32_t run(std::int64_t, std::int64_t, LoopBody) override {
    if (throws) throw std::runtime_error("the threads are gone");
    return -7;
  }
};

TEST(CallRefusals, K009StatusOfAnExecutor) {
  auto a = placeholder<float>({64}, "a");
  auto b = compute({64}, [&](Index i) { return a(i) * 2.0f; }, "b(i)");
  Schedule s(b);
  s[b].parallel(s[b].axis(0));
  Closed closed;
  auto kernel = jit(s, {.executor = &closed}, a, b);
  Array<float, 1> x({64}), y({64});
  expect_refusal("K009", [&] { kernel(x, y); });
  closed.throws = true;
  expect_refusal("K009", [&] { kernel(x, y); }, "_thrown");
}

TEST(ArrayRefusals, K101Shape) {
  expect_refusal("K101", [] { Array<float, 2>({8, -1}); });
  expect_refusal("K101", [] { Array<float, 2>({std::int64_t{1} << 40, std::int64_t{1} << 40}); }, "_bytes");
}

TEST(ArrayRefusals, K102RowsOfDifferentLengths) {
  expect_refusal("K102", [] { Array<int, 2>::of({{1, 2}, {3}}); });
}

TEST(ArrayRefusals, K103NumberOfThreads) {
  golden::expect_refusal_with("LATHE_NUM_THREADS", "all", "K103", [] {
    auto a = placeholder<float>({4}, "a");
    auto b = compute({4}, [&](Index i) { return a(i); }, "b(i)");
    jit(Schedule(b), a, b);
  });
}

TEST(Calls, FixedShapesAreCheckedToo) {
  auto a = placeholder<float>({3, 4}, "a");
  auto b = compute({3, 4}, [&](Index i, Index j) { return a(i, j) * 2.0f; }, "b");
  auto kernel = interpret(Schedule(b), a, b);
  auto x = Array<float, 2>::generate({3, 4}, [](auto i, auto j) { return i * 4 + j; });
  Array<float, 2> y({3, 4}), wrong({4, 3});
  kernel(x, y);
  EXPECT_EQ(y(2, 3), 22.0f);
  kernel(View<const float, 2>(x), View<float, 2>(y));
  EXPECT_THROW(kernel(wrong, y), Error);
  EXPECT_THROW(kernel(x, x), Error);
  EXPECT_THROW(kernel(View<float, 2>(x.data(), {3, 4}, {1, 3}), y), Error);
  EXPECT_THROW(kernel(View<float, 2>(nullptr, {3, 4}), y), Error);
  EXPECT_THROW(kernel(View<float, 2>(y.data() + 4, {2, 4}), y), Error);
}

TEST(Calls, ScalarsAndSizesByValue) {
  auto n = size_var("n"), m = size_var("m");
  auto alpha = scalar<float>("alpha");
  auto flag = scalar<bool>("flag");
  auto a = placeholder<float>({n}, "a");
  auto b = compute({m}, [&](Index i) { return select(flag, a(i % n) * alpha, 0.0f); }, "b");
  for (const bool compiled : {false, true}) {
    auto kernel = compiled ? jit(Schedule(b), m, a, alpha, flag, b) : interpret(Schedule(b), m, a, alpha, flag, b);
    auto x = Array<float, 1>::of({1, 2, 3});
    Array<float, 1> y({5});
    kernel(5, x, 2.0f, true, y);
    EXPECT_EQ(y, (Array<float, 1>::of({2, 4, 6, 2, 4})));
    kernel(5, x, 2.0f, false, y);
    EXPECT_EQ(y, (Array<float, 1>::of({0, 0, 0, 0, 0})));
    EXPECT_THROW(kernel(4, x, 2.0f, true, y), Error);
  }
}

TEST(Calls, EvaluateNeedsNoSchedule) {
  auto A = placeholder<float>({2, 3}, "A"), B = placeholder<float>({3, 2}, "B");
  auto k = reduce_axis(3, "k");
  auto C = compute({2, 2}, [&](Index i, Index j) { return sum(A(i, k) * B(k, j), k); }, "C");
  auto a = Array<float, 2>::of({{1, 2, 3}, {4, 5, 6}}), b = Array<float, 2>::of({{1, 0}, {0, 1}, {1, 1}});
  Array<float, 2> c = evaluate(C, {{A, a}, {B, b}});
  EXPECT_EQ(c, (Array<float, 2>::of({{4, 5}, {10, 11}})));
}

}  // namespace
