// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The table of codes says what the sources say: every code that is thrown has a title, and every title is of a code that is
/// thrown. Each code has a text under tests/data/refusals, which another test of this folder compares with what a program gets.

#if defined(__SANITIZE_ADDRESS__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // which g++ 12 sees in <regex> itself
#endif

#include "lathe/diag/codes.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>

namespace {

std::set<std::string> codes_in_sources() {
  std::set<std::string> codes;
  const std::regex code(R"re("([ESLGTJKRIX]\d{3})")re");
  for (const auto &entry : std::filesystem::recursive_directory_iterator(LATHE_TEST_DATA "/../../include/lathe")) {
    if (!entry.is_regular_file() || entry.path().filename() == "codes.hpp") continue;
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (std::sregex_iterator match(text.begin(), text.end(), code), end; match != end; ++match) codes.insert((*match)[1]);
  }
  return codes;
}

TEST(Codes, TableAndSourcesAgree) {
  std::set<std::string> titled;
  for (const lathe::CodeTitle &entry : lathe::code_titles) {
    EXPECT_TRUE(titled.insert(std::string(entry.code)).second) << entry.code << " twice";
    EXPECT_FALSE(entry.title.empty());
  }
  EXPECT_EQ(codes_in_sources(), titled);
}

/// Codes that no program can be made to get, each with the reason.
const std::map<std::string, std::string> without_text = {};

/// The codes of the kept texts, each by the name of its file and by what the text says.
std::set<std::string> codes_with_text() {
  std::set<std::string> codes;
  for (const auto &entry : std::filesystem::directory_iterator(LATHE_TEST_DATA "/refusals")) {
    const std::string name = entry.path().filename().string(), code = name.substr(0, 4);
    EXPECT_TRUE(std::regex_match(name, std::regex(R"re([A-Z]\d{3}(_\w+)?\.txt)re"))) << name;
    std::ifstream file(entry.path());
    std::string headline;
    std::getline(file, headline);
    EXPECT_EQ(headline.rfind("error[" + code + "]: ", 0), 0u) << name << " begins with " << headline;
    codes.insert(code);
  }
  return codes;
}

TEST(Codes, EachHasItsText) {
  if (std::getenv("LATHE_UPDATE_GOLDEN")) GTEST_SKIP() << "the texts are being written";
  const std::set<std::string> kept = codes_with_text();
  std::set<std::string> titled;
  for (const lathe::CodeTitle &entry : lathe::code_titles) {
    const std::string code(entry.code);
    titled.insert(code);
    EXPECT_NE(kept.contains(code), without_text.contains(code))
        << code << (kept.contains(code) ? " has a text: strike it from the list" : " has no text: add a case to this folder");
  }
  for (const std::string &code : kept) EXPECT_TRUE(titled.contains(code)) << code << " has a text but no title";
  for (const auto &[code, reason] : without_text) EXPECT_TRUE(titled.contains(code)) << code << " has no title";
}

}  // namespace
