// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Expressions as C-like text.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>

#include "lathe/codegen/c_like.hpp"
#include "lathe/ir/build.hpp"
#include "lathe/ir/evaluate.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/support/hash_map.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::codegen {

namespace c_like_printing {

inline constexpr int deepest = 64;          // operators in one another before a temporary is due
inline constexpr std::size_t longest = 96;  // characters of an operand before a temporary is due

LATHE_INLINE std::string within(const CText &text, int limit) {
  return text.precedence < limit ? "(" + text.text + ")" : text.text;
}

LATHE_INLINE CText infix(const CText &a, std::string_view symbol, const CText &b, int precedence, int left, int right) {
  return {within(a, left) + " " + std::string(symbol) + " " + within(b, right), precedence, std::max(a.depth, b.depth) + 1};
}

LATHE_INLINE CText function_call(std::string function, const List<CText> &arguments) {
  CText call{std::move(function) + "("};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    call.text += (i ? ", " : "") + arguments[i].text;
    call.depth = std::max(call.depth, arguments[i].depth);
  }
  call.text += ")";
  ++call.depth;
  return call;
}

LATHE_INLINE CText converted(std::string_view type, const CText &a) {
  return {"(" + std::string(type) + ")" + within(a, prefix), prefix, a.depth + 1};
}

LATHE_INLINE bool is_zero(const CText &a) { return a.is_int && a.text == "0"; }

/// Sums and products of indices: 64 bits wide, without what changes nothing. `right`: the precedence that the second summand
/// needs.
LATHE_INLINE CText index_sum(const CText &a, const CText &b, int right = product) {
  if (is_zero(a)) return b;
  if (is_zero(b)) return a;
  const CText &left = a.is_int && b.is_int ? converted("int64_t", a) : a;
  const bool negative = b.text.front() == '-' && b.text.find_first_not_of("0123456789", 1) == std::string::npos;
  if (negative) return infix(left, "-", {b.text.substr(1)}, sum, sum, product);
  return infix(left, "+", b, sum, sum, right);
}
LATHE_INLINE CText index_product(const CText &a, const CText &b) {
  if (is_zero(a) || is_zero(b)) return {.text = "0", .is_int = true};
  if (a.is_int && a.text == "1") return b;
  if (b.is_int && b.text == "1") return a;
  return infix(a.is_int && b.is_int ? converted("int64_t", a) : a, "*", b, product, product, prefix);
}

/// Whether a comparison with one end of the type's range decides itself; compilers warn of those. 1, 0, or nothing.
LATHE_INLINE std::optional<bool> decided(ir::BinaryOp op, const ir::Expr &a, const ir::Expr &b) {
  using ir::BinaryOp;
  if (a.type().is_float() || a.type().kind() == Kind::custom || !ir::is_comparison(op)) return std::nullopt;
  const auto is_end = [](const ir::Expr &e, const ir::Expr &end) {
    const auto *value = e.as<ir::Const>();
    return value && value->bits == end.as<ir::Const>()->bits;
  };
  const ir::Expr least = ir::least_of(a.type()), greatest = ir::greatest_of(a.type());
  if ((op == BinaryOp::ge && is_end(b, least)) || (op == BinaryOp::le && is_end(b, greatest)) ||
      (op == BinaryOp::le && is_end(a, least)) || (op == BinaryOp::ge && is_end(a, greatest)))
    return true;
  if ((op == BinaryOp::lt && is_end(b, least)) || (op == BinaryOp::gt && is_end(b, greatest)) ||
      (op == BinaryOp::gt && is_end(a, least)) || (op == BinaryOp::lt && is_end(a, greatest)))
    return false;
  return std::nullopt;
}

}  // namespace c_like_printing

LATHE_INLINE CText c_literal(OperatorLibrary &library, DType type, std::uint64_t bits) {
  using namespace c_like_printing;
  const auto signed_value = static_cast<std::int64_t>(bits);
  if (type.is_float() && type.bits() >= 32) {
    const bool single = type.bits() == 32;
    const double value = ir::to_double(type, bits);
    char digits[64];
    if (!std::isfinite(value)) {
      std::snprintf(digits, sizeof digits, single ? "(0x%llxu)" : "(UINT64_C(0x%llx))", static_cast<unsigned long long>(bits));
      return {library.use("of_bits", type) + digits, atom, 1};
    }
    const auto end = single ? std::to_chars(digits, digits + sizeof digits, static_cast<float>(value)).ptr
                            : std::to_chars(digits, digits + sizeof digits, value).ptr;
    std::string text(digits, end);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return {text + (single ? "f" : ""), std::signbit(value) ? prefix : atom};
  }
  if (type.is_float() || type.kind() == Kind::custom) {  // their bits
    char digits[32];
    std::snprintf(digits, sizeof digits,
                  type.bytes() == 8   ? "UINT64_C(0x%llx)"
                  : type.bytes() == 4 ? "0x%llxu"
                                      : "0x%llx",
                  static_cast<unsigned long long>(bits));
    return {digits};
  }
  if (type.is_unsigned() || type.is_bool()) {
    const std::string text = std::to_string(bits);
    return {type.bits() == 64 ? "UINT64_C(" + text + ")" : type.bits() == 32 ? text + "u" : text};
  }
  if (bits == std::uint64_t{1} << 63) return {"INT64_MIN"};
  if (type.bits() == 32 && signed_value == -2147483648LL) return {"INT32_MIN"};
  const bool is_int = type.bits() == 64 && signed_value >= -2147483647LL && signed_value <= 2147483647LL;
  return {std::to_string(signed_value), signed_value < 0 ? prefix : atom, 0, is_int};
}

/// Prints the expressions of one statement.
class CExpressionPrinter {
 public:
  explicit CExpressionPrinter(CLikePrinter &printer) : printer_(printer), library_(printer.library_) {}

  List<CText> print(const List<ir::Expr> &roots) {
    for (const ir::Expr &root : roots) count_uses(root);
    for (const ir::Expr &root : roots) {
      roots_[root.node()] = true;
      print_one(root);
    }
    List<CText> texts;
    for (const ir::Expr &root : roots) texts.push_back(take(root));
    return texts;
  }

  /// The offset of an element in elements, from the texts of its indices and of `layout_of`.
  static CText offset(const ir::Buffer &buffer, const List<CText> &indices, const List<CText> &layout) {
    using namespace c_like_printing;
    CText result{.text = "0", .is_int = true};
    // Offsets stay within memory, so the order of their sums does not matter and needs no parentheses.
    for (std::size_t d = 0; d < indices.size(); ++d)
      result = buffer->strides.empty() ? index_sum(d ? index_product(result, layout[d - 1]) : result, indices[d], sum)
                                       : index_sum(result, index_product(indices[d], layout[d]), sum);
    return result;
  }
  /// What of a buffer's shape or strides its offsets need.
  static List<ir::Expr> layout_of(const ir::Buffer &buffer) {
    if (!buffer->strides.empty()) return buffer->strides;
    return {buffer->shape.begin() + (buffer->shape.empty() ? 0 : 1), buffer->shape.end()};
  }

 private:
  static List<ir::Expr> children_of(const ir::Expr &e) {
    if (const auto *ranged = e.as<ir::Ranged>()) return {ranged->a};
    List<ir::Expr> children;
    ir::for_each_child(e, [&](const ir::Expr &child) { children.push_back(child); });
    if (const auto *load = e.as<ir::Load>())
      for (ir::Expr &part : layout_of(load->buffer)) children.push_back(std::move(part));
    return children;
  }

  // Visits every node once, children first, without recursion.
  template <class Visit>
  void post_order(const ir::Expr &root, NodeMap<bool> &seen, Visit visit) {
    List<std::pair<ir::Expr, bool>> stack{{root, false}};
    while (!stack.empty()) {
      const auto [e, children_done] = stack.back();
      stack.pop_back();
      if (children_done) {
        visit(e);
        continue;
      }
      if (!seen.emplace(e.node(), true).second) continue;
      stack.emplace_back(e, true);
      const List<ir::Expr> children = children_of(e);
      for (std::size_t i = children.size(); i-- > 0;) stack.emplace_back(children[i], false);
    }
  }

  void count_uses(const ir::Expr &root) {
    ++uses_[root.node()];
    post_order(root, counted_, [&](const ir::Expr &e) {
      for (const ir::Expr &child : children_of(e)) ++uses_[child.node()];
    });
  }

  void print_one(const ir::Expr &root) {
    post_order(root, printed_, [&](const ir::Expr &e) {
      ensure(e.lanes() == 1, "C-like text has scalars only");
      CText text = node(e);
      if (deserves_temporary(e, text)) {
        text = temporary(e, text);
        unconditional_loads_.erase(e.node());
      }
      texts_[e.node()] = std::move(text);
    });
  }

  bool deserves_temporary(const ir::Expr &e, const CText &text) const {
    using namespace c_like_printing;
    if (e.as<ir::Const>() || e.as<ir::VarRef>() || e.as<ir::Ranged>()) return false;
    if (text.depth >= deepest) return true;
    const bool shared = uses_.at(e.node()) > 1;
    if (text.text.size() > longest && (shared || !roots_.contains(e.node()))) return true;
    return shared && (text.depth > 1 || text.text.size() > 24 || e.as<ir::Load>() || e.as<ir::Call>());
  }

  CText temporary(const ir::Expr &e, const CText &text) {
    const std::string name = printer_.body_.names.temporary();
    printer_.line("const " + printer_.value_type(e.type()) + " " + name + " = " + text.text + ";");
    return {name};
  }

  /// The text of a child; of one with no other use, for good.
  CText take(const ir::Expr &child) {
    CText &text = texts_.at(child.node());
    if (uses_.at(child.node()) > 1) return text;
    return std::move(text);
  }
  List<CText> take(const List<ir::Expr> &children) {
    List<CText> texts;
    for (const ir::Expr &child : children) texts.push_back(take(child));
    return texts;
  }

  CText node(const ir::Expr &e);
  CText unary(const ir::Expr &e, const ir::Unary &node);
  CText unary_of_integer(ir::UnaryOp op, DType type, CText a);
  CText unary_of_float(ir::UnaryOp op, DType type, CText a);
  CText binary(const ir::Expr &e, const ir::Binary &node);
  CText comparison(const ir::Binary &node);
  CText logic(ir::BinaryOp op, const CText &a, const CText &b);
  CText float_binary(ir::BinaryOp op, DType type, const CText &a, const CText &b);
  CText integer_binary(const ir::Binary &node, DType type, const CText &a, const CText &b);
  CText sum_or_product(ir::BinaryOp op, DType type, const CText &a, const CText &b);
  CText division(const ir::Binary &node, DType type, const CText &a, const CText &b);
  CText cast(DType to, const ir::Cast &node);
  CText to_small_float(DType to, DType from, bool saturates, CText a);
  CText load(const ir::Expr &e, const ir::Load &node);
  CText call(const ir::Expr &e, const ir::Call &node);
  CText narrowed(DType type, CText a) { return c_like_printing::converted(c_type(printer_.dialect_, type), a); }
  CText use(std::string_view word, DType type, const List<CText> &operands) {
    return c_like_printing::function_call(library_.use(word, type), operands);
  }

  CLikePrinter &printer_;
  OperatorLibrary &library_;
  NodeMap<int> uses_;
  NodeMap<bool> counted_, printed_, roots_;
  NodeMap<CText> texts_;
  NodeMap<CText> unconditional_loads_;  // of loads with predicates that are no temporaries
};

LATHE_INLINE CText CExpressionPrinter::node(const ir::Expr &e) {
  using namespace c_like_printing;
  switch (e.node()->kind()) {
    case ir::ExprKind::constant: return c_literal(library_, e.type(), e.as<ir::Const>()->bits);
    case ir::ExprKind::var: return {printer_.name_of(e.as<ir::VarRef>()->var.node(), e.as<ir::VarRef>()->var.name())};
    case ir::ExprKind::load: return load(e, *e.as<ir::Load>());
    case ir::ExprKind::unary: return unary(e, *e.as<ir::Unary>());
    case ir::ExprKind::binary: return binary(e, *e.as<ir::Binary>());
    case ir::ExprKind::cast: return cast(e.type(), *e.as<ir::Cast>());
    case ir::ExprKind::ranged: return take(e.as<ir::Ranged>()->a);
    case ir::ExprKind::call: return call(e, *e.as<ir::Call>());
    case ir::ExprKind::mul_add: {
      const auto &node = *e.as<ir::MulAdd>();
      const CText a = take(node.a), b = take(node.b), c = take(node.c);
      if (e.type().is_float()) return function_call(library_.use_math("fma", e.type(), 3), {a, b, c});
      return sum_or_product(ir::BinaryOp::add, e.type(), sum_or_product(ir::BinaryOp::mul, e.type(), a, b), c);
    }
    case ir::ExprKind::select: {
      const auto &node = *e.as<ir::Select>();
      ensure(!node.guards, "C-like text has no guarding selects");
      // The condition need not be asked twice: p ? (p ? a[i] : 0) : b is p ? a[i] : b.
      const auto *unconditional = unconditional_loads_.find(node.a.node());
      const bool asked = unconditional && node.a.as<ir::Load>()->predicate.same_as(node.condition);
      const CText c = take(node.condition), a = asked ? unconditional->second : take(node.a), b = take(node.b);
      return {within(c, either) + " ? " + within(a, either) + " : " + within(b, either), conditional,
              std::max({c.depth, a.depth, b.depth}) + 1, a.is_int && b.is_int};
    }
    default: fail_internal("C-like text has scalars of lowered code only");
  }
}

// ---- memory and calls ---------------------------------------------------------------------------------------------------------

LATHE_INLINE CText CExpressionPrinter::load(const ir::Expr &e, const ir::Load &node) {
  using namespace c_like_printing;
  const List<CText> indices = take(node.indices), layout = take(layout_of(node.buffer));
  const CText place = offset(node.buffer, indices, layout);
  const std::string &name = printer_.name_of(node.buffer.node(), node.buffer->name);
  CText text{name + "[" + place.text + "]", atom, place.depth + 1};
  if (!node.predicate.defined()) return text;
  const CText predicate = take(node.predicate);
  unconditional_loads_[e.node()] = text;
  return {within(predicate, either) + " ? " + text.text + " : " + c_literal(library_, node.buffer->type, 0).text, conditional,
          std::max(text.depth, predicate.depth) + 1};
}

LATHE_INLINE CText CExpressionPrinter::call(const ir::Expr &e, const ir::Call &node) {
  const Dialect &dialect = printer_.dialect_;
  const auto type_name = [&](DType type) { return type.is_bool() ? "_Bool" : std::string(c_type(dialect, type)); };
  std::string types;
  for (const ir::Expr &argument : node.arguments) types += (types.empty() ? "" : ", ") + type_name(argument.type());
  if (types.empty()) types = "void";
  const List<CText> arguments = take(node.arguments);
  const std::string result = type_name(e.type());
  if (!node.function.address) {
    library_.declare(node.function.name, result + " " + node.function.name + "(" + types + ");\n");
    return c_like_printing::function_call(node.function.name, arguments);
  }
  const std::string &address = printer_.name_of(node.function.address, node.function.name);
  return c_like_printing::function_call("((" + result + " (*)(" + types + "))" + address + ")", arguments);
}

// ---- operators ----------------------------------------------------------------------------------------------------------------

LATHE_INLINE CText CExpressionPrinter::unary(const ir::Expr &, const ir::Unary &node) {
  using namespace c_like_printing;
  const DType type = node.a.type();
  CText a = take(node.a);
  if (node.op == ir::UnaryOp::logical_not || (node.op == ir::UnaryOp::bit_not && type.is_bool()))
    return {"!" + within(a, prefix), prefix, a.depth + 1};
  if (node.op == ir::UnaryOp::any_lane) return a;
  ensure(type.kind() != Kind::custom && (!type.is_float() || type.bits() >= 32),
         "small floats are widened before their arithmetic");
  return type.is_float() ? unary_of_float(node.op, type, std::move(a)) : unary_of_integer(node.op, type, std::move(a));
}

LATHE_INLINE CText CExpressionPrinter::unary_of_integer(ir::UnaryOp op, DType type, CText a) {
  using namespace c_like_printing;
  using ir::UnaryOp;
  const bool wide = type.bits() >= 32;
  switch (op) {
    case UnaryOp::neg: {
      if (type.is_signed() && !type.is_index() && wide) return use("neg", type, {a});
      const CText negated{"-" + within(a, prefix + 1), prefix, a.depth + 1, a.is_int};
      return wide ? negated : narrowed(type, negated);
    }
    case UnaryOp::bit_not: {
      const CText flipped{"~" + within(a, prefix), prefix, a.depth + 1, a.is_int};
      return type.is_unsigned() && !wide ? narrowed(type, flipped) : flipped;
    }
    case UnaryOp::abs: return type.is_signed() ? use("abs", type, {a}) : a;
    case UnaryOp::sign:
      return type.is_signed() ? use("sign", type, {a}) : narrowed(type, infix(a, "!=", {"0"}, equality, sum, sum));
    case UnaryOp::popcount: return use("popcount", type, {a});
    case UnaryOp::clz: return use("clz", type, {a});
    case UnaryOp::is_nan:
    case UnaryOp::is_inf: return {"0"};
    case UnaryOp::is_finite: return {"1"};
    default: fail_internal("no " + std::string(ir::info(op).name) + " of integers");
  }
}

LATHE_INLINE CText CExpressionPrinter::unary_of_float(ir::UnaryOp op, DType type, CText a) {
  using namespace c_like_printing;
  using ir::UnaryOp;
  switch (op) {
    case UnaryOp::neg: return {"-" + within(a, prefix + 1), prefix, a.depth + 1};
    case UnaryOp::abs: return function_call(library_.use_math("fabs", type), {a});
    case UnaryOp::round: return function_call(library_.use_math("nearbyint", type), {a});
    case UnaryOp::sign:
    case UnaryOp::rsqrt:
    case UnaryOp::sigmoid:
    case UnaryOp::is_nan:
    case UnaryOp::is_inf:
    case UnaryOp::is_finite: return use(ir::info(op).name, type, {a});
    default:
      ensure(ir::is_float_only(op), "an operator of floats");
      return function_call(library_.use_math(ir::info(op).name, type), {a});
  }
}

LATHE_INLINE CText CExpressionPrinter::binary(const ir::Expr &, const ir::Binary &node) {
  const DType type = node.a.type();
  if (ir::is_comparison(node.op)) return comparison(node);
  const CText a = take(node.a), b = take(node.b);
  if (type.is_bool()) return logic(node.op, a, b);
  ensure(type.kind() != Kind::custom && (!type.is_float() || type.bits() >= 32),
         "small floats are widened before their arithmetic");
  if (!type.is_float()) return integer_binary(node, type, a, b);
  const bool from_zero = node.op == ir::BinaryOp::sub && ir::constant_float(node.a) == 0.0;
  return from_zero ? use("sub", type, {a, b}) : float_binary(node.op, type, a, b);
}

LATHE_INLINE CText CExpressionPrinter::comparison(const ir::Binary &node) {
  using namespace c_like_printing;
  using ir::BinaryOp;
  const CText a = take(node.a), b = take(node.b);
  const bool ordered = node.op != BinaryOp::eq && node.op != BinaryOp::ne;
  std::optional<bool> known = decided(node.op, node.a, node.b);
  // A value beside itself, of which compilers warn as well.
  if (!node.a.type().is_float() && a.text == b.text)
    known = node.op == BinaryOp::eq || node.op == BinaryOp::le || node.op == BinaryOp::ge;
  if (known) return {*known ? "1" : "0"};
  // !a == b would be taken for a slip.
  const CText left = a.text.front() == '!' ? CText{a.text, lowest, a.depth, a.is_int} : a;
  return infix(left, ir::info(node.op).symbol, b, ordered ? relation : equality, sum, sum);
}

LATHE_INLINE CText CExpressionPrinter::logic(ir::BinaryOp op, const CText &a, const CText &b) {
  using namespace c_like_printing;
  using ir::BinaryOp;
  switch (op) {
    case BinaryOp::logical_and:
    case BinaryOp::bit_and:
    case BinaryOp::min: return infix(a, "&&", b, all_of, a.precedence == all_of ? all_of : equality, equality);
    case BinaryOp::logical_or:
    case BinaryOp::bit_or:
    case BinaryOp::max: return infix(a, "||", b, either, a.precedence == either ? either : equality, equality);
    case BinaryOp::bit_xor: return infix(a, "!=", b, equality, sum, sum);
    default: fail_internal("no " + std::string(ir::info(op).name) + " of bools");
  }
}

LATHE_INLINE CText CExpressionPrinter::float_binary(ir::BinaryOp op, DType type, const CText &a, const CText &b) {
  using namespace c_like_printing;
  using ir::BinaryOp;
  switch (op) {
    case BinaryOp::add: return infix(a, "+", b, sum, sum, product);
    case BinaryOp::sub: return infix(a, "-", b, sum, sum, product);
    case BinaryOp::mul: return infix(a, "*", b, product, product, prefix);
    case BinaryOp::div: return infix(a, "/", b, product, product, prefix);
    case BinaryOp::trunc_div:
      return function_call(library_.use_math("trunc", type), {infix(a, "/", b, product, product, prefix)});
    case BinaryOp::mod:
    case BinaryOp::min:
    case BinaryOp::max: return use(ir::info(op).name, type, {a, b});
    case BinaryOp::trunc_mod:
    case BinaryOp::fmod: return function_call(library_.use_math("fmod", type, 2), {a, b});
    case BinaryOp::pow: return function_call(library_.use_math("pow", type, 2), {a, b});
    case BinaryOp::atan2: return function_call(library_.use_math("atan2", type, 2), {a, b});
    default: fail_internal("no " + std::string(ir::info(op).name) + " of floats");
  }
}

LATHE_INLINE CText CExpressionPrinter::sum_or_product(ir::BinaryOp op, DType type, const CText &a, const CText &b) {
  using namespace c_like_printing;
  using ir::BinaryOp;
  if (type.is_index() && op == BinaryOp::add) return index_sum(a, b);
  if (type.is_index() && op == BinaryOp::mul) return index_product(a, b);
  const bool wide = type.bits() >= 32;
  if (wide && type.is_signed() && !type.is_index())
    return use(op == BinaryOp::add ? "add" : op == BinaryOp::sub ? "sub" : "mul", type, {a, b});
  const CText left = type.is_index() && a.is_int && b.is_int ? converted("int64_t", a) : a;
  CText text;
  if (op == BinaryOp::mul) {
    // Two uint16 multiply as ints, which their product may not fit.
    const bool overflows = type.is_unsigned() && type.bits() == 16;
    text = infix(overflows ? converted("uint32_t", left) : left, "*", b, product, product, prefix);
  } else {
    text = infix(left, op == BinaryOp::add ? "+" : "-", b, sum, sum, product);
  }
  return wide ? text : narrowed(type, text);
}

LATHE_INLINE CText CExpressionPrinter::division(const ir::Binary &node, DType type, const CText &a, const CText &b) {
  using namespace c_like_printing;
  using ir::BinaryOp;
  const auto divisor = ir::constant_integer(node.b);
  const bool truncates = node.op == BinaryOp::trunc_div || node.op == BinaryOp::trunc_mod;
  // C's operator is ours where nothing is negative and the divisor is a positive constant.
  bool plain = divisor && *divisor > 0;
  if (plain && !truncates && !type.is_unsigned()) plain = type.is_index() && printer_.facts_.bounds(node.a).min >= 0;
  const bool quotient = node.op == BinaryOp::div || node.op == BinaryOp::trunc_div;
  if (plain) {
    CText text = infix(a, quotient ? "/" : "%", b, product, product, prefix);
    text.is_int = a.is_int && b.is_int;
    return type.bits() >= 32 ? text : narrowed(type, text);
  }
  const char *word = quotient ? "div" : "mod";
  return use(truncates && type.is_signed() ? std::string("trunc_") + word : word, type, {a, b});
}

LATHE_INLINE CText CExpressionPrinter::integer_binary(const ir::Binary &node, DType type, const CText &a, const CText &b) {
  using namespace c_like_printing;
  using ir::BinaryOp;
  const auto bits_of = [&](std::string_view symbol, int precedence) {
    CText text = infix(a, symbol, b, precedence, a.precedence == precedence ? precedence : prefix, prefix);
    text.is_int = a.is_int && b.is_int;
    return text;
  };
  switch (node.op) {
    case BinaryOp::add:
    case BinaryOp::sub:
    case BinaryOp::mul: return sum_or_product(node.op, type, a, b);
    case BinaryOp::div:
    case BinaryOp::mod:
    case BinaryOp::trunc_div:
    case BinaryOp::trunc_mod: return division(node, type, a, b);
    case BinaryOp::bit_and: return bits_of("&", bit_and);
    case BinaryOp::bit_or: return bits_of("|", bit_or);
    case BinaryOp::bit_xor: return bits_of("^", bit_xor);
    case BinaryOp::shl:
    case BinaryOp::shr: {
      const auto amount = ir::constant_integer(node.b);
      const bool left = node.op == BinaryOp::shl;
      if (amount && *amount >= 0 && *amount < type.bits() && !a.is_int && (!left || type.is_unsigned())) {
        const CText text = infix(a, left ? "<<" : ">>", {std::to_string(*amount)}, shift, prefix, prefix);
        return type.bits() >= 32 || !left ? text : narrowed(type, text);
      }
      return use(ir::info(node.op).name, type, {a, b});
    }
    case BinaryOp::min:
    case BinaryOp::max:
    case BinaryOp::mul_high:
    case BinaryOp::rounding_shift_right: return use(ir::info(node.op).name, type, {a, b});
    default: fail_internal("no " + std::string(ir::info(node.op).name) + " of integers");
  }
}

// ---- conversion ---------------------------------------------------------------------------------------------------------------

LATHE_INLINE CText CExpressionPrinter::to_small_float(DType to, DType from, bool saturates, CText a) {
  using namespace c_like_printing;
  if (!from.is_float()) a = converted("float", a);  // integers reach them through float32
  a = converted("double", a);
  if (saturates) a = function_call(library_.use_saturation(to, scalar_types::float64), {a});
  return use("round_to", to, {a});
}

LATHE_INLINE CText CExpressionPrinter::cast(DType to, const ir::Cast &node) {
  using namespace c_like_printing;
  DType from = node.a.type();
  CText a = take(node.a);
  const auto is_small = [](DType type) { return type.is_float() && type.bits() < 32; };
  if (node.mode == ir::CastMode::reinterpret) {
    if (from.is_float() && !is_small(from)) a = use("bits_of", from, {a});
    if (to.is_float() && !is_small(to)) return use("of_bits", to, {a});
    return narrowed(to, a);
  }
  if (to.kind() == Kind::custom || from.kind() == Kind::custom) fail_internal("custom types are lowered before code generation");
  const bool saturates = node.mode == ir::CastMode::saturate;
  if (is_small(from)) {
    a = use("float_of", from, {a});
    from = scalar_types::float32;
  }
  if (to.is_bool()) {
    if (from.is_bool()) return a;
    if (saturates) return from.is_float() ? infix(a, ">=", {"1"}, relation, sum, sum) : infix(a, ">", {"0"}, relation, sum, sum);
    return infix(a, "!=", {"0"}, equality, sum, sum);
  }
  if (is_small(to)) return to_small_float(to, from, saturates, std::move(a));
  const std::string_view type = c_type(printer_.dialect_, to);
  if (to.is_float()) {
    if (saturates && from.is_float())
      return converted(type, function_call(library_.use_saturation(to, scalar_types::float64), {converted("double", a)}));
    return from == to ? a : converted(type, a);
  }
  if (from.is_float() || (saturates && !from.is_bool())) return function_call(library_.use_saturation(to, from), {a});
  if (type == c_type(printer_.dialect_, from) && !a.is_int) return a;
  return converted(type, a);
}

}  // namespace lathe::inline LATHE_ABI::codegen
