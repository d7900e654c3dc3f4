// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// What the arguments of a call must be, digested from a program's parameters so that checking takes nanoseconds.

#include "lathe/runtime/kernel_code.hpp"
#include "lathe/runtime/size_formula.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI {

/// How one extent or stride is known.
struct KnownInteger {
  enum class How : std::uint8_t {
    constant,  ///< `value`
    binds,     ///< the first bare occurrence of the symbol in slot `slot`: gives it its value
    equals,    ///< the symbol in slot `slot`
    computed,  ///< `formula` over symbols
  };
  How how = How::constant;
  std::int64_t value = 0;
  std::size_t slot = 0;
  SizeFormula formula;
};

/// One tensor argument.
struct TensorRule {
  std::size_t argument = 0;
  std::size_t slot = 0;
  List<KnownInteger> shape;
  List<KnownInteger> strides;  ///< empty: compact, row-major
  std::uintptr_t alignment_mask = 0;
  std::int64_t element_bytes = 0;
  bool output = false;
  std::size_t shares = none;  ///< an output: the argument that may be its memory
  static constexpr std::size_t none = ~std::size_t{0};
};

/// A tensor argument of constant shape, compact and row-major: the common case, laid out for a quick look.
struct FixedTensor {
  std::uint32_t argument = 0;
  std::uint32_t slot = 0;
  std::uint32_t rank = 0;
  std::uint32_t first_extent = 0;  ///< in `fixed_extents`
  std::uintptr_t alignment_mask = 0;
  std::uintptr_t bytes = 0;
};

struct KernelSignature {
  static constexpr std::size_t most_fixed = 16;
  List<FixedTensor> fixed;  ///< all tensors, outputs first, if each is of the common case and they are not too many; else empty
  std::size_t fixed_outputs = 0;
  List<std::int64_t> fixed_extents;
  List<TensorRule> tensors;
  List<std::pair<std::size_t, std::size_t>> scalars;  ///< argument, slot
  List<std::size_t> sizes;                            ///< slots of those that are sizes: at least 0
  List<Slot> prefilled;                               ///< by slot: constants and functions are already in it
  bool fills = false;                                 ///< whether there are such
  List<SizeFormula> requirements;                     ///< conditions, one for each of the program's
  List<ir::Var> symbols;                              ///< by slot; undefined where the slot is none
  List<std::string> messages;                         ///< of the entry's checks
  List<Location> places;
};

}  // namespace lathe::inline LATHE_ABI
