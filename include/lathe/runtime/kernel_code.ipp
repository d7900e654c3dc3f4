// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Checking and calling.

#include "lathe/ir/build.hpp"
#include "lathe/ir/print.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/runtime/signature.hpp"
#include "lathe/runtime/size_formula.ipp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI {

namespace calling {

/// From a program's parameters to rules.
class SignatureMaker {
 public:
  explicit SignatureMaker(const ir::Function &function) : function_(function) {}

  void make(KernelSignature &signature, List<ArgumentInfo> &infos);

 private:
  KnownInteger known(const ir::Expr &e, const List<ir::Var> &symbols, bool may_bind) {
    KnownInteger result;
    if (const auto value = ir::constant_integer(e)) {
      result.value = *value;
      return result;
    }
    result.formula = SizeFormula(e, symbols);
    const ir::VarRef *symbol = e.as<ir::VarRef>();
    if (!symbol) {
      result.how = KnownInteger::How::computed;
      return result;
    }
    result.slot = slot_of(symbol->var);
    result.how = bound_[result.slot] || !may_bind ? KnownInteger::How::equals : KnownInteger::How::binds;
    bound_[result.slot] = true;
    return result;
  }

  std::size_t slot_of(const ir::Var &var) const {
    for (std::size_t slot = 0; slot < function_.parameters.size(); ++slot)
      if (function_.parameters[slot].var.defined() && function_.parameters[slot].var == var) return slot;
    fail_internal({"the shape of an argument names ", var.name(), ", which is no parameter"});
  }

  const ir::Function &function_;
  List<bool> bound_;
};

/// K005: with the user's step, and the sizes as they are.
[[noreturn]] LATHE_INLINE void fail_requirement(const ir::Requirement &requirement, const List<ir::Var> &symbols,
                                                const Slot *slots) {
  Diagnostic diagnostic;
  diagnostic.code = "K005";
  diagnostic.message = "a size does not fit: " + requirement.text;
  diagnostic.place = requirement.place;
  diagnostic.quoted = requirement.quoted;
  for (const ir::Var &var : ir::free_vars(requirement.condition))
    for (std::size_t slot = 0; slot < symbols.size(); ++slot)
      if (symbols[slot].defined() && symbols[slot] == var)
        diagnostic.notes.push_back({"note", composed({var.name(), " is ", slots[slot].integer}), {}});
  throw Error(std::move(diagnostic));
}

}  // namespace calling

LATHE_INLINE void calling::SignatureMaker::make(KernelSignature &signature, List<ArgumentInfo> &infos) {
  const std::size_t count = function_.parameters.size();
  bound_.assign(count, false);
  signature.prefilled.resize(count);
  signature.symbols.resize(count);
  // Scalars that are arguments have their values before any shape is looked at.
  for (std::size_t slot = 0; slot < count; ++slot) {
    const ir::Parameter &parameter = function_.parameters[slot];
    if (parameter.kind != ir::ParameterKind::scalar) continue;
    if (parameter.var.type().is_integer()) signature.symbols[slot] = parameter.var;
    bound_[slot] = parameter.argument;
  }
  for (std::size_t slot = 0; slot < count; ++slot) {
    const ir::Parameter &parameter = function_.parameters[slot];
    switch (parameter.kind) {
      case ir::ParameterKind::scalar:
        if (!parameter.argument) break;
        signature.scalars.push_back({infos.size(), slot});
        if (parameter.var.nonnegative()) signature.sizes.push_back(slot);
        infos.push_back({parameter.name, parameter.var.type(), 0, false, false, {}});
        break;
      case ir::ParameterKind::constant:
        signature.prefilled[slot].pointer = const_cast<std::byte *>(parameter.data->data());
        signature.fills = true;
        break;
      case ir::ParameterKind::function:
        signature.prefilled[slot].pointer = const_cast<void *>(parameter.function.address);
        signature.fills = true;
        break;
      case ir::ParameterKind::input:
      case ir::ParameterKind::output: {
        const ir::BufferNode &buffer = *parameter.buffer.node();
        TensorRule rule;
        rule.argument = infos.size();
        rule.slot = slot;
        rule.element_bytes = buffer.type.bytes();
        rule.alignment_mask = static_cast<std::uintptr_t>(std::max(buffer.alignment, buffer.type.bytes()) - 1);
        rule.output = parameter.kind == ir::ParameterKind::output;
        for (const ir::Expr &extent : buffer.shape) rule.shape.push_back(known(extent, signature.symbols, true));
        for (const ir::Expr &stride : buffer.strides) rule.strides.push_back(known(stride, signature.symbols, true));
        signature.tensors.push_back(std::move(rule));
        infos.push_back({parameter.name, buffer.type, static_cast<int>(buffer.shape.size()), true,
                         parameter.kind == ir::ParameterKind::output, parameter.place});
        break;
      }
    }
  }
  for (TensorRule &rule : signature.tensors)
    if (const ir::Buffer &shares = function_.parameters[rule.slot].shares; shares.defined())
      for (const TensorRule &other : signature.tensors)
        if (function_.parameters[other.slot].buffer == shares) rule.shares = other.argument;
  for (const ir::Check &check : ir::checks_of(function_)) {
    signature.messages.push_back(check.message);
    signature.places.push_back(check.place);
  }
}

namespace calling {

/// Fills `fixed`, outputs first, if every tensor is of the common case.
inline void fix_tensors(KernelSignature &signature) {
  if (signature.tensors.size() > KernelSignature::most_fixed) return;
  for (const TensorRule &rule : signature.tensors)
    if (rule.shares != TensorRule::none) return;
  for (const bool output : {true, false})
    for (const TensorRule &rule : signature.tensors) {
      if (rule.output != output) continue;
      FixedTensor tensor;
      tensor.argument = static_cast<std::uint32_t>(rule.argument);
      tensor.slot = static_cast<std::uint32_t>(rule.slot);
      tensor.rank = static_cast<std::uint32_t>(rule.shape.size());
      tensor.first_extent = static_cast<std::uint32_t>(signature.fixed_extents.size());
      tensor.alignment_mask = rule.alignment_mask;
      tensor.bytes = static_cast<std::uintptr_t>(rule.element_bytes);
      bool constant = rule.strides.empty();
      for (const KnownInteger &extent : rule.shape) {
        constant &= extent.how == KnownInteger::How::constant;
        signature.fixed_extents.push_back(extent.value);
        tensor.bytes *= static_cast<std::uintptr_t>(extent.value);
      }
      if (!constant) return signature.fixed.clear();
      signature.fixed.push_back(tensor);
      signature.fixed_outputs += output;
    }
}

/// Whether all tensors are as the signature fixes them; takes their addresses. If not, or if strides want a look, the long way
/// finds out and says why.
inline bool fits_fixed(const KernelSignature &signature, const CallArgument *arguments, Slot *slots) {
  std::uintptr_t begin[KernelSignature::most_fixed];
  const FixedTensor *tensors = signature.fixed.data();
  const std::size_t count = signature.fixed.size(), outputs = signature.fixed_outputs;
  std::uintptr_t misfit = count == 0;
  for (std::size_t i = 0; i < count; ++i) {
    const FixedTensor &tensor = tensors[i];
    const CallArgument &argument = arguments[tensor.argument];
    const std::int64_t *extents = signature.fixed_extents.data() + tensor.first_extent;
    std::int64_t difference = 0;
    for (std::uint32_t d = 0; d < tensor.rank; ++d) difference |= argument.shape[d] ^ extents[d];
    begin[i] = reinterpret_cast<std::uintptr_t>(argument.data);
    slots[tensor.slot].pointer = argument.data;
    misfit |= static_cast<std::uintptr_t>(difference) | reinterpret_cast<std::uintptr_t>(argument.strides) |
              (begin[i] & tensor.alignment_mask) | static_cast<std::uintptr_t>(begin[i] == 0);
  }
  // Two ranges meet if one begins inside the other; distances wrap, so that one comparison tells.
  for (std::size_t i = 0; i < outputs; ++i)
    for (std::size_t other = i + 1; other < count; ++other)
      misfit |= static_cast<std::uintptr_t>((begin[other] - begin[i] < tensors[i].bytes) |
                                            (begin[i] - begin[other] < tensors[other].bytes));
  return misfit == 0;
}

LATHE_INLINE void fail_scalar(const std::string &number, const std::string &type) {
  fail("K010", {"the scalar argument ", number, " is no ", type});
}

[[noreturn]] LATHE_INLINE void fail_size(const std::string &name, std::int64_t value) {
  fail("K005", {"a size does not fit: ", name, " is ", value}, {}, {{"why", "a size is at least 0", {}}});
}

/// Checks one call. Functions that throw stand apart, so that the good path stays small.
class CallChecker {
 public:
  CallChecker(const KernelSignature &signature, const List<ArgumentInfo> &infos, const CallArgument *arguments, Slot *slots)
      : signature_(signature), infos_(infos), arguments_(arguments), slots_(slots) {}

  void check() {
    for (const TensorRule &rule : signature_.tensors) bind(rule);
    for (const TensorRule &rule : signature_.tensors) test(rule);
    for (const TensorRule &rule : signature_.tensors)
      if (rule.output) test_overlap(rule);
  }

 private:
  struct Range {
    std::uintptr_t begin, end;
  };

  /// Takes the address, and the values of symbols that this argument is the first to name.
  void bind(const TensorRule &rule) {
    const CallArgument &argument = arguments_[rule.argument];
    slots_[rule.slot].pointer = argument.data;
    for (std::size_t d = 0; d < rule.shape.size(); ++d)
      if (rule.shape[d].how == KnownInteger::How::binds) slots_[rule.shape[d].slot].integer = argument.shape[d];
    for (std::size_t d = 0; d < rule.strides.size(); ++d)
      if (rule.strides[d].how == KnownInteger::How::binds) {
        slots_[rule.strides[d].slot].integer = stride_of(rule, d);
        if (stride_of(rule, d) < 0) [[unlikely]]
          fail_size(signature_.symbols[rule.strides[d].slot].name(), stride_of(rule, d));
      }
  }

  std::int64_t expected(const KnownInteger &known) const {
    switch (known.how) {
      case KnownInteger::How::constant: return known.value;
      case KnownInteger::How::binds:
      case KnownInteger::How::equals: return slots_[known.slot].integer;
      case KnownInteger::How::computed: return known.formula.value(signature_.symbols, slots_);
    }
    return 0;
  }

  void test(const TensorRule &rule) const {
    const CallArgument &argument = arguments_[rule.argument];
    bool has_elements = true;
    for (std::size_t d = 0; d < rule.shape.size(); ++d) {
      const std::int64_t extent = expected(rule.shape[d]);
      if (argument.shape[d] != extent) [[unlikely]]
        fail_extent(rule, d, extent);
      has_elements &= extent != 0;
    }
    if (has_elements && (argument.strides || !rule.strides.empty())) test_strides(rule);
    const auto address = reinterpret_cast<std::uintptr_t>(argument.data);
    if ((address & rule.alignment_mask) != 0 || (!address && has_elements)) [[unlikely]]
      fail_address(rule);
  }

  std::int64_t stride_of(const TensorRule &rule, std::size_t dimension) const {
    const CallArgument &argument = arguments_[rule.argument];
    if (argument.strides) return argument.strides[dimension];
    std::uint64_t stride = 1;
    for (std::size_t d = rule.shape.size(); --d > dimension;) stride *= static_cast<std::uint64_t>(argument.shape[d]);
    return static_cast<std::int64_t>(stride);
  }

  /// The stride of a dimension with fewer than two elements says nothing, nor do any where there is no element.
  void test_strides(const TensorRule &rule) const {
    const CallArgument &argument = arguments_[rule.argument];
    std::uint64_t compact = 1;  // unsigned: a shape may claim more than there can be
    for (std::size_t d = rule.shape.size(); d-- > 0; compact *= static_cast<std::uint64_t>(argument.shape[d])) {
      const std::int64_t stride = rule.strides.empty() ? static_cast<std::int64_t>(compact) : expected(rule.strides[d]);
      if (argument.shape[d] > 1 && stride_of(rule, d) != stride) [[unlikely]]
        fail_stride(rule, d, stride);
    }
  }

  /// The bytes an argument may touch; empty for no elements.
  Range bytes_of(const TensorRule &rule) const {
    const CallArgument &argument = arguments_[rule.argument];
    // Unsigned: beside an extent of 0 the others may overflow.
    std::uint64_t low = 0, high = static_cast<std::uint64_t>(rule.element_bytes);
    for (std::size_t d = 0; d < rule.shape.size(); ++d) {
      if (argument.shape[d] == 0) return {0, 0};
      if (!argument.strides) {
        high *= static_cast<std::uint64_t>(argument.shape[d]);
        continue;
      }
      const std::uint64_t steps =
          static_cast<std::uint64_t>(argument.shape[d] - 1) * static_cast<std::uint64_t>(rule.element_bytes);
      (argument.strides[d] < 0 ? low : high) += steps * static_cast<std::uint64_t>(argument.strides[d]);
    }
    const auto address = reinterpret_cast<std::uintptr_t>(argument.data);
    return {address + low, address + high};
  }

  void test_overlap(const TensorRule &output) const {
    const Range written = bytes_of(output);
    for (const TensorRule &other : signature_.tensors) {
      if (&other == &output) continue;
      const Range touched = bytes_of(other);
      if (other.argument == output.shares && arguments_[other.argument].data == arguments_[output.argument].data) continue;
      if (written.begin < touched.end && touched.begin < written.end) [[unlikely]]
        fail_overlap(output, other);
    }
  }

  /// Where the argument comes from.
  Note declaration(const TensorRule &rule) const;
  [[noreturn]] void fail_extent(const TensorRule &rule, std::size_t d, std::int64_t extent) const;
  [[noreturn]] void fail_stride(const TensorRule &rule, std::size_t d, std::int64_t stride) const;
  [[noreturn]] void fail_address(const TensorRule &rule) const;
  [[noreturn]] void fail_overlap(const TensorRule &output, const TensorRule &other) const;

  const KernelSignature &signature_;
  const List<ArgumentInfo> &infos_;
  const CallArgument *arguments_;
  Slot *slots_;
};

inline std::string list_text(const std::int64_t *values, std::size_t count) {
  std::string text = "[";
  for (std::size_t i = 0; i < count; ++i) text += (i ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}

inline std::string names_of(const List<ArgumentInfo> &infos) {
  std::string text;
  for (const ArgumentInfo &info : infos) text += (text.empty() ? "" : ", ") + info.name;
  return text.empty() ? "none" : text;
}

}  // namespace calling

LATHE_INLINE Note calling::CallChecker::declaration(const TensorRule &rule) const {
  const ArgumentInfo &info = infos_[rule.argument];
  return {"", info.name + (info.output ? " is computed here" : " is declared here"), info.place};
}

LATHE_INLINE void calling::CallChecker::fail_extent(const TensorRule &rule, std::size_t d, std::int64_t extent) const {
  const std::string &name = infos_[rule.argument].name;
  const KnownInteger &known = rule.shape[d];
  List<Note> notes{declaration(rule),
                   {"note", "the argument's shape is " + list_text(arguments_[rule.argument].shape, rule.shape.size()), {}}};
  if (known.how != KnownInteger::How::constant)
    notes.push_back(
        {"why",
         composed({"this extent is ", ir::to_string(known.formula.expression()), ", which the other arguments make ", extent}),
         {}});
  fail("K001", {"extent ", d, " of argument ", name, " is ", arguments_[rule.argument].shape[d], ", the kernel takes ", extent},
       {}, std::move(notes));
}

LATHE_INLINE void calling::CallChecker::fail_stride(const TensorRule &rule, std::size_t d, std::int64_t stride) const {
  const std::string &name = infos_[rule.argument].name;
  const bool compact = rule.strides.empty();
  const Note help = rule.output
                        ? Note{"help", "pass a compact array, and copy from it", {}}
                        : Note{"help", "say how it lies in memory:   placeholder<T>(…).strides({…})   or   .column_major()", {}};
  fail("K002", {"stride ", d, " of argument ", name, " is ", stride_of(rule, d), ", the kernel takes ", stride}, {},
       {declaration(rule),
        {"why",
         rule.output ? "outputs are compact and row-major"
         : compact   ? "without a promise, an argument is compact and row-major"
                     : "its placeholder promises these strides",
         {}},
        help});
}

LATHE_INLINE void calling::CallChecker::fail_address(const TensorRule &rule) const {
  const std::string &name = infos_[rule.argument].name;
  if (!arguments_[rule.argument].data) {
    fail("K003", {"argument ", name, " is a null pointer"}, {},
         {declaration(rule),
          {"why",
           composed({"its shape is ", list_text(arguments_[rule.argument].shape, rule.shape.size()), ", so it has elements"}),
           {}},
          {"help", "pass an Array, or a View of memory that is there", {}}});
  }
  fail("K003", {"argument ", name, " is not aligned to ", rule.alignment_mask + 1, " bytes"}, {},
       {declaration(rule),
        {"help",
         rule.alignment_mask + 1 > static_cast<std::uintptr_t>(rule.element_bytes)
             ? std::string("allocate it by lathe::Array, or leave out ") + (rule.output ? "stream()" : ".align()")
             : "an element lies at a multiple of its own size",
         {}}});
}

LATHE_INLINE void calling::CallChecker::fail_overlap(const TensorRule &output, const TensorRule &other) const {
  fail("K004", {"output ", infos_[output.argument].name, " shares memory with argument ", infos_[other.argument].name}, {},
       {declaration(output),
        {"why", other.output ? "both would be written to it" : "elements would be overwritten before they are read", {}},
        {"help",
         other.output
             ? "pass an output with memory of its own"
             : composed({"pass an output with memory of its own; where each element is read just before it is written,  s.alias(",
                         infos_[output.argument].name, ", ", infos_[other.argument].name, ")  lets them begin at one address"}),
         {}}});
}

LATHE_INLINE KernelCode::KernelCode(ir::Program program, CompiledFunction entry, std::shared_ptr<const void> owner,
                                    Executor *executor)
    : program_(std::move(program)),
      function_(entry),
      owner_(std::move(owner)),
      executor_(executor ? executor : &default_executor()) {
  digest();
}

LATHE_INLINE KernelCode::KernelCode(ir::Program program, Runner runner) : program_(std::move(program)), runner_(runner) {
  digest();
}

LATHE_INLINE void KernelCode::digest() {
  auto signature = std::make_unique<KernelSignature>();
  calling::SignatureMaker(program_.entry()).make(*signature, infos_);
  calling::fix_tensors(*signature);
  for (const ir::Requirement &requirement : program_.requirements)
    signature->requirements.push_back(SizeFormula(requirement.condition, signature->symbols));
  signature_ = std::move(signature);
}

LATHE_INLINE KernelCode::~KernelCode() = default;

LATHE_INLINE void KernelCode::call(const CallArgument *arguments, std::size_t count) const {
  if (count != infos_.size()) [[unlikely]]
    fail("K007", {"the kernel takes ", infos_.size(), " arguments, not ", count}, {},
         {{"note", {"they are ", calling::names_of(infos_)}, {}}});
  constexpr std::size_t on_stack = 24;
  if (signature_->prefilled.size() <= on_stack) [[likely]] {
    Slot slots[on_stack];
    return call_with(arguments, slots);
  }
  List<Slot> slots(signature_->prefilled.size());
  call_with(arguments, slots.data());
}

LATHE_INLINE void KernelCode::call_with(const CallArgument *arguments, Slot *values) const {
  if (signature_->fills)
    for (std::size_t i = 0; i < signature_->prefilled.size(); ++i) values[i] = signature_->prefilled[i];
  for (const auto &[argument, slot] : signature_->scalars) values[slot] = arguments[argument].scalar;
  for (const std::size_t slot : signature_->sizes)
    if (values[slot].integer < 0) [[unlikely]]
      calling::fail_size(program_.entry().parameters[slot].name, values[slot].integer);
  if (!calling::fits_fixed(*signature_, arguments, values)) [[unlikely]]
    calling::CallChecker(*signature_, infos_, arguments, values).check();
  for (std::size_t i = 0; i < signature_->requirements.size(); ++i)
    if (!signature_->requirements[i].value(signature_->symbols, values)) [[unlikely]]
      calling::fail_requirement(program_.requirements[i], signature_->symbols, values);
  run(values);
}

LATHE_INLINE void KernelCode::run(const Slot *slots) const {
  if (!function_) return runner_(program_, std::span<const Slot>(slots, signature_->prefilled.size()));
  const Args args{slots, 0, 0};
  const std::int32_t status = function_(&args, &executor_->runtime());
  if (status == status_ok) [[likely]]
    return;
  if (status > 0 && static_cast<std::size_t>(status) <= signature_->messages.size())
    fail("K006", signature_->messages[static_cast<std::size_t>(status) - 1],
         signature_->places[static_cast<std::size_t>(status) - 1]);
  if (status == status_out_of_scratch)
    fail("K008", "the kernel could not get its scratch memory", {},
         {{"help", "raise the executor's limit, or compute large stages at inner loops", {}}});
  fail("K009", {"the kernel failed with status ", status}, {},
       {{"why", status == status_callback_failed ? "the executor threw an exception" : "it comes from the executor", {}},
        {"help", "an Executor's run() returns 0, or what a call of its body returned", {}}});
}

}  // namespace lathe::inline LATHE_ABI
