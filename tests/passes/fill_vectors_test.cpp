// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lathe/passes/fill_vectors.hpp"

#include <string>
#include <vector>

#include "passes/loops.hpp"

namespace {

using namespace loops;
using passes::fill_vectors;

/// Sums of `depth` rows of A, in vectors of 8 of which the last is partial.
struct FillVectors : testing::Test {
  Buffer A{"A", f32, {3, 12}}, B{"B", f32, {12}}, sums{"sums", f32, {8}};
  Var x = index_var("x"), k = index_var("k");
  Expr lanes = ir::ramp(0, 1, 8), columns = ir::broadcast(Expr(x) * 8, 8) + lanes;
  Expr mask = columns < ir::broadcast(Expr(12), 8), zeros = ir::broadcast(number(0), 8);

  Stmt start(const Expr &predicate) const { return store(sums, {lanes}, zeros, predicate); }
  Stmt step(const Expr &predicate) const {
    const Expr sum = ir::load(sums, {lanes}, predicate) + ir::load(A, {k, columns}, mask);
    return loop(k, 3, store(sums, {lanes}, sum, predicate));
  }
  Stmt finish(const Expr &predicate) const { return store(B, {columns}, ir::load(sums, {lanes}, predicate), mask); }
  Stmt over_tiles(std::vector<Stmt> body) const { return loop(x, 2, allocate(sums, sequence(std::move(body)))); }
  static Stmt filled(const Stmt &s) { return fill_vectors(s, on_vectors()); }
  static std::size_t masked_accesses_of_sums(const Stmt &s) {
    std::size_t count = 0;
    const std::string text = ir::to_string(s);
    for (std::size_t at = text.find("sums[[0:8] if"); at != std::string::npos; at = text.find("sums[[0:8] if", at + 1)) ++count;
    return count;
  }
};

TEST_F(FillVectors, drops_the_mask_of_sums_and_keeps_that_of_inputs_and_outputs) {
  const Code code{{A}, {B}, {}, over_tiles({start(mask), step(mask), finish(mask)})};
  ASSERT_EQ(masked_accesses_of_sums(code.body), 4u);
  const Stmt after = filled(code.body);
  EXPECT_EQ(masked_accesses_of_sums(after), 0u) << ir::to_string(after);
  const std::vector<float> result = interpreted<float>(code, after);  // throws where an access is out of bounds
  for (std::int64_t i = 0; i < 12; ++i)
    EXPECT_EQ(result[static_cast<std::size_t>(i)], input_element(i) + input_element(12 + i) + input_element(24 + i)) << i;
}

TEST_F(FillVectors, masks_are_the_same_by_what_their_names_stand_for) {
  const Var first("active", DType(scalar_types::boolean, 8)), second("active", DType(scalar_types::boolean, 8));
  const Stmt s = over_tiles({let(first, mask, sequence({start(first), step(first)})), let(second, mask, finish(second))});
  EXPECT_EQ(masked_accesses_of_sums(filled(s)), 0u) << ir::to_string(filled(s));
}

TEST_F(FillVectors, branches_of_the_whole_body_are_looked_at_one_by_one) {
  const Stmt whole = sequence({start({}), step({}), finish({})}), partial = sequence({start(mask), step(mask), finish(mask)});
  EXPECT_EQ(masked_accesses_of_sums(filled(loop(x, 2, allocate(sums, when(Expr(x) < 1, whole, partial))))), 0u);
  // As a statement among others the whole vector may have been written before.
  const Stmt mixed = over_tiles({when(Expr(x) < 1, whole, partial), finish(mask)});
  EXPECT_TRUE(filled(mixed).same_as(mixed));
}

TEST_F(FillVectors, vectors_that_may_not_be_written_keep_their_mask) {
  const Var n = index_var("n"), r = index_var("r");
  const Stmt in_a_branch = over_tiles({when(Expr(x) < n, start(mask)), finish(mask)});
  EXPECT_TRUE(filled(in_a_branch).same_as(in_a_branch));
  const Stmt in_a_loop = over_tiles({loop(r, n, start(mask)), finish(mask)});
  EXPECT_TRUE(filled(in_a_loop).same_as(in_a_loop));
  const Stmt surely = over_tiles({loop(r, 2, start(mask)), when(Expr(x) < n, step(mask)), finish(mask)});
  EXPECT_EQ(masked_accesses_of_sums(filled(surely)), 0u) << ir::to_string(filled(surely));
}

TEST_F(FillVectors, lanes_that_another_store_writes_keep_their_mask) {
  const Stmt outside = store(sums, {lanes}, ir::broadcast(number(1), 8), !mask);
  const Stmt both = over_tiles({start(mask), outside, finish({})});
  EXPECT_TRUE(filled(both).same_as(both));
  const Stmt whole_first = over_tiles({start({}), step(mask), finish({})});
  EXPECT_TRUE(filled(whole_first).same_as(whole_first));
  const Buffer longer("sums", f32, {16});
  const Stmt overlapping = loop(
      x, 2, allocate(longer, sequence({store(longer, {lanes}, zeros, mask), store(longer, {ir::ramp(4, 1, 8)}, zeros, mask)})));
  EXPECT_TRUE(filled(overlapping).same_as(overlapping));
}

TEST_F(FillVectors, vectors_that_do_not_fit_keep_their_mask) {
  const Buffer shorter("sums", f32, {5});
  const Stmt s = loop(x, 2, allocate(shorter, store(shorter, {lanes}, zeros, lanes < ir::broadcast(Expr(5), 8))));
  EXPECT_TRUE(filled(s).same_as(s));
}

TEST_F(FillVectors, masks_that_change_and_conditions_of_all_lanes_stay) {
  const Expr changing = lanes < ir::broadcast(Expr(k), 8), uniform = ir::broadcast(Expr(x) < 1, 8);
  for (const Expr &predicate : {changing, uniform, Expr(x) < 1}) {
    const Stmt s = over_tiles({step(predicate)});
    EXPECT_TRUE(filled(s).same_as(s)) << ir::to_string(s);
  }
}

TEST_F(FillVectors, calls_happen_where_they_did) {
  const Expr value = ir::call(f32, ir::ExternalFunction{"user_function"}, {ir::load(A, {0, columns}, mask)});
  const Stmt s = over_tiles({store(sums, {lanes}, value, mask)});
  EXPECT_TRUE(filled(s).same_as(s));
}

}  // namespace
