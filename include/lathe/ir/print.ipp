// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Statements, operations and programs as text.

#include "lathe/ir/print_exprs.ipp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::ir {

namespace printing {

/// Writes indented lines. Names are unique within what one printer writes.
class Printer {
 public:
  Printer() = default;
  Printer(const Printer &) = delete;
  Printer &operator=(const Printer &) = delete;

  /// The text so far, without the final newline.
  std::string take() {
    if (!text_.empty()) text_.pop_back();
    return std::move(text_);
  }

  void expression(const Expr &e) {
    exprs_.begin({e});
    line(exprs_(e));
  }

  /// `last`: nothing follows in the block around it, so that what holds "from here on" needs no indentation.
  void statement(const Stmt &s, bool last = true) {
    if (!s.defined()) return line("none");
    switch (s.node()->kind()) {
      case StmtKind::loop: return loop(*s.as<For>());
      case StmtKind::block: return sequence(*s.as<Block>(), last);
      case StmtKind::store: return store(*s.as<Store>());
      case StmtKind::allocate: {
        const Allocate &a = *s.as<Allocate>();
        List<std::string> heads;
        for (const Buffer &b : a.buffers) heads.push_back(composed({"allocate ", names_.of(b), ": ", memory(b)}));
        return scoped(heads, a.body, last);
      }
      case StmtKind::branch: return branch(*s.as<If>());
      case StmtKind::bind: {
        const Bind &b = *s.as<Bind>();
        exprs_.begin({b.value});
        const std::string value = exprs_(b.value);
        return scoped({composed({"let ", names_.of(b.var), " = ", value})}, b.body, last);
      }
      case StmtKind::check: {
        const Check &c = *s.as<Check>();
        exprs_.begin({c.condition});
        return line({"check ", exprs_(c.condition), ", \"", c.message, "\""});
      }
      case StmtKind::evaluate: return expression(s.as<Evaluate>()->value);
      case StmtKind::prefetch: {
        const Prefetch &p = *s.as<Prefetch>();
        exprs_.begin(p.indices);
        return line({"prefetch ", names_.of(p.buffer), "[", exprs_.access(p.indices, {}), "]"});
      }
    }
  }

  void operation(const Operation &operation) {
    const OperationNode &o = *operation;
    std::string head = o.kind == OperationKind::placeholder ? "placeholder "
                       : o.kind == OperationKind::constant  ? "constant "
                                                            : "compute ";
    head += names_.of(operation) + ": ";
    for (std::size_t i = 0; i < o.types.size(); ++i) head += (i ? ", " : "") + lathe::to_string(o.types[i]);
    line({head, "[", extents(o.shape), "]", promise(o.memory.strides, o.memory.alignment)});
    ++indent_;
    for (std::size_t i = 0; i < o.bodies.size(); ++i) {
      std::string left = composed({names_.of(operation), o.bodies.size() > 1 ? "." + std::to_string(i) : "", "("});
      for (std::size_t d = 0; d < o.axes.size(); ++d) left += (d ? ", " : "") + names_.of(o.axes[d]);
      exprs_.begin({o.bodies[i]});
      const std::string value = exprs_(o.bodies[i]);
      line({left, ") = ", value});
    }
    --indent_;
  }

  void program(const Program &program) {
    for (const Function &f : program.functions) {
      std::string head = composed({"function ", f.name, "("});
      for (std::size_t i = 0; i < f.parameters.size(); ++i) head += (i ? ", " : "") + parameter(f.parameters[i]);
      line({head, "):"});
      ++indent_;
      if (&f == &program.functions.front()) preconditions(program);
      statement(f.body);
      --indent_;
    }
  }

 private:
  void line(const Phrase &text) {
    text_.append(static_cast<std::size_t>(2 * indent_), ' ');
    text.append_to(text_);
    text_ += '\n';
  }

  void nested(const Stmt &body) {
    ++indent_;
    statement(body);
    --indent_;
  }

  void scoped(const List<std::string> &heads, const Stmt &body, bool last) {
    for (const std::string &head : heads) line(last || &head != &heads.back() ? head : head + ":");
    if (last) return statement(body, last);
    nested(body);
  }

  void loop(const For &f) {
    static constexpr const char *words[] = {"for ", "parallel ", "vectorized ", "unrolled "};
    exprs_.begin({f.min, f.extent});
    const std::string range = exprs_.range(f.min, f.extent);
    line({words[static_cast<std::size_t>(f.kind)], names_.of(f.var), " in ", range, ":"});
    nested(f.body);
  }

  void sequence(const Block &b, bool last) {
    if (!b.label.empty()) line({"# ", b.label});
    if (b.body.empty()) return line("pass");
    for (std::size_t i = 0; i < b.body.size(); ++i) statement(b.body[i], last && i + 1 == b.body.size());
  }

  void store(const Store &s) {
    List<Expr> parts = s.indices;
    parts.push_back(s.value);
    parts.push_back(s.predicate);
    exprs_.begin(parts);
    const std::string place = composed({names_.of(s.buffer), "[", exprs_.access(s.indices, s.predicate), "]"});
    const std::string value = exprs_(s.value);
    line({place, " = ", value});
  }

  void branch(const If &i) {
    exprs_.begin({i.condition});
    const std::string condition = exprs_(i.condition);
    line({"if ", condition, ":"});
    nested(i.then_body);
    if (!i.else_body.defined()) return;
    line("else:");
    nested(i.else_body);
  }

  std::string extents(const List<Expr> &shape) {
    exprs_.begin(shape);
    return exprs_.list(shape);
  }

  std::string promise(const List<Expr> &strides, int alignment) {
    std::string text;
    if (!strides.empty()) text += composed({", strides [", extents(strides), "]"});
    if (alignment > 0) text += ", aligned " + std::to_string(alignment);
    return text;
  }

  /// float32[4, 16] in local
  std::string memory(const Buffer &b) {
    std::string text = composed({lathe::to_string(b->type), "[", extents(b->shape), "]"});
    if (!b->scope.name.empty()) text += " in " + b->scope.name;
    return text + promise(b->strides, b->alignment) + (b->streamed ? ", streamed" : "") + (b->shared ? ", shared" : "");
  }

  std::string parameter(const Parameter &p) {
    switch (p.kind) {
      case ParameterKind::input: return composed({names_.of(p.buffer), ": in ", memory(p.buffer)});
      case ParameterKind::output: return composed({names_.of(p.buffer), ": out ", memory(p.buffer)});
      case ParameterKind::constant: return composed({names_.of(p.buffer), ": constant ", memory(p.buffer)});
      case ParameterKind::scalar: return composed({names_.of(p.var), ": ", lathe::to_string(p.var.type())});
      case ParameterKind::function: return p.function.name + ": function";
    }
    return {};
  }

  void preconditions(const Program &program) {
    for (const Requirement &r : program.requirements) {
      exprs_.begin({r.condition});
      const std::string condition = exprs_(r.condition);
      line({"require ", condition, r.text.empty() ? "" : ", \"" + r.text + "\""});
    }
    if (program.scratch_bytes > 0) line({"scratch ", program.scratch_bytes, " bytes"});
  }

  /// Called with the definition of each named part, before the line that uses it.
  struct Define {
    Printer *printer;
    void operator()(const Phrase &text) const { printer->line(text); }
  };

  std::string text_;
  int indent_ = 0;
  Names names_;
  Define define_{this};
  ExprPrinter exprs_{names_, define_};
};

}  // namespace printing

LATHE_INLINE std::string to_string(const Expr &e) {
  if (!e.defined()) return "none";
  printing::Printer printer;
  printer.expression(e);
  return printer.take();
}

LATHE_INLINE std::string to_string(const Stmt &s) {
  if (!s.defined()) return "none";
  printing::Printer printer;
  printer.statement(s);
  return printer.take();
}

LATHE_INLINE std::string to_string(const Operation &operation) {
  printing::Printer printer;
  printer.operation(operation);
  return printer.take();
}

LATHE_INLINE std::string to_string(const Program &program) {
  printing::Printer printer;
  printer.program(program);
  return printer.take();
}

}  // namespace lathe::inline LATHE_ABI::ir
