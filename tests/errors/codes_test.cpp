// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The table of codes says what the sources say: every code that is thrown has a title, and every title is of a code that is
/// thrown.

#include "lathe/diag/codes.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

namespace {

std::set<std::string> codes_in_sources() {
  std::set<std::string> codes;
  const std::regex code(R"re("([ESLGTJKRX]\d{3})")re");
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

}  // namespace
