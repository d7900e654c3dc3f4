// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lathe/passes/share_loads.hpp"

#include <array>
#include <random>
#include <string>
#include <vector>

#include "passes/loops.hpp"

namespace {

using namespace loops;
using passes::share_loads;

passes::PassContext on_avx512() {
  passes::PassContext context = on_vectors();
  context.target.vector_bits = 512;
  context.target.features = {"avx512f"};
  return context;
}

std::size_t count(const std::string &text, const std::string &what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

/// How many different loads of vectors of float32 there are, by their text.
std::size_t distinct_loads(const Stmt &s) {
  std::vector<Expr> found;
  ir::walk(s, [&](const Expr &e) {
    bool known = !e.as<ir::Load>() || e.lanes() == 1;
    for (const Expr &other : found) known = known || ir::equal(other, e);
    if (!known) found.push_back(e);
  });
  return found.size();
}
std::size_t shuffles(const Stmt &s) { return count(ir::to_string(s), "shuffle("); }

struct ShareLoads : testing::Test {
  Buffer A{"A", f32, {66}}, B{"B", f32, {64}};
  Var x = index_var("x");

  static Expr lanes(Expr first, int n = 16, int stride = 1) { return ir::ramp(std::move(first), stride, n); }
  static Expr vector(const Buffer &buffer, Expr first, int n = 16, int stride = 1) {
    return ir::load(buffer, {lanes(std::move(first), n, stride)});
  }
  Expr a(Expr first) const { return vector(A, std::move(first)); }
  /// The sum of `taps` neighbours from `first` on.
  Stmt sum(const Expr &first, int taps, const Expr &to) const {
    Expr total = a(first);
    for (int t = 1; t < taps; ++t) total = total + a(first + t);
    return store(B, {lanes(to)}, total);
  }
  static Stmt shared(const Stmt &s, const passes::PassContext &context = on_avx512()) { return share_loads(s, context); }
  static void expect_unchanged(const Stmt &s, const passes::PassContext &context = on_avx512()) {
    EXPECT_TRUE(shared(s, context).same_as(s)) << ir::to_string(s) << "\nbecame\n" << ir::to_string(shared(s, context));
  }
};

TEST_F(ShareLoads, a_vector_between_two_becomes_lanes_of_both) {
  const Stmt s = store(B, {lanes(0)}, a(0) + a(1) + a(2));
  EXPECT_EQ(
      ir::to_string(shared(s)),
      "B[[0:16]] = A[[0:16]] + shuffle([A[[0:16]], A[2 + [0:16]]], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 30]) + "
      "A[2 + [0:16]]");
}

TEST_F(ShareLoads, neighbouring_vectors_cover_each_others_lanes_and_nothing_else_is_read) {
  for (int taps : {3, 5, 9}) {
    const Buffer exact("A", f32, {32 + taps - 1});
    const auto one = [&](int first) {
      Expr total = vector(exact, first);
      for (int t = 1; t < taps; ++t) total = total + vector(exact, first + t);
      return store(B, {lanes(first)}, total);
    };
    const Code code{{exact}, {B}, {}, sequence({one(0), one(16)})};
    same_meaning(code, share_loads, 0, on_avx512());
    const Stmt after = shared(code.body);
    ASSERT_EQ(distinct_loads(code.body), static_cast<std::size_t>(2 * taps));
    EXPECT_GE(distinct_loads(after), 3u);
    EXPECT_LT(distinct_loads(after), distinct_loads(code.body));
    EXPECT_GE(shuffles(after), static_cast<std::size_t>(taps - 1) / 2) << ir::to_string(after);
    const std::vector<float> result = interpreted<float>(code, after);  // throws where an access is out of bounds
    for (std::int64_t i = 0; i < 32; ++i) {
      float expected = 0;
      for (int t = 0; t < taps; ++t) expected += input_element(i + t);
      EXPECT_EQ(result[static_cast<std::size_t>(i)], expected) << i;
    }
  }
}

TEST_F(ShareLoads, the_vectors_that_stay_are_those_that_may_be_aligned) {
  const auto at = [&](int constant) { return a(Expr(x) * 32 + constant); };
  const auto three = [&](int middle) { return at(middle - 1) + at(middle) + at(middle + 1); };
  const Stmt s = loop(x, 1, sequence({store(B, {lanes(0)}, three(16)), store(B, {lanes(16)}, three(32))}));
  const std::string text = ir::to_string(shared(s));
  for (const char *stays : {"A[x*32 + 15 + [0:16]]", "A[x*32 + 16 + [0:16]]", "A[x*32 + 32 + [0:16]]", "A[x*32 + 33 + [0:16]]"})
    EXPECT_NE(text.find(stays), std::string::npos) << stays << " in\n" << text;
  EXPECT_GE(count(text, "shuffle(["), 1u) << text;
}

TEST_F(ShareLoads, arithmetic_that_takes_longer_than_the_loads_keeps_them) {
  const auto times = [&](int uses) {
    std::vector<Stmt> body;
    for (int u = 0; u < uses; ++u) {
      const Buffer to("B" + std::to_string(u), f32, {64});
      const Expr by = ir::broadcast(number(u + 2), 16);
      body.push_back(store(to, {lanes(0)}, ir::mul_add(a(0), by, ir::mul_add(a(1), by, ir::mul_add(a(2), by, by)))));
    }
    return sequence(std::move(body));
  };
  EXPECT_EQ(distinct_loads(shared(times(1))), 2u);
  EXPECT_EQ(distinct_loads(shared(times(2))), 2u);
  expect_unchanged(times(3));
  const Stmt maxima = store(B, {lanes(0)}, ir::max(a(0), ir::max(a(1), a(2))));
  expect_unchanged(maxima);
}

TEST_F(ShareLoads, only_vectors_of_a_whole_avx512_register_are_shuffled_from_their_neighbours) {
  const Stmt s = sum(0, 3, 0);
  EXPECT_FALSE(shared(s).same_as(s));
  passes::PassContext halves = on_avx512(), avx2 = on_vectors(), none = on_avx512();
  halves.target.vector_bits = 256;
  none.target.vectors = false;
  for (const passes::PassContext &context : {halves, avx2, none}) {
    expect_unchanged(s, context);
    expect_unchanged(store(B, {lanes(0, 8)}, vector(A, 0, 8) + vector(A, 1, 8) + vector(A, 2, 8)), context);
  }
  expect_unchanged(store(B, {lanes(0, 8)}, vector(A, 0, 8) + vector(A, 1, 8) + vector(A, 2, 8)));
}

TEST_F(ShareLoads, a_store_to_the_buffer_ends_the_window) {
  const Stmt outer = store(B, {lanes(0)}, a(0) + a(2)), inner = store(B, {lanes(16)}, a(1));
  EXPECT_EQ(shuffles(shared(sequence({outer, inner}))), 1u);
  const Stmt other = store(B, {lanes(32)}, ir::broadcast(number(1), 16));
  EXPECT_EQ(shuffles(shared(sequence({outer, other, inner}))), 1u) << "a store to another buffer does not matter";
  const Stmt written = store(A, {lanes(20)}, ir::broadcast(number(1), 16));
  expect_unchanged(sequence({outer, written, inner}));
  expect_unchanged(sequence({outer, loop(x, 2, written), inner}));
  expect_unchanged(sequence({outer, when(Expr(x) < 1, written), inner}));
  expect_unchanged(sequence({outer, store(A, {3}, number(1)), inner}));
  // What a store itself reads is read before it.
  EXPECT_EQ(shuffles(shared(sequence({outer, store(A, {lanes(1)}, a(1) + a(1))}))), 1u);
}

TEST_F(ShareLoads, one_node_on_both_sides_of_a_store_is_replaced_on_one) {
  const Buffer C("C", f32, {66});
  const auto c = [&](int first) { return vector(C, first); };
  const Expr middle = c(1);
  const Stmt start = loop(x, 66, store(C, {x}, ir::load(A, {x})));
  const Stmt body = sequence({start, store(B, {lanes(0)}, c(0) + middle + c(2)),
                              store(C, {lanes(8)}, ir::broadcast(number(7), 16)), store(B, {lanes(16)}, middle)});
  const Code code{{A}, {B}, {}, allocate(C, body)};
  const std::string text = same_meaning(code, share_loads, 0, on_avx512());
  EXPECT_EQ(count(text, "shuffle("), 1u) << text;
  EXPECT_NE(text.find("B[16 + [0:16]] = C[1 + [0:16]]"), std::string::npos) << text;
}

TEST_F(ShareLoads, other_buffers_rows_and_predicates_are_other_windows) {
  const Buffer C("C", f32, {66}), D("D", f32, {3, 64});
  expect_unchanged(store(B, {lanes(0)}, a(0) + vector(C, 1) + a(2)));
  const auto row = [&](int y, int first) { return ir::load(D, {y, lanes(first)}); };
  expect_unchanged(store(B, {lanes(0)}, row(0, 0) + row(1, 1) + row(0, 2)));
  EXPECT_EQ(shuffles(shared(store(B, {lanes(0)}, row(1, 0) + row(1, 1) + row(1, 2)))), 1u);
  const Expr mask = lanes(x) < ir::broadcast(Expr(9), 16), all = ir::broadcast(Expr(x) < 1, 16);
  for (const Expr &predicate : {mask, all}) {
    const auto masked = [&](int first) { return ir::load(A, {lanes(first)}, predicate); };
    expect_unchanged(store(B, {lanes(0)}, masked(0) + masked(1) + masked(2)));
    expect_unchanged(store(B, {lanes(0)}, a(0) + masked(1) + a(2)));
    expect_unchanged(store(B, {lanes(0)}, masked(0) + a(1) + masked(2)));
  }
}

TEST_F(ShareLoads, windows_do_not_cross_checks_loops_and_branches) {
  const Stmt outer = store(B, {lanes(0)}, a(0) + a(2)), inner = store(B, {lanes(16)}, a(1));
  expect_unchanged(sequence({outer, check(Expr(x) < 1, "x is 0"), inner}));
  expect_unchanged(sequence({outer, loop(index_var("y"), 2, inner)}));
  expect_unchanged(sequence({outer, when(Expr(x) < 1, inner)}));
  expect_unchanged(when(Expr(x) < 1, outer, inner));
  const Stmt conditional = store(B, {lanes(16)}, a(1), ir::broadcast(Expr(x) < 1, 16));
  expect_unchanged(sequence({outer, conditional}));
  EXPECT_EQ(shuffles(shared(when(Expr(x) < 1, sequence({outer, inner})))), 1u);
  EXPECT_EQ(shuffles(shared(loop(x, 2, sequence({outer, inner})))), 1u);
}

TEST_F(ShareLoads, a_name_bound_again_means_something_else) {
  const Var v = index_var("v");
  const Stmt outer = store(B, {lanes(0)}, a(v) + a(Expr(v) + 2)), inner = store(B, {lanes(16)}, a(Expr(v) + 1));
  EXPECT_EQ(shuffles(shared(let(v, 3, sequence({outer, inner})))), 1u);
  expect_unchanged(sequence({let(v, 3, outer), let(v, 4, inner)}));
}

TEST_F(ShareLoads, variables_that_cancel_are_not_carried_out_of_their_scope) {
  const Var v = index_var("v");
  const auto at = [&](int constant) { return a(Expr(v) - Expr(v) + constant); };
  const Code code{{A}, {B}, {}, sequence({let(v, 3, store(B, {lanes(0)}, at(0) + at(2))), store(B, {lanes(16)}, a(1))})};
  EXPECT_EQ(count(same_meaning(code, share_loads, 0, on_avx512()), "shuffle("), 1u);
}

TEST_F(ShareLoads, an_index_from_memory_stays) {
  const Buffer I("I", index_type, {4});
  const Expr at = ir::load(I, {0});
  expect_unchanged(store(B, {lanes(0)}, a(at) + a(at + 1) + a(at + 2)));
}

TEST_F(ShareLoads, even_and_odd_elements_are_contiguous_vectors_together) {
  const Buffer exact("A", f32, {32});
  const Code code{{exact}, {B}, {}, store(B, {lanes(0)}, vector(exact, 0, 16, 2) + vector(exact, 1, 16, 2))};
  for (const passes::PassContext &context : {on_avx512(), on_vectors()}) {
    same_meaning(code, share_loads, 0, context);
    const Stmt after = shared(code.body, context);
    EXPECT_EQ(shuffles(after), 2u);
    EXPECT_EQ(distinct_loads(after), 2u);
    const std::string text = ir::to_string(after);
    EXPECT_NE(text.find("A[[0:16]]"), std::string::npos) << text;
    EXPECT_NE(text.find("A[16 + [0:16]]"), std::string::npos) << text;
    const std::vector<float> result = interpreted<float>(code, after);
    for (std::int64_t i = 0; i < 16; ++i)
      EXPECT_EQ(result[static_cast<std::size_t>(i)], input_element(2 * i) + input_element(2 * i + 1)) << i;
  }
}

TEST_F(ShareLoads, pooling_of_stride_2_shifts_the_vectors_of_one_parity) {
  const Buffer exact("A", f32, {66});
  const auto pooled = [&](int vector_number) {
    const auto tap = [&](int t) { return vector(exact, 32 * vector_number + t, 16, 2); };
    return store(B, {lanes(16 * vector_number)}, ir::max(tap(0), ir::max(tap(1), tap(2))));
  };
  const Code code{{exact}, {B}, {}, sequence({pooled(0), pooled(1)})};
  same_meaning(code, share_loads, 0, on_avx512());
  // Two pairs of contiguous vectors, and the last one, whose elements no other one covers.
  EXPECT_EQ(distinct_loads(code.body), 6u);
  EXPECT_EQ(distinct_loads(shared(code.body)), 5u) << ir::to_string(shared(code.body));
  const std::vector<float> result = interpreted<float>(code, shared(code.body));
  for (std::int64_t i = 0; i < 32; ++i) EXPECT_EQ(result[static_cast<std::size_t>(i)], input_element(2 * i + 2)) << i;
}

TEST_F(ShareLoads, pixels_come_apart_where_all_channels_are_wanted) {
  const DType u8(scalar_types::uint8), i16(scalar_types::int16);
  const auto channels = [&](DType type, int stride, std::vector<int> wanted) {
    const Buffer pixels("P", type, {8 * stride}), to("to", type, {8});
    Expr total;
    for (int channel : wanted) {
      const Expr one = vector(pixels, channel, 8, stride);
      total = total.defined() ? total + one : one;
    }
    return Code{{pixels}, {to}, {}, store(to, {lanes(0, 8)}, total)};
  };
  for (const DType &type : {i16, i32, f32})
    for (int stride : {3, 4}) {
      const Code all = channels(type, stride, stride == 3 ? std::vector<int>{0, 1, 2} : std::vector<int>{3, 1, 0, 2});
      same_meaning(all, share_loads, 0, on_vectors());
      EXPECT_EQ(distinct_loads(shared(all.body, on_vectors())), static_cast<std::size_t>(stride));
      EXPECT_EQ(shuffles(shared(all.body, on_vectors())), static_cast<std::size_t>(stride));
      expect_unchanged(channels(type, stride, {0, 2}).body, on_vectors());
    }
  expect_unchanged(channels(u8, 3, {0, 1, 2}).body, on_vectors());
}

TEST_F(ShareLoads, long_windows_are_cut) {
  const Buffer row("A", f32, {16 * 20 + 2}), to("B", f32, {16 * 20});
  std::vector<Stmt> body;
  for (int j = 0; j < 20; ++j)
    body.push_back(store(to, {lanes(16 * j)}, vector(row, 16 * j) + vector(row, 16 * j + 1) + vector(row, 16 * j + 2)));
  const Code code{{row}, {to}, {}, sequence(std::move(body))};
  same_meaning(code, share_loads, 0, on_avx512());
  const std::vector<float> result = interpreted<float>(code, shared(code.body));
  for (std::int64_t i = 0; i < 320; ++i)
    EXPECT_EQ(result[static_cast<std::size_t>(i)], input_element(i) + input_element(i + 1) + input_element(i + 2)) << i;
  // The next window starts behind the eighth covering vector. Without that, one of the two behind it would be lanes of it.
  const std::string text = ir::to_string(shared(code.body));
  EXPECT_NE(text.find("shuffle([A[80 + [0:16]], A[96 + [0:16]]]"), std::string::npos) << text;
  EXPECT_EQ(text.find("shuffle([A[112 + [0:16]]"), std::string::npos) << text;
}

/// Straight lines with loads of few rows and strides, broken by stores to what is loaded, loops, branches, names and checks.
class RandomLines {
 public:
  explicit RandomLines(std::uint32_t seed) : random_(seed), lanes_(std::array{4, 8, 16}[below(3)]), stride_(1 + below(4)) {}

  Code code() {
    List<Stmt> body;
    for (int n = 4 + below(8); n > 0; --n) body.push_back(statement(2));
    const Stmt copy = loop(y_, size, store(memory_, {y_}, ir::load(input_, {y_})));
    const Stmt lines = loop(x_, 2, ir::make(ir::Block{std::move(body), {}}));
    return {{input_}, {output_}, {}, allocate(memory_, sequence({copy, lines}))};
  }

 private:
  static constexpr int size = 160;

  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  Expr at(int constant) { return below(4) == 0 ? Expr(x_) + constant : Expr(x_) * 16 + constant; }

  Expr vector() {
    const int stride = below(5) == 0 ? 1 + below(4) : stride_;
    const Expr lanes =
        ir::ramp(at(below(stride == 1 ? lanes_ + 6 : 2 * stride + 2) + lanes_ * stride * below(2)), stride, lanes_);
    const Expr predicate = below(8) == 0 ? lanes < ir::broadcast(Expr(40), lanes_) : Expr();
    return ir::load(below(3) == 0 ? memory_ : input_, {lanes}, predicate);
  }
  Stmt compute() {
    Expr sum = vector();
    for (int n = 1 + below(4); n > 0; --n) sum = sum + vector();
    return store(output_, {ir::ramp(Expr(x_) * 256 + lanes_ * below(12), 1, lanes_)}, sum);
  }
  Stmt statement(int depth) {
    const int kind = depth == 0 ? 0 : below(16);
    switch (kind) {
      case 0: return store(memory_, {ir::ramp(at(below(40)), 1, lanes_)}, vector());
      case 1: return store(memory_, {at(below(40))}, number(below(100)));
      case 2: return loop(index_var("z"), 1 + below(2), statement(depth - 1));
      case 3: return when(Expr(x_) < below(3), statement(depth - 1), statement(depth - 1));
      case 4: return check(Expr(x_) < 2, "x is 0 or 1");
      case 5: return let(index_var("t"), at(below(9)), statement(depth - 1));
      default: return compute();
    }
  }

  std::minstd_rand random_;
  int lanes_, stride_;
  Var x_ = index_var("x"), y_ = index_var("y");
  Buffer input_{"A", f32, {size}}, memory_{"M", f32, {size}}, output_{"B", f32, {512}};
};

TEST(ShareLoadsRandom, lines_keep_their_meaning) {
  int changed = 0;
  for (std::uint32_t seed = 1; seed <= 400 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const Code code = RandomLines(seed * 7919).code();
    for (const passes::PassContext &context : {on_avx512(), on_vectors()}) {
      same_meaning(code, share_loads, 0, context);
      changed += !share_loads(code.body, context).same_as(code.body);
    }
  }
  EXPECT_GE(changed, 200);
}

}  // namespace
