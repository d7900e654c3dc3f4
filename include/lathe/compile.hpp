// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The corridor from a schedule to code: what users call, and below it a dozen plain functions that everything behind them is
/// reached by.
///
/// Environment variables:
/// - `LATHE_DUMP`: a comma-separated list of what to print to stderr while compiling: `lower` (the loops), names of passes,
///   `llvm` and `asm` (under `jit`), `times` (how long each pass took), or `all`, which is all of it but the times
/// - `LATHE_VERIFY`: anything but `0` verifies the loops after every pass, as the option `verify` does
/// - `LATHE_NUM_THREADS`: threads of the default executor, 1 to 1024
/// - `LATHE_LLVM`: path of the LLVM library to load

#include <initializer_list>
#include <memory>
#include <string>

#include "lathe/codegen/source.hpp"
#include "lathe/ir/print.hpp"
#include "lathe/ir/program.hpp"
#include "lathe/runtime/kernel.hpp"
#include "lathe/schedule/schedule.hpp"
#include "lathe/support/list.hpp"
#include "lathe/target/numerics.hpp"
#include "lathe/target/target.hpp"

namespace lathe::inline LATHE_ABI {

/// How to compile. All have defaults: `jit(s, {.name = "dw", .numerics = Numerics::strict()}, input, filter, conv)`.
struct Options {
  std::string name = "kernel";     ///< of the entry function; a C identifier. Empty: "kernel"
  Target target = Target::host();  ///< for `jit`, `interpret` and LLVM text; C text is made for Target::c()
  Numerics numerics = {};          ///< liberties with floating-point arithmetic
  Executor *executor = nullptr;    ///< runs the parallel loops of `jit`; null: the default executor. Must outlive the kernel.
  bool verify = false;             ///< check the loops after every pass
};

/// One argument of a kernel, untyped: a tensor, or a scalar variable. Importers and tuners pass vectors of these.
class AnyArgument {
 public:
  /// @{
  /// From the handles that programs have.
  AnyArgument(const AnyTensor &tensor) : tensor_(tensor.untyped()) {}  // NOLINT: implicit by design
  template <class T, int Rank>
  AnyArgument(const Tensor<T, Rank> &tensor) : tensor_(tensor.untyped()) {}  // NOLINT: implicit by design
  template <class T>
  AnyArgument(const ScalarArgument<T> &scalar) : scalar_(scalar.var()) {}  // NOLINT: implicit by design
  AnyArgument(const SizeVar &size) : scalar_(size.var()) {}                // NOLINT: implicit by design
  /// @}

  const ir::Tensor &tensor() const { return tensor_; }  ///< meaningful where `scalar()` is undefined
  const ir::Var &scalar() const { return scalar_; }     ///< a scalar argument or a size; undefined for a tensor

 private:
  ir::Tensor tensor_;
  ir::Var scalar_;
};

// ---- plain functions ----------------------------------------------------------------------------------------------------------

/// The loops as scheduled, before any pass: what to print while writing a schedule. \throws Error L… as lower/lower.hpp says.
ir::Program lower_program(const Schedule &schedule, const List<AnyArgument> &arguments, const Options &options);
/// The loops as they go to code generation for `options.target`. \throws also what passes throw.
ir::Program optimize_program(const Schedule &schedule, const List<AnyArgument> &arguments, const Options &options);
/// Those loops as text. Comments above them say what lowering decided that no step said, a line each: stages that it inlined, and
/// stages of which more elements are computed than there are, because regions overlap. \throws as `lower_program`.
std::string print_lowered(const Schedule &schedule, const List<AnyArgument> &arguments);
/// C source (C11, freestanding but for libm). \throws as `optimize_program`.
Source emit_c_source(const Schedule &schedule, const List<AnyArgument> &arguments, const Options &options);
/// LLVM IR as text for `options.target`. \throws as `optimize_program`.
std::string emit_llvm_text(const Schedule &schedule, const List<AnyArgument> &arguments, const Options &options);
/// Code that runs in this process, through LLVM. \throws as `optimize_program`, and J… without a usable LLVM.
std::shared_ptr<const KernelCode> jit_code(const Schedule &schedule, const List<AnyArgument> &arguments, const Options &options);
/// The same, run by the checking interpreter on the loops that `jit` would compile. Needs no LLVM.
std::shared_ptr<const KernelCode> interpreter_code(const Schedule &schedule, const List<AnyArgument> &arguments,
                                                   const Options &options);

/// Elements for `evaluate`: a tensor with an array, or a scalar with a value.
class Binding {
 public:
  /// Copies the elements of an `Array` or `View` (any strides).
  template <class T, int Rank, class A>
    requires std::is_convertible_v<const A &, View<const T, Rank>>
  Binding(const Tensor<T, Rank> &tensor, const A &array) : argument_(tensor) {  // NOLINT: implicit by design
    const View<const T, Rank> view(array);
    set(view.data(), view.shape().data(), view.strides().data(), Rank, sizeof(T));
  }
  /// The value as a T, by static_cast.
  template <class T, class V>
    requires std::is_arithmetic_v<V>
  Binding(const ScalarArgument<T> &scalar, V value) : argument_(scalar) {  // NOLINT: implicit by design
    const T typed = static_cast<T>(value);
    std::memcpy(&scalar_, &typed, sizeof(T));
  }
  /// An extent.
  Binding(const SizeVar &size, std::int64_t value) : argument_(size) { scalar_.integer = value; }  // NOLINT: implicit by design

  const AnyArgument &argument() const { return argument_; }      ///< what gets the value
  const List<std::int64_t> &shape() const { return shape_; }     ///< of a tensor's elements
  const List<std::byte> &elements() const { return elements_; }  ///< of a tensor, row-major
  const Slot &scalar() const { return scalar_; }                 ///< a scalar's bits in the lowest bytes

 private:
  void set(const void *data, const std::int64_t *shape, const std::int64_t *strides, int rank, std::size_t element_bytes);

  AnyArgument argument_;
  List<std::int64_t> shape_;
  List<std::byte> elements_;
  Slot scalar_{};
};

/// A whole tensor, as `evaluate` computes it.
struct Evaluated {
  List<std::int64_t> shape;  ///< one extent per dimension
  List<std::byte> elements;  ///< row-major
};
/// Evaluates a tensor as it is written, element by element: slow, needs no LLVM. Sizes that are not bound are taken from
/// the shapes that name them alone. \throws Error R001, R004, R005, R008, G001, G002 as codegen/reference.hpp says.
Evaluated evaluate_tensor(const AnyTensor &tensor, const List<Binding> &bindings);

// ---- what users call ----------------------------------------------------------------------------------------------------------

namespace calling {

template <class A>
struct ParameterOf {
  static constexpr bool known = false;
  using type = void;
};
template <class T, int Rank>
struct ParameterOf<Input<T, Rank>> {
  static constexpr bool known = true;
  using type = In<T, Rank>;
};
template <class T, int Rank>
struct ParameterOf<Tensor<T, Rank>> {
  static constexpr bool known = true;
  using type = Out<T, Rank>;
};
template <class T>
struct ParameterOf<ScalarArgument<T>> {
  static constexpr bool known = true;
  using type = Value<T>;
};
template <>
struct ParameterOf<SizeVar> {
  static constexpr bool known = true;
  using type = Value<index_t>;
};

/// The arguments of a kernel, checked.
template <class... A>
List<AnyArgument> list(const A &...arguments) {
  static_assert((ParameterOf<A>::known && ...),
                "a kernel's arguments are its inputs, scalars, size variables and outputs, for example  jit(s, A, B, C)");
  if constexpr ((ParameterOf<A>::known && ...))
    return {AnyArgument(arguments)...};
  else
    return {};
}
template <class... A>
using KernelOf = Kernel<typename ParameterOf<A>::type...>;

template <class A>
concept NotOptions = !std::is_same_v<A, Options>;

}  // namespace calling

/// The scheduled loops as text, before any pass: `std::puts(print(s, A, B, C).c_str())`. \throws as `print_lowered`.
template <class... A>
std::string print(const Schedule &schedule, const A &...arguments) {
  return print_lowered(schedule, calling::list(arguments...));
}

/// C source of a kernel: `Source source = emit_c(s, A, B, C);` \throws Error L…, G003.
template <class... A>
Source emit_c(const Schedule &schedule, const Options &options, const A &...arguments) {
  return emit_c_source(schedule, calling::list(arguments...), options);
}
/// With default options.
template <calling::NotOptions First, class... A>
Source emit_c(const Schedule &schedule, const First &first, const A &...arguments) {
  return emit_c_source(schedule, calling::list(first, arguments...), {});
}

/// LLVM IR of a kernel as text, for LLVM 16 or later. Needs no LLVM. \throws Error L….
template <class... A>
std::string emit_llvm(const Schedule &schedule, const Options &options, const A &...arguments) {
  return emit_llvm_text(schedule, calling::list(arguments...), options);
}
/// With default options.
template <calling::NotOptions First, class... A>
std::string emit_llvm(const Schedule &schedule, const First &first, const A &...arguments) {
  return emit_llvm_text(schedule, calling::list(first, arguments...), {});
}

/// A kernel that the checking interpreter runs: bounds, unwritten memory, races between parallel iterations. Needs no
/// LLVM. \throws Error L…; the kernel's calls throw K… for arguments that do not fit and R… for what goes wrong in the loops.
template <class... A>
calling::KernelOf<A...> interpret(const Schedule &schedule, const Options &options, const A &...arguments) {
  return calling::KernelOf<A...>(interpreter_code(schedule, calling::list(arguments...), options));
}
/// With default options.
template <calling::NotOptions First, class... A>
calling::KernelOf<First, A...> interpret(const Schedule &schedule, const First &first, const A &...arguments) {
  return calling::KernelOf<First, A...>(interpreter_code(schedule, calling::list(first, arguments...), {}));
}

/// A tensor's elements without a schedule: `Array<float, 2> c = evaluate(C, {{A, a}, {B, b}});` \throws as `evaluate_tensor`.
template <class T, int Rank>
Array<T, Rank> evaluate(const Tensor<T, Rank> &tensor, const List<Binding> &bindings) {
  const Evaluated evaluated = evaluate_tensor(tensor, bindings);
  std::array<std::int64_t, static_cast<std::size_t>(Rank)> shape{};
  for (int d = 0; d < Rank; ++d) shape[static_cast<std::size_t>(d)] = evaluated.shape[static_cast<std::size_t>(d)];
  Array<T, Rank> result(shape);
  if (!evaluated.elements.empty())
    std::memcpy(static_cast<void *>(result.data()), evaluated.elements.data(), evaluated.elements.size());
  return result;
}

}  // namespace lathe::inline LATHE_ABI
