// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Types like std::mdspan as views and as arguments of kernels.

#include "lathe/interop/mdspan.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "interop/refused.hpp"
#include "lathe/interop/containers.hpp"
#include "lathe/interop/eigen.hpp"
#include "lathe/jit.hpp"

namespace {

using namespace lathe;

/// What std::mdspan<T, std::dextents<I, Rank>, std::layout_stride> answers (C++23, 24.7.3).
template <class T, std::size_t Rank, class I = std::size_t>
class Strided {
 public:
  using element_type = T;
  using index_type = I;
  using rank_type = std::size_t;
  using data_handle_type = T *;

  constexpr Strided(T *data, std::array<I, Rank> extents, std::array<I, Rank> strides)
      : data_(data), extents_(extents), strides_(strides) {}
  static constexpr rank_type rank() noexcept { return Rank; }
  constexpr index_type extent(rank_type r) const { return extents_[r]; }
  constexpr index_type stride(rank_type r) const { return strides_[r]; }
  constexpr const data_handle_type &data_handle() const noexcept { return data_; }
  constexpr std::size_t size() const {
    std::size_t product = 1;
    for (const I extent : extents_) product *= static_cast<std::size_t>(extent);
    return product;
  }

 private:
  T *data_;
  std::array<I, Rank> extents_, strides_;
};

/// The same with `data()`, as before C++23, and owning its elements, as the mdarray of P1684 does.
class Owning {
 public:
  Owning(std::size_t rows, std::size_t columns) : columns_(columns), elements_(rows * columns) {}
  static constexpr std::size_t rank() { return 2; }
  std::size_t extent(std::size_t r) const { return r == 0 ? elements_.size() / columns_ : columns_; }
  std::size_t stride(std::size_t r) const { return r == 0 ? columns_ : 1; }
  std::size_t size() const { return elements_.size(); }
  float *data() { return elements_.data(); }
  const float *data() const { return elements_.data(); }
  auto begin() { return elements_.begin(); }

 private:
  std::size_t columns_;
  std::vector<float> elements_;
};

/// A layout without strides.
struct Unstrided {
  static constexpr std::size_t rank() { return 1; }
  std::size_t extent(std::size_t) const { return 1; }
  float *data_handle() const { return nullptr; }
};

/// An accessor whose handle is no pointer.
struct Shared {
  static constexpr std::size_t rank() { return 1; }
  std::size_t extent(std::size_t) const { return 1; }
  std::size_t stride(std::size_t) const { return 1; }
  std::shared_ptr<float> data_handle() const { return nullptr; }
};

template <class From, class To>
constexpr bool converts = std::is_convertible_v<From, To>;

static_assert(converts<Strided<float, 2>, View<float, 2>> && converts<const Strided<float, 2> &, View<float, 2>>);
static_assert(converts<Strided<float, 2>, View<const float, 2>>);
static_assert(!converts<Strided<const float, 2>, View<float, 2>> && converts<Strided<const float, 2>, View<const float, 2>>);
static_assert(!converts<Strided<float, 2>, View<float, 1>> && !converts<Strided<float, 2>, View<double, 2>>);
static_assert(converts<Owning &, View<float, 2>> && !converts<const Owning &, View<float, 2>>);
static_assert(!converts<Owning, View<float, 2>> && converts<Owning, View<const float, 2>>);
static_assert(!converts<Owning &, View<float, 1>>);
static_assert(!converts<Unstrided, View<float, 1>> && !converts<Shared, View<float, 1>>);

TEST(Mdspan, LooksAtTheSameElements) {
  std::vector<std::int32_t> memory(100);
  const Strided<std::int32_t, 3, int> span(memory.data() + 3, {2, 3, 4}, {1, 2, 8});
  const View v = span;
  static_assert(std::is_same_v<decltype(v), const View<std::int32_t, 3>>);
  EXPECT_EQ(v.shape(), (std::array<std::int64_t, 3>{2, 3, 4}));
  EXPECT_EQ(&v(1, 2, 3), memory.data() + 3 + 1 + 4 + 24);
  const Strided<const std::int32_t, 0> one(memory.data() + 7, {}, {});
  memory[7] = 77;
  EXPECT_EQ((View<const std::int32_t, 0>(one)()), 77);
  const Strided<std::int32_t, 2> none(nullptr, {0, 5}, {5, 1});
  EXPECT_EQ(View(none).size(), 0);
  Owning owning(2, 3);
  EXPECT_EQ((&View<float, 2>(owning)(1, 1)), owning.data() + 4);
}

TEST(Mdspan, IsAnArgumentOfKernels) {
  auto A = placeholder<float>({3, 4}, "A"), B = placeholder<float>({3, 4}, "B").column_major();
  auto C = compute({3, 4}, [&](Index i, Index j) { return A(i, j) - B(i, j); }, "C(i, j)");
  Schedule s(C);
  const auto kernel = jit(s, A, B, C);
  std::vector<float> a(12), b(12), c(12);
  for (int i = 0; i < 12; ++i) {
    a[static_cast<std::size_t>(i)] = static_cast<float>(i * i);
    b[static_cast<std::size_t>(i)] = static_cast<float>(100 - 3 * i);
  }
  const Strided<const float, 2> rows(a.data(), {3, 4}, {4, 1}), columns(b.data(), {3, 4}, {1, 3});
  kernel(rows, columns, Strided<float, 2>(c.data(), {3, 4}, {4, 1}));
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(c[4 * i + j], a[4 * i + j] - b[i + 3 * j]);
  EXPECT_EQ(code_of([&] { kernel(columns, columns, Strided<float, 2>(c.data(), {3, 4}, {4, 1})); }), "K002");
}

}  // namespace
