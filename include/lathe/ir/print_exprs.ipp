// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Literals, names and expressions as text; print.ipp prints statements around them.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

#include "lathe/ir/evaluate.hpp"
#include "lathe/ir/print.hpp"
#include "lathe/ir/walk.ipp"
#include "lathe/support/hash_map.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::ir {

// ---- literals -----------------------------------------------------------------------------------------------------------------

namespace printing {

LATHE_INLINE std::string hexadecimal(std::uint64_t bits) {
  char buffer[20];
  std::snprintf(buffer, sizeof buffer, "0x%llx", static_cast<unsigned long long>(bits));
  return buffer;
}

/// The fewest digits that give the value back in its type.
LATHE_INLINE std::string shortest_digits(DType type, std::uint64_t bits) {
  char buffer[40];
  const double value = to_double(type, bits);
  char *end = buffer;
  if (type.bits() == 64) {
    end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  } else if (type.bits() == 32) {
    end = std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(value)).ptr;
  } else {
    for (int digits = 1; digits <= 9; ++digits) {
      end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits).ptr;
      double parsed = 0;
      std::from_chars(buffer, end, parsed);
      if (from_double(type, parsed) == bits) break;
    }
  }
  std::string text(buffer, end);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

LATHE_INLINE std::string float_literal(DType type, std::uint64_t bits) {
  const double value = to_double(type, bits);
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  if (std::isnan(value)) {
    const std::uint64_t quiet = from_double(type, std::numeric_limits<double>::quiet_NaN());
    return bits == quiet ? "nan" : composed({"nan(", hexadecimal(bits), ")"});
  }
  const char *suffix = type.bits() == 64 ? "" : type.bits() == 32 ? "f" : type.scalar().exponent_bits == 5 ? "h" : "bf";
  return shortest_digits(type, bits) + suffix;
}

}  // namespace printing

LATHE_INLINE std::string literal_text(DType type, std::uint64_t bits) {
  switch (type.kind()) {
    case Kind::boolean: return bits ? "true" : "false";
    case Kind::integer:
    case Kind::index: return std::to_string(static_cast<std::int64_t>(bits));
    case Kind::unsigned_integer: return std::to_string(bits);
    case Kind::floating: return printing::float_literal(type, bits);
    case Kind::custom: break;
  }
  return composed({type.scalar().name, "(", printing::hexadecimal(bits), ")"});
}

namespace printing {

// ---- names --------------------------------------------------------------------------------------------------------------------

/// Unique names within one text: the first of a name keeps it, others get suffixes.
class Names {
 public:
  const std::string &of(const void *identity, const std::string &wanted) {
    const auto *found = names_.find(identity);
    return found ? found->second : names_.emplace(identity, fresh(wanted.empty() ? "_" : wanted)).first->second;
  }
  const std::string &of(const Var &var) { return of(var.node(), var.name()); }
  const std::string &of(const Buffer &buffer) { return of(buffer.node(), buffer->name); }
  const std::string &of(const Operation &operation) { return of(operation.get(), operation->name); }

  std::string fresh(const std::string &wanted) {
    std::string name = wanted;
    for (int &suffix = next_[wanted]; !taken_.insert(name);) name = composed({wanted, "_", ++suffix});
    return name;
  }

 private:
  NodeMap<std::string> names_;
  HashMap<std::string, int> next_;
  HashSet<std::string> taken_;
};

// ---- expressions --------------------------------------------------------------------------------------------------------------

/// A piece of text, how tightly its outermost operator binds, and how many operators nest in it.
struct Text {
  std::string text;
  int precedence = tight;
  int depth = 0;

  static constexpr int loose = 0;   ///< in parentheses wherever an operator takes it
  static constexpr int tight = 12;  ///< never
};

/// Prints the expressions of one statement at a time. A part that is used again and long, or nested too deeply, gets a name in a
/// line of its own, which `define` is given first.
class ExprPrinter {
 public:
  ExprPrinter(Names &names, FunctionRef<void(const std::string &line)> define) : names_(names), define_(define) {}

  /// Forgets the statement before and counts how often parts of these expressions are used.
  void begin(const List<Expr> &roots) {
    texts_.clear();
    texts_.emplace(nullptr, Text{"none"});  // a faulty node may lack an operand
    uses_.clear();
    NodeSet counted;
    for (const Expr &root : roots) {
      if (!root.defined()) continue;
      ++uses_[root.node()];
      walk_down(root, [&](const Expr &e) {
        if (!counted.insert(e.node())) return false;
        for_each_child(e, [&](const Expr &child) { ++uses_[child.node()]; });
        return true;
      });
    }
  }

  std::string operator()(const Expr &root) {
    walking::post_order(
        root, [&](const ExprNode *node) { return !texts_.contains(node); },
        [&](const Expr &e) { texts_.emplace(e.node(), named(e, describe(e), &e == &root)); });
    return texts_.at(root.node()).text;
  }

  /// Half-open: `min..end`.
  std::string range(const Expr &min, const Expr &extent) {
    (*this)(min), (*this)(extent);
    return range_text(min, extent);
  }

  std::string list(const List<Expr> &expressions) {
    for (const Expr &e : expressions) (*this)(e);
    return joined(expressions);
  }

  /// "i, j if p": what stands between the brackets of an access.
  std::string access(const List<Expr> &indices, const Expr &predicate) {
    list(indices);
    if (predicate.defined()) (*this)(predicate);
    return access_text(indices, predicate);
  }

 private:
  static constexpr std::size_t long_text = 24;
  static constexpr int deep = 48;

  const Text &of(const Expr &e) const { return texts_.at(e.node()); }

  Text named(const Expr &e, Text text, bool root) {
    const bool shared = uses_[e.node()] > 1 && text.text.size() > long_text;
    if (!shared && (root || text.depth < deep)) return text;
    const std::string name = names_.fresh("t" + std::to_string(++temporaries_));
    define_(composed({"let ", name, " = ", text.text}));
    return {name, Text::tight, 0};
  }

  /// `e` as an operand of something that binds with `precedence`.
  std::string operand(const Expr &e, int precedence) const {
    const Text &t = of(e);
    return t.precedence < precedence ? composed({"(", t.text, ")"}) : t.text;
  }

  std::string joined(const List<Expr> &expressions) const {
    std::string text;
    for (const Expr &e : expressions) {
      if (!text.empty()) text += ", ";
      text += of(e).text;
    }
    return text;
  }

  std::string access_text(const List<Expr> &indices, const Expr &predicate) const {
    std::string text = joined(indices);
    if (predicate.defined()) text += (text.empty() ? "if " : " if ") + of(predicate).text;
    return text;
  }

  std::string range_text(const Expr &min, const Expr &extent) const {
    const auto low = constant_integer(min), count = constant_integer(extent);
    std::string text = of(min).text + "..";
    if (low && count) return text + std::to_string(*low + *count);
    if (low == 0) return text + operand(extent, Text::loose + 1);
    const auto *rest = extent.as<Binary>();
    if (rest && rest->op == BinaryOp::sub && equal(rest->b, min)) return text + operand(rest->a, Text::loose + 1);
    return composed({text, operand(min, 9), " + ", operand(extent, 10)});
  }

  int depth_below(const Expr &e) const {
    int depth = 0;
    for_each_child(e, [&](const Expr &child) { depth = std::max(depth, of(child).depth + 1); });
    return depth;
  }

  Text describe(const Expr &e) {
    Text text;
    switch (e.node()->kind()) {
      case ExprKind::constant: text = constant_text(e); break;
      case ExprKind::var: text.text = names_.of(e.as<VarRef>()->var); break;
      case ExprKind::read: text.text = read_text(*e.as<Read>()); break;
      case ExprKind::load: {
        const Load &l = *e.as<Load>();
        text.text = composed({names_.of(l.buffer), "[", access_text(l.indices, l.predicate), "]"});
        break;
      }
      case ExprKind::unary: text = unary_text(*e.as<Unary>()); break;
      case ExprKind::binary: text = binary_text(*e.as<Binary>()); break;
      case ExprKind::mul_add: {
        const MulAdd &m = *e.as<MulAdd>();
        text.text = composed({"mul_add(", joined({m.a, m.b, m.c}), ")"});
        break;
      }
      case ExprKind::select: {
        const Select &s = *e.as<Select>();
        text.text = composed({s.guards ? "if_then_else(" : "select(", joined({s.condition, s.a, s.b}), ")"});
        break;
      }
      case ExprKind::cast: text.text = cast_text(e); break;
      case ExprKind::ranged: {
        const Ranged &r = *e.as<Ranged>();
        text.text = composed({"assume_range(", joined({r.a, r.min, r.max}), ")"});
        break;
      }
      case ExprKind::ramp: text = ramp_text(e); break;
      case ExprKind::broadcast:
        text = {composed({operand(e.as<Broadcast>()->a, Text::tight), " x", e.lanes()}), Text::loose};
        break;
      case ExprKind::shuffle: text.text = shuffle_text(*e.as<Shuffle>()); break;
      case ExprKind::call: text.text = e.as<Call>()->function.name + "(" + joined(e.as<Call>()->arguments) + ")"; break;
      case ExprKind::reduce: text.text = reduce_text(*e.as<Reduce>()); break;
    }
    text.depth = depth_below(e);
    return text;
  }

  static Text constant_text(const Expr &e) {
    std::string text = literal_text(e.type(), e.as<Const>()->bits);
    const int precedence = text.front() == '-' ? info(UnaryOp::neg).precedence : Text::tight;
    return {std::move(text), precedence};
  }

  std::string read_text(const Read &r) {
    std::string text = names_.of(r.tensor.operation);
    if (r.tensor.operation->types.size() > 1) text += "." + std::to_string(r.tensor.output);
    return composed({text, r.unchecked ? ".unchecked(" : "(", joined(r.indices), ")"});
  }

  Text unary_text(const Unary &u) const {
    const OperatorInfo &op = info(u.op);
    if (op.symbol.empty()) return {composed({op.name, "(", of(u.a).text, ")"})};
    return {std::string(op.symbol) + operand(u.a, op.precedence + 1), op.precedence};
  }

  Text binary_text(const Binary &b) const {
    const OperatorInfo &op = info(b.op);
    if (op.symbol.empty()) return {composed({op.name, "(", joined({b.a, b.b}), ")"})};
    const std::string left = operand(b.a, op.precedence);
    if (b.op == BinaryOp::add && b.b.as<Const>() && b.b.type().is_index()) {  // i - 1 rather than i + -1
      const std::int64_t value = static_cast<std::int64_t>(b.b.as<Const>()->bits);
      if (value < 0 && value != std::numeric_limits<std::int64_t>::min()) return {composed({left, " - ", -value}), op.precedence};
    }
    const bool close = op.precedence == info(BinaryOp::mul).precedence;
    const std::string symbol = close ? std::string(op.symbol) : composed({" ", op.symbol, " "});
    return {left + symbol + operand(b.b, op.precedence + 1), op.precedence};
  }

  std::string cast_text(const Expr &e) const {
    const Cast &c = *e.as<Cast>();
    const std::string type(e.type().scalar().name);
    const std::string head = c.mode == CastMode::convert    ? type
                             : c.mode == CastMode::saturate ? composed({"saturate<", type, ">"})
                                                            : composed({"reinterpret<", type, ">"});
    return composed({head, "(", of(c.a).text, ")"});
  }

  /// base + [0:lanes]*stride, with the parts that matter.
  Text ramp_text(const Expr &e) const {
    const Ramp &r = *e.as<Ramp>();
    Text lanes{composed({"[0:", e.lanes(), "]"})};
    if (!is_constant(r.stride, 1)) lanes = {composed({lanes.text, "*", operand(r.stride, 11)}), 10};
    if (is_constant(r.base, 0)) return lanes;
    return {composed({operand(r.base, 9), " + ", lanes.text}), 9};
  }

  std::string shuffle_text(const Shuffle &s) const {
    std::string text = composed({"shuffle([", joined(s.vectors), "], ["});
    for (std::size_t i = 0; i < s.lanes.size(); ++i) text += (i ? ", " : "") + std::to_string(s.lanes[i]);
    return text + "])";
  }

  /// sum(A(i, k), k in 0..16, where k <= i, init b(i)); several sources stand in parentheses, and the output is named.
  std::string reduce_text(const Reduce &r) {
    const bool tuple = r.sources.size() > 1;
    std::string text = composed({r.reducer->name, "(", tuple ? "(" + joined(r.sources) + ")" : joined(r.sources)});
    for (const Axis &axis : r.axes) text += composed({", ", names_.of(axis.var), " in ", range_text(axis.min, axis.extent)});
    if (r.where.defined()) text += ", where " + of(r.where).text;
    if (!r.init.empty()) text += ", init " + (tuple ? composed({"(", joined(r.init), ")"}) : joined(r.init));
    return composed({text, ")", tuple ? "." + std::to_string(r.output) : ""});
  }

  Names &names_;
  FunctionRef<void(const std::string &line)> define_;
  NodeMap<Text> texts_;
  NodeMap<int> uses_;
  int temporaries_ = 0;
};

}  // namespace printing

}  // namespace lathe::inline LATHE_ABI::ir
