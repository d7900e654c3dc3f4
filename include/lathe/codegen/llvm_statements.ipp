// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Statements: loops, branches, stores, allocations, checks.

#include <algorithm>
#include <cstddef>
#include <utility>

#include "lathe/codegen/llvm_function.hpp"
#include "lathe/codegen/llvm_operators.hpp"
#include "lathe/codegen/outline.hpp"
#include "lathe/ir/build.hpp"
#include "lathe/ir/walk.hpp"
#include "lathe/runtime/abi.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/lists.hpp"

namespace lathe::inline LATHE_ABI::codegen {

LATHE_INLINE void LlvmFunction::statement(const ir::Stmt &s) {
  switch (s.node()->kind()) {
    case ir::StmtKind::loop: return loop(s, *s.as<ir::For>());
    case ir::StmtKind::block:
      for (const ir::Stmt &inner : s.as<ir::Block>()->body) statement(inner);
      return;
    case ir::StmtKind::store: return store(*s.as<ir::Store>());
    case ir::StmtKind::allocate: return allocate(*s.as<ir::Allocate>());
    case ir::StmtKind::branch: return branch(s, *s.as<ir::If>());
    case ir::StmtKind::bind: {
      const auto &b = *s.as<ir::Bind>();
      return with_var(b.var, value(b.value), b.body);
    }
    case ir::StmtKind::check: return check(*s.as<ir::Check>());
    case ir::StmtKind::evaluate:
      ++epoch_;
      value(s.as<ir::Evaluate>()->value);
      return;
    case ir::StmtKind::prefetch: return prefetch(*s.as<ir::Prefetch>());
  }
}

LATHE_INLINE void LlvmFunction::with_var(const ir::Var &var, LlvmValue value, const ir::Stmt &body) {
  // A variable may get another value each time that it is bound, so what was computed from its last one is forgotten.
  vars_.insert_or_assign(var.node(), value);
  known_.clear();
  statement(body);
  vars_.erase(var.node());
}

/// Loaded values of these buffers are out of date.
LATHE_INLINE void LlvmFunction::touch(const List<ir::Buffer> &written) {
  ++epoch_;
  for (const ir::Buffer &buffer : written)
    if (auto *it = memories_.find(buffer.node())) it->second.version = versions_++;
}

// ---- stores ----------------------------------------------------------------------------------------------

LATHE_INLINE void LlvmFunction::store(const ir::Store &s) {
  LlvmValue mask;
  if (s.predicate.defined()) {
    compute({uniform_part(s.predicate)});
    mask = mask_of(s.predicate);
    if (mask.defined() && w_.is_constant(mask, 0)) return;
  }
  const bool guarded = mask.defined() && !w_.type(mask).is_vector();
  const LlvmValue condition = mask;
  std::string label;
  List<LlvmValue> before = guarded ? cells_ : List<LlvmValue>{};
  if (guarded) w_.open(LlvmWriter::RegionKind::branch, label = w_.label());
  const Access access = flatten(s.buffer, s.indices);
  List<const ir::Expr *> operands = operands_of(access);
  operands.push_back(&s.value);
  compute(std::move(operands));
  const LlvmValue stored = w_.splat(known(s.value), s.value.lanes() == access.lanes ? 1 : access.lanes);
  Memory &memory = memory_of(s.buffer);
  if (guarded) mask = {};
  if (memory.places)
    store_cell(memory, access, stored, mask);
  else
    store_access(memory, s.buffer->type, access, stored, mask);
  ++epoch_;
  if (!guarded) return;
  join(condition, label, w_.close(), cells_, {}, {}, std::move(before));
  memory.version = versions_++;
}

/// As data to be read, into all levels of the cache.
LATHE_INLINE void LlvmFunction::prefetch(const ir::Prefetch &p) {
  const Access access = flatten(p.buffer, p.indices);
  compute(operands_of(access));
  const Memory &memory = memory_of(p.buffer);
  if (memory.places) return;
  const LlvmValue pointer = address(memory.pointer, llvm_memory_type(p.buffer->type), access);
  w_.unit().declare("@llvm.prefetch.p0", "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)");
  w_.start("call void @llvm.prefetch.p0(").typed(pointer).put(", i32 0, i32 3, i32 1)").perform();
}

// ---- loops -----------------------------------------------------------------------------------------------

LATHE_INLINE void LlvmFunction::loop(const ir::Stmt &s, const ir::For &f) {
  const LlvmValue min = value(f.min), extent = value(f.extent);
  const auto constant = w_.constant_bits(extent);
  if (constant && static_cast<std::int64_t>(*constant) <= 0) return;
  // Asked before the loop's variable is known to lie in its range: that says that there is an iteration.
  const bool runs = constant || facts().bounds(f.extent).min > 0;
  domains_.push_back({f.var, f.min, f.extent});
  facts_.reset();
  const List<ir::Buffer> &written = kernel_.uses.written(s);
  if (constant && *constant == 1) {
    with_var(f.var, min, f.body);
  } else if (f.kind == ir::LoopKind::parallel) {
    parallel_loop(f, written, min, extent);
    touch(written);
  } else {
    serial_loop(f, written, min, extent, runs);
  }
  domains_.pop_back();
  facts_.reset();
}

/// A loop that may run no iteration stands behind a condition; the loop itself tests at its end.
LATHE_INLINE void LlvmFunction::serial_loop(const ir::For &f, const List<ir::Buffer> &written, LlvmValue min, LlvmValue extent,
                                            bool runs) {
  const LlvmValue end = llvm_binary(w_, ir::BinaryOp::add, scalar_types::index, min, extent);
  if (runs) return accumulating_loop(f, written, min, end);
  const LlvmValue condition = w_.compare("icmp sgt", extent, w_.zero(scalar_types::index));
  const std::string label = w_.label();
  List<LlvmValue> before = cells_;
  w_.open(LlvmWriter::RegionKind::branch, label);
  accumulating_loop(f, written, min, end);
  List<LlvmValue> after = cells_;
  join(condition, label, w_.close(), std::move(after), {}, {}, std::move(before));
  touch(written);
}

LATHE_INLINE Access LlvmFunction::place_of(const LlvmAccumulator &a, std::int64_t offset, int lanes) const {
  Access access = a.access;
  access.constant = offset;
  access.lanes = lanes;
  access.kind = lanes == 1 ? AccessKind::scalar : AccessKind::contiguous;
  access.stride = lanes == 1 ? 0 : 1;
  access.alignment = proven_alignment(a.buffer, access, kernel_.allocated.contains(a.buffer.node()) ? 64 : 0);
  return access;
}

LATHE_INLINE void LlvmFunction::accumulating_loop(const ir::For &f, const List<ir::Buffer> &written, LlvmValue min,
                                                  LlvmValue end) {
  List<ir::Buffer> candidates;
  for (const ir::Buffer &buffer : written)
    if (auto *it = memories_.find(buffer.node()); it && !it->second.places) candidates.push_back(buffer);
  const List<LlvmAccumulator> accumulators = find_accumulators(f, candidates);
  const std::size_t first = cells_.size();
  List<LlvmValue> masks;
  for (const LlvmAccumulator &a : accumulators) {
    Memory &memory = memory_of(a.buffer);
    List<const ir::Expr *> operands = operands_of(a.access);
    if (a.predicate.defined()) operands.push_back(uniform_part(a.predicate));
    compute(std::move(operands));
    masks.push_back(mask_of(a.predicate));
    memory.first_cell = cells_.size();
    for (const auto &[offset, lanes] : a.places) {
      cells_.push_back(load_access(memory, a.buffer->type, place_of(a, offset, lanes), masks.back()));
      cell_types_.push_back(a.buffer->type.with_lanes(lanes));
    }
    memory.places = &a.places;
    memory.masked = masks.back().defined();
  }
  rotated_loop(f, written, min, end);
  for (std::size_t i = 0; i < accumulators.size(); ++i) {
    const LlvmAccumulator &a = accumulators[i];
    Memory &memory = memory_of(a.buffer);
    memory.places = nullptr;
    memory.masked = false;
    compute(operands_of(a.access));
    std::size_t cell = memory.first_cell;
    for (const auto &[offset, lanes] : a.places)
      store_access(memory, a.buffer->type, place_of(a, offset, lanes), cells_[cell++], masks[i]);
  }
  cells_.resize(first);
  cell_types_.resize(first, scalar_types::boolean);
}

LATHE_INLINE void LlvmFunction::rotated_loop(const ir::For &f, const List<ir::Buffer> &written, LlvmValue min, LlvmValue end) {
  const DType index = scalar_types::index;
  struct Carried {
    std::size_t cell;
    LlvmValue before;
    std::string name;
  };
  List<Carried> carried;
  const std::string label = w_.label(), exit = w_.label();
  w_.open(LlvmWriter::RegionKind::loop, label);
  List<std::pair<Memory *, int>> depths;
  for (const ir::Buffer &buffer : written) {
    auto *it = memories_.find(buffer.node());
    if (!it) continue;
    depths.emplace_back(&it->second, std::exchange(it->second.written_depth, w_.depth()));
    if (!it->second.places) continue;
    const std::size_t first = it->second.first_cell;
    for (std::size_t i = first; i < first + it->second.places->size(); ++i) {
      carried.push_back({i, cells_[i], w_.fresh_name()});
      cells_[i] = w_.named(carried.back().name, cell_types_[i]);
      w_.top().vectors_left -= w_.registers_of(cell_types_[i]);
    }
  }
  touch(written);
  const std::string name = w_.fresh_name();
  const LlvmValue var = w_.named(name, index);
  with_var(f.var, var, f.body);
  const LlvmValue next = w_.start("add nsw ").typed(var).put(", 1").finish(index);
  const LlvmValue again = w_.compare("icmp slt", next, end);
  const std::string latch = w_.top().block;
  w_.line({"br i1 ", w_.text(again), ", label %", label, ", label %", exit, ", !llvm.loop !0"});
  const std::string next_text = w_.text(next);
  const LlvmWriter::Region region = w_.close();

  const std::string entry = w_.top().block;
  w_.branch(label);
  w_.start_block(label);
  w_.line({name, " = phi i64 [ ", w_.text(min), ", %", entry, " ], [ ", next_text, ", %", latch, " ]"});
  for (const Carried &c : carried) {
    std::string text = c.name + " = phi ";
    append_llvm_type(text, cell_types_[c.cell]);
    text += composed({" [ ", c.before.defined() ? w_.text(c.before) : "undef", ", %", entry, " ], [ ", w_.text(cells_[c.cell]),
                      ", %", latch, " ]"});
    w_.line(text);
    if (!w_.alive(cells_[c.cell])) cells_[c.cell] = w_.named(w_.text(cells_[c.cell]), cell_types_[c.cell]);
  }
  w_.top().text += region.text;
  w_.start_block(exit);
  touch(written);
  for (const auto &[memory, depth] : depths) memory->written_depth = depth;
}

LATHE_INLINE void LlvmFunction::parallel_loop(const ir::For &f, const List<ir::Buffer> &written, LlvmValue min,
                                              LlvmValue extent) {
  const Captures captures = captures_of(f);
  List<LlvmSlot> slots;
  List<LlvmValue> values;
  for (const ir::Var &var : captures.vars) {
    slots.push_back({var, {}, {}});
    LlvmValue v = vars_.at(var.node());
    if (var.type().is_bool()) v = w_.convert("zext", v, llvm_memory_type(var.type()));
    if (var.type().is_vector()) {
      const LlvmValue place = stack(llvm_memory_type(var.type()), 1);
      store_at(place, v, 64);
      v = place;
    }
    values.push_back(v);
  }
  for (const ir::Buffer &buffer : captures.buffers) {
    slots.push_back({{}, buffer, {}});
    values.push_back(memory_of(buffer).pointer);
  }
  for (const ir::ExternalFunction &function : captures.functions) {
    slots.push_back({{}, {}, function});
    values.push_back(lists::find_if(functions_, [&](const auto &g) { return g.first == function; })->second);
  }
  const std::string body = w_.unit().unique_name(name_);
  LlvmFunction(kernel_, body).write_parallel_body(f, written, slots, domains_);

  const LlvmValue frame = stack(scalar_types::int64, static_cast<std::int64_t>(std::max<std::size_t>(slots.size(), 1)));
  for (std::size_t i = 0; i < values.size(); ++i)
    store_at(i == 0 ? frame : moved(frame, scalar_types::int64, w_.integer(scalar_types::index, static_cast<std::int64_t>(i)), 1),
             values[i], std::min(8, std::max(1, w_.type(values[i]).bytes())));
  const LlvmValue end = llvm_binary(w_, ir::BinaryOp::add, scalar_types::index, min, extent);
  if (kernel_.streams) fence();
  const LlvmValue parallel_for = runtime_function(offsetof(Runtime, parallel_for));
  w_.start("call i32 ")
      .put(parallel_for)
      .put("(")
      .typed(runtime_)
      .put(", ")
      .typed(min)
      .put(", ")
      .typed(end)
      .put(", ptr ")
      .put(llvm_global(body));
  const LlvmValue status = w_.put(", ").typed(frame).put(") #2").perform(scalar_types::int32);
  leave_unless(w_.compare("icmp eq", status, w_.zero(scalar_types::int32)), w_.text(status));
}

LATHE_INLINE LlvmValue LlvmFunction::runtime_function(int offset) {
  const LlvmValue place = moved(runtime_, scalar_types::int8, w_.integer(scalar_types::index, offset), 1);
  return w_.start("load ptr, ").typed(place).put(", align 8").finish_load(llvm_types::pointer, 0, 0);
}

// ---- branches --------------------------------------------------------------------------------------------

namespace llvm_statements {

/// Lanes are asked for what is an exception: arguments that are not computed the quick way.
LATHE_INLINE bool is_rare(const ir::Expr &condition) {
  if (const auto *u = condition.as<ir::Unary>()) return u->op == ir::UnaryOp::any_lane;
  const auto *b = condition.as<ir::Binary>();
  return b && b->op == ir::BinaryOp::logical_or && (is_rare(b->a) || is_rare(b->b));
}

}  // namespace llvm_statements

LATHE_INLINE void LlvmFunction::branch(const ir::Stmt &s, const ir::If &f) {
  const LlvmValue condition = value(f.condition);
  if (const auto constant = w_.constant_bits(condition)) {
    if (*constant & 1) return statement(f.then_body);
    if (f.else_body.defined()) statement(f.else_body);
    return;
  }
  const List<LlvmValue> before = cells_;
  const std::string then_label = w_.label();
  w_.open(LlvmWriter::RegionKind::branch, then_label);
  w_.top().rare = llvm_statements::is_rare(f.condition);
  ++epoch_;
  statement(f.then_body);
  LlvmWriter::Region then_region = w_.close();
  List<LlvmValue> then_cells = std::exchange(cells_, before);
  ++epoch_;
  std::string else_label;
  std::optional<LlvmWriter::Region> else_region;
  if (f.else_body.defined()) {
    w_.open(LlvmWriter::RegionKind::branch, else_label = w_.label());
    statement(f.else_body);
    else_region = w_.close();
  }
  join(condition, then_label, std::move(then_region), std::move(then_cells), else_label, std::move(else_region), cells_);
  touch(kernel_.uses.written(s));
}

LATHE_INLINE void LlvmFunction::join(LlvmValue condition, const std::string &then_label, LlvmWriter::Region then_region,
                                     List<LlvmValue> then_cells, const std::string &else_label,
                                     std::optional<LlvmWriter::Region> else_region, List<LlvmValue> else_cells) {
  const std::string after = w_.label();
  std::string other = w_.top().block;
  w_.branch(condition, then_label, else_region ? else_label : after);
  w_.start_block(then_label);
  w_.top().text += then_region.text;
  w_.branch(after);
  if (else_region) {
    w_.start_block(else_label);
    w_.top().text += else_region->text;
    w_.branch(after);
    other = else_region->block;
  }
  w_.start_block(after);
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const LlvmValue a = then_cells[i], b = else_cells[i];
    cells_[i] = a;
    if (a == b) continue;
    std::string name = w_.fresh_name(), text = name + " = phi ";
    append_llvm_type(text, cell_types_[i]);
    text += composed({" [ ", a.defined() ? w_.text(a) : "undef", ", %", then_region.block, " ], [ ",
                      b.defined() ? w_.text(b) : "undef", ", %", other, " ]"});
    w_.line(text);
    cells_[i] = w_.named(std::move(name), cell_types_[i]);
  }
  ++epoch_;
}

// ---- allocations -----------------------------------------------------------------------------------------

LATHE_INLINE void LlvmFunction::allocate(const ir::Allocate &a) {
  const std::size_t cells = cells_.size(), scratch = scratch_.size();
  for (const ir::Buffer &buffer : a.buffers) {
    kernel_.allocated.insert(buffer.node());
    kernel_.streams = kernel_.streams || buffer->streamed;
    if (const LlvmPlaces *places = kernel_.uses.places(buffer)) {
      allocate_cells(buffer, *places);
    } else if (lives_on_stack(buffer)) {
      const LlvmValue pointer = stack(llvm_memory_type(buffer->type), std::max<std::int64_t>(constant_elements(buffer), 1));
      memories_[buffer.node()] = {pointer, versions_++, w_.depth()};
    } else {
      allocate_scratch(buffer);
    }
  }
  statement(a.body);
  if (lists::any_of(a.buffers, [](const ir::Buffer &buffer) { return buffer->streamed; })) fence();
  cells_.resize(cells);
  cell_types_.resize(cells, scalar_types::boolean);
  for (; scratch_.size() > scratch; scratch_.pop_back()) release(scratch_.back());
  for (const ir::Buffer &buffer : a.buffers) memories_.erase(buffer.node());
}

LATHE_INLINE LlvmValue LlvmFunction::stack(DType element, std::int64_t count) {
  std::string name = w_.fresh_name();
  allocas_ += composed({"  ", name, " = alloca [", count, " x "});
  append_llvm_type(allocas_, element);
  allocas_ += "], align 64\n";
  return w_.named_at_entry(std::move(name), llvm_types::pointer);
}

LATHE_INLINE void LlvmFunction::allocate_cells(const ir::Buffer &buffer, const LlvmPlaces &places) {
  memories_[buffer.node()] = {{}, versions_++, 0, &places, cells_.size()};
  for (const auto &[offset, lanes] : places) {
    cells_.emplace_back();
    cell_types_.push_back(buffer->type.with_lanes(lanes));
  }
}

/// The bytes of a buffer; the greatest number when that overflows, which no arena can give.
LATHE_INLINE LlvmValue LlvmFunction::scratch_bytes(const ir::Buffer &buffer) {
  const DType index = scalar_types::index;
  if (has_constant_layout(buffer))
    return w_.integer(index, std::max<std::int64_t>(constant_elements(buffer), 1) * buffer->type.bytes());
  LlvmValue bytes = w_.integer(index, buffer->type.bytes()), overflows = w_.zero(scalar_types::boolean);
  const auto step = [&](std::string_view name, LlvmValue x) {
    w_.unit().declare(composed({"@", name, ".i64"}), composed({"declare {i64, i1} @", name, ".i64(i64, i64)"}));
    const LlvmValue pair =
        w_.start("call {i64, i1} @").put(name).put(".i64(").typed(bytes).put(", ").typed(x).put(")").finish(index);
    bytes = w_.start("extractvalue {i64, i1} ").put(pair).put(", 0").finish(index);
    const LlvmValue bit = w_.start("extractvalue {i64, i1} ").put(pair).put(", 1").finish(scalar_types::boolean);
    overflows = w_.op2("or", overflows, bit);
  };
  const LlvmValue zero = w_.zero(index);
  if (buffer->strides.empty()) {
    for (const ir::Expr &extent : buffer->shape)
      step("llvm.umul.with.overflow", w_.intrinsic("llvm.smax", index, {value(extent), zero}));
  } else {
    // The last element plus one, times the element's bytes.
    LlvmValue last = w_.integer(index, 1);
    for (std::size_t d = 0; d < buffer->shape.size(); ++d) {
      const LlvmValue steps =
          w_.intrinsic("llvm.smax", index, {w_.op2("sub", value(buffer->shape[d]), w_.integer(index, 1)), zero});
      last = w_.op2("add", last, w_.op2("mul", steps, value(buffer->strides[d])));
    }
    step("llvm.umul.with.overflow", last);
  }
  return w_.select(overflows, w_.integer(index, -1), w_.intrinsic("llvm.umax", index, {bytes, w_.integer(index, 1)}));
}

LATHE_INLINE void LlvmFunction::allocate_scratch(const ir::Buffer &buffer) {
  const LlvmValue bytes = scratch_bytes(buffer);
  const LlvmValue acquire = runtime_function(offsetof(Runtime, scratch_acquire));
  w_.start("call ptr ").put(acquire).put("(").typed(runtime_).put(", ").typed(bytes).put(") #2");
  const LlvmValue pointer = w_.perform(llvm_types::pointer);
  const LlvmValue null = w_.named_at_entry("null", llvm_types::pointer);
  leave_unless(w_.compare("icmp ne", pointer, null), std::to_string(status_out_of_scratch));
  memories_[buffer.node()] = {pointer, versions_++, w_.depth()};
  memories_[buffer.node()].streamed = buffer->streamed;
  scratch_.push_back(pointer);
}

LATHE_INLINE void LlvmFunction::release(LlvmValue pointer) {
  const LlvmValue function = runtime_function(offsetof(Runtime, scratch_release));
  w_.start("call void ").put(function).put("(").typed(runtime_).put(", ").typed(pointer).put(") #2").perform();
}

// ---- checks ----------------------------------------------------------------------------------------------

LATHE_INLINE void LlvmFunction::check(const ir::Check &c) {
  const LlvmValue holds = value(c.condition);
  if (w_.is_constant(holds, 1)) return;
  const auto *it = lists::find_if(kernel_.checks, [&](const ir::Check &other) { return ir::same_check(other, c); });
  ensure(it != nullptr, "every check of a function is among its checks");
  leave_unless(holds, std::to_string(it - kernel_.checks.begin() + 1));
  w_.top().loads_stay = true;
}

/// Other threads see such stores in any order, whatever atomic operations follow, but for this. On aarch64 they are ordered as
/// others are.
LATHE_INLINE void LlvmFunction::fence() {
  if (!w_.unit().is_x86()) return;
  w_.unit().declare("@llvm.x86.sse.sfence", "declare void @llvm.x86.sse.sfence()");
  w_.line("call void @llvm.x86.sse.sfence()");
}

LATHE_INLINE void LlvmFunction::leave_unless(LlvmValue ok, const std::string &status) {
  // Known before the branch: a value first computed on the way out would be remembered for the code that goes on.
  if (!scratch_.empty()) runtime_function(offsetof(Runtime, scratch_release));
  const std::string proceed = w_.label(), leave = w_.label();
  w_.branch(ok, proceed, leave);
  w_.start_block(leave);
  for (std::size_t i = scratch_.size(); i-- > 0;) release(scratch_[i]);
  w_.line({"ret i32 ", status});
  w_.start_block(proceed);
}

}  // namespace lathe::inline LATHE_ABI::codegen
