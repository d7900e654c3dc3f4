// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// One workload at one size, ready to be timed: its arrays, its implementations, each checked once against a reference in double.

#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace bench {

/// Float32 memory aligned to 64 bytes that may be read a little before its begin and past its end.
class Memory {
 public:
  explicit Memory(std::size_t floats);
  float *data() const { return memory_.get() + margin; }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t margin = 64;
  struct Free {
    void operator()(float *p) const { ::operator delete[](p, std::align_val_t(64)); }
  };
  std::unique_ptr<float[], Free> memory_;
  std::size_t size_;
};

/// An implementation that has run once.
struct Run {
  std::string implementation;
  std::function<void()> run;
  double max_error;  ///< largest absolute difference from the reference, relative to the reference's largest magnitude
};

struct Case {
  std::string name;  ///< e.g. "sgemm/1024"
  double flops;      ///< operations of one run
  Memory inputs;     ///< all inputs, one after the other: what must be read at least
  Memory output;     ///< what must be written at least
  std::vector<Run> runs;

  double bytes() const { return 4.0 * static_cast<double>(inputs.size() + output.size()); }
};

/// All workloads whose name contains `filter`, with every implementation that takes them.
std::vector<Case> make_cases(const std::string &filter, int threads);

}  // namespace bench
