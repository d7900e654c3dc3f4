// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "equivalence/print_cpp.hpp"

#include <cmath>
#include <cstdio>
#include <unordered_map>

#include "lathe/ir/evaluate.hpp"

namespace equivalence {

namespace {

std::string cpp_type(DType type) {
  if (type.is_index()) return "index_t";
  if (type.is_bool()) return "bool";
  if (type.is_float()) return type.bits() == 64 ? "double" : type.bits() == 32 ? "float" : std::string(type.scalar().name);
  return "std::" + std::string(type.scalar().name) + "_t";
}

std::string hex(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llxu", static_cast<unsigned long long>(value));
  return text;
}

std::uint64_t mask(DType type, std::uint64_t bits) {
  return type.bits() >= 64 ? bits : bits & ((std::uint64_t{1} << type.bits()) - 1);
}

std::string literal(DType type, std::uint64_t bits) {
  const std::string name = cpp_type(type), open = "Expr<" + name + ">(";
  if (type.is_index()) return "Index(" + std::to_string(static_cast<std::int64_t>(bits)) + ")";
  if (type.is_bool()) return open + (bits ? "true" : "false") + ")";
  if (type.is_float()) {
    const double value = ir::to_double(type, bits);
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", value);
    if (std::isfinite(value)) return open + text + (std::string(text).find_first_of(".e") == std::string::npos ? ".0" : "") + ")";
    return "reinterpret<" + name + ">(Expr<std::uint" + std::to_string(type.bits()) + "_t>(" + hex(mask(type, bits)) + "))";
  }
  if (type.bits() == 64) return open + name + "(" + hex(bits) + "))";
  return open + std::to_string(static_cast<std::int64_t>(bits)) + ")";
}

class Printer {
 public:
  explicit Printer(const Case &tested) : tested_(tested), program_(tested.program), need_(program_.needed()) {}

  std::string run(const Outcome &outcome) {
    out_ = "// seed " + std::to_string(tested_.seed) + ": " + outcome.kind + "\n";
    out_ +=
        "#include <array>\n#include <cstdio>\n#include <cstring>\n\n#include \"lathe/jit.hpp\"\n#include "
        "\"lathe/runtime/llvm_jit.hpp\"\nusing namespace lathe;\n\n";
    out_ +=
        "template <class T, int Rank>\n"
        "Array<T, Rank> from_bits(std::array<std::int64_t, static_cast<std::size_t>(Rank)> shape, "
        "std::initializer_list<std::uint64_t> bits) {\n"
        "  Array<T, Rank> array(shape);\n"
        "  T *to = array.data();\n"
        "  for (std::uint64_t element : bits) std::memcpy(static_cast<void *>(to++), &element, sizeof(T));\n"
        "  return array;\n"
        "}\n\n"
        "int main() {\n";
    for (const Size &size : program_.sizes)
      if (size.symbolic) line("SizeVar " + size.name + " = size_var(\"" + size.name + "\");  // " + std::to_string(size.value));
    for (const ScalarNode &scalar : program_.scalars)
      line("auto " + scalar.name + " = scalar<" + cpp_type(scalar.type) + ">(\"" + scalar.name + "\");");
    for (std::size_t t = 0; t < program_.tensors.size(); ++t)
      if (need_[t]) tensor(program_.tensors[t]);
    schedule();
    data();
    calls(outcome);
    out_ += "}\n";
    return std::move(out_);
  }

 private:
  void line(const std::string &text) { out_ += "  " + text + "\n"; }

  std::string extent(const Extent &e) const {
    if (e.size < 0 || !program_.sizes[static_cast<std::size_t>(e.size)].symbolic) return std::to_string(program_.value(e));
    std::string text = program_.sizes[static_cast<std::size_t>(e.size)].name;
    if (e.factor != 1) text += " * " + std::to_string(e.factor);
    if (e.offset != 0) text += (e.offset < 0 ? " - " : " + ") + std::to_string(std::abs(e.offset));
    return text;
  }
  std::string shape(const TensorNode &node) const {
    std::string text;
    for (const Extent &e : node.shape) text += (text.empty() ? "" : ", ") + extent(e);
    return node.shape.empty() ? "" : "{" + text + "}, ";
  }
  std::string bits(const TensorNode &node) const {
    std::string text, extents;
    for (const std::int64_t e : program_.shape(node)) extents += (extents.empty() ? "" : ", ") + std::to_string(e);
    for (const std::uint64_t element : elements_of(program_, node))
      text += (text.empty() ? "" : ", ") + hex(mask(node.type, element));
    return "from_bits<" + cpp_type(node.type) + ", " + std::to_string(node.shape.size()) + ">({" + extents + "}, {" + text + "})";
  }

  void tensor(const TensorNode &node) {
    const std::string type = cpp_type(node.type), name = ", \"" + node.name + "\"";
    if (node.kind == TensorKind::input)
      return line("auto " + node.name + " = placeholder<" + type + ">(" + shape(node) + "\"" + node.name + "\");");
    if (node.kind == TensorKind::constant) return line("auto " + node.name + " = constant(" + bits(node) + name + ");");
    std::string axes;
    for (std::size_t d = 0; d < node.shape.size(); ++d) axes += (d ? ", Index i" : "Index i") + std::to_string(d);
    line("auto " + node.name + " = compute(" + shape(node) + "[&](" + axes + ") {");
    body(node);
    line("}" + name + ");");
  }

  void body(const TensorNode &node) {
    uses_.clear();
    names_.clear();
    for_each_root(node, [&](const TermRef &root) {
      ++uses_[root.get()];
      std::vector<const Term *> seen;
      for_each_term(root, [&](const TermRef &term) {
        if (names_.emplace(term.get(), "").second)
          for (const TermRef &operand : term->operands) ++uses_[operand.get()];
      });
    });
    names_.clear();
    if (!node.reduction) return line("  return " + term(node.body) + ";");
    const ReductionTerm &reduction = *node.reduction;
    static const char *const combiners[] = {"sum", "prod", "min", "max", "any", "all"};
    std::string axes;
    for (std::size_t r = 0; r < reduction.axes.size(); ++r) {
      const std::string name = "k" + std::to_string(r);
      const std::string min = term(reduction.axes[r].min), length = term(reduction.axes[r].extent);
      line("  auto " + name + " = reduce_axis(" + min + ", " + length + ", \"" + name + "\");");
      axes += ", " + name;
    }
    const std::string where = reduction.where ? ".where(" + term(reduction.where) + ")" : "",
                      init = reduction.init ? ".init(" + term(reduction.init) + ")" : "";
    const std::string what = term(node.body);
    line(std::string("  return ") + combiners[static_cast<std::size_t>(reduction.combine)] + "(" + what + axes + ")" + where +
         init + ";");
  }

  /// The text of a term; terms used more than once become variables.
  std::string term(const TermRef &ref) {
    if (const auto named = names_.find(ref.get()); named != names_.end()) return named->second;
    std::string text = spelled(*ref);
    if (uses_[ref.get()] < 2 || ref->operands.empty()) return text;
    const std::string name = "v" + std::to_string(names_.size());
    line("  auto " + name + " = " + text + ";");
    names_.emplace(ref.get(), name);
    return name;
  }

  std::string spelled(const Term &t) {
    switch (t.kind) {
      case TermKind::constant: return literal(t.type, t.bits);
      case TermKind::scalar: return program_.scalars[static_cast<std::size_t>(t.number)].name;
      case TermKind::axis:
        return t.number >= reduction_axes_from ? "k" + std::to_string(t.number - reduction_axes_from)
                                               : "i" + std::to_string(t.number);
      case TermKind::extent: return "Index(" + extent(t.extent) + ")";
      case TermKind::read: return program_.tensors[static_cast<std::size_t>(t.number)].name + "(" + list(t) + ")";
      case TermKind::unary: return unary(t);
      case TermKind::binary: return binary(t);
      case TermKind::fma: return "fma(" + list(t) + ")";
      case TermKind::select: return "select(" + list(t) + ")";
      case TermKind::if_then_else: return "if_then_else(" + list(t) + ")";
      case TermKind::cast: return "cast<" + cpp_type(t.type) + ">(" + list(t) + ")";
      case TermKind::saturate_cast: return "saturate_cast<" + cpp_type(t.type) + ">(" + list(t) + ")";
      case TermKind::reinterpret: return "reinterpret<" + cpp_type(t.type) + ">(" + list(t) + ")";
    }
    return "?";
  }

  std::string list(const Term &t) {
    std::string text;
    for (const TermRef &operand : t.operands) text += (text.empty() ? "" : ", ") + term(operand);
    return text;
  }

  std::string unary(const Term &t) {
    const std::string inner = "(" + term(t.operands[0]) + ")";
    switch (t.unary) {
      case ir::UnaryOp::neg: return "(-" + inner + ")";
      case ir::UnaryOp::bit_not: return "(~" + inner + ")";
      case ir::UnaryOp::logical_not: return "(!" + inner + ")";
      case ir::UnaryOp::is_nan: return "isnan" + inner;
      case ir::UnaryOp::is_inf: return "isinf" + inner;
      case ir::UnaryOp::is_finite: return "isfinite" + inner;
      default: return std::string(ir::info(t.unary).name) + inner;
    }
  }

  std::string binary(const Term &t) {
    const std::string a = term(t.operands[0]), b = term(t.operands[1]);
    static const std::pair<ir::BinaryOp, const char *> symbols[] = {
        {ir::BinaryOp::add, "+"},         {ir::BinaryOp::sub, "-"},     {ir::BinaryOp::mul, "*"},
        {ir::BinaryOp::div, "/"},         {ir::BinaryOp::mod, "%"},     {ir::BinaryOp::eq, "=="},
        {ir::BinaryOp::ne, "!="},         {ir::BinaryOp::lt, "<"},      {ir::BinaryOp::le, "<="},
        {ir::BinaryOp::gt, ">"},          {ir::BinaryOp::ge, ">="},     {ir::BinaryOp::logical_and, "&&"},
        {ir::BinaryOp::logical_or, "||"}, {ir::BinaryOp::bit_and, "&"}, {ir::BinaryOp::bit_or, "|"},
        {ir::BinaryOp::bit_xor, "^"},     {ir::BinaryOp::shl, "<<"},    {ir::BinaryOp::shr, ">>"}};
    for (const auto &[op, symbol] : symbols)
      if (op == t.binary) return "(" + a + " " + symbol + " " + b + ")";
    return std::string(ir::info(t.binary).name) + "(" + a + ", " + b + ")";
  }

  // ---- schedule and calls -----------------------------------------------------------------------------------------------------

  void schedule() {
    const Built built = build(program_);
    std::string outputs;
    for (const int t : built.outputs)
      outputs += (outputs.empty() ? "" : ", ") + program_.tensors[static_cast<std::size_t>(t)].name;
    out_ += "\n";
    line("Schedule s(" + outputs + ");");
    lathe::Schedule s(built.output_tensors());
    replay_steps(s, program_, tested_.steps);
    if (s.steps().empty()) return;
    const std::string cpp = s.to_cpp();
    std::size_t at = cpp.find('\n') + 1;
    line("s.replay(R\"(");
    out_ += s.to_text();
    line(")\");");
    while (at < cpp.size()) {
      const std::size_t end = cpp.find('\n', at);
      line("// " + cpp.substr(at, end - at));
      at = end + 1;
    }
  }

  std::string scalar_value(const ScalarNode &scalar) const {
    if (!scalar.type.is_float()) return "static_cast<" + cpp_type(scalar.type) + ">(" + hex(mask(scalar.type, scalar.bits)) + ")";
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", ir::to_double(scalar.type, scalar.bits));
    return text;
  }

  void data() {
    out_ += "\n";
    for (std::size_t t = 0; t < program_.tensors.size(); ++t) {
      const TensorNode &node = program_.tensors[t];
      if (need_[t] && node.kind == TensorKind::input) line("auto " + node.name + "_data = " + bits(node) + ";");
      if (need_[t] && node.output)
        line("auto " + node.name + "_data = from_bits<" + cpp_type(node.type) + ", " + std::to_string(node.shape.size()) + ">({" +
             extents(node) + "}, {});");
    }
  }
  std::string extents(const TensorNode &node) const {
    std::string text;
    for (const std::int64_t e : program_.shape(node)) text += (text.empty() ? "" : ", ") + std::to_string(e);
    return text;
  }

  void calls(const Outcome &outcome) {
    const Built built = build(program_);
    std::string names, values, right_values, bindings;
    for (const Built::Source &source : built.sources) {
      const auto n = static_cast<std::size_t>(source.number);
      if (source.kind == Built::Source::Kind::tensor) {
        names += ", " + program_.tensors[n].name;
        values += ", " + program_.tensors[n].name + "_data";
        right_values += ", " + program_.tensors[n].name + (program_.tensors[n].output ? "_right" : "_data");
        if (!program_.tensors[n].output)
          bindings += ", {" + program_.tensors[n].name + ", " + program_.tensors[n].name + "_data}";
      } else if (source.kind == Built::Source::Kind::size) {
        names += ", " + program_.sizes[n].name;
        values += ", " + std::to_string(program_.sizes[n].value);
        right_values += ", " + std::to_string(program_.sizes[n].value);
      } else {
        names += ", " + program_.scalars[n].name;
        values += ", " + scalar_value(program_.scalars[n]);
        right_values += ", " + scalar_value(program_.scalars[n]);
        bindings += ", {" + program_.scalars[n].name + ", " + scalar_value(program_.scalars[n]) + "}";
      }
    }
    for (const Size &size : program_.sizes)
      if (size.symbolic) bindings += ", {" + size.name + ", " + std::to_string(size.value) + "}";
    const bool on_aarch64 = outcome.kind.starts_with("aarch64");
    const std::string back_end = outcome.kind.starts_with("interpreter") || on_aarch64 ? "interpret" : "jit";
    line(on_aarch64 ? std::string("Target target = Target::of(\"aarch64-unknown-linux-gnu\", \"") + aarch64_cpu(tested_) + "\");"
                    : levels::cpp_of(levels::all[static_cast<std::size_t>(tested_.target)]));
    line(std::string("Options options{.target = target, .numerics = {.contract = ") + (tested_.contract ? "true" : "false") +
         ", .library_math = " + (tested_.library_math ? "true" : "false") + "}};");
    const bool interpreter_is_right = outcome.kind.starts_with("jit");
    const auto whole = [](const std::string &list) { return list.substr(std::min<std::size_t>(2, list.size())); };
    if (outcome.kind.starts_with("c:")) line("std::puts(emit_c(s, options" + names + ").text.c_str());");
    if (on_aarch64) {
      line("const ObjectCode object = compile_object(emit_llvm(s, options" + names + "), target);  // to link and run there");
      line("std::FILE *file = std::fopen(\"case.o\", \"wb\");");
      line("std::fwrite(object.bytes.data(), 1, object.bytes.size(), file);");
      line("std::fclose(file);");
    }
    line("auto kernel = " + back_end + "(s, options" + names + ");");
    line("kernel(" + whole(values) + ");");
    if (interpreter_is_right) {
      for (const int t : built.outputs) {
        const std::string &name = program_.tensors[static_cast<std::size_t>(t)].name;
        line("auto " + name + "_right = " + name + "_data;");
      }
      line("interpret(s, options" + names + ")(" + whole(right_values) + ");");
    } else {
      line("const std::vector<Binding> bindings{" + whole(bindings) + "};");
    }
    for (const int t : built.outputs) {
      const TensorNode &node = program_.tensors[static_cast<std::size_t>(t)];
      if (!interpreter_is_right) line("auto " + node.name + "_right = evaluate(" + node.name + ", bindings);");
      line("for (std::int64_t e = 0; e < " + node.name + "_right.size(); ++e)");
      line("  if (std::memcmp(" + node.name + "_data.data() + e, " + node.name + "_right.data() + e, sizeof(" +
           cpp_type(node.type) + ")) != 0)");
      line("    std::printf(\"" + node.name + ": element %d differs\\n\", static_cast<int>(e));");
    }
  }

  const Case &tested_;
  const Program &program_;
  std::vector<bool> need_;
  std::string out_;
  std::unordered_map<const Term *, int> uses_;
  std::unordered_map<const Term *, std::string> names_;
};

}  // namespace

std::string to_cpp(const Case &tested, const Outcome &outcome) { return Printer(tested).run(outcome); }

}  // namespace equivalence
