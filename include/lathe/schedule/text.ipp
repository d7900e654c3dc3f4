// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Steps as text: the canonical line and its reading back, and C++.

#include <algorithm>
#include <charconv>
#include <utility>

#include "lathe/ir/print.hpp"
#include "lathe/schedule/state.hpp"
#include "lathe/support/hash_map.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::scheduling {

namespace step_text {

/// The primitives by name, in the order of the enumeration.
inline constexpr std::string_view primitive_names[] = {
    "split",          "fuse",         "reorder",    "vectorize",   "unroll",    "parallel", "compute_at",
    "compute_inline", "compute_root", "cache_read", "cache_write", "set_scope", "layout",   "auto_unroll",
    "storage_align",  "stream",       "prefetch",   "alias",       "assume"};

inline void append_id(std::string &out, int step, int index) {
  out += step < 0 ? " o" + std::to_string(index) : composed({" s", step, ".", index});
}

/// Words of one line.
inline List<std::string_view> words_of(std::string_view line) {
  List<std::string_view> words;
  std::size_t at = 0;
  while ((at = line.find_first_not_of(" \t\r", at)) != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

/// A scope as a word: "-" is main memory.
inline std::string scope_of(std::string_view word) { return word == "-" ? std::string() : std::string(word); }

/// Reads the words of one line; any misfit throws S018 with the line.
class LineReader {
 public:
  explicit LineReader(std::string_view line) : line_(line), words_(words_of(line)) {}

  bool empty() const { return words_.empty(); }
  bool more() const { return next_ < words_.size(); }
  std::string_view word() {
    if (!more()) misfit("something is missing at the end");
    return words_[next_++];
  }
  template <class Id>
  Id id() {
    const std::string_view text = word();
    Id result;
    if (text.size() > 1 && text[0] == 'o') {
      result.index = integer<int>(text.substr(1), text);
    } else if (const auto dot = text.find('.'); text.size() > 3 && text[0] == 's' && dot != std::string_view::npos) {
      result.step = integer<int>(text.substr(1, dot - 1), text);
      result.index = integer<int>(text.substr(dot + 1), text);
    } else {
      misfit({"'", text, "' is not a name like o2 or s4.0"});
    }
    return result;
  }
  std::int64_t number() {
    const std::string_view text = word();
    return integer<std::int64_t>(text, text);
  }
  [[noreturn]] void misfit(const Phrase &why) const {
    fail("S018", {"this line is not a schedule step: ", line_}, {},
         {{"why", why, {}},
          {"help", "lines are as Schedule::to_text writes them:   split o2 o0 16   splits axis 0 of stage 2 by 16", {}}});
  }

 private:
  template <class Integer>
  Integer integer(std::string_view digits, std::string_view whole) const {
    Integer value{};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size()) misfit({"'", whole, "' is not a number"});
    return value;
  }

  std::string_view line_;
  List<std::string_view> words_;
  std::size_t next_ = 0;
};

/// The tails of splits, in the order of the enumeration.
inline constexpr std::string_view tail_names[] = {"guard", "divides", "round_up"};

/// What follows the factor of a split.
inline void read_division(LineReader &reader, Step &step) {
  step.numbers.push_back(0);
  for (bool first = true; reader.more(); first = false) {
    const std::string_view word = reader.word();
    const auto known = std::find(std::begin(tail_names) + 1, std::end(tail_names), word);
    if (word == "parts" && first)
      step.numbers[1] = 1;
    else if (known != std::end(tail_names) && step.numbers.size() == 2)
      step.numbers.push_back(known - std::begin(tail_names));
    else
      reader.misfit({"'", word, "' is not a way to split"});
  }
}

inline Step read_step(LineReader &reader) {
  Step step;
  const std::string_view name = reader.word();
  const auto known = std::find(std::begin(primitive_names), std::end(primitive_names), name);
  if (known == std::end(primitive_names)) reader.misfit({"there is no primitive '", name, "'"});
  step.primitive = static_cast<Primitive>(known - std::begin(primitive_names));
  step.stage = step.primitive == Primitive::assume ? StageId{-1, -1} : reader.id<StageId>();
  switch (step.primitive) {
    case Primitive::split:
      step.axes.push_back(reader.id<AxisId>());
      step.numbers.push_back(reader.number());
      read_division(reader, step);
      break;
    case Primitive::fuse:
    case Primitive::reorder:
      while (reader.more()) step.axes.push_back(reader.id<AxisId>());
      break;
    case Primitive::vectorize:
    case Primitive::unroll:
    case Primitive::parallel: step.axes.push_back(reader.id<AxisId>()); break;
    case Primitive::compute_at:
      step.stages.push_back(reader.id<StageId>());
      step.axes.push_back(reader.id<AxisId>());
      break;
    case Primitive::compute_inline:
    case Primitive::compute_root:
    case Primitive::stream: break;
    case Primitive::prefetch:
      step.stages.push_back(reader.id<StageId>());
      step.axes.push_back(reader.id<AxisId>());
      step.numbers.push_back(reader.number());
      break;
    case Primitive::alias: step.stages.push_back(reader.id<StageId>()); break;
    case Primitive::cache_read:
      step.text = scope_of(reader.word());
      while (reader.more()) step.stages.push_back(reader.id<StageId>());
      break;
    case Primitive::cache_write:
    case Primitive::set_scope: step.text = scope_of(reader.word()); break;
    case Primitive::layout: step.text = reader.word(); break;
    case Primitive::auto_unroll:
      step.axes.push_back(reader.id<AxisId>());
      step.numbers.push_back(reader.number());
      break;
    case Primitive::storage_align:
      step.axes.push_back(reader.id<AxisId>());
      step.numbers.push_back(reader.number());
      step.numbers.push_back(reader.number());
      break;
    case Primitive::assume:
      step.text = reader.word();
      while (reader.more()) (step.text += " ") += reader.word();
      break;
  }
  if (reader.more()) reader.misfit("there are words too many");
  return step;
}

inline std::string identifier(std::string name) {
  for (char &c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))) c = '_';
  return name;
}

/// Variables of a program that takes all steps of a schedule: every axis and every cache has a name of its own, and original axes
/// are declared where they are first needed.
class Variables {
 public:
  explicit Variables(const State &state) {
    taken_.insert("s");
    for (const StageState &stage : state.stages) taken_.insert(identifier(stage.name()));
  }

  std::string stage(const StageState &stage) const {
    for (const Cache &cache : caches_)
      if (cache.id == stage.id) return cache.name;
    return identifier(stage.name());
  }
  std::string axis(const StageState &of, AxisId id) {
    for (const Axis &axis : axes_)
      if (axis.stage == of.id && axis.id == id) return axis.name;
    declare(of, id);
    return axis(of, id);
  }
  std::string make(StageId stage, AxisId id, const std::string &wish) {
    axes_.push_back({stage, id, fresh(wish)});
    return axes_.back().name;
  }
  std::string make(StageId cache, const std::string &wish) {
    caches_.push_back({cache, fresh(wish)});
    return caches_.back().name;
  }
  /// The cache has the axes that the stage has by now, under their names.
  void move_axes(StageId stage, StageId cache) {
    const std::size_t count = axes_.size();
    for (std::size_t i = 0; i < count; ++i)
      if (axes_[i].stage == stage) axes_.push_back({cache, axes_[i].id, axes_[i].name});
  }
  /// What must stand before the step whose names were asked for.
  std::string take_declarations() { return std::exchange(declarations_, {}); }

 private:
  struct Axis {
    StageId stage;
    AxisId id;
    std::string name;
  };
  struct Cache {
    StageId id;
    std::string name;
  };

  void declare(const StageState &of, AxisId id) {
    const AxisState *wanted = of.find(id);
    ensure(wanted && id.step == -1, "axes that steps made have names");
    int rank = 0;
    while (of.find({-1, rank}) && !of.find({-1, rank})->reduction) ++rank;
    if (wanted->reduction) {
      const std::string name = make(of.id, id, identifier(wanted->name));
      declarations_ += composed({"auto ", name, " = s[", stage(of), "].reduce_axes()[", id.index - rank, "];\n"});
      return;
    }
    std::string axes;
    for (int d = 0; d < rank; ++d) axes += (d ? ", " : "") + make(of.id, {-1, d}, identifier(of.find({-1, d})->name));
    declarations_ += composed({"auto [", axes, "] = s[", stage(of), "].axes();\n"});
  }
  std::string fresh(const std::string &wish) {
    std::string name = wish;
    for (int suffix = 1; !taken_.insert(name); ++suffix) name = composed({wish, "_", suffix});
    return name;
  }

  HashSet<std::string> taken_;
  List<Axis> axes_;
  List<Cache> caches_;
  std::string declarations_;
};

/// What a step's C++ is put together from: the names of its stage and axes. Without `variables` these are the names that loops
/// are printed with.
struct Names {
  const State &state;
  const StageState *stage;
  Variables *variables = nullptr;

  std::string stage_name(StageId id) const {
    const StageState *found = state.find(id);
    if (!found) return "?";
    return variables ? variables->stage(*found) : identifier(found->name());
  }
  std::string axis_name(const StageState *of, AxisId id) const {
    const AxisState *axis = of ? of->find(id) : nullptr;
    if (!axis && of)  // a cache_write after the step may have moved it
      for (const StageState &other : state.stages) {
        const Step *made = other.id.step < 0 ? nullptr : state.steps[static_cast<std::size_t>(other.id.step)].get();
        if (made && made->primitive == Primitive::cache_write && made->stage == of->id) return axis_name(&other, id);
      }
    if (!axis) return "?";
    return variables ? variables->axis(*of, id) : identifier(axis->name);
  }
  std::string axes(const List<AxisId> &ids) const {
    std::string text;
    for (const AxisId &id : ids) (text += text.empty() ? "" : ", ") += axis_name(stage, id);
    return text;
  }
  /// The name of output `output` of the step.
  std::string made(int output, const std::string &wish) const {
    return variables && stage ? variables->make(stage->id, {static_cast<int>(state.steps.size()), output}, wish) : wish;
  }
  /// The variable of the cache that the step makes; with the axes of the stage if they are `moved`.
  std::string made_cache(const std::string &wish, bool moved) const {
    if (!variables) return wish;
    const StageId cache{static_cast<int>(state.steps.size()), 0};
    if (moved && stage) variables->move_axes(stage->id, cache);
    return variables->make(cache, wish);
  }
};

inline std::string scope_cpp(const std::string &scope) {
  if (scope == "local" || scope == "shared" || scope.empty()) return "scope::" + (scope.empty() ? std::string("global") : scope);
  return composed({"Scope{\"", scope, "\"}"});
}

/// "[](Index i0, Index i1) { return at(i1/16, i0, i1%16); }"
inline std::string layout_cpp(const StageState *stage, const std::string &map) {
  std::string axes, indices;
  const std::size_t rank = stage ? stage->operation->shape.size() : 0;
  for (std::size_t d = 0; d < rank; ++d) axes += (d ? ", Index i" : "Index i") + std::to_string(d);
  for (const char c : map) indices += c == ',' ? std::string(", ") : std::string(1, c);
  return composed({"[](", axes, ") { return at(", indices, "); }"});
}

}  // namespace step_text

LATHE_INLINE std::string_view name_of(Primitive primitive) {
  return step_text::primitive_names[static_cast<std::size_t>(primitive)];
}

LATHE_INLINE std::string to_text(const Step &step) {
  using step_text::append_id;
  std::string out(name_of(step.primitive));
  if (step.primitive == Primitive::assume) return composed({out, " ", step.text});
  append_id(out, step.stage.step, step.stage.index);
  const bool scoped = step.primitive == Primitive::cache_read || step.primitive == Primitive::cache_write ||
                      step.primitive == Primitive::set_scope;
  if (scoped) out += " " + (step.text.empty() ? "-" : step.text);
  if (step.primitive == Primitive::layout) out += " " + step.text;
  for (const StageId &id : step.stages) append_id(out, id.step, id.index);
  for (const AxisId &id : step.axes) append_id(out, id.step, id.index);
  if (step.primitive == Primitive::split) {
    out += " " + std::to_string(step.numbers.at(0));
    if (step.numbers.size() > 1 && step.numbers[1]) out += " parts";
    if (tail_of(step) != Tail::guard) (out += " ") += step_text::tail_names[static_cast<std::size_t>(tail_of(step))];
  }
  if (step.primitive == Primitive::storage_align || step.primitive == Primitive::auto_unroll ||
      step.primitive == Primitive::prefetch)
    for (const std::int64_t number : step.numbers) out += " " + std::to_string(number);
  return out;
}

LATHE_INLINE List<Step> parse_steps(std::string_view text) {
  List<Step> steps;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    step_text::LineReader reader(text.substr(0, end));
    if (!reader.empty()) steps.push_back(step_text::read_step(reader));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return steps;
}

namespace step_text {

LATHE_INLINE std::string statement(const Names &names, const Step &step) {
  const State &state = names.state;
  const std::string stage = names.stage_name(step.stage);
  const std::string call = composed({"s[", stage, "].", name_of(step.primitive), "("});
  switch (step.primitive) {
    case Primitive::split: {
      const std::string axis = names.axes(step.axes);
      const bool parts = step.numbers.size() > 1 && step.numbers[1];
      const std::string count = std::to_string(step.numbers.at(0));
      const std::string outer = names.made(0, axis + "_outer"), inner = names.made(1, axis + "_inner");
      const std::string tail =
          tail_of(step) == Tail::guard ? "" : ", tail::" + std::string(tail_names[static_cast<std::size_t>(tail_of(step))]);
      return composed(
          {"auto [", outer, ", ", inner, "] = ", call, axis, ", ", parts ? "parts(" + count + ")" : count, tail, ");"});
    }
    case Primitive::fuse: {
      const bool listed = step.axes.size() < 2 || step.axes.size() > 4;
      const std::string axes = (listed ? "{" : "") + names.axes(step.axes) + (listed ? "}" : "");
      std::string fused;
      for (const AxisId &id : step.axes) (fused += fused.empty() ? "" : "_") += names.axis_name(names.stage, id);
      return composed({"auto ", names.made(0, fused.empty() ? "unit" : fused), " = ", call, axes, ");"});
    }
    case Primitive::compute_at: {
      const StageState *consumer = step.stages.empty() ? nullptr : state.find(step.stages[0]);
      const std::string at = consumer ? names.stage_name(step.stages[0]) : "?";
      return composed({call, "s[", at, "], ", step.axes.empty() ? "?" : names.axis_name(consumer, step.axes[0]), ");"});
    }
    case Primitive::alias:
      return composed({"s.alias(", stage, ", ", step.stages.empty() ? "?" : names.stage_name(step.stages[0]), ");"});
    case Primitive::prefetch: {
      const std::string tensor = step.stages.empty() ? "?" : names.stage_name(step.stages[0]);
      return composed(
          {call, tensor, ", ", names.axes(step.axes), ", ", step.numbers.empty() ? "?" : std::to_string(step.numbers[0]), ");"});
    }
    case Primitive::cache_read: {
      std::string readers;
      for (const StageId &id : step.stages) readers += ", " + names.stage_name(id);
      return composed({"auto ", names.made_cache(stage + "_" + (step.text.empty() ? "cache" : identifier(step.text)), false),
                       " = s.cache_read(", stage, ", ", scope_cpp(step.text), readers, ");"});
    }
    case Primitive::cache_write:
      return composed({"auto ", names.made_cache(stage + "_" + (step.text.empty() ? "cache" : identifier(step.text)), true),
                       " = s.cache_write(", stage, ", ", scope_cpp(step.text), ");"});
    case Primitive::set_scope: return composed({call, scope_cpp(step.text), ");"});
    case Primitive::layout: return composed({call, layout_cpp(names.stage, step.text), ");"});
    case Primitive::auto_unroll:
    case Primitive::storage_align: {
      std::string numbers;
      for (const std::int64_t number : step.numbers) numbers += ", " + std::to_string(number);
      return composed({call, names.axes(step.axes), numbers, ");"});
    }
    case Primitive::assume: {
      const ir::Expr condition = assumption_of(state, step.text);
      return composed({"s.assume(", condition.defined() ? ir::to_string(condition) : "?", ");"});
    }
    default: return composed({call, names.axes(step.axes), ");"});
  }
}

}  // namespace step_text

LATHE_INLINE std::string to_cpp(const State &state, const Step &step) {
  return step_text::statement({state, state.find(step.stage)}, step);
}

LATHE_INLINE std::string to_cpp(const List<ir::Operation> &outputs, const List<StepRef> &steps) {
  State state = initial_state(outputs);  // names are those before each step, so the steps are made anew
  step_text::Variables variables(state);
  std::string text = "Schedule s(";
  for (std::size_t i = 0; i < outputs.size(); ++i) text += (i ? ", " : "") + step_text::identifier(outputs[i]->name);
  text += ");\n";
  for (const StepRef &step : steps) {
    const std::string line = step_text::statement({state, state.find(step->stage), &variables}, *step);
    text += composed({variables.take_declarations(), line, "\n"});
    apply(state, step);
  }
  return text;
}

}  // namespace lathe::inline LATHE_ABI::scheduling
