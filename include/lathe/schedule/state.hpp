// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// What the steps so far have made of an expression: stages with their loops, where each axis came from, and where stages attach.
/// Lowering reads it; the primitives in steps/ write it.

#include <optional>

#include "lathe/ir/operation.hpp"
#include "lathe/ir/stmt.hpp"
#include "lathe/schedule/layout.hpp"
#include "lathe/schedule/step.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::scheduling {

/// An axis of a stage: original, or an output of split or fuse.
struct AxisState {
  AxisId id;
  std::string name;
  bool reduction = false;
  ir::Var var;           ///< original axes: the variable that the operation's body uses
  int consumed_by = -1;  ///< the step that split or fused it away
  ir::LoopKind kind = ir::LoopKind::serial;
  int kind_set_by = -1;  ///< the step that chose `kind`
};

/// How axes came from others. Read forwards it gives extents, backwards the values of the originals.
struct Relation {
  enum class Kind : std::uint8_t { split, fuse };
  Kind kind;
  int step;
  List<AxisId> from;        ///< split: one; fuse: outermost first
  List<AxisId> to;          ///< split: outer, inner; fuse: one
  std::int64_t factor = 0;  ///< split: size of the parts, or their number
  bool parts = false;       ///< split: `factor` is a number of parts
  Tail tail = Tail::guard;  ///< split
};

/// Where a stage is computed.
struct Attachment {
  enum class Kind : std::uint8_t {
    automatic,  ///< nobody said: inlined if it has one read site outside reductions, else root
    root,
    inlined,
    at,  ///< inside a loop of a consumer
  };
  Kind kind = Kind::automatic;
  StageId consumer;
  AxisId axis;
  int step = -1;
};

/// A stride that is padded.
struct StrideAlignment {
  int dimension = 0;
  std::int64_t factor = 1, offset = 0;  ///< stride mod factor = offset
  int step = -1;
};

/// A loop whose inner loops are unrolled as far as that makes few copies.
struct UnrollLimit {
  AxisId axis;
  std::int64_t most = 1;  ///< copies of a statement
  int step = -1;
};

/// What is fetched into the caches ahead of its use.
struct PrefetchState {
  ir::Operation tensor;  ///< the key of the stage that is read
  AxisId axis;
  std::int64_t ahead = 1;  ///< iterations of the axis
  int step = -1;
};

struct StageState {
  StageId id;
  ir::Operation key;        ///< what `Read`s name; never changes
  ir::Operation operation;  ///< what the stage computes now; `compute` changes it
  List<ir::Tensor> inputs;  ///< what that reads, in order of first use
  List<AxisState> axes;
  List<AxisId> loops;  ///< the current loops, outermost first
  List<Relation> relations;
  Attachment attachment;
  ir::Scope scope;
  Layout layout;
  List<StrideAlignment> alignments;
  List<UnrollLimit> unroll_limits;
  List<PrefetchState> prefetches;
  int streamed_by = -1;  ///< the step that has its vectors stored past the caches
  ir::Operation alias;   ///< the key of the input whose memory an output may be; optional
  int aliased_by = -1;   ///< the step that says so
  bool output = false;
  int first_step = -1;  ///< the first step that scheduled this stage

  /// From now on the stage computes this: cache_read and cache_write rewrite operations.
  void compute(const ir::Operation &now);

  const std::string &name() const { return operation->name; }
  bool is_compute() const { return operation->kind == ir::OperationKind::compute; }
  const AxisState *find(AxisId axis) const;
  AxisState *find(AxisId axis);
  /// Position of an axis among the current loops, or -1.
  int position(AxisId axis) const;
  /// The current loop that an axis ended in: itself, the inner part of a split, or what it was fused into.
  AxisId follow(AxisId axis) const;
};

/// A fact about sizes.
struct Assumption {
  ir::Expr condition;  ///< over size symbols
  int step = -1;
};

struct State {
  List<StageState> stages;  ///< producers before consumers
  List<StepRef> steps;
  List<Assumption> assumptions;

  const StageState *find(StageId id) const;
  StageState *find(StageId id);
  const StageState *find(const ir::Operation &key) const;
  /// Stages whose operation reads `stage`, in order.
  List<const StageState *> consumers(const StageState &stage) const;
};

/// The state before any step.
State initial_state(const List<ir::Operation> &outputs);

/// Checks a step and applies it. Throws `Error` (codes S…) and leaves the state unchanged if the step is not legal.
void apply(State &state, const StepRef &step);

/// The size symbols of a schedule in the order of their first appearance in its stages: assume numbers them so.
List<ir::Var> symbols_of(const State &state);
/// A condition on them as the text of an assume step; empty if it is none.
std::string assumption_text(const State &state, const ir::Expr &condition);
/// The condition of an assume step's text; undefined if it is none.
ir::Expr assumption_of(const State &state, std::string_view text);

/// A step as a line of C++ ("auto [i_outer, i_inner] = s[C].split(i, 16);"), with the names that axes have in `state`.
std::string to_cpp(const State &state, const Step &step);
/// All steps of a schedule of these outputs as C++ that compiles where each tensor is a variable of its name.
std::string to_cpp(const List<ir::Operation> &outputs, const List<StepRef> &steps);

/// Throws S-code `code` about `step`: headline, the user's line with the step as C++, notes, and the loops of the stage as they
/// are.
[[noreturn]] void refuse(const State &state, const Step &step, const char *code, const Phrase &message,
                         std::initializer_list<Remark> remarks = {}, const Phrase &axis = "");
[[noreturn]] void refuse(const State &state, const Step &step, const char *code, const Phrase &message, const List<Note> &notes,
                         const Phrase &axis = "");

/// "i.outer · i.inner · j": the current loops of a stage.
std::string loops_text(const StageState &stage);

}  // namespace lathe::inline LATHE_ABI::scheduling
