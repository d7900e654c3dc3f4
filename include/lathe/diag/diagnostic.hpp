// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// What Lathe says when it refuses: a code, the rule in one sentence, the user's line, why, and help that is known to be legal.
///
///     error[S003]: axis i of C is no longer there to reorder
///       --> matmul.cpp:41   s[C].reorder(io, j, i);             (step 3 of stage C)
///       why: i was split into i.outer and i.inner
///       --> matmul.cpp:38   auto [io, ii] = s[C].split(i, 32);  (step 1 of stage C)
///       loops of C now:     i.outer · i.inner · j · k
///       help: name a part of i:   s[C].reorder(io, j, ii);
///
/// Codes: E expressions, S schedule steps, L lowering, G code generation, T targets, J the JIT, K calling a kernel,
/// R faults found by the interpreter, I data of other libraries, X internal errors. `codes.hpp` lists them.

#include <cstdint>
#include <exception>
#include <initializer_list>
#include <source_location>
#include <string>
#include <string_view>

#include "lathe/support/list.hpp"
#include "lathe/support/phrase.hpp"
#include "lathe/version.hpp"

namespace lathe::inline LATHE_ABI {

/// A place in the user's program. Empty (line 0) when unknown.
struct Location {
  const char *file = "";   ///< as the compiler names it; lives as long as the program
  std::uint32_t line = 0;  ///< from 1

  Location() = default;
  /// A known place; `file_name` is not copied.
  constexpr Location(const char *file_name, std::uint32_t line_number) : file(file_name), line(line_number) {}
  /// Where a default argument was evaluated.
  constexpr Location(const std::source_location &place)  // NOLINT: implicit by design
      : file(place.file_name()), line(place.line()) {}

  /// As a default argument: the place of the call.
  static constexpr Location current(std::source_location place = std::source_location::current()) { return place; }
  /// Whether the place is known.
  explicit operator bool() const { return line != 0; }
};

/// One line below the headline of a diagnostic.
struct Note {
  std::string label;  ///< "why", "help", "note", "loops of C now", …; empty for a bare place
  std::string text;   ///< the sentence; for a bare place, the quoted step
  Location place;     ///< printed as --> file:line when known
};

/// The content of a diagnostic as data; `render` prints it in the form shown at the head of this file.
struct Diagnostic {
  std::string code;     ///< "S003"
  std::string message;  ///< the headline, without code
  std::string stage;    ///< name of the stage concerned, or empty
  std::string axis;     ///< name of the axis concerned, or empty
  Location place;       ///< the user's line
  std::string quoted;   ///< what stands there: the step as C++, or empty
  List<Note> notes;     ///< in the order in which they are printed
};

/// Prints a diagnostic as text of several lines, without a final newline. File names are shown without their folders.
std::string render(const Diagnostic &diagnostic);

/// Everything Lathe throws at its users.
class Error : public std::exception {
 public:
  /// Renders the diagnostic, for `what`.
  explicit Error(Diagnostic diagnostic);

  const char *what() const noexcept override { return rendered_.c_str(); }  ///< as `render` prints it
  /// @{
  /// The fields of the diagnostic.
  const std::string &code() const { return diagnostic_.code; }
  const std::string &stage() const { return diagnostic_.stage; }
  const std::string &axis() const { return diagnostic_.axis; }
  const Location &place() const { return diagnostic_.place; }
  /// @}
  const Diagnostic &diagnostic() const { return diagnostic_; }  ///< all that was said, as data

 private:
  Diagnostic diagnostic_;
  std::string rendered_;
};

/// A note in the statement that throws it, which makes no strings.
struct Remark {
  const char *label;  ///< as of a `Note`
  Phrase text;
  Location place;
};

/// What remarks say, as notes to keep.
List<Note> notes_of(std::initializer_list<Remark> remarks);

/// Throws an `Error` with code, headline and place, and notes below.
[[noreturn]] void fail(const char *code, const Phrase &message, Location place = {}, std::initializer_list<Remark> remarks = {});
[[noreturn]] void fail(const char *code, const Phrase &message, Location place, const List<Note> &notes);

/// Throws an error again; unless it names a place, with this one and the stage that is computed there.
[[noreturn]] void fail_again(const Error &error, Location place, const std::string &stage = {});

/// Throws an internal error (code X001): our fault, with how to report it.
[[noreturn]] void fail_internal(const Phrase &message, Location place = Location::current());

/// Checks an invariant of our own; throws an internal error naming it.
inline void ensure(bool holds, std::string_view invariant, Location place = Location::current()) {
  if (!holds) [[unlikely]]
    fail_internal(invariant, place);
}

}  // namespace lathe::inline LATHE_ABI
