// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lathe/passes/vectorize_loops.hpp"

#include "lathe/passes/guard_loads.hpp"
#include "lathe/passes/simplify_loops.hpp"
#include "passes/loops.hpp"

namespace {

using namespace loops;
using passes::vectorize_loops;

constexpr std::uint32_t vector_form = ir::form_no_vectorized_loops | ir::form_scalar_conditions;

Stmt vectorized_and_simplified(const Stmt &s, const passes::PassContext &context) {
  return passes::simplify_loops(vectorize_loops(s, context), context);
}

bool has_vectors(const Stmt &s) {
  bool found = false;
  ir::walk(s, [&](const Expr &e) { found = found || e.lanes() > 1; });
  return found;
}

struct VectorizeLoops : testing::Test {
  Var n = size_var("n"), i = index_var("i"), j = index_var("j"), o = index_var("o"), k = index_var("k");
  Buffer A{"A", f32, {n}}, B{"B", f32, {n}}, S{"S", f32, {1}};

  /// The loop stays serial (its meaning is not that of lanes) and right.
  void expect_serial(const Code &code) {
    same_meaning(code, vectorize_loops, vector_form);
    EXPECT_FALSE(has_vectors(vectorize_loops(code.body, on_vectors())))
        << ir::to_string(vectorize_loops(code.body, on_vectors()));
  }
  std::string expect_vectors(const Code &code) {
    EXPECT_TRUE(has_vectors(vectorize_loops(code.body, on_vectors()))) << ir::to_string(code.body);
    return same_meaning(code, vectorized_and_simplified, vector_form);
  }
};

TEST_F(VectorizeLoops, the_variable_becomes_a_ramp) {
  const Expr e = Expr(o) * 8 + i;
  const Code code{{A}, {B}, {{n, 24}}, loop(o, 3, vectorized(i, 8, store(B, {e}, ir::load(A, {e}) * number(2))))};
  EXPECT_EQ(expect_vectors(code), "for o in 0..3:\n  B[o*8 + [0:8]] = A[o*8 + [0:8]]*(2.0f x8)");
}

TEST_F(VectorizeLoops, strides_gathers_and_the_variable_as_data) {
  const Expr value = ir::load(A, {23 - Expr(i) * 3}) + ir::cast(f32, Expr(i) * Expr(i)) + ir::load(A, {Expr(i) / 2});
  expect_vectors({{A}, {B}, {{n, 24}}, vectorized(i, 8, store(B, {Expr(i) * 2 + 1}, value))});
}

TEST_F(VectorizeLoops, tails_are_masked) {
  for (std::int64_t size : {0, 1, 7, 8, 9, 15, 16, 17}) {
    const Expr e = Expr(o) * 8 + i;
    const Code code{{A},
                    {B},
                    {{n, size}},
                    loop(o, (Expr(n) + 7) / 8, vectorized(i, 8, when(e < n, store(B, {e}, ir::load(A, {e}) + number(1)))))};
    EXPECT_EQ(expect_vectors(code),
              "for o in 0..n/8:\n"
              "  B[o*8 + [0:8]] = A[o*8 + [0:8]] + (1.0f x8)\n"
              "for o in n/8..(n + 7)/8:\n"
              "  let active = o*8 + [0:8] < (n x8)\n"
              "  B[o*8 + [0:8] if active] = A[o*8 + [0:8] if active] + (1.0f x8)");
  }
}

// A9 of the Halide cases: seven elements through memory of the lane, no access beyond them; and a vector with one live lane.
TEST_F(VectorizeLoops, a_copy_through_memory_of_the_lane) {
  const Buffer T("T", f32, {2});
  for (std::int64_t size : {1, 3, 4, 7}) {
    const Expr e = Expr(o) * 4 + i;
    const Stmt through = allocate(T, sequence({store(T, {1}, ir::load(A, {e})), store(B, {e}, ir::load(T, {1}))}));
    for (const bool outside : {false, true}) {
      const Stmt body =
          outside ? allocate(T, when(e < n, sequence({store(T, {1}, ir::load(A, {e})), store(B, {e}, ir::load(T, {1}))})))
                  : when(e < n, through);
      const Code code{{A}, {B}, {{n, size}}, loop(o, (Expr(n) + 3) / 4, vectorized(i, 4, body))};
      expect_vectors(code);
      const std::vector<float> result = interpreted<float>(code, vectorize_loops(code.body, on_vectors()));
      for (std::int64_t x = 0; x < size; ++x) EXPECT_EQ(result[static_cast<std::size_t>(x)], input_element(x));
    }
  }
}

TEST_F(VectorizeLoops, a_single_live_lane) {
  const Var x = index_var("x");
  const Expr guarded = ir::select(Expr(x) < 4, number(0), ir::load(A, {x}) + ir::load(A, {Expr(x) - 4}), true);
  const Expr e = Expr(o) * 4 + i;
  const Stmt body = vectorized(i, 4, when(e < n, ir::substitute(store(B, {x}, guarded), {{x, e}})));
  const Code code{{A}, {B}, {{n, 5}}, passes::guard_loads(loop(o, 2, body), {})};
  expect_vectors(code);
  const std::vector<float> result = interpreted<float>(code, vectorize_loops(code.body, on_vectors()));
  EXPECT_EQ(result[3], 0);
  EXPECT_EQ(result[4], input_element(4) + input_element(0));
}

// A11 of the Halide cases: the sum is the same in all lanes and must be taken once for each, not once for each lane into lane 0.
TEST_F(VectorizeLoops, a_sum_inside_lanes) {
  const Buffer R("R", f32, {2, 2, 4}), s("s", f32, {1});
  const Var x = index_var("x"), y = index_var("y"), c = index_var("c");
  const Stmt sum = sequence({store(s, {0}, number(0)), loop(k, 2, store(s, {0}, ir::load(s, {0}) + ir::cast(f32, Expr(k) + 1)))});
  const Stmt use = store(R, {y, x, c}, ir::select(ir::equals(c, 3), number(255), ir::load(s, {0})));
  for (const bool own : {true, false}) {
    const Stmt lanes = vectorized(c, 4, own ? allocate(s, sequence({sum, use})) : sequence({sum, use}));
    const Stmt pixels = loop(y, 2, loop(x, 2, lanes));
    const Code code{{}, {R}, {}, own ? pixels : allocate(s, pixels)};
    if (own) expect_vectors(code);
    if (!own) expect_serial(code);
    const std::vector<float> result = interpreted<float>(code, vectorize_loops(code.body, on_vectors()));
    for (std::size_t e = 0; e < 16; ++e) EXPECT_EQ(result[e], e % 4 == 3 ? 255 : 3);
  }
}

TEST_F(VectorizeLoops, memory_inside_gets_a_lane_dimension) {
  const Buffer M("M", f32, {5, 8}), s("s", f32, {1});
  const Stmt body =
      allocate(s, sequence({store(s, {0}, number(0)), loop(k, 5, store(s, {0}, ir::load(s, {0}) + ir::load(M, {k, i}))),
                            store(B, {i}, ir::load(s, {0}))}));
  EXPECT_EQ(expect_vectors({{M}, {B}, {{n, 8}}, vectorized(i, 8, body)}),
            "allocate s: float32[1, 8], aligned 32\n"
            "s[0, [0:8]] = 0.0f x8\n"
            "for k in 0..5:\n"
            "  s[0, [0:8]] = s[0, [0:8]] + M[k, [0:8]]\n"
            "B[[0:8]] = s[0, [0:8]]");
}

TEST_F(VectorizeLoops, reductions_under_a_tail) {
  const Buffer M("M", f32, {5, n}), s("s", f32, {1});
  for (std::int64_t size : {1, 7, 8, 9, 16}) {
    const Expr e = Expr(o) * 8 + i;
    const Stmt body = allocate(s, sequence({store(s, {0}, number(0)),
                                            loop(k, 5, store(s, {0}, ir::load(s, {0}) + ir::load(M, {k, e}) * ir::load(S, {0}))),
                                            store(B, {e}, ir::load(s, {0}))}));
    expect_vectors({{M, S}, {B}, {{n, size}}, loop(o, (Expr(n) + 7) / 8, vectorized(i, 8, when(e < n, body)))});
    // In memory that all iterations share, as in an output.
    const Stmt direct =
        sequence({vectorized(i, 8, when(e < n, store(B, {e}, number(0)))),
                  loop(k, 5, vectorized(i, 8, when(e < n, store(B, {e}, ir::load(B, {e}) + ir::load(M, {k, e})))))});
    expect_vectors({{M}, {B}, {{n, size}}, loop(o, (Expr(n) + 7) / 8, direct)});
  }
}

// Lanes that a condition excludes have indices that mean nothing: their own memory is not to be touched there.
TEST_F(VectorizeLoops, memory_inside_indexed_by_the_lane) {
  const Buffer T("T", f32, {4});
  const Stmt body = allocate(T, sequence({store(T, {Expr(i) + 1}, ir::load(A, {i})), store(T, {0}, number(5)),
                                          store(B, {i}, ir::load(T, {Expr(i) + 1}) + ir::load(T, {0}))}));
  expect_vectors({{A}, {B}, {{n, 8}}, vectorized(i, 8, when(Expr(i) < 3, body))});
}

TEST_F(VectorizeLoops, both_branches_and_nested_conditions) {
  const Expr e = Expr(o) * 8 + i;
  const Stmt odd =
      when(ir::equals(e % 2, 1), store(B, {e}, ir::load(A, {e}) * number(2)), store(B, {e}, ir::load(A, {e}) + number(5)));
  const Stmt nested =
      when(e < n, when(e >= 3, odd, when(ir::load(A, {e}) < number(-15), store(B, {e}, number(-1)), store(B, {e}, number(-2)))));
  for (std::int64_t size : {1, 3, 4, 8, 13, 16})
    expect_vectors({{A}, {B}, {{n, size}}, loop(o, (Expr(n) + 7) / 8, vectorized(i, 8, nested))});
}

// The first branch changes what the condition reads: lanes of the second are those where it did not hold before.
TEST_F(VectorizeLoops, branches_that_change_their_condition) {
  const Stmt copy = loop(j, 8, store(B, {j}, ir::load(A, {j})));
  const Stmt flip = vectorized(i, 8, when(ir::load(B, {i}) < number(-8), store(B, {i}, number(1)), store(B, {i}, number(-100))));
  expect_vectors({{A}, {B}, {{n, 8}}, sequence({copy, flip})});
}

TEST_F(VectorizeLoops, scalars_are_read_only_where_a_lane_is_active) {
  // With n = 0 no iteration is active, and neither L nor A has an element.
  const Buffer L("L", f32, {n});
  const Buffer R("R", f32, {16});
  for (std::int64_t size : {0, 1, 9}) {
    const Expr e = Expr(o) * 8 + i;
    const Stmt by_bound = when(e < n, store(R, {e}, ir::load(A, {e}) * ir::load(L, {0})));
    same_meaning({{A, L}, {R}, {{n, size}}, loop(o, 2, vectorized(i, 8, by_bound))}, vectorize_loops, vector_form);
    const Expr odd = ir::equals((e + n) % 3, 0) && Expr(n) > 0;
    const Stmt by_pattern = when(odd, loop(k, ir::min(ir::max(ir::cast(index_type, ir::load(L, {Expr(n) - 1})), 1), 3),
                                           store(R, {e}, ir::load(L, {0}) + ir::cast(f32, k))));
    same_meaning({{A, L}, {R}, {{n, size}}, loop(o, 2, vectorized(i, 8, by_pattern))}, vectorize_loops, vector_form);
  }
}

TEST_F(VectorizeLoops, predicates_of_loads_that_all_lanes_share) {
  const Expr e = ir::select(Expr(i) < n, ir::load(A, {Expr(n) - 1}), number(4), true);
  const Buffer R("R", f32, {8});
  for (std::int64_t size : {0, 3, 8})
    expect_vectors({{A}, {R}, {{n, size}}, passes::guard_loads(vectorized(i, 8, store(R, {i}, e)), {})});
}

TEST_F(VectorizeLoops, bound_values_become_vectors) {
  const Var t = index_var("t"), x("x", f32);
  const Stmt body = let(t, Expr(i) * 2, let(x, ir::load(A, {t}), store(B, {i}, Expr(x) * x + ir::load(A, {Expr(t) + 1}))));
  EXPECT_EQ(expect_vectors({{A}, {B}, {{n, 16}}, vectorized(i, 8, body)}),
            "let x = A[[0:8]*2]\n"
            "B[[0:8]] = x*x + A[1 + [0:8]*2]");
}

TEST_F(VectorizeLoops, checks_hold_in_all_lanes) {
  const Buffer L("L", i32, {8});
  const auto checked = [&](int least, Expr condition) {
    const Stmt body =
        sequence({check(ir::load(L, {i}) > number(least, i32), "large enough"), store(B, {i}, ir::cast(f32, ir::load(L, {i})))});
    return Code{{L}, {B}, {{n, 8}}, vectorized(i, 8, condition.defined() ? when(condition, body) : body)};
  };
  const Expr later = ir::load(L, {i}) > number(-10, i32);
  expect_vectors(checked(-21, {}));
  expect_vectors(checked(-11, later));  // lanes that do not reach the check do not fail it
  EXPECT_THROW(run(checked(-20, {}), vectorize_loops(checked(-20, {}).body, on_vectors())), Error);
  EXPECT_THROW(run(checked(-2, later), vectorize_loops(checked(-2, later).body, on_vectors())), Error);
}

TEST_F(VectorizeLoops, the_innermost_becomes_lanes) {
  const Buffer M("M", f32, {4, 8}), R("R", f32, {4, 8});
  const Stmt s = vectorized(j, 4, vectorized(i, 8, store(R, {j, i}, ir::load(M, {j, i}))));
  EXPECT_EQ(expect_vectors({{M}, {R}, {}, s}), "for j in 0..4:\n  R[j, [0:8]] = M[j, [0:8]]");
}

TEST_F(VectorizeLoops, fused_axes_are_told_apart) {
  const Buffer M("M", f32, {4, 4}), R("R", f32, {4, 4});
  const Expr row = Expr(i) / 4, column = Expr(i) % 4;
  expect_vectors(
      {{M},
       {R},
       {},
       sequence(
           {vectorized(i, 16, store(R, {row, column}, number(0))),
            loop(k, 3, vectorized(i, 16, store(R, {row, column}, ir::load(R, {row, column}) + ir::load(M, {row, column}))))})});
}

TEST_F(VectorizeLoops, inner_loops_within_a_stride_of_their_own) {
  const Expr e = Expr(i) * 4 + j;
  expect_vectors(
      {{A},
       {B},
       {{n, 32}},
       vectorized(i, 8, loop(j, 4, sequence({store(B, {e}, ir::load(A, {e})), store(B, {e}, ir::load(B, {e}) + number(1))})))});
}

// ---- what stays serial
// ------------------------------------------------------------------------------------------------------------

TEST_F(VectorizeLoops, sums_across_iterations_stay_serial) {
  const Stmt step = store(S, {0}, ir::load(S, {0}) + ir::load(A, {i}));
  expect_serial({{A}, {S}, {{n, 8}}, sequence({store(S, {0}, number(0)), vectorized(i, 8, step)})});
  expect_serial({{A}, {S}, {{n, 8}}, vectorized(i, 8, store(S, {0}, ir::load(A, {i})))});
}

TEST_F(VectorizeLoops, iterations_that_meet_stay_serial) {
  const Stmt start = loop(j, 9, store(B, {j}, ir::load(A, {j})));
  expect_serial({{A}, {B}, {{n, 9}}, sequence({start, vectorized(i, 8, store(B, {Expr(i) + 1}, ir::load(B, {i}) + number(1)))})});
  expect_serial(
      {{A}, {B}, {{n, 9}}, sequence({start, vectorized(i, 8, store(B, {Expr(i) / 2}, ir::load(B, {Expr(i) / 2}) + number(1)))})});
  expect_serial(
      {{A}, {B}, {{n, 18}}, vectorized(i, 8, loop(j, 4, store(B, {Expr(i) * 2 + j}, ir::load(A, {i}) + ir::cast(f32, j))))});
}

TEST_F(VectorizeLoops, a_single_store_keeps_its_order) {
  expect_vectors({{A}, {B}, {{n, 8}}, vectorized(i, 8, store(B, {Expr(i) / 2}, ir::load(A, {i})))});
}

TEST_F(VectorizeLoops, bounds_and_shapes_that_depend_on_the_lane) {
  const Buffer T("T", f32, {Expr(i) + 1});
  expect_serial({{A},
                 {B},
                 {{n, 8}},
                 vectorized(i, 8,
                            sequence({store(B, {i}, number(0)),
                                      loop(k, Expr(i) + 1, store(B, {i}, ir::load(B, {i}) + ir::load(A, {k})))}))});
  expect_serial({{A},
                 {B},
                 {{n, 8}},
                 vectorized(i, 8, allocate(T, sequence({store(T, {i}, ir::load(A, {i})), store(B, {i}, ir::load(T, {i}))})))});
}

TEST_F(VectorizeLoops, targets_without_vectors) {
  passes::PassContext context;
  context.target.vectors = false;
  const Expr e = Expr(o) * 8 + i;
  const Code code{{A}, {B}, {{n, 13}}, loop(o, 2, vectorized(i, 8, when(e < n, store(B, {e}, ir::load(A, {e})))))};
  const std::string text = same_meaning(code, vectorize_loops, vector_form | ir::form_scalar, context);
  EXPECT_NE(text.find("for i in 0..8"), std::string::npos) << text;
}

TEST_F(VectorizeLoops, refusals) {
  const auto code_of = [&](const Stmt &s) -> std::string {
    try {
      vectorize_loops(s, on_vectors());
    } catch (const Error &error) {
      EXPECT_NE(std::string(error.what()).find("loop i is vectorized, but"), std::string::npos) << error.what();
      return error.code();
    }
    return "none";
  };
  EXPECT_EQ(code_of(vectorized(i, n, store(B, {i}, number(1)))), "L062");
  EXPECT_EQ(code_of(vectorized(i, 4097, store(B, {i}, number(1)))), "L063");
  EXPECT_EQ(code_of(vectorized(i, 100, store(B, {i}, number(1)))), "none");
}

TEST_F(VectorizeLoops, few_iterations) {
  EXPECT_EQ(ir::to_string(vectorize_loops(vectorized(i, 0, store(B, {i}, number(1))), on_vectors())), "pass");
  EXPECT_EQ(ir::to_string(vectorize_loops(vectorized(i, 1, store(B, {i}, number(1))), on_vectors())), "B[0] = 1.0f");
  const Code code{{A}, {B}, {{n, 3}}, vectorized(i, 3, store(B, {i}, ir::load(A, {2 - Expr(i)})))};
  expect_vectors(code);
}

}  // namespace
