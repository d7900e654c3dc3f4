// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Statements as C-like text.

#include "lathe/codegen/c_like.hpp"
#include "lathe/codegen/c_like_expressions.ipp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::codegen {

// ---- lines and names ----------------------------------------------------------------------------------------------------------

LATHE_INLINE void CLikePrinter::line(std::string_view text) {
  body_.text.append(static_cast<std::size_t>(body_.indent) * 2, ' ').append(text).append("\n");
}

LATHE_INLINE void CLikePrinter::open(std::string_view head) {
  line(head.empty() ? "{" : std::string(head) + " {");
  ++body_.indent;
  body_.names.open();
}

LATHE_INLINE void CLikePrinter::close(std::string_view tail) {
  body_.names.close();
  --body_.indent;
  line(tail);
}

LATHE_INLINE void CLikePrinter::declared(const void *thing, std::string_view wish,
                                         FunctionRef<std::string(const std::string &)> declaration, FunctionRef<void()> rest) {
  const Declaration declared = declare(thing, wish, declaration);
  rest();
  drop_unused(declared);
}

LATHE_INLINE CLikePrinter::Declaration CLikePrinter::declare(const void *thing, std::string_view wish,
                                                             FunctionRef<std::string(const std::string &)> declaration) {
  const std::size_t begin = body_.text.size();
  const std::string name = body_.names.add(thing, wish);
  line(declaration(name));
  body_.used.erase(thing);
  return {thing, begin, body_.text.size()};
}

LATHE_INLINE void CLikePrinter::drop_unused(const Declaration &declaration) {
  if (!body_.used.contains(declaration.thing)) body_.text.erase(declaration.begin, declaration.end - declaration.begin);
}

LATHE_INLINE const std::string &CLikePrinter::name_of(const void *thing, std::string_view what) {
  const std::string *name = body_.names.find(thing);
  if (!name) fail_internal("C-like text uses " + std::string(what) + " outside its scope");
  body_.used[thing] = true;
  return *name;
}

LATHE_INLINE std::string CLikePrinter::expression(const ir::Expr &e, int limit) {
  return c_like_printing::within(CExpressionPrinter(*this).print({e})[0], limit);
}

LATHE_INLINE List<std::string> CLikePrinter::expressions(const List<ir::Expr> &roots) {
  List<std::string> texts;
  for (CText &text : CExpressionPrinter(*this).print(roots)) texts.push_back(std::move(text.text));
  return texts;
}

// ---- statements ---------------------------------------------------------------------------------------------------------------

LATHE_INLINE void CLikePrinter::statement(const ir::Stmt &s, bool last) {
  // What a declaration names ends with its braces, which are the ones that are open when nothing else follows there.
  const bool declares = s.as<ir::Allocate>() || s.as<ir::Bind>();
  if (declares && !last) {
    open("");
    statement(s);
    return close();
  }
  switch (s.node()->kind()) {
    case ir::StmtKind::loop: return loop(*s.as<ir::For>());
    case ir::StmtKind::block: return block(*s.as<ir::Block>(), last);
    case ir::StmtKind::store: return store(*s.as<ir::Store>());
    case ir::StmtKind::allocate: return allocate(*s.as<ir::Allocate>());
    case ir::StmtKind::branch: return branch(*s.as<ir::If>());
    case ir::StmtKind::bind: return bind(*s.as<ir::Bind>());
    case ir::StmtKind::check: return check(*s.as<ir::Check>());
    case ir::StmtKind::evaluate: {
      const std::string text = expression(s.as<ir::Evaluate>()->value, c_like_printing::prefix);
      return line("(void)" + text + ";");
    }
    case ir::StmtKind::prefetch: return prefetch(*s.as<ir::Prefetch>());
  }
}

LATHE_INLINE void CLikePrinter::block(const ir::Block &block, bool last) {
  if (!block.label.empty()) comment(block.label);
  for (std::size_t i = 0; i < block.body.size(); ++i) statement(block.body[i], last && i + 1 == block.body.size());
}

LATHE_INLINE void CLikePrinter::loop(const ir::For &loop) {
  const arith::Facts outside = facts_;
  if (loop.kind == ir::LoopKind::parallel) {
    parallel_loop(loop);
  } else {
    List<std::string> bounds = expressions({loop.min, loop.extent});
    const auto min = ir::constant_integer(loop.min), extent = ir::constant_integer(loop.extent);
    std::string end = bounds[1];
    if (min && extent) {
      end = expression(loop.min + loop.extent);
    } else if (!ir::is_constant(loop.min, 0)) {
      // Computed once, as compilers cannot always tell that it stays.
      end = body_.names.local(loop.var.name() + "_end");
      line("const int64_t " + end + " = " + expression(loop.min + loop.extent) + ";");
    } else if (!loop.extent.as<ir::VarRef>() && !extent) {
      end = body_.names.local(loop.var.name() + "_end");
      line("const int64_t " + end + " = " + bounds[1] + ";");
    }
    serial_loop(loop, bounds[0], end);
  }
  facts_ = outside;
}

LATHE_INLINE void CLikePrinter::serial_loop(const ir::For &loop, std::string_view begin, std::string_view end) {
  facts_.bind(loop.var, loop.min, loop.extent);
  body_.names.open();
  const std::string name = body_.names.add(loop.var.node(), loop.var.name());
  open("for (int64_t " + name + " = " + std::string(begin) + "; " + name + " < " + std::string(end) + "; ++" + name + ")");
  statement(loop.body);
  close();
  body_.names.close();
}

LATHE_INLINE void CLikePrinter::store(const ir::Store &store) {
  List<ir::Expr> roots = store.indices;
  const List<ir::Expr> layout = CExpressionPrinter::layout_of(store.buffer);
  roots.insert(roots.end(), layout.begin(), layout.end());
  if (store.predicate.defined()) roots.push_back(store.predicate);
  // c[i] = c[i] + x is c[i] += x.
  std::string_view assignment = " = ";
  ir::Expr value = store.value;
  if (const auto *binary = value.as<ir::Binary>()) {
    const auto *old = binary->a.as<ir::Load>();
    bool same = old && old->buffer == store.buffer && !old->predicate.defined();
    for (std::size_t i = 0; same && i < store.indices.size(); ++i) same = ir::equal(old->indices[i], store.indices[i]);
    const DType type = store.value.type();
    if (same && ((type.is_float() && type.bits() >= 32) || type.is_index() || (type.is_unsigned() && type.bits() >= 32))) {
      if (binary->op == ir::BinaryOp::add) assignment = " += ";
      if (binary->op == ir::BinaryOp::sub) assignment = " -= ";
      if (binary->op == ir::BinaryOp::mul) assignment = " *= ";
      if (assignment.size() > 3) value = binary->b;
    }
  }
  roots.push_back(value);
  const List<CText> texts = CExpressionPrinter(*this).print(roots);
  const auto rank = static_cast<std::ptrdiff_t>(store.indices.size());
  const CText place =
      CExpressionPrinter::offset(store.buffer, {texts.begin(), texts.begin() + rank},
                                 {texts.begin() + rank, texts.begin() + rank + static_cast<std::ptrdiff_t>(layout.size())});
  std::string text = name_of(store.buffer.node(), store.buffer->name) + "[" + place.text + "]" + std::string(assignment) +
                     texts.back().text + ";";
  if (store.predicate.defined()) text = "if (" + texts[texts.size() - 2].text + ") " + text;
  line(text);
}

/// The place is computed as a number: as a pointer it would have to lie within the buffer.
LATHE_INLINE void CLikePrinter::prefetch(const ir::Prefetch &prefetch) {
  const ir::Buffer &buffer = prefetch.buffer;
  List<ir::Expr> roots = prefetch.indices;
  const List<ir::Expr> layout = CExpressionPrinter::layout_of(buffer);
  roots.insert(roots.end(), layout.begin(), layout.end());
  const List<CText> texts = CExpressionPrinter(*this).print(roots);
  const auto rank = static_cast<std::ptrdiff_t>(prefetch.indices.size());
  const CText place =
      CExpressionPrinter::offset(buffer, {texts.begin(), texts.begin() + rank}, {texts.begin() + rank, texts.end()});
  line(library_.use("prefetch", scalar_types::uint64) + "(" + name_of(buffer.node(), buffer->name) + ", " +
       std::to_string(buffer->type.bytes()) + " * (uint64_t)(" + place.text + "));");
}

LATHE_INLINE void CLikePrinter::branch(const ir::If &branch) {
  const arith::Facts outside = facts_;
  open("if (" + expression(branch.condition) + ")");
  facts_.assume(branch.condition);
  statement(branch.then_body);
  facts_ = outside;
  if (branch.else_body.defined()) {
    body_.names.close();
    --body_.indent;
    open("} else");
    statement(branch.else_body);
  }
  close();
}

LATHE_INLINE void CLikePrinter::bind(const ir::Bind &bind) {
  const std::string value = expression(bind.value);
  const arith::Facts outside = facts_;
  bool calls = false;  // for an effect, which must happen even if nobody uses the result
  ir::walk(bind.value, [&](const ir::Expr &e) {
    const auto *call = e.as<ir::Call>();
    calls |= call && !call->function.pure;
  });
  if (bind.var.type().is_index() && ir::is_pure_scalar(bind.value)) facts_.bind(bind.var, bind.value, 1);
  declared(
      bind.var.node(), bind.var.name(),
      [&](const std::string &name) { return "const " + value_type(bind.var.type()) + " " + name + " = " + value + ";"; },
      [&] {
        statement(bind.body);
        if (calls && !body_.used.contains(bind.var.node())) line("(void)" + name_of(bind.var.node(), bind.var.name()) + ";");
      });
  facts_ = outside;
}

}  // namespace lathe::inline LATHE_ABI::codegen
