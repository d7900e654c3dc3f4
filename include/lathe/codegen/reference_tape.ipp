// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Compiling and running the reference evaluator's tapes.

#include <algorithm>

#include "lathe/codegen/external_call.hpp"
#include "lathe/codegen/reference_tape.hpp"
#include "lathe/support/hash_map.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::codegen::reference_evaluation {

LATHE_INLINE std::uint32_t Registers::of_variable(const ir::Var &var) {
  const auto [place, is_new] = variables_.emplace(var, size());
  if (is_new) values_.push_back(0);
  return place->second;
}

// ---- compiling ----------------------------------------------------------------------------------------------------------------

/// One compilation. Works through a stack of frames instead of recursing, so depth does not matter.
class TapeCompiler {
 public:
  TapeCompiler(Registers &registers, FindStorage find_storage, Arithmetic arithmetic)
      : registers_(registers), find_storage_(find_storage), arithmetic_(arithmetic) {}

  Tape compile(const List<ir::Expr> &roots) {
    for (const ir::Expr &root : roots) study(root);
    for (const ir::Expr &root : roots) compile_one(root);
    for (const ir::Expr &root : roots) tape_.roots_.push_back(register_of(root));
    emit({.code = Code::stop});
    compile_procedures();
    tape_.done_.resize(procedures_.size(), 0);
    return std::move(tape_);
  }

 private:
  struct Facts {
    int uses = 0;
    bool conditional = false;  // reads, calls or checks: must not run where a guard says no
  };
  struct Frame {
    ir::Expr e = {};
    int stage = 0;
    std::uint32_t target = 0;
    std::uint32_t patch = 0;
  };
  struct Procedure {
    ir::Expr e;
    std::uint32_t target;
  };

  // Counts uses and marks what guards must protect.
  void study(const ir::Expr &root) {
    ++facts_[root.node()].uses;
    ir::walk(root, [&](const ir::Expr &e) {
      if (!studied_.emplace(e.node(), true).second) return;
      const ir::ExprKind kind = e.node()->kind();
      bool conditional = kind == ir::ExprKind::read || kind == ir::ExprKind::ranged || kind == ir::ExprKind::call;
      ir::for_each_child(e, [&](const ir::Expr &child) {
        Facts &facts = facts_[child.node()];
        ++facts.uses;
        conditional |= facts.conditional;
      });
      facts_[e.node()].conditional = conditional;
    });
  }

  bool is_conditional(const ir::Expr &e) const { return facts_.at(e.node()).conditional; }

  bool guards(const ir::Expr &e) const {
    if (const auto *select = e.as<ir::Select>())
      return select->guards && (is_conditional(select->a) || is_conditional(select->b));
    if (const auto *binary = e.as<ir::Binary>()) return ir::is_logical(binary->op) && is_conditional(binary->b);
    return false;
  }

  void compile_one(const ir::Expr &root) {
    frames_.push_back({root});
    while (!frames_.empty()) {
      Frame frame = std::move(frames_.back());
      frames_.pop_back();
      if (frame.stage == 0)
        enter(std::move(frame));
      else if (!guards(frame.e))
        set_register(frame.e, emit_node(frame.e));
      else if (frame.e.as<ir::Select>())
        continue_select(std::move(frame));
      else
        continue_logical(std::move(frame));
    }
  }

  void enter(Frame frame) {
    const ir::Expr e = frame.e;
    if (known_.contains(e.node())) return;
    if (e.as<ir::Const>() || e.as<ir::VarRef>()) return set_register(e, leaf(e));
    const auto *procedure = procedure_of_.find(e.node());
    if (procedure || (open_scopes_.size() > 0 && facts_.at(e.node()).uses > 1)) {
      if (e.node() != compiling_procedure_) return force(e);
    }
    frame.stage = 1;
    frames_.push_back(std::move(frame));
    if (const auto *select = e.as<ir::Select>(); select && guards(e)) return frames_.push_back({select->condition});
    if (const auto *binary = e.as<ir::Binary>(); binary && guards(e)) return frames_.push_back({binary->a});
    const std::size_t first = frames_.size();
    ir::for_each_child(e, [&](const ir::Expr &child) { frames_.push_back({child}); });
    std::reverse(frames_.begin() + static_cast<std::ptrdiff_t>(first), frames_.end());
  }

  // Shared, and met where only some elements need it.
  void force(const ir::Expr &e) {
    const auto [place, is_new] = procedure_of_.emplace(e.node(), static_cast<std::uint32_t>(procedures_.size()));
    if (is_new) procedures_.push_back({e, registers_.fresh()});
    emit({.code = Code::force, .a = place->second});
    set_register(e, procedures_[place->second].target);
  }

  void compile_procedures() {
    for (std::size_t i = 0; i < procedures_.size(); ++i) {
      known_.clear();
      compiling_procedure_ = procedures_[i].e.node();
      tape_.procedure_starts_.push_back(here());
      open_scope();
      compile_one(procedures_[i].e);
      emit({.code = Code::move, .target = procedures_[i].target, .a = register_of(procedures_[i].e)});
      emit({.code = Code::finish, .a = static_cast<std::uint32_t>(i)});
      close_scope();
    }
  }

  void continue_select(Frame frame) {
    const ir::Expr e = frame.e;
    const auto &select = *e.as<ir::Select>();
    if (frame.stage == 1) {
      frame.target = registers_.fresh();
      frame.patch = emit({.code = Code::jump_if_false, .a = register_of(select.condition)});
    } else {
      emit({.code = Code::move, .target = frame.target, .a = register_of(frame.stage == 2 ? select.a : select.b)});
      const std::uint32_t skip_else = frame.stage == 2 ? emit({.code = Code::jump}) : 0;
      close_scope();
      tape_.code_[frame.patch].b = here();
      if (frame.stage == 3) return set_register(e, frame.target);
      frame.patch = skip_else;
    }
    open_scope();
    const ir::Expr arm = frame.stage == 1 ? select.a : select.b;
    ++frame.stage;
    frames_.push_back(std::move(frame));
    frames_.push_back({arm});
  }

  void continue_logical(Frame frame) {
    const ir::Expr e = frame.e;
    const auto &binary = *e.as<ir::Binary>();
    if (frame.stage == 1) {
      frame.target = registers_.fresh();
      const std::uint32_t left = register_of(binary.a);
      emit({.code = Code::move, .target = frame.target, .a = left});
      const Code skip = binary.op == ir::BinaryOp::logical_and ? Code::jump_if_false : Code::jump_if_true;
      frame.patch = emit({.code = skip, .a = left});
      open_scope();
      frame.stage = 2;
      frames_.push_back(std::move(frame));
      frames_.push_back({binary.b});
    } else {
      emit({.code = Code::move, .target = frame.target, .a = register_of(binary.b)});
      close_scope();
      tape_.code_[frame.patch].b = here();
      set_register(e, frame.target);
    }
  }

  // What was computed in a scope may not have run outside it.
  void open_scope() { open_scopes_.push_back(scoped_.size()); }
  void close_scope() {
    for (; scoped_.size() > open_scopes_.back(); scoped_.pop_back()) known_.erase(scoped_.back());
    open_scopes_.pop_back();
  }

  std::uint32_t here() const { return static_cast<std::uint32_t>(tape_.code_.size()); }
  std::uint32_t emit(Instruction step) {
    tape_.code_.push_back(step);
    return here() - 1;
  }
  std::uint32_t register_of(const ir::Expr &e) const { return known_.at(e.node()); }
  void set_register(const ir::Expr &e, std::uint32_t index) {
    known_[e.node()] = index;
    if (!open_scopes_.empty()) scoped_.push_back(e.node());
  }
  std::uint32_t in_double() const { return arithmetic_ == Arithmetic::in_double; }
  DType computed(DType type) const { return computed_type(type, arithmetic_); }

  std::uint32_t leaf(const ir::Expr &e) {
    ensure(e.lanes() == 1, "the reference evaluates scalars");
    if (const auto *var = e.as<ir::VarRef>()) {
      const std::string &name = var->var.name();
      if (!registers_.knows(var->var))
        fail("R008", "no value was given for " + name, {}, {{"help", "bind it:   evaluate(…, {{" + name + ", value}})", {}}});
      return registers_.of_variable(var->var);
    }
    const DType type = e.type();
    const std::uint32_t target = registers_.fresh();
    const ir::Bits bits = e.as<ir::Const>()->bits;
    registers_[target] = computed(type) == type ? bits : ir::from_double(computed(type), ir::to_double(type, bits));
    return target;
  }

  std::uint32_t emit_node(const ir::Expr &e);
  std::uint32_t emit_binary(const ir::Expr &e, const ir::Binary &binary);
  std::uint32_t emit_read(const ir::Expr &e, const ir::Read &read);
  std::uint32_t emit_call(const ir::Expr &e, const ir::Call &call);

  Registers &registers_;
  FindStorage find_storage_;
  Arithmetic arithmetic_;
  Tape tape_;
  List<Frame> frames_;
  NodeMap<Facts> facts_;
  NodeMap<bool> studied_;
  NodeMap<std::uint32_t> known_;
  List<const ir::ExprNode *> scoped_;
  List<std::size_t> open_scopes_;
  NodeMap<std::uint32_t> procedure_of_;
  List<Procedure> procedures_;
  const ir::ExprNode *compiling_procedure_ = nullptr;
};

LATHE_INLINE std::uint32_t TapeCompiler::emit_binary(const ir::Expr &e, const ir::Binary &binary) {
  Instruction step{.code = Code::binary, .op = static_cast<std::uint8_t>(binary.op)};
  step.target = registers_.fresh();
  step.a = register_of(binary.a);
  step.b = register_of(binary.b);
  step.type = computed(binary.a.type());
  ensure(e.lanes() == 1 && step.type.kind() != Kind::custom, "the reference evaluates scalars of built-in types");
  if (step.type.is_index()) switch (binary.op) {
      case ir::BinaryOp::add: step.code = Code::index_add; break;
      case ir::BinaryOp::sub: step.code = Code::index_sub; break;
      case ir::BinaryOp::mul: step.code = Code::index_mul; break;
      case ir::BinaryOp::lt: step.code = Code::index_less; break;
      default: break;
    }
  emit(step);
  return step.target;
}

LATHE_INLINE std::uint32_t TapeCompiler::emit_read(const ir::Expr &e, const ir::Read &read) {
  Site site{.node = e.node(), .storage = &find_storage_(read.tensor)};
  for (const ir::Expr &index : read.indices) site.operands.push_back(register_of(index));
  tape_.sites_.push_back(std::move(site));
  const std::uint32_t target = registers_.fresh();
  emit({.code = Code::read, .target = target, .a = static_cast<std::uint32_t>(tape_.sites_.size() - 1)});
  return target;
}

// A function of the user's takes and gives the program's types whatever the arithmetic is.
LATHE_INLINE std::uint32_t TapeCompiler::emit_call(const ir::Expr &e, const ir::Call &call) {
  Site site{.node = e.node(), .function = resolve(call.function)};
  for (const ir::Expr &argument : call.arguments) {
    site.operands.push_back(register_of(argument));
    site.types.push_back(argument.type());
  }
  tape_.sites_.push_back(std::move(site));
  const std::uint32_t target = registers_.fresh();
  emit({.code = Code::call,
        .target = target,
        .a = static_cast<std::uint32_t>(tape_.sites_.size() - 1),
        .b = in_double(),
        .type = e.type()});
  return target;
}

LATHE_INLINE std::uint32_t TapeCompiler::emit_node(const ir::Expr &e) {
  const auto target_of = [&](Instruction step) {
    step.target = registers_.fresh();
    emit(step);
    return step.target;
  };
  switch (e.node()->kind()) {
    case ir::ExprKind::read: return emit_read(e, *e.as<ir::Read>());
    case ir::ExprKind::call: return emit_call(e, *e.as<ir::Call>());
    case ir::ExprKind::binary: return emit_binary(e, *e.as<ir::Binary>());
    case ir::ExprKind::unary: {
      const auto &node = *e.as<ir::Unary>();
      return target_of({.code = Code::unary,
                        .op = static_cast<std::uint8_t>(node.op),
                        .a = register_of(node.a),
                        .type = computed(node.a.type())});
    }
    case ir::ExprKind::mul_add: {
      const auto &node = *e.as<ir::MulAdd>();
      return target_of({.code = Code::mul_add,
                        .a = register_of(node.a),
                        .b = register_of(node.b),
                        .c = register_of(node.c),
                        .type = computed(e.type())});
    }
    case ir::ExprKind::select: {
      const auto &node = *e.as<ir::Select>();
      return target_of(
          {.code = Code::select, .a = register_of(node.condition), .b = register_of(node.a), .c = register_of(node.b)});
    }
    case ir::ExprKind::cast: {
      const auto &node = *e.as<ir::Cast>();
      return target_of({.code = Code::cast,
                        .op = static_cast<std::uint8_t>(node.mode),
                        .a = register_of(node.a),
                        .b = in_double(),
                        .type = e.type(),
                        .from = node.a.type()});
    }
    case ir::ExprKind::ranged: {
      const auto &node = *e.as<ir::Ranged>();
      tape_.sites_.push_back({.node = e.node()});
      const std::uint32_t site = static_cast<std::uint32_t>(tape_.sites_.size() - 1);
      tape_.sites_[site].operands = {register_of(node.min), register_of(node.max)};
      return target_of({.code = Code::ranged, .a = register_of(node.a), .b = site, .type = computed(e.type())});
    }
    default: fail_internal("the reference evaluates unscheduled expressions only");
  }
}

LATHE_INLINE Tape compile_tape(const List<ir::Expr> &roots, Registers &registers, FindStorage find_storage,
                               Arithmetic arithmetic) {
  return TapeCompiler(registers, find_storage, arithmetic).compile(roots);
}

// ---- running ------------------------------------------------------------------------------------------------------------------

/// "[0, -1, 3]"
template <class Numbers>
std::string bracketed(const Numbers &numbers) {
  std::string text = "[";
  for (const auto number : numbers) text += (text.size() > 1 ? ", " : "") + std::to_string(number);
  return text + "]";
}

LATHE_INLINE void Tape::read(const Instruction &step, ir::Bits *values) const {
  const Site &site = sites_[step.a];
  const Storage &storage = *site.storage;
  std::int64_t element = 0;
  bool in_range = true;
  for (std::size_t i = 0; i < site.operands.size(); ++i) {
    const auto index = static_cast<std::int64_t>(values[site.operands[i]]);
    in_range &= index >= 0 && index < storage.shape[i];
    element = element * storage.shape[i] + (in_range ? index : 0);
  }
  if (!in_range) [[unlikely]] {
    List<std::int64_t> indices;
    for (const std::uint32_t operand : site.operands) indices.push_back(static_cast<std::int64_t>(values[operand]));
    const std::string &name = ir::name_of(site.node->as<ir::Read>()->tensor);
    fail("R001", "index out of bounds: " + name + bracketed(indices) + " is outside the shape " + bracketed(storage.shape));
  }
  values[step.target] = storage.elements[static_cast<std::size_t>(element)];
}

LATHE_INLINE void Tape::call(const Instruction &step, ir::Bits *values) const {
  const Site &site = sites_[step.a];
  const DType wide(scalar_types::float64);
  List<ir::Bits> arguments;
  for (std::size_t i = 0; i < site.operands.size(); ++i) {
    const ir::Bits bits = values[site.operands[i]];
    const bool widened = step.b && site.types[i].is_float();
    arguments.push_back(widened ? ir::from_double(site.types[i], ir::to_double(wide, bits)) : bits);
  }
  const ir::Bits result = call_external(site.function, step.type, site.types, arguments);
  values[step.target] = step.b && step.type.is_float() ? ir::from_double(wide, ir::to_double(step.type, result)) : result;
}

[[noreturn]] LATHE_INLINE void fail_index_overflow(std::int64_t a, const char *symbol, std::int64_t b) {
  fail("R004", "index arithmetic overflows 64 bits: " + std::to_string(a) + " " + symbol + " " + std::to_string(b));
}

LATHE_INLINE void check_range(DType type, ir::Bits value, ir::Bits min, ir::Bits max) {
  if (ir::evaluate(ir::BinaryOp::le, type, min, value) && ir::evaluate(ir::BinaryOp::le, type, value, max)) return;
  const auto text = [&](ir::Bits bits) {
    return type.is_float() ? std::to_string(ir::to_double(type, bits)) : std::to_string(ir::to_integer(type, bits));
  };
  fail("R005", "a value promised to lie in [" + text(min) + ", " + text(max) + "] is " + text(value));
}

LATHE_INLINE ir::Bits convert(const Instruction &step, ir::Bits a) {
  const auto mode = static_cast<ir::CastMode>(step.op);
  if (!step.b) return ir::evaluate_cast(mode, step.type, step.from, a);
  const DType wide(scalar_types::float64);
  if (mode == ir::CastMode::reinterpret) {
    if (step.from.is_float()) a = ir::from_double(step.from, ir::to_double(wide, a));
    const ir::Bits pattern = ir::evaluate_cast(mode, step.type, step.from, a);
    return step.type.is_float() ? ir::from_double(wide, ir::to_double(step.type, pattern)) : pattern;
  }
  if (step.from.is_float() && step.type.is_float()) return a;
  return ir::evaluate_cast(mode, step.type.is_float() ? wide : step.type, step.from.is_float() ? wide : step.from, a);
}

LATHE_INLINE void Tape::run(Registers &registers) {
  ir::Bits *values = registers.data();
  ++runs_;
  returns_.clear();  // of a run that threw
  const auto integer = [&](std::uint32_t index) { return static_cast<std::int64_t>(values[index]); };
  for (const Instruction *step = code_.data();; ++step) {
    ir::Bits &target = values[step->target];
    std::int64_t integer_result = 0;
    switch (step->code) {
      case Code::index_add:
        if (__builtin_add_overflow(integer(step->a), integer(step->b), &integer_result))
          fail_index_overflow(integer(step->a), "+", integer(step->b));
        target = static_cast<ir::Bits>(integer_result);
        break;
      case Code::index_sub:
        if (__builtin_sub_overflow(integer(step->a), integer(step->b), &integer_result))
          fail_index_overflow(integer(step->a), "-", integer(step->b));
        target = static_cast<ir::Bits>(integer_result);
        break;
      case Code::index_mul:
        if (__builtin_mul_overflow(integer(step->a), integer(step->b), &integer_result))
          fail_index_overflow(integer(step->a), "*", integer(step->b));
        target = static_cast<ir::Bits>(integer_result);
        break;
      case Code::index_less: target = integer(step->a) < integer(step->b); break;
      case Code::unary: target = ir::evaluate(static_cast<ir::UnaryOp>(step->op), step->type, values[step->a]); break;
      case Code::binary:
        target = ir::evaluate(static_cast<ir::BinaryOp>(step->op), step->type, values[step->a], values[step->b]);
        break;
      case Code::mul_add: target = ir::evaluate_mul_add(step->type, values[step->a], values[step->b], values[step->c]); break;
      case Code::select: target = values[step->a] ? values[step->b] : values[step->c]; break;
      case Code::cast: target = convert(*step, values[step->a]); break;
      case Code::read: read(*step, values); break;
      case Code::call: call(*step, values); break;
      case Code::ranged: {
        const Site &site = sites_[step->b];
        check_range(step->type, values[step->a], values[site.operands[0]], values[site.operands[1]]);
        target = values[step->a];
        break;
      }
      case Code::move: target = values[step->a]; break;
      case Code::jump: step = code_.data() + step->b - 1; break;
      case Code::jump_if_false:
        if (!values[step->a]) step = code_.data() + step->b - 1;
        break;
      case Code::jump_if_true:
        if (values[step->a]) step = code_.data() + step->b - 1;
        break;
      case Code::force:
        if (done_[step->a] == runs_) break;
        returns_.push_back(static_cast<std::uint32_t>(step - code_.data()));
        step = code_.data() + procedure_starts_[step->a] - 1;
        break;
      case Code::finish:
        done_[step->a] = runs_;
        step = code_.data() + returns_.back();
        returns_.pop_back();
        break;
      case Code::stop: return;
    }
  }
}

}  // namespace lathe::inline LATHE_ABI::codegen::reference_evaluation
