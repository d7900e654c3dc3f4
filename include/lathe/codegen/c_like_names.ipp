// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// The words that are taken, and identifiers.

#include <algorithm>
#include <iterator>

#include "lathe/codegen/c_like_names.hpp"
#include "lathe/codegen/c_like_operators.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI::codegen {

namespace c_like_naming {

/// Keywords of C and C++, the functions of math.h that text calls, macros of compilers in GNU's dialect, and the text's own
/// words, in order.
inline constexpr std::string_view taken[] = {
    "acos",
    "acosf",
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "args",
    "asin",
    "asinf",
    "asm",
    "atan",
    "atan2",
    "atan2f",
    "atanf",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "captures",
    "case",
    "catch",
    "ceil",
    "ceilf",
    "char",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "cos",
    "cosf",
    "cosh",
    "coshf",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "erf",
    "erff",
    "exp",
    "exp2",
    "exp2f",
    "expf",
    "explicit",
    "expm1",
    "expm1f",
    "export",
    "extern",
    "fabs",
    "fabsf",
    "false",
    "float",
    "floor",
    "floorf",
    "fma",
    "fmaf",
    "fmod",
    "fmodf",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "int16_t",
    "int32_t",
    "int64_t",
    "int8_t",
    "linux",
    "log",
    "log1p",
    "log1pf",
    "log2",
    "log2f",
    "logf",
    "long",
    "mutable",
    "namespace",
    "nearbyint",
    "nearbyintf",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "pow",
    "powf",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "restrict",
    "return",
    "runtime",
    "short",
    "signed",
    "sin",
    "sinf",
    "sinh",
    "sinhf",
    "sizeof",
    "sqrt",
    "sqrtf",
    "static",
    "static_assert",
    "static_cast",
    "status",
    "struct",
    "switch",
    "tan",
    "tanf",
    "tanh",
    "tanhf",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "trunc",
    "truncf",
    "try",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "uint8_t",
    "union",
    "unix",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
};

/// Functions that a C library or the linker knows: a kernel of such a name, linked into a program, would take their place. In
/// order.
inline constexpr std::string_view library[] = {
    "abort",    "abs",      "accept",   "access",    "acosh",     "alarm",     "asinh",   "atanh",    "atexit",  "atof",
    "atoi",     "atol",     "bcmp",     "bcopy",     "bind",      "brk",       "bsearch", "bzero",    "calloc",  "cbrt",
    "clearerr", "clock",    "close",    "connect",   "copysign",  "creat",     "ctime",   "difftime", "div",     "dup",
    "dup2",     "environ",  "erfc",     "errno",     "execve",    "exit",      "fclose",  "fdim",     "feof",    "ferror",
    "fflush",   "fgets",    "fileno",   "fmax",      "fmin",      "fopen",     "fork",    "fprintf",  "fputs",   "fread",
    "free",     "frexp",    "fscanf",   "fseek",     "ftell",     "fwrite",    "gamma",   "getc",     "getchar", "getenv",
    "getpid",   "gets",     "gmtime",   "hypot",     "ilogb",     "index",     "ioctl",   "isalpha",  "isatty",  "isdigit",
    "isspace",  "j0",       "j1",       "jn",        "kill",      "labs",      "ldexp",   "ldiv",     "lgamma",  "link",
    "listen",   "llabs",    "llrint",   "llround",   "localtime", "log10",     "logb",    "longjmp",  "lrint",   "lround",
    "lseek",    "main",     "malloc",   "memccpy",   "memchr",    "memcmp",    "memcpy",  "memmove",  "memset",  "mktime",
    "mmap",     "modf",     "mprotect", "munmap",    "nan",       "nextafter", "nice",    "open",     "pause",   "perror",
    "pipe",     "poll",     "printf",   "putc",      "putchar",   "puts",      "qsort",   "raise",    "rand",    "random",
    "read",     "realloc",  "recv",     "remainder", "remove",    "remquo",    "rename",  "rewind",   "rindex",  "rint",
    "round",    "sbrk",     "scalb",    "scalbn",    "scanf",     "select",    "send",    "setjmp",   "signal",  "signgam",
    "sleep",    "snprintf", "socket",   "sprintf",   "srand",     "srandom",   "sscanf",  "stat",     "stderr",  "stdin",
    "stdout",   "stpcpy",   "strcat",   "strchr",    "strcmp",    "strcpy",    "strdup",  "strerror", "strlen",  "strncpy",
    "strrchr",  "strstr",   "strtod",   "strtol",    "swab",      "sync",      "syscall", "system",   "tgamma",  "time",
    "times",    "tmpfile",  "tolower",  "toupper",   "truncate",  "tsearch",   "umask",   "ungetc",   "unlink",  "usleep",
    "vfork",    "vprintf",  "wait",     "write",     "y0",        "y1",        "yn",
};

inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace c_like_naming

LATHE_INLINE std::string identifier(std::string_view name) {
  using namespace c_like_naming;
  std::string text;
  for (const char c : name) {
    const bool legal = is_letter(c) || is_digit(c);
    if (legal || text.empty() || text.back() != '_') text += legal ? c : '_';
  }
  // Names that begin with an underscore belong to the compiler.
  if (text.empty() || !is_letter(text.front()) || text.front() == '_') text.insert(0, "v");
  return text;
}

namespace c_like_naming {

/// Whether no name that begins so is free, whatever follows: lathe_… is the ABI's, INT32_MIN and the like are macros.
inline bool begins_reserved(std::string_view name) {
  return name.starts_with("lathe_") || name.starts_with("INT") || name.starts_with("UINT");
}

}  // namespace c_like_naming

LATHE_INLINE bool is_reserved(std::string_view name) {
  using namespace c_like_naming;
  if (std::binary_search(std::begin(taken), std::end(taken), name)) return true;
  if (begins_reserved(name)) return true;
  // t0, t1, … are temporaries.
  if (name.size() > 1 && name.front() == 't' && std::all_of(name.begin() + 1, name.end(), is_digit)) return true;
  return is_operator_function(name);
}

LATHE_INLINE bool is_library_function(std::string_view name) {
  using namespace c_like_naming;
  return std::binary_search(std::begin(library), std::end(library), name);
}

LATHE_INLINE std::string comment_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool joins_lines = c == '\\' || static_cast<unsigned char>(c) < ' ' || c == 127;
    if (c == '?' && !result.empty() && result.back() == '?') result += ' ';  // no trigraphs
    result += joins_lines ? ' ' : c;
  }
  return result;
}

LATHE_INLINE std::string NameScopes::give(std::string wish) {
  if (c_like_naming::begins_reserved(wish)) wish.insert(0, "v_");
  int &suffix = suffixes_[wish];
  Given given{nullptr, wish, wish, suffix};
  while (visible_.contains(given.name) || is_reserved(given.name)) given.name = wish + "_" + std::to_string(++suffix);
  visible_.insert(given.name);
  given_.push_back(std::move(given));
  return given_.back().name;
}

LATHE_INLINE std::string NameScopes::temporary() {
  std::string name;
  do name = "t" + std::to_string(temporaries_++);
  while (visible_.contains(name));
  visible_.insert(name);
  given_.push_back({nullptr, name, {}, 0});
  return name;
}

LATHE_INLINE const std::string &NameScopes::add(const void *thing, std::string_view wish) {
  std::string name = give(identifier(wish));
  given_.back().thing = thing;
  List<std::string> &names = names_[thing];
  names.push_back(std::move(name));
  return names.back();
}

LATHE_INLINE const std::string *NameScopes::find(const void *thing) const {
  const auto *found = names_.find(thing);
  return !found || found->second.empty() ? nullptr : &found->second.back();
}

LATHE_INLINE void NameScopes::close() {
  for (; given_.size() > scopes_.back(); given_.pop_back()) {
    visible_.erase(given_.back().name);
    if (!given_.back().wish.empty()) suffixes_[given_.back().wish] = given_.back().suffix;
    if (given_.back().thing) names_[given_.back().thing].pop_back();
  }
  scopes_.pop_back();
}

}  // namespace lathe::inline LATHE_ABI::codegen
