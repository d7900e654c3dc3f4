// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Loads and stores of every shape beside pages that may not be touched.

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <numeric>

#include "codegen/llvm_harness.hpp"

namespace lathe::llvm_harness {
namespace {

/// n elements whose end (or beginning) is the edge of a page that faults when touched.
template <class T>
class Guarded {
 public:
  Guarded(std::size_t n, bool at_end) : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    const std::size_t used = (n * sizeof(T) + page_ - 1) / page_ * page_;
    bytes_ = used + 2 * page_;
    base_ = static_cast<unsigned char *>(mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_NE(base_, MAP_FAILED);
    EXPECT_EQ(mprotect(base_ + page_, used, PROT_READ | PROT_WRITE), 0);
    data_ = reinterpret_cast<T *>(base_ + page_ + (at_end ? used - n * sizeof(T) : 0));
  }
  ~Guarded() { munmap(base_, bytes_); }
  T *data() { return data_; }
  T &operator[](std::size_t i) { return data_[i]; }

 private:
  std::size_t page_, bytes_;
  unsigned char *base_;
  T *data_;
};

class Memory : public testing::TestWithParam<DType> {};

/// Copies with a vector mask i < n: lanes beyond the array neither read nor written.
TEST_P(Memory, MaskedTailTouchesNothingBeyond) {
  const DType type = GetParam();
  const std::size_t bytes = static_cast<std::size_t>(type.bytes());
  for (const Target &target : runnable_targets()) {
    for (const int width : {4, 16}) {
      Var n("n", index_type, true), i("i", index_type);
      Buffer in("in", type, {Expr(n)}), out("out", type, {Expr(n)});
      const Expr at = lanes(Expr(i) * Expr(width), width), mask = at < broadcast(Expr(n), width);
      const Program p = program({scalar(n), input(in), output(out)}, loop(i, 0, (Expr(n) + Expr(width - 1)) / Expr(width),
                                                                          store(out, {at}, load(in, {at}, mask), mask)));
      const Compiled compiled(p, target);
      for (const std::int64_t size : {1, 3, 15, 16, 17, 31}) {
        const auto total = static_cast<std::size_t>(size) * bytes;
        Guarded<unsigned char> a(total, true), b(total, true);
        for (std::size_t j = 0; j < total; ++j)
          a[j] = type.is_bool() ? j % 3 == 0 : static_cast<unsigned char>(j * 37 + 1), b[j] = 0xcc;
        ASSERT_EQ(compiled.run({slot(size), slot(a.data()), slot(b.data())}), 0);
        EXPECT_EQ(std::memcmp(a.data(), b.data(), total), 0)
            << to_string(type) << " x" << width << " n " << size << " " << target.cpu;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllTypes, Memory, testing::ValuesIn(all_types()),
                         [](const testing::TestParamInfo<DType> &type) { return to_string(type.param); });

const DType f32(scalar_types::float32), i32(scalar_types::int32);

TEST(LlvmMemory, ScalarPredicateGuardsALoad) {
  Var n("n", index_type, true), i("i", index_type);
  Buffer in("in", f32, {Expr(n)}), out("out", f32, {Expr(n) + Expr(2)});
  // A padded row: zero before and after.
  const Expr inside = Expr(i) >= Expr(1) && Expr(i) < Expr(n) + Expr(1);
  const Program p =
      program({scalar(n), input(in), output(out)},
              loop(i, 0, Expr(n) + Expr(2), store(out, {Expr(i)}, load(in, {Expr(i) - Expr(1)}, inside) + constant(f32, 1.0))));
  const Compiled compiled(p);
  for (const bool at_end : {false, true}) {
    Guarded<float> a(1024, at_end);
    for (std::size_t j = 0; j < 1024; ++j) a[j] = static_cast<float>(j + 5);
    std::vector<float> b(1026, -1);
    ASSERT_EQ(compiled.run({slot(std::int64_t{1024}), slot(a.data()), slot(b.data())}), 0);
    EXPECT_EQ(b[0], 1);
    EXPECT_EQ(b[1025], 1);
    for (std::size_t j = 0; j < 1024; ++j) EXPECT_EQ(b[j + 1], static_cast<float>(j + 6));
  }
}

TEST(LlvmMemory, UniformPredicateGuardsAVector) {
  Var n("n", index_type, true), i("i", index_type);
  Buffer in("in", f32, {Expr(n)}), out("out", f32, {Expr(n) + Expr(16)});
  const Expr at = lanes(Expr(i) * Expr(16), 16);
  for (const bool uniform_store : {false, true}) {
    const Expr inside = broadcast(Expr(i) * Expr(16) < Expr(n), 16);
    const Program p = program(
        {scalar(n), input(in), output(out)},
        loop(i, 0, Expr(n) / Expr(16) + Expr(1), store(out, {at}, load(in, {at}, inside), uniform_store ? inside : Expr())));
    Guarded<float> a(64, true);
    for (std::size_t j = 0; j < 64; ++j) a[j] = static_cast<float>(j + 1);
    std::vector<float> b(80, -1);
    ASSERT_EQ(Compiled(p).run({slot(std::int64_t{64}), slot(a.data()), slot(b.data())}), 0);
    for (std::size_t j = 0; j < 80; ++j) EXPECT_EQ(b[j], j < 64 ? static_cast<float>(j + 1) : uniform_store ? -1.0f : 0.0f);
  }
}

/// Every constant stride, in both directions, at both edges of memory.
TEST(LlvmMemory, StridedLoads) {
  for (const Target &target : runnable_targets()) {
    for (const int width : {4, 8, 16, 5}) {
      for (const int stride : {-5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5}) {
        const int span = std::abs(stride) * (width - 1) + 1;
        Buffer in("in", i32, {Expr(span)}), out("out", i32, {Expr(width)});
        const Expr at = lanes(Expr(stride < 0 ? span - 1 : 0), width, stride);
        const Compiled compiled(program({input(in), output(out)}, store(out, {lanes(0, width)}, load(in, {at}))), target);
        for (const bool at_end : {false, true}) {
          Guarded<std::int32_t> a(static_cast<std::size_t>(span), at_end);
          std::iota(a.data(), a.data() + span, 100);
          std::vector<std::int32_t> b(static_cast<std::size_t>(width));
          ASSERT_EQ(compiled.run({slot(a.data()), slot(b.data())}), 0);
          for (int j = 0; j < width; ++j)
            EXPECT_EQ(b[static_cast<std::size_t>(j)], 100 + (stride < 0 ? span - 1 : 0) + j * stride)
                << width << " by " << stride;
        }
      }
    }
  }
}

/// Rows of a matrix whose width is known at run time only: the stride is a variable; masked and not.
TEST(LlvmMemory, SymbolicStride) {
  for (const Target &target : runnable_targets()) {
    Var n("n", index_type, true), m("m", index_type, true), j("j", index_type);
    Buffer in("in", f32, {Expr(n), Expr(m)}), out("out", f32, {Expr(m), Expr(8)}), masked("masked", f32, {Expr(m), Expr(8)});
    const Expr rows = lanes(0, 8), mask = rows < broadcast(Expr(n), 8), column = Expr(j);
    const Program p =
        program({scalar(n), scalar(m), input(in), output(out), output(masked)},
                loop(j, 0, Expr(m),
                     block({store(out, {column, lanes(0, 8)}, load(in, {min(rows, broadcast(Expr(n) - Expr(1), 8)), column})),
                            store(masked, {column, lanes(0, 8)}, load(in, {rows, column}, mask))})));
    const Compiled compiled(p, target);
    Guarded<float> a(5 * 7, true);
    for (std::size_t k = 0; k < 35; ++k) a[k] = static_cast<float>(k + 1);
    std::vector<float> b(56), c(56);
    ASSERT_EQ(compiled.run({slot(std::int64_t{5}), slot(std::int64_t{7}), slot(a.data()), slot(b.data()), slot(c.data())}), 0);
    for (std::size_t y = 0; y < 8; ++y)
      for (std::size_t x = 0; x < 7; ++x) {
        EXPECT_EQ(b[x * 8 + y], a[std::min<std::size_t>(y, 4) * 7 + x]);
        EXPECT_EQ(c[x * 8 + y], y < 5 ? a[y * 7 + x] : 0);
      }
  }
}

/// The table's elements at `width` indices, some of them masked, and back.
void gather_and_scatter(const Target &target, DType type, std::size_t width) {
  const Expr extent(static_cast<std::int64_t>(width));
  const int lane_count = static_cast<int>(width);
  Buffer table("table", type, {Expr(50)}), ids("ids", i32, {extent}), out("out", type, {extent}), back("back", type, {Expr(50)});
  const Expr id = cast(index_type, load(ids, {lanes(0, lane_count)})), valid = id >= broadcast(Expr(0), lane_count);
  const Program p = program({input(table), input(ids), output(out), output(back)},
                            block({store(out, {lanes(0, lane_count)}, load(table, {id}, valid)),
                                   store(back, {id}, load(out, {lanes(0, lane_count)}), valid)}));
  const auto bytes = static_cast<std::size_t>(type.bytes());
  Guarded<unsigned char> t(50 * bytes, true), o(width * bytes, true), b(50 * bytes, true);
  for (std::size_t j = 0; j < 50 * bytes; ++j) t[j] = type.is_bool() ? j % 2 : static_cast<unsigned char>(j + 3), b[j] = 0;
  std::vector<std::int32_t> index{49, -1, 3, 7, -2000000000, 0, 12, 48, 33, -1, 20, 21, 22, 5, -1, 1, 40};
  ASSERT_EQ(Compiled(p, target).run({slot(t.data()), slot(index.data()), slot(o.data()), slot(b.data())}), 0);
  for (std::size_t j = 0; j < width; ++j) {
    const std::vector<unsigned char> zero(bytes);
    const unsigned char *expected = index[j] < 0 ? zero.data() : t.data() + static_cast<std::size_t>(index[j]) * bytes;
    EXPECT_EQ(std::memcmp(o.data() + j * bytes, expected, bytes), 0) << j << " " << to_string(type) << " " << target.cpu;
    if (index[j] < 0) continue;
    EXPECT_EQ(std::memcmp(b.data() + static_cast<std::size_t>(index[j]) * bytes, expected, bytes), 0);
  }
}

TEST(LlvmMemory, GatherAndScatterThroughAnIndexTable) {
  for (const Target &target : runnable_targets())
    for (const DType &type :
         {DType(scalar_types::float32), DType(scalar_types::uint8), DType(scalar_types::int64), DType(scalar_types::boolean)})
      for (const std::size_t width : {16u, 5u, 17u}) gather_and_scatter(target, type, width);
}

// Lanes that LLVM would add itself have undefined indices, which it may keep in the register of the result: an invalid
// instruction.
TEST(LlvmMemory, GathersAreOfPowersOfTwo) {
  Buffer table("table", f32, {Expr(50)}), ids("ids", i32, {Expr(17)}), out("out", f32, {Expr(17)});
  const Expr id = cast(index_type, load(ids, {lanes(0, 17)}));
  const Program p = program({input(table), input(ids), output(out)}, store(out, {lanes(0, 17)}, load(table, {id})));
  const std::string text = codegen::emit_llvm(p, Target::host("x86-64-v4"));
  EXPECT_EQ(count(text, "call <32 x float> @llvm.masked.gather.v32f32"), 1) << text;
  EXPECT_EQ(count(text, "masked.gather.v17"), 0) << text;
}

TEST(LlvmMemory, GatherWithWideOffsetsAndTwoDimensions) {
  for (const Target &target : runnable_targets()) {
    constexpr int width = 8;
    Var n("n", index_type, true);
    Buffer table("table", f32, {Expr(6), Expr(n)}), ids("ids", scalar_types::int64, {Expr(width)}),
        out("out", f32, {Expr(width)});
    const Expr id = cast(index_type, load(ids, {lanes(0, width)}));
    const Program p = program({scalar(n), input(table), input(ids), output(out)},
                              store(out, {lanes(0, width)}, load(table, {id, lanes(1, width)})));
    std::vector<float> t(60), o(width);
    std::iota(t.begin(), t.end(), 0.0f);
    std::vector<std::int64_t> index{5, 0, 3, 3, 1, 2, 4, 5};
    ASSERT_EQ(Compiled(p, target).run({slot(std::int64_t{10}), slot(t.data()), slot(index.data()), slot(o.data())}), 0);
    for (std::size_t j = 0; j < width; ++j) EXPECT_EQ(o[j], static_cast<float>(index[j] * 10 + 1 + static_cast<std::int64_t>(j)));
  }
}

TEST(LlvmMemory, BroadcastLoadsAndLastStoreWins) {
  for (const Target &target : runnable_targets()) {
    Var n("n", index_type, true);
    Buffer in("in", f32, {Expr(1)}), out("out", f32, {Expr(8)}), last("last", f32, {Expr(1)}), masked("masked", f32, {Expr(8)});
    const Expr at = lanes(0, 8), same = broadcast(Expr(0), 8), mask = at < broadcast(Expr(n), 8);
    const Program p =
        program({scalar(n), input(in), output(out), output(last), output(masked)},
                block({store(out, {at}, load(in, {same})), store(last, {same}, load(out, {at}) + cast(f32.with_lanes(8), at)),
                       store(masked, {at}, load(in, {same}, mask)), store(last, {same}, load(masked, {at}), mask)}));
    const Compiled compiled(p, target);
    Guarded<float> a(1, true), l(1, true);
    a[0] = 3;
    std::vector<float> o(8), m(8, -1);
    ASSERT_EQ(compiled.run({slot(std::int64_t{0}), slot(a.data()), slot(o.data()), slot(l.data()), slot(m.data())}), 0);
    EXPECT_EQ(o, std::vector<float>(8, 3));
    EXPECT_EQ(l[0], 10);  // 3 + lane 7; the masked store had no lane
    EXPECT_EQ(m, std::vector<float>(8, 0));
    // No lane wants the element: it is not read either.
    Buffer far("far", f32, {Expr(1)});
    const Program q = program({scalar(n), input(far), output(masked)}, store(masked, {at}, load(far, {same}, mask)));
    ASSERT_EQ(Compiled(q, target).run({slot(std::int64_t{0}), slot(static_cast<const void *>(nullptr)), slot(m.data())}), 0);
    EXPECT_EQ(m, std::vector<float>(8, 0));
  }
}

TEST(LlvmMemory, StridedStoresInOrder) {
  Buffer in("in", f32, {Expr(8)}), out("out", f32, {Expr(32)});
  const Program p = program({input(in), output(out)}, block({store(out, {lanes(31, 8, -4)}, load(in, {lanes(0, 8)})),
                                                             store(out, {lanes(0, 8, 2)}, load(in, {lanes(0, 8)}))}));
  std::vector<float> a(8), b(32, -1), expected(32, -1);
  std::iota(a.begin(), a.end(), 1.0f);
  for (std::size_t j = 0; j < 8; ++j) expected[31 - 4 * j] = a[j];
  for (std::size_t j = 0; j < 8; ++j) expected[2 * j] = a[j];
  ASSERT_EQ(Compiled(p).run({slot(a.data()), slot(b.data())}), 0);
  EXPECT_EQ(b, expected);
}

TEST(LlvmMemory, AlignmentIsClaimedOnlyWhereProven) {
  BufferNode node;
  node.name = "aligned", node.type = f32, node.shape = {Expr(64), Expr(64)}, node.alignment = 64;
  Buffer aligned(node), plain("plain", f32, {Expr(64), Expr(64)});
  Var i("i", index_type);
  const Expr at = lanes(Expr(i) * Expr(16), 16), off = lanes(Expr(i) * Expr(16) + Expr(4), 16);
  const Program p = program({input(aligned), input(plain), output(plain)},
                            loop(i, 0, 3,
                                 block({store(plain, {Expr(0), at}, load(aligned, {Expr(i), at})),
                                        store(plain, {Expr(1), at}, load(aligned, {Expr(i), off})),
                                        store(plain, {Expr(2), at}, load(plain, {Expr(5), at}))})));
  const std::string text = codegen::emit_llvm(p, Target::host());
  EXPECT_EQ(count(text, ", align 64,"), 1);
  EXPECT_EQ(count(text, ", align 16,"), 1);
  EXPECT_EQ(count(text, "load <16 x float>"), 3);
}

TEST(LlvmMemory, ArgumentsAreDisjoint) {
  Buffer a("a", f32, {Expr(4)}), b("b", f32, {Expr(4)}), out("out", f32, {Expr(4)});
  const auto text_of = [](const std::vector<Parameter> &parameters, const Stmt &body) {
    return codegen::emit_llvm(program(parameters, body), Target::host());
  };
  const std::string two = text_of({input(a), output(out)}, store(out, {Expr(0)}, load(a, {Expr(1)})));
  EXPECT_EQ(count(two, "load float, ptr %v0, align 4, !alias.scope !6, !noalias !7\n"), 1) << two;
  EXPECT_EQ(count(two, "align 4, !alias.scope !8, !noalias !9\n"), 1) << two;
  EXPECT_NE(two.find("!3 = distinct !{!3}\n!4 = distinct !{!4, !3}\n!5 = distinct !{!5, !3}\n"
                     "!6 = !{!4}\n!7 = !{!5}\n!8 = !{!5}\n!9 = !{!4}\n"),
            std::string::npos)
      << two;
  const std::string one = text_of({output(out)}, store(out, {Expr(0)}, load(out, {Expr(1)})));
  EXPECT_EQ(one.find("alias"), std::string::npos) << one;
}

TEST(LlvmMemory, ShufflesOfEveryShape) {
  Buffer a("a", i32, {Expr(8)}), b("b", i32, {Expr(8)}), out("out", i32, {Expr(32)});
  const auto part = [&](const Buffer &buffer, int first, int n) { return load(buffer, {lanes(first, n)}); };
  const Program p =
      program({input(a), input(b), output(out)},
              block({store(out, {lanes(0, 8)}, shuffle({part(a, 0, 4), part(b, 0, 4)}, {0, 4, 1, 5, 2, 6, 3, 7})),
                     store(out, {lanes(8, 8)},
                           shuffle({part(a, 0, 4), part(b, 0, 2), part(a, 6, 1), part(b, 7, 1)}, {7, 6, 5, 4, 3, 2, 1, 0})),
                     store(out, {lanes(16, 4)}, shuffle({part(a, 0, 8)}, {1, 1, 6, 0})),
                     store(out, {Expr(20)}, shuffle({part(a, 0, 4), part(b, 0, 8)}, {9}))}));
  std::vector<std::int32_t> va(8), vb(8), vo(32);
  std::iota(va.begin(), va.end(), 0);
  std::iota(vb.begin(), vb.end(), 10);
  ASSERT_EQ(Compiled(p).run({slot(va.data()), slot(vb.data()), slot(vo.data())}), 0);
  vo.resize(21);
  EXPECT_EQ(vo, (std::vector<std::int32_t>{0, 10, 1, 11, 2, 12, 3, 13, 17, 6, 11, 10, 3, 2, 1, 0, 1, 1, 6, 0, 15}));
}

TEST(LlvmMemory, ShufflesOfManyVectorsTakeOneInstructionLessThanThereAreVectors) {
  Buffer a("a", i32, {Expr(16)}), out("out", i32, {Expr(16)});
  const List<Expr> vectors = {load(a, {lanes(0, 4)}), load(a, {lanes(4, 4)}), load(a, {lanes(8, 4)}), load(a, {lanes(12, 4)})};
  const Program p = program({input(a), output(out)}, block({store(out, {lanes(0, 4)}, shuffle(vectors, {1, 5, 9, 13})),
                                                            store(out, {lanes(4, 4)}, shuffle(vectors, {15, 3, 10, 2})),
                                                            store(out, {lanes(8, 4)}, shuffle(vectors, {14, 11, 6, 7})),
                                                            store(out, {lanes(12, 4)}, shuffle(vectors, {12, 12, 13, 8}))}));
  const std::string text = codegen::emit_llvm(p, Target::host());
  std::size_t count = 0;
  for (std::size_t at = text.find("shufflevector"); at != std::string::npos; at = text.find("shufflevector", at + 1)) ++count;
  EXPECT_LE(count, 12u) << text;
  std::vector<std::int32_t> va(16), vo(16);
  std::iota(va.begin(), va.end(), 100);
  ASSERT_EQ(Compiled(p).run({slot(va.data()), slot(vo.data())}), 0);
  EXPECT_EQ(vo, (std::vector<std::int32_t>{101, 105, 109, 113, 115, 103, 110, 102, 114, 111, 106, 107, 112, 112, 113, 108}));
}

}  // namespace
}  // namespace lathe::llvm_harness
