// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Runs kernels that were compiled for aarch64, on bytes from a file: aarch64_main CALLS RESULTS. Needs nothing of Lathe but the
/// binary interface. `kernels.inc`, made beside it, has a line KERNEL(name) for each kernel.
///
/// CALLS has for each kernel: the number of slots, and for each slot 1 and eight bytes of value, or 0, a number of bytes and that
/// many. All numbers have eight bytes. RESULTS gets for each kernel, twice, the status and the bytes of its buffers: once they
/// lay behind, once before a page that cannot be touched.

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "lathe/runtime/abi.hpp"

#define KERNEL(name) extern "C" std::int32_t name(const lathe::Args *, const lathe::Runtime *);
#include "kernels.inc"
#undef KERNEL

namespace {

struct Named {
  const char *name;
  lathe::CompiledFunction function;
};
const Named kernels[] = {
#define KERNEL(name) {#name, name},
#include "kernels.inc"
};

[[noreturn]] void die(const char *what) {
  std::fprintf(stderr, "%s\n", what);
  std::exit(3);
}

std::uint64_t number(std::FILE *file) {
  std::uint64_t value = 0;
  if (std::fread(&value, sizeof value, 1, file) != 1) die("the file of calls ends early");
  return value;
}

// ---- the runtime --------------------------------------------------------------------------------------------------------------

std::vector<void *> held;

void *acquire(const lathe::Runtime *, std::uint64_t bytes) {
  void *memory = std::aligned_alloc(64, (bytes + 64) / 64 * 64);
  if (!memory) return nullptr;
  std::memset(memory, 0xcb, bytes);
  held.push_back(memory);
  return memory;
}

void release(const lathe::Runtime *, void *block) {
  for (void *last = nullptr; last != block; held.pop_back()) {
    if (held.empty()) die("what is released was not acquired");
    last = held.back();
    std::free(last);
  }
}

/// One chunk after the other, the last one first.
std::int32_t parallel_for(const lathe::Runtime *runtime, std::int64_t begin, std::int64_t end, lathe::CompiledFunction body,
                          const lathe::Slot *slots) {
  for (; end > begin; end -= 3) {
    const lathe::Args args{slots, end - 3 > begin ? end - 3 : begin, end};
    if (const std::int32_t status = body(&args, runtime)) return status;
  }
  return 0;
}

const lathe::Runtime runtime{1, sizeof(lathe::Runtime), nullptr, &parallel_for, &acquire, &release};

// ---- buffers ------------------------------------------------------------------------------------------------------------------

/// Bytes between pages that cannot be touched; the rest of the usable pages is looked at afterwards.
class Guarded {
 public:
  explicit Guarded(const std::vector<char> &bytes) : bytes_(bytes), usable_((bytes.size() / page + 1) * page) {
    void *pages = mmap(nullptr, usable_ + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) die("no memory");
    first_ = static_cast<char *>(pages) + page;
    if (mprotect(first_, usable_, PROT_READ | PROT_WRITE) != 0) die("no memory");
  }

  char *place(bool at_end) {
    std::memset(first_, poison, usable_);
    data_ = first_ + (at_end ? usable_ - bytes_.size() : 0);
    if (!bytes_.empty()) std::memcpy(data_, bytes_.data(), bytes_.size());
    return data_;
  }

  void save(std::FILE *file) const {
    for (const char *at = first_; at != first_ + usable_; ++at)
      if ((at < data_ || at >= data_ + bytes_.size()) && *at != poison) die("memory beside a buffer is written");
    if (std::fwrite(data_, 1, bytes_.size(), file) != bytes_.size()) die("results cannot be written");
  }

 private:
  static constexpr std::size_t page = 65536;  // the largest of aarch64
  static constexpr char poison = 0x5a;

  std::vector<char> bytes_;
  std::size_t usable_;
  char *first_, *data_ = nullptr;
};

void run(const Named &kernel, std::FILE *calls, std::FILE *results) {
  std::fprintf(stderr, "%s\n", kernel.name);
  std::vector<lathe::Slot> slots(number(calls));
  std::vector<Guarded> buffers;
  std::vector<std::size_t> places;
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    if (number(calls) == 1) {
      slots[slot].bits = number(calls);
      continue;
    }
    std::vector<char> bytes(number(calls));
    if (std::fread(bytes.data(), 1, bytes.size(), calls) != bytes.size()) die("the file of calls ends early");
    buffers.emplace_back(bytes);
    places.push_back(slot);
  }
  for (const bool at_end : {false, true}) {
    for (std::size_t b = 0; b < buffers.size(); ++b) slots[places[b]].pointer = buffers[b].place(at_end);
    const lathe::Args args{slots.data(), 0, 0};
    const std::int64_t status = kernel.function(&args, &runtime);
    if (!held.empty()) die("scratch memory is not released");
    std::fwrite(&status, sizeof status, 1, results);
    for (const Guarded &buffer : buffers) buffer.save(results);
  }
}

}  // namespace

int main(int count, char **words) {
  if (count != 3) die("usage: aarch64_main CALLS RESULTS");
  std::FILE *calls = std::fopen(words[1], "rb"), *results = std::fopen(words[2], "wb");
  if (!calls || !results) die("a file cannot be opened");
  for (const Named &kernel : kernels) run(kernel, calls, results);
  return std::fclose(results) == 0 ? 0 : 3;
}
