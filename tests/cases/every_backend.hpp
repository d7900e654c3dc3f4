// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// One scheduled expression on everything that can run it, with the values that a case states:
///
///     EveryBackend run;
///     run.expect(s, {in(A, a), size(n, 7), out(B, Array<int, 1>::of({1, 2, 3}))});
///
/// runs the reference evaluator, the interpreter on the loops before and after the passes, kernels of the JIT for two processors,
/// and the emitted C. Arguments lie at either end of memory between forbidden pages; outputs are poisoned before, inputs and the
/// surroundings looked at afterwards. Values are compared bit by bit (any NaN equals any other).

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "lathe/jit.hpp"

namespace cases {

using namespace lathe;

/// One argument with its elements: of an input those it has, of an output those it must get.
struct Given {
  enum class Kind { input, output, scalar };
  AnyArgument argument;
  Kind kind;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> elements;  ///< row-major
  Slot scalar{};
};

template <class T, int Rank>
Given tensor_given(Given::Kind kind, const Tensor<T, Rank> &tensor, const Array<T, Rank> &array) {
  Given given{AnyArgument(tensor), kind, {array.shape().begin(), array.shape().end()}, {}, {}};
  given.elements.resize(static_cast<std::size_t>(array.size()) * sizeof(T));
  if (array.size() > 0) std::memcpy(given.elements.data(), array.data(), given.elements.size());
  return given;
}
/// An input.
template <class T, int Rank>
Given in(const Input<T, Rank> &tensor, const Array<T, Rank> &elements) {
  return tensor_given(Given::Kind::input, static_cast<const Tensor<T, Rank> &>(tensor), elements);
}
/// An output with the right values.
template <class T, int Rank>
Given out(const Tensor<T, Rank> &tensor, const Array<T, Rank> &right) {
  return tensor_given(Given::Kind::output, tensor, right);
}
template <class T, class V>
Given value(const ScalarArgument<T> &scalar, V value) {
  Given given{AnyArgument(scalar), Given::Kind::scalar, {}, {}, {}};
  const T typed = static_cast<T>(value);
  std::memcpy(&given.scalar, &typed, sizeof(T));
  return given;
}
inline Given size(const SizeVar &symbol, std::int64_t value) {
  Given given{AnyArgument(symbol), Given::Kind::scalar, {}, {}, {}};
  given.scalar.integer = value;
  return given;
}

/// Calls `code`, arguments at one end of memory between forbidden pages, and expects the outputs' elements: within `tolerance`
/// units in the last place of floats.
void call_and_compare(const KernelCode &code, const std::vector<Given> &given, bool at_end, int tolerance = 0);
/// The same arguments with the outputs that `code` gives.
std::vector<Given> results_of(const KernelCode &code, std::vector<Given> given);

/// Runs cases; the emitted C of all of them is compiled together, by the destructor or by `finish`.
class EveryBackend {
 public:
  EveryBackend();
  ~EveryBackend();
  EveryBackend(const EveryBackend &) = delete;
  EveryBackend &operator=(const EveryBackend &) = delete;

  /// Expects the right values from everything.
  void expect(const Schedule &schedule, const std::vector<Given> &arguments, Location place = Location::current());
  /// Expects that `schedule` cannot be lowered: an error with this code.
  void expect_unbuildable(const char *code, const Schedule &schedule, const std::vector<AnyArgument> &arguments,
                          Location place = Location::current());
  /// Expects that every kernel fails when called: with `code`, or under the interpreter with `interpreter_code`.
  void expect_failure(const char *code, const char *interpreter_code, const Schedule &schedule,
                      const std::vector<Given> &arguments, Location place = Location::current());
  /// Compiles and runs the C that waits.
  void finish();

 private:
  struct Waiting;
  std::vector<Waiting> waiting_;
};

/// Bit-exact results of floating-point programs are stated without fused multiply-adds.
inline Options exact_options() { return {.numerics = Numerics::strict()}; }

/// Expects an `Error` with this code from a callable.
template <class Callable>
void expect_error(const char *code, Callable &&callable, Location place = Location::current()) {
  ::testing::ScopedTrace trace(place.file, static_cast<int>(place.line), "expecting the error " + std::string(code));
  try {
    callable();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), code) << error.what();
  }
}

/// Elements 0, 1, 2, … in row-major order, times `step`, plus `first`.
template <class T, int Rank>
Array<T, Rank> counted(const Extents<Rank> &extents, std::int64_t first = 0, std::int64_t step = 1) {
  std::int64_t next = first - step;
  return Array<T, Rank>::generate(extents, [&](auto...) { return static_cast<T>(next += step); });
}

/// The allocated buffers of the loops as scheduled: name and constant extents (-1 where symbolic).
struct Allocated {
  std::string name;
  std::vector<std::int64_t> shape;
};
std::vector<Allocated> allocations(const Schedule &schedule, const std::vector<AnyArgument> &arguments);

}  // namespace cases
