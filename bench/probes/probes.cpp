// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "probes/probes.hpp"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <new>
#include <tuple>
#include <utility>

namespace probes {
namespace {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif
typedef float Floats __attribute__((vector_size(vector_bytes)));
typedef long long Words __attribute__((vector_size(vector_bytes)));

// Makes the compiler keep `x` in a vector register and forget what it knows of it.
template <class V>
void keep(V &x) {
#if defined(__AVX512F__)
  asm volatile("" : "+v"(x));
#elif defined(__x86_64__)
  asm volatile("" : "+x"(x));
#else
  asm volatile("" : "+w"(x));
#endif
}

// More chains than latency times throughput of any core's multiply-add, fewer than its registers.
constexpr int chains = 12;

// The chains are a pack, so that each is a variable of its own and stays in a register.
template <std::size_t... I>
void fma_chains(std::int64_t rounds, std::index_sequence<I...>) {
  const Floats a = Floats{} + 0.9999f, b = Floats{} + 0.0001f;
  std::tuple x{(Floats{} + static_cast<float>(I))...};
  for (std::int64_t round = 0; round < rounds; ++round) ((std::get<I>(x) = std::get<I>(x) * a + b, keep(std::get<I>(x))), ...);
}

void fma_chains(std::int64_t rounds) { fma_chains(rounds, std::make_index_sequence<chains>()); }

template <int Streams>
void touch_streams(const char *read, std::size_t read_bytes, char *write, std::size_t write_bytes) {
  constexpr std::size_t step = 4 * vector_bytes;
  Words sum = {}, other = {};
  const auto load = [](const char *p) {
    Words v;
    std::memcpy(&v, p, sizeof v);
    return v;
  };
  const auto store = [](char *p, const Words &v) { std::memcpy(p, &v, sizeof v); };
  const std::size_t both =
      std::min(read_bytes, write_bytes) / Streams / step * step;  // bytes of a stream that is read and written
  for (std::size_t i = 0; i < both; i += step)
    for (int s = 0; s < Streams; ++s)
      for (std::size_t u = 0; u < step; u += vector_bytes) store(write + s * both + i + u, load(read + s * both + i + u));
  read += Streams * both, read_bytes -= Streams * both;
  write += Streams * both, write_bytes -= Streams * both;
  const std::size_t only = read_bytes / Streams / step * step;  // bytes of a stream that is only read
  for (std::size_t i = 0; i < only; i += step)
    for (int s = 0; s < Streams; ++s)
      for (std::size_t u = 0; u < step; u += 2 * vector_bytes) {
        sum ^= load(read + s * only + i + u);
        other ^= load(read + s * only + i + u + vector_bytes);
      }
  sum ^= other;
  keep(sum);
  // What is left to write, and the few bytes that fill no step.
  if (read_bytes > Streams * only) std::memcpy(&sum, read + Streams * only, std::min(sizeof sum, read_bytes - Streams * only));
  for (std::size_t i = 0; i + vector_bytes <= write_bytes; i += vector_bytes) store(write + i, sum);
}

void touch_some(const char *read, std::size_t read_bytes, char *write, std::size_t write_bytes, int streams) {
  if (streams == 8) return touch_streams<8>(read, read_bytes, write, write_bytes);
  if (streams == 4) return touch_streams<4>(read, read_bytes, write, write_bytes);
  touch_streams<1>(read, read_bytes, write, write_bytes);
}

template <class F>
double seconds(F &&run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Free {
  void operator()(char *p) const { ::operator delete[](p, std::align_val_t(64)); }
};
std::unique_ptr<char[], Free> allocate(std::size_t bytes) {
  std::unique_ptr<char[], Free> memory(new (std::align_val_t(64)) char[bytes + 64]);
  std::memset(memory.get(), 1, bytes + 64);
  return memory;
}

}  // namespace

const double flops_per_round = 2.0 * chains * vector_bytes / sizeof(float);

void fma_rounds(std::int64_t rounds, int threads) {
  if (threads == 1) return fma_chains(rounds);
#pragma omp parallel num_threads(threads)
  fma_chains(rounds);
}

void touch(const void *read, std::size_t read_bytes, void *write, std::size_t write_bytes, int threads, int streams) {
  const auto *from = static_cast<const char *>(read);
  auto *to = static_cast<char *>(write);
  if (threads == 1) return touch_some(from, read_bytes, to, write_bytes, streams);
#pragma omp parallel num_threads(threads)
  {
    const std::size_t part = omp_get_thread_num(), parts = omp_get_num_threads();
    const auto cut = [&](std::size_t bytes, std::size_t k) { return k == parts ? bytes : bytes / 64 * k / parts * 64; };
    const std::size_t r = cut(read_bytes, part), w = cut(write_bytes, part);
    touch_some(from + r, cut(read_bytes, part + 1) - r, to + w, cut(write_bytes, part + 1) - w, streams);
  }
}

double peak_gflops(int threads) {
  constexpr std::int64_t rounds = 300000;
  double best = 0;
  for (int burst = 0; burst < 10; ++burst)
    best = std::max(best, flops_per_round * rounds * threads / seconds([&] { fma_rounds(rounds, threads); }) * 1e-9);
  return best;
}

double bandwidth_gbs(std::size_t read_bytes, std::size_t write_bytes, int threads) {
  const auto read = allocate(read_bytes), write = allocate(write_bytes);
  const double bytes = static_cast<double>(read_bytes) + static_cast<double>(write_bytes);
  const int passes = static_cast<int>(std::clamp(2e7 / (bytes + 1), 1.0, 1000.0));  // about a millisecond or more
  double best = 0;
  for (int round = 0; round < 7; ++round)
    for (const int streams : {1, 4, 8}) {
      const double time = seconds([&] {
        for (int pass = 0; pass < passes; ++pass) touch(read.get(), read_bytes, write.get(), write_bytes, threads, streams);
      });
      best = std::max(best, bytes * passes / time * 1e-9);
    }
  return best;
}

}  // namespace probes
