// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The IR's total operators as small functions in C-like text: div_i64, min_f32, u8_from_f32, … Only what a text uses is part
/// of it, in the order of first use.

#include <functional>
#include <string>
#include <string_view>

#include "lathe/dtype/scalar_type.hpp"
#include "lathe/support/hash_map.hpp"

namespace lathe::inline LATHE_ABI::codegen {

/// What differs between the languages that share the C-like printer.
struct Dialect {
  std::string_view name;             ///< "C"
  std::string_view function_prefix;  ///< before functions of the text's own: "static inline"
  std::string_view restrict_word;    ///< between * and the name of a pointer that nothing else reaches
  std::string_view boolean;          ///< type of bools in memory
  std::string_view alignment;        ///< before a declaration, followed by bytes in parentheses: "_Alignas"
  bool declares_math = true;         ///< functions of the C library must be declared
};

/// The name of a scalar type's memory in the fixed-width names of C: "int32_t", "float"; small floats are their bits.
std::string_view c_type(const Dialect &dialect, DType type);
/// The suffix of the functions for a type: "i32", "f32", "bf16", "bool"; an index is "i64".
std::string type_suffix(DType type);

/// Whether `name` is one that the library may define.
bool is_operator_function(std::string_view name);

class OperatorLibrary {
 public:
  explicit OperatorLibrary(const Dialect &dialect) : dialect_(dialect) {}

  /// The name of the function `word` for a type, "min" → "min_f32"; its text becomes part of the library.
  std::string use(std::string_view word, DType type);
  /// The name of the function that converts with saturation: "u8_from_f32"; both may be integers or float32 and float64.
  std::string use_saturation(DType to, DType from);
  /// The name of a function from math.h for float32 or float64: "exp" → "expf"; takes `arity` operands.
  std::string use_math(std::string_view name, DType type, int arity = 1);
  /// Declares a function once. \throws Error G003 when it was declared otherwise.
  void declare(const std::string &name, const std::string &prototype);

  const std::string &prototypes() const { return prototypes_; }
  const std::string &functions() const { return functions_; }

 private:
  std::string fill(std::string_view text, DType type);

  const Dialect &dialect_;
  HashSet<std::string> defined_;
  HashMap<std::string, std::string> declared_;  // name to prototype
  std::string prototypes_, functions_;
};

}  // namespace lathe::inline LATHE_ABI::codegen
