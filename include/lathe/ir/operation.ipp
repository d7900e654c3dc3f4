// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// What operations read, and the order in which they can be computed. Graphs may be thousands of stages deep.

#include "lathe/ir/operation.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/support/hash_map.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/lists.hpp"

namespace lathe::inline LATHE_ABI::ir {

LATHE_INLINE List<Tensor> inputs_of(const Operation &operation) {
  List<Tensor> inputs;
  NodeSet seen;  // bodies of one reduction share their sources
  const auto collect = [&](const Expr &root) {
    walk_down(root, [&](const Expr &e) {
      if (!seen.insert(e.node())) return false;
      if (const auto *r = e.as<Read>(); r && !lists::contains(inputs, r->tensor)) inputs.push_back(r->tensor);
      return true;
    });
  };
  for (const Expr &body : operation->bodies) collect(body);
  for (const Expr &extent : operation->shape) collect(extent);
  return inputs;
}

LATHE_INLINE List<Operation> post_order(const List<Operation> &outputs) {
  struct Visit {
    Operation operation;
    List<Tensor> inputs;
    std::size_t next = 0;
  };
  List<Operation> order;
  NodeSet seen;
  List<Visit> stack;
  const auto enter = [&](const Operation &operation) {
    if (seen.insert(operation.get())) stack.push_back({operation, inputs_of(operation)});
  };
  for (const Operation &output : outputs) {
    enter(output);
    while (!stack.empty()) {
      Visit &visit = stack.back();
      if (visit.next < visit.inputs.size()) {
        const Operation input = visit.inputs[visit.next++].operation;
        enter(input);
      } else {
        order.push_back(visit.operation);
        stack.pop_back();
      }
    }
  }
  return order;
}

}  // namespace lathe::inline LATHE_ABI::ir
