// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Walks, rewrites and questions: order, sharing, depth, identity of what is unchanged, binders, lanes.

#include "lathe/ir/walk.hpp"

#include <gtest/gtest.h>

#include "lathe/ir/build.hpp"
#include "lathe/ir/operation.hpp"
#include "lathe/ir/print.hpp"

namespace {

using namespace lathe;
using namespace lathe::ir;
namespace types = lathe::scalar_types;

constexpr int depth = 20000;

const Var i("i", types::index), j("j", types::index), k("k", types::index), n("n", types::index, true);

Expr chain_of(Expr e, int length) {
  for (int step = 0; step < length; ++step) e = make(types::index, Binary{BinaryOp::add, e, Expr(1)});
  return e;
}
/// 2^levels leaves, levels + 1 nodes.
Expr doubling(Expr e, int levels) {
  for (int level = 0; level < levels; ++level) e = make(types::index, Binary{BinaryOp::mul, e, e});
  return e;
}
Reducer sum_reducer() {
  auto *node = new ReducerNode;
  node->name = "sum";
  return Reducer(node);
}
Expr sum_over(Expr source, const Axis &axis, std::vector<Expr> init = {}) {
  return make(types::index, Reduce{sum_reducer(), {source}, {axis}, {}, std::move(init), 0});
}

TEST(Walk, ChildrenFirstEachNodeOnce) {
  const Expr a = i, b = j, product = a * b, e = make(types::index, Binary{BinaryOp::add, product, product});
  std::vector<const ExprNode *> order;
  walk(e, [&](const Expr &x) { order.push_back(x.node()); });
  EXPECT_EQ(order, (std::vector<const ExprNode *>{a.node(), b.node(), product.node(), e.node()}));
}

TEST(Walk, DownVisitsParentsFirstAndSkips) {
  const Expr a = i, b = j, c = k, product = a * b, e = product + c;
  std::vector<const ExprNode *> order;
  walk_down(e, [&](const Expr &x) {
    order.push_back(x.node());
    return !x.same_as(product);
  });
  EXPECT_EQ(order, (std::vector<const ExprNode *>{e.node(), product.node(), c.node()}));
}

TEST(Walk, DeepChainsNeedNoDeepStack) {
  const Expr e = chain_of(i, depth);
  int nodes = 0;
  walk(e, [&](const Expr &) { ++nodes; });
  EXPECT_EQ(nodes, 2 * depth + 1);
  EXPECT_TRUE(uses(e, i));
  EXPECT_EQ(free_vars(e), std::vector<Var>{i});
  EXPECT_TRUE(equal(e, chain_of(i, depth)));
  EXPECT_FALSE(equal(e, chain_of(j, depth)));
  EXPECT_EQ(hash(e), hash(chain_of(i, depth)));
  EXPECT_TRUE(equal(substitute(e, {{i, j}}), chain_of(j, depth)));
  EXPECT_TRUE(rewrite(e, [](const Expr &x) { return x; }).same_as(e));
  EXPECT_TRUE(is_pure_scalar(e));
}

TEST(Walk, SharedNodesAreVisitedOnce) {
  const Expr e = doubling(i, 500), f = doubling(i, 500);
  int nodes = 0, changes = 0;
  walk(e, [&](const Expr &) { ++nodes; });
  EXPECT_EQ(nodes, 501);
  const Expr replaced = rewrite(e, [&](const Expr &x) -> Expr {
    ++changes;
    return x.as<VarRef>() ? Expr(j) : x;
  });
  EXPECT_EQ(changes, 501);
  EXPECT_TRUE(equal(e, f));
  EXPECT_EQ(hash(e), hash(f));
  EXPECT_TRUE(equal(replaced, doubling(j, 500)));
  EXPECT_FALSE(equal(e, replaced));
  const auto *top = replaced.as<Binary>();
  EXPECT_TRUE(top->a.same_as(top->b));  // still shared
}

TEST(Walk, UnchangedRewritesReturnTheSameHandle) {
  const Buffer a("A", types::index, {n});
  const Expr e = select(Expr(i) < 3, load(a, {Expr(i) + 1}, Expr(i) < Expr(n)), 0, true);
  EXPECT_TRUE(rewrite(e, [](const Expr &x) { return x; }).same_as(e));
  EXPECT_TRUE(substitute(e, {{k, 1}}).same_as(e));
  const Stmt s =
      make(For{i, 0, n, LoopKind::serial, make(Allocate{{a}, block({make(Store{a, {i}, e, {}}), make(Evaluate{e})})})});
  EXPECT_TRUE(rewrite_exprs(s, [](const Expr &x) { return x; }).same_as(s));
  EXPECT_TRUE(rewrite_stmts(s, [](const Stmt &x) { return x; }).same_as(s));
  EXPECT_TRUE(substitute(s, {{k, 1}}).same_as(s));
}

TEST(Walk, OnlyWhatChangesIsRebuilt) {
  const Expr left = Expr(i) * 2, right = Expr(j) * 3, e = left + right;
  const Expr changed = substitute(e, {{j, k}});
  EXPECT_TRUE(changed.as<Binary>()->a.same_as(left));
  EXPECT_TRUE(equal(changed, left + Expr(k) * 3));
}

TEST(Walk, VectorsWidenWhatDependsOnThem) {
  const Buffer a("A", types::float32, {n, n});
  const Expr lanes = ramp(0, 1, 8);
  const auto widened = [&](const Expr &e) { return substitute(e, {{i, lanes}}); };

  const Expr sum = widened(Expr(i) + Expr(j));
  EXPECT_EQ(sum.type(), DType(types::index, 8));
  EXPECT_EQ(sum.as<Binary>()->b.lanes(), 8);

  EXPECT_EQ(widened(Expr(i) < Expr(j)).type(), DType(types::boolean, 8));
  EXPECT_EQ(widened(cast(types::float32, i)).type(), DType(types::float32, 8));
  const Expr any = unary(UnaryOp::any_lane, broadcast(Expr(j), 8) < broadcast(Expr(k), 8));
  EXPECT_EQ(substitute(any, {{j, n}}).type(), DType(types::boolean));

  const Expr chosen = widened(select(Expr(j) < 3, i, 0));
  EXPECT_EQ(chosen.type(), DType(types::index, 8));
  EXPECT_EQ(chosen.as<Select>()->condition.lanes(), 8);
  EXPECT_EQ(chosen.as<Select>()->b.lanes(), 8);

  const Expr loaded = widened(load(a, {j, i}, Expr(j) < 3));
  EXPECT_EQ(loaded.type(), DType(types::float32, 8));
  EXPECT_EQ(loaded.as<Load>()->indices[0].lanes(), 1);  // an index that stays scalar
  EXPECT_EQ(loaded.as<Load>()->predicate.lanes(), 8);

  const Expr masked = widened(load(a, {j, j}, Expr(i) < 3));
  EXPECT_EQ(masked.type(), DType(types::float32, 8));
  EXPECT_EQ(masked.as<Load>()->indices[1].lanes(), 8);

  const Buffer cell("cell", types::float32, {});
  const Expr masked_cell = widened(load(cell, {}, Expr(i) < 3));
  EXPECT_EQ(to_string(masked_cell), "select([0:8] < (3 x8), cell[] x8, 0.0f x8)");

  const ExternalFunction f{"f", nullptr, true};
  EXPECT_EQ(widened(call(types::index, f, {i, j})).as<Call>()->arguments[1].lanes(), 8);
  EXPECT_THROW(widened(ramp(i, 1, 4)), Error);
  EXPECT_THROW(widened(broadcast(i, 4)), Error);
  // And narrows again.
  EXPECT_EQ(rewrite(loaded,
                    [](const Expr &x) -> Expr {
                      const auto *b = x.as<Broadcast>();
                      return b ? b->a : x.as<Ramp>() ? x.as<Ramp>()->base : x;
                    })
                .type(),
            DType(types::float32));
}

TEST(Walk, ReductionsBindTheirAxes) {
  const Axis axis{k, 0, n};
  const Expr e = sum_over(Expr(k) * Expr(i), axis, {k});
  EXPECT_EQ(free_vars(e), (std::vector<Var>{i, n, k}));  // k as the start is another matter
  EXPECT_EQ(free_vars(sum_over(Expr(k) * Expr(i), axis)), (std::vector<Var>{i, n}));
  EXPECT_TRUE(uses(e, k));
  EXPECT_FALSE(uses(sum_over(k, axis), k));
  const Expr replaced = substitute(e, {{k, 7}, {i, j}, {n, 5}});
  const auto *r = replaced.as<Reduce>();
  EXPECT_TRUE(equal(r->sources[0], Expr(k) * Expr(j)));
  EXPECT_TRUE(is_constant(r->axes[0].extent, 5));
  EXPECT_TRUE(is_constant(r->init[0], 7));
  EXPECT_TRUE(substitute(sum_over(k, axis), {{k, 7}}).as<Reduce>()->sources[0].as<VarRef>());
}

TEST(Walk, LoopsBindTheirVariable) {
  const Buffer a("A", types::index, {8});
  const Stmt s = make(For{i, 0, Expr(i) + 1, LoopKind::serial, make(Store{a, {i}, j, {}})});
  const Stmt replaced = substitute(s, {{i, 5}, {j, k}});
  EXPECT_TRUE(equal(replaced, make(For{i, 0, make(types::index, Binary{BinaryOp::add, Expr(5), Expr(1)}), LoopKind::serial,
                                       make(Store{a, {i}, k, {}})})));
}

TEST(Walk, Equality) {
  const Buffer a("A", types::float32, {8}), b("A", types::float32, {8});
  EXPECT_TRUE(equal(load(a, {i}), load(a, {i})));
  EXPECT_FALSE(equal(load(a, {i}), load(b, {i})));
  EXPECT_FALSE(equal(load(a, {i}), load(a, {i}, Expr(i) < 3)));
  EXPECT_FALSE(equal(Var("i", types::index), i));
  EXPECT_FALSE(equal(Expr(1), constant(types::int64, std::int64_t{1})));
  EXPECT_FALSE(equal(Expr(i) + 1, Expr(i) - 1));
  EXPECT_FALSE(equal(select(Expr(i) < 1, j, k), select(Expr(i) < 1, j, k, true)));
  EXPECT_FALSE(equal(cast(types::int8, i), cast(types::int8, i, CastMode::saturate)));
  EXPECT_FALSE(equal(shuffle({ramp(i, 1, 4)}, {0, 1}), shuffle({ramp(i, 1, 4)}, {1, 0})));
  EXPECT_TRUE(equal(Expr(), Expr()));
  EXPECT_FALSE(equal(Expr(), Expr(1)));
  EXPECT_EQ(hash(load(a, {Expr(i) + 1})), hash(load(a, {Expr(i) + 1})));
  EXPECT_NE(hash(Expr(i) + 1), hash(Expr(i) + 2));
  const auto check = [](int line) {
    return make(Check{Expr(i) < 3, "i is small", Location("a.cpp", static_cast<unsigned>(line))});
  };
  EXPECT_TRUE(equal(check(1), check(2)));
  const auto loop = [](const Stmt &body) { return make(For{i, 0, 4, LoopKind::serial, body}); };
  EXPECT_TRUE(equal(loop(make(Evaluate{i})), loop(make(Evaluate{i}))));
  EXPECT_FALSE(equal(loop(make(Evaluate{i})), loop(make(Evaluate{j}))));
  EXPECT_FALSE(equal(block({check(1), check(1)}), block({check(1), check(1), check(1)})));
}

TEST(Walk, StatementsDownAndTheirExpressions) {
  const Buffer a("A", types::index, {n});
  const Expr shared = Expr(i) * 2;
  const Stmt s = make(For{i, 0, n, LoopKind::serial,
                          block({make(Store{a, {shared}, shared, {}}), make(If{Expr(i) < 3, make(Evaluate{shared}), {}})})});
  std::vector<StmtKind> kinds;
  walk_down(s, [&](const Stmt &x) {
    kinds.push_back(x.node()->kind());
    return x.node()->kind() != StmtKind::branch;
  });
  EXPECT_EQ(kinds, (std::vector<StmtKind>{StmtKind::loop, StmtKind::block, StmtKind::store, StmtKind::branch}));
  int visits = 0;
  walk(s, [&](const Expr &e) { visits += e.same_as(shared); });
  EXPECT_EQ(visits, 1);
  EXPECT_TRUE(uses(s, n));
  EXPECT_FALSE(uses(s, k));
}

TEST(Walk, RewritingStatements) {
  const Buffer a("A", types::index, {8});
  const Stmt store = make(Store{a, {i}, j, {}});
  const Stmt s = make(For{i, 0, 8, LoopKind::serial, block({store, store})});
  const Stmt removed = rewrite_stmts(s, [](const Stmt &x) { return x.as<Store>() ? block({}) : x; });
  int stores = 0;
  walk_down(removed, [&](const Stmt &x) {
    stores += x.as<Store>() != nullptr;
    return true;
  });
  EXPECT_EQ(stores, 0);
  const Stmt doubled = rewrite_exprs(s, [](const Expr &x) { return is_constant(x, 8) ? Expr(16) : x; });
  EXPECT_TRUE(is_constant(doubled.as<For>()->extent, 16));
  EXPECT_TRUE(doubled.as<For>()->body.same_as(s.as<For>()->body));
}

TEST(Walk, AChangedShapeAllocatesAnotherBuffer) {
  const Buffer t("t", types::index, {n}), other("other", types::index, {n});
  const Stmt s = make(Allocate{{t}, block({make(Store{t, {i}, load(other, {i}), {}}), make(Evaluate{load(t, {j})})})});
  const Stmt replaced = substitute(s, {{n, 4}});
  const Allocate &a = *replaced.as<Allocate>();
  EXPECT_FALSE(a.buffers[0] == t);
  EXPECT_TRUE(is_constant(a.buffers[0]->shape[0], 4));
  const Block &body = *a.body.as<Block>();
  EXPECT_TRUE(body.body[0].as<Store>()->buffer == a.buffers[0]);
  EXPECT_TRUE(body.body[0].as<Store>()->value.as<Load>()->buffer == other);
  EXPECT_TRUE(body.body[1].as<Evaluate>()->value.as<Load>()->buffer == a.buffers[0]);
}

TEST(Walk, OnlyBuffersWhoseShapeChangesAreReplaced) {
  const Buffer t("t", types::index, {n}), fixed("fixed", types::index, {8});
  const Stmt s = make(Allocate{{fixed, t}, block({make(Store{t, {i}, load(fixed, {i}), {}}), make(Evaluate{load(t, {j})})})});
  const Stmt replaced = substitute(s, {{n, 4}});
  const Allocate &a = *replaced.as<Allocate>();
  ASSERT_EQ(a.buffers.size(), 2u);
  EXPECT_TRUE(a.buffers[0] == fixed);
  EXPECT_FALSE(a.buffers[1] == t);
  const Store &store = *a.body.as<Block>()->body[0].as<Store>();
  EXPECT_TRUE(store.buffer == a.buffers[1]);
  EXPECT_TRUE(store.value.as<Load>()->buffer == fixed);
}

TEST(Walk, FreeNames) {
  const Var m("m", types::index), bound("bound", types::index), size("size", types::index);
  BufferNode strided;
  strided.name = "A";
  strided.type = types::index;
  strided.shape = {n, size};
  strided.strides = {m, 1};
  const Buffer a(strided), t("t", types::index, {k});
  const int target = 0;
  const ExternalFunction by_address{"f", &target, true}, by_name{"g", nullptr, true};
  const Expr value = load(t, {bound}) + call(types::index, by_address, {j}) + call(types::index, by_name, {i});
  const Stmt s = make(For{i, 0, n, LoopKind::parallel,
                          make(Allocate{{t}, make(Bind{bound, Expr(i) * 2, make(Store{a, {i, bound}, value, {}})})})});
  const FreeNames names = free_names(s);
  EXPECT_EQ(names.vars, (std::vector<Var>{n, k, size, m, j}));
  EXPECT_EQ(names.buffers, std::vector<Buffer>{a});
  EXPECT_EQ(names.functions, std::vector<ExternalFunction>{by_address});
}

TEST(Walk, PureScalars) {
  const Buffer a("A", types::index, {8});
  EXPECT_TRUE(is_pure_scalar(Expr(i) * 2 + n));
  EXPECT_FALSE(is_pure_scalar(Expr(i) + load(a, {i})));
  EXPECT_TRUE(is_pure_scalar(call(types::index, {"f", nullptr, true}, {i})));
  EXPECT_FALSE(is_pure_scalar(call(types::index, {"f", nullptr, false}, {i})));
}

}  // namespace
