// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "equivalence/guarded_memory.hpp"

#include <sys/mman.h>

#include <cstring>
#include <new>
#include <stdexcept>

namespace equivalence {

namespace {

constexpr std::size_t guard = 65536;
constexpr unsigned char poison = 0xa5;

}  // namespace

GuardedMemory::GuardedMemory() {
  void *pages = mmap(nullptr, size + 2 * guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  pages_ = static_cast<std::byte *>(pages);
  usable_ = pages_ + guard;
  if (mprotect(usable_, size, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  std::memset(usable_, poison, size);
  given_ = usable_;
}

GuardedMemory::~GuardedMemory() { munmap(pages_, size + 2 * guard); }

std::byte *GuardedMemory::place(std::size_t bytes, bool at_end) {
  if (bytes > size) throw std::length_error("an argument is larger than a guarded region");
  std::memset(given_, poison, bytes_);
  bytes_ = 0;
  if (!surroundings_intact()) std::memset(usable_, poison, size);
  bytes_ = bytes;
  given_ = at_end ? usable_ + size - bytes : usable_;
  return given_;
}

bool GuardedMemory::surroundings_intact() const {
  const auto intact = [](const std::byte *from, const std::byte *to) {
    for (; from != to; ++from)
      if (*from != std::byte{poison}) return false;
    return true;
  };
  return intact(usable_, given_) && intact(given_ + bytes_, usable_ + size);
}

}  // namespace equivalence
