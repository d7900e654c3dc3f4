// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Running the interpreter's code.

#include <new>
#include <string>

#include "lathe/codegen/external_call.hpp"
#include "lathe/codegen/interpret.hpp"
#include "lathe/codegen/interpret_code.hpp"
#include "lathe/ir/print.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/lists.hpp"

namespace lathe::inline LATHE_ABI::codegen {

namespace interpreter {

/// A run: registers, memories, and where it stands.
class Machine {
 public:
  Machine(CompiledFunctionCode code, std::span<const InterpreterArgument> arguments)
      : code_(std::move(code)),
        registers_(code_.registers),
        memories_(code_.buffers.size()),
        done_(code_.procedure_starts.size()) {
    for (std::size_t i = 0; i < memories_.size(); ++i) memories_[i].set_type(code_.buffers[i]->type);
    arguments_ = arguments;
  }

  void bind(const ir::Program &program);
  void run() { run(code_.body); }

 private:
  struct ActiveLoop {
    const ir::For *loop;
    std::uint32_t variable;
  };

  // statements
  void run(const Statement &statement);
  void run_loop(const Statement &statement);
  void run_store(const Statement &statement);
  void run_allocate(const Statement &statement);
  void run_check(const Statement &statement);
  void shape_memory(const Statement &statement, std::uint32_t memory);
  void bind_buffer(const ir::Parameter &parameter, std::size_t position);

  // expressions
  void execute(std::uint32_t start);
  void add(const Instruction &step);
  void each_lane(const Instruction &step);
  void any_lane(const Instruction &step);
  void load(const Instruction &step);
  void call(const Instruction &step);
  void check_ranged(const Instruction &step);
  void ramp(const Instruction &step);
  void shuffle(const Instruction &step);
  ir::Bits binary(const Instruction &step, ir::Bits a, ir::Bits b);
  bool is_active(const Instruction &step, int lane, int lanes) const;
  std::int64_t offset_of(const Site &site, int lane, const char *access);

  std::int64_t integer(std::uint32_t index) const { return static_cast<std::int64_t>(registers_[index]); }
  ir::Bits &at(Value value, int lane) { return registers_[value.lane(lane)]; }

  // faults
  [[noreturn]] void fault(const char *code, std::string message, Location place = {}) const;
  [[noreturn]] void fault_race(const Memory &memory, const Site &site, int lane, const Race &race, bool writes) const;
  std::string element_text(const Site &site, int lane) const;
  std::int64_t checked(const Instruction &step, std::int64_t a, std::int64_t b) const;

  CompiledFunctionCode code_;
  List<ir::Bits> registers_;
  List<Memory> memories_;
  std::span<const InterpreterArgument> arguments_;
  List<std::uint64_t> done_;     // of each procedure: the run of expressions that it last ran in
  List<std::uint32_t> returns_;  // of procedures under way
  std::uint64_t runs_ = 0;
  List<ActiveLoop> loops_;
  List<ParallelLoop> parallel_;
  std::uint64_t iterations_ = 0;  // of parallel loops, so far
  const ir::Program *program_ = nullptr;
  const std::string *label_ = nullptr;
};

// ---- faults -------------------------------------------------------------------------------------------------------------------

LATHE_INLINE std::string bracketed(const List<std::int64_t> &numbers) {
  std::string text = "[";
  for (const std::int64_t number : numbers) text += (text.size() > 1 ? ", " : "") + std::to_string(number);
  return text + "]";
}

LATHE_INLINE void Machine::fault(const char *code, std::string message, Location place) const {
  Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.message = std::move(message);
  diagnostic.place = place || !label_ ? place : program_->place_of(*label_);
  if (label_) {
    diagnostic.stage = *label_;
    diagnostic.notes.push_back({"stage", *label_, {}});
  }
  std::string loops;
  for (const ActiveLoop &active : loops_) {
    if (!loops.empty()) loops += ", ";
    loops += active.loop->var.name() + " = " + std::to_string(integer(active.variable));
  }
  if (!loops.empty()) diagnostic.notes.push_back({"loops", std::move(loops), {}});
  throw Error(std::move(diagnostic));
}

LATHE_INLINE std::string Machine::element_text(const Site &site, int lane) const {
  List<std::int64_t> indices;
  for (const Value &operand : site.operands) indices.push_back(integer(operand.lane(lane)));
  return code_.buffers[site.memory]->name + bracketed(indices);
}

LATHE_INLINE void Machine::fault_race(const Memory &, const Site &site, int lane, const Race &race, bool writes) const {
  const ParallelLoop &loop = *race.loop;
  const std::string name = loop.loop->var.name() + " = ";
  const auto iteration = [&](std::uint64_t number) {
    return name + std::to_string(loop.min + static_cast<std::int64_t>(number - loop.first));
  };
  fault("R003", "iterations of the parallel loop over " + loop.loop->var.name() + " race for " + element_text(site, lane) + ": " +
                    iteration(loop.current) + (writes ? " writes" : " reads") + " what " +
                    (race.other ? iteration(race.other) : "several others") + (race.other_wrote ? " wrote" : " read"));
}

LATHE_INLINE std::int64_t Machine::checked(const Instruction &step, std::int64_t a, std::int64_t b) const {
  std::int64_t result = 0;
  const auto op = static_cast<ir::BinaryOp>(step.op);
  const bool overflows = op == ir::BinaryOp::add   ? __builtin_add_overflow(a, b, &result)
                         : op == ir::BinaryOp::sub ? __builtin_sub_overflow(a, b, &result)
                                                   : __builtin_mul_overflow(a, b, &result);
  if (overflows) [[unlikely]] {
    const char *symbol = op == ir::BinaryOp::add ? " + " : op == ir::BinaryOp::sub ? " - " : " * ";
    fault("R004", "index arithmetic overflows 64 bits: " + std::to_string(a) + symbol + std::to_string(b));
  }
  return result;
}

// ---- expressions --------------------------------------------------------------------------------------------------------------

// Lanes of a vector obey the mask lane by lane; a scalar beside it is needed where any lane is.
LATHE_INLINE bool Machine::is_active(const Instruction &step, int lane, int lanes) const {
  if (!step.masked) return true;
  if (lanes == step.c.lanes) return registers_[step.c.lane(lane)] != 0;
  for (int i = 0; i < step.c.lanes; ++i)
    if (registers_[step.c.lane(i)]) return true;
  return false;
}

LATHE_INLINE std::int64_t Machine::offset_of(const Site &site, int lane, const char *access) {
  const Memory &memory = memories_[site.memory];
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < site.operands.size(); ++i) {
    const std::int64_t index = integer(site.operands[i].lane(lane));
    if (index < 0 || index >= memory.shape()[i]) [[unlikely]]
      fault("R001", element_text(site, lane) + " is " + access + " outside its extents " + bracketed(memory.shape()) +
                        ", in dimension " + std::to_string(i));
    offset += index * memory.strides()[i];
  }
  return offset;
}

LATHE_INLINE void Machine::load(const Instruction &step) {
  const Site &site = code_.sites[step.site];
  Memory &memory = memories_[site.memory];
  const int lanes = step.target.lanes;
  for (int lane = 0; lane < lanes; ++lane) {
    ir::Bits &target = at(step.target, lane);
    target = 0;
    if ((site.predicated && !registers_[site.predicate.lane(lane)]) || !is_active(step, lane, lanes)) continue;
    const std::int64_t offset = offset_of(site, lane, "read");
    if (!memory.is_written(offset)) [[unlikely]]
      fault("R002", element_text(site, lane) + " is read before anything was written there");
    if (memory.is_watched())
      if (const auto race = memory.note_read(offset, parallel_)) fault_race(memory, site, lane, *race, false);
    target = ir::load_element(step.type, memory.address(offset));
  }
}

LATHE_INLINE void Machine::call(const Instruction &step) {
  const Site &site = code_.sites[step.site];
  List<ir::Bits> arguments(site.operands.size());
  for (int lane = 0; lane < step.target.lanes; ++lane) {
    at(step.target, lane) = 0;
    if (!is_active(step, lane, step.target.lanes)) continue;
    for (std::size_t i = 0; i < arguments.size(); ++i) arguments[i] = at(site.operands[i], lane);
    at(step.target, lane) = call_external(site.function, step.type, site.types, arguments);
  }
}

LATHE_INLINE void Machine::check_ranged(const Instruction &step) {
  const Site &site = code_.sites[step.site];
  for (int lane = 0; lane < step.target.lanes; ++lane) {
    const ir::Bits value = at(step.a, lane), min = at(site.operands[0], lane), max = at(site.operands[1], lane);
    at(step.target, lane) = value;
    if (!is_active(step, lane, step.target.lanes)) continue;
    if (ir::evaluate(ir::BinaryOp::le, step.type, min, value) && ir::evaluate(ir::BinaryOp::le, step.type, value, max)) continue;
    const auto text = [&](ir::Bits bits) { return ir::literal_text(step.type, bits); };
    fault("R005", "a value promised to lie in [" + text(min) + ", " + text(max) + "] is " + text(value));
  }
}

// Lane j of vector operands is repeated or stepped as a whole: lane i of the result comes from lane i % n.
LATHE_INLINE void Machine::ramp(const Instruction &step) {
  const int lanes = static_cast<int>(step.site);
  for (int lane = 0; lane < step.target.lanes; ++lane) {
    const ir::Bits base = at(step.a, lane % lanes);
    if (step.code == Code::broadcast) {
      at(step.target, lane) = base;
      continue;
    }
    const ir::Bits stride = at(step.b, lane % lanes), count = static_cast<ir::Bits>(lane / lanes);
    Instruction multiply = step, sum = step;
    multiply.op = static_cast<std::uint8_t>(ir::BinaryOp::mul);
    sum.op = static_cast<std::uint8_t>(ir::BinaryOp::add);
    at(step.target, lane) = binary(sum, base, binary(multiply, stride, count));
  }
}

LATHE_INLINE void Machine::shuffle(const Instruction &step) {
  const Site &site = code_.sites[step.site];
  for (int lane = 0; lane < step.target.lanes; ++lane) {
    int from = site.lanes[static_cast<std::size_t>(lane)];
    std::size_t vector = 0;
    while (from >= site.operands[vector].lanes) from -= site.operands[vector++].lanes;
    at(step.target, lane) = at(site.operands[vector], from);
  }
}

LATHE_INLINE ir::Bits Machine::binary(const Instruction &step, ir::Bits a, ir::Bits b) {
  const auto op = static_cast<ir::BinaryOp>(step.op);
  if (step.type.is_index() && op <= ir::BinaryOp::mul)
    return static_cast<ir::Bits>(checked(step, static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)));
  return ir::evaluate(op, step.type, a, b);
}

LATHE_INLINE void Machine::any_lane(const Instruction &step) {
  ir::Bits any = 0;
  for (int lane = 0; lane < step.a.lanes; ++lane) any |= at(step.a, lane);
  at(step.target, 0) = any;
}

LATHE_INLINE void Machine::each_lane(const Instruction &step) {
  for (int lane = 0; lane < step.target.lanes; ++lane) {
    const ir::Bits a = at(step.a, lane);
    ir::Bits &target = at(step.target, lane);
    switch (step.code) {
      case Code::unary:
        if (static_cast<ir::UnaryOp>(step.op) == ir::UnaryOp::any_lane) return any_lane(step);
        target = ir::evaluate(static_cast<ir::UnaryOp>(step.op), step.type, a);
        break;
      case Code::binary: target = binary(step, a, at(step.b, lane)); break;
      case Code::mul_add: target = ir::evaluate_mul_add(step.type, a, at(step.b, lane), at(step.c, lane)); break;
      case Code::select: target = at(a ? step.b : step.c, lane); break;
      case Code::cast: target = ir::evaluate_cast(static_cast<ir::CastMode>(step.op), step.type, step.from, a); break;
      case Code::mask_and: target = a && is_active(step, lane, step.target.lanes); break;
      case Code::mask_and_not: target = !a && is_active(step, lane, step.target.lanes); break;
      default: target = a; break;  // move
    }
  }
}

LATHE_INLINE void Machine::execute(std::uint32_t start) {
  ++runs_;
  const Instruction *const code = code_.instructions.data();
  for (const Instruction *step = code + start;; ++step) {
    ir::Bits &target = registers_[step->target.start];
    switch (step->code) {
      case Code::add_index:
      case Code::sub_index:
      case Code::mul_index: target = static_cast<ir::Bits>(checked(*step, integer(step->a.start), integer(step->b.start))); break;
      case Code::less_index: target = integer(step->a.start) < integer(step->b.start); break;
      case Code::load: load(*step); break;
      case Code::call: call(*step); break;
      case Code::ranged: check_ranged(*step); break;
      case Code::ramp:
      case Code::broadcast: ramp(*step); break;
      case Code::shuffle: shuffle(*step); break;
      case Code::jump: step = code + step->site - 1; break;
      case Code::jump_if_false:
        if (!registers_[step->a.start]) step = code + step->site - 1;
        break;
      case Code::jump_if_true:
        if (registers_[step->a.start]) step = code + step->site - 1;
        break;
      case Code::force:
        if (done_[step->site] == runs_) break;
        returns_.push_back(static_cast<std::uint32_t>(step - code));
        step = code + code_.procedure_starts[step->site] - 1;
        break;
      case Code::finish:
        done_[step->site] = runs_;
        step = code + returns_.back();
        returns_.pop_back();
        break;
      case Code::stop: return;
      default: each_lane(*step); break;
    }
  }
}

// ---- statements ---------------------------------------------------------------------------------------------------------------

LATHE_INLINE void Machine::run(const Statement &statement) {
  switch (statement.kind) {
    case ir::StmtKind::loop: return run_loop(statement);
    case ir::StmtKind::block: {
      const std::string *outer = label_;
      const std::string &label = statement.node->as<ir::Block>()->label;
      if (!label.empty()) label_ = &label;
      for (const Statement &child : statement.children) run(child);
      label_ = outer;
      return;
    }
    case ir::StmtKind::store: return run_store(statement);
    case ir::StmtKind::allocate: return run_allocate(statement);
    case ir::StmtKind::branch:
      execute(statement.start);
      if (registers_[statement.value.start]) return run(statement.children[0]);
      if (statement.children.size() > 1) run(statement.children[1]);
      return;
    case ir::StmtKind::bind: execute(statement.start); return run(statement.children[0]);
    case ir::StmtKind::check: return run_check(statement);
    case ir::StmtKind::evaluate: return execute(statement.start);
    case ir::StmtKind::prefetch: return;
  }
}

LATHE_INLINE void Machine::run_loop(const Statement &statement) {
  execute(statement.start);
  const auto &loop = *statement.node->as<ir::For>();
  const std::int64_t min = integer(statement.site.operands[0].start), extent = integer(statement.site.operands[1].start);
  if (extent <= 0) return;
  std::int64_t end = 0;
  if (__builtin_add_overflow(min, extent, &end))
    fault("R004",
          "the loop over " + loop.var.name() + " ends beyond 64 bits: " + std::to_string(min) + " + " + std::to_string(extent));
  loops_.push_back({&loop, statement.value.start});
  const bool parallel = loop.kind == ir::LoopKind::parallel;
  if (parallel) {
    parallel_.push_back({&loop, min, iterations_ + 1, iterations_});
    iterations_ += static_cast<std::uint64_t>(extent);
  }
  for (std::int64_t i = min; i < end; ++i) {
    if (parallel) ++parallel_.back().current;
    registers_[statement.value.start] = static_cast<ir::Bits>(i);
    run(statement.children[0]);
  }
  if (parallel) parallel_.pop_back();
  loops_.pop_back();
}

LATHE_INLINE void Machine::run_store(const Statement &statement) {
  execute(statement.start);
  const Site &site = statement.site;
  Memory &memory = memories_[site.memory];
  int lanes = statement.value.lanes;
  for (const Value &operand : site.operands) lanes = std::max<int>(lanes, operand.lanes);
  for (int lane = 0; lane < lanes; ++lane) {
    if (site.predicated && !registers_[site.predicate.lane(lane)]) continue;
    const std::int64_t offset = offset_of(site, lane, "written");
    if (memory.is_watched())
      if (const auto race = memory.note_write(offset, parallel_)) fault_race(memory, site, lane, *race, true);
    memory.mark_written(offset);
    ir::store_element(memory.type(), memory.address(offset), at(statement.value, lane));
  }
}

LATHE_INLINE void Machine::run_check(const Statement &statement) {
  execute(statement.start);
  if (registers_[statement.value.start]) return;
  const auto &check = *statement.node->as<ir::Check>();
  fault("R006", check.message, check.place);
}

LATHE_INLINE void Machine::shape_memory(const Statement &statement, std::uint32_t memory) {
  execute(statement.start);
  const std::size_t rank = statement.site.operands.size() / 2;
  List<std::int64_t> shape, strides;
  for (std::size_t i = 0; i < rank; ++i) {
    shape.push_back(integer(statement.site.operands[i].start));
    strides.push_back(integer(statement.site.operands[rank + i].start));
  }
  if (!memories_[memory].reshape(std::move(shape), std::move(strides)))
    fault("R008", "the size of " + code_.buffers[memory]->name + " does not fit 64 bits");
  const std::size_t levels = code_.parallel_levels - parallel_.size();
  if (code_.watched[memory] && levels > 0) memories_[memory].watch(parallel_.size(), levels);
}

LATHE_INLINE void Machine::run_allocate(const Statement &statement) {
  for (std::size_t i = 0; i + 1 < statement.children.size(); ++i) {
    const Statement &shape = statement.children[i];
    const std::uint32_t memory = shape.site.memory;
    try {
      shape_memory(shape, memory);
      memories_[memory].allocate();
    } catch (const std::bad_alloc &) {
      fault("R008", "there is no memory for " + code_.buffers[memory]->name + bracketed(memories_[memory].shape()));
    }
  }
  run(statement.children.back());
}

// ---- arguments ----------------------------------------------------------------------------------------------------------------

LATHE_INLINE void Machine::bind_buffer(const ir::Parameter &parameter, std::size_t position) {
  const std::uint32_t number = code_.memories[position];
  shape_memory(code_.layouts[position], number);
  void *address = arguments_[position].pointer;
  if (!address && parameter.data) address = const_cast<std::byte *>(parameter.data->data());
  const bool empty = lists::any_of(memories_[number].shape(), [](std::int64_t extent) { return extent <= 0; });
  if (!address && !empty) fault("R007", "the address of argument " + parameter.name + " is null");
  const int alignment = std::max(parameter.buffer->alignment, 1);
  if (reinterpret_cast<std::uintptr_t>(address) % static_cast<std::uintptr_t>(alignment) != 0)
    fault("R007", "the address of argument " + parameter.name + " is not aligned to the " + std::to_string(alignment) +
                      " bytes that were promised");
  memories_[number].refer_to(static_cast<std::byte *>(address), parameter.kind != ir::ParameterKind::output);
}

LATHE_INLINE void Machine::bind(const ir::Program &program) {
  program_ = &program;
  const List<ir::Parameter> &parameters = program.entry().parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].kind == ir::ParameterKind::scalar)
      registers_[code_.scalars[i].start] = ir::load_element(parameters[i].var.type(), &arguments_[i]);
  for (std::size_t i = 0; i < program.requirements.size(); ++i) {
    execute(code_.requirements[i].start);
    if (!registers_[code_.requirements[i].value.start])
      fault("R006", program.requirements[i].text, program.requirements[i].place);
  }
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].buffer.defined()) bind_buffer(parameters[i], i);
}

}  // namespace interpreter

LATHE_INLINE void interpret(const ir::Program &program, std::span<const InterpreterArgument> arguments) {
  const List<ir::Parameter> &parameters = program.entry().parameters;
  if (arguments.size() != parameters.size())
    fail("R008", program.entry().name + " takes " + std::to_string(parameters.size()) + " arguments, but " +
                     std::to_string(arguments.size()) + " were given");
  const auto find_function = [&](const ir::ExternalFunction &function) -> const void * {
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (parameters[i].kind == ir::ParameterKind::function && parameters[i].function == function) return arguments[i].pointer;
    return resolve(function);
  };
  interpreter::Machine machine(interpreter::compile_function(program, find_function), arguments);
  machine.bind(program);
  machine.run();
}

}  // namespace lathe::inline LATHE_ABI::codegen
