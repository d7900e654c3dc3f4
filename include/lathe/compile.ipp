// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The corridor: schedule → loops → passes → code → kernel.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "lathe/codegen/c.hpp"
#include "lathe/codegen/interpret.hpp"
#include "lathe/codegen/llvm_ir.hpp"
#include "lathe/codegen/reference.hpp"
#include "lathe/compile.hpp"
#include "lathe/ir/print.hpp"
#include "lathe/lower/lower.hpp"
#include "lathe/passes/pipeline.hpp"
#include "lathe/runtime/array.hpp"
#include "lathe/runtime/llvm_jit.hpp"
#include "lathe/support/function_ref.hpp"
#include "lathe/support/hash_map.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI {

namespace corridor {

/// Whether LATHE_DUMP asks for `what`.
inline bool dumps(std::string_view what) {
  const char *list = std::getenv("LATHE_DUMP");
  if (!list) return false;
  std::string_view rest = list;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const std::string_view word = rest.substr(0, end);
    if (word == what || (word == "all" && what != "times")) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

inline void dump(std::string_view what, const std::string &kernel, const std::string &text) {
  std::fprintf(stderr, "---- %.*s of %s ----\n%s\n", static_cast<int>(what.size()), what.data(), kernel.c_str(), text.c_str());
}

/// The loops as people read them; what is computed once comes first.
inline std::string text_of(const lowering::Lowered &lowered) {
  const bool once = !lowered.prologue.functions.empty();
  return lowered.report + (once ? ir::to_string(lowered.prologue) + "\n" : "") + ir::to_string(lowered.program);
}

inline bool verifies(const Options &options) {
  const char *variable = std::getenv("LATHE_VERIFY");
  return options.verify || (variable && std::strcmp(variable, "0") != 0);
}

inline lowering::Lowered lower(const Schedule &schedule, const List<AnyArgument> &arguments, const Options &options) {
  List<lowering::Argument> list;
  for (const AnyArgument &argument : arguments) list.push_back({argument.tensor(), argument.scalar()});
  lowering::Lowered lowered = lowering::lower(schedule.state(), list, options.name.empty() ? Options().name : options.name);
  if (dumps("lower")) dump("lower", options.name, text_of(lowered));
  return lowered;
}

inline ir::Program optimize(lowering::Lowered lowered, const Options &options, const Target &target) {
  passes::PassContext context{target, options.numerics, lowered.facts};
  passes::PipelineOptions pipeline;
  pipeline.verify = verifies(options);
  List<passes::PassTime> times;
  pipeline.times = &times;
  if (std::getenv("LATHE_DUMP"))
    pipeline.dump = [&](std::string_view pass, const ir::Program &program) {
      if (dumps(pass)) dump(pass, options.name, ir::to_string(program));
    };
  ir::Program program = passes::run_passes(std::move(lowered.program), context, pipeline);
  if (dumps("times"))
    for (const passes::PassTime &time : times)
      std::fprintf(stderr, "%-24.*s %8.1f us\n", static_cast<int>(time.name.size()), time.name.data(),
                   static_cast<double>(time.time.count()) * 1e-3);
  return program;
}

/// Makes code of a program that all passes have seen.
using MakeCode = FunctionRef<std::shared_ptr<const KernelCode>(ir::Program)>;

inline constexpr auto interpreted = [](ir::Program program) {
  return std::shared_ptr<const KernelCode>(new KernelCode(std::move(program), &codegen::interpret));
};

inline std::shared_ptr<const KernelCode> compiled(ir::Program program, const Options &options) {
  const std::string text = codegen::emit_llvm(program, options.target, {.no_nan = options.numerics.no_nan});
  if (dumps("llvm")) dump("llvm", options.name, text);
  std::shared_ptr<const LlvmModule> module = compile_llvm(text, options.target);
  if (dumps("asm")) dump("asm", options.name, module->assembly());
  const CompiledFunction entry = module->function(program.entry().name);
  return std::shared_ptr<const KernelCode>(new KernelCode(std::move(program), entry, module, options.executor));
}

/// Computes what is computed once. Its outputs become the data of constants of `lowered.program`.
inline void run_prologue(lowering::Lowered &lowered, const Options &options, const Target &target, MakeCode make) {
  if (lowered.prologue.functions.empty()) return;
  lowering::Lowered once;
  once.program = std::exchange(lowered.prologue, {});
  const List<ir::Parameter> parameters = once.program.entry().parameters;
  const std::shared_ptr<const KernelCode> code = make(optimize(std::move(once), options, target));
  NodeMap<std::shared_ptr<List<std::byte>>> outputs;
  List<List<std::int64_t>> shapes, strides;
  const auto known = [](const List<ir::Expr> &integers) {
    List<std::int64_t> values;
    for (const ir::Expr &e : integers) values.push_back(ir::constant_integer(e).value());
    return values;
  };
  for (const ir::Parameter &parameter : parameters) {
    if (parameter.kind != ir::ParameterKind::output) continue;
    const ir::Buffer &buffer = parameter.buffer;
    shapes.push_back(known(buffer->shape));
    strides.push_back(known(buffer->strides));
    const int rank = static_cast<int>(shapes.back().size());
    std::size_t bytes = array_bytes(shapes.back().data(), rank, static_cast<std::size_t>(buffer->type.bytes()));
    // Rows that are padded: the outermost stride is the size of all the others.
    if (bytes > 0 && rank > 0 && !buffer->strides.empty()) {
      const std::int64_t whole[] = {shapes.back()[0], strides.back()[0]};
      bytes = array_bytes(whole, 2, static_cast<std::size_t>(buffer->type.bytes()));
    }
    outputs.emplace(buffer.node(), std::shared_ptr<List<std::byte>>(new List<std::byte>(bytes)));
  }
  List<CallArgument> arguments;
  for (const auto &output : outputs) {
    const std::size_t i = arguments.size();
    arguments.push_back({output.second->data(), shapes[i].data(), strides[i].empty() ? nullptr : strides[i].data(), {}});
  }
  code->call(arguments.data(), arguments.size());
  for (ir::Parameter &parameter : lowered.program.functions.front().parameters)
    if (const auto *found = parameter.buffer.defined() ? outputs.find(parameter.buffer.node()) : nullptr)
      parameter.data = found->second;
}

/// From a schedule to a program for code generation.
inline ir::Program program_of(const Schedule &schedule, const List<AnyArgument> &arguments, const Options &options,
                              const Target &target, MakeCode make_once) {
  lowering::Lowered lowered = lower(schedule, arguments, options);
  run_prologue(lowered, options, target, make_once);
  return optimize(std::move(lowered), options, target);
}

}  // namespace corridor

LATHE_INLINE ir::Program lower_program(const Schedule &schedule, const List<AnyArgument> &arguments, const Options &options) {
  lowering::Lowered lowered = corridor::lower(schedule, arguments, options);
  corridor::run_prologue(lowered, options, options.target, corridor::interpreted);
  return std::move(lowered.program);
}

LATHE_INLINE ir::Program optimize_program(const Schedule &schedule, const List<AnyArgument> &arguments, const Options &options) {
  return corridor::program_of(schedule, arguments, options, options.target, corridor::interpreted);
}

LATHE_INLINE std::string print_lowered(const Schedule &schedule, const List<AnyArgument> &arguments) {
  return corridor::text_of(corridor::lower(schedule, arguments, {}));
}

LATHE_INLINE Source emit_c_source(const Schedule &schedule, const List<AnyArgument> &arguments, const Options &options) {
  return codegen::emit_c(corridor::program_of(schedule, arguments, options, Target::c(), corridor::interpreted));
}

LATHE_INLINE std::string emit_llvm_text(const Schedule &schedule, const List<AnyArgument> &arguments, const Options &options) {
  const ir::Program program = optimize_program(schedule, arguments, options);
  return codegen::emit_llvm(program, options.target, {.no_nan = options.numerics.no_nan});
}

LATHE_INLINE std::shared_ptr<const KernelCode> jit_code(const Schedule &schedule, const List<AnyArgument> &arguments,
                                                        const Options &options) {
  const auto make = [&](ir::Program program) { return corridor::compiled(std::move(program), options); };
  return make(corridor::program_of(schedule, arguments, options, options.target, make));
}

LATHE_INLINE std::shared_ptr<const KernelCode> interpreter_code(const Schedule &schedule, const List<AnyArgument> &arguments,
                                                                const Options &options) {
  return corridor::interpreted(optimize_program(schedule, arguments, options));
}

LATHE_INLINE void Binding::set(const void *data, const std::int64_t *shape, const std::int64_t *strides, int rank,
                               std::size_t element_bytes) {
  shape_.assign(shape, shape + rank);
  std::int64_t count = 1;
  for (const std::int64_t extent : shape_) count *= extent;
  elements_.resize(static_cast<std::size_t>(count) * element_bytes);
  List<std::int64_t> index(static_cast<std::size_t>(rank), 0);
  for (std::int64_t element = 0; element < count; ++element) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < index.size(); ++d) offset += index[d] * strides[d];
    std::memcpy(elements_.data() + static_cast<std::size_t>(element) * element_bytes,
                static_cast<const std::byte *>(data) + offset * static_cast<std::int64_t>(element_bytes), element_bytes);
    for (std::size_t d = index.size(); d-- > 0;) {
      if (++index[d] < shape_[d]) break;
      index[d] = 0;
    }
  }
}

LATHE_INLINE Evaluated evaluate_tensor(const AnyTensor &tensor, const List<Binding> &bindings) {
  codegen::ReferenceInputs inputs;
  for (const Binding &binding : bindings) {
    if (binding.argument().scalar().defined()) {
      inputs.scalars.push_back(
          {binding.argument().scalar(), ir::load_element(binding.argument().scalar().type(), &binding.scalar())});
    } else {
      const ir::Tensor &input = binding.argument().tensor();
      inputs.tensors.push_back({input, codegen::ReferenceArray(ir::type_of(input), binding.shape(), binding.elements().data())});
    }
  }
  const ir::Tensor outputs[] = {tensor.untyped()};
  List<codegen::ReferenceArray> results = codegen::evaluate_reference(outputs, inputs);
  return {std::move(results.front().shape), std::move(results.front().data)};
}

}  // namespace lathe::inline LATHE_ABI
