// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lathe/passes/pipeline.hpp"

#include "passes/loops.hpp"

namespace {

using namespace loops;

/// C = A * B for row-major matrices, tiled with tails: rows unrolled by 3, columns in 8 lanes, sums in memory of their own.
struct Product {
  Var m = size_var("m"), n = size_var("n"), k = size_var("k");
  Var io = index_var("io"), jo = index_var("jo"), ii = index_var("ii"), ji = index_var("ji"), r = index_var("r");
  Buffer A{"A", f32, {m, k}}, B{"B", f32, {k, n}}, C{"C", f32, {m, n}}, sum{"sum", f32, {3, 8}};

  Stmt each(const Stmt &body) const {
    const Expr row = Expr(io) * 3 + ii, column = Expr(jo) * 8 + ji;
    return unrolled(ii, 3, vectorized(ji, 8, when(row < m && column < n, body)));
  }
  Code code(std::int64_t rows, std::int64_t columns, std::int64_t depth) const {
    const Expr row = Expr(io) * 3 + ii, column = Expr(jo) * 8 + ji;
    const Stmt start = each(store(sum, {ii, ji}, number(0)));
    const Stmt step =
        loop(r, k, each(store(sum, {ii, ji}, ir::load(sum, {ii, ji}) + ir::load(A, {row, r}) * ir::load(B, {r, column}))));
    const Stmt finish = each(store(C, {row, column}, ir::load(sum, {ii, ji})));
    const Stmt tile = allocate(sum, sequence({start, step, finish}, "C"));
    return {{A, B},
            {C},
            {{m, rows}, {n, columns}, {k, depth}},
            loop(io, (Expr(m) + 2) / 3, loop(jo, (Expr(n) + 7) / 8, tile), LoopKind::parallel)};
  }
};

TEST(Pipeline, a_tiled_product_at_and_around_its_tiles) {
  for (std::int64_t rows : {1, 3, 4})
    for (std::int64_t columns : {1, 7, 8, 9, 16})
      for (std::int64_t depth : {0, 1, 5}) {
        const Product product;
        const Code code = product.code(rows, columns, depth);
        const ir::Program after =
            passes::run_passes(code.program(code.body), on_vectors(), {.verify = true, .dump = {}, .times = nullptr});
        const std::vector<float> result = interpreted<float>(code, after.functions[0].body);
        for (std::int64_t y = 0; y < rows; ++y)
          for (std::int64_t x = 0; x < columns; ++x) {
            double expected = 0;  // exact: small integers
            for (std::int64_t z = 0; z < depth; ++z)
              expected += static_cast<double>(input_element(y * depth + z)) * input_element(z * columns + x, 1);
            EXPECT_EQ(result[static_cast<std::size_t>(y * columns + x)], expected) << rows << 'x' << columns << 'x' << depth;
          }
      }
}

TEST(Pipeline, steady_tiles_carry_no_condition) {
  const Product product;
  const Code code = product.code(6, 16, 5);
  const ir::Program after = passes::run_passes(code.program(code.body), on_vectors());
  const std::string text = ir::to_string(after.functions[0].body);
  // The innermost loop over r that comes first is the steady one: fused multiply-adds and nothing else.
  const std::size_t first = text.find("for r");
  ASSERT_NE(first, std::string::npos) << text;
  const std::string steady = text.substr(first, text.find("C[", first) - first);
  EXPECT_EQ(steady.find(" if "), std::string::npos) << text;
  EXPECT_EQ(steady.find("active"), std::string::npos) << text;
  EXPECT_NE(steady.find("mul_add("), std::string::npos) << text;
}

TEST(Pipeline, options) {
  const Product product;
  const Code code = product.code(6, 16, 5);
  List<passes::PassTime> times;
  std::vector<std::string> dumped;
  passes::PipelineOptions options;
  options.times = &times;
  options.dump = [&](std::string_view pass, const ir::Program &program) {
    dumped.push_back(std::string(pass));
    EXPECT_FALSE(ir::to_string(program).empty());
  };
  passes::run_passes(code.program(code.body), on_vectors(), options);
  ASSERT_EQ(times.size(), passes::pipeline().size());
  ASSERT_EQ(dumped.size(), passes::pipeline().size());
  for (std::size_t row = 0; row < times.size(); ++row) {
    EXPECT_EQ(times[row].name, passes::pipeline()[row].name);
    EXPECT_EQ(dumped[row], passes::pipeline()[row].name);
  }
}

TEST(Pipeline, verifies_what_it_is_given) {
  const Var lost = index_var("lost");
  const Buffer B("B", f32, {4});
  const Code code{{}, {B}, {}, store(B, {lost}, number(1))};
  passes::PipelineOptions options;
  options.verify = true;
  try {
    passes::run_passes(code.program(code.body), on_vectors(), options);
    FAIL() << "no error";
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), "X001");
    EXPECT_NE(std::string(error.what()).find("after lowering"), std::string::npos) << error.what();
  }
}

TEST(Pipeline, the_same_code_gives_the_same_text) {
  const Product one, two;
  const Code a = one.code(4, 9, 5), b = two.code(4, 9, 5);
  EXPECT_EQ(ir::to_string(passes::run_passes(a.program(a.body), on_vectors())),
            ir::to_string(passes::run_passes(b.program(b.body), on_vectors())));
}

}  // namespace
