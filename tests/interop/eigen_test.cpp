// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Eigen's matrices as views and as arguments of kernels; what is right is what Eigen says.

#include "lathe/interop/eigen.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <string>
#include <vector>

#include "interop/refused.hpp"
#include "lathe/interop/containers.hpp"
#include "lathe/jit.hpp"

namespace {

using namespace lathe;

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Strides = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;

template <class From, class To>
constexpr bool converts = std::is_convertible_v<From, To>;

using Reads = View<const float, 2>;
using Writes = View<float, 2>;

static_assert(converts<Eigen::MatrixXf &, Writes> && converts<Eigen::MatrixXf &, Reads> && converts<Eigen::ArrayXXf &, Writes>);
static_assert(!converts<const Eigen::MatrixXf &, Writes> && converts<const Eigen::MatrixXf &, Reads>);
static_assert(!converts<Eigen::MatrixXf, Writes> && converts<Eigen::MatrixXf, Reads>);
static_assert(converts<Eigen::Map<Eigen::MatrixXf>, Writes> && converts<Eigen::Map<Eigen::MatrixXf> &, Writes>);
static_assert(!converts<Eigen::Map<const Eigen::MatrixXf>, Writes> && converts<Eigen::Map<const Eigen::MatrixXf>, Reads>);
static_assert(converts<Eigen::Ref<Eigen::MatrixXf>, Writes>);
static_assert(!converts<Eigen::Ref<const Eigen::MatrixXf>, Writes> && converts<Eigen::Ref<const Eigen::MatrixXf>, Reads>);
static_assert(converts<decltype(std::declval<Eigen::MatrixXf &>().block(0, 0, 1, 1)), Writes>);
static_assert(!converts<decltype(std::declval<const Eigen::MatrixXf &>().block(0, 0, 1, 1)), Writes>);
static_assert(converts<Eigen::VectorXf &, View<float, 1>> && converts<Eigen::RowVector4f &, View<float, 1>>);
static_assert(converts<Eigen::VectorXf &, Writes> && !converts<Eigen::MatrixXf &, View<float, 1>>);
// Other elements, other ranks, and expressions, which have no memory.
static_assert(!converts<Eigen::MatrixXd &, Reads> && !converts<Eigen::MatrixXf &, View<const float, 3>>);
static_assert(!converts<decltype(Eigen::MatrixXf() + Eigen::MatrixXf()), Reads>);

/// Element by element the same memory.
template <class M, class T>
void expect_same_memory(M &&m, const View<T, 2> &v) {
  ASSERT_EQ(v.shape(0), m.rows());
  ASSERT_EQ(v.shape(1), m.cols());
  for (Eigen::Index i = 0; i < m.rows(); ++i)
    for (Eigen::Index j = 0; j < m.cols(); ++j) EXPECT_EQ(&v(i, j), &m.coeffRef(i, j)) << i << ", " << j;
}

TEST(EigenViews, OfMatricesInEitherOrder) {
  Eigen::MatrixXf columns(3, 5);
  expect_same_memory(columns, View<float, 2>(columns));
  EXPECT_FALSE(View(columns).is_compact());
  RowMajor rows(3, 5);
  expect_same_memory(rows, View<float, 2>(rows));
  EXPECT_TRUE(View(rows).is_compact());
  Eigen::Matrix<float, 4, 3> fixed;
  expect_same_memory(fixed, View(fixed));
  Eigen::Matrix<float, 4, 3, Eigen::RowMajor> fixed_rows;
  expect_same_memory(fixed_rows, View(fixed_rows));
  Eigen::Array<float, 2, Eigen::Dynamic> half(2, 4);
  expect_same_memory(half, View(half));
  static_assert(std::is_same_v<decltype(View(half)), View<float, 2>>);
  static_assert(std::is_same_v<decltype(View(std::as_const(half))), View<const float, 2>>);
  Eigen::MatrixXf none(0, 3);
  EXPECT_EQ(View(none).size(), 0);
}

TEST(EigenViews, OfPartsAndMaps) {
  Eigen::MatrixXf m(6, 7);
  expect_same_memory(m.block(1, 2, 3, 4), View<float, 2>(m.block(1, 2, 3, 4)));
  expect_same_memory(m.transpose(), View<float, 2>(m.transpose()));
  auto part = m.topRightCorner<2, 3>();
  expect_same_memory(part, View(part));
  RowMajor r(6, 7);
  expect_same_memory(r.block(1, 2, 3, 4), View<float, 2>(r.block(1, 2, 3, 4)));

  std::vector<float> memory(60);
  Eigen::Map<Eigen::MatrixXf, 0, Strides> apart(memory.data() + 1, 3, 4, Strides(14, 2));
  expect_same_memory(apart, View(apart));
  EXPECT_EQ(View(apart).strides(), (std::array<std::int64_t, 2>{2, 14}));
  Eigen::Map<RowMajor, 0, Strides> rows_apart(memory.data(), 3, 4, Strides(14, 2));
  expect_same_memory(rows_apart, View(rows_apart));
  EXPECT_EQ(View(rows_apart).strides(), (std::array<std::int64_t, 2>{14, 2}));
  Eigen::Ref<Eigen::MatrixXf> reference(m);
  expect_same_memory(reference, View(reference));
}

TEST(EigenViews, OfVectorsInBothRanks) {
  Eigen::VectorXf column = Eigen::VectorXf::LinSpaced(5, 1, 5);
  Eigen::RowVectorXf row = column.transpose();
  const View<float, 1> c = column, r = row;
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(&c(i), &column(i));
    EXPECT_EQ(&r(i), &row(i));
  }
  static_assert(std::is_same_v<decltype(View(column)), View<float, 1>>);
  expect_same_memory(column, View<float, 2>(column));
  expect_same_memory(row, View<float, 2>(row));

  Eigen::MatrixXf m(4, 6);
  const View<float, 1> line = m.row(2);
  ASSERT_EQ(line.shape(0), 6);
  for (int j = 0; j < 6; ++j) EXPECT_EQ(&line(j), &m(2, j));
  const View<float, 1> every_second = Eigen::Map<Eigen::VectorXf, 0, Eigen::InnerStride<2>>(m.data(), 12);
  for (int i = 0; i < 12; ++i) EXPECT_EQ(&every_second(i), m.data() + 2 * i);
  EXPECT_EQ((View<float, 1>(column.segment(1, 3)).data()), column.data() + 1);
}

/// Distinct small integers, so that every sum of products is exact.
template <class M>
M counted(Eigen::Index rows, Eigen::Index columns, float first) {
  M m(rows, columns);
  for (Eigen::Index i = 0; i < rows; ++i)
    for (Eigen::Index j = 0; j < columns; ++j) m(i, j) = first + static_cast<float>(i * columns + j);
  return m;
}

TEST(EigenArguments, ProductOfBothOrders) {
  auto A = placeholder<float>({5, 7}, "A"), B = placeholder<float>({7, 6}, "B").column_major();
  auto k = reduce_axis(7, "k");
  auto C = compute({5, 6}, [&](Index i, Index j) { return sum(A(i, k) * B(k, j), k); }, "C(i, j)");
  Schedule s(C);
  const auto kernel = jit(s, A, B, C);
  const auto a = counted<RowMajor>(5, 7, -9), larger = counted<RowMajor>(9, 7, 4);
  const auto b = counted<Eigen::MatrixXf>(7, 6, 3);
  RowMajor c(5, 6);
  kernel(a, b, c);
  EXPECT_EQ(c, a * b);
  // Parts of larger matrices that lie side by side, the output through a temporary.
  RowMajor whole = RowMajor::Constant(7, 6, -1);
  kernel(larger.middleRows(2, 5), b, whole.middleRows(1, 5));
  EXPECT_EQ(whole.middleRows(1, 5), larger.middleRows(2, 5) * b);
  EXPECT_TRUE((whole.row(0).array() == -1).all() && (whole.row(6).array() == -1).all());
  // A matrix by columns is its transpose by rows.
  const Eigen::MatrixXf t = a.transpose();
  c.setZero();
  kernel(t.transpose(), b, Eigen::Map<RowMajor>(c.data(), 5, 6));
  EXPECT_EQ(c, a * b);
}

TEST(EigenArguments, FixedSizesAndVectors) {
  auto A = placeholder<double>({3, 3}, "A").column_major();
  auto x = placeholder<double>({3}, "x");
  auto k = reduce_axis(3, "k");
  auto y = compute({3}, [&](Index i) { return sum(A(i, k) * x(k), k); }, "y(i)");
  Schedule s(y);
  Eigen::Matrix3d a;
  a << 1, 2, 3, 4, 5, 6, 7, 8, 10;
  const Eigen::Vector3d v(1, -2, 3);
  Eigen::Vector3d result;
  jit(s, A, x, y)(a, v, result);
  EXPECT_EQ(result, a * v);
  EXPECT_EQ(evaluate(y, {{A, a}, {x, v}})(2), (a * v)(2));
}

TEST(EigenArguments, BlocksAtALeadingDimension) {
  auto m = size_var("m"), n = size_var("n"), ld = size_var("ld");
  auto A = placeholder<float>({m, n}, "A").strides({1, ld});
  auto B = compute({m, n}, [&](Index i, Index j) { return A(i, j) * 2; }, "B(i, j)");
  Schedule s(B);
  const auto a = counted<Eigen::MatrixXf>(8, 9, 1);
  RowMajor b(3, 4);
  jit(s, A, B)(a.block(2, 3, 3, 4), b);
  EXPECT_EQ(b, 2 * a.block(2, 3, 3, 4));
}

TEST(EigenArguments, ColumnMajorNeedsAPromise) {
  auto A = placeholder<float>({3, 4}, "A");
  auto B = compute({3, 4}, [&](Index i, Index j) { return -A(i, j); }, "B(i, j)");
  Schedule s(B);
  const auto kernel = interpret(s, A, B);
  const auto a = counted<Eigen::MatrixXf>(3, 4, 0);
  RowMajor b = RowMajor::Constant(3, 4, 55);
  try {
    kernel(a, b);
    FAIL() << "a column-major matrix was taken for a row-major one";
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), "K002");
    EXPECT_NE(std::string(error.what()).find(".column_major()"), std::string::npos) << error.what();
  }
  EXPECT_TRUE((b.array() == 55).all());
  Eigen::MatrixXf columns(3, 4);
  EXPECT_EQ(code_of([&] { kernel(RowMajor(a), columns); }), "K002");
  EXPECT_EQ(code_of([&] { kernel(RowMajor(a), b); }), "none");
  EXPECT_EQ(b, -a);
}

}  // namespace
