// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Rendering and throwing of diagnostics.

#include "lathe/diag/diagnostic.hpp"
#include "lathe/support/list.hpp"

namespace lathe::inline LATHE_ABI {

namespace rendering {

inline std::string_view base_name(std::string_view path) {
  const auto slash = path.find_last_of('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

inline void append_place(std::string &out, const Location &place, std::string_view quoted) {
  if (!place) return;
  out += "\n  --> ";
  out += base_name(place.file);
  out += ':';
  out += std::to_string(place.line);
  if (!quoted.empty()) (out += "   ") += quoted;
}

}  // namespace rendering

LATHE_INLINE std::string render(const Diagnostic &diagnostic) {
  std::string out = composed({"error[", diagnostic.code, "]: ", diagnostic.message});
  rendering::append_place(out, diagnostic.place, diagnostic.quoted);
  for (const Note &note : diagnostic.notes) {
    if (note.label.empty()) {
      rendering::append_place(out, note.place, note.text);
      continue;
    }
    out += composed({"\n  ", note.label, ": ", note.text});
    rendering::append_place(out, note.place, {});
  }
  return out;
}

LATHE_INLINE Error::Error(Diagnostic diagnostic) : diagnostic_(std::move(diagnostic)), rendered_(render(diagnostic_)) {}

LATHE_INLINE List<Note> notes_of(std::initializer_list<Remark> remarks) {
  List<Note> notes;
  for (const Remark &remark : remarks) notes.push_back({remark.label, remark.text.str(), remark.place});
  return notes;
}

LATHE_INLINE void fail(const char *code, const Phrase &message, Location place, std::initializer_list<Remark> remarks) {
  fail(code, message, place, notes_of(remarks));
}

LATHE_INLINE void fail(const char *code, const Phrase &message, Location place, const List<Note> &notes) {
  Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.message = message.str();
  diagnostic.place = place;
  diagnostic.notes = notes;
  throw Error(std::move(diagnostic));
}

LATHE_INLINE void fail_again(const Error &error, Location place, const std::string &stage) {
  Diagnostic diagnostic = error.diagnostic();
  if (!diagnostic.place) {
    diagnostic.place = place;
    if (!stage.empty()) diagnostic.stage = stage;
  }
  throw Error(std::move(diagnostic));
}

LATHE_INLINE void fail_internal(const Phrase &message, Location place) {
  fail("X001", {"internal error: ", message}, place,
       {{"help",
         "this is a fault of Lathe, not of your program; please report it with this text and the output under LATHE_DUMP=all",
         {}}});
}

}  // namespace lathe::inline LATHE_ABI
