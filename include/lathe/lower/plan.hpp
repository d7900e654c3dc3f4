// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The working data of lowering: one plan per stage that gets loops of its own. Filled in order by inline_stages, check_reads and
/// infer_regions; build_nest turns plans into statements.

#include "lathe/arith/simplify.hpp"
#include "lathe/ir/program.hpp"
#include "lathe/ir/stmt.hpp"
#include "lathe/schedule/state.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::lowering {

/// One loop of a stage, from 0 to `extent`.
struct Loop {
  ir::Var var;
  ir::Expr extent;  ///< over size symbols, enclosing loops and, for ragged reductions, earlier loops of the stage
  ir::LoopKind kind = ir::LoopKind::serial;
  bool reduction = false;
  scheduling::AxisId axis;
};

/// A read whose indices could not be proven in range: tested where the element is computed.
struct ReadCheck {
  ir::Expr condition;  ///< over the operation's axes
  std::string message;
  bool early = false;  ///< reductions: about start values and domains, to be tested before the loops they are about
};

/// What must hold for an iteration to be one of the stage's points.
struct Guard {
  ir::Expr condition;
  bool reduction = false;  ///< about a reduction axis: start values are written whether it holds or not
};

struct Plan {
  const scheduling::StageState *stage = nullptr;
  List<ir::Expr> bodies;  ///< of the operation, inlined stages substituted
  List<ReadCheck> checks;
  List<std::size_t> consumers;  ///< plans that read this one
  int parent = -1;              ///< the plan whose loops it is computed inside, or -1 for root
  int level = -1;               ///< the loop of the parent directly around it
  bool once = false;            ///< depends on constants alone: computed when the kernel is made

  List<ir::Expr> min, extent;   ///< per dimension: the region that is computed
  List<bool> padded;            ///< per dimension: rounded up, so the region may reach over the tensor's end and is whole
  ir::Expr inside;              ///< over the operation's axes: not in the padding, where reads may not be made; optional
  List<Loop> loops;             ///< outermost first
  ir::VarMap<ir::Expr> values;  ///< the operation's axes in terms of loop variables
  List<Guard> guards;
  List<ir::Buffer> buffers;  ///< one per output, covering the region; arguments: the parameter
  arith::Facts facts;        ///< size symbols, enclosing loops and own loops
  arith::Facts start_facts;  ///< the same without reduction loops, which may not run where start values are written

  const ir::Reduce *reduction() const { return bodies.front().as<ir::Reduce>(); }
  const ir::Operation &operation() const { return stage->operation; }

  /// Where the element at `indices` of the region lies in the stage's memory.
  List<ir::Expr> in_memory(const List<ir::Expr> &indices, const arith::Facts &facts) const;

  /// Whether a data axis was fused with a reduction axis, so that data points cannot be visited by data loops alone.
  bool mixes_data() const {
    for (const scheduling::Relation &relation : stage->relations)
      if (relation.kind == scheduling::Relation::Kind::fuse && stage->find(relation.to[0])->reduction)
        for (const scheduling::AxisId &from : relation.from)
          if (!stage->find(from)->reduction) return true;
    return false;
  }
};

inline List<ir::Expr> Plan::in_memory(const List<ir::Expr> &indices, const arith::Facts &known) const {
  const scheduling::Layout &layout = stage->layout;
  if (layout.empty()) return indices;
  ir::VarMap<ir::Expr> element;
  for (std::size_t d = 0; d < indices.size(); ++d) element.emplace(layout.axes[d], indices[d]);
  List<ir::Expr> places;
  for (const ir::Expr &index : layout.indices) places.push_back(known.simplify(ir::substitute(index, element)));
  return places;
}

/// What is being lowered.
struct Plans {
  const scheduling::State *state = nullptr;
  List<Plan> plans;                                            ///< producers before consumers
  arith::Facts facts;                                          ///< of size symbols
  List<ir::Var> scalars;                                       ///< the function's scalar parameters
  List<ir::Requirement> requirements;                          ///< what each call has to be checked for
  List<std::pair<ir::Operation, List<ir::Buffer>>> arguments;  ///< placeholders and constants with their buffers

  /// The plan of an operation's stage, or null for arguments.
  const Plan *find(const ir::Operation &key) const {
    for (const Plan &plan : plans)
      if (plan.stage->key == key) return &plan;
    return nullptr;
  }
};

/// Substitutes inlined stages into their readers and makes a plan of every other stage. A stage that nobody scheduled is inlined
/// if exactly one read of it exists and that is outside reductions.
void inline_stages(Plans &plans);

/// Proves every index of every read in range under the conditions that guard it. Throws L002 where a read is provably out of
/// range; leaves a run-time check where neither can be shown.
void check_reads(Plans &plans);

/// Consumers first: the region each stage has to compute at its place, its loops and guards, and its buffers. Throws L001 when a
/// consumer lies outside the loop a stage is computed at.
void infer_regions(Plans &plans);

/// Shows that each element of an input that an output may overwrite is read before. \throws Error L034.
void check_aliases(const Plans &plans);

/// The loops of the stages that are computed at each call, or of those that are computed once. The others have memory already.
ir::Stmt build_nests(const Plans &plans, bool once);

/// A line per stage whose computed region is larger than the consumers need, empty if there is none.
std::string region_report(const Plans &plans);

}  // namespace lathe::inline LATHE_ABI::lowering
