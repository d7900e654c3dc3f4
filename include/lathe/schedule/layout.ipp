// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Layouts as text, and the proof that they keep elements apart.

#include <charconv>
#include <limits>
#include <optional>

#include "lathe/arith/simplify.hpp"
#include "lathe/ir/build.hpp"
#include "lathe/ir/print.hpp"
#include "lathe/schedule/layout.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/lists.hpp"

namespace lathe::inline LATHE_ABI::scheduling {

namespace layouts {

/// A recursive descent over "i1/16,i0,i1%16": sums of products of numbers, axes and brackets.
class Parser {
 public:
  Parser(std::string_view text, const List<ir::Var> &axes) : text_(text), axes_(axes) {}

  List<ir::Expr> indices() {
    List<ir::Expr> result{sum(0)};
    while (why_.empty() && take(',')) result.push_back(sum(0));
    if (why_.empty() && at_ < text_.size()) misfit();
    return result;
  }
  const std::string &why() const { return why_; }

 private:
  static constexpr int deepest = 64;

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    const bool found = peek() == c;
    at_ += found;
    return found;
  }
  void misfit() {
    if (why_.empty())
      why_ = at_ < text_.size() ? composed({"'", text_.substr(at_), "' is no part of a layout"}) : "a layout ends too early";
  }

  ir::Expr sum(int depth) {
    ir::Expr result = product(depth);
    while (why_.empty()) {
      if (take('+'))
        result = result + product(depth);
      else if (take('-'))
        result = result - product(depth);
      else
        break;
    }
    return result;
  }
  ir::Expr product(int depth) {
    ir::Expr result = factor(depth);
    while (why_.empty()) {
      if (take('*'))
        result = result * factor(depth);
      else if (take('/'))
        result = result / factor(depth);
      else if (take('%'))
        result = result % factor(depth);
      else
        break;
    }
    return result;
  }
  ir::Expr factor(int depth) {
    if (depth > deepest) {
      misfit();
      return 0;
    }
    if (take('(')) {
      ir::Expr inner = sum(depth + 1);
      if (!take(')')) misfit();
      return inner;
    }
    if (take('-')) return ir::Expr(0) - factor(depth + 1);
    if (take('i')) {
      const auto axis = number();
      if (axis && *axis < static_cast<std::int64_t>(axes_.size())) return axes_[static_cast<std::size_t>(*axis)];
      if (why_.empty()) why_ = "there is no axis i" + (axis ? std::to_string(*axis) : std::string());
      return 0;
    }
    const auto value = number();
    if (!value) misfit();
    return value.value_or(0);
  }
  std::optional<std::int64_t> number() {
    std::int64_t value = 0;
    const char *begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc() || end == begin || value < 0) return std::nullopt;
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  std::string_view text_;
  const List<ir::Var> &axes_;
  std::size_t at_ = 0;
  std::string why_;
};

constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max();

/// (axis / low) % (high / low): what is left of an axis without what lies below `low`, and from `high` on.
struct Digit {
  ir::Var axis;
  std::int64_t low = 1, high = endless;
  /// How many values it has; endless for the topmost digit.
  std::int64_t count() const { return high == endless ? endless : high / low; }
};

/// `e` as a digit, if it is one.
LATHE_INLINE std::optional<Digit> digit_of(const ir::Expr &e) {
  if (const auto *v = e.as<ir::VarRef>()) return Digit{v->var};
  const auto *b = e.as<ir::Binary>();
  if (!b || (b->op != ir::BinaryOp::div && b->op != ir::BinaryOp::mod)) return std::nullopt;
  std::optional<Digit> inner = digit_of(b->a);
  const auto by = ir::constant_integer(b->b);
  if (!inner || !by || *by < 1 || *by > endless / inner->low) return std::nullopt;
  const std::int64_t at = inner->low * *by;
  if (b->op == ir::BinaryOp::div) {
    if (inner->high != endless && (at > inner->high || inner->high % at != 0)) return std::nullopt;
    inner->low = at;
  } else if (inner->high == endless || (at <= inner->high && inner->high % at == 0)) {
    inner->high = at;
  }
  return inner;
}

/// The digits of one index, if no two sums of theirs are the same.
LATHE_INLINE std::optional<List<Digit>> digits_of(const ir::Expr &index) {
  const arith::Linear form = arith::linear_form(index);
  if (form.constant < 0) return std::nullopt;
  List<std::pair<std::int64_t, Digit>> parts;
  for (const arith::Linear::Term &term : form.terms) {
    const auto digit = digit_of(term.atom);
    if (!digit || term.coefficient < 1) return std::nullopt;
    parts.emplace_back(term.coefficient, *digit);
  }
  lists::sort(parts, [](const auto &a, const auto &b) { return a.first < b.first; });
  List<Digit> digits;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto &[step, digit] = parts[i];
    const bool last = i + 1 == parts.size();
    if (!last && (digit.count() == endless || digit.count() > parts[i + 1].first / step)) return std::nullopt;
    digits.push_back(digit);
  }
  return digits;
}

}  // namespace layouts

LATHE_INLINE std::string to_text(const Layout &layout) {
  std::string text;
  for (const ir::Expr &index : layout.indices) {
    if (!text.empty()) text += ',';
    for (const char c : ir::to_string(index))
      if (c != ' ') text += c;
  }
  return text;
}

LATHE_INLINE List<ir::Var> layout_axes(int rank) {
  List<ir::Var> axes;
  for (int d = 0; d < rank; ++d) axes.emplace_back("i" + std::to_string(d), scalar_types::index, true);
  return axes;
}

LATHE_INLINE Layout parse_layout(std::string_view text, int rank, std::string &why) {
  Layout layout{layout_axes(rank), {}};
  layouts::Parser parser(text, layout.axes);
  layout.indices = parser.indices();
  why = parser.why();
  return layout;
}

LATHE_INLINE std::string why_not_injective(const Layout &layout) {
  List<layouts::Digit> all;
  for (const ir::Expr &index : layout.indices) {
    const auto digits = layouts::digits_of(index);
    if (!digits) return "different elements may have the same " + ir::to_string(index);
    all.insert(all.end(), digits->begin(), digits->end());
  }
  for (const ir::Var &axis : layout.axes) {
    // From the lowest digit up, each begins where what is known so far ends, or below.
    std::int64_t known = 1;
    for (bool grows = true; grows && known != layouts::endless;) {
      grows = false;
      for (const layouts::Digit &digit : all)
        if (digit.axis == axis && digit.low <= known && digit.high > known) known = digit.high, grows = true;
    }
    if (known != layouts::endless)
      return composed({"elements that differ in ", axis.name(), " only may come to lie at one place"});
  }
  return {};
}

}  // namespace lathe::inline LATHE_ABI::scheduling
