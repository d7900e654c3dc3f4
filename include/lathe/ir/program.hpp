// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// What lowering returns and back ends take: functions over buffers, with everything a caller must know. Free of any back end.

#include <cstddef>
#include <memory>

#include "lathe/ir/stmt.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::ir {

/// Where a parameter's slot gets its value.
enum class ParameterKind : std::uint8_t {
  input,     ///< address of element 0 of an argument that is read
  output,    ///< address of element 0 of an argument that is written
  scalar,    ///< a value: a scalar argument, or a size symbol found in the arguments' shapes
  constant,  ///< address of data that the program owns
  function,  ///< address of an external function
};

/// One slot of the calling convention (runtime/abi.hpp).
struct Parameter {
  ParameterKind kind = ParameterKind::scalar;   ///< which fields mean something
  std::string name;                             ///< of the tensor, variable or function
  Buffer buffer;                                ///< input, output, constant
  Var var;                                      ///< scalar
  ExternalFunction function;                    ///< function
  std::shared_ptr<const List<std::byte>> data;  ///< constant
  bool argument = true;                         ///< scalar: false for a size symbol that no argument gives directly
  Buffer shares{};                              ///< output: the input that may be the same memory; optional
  Location place{};                             ///< input, output: where the user declares or computes the tensor
};

/// Loops over parameters: what becomes a `CompiledFunction` (runtime/abi.hpp).
struct Function {
  std::string name;            ///< a C identifier, unique in its program
  List<Parameter> parameters;  ///< one per slot, in order
  Stmt body;                   ///< all its free names are parameters
};

/// Something that must hold of a call's sizes, checked before the kernel runs.
struct Requirement {
  Expr condition;           ///< over scalar parameters
  std::string text;         ///< the rule, for the user
  Location place;           ///< who set it
  std::string quoted = {};  ///< what stands there: the step as C++, or empty
};

/// Where the user computes a stage. Blocks are labelled with its name.
struct StagePlace {
  std::string name;  ///< as labels say it
  Location place;    ///< of its compute
};

/// A kernel before code generation.
struct Program {
  List<Function> functions;         ///< the first is the entry
  List<Requirement> requirements;   ///< of the entry's scalar parameters
  std::uint64_t scratch_bytes = 0;  ///< most scratch memory one thread needs at a time, where that is known; 0: it is not
  List<StagePlace> stages = {};     ///< for diagnostics; may be empty
  /// The function that callers call.
  const Function &entry() const { return functions.front(); }
  /// Where the only stage of that name is computed, else an unknown place.
  Location place_of(const std::string &stage) const;
};

/// Whether two checks test the same condition with the same message (places do not count).
bool same_check(const Check &a, const Check &b);

/// The distinct `Check`s of a function in order of appearance. Compiled code returns 1 + position for the first that fails.
List<Check> checks_of(const Function &function);

}  // namespace lathe::inline LATHE_ABI::ir
