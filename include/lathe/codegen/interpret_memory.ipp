// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Bookkeeping of elements.

#include <new>
#include <utility>

#include "lathe/codegen/interpret_memory.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/lists.hpp"

namespace lathe::inline LATHE_ABI::codegen::interpreter {

LATHE_INLINE bool Memory::reshape(List<std::int64_t> shape, List<std::int64_t> strides) {
  shape_ = std::move(shape);
  strides_ = std::move(strides);
  low_ = count_ = 0;
  if (lists::any_of(shape_, [](std::int64_t extent) { return extent <= 0; })) return true;
  std::int64_t high = 0;
  for (std::size_t i = 0; i < shape_.size(); ++i) {
    std::int64_t reach = 0;
    std::int64_t &end = strides_[i] < 0 ? low_ : high;
    if (__builtin_mul_overflow(shape_[i] - 1, strides_[i], &reach) || __builtin_add_overflow(end, reach, &end)) return false;
  }
  std::int64_t bytes = 0;
  return !__builtin_sub_overflow(high, low_, &count_) && !__builtin_add_overflow(count_, 1, &count_) &&
         !__builtin_mul_overflow(count_, std::int64_t{element_bytes_}, &bytes);
}

LATHE_INLINE void Memory::refer_to(std::byte *element_zero, bool written) {
  base_ = element_zero;
  all_written_ = written;
  if (!written) written_.assign(static_cast<std::size_t>(count_), 0);
}

/// More memory than this is a mistake, of which allocators under a sanitizer make no exception.
inline constexpr std::size_t most_bytes = std::size_t{1} << 40;

LATHE_INLINE void Memory::allocate() {
  const auto bytes = static_cast<std::size_t>(count_) * static_cast<std::size_t>(element_bytes_);
  if (bytes > most_bytes) throw std::bad_alloc();
  if (own_.size() < bytes) own_.resize(bytes);
  base_ = own_.data() - low_ * element_bytes_;
  all_written_ = false;
  written_.assign(static_cast<std::size_t>(count_), 0);
}

LATHE_INLINE void Memory::watch(std::size_t outer, std::size_t levels) {
  outer_ = outer;
  levels_ = levels;
  marks_.assign(static_cast<std::size_t>(count_) * levels, {});
}

LATHE_INLINE std::optional<Race> Memory::note_read(std::int64_t offset, const List<ParallelLoop> &loops) {
  AccessMark *marks = marks_of(offset);
  for (std::size_t level = outer_; level < loops.size(); ++level) {
    const ParallelLoop &loop = loops[level];
    AccessMark &mark = marks[level - outer_];
    if (mark.writer >= loop.first && mark.writer != loop.current) return Race{&loop, mark.writer, true};
    mark.several_readers = mark.reader >= loop.first && (mark.several_readers || mark.reader != loop.current);
    mark.reader = loop.current;
  }
  return std::nullopt;
}

LATHE_INLINE std::optional<Race> Memory::note_write(std::int64_t offset, const List<ParallelLoop> &loops) {
  AccessMark *marks = marks_of(offset);
  for (std::size_t level = outer_; level < loops.size(); ++level) {
    const ParallelLoop &loop = loops[level];
    AccessMark &mark = marks[level - outer_];
    if (mark.writer >= loop.first && mark.writer != loop.current) return Race{&loop, mark.writer, true};
    if (mark.reader >= loop.first && mark.reader != loop.current) return Race{&loop, mark.reader, false};
    if (mark.reader >= loop.first && mark.several_readers) return Race{&loop, 0, false};
    mark.writer = loop.current;
  }
  return std::nullopt;
}

}  // namespace lathe::inline LATHE_ABI::codegen::interpreter
