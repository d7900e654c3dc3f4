// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The interpreter's memory: elements with what is known of each, so that reads of unwritten memory and races are found.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "lathe/ir/evaluate.hpp"
#include "lathe/ir/stmt.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::codegen::interpreter {

/// A parallel loop under way. Every iteration of every loop that runs gets a number of its own, counted through the whole run.
struct ParallelLoop {
  const ir::For *loop = nullptr;
  std::int64_t min = 0;
  std::uint64_t first = 0;    ///< number of the loop's first iteration
  std::uint64_t current = 0;  ///< number of the one that runs
};

/// What happened to an element in one of the parallel loops around: numbers of iterations, 0 for none.
struct AccessMark {
  std::uint64_t writer = 0;      ///< the last to write
  std::uint64_t reader = 0;      ///< the last to read
  bool several_readers = false;  ///< others of the same loop read before it
};

/// Two iterations of a parallel loop that touch one element.
struct Race {
  const ParallelLoop *loop;
  std::uint64_t other;  ///< number of the iteration that was there before; 0: one of several
  bool other_wrote;
};

/// One buffer while it lives.
class Memory {
 public:
  /// Memory of the caller's. `written`: it holds values already.
  void refer_to(std::byte *element_zero, bool written);
  /// Memory of the interpreter's own, unwritten. \throws std::bad_alloc
  void allocate();

  /// Sets the extents and strides of what is to be referred to or allocated, and the span of elements that they reach.
  /// False when the span does not fit 64 bits.
  bool reshape(List<std::int64_t> shape, List<std::int64_t> strides);
  /// From here on watches accesses from the `levels` parallel loops inside `outer` others.
  void watch(std::size_t outer, std::size_t levels);

  const List<std::int64_t> &shape() const { return shape_; }
  const List<std::int64_t> &strides() const { return strides_; }
  std::byte *address(std::int64_t offset) const { return base_ + offset * element_bytes_; }
  void set_type(DType type) {
    type_ = type;
    element_bytes_ = type.bytes();
  }
  DType type() const { return type_; }

  bool is_written(std::int64_t offset) const { return all_written_ || written_[static_cast<std::size_t>(offset - low_)]; }
  void mark_written(std::int64_t offset) {
    if (!all_written_) written_[static_cast<std::size_t>(offset - low_)] = 1;
  }

  bool is_watched() const { return levels_ != 0; }
  /// Notes an access from inside `loops` and tells of a race, if it is one.
  std::optional<Race> note_read(std::int64_t offset, const List<ParallelLoop> &loops);
  std::optional<Race> note_write(std::int64_t offset, const List<ParallelLoop> &loops);

 private:
  AccessMark *marks_of(std::int64_t offset) { return marks_.data() + static_cast<std::size_t>(offset - low_) * levels_; }

  std::byte *base_ = nullptr;  // element 0
  int element_bytes_ = 1;
  DType type_;
  List<std::int64_t> shape_, strides_;
  std::int64_t low_ = 0, count_ = 0;  // reachable offsets: [low_, low_ + count_)
  bool all_written_ = true;
  List<unsigned char> written_;
  List<std::byte> own_;
  std::size_t outer_ = 0, levels_ = 0;
  List<AccessMark> marks_;
};

}  // namespace lathe::inline LATHE_ABI::codegen::interpreter
