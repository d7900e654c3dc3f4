// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Writes the instructions of one LLVM function as text. Equal instructions become one value, and a value is computed in the
/// outermost region (function, loop, branch) where its operands are known: merging and hoisting happen while writing.
///
/// Regions nest like statements. Each collects its own text; closing one appends it to the region around it, so whatever an inner
/// region hoists lands before it.

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lathe/codegen/llvm_ir.hpp"
#include "lathe/dtype/scalar_type.hpp"
#include "lathe/support/hash_map.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::codegen {

/// Types that exist in LLVM's text only.
namespace llvm_types {
inline constexpr ScalarType pointer{"ptr", Kind::custom, 64, 64, 0, 0};
inline constexpr ScalarType half{"half", Kind::floating, 16, 16, 5, 10};
inline constexpr ScalarType i128{"i128", Kind::integer, 128, 128, 0, 0};
}  // namespace llvm_types

/// A value of the function being written. Its signedness is not known: operators are told the type of their operands.
struct LlvmValue {
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::uint32_t id = none;
  bool defined() const { return id != none; }
  friend bool operator==(const LlvmValue &, const LlvmValue &) = default;
};

/// What the functions of a module share: declarations, names, finished text.
class LlvmUnit {
 public:
  LlvmUnit(const Target &target, const LlvmTextOptions &options) : target_(target), options_(options) {}

  const Target &target() const { return target_; }
  const LlvmTextOptions &options() const { return options_; }
  bool has(std::string_view feature) const { return target_.has(feature); }
  bool is_x86() const { return target_.triple.rfind("x86_64", 0) == 0; }
  bool is_aarch64() const { return target_.triple.rfind("aarch64", 0) == 0; }

  /// Declares a function, once by its name as it stands in the text ("@expf").
  void declare(const std::string &name, const std::string &declaration) { declarations_.emplace(name, declaration); }
  /// A function's name that no other of the module has: the given one and a number.
  std::string unique_name(std::string_view base);
  void add_function(std::string_view text) { functions_ += text; }
  /// The name of a constant that holds at least that many zero bytes: what a load that must not happen reads instead.
  std::string_view zeros(int bytes);
  /// For each of `count` memories that do not overlap, what an access to it ends with to say so.
  List<std::string> disjoint(std::size_t count);
  /// What a store ends with that goes past the caches.
  std::string_view past_caches();
  /// All text, in the order globals, functions, declarations, metadata.
  std::string text() const;

 private:
  Target target_;
  LlvmTextOptions options_;
  HashMap<std::string, std::string> declarations_;
  std::string functions_;
  std::string metadata_;
  std::string past_caches_;
  int metadata_nodes_ = 3;  ///< the first ones are those of loops
  int names_ = 0;
  int zero_bytes_ = 0;
};

/// "@name", quoted where LLVM wants it.
std::string llvm_global(std::string_view name);
/// "<16 x float>". Small floats are i16 except `llvm_types::half`.
void append_llvm_type(std::string &text, DType type);
/// "v16f32", as intrinsics' names have it.
void append_llvm_suffix(std::string &text, DType type);

class LlvmWriter {
 public:
  enum class RegionKind : std::uint8_t { function, loop, branch };
  struct Region {
    RegionKind kind;
    std::string text;
    std::string block;        ///< label of the block that text is being appended to
    std::uint32_t serial;     ///< no two regions of a function share one
    int vectors_left;         ///< of a loop: how many more vector registers may be filled before it
    bool loads_stay = false;  ///< a check came before: later loads may not move out
    bool rare = false;        ///< of a branch: nothing that it computes is computed before it
  };
  enum class Cost : std::uint8_t { cheap, dear };

  explicit LlvmWriter(LlvmUnit &unit);
  LlvmUnit &unit() { return unit_; }

  // ---- regions ------------------------------------------------------------------------------------------------------------
  int depth() const { return static_cast<int>(regions_.size()) - 1; }
  Region &top() { return regions_.back(); }
  void open(RegionKind kind, std::string block);
  Region close();
  /// The outermost region that a load at this place may move to: not out of a branch, not above a check.
  int load_level() const;
  std::string label();
  /// Ends the block being written and starts another in the same region.
  void start_block(std::string_view label);
  /// Appends a line to the innermost region.
  void line(const Phrase &text);
  void branch(LlvmValue condition, std::string_view then_label, std::string_view else_label);
  void branch(std::string_view label);

  // ---- values -------------------------------------------------------------------------------------------------------------
  std::string text(LlvmValue v) const { return values_[v.id].text; }  // a copy: the next value may move all
  DType type(LlvmValue v) const { return values_[v.id].type; }
  int level(LlvmValue v) const { return static_cast<int>(values_[v.id].level); }
  bool reads_memory(LlvmValue v) const { return values_[v.id].reads; }
  /// An order of values: those of outer regions first, then as they were made.
  bool comes_before(LlvmValue a, LlvmValue b) const { return level(a) != level(b) ? level(a) < level(b) : a.id < b.id; }
  /// Whether the value's region is still open.
  bool alive(LlvmValue v) const;
  /// The bits of a constant whose lanes are all alike.
  std::optional<std::uint64_t> constant_bits(LlvmValue v) const;
  bool is_constant(LlvmValue v, std::int64_t integer) const;

  LlvmValue constant(DType type, std::uint64_t bits);
  LlvmValue integer(DType type, std::int64_t value) { return constant(type, static_cast<std::uint64_t>(value)); }
  LlvmValue floating(DType type, double value);
  LlvmValue zero(DType type) { return constant(type, 0); }
  LlvmValue undefined(DType type);
  /// A vector of constants; `lane(i)` are their bits.
  LlvmValue constants(DType type, const List<std::uint64_t> &lanes);
  /// A value by its text that exists from here on in the innermost region (parameters, phis, results of loops).
  LlvmValue named(std::string text, DType type);
  /// The same from the start of the function on.
  LlvmValue named_at_entry(std::string text, DType type) { return add_value({std::move(text), type, 0, regions_[0].serial}); }
  std::string fresh_name();

  // ---- instructions: start, put…, then finish or perform ---------------------------------------------------------------------
  LlvmWriter &start(std::string_view op);
  LlvmWriter &put(std::string_view text);
  LlvmWriter &put(std::int64_t number);
  LlvmWriter &put(int number) { return put(static_cast<std::int64_t>(number)); }
  LlvmWriter &put(LlvmValue operand);    ///< its name
  LlvmWriter &typed(LlvmValue operand);  ///< its type and name
  LlvmWriter &put(DType type);
  /// The value of a pure instruction: an equal one's where there is one.
  LlvmValue finish(DType type, Cost cost = Cost::cheap);
  /// The same for a load: valid until `version` of its buffer changes, and not moved out of `outermost`.
  LlvmValue finish_load(DType type, int outermost, std::uint64_t version);
  /// The drafted load at `version` need not be written: its value is known.
  void remember_load(std::uint64_t version, LlvmValue value);
  /// An instruction with an effect, in place; with a result when a type is given.
  LlvmValue perform(DType type);
  void perform();

  LlvmValue op1(std::string_view op, LlvmValue a);
  LlvmValue op2(std::string_view op, LlvmValue a, LlvmValue b, Cost cost = Cost::cheap);
  LlvmValue convert(std::string_view op, LlvmValue a, DType to);
  /// `a` with another LLVM type of the same width; itself where the text of the types is the same.
  LlvmValue bitcast(LlvmValue a, DType to);
  LlvmValue compare(std::string_view op, LlvmValue a, LlvmValue b);  ///< op: "icmp slt", "fcmp olt"
  LlvmValue select(LlvmValue condition, LlvmValue a, LlvmValue b);
  /// A call of an intrinsic named after `overloads`.
  LlvmValue intrinsic(std::string_view name, DType result, std::initializer_list<LlvmValue> arguments,
                      std::initializer_list<DType> overloads);
  /// The same where the result's type is the only overload.
  LlvmValue intrinsic(std::string_view name, DType result, std::initializer_list<LlvmValue> arguments) {
    return intrinsic(name, result, arguments, {result});
  }
  /// Drafts such a call, for those that need a special finish; without a result it has an effect only.
  void start_intrinsic(std::string_view name, std::optional<DType> result, std::initializer_list<LlvmValue> arguments,
                       std::initializer_list<DType> overloads);
  LlvmValue splat(LlvmValue scalar, int lanes);
  LlvmValue lane(LlvmValue vector, int i);
  /// A vector of `lanes` with one lane replaced; an undefined vector has no lanes set yet.
  LlvmValue with_lane(LlvmValue vector, LlvmValue scalar, int i, int lanes);
  /// Lanes of two vectors laid end to end; -1 leaves a lane undefined. `b` may be undefined.
  LlvmValue shuffle(LlvmValue a, LlvmValue b, const List<int> &lanes);

  /// Registers that a vector value fills; 0 for scalars.
  int registers_of(DType type) const;

 private:
  struct Info {
    std::string text;
    DType type;
    std::uint32_t level, serial;
    bool reads = false;
    bool is_constant = false;
    std::uint64_t bits = 0;
  };

  LlvmValue add_value(Info info);
  LlvmValue find(std::string_view key) const;
  std::string load_key(std::uint64_t version) const;
  int settle(DType type, Cost cost);
  LlvmValue place(DType type, int level, std::string_view key);

  LlvmUnit &unit_;
  List<Region> regions_;
  List<Info> values_;
  HashMap<std::string, LlvmValue> known_;
  std::string draft_;    ///< the instruction being put together
  int draft_level_ = 0;  ///< of its innermost operand
  bool draft_reads_ = false;
  std::uint32_t serials_ = 0;
  std::uint32_t labels_ = 0;
  std::uint32_t names_ = 0;
};

}  // namespace lathe::inline LATHE_ABI::codegen
