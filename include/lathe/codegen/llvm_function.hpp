// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// One LLVM function from statements: the body of a kernel or of a parallel loop.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lathe/arith/simplify.hpp"
#include "lathe/codegen/access.hpp"
#include "lathe/codegen/llvm_accumulators.hpp"
#include "lathe/codegen/llvm_uses.hpp"
#include "lathe/codegen/llvm_writer.hpp"
#include "lathe/ir/program.hpp"
#include "lathe/support/hash_map.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::codegen {

/// What a slot of the calling convention brings: one of the three.
struct LlvmSlot {
  ir::Var var;
  ir::Buffer buffer;
  ir::ExternalFunction function;
};

/// What the LLVM functions made of one function of a program share.
struct LlvmKernel {
  LlvmUnit &unit;
  const ir::Function &function;
  LlvmUses uses;
  List<ir::Check> checks;
  NodeSet allocated;     ///< buffers of our own: aligned to 64 bytes
  bool streams = false;  ///< there may be stores past the caches
};

class LlvmFunction {
 public:
  /// `name` is the function's as the user knows it.
  LlvmFunction(LlvmKernel &kernel, std::string name);

  /// Writes the function of the ABI into the module.
  void write_kernel(const List<LlvmSlot> &slots);
  /// `written`: the buffers that the loop stores to; `domains`: of the variables around it and its own.
  void write_parallel_body(const ir::For &loop, const List<ir::Buffer> &written, const List<LlvmSlot> &slots,
                           List<arith::Facts::Domain> domains);

 private:
  struct Memory {
    LlvmValue pointer;
    std::uint64_t version = 0;  ///< changes with every store
    int written_depth = 0;      ///< the innermost open loop that stores to it
    /// Set while the buffer, or all of it that is accessed, is values: their places and the first one's index in `cells_`.
    const LlvmPlaces *places = nullptr;
    std::size_t first_cell = 0;
    bool masked = false;        ///< cells are 0 where the predicate of all accesses is false
    std::string disjoint = {};  ///< what accesses end with to say which others they cannot touch
    bool streamed = false;      ///< whole vectors are stored past the caches
  };
  struct Known {
    LlvmValue value;
    std::uint64_t epoch;
  };

  // ---- the frame (llvm_function.ipp) --------------------------------------------------------------------------------------
  void declare_parameters(const List<LlvmSlot> &slots);
  void finish(const List<LlvmSlot> &slots, bool is_parallel_body);

  // ---- statements (llvm_statements.ipp) -----------------------------------------------------------------------------------
  void statement(const ir::Stmt &s);
  void store(const ir::Store &s);
  void prefetch(const ir::Prefetch &p);
  void loop(const ir::Stmt &s, const ir::For &f);
  /// `runs`: it is proven that there is an iteration.
  void serial_loop(const ir::For &f, const List<ir::Buffer> &written, LlvmValue min, LlvmValue extent, bool runs);
  void rotated_loop(const ir::For &f, const List<ir::Buffer> &written, LlvmValue min, LlvmValue end);
  /// A loop whose accumulators are values while it runs.
  void accumulating_loop(const ir::For &f, const List<ir::Buffer> &written, LlvmValue min, LlvmValue end);
  Access place_of(const LlvmAccumulator &a, std::int64_t offset, int lanes) const;
  void parallel_loop(const ir::For &f, const List<ir::Buffer> &written, LlvmValue min, LlvmValue extent);
  void branch(const ir::Stmt &s, const ir::If &f);
  void allocate(const ir::Allocate &a);
  /// Memory of this call of the function, aligned to 64 bytes.
  LlvmValue stack(DType element, std::int64_t count);
  void allocate_cells(const ir::Buffer &buffer, const LlvmPlaces &places);
  void allocate_scratch(const ir::Buffer &buffer);
  LlvmValue scratch_bytes(const ir::Buffer &buffer);
  void check(const ir::Check &c);
  /// Puts what was stored past the caches in order with what comes then.
  void fence();
  void with_var(const ir::Var &var, LlvmValue value, const ir::Stmt &body);
  /// Returns `status` (text) unless `ok`, after giving back all scratch memory.
  void leave_unless(LlvmValue ok, const std::string &status);
  void release(LlvmValue pointer);
  LlvmValue runtime_function(int offset);
  /// The conditional text of `region` between a branch and a join, with phis for cells that it changed.
  void join(LlvmValue condition, const std::string &then_label, LlvmWriter::Region then_region, List<LlvmValue> then_cells,
            const std::string &else_label, std::optional<LlvmWriter::Region> else_region, List<LlvmValue> else_cells);
  void touch(const List<ir::Buffer> &written);

  // ---- expressions (llvm_expressions.ipp) -----------------------------------------------------------------------------------
  LlvmValue value(const ir::Expr &e);
  void compute(List<const ir::Expr *> roots);
  LlvmValue known(const ir::Expr &e) const;
  bool varies(const ir::Expr &e) const;
  void push_operands(const ir::Expr &e, List<std::pair<const ir::Expr *, bool>> &stack);
  LlvmValue instruction(const ir::Expr &e);
  LlvmValue binary(const ir::Binary &b);
  /// Whether lanes of indices are compared whose difference is a ramp: then what remains is one comparison with a constant ramp.
  bool compares_ramps(const ir::Expr &e);
  bool is_far(const AccessTerm &term);
  LlvmValue compare_ramps(ir::BinaryOp op, const Access &difference);
  LlvmValue ramp(const ir::Expr &e, const ir::Ramp &r);
  LlvmValue repeat(LlvmValue vector, int times);
  LlvmValue shuffle(const ir::Shuffle &s);
  LlvmValue shuffle_one_by_one(const List<LlvmValue> &vectors, const List<int> &lanes);
  LlvmValue call(const ir::Expr &e, const ir::Call &c);
  const arith::Facts &facts();

  // ---- memory (llvm_memory.ipp) -----------------------------------------------------------------------------------------------
  Memory &memory_of(const ir::Buffer &buffer);
  Access flatten(const ir::Buffer &buffer, const List<ir::Expr> &indices) const;
  static List<const ir::Expr *> operands_of(const Access &access);
  LlvmValue product(const AccessTerm &term, int lanes);
  LlvmValue moved(LlvmValue pointer, DType type, LlvmValue index, std::int64_t scale);
  LlvmValue address(LlvmValue base, DType type, const Access &access);
  LlvmValue lane_pointers(LlvmValue pointer, DType type, const Access &access);
  bool lanes_fit_32_bits(const Access &access);
  /// An optional predicate's value: undefined where it is true; a scalar where it is uniform.
  LlvmValue mask_of(const ir::Expr &predicate) const;
  static const ir::Expr *uniform_part(const ir::Expr &predicate);
  LlvmValue load(const ir::Expr &e, const ir::Load &l);
  LlvmValue load_access(const Memory &memory, DType element, const Access &access, LlvmValue mask);
  void store_access(Memory &memory, DType element, const Access &access, LlvmValue value, LlvmValue mask);
  LlvmValue load_cell(const Memory &memory, DType element, const Access &access);
  LlvmValue load_at(LlvmValue pointer, DType type, int alignment, const Memory &memory);
  LlvmValue load_vector(const Memory &memory, DType type, const Access &access, LlvmValue pointer, LlvmValue mask);
  LlvmValue gather(const Memory &memory, DType type, LlvmValue pointers, LlvmValue mask, int outermost);
  LlvmValue load_strided(const Memory &memory, DType type, const Access &access, LlvmValue pointer);
  LlvmValue load_lanes(const Memory &memory, DType type, const Access &access, LlvmValue pointer);
  LlvmValue lane_pointer(LlvmValue pointer, DType type, const Access &access, int i);
  LlvmValue any_lane(LlvmValue mask);
  /// Lanes where `mask` (optional) is false keep what they hold.
  void store_cell(const Memory &memory, const Access &access, LlvmValue value, LlvmValue mask);
  void store_vector(const Memory &memory, DType type, const Access &access, LlvmValue pointer, LlvmValue value, LlvmValue mask);
  void store_at(LlvmValue pointer, LlvmValue value, int alignment, std::string_view disjoint = {});
  std::size_t cell(const Memory &memory, std::int64_t offset) const;

  LlvmKernel &kernel_;
  LlvmWriter w_;
  std::string name_;
  std::string allocas_;
  LlvmValue runtime_;
  NodeMap<LlvmValue> vars_;
  NodeMap<Memory> memories_;
  List<std::pair<ir::ExternalFunction, LlvmValue>> functions_;
  List<LlvmValue> cells_;  ///< present values of buffers that need no memory; undefined: not written yet
  List<DType> cell_types_;
  List<LlvmValue> scratch_;  ///< to give back, innermost last
  NodeMap<Known> known_;
  NodeMap<Access> accesses_;  ///< of loads being computed
  std::uint64_t epoch_ = 1;   ///< changes when loaded values may be out of date
  std::uint64_t versions_ = 1;
  bool streams_ = false;  ///< something is stored past the caches
  List<arith::Facts::Domain> domains_;
  std::optional<arith::Facts> facts_;
};

/// The type of a value in memory: bool is a byte.
inline DType llvm_memory_type(DType type) { return type.is_bool() ? DType(scalar_types::uint8, type.lanes()) : type; }

}  // namespace lathe::inline LATHE_ABI::codegen
