// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Schedules: how an expression is to be computed.
///
///     Schedule s(conv);
///     auto [n, c, y, x] = s[conv].axes();
///     auto [xo, xi] = s[conv].split(x, 16);
///     s[conv].reorder(n, c, y, xo, ky, kx, xi);
///     s[conv].vectorize(xi);
///     s[conv].parallel(s[conv].fuse(n, c));
///
/// A schedule is a value: copies are independent. Its steps are those of its stages (stage.hpp) and its own below.

#include <string>
#include <string_view>

#include "lathe/schedule/stage.hpp"

namespace lathe::inline LATHE_ABI {

/// How a set of outputs, and everything they need, is computed.
class Schedule {
 public:
  /// A schedule of one or more outputs, everything at its default: a stage with one read site outside reductions is inlined, any
  /// other computed as a whole.
  template <class T, int Rank, class... Others>
  explicit Schedule(const Tensor<T, Rank> &output, const Others &...others) : Schedule(List<AnyTensor>{output, others...}) {}
  /// Does not compile: an input is not computed.
  template <class T, int Rank>
  explicit Schedule(const Input<T, Rank> &) {
    static_assert(Rank < 0, "Schedule(): takes what is computed, not an input, for example  Schedule s(C)");
  }
  /// \throws Error S017 if an output is an input or constant.
  explicit Schedule(const List<AnyTensor> &outputs, Location place = Location::current());

  /// The stage that computes a tensor. \throws Error S002 if it is not among what this schedule computes.
  template <class T, int Rank>
  Stage<T, Rank> operator[](const Tensor<T, Rank> &tensor) {
    return Stage<T, Rank>(*this, require(tensor.untyped()));
  }
  /// Does not compile: an input has no loops.
  template <class T, int Rank>
  void operator[](const Input<T, Rank> &) {
    static_assert(Rank < 0,
                  "s[T]: an input has no loops to schedule: copy it,  auto tile = s.cache_read(input, scope::local, reader);");
  }
  /// Of a tensor whose type is known when the program runs. Steps on an input throw S017.
  AnyStage operator[](const AnyTensor &tensor) { return AnyStage(*this, require(tensor.untyped())); }

  /// A copy of `tensor` (an input or a stage) in `scope`, as a stage of its own that `readers` read instead.
  ///
  ///     for …: c[i] = f(a[i])     →     for …: a.local[i] = a[i]
  ///                                     for …: c[i] = f(a.local[i])
  ///
  /// The copy has its tensor's shape; computed at a loop of a reader, it holds what an iteration reads. It is named "a.local", or
  /// "a.cache" in main memory. \throws Error S012 if a reader does not read it or none is named, S002 if a reader is not of this
  /// schedule, S015 if the tensor is inlined.
  template <class T, int Rank, class... Readers>
  Tensor<T, Rank> cache_read(const Tensor<T, Rank> &tensor, LocatedScope scope, const Readers &...readers) {
    static_assert(sizeof...(Readers) > 0,
                  "cache_read(): names at least one reader, for example  s.cache_read(A, scope::local, C)");
    return Tensor<T, Rank>(cache_read(AnyTensor(tensor), scope.scope, List<AnyTensor>{readers...}, scope.place).untyped());
  }
  /// The same for tensors whose types are known when the program runs.
  AnyTensor cache_read(const AnyTensor &tensor, Scope scope, const List<AnyTensor> &readers,
                       Location place = Location::current());

  /// Moves the computation of `tensor` to a stage of its own in `scope`; what stays is a copy of the result.
  ///
  ///     for …: c[i] = f(a[i])     →     for …: c.local[i] = f(a[i])
  ///                                     for …: c[i] = c.local[i]
  ///
  /// Loops go with the computation, as they are by then: split, reordered and marked, with the stages that are computed at them;
  /// their handles name them in the new stage. What stays has one loop an axis again, its place, its memory's scope, layout and
  /// alignment. \throws Error S017 for an input.
  template <class T, int Rank>
  Tensor<T, Rank> cache_write(const Tensor<T, Rank> &tensor, Scope scope, Location place = Location::current()) {
    return Tensor<T, Rank>(cache_write(AnyTensor(tensor), scope, place).untyped());
  }
  /// The same for a tensor whose type is known when the program runs.
  AnyTensor cache_write(const AnyTensor &tensor, Scope scope, Location place = Location::current());

  /// An output and an input may be one memory: calls that pass it for both are accepted, as long as it begins at one address.
  /// (What overlaps otherwise is refused, K004.)
  ///
  ///     for i: b[i] = a[i] + 1     → alias(b, a), called with a = b →     for i: a[i] = a[i] + 1
  ///
  /// \throws Error S040 unless one is an output of one tensor and the other an input of its type and rank, each named once.
  /// Lowering refuses (L034) where an element might be written before it is read: the output's stage reads the input at other
  /// points than that which it computes, or reduces; or another stage reads it that is not done before.
  template <class T, int Rank>
  void alias(const Tensor<T, Rank> &output, const Input<T, Rank> &input, Location place = Location::current()) {
    alias(AnyTensor(output), AnyTensor(input), place);
  }
  /// The same for tensors whose types are known when the program runs.
  void alias(const AnyTensor &output, const AnyTensor &input, Location place = Location::current());

  /// What holds of sizes: comparisons of size variables, joined by && and ||. Lowering uses it, and every call of the kernel is
  /// checked for it before anything runs (K005). Of constants alone it is no step.
  ///
  ///     for i.outer in 0..(n + 15)/16:             → assume(n % 16 == 0) →     for i.outer in 0..n/16:
  ///       for i.inner in 0..16:                                                  for i.inner in 0..16: body
  ///         if i.outer*16 + i.inner < n: body
  ///
  /// \throws Error S033 if it is about something else than sizes of this schedule's tensors, S034 if it cannot hold.
  void assume(const Expr<bool> &condition, Location place = Location::current());

  // ---- inspection -------------------------------------------------------------------------------------------------------------

  /// The computed stages, producers before consumers.
  List<AnyStage> stages();
  /// What a stage reads, in order of first use.
  List<AnyTensor> inputs(const AnyTensor &tensor) const;
  /// The stage, input or constant of that name. \throws Error S019 if there is none, or several; with a type, E013 if type or
  /// rank differ.
  AnyTensor find(std::string_view name, Location place = Location::current()) const;
  /// With its type: `s.find<float, 4>("padded")`.
  template <class T, int Rank>
  Tensor<T, Rank> find(std::string_view name, Location place = Location::current()) const {
    return find(name, place).template as<T, Rank>(place);
  }

  const scheduling::State &state() const { return state_; }                ///< what lowering takes: schedule/state.hpp
  const List<ir::Operation> &outputs() const { return outputs_; }          ///< each once, in the order given
  const List<scheduling::StepRef> &steps() const { return state_.steps; }  ///< so far, in order

  /// The steps in their canonical form, a line each; `replay` reads it.
  std::string to_text() const;
  /// The steps as C++ that compiles where each tensor is a variable of its name: first a line that makes the schedule `s`; every
  /// axis gets a name of its own and is declared before its first step.
  std::string to_cpp() const;
  /// Applies steps given as text. \throws Error S018 for text that is no step, and as the steps do; then nothing is applied.
  void replay(std::string_view text);

  /// Applies one step. \throws Error S018 unless it has the fields that its primitive uses, S… as the steps do, and leaves the
  /// schedule as it was.
  void apply(scheduling::Step step);
  /// Applies one step if it is legal; otherwise says why not and changes nothing.
  std::optional<Diagnostic> try_step(scheduling::Step step);
  /// Calls `change(*this)`; if that throws an `Error`, undoes all of it and returns what was said.
  template <class Change>
  std::optional<Diagnostic> try_steps(Change &&change) {
    scheduling::State before = state_;
    try {
      change(*this);
      return std::nullopt;
    } catch (const Error &error) {
      state_ = std::move(before);
      return error.diagnostic();
    }
  }

 private:
  friend class AnyStage;
  ir::Operation require(const ir::Tensor &tensor) const;
  scheduling::StageId stage_id(const ir::Operation &key) const;
  bool was_part_of(const scheduling::StageState &stage, const ir::Operation &key) const;
  scheduling::AxisId axis_id(const ir::Operation &key, const scheduling::AxisRef &axis, const scheduling::Step &step) const;

  List<ir::Operation> outputs_;
  scheduling::State state_;
};

}  // namespace lathe::inline LATHE_ABI
