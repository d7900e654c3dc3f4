// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// reverse_compute_at: the loops of a producer down to one of them, made once more on its reader, as steps; then compute_at.

#include <algorithm>

#include "lathe/ir/walk.hpp"
#include "lathe/schedule/schedule.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/lists.hpp"

namespace lathe::inline LATHE_ABI {

namespace reversing {

using scheduling::AxisId;
using scheduling::AxisState;
using scheduling::Primitive;
using scheduling::Relation;
using scheduling::StageState;
using scheduling::State;
using scheduling::Step;

/// Makes the steps. The states of both stages are those before the first.
class Follower {
 public:
  Follower(Schedule &schedule, const StageState &epilogue, const StageState &producer, AxisId axis, Location place)
      : schedule_(schedule), epilogue_(epilogue), producer_(producer), axis_(axis), place_(place) {}

  void run() {
    check();
    map_dimensions();
    for (const Relation &relation : producer_.relations)
      if (lists::any_of(relation.to, [&](AxisId to) { return leads(to); })) repeat(relation);
    put_first();
    for (const AxisId &loop : outer_)
      if (const ir::LoopKind kind = producer_.find(loop)->kind; kind != ir::LoopKind::serial)
        apply(kind == ir::LoopKind::parallel   ? Primitive::parallel
              : kind == ir::LoopKind::unrolled ? Primitive::unroll
                                               : Primitive::vectorize,
              {of(loop)}, {});
    Step step{Primitive::compute_at, producer_.id, {of(axis_)}, {epilogue_.id}, {}, {}, place_};
    schedule_.apply(std::move(step));
  }

 private:
  [[noreturn]] void refuse(const Phrase &why, const Phrase &help) const {
    Diagnostic diagnostic;
    diagnostic.code = "S037";
    diagnostic.message = composed({epilogue_.name(), " cannot follow the loops of ", producer_.name()});
    diagnostic.stage = epilogue_.name();
    diagnostic.place = place_;
    diagnostic.notes = {{"why", why.str(), {}},
                        {composed({"loops of ", epilogue_.name(), " now"}), loops_text(epilogue_), {}},
                        {composed({"loops of ", producer_.name(), " now"}), loops_text(producer_), {}},
                        {"help", help.str(), {}}};
    throw Error(std::move(diagnostic));
  }

  void check() {
    const List<const StageState *> readers = schedule_.state().consumers(producer_);
    const auto reads = [&](const StageState *reader) { return reader->id == epilogue_.id; };
    if (lists::none_of(readers, reads))
      refuse({epilogue_.name(), " does not read ", producer_.name()}, {"call it on a stage that reads ", producer_.name()});
    if (readers.size() > 1)
      refuse({"other stages read ", producer_.name(), " too, and would find it only in part"},
             {"compute ", producer_.name(), " at a loop around all its readers, or give ", epilogue_.name(),
              " a copy of its own by cache_read"});
    bool scheduled = !epilogue_.relations.empty();
    for (std::size_t i = 0; i < epilogue_.loops.size(); ++i)
      scheduled = scheduled || epilogue_.loops[i] != AxisId{-1, static_cast<int>(i)} ||
                  epilogue_.find(epilogue_.loops[i])->kind_set_by >= 0;
    if (scheduled)
      refuse({"the loops of ", epilogue_.name(), " are scheduled already"},
             {"use compute_at, which takes them as they are:   s[", producer_.name(), "].compute_at(s[", epilogue_.name(),
              "], axis);"});
    const int last = producer_.position(axis_);
    if (last < 0) refuse({"the axis is no longer a loop of ", producer_.name()}, "name one of its loops");
    outer_.assign(producer_.loops.begin(), producer_.loops.begin() + last + 1);
    for (const AxisId &loop : outer_)
      if (const AxisState &axis = *producer_.find(loop); axis.reduction)
        refuse({axis.name, " is reduced over: ", epilogue_.name(), " needs elements that are finished"},
               "name a data axis that stands outside all reduction axes");
  }

  /// Whether an axis is one of the loops to follow, or they were made from it.
  bool leads(AxisId axis) const {
    if (lists::contains(outer_, axis)) return true;
    for (const Relation &relation : producer_.relations)
      for (const AxisId &from : relation.from)
        if (from == axis)
          for (const AxisId &to : relation.to)
            if (leads(to)) return true;
    return false;
  }

  /// Which axis of the epilogue is which dimension of the producer.
  void map_dimensions() {
    const int rank = static_cast<int>(producer_.operation->axes.size());
    for (int d = 0; d < rank; ++d) {
      if (!leads({-1, d})) continue;
      int axis = -1;
      bool plain = true;
      for (const ir::Expr &body : epilogue_.operation->bodies)
        ir::walk(body, [&](const ir::Expr &e) {
          const ir::Read *read = e.as<ir::Read>();
          if (!read || read->tensor.operation != producer_.key) return;
          const int index = axis_of(read->indices[static_cast<std::size_t>(d)]);
          plain = plain && index >= 0 && (axis < 0 || axis == index);
          axis = index;
        });
      for (const auto &[from, to] : map_) plain = plain && to != AxisId{-1, axis};
      if (!plain)
        refuse({"dimension ", d, " of ", producer_.name(), " is not read at an axis of ", epilogue_.name(), " of its own"},
               {"schedule ", epilogue_.name(), ", and compute ", producer_.name(), " at one of its loops"});
      map_.push_back({{-1, d}, {-1, axis}});
    }
  }
  int axis_of(const ir::Expr &index) const {
    const ir::VarRef *ref = index.as<ir::VarRef>();
    const List<ir::Var> &axes = epilogue_.operation->axes;
    for (std::size_t a = 0; ref && a < axes.size(); ++a)
      if (axes[a] == ref->var) return static_cast<int>(a);
    return -1;
  }

  AxisId of(AxisId axis) const {
    for (const auto &[from, to] : map_)
      if (from == axis) return to;
    fail_internal("every loop that is followed came from a dimension");
  }

  void repeat(const Relation &relation) {
    List<AxisId> from;
    for (const AxisId &axis : relation.from) from.push_back(of(axis));
    if (relation.kind == Relation::Kind::fuse) gather(from);
    if (relation.kind == Relation::Kind::split && relation.parts)
      refuse({producer_.find(relation.from[0])->name, " was split into a number of parts, which one of the parts would be again"},
             "split it by a factor");
    List<std::int64_t> numbers;
    if (relation.kind == Relation::Kind::split) numbers = {relation.factor, 0};
    if (relation.tail == Tail::divides) numbers.push_back(static_cast<std::int64_t>(Tail::divides));
    const int number = static_cast<int>(schedule_.steps().size());
    apply(relation.kind == Relation::Kind::split ? Primitive::split : Primitive::fuse, from, std::move(numbers));
    for (std::size_t output = 0; output < relation.to.size(); ++output)
      map_.push_back({relation.to[output], {number, static_cast<int>(output)}});
  }

  /// Makes neighbours of the axes, in their order, where the first of them stands.
  void gather(const List<AxisId> &axes) {
    if (axes.empty()) return;
    List<AxisId> loops;
    for (const AxisId &loop : now().loops) {
      if (loop == axes.front()) loops.insert(loops.end(), axes.begin(), axes.end());
      if (!lists::contains(axes, loop)) loops.push_back(loop);
    }
    order(loops);
  }

  /// The loops that are followed stand outside the rest.
  void put_first() {
    List<AxisId> loops;
    for (const AxisId &loop : outer_) loops.push_back(of(loop));
    for (const AxisId &loop : now().loops)
      if (!lists::contains(loops, loop)) loops.push_back(loop);
    order(loops);
  }

  void order(const List<AxisId> &loops) {
    if (!std::equal(loops.begin(), loops.end(), now().loops.begin(), now().loops.end())) apply(Primitive::reorder, loops, {});
  }
  const StageState &now() const { return *schedule_.state().find(epilogue_.id); }
  void apply(Primitive primitive, List<AxisId> axes, List<std::int64_t> numbers) {
    schedule_.apply(Step{primitive, epilogue_.id, std::move(axes), {}, std::move(numbers), {}, place_});
  }

  Schedule &schedule_;
  const StageState epilogue_, producer_;
  const AxisId axis_;
  const Location place_;
  List<AxisId> outer_;                   ///< the loops to follow
  List<std::pair<AxisId, AxisId>> map_;  ///< of the producer, of the epilogue
};

}  // namespace reversing

LATHE_INLINE void AnyStage::follow(const AnyStage &producer, const scheduling::AxisRef &axis, const Location &place) {
  scheduling::Step step{scheduling::Primitive::compute_at, schedule_->stage_id(producer.key_), {}, {}, {}, {}, place};
  const scheduling::AxisId id = schedule_->axis_id(producer.key_, axis, step);
  scheduling::State before = state_now();
  try {
    reversing::Follower(*schedule_, state(), producer.state(), id, place).run();
  } catch (const Error &) {
    go_back(std::move(before));
    throw;
  }
}

}  // namespace lathe::inline LATHE_ABI
