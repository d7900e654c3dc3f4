// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Texts of pieces.

#include "lathe/support/phrase.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace {

using lathe::composed;
using lathe::Phrase;

TEST(Phrase, PiecesOfEveryKindFollowOneAnother) {
  const std::string name = "i.outer";
  const std::string_view part = std::string_view("of C and D").substr(0, 4);
  EXPECT_EQ(composed({"axis ", name, " ", part, " has ", std::int64_t{-7}, "/", 3, "/", sizeof(char), " parts"}),
            "axis i.outer of C has -7/3/1 parts");
}

TEST(Phrase, NumbersAreWrittenInFull) {
  EXPECT_EQ(composed({INT64_MIN, " ", INT64_MAX, " ", 0}), "-9223372036854775808 9223372036854775807 0");
}

TEST(Phrase, EmptyTextsAddNothing) {
  EXPECT_EQ(composed({"", std::string(), std::string_view()}), "");
  EXPECT_EQ(composed({"a", "", "b"}), "ab");
}

std::string in_quotes(const Phrase &text) { return composed({"'", text, "'"}); }

TEST(Phrase, FunctionsTakeAnyTextAndPassItOn) {
  EXPECT_EQ(in_quotes("literal"), "'literal'");
  EXPECT_EQ(in_quotes(std::string("string")), "'string'");
  EXPECT_EQ(in_quotes(std::string_view("view")), "'view'");
  EXPECT_EQ(in_quotes({"list of ", 2}), "'list of 2'");
}

TEST(Phrase, TextsAreAppended) {
  std::string text = "before, ";
  Phrase({"after ", 1}).append_to(text);
  EXPECT_EQ(text, "before, after 1");
}

}  // namespace
