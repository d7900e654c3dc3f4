// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "equivalence/terms.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "lathe/ir/evaluate.hpp"

namespace equivalence::terms {

namespace {

const DType index_type = lathe::scalar_types::index;

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

TermRef finish(Term term) { return std::make_shared<const Term>(std::move(term)); }

Term indexed(ir::BinaryOp op, TermRef a, TermRef b) {
  Term term;
  term.kind = TermKind::binary;
  term.type = index_type;
  term.binary = op;
  term.operands = {std::move(a), std::move(b)};
  return term;
}

/// Says what is known of a float, if it is exact in its type.
void set_exact(Term &term, int magnitude, int fraction) {
  if (!term.type.is_float() || magnitude < 0 || !fits(term.type, magnitude, fraction)) return;
  term.magnitude = magnitude;
  term.fraction = fraction;
}

}  // namespace

int digits(DType type) { return type.scalar().mantissa_bits + 1; }

bool fits(DType type, int magnitude, int fraction) {
  return magnitude >= 0 && magnitude + fraction <= digits(type) && fraction <= 12 &&
         magnitude < (type == DType(lathe::scalar_types::float16) ? 15 : 100);
}

TermRef index(std::int64_t value) {
  Term term;
  term.type = index_type;
  term.bits = static_cast<std::uint64_t>(value);
  term.low = term.high = value;
  return finish(std::move(term));
}

TermRef axis(int number, std::int64_t low, std::int64_t high) {
  Term term;
  term.kind = TermKind::axis;
  term.type = index_type;
  term.number = number;
  term.low = low;
  term.high = std::max(low, high);
  return finish(std::move(term));
}

TermRef extent(const Program &program, const Extent &extent) {
  Term term;
  term.kind = TermKind::extent;
  term.type = index_type;
  term.extent = extent;
  term.low = term.high = program.value(extent);
  return finish(std::move(term));
}

TermRef add(TermRef a, TermRef b) {
  Term term = indexed(ir::BinaryOp::add, a, b);
  term.low = a->low + b->low;
  term.high = a->high + b->high;
  return finish(std::move(term));
}

TermRef sub(TermRef a, TermRef b) {
  Term term = indexed(ir::BinaryOp::sub, a, b);
  term.low = a->low - b->high;
  term.high = a->high - b->low;
  return finish(std::move(term));
}

TermRef mul(TermRef a, std::int64_t factor) {
  Term term = indexed(ir::BinaryOp::mul, a, index(factor));
  term.low = std::min(a->low * factor, a->high * factor);
  term.high = std::max(a->low * factor, a->high * factor);
  return finish(std::move(term));
}

TermRef div(TermRef a, std::int64_t divisor) {
  Term term = indexed(ir::BinaryOp::div, a, index(divisor));
  term.low = floor_div(a->low, divisor);
  term.high = floor_div(a->high, divisor);
  return finish(std::move(term));
}

TermRef mod(TermRef a, TermRef divisor) {
  Term term = indexed(ir::BinaryOp::mod, a, divisor);
  term.low = 0;
  term.high = std::max<std::int64_t>(divisor->high - 1, 0);
  if (a->low >= 0 && a->high < divisor->low) term.low = a->low, term.high = a->high;
  return finish(std::move(term));
}

TermRef min(TermRef a, TermRef b) {
  Term term = indexed(ir::BinaryOp::min, a, b);
  term.low = std::min(a->low, b->low);
  term.high = std::min(a->high, b->high);
  return finish(std::move(term));
}

TermRef max(TermRef a, TermRef b) {
  Term term = indexed(ir::BinaryOp::max, a, b);
  term.low = std::max(a->low, b->low);
  term.high = std::max(a->high, b->high);
  return finish(std::move(term));
}

TermRef clamped(TermRef data, TermRef last) {
  Term term;
  term.kind = TermKind::cast;
  term.type = index_type;
  term.low = std::int64_t{1} << 62;
  term.low = -term.low;
  term.high = -term.low;
  term.operands = {std::move(data)};
  return min(max(finish(std::move(term)), index(0)), std::move(last));
}

TermRef constant(DType type, std::uint64_t bits) {
  Term term;
  term.type = type;
  term.bits = bits;
  if (type.is_float()) {
    const double value = ir::to_double(type, bits);
    if (std::fabs(value) < 64 && value * 4 == std::floor(value * 4)) set_exact(term, 6, 2);
  }
  return finish(std::move(term));
}

TermRef number(DType type, double value) { return constant(type, ir::from_double(type, value)); }

TermRef read(const Program &program, int tensor, std::vector<TermRef> indices) {
  const TensorNode &node = program.tensors[static_cast<std::size_t>(tensor)];
  Term term;
  term.kind = TermKind::read;
  term.type = node.type;
  term.number = tensor;
  term.operands = std::move(indices);
  set_exact(term, node.magnitude, node.fraction);
  return finish(std::move(term));
}

TermRef scalar(const Program &program, int scalar) {
  Term term;
  term.kind = TermKind::scalar;
  term.type = program.scalars[static_cast<std::size_t>(scalar)].type;
  term.number = scalar;
  return finish(std::move(term));
}

TermRef unary(ir::UnaryOp op, TermRef a) {
  Term term;
  term.kind = TermKind::unary;
  term.type = ir::gives_bool(op) ? DType(lathe::scalar_types::boolean) : a->type;
  term.unary = op;
  switch (op) {
    case ir::UnaryOp::neg:
    case ir::UnaryOp::abs: set_exact(term, a->magnitude, a->fraction); break;
    case ir::UnaryOp::sign: set_exact(term, a->magnitude < 0 ? -1 : 1, 0); break;
    case ir::UnaryOp::floor:
    case ir::UnaryOp::ceil:
    case ir::UnaryOp::round:
    case ir::UnaryOp::trunc: set_exact(term, a->magnitude < 0 ? -1 : a->magnitude + 1, 0); break;
    default: break;
  }
  term.operands = {std::move(a)};
  return finish(std::move(term));
}

TermRef binary(ir::BinaryOp op, TermRef a, TermRef b) {
  Term term;
  term.kind = TermKind::binary;
  term.type = ir::gives_bool(op) ? DType(lathe::scalar_types::boolean) : a->type;
  term.binary = op;
  if (a->magnitude >= 0 && b->magnitude >= 0) {
    const int fraction = std::max(a->fraction, b->fraction), magnitude = std::max(a->magnitude, b->magnitude);
    switch (op) {
      case ir::BinaryOp::add:
      case ir::BinaryOp::sub: set_exact(term, magnitude + 1, fraction); break;
      case ir::BinaryOp::mul: set_exact(term, a->magnitude + b->magnitude, a->fraction + b->fraction); break;
      case ir::BinaryOp::min:
      case ir::BinaryOp::max: set_exact(term, magnitude, fraction); break;
      default: break;
    }
  }
  term.operands = {std::move(a), std::move(b)};
  return finish(std::move(term));
}

TermRef fma(TermRef a, TermRef b, TermRef c) {
  Term term;
  term.kind = TermKind::fma;
  term.type = a->type;
  if (a->magnitude >= 0 && b->magnitude >= 0 && c->magnitude >= 0)
    set_exact(term, std::max(a->magnitude + b->magnitude, c->magnitude) + 1, std::max(a->fraction + b->fraction, c->fraction));
  term.operands = {std::move(a), std::move(b), std::move(c)};
  return finish(std::move(term));
}

TermRef choose(TermKind kind, TermRef condition, TermRef a, TermRef b) {
  Term term;
  term.kind = kind;
  term.type = a->type;
  term.low = std::min(a->low, b->low);
  term.high = std::max(a->high, b->high);
  if (a->magnitude >= 0 && b->magnitude >= 0)
    set_exact(term, std::max(a->magnitude, b->magnitude), std::max(a->fraction, b->fraction));
  term.operands = {std::move(condition), std::move(a), std::move(b)};
  return finish(std::move(term));
}

TermRef cast(TermKind kind, DType type, TermRef a) {
  Term term;
  term.kind = kind;
  term.type = type;
  const DType from = a->type;
  if (kind != TermKind::reinterpret) {
    if (from.is_float())
      set_exact(term, a->magnitude, a->fraction);
    else if (from.is_index())
      set_exact(term, std::max(std::abs(a->low), std::abs(a->high)) < 128 ? 7 : -1, 0);
    else if (from.is_bool() || from.bits() <= 16)
      set_exact(term, from.bits(), 0);
  }
  term.operands = {std::move(a)};
  return finish(std::move(term));
}

// ---- knowledge ----------------------------------------------------------------------------------------------------------------

namespace {

bool is_index_binary(const Term &term) {
  return term.kind == TermKind::binary && term.operands[0]->type.is_index() && term.type.is_index();
}

TermRef rebuild_index(const Term &term, std::vector<TermRef> operands) {
  switch (term.binary) {
    case ir::BinaryOp::add: return add(operands[0], operands[1]);
    case ir::BinaryOp::sub: return sub(operands[0], operands[1]);
    case ir::BinaryOp::mul: return mul(operands[0], operands[1]->low);
    case ir::BinaryOp::div: return div(operands[0], operands[1]->low);
    case ir::BinaryOp::mod: return mod(operands[0], operands[1]);
    case ir::BinaryOp::min: return min(operands[0], operands[1]);
    default: return max(operands[0], operands[1]);
  }
}

}  // namespace

TermRef rebuild(const Program &program, const Term &term, std::vector<TermRef> operands) {
  switch (term.kind) {
    case TermKind::extent: return extent(program, term.extent);
    case TermKind::read: return read(program, term.number, std::move(operands));
    case TermKind::unary: return unary(term.unary, operands[0]);
    case TermKind::binary:
      return is_index_binary(term) ? rebuild_index(term, std::move(operands)) : binary(term.binary, operands[0], operands[1]);
    case TermKind::fma: return fma(operands[0], operands[1], operands[2]);
    case TermKind::select:
    case TermKind::if_then_else: return choose(term.kind, operands[0], operands[1], operands[2]);
    case TermKind::cast:
    case TermKind::saturate_cast:
    case TermKind::reinterpret: {
      TermRef made = cast(term.kind, term.type, operands[0]);
      if (!term.type.is_index()) return made;
      Term copy = *made;
      copy.low = term.low, copy.high = term.high;
      return finish(std::move(copy));
    }
    case TermKind::constant:
    case TermKind::scalar:
    case TermKind::axis: break;
  }
  return finish(term);
}

TermRef rewrite(const Program &program, const TermRef &root, const std::function<TermRef(const TermRef &)> &change) {
  if (!root) return root;
  std::unordered_map<const Term *, TermRef> done;
  const std::function<TermRef(const TermRef &)> walk = [&](const TermRef &term) -> TermRef {
    if (const auto known = done.find(term.get()); known != done.end()) return known->second;
    std::vector<TermRef> operands;
    for (const TermRef &operand : term->operands) operands.push_back(walk(operand));
    TermRef result = change(rebuild(program, *term, std::move(operands)));
    done.emplace(term.get(), result);
    return result;
  };
  return walk(root);
}

void know(TensorNode &tensor) {
  tensor.magnitude = -1;
  tensor.fraction = 0;
  tensor.ordered = false;
  if (!tensor.type.is_float()) return;
  const auto set = [&](int magnitude, int fraction) {
    if (!fits(tensor.type, magnitude, fraction)) return;
    tensor.magnitude = magnitude;
    tensor.fraction = fraction;
  };
  if (tensor.kind != TensorKind::computed) {
    if (tensor.fill == Fill::small) tensor.type.bits() == 16 ? set(4, 0) : set(7, 1);
    return;
  }
  const Term &body = *tensor.body;
  if (!tensor.reduction) return set(body.magnitude, body.fraction);
  using lathe::typing::Combine;
  const ReductionTerm &reduction = *tensor.reduction;
  std::int64_t count = 1, least = 1;
  for (const ReductionAxis &axis : reduction.axes) {
    count *= std::max<std::int64_t>(axis.extent->high, 0);
    least *= std::max<std::int64_t>(axis.extent->low, 0);
  }
  int magnitude = body.magnitude, fraction = body.fraction;
  if (magnitude < 0) count = 0;
  if (reduction.init) {
    magnitude = reduction.init->magnitude < 0 ? -1 : std::max(magnitude, reduction.init->magnitude);
    fraction = std::max(fraction, reduction.init->fraction);
  }
  switch (reduction.combine) {
    case Combine::sum:
      if (body.magnitude >= 0 && magnitude >= 0)
        set(magnitude + static_cast<int>(std::ceil(std::log2(static_cast<double>(count + 2)))), fraction);
      break;
    case Combine::prod:
      if (body.magnitude >= 0 && magnitude >= 0 && count < 32)
        set(std::max(magnitude, 1) * static_cast<int>(count + 1), fraction * static_cast<int>(count + 1));
      break;
    default:
      if (body.magnitude >= 0 && magnitude >= 0 && (reduction.init || (least > 0 && !reduction.where))) set(magnitude, fraction);
      return;
  }
  tensor.ordered = tensor.magnitude < 0;
}

void refresh(Program &program) {
  const auto same = [](const TermRef &term) { return term; };
  for (TensorNode &tensor : program.tensors) {
    if (tensor.kind == TensorKind::computed) {
      if (tensor.reduction)
        for (ReductionAxis &axis : tensor.reduction->axes)
          axis.min = rewrite(program, axis.min, same), axis.extent = rewrite(program, axis.extent, same);
      if (tensor.reduction) tensor.reduction->where = rewrite(program, tensor.reduction->where, same);
      if (tensor.reduction) tensor.reduction->init = rewrite(program, tensor.reduction->init, same);
      tensor.body = rewrite(program, tensor.body, same);
    }
    know(tensor);
  }
}

}  // namespace equivalence::terms
