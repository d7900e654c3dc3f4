// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "equivalence/program.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "equivalence/random.hpp"
#include "lathe/ir/evaluate.hpp"

namespace equivalence {

using lathe::Kind;

void for_each_term(const TermRef &root, const std::function<void(const TermRef &)> &visit) {
  std::unordered_set<const Term *> seen;
  const std::function<void(const TermRef &)> walk = [&](const TermRef &term) {
    if (!seen.insert(term.get()).second) return;
    for (const TermRef &operand : term->operands) walk(operand);
    visit(term);
  };
  if (root) walk(root);
}

void for_each_root(const TensorNode &tensor, const std::function<void(const TermRef &)> &visit) {
  if (tensor.kind != TensorKind::computed) return;
  visit(tensor.body);
  if (!tensor.reduction) return;
  for (const ReductionAxis &axis : tensor.reduction->axes) visit(axis.min), visit(axis.extent);
  if (tensor.reduction->where) visit(tensor.reduction->where);
  if (tensor.reduction->init) visit(tensor.reduction->init);
}

std::vector<bool> Program::needed() const {
  std::vector<bool> result(tensors.size());
  for (std::size_t t = tensors.size(); t-- > 0;) {
    if (tensors[t].output) result[t] = true;
    if (!result[t]) continue;
    for_each_root(tensors[t], [&](const TermRef &root) {
      for_each_term(root, [&](const TermRef &term) {
        if (term->kind == TermKind::read) result[static_cast<std::size_t>(term->number)] = true;
      });
    });
  }
  return result;
}

std::vector<bool> Program::size_arguments(const std::vector<bool> &need) const {
  std::vector<bool> used(sizes.size()), bound(sizes.size());
  const auto use = [&](const Extent &extent) {
    if (extent.size >= 0) used[static_cast<std::size_t>(extent.size)] = true;
  };
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    if (!need[t]) continue;
    const bool argument = tensors[t].kind == TensorKind::input || tensors[t].output;
    for (const Extent &extent : tensors[t].shape) {
      use(extent);
      if (argument && extent.size >= 0 && extent.factor == 1 && extent.offset == 0)
        bound[static_cast<std::size_t>(extent.size)] = true;
    }
    for_each_root(tensors[t], [&](const TermRef &root) {
      for_each_term(root, [&](const TermRef &term) {
        if (term->kind == TermKind::extent) use(term->extent);
      });
    });
  }
  std::vector<bool> result(sizes.size());
  for (std::size_t s = 0; s < sizes.size(); ++s) result[s] = sizes[s].symbolic && used[s] && (sizes_are_arguments || !bound[s]);
  return result;
}

// ---- building -----------------------------------------------------------------------------------------------------------------

namespace {

class Builder {
 public:
  explicit Builder(const Program &program) : program_(program) {}

  Built run() {
    for (const Size &size : program_.sizes) built_.sizes.push_back(size.symbolic ? lathe::size_var(size.name).var() : ir::Var());
    for (const ScalarNode &scalar : program_.scalars) built_.scalars.push_back(ir::Var(scalar.name, scalar.type));
    std::vector<bool> need = program_.needed();
    for (std::size_t t = 0; t < program_.tensors.size(); ++t)
      built_.tensors.push_back(need[t] ? tensor(program_.tensors[t]) : ir::Tensor());
    // Folding may have dropped reads.
    std::vector<ir::Operation> outputs;
    for (std::size_t t = 0; t < program_.tensors.size(); ++t)
      if (program_.tensors[t].output) outputs.push_back(built_.tensors[t].operation);
    const lathe::List<ir::Operation> left = ir::post_order(outputs);
    for (std::size_t t = 0; t < program_.tensors.size(); ++t)
      need[t] = need[t] && std::find(left.begin(), left.end(), built_.tensors[t].operation) != left.end();
    arguments(need);
    return std::move(built_);
  }

 private:
  void arguments(const std::vector<bool> &need) {
    using Kind = Built::Source::Kind;
    const std::vector<bool> explicit_sizes = program_.size_arguments(need);
    for (std::size_t s = 0; s < program_.sizes.size(); ++s)
      if (explicit_sizes[s]) {
        built_.arguments.emplace_back(lathe::SizeVar(built_.sizes[s]));
        built_.sources.push_back({Kind::size, static_cast<int>(s)});
      }
    for (std::size_t s = 0; s < program_.scalars.size(); ++s) {
      built_.arguments.emplace_back(lathe::ScalarArgument<float>(built_.scalars[s]));
      built_.sources.push_back({Kind::scalar, static_cast<int>(s)});
    }
    for (std::size_t t = 0; t < program_.tensors.size(); ++t) {
      const TensorNode &tensor = program_.tensors[t];
      if (!need[t] || tensor.kind == TensorKind::constant || (tensor.kind == TensorKind::computed && !tensor.output)) continue;
      (tensor.output ? built_.outputs : built_.inputs).push_back(static_cast<int>(t));
      built_.arguments.emplace_back(lathe::AnyTensor(built_.tensors[t]));
      built_.sources.push_back({Kind::tensor, static_cast<int>(t)});
    }
  }

  ir::Expr extent(const Extent &e) const {
    if (e.size < 0) return e.offset;
    const Size &size = program_.sizes[static_cast<std::size_t>(e.size)];
    if (!size.symbolic) return program_.value(e);
    return ir::Expr(built_.sizes[static_cast<std::size_t>(e.size)]) * ir::Expr(e.factor) + ir::Expr(e.offset);
  }

  std::vector<lathe::Dim> dims(const TensorNode &tensor) const {
    std::vector<lathe::Dim> result;
    for (const Extent &e : tensor.shape) result.emplace_back(lathe::Index(extent(e)));
    return result;
  }

  ir::Tensor tensor(const TensorNode &node) {
    const std::vector<lathe::Dim> shape = dims(node);
    const int rank = static_cast<int>(shape.size());
    if (node.kind == TensorKind::input) return lathe::typing::placeholder(node.type, shape.data(), rank, node.name, {});
    if (node.kind == TensorKind::constant) {
      const std::vector<std::uint64_t> bits = elements_of(program_, node);
      std::vector<std::byte> bytes(bits.size() * static_cast<std::size_t>(node.type.bytes()) + 1);
      for (std::size_t i = 0; i < bits.size(); ++i)
        ir::store_element(node.type, bytes.data() + i * static_cast<std::size_t>(node.type.bytes()), bits[i]);
      const std::vector<std::int64_t> extents = program_.shape(node);
      return lathe::typing::constant(node.type, bytes.data(), extents.data(), nullptr, rank, node.name, {});
    }
    struct Call {
      Builder *builder;
      const TensorNode *node;
    } call{this, &node};
    return lathe::typing::compute(node.type, shape.data(), rank,
                                  {&call,
                                   [](void *body, const ir::Expr *axes) {
                                     return static_cast<Call *>(body)->builder->body(*static_cast<Call *>(body)->node, axes);
                                   }},
                                  node.name, {});
  }

  ir::Expr body(const TensorNode &node, const ir::Expr *axes) {
    axes_.assign(axes, axes + node.shape.size());
    reduction_.clear();
    terms_.clear();
    if (!node.reduction) return term(node.body);
    std::vector<ir::Axis> list;
    for (const ReductionAxis &axis : node.reduction->axes) {
      const ir::Axis made{ir::Var("k" + std::to_string(list.size()), lathe::scalar_types::index), term(axis.min),
                          term(axis.extent)};
      list.push_back(made);
      reduction_.push_back(made.var);
    }
    std::vector<const ir::Axis *> pointers;
    for (const ir::Axis &axis : list) pointers.push_back(&axis);
    const ir::Reducer reducer = lathe::typing::reducer(node.reduction->combine, node.type);
    ir::Expr result = lathe::typing::reduce(reducer, term(node.body), pointers.data(), static_cast<int>(pointers.size()));
    if (node.reduction->where) result = lathe::typing::with_where(result, term(node.reduction->where));
    if (node.reduction->init) result = lathe::typing::with_init(result, term(node.reduction->init));
    return result;
  }

  ir::Expr term(const TermRef &ref) {
    if (const auto known = terms_.find(ref.get()); known != terms_.end()) return known->second;
    std::vector<ir::Expr> operands;
    for (const TermRef &operand : ref->operands) operands.push_back(term(operand));
    ir::Expr result = make(*ref, operands);
    terms_.emplace(ref.get(), result);
    return result;
  }

  ir::Expr make(const Term &t, const std::vector<ir::Expr> &operands) const {
    switch (t.kind) {
      case TermKind::constant: return ir::constant_bits(t.type, t.bits);
      case TermKind::scalar: return built_.scalars[static_cast<std::size_t>(t.number)];
      case TermKind::axis:
        return t.number >= reduction_axes_from ? ir::Expr(reduction_[static_cast<std::size_t>(t.number - reduction_axes_from)])
                                               : axes_[static_cast<std::size_t>(t.number)];
      case TermKind::extent: return extent(t.extent);
      case TermKind::read: return ir::read(built_.tensors[static_cast<std::size_t>(t.number)], operands);
      case TermKind::unary: return ir::unary(t.unary, operands[0]);
      case TermKind::binary: return ir::binary(t.binary, operands[0], operands[1]);
      case TermKind::fma: return ir::mul_add(operands[0], operands[1], operands[2]);
      case TermKind::select: return ir::select(operands[0], operands[1], operands[2], false);
      case TermKind::if_then_else: return ir::select(operands[0], operands[1], operands[2], true);
      case TermKind::cast: return ir::cast(t.type, operands[0]);
      case TermKind::saturate_cast: return ir::cast(t.type, operands[0], ir::CastMode::saturate);
      case TermKind::reinterpret: return ir::cast(t.type, operands[0], ir::CastMode::reinterpret);
    }
    return {};
  }

  const Program &program_;
  Built built_;
  std::vector<ir::Expr> axes_;
  std::vector<ir::Var> reduction_;
  std::unordered_map<const Term *, ir::Expr> terms_;
};

// ---- data ---------------------------------------------------------------------------------------------------------------------

/// The n-th of a cycle of small distinct values.
std::uint64_t small_element(DType type, std::uint64_t n) {
  if (type.is_bool()) return mix(n) & 1;
  if (type.is_float()) {
    const std::int64_t cycle = type.bits() == 16 ? 31 : 251;
    const auto step = static_cast<std::int64_t>(n * 7 % static_cast<std::uint64_t>(cycle)) - cycle / 2;
    return ir::from_double(type, static_cast<double>(step) * (type.bits() == 16 ? 1.0 : 0.5));
  }
  const std::int64_t value = static_cast<std::int64_t>(n * 5 % 241) - (type.is_unsigned() ? 0 : 120);
  return ir::from_integer(type, value);
}

std::uint64_t wild_element(DType type, std::uint64_t n) {
  const std::uint64_t hash = mix(n * 0x9e3779b97f4a7c15u);
  if (type.is_bool()) return hash & 1;
  if (!type.is_float()) return ir::from_integer(type, static_cast<std::int64_t>(hash >> (n % 3 == 0 ? type.bits() / 2 : 0)));
  const double specials[] = {0.0, -0.0, 1.0, -1.0, 0.5, 1e30, -1e30, 65504.0, 1e-40, -1e-7, 3.0, 1e308};
  switch (hash % 6) {
    case 0: return ir::from_double(type, specials[(hash >> 8) % std::size(specials)]);
    case 1: {
      const std::uint64_t infinity = ((std::uint64_t{1} << type.scalar().exponent_bits) - 1) << type.scalar().mantissa_bits;
      const std::uint64_t quiet = infinity | std::uint64_t{1} << (type.scalar().mantissa_bits - 1);
      return (hash >> 8) % 3 == 0 ? quiet : (hash >> 8) % 3 == 1 ? infinity : infinity | std::uint64_t{1} << (type.bits() - 1);
    }
    default: return ir::from_double(type, (static_cast<double>(hash >> 40) / 4096.0 - 2048.0) / (n % 2 ? 1.0 : 512.0));
  }
}

}  // namespace

Built build(const Program &program) { return Builder(program).run(); }

std::vector<std::uint64_t> elements_of(const Program &program, const TensorNode &tensor) {
  std::int64_t count = 1;
  for (const std::int64_t extent : program.shape(tensor)) count *= extent;
  std::vector<std::uint64_t> result;
  std::uint64_t offset = program.data_seed;
  for (const char c : tensor.name) offset = mix(offset + static_cast<unsigned char>(c));
  offset >>= 24;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t n = offset + static_cast<std::uint64_t>(i);
    switch (tensor.fill) {
      case Fill::small: result.push_back(small_element(tensor.type, n)); break;
      case Fill::wild: result.push_back(wild_element(tensor.type, n)); break;
      case Fill::ids:
        result.push_back(ir::from_integer(tensor.type, static_cast<std::int64_t>(n * 5 % 13) - (tensor.type.is_unsigned() ? 0
                                                                                                : n % 7 == 0              ? 3
                                                                                                                          : 0)));
        break;
    }
  }
  return result;
}

}  // namespace equivalence
