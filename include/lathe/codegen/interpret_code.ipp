// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// From the IR to the interpreter's code.

#include <algorithm>
#include <utility>

#include "lathe/codegen/interpret_code.hpp"
#include "lathe/ir/build.hpp"
#include "lathe/support/hash_map.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::codegen::interpreter {

/// Numbers for variables and buffers, and the code so far: what all compilations of one function share.
struct FunctionState {
  CompiledFunctionCode code;
  ir::VarMap<Value> variables;
  NodeMap<std::uint32_t> memories;
  FindFunction find_function;

  explicit FunctionState(FindFunction find) : find_function(find) {}

  Value fresh(int lanes) {
    const Value value{static_cast<std::uint32_t>(code.registers.size()), static_cast<std::uint16_t>(lanes)};
    code.registers.resize(code.registers.size() + static_cast<std::size_t>(lanes));
    return value;
  }
  std::uint32_t memory_of(const ir::Buffer &buffer) {
    const auto *found = memories.find(buffer.node());
    ensure(found, "every buffer is a parameter or allocated: " + buffer->name);
    return found->second;
  }
  std::uint32_t add_memory(const ir::Buffer &buffer) {
    const auto number = static_cast<std::uint32_t>(code.buffers.size());
    code.buffers.push_back(buffer);
    memories[buffer.node()] = number;
    return number;
  }
  std::uint32_t here() const { return static_cast<std::uint32_t>(code.instructions.size()); }
  std::uint32_t emit(Instruction step) {
    code.instructions.push_back(step);
    return here() - 1;
  }
  std::uint32_t add_site(Site site) {
    code.sites.push_back(std::move(site));
    return static_cast<std::uint32_t>(code.sites.size() - 1);
  }
};

/// Compiles the expressions of one statement together, through a stack of frames instead of recursion.
///
/// A guarding `Select` with a scalar condition, and likewise && and ||, becomes jumps; what is shared between arms becomes a
/// procedure. With a condition of lanes both arms run, each under a mask that its loads obey.
class ExpressionCompiler {
 public:
  explicit ExpressionCompiler(FunctionState &state) : state_(state) {}

  /// Studies all roots, then emits them in order and ends with `stop`; returns where their values are.
  List<Value> compile(const List<ir::Expr> &roots) {
    for (const ir::Expr &root : roots) study(root);
    List<Value> values;
    for (const ir::Expr &root : roots) {
      compile_one(root);
      values.push_back(value_of(root));
    }
    state_.emit({.code = Code::stop});
    compile_procedures();
    return values;
  }

 private:
  struct Facts {
    int uses = 0;
    bool conditional = false;  // loads, calls or checks
  };
  struct Frame {
    ir::Expr e = {};
    int stage = 0;
    Value target = {};
    std::uint32_t patch = 0;
  };
  struct Mask {
    bool set = false;
    Value value = {};
  };
  struct Procedure {
    ir::Expr e;
    Value target;
    std::uint32_t number;
  };

  void study(const ir::Expr &root) {
    ++facts_[root.node()].uses;
    ir::walk(root, [&](const ir::Expr &e) {
      if (!studied_.emplace(e.node(), true).second) return;
      const ir::ExprKind kind = e.node()->kind();
      bool conditional = kind == ir::ExprKind::load || kind == ir::ExprKind::ranged || kind == ir::ExprKind::call;
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
  static const ir::Expr &condition_of(const ir::Expr &e) {
    if (const auto *select = e.as<ir::Select>()) return select->condition;
    return e.as<ir::Binary>()->a;
  }

  void compile_one(const ir::Expr &root) {
    frames_.push_back({root});
    while (!frames_.empty()) {
      Frame frame = std::move(frames_.back());
      frames_.pop_back();
      if (frame.stage == 0)
        enter(std::move(frame));
      else if (!guards(frame.e))
        set_value(frame.e, emit_node(frame.e));
      else if (condition_of(frame.e).lanes() > 1)
        continue_masked(std::move(frame));
      else if (frame.e.as<ir::Select>())
        continue_select(std::move(frame));
      else
        continue_logical(std::move(frame));
    }
  }

  void enter(Frame frame) {
    const ir::Expr e = frame.e;
    if (values_.contains(e.node())) return;
    if (e.as<ir::Const>() || e.as<ir::VarRef>()) return set_value(e, leaf(e));
    const bool may_be_procedure = !scopes_.empty() && facts_.at(e.node()).uses > 1;
    if ((may_be_procedure || procedure_of_.contains(e.node())) && !mask_.set && e.node() != compiling_procedure_) return force(e);
    frame.stage = 1;
    frames_.push_back(std::move(frame));
    if (guards(e)) return frames_.push_back({condition_of(e)});
    const std::size_t first = frames_.size();
    ir::for_each_child(e, [&](const ir::Expr &child) { frames_.push_back({child}); });
    std::reverse(frames_.begin() + static_cast<std::ptrdiff_t>(first), frames_.end());
  }

  void force(const ir::Expr &e) {
    const auto [place, is_new] = procedure_of_.emplace(e.node(), procedures_.size());
    if (is_new) {
      const auto number = static_cast<std::uint32_t>(state_.code.procedure_starts.size());
      state_.code.procedure_starts.push_back(0);
      procedures_.push_back({e, state_.fresh(e.lanes()), number});
    }
    state_.emit({.code = Code::force, .site = procedures_[place->second].number});
    set_value(e, procedures_[place->second].target);
  }

  void compile_procedures() {
    for (std::size_t i = 0; i < procedures_.size(); ++i) {
      const Procedure procedure = procedures_[i];
      values_.clear();
      compiling_procedure_ = procedure.e.node();
      state_.code.procedure_starts[procedure.number] = state_.here();
      open_scope(mask_);
      compile_one(procedure.e);
      move(procedure.target, value_of(procedure.e));
      state_.emit({.code = Code::finish, .site = procedure.number});
      close_scope();
    }
  }

  void move(Value target, Value from) { state_.emit({.code = Code::move, .target = target, .a = from}); }

  void continue_select(Frame frame) {
    const ir::Expr e = frame.e;
    const auto &select = *e.as<ir::Select>();
    if (frame.stage == 1) {
      frame.target = state_.fresh(e.lanes());
      frame.patch = state_.emit({.code = Code::jump_if_false, .a = value_of(select.condition)});
    } else {
      move(frame.target, value_of(frame.stage == 2 ? select.a : select.b));
      const std::uint32_t skip_else = frame.stage == 2 ? state_.emit({.code = Code::jump}) : 0;
      close_scope();
      state_.code.instructions[frame.patch].site = state_.here();
      if (frame.stage == 3) return set_value(e, frame.target);
      frame.patch = skip_else;
    }
    open_scope(mask_);
    next_stage(std::move(frame), select.a, select.b);
  }

  // Pushes the frame again, a stage on, and the arm that the stage just ended leads to.
  void next_stage(Frame frame, const ir::Expr &first, const ir::Expr &second) {
    const ir::Expr arm = frame.stage == 1 ? first : second;
    ++frame.stage;
    frames_.push_back(std::move(frame));
    frames_.push_back({arm});
  }

  void continue_logical(Frame frame) {
    const ir::Expr e = frame.e;
    const auto &binary = *e.as<ir::Binary>();
    if (frame.stage == 1) {
      frame.target = state_.fresh(1);
      move(frame.target, value_of(binary.a));
      const Code skip = binary.op == ir::BinaryOp::logical_and ? Code::jump_if_false : Code::jump_if_true;
      frame.patch = state_.emit({.code = skip, .a = frame.target});
      open_scope(mask_);
      return next_stage(std::move(frame), binary.b, {});
    }
    move(frame.target, value_of(binary.b));
    close_scope();
    state_.code.instructions[frame.patch].site = state_.here();
    set_value(e, frame.target);
  }

  // Both arms of a Select, or the right side of a logical operator, under a mask.
  void continue_masked(Frame frame) {
    const ir::Expr e = frame.e;
    const Value condition = value_of(condition_of(e));
    if (const auto *binary = e.as<ir::Binary>()) {
      if (frame.stage == 1) {
        open_scope(mask_where(condition, binary->op == ir::BinaryOp::logical_and));
        return next_stage(std::move(frame), binary->b, {});
      }
      const Value target = emit_node(e);
      close_scope();
      return set_value(e, target);
    }
    const auto &select = *e.as<ir::Select>();
    if (frame.stage == 1) {
      frame.target = state_.fresh(e.lanes());
    } else if (frame.stage == 2) {
      move(frame.target, value_of(select.a));
      close_scope();
    } else {
      const Value result = state_.fresh(e.lanes());
      state_.emit({.code = Code::select, .target = result, .a = condition, .b = frame.target, .c = value_of(select.b)});
      close_scope();
      return set_value(e, result);
    }
    open_scope(mask_where(condition, frame.stage == 1));
    next_stage(std::move(frame), select.a, select.b);
  }

  Mask mask_where(Value condition, bool holds) {
    const Value target = state_.fresh(condition.lanes);
    const Code code = holds ? Code::mask_and : Code::mask_and_not;
    state_.emit({.code = code, .masked = mask_.set, .target = target, .a = condition, .c = mask_.value});
    return {true, target};
  }

  // What was computed in a scope may not have run, or not in all lanes, outside it.
  void open_scope(Mask mask) {
    scopes_.push_back({scoped_.size(), mask_});
    mask_ = mask;
  }
  void close_scope() {
    for (; scoped_.size() > scopes_.back().first; scoped_.pop_back()) values_.erase(scoped_.back());
    mask_ = scopes_.back().second;
    scopes_.pop_back();
  }

  Value value_of(const ir::Expr &e) const { return values_.at(e.node()); }
  void set_value(const ir::Expr &e, Value value) {
    values_[e.node()] = value;
    if (!scopes_.empty()) scoped_.push_back(e.node());
  }

  Value leaf(const ir::Expr &e) {
    if (const auto *var = e.as<ir::VarRef>()) {
      const auto *found = state_.variables.find(var->var);
      ensure(found, "every variable is bound: " + var->var.name());
      return found->second;
    }
    const Value value = state_.fresh(e.lanes());
    for (int lane = 0; lane < e.lanes(); ++lane) state_.code.registers[value.lane(lane)] = e.as<ir::Const>()->bits;
    return value;
  }

  Value emit_node(const ir::Expr &e);
  Value emit_binary(const ir::Expr &e, const ir::Binary &binary);
  Value emit_with_site(const ir::Expr &e, Code code, Value a, Site site);
  Value emit_load(const ir::Expr &e, const ir::Load &load);
  Value emit_call(const ir::Expr &e, const ir::Call &call);
  Value emit_shuffle(const ir::Expr &e, const ir::Shuffle &shuffle);

  FunctionState &state_;
  List<Frame> frames_;
  NodeMap<Facts> facts_;
  NodeMap<bool> studied_;
  NodeMap<Value> values_;
  List<const ir::ExprNode *> scoped_;
  List<std::pair<std::size_t, Mask>> scopes_;
  NodeMap<std::size_t> procedure_of_;
  List<Procedure> procedures_;
  const ir::ExprNode *compiling_procedure_ = nullptr;
  Mask mask_;
};

LATHE_INLINE Value ExpressionCompiler::emit_binary(const ir::Expr &e, const ir::Binary &binary) {
  Instruction step{.code = Code::binary,
                   .op = static_cast<std::uint8_t>(binary.op),
                   .target = state_.fresh(e.lanes()),
                   .a = value_of(binary.a),
                   .b = value_of(binary.b),
                   .type = binary.a.type().element()};
  if (step.type.is_index() && e.lanes() == 1) switch (binary.op) {
      case ir::BinaryOp::add: step.code = Code::add_index; break;
      case ir::BinaryOp::sub: step.code = Code::sub_index; break;
      case ir::BinaryOp::mul: step.code = Code::mul_index; break;
      case ir::BinaryOp::lt: step.code = Code::less_index; break;
      default: break;
    }
  state_.emit(step);
  return step.target;
}

LATHE_INLINE Value ExpressionCompiler::emit_with_site(const ir::Expr &e, Code code, Value a, Site site) {
  const Value target = state_.fresh(e.lanes());
  state_.emit({.code = code,
               .masked = mask_.set,
               .target = target,
               .a = a,
               .c = mask_.value,
               .site = state_.add_site(std::move(site)),
               .type = e.type().element()});
  return target;
}

LATHE_INLINE Value ExpressionCompiler::emit_load(const ir::Expr &e, const ir::Load &load) {
  Site site{.memory = state_.memory_of(load.buffer), .predicated = load.predicate.defined()};
  for (const ir::Expr &index : load.indices) site.operands.push_back(value_of(index));
  if (site.predicated) site.predicate = value_of(load.predicate);
  return emit_with_site(e, Code::load, {}, std::move(site));
}

LATHE_INLINE Value ExpressionCompiler::emit_call(const ir::Expr &e, const ir::Call &call) {
  Site site{.function = state_.find_function(call.function)};
  for (const ir::Expr &argument : call.arguments) {
    site.operands.push_back(value_of(argument));
    site.types.push_back(argument.type().element());
  }
  return emit_with_site(e, Code::call, {}, std::move(site));
}

LATHE_INLINE Value ExpressionCompiler::emit_shuffle(const ir::Expr &e, const ir::Shuffle &shuffle) {
  Site site{.lanes = shuffle.lanes};
  for (const ir::Expr &vector : shuffle.vectors) site.operands.push_back(value_of(vector));
  return emit_with_site(e, Code::shuffle, {}, std::move(site));
}

LATHE_INLINE Value ExpressionCompiler::emit_node(const ir::Expr &e) {
  const auto to_target = [&](Instruction step) {
    step.target = state_.fresh(e.lanes());
    state_.emit(step);
    return step.target;
  };
  switch (e.node()->kind()) {
    case ir::ExprKind::binary: return emit_binary(e, *e.as<ir::Binary>());
    case ir::ExprKind::load: return emit_load(e, *e.as<ir::Load>());
    case ir::ExprKind::call: return emit_call(e, *e.as<ir::Call>());
    case ir::ExprKind::shuffle: return emit_shuffle(e, *e.as<ir::Shuffle>());
    case ir::ExprKind::unary: {
      const auto &node = *e.as<ir::Unary>();
      return to_target({.code = Code::unary,
                        .op = static_cast<std::uint8_t>(node.op),
                        .a = value_of(node.a),
                        .type = node.a.type().element()});
    }
    case ir::ExprKind::mul_add: {
      const auto &node = *e.as<ir::MulAdd>();
      return to_target({.code = Code::mul_add,
                        .a = value_of(node.a),
                        .b = value_of(node.b),
                        .c = value_of(node.c),
                        .type = e.type().element()});
    }
    case ir::ExprKind::select: {
      const auto &node = *e.as<ir::Select>();
      return to_target({.code = Code::select, .a = value_of(node.condition), .b = value_of(node.a), .c = value_of(node.b)});
    }
    case ir::ExprKind::cast: {
      const auto &node = *e.as<ir::Cast>();
      return to_target({.code = Code::cast,
                        .op = static_cast<std::uint8_t>(node.mode),
                        .a = value_of(node.a),
                        .type = e.type().element(),
                        .from = node.a.type().element()});
    }
    case ir::ExprKind::ranged: {
      const auto &node = *e.as<ir::Ranged>();
      return emit_with_site(e, Code::ranged, value_of(node.a), {.operands = {value_of(node.min), value_of(node.max)}});
    }
    case ir::ExprKind::ramp: {
      const auto &node = *e.as<ir::Ramp>();
      return to_target({.code = Code::ramp,
                        .a = value_of(node.base),
                        .b = value_of(node.stride),
                        .site = static_cast<std::uint32_t>(node.base.lanes()),
                        .type = e.type().element()});
    }
    case ir::ExprKind::broadcast:
      return to_target({.code = Code::broadcast,
                        .a = value_of(e.as<ir::Broadcast>()->a),
                        .site = static_cast<std::uint32_t>(e.as<ir::Broadcast>()->a.lanes())});
    default: fail_internal("the interpreter runs lowered code only");
  }
}

/// Compiles statements by recursion over their nesting.
class StatementCompiler {
 public:
  explicit StatementCompiler(FunctionState &state) : state_(state) {}

  Statement compile(const ir::Stmt &s) {
    Statement statement{.kind = s.node()->kind(), .node = s.node()};
    switch (s.node()->kind()) {
      case ir::StmtKind::loop: loop(*s.as<ir::For>(), statement); break;
      case ir::StmtKind::block:
        for (const ir::Stmt &child : s.as<ir::Block>()->body) statement.children.push_back(compile(child));
        break;
      case ir::StmtKind::store: store(*s.as<ir::Store>(), statement); break;
      case ir::StmtKind::allocate: allocate(*s.as<ir::Allocate>(), statement); break;
      case ir::StmtKind::branch: {
        const auto &branch = *s.as<ir::If>();
        statement.value = expressions({branch.condition}, statement)[0];
        statement.children.push_back(compile(branch.then_body));
        if (branch.else_body.defined()) statement.children.push_back(compile(branch.else_body));
        break;
      }
      case ir::StmtKind::bind: {
        const auto &bind = *s.as<ir::Bind>();
        // The value's registers are written nowhere else, so the variable can be them.
        state_.variables[bind.var] = expressions({bind.value}, statement)[0];
        statement.children.push_back(compile(bind.body));
        break;
      }
      case ir::StmtKind::check: statement.value = expressions({s.as<ir::Check>()->condition}, statement)[0]; break;
      case ir::StmtKind::evaluate: expressions({s.as<ir::Evaluate>()->value}, statement); break;
      case ir::StmtKind::prefetch: break;  // has no meaning
    }
    return statement;
  }

  /// Compiles a statement's expressions; it starts there.
  List<Value> expressions(const List<ir::Expr> &roots, Statement &statement) {
    statement.start = state_.here();
    return ExpressionCompiler(state_).compile(roots);
  }

  /// Shape, then strides in elements; compact ones where none are given.
  void layout(const ir::Buffer &buffer, Statement &statement) {
    List<ir::Expr> parts = buffer->shape;
    List<ir::Expr> strides = buffer->strides;
    if (strides.empty()) {
      strides.resize(buffer->shape.size());
      ir::Expr stride = 1;
      for (std::size_t i = strides.size(); i-- > 0;) {
        strides[i] = stride;
        stride = ir::make(scalar_types::index, ir::Binary{ir::BinaryOp::mul, stride, buffer->shape[i]});
      }
    }
    parts.insert(parts.end(), strides.begin(), strides.end());
    statement.site.operands = expressions(parts, statement);
  }

 private:
  void loop(const ir::For &loop, Statement &statement) {
    statement.site.operands = expressions({loop.min, loop.extent}, statement);
    statement.value = state_.fresh(1);
    state_.variables[loop.var] = statement.value;
    const bool parallel = loop.kind == ir::LoopKind::parallel;
    parallel_depth_ += parallel;
    state_.code.parallel_levels = std::max(state_.code.parallel_levels, parallel_depth_);
    statement.children.push_back(compile(loop.body));
    parallel_depth_ -= parallel;
  }

  void store(const ir::Store &store, Statement &statement) {
    List<ir::Expr> roots = store.indices;
    roots.push_back(store.value);
    if (store.predicate.defined()) roots.push_back(store.predicate);
    List<Value> values = expressions(roots, statement);
    if (store.predicate.defined()) {
      statement.site.predicated = true;
      statement.site.predicate = values.back();
      values.pop_back();
    }
    statement.value = values.back();
    values.pop_back();
    statement.site.operands = std::move(values);
    statement.site.memory = state_.memory_of(store.buffer);
    if (parallel_depth_ > 0) watch(statement.site.memory);
  }

  void watch(std::uint32_t memory) {
    auto &watched = state_.code.watched;
    if (watched.size() <= memory) watched.resize(memory + 1);
    watched[memory] = true;
  }

  void allocate(const ir::Allocate &allocate, Statement &statement) {
    for (const ir::Buffer &buffer : allocate.buffers) {
      Statement shape{.kind = ir::StmtKind::allocate};
      layout(buffer, shape);
      shape.site.memory = state_.add_memory(buffer);
      statement.children.push_back(std::move(shape));
    }
    statement.children.push_back(compile(allocate.body));
  }

  FunctionState &state_;
  std::size_t parallel_depth_ = 0;
};

LATHE_INLINE CompiledFunctionCode compile_function(const ir::Program &program, FindFunction find_function) {
  FunctionState state(find_function);
  state.fresh(1);  // serves instructions without a target
  StatementCompiler compiler(state);
  const ir::Function &function = program.entry();
  for (const ir::Parameter &parameter : function.parameters) {
    state.code.scalars.push_back(state.fresh(1));
    if (parameter.kind == ir::ParameterKind::scalar) state.variables[parameter.var] = state.code.scalars.back();
    state.code.memories.push_back(parameter.buffer.defined() ? state.add_memory(parameter.buffer) : 0);
  }
  for (const ir::Parameter &parameter : function.parameters) {
    Statement layout;
    if (parameter.buffer.defined()) compiler.layout(parameter.buffer, layout);
    state.code.layouts.push_back(std::move(layout));
  }
  for (const ir::Requirement &requirement : program.requirements) {
    Statement statement;
    statement.value = compiler.expressions({requirement.condition}, statement)[0];
    state.code.requirements.push_back(std::move(statement));
  }
  state.code.body = compiler.compile(function.body);
  state.code.watched.resize(state.code.buffers.size());
  return std::move(state.code);
}

}  // namespace lathe::inline LATHE_ABI::codegen::interpreter
