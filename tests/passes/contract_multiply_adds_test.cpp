// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lathe/passes/contract_multiply_adds.hpp"

#include <cmath>

#include "passes/loops.hpp"

namespace {

using namespace loops;
using passes::contract_multiply_adds;

struct ContractMultiplyAdds : testing::Test {
  Buffer A{"A", f32, {4}}, B{"B", f32, {4}};
  Expr a = ir::load(A, {0}), b = ir::load(A, {1}), c = ir::load(A, {2}), d = ir::load(A, {3});
  std::string contracted(const Expr &e, const passes::PassContext &context = on_vectors()) {
    return ir::to_string(contract_multiply_adds(store(B, {0}, e), context));
  }
};

TEST_F(ContractMultiplyAdds, sums_and_differences) {
  EXPECT_EQ(contracted(a * b + c), "B[0] = mul_add(A[0], A[1], A[2])");
  EXPECT_EQ(contracted(c + a * b), "B[0] = mul_add(A[0], A[1], A[2])");
  EXPECT_EQ(contracted(a * b - c), "B[0] = mul_add(A[0], A[1], -A[2])");
  EXPECT_EQ(contracted(c - a * b), "B[0] = mul_add(-A[0], A[1], A[2])");
  EXPECT_EQ(contracted(a * b + c * d), "B[0] = mul_add(A[0], A[1], A[2]*A[3])");
  EXPECT_EQ(contracted(a + b * (c * d + a)), "B[0] = mul_add(A[1], mul_add(A[2], A[3], A[0]), A[0])");
}

TEST_F(ContractMultiplyAdds, a_shared_product_stays) {
  const Expr product = a * b;
  EXPECT_EQ(contracted((product + c) * product).find("mul_add"), std::string::npos);
  EXPECT_EQ(contracted(product + product).find("mul_add"), std::string::npos);
  const Expr sum = product + c;  // a shared sum is one use of its product
  EXPECT_NE(contracted(sum * sum).find("mul_add"), std::string::npos);
}

TEST_F(ContractMultiplyAdds, only_where_allowed) {
  passes::PassContext strict = on_vectors(), plain = on_vectors();
  strict.numerics = Numerics::strict();
  plain.target.has_fma = false;
  EXPECT_EQ(contracted(a * b + c, strict), "B[0] = A[0]*A[1] + A[2]");
  EXPECT_EQ(contracted(a * b + c, plain), "B[0] = A[0]*A[1] + A[2]");
}

TEST_F(ContractMultiplyAdds, only_floats_of_full_size) {
  for (const ScalarType *type : {&scalar_types::int32, &scalar_types::float16}) {
    const Buffer X("X", *type, {4}), Y("Y", *type, {4});
    const Stmt s = store(Y, {0}, ir::load(X, {0}) * ir::load(X, {1}) + ir::load(X, {2}));
    EXPECT_TRUE(contract_multiply_adds(s, on_vectors()).same_as(s)) << type->name;
  }
  const Buffer X("X", scalar_types::float64, {4});
  const Stmt s = store(X, {0}, ir::load(X, {0}) * ir::load(X, {1}) + ir::load(X, {2}));
  EXPECT_FALSE(contract_multiply_adds(s, on_vectors()).same_as(s));
}

TEST_F(ContractMultiplyAdds, rounds_once) {
  const Expr third = number(1.0f / 3);
  const Code code{{A}, {B}, {}, loop(index_var("i"), 1, store(B, {0}, a * third - third))};
  const float x = input_element(0), y = 1.0f / 3;
  const auto fused = interpreted<float>(code, contract_multiply_adds(code.body, on_vectors()));
  EXPECT_EQ(fused[0], std::fma(x, y, -y));
  EXPECT_NE(std::fma(x, y, -y), interpreted<float>(code, code.body)[0]);
}

TEST_F(ContractMultiplyAdds, long_chains) {
  Expr e = a;
  for (int k = 0; k < 10000; ++k) e = e * b + c;
  const Stmt after = contract_multiply_adds(store(B, {0}, e), on_vectors());
  std::size_t fused = 0;
  ir::walk(after, [&](const Expr &node) { fused += node.as<ir::MulAdd>() != nullptr; });
  EXPECT_EQ(fused, 10000u);
}

}  // namespace
