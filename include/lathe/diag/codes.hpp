// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Every error code with its title. Each code has one test that shows its text.

#include <string_view>

#include "lathe/version.hpp"

namespace lathe::inline LATHE_ABI {

/// A code and what it stands for.
struct CodeTitle {
  std::string_view code;   ///< "E001"
  std::string_view title;  ///< one line without the code
};

/// By room, in the order of their numbers.
inline constexpr CodeTitle code_titles[] = {
    // expressions
    {"E001", "a literal does not fit the type of its expression"},
    {"E002", "a constant extent is negative"},
    {"E003", "an axis is used outside the compute or reduction that it belongs to"},
    {"E004", "a reduction names an axis twice"},
    {"E005", "unchecked() is given something other than a read"},
    {"E006", "a range is empty"},
    {"E007", "shapes do not broadcast"},
    {"E008", "an axis, part or shape does not fit the tensor"},
    {"E009", "constant data does not fill its shape"},
    {"E010", "a reducer does not keep its promise"},
    {"E011", "the names of a compute's axes do not match its shape"},
    {"E012", "a promise about memory cannot hold"},
    {"E013", "an untyped tensor has another type or rank"},
    // schedule steps
    {"S001", "a split factor is below 1"},
    {"S002", "an axis, stage or tensor does not belong to what it is named for"},
    {"S003", "an axis was split or fused away"},
    {"S004", "an axis is named twice"},
    {"S005", "axes to fuse are not neighbours"},
    {"S006", "a reduction axis cannot be run in parallel or as lanes"},
    {"S007", "an output cannot be inlined"},
    {"S008", "a reduction or a stage with several outputs cannot be inlined"},
    {"S009", "a stage cannot be computed inside itself"},
    {"S010", "a stage cannot be computed inside one that does not use it"},
    {"S011", "an output is computed as a whole, in main memory"},
    {"S012", "a reader of a cache does not read the tensor"},
    {"S013", "a stage cannot be computed inside a vectorized loop"},
    {"S014", "a loop is marked already"},
    {"S015", "an inlined stage has no loops"},
    {"S017", "an input has no loops and cannot be an output"},
    {"S018", "a text or a step as data is not a schedule step"},
    {"S019", "a name stands for no tensor, or for several"},
    {"S020", "a loop would stand outside one that its extent depends on"},
    {"S021", "a layout may put two elements at one place"},
    {"S022", "the name of a scope is not one word"},
    {"S031", "a split promises to divide what it does not divide"},
    {"S032", "an axis cannot be rounded up"},
    {"S033", "an assumption is not about sizes"},
    {"S034", "an assumption cannot hold"},
    {"S035", "there is no such stride to align"},
    {"S036", "auto_unroll has no effect"},
    {"S037", "reverse_compute_at has no meaning"},
    {"S038", "a stage cannot be stored past the caches"},
    {"S039", "a tensor cannot be prefetched for a stage"},
    {"S040", "an output and an input cannot share memory"},
    // lowering
    {"L001", "a stage is read outside the loop it is computed at"},
    {"L002", "a read is out of range"},
    {"L003", "a symbol has no value"},
    {"L004", "an extent depends on a loop inside it"},
    {"L005", "an input is not among the kernel's arguments"},
    {"L006", "an output is not among the arguments, or an argument is neither input nor output"},
    {"L007", "start values or extents are computed inside the loops that need them"},
    {"L031", "a split's promise to divide is false, or cannot be checked"},
    {"L032", "a stage that is stored past the caches has no vectors"},
    {"L033", "nothing can be prefetched in a loop"},
    {"L034", "an element that is shared may be written before it is read"},
    {"L061", "an expression has too many conditional paths"},
    {"L062", "a vectorized loop has no constant extent"},
    {"L063", "a vectorized loop has too many lanes"},
    {"L064", "an unrolled loop has no constant extent"},
    {"L065", "unrolling makes too much code"},
    {"L066", "inlining makes too much code"},
    // code generation
    {"G001", "an external function is not loaded"},
    {"G002", "an external function has too many parameters"},
    {"G003", "an external function is called with different types"},
    // targets
    {"T001", "a processor is not known"},
    {"T002", "a processor feature is not known"},
    {"T003", "an architecture is not known"},
    // the JIT
    {"J001", "LLVM is not installed"},
    {"J002", "LLVM is too old or incomplete"},
    {"J003", "LLVM gave up"},
    {"J004", "a compiled function cannot be linked"},
    {"J005", "LLVM lacks an architecture"},
    {"J006", "LLVM does not know a pass"},
    // calling a kernel, and its run time
    {"K001", "an extent of an argument does not fit"},
    {"K002", "a stride of an argument does not fit"},
    {"K003", "an argument is null or not aligned"},
    {"K004", "an output shares memory with another argument"},
    {"K005", "a size does not fit"},
    {"K006", "a check of the program failed while it ran"},
    {"K007", "the number of arguments is wrong"},
    {"K008", "there is no scratch memory"},
    {"K009", "a kernel failed"},
    {"K010", "a number does not fit the type of a scalar argument"},
    {"K101", "an array has an impossible shape"},
    {"K102", "rows of an array differ in length"},
    {"K103", "LATHE_NUM_THREADS is not a number of threads"},
    // faults found by the interpreter and the reference evaluator
    {"R001", "an index is out of bounds"},
    {"R002", "memory is read that nothing wrote"},
    {"R003", "iterations of a parallel loop race"},
    {"R004", "index arithmetic overflows"},
    {"R005", "a promised range is left"},
    {"R006", "a check or requirement fails"},
    {"R007", "an address is null or not aligned"},
    {"R008", "inputs do not fit, or memory cannot be had"},
    // data from other libraries and for them
    {"I001", "there is no DLPack tensor"},
    {"I002", "a DLPack tensor is not in the CPU's memory"},
    {"I003", "a DLPack tensor has another element type"},
    {"I004", "elements of a DLPack tensor have several lanes"},
    {"I005", "a DLPack tensor has another rank"},
    {"I006", "a DLPack tensor is of another major version"},
    {"I007", "a DLPack tensor may only be read"},
    {"I008", "a DLPack tensor has an impossible shape, strides or offset"},
    {"I009", "the data of a DLPack tensor is null"},
    {"I010", "a DLPack tensor is not aligned to its elements"},
    {"I011", "there is nothing to export"},
    {"I101", "a container does not fill its extents"},
    // internal
    {"X001", "a fault of Lathe's own"},
};

/// The title of a code; empty for an unknown one.
constexpr std::string_view title_of(std::string_view code) {
  for (const CodeTitle &entry : code_titles)
    if (entry.code == code) return entry.title;
  return {};
}

}  // namespace lathe::inline LATHE_ABI
