// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The text of the operators' functions. The rules are those of ir/operators.hpp and ir/evaluate.ipp.

#include <cstddef>
#include <utility>

#include "lathe/codegen/c_like_operators.hpp"
#include "lathe/diag/diagnostic.hpp"

namespace lathe::inline LATHE_ABI::codegen {

namespace c_like_operators {

enum class Family { signed_integer, unsigned_integer, floating, small_float };

/// One function: `text` follows "static inline". $T is the type, $U its unsigned twin, $W the 64-bit integer of its sign, $t and
/// $u the suffixes of $T and $U, $B its bits; of a float, $E the greatest exponent field, $M the bits of the mantissa and $G the
/// negated exponent of the least subnormal. @name1 is a function of math.h with one operand, [word] another one of these, [word
/// f32] for a type.
struct Rule {
  std::string_view word;
  Family family;
  std::string_view text;
};

inline constexpr Family si = Family::signed_integer, ui = Family::unsigned_integer, fl = Family::floating,
                        sf = Family::small_float;

inline constexpr Rule rules[] = {
    // Unsigned arithmetic wraps, signed overflow is undefined.
    {"add", si, "$T add_$t($T a, $T b) { return ($T)(($U)a + ($U)b); }\n"},
    {"sub", si, "$T sub_$t($T a, $T b) { return ($T)(($U)a - ($U)b); }\n"},
    // gcc 12 takes 0 - x for -x where x cannot be -0, such as a converted integer: not if it does not see them together.
    {"sub", fl, "$T sub_$t($T a, $T b) { return a - b; }\n"},
    {"mul", si, "$T mul_$t($T a, $T b) { return ($T)(($U)a * ($U)b); }\n"},
    {"neg", si, "$T neg_$t($T a) { return ($T)(0 - ($U)a); }\n"},
    {"abs", si, "$T abs_$t($T a) { return a < 0 ? ($T)(0 - ($U)a) : a; }\n"},
    {"sign", si, "$T sign_$t($T a) { return ($T)((a > 0) - (a < 0)); }\n"},
    {"min", si, "$T min_$t($T a, $T b) { return a < b ? a : b; }\n"},
    {"min", ui, "$T min_$t($T a, $T b) { return a < b ? a : b; }\n"},
    {"max", si, "$T max_$t($T a, $T b) { return a < b ? b : a; }\n"},
    {"max", ui, "$T max_$t($T a, $T b) { return a < b ? b : a; }\n"},
    {"div", si,
     "$T div_$t($T a, $T b) {\n"
     "  if (b == 0) return 0;\n"
     "  if (b == -1) return ($T)(0 - ($U)a);\n"
     "  return ($T)(a / b - (a % b != 0 && (a % b < 0) != (b < 0)));\n"
     "}\n"},
    {"mod", si,
     "$T mod_$t($T a, $T b) {\n"
     "  if (b == 0 || b == -1) return 0;\n"
     "  const $T r = ($T)(a % b);\n"
     "  return ($T)(r != 0 && (r < 0) != (b < 0) ? r + b : r);\n"
     "}\n"},
    {"trunc_div", si,
     "$T trunc_div_$t($T a, $T b) {\n"
     "  if (b == 0) return 0;\n"
     "  return b == -1 ? ($T)(0 - ($U)a) : ($T)(a / b);\n"
     "}\n"},
    {"trunc_mod", si, "$T trunc_mod_$t($T a, $T b) { return b == 0 || b == -1 ? 0 : ($T)(a % b); }\n"},
    {"div", ui, "$T div_$t($T a, $T b) { return b == 0 ? 0 : ($T)(a / b); }\n"},
    {"mod", ui, "$T mod_$t($T a, $T b) { return b == 0 ? 0 : ($T)(a % b); }\n"},
    {"shl", si, "$T shl_$t($T a, $T b) { return b >= 0 && b < $B ? ($T)(($U)a << b) : 0; }\n"},
    {"shl", ui, "$T shl_$t($T a, $T b) { return b < $B ? ($T)(a << b) : 0; }\n"},
    {"shr", si, "$T shr_$t($T a, $T b) { return ($T)(a >> (b >= 0 && b < $B ? b : $B - 1)); }\n"},
    {"shr", ui, "$T shr_$t($T a, $T b) { return b < $B ? ($T)(a >> b) : 0; }\n"},
    {"rounding_shift_right", si,
     "$T rounding_shift_right_$t($T a, $T b) {\n"
     "  if (b <= 0) return a;\n"
     "  return b < $B ? ($T)((a >> b) + ((a >> (b - 1)) & 1)) : 0;\n"
     "}\n"},
    {"rounding_shift_right", ui,
     "$T rounding_shift_right_$t($T a, $T b) {\n"
     "  if (b == 0) return a;\n"
     "  return b <= $B ? ($T)((b < $B ? a >> b : 0) + ((a >> (b - 1)) & 1)) : 0;\n"
     "}\n"},
    {"mul_high", si, "$T mul_high_$t($T a, $T b) { return ($T)((($W)a * b) >> $B); }\n"},
    {"mul_high", ui, "$T mul_high_$t($T a, $T b) { return ($T)((($W)a * b) >> $B); }\n"},
    {"popcount", ui,
     "$T popcount_$t($T a) {\n"
     "  uint64_t x = a;\n"
     "  x = x - ((x >> 1) & UINT64_C(0x5555555555555555));\n"
     "  x = (x & UINT64_C(0x3333333333333333)) + ((x >> 2) & UINT64_C(0x3333333333333333));\n"
     "  x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);\n"
     "  return ($T)((x * UINT64_C(0x0101010101010101)) >> 56);\n"
     "}\n"},
    {"popcount", si, "$T popcount_$t($T a) { return ($T)[popcount](($U)a); }\n"},
    {"prefetch", ui,
     "void prefetch_$t(const void *base, $T offset) {\n"
     "#ifdef __GNUC__\n"
     "  __builtin_prefetch((const void *)((uintptr_t)base + offset));\n"
     "#else\n"
     "  (void)base, (void)offset;\n"
     "#endif\n"
     "}\n"},
    {"clz", ui,
     "$T clz_$t($T a) {\n"
     "  uint64_t x = a;\n"
     "  int n = $B;\n"
     "  for (int step = 32; step != 0; step /= 2) {\n"
     "    if (x >> step) {\n"
     "      x >>= step;\n"
     "      n -= step;\n"
     "    }\n"
     "  }\n"
     "  return ($T)(n - (int)x);\n"
     "}\n"},
    {"clz", si, "$T clz_$t($T a) { return ($T)[clz](($U)a); }\n"},
    {"bits_of", fl,
     "$U bits_of_$t($T value) {\n"
     "  const union {\n    $T value;\n    $U bits;\n  } either = {value};\n"
     "  return either.bits;\n"
     "}\n"},
    {"of_bits", fl,
     "$T of_bits_$t($U bits) {\n"
     "  const union {\n    $U bits;\n    $T value;\n  } either = {bits};\n"
     "  return either.value;\n"
     "}\n"},
    // NaN wins; -0 is below +0, and equal numbers have equal bits but for the sign of zero.
    {"min", fl,
     "$T min_$t($T a, $T b) {\n"
     "  if (a != a) return a;\n"
     "  if (a == b) return [of_bits]([bits_of](a) | [bits_of](b));\n"
     "  return a < b ? a : b;\n"
     "}\n"},
    {"max", fl,
     "$T max_$t($T a, $T b) {\n"
     "  if (a != a) return a;\n"
     "  if (a == b) return [of_bits]([bits_of](a) & [bits_of](b));\n"
     "  return a > b ? a : b;\n"
     "}\n"},
    {"sign", fl, "$T sign_$t($T a) { return a > 0 ? 1 : a < 0 ? -1 : a; }\n"},
    {"mod", fl,
     "$T mod_$t($T a, $T b) {\n"
     "  const $T r = @fmod2(a, b);\n"
     "  return r != 0 && (r < 0) != (b < 0) ? r + b : r;\n"
     "}\n"},
    {"rsqrt", fl, "$T rsqrt_$t($T a) { return 1 / @sqrt1(a); }\n"},
    {"sigmoid", fl, "$T sigmoid_$t($T a) { return 1 / (1 + @exp1(-a)); }\n"},
    {"is_nan", fl, "int is_nan_$t($T a) { return a != a; }\n"},
    {"is_inf", fl, "int is_inf_$t($T a) { return a == a && a - a != 0; }\n"},
    {"is_finite", fl, "int is_finite_$t($T a) { return a - a == 0; }\n"},
    {"float_of", sf,
     "float float_of_$t(uint16_t a) {\n"
     "  const uint32_t sign = (uint32_t)(a >> 15) << 31, exponent = (a >> $M) & $Eu, mantissa = a & ((1u << $M) - 1);\n"
     "  if (exponent == $Eu) return [of_bits f32](sign | 0x7f800000u | (mantissa << (23 - $M)));\n"
     "  if (exponent == 0) {  // zero and subnormals\n"
     "    const float magnitude = (float)mantissa * 0x1p-$Gf;\n"
     "    return sign ? -magnitude : magnitude;\n"
     "  }\n"
     "  return [of_bits f32](sign | ((exponent + 127 - $E / 2) << 23) | (mantissa << (23 - $M)));\n"
     "}\n"},
    // To nearest, ties to even, from double so that nothing is rounded twice.
    {"round_to", sf,
     "uint16_t round_to_$t(double value) {\n"
     "  const uint64_t bits = [bits_of f64](value), magnitude = bits & UINT64_C(0x7fffffffffffffff);\n"
     "  const uint32_t sign = (uint32_t)(bits >> 63) << 15, infinity = $Eu << $M;\n"
     "  if (magnitude > UINT64_C(0x7ff0000000000000)) return (uint16_t)(sign | infinity | (1u << ($M - 1)));\n"
     "  if (magnitude == UINT64_C(0x7ff0000000000000)) return (uint16_t)(sign | infinity);\n"
     "  if (magnitude < UINT64_C(0x0010000000000000)) return (uint16_t)sign;\n"
     "  const int exponent = (int)(magnitude >> 52) - 1023, least = 1 - $E / 2;\n"
     "  const uint64_t significand = (magnitude & UINT64_C(0x000fffffffffffff)) | UINT64_C(0x0010000000000000);\n"
     "  const int drop = 52 - $M + (exponent < least ? least - exponent : 0);\n"
     "  if (drop > 54) return (uint16_t)sign;\n"
     "  const uint64_t rest = significand & ((UINT64_C(1) << drop) - 1), half = UINT64_C(1) << (drop - 1);\n"
     "  uint64_t field = significand >> drop;\n"
     "  if (rest > half || (rest == half && (field & 1))) ++field;\n"
     "  if (exponent >= least) field += (uint64_t)(exponent - least) << $M;\n"
     "  return (uint16_t)(sign | (field < infinity ? (uint32_t)field : infinity));\n"
     "}\n"},
    // Bytes of scratch: what overflows cannot be had.
    {"times_extent", ui,
     "$T times_extent_$t($T bytes, int64_t extent) {\n"
     "  if (extent <= 0) return 0;\n"
     "  return bytes > UINT64_MAX / (uint64_t)extent ? UINT64_MAX : bytes * (uint64_t)extent;\n"
     "}\n"},
};

inline constexpr std::string_view mul_high_64[2] = {
    "int64_t mul_high_i64(int64_t a, int64_t b) {\n"
    "  const uint64_t high = [mul_high u64]((uint64_t)a, (uint64_t)b);\n"
    "  return (int64_t)(high - (a < 0 ? (uint64_t)b : 0) - (b < 0 ? (uint64_t)a : 0));\n"
    "}\n",
    "uint64_t mul_high_u64(uint64_t a, uint64_t b) {\n"
    "  const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;\n"
    "  const uint64_t middle = a1 * b0 + ((a0 * b0) >> 32), other = a0 * b1 + (uint32_t)middle;\n"
    "  return a1 * b1 + (middle >> 32) + (other >> 32);\n"
    "}\n"};

LATHE_INLINE Family family_of(DType type) {
  if (type.is_float()) return type.bits() < 32 ? Family::small_float : Family::floating;
  return type.is_signed() ? Family::signed_integer : Family::unsigned_integer;
}

/// The type of a suffix.
LATHE_INLINE DType type_of_suffix(std::string_view suffix) {
  using namespace scalar_types;
  for (const ScalarType *type : {&int8, &int16, &int32, &int64, &uint8, &uint16, &uint32, &uint64, &float32, &float64})
    if (type_suffix(*type) == suffix) return *type;
  fail_internal("no type has the suffix " + std::string(suffix));
}

LATHE_INLINE DType unsigned_twin(DType type) {
  using namespace scalar_types;
  switch (type.bits()) {
    case 8: return uint8;
    case 16: return uint16;
    case 32: return uint32;
    default: return uint64;
  }
}

}  // namespace c_like_operators

LATHE_INLINE std::string_view c_type(const Dialect &dialect, DType type) {
  static constexpr std::string_view signed_names[] = {"int8_t", "int16_t", "int32_t", "int64_t"};
  static constexpr std::string_view unsigned_names[] = {"uint8_t", "uint16_t", "uint32_t", "uint64_t"};
  const int bits = type.kind() == Kind::custom ? type.bytes() * 8 : type.bits();
  const int width = bits <= 8 ? 0 : bits <= 16 ? 1 : bits <= 32 ? 2 : 3;
  if (type.is_bool()) return dialect.boolean;
  if (type.is_float() && type.bits() >= 32) return type.bits() == 32 ? "float" : "double";
  return type.is_signed() ? signed_names[width] : unsigned_names[width];
}

LATHE_INLINE std::string type_suffix(DType type) {
  if (type.is_bool()) return "bool";
  const std::string bits = std::to_string(type.bits());
  if (type.is_float()) return (type.scalar().exponent_bits == 8 && type.bits() == 16 ? "bf" : "f") + bits;
  return (type.is_signed() ? "i" : "u") + bits;
}

LATHE_INLINE bool is_operator_function(std::string_view name) {
  const auto is_suffix = [](std::string_view text) {
    using namespace scalar_types;
    for (const ScalarType *type : {&boolean, &int8, &int16, &int32, &int64, &uint8, &uint16, &uint32, &uint64,
                                   &scalar_types::float16, &scalar_types::bfloat16, &float32, &float64})
      if (type_suffix(*type) == text) return true;
    return false;
  };
  const std::size_t last = name.rfind('_');
  if (last == std::string_view::npos || !is_suffix(name.substr(last + 1))) return false;
  const std::string_view word = name.substr(0, last);
  for (const c_like_operators::Rule &rule : c_like_operators::rules)
    if (rule.word == word) return true;
  return word.ends_with("_from");
}

LATHE_INLINE std::string OperatorLibrary::fill(std::string_view text, DType type) {
  using namespace c_like_operators;
  const int mantissa = type.scalar().mantissa_bits, bias = (1 << type.scalar().exponent_bits) / 2 - 1;
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '$') {
      switch (text[++i]) {
        case 'T': result += c_type(dialect_, type); break;
        case 'U': result += c_type(dialect_, unsigned_twin(type)); break;
        case 'W': result += type.is_signed() ? "int64_t" : "uint64_t"; break;
        case 't': result += type_suffix(type); break;
        case 'B': result += std::to_string(type.bits()); break;
        case 'E': result += std::to_string((1 << type.scalar().exponent_bits) - 1); break;
        case 'M': result += std::to_string(mantissa); break;
        default: result += std::to_string(bias - 1 + mantissa); break;  // $G: the least subnormal is 2 to the minus this
      }
    } else if (c == '[') {
      const std::size_t end = text.find(']', i);
      const std::string_view inside = text.substr(i + 1, end - i - 1);
      const std::size_t blank = inside.find(' ');
      const std::string_view word = inside.substr(0, blank);
      const bool counts_bits = word == "popcount" || word == "clz";
      result += blank != std::string_view::npos ? use(word, type_of_suffix(inside.substr(blank + 1)))
                                                : use(word, counts_bits ? unsigned_twin(type) : type);
      i = end;
    } else if (c == '@') {
      const std::size_t end = text.find_first_of("12", i);
      result += use_math(text.substr(i + 1, end - i - 1), type, text[end] - '0');
      i = end;
    } else {
      result += c;
    }
  }
  return result;
}

LATHE_INLINE std::string OperatorLibrary::use(std::string_view word, DType type) {
  using namespace c_like_operators;
  if (type.is_index()) type = scalar_types::int64;
  std::string name = std::string(word) + "_" + type_suffix(type);
  if (!defined_.insert(name)) return name;
  std::string_view text;
  const Family family = family_of(type);
  for (const Rule &rule : rules)
    if (rule.word == word && rule.family == family) text = rule.text;
  if (word == "mul_high" && type.bits() == 64) text = mul_high_64[type.is_unsigned()];
  ensure(!text.empty(), name + " has a text");
  const std::string filled = fill(text, type);  // first what it uses
  functions_ += std::string(dialect_.function_prefix) + " " + filled;
  return name;
}

namespace c_like_operators {

/// The ends of an integer type as C writes them.
LATHE_INLINE std::string end_of(DType type, const char *which) {
  return (type.is_unsigned() ? "UINT" : "INT") + std::to_string(type.bits()) + which;
}

LATHE_INLINE std::string from_float(DType to, std::string_view to_type, const std::string &suffix) {
  const std::string end = "0x1p" + std::to_string(to.bits() - to.is_signed()) + suffix;
  if (!to.is_signed())
    return "  if (value >= " + end + ") return " + end_of(to, "_MAX") + ";\n  return value > 0 ? (" + std::string(to_type) +
           ")value : 0;\n";
  return "  if (value != value) return 0;\n  if (value >= " + end + ") return " + end_of(to, "_MAX") + ";\n  return value > -" +
         end + " ? (" + std::string(to_type) + ")value : " + end_of(to, "_MIN") + ";\n";
}

LATHE_INLINE std::string from_integer(DType to, DType from, std::string_view to_type) {
  std::string text;
  const int to_bits = to.bits() - to.is_signed(), from_bits = from.bits() - from.is_signed();
  if (from.is_signed() && !to.is_signed())
    text += "  if (value < 0) return 0;\n";
  else if (from.is_signed() && to.bits() < from.bits())
    text += "  if (value < " + end_of(to, "_MIN") + ") return " + end_of(to, "_MIN") + ";\n";
  if (to_bits < from_bits) text += "  if (value > " + end_of(to, "_MAX") + ") return " + end_of(to, "_MAX") + ";\n";
  return text + "  return (" + std::string(to_type) + ")value;\n";
}

/// Clamps to the finite values of a float.
LATHE_INLINE std::string from_wider_float(DType to) {
  const int bias = (1 << to.scalar().exponent_bits) / 2 - 1, mantissa = to.scalar().mantissa_bits;
  // The significand without the leading 1: all ones, in hexadecimal digits of 4 bits from the left.
  std::string digits;
  for (int left = mantissa; left > 0; left -= 4) digits += left >= 4 ? 'f' : "08ce"[left];
  const std::string end = "0x1." + digits + "p" + std::to_string(bias);
  return "  return value > " + end + " ? " + end + " : value < -" + end + " ? -" + end + " : value;\n";
}

}  // namespace c_like_operators

LATHE_INLINE std::string OperatorLibrary::use_saturation(DType to, DType from) {
  using namespace c_like_operators;
  if (to.is_index()) to = scalar_types::int64;
  if (from.is_index()) from = scalar_types::int64;
  std::string name = type_suffix(to) + "_from_" + type_suffix(from);
  if (!defined_.insert(name)) return name;
  // Between floats the clamped value stays a double, which the caller rounds.
  const std::string_view result = to.is_float() ? "double" : c_type(dialect_, to);
  const std::string body = to.is_float()     ? from_wider_float(to)
                           : from.is_float() ? from_float(to, result, from.bits() == 32 ? "f" : "")
                                             : from_integer(to, from, result);
  functions_ += std::string(dialect_.function_prefix) + " " + std::string(result) + " " + name + "(" +
                std::string(c_type(dialect_, from)) + " value) {\n" + body + "}\n";
  return name;
}

LATHE_INLINE std::string OperatorLibrary::use_math(std::string_view name, DType type, int arity) {
  const std::string function = std::string(name) + (type.bits() == 32 ? "f" : "");
  const std::string operand(c_type(dialect_, type));
  if (dialect_.declares_math) {
    std::string prototype = operand + " " + function + "(" + operand;
    for (int i = 1; i < arity; ++i) prototype += ", " + operand;
    declare(function, prototype + ");\n");
  }
  return function;
}

LATHE_INLINE void OperatorLibrary::declare(const std::string &name, const std::string &prototype) {
  const auto *found = declared_.find(name);
  if (!found) {
    declared_.emplace(name, prototype);
    prototypes_ += prototype;
  } else if (found->second != prototype) {
    fail("G003", "the function " + name + " is called with different types", {},
         {{"note", "once as   " + found->second.substr(0, found->second.size() - 1), {}},
          {"note", "and as   " + prototype.substr(0, prototype.size() - 1), {}},
          {"help", "give each function a name of its own: C has one type per name", {}}});
  }
}

}  // namespace lathe::inline LATHE_ABI::codegen
