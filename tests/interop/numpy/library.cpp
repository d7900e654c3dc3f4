// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What round_trip.py calls through ctypes: kernels and arrays behind a C interface. Tensors are pointers out of Python capsules.
/// Functions return 0, or 1 after an error, whose code `last_error` then gives.

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "lathe/interop/dlpack.hpp"
#include "lathe/jit.hpp"
// The package's header behind ours; the test of exports has it before ours.
#include <dlpack/dlpack.h>

namespace {

using namespace lathe;

std::string error;
int alive = 0;  // exported arrays that nobody has given back

template <class Action>
int guarded(const Action &action) {
  try {
    action();
    return 0;
  } catch (const Error &refusal) {
    error = refusal.code();
  }
  return 1;
}

/// Calls `action` with a null pointer to the type of that name.
template <class Action>
void with_type(const char *name, const Action &action) {
  const auto is = [&]<class T>(T *type) {
    if (to_string(dtype_of<T>()) == name) action(type);
  };
  is(static_cast<std::int8_t *>(nullptr)), is(static_cast<std::int16_t *>(nullptr));
  is(static_cast<std::int32_t *>(nullptr)), is(static_cast<std::int64_t *>(nullptr));
  is(static_cast<std::uint8_t *>(nullptr)), is(static_cast<std::uint16_t *>(nullptr));
  is(static_cast<std::uint32_t *>(nullptr)), is(static_cast<std::uint64_t *>(nullptr));
  is(static_cast<float16 *>(nullptr)), is(static_cast<float *>(nullptr)), is(static_cast<double *>(nullptr));
}

std::optional<dlpack::Imported<float, 1>> held;

}  // namespace

extern "C" {

const char *last_error() { return error.c_str(); }
int alive_exports() { return alive; }

/// c = a b, where a is row-major and b column-major; a and b are taken, c is given.
int product(void *a, void *b, void **c) {
  return guarded([&] {
    const auto in_a = from_dlpack<const float, 2>(static_cast<DLManagedTensor *>(a));
    const auto in_b = from_dlpack<const float, 2>(static_cast<dlpack::ManagedTensor *>(b));
    auto m = size_var("m"), n = size_var("n"), l = size_var("l");
    auto A = placeholder<float>({m, l}, "A"), B = placeholder<float>({l, n}, "B").column_major();
    auto k = reduce_axis(l, "k");
    auto C = compute({m, n}, [&](Index i, Index j) { return sum(A(i, k) * B(k, j), k); }, "C(i, j)");
    Array<float, 2> out({in_a.view().shape(0), in_b.view().shape(1)});
    jit(Schedule(C), A, B, C)(in_a, in_b, out);
    *c = to_dlpack<DLManagedTensor>(std::move(out)).release();
  });
}

/// Takes a matrix; result = the sum of its elements, that at (i, j) times 1 + 10 i + j.
int weighted_sum(void *tensor, const char *type, double *result) {
  return guarded([&] {
    with_type(type, [&]<class T>(T *) {
      const auto imported = from_dlpack<const T, 2>(static_cast<dlpack::ManagedTensor *>(tensor));
      const View<const T, 2> view = imported;
      *result = 0;
      for (std::int64_t i = 0; i < view.shape(0); ++i)
        for (std::int64_t j = 0; j < view.shape(1); ++j)
          *result += static_cast<double>(view(i, j)) * static_cast<double>(1 + 10 * i + j);
    });
  });
}

/// Takes a vector of float32 and writes `value` to its elements.
int fill(void *tensor, float value) {
  return guarded([&] { from_dlpack<float, 1>(static_cast<DLManagedTensor *>(tensor)).view().fill(value); });
}

/// Takes a vector and keeps it until `let_go`.
int hold(void *tensor) {
  return guarded([&] { held = from_dlpack<float, 1>(static_cast<dlpack::ManagedTensor *>(tensor)); });
}
void let_go() { held.reset(); }

/// Gives an array [2, 3, 4] of 0, 1, 2, … and tells where it is.
int make(const char *type, void **tensor, void **address) {
  return guarded([&] {
    with_type(type, [&]<class T>(T *) {
      auto array = std::shared_ptr<Array<T, 3>>(new Array<T, 3>({2, 3, 4}), [](Array<T, 3> *kept) {
        --alive;
        delete kept;
      });
      ++alive;
      int next = 0;
      for (T &element : *array) element = static_cast<T>(next++);
      *address = array->data();
      *tensor = to_dlpack<dlpack::ManagedTensor>(std::move(array)).release();
    });
  });
}

/// Gives every second column of a matrix [3, 4], transposed, which stays alive with the tensor.
int make_strided(void **tensor) {
  return guarded([&] {
    auto array = std::make_shared<Array<std::int32_t, 2>>(
        Array<std::int32_t, 2>::generate({3, 4}, [](auto i, auto j) { return 10 * i + j; }));
    const View<std::int32_t, 2> view(array->data(), {2, 3}, {2, 4});
    *tensor = to_dlpack<DLManagedTensor>(view, std::move(array)).release();
  });
}

}  // extern "C"
