// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// A program with something that runs it, and the checks of a call's arguments. Untyped: `Kernel` puts types around it.

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "lathe/ir/program.hpp"
#include "lathe/runtime/executor.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI {

/// One argument of a call, in the order of the kernel's arguments.
struct CallArgument {
  void *data = nullptr;                   ///< tensors: address of element 0
  const std::int64_t *shape = nullptr;    ///< tensors: extents
  const std::int64_t *strides = nullptr;  ///< tensors: in elements; null: compact, row-major
  Slot scalar{};                          ///< scalars
};

/// What an argument must be.
struct ArgumentInfo {
  std::string name;     ///< of the tensor or variable
  DType type;           ///< of an element, or of the scalar
  int rank = 0;         ///< of a tensor
  bool tensor = false;  ///< otherwise a scalar
  bool output = false;  ///< a tensor that the kernel writes
  Location place{};     ///< of a tensor: where the user declares or computes it
};

struct KernelSignature;

namespace calling {
/// Throws Error K010: `number` is not one of `type`'s.
[[noreturn]] void fail_scalar(const std::string &number, const std::string &type);
}  // namespace calling

/// A compiled (or interpreted) program, immutable: may be called by many threads at once.
class KernelCode {
 public:
  /// Code that runs the program's entry; `owner` keeps it alive. Parallel loops run on `executor`, which must outlive this, or,
  /// if it is null, on `default_executor()`. \throws Error K103 as that does.
  KernelCode(ir::Program program, CompiledFunction function, std::shared_ptr<const void> owner, Executor *executor = nullptr);
  /// Something that runs a program on its slots: the interpreter. (Not named here, so that programs without it need not compile
  /// it.)
  using Runner = void (*)(const ir::Program &program, std::span<const Slot> slots);
  /// A program that is interpreted.
  KernelCode(ir::Program program, Runner runner);
  ~KernelCode();
  KernelCode(const KernelCode &) = delete;
  KernelCode &operator=(const KernelCode &) = delete;

  /// Checks the arguments, then runs.
  /// \throws Error before memory is touched: K001 (an extent), K002 (strides), K003 (alignment or null), K004 (an output overlaps
  /// another argument), K005 (a requirement on sizes), K007 (number of arguments); while running: K006 (a check of the program
  /// fails), K008 (no scratch memory), K009 (the executor failed), and under the interpreter R….
  void call(const CallArgument *arguments, std::size_t count) const;

  const List<ArgumentInfo> &arguments() const { return infos_; }       ///< what `call` takes, in order
  const ir::Program &program() const { return program_; }              ///< the loops that the code was made from
  CompiledFunction function() const { return function_; }              ///< the entry; null under the interpreter
  const std::shared_ptr<const void> &owner() const { return owner_; }  ///< what keeps the function alive

 private:
  void digest();
  void call_with(const CallArgument *arguments, Slot *slots) const;
  void run(const Slot *slots) const;

  ir::Program program_;
  CompiledFunction function_ = nullptr;
  Runner runner_ = nullptr;
  std::shared_ptr<const void> owner_;
  Executor *executor_ = nullptr;
  List<ArgumentInfo> infos_;
  std::unique_ptr<const KernelSignature> signature_;
};

}  // namespace lathe::inline LATHE_ABI
