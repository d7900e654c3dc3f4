// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Layouts: their text, the proof that they keep elements apart against counting, and kernels that use them.

#include "lathe/schedule/layout.hpp"

#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lathe/arith/simplify.hpp"
#include "lathe/ir/build.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/jit.hpp"
#include "lathe/lathe.hpp"

namespace lathe {
namespace {

using scheduling::Layout;
using testing::HasSubstr;

Layout parsed(const std::string &text, int rank) {
  std::string why;
  Layout layout = scheduling::parse_layout(text, rank, why);
  EXPECT_EQ(why, "") << text;
  return layout;
}

/// Whether no two elements of a box of 40 by 40 (or 40) have the same indices, by counting.
bool keeps_apart(const Layout &layout) {
  std::set<std::vector<std::int64_t>> seen;
  const std::int64_t extent = 40, second = layout.axes.size() > 1 ? extent : 1;
  for (std::int64_t a = 0; a < extent; ++a)
    for (std::int64_t b = 0; b < second; ++b) {
      ir::VarMap<ir::Expr> values{{layout.axes[0], a}};
      if (layout.axes.size() > 1) values.emplace(layout.axes[1], b);
      std::vector<std::int64_t> place;
      for (const ir::Expr &index : layout.indices)
        place.push_back(ir::constant_integer(arith::Facts().simplify(ir::substitute(index, values))).value());
      if (!seen.insert(place).second) return false;
    }
  return true;
}

TEST(Layout, TextReadsBack) {
  for (const char *text : {"i0", "i1/16,i0,i1%16", "i0*16+i1%16,i1/16", "i1/4%4,(i0+1)*4+i1%4,i1/16"}) {
    const Layout layout = parsed(text, 2);
    EXPECT_EQ(scheduling::to_text(layout), text);
  }
  for (const char *text : {"", "i2", "i0,", "i0 i1", "i0+", "(i0", "i0)", "x", "min(i0,3)", "99999999999999999999", "i"}) {
    std::string why;
    scheduling::parse_layout(text, 2, why);
    EXPECT_NE(why, "") << text;
  }
  std::string why;
  scheduling::parse_layout(std::string(10000, '('), 1, why);
  EXPECT_NE(why, "");
}

TEST(Layout, WhatIsAcceptedKeepsElementsApart) {
  const char *texts[] = {"i0,i1",
                         "i1,i0",
                         "i1/16,i0,i1%16",
                         "i1/3,i0,i1%3",
                         "i0*16+i1%16,i1/16",
                         "i0*15+i1%16,i1/16",
                         "i0*64+i1",
                         "i0",
                         "i1/16,i0",
                         "i1%16,i0",
                         "i0,i1%16,i1/8",
                         "i0,i1%8,i1/16",
                         "i0,i1%16/4,i1%4,i1/16",
                         "i0+i1,i1",
                         "i0/2*2+i0%2,i1",
                         "i0/2+i0%2,i1",
                         "i0/4*8+i0%4,i1",
                         "i0,i1/4%4,i1%4",
                         "i0,i1/4%4,i1%4,i1/16",
                         "i0-1,i1",
                         "i0*2+i1%2,i1/2",
                         "i0*2+i1%3,i1/3",
                         "i0%7%3,i0%7/3,i0/7,i1",
                         "i1/6,i1%6/4,i1%4,i0"};
  int accepted = 0, parts = 0;
  for (const char *text : texts) {
    const Layout layout = parsed(text, 2);
    const bool claimed = scheduling::why_not_injective(layout).empty();
    EXPECT_TRUE(!claimed || keeps_apart(layout)) << text;
    accepted += claimed;
    parts += keeps_apart(layout);
  }
  EXPECT_GE(accepted, 11);
  EXPECT_GT(parts, 0);
  EXPECT_NE(scheduling::why_not_injective(parsed("i0*15+i1%16,i1/16", 2)), "");
  EXPECT_NE(scheduling::why_not_injective(parsed("i0,i1%8,i1/16", 2)), "");
  EXPECT_NE(scheduling::why_not_injective(parsed("i0-1,i1", 2)), "");
}

/// C = A B by panels of B, on every extent: also those that are no multiple of the panel.
struct Panels {
  std::int64_t m, n, depth;
  Input<float, 2> A = placeholder<float>({m, depth}, "A"), B = placeholder<float>({depth, n}, "B");
  ReduceAxis k = reduce_axis(depth, "k");
  Tensor<float, 2> C = compute({m, n}, [&](Index i, Index j) { return sum(A(i, k) * B(k, j), k); }, "C");
  Array<float, 2> a =
      Array<float, 2>::generate({m, depth}, [](std::int64_t i, std::int64_t j) { return static_cast<float>(3 * i - j); });
  Array<float, 2> b =
      Array<float, 2>::generate({depth, n}, [](std::int64_t i, std::int64_t j) { return static_cast<float>(i - 2 * j); });

  void expect_right(const Schedule &s) const {
    auto right = Array<float, 2>::generate({m, n}, [&](std::int64_t i, std::int64_t j) {
      float total = 0;
      for (std::int64_t at = 0; at < depth; ++at) total += a(i, at) * b(at, j);
      return total;
    });
    Array<float, 2> compiled({m, n}), interpreted({m, n});
    jit(s, A, B, C)(a, b, compiled);
    interpret(s, A, B, C)(a, b, interpreted);
    EXPECT_EQ(compiled, right);
    EXPECT_EQ(interpreted, right);
  }
};

TEST(Layout, PanelsOfAMatrix) {
  for (const std::int64_t n : {1, 15, 16, 50, 64}) {
    const Panels p{5, n, 7};
    Schedule s(p.C);
    auto panels = s.cache_read(p.B, scope::global, p.C);
    s[panels].layout([](Index k, Index j) { return at(j / 16, k, j % 16); });
    auto [i, j] = s[p.C].axes();
    auto [jo, ji] = s[p.C].split(j, 16);
    s[p.C].reorder(jo, i, p.k, ji);
    s[p.C].vectorize(ji);
    p.expect_right(s);
    if (n == 50) {
      const std::string loops = print(s, p.A, p.B, p.C);
      EXPECT_THAT(loops, HasSubstr("allocate B.cache: float32[4, 7, 16]"));
      EXPECT_THAT(loops, HasSubstr("B.cache[i1/16, i0, i1%16] = B[i0, i1]"));
      EXPECT_THAT(loops, HasSubstr("A[i, k]*B.cache[j.outer, k, j.inner"));
    }
    s[panels].compute_at(s[p.C], jo);
    s[panels].layout("i1, i0");
    p.expect_right(s);
    Schedule again(p.C);
    again.replay(s.to_text());
    EXPECT_EQ(again.to_text(), s.to_text());
    p.expect_right(again);
  }
}

TEST(Layout, OfAStageThatAccumulates) {
  const Panels p{6, 10, 4};
  Schedule s(p.C);
  auto sums = s.cache_write(p.C, scope::local);
  s[sums].layout([](Index i, Index j) { return at(j, i / 2 * 2 + i % 2); });
  p.expect_right(s);
  EXPECT_THAT(s.to_cpp(), HasSubstr("s[C_local].layout([](Index i0, Index i1) { return at(i1, i0/2*2+i0%2); });"));
}

}  // namespace
}  // namespace lathe
