// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Texts put together from pieces in one call. A chain of `+` makes and destroys a string at each step, which is most of the code
/// of a function that refuses something; a braced list of pieces makes none:
///
///     composed({"axis ", axis.name, " of ", stage.name(), " has ", extent, " iterations"})

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "lathe/version.hpp"

namespace lathe::inline LATHE_ABI {

class Phrase;

/// One piece of a text: characters that lie elsewhere, a phrase, or an integer, which is written in decimal.
class Piece {
 public:
  constexpr Piece(const char *text) : Piece(std::string_view(text)) {}                        // NOLINT: implicit by design
  constexpr Piece(std::string_view text) : text_(text.data()), size_(text.size()) {}          // NOLINT
  Piece(const std::string &text) : text_(text.data()), size_(text.size()) {}                  // NOLINT
  constexpr Piece(const Phrase &phrase) : kind_(Kind::phrase), phrase_(&phrase), size_(0) {}  // NOLINT
  constexpr Piece(std::int64_t number) : kind_(Kind::number), number_(number), size_(0) {}    // NOLINT
  constexpr Piece(int number) : Piece(std::int64_t{number}) {}                                // NOLINT
  constexpr Piece(std::size_t number) : Piece(static_cast<std::int64_t>(number)) {}           // NOLINT
  Piece(char) = delete;
  Piece(bool) = delete;

  void append_to(std::string &text) const;

 private:
  enum class Kind { text, phrase, number };

  Kind kind_ = Kind::text;
  union {
    const char *text_;
    const Phrase *phrase_;
    std::int64_t number_;
  };
  std::size_t size_;  ///< of the text
};

/// A text as it is given to functions that may not need it after all: a string, or a braced list of pieces. It refers to both, so
/// it is good until the end of the statement that makes it.
class Phrase {
 public:
  constexpr Phrase(std::initializer_list<Piece> pieces) : pieces_(pieces) {}
  constexpr Phrase(const char *text) : only_(text) {}       // NOLINT: implicit by design
  constexpr Phrase(std::string_view text) : only_(text) {}  // NOLINT
  Phrase(const std::string &text) : only_(text) {}          // NOLINT

  void append_to(std::string &text) const {
    only_.append_to(text);
    for (const Piece &piece : pieces_) piece.append_to(text);
  }
  std::string str() const {
    std::string text;
    append_to(text);
    return text;
  }

 private:
  Piece only_ = "";
  std::initializer_list<Piece> pieces_;
};

inline void Piece::append_to(std::string &text) const {
  switch (kind_) {
    case Kind::text: text.append(text_, size_); break;
    case Kind::phrase: phrase_->append_to(text); break;
    case Kind::number: text += std::to_string(number_); break;
  }
}

/// The text of `pieces`, one after the other.
inline std::string composed(std::initializer_list<Piece> pieces) { return Phrase(pieces).str(); }

}  // namespace lathe::inline LATHE_ABI
