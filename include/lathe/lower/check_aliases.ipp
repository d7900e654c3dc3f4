// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Outputs in the memory of inputs. The output's stage may read the element that it writes next, since what a store depends on
/// comes before it in every order of points; what other stages read must be read when they begin.

#include <string>

#include "lathe/ir/build.hpp"
#include "lathe/ir/print.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/lower/plan.hpp"

namespace lathe::inline LATHE_ABI::lowering {

namespace aliasing {

class Checker {
 public:
  Checker(const Plans &plans, const Plan &output) : plans_(plans), output_(output), input_(output.stage->alias) {}

  void check() const {
    const ir::OperationNode &in = *input_, &out = *output_.operation();
    for (std::size_t d = 0; d < out.shape.size(); ++d)
      if (!plans_.facts.proves(ir::equals(in.shape[d], out.shape[d])))
        refuse(
            {"dimension ", d, " is ", ir::to_string(out.shape[d]), " of one and ", ir::to_string(in.shape[d]), " of the other"});
    if (!same_strides(in.memory.strides, out.memory.strides)) refuse("they promise different strides");
    if (output_.reduction() && reads(output_)) refuse({name(), " reduces: it is written before all is read"});
    for (const ir::Expr &body : output_.bodies) check_points(body);
    for (const Plan &plan : plans_.plans)
      if (&plan != &output_ && reads(plan) && !done_before(plan))
        refuse({plan.stage->name(), " reads ", input_->name, " while ", name(), " is written, or after"});
  }

 private:
  [[noreturn]] void refuse(const Phrase &why) const {
    const scheduling::Step &step = *plans_.state->steps[static_cast<std::size_t>(output_.stage->aliased_by)];
    scheduling::refuse(
        *plans_.state, step, "L034", {name(), " in the memory of ", input_->name, " could be written before it is read"},
        {{"why", why, {}},
         {"help", {"compute what reads other points at root, and let ", name(), " read that; or leave out the alias"}, {}}});
  }

  const std::string &name() const { return output_.stage->name(); }

  bool same_strides(const List<ir::Expr> &a, const List<ir::Expr> &b) const {
    bool same = a.size() == b.size();
    for (std::size_t d = 0; same && d < a.size(); ++d) same = plans_.facts.proves(ir::equals(a[d], b[d]));
    return same;
  }

  bool reads(const ir::Expr &root) const {
    bool found = false;
    ir::walk(root, [&](const ir::Expr &e) {
      const auto *read = e.as<ir::Read>();
      found = found || (read && read->tensor.operation == input_);
    });
    return found;
  }

  bool reads(const Plan &plan) const {
    for (const ir::Expr &body : plan.bodies)
      if (reads(body)) return true;
    return false;
  }

  /// The output's own reads are at the point that is computed.
  void check_points(const ir::Expr &body) const {
    ir::walk(body, [&](const ir::Expr &e) {
      const auto *read = e.as<ir::Read>();
      if (!read || read->tensor.operation != input_) return;
      for (std::size_t d = 0; d < read->indices.size(); ++d)
        if (!ir::is_constant(output_.operation()->shape[d], 1) &&
            !ir::equal(plans_.facts.simplify(read->indices[d]), ir::Expr(output_.operation()->axes[d])))
          refuse({name(), " reads ", ir::to_string(e), " beside the point that it computes"});
    });
  }

  /// Whether all of a stage is computed before the output's first element.
  bool done_before(const Plan &plan) const {
    const Plan *root = &plan;
    while (root->parent >= 0) root = &plans_.plans[static_cast<std::size_t>(root->parent)];
    return root < &output_;
  }

  const Plans &plans_;
  const Plan &output_;
  const ir::Operation &input_;
};

}  // namespace aliasing

LATHE_INLINE void check_aliases(const Plans &plans) {
  for (const Plan &plan : plans.plans)
    if (plan.stage->alias) aliasing::Checker(plans, plan).check();
}

}  // namespace lathe::inline LATHE_ABI::lowering
