// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Buffers with padded strides.

#include <gmock/gmock.h>

#include <functional>

#include "cases/every_backend.hpp"
#include "lathe/ir/build.hpp"
#include "lathe/ir/walk.hpp"

namespace {

using namespace cases;

/// The strides of the only allocated buffer, -1 where symbolic.
std::vector<std::int64_t> strides_of(const Schedule &s, const std::vector<AnyArgument> &arguments) {
  std::vector<std::int64_t> strides;
  const std::function<void(const ir::Stmt &)> look = [&](const ir::Stmt &statement) {
    if (const auto *allocate = statement.as<ir::Allocate>())
      for (const ir::Buffer &buffer : allocate->buffers)
        for (const ir::Expr &stride : buffer->strides) strides.push_back(ir::constant_integer(stride).value_or(-1));
    ir::for_each_stmt(statement, look);
  };
  look(lower_program(s, arguments, {}).entry().body);
  return strides;
}

/// b(z, y, x) of extents (3, ny, nx), read backwards.
struct Cube {
  std::int64_t ny, nx;
  Input<std::int32_t, 3> a = placeholder<std::int32_t>({3, ny, nx}, "a");
  Tensor<std::int32_t, 3> b = compute({3, ny, nx}, [&](Index z, Index y, Index x) { return a(z, y, x) * 2; }, "b(z, y, x)");
  Tensor<std::int32_t, 3> c = compute(
      {3, ny, nx}, [&](Index z, Index y, Index x) { return b(2 - z, ny - 1 - y, nx - 1 - x) + b(z, y, x); }, "c(z, y, x)");

  std::vector<Given> given() const {
    const auto value = static_cast<std::int32_t>(2 * (3 * ny * nx - 1));
    return {in(a, counted<std::int32_t, 3>({3, ny, nx})),
            out(c, Array<std::int32_t, 3>::generate({3, ny, nx}, [&](auto...) { return value; }))};
  }
};

TEST(StorageAlign, PadsTheStrideOfADimension) {
  EveryBackend run;
  Cube cube{5, 30};
  Schedule s(cube.c);
  s[cube.b].storage_align(s[cube.b].axis(1), 16, 0);
  EXPECT_EQ(strides_of(s, {cube.a, cube.c}), (std::vector<std::int64_t>{160, 32, 1}));
  run.expect(s, cube.given());
}

/// Inner dimensions first: 30 to 33, then 5 * 33 = 165 to 167.
TEST(StorageAlign, PadsSeveralAndLeavesAnOffset) {
  EveryBackend run;
  Cube cube{5, 30};
  for (const bool inner_first : {true, false}) {
    Schedule s(cube.c);
    auto [z, y, x] = s[cube.b].axes();
    s[cube.b].vectorize(s[cube.b].split(x, 8).second);
    if (inner_first) s[cube.b].storage_align(y, 8, 1);
    s[cube.b].storage_align(z, 8, 7);
    if (!inner_first) s[cube.b].storage_align(y, 8, 1);
    EXPECT_EQ(strides_of(s, {cube.a, cube.c}), (std::vector<std::int64_t>{167, 33, 1}));
    run.expect(s, cube.given());
  }
}

TEST(StorageAlign, LeavesAStrideThatFits) {
  Cube cube{4, 32};
  Schedule s(cube.c);
  s[cube.b].storage_align(s[cube.b].axis(1), 16, 0);
  EXPECT_EQ(strides_of(s, {cube.a, cube.c}), (std::vector<std::int64_t>{128, 32, 1}));
}

/// On the stack, of a region, and of symbolic extents.
TEST(StorageAlign, OfATileAndOfASymbol) {
  EveryBackend run;
  SizeVar n = size_var("n");
  auto a = placeholder<float>({n, n}, "a");
  auto b = compute({n, n}, [&](Index i, Index j) { return a(i, j) + 1.0f; }, "b(i, j)");
  auto c = compute({n, n}, [&](Index i, Index j) { return b(j, i) * 2.0f; }, "c(i, j)");
  for (const bool tiled : {false, true}) {
    Schedule s(c);
    s[b].storage_align(s[b].axis(0), 8, 3);
    if (tiled) {
      auto [io, jo, ii, ji] = s[c].tile(s[c].axis(0), s[c].axis(1), 4, 4);
      s[b].compute_at(s[c], jo);
      s[b].set_scope(scope::local);
      EXPECT_EQ(strides_of(s, {a, c}), (std::vector<std::int64_t>{11, 1}));
    } else {
      EXPECT_EQ(strides_of(s, {a, c}), (std::vector<std::int64_t>{-1, 1}));
    }
    for (const std::int64_t size : {0, 1, 8, 11})
      run.expect(s, {in(a, counted<float, 2>({size, size})), out(c, Array<float, 2>::generate({size, size}, [&](auto i, auto j) {
                                                                   return static_cast<float>(2 * (j * size + i + 1));
                                                                 }))});
  }
}

TEST(StorageAlign, TextAndCppReadBack) {
  Cube cube{5, 30};
  Schedule s(cube.c);
  s[cube.b].storage_align(s[cube.b].axis(1), 8, 1);
  s[cube.b].split(s[cube.b].axis(0), 2);
  s[cube.b].storage_align(s[cube.b].axis(0), 4);
  EXPECT_EQ(s.to_text(), "storage_align o1 o1 8 1\nsplit o1 o0 2\nstorage_align o1 o0 4 0\n");
  EXPECT_EQ(s.to_cpp(),
            "Schedule s(c);\nauto [z, y, x] = s[b].axes();\ns[b].storage_align(y, 8, 1);\n"
            "auto [z_outer, z_inner] = s[b].split(z, 2);\ns[b].storage_align(z, 4, 0);\n");
  Schedule again(cube.c);
  again.replay(s.to_text());
  EXPECT_EQ(again.to_cpp(), s.to_cpp());
}

}  // namespace
