// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "equivalence/generate.hpp"

#include <algorithm>
#include <cmath>

#include "equivalence/random.hpp"
#include "equivalence/terms.hpp"
#include "lathe/ir/evaluate.hpp"

namespace equivalence {

namespace {

namespace types = lathe::scalar_types;
using ir::BinaryOp;
using ir::UnaryOp;
using lathe::typing::Combine;

/// The most elements of a tensor, and the most steps of a stage's loops.
constexpr std::int64_t most_elements = 700, most_steps = 3000;

/// An index that an expression may use.
struct Variable {
  TermRef term;
  std::optional<Extent> extent;  ///< it runs over [0, extent)
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  Program run() {
    program_.data_seed = random_.next();
    program_.sizes_are_arguments = random_.percent(20);
    make_sizes();
    choose_types();
    const std::int64_t stages = random_.pick({2, 2, 3, 3, 3, 4, 4, 5, 6});
    for (std::int64_t s = 0; s < stages; ++s) make_stage("t" + std::to_string(s), s + 1 == stages);
    choose_outputs();
    return std::move(program_);
  }

 private:
  // ---- sizes and types --------------------------------------------------------------------------------------------------------

  void make_sizes() {
    const std::int64_t count = random_.between(2, 4);
    for (std::int64_t s = 0; s < count; ++s) {
      Size size;
      size.name = "n" + std::to_string(s);
      const std::int64_t roll = random_.between(0, 99);
      size.value = roll < 2    ? 0
                   : roll < 9  ? 1
                   : roll < 70 ? random_.between(2, 9)
                   : roll < 90 ? random_.pick({11, 12, 13, 15, 16, 17})
                               : random_.pick({24, 31, 32, 33});
      size.symbolic = random_.percent(30);
      program_.sizes.push_back(size);
    }
  }

  void choose_types() {
    static const std::vector<DType> all{types::boolean,  types::int8,    types::int16,   types::int32,  types::int64,
                                        types::uint8,    types::uint16,  types::uint32,  types::uint64, types::float16,
                                        types::bfloat16, types::float32, types::float32, types::float64};
    const std::int64_t count = random_.between(1, 3);
    for (std::int64_t i = 0; i < count; ++i) palette_.push_back(random_.pick(all));
    if (random_.percent(40)) palette_.push_back(types::float32);
    if (random_.percent(25)) palette_.push_back(types::int32);
  }

  // ---- stages -----------------------------------------------------------------------------------------------------------------

  std::int64_t value(const Extent &e) const { return program_.value(e); }

  Extent any_extent() {
    Extent e;
    if (random_.percent(8)) {
      e.offset = random_.pick({1, 1, 2, 3, 4, 5});
      return e;
    }
    e.size = static_cast<int>(random_.below(program_.sizes.size()));
    if (random_.percent(8)) e.offset = random_.between(1, 3);
    if (random_.percent(4) && value(e) < 12) e.factor = 2;
    return e;
  }

  std::vector<Extent> any_shape(std::int64_t limit) {
    const std::int64_t rank = random_.pick({0, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 4});
    std::vector<Extent> shape;
    std::int64_t elements = 1;
    for (std::int64_t d = 0; d < rank; ++d) {
      Extent e = any_extent();
      if (elements * value(e) > limit) e = Extent{-1, 1, random_.between(1, 2)};
      if (elements * value(e) > limit) break;
      elements *= std::max<std::int64_t>(value(e), 1);
      shape.push_back(e);
    }
    return shape;
  }

  TermRef axis_over(int number, const Extent &e) { return terms::axis(number, 0, std::max<std::int64_t>(value(e) - 1, 0)); }

  void make_stage(const std::string &name, bool last) {
    TensorNode node;
    node.kind = TensorKind::computed;
    node.name = name;
    const bool reduces = random_.percent(40);
    const bool mathematical = !reduces && last && random_.percent(20);
    const bool windowed = !reduces && !mathematical && random_.percent(20);
    node.type = mathematical ? DType(random_.percent(70) ? types::float32 : types::float64) : random_.pick(palette_);
    node.windowed = windowed;
    node.shape = windowed ? long_rows() : stage_shape(reduces ? most_elements / 3 : most_elements);
    variables_.clear();
    values_.clear();
    steps_ = 1;
    for (std::size_t d = 0; d < node.shape.size(); ++d) {
      variables_.push_back({axis_over(static_cast<int>(d), node.shape[d]), node.shape[d]});
      steps_ *= std::max<std::int64_t>(value(node.shape[d]), 1);
    }
    if (reduces) {
      make_reduction(node);
    } else if (windowed) {
      make_window(node);
    } else if (mathematical) {
      node.body = mathematics(node.type);
      node.tolerant = true;
    } else {
      node.body = data(node.type, static_cast<int>(random_.between(2, 4)));
    }
    terms::know(node);
    program_.tensors.push_back(std::move(node));
  }

  /// Often the shape of a tensor there is, perhaps cut or permuted.
  std::vector<Extent> stage_shape(std::int64_t limit) {
    std::vector<const TensorNode *> computed;
    for (const TensorNode &tensor : program_.tensors)
      if (tensor.kind == TensorKind::computed) computed.push_back(&tensor);
    if (computed.empty() || random_.percent(35)) return any_shape(limit);
    std::vector<Extent> shape = computed[random_.percent(60) ? computed.size() - 1 : random_.below(computed.size())]->shape;
    if (!shape.empty() && random_.percent(25))
      shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(random_.below(shape.size())));
    if (random_.percent(20)) random_.shuffle(shape);
    for (Extent &e : shape)
      if (random_.percent(15) && value(e) > 3) e.offset -= random_.between(1, 2);
    std::int64_t elements = 1;
    for (const Extent &e : shape) elements *= std::max<std::int64_t>(value(e), 1);
    return elements <= limit ? shape : any_shape(limit);
  }

  void make_reduction(TensorNode &node) {
    ReductionTerm reduction;
    reduction.combine = node.type.is_bool()
                            ? random_.pick({Combine::any, Combine::all})
                            : random_.pick({Combine::sum, Combine::sum, Combine::sum, Combine::min, Combine::max, Combine::prod});
    if (random_.percent(20)) reduction.init = data(node.type, 1);
    const std::int64_t count = random_.pick({1, 1, 1, 2, 2, 3});
    for (std::int64_t r = 0; r < count; ++r) add_reduction_axis(reduction, static_cast<int>(r));
    node.body = data(node.type, static_cast<int>(random_.between(1, 3)));
    values_.clear();
    if (random_.percent(20)) reduction.where = condition(1);
    node.reduction = std::move(reduction);
  }

  void add_reduction_axis(ReductionTerm &reduction, int r) {
    ReductionAxis axis;
    axis.min = terms::index(0);
    const int number = reduction_axes_from + r;
    Extent e = any_extent();
    if (steps_ * value(e) > most_steps) e = Extent{-1, 1, random_.between(1, 3)};
    axis.extent = terms::extent(program_, e);
    std::optional<Extent> plain = e;
    const std::int64_t kind = random_.between(0, 99);
    if (kind < 22 && !variables_.empty()) {  // as long as another axis says
      const Variable &by = random_.pick(variables_);
      TermRef length = random_.percent(50) ? terms::add(by.term, terms::index(1))
                                           : terms::sub(terms::extent(program_, by.extent.value_or(e)), by.term);
      if (random_.percent(20)) length = by.term;
      length = terms::max(terms::min(length, axis.extent), terms::index(0));
      if (random_.percent(60) && by.extent && value(*by.extent) * steps_ <= most_steps) length = length->operands[0]->operands[0];
      if (length->low >= 0) axis.extent = length, plain.reset();
    } else if (kind < 32) {  // as long as data says
      const DType type = random_.pick({DType(types::int32), DType(types::int64), DType(types::uint8), DType(types::int16)});
      axis.extent = terms::clamped(read_from(input(type, Fill::ids)), axis.extent);
      plain.reset();
    }
    if (random_.percent(10)) {
      axis.min = random_.percent(50) || variables_.empty() ? terms::index(random_.between(1, 3)) : random_.pick(variables_).term;
      plain.reset();
    }
    const std::int64_t low = axis.min->low, high = axis.min->high + std::max<std::int64_t>(axis.extent->high, 1) - 1;
    steps_ *= std::max<std::int64_t>(axis.extent->high, 1);
    variables_.push_back({terms::axis(number, low, high), plain});
    reduction.axes.push_back(std::move(axis));
  }

  // ---- neighbours in rows that are some vectors long --------------------------------------------------------------------------

  std::vector<Extent> long_rows() {
    std::vector<Extent> shape;
    if (random_.percent(40)) shape.push_back({-1, 1, random_.between(1, 4)});
    Extent row{-1, 1, random_.between(17, 100)};
    const int s = static_cast<int>(random_.below(program_.sizes.size()));
    const std::int64_t size = program_.sizes[static_cast<std::size_t>(s)].value;
    if (size > 0 && random_.percent(60)) row = {s, std::max<std::int64_t>(random_.between(32, 96) / size, 1), 0};
    shape.push_back(row);
    return shape;
  }

  /// Elements side by side in an input, or every second to fourth of them, put together one by one or by a reduction.
  void make_window(TensorNode &node) {
    const std::int64_t stride = random_.pick({1, 1, 1, 2, 2, 3, 4}), width = random_.between(2, 6),
                       height = random_.between(1, 2);
    const std::vector<Variable> axes = variables_;
    TensorNode source;
    source.name = "x" + std::to_string(inputs_++);
    source.type = random_.percent(80) ? node.type : random_.pick(palette_);
    source.shape = node.shape;
    for (Extent &e : source.shape) e.offset += height - 1;
    const Extent row = node.shape.back();
    source.shape.back() = {row.size, row.factor * stride, row.offset * stride + width};
    terms::know(source);
    program_.tensors.push_back(source);
    const int number = static_cast<int>(program_.tensors.size()) - 1;
    const auto neighbour = [&](const TermRef &right, const TermRef &down) {
      std::vector<TermRef> indices;
      for (const Variable &axis : axes) indices.push_back(axis.term);
      if (indices.size() > 1) indices[0] = terms::add(indices[0], down);
      indices.back() = terms::add(terms::mul(indices.back(), stride), right);
      return convert(terms::read(program_, number, std::move(indices)), node.type);
    };
    if (random_.percent(35)) {
      ReductionTerm reduction;
      reduction.combine =
          node.type.is_bool() ? Combine::any : random_.pick({Combine::sum, Combine::sum, Combine::max, Combine::min});
      reduction.axes.push_back({terms::index(0), terms::index(width)});
      node.body = neighbour(terms::axis(reduction_axes_from, 0, width - 1), terms::index(random_.between(0, height - 1)));
      node.reduction = std::move(reduction);
      return;
    }
    const std::int64_t count = random_.between(2, 7);
    for (std::int64_t i = 0; i < count; ++i) {
      TermRef next = neighbour(terms::index(random_.between(0, width - 1)), terms::index(random_.between(0, height - 1)));
      if (random_.percent(30) && !node.type.is_bool()) next = terms::binary(BinaryOp::mul, next, literal(node.type));
      if (i > 0)
        next = terms::binary(node.type.is_bool() ? random_.pick({BinaryOp::logical_and, BinaryOp::logical_or})
                                                 : random_.pick({BinaryOp::add, BinaryOp::add, BinaryOp::sub, BinaryOp::max}),
                             node.body, next);
      node.body = next;
    }
  }

  TermRef mathematics(DType type) {
    const TermRef x = terms::binary(BinaryOp::min, terms::binary(BinaryOp::max, data(type, 2), terms::number(type, -3)),
                                    terms::number(type, 3));
    const UnaryOp op =
        random_.pick({UnaryOp::exp, UnaryOp::exp2, UnaryOp::expm1, UnaryOp::log, UnaryOp::log2, UnaryOp::log1p, UnaryOp::sin,
                      UnaryOp::cos, UnaryOp::tan, UnaryOp::sinh, UnaryOp::cosh, UnaryOp::tanh, UnaryOp::asin, UnaryOp::acos,
                      UnaryOp::atan, UnaryOp::erf, UnaryOp::sigmoid, UnaryOp::rsqrt});
    if (random_.percent(20)) return terms::binary(random_.pick({BinaryOp::pow, BinaryOp::atan2}), x, data(type, 1));
    return terms::unary(op, x);
  }

  void choose_outputs() {
    std::vector<bool> read(program_.tensors.size());
    for (const TensorNode &tensor : program_.tensors)
      for_each_root(tensor, [&](const TermRef &root) {
        for_each_term(root, [&](const TermRef &term) {
          if (term->kind == TermKind::read) read[static_cast<std::size_t>(term->number)] = true;
        });
      });
    std::vector<std::size_t> unread, computed;
    for (std::size_t t = 0; t < program_.tensors.size(); ++t)
      if (program_.tensors[t].kind == TensorKind::computed) {
        computed.push_back(t);
        if (!read[t]) unread.push_back(t);
      }
    // The last one always; other loose ends mostly.
    for (const std::size_t t : unread) program_.tensors[t].output = t == unread.back() || random_.percent(60);
    if (random_.percent(15)) program_.tensors[random_.pick(computed)].output = true;
  }

  // ---- indices ----------------------------------------------------------------------------------------------------------------

  TermRef any_variable() { return random_.pick(variables_).term; }

  /// One attempt at an index of a dimension of `size` elements; null if it may be out of range.
  TermRef try_index(const Extent &size, int depth) {
    const std::int64_t elements = value(size);
    const auto checked = [&](TermRef index) { return index->low >= 0 && index->high < elements ? index : nullptr; };
    if (variables_.empty()) return elements > 0 ? terms::index(random_.between(0, elements - 1)) : nullptr;
    const std::int64_t kind = random_.between(0, 99);
    if (kind < 45) {
      std::vector<TermRef> exact;
      for (const Variable &variable : variables_)
        if (variable.extent == size) exact.push_back(variable.term);
      if (!exact.empty()) return random_.pick(exact);
    }
    if (elements <= 0) return nullptr;
    const TermRef v = any_variable();
    if (kind < 55) return checked(v);
    if (kind < 65)
      return v->high < elements ? checked(terms::add(v, terms::index(random_.between(-v->low, elements - 1 - v->high))))
                                : nullptr;
    if (kind < 71) return checked(terms::add(terms::mul(v, random_.between(1, 3)), any_variable()));
    if (kind < 75) return checked(terms::add(v, any_variable()));
    if (kind < 79) return checked(terms::sub(terms::sub(terms::extent(program_, size), terms::index(1)), v));
    if (kind < 82) return checked(terms::div(v, random_.between(2, 4)));
    if (kind < 86) return terms::mod(terms::add(v, terms::index(random_.between(0, 3))), terms::extent(program_, size));
    if (kind < 89) return terms::index(random_.between(0, elements - 1));
    const TermRef last = terms::sub(terms::extent(program_, size), terms::index(1));
    if (kind < 93) return terms::max(terms::min(terms::add(v, terms::index(random_.between(-2, 2))), last), terms::index(0));
    if (kind < 95)
      return checked(
          terms::choose(random_.percent(50) ? TermKind::select : TermKind::if_then_else, condition(0), v, any_variable()));
    if (depth < 1) return checked(v);
    const DType type =
        random_.pick({DType(types::int32), DType(types::int64), DType(types::uint8), DType(types::int16), DType(types::uint64)});
    const bool fresh = random_.percent(60);
    return terms::clamped(fresh ? read_from(input(type, Fill::ids)) : data(type, depth - 1), last);
  }

  TermRef index_into(const Extent &size, int depth, TermRef &guard) {
    for (int attempt = 0; attempt < 6; ++attempt)
      if (TermRef index = try_index(size, depth)) return index;
    TermRef index = variables_.empty() ? terms::index(random_.between(-1, 1))
                                       : terms::add(any_variable(), terms::index(random_.between(-2, 2)));
    if (random_.percent(20) && !variables_.empty()) index = terms::sub(index, any_variable());
    add_range(guard, index, terms::extent(program_, size));
    return index;
  }

  void add_range(TermRef &guard, const TermRef &index, const TermRef &size) {
    const auto both = [&](TermRef more) {
      guard = guard ? terms::binary(BinaryOp::logical_and, guard, std::move(more)) : std::move(more);
    };
    both(random_.percent(50) ? terms::binary(BinaryOp::ge, index, terms::index(0))
                             : terms::binary(BinaryOp::le, terms::index(0), index));
    both(random_.percent(70) ? terms::binary(BinaryOp::lt, index, size)
                             : terms::binary(BinaryOp::le, terms::add(index, terms::index(1)), size));
  }

  // ---- reads ------------------------------------------------------------------------------------------------------------------

  /// A new input (or baked-in data) whose shape suits the variables there are.
  int input(DType type, Fill fill) {
    TensorNode node;
    node.name = "x" + std::to_string(inputs_++);
    node.type = type;
    node.fill = fill;
    const std::int64_t rank = random_.pick({0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 4});
    std::int64_t elements = 1;
    bool symbolic = false;
    for (std::int64_t d = 0; d < rank; ++d) {
      Extent e = any_extent();
      if (!variables_.empty() && random_.percent(80)) {
        const Variable &variable = random_.pick(variables_);
        if (variable.extent) e = *variable.extent;
        if (random_.percent(25)) e.offset += random_.between(1, 2);
      }
      if (elements * value(e) > most_elements) break;
      elements *= std::max<std::int64_t>(value(e), 1);
      symbolic = symbolic || (e.size >= 0 && program_.sizes[static_cast<std::size_t>(e.size)].symbolic);
      node.shape.push_back(e);
    }
    node.kind = !symbolic && random_.percent(12) ? TensorKind::constant : TensorKind::input;
    terms::know(node);
    program_.tensors.push_back(std::move(node));
    return static_cast<int>(program_.tensors.size()) - 1;
  }

  TermRef read_from(int tensor, int depth = 0) {
    TermRef guard;
    std::vector<TermRef> indices;
    const std::vector<Extent> shape = program_.tensors[static_cast<std::size_t>(tensor)].shape;
    for (const Extent &size : shape) indices.push_back(index_into(size, depth, guard));
    TermRef read = terms::read(program_, tensor, std::move(indices));
    if (!guard) return read;
    if (read->type.is_bool() && random_.percent(50)) {
      if (random_.percent(50)) return terms::binary(BinaryOp::logical_and, guard, read);
      return terms::binary(BinaryOp::logical_or, terms::unary(UnaryOp::logical_not, guard), read);
    }
    TermRef otherwise = literal(read->type);
    return terms::choose(TermKind::if_then_else, guard, read, otherwise);
  }

  TermRef read(DType type, int depth) {
    std::vector<int> computed, inputs;
    for (std::size_t t = 0; t < program_.tensors.size(); ++t) {
      if (program_.tensors[t].tolerant) continue;
      (program_.tensors[t].kind == TensorKind::computed ? computed : inputs).push_back(static_cast<int>(t));
    }
    int tensor = -1;
    if (!computed.empty() && random_.percent(65)) tensor = random_.percent(55) ? computed.back() : random_.pick(computed);
    if (tensor < 0 && !inputs.empty() && random_.percent(35)) tensor = random_.pick(inputs);
    if (tensor < 0) {
      const DType of = random_.percent(85) ? type : random_.pick(palette_);
      tensor = input(of, random_.percent(65) ? Fill::small : Fill::wild);
    }
    return convert(read_from(tensor, depth), type);
  }

  TermRef convert(TermRef term, DType type) {
    if (term->type == type) return term;
    if (type.is_bool()) return terms::binary(random_.pick({BinaryOp::ne, BinaryOp::lt, BinaryOp::ge}), term, literal(term->type));
    const bool saturates = !term->type.is_bool() && !term->type.is_index() && random_.percent(30);
    return terms::cast(saturates ? TermKind::saturate_cast : TermKind::cast, type, std::move(term));
  }

  // ---- values -----------------------------------------------------------------------------------------------------------------

  TermRef literal(DType type) {
    if (type.is_bool()) return terms::constant(type, random_.below(2));
    if (type.is_float()) {
      if (random_.percent(85)) return terms::number(type, static_cast<double>(random_.between(-8, 8)) * 0.5);
      return terms::number(type, random_.pick({-0.0, 1e-8, 12345.678, -1e30}));
    }
    if (random_.percent(80))
      return terms::constant(type, ir::from_integer(type, type.is_unsigned() ? random_.between(0, 9) : random_.between(-5, 7)));
    return terms::constant(type, ir::from_integer(type, static_cast<std::int64_t>(random_.next())));
  }

  TermRef scalar(DType type) {
    for (std::size_t s = 0; s < program_.scalars.size(); ++s)
      if (program_.scalars[s].type == type) return terms::scalar(program_, static_cast<int>(s));
    ScalarNode node{"a" + std::to_string(program_.scalars.size()), type, literal(type)->bits};
    program_.scalars.push_back(node);
    return terms::scalar(program_, static_cast<int>(program_.scalars.size()) - 1);
  }

  TermRef leaf(DType type, int depth) {
    const std::int64_t kind = random_.between(0, 99);
    if (kind < 72) return read(type, depth);
    if (kind < 84) return literal(type);
    if (kind < 89) return scalar(type);
    if (variables_.empty() || type.is_bool()) return literal(type);
    return terms::cast(TermKind::cast, type, any_variable());
  }

  /// A value of a type, as an expression of some depth.
  TermRef data(DType type, int depth) {
    if (!values_.empty() && random_.percent(12)) {
      const TermRef &known = random_.pick(values_);
      if (known->type == type) return known;
    }
    TermRef result = depth <= 0 ? leaf(type, 1) : type.is_bool() ? condition(depth) : operation(type, depth);
    values_.push_back(result);
    return result;
  }

  TermRef operation(DType type, int depth) {
    const std::int64_t kind = random_.between(0, 99);
    const auto sub = [&] { return data(type, depth - static_cast<int>(random_.between(1, 2))); };
    if (kind < 55) return type.is_float() ? float_binary(sub(), sub()) : integer_binary(sub(), sub());
    if (kind < 65) return type.is_float() ? float_unary(sub()) : integer_unary(sub());
    if (kind < 78) {
      TermRef where = condition(depth - 1);
      TermRef a = sub(), b = sub();
      return terms::choose(random_.percent(50) ? TermKind::select : TermKind::if_then_else, std::move(where), std::move(a),
                           std::move(b));
    }
    if (kind < 90) {
      DType from = random_.pick(palette_);
      TermRef inner = data(from, depth - 1);
      const bool same_bits =
          !from.is_bool() && from.bits() == type.bits() && !(from == type) && (!from.is_float() || inner->magnitude >= 0);
      if (same_bits && random_.percent(30)) return terms::cast(TermKind::reinterpret, type, inner);
      return convert(std::move(inner), type);
    }
    if (kind < 94 && type.is_float()) return terms::fma(sub(), sub(), sub());
    return leaf(type, 1);
  }

  TermRef integer_binary(TermRef a, TermRef b) {
    const BinaryOp op =
        random_.pick({BinaryOp::add, BinaryOp::add, BinaryOp::sub, BinaryOp::mul, BinaryOp::mul, BinaryOp::div, BinaryOp::mod,
                      BinaryOp::trunc_div, BinaryOp::trunc_mod, BinaryOp::min, BinaryOp::max, BinaryOp::bit_and, BinaryOp::bit_or,
                      BinaryOp::bit_xor, BinaryOp::shl, BinaryOp::shr, BinaryOp::mul_high, BinaryOp::rounding_shift_right});
    const bool shifts = op == BinaryOp::shl || op == BinaryOp::shr || op == BinaryOp::rounding_shift_right;
    if (shifts && random_.percent(60)) b = terms::binary(BinaryOp::bit_and, b, terms::constant(b->type, 7));
    return terms::binary(op, std::move(a), std::move(b));
  }

  TermRef float_binary(TermRef a, TermRef b) {
    const BinaryOp op = random_.pick({BinaryOp::add, BinaryOp::add, BinaryOp::add, BinaryOp::sub, BinaryOp::sub, BinaryOp::mul,
                                      BinaryOp::mul, BinaryOp::mul, BinaryOp::min, BinaryOp::max, BinaryOp::min, BinaryOp::max,
                                      BinaryOp::div, BinaryOp::mod, BinaryOp::fmod, BinaryOp::ldexp});
    // Of most powers nothing but 0 and infinity would be left.
    if (op == BinaryOp::ldexp && random_.percent(80))
      b = terms::binary(BinaryOp::min, std::move(b), terms::constant(a->type, ir::from_double(a->type, 9)));
    if (op == BinaryOp::ldexp && random_.percent(80))
      b = terms::binary(BinaryOp::max, std::move(b), terms::constant(a->type, ir::from_double(a->type, -9)));
    return terms::binary(op, std::move(a), std::move(b));
  }

  TermRef integer_unary(TermRef a) {
    return terms::unary(
        random_.pick({UnaryOp::neg, UnaryOp::bit_not, UnaryOp::abs, UnaryOp::sign, UnaryOp::popcount, UnaryOp::clz}),
        std::move(a));
  }

  TermRef float_unary(TermRef a) {
    return terms::unary(random_.pick({UnaryOp::neg, UnaryOp::abs, UnaryOp::sign, UnaryOp::sqrt, UnaryOp::floor, UnaryOp::ceil,
                                      UnaryOp::round, UnaryOp::trunc}),
                        std::move(a));
  }

  TermRef condition(int depth) {
    const std::int64_t kind = random_.between(0, 99);
    if (kind < 30 && !variables_.empty()) {
      TermRef a = any_variable(), b = random_.percent(50) ? any_variable() : terms::index(random_.between(0, 8));
      if (random_.percent(20)) a = terms::mod(a, terms::index(random_.between(2, 3)));
      return terms::binary(comparison(), std::move(a), std::move(b));
    }
    if (kind < 40 && depth > 0) return terms::unary(UnaryOp::logical_not, condition(depth - 1));
    if (kind < 60 && depth > 0) {
      TermRef a = condition(depth - 1), b = condition(depth - 1);
      return terms::binary(
          random_.pick({BinaryOp::logical_and, BinaryOp::logical_or, BinaryOp::logical_and, BinaryOp::eq, BinaryOp::ne}),
          std::move(a), std::move(b));
    }
    if (kind < 68) return leaf(types::boolean, depth > 0 ? 1 : 0);
    DType type = random_.pick(palette_);
    if (type.is_bool()) type = types::int32;
    TermRef a = data(type, depth - 1);
    if (type.is_float() && random_.percent(10))
      return terms::unary(random_.pick({UnaryOp::is_nan, UnaryOp::is_inf, UnaryOp::is_finite}), std::move(a));
    TermRef b = random_.percent(50) ? literal(type) : data(type, depth - 1);
    return terms::binary(comparison(), std::move(a), std::move(b));
  }

  BinaryOp comparison() {
    return random_.pick({BinaryOp::lt, BinaryOp::le, BinaryOp::gt, BinaryOp::ge, BinaryOp::eq, BinaryOp::ne});
  }

  Random random_;
  Program program_;
  std::vector<DType> palette_;
  std::vector<Variable> variables_;
  std::vector<TermRef> values_;  ///< of the stage at hand, to be used again
  std::int64_t steps_ = 1;
  int inputs_ = 0;
};

}  // namespace

Program generate_program(std::uint64_t seed) { return Generator(seed).run(); }

}  // namespace equivalence
