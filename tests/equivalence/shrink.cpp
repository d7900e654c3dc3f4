// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "equivalence/shrink.hpp"

#include <algorithm>

#include "equivalence/terms.hpp"

namespace equivalence {

namespace {

/// A list of one-step simplifications of a case, boldest first.
class Simplifications {
 public:
  explicit Simplifications(const Case &from) : from_(from) {
    steps();
    outputs();
    tensors_to_inputs();
    reductions();
    sizes();
    terms_of_stages();
    settings();
  }
  std::vector<Case> take() { return std::move(list_); }

 private:
  template <class Change>
  void add(Change change) {
    Case next = from_;
    change(next);
    terms::refresh(next.program);
    list_.push_back(std::move(next));
  }

  void steps() {
    const std::size_t count = from_.steps.steps.size();
    if (count > 0) add([](Case &c) { c.steps.steps.clear(); });
    for (std::size_t size = count / 2; size >= 1; size /= 2)
      for (std::size_t first = 0; first + size <= count; first += size)
        add([&](Case &c) { drop_steps(c, count - first - size, size); });
  }
  /// Steps that name what a dropped one made go with it when they are replayed: the dropped ones become steps that never apply.
  static void drop_steps(Case &c, std::size_t first, std::size_t size) {
    for (std::size_t i = first; i < first + size; ++i) {
      lathe::scheduling::Step &step = c.steps.steps[i];
      step = {lathe::scheduling::Primitive::split, step.stage, {{-1, 0}}, {}, {0, 0}, {}, {}};
    }
    // Trailing ones name nothing that others need.
    while (!c.steps.steps.empty() && c.steps.steps.back().primitive == lathe::scheduling::Primitive::split &&
           c.steps.steps.back().numbers[0] == 0)
      c.steps.steps.pop_back();
  }

  void outputs() {
    std::size_t count = 0;
    for (const TensorNode &tensor : from_.program.tensors) count += tensor.output;
    if (count < 2) return;
    for (std::size_t t = 0; t < from_.program.tensors.size(); ++t)
      if (from_.program.tensors[t].output) add([&](Case &c) { c.program.tensors[t].output = false; });
  }

  void tensors_to_inputs() {
    const std::vector<bool> need = from_.program.needed();
    for (std::size_t t = from_.program.tensors.size(); t-- > 0;) {
      const TensorNode &tensor = from_.program.tensors[t];
      if (!need[t] || tensor.output || tensor.kind != TensorKind::computed) continue;
      add([&](Case &c) {
        TensorNode &node = c.program.tensors[t];
        node.kind = TensorKind::input;
        node.body = nullptr;
        node.reduction.reset();
        node.fill = Fill::small;
      });
    }
    for (std::size_t t = 0; t < from_.program.tensors.size(); ++t)
      if (need[t] && from_.program.tensors[t].kind == TensorKind::input && from_.program.tensors[t].fill == Fill::wild)
        add([&](Case &c) { c.program.tensors[t].fill = Fill::small; });
    // An intermediate stage as the only output: what follows it goes.
    for (std::size_t t = 0; t < from_.program.tensors.size(); ++t)
      if (need[t] && !from_.program.tensors[t].output && from_.program.tensors[t].kind == TensorKind::computed)
        add([&](Case &c) {
          for (TensorNode &node : c.program.tensors) node.output = false;
          c.program.tensors[t].output = true;
        });
  }

  void reductions() {
    const std::vector<bool> need = from_.program.needed();
    for (std::size_t t = 0; t < from_.program.tensors.size(); ++t) {
      const TensorNode &tensor = from_.program.tensors[t];
      if (!need[t] || !tensor.reduction) continue;
      if (tensor.reduction->where) add([&](Case &c) { c.program.tensors[t].reduction->where = nullptr; });
      if (tensor.reduction->init) add([&](Case &c) { c.program.tensors[t].reduction->init = nullptr; });
      for (std::size_t r = 0; r < tensor.reduction->axes.size(); ++r) {
        const TermRef min = tensor.reduction->axes[r].min, extent = tensor.reduction->axes[r].extent;
        if (!extent->operands.empty())
          add([&](Case &c) {
            c.program.tensors[t].reduction->axes[r].extent = terms::index(std::max<std::int64_t>(extent->high, 0));
          });
        if (extent->kind == TermKind::constant && extent->low > 1)
          for (const std::int64_t less : {std::int64_t{1}, extent->low - 1})
            add([&](Case &c) { c.program.tensors[t].reduction->axes[r].extent = terms::index(less); });
        if (extent->kind == TermKind::extent)
          add([&](Case &c) { c.program.tensors[t].reduction->axes[r].extent = terms::index(extent->high); });
        if (min->high != 0 || min->low != 0) add([&](Case &c) { c.program.tensors[t].reduction->axes[r].min = terms::index(0); });
      }
    }
  }

  void sizes() {
    for (std::size_t s = 0; s < from_.program.sizes.size(); ++s) {
      const Size &size = from_.program.sizes[s];
      for (const std::int64_t less : {std::int64_t{1}, size.value / 2, size.value - 1})
        if (less >= 1 && less < size.value) add([&](Case &c) { c.program.sizes[s].value = less; });
      if (size.symbolic) add([&](Case &c) { c.program.sizes[s].symbolic = false; });
    }
    const std::vector<bool> need = from_.program.needed();
    for (std::size_t t = 0; t < from_.program.tensors.size(); ++t)
      for (std::size_t d = 0; need[t] && d < from_.program.tensors[t].shape.size(); ++d) {
        const Extent &e = from_.program.tensors[t].shape[d];
        const std::int64_t value = from_.program.value(e);
        if (value > 1) add([&](Case &c) { c.program.tensors[t].shape[d] = {-1, 1, 1}; });
        if (e.size < 0 && value > 2) add([&](Case &c) { c.program.tensors[t].shape[d] = {-1, 1, value - 1}; });
        if (e.size >= 0 && (e.factor != 1 || e.offset != 0))
          add([&](Case &c) { c.program.tensors[t].shape[d] = {-1, 1, value}; });
      }
  }

  /// Every term replaced by one of its operands of the same type, by a read of its own, or by a constant.
  void terms_of_stages() {
    const std::vector<bool> need = from_.program.needed();
    for (std::size_t t = 0; t < from_.program.tensors.size(); ++t) {
      const TensorNode &tensor = from_.program.tensors[t];
      if (!need[t] || tensor.kind != TensorKind::computed) continue;
      std::vector<TermRef> all;
      for_each_root(tensor, [&](const TermRef &root) { for_each_term(root, [&](const TermRef &term) { all.push_back(term); }); });
      for (std::size_t i = all.size(); i-- > 0;) {
        const TermRef term = all[i];
        std::vector<TermRef> simpler;
        for (const TermRef &operand : term->operands)
          if (operand->type == term->type && term->kind != TermKind::read) simpler.push_back(operand);
        if (term->kind != TermKind::constant && term->kind != TermKind::axis) {
          if (term->type.is_index())
            simpler.push_back(terms::index(0));
          else if (term->type.is_bool())
            simpler.push_back(terms::constant(term->type, 1));
          else
            simpler.push_back(terms::number(term->type, 1));
        }
        if (term->kind == TermKind::axis && term->low == 0) simpler.push_back(terms::index(0));
        for (const TermRef &by : simpler) add([&](Case &c) { replace(c.program, t, term, by); });
      }
    }
  }

  static void replace(Program &program, std::size_t t, const TermRef &what, const TermRef &by) {
    TensorNode &node = program.tensors[t];
    const auto in = [&](const TermRef &root) { return root ? replaced(program, root, what, by) : root; };
    node.body = in(node.body);
    if (!node.reduction) return;
    for (ReductionAxis &axis : node.reduction->axes) axis.min = in(axis.min), axis.extent = in(axis.extent);
    node.reduction->where = in(node.reduction->where);
    node.reduction->init = in(node.reduction->init);
  }

  static TermRef replaced(const Program &program, const TermRef &root, const TermRef &what, const TermRef &by) {
    if (root == what) return by;
    if (root->operands.empty()) return root;
    bool changed = false;
    std::vector<TermRef> operands;
    for (const TermRef &operand : root->operands) {
      operands.push_back(replaced(program, operand, what, by));
      changed = changed || operands.back() != operand;
    }
    return changed ? terms::rebuild(program, *root, std::move(operands)) : root;
  }

  void settings() {
    if (from_.program.sizes_are_arguments) add([](Case &c) { c.program.sizes_are_arguments = false; });
    for (int target = 0; target < from_.target; ++target) add([&](Case &c) { c.target = target; });
    if (from_.verify) add([](Case &c) { c.verify = false; });
    for (std::size_t i = 0; i < from_.steps.steps.size(); ++i) {
      const lathe::scheduling::Step &step = from_.steps.steps[i];
      if (step.primitive == lathe::scheduling::Primitive::split && step.numbers[0] > 2)
        for (const std::int64_t less : {std::int64_t{2}, step.numbers[0] - 1})
          add([&](Case &c) { c.steps.steps[i].numbers[0] = less; });
      if (step.primitive == lathe::scheduling::Primitive::reorder && step.axes.size() > 2)
        for (std::size_t a = 0; a < step.axes.size(); ++a)
          add([&](Case &c) { c.steps.steps[i].axes.erase(c.steps.steps[i].axes.begin() + static_cast<std::ptrdiff_t>(a)); });
    }
  }

  const Case &from_;
  std::vector<Case> list_;
};

}  // namespace

Case shrink(const Case &failing, const std::function<bool(const Case &)> &fails, int most) {
  Case best = failing;
  int tried = 0;
  for (bool better = true; better && tried < most;) {
    better = false;
    std::vector<Case> list = Simplifications(best).take();
    // After a success the list is made anew, but what came before in it has just been tried.
    for (std::size_t i = 0; i < list.size() && tried < most; ++i) {
      ++tried;
      if (!fails(list[i])) continue;
      best = std::move(list[i]);
      list = Simplifications(best).take();
      better = true;
      i -= 1;  // the same place again
    }
  }
  return best;
}

}  // namespace equivalence
