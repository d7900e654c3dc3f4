// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "equivalence/schedule_draw.hpp"

#include <algorithm>
#include <unordered_map>

#include "lathe/ir/walk.hpp"

namespace equivalence {

using lathe::scheduling::AxisId;
using lathe::scheduling::AxisState;
using lathe::scheduling::Primitive;
using lathe::scheduling::Relation;
using lathe::scheduling::StageId;
using lathe::scheduling::StageState;
using lathe::scheduling::State;
using lathe::scheduling::Step;

namespace {

/// The tensor of the program that a stage belongs to: caches are named after it.
const TensorNode *tensor_of(const Program &program, const StageState &stage) {
  const std::string base = stage.name().substr(0, stage.name().find('.'));
  for (const TensorNode &tensor : program.tensors)
    if (tensor.name == base) return &tensor;
  return nullptr;
}

/// Where an axis stands in the written order: its original's number, then which half of each split. Empty for data axes.
std::vector<int> place_of(const StageState &stage, AxisId id) {
  for (const Relation &relation : stage.relations) {
    const auto at = std::find(relation.to.begin(), relation.to.end(), id);
    if (at == relation.to.end()) continue;
    std::vector<int> place;
    for (const AxisId &from : relation.from)
      if (place.empty()) place = place_of(stage, from);
    if (!place.empty() && relation.kind == Relation::Kind::split) place.push_back(static_cast<int>(at - relation.to.begin()));
    return place;
  }
  const AxisState *axis = stage.find(id);
  return axis && axis->reduction ? std::vector<int>{id.index} : std::vector<int>{};
}

/// What an axis' extent is about.
struct Length {
  std::int64_t most = 1;
  bool constant = true;
};

class Lengths {
 public:
  Lengths(const Program &program, const StageState &stage)
      : stage_(stage), tensor_(tensor_of(program, stage)), program_(program) {}

  Length of(AxisId id) const {
    for (const Relation &relation : stage_.relations) {
      const auto at = std::find(relation.to.begin(), relation.to.end(), id);
      if (at == relation.to.end()) continue;
      return relation.kind == Relation::Kind::fuse ? fused(relation) : part(relation, at == relation.to.begin());
    }
    return original(id);
  }

 private:
  Length fused(const Relation &relation) const {
    Length result;
    for (const AxisId &from : relation.from) {
      const Length length = of(from);
      result.most *= length.most;
      result.constant = result.constant && length.constant;
    }
    return result;
  }
  Length part(const Relation &relation, bool outer) const {
    const Length whole = of(relation.from[0]);
    const std::int64_t few = std::max<std::int64_t>(std::min(relation.factor, whole.most), 1),
                       many = (whole.most + few - 1) / few;
    if (outer == relation.parts) return {relation.parts ? relation.factor : few, true};
    return {many, whole.constant};
  }
  Length original(AxisId id) const {
    if (!tensor_) return {};
    const std::size_t rank = tensor_->shape.size(), at = static_cast<std::size_t>(id.index);
    if (at < rank) {
      const Extent &extent = tensor_->shape[at];
      const bool symbolic = extent.size >= 0 && program_.sizes[static_cast<std::size_t>(extent.size)].symbolic;
      return {program_.value(extent), !symbolic};
    }
    if (!tensor_->reduction || at - rank >= tensor_->reduction->axes.size()) return {};
    const TermRef &extent = tensor_->reduction->axes[at - rank].extent;
    const bool plain = extent->kind == TermKind::constant || extent->kind == TermKind::extent;
    const bool symbolic =
        plain && extent->extent.size >= 0 && program_.sizes[static_cast<std::size_t>(extent->extent.size)].symbolic;
    return {extent->high, plain && !symbolic};
  }

  const StageState &stage_;
  const TensorNode *tensor_;
  const Program &program_;
};

class Drawer {
 public:
  Drawer(lathe::Schedule &schedule, const Program &program, Random &random)
      : schedule_(schedule), program_(program), random_(random) {}

  /// One group of steps to try; empty if nothing suits.
  std::vector<Step> draw() {
    stages_.clear();
    for (const StageState &stage : schedule_.state().stages)
      if (stage.is_compute()) stages_.push_back(&stage);
    stage_ = random_.pick(stages_);
    if (const TensorNode *tensor = tensor_of(program_, *stage_); tensor && tensor->windowed && random_.percent(40))
      return whole_vectors();
    switch (random_.between(0, 30)) {
      case 0:
      case 1:
      case 2:
      case 3: return split();
      case 4:
      case 5: return fuse();
      case 6:
      case 7: return reorder();
      case 8: return tile();
      case 9:
      case 10:
      case 11: return mark_lanes();
      case 12: return mark(Primitive::unroll, 8);
      case 13: return mark(Primitive::parallel, 1 << 20);
      case 14:
      case 15:
      case 16: return compute_at();
      case 17:
      case 26:
        return {{random_.percent(65) ? Primitive::compute_inline : Primitive::compute_root, stage_->id, {}, {}, {}, {}, {}}};
      case 18:
        return random_.percent(50) ? cache_read()
                                   : std::vector<Step>{{Primitive::cache_write, stage_->id, {}, {}, {}, scope(), {}}};
      case 19: return layout();
      case 20: return {{Primitive::set_scope, stage_->id, {}, {}, {}, scope(), {}}};
      case 21: return assume();
      case 22: return storage_align();
      case 23: return auto_unroll();
      case 24: return reverse_compute_at();
      case 25: return stream();
      case 27: return prefetch();
      case 28: return alias();
      case 29:
      case 30: return whole_vectors();
      default: return stream();
    }
  }

 private:
  std::string scope() { return random_.percent(60) ? "local" : ""; }
  std::int64_t factor() { return random_.pick({1, 2, 2, 3, 4, 4, 5, 7, 8, 8, 16}); }

  /// Something true of a size.
  std::vector<Step> assume() {
    const lathe::List<ir::Var> symbols = symbols_of(schedule_.state());
    if (symbols.empty()) return {};
    const std::size_t number = random_.below(symbols.size());
    for (const Size &size : program_.sizes) {
      if (size.name != symbols[number].name()) continue;
      const std::int64_t by = random_.between(2, 8);
      const std::string symbol = "v" + std::to_string(number);
      const std::string text = random_.pick({"== % " + symbol + " " + std::to_string(by) + " " + std::to_string(size.value % by),
                                             "<= " + symbol + " " + std::to_string(size.value + random_.between(0, 9)),
                                             ">= " + symbol + " " + std::to_string(size.value - random_.between(0, 3))});
      return {{Primitive::assume, {-1, -1}, {}, {}, {}, text, {}}};
    }
    return {};
  }

  std::vector<Step> reverse_compute_at() {
    const lathe::List<const StageState *> consumers = schedule_.state().consumers(*stage_);
    if (consumers.empty() || stage_->loops.empty()) return {};
    lathe::Schedule copy = schedule_;
    const AxisId axis = random_.pick(stage_->loops);
    const lathe::scheduling::StepRef origin = axis.step < 0 ? nullptr : schedule_.steps()[static_cast<std::size_t>(axis.step)];
    const lathe::AnyAxis handle(stage_->key, axis, origin, stage_->find(axis)->reduction, stage_->find(axis)->name);
    try {
      lathe::AnyStage(copy, random_.pick(consumers)->key).reverse_compute_at(lathe::AnyStage(copy, stage_->key), handle);
    } catch (const lathe::Error &error) {
      if (error.code() == "X001") throw;
      return {};
    }
    std::vector<Step> steps;
    for (std::size_t n = schedule_.steps().size(); n < copy.steps().size(); ++n) steps.push_back(*copy.steps()[n]);
    return steps;
  }

  /// Not of outputs: the memory that cases pass is not aligned.
  std::vector<Step> stream() {
    if (stage_->output) return {};
    return {{Primitive::stream, stage_->id, {}, {}, {}, {}, {}}};
  }

  /// An output and an input of its type and shape, if there are such.
  std::vector<Step> alias() {
    std::vector<Step> pairs;
    for (const StageState *output : stages_)
      for (const StageState &input : schedule_.state().stages) {
        const auto &of = *output->operation, &in = *input.operation;
        bool alike = output->output && !input.is_compute() && in.types[0] == of.types[0] && in.shape.size() == of.shape.size();
        for (std::size_t d = 0; alike && d < in.shape.size(); ++d) alike = lathe::ir::equal(in.shape[d], of.shape[d]);
        if (alike) pairs.push_back({Primitive::alias, output->id, {}, {input.id}, {}, {}, {}});
      }
    return pairs.empty() ? pairs : std::vector<Step>{random_.pick(pairs)};
  }

  /// Of something that the stage reads, as a rule.
  std::vector<Step> prefetch() {
    if (stage_->loops.empty() || stage_->inputs.empty()) return {};
    const StageState *read = schedule_.state().find(random_.pick(stage_->inputs).operation);
    return {{Primitive::prefetch, stage_->id, {random_.pick(stage_->loops)}, {read->id}, {random_.between(1, 70)}, {}, {}}};
  }

  std::vector<Step> auto_unroll() {
    if (stage_->loops.empty()) return {};
    return {{Primitive::auto_unroll, stage_->id, {random_.pick(stage_->loops)}, {}, {random_.between(2, 24)}, {}, {}}};
  }

  std::vector<Step> storage_align() {
    const std::int64_t by = random_.pick({1, 2, 3, 4, 8, 16, 17});
    const std::size_t rank = stage_->operation->shape.size();
    const AxisId axis{-1, static_cast<int>(random_.below(rank == 0 || random_.percent(10) ? 4 : rank))};
    return {{Primitive::storage_align, stage_->id, {axis}, {}, {by, random_.between(0, by - 1)}, {}, {}}};
  }

  std::vector<Step> split() {
    if (stage_->loops.empty()) return {};
    Step step{Primitive::split, stage_->id, {random_.pick(stage_->loops)}, {}, {factor(), random_.percent(20)}, {}, {}};
    if (random_.percent(35)) step.numbers.push_back(random_.between(1, 2));  // a tail: divides or round_up
    return {step};
  }

  std::vector<Step> fuse() {
    if (random_.percent(4)) return {{Primitive::fuse, stage_->id, {}, {}, {}, {}, {}}};
    if (stage_->loops.size() < 2) return {};
    const std::size_t first = random_.below(stage_->loops.size() - 1);
    const std::size_t count = random_.percent(80) ? 2 : std::min<std::size_t>(3, stage_->loops.size() - first);
    Step step{Primitive::fuse, stage_->id, {}, {}, {}, {}, {}};
    for (std::size_t i = 0; i < count; ++i) step.axes.push_back(stage_->loops[first + i]);
    return {step};
  }

  std::vector<Step> reorder() {
    std::vector<AxisId> axes;
    for (const AxisId &id : stage_->loops)
      if (random_.percent(70)) axes.push_back(id);
    if (axes.size() < 2) return {};
    random_.shuffle(axes);
    return {{Primitive::reorder, stage_->id, axes, {}, {}, {}, {}}};
  }

  std::vector<Step> tile() {
    if (stage_->loops.size() < 2) return {};
    const std::size_t first = random_.below(stage_->loops.size() - 1);
    const AxisId x = stage_->loops[first], y = stage_->loops[first + 1 + random_.below(stage_->loops.size() - first - 1)];
    const int number = static_cast<int>(schedule_.steps().size());
    return {{Primitive::split, stage_->id, {x}, {}, {factor(), 0}, {}, {}},
            {Primitive::split, stage_->id, {y}, {}, {factor(), 0}, {}, {}},
            {Primitive::reorder, stage_->id, {{number, 0}, {number + 1, 0}, {number, 1}, {number + 1, 1}}, {}, {}, {}, {}}};
  }

  /// How many copies of its body the marks of a stage already make.
  std::int64_t copies() const {
    const Lengths lengths(program_, *stage_);
    std::int64_t product = 1;
    for (const AxisState &axis : stage_->axes)
      if (axis.kind == ir::LoopKind::unrolled || axis.kind == ir::LoopKind::vectorized)
        product *= std::max<std::int64_t>(lengths.of(axis.id).most, 1);
    return product;
  }

  std::vector<Step> mark(Primitive primitive, std::int64_t most) {
    const Lengths lengths(program_, *stage_);
    std::vector<AxisId> candidates;
    for (const AxisId &id : stage_->loops) {
      const Length length = lengths.of(id);
      const bool any = primitive == Primitive::parallel || (random_.percent(2) && length.most <= most);
      if (any || (length.constant && length.most <= most && length.most * copies() <= 96)) candidates.push_back(id);
    }
    if (candidates.empty()) return {};
    const AxisId axis = random_.percent(50) ? (primitive == Primitive::parallel ? candidates.front() : candidates.back())
                                            : random_.pick(candidates);
    return {{primitive, stage_->id, {axis}, {}, {}, {}, {}}};
  }

  /// vectorize, often of the inner half of a split made for it.
  std::vector<Step> mark_lanes() {
    if (stage_->loops.empty() || random_.percent(40)) return mark(Primitive::vectorize, 17);
    const AxisId axis = random_.percent(70) ? stage_->loops.back() : random_.pick(stage_->loops);
    const std::int64_t by = random_.pick({2, 3, 4, 4, 5, 8, 8, 8, 16});
    if (by * copies() > 96) return {};
    const int number = static_cast<int>(schedule_.steps().size());
    return {{Primitive::split, stage_->id, {axis}, {}, {by, 0}, {}, {}},
            {Primitive::vectorize, stage_->id, {{number, 1}}, {}, {}, {}, {}}};
  }

  /// The last data axis in whole registers, with what is inside it written out, and perhaps some registers side by side.
  std::vector<Step> whole_vectors() {
    const TensorNode *tensor = tensor_of(program_, *stage_);
    if (!tensor || tensor->shape.empty()) return {};
    const int last = static_cast<int>(tensor->shape.size()) - 1;
    const AxisId axis{-1, last};
    const std::int64_t lanes = random_.pick({512, 512, 512, 256, 128}) / std::max(tensor->type.bits(), 8);
    const std::int64_t side_by_side = random_.pick({1, 2, 2, 3});
    const Lengths lengths(program_, *stage_);
    if (std::find(stage_->loops.begin(), stage_->loops.end(), axis) == stage_->loops.end() || lanes > lengths.of(axis).most ||
        lanes * side_by_side * copies() > 256)
      return {};
    int number = static_cast<int>(schedule_.steps().size());
    std::vector<Step> steps{{Primitive::split, stage_->id, {axis}, {}, {lanes, 0}, {}, {}},
                            {Primitive::vectorize, stage_->id, {{number, 1}}, {}, {}, {}, {}}};
    if (side_by_side > 1) {
      steps.push_back({Primitive::split, stage_->id, {{number, 0}}, {}, {side_by_side, 0}, {}, {}});
      steps.push_back({Primitive::unroll, stage_->id, {{number + 2, 1}}, {}, {}, {}, {}});
    }
    for (const AxisId &id : stage_->loops) {
      const Length length = lengths.of(id);
      const bool inside = id.step < 0 && id.index > last;
      if (inside && length.constant && length.most <= 6) steps.push_back({Primitive::unroll, stage_->id, {id}, {}, {}, {}, {}});
    }
    return steps;
  }

  std::vector<Step> compute_at() {
    const lathe::List<const StageState *> consumers = schedule_.state().consumers(*stage_);
    if (consumers.empty()) return {};
    const StageState *consumer = random_.pick(consumers);
    if (random_.percent(10)) consumer = random_.pick(stages_);
    if (consumer->loops.empty()) return {};
    return {{Primitive::compute_at, stage_->id, {random_.pick(consumer->loops)}, {consumer->id}, {}, {}, {}}};
  }

  /// Axes in any order, some in two parts, in places of their own or put together again.
  std::vector<Step> layout() {
    std::vector<std::string> places;
    for (std::size_t d = 0; d < stage_->operation->shape.size(); ++d) {
      const std::string axis = "i" + std::to_string(d), by = std::to_string(random_.between(1, 9));
      if (random_.percent(60)) {
        places.push_back(axis);
      } else if (random_.percent(70)) {
        places.push_back(axis + "/" + by);
        places.push_back(axis + "%" + by);
      } else {
        places.push_back(axis + "/" + by + "*" + by + "+" + axis + "%" + by);
      }
    }
    if (places.empty()) return {};
    random_.shuffle(places);
    std::string map;
    for (const std::string &place : places) map += (map.empty() ? "" : ",") + place;
    return {{Primitive::layout, stage_->id, {}, {}, {}, map, {}}};
  }

  std::vector<Step> cache_read() {
    const StageState &source = random_.pick(schedule_.state().stages);
    const lathe::List<const StageState *> consumers = schedule_.state().consumers(source);
    if (consumers.empty()) return {};
    Step step{Primitive::cache_read, source.id, {}, {}, {}, scope(), {}};
    for (const StageState *consumer : consumers)
      if (step.stages.empty() || random_.percent(50)) step.stages.push_back(consumer->id);
    return {step};
  }

  lathe::Schedule &schedule_;
  const Program &program_;
  Random &random_;
  std::vector<const StageState *> stages_;
  const StageState *stage_ = nullptr;
};

}  // namespace

bool keeps_order(const State &state, const Program &program) {
  for (const StageState &stage : state.stages) {
    if (!stage.operation->reduction()) continue;
    const TensorNode *tensor = tensor_of(program, stage);
    if (!tensor || !tensor->ordered) continue;
    std::vector<int> last;
    for (const AxisId &id : stage.loops) {
      const std::vector<int> place = place_of(stage, id);
      if (place.empty()) continue;
      if (place < last) return false;
      last = place;
    }
  }
  return true;
}

bool may_refuse(const std::string &code) {
  return code == "slow" || code == "unmet" || code == "L031" || code == "L032" || code == "L033" || code == "L034" ||
         code == "L001" || code == "L004" || code == "L007" || code == "L062" || code == "L064";
}

std::optional<lathe::Diagnostic> draw_schedule(lathe::Schedule &schedule, const Program &program, Random &random, int count,
                                               const Lowers &lowers, Tally &tally) {
  for (int i = 0; i < count; ++i) {
    const std::vector<Step> steps = Drawer(schedule, program, random).draw();
    if (steps.empty()) continue;
    const lathe::Schedule before = schedule;
    const auto refusal = schedule.try_steps([&](lathe::Schedule &s) {
      for (const Step &step : steps) s.apply(step);
    });
    if (refusal) {
      ++tally.refused[refusal->code];
      continue;
    }
    if (!keeps_order(schedule.state(), program)) {
      schedule = before;
      continue;
    }
    // Only marked loops can make a pass refuse.
    bool marks = false;
    for (const StageState &stage : schedule.state().stages)
      for (const AxisState &axis : stage.axes) marks = marks || axis.kind_set_by >= 0;
    if (const auto error = lowers(schedule, marks)) {
      if (!may_refuse(error->code)) return error;
      ++tally.refused[error->code];
      schedule = before;
      continue;
    }
    for (const Step &step : steps) ++tally.made[std::string(name_of(step.primitive))];
  }
  return std::nullopt;
}

Steps steps_of(const lathe::Schedule &schedule) {
  Steps result;
  for (const lathe::scheduling::StepRef &step : schedule.steps()) result.steps.push_back(*step);
  for (const StageState &stage : lathe::scheduling::initial_state(schedule.outputs()).stages)
    result.names.push_back(stage.name());
  return result;
}

void replay_steps(lathe::Schedule &schedule, const Program &program, const Steps &steps) {
  std::unordered_map<std::string, int> numbers;
  const State initial = lathe::scheduling::initial_state(schedule.outputs());
  for (const StageState &stage : initial.stages) numbers.emplace(stage.name(), stage.id.index);
  std::vector<int> renumbered;  // by old number; -1: left out
  const auto translate_stage = [&](StageId &id) {
    if (id.step >= 0) {
      id.step = renumbered[static_cast<std::size_t>(id.step)];
      return id.step >= 0;
    }
    const auto found = numbers.find(steps.names[static_cast<std::size_t>(id.index)]);
    if (found == numbers.end()) return false;
    id.index = found->second;
    return true;
  };
  const auto translate_axis = [&](AxisId &id) {
    if (id.step < 0) return true;
    id.step = renumbered[static_cast<std::size_t>(id.step)];
    return id.step >= 0;
  };
  for (Step step : steps.steps) {
    bool fits = step.primitive == Primitive::assume || translate_stage(step.stage);
    for (StageId &id : step.stages) fits = fits && translate_stage(id);
    for (AxisId &id : step.axes) fits = fits && translate_axis(id);
    const int number = static_cast<int>(schedule.steps().size());
    const lathe::Schedule before = schedule;
    if (fits) fits = !schedule.try_step(step);
    if (fits && !keeps_order(schedule.state(), program)) {
      schedule = before;
      fits = false;
    }
    renumbered.push_back(fits ? number : -1);
  }
}

}  // namespace equivalence
