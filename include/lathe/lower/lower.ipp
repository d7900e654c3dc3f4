// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Lowering, step by step.

#include <algorithm>

#include "lathe/ir/print.hpp"
#include "lathe/lower/build_nest.ipp"
#include "lathe/lower/check_aliases.ipp"
#include "lathe/lower/check_reads.ipp"
#include "lathe/lower/constant_stages.ipp"
#include "lathe/lower/infer_regions.ipp"
#include "lathe/lower/inline_stages.ipp"
#include "lathe/lower/lower.hpp"
#include "lathe/lower/region_report.ipp"
#include "lathe/support/hash_map.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/lists.hpp"

namespace lathe::inline LATHE_ABI::lowering {

namespace parameters {

/// What is stored past the caches has to be aligned.
inline ir::Buffer buffer_of(const ir::Tensor &tensor, bool streamed = false, bool shared = false) {
  const ir::OperationNode &operation = *tensor.operation;
  ir::BufferNode buffer;
  buffer.name = operation.name + (operation.types.size() > 1 ? "." + std::to_string(tensor.output) : "");
  buffer.type = ir::type_of(tensor);
  buffer.shape = operation.shape;
  buffer.strides = operation.memory.strides;
  buffer.alignment = streamed ? std::max(operation.memory.alignment, 64) : operation.memory.alignment;
  buffer.streamed = streamed;
  buffer.shared = shared;
  return ir::Buffer(std::move(buffer));
}

/// The arguments as parameters, checked against what the schedule reads and writes.
class ParameterList {
 public:
  ParameterList(const scheduling::State &state, Plans &plans, ir::Function &function)
      : state_(state), plans_(plans), function_(function) {}

  void add_arguments(const List<Argument> &arguments) {
    for (const Argument &argument : arguments)
      argument.scalar.defined() ? add_scalar(argument.scalar, true) : add_tensor(argument.tensor);
    for (const scheduling::StageState &stage : state_.stages) require(stage);
  }

  /// Size symbols get a slot each, in the order in which arguments' shapes name them bare.
  void add_symbols() {
    const List<ir::Parameter> given = function_.parameters;
    for (const ir::Parameter &parameter : given)
      if (parameter.buffer.defined())
        for (const List<ir::Expr> *integers : {&parameter.buffer->shape, &parameter.buffer->strides})
          for (const ir::Expr &integer : *integers)
            if (const ir::VarRef *symbol = integer.as<ir::VarRef>(); symbol && !known_.contains(symbol->var.node()))
              add_scalar(symbol->var, false);
    for (const scheduling::StageState &stage : state_.stages) require_symbols(stage);
  }

  /// Outputs learn whose memory they may be.
  void add_aliases() {
    for (const scheduling::StageState &stage : state_.stages)
      if (static_cast<bool>(stage.alias))
        for (ir::Parameter &parameter : function_.parameters)
          if (parameter.buffer.defined() && parameter.buffer == *given({stage.key, 0}))
            parameter.shares = *given({stage.alias, 0});
  }

  void add_constants() {
    for (const scheduling::StageState &stage : state_.stages) {
      if (stage.operation->kind != ir::OperationKind::constant) continue;
      ir::Parameter parameter;
      parameter.kind = ir::ParameterKind::constant;
      parameter.name = stage.name();
      parameter.buffer = buffer_of({stage.key, 0});
      parameter.data = stage.operation->data;
      plans_.arguments.push_back({stage.key, {parameter.buffer}});
      function_.parameters.push_back(std::move(parameter));
    }
  }

  void add_functions() {
    for (const ir::ExternalFunction &external : ir::free_names(function_.body).functions) {
      ir::Parameter parameter;
      parameter.kind = ir::ParameterKind::function;
      parameter.name = external.name;
      parameter.function = external;
      function_.parameters.push_back(std::move(parameter));
    }
  }

 private:
  void add_scalar(const ir::Var &var, bool argument) {
    known_.insert(var.node());
    ir::Parameter parameter;
    parameter.kind = ir::ParameterKind::scalar;
    parameter.name = var.name();
    parameter.var = var;
    parameter.argument = argument;
    function_.parameters.push_back(std::move(parameter));
  }

  void add_tensor(const ir::Tensor &tensor) {
    const scheduling::StageState *stage = state_.find(tensor.operation);
    if (!stage)
      fail("L006", {"the argument ", ir::name_of(tensor), " is not part of what is computed"}, tensor.operation->place,
           {{"help", "leave it out of the kernel's arguments", {}}});
    if (stage->is_compute() && !stage->output)
      fail("L006", {"the argument ", ir::name_of(tensor), " is an intermediate stage, not an input or an output"},
           tensor.operation->place, {{"help", {"make it an output too:   Schedule s(result, ", ir::name_of(tensor), ");"}, {}}});
    for (const ir::Parameter &other : function_.parameters)
      if (other.buffer.defined() && given(tensor))
        fail("L006", {"the argument ", ir::name_of(tensor), " is given twice"}, tensor.operation->place);
    ir::Parameter parameter;
    parameter.kind = stage->is_compute() ? ir::ParameterKind::output : ir::ParameterKind::input;
    parameter.name = ir::name_of(tensor);
    parameter.place = tensor.operation->place;
    parameter.buffer = buffer_of(tensor, stage->streamed_by >= 0, shares(*stage));
    tensors_.push_back({tensor, parameter.buffer});
    function_.parameters.push_back(std::move(parameter));
  }

  /// Whether an alias step names the stage.
  bool shares(const scheduling::StageState &stage) const {
    bool named = static_cast<bool>(stage.alias);
    for (const scheduling::StageState &other : state_.stages) named = named || other.alias == stage.key;
    return named;
  }

  const ir::Buffer *given(const ir::Tensor &tensor) const {
    for (const auto &[other, buffer] : tensors_)
      if (other == tensor) return &buffer;
    return nullptr;
  }

  /// Every placeholder and every output must be an argument.
  void require(const scheduling::StageState &stage) {
    const bool input = stage.operation->kind == ir::OperationKind::placeholder;
    if (!input && !stage.output) return;
    List<ir::Buffer> buffers;
    for (std::size_t output = 0; output < stage.operation->types.size(); ++output) {
      const ir::Buffer *buffer = given({stage.key, static_cast<int>(output)});
      if (!buffer)
        fail(input ? "L005" : "L006",
             {input ? "the input " : "the output ", stage.name(), " is not among the kernel's arguments"}, stage.operation->place,
             {{"help", {"name it:   jit(s, …, ", stage.name(), ", …)"}, {}}});
      buffers.push_back(*buffer);
    }
    if (input) {
      plans_.arguments.push_back({stage.key, std::move(buffers)});
    } else {
      outputs_.push_back({stage.key, std::move(buffers)});
    }
  }

  void require_symbols(const scheduling::StageState &stage) const {
    const auto require_known = [&](const ir::Expr &e) {
      for (const ir::Var &var : ir::free_vars(e)) {
        bool axis = false;
        for (const ir::Var &own : stage.operation->axes) axis |= own == var;
        if (axis || known_.contains(var.node())) continue;
        fail("L003", {"nothing gives a value to ", var.name(), ", which ", stage.name(), " uses"}, stage.operation->place,
             {{"why", "a symbol is bound where it stands alone as an extent of an argument, or by being an argument itself", {}},
              {"help", {"add it to the kernel's arguments:   jit(s, ", var.name(), ", …)"}, {}}});
      }
    };
    for (const ir::Expr &extent : stage.operation->shape) require_known(extent);
    for (const ir::Expr &body : stage.operation->bodies) require_known(body);
  }

 public:
  List<std::pair<ir::Operation, List<ir::Buffer>>> outputs_;

 private:
  const scheduling::State &state_;
  Plans &plans_;
  ir::Function &function_;
  NodeSet known_;
  List<std::pair<ir::Tensor, ir::Buffer>> tensors_;
};

/// What only the prologue reads need not be kept.
inline void drop_unused_constants(ir::Function &function) {
  NodeSet used;
  for (const ir::Buffer &buffer : ir::free_names(function.body).buffers) used.insert(buffer.node());
  List<ir::Parameter> kept;
  for (ir::Parameter &parameter : function.parameters)
    if (parameter.kind != ir::ParameterKind::constant || used.contains(parameter.buffer.node()))
      kept.push_back(std::move(parameter));
  function.parameters = std::move(kept);
}

/// The function that computes what is computed once; its outputs become constants of `function`.
inline ir::Function make_prologue(const Plans &plans, ir::Function &function) {
  ir::Function prologue;
  prologue.name = function.name + "_prologue";
  for (const ir::Parameter &parameter : function.parameters)
    if (parameter.kind == ir::ParameterKind::constant) prologue.parameters.push_back(parameter);
  for (const Plan &plan : plans.plans) {
    if (!plan.once || plan.parent >= 0) continue;
    for (const ir::Buffer &buffer : plan.buffers) {
      ir::Parameter parameter;
      parameter.kind = ir::ParameterKind::output;
      parameter.name = buffer->name;
      parameter.buffer = buffer;
      parameter.place = plan.operation()->place;
      prologue.parameters.push_back(parameter);
      parameter.kind = ir::ParameterKind::constant;
      function.parameters.push_back(std::move(parameter));
    }
  }
  prologue.body = build_nests(plans, true);
  for (const ir::ExternalFunction &external : ir::free_names(prologue.body).functions) {
    ir::Parameter parameter;
    parameter.kind = ir::ParameterKind::function;
    parameter.name = external.name;
    parameter.function = external;
    prologue.parameters.push_back(std::move(parameter));
  }
  return prologue;
}

}  // namespace parameters

LATHE_INLINE Lowered lower(const scheduling::State &state, const List<Argument> &arguments, const std::string &name) {
  Plans plans;
  plans.state = &state;
  ir::Function function;
  function.name = name;
  parameters::ParameterList list(state, plans, function);
  list.add_arguments(arguments);
  list.add_symbols();
  list.add_constants();
  list.add_aliases();
  for (const ir::Parameter &parameter : function.parameters)
    if (parameter.var.defined()) plans.scalars.push_back(parameter.var);
  for (const ir::Parameter &parameter : function.parameters)
    if (parameter.var.defined() && parameter.var.nonnegative()) plans.facts.assume(ir::Expr(parameter.var) >= ir::Expr(0));

  for (const scheduling::Assumption &assumption : state.assumptions) {
    const scheduling::Step &step = *state.steps[static_cast<std::size_t>(assumption.step)];
    plans.facts.assume(assumption.condition);
    plans.requirements.push_back(
        {assumption.condition, "assumed is " + ir::to_string(assumption.condition), step.place, to_cpp(state, step)});
  }

  inline_stages(plans);
  check_reads(plans);
  for (Plan &plan : plans.plans)
    for (const auto &[key, buffers] : list.outputs_)
      if (plan.stage->key == key) plan.buffers = buffers;
  infer_regions(plans);
  check_aliases(plans);
  find_constant_stages(plans);
  Lowered result;
  if (lists::any_of(plans.plans, [](const Plan &plan) { return plan.once; }))
    result.prologue.functions.push_back(parameters::make_prologue(plans, function));
  function.body = build_nests(plans, false);
  parameters::drop_unused_constants(function);
  list.add_functions();

  result.report = region_report(plans);
  result.facts = plans.facts;
  result.program.functions.push_back(std::move(function));
  result.program.requirements = plans.requirements;
  for (const Plan &plan : plans.plans)
    (plan.once ? result.prologue : result.program).stages.push_back({plan.stage->name(), plan.operation()->place});
  return result;
}

}  // namespace lathe::inline LATHE_ABI::lowering
