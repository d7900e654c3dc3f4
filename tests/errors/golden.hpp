// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Refusals compared with the text that is kept beside the tests, one file a code. With LATHE_UPDATE_GOLDEN=1 the files are
/// written instead; read the difference before committing it.

#if defined(__SANITIZE_ADDRESS__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // which g++ 12 sees in <regex> itself
#endif

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>

#include "lathe/diag/diagnostic.hpp"

namespace golden {

/// Line numbers of the tests themselves, and of the library where an error is its own, are of no interest.
inline std::string without_lines(const std::string &text) {
  return std::regex_replace(text, std::regex(R"((\w+\.[hci]pp):\d+)"), "$1:__");
}

inline void expect_text(const std::string &name, const std::string &text) {
  const std::string path = std::string(LATHE_TEST_DATA) + "/refusals/" + name + ".txt";
  if (std::getenv("LATHE_UPDATE_GOLDEN")) {
    std::ofstream(path) << text << "\n";
    return;
  }
  std::ifstream file(path);
  ASSERT_TRUE(file) << path << " is missing; the text is\n" << text;
  std::stringstream kept;
  kept << file.rdbuf();
  EXPECT_EQ(text + "\n", kept.str()) << "in " << path;
}

/// Runs `program`, which must throw an `Error` with `code`, whose text is kept under that code (with `suffix` where a code has
/// several).
template <class Program>
void expect_refusal(const std::string &code, Program &&program, const std::string &suffix = {}) {
  try {
    program();
  } catch (const lathe::Error &error) {
    EXPECT_EQ(error.code(), code) << error.what();
    expect_text(code + suffix, without_lines(error.what()));
    return;
  }
  FAIL() << "nothing was refused; " << code << " was expected";
}

/// The same in a process of its own in which `variable` has been set to `value`: what the environment says is read once.
template <class Program>
void expect_refusal_with(const char *variable, const char *value, const std::string &code, Program &&program,
                         const std::string &suffix = {}) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto child = [&] {
    setenv(variable, value, 1);
    expect_refusal(code, program, suffix);
    std::exit(testing::Test::HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(child(), testing::ExitedWithCode(0), "");
}

}  // namespace golden
