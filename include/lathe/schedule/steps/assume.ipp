// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// assume: a fact about sizes, which lowering uses and every call of the kernel is checked for.
///
///     for i.outer in 0..(n + 15)/16:             → assume(n % 16 == 0) →     for i.outer in 0..n/16:
///       for i.inner in 0..16:                                                  for i.inner in 0..16: body
///         if i.outer*16 + i.inner < n: body
///
/// As text, operators come before their operands, and symbols are numbered by their first appearance in the stages' shapes and
/// bodies: "== % v0 16 0".

#include <charconv>
#include <optional>

#include "lathe/arith/simplify.hpp"
#include "lathe/ir/build.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/schedule/legality.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/lists.hpp"

namespace lathe::inline LATHE_ABI::scheduling {

namespace assuming {

struct Word {
  std::string_view text;
  ir::BinaryOp op;
};
inline constexpr Word words[] = {
    {"+", ir::BinaryOp::add}, {"-", ir::BinaryOp::sub},          {"*", ir::BinaryOp::mul},         {"/", ir::BinaryOp::div},
    {"%", ir::BinaryOp::mod}, {"min", ir::BinaryOp::min},        {"max", ir::BinaryOp::max},       {"==", ir::BinaryOp::eq},
    {"!=", ir::BinaryOp::ne}, {"<", ir::BinaryOp::lt},           {"<=", ir::BinaryOp::le},         {">", ir::BinaryOp::gt},
    {">=", ir::BinaryOp::ge}, {"&&", ir::BinaryOp::logical_and}, {"||", ir::BinaryOp::logical_or},
};

/// The word of one node; empty if it is nothing that sizes are told with.
inline std::string word_of(const ir::Expr &e, const List<ir::Var> &symbols) {
  if (const ir::VarRef *ref = e.as<ir::VarRef>()) {
    for (std::size_t n = 0; n < symbols.size(); ++n)
      if (symbols[n] == ref->var) return "v" + std::to_string(n);
    return {};
  }
  if (e.as<ir::Const>() && e.type().is_index()) return std::to_string(*ir::constant_integer(e));
  if (const ir::Unary *unary = e.as<ir::Unary>())
    return unary->op == ir::UnaryOp::logical_not ? "!" : unary->op == ir::UnaryOp::neg ? "neg" : "";
  const ir::Binary *binary = e.as<ir::Binary>();
  if (binary && binary->a.type() != scalar_types::index && !binary->a.type().is_bool()) return {};
  for (const Word &word : words)
    if (binary && word.op == binary->op) return std::string(word.text);
  return {};
}

inline std::optional<std::int64_t> integer_of(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Puts the node of a word onto `operands`, from which it takes its own. False if it does not fit.
inline bool push(std::string_view word, const List<ir::Var> &symbols, List<ir::Expr> &operands) {
  const auto take = [&] {
    ir::Expr last = operands.back();
    operands.pop_back();
    return last;
  };
  if (const std::optional<std::int64_t> value = integer_of(word)) return operands.push_back(ir::Expr(*value)), true;
  if (const std::optional<std::int64_t> n = word[0] == 'v' ? integer_of(word.substr(1)) : std::nullopt) {
    if (*n < 0 || *n >= static_cast<std::int64_t>(symbols.size())) return false;
    return operands.push_back(symbols[static_cast<std::size_t>(*n)]), true;
  }
  if (word == "!" || word == "neg") {
    if (operands.empty() || operands.back().type().is_bool() != (word == "!")) return false;
    operands.push_back(ir::unary(word == "!" ? ir::UnaryOp::logical_not : ir::UnaryOp::neg, take()));
    return true;
  }
  for (const Word &known : words) {
    if (known.text != word) continue;
    if (operands.size() < 2) return false;
    const ir::Expr a = take(), b = take();
    if (a.type() != b.type() || a.type().is_bool() != ir::is_logical(known.op)) return false;
    operands.push_back(ir::binary(known.op, a, b));
    return true;
  }
  return false;
}

/// The value of words, operators first; undefined if they are not one condition.
inline ir::Expr read(std::string_view text, const List<ir::Var> &symbols) {
  List<ir::Expr> operands;
  while (!text.empty()) {
    const std::size_t space = text.find_last_of(' ');
    const std::string_view word = space == std::string_view::npos ? text : text.substr(space + 1);
    if (word.empty() || !push(word, symbols, operands)) return {};
    text.remove_suffix(text.size() - (space == std::string_view::npos ? 0 : space));
  }
  return operands.size() == 1 && operands.front().type().is_bool() ? operands.front() : ir::Expr();
}

/// What is known of sizes before an assumption.
inline arith::Facts facts_of(const State &state) {
  arith::Facts facts;
  for (const ir::Var &symbol : symbols_of(state)) facts.assume(ir::Expr(symbol) >= ir::Expr(0));
  for (const Assumption &assumption : state.assumptions) facts.assume(assumption.condition);
  return facts;
}

}  // namespace assuming

LATHE_INLINE List<ir::Var> symbols_of(const State &state) {
  List<ir::Var> symbols;
  for (const StageState &stage : state.stages) {
    List<ir::Var> own = stage.operation->axes;
    if (const ir::Reduce *reduce = stage.is_compute() ? stage.operation->reduction() : nullptr)
      for (const ir::Axis &axis : reduce->axes) own.push_back(axis.var);
    const auto add = [&](const ir::Expr &e) {
      for (const ir::Var &var : ir::free_vars(e))
        if (var.type().is_index() && !lists::contains(own, var) && !lists::contains(symbols, var)) symbols.push_back(var);
    };
    for (const ir::Expr &extent : stage.operation->shape) add(extent);
    for (const ir::Expr &body : stage.operation->bodies) add(body);
  }
  return symbols;
}

LATHE_INLINE std::string assumption_text(const State &state, const ir::Expr &condition) {
  const List<ir::Var> symbols = symbols_of(state);
  std::string text;
  List<ir::Expr> open{condition};
  while (!open.empty()) {
    const ir::Expr e = open.back();
    open.pop_back();
    const std::string word = assuming::word_of(e, symbols);
    if (word.empty()) return {};
    (text += text.empty() ? "" : " ") += word;
    if (const ir::Unary *unary = e.as<ir::Unary>()) open.push_back(unary->a);
    if (const ir::Binary *binary = e.as<ir::Binary>()) open.push_back(binary->b), open.push_back(binary->a);
  }
  return text;
}

LATHE_INLINE ir::Expr assumption_of(const State &state, std::string_view text) { return assuming::read(text, symbols_of(state)); }

LATHE_INLINE void apply_assume(State &state, const Step &step) {
  const ir::Expr condition = assumption_of(state, step.text);
  if (!condition.defined() || ir::free_vars(condition).empty())
    refuse(state, step, "S033", {"'", step.text, "' is no condition on the sizes of this schedule"},
           {{"help", "write operators before their operands, and symbols as v0, v1, …:   == % v0 16 0", {}}});
  if (assuming::facts_of(state).proves(!condition))
    refuse(state, step, "S034", "what is assumed cannot hold",
           {{"why", "a size is at least 0, and earlier assumptions hold", {}}});
  state.assumptions.push_back({condition, static_cast<int>(state.steps.size())});
}

}  // namespace lathe::inline LATHE_ABI::scheduling
