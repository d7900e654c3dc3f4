// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Text of LLVM types and constants, and the writer's bookkeeping.

#include <algorithm>
#include <bit>
#include <charconv>
#include <utility>

#include "lathe/codegen/llvm_writer.hpp"
#include "lathe/diag/diagnostic.hpp"
#include "lathe/support/list.hpp"
#include "lathe/support/lists.hpp"

namespace lathe::inline LATHE_ABI::codegen {

namespace llvm_text {

inline void append_number(std::string &text, std::int64_t number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  text.append(digits, end);
}

inline void append_hex(std::string &text, std::uint64_t bits) {
  static constexpr char digits[] = "0123456789ABCDEF";
  text += "0x";
  for (int shift = 60; shift >= 0; shift -= 4) text += digits[(bits >> shift) & 15];
}

/// LLVM writes float constants as the double of the same value. Done on the pattern, so that signaling NaNs stay as they are.
inline std::uint64_t as_double_pattern(std::uint32_t bits) {
  const std::uint64_t sign = std::uint64_t{bits >> 31} << 63;
  const std::uint32_t exponent = (bits >> 23) & 0xff, mantissa = bits & 0x7fffff;
  if (exponent == 0xff) return sign | 0x7ff0000000000000u | (std::uint64_t{mantissa} << 29);
  if (exponent != 0) return sign | (std::uint64_t{exponent + 896} << 52) | (std::uint64_t{mantissa} << 29);
  return sign | std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(mantissa)));
}

/// A scalar constant from the lowest bits of its pattern.
LATHE_INLINE void append_scalar(std::string &text, DType type, std::uint64_t bits) {
  if (type.is_bool()) {
    text += bits & 1 ? "true" : "false";
  } else if (type.is_float() && type.bits() == 32) {
    append_hex(text, as_double_pattern(static_cast<std::uint32_t>(bits)));
  } else if (type.is_float() && type.bits() == 64) {
    append_hex(text, bits);
  } else {
    const int unused = 64 - std::min(type.bits(), 64);
    append_number(text, static_cast<std::int64_t>(bits << unused) >> unused);
  }
}

}  // namespace llvm_text

LATHE_INLINE std::string llvm_global(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '$' ||
           c == '-';
  };
  if (!name.empty() && !(name[0] >= '0' && name[0] <= '9') && lists::all_of(name, plain)) return "@" + std::string(name);
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string text = "@\"";
  for (const char c : name) {
    if (plain(c)) {
      text += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      text += '\\';
      text += digits[byte >> 4];
      text += digits[byte & 15];
    }
  }
  return text + '"';
}

LATHE_INLINE void append_llvm_type(std::string &text, DType type) {
  const bool vector = type.is_vector();
  if (vector) {
    text += '<';
    llvm_text::append_number(text, type.lanes());
    text += " x ";
  }
  if (&type.scalar() == &llvm_types::pointer || &type.scalar() == &llvm_types::half) {
    text += type.scalar().name;
  } else if (type.is_float() && type.bits() >= 32) {
    text += type.bits() == 32 ? "float" : "double";
  } else {
    text += 'i';
    llvm_text::append_number(text, type.bits());
  }
  if (vector) text += '>';
}

LATHE_INLINE void append_llvm_suffix(std::string &text, DType type) {
  if (type.is_vector()) {
    text += 'v';
    llvm_text::append_number(text, type.lanes());
  }
  if (&type.scalar() == &llvm_types::pointer) {
    text += "p0";
    return;
  }
  text += (type.is_float() && type.bits() >= 32) || &type.scalar() == &llvm_types::half ? 'f' : 'i';
  llvm_text::append_number(text, type.bits());
}

// ---- the module ------------------------------------------------------------------------------------------

LATHE_INLINE std::string LlvmUnit::unique_name(std::string_view base) {
  std::string name(base);
  name += '.';
  llvm_text::append_number(name, names_++);
  return name;
}

LATHE_INLINE std::string_view LlvmUnit::zeros(int bytes) {
  zero_bytes_ = std::max(zero_bytes_, bytes);
  return "@lathe.zeros";
}

LATHE_INLINE std::string_view LlvmUnit::past_caches() {
  if (past_caches_.empty()) {
    const std::string name = "!" + std::to_string(metadata_nodes_++);
    metadata_ += name + " = !{i32 1}\n";
    past_caches_ = ", !nontemporal " + name;
  }
  return past_caches_;
}

LATHE_INLINE List<std::string> LlvmUnit::disjoint(std::size_t count) {
  constexpr std::size_t most = 24;  // The lists grow with the square.
  List<std::string> endings(count);
  if (count < 2 || count > most) return endings;
  const auto node = [&](const std::string &content) {
    const std::string name = "!" + std::to_string(metadata_nodes_++);
    metadata_ += composed({name, " = ", content, "\n"});
    return name;
  };
  const auto distinct = [&](const std::string &more) { return node(composed({"distinct !{!", metadata_nodes_, more, "}"})); };
  const std::string domain = distinct("");
  List<std::string> scopes;
  for (std::size_t i = 0; i < count; ++i) scopes.push_back(distinct(", " + domain));
  for (std::size_t i = 0; i < count; ++i) {
    std::string others;
    for (std::size_t k = 0; k < count; ++k)
      if (k != i) others += (others.empty() ? "" : ", ") + scopes[k];
    const std::string own = node(composed({"!{", scopes[i], "}"}));
    endings[i] = composed({", !alias.scope ", own, ", !noalias ", node("!{" + others + "}")});
  }
  return endings;
}

LATHE_INLINE std::string LlvmUnit::text() const {
  std::string text;
  text.reserve(functions_.size() + 4096);
  text += composed({"target triple = \"", target_.triple, "\"\n\n"});
  if (zero_bytes_ > 0)
    text += composed({"@lathe.zeros = internal constant [", zero_bytes_, " x i8] zeroinitializer, align 64\n\n"});
  text += functions_;
  for (const auto &declared : declarations_) text += declared.second + "\n";
  text += "\nattributes #0 = { nounwind";
  if (target_.vector_bits > 0) text += composed({" \"prefer-vector-width\"=\"", target_.vector_bits, "\""});
  // Without this LLVM takes every width that the text names for one that callers rely on, and 512 bits stay legal.
  if (target_.vector_bits < 512 && has("avx512vl")) text += " \"min-legal-vector-width\"=\"0\"";
  text += " }\nattributes #1 = { nounwind willreturn memory(none) }\nattributes #2 = { nounwind }\n\n";
  text +=
      "!0 = distinct !{!0, !1, !2}\n!1 = !{!\"llvm.loop.vectorize.enable\", i1 false}\n!2 = !{!\"llvm.loop.unroll.disable\"}\n";
  return text + metadata_;
}

// ---- regions ---------------------------------------------------------------------------------------------

LATHE_INLINE LlvmWriter::LlvmWriter(LlvmUnit &unit) : unit_(unit) { open(RegionKind::function, "entry"); }

LATHE_INLINE void LlvmWriter::open(RegionKind kind, std::string block) {
  // Vectors kept across a loop take registers from its body: a few stay free for what the body itself needs.
  const int budget = unit_.has("avx512f") || unit_.is_aarch64() ? 26 : 10;
  regions_.push_back({kind, {}, std::move(block), serials_++, budget});
}

LATHE_INLINE LlvmWriter::Region LlvmWriter::close() {
  Region region = std::move(regions_.back());
  regions_.pop_back();
  return region;
}

LATHE_INLINE int LlvmWriter::load_level() const {
  for (int i = depth(); i > 0; --i) {
    const Region &region = regions_[static_cast<std::size_t>(i)];
    if (region.kind == RegionKind::branch || region.loads_stay) return i;
  }
  return 0;
}

LATHE_INLINE std::string LlvmWriter::label() {
  std::string text = "b";
  llvm_text::append_number(text, labels_++);
  return text;
}

LATHE_INLINE void LlvmWriter::start_block(std::string_view label) {
  Region &region = top();
  region.text += label;
  region.text += ":\n";
  region.block = label;
}

LATHE_INLINE void LlvmWriter::line(const Phrase &text) {
  top().text += "  ";
  text.append_to(top().text);
  top().text += '\n';
}

LATHE_INLINE void LlvmWriter::branch(std::string_view label) {
  top().text += "  br label %";
  top().text += label;
  top().text += '\n';
}

LATHE_INLINE void LlvmWriter::branch(LlvmValue condition, std::string_view then_label, std::string_view else_label) {
  std::string &text = top().text;
  text += "  br i1 ";
  text += values_[condition.id].text;
  text += ", label %";
  text += then_label;
  text += ", label %";
  text += else_label;
  text += '\n';
}

// ---- values ----------------------------------------------------------------------------------------------

LATHE_INLINE LlvmValue LlvmWriter::add_value(Info info) {
  values_.push_back(std::move(info));
  return {static_cast<std::uint32_t>(values_.size() - 1)};
}

LATHE_INLINE bool LlvmWriter::alive(LlvmValue v) const {
  const Info &info = values_[v.id];
  return info.level < regions_.size() && regions_[info.level].serial == info.serial;
}

LATHE_INLINE std::optional<std::uint64_t> LlvmWriter::constant_bits(LlvmValue v) const {
  const Info &info = values_[v.id];
  return info.is_constant ? std::optional(info.bits) : std::nullopt;
}

LATHE_INLINE bool LlvmWriter::is_constant(LlvmValue v, std::int64_t integer) const {
  const Info &info = values_[v.id];
  const int unused = 64 - std::min(info.type.bits(), 64);
  return info.is_constant && (info.bits << unused) == (static_cast<std::uint64_t>(integer) << unused);
}

LATHE_INLINE LlvmValue LlvmWriter::constant(DType type, std::uint64_t bits) {
  // Signed integers are kept sign-extended; the pattern is what tells constants apart.
  if (type.bits() < 64) bits &= (std::uint64_t{1} << type.bits()) - 1;
  std::string key = "constant ";
  append_llvm_type(key, type);
  key += ' ';
  llvm_text::append_number(key, static_cast<std::int64_t>(bits));
  if (const auto *it = known_.find(key)) return it->second;
  std::string text;
  if (!type.is_vector()) {
    llvm_text::append_scalar(text, type, bits);
  } else if (bits == 0) {
    text = "zeroinitializer";
  } else {
    std::string element, vector;
    append_llvm_type(element, type.element());
    append_llvm_type(vector, type);
    text = composed({"shufflevector (", vector, " insertelement (", vector, " poison, ", element, " "});
    llvm_text::append_scalar(text, type, bits);
    text += composed({", i32 0), ", vector, " poison, <", type.lanes(), " x i32> zeroinitializer)"});
  }
  const LlvmValue value = add_value({std::move(text), type, 0, regions_[0].serial, false, true, bits});
  known_.emplace(std::move(key), value);
  return value;
}

LATHE_INLINE LlvmValue LlvmWriter::floating(DType type, double value) {
  if (type.bits() == 64) return constant(type, std::bit_cast<std::uint64_t>(value));
  return constant(type, std::bit_cast<std::uint32_t>(static_cast<float>(value)));
}

LATHE_INLINE LlvmValue LlvmWriter::undefined(DType type) { return add_value({"undef", type, 0, regions_[0].serial}); }

LATHE_INLINE LlvmValue LlvmWriter::constants(DType type, const List<std::uint64_t> &lanes) {
  if (std::adjacent_find(lanes.begin(), lanes.end(), std::not_equal_to<>()) == lanes.end()) return constant(type, lanes[0]);
  std::string element, text = "<";
  append_llvm_type(element, type.element());
  for (const std::uint64_t lane : lanes) {
    if (text.size() > 1) text += ", ";
    text += element;
    text += ' ';
    llvm_text::append_scalar(text, type, lane);
  }
  text += '>';
  return add_value({std::move(text), type, 0, regions_[0].serial});
}

LATHE_INLINE LlvmValue LlvmWriter::named(std::string text, DType type) {
  return add_value({std::move(text), type, static_cast<std::uint32_t>(depth()), top().serial});
}

LATHE_INLINE std::string LlvmWriter::fresh_name() {
  std::string text = "%v";
  llvm_text::append_number(text, names_++);
  return text;
}

// ---- instructions ----------------------------------------------------------------------------------------

LATHE_INLINE LlvmWriter &LlvmWriter::start(std::string_view op) {
  draft_.assign(op);
  draft_level_ = 0;
  draft_reads_ = false;
  return *this;
}

LATHE_INLINE LlvmWriter &LlvmWriter::put(std::string_view text) {
  draft_ += text;
  return *this;
}

LATHE_INLINE LlvmWriter &LlvmWriter::put(std::int64_t number) {
  llvm_text::append_number(draft_, number);
  return *this;
}

LATHE_INLINE LlvmWriter &LlvmWriter::put(LlvmValue operand) {
  ensure(operand.defined() && alive(operand), "an operand is computed before its use and in a region around it");
  const Info &info = values_[operand.id];
  draft_ += info.text;
  draft_level_ = std::max(draft_level_, static_cast<int>(info.level));
  draft_reads_ = draft_reads_ || info.reads;
  return *this;
}

LATHE_INLINE LlvmWriter &LlvmWriter::put(DType type) {
  append_llvm_type(draft_, type);
  return *this;
}

LATHE_INLINE LlvmWriter &LlvmWriter::typed(LlvmValue operand) {
  append_llvm_type(draft_, values_[operand.id].type);
  draft_ += ' ';
  return put(operand);
}

LATHE_INLINE LlvmValue LlvmWriter::find(std::string_view key) const {
  const auto *it = known_.find(key);
  return it && alive(it->second) ? it->second : LlvmValue{};
}

LATHE_INLINE int LlvmWriter::registers_of(DType type) const {
  if (!type.is_vector()) return 0;
  const int width = std::max(unit_.target().vector_bits, 128);
  return std::max(1, (type.lanes() * type.bits() + width - 1) / width);
}

/// The region for the drafted instruction: outwards as far as its operands are known, but costly ones and those of rare branches
/// not out of a branch, and vectors only while the loops on the way have registers left.
LATHE_INLINE int LlvmWriter::settle(DType type, Cost cost) {
  int level = draft_level_;
  const int registers = registers_of(type);
  for (int i = depth(); i > level; --i) {
    const Region &region = regions_[static_cast<std::size_t>(i)];
    const bool costly = region.kind == RegionKind::branch && (region.rare || cost == Cost::dear);
    const bool full = registers > 0 && region.kind == RegionKind::loop && region.vectors_left < registers;
    if (costly || full) level = i;
  }
  for (int i = depth(); i > level; --i) regions_[static_cast<std::size_t>(i)].vectors_left -= registers;
  return level;
}

LATHE_INLINE LlvmValue LlvmWriter::place(DType type, int level, std::string_view key) {
  Region &region = regions_[static_cast<std::size_t>(level)];
  std::string name = fresh_name();
  region.text += "  ";
  region.text += name;
  region.text += " = ";
  region.text += draft_;
  region.text += '\n';
  const LlvmValue value =
      add_value({std::move(name), type, static_cast<std::uint32_t>(level), region.serial, draft_reads_, false, 0});
  if (!key.empty()) known_.insert_or_assign(std::string(key), value);
  return value;
}

LATHE_INLINE LlvmValue LlvmWriter::finish(DType type, Cost cost) {
  if (const LlvmValue known = find(draft_); known.defined()) return known;
  return place(type, settle(type, cost), draft_);
}

LATHE_INLINE std::string LlvmWriter::load_key(std::uint64_t version) const {
  std::string key = draft_;
  key += '#';
  llvm_text::append_number(key, static_cast<std::int64_t>(version));
  return key;
}

LATHE_INLINE LlvmValue LlvmWriter::finish_load(DType type, int outermost, std::uint64_t version) {
  draft_reads_ = true;
  draft_level_ = std::max(draft_level_, outermost);
  const std::string key = load_key(version);
  if (const LlvmValue known = find(key); known.defined()) return known;
  return place(type, settle(type, Cost::cheap), key);
}

LATHE_INLINE void LlvmWriter::remember_load(std::uint64_t version, LlvmValue value) {
  known_.insert_or_assign(load_key(version), value);
}

LATHE_INLINE LlvmValue LlvmWriter::perform(DType type) {
  draft_reads_ = true;
  return place(type, depth(), {});
}

LATHE_INLINE void LlvmWriter::perform() { line(draft_); }

LATHE_INLINE LlvmValue LlvmWriter::op1(std::string_view op, LlvmValue a) { return start(op).put(" ").typed(a).finish(type(a)); }

LATHE_INLINE LlvmValue LlvmWriter::op2(std::string_view op, LlvmValue a, LlvmValue b, Cost cost) {
  return start(op).put(" ").typed(a).put(", ").put(b).finish(type(a), cost);
}

LATHE_INLINE LlvmValue LlvmWriter::convert(std::string_view op, LlvmValue a, DType to) {
  return start(op).put(" ").typed(a).put(" to ").put(to).finish(to);
}

LATHE_INLINE LlvmValue LlvmWriter::bitcast(LlvmValue a, DType to) {
  std::string from_text, to_text;
  append_llvm_type(from_text, type(a));
  append_llvm_type(to_text, to);
  return from_text == to_text ? a : convert("bitcast", a, to);
}

LATHE_INLINE LlvmValue LlvmWriter::compare(std::string_view op, LlvmValue a, LlvmValue b) {
  return start(op).put(" ").typed(a).put(", ").put(b).finish(DType(scalar_types::boolean, type(a).lanes()));
}

LATHE_INLINE LlvmValue LlvmWriter::select(LlvmValue condition, LlvmValue a, LlvmValue b) {
  if (a == b) return a;
  if (const auto chosen = constant_bits(condition)) return *chosen & 1 ? a : b;
  return start("select ").typed(condition).put(", ").typed(a).put(", ").typed(b).finish(type(a));
}

LATHE_INLINE void LlvmWriter::start_intrinsic(std::string_view name, std::optional<DType> result,
                                              std::initializer_list<LlvmValue> arguments,
                                              std::initializer_list<DType> overloads) {
  std::string global = "@";
  global += name;
  for (const DType &overload : overloads) {
    global += '.';
    append_llvm_suffix(global, overload);
  }
  start("call ");
  std::string result_text = result ? "" : "void";
  if (result) append_llvm_type(result_text, *result);
  std::string declaration = "declare " + result_text;
  put(result_text);
  put(" ").put(global).put("(");
  declaration += ' ' + global + '(';
  for (const LlvmValue argument : arguments) {
    if (draft_.back() != '(') {
      put(", ");
      declaration += ", ";
    }
    typed(argument);
    append_llvm_type(declaration, type(argument));
  }
  put(")");
  unit_.declare(global, declaration + ")");
}

LATHE_INLINE LlvmValue LlvmWriter::intrinsic(std::string_view name, DType result, std::initializer_list<LlvmValue> arguments,
                                             std::initializer_list<DType> overloads) {
  start_intrinsic(name, result, arguments, overloads);
  return finish(result);
}

LATHE_INLINE LlvmValue LlvmWriter::splat(LlvmValue scalar, int lanes) {
  const DType vector = type(scalar).with_lanes(lanes);
  if (lanes == 1) return scalar;
  if (const auto bits = constant_bits(scalar)) return constant(vector, *bits);
  const LlvmValue first = with_lane(LlvmValue{}, scalar, 0, lanes);
  return start("shufflevector ")
      .typed(first)
      .put(", ")
      .put(vector)
      .put(" poison, <")
      .put(lanes)
      .put(" x i32> zeroinitializer")
      .finish(vector);
}

LATHE_INLINE LlvmValue LlvmWriter::lane(LlvmValue vector, int i) {
  const DType vector_type = type(vector);
  if (!vector_type.is_vector()) return vector;
  if (const auto bits = constant_bits(vector)) return constant(vector_type.element(), *bits);
  return start("extractelement ").typed(vector).put(", i32 ").put(i).finish(vector_type.element());
}

LATHE_INLINE LlvmValue LlvmWriter::with_lane(LlvmValue vector, LlvmValue scalar, int i, int lanes) {
  const DType vector_type = type(scalar).with_lanes(lanes);
  start("insertelement ");
  if (vector.defined())
    typed(vector);
  else
    put(vector_type).put(" poison");
  return put(", ").typed(scalar).put(", i32 ").put(i).finish(vector_type);
}

LATHE_INLINE LlvmValue LlvmWriter::shuffle(LlvmValue a, LlvmValue b, const List<int> &lanes) {
  const DType from = type(a), to = from.with_lanes(static_cast<int>(lanes.size()));
  bool same = to == from;
  for (std::size_t i = 0; same && i < lanes.size(); ++i) same = lanes[i] == static_cast<int>(i);
  if (same) return a;
  if (lanes.size() == 1) return lanes[0] < from.lanes() ? lane(a, lanes[0]) : lane(b, lanes[0] - from.lanes());
  start("shufflevector ").typed(a).put(", ");
  if (b.defined())
    typed(b);
  else
    put(from).put(" poison");
  put(", <").put(static_cast<std::int64_t>(lanes.size())).put(" x i32> <");
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    if (i > 0) put(", ");
    if (lanes[i] < 0)
      put("i32 poison");
    else
      put("i32 ").put(lanes[i]);
  }
  return put(">").finish(to);
}

}  // namespace lathe::inline LATHE_ABI::codegen
