// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Memory between pages that cannot be touched, so that a step beyond either end is a fault, or at least changes a byte that is
/// looked at afterwards.

#include <cstddef>
#include <cstdint>

namespace equivalence {

/// Room for one argument with a forbidden page before and after it.
class GuardedMemory {
 public:
  static constexpr std::size_t size = 32768;

  GuardedMemory();
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory &) = delete;
  GuardedMemory &operator=(const GuardedMemory &) = delete;

  /// Poisons all of it and gives `bytes` of it: the last ones or the first ones.
  std::byte *place(std::size_t bytes, bool at_end);
  /// Whether all but the bytes that `place` gave is as it was.
  bool surroundings_intact() const;

 private:
  std::byte *pages_;
  std::byte *usable_;
  std::byte *given_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace equivalence
