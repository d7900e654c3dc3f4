// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Addresses, loads and stores. No lane with a false predicate touches memory.

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <utility>

#include "lathe/codegen/llvm_function.hpp"
#include "lathe/codegen/llvm_operators.hpp"
#include "lathe/ir/build.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/lists.hpp"

namespace lathe::inline LATHE_ABI::codegen {

namespace llvm_memory {

/// Strides up to this are read as whole vectors and shuffled.
inline constexpr std::int64_t most_shuffled_stride = 4;

inline List<int> iota(int lanes, int first = 0, int step = 1) {
  List<int> result(static_cast<std::size_t>(lanes));
  for (int i = 0; i < lanes; ++i) result[static_cast<std::size_t>(i)] = first + i * step;
  return result;
}

/// Lane i · stride + first as constants.
LATHE_INLINE LlvmValue lane_multiples(LlvmWriter &w, DType type, std::int64_t stride) {
  List<std::uint64_t> lanes;
  for (int i = 0; i < type.lanes(); ++i) lanes.push_back(static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(stride));
  return w.constants(type, lanes);
}

}  // namespace llvm_memory

LATHE_INLINE LlvmFunction::Memory &LlvmFunction::memory_of(const ir::Buffer &buffer) {
  auto *it = memories_.find(buffer.node());
  ensure(it, "a buffer is a parameter, captured or allocated where it is accessed: " + buffer->name);
  return it->second;
}

LATHE_INLINE Access LlvmFunction::flatten(const ir::Buffer &buffer, const List<ir::Expr> &indices) const {
  return access_of(buffer, indices, kernel_.allocated.contains(buffer.node()) ? 64 : 0);
}

LATHE_INLINE List<const ir::Expr *> LlvmFunction::operands_of(const Access &access) {
  List<const ir::Expr *> operands;
  for (const auto *terms : {&access.terms, &access.stride_terms, &access.lane_terms})
    for (const AccessTerm &term : *terms) {
      if (term.atom.defined()) operands.push_back(&term.atom);
      for (const ir::Expr &factor : term.factors) operands.push_back(&factor);
    }
  return operands;
}

/// A term without its coefficient. Factors come first: they are the same for many atoms.
LATHE_INLINE LlvmValue LlvmFunction::product(const AccessTerm &term, int lanes) {
  LlvmValue result;
  for (const ir::Expr &factor : term.factors) result = result.defined() ? w_.op2("mul", result, known(factor)) : known(factor);
  if (result.defined()) result = w_.splat(result, lanes);
  if (!term.atom.defined()) return result;
  return result.defined() ? w_.op2("mul", known(term.atom), result) : known(term.atom);
}

/// `pointer` moved by index · scale elements. The scale hides in the type that the instruction steps by.
LATHE_INLINE LlvmValue LlvmFunction::moved(LlvmValue pointer, DType type, LlvmValue index, std::int64_t scale) {
  if (scale < 0) {
    index = w_.op2("mul", index, w_.integer(w_.type(index), scale));
    scale = 1;
  }
  w_.start("getelementptr ");
  if (scale != 1) w_.put("[").put(scale).put(" x ");
  w_.put("i").put(type.bytes() * 8).put(scale != 1 ? "], " : ", ").typed(pointer).put(", ").typed(index);
  return w_.finish(DType(llvm_types::pointer, std::max(w_.type(pointer).lanes(), w_.type(index).lanes())));
}

/// The address of lane 0 without lane terms: the parts known outermost first, the constant last, so that as much as possible is
/// computed outside loops and shared.
LATHE_INLINE LlvmValue LlvmFunction::address(LlvmValue base, DType type, const Access &access) {
  List<std::pair<LlvmValue, std::int64_t>> parts;
  std::int64_t constant = access.constant;
  for (const AccessTerm &term : access.terms) {
    const LlvmValue part = product(term, 1);
    if (const auto bits = w_.constant_bits(part))
      constant = wrapping_add(constant, wrapping_mul(static_cast<std::int64_t>(*bits), term.coefficient));
    else
      parts.emplace_back(part, term.coefficient);
  }
  lists::sort(parts, [&](const auto &a, const auto &b) { return w_.comes_before(a.first, b.first); });
  for (const auto &[part, coefficient] : parts) base = moved(base, type, part, coefficient);
  return constant == 0 ? base : moved(base, type, w_.integer(scalar_types::index, constant), 1);
}

/// Whether the offsets of all lanes from lane 0's address fit 32 bits, which halves what a gather has to look at.
LATHE_INLINE bool LlvmFunction::lanes_fit_32_bits(const Access &access) {
  constexpr double limit = 2147483647.0;
  if (!access.stride_terms.empty()) return false;
  double reach = std::abs(static_cast<double>(access.stride)) * (access.lanes - 1);
  for (const AccessTerm &term : access.lane_terms) {
    if (!term.factors.empty()) return false;
    const auto *cast = term.atom.as<ir::Cast>();
    const bool narrow = cast && cast->mode == ir::CastMode::convert && cast->a.type().is_data_integer() &&
                        cast->a.type().bits() <= (cast->a.type().is_signed() ? 32 : 16);
    if (narrow) {
      reach +=
          std::abs(static_cast<double>(term.coefficient)) * static_cast<double>(std::int64_t{1} << (cast->a.type().bits() - 1));
      if (term.coefficient == 1 && access.lane_terms.size() == 1 && access.stride == 0) return true;
      continue;
    }
    const arith::Bounds bounds = facts().bounds(term.atom);
    const double most = std::max(std::abs(static_cast<double>(bounds.min)), std::abs(static_cast<double>(bounds.max)));
    reach += most * std::abs(static_cast<double>(term.coefficient));
  }
  return reach < limit;
}

/// The address of every lane, from that of lane 0 without lane terms.
LATHE_INLINE LlvmValue LlvmFunction::lane_pointers(LlvmValue pointer, DType type, const Access &access) {
  const DType index(scalar_types::index, access.lanes);
  LlvmValue offset;
  const auto add = [&](LlvmValue part) { offset = offset.defined() ? w_.op2("add", offset, part) : part; };
  const auto scaled = [&](LlvmValue part, std::int64_t coefficient) {
    return coefficient == 1 ? part : w_.op2("mul", part, w_.integer(w_.type(part), coefficient));
  };
  for (const AccessTerm &term : access.lane_terms) add(scaled(product(term, access.lanes), term.coefficient));
  if (access.stride != 0) add(llvm_memory::lane_multiples(w_, index, access.stride));
  for (const AccessTerm &term : access.stride_terms) {
    const LlvmValue stride = scaled(product(term, 1), term.coefficient);
    add(w_.op2("mul", w_.splat(stride, access.lanes), llvm_memory::lane_multiples(w_, index, 1)));
  }
  if (!offset.defined()) offset = w_.zero(index);
  if (lanes_fit_32_bits(access)) offset = w_.convert("trunc", offset, DType(scalar_types::int32, access.lanes));
  return moved(pointer, type, offset, 1);
}

// ---- loads -----------------------------------------------------------------------------------------------

LATHE_INLINE const ir::Expr *LlvmFunction::uniform_part(const ir::Expr &predicate) {
  const auto *broadcast = predicate.as<ir::Broadcast>();
  return broadcast && broadcast->a.lanes() == 1 ? &broadcast->a : &predicate;
}

LATHE_INLINE LlvmValue LlvmFunction::mask_of(const ir::Expr &predicate) const {
  if (!predicate.defined() || ir::is_true(predicate)) return {};
  const LlvmValue mask = known(*uniform_part(predicate));
  return w_.is_constant(mask, 1) ? LlvmValue{} : mask;
}

LATHE_INLINE LlvmValue LlvmFunction::load(const ir::Expr &e, const ir::Load &l) {
  const Access &access = accesses_.at(e.node());
  const Memory &memory = memory_of(l.buffer);
  const LlvmValue mask = mask_of(l.predicate);
  if (mask.defined() && w_.is_constant(mask, 0)) return w_.zero(e.type());
  if (!memory.places) return load_access(memory, l.buffer->type, access, mask);
  const LlvmValue cell = load_cell(memory, l.buffer->type, access);
  return mask.defined() && !memory.masked ? w_.select(mask, cell, w_.zero(w_.type(cell))) : cell;
}

/// A load from memory. `mask` is undefined or a predicate, of the lanes or uniform.
LATHE_INLINE LlvmValue LlvmFunction::load_access(const Memory &memory, DType element, const Access &access, LlvmValue mask) {
  const DType type = llvm_memory_type(element.with_lanes(access.lanes));
  const auto value = [&](LlvmValue loaded) { return element.is_bool() ? w_.compare("icmp ne", loaded, w_.zero(type)) : loaded; };
  const auto unless = [&](LlvmValue wanted, LlvmValue pointer, int bytes) {
    return w_.select(wanted, pointer, w_.named_at_entry(std::string(w_.unit().zeros(bytes)), llvm_types::pointer));
  };
  LlvmValue pointer = address(memory.pointer, type, access);
  if (mask.defined() && access.kind == AccessKind::broadcast) {
    // One element for all lanes: read when any lane wants it, then zero for those that do not.
    const LlvmValue any = any_lane(mask);
    const LlvmValue one = load_at(unless(any, pointer, type.bytes()), type.element(), access.alignment, memory);
    const LlvmValue all = w_.splat(one, access.lanes);
    return value(any == mask ? all : w_.select(mask, all, w_.zero(type)));
  }
  const bool one_span = access.kind == AccessKind::scalar || access.kind == AccessKind::contiguous;
  if (mask.defined() && one_span && !w_.type(mask).is_vector()) {
    pointer = unless(mask, pointer, type.bytes() * type.lanes());
    mask = {};
  }
  return value(access.lanes == 1 ? load_at(pointer, type, access.alignment, memory)
                                 : load_vector(memory, type, access, pointer, mask));
}

LATHE_INLINE LlvmValue LlvmFunction::any_lane(LlvmValue mask) {
  const DType type = w_.type(mask);
  return type.is_vector() ? w_.intrinsic("llvm.vector.reduce.or", type.element(), {mask}, {type}) : mask;
}

LATHE_INLINE LlvmValue LlvmFunction::load_at(LlvmValue pointer, DType type, int alignment, const Memory &memory) {
  w_.start("load ").put(type).put(", ").typed(pointer).put(", align ").put(alignment).put(memory.disjoint);
  return w_.finish_load(type, std::max(memory.written_depth, w_.load_level()), memory.version);
}

/// A vector load; `mask` is undefined or a predicate, of the lanes or uniform.
LATHE_INLINE LlvmValue LlvmFunction::load_vector(const Memory &memory, DType type, const Access &access, LlvmValue pointer,
                                                 LlvmValue mask) {
  const int outermost = std::max(memory.written_depth, w_.load_level());
  if (mask.defined()) {
    mask = w_.splat(mask, w_.type(mask).is_vector() ? 1 : access.lanes);
    if (access.kind != AccessKind::contiguous) return gather(memory, type, lane_pointers(pointer, type, access), mask, outermost);
    const LlvmValue alignment = w_.integer(scalar_types::int32, access.alignment), otherwise = w_.zero(type);
    w_.start_intrinsic("llvm.masked.load", type, {pointer, alignment, mask, otherwise}, {type, llvm_types::pointer});
    return w_.put(memory.disjoint).finish_load(type, outermost, memory.version);
  }
  switch (access.kind) {
    case AccessKind::contiguous: return load_at(pointer, type, access.alignment, memory);
    case AccessKind::broadcast: return w_.splat(load_at(pointer, type.element(), access.alignment, memory), access.lanes);
    case AccessKind::strided: {
      const std::int64_t stride = std::abs(access.stride);
      const bool power_of_two = (access.lanes & (access.lanes - 1)) == 0;
      if (access.stride_terms.empty() && stride <= llvm_memory::most_shuffled_stride && power_of_two && access.lanes >= stride)
        return load_strided(memory, type, access, pointer);
      return load_lanes(memory, type, access, pointer);
    }
    default: return load_lanes(memory, type, access, pointer);
  }
}

/// Lanes from anywhere. Numbers of lanes that are no power of two are filled up here: LLVM 19 would leave the indices of the
/// lanes that it adds undefined, and may then give index and result of a gather one register, which the instruction does not
/// allow.
LATHE_INLINE LlvmValue LlvmFunction::gather(const Memory &memory, DType type, LlvmValue pointers, LlvmValue mask, int outermost) {
  const int lanes = type.lanes(), whole = static_cast<int>(std::bit_ceil(static_cast<unsigned>(lanes)));
  if (whole != lanes) {
    List<int> first = llvm_memory::iota(lanes), none = first;
    first.resize(static_cast<std::size_t>(whole), 0);
    none.resize(static_cast<std::size_t>(whole), lanes);
    pointers = w_.shuffle(pointers, {}, first);
    mask = w_.shuffle(mask, w_.zero(w_.type(mask)), none);
  }
  const DType filled = type.with_lanes(whole);
  const LlvmValue element = w_.integer(scalar_types::int32, type.bytes());
  w_.start_intrinsic("llvm.masked.gather", filled, {pointers, element, mask, w_.zero(filled)}, {filled, w_.type(pointers)});
  const LlvmValue result = w_.put(memory.disjoint).finish_load(filled, outermost, memory.version);
  return whole == lanes ? result : w_.shuffle(result, {}, llvm_memory::iota(lanes));
}

/// A small constant stride: as many whole vectors as the stride, within the first and last element wanted, shuffled together.
LATHE_INLINE LlvmValue LlvmFunction::load_strided(const Memory &memory, DType type, const Access &access, LlvmValue pointer) {
  const int lanes = access.lanes, stride = static_cast<int>(std::abs(access.stride));
  const int span = (lanes - 1) * stride + 1, lowest = access.stride < 0 ? 1 - span : 0;
  LlvmValue result;
  for (int piece = 0; piece < stride; ++piece) {
    const int start = std::min(piece * lanes, span - lanes), offset = lowest + start;
    const LlvmValue at = offset == 0 ? pointer : moved(pointer, type, w_.integer(scalar_types::index, offset), 1);
    const LlvmValue part = load_at(at, type, type.bytes(), memory);
    if (piece == 0 && stride > 1) {
      result = part;
      continue;
    }
    // Lanes found in the first piece are still at their place in memory when the second comes; later they are where they belong.
    List<int> pick;
    for (int i = 0; i < lanes; ++i) {
      const int place = (access.stride < 0 ? lanes - 1 - i : i) * stride, owner = std::min(place / lanes, stride - 1);
      if (stride == 1)
        pick.push_back(place);
      else if (owner == piece)
        pick.push_back(lanes + place - start);
      else
        pick.push_back(owner > piece ? -1 : piece == 1 ? place : i);
    }
    result = stride == 1 ? w_.shuffle(part, {}, pick) : w_.shuffle(result, part, pick);
  }
  return result;
}

/// Lane by lane, or by the gather instruction where the target has a good one.
LATHE_INLINE LlvmValue LlvmFunction::load_lanes(const Memory &memory, DType type, const Access &access, LlvmValue pointer) {
  if (w_.unit().has("avx512f") && type.bits() >= 32 && access.lanes >= 4)
    return load_vector(memory, type, access, pointer, w_.integer(DType(scalar_types::boolean, access.lanes), 1));
  LlvmValue result;
  for (int i = 0; i < access.lanes; ++i)
    result = w_.with_lane(result, load_at(lane_pointer(pointer, type, access, i), type.element(), type.bytes(), memory), i,
                          access.lanes);
  return result;
}

LATHE_INLINE LlvmValue LlvmFunction::lane_pointer(LlvmValue pointer, DType type, const Access &access, int i) {
  if (!access.lane_terms.empty()) return w_.lane(lane_pointers(pointer, type, access), i);
  if (i == 0) return pointer;
  if (access.stride != 0) pointer = moved(pointer, type, w_.integer(scalar_types::index, access.stride * i), 1);
  for (const AccessTerm &term : access.stride_terms) pointer = moved(pointer, type, product(term, 1), term.coefficient * i);
  return pointer;
}

// ---- stores ----------------------------------------------------------------------------------------------

LATHE_INLINE void LlvmFunction::store_at(LlvmValue pointer, LlvmValue value, int alignment, std::string_view disjoint) {
  w_.start("store ").typed(value).put(", ").typed(pointer).put(", align ").put(alignment).put(disjoint).perform();
}

/// A store to memory. `mask` is undefined or of the lanes. What was stored need not be loaded again.
LATHE_INLINE void LlvmFunction::store_access(Memory &memory, DType element, const Access &access, LlvmValue value,
                                             LlvmValue mask) {
  const DType type = llvm_memory_type(element.with_lanes(access.lanes));
  if (element.is_bool()) value = w_.convert("zext", value, type);
  const LlvmValue pointer = address(memory.pointer, type, access);
  store_vector(memory, type, access, pointer, value, mask);
  memory.version = versions_++;
  const bool one_span = access.kind == AccessKind::scalar || access.kind == AccessKind::contiguous;
  if (mask.defined() || !one_span) return;
  w_.start("load ").put(type).put(", ").typed(pointer).put(", align ").put(access.alignment).put(memory.disjoint);
  w_.remember_load(memory.version, value);
}

/// Stores a value of the memory's type; `mask` is undefined or of its lanes. Where lanes meet in one element the last one stays.
LATHE_INLINE void LlvmFunction::store_vector(const Memory &memory, DType type, const Access &access, LlvmValue pointer,
                                             LlvmValue value, LlvmValue mask) {
  if (mask.defined()) {
    const LlvmValue alignment =
        w_.integer(scalar_types::int32, access.kind == AccessKind::contiguous ? access.alignment : type.bytes());
    if (access.kind == AccessKind::contiguous) {
      w_.start_intrinsic("llvm.masked.store", {}, {value, pointer, alignment, mask}, {type, llvm_types::pointer});
    } else {
      const LlvmValue pointers = lane_pointers(pointer, type, access);
      w_.start_intrinsic("llvm.masked.scatter", {}, {value, pointers, alignment, mask}, {type, w_.type(pointers)});
    }
    return w_.put(memory.disjoint).perform();
  }
  switch (access.kind) {
    case AccessKind::scalar: return store_at(pointer, value, access.alignment, memory.disjoint);
    case AccessKind::contiguous: {
      // Of less alignment, LLVM would store them in pieces.
      const int bytes = type.bytes() * type.lanes();
      const bool streams = memory.streamed && access.alignment % bytes == 0 && bytes >= 16;
      streams_ = streams_ || streams;
      const std::string ending = memory.disjoint + (streams ? std::string(w_.unit().past_caches()) : "");
      return store_at(pointer, value, access.alignment, ending);
    }
    case AccessKind::broadcast: return store_at(pointer, w_.lane(value, access.lanes - 1), access.alignment, memory.disjoint);
    default:
      for (int i = 0; i < access.lanes; ++i)
        store_at(lane_pointer(pointer, type, access, i), w_.lane(value, i), type.bytes(), memory.disjoint);
  }
}

// ---- buffers that need no memory -------------------------------------------------------------------------

LATHE_INLINE std::size_t LlvmFunction::cell(const Memory &memory, std::int64_t offset) const {
  return memory.first_cell + static_cast<std::size_t>(memory.places->find(offset) - memory.places->begin());
}

LATHE_INLINE LlvmValue LlvmFunction::load_cell(const Memory &memory, DType element, const Access &access) {
  LlvmValue value = cells_[cell(memory, access.constant)];
  const int lanes = access.kind == AccessKind::broadcast ? 1 : access.lanes;
  if (!value.defined()) value = w_.undefined(element.with_lanes(lanes));
  return lanes == access.lanes ? value : w_.splat(value, access.lanes);
}

LATHE_INLINE void LlvmFunction::store_cell(const Memory &memory, const Access &access, LlvmValue value, LlvmValue mask) {
  if (access.kind == AccessKind::broadcast) value = w_.lane(value, access.lanes - 1);
  LlvmValue &held = cells_[cell(memory, access.constant)];
  held = mask.defined() && held.defined() ? w_.select(mask, value, held) : value;
}

}  // namespace lathe::inline LATHE_ABI::codegen
