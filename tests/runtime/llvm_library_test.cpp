// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Finding LLVM, and what is said when it is not there.

#include "lathe/runtime/llvm_library.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "lathe/diag/diagnostic.hpp"

namespace lathe {
namespace {

/// Sets LATHE_LLVM for its lifetime.
class WithLibrary {
 public:
  explicit WithLibrary(const char *path) {
    if (const char *value = std::getenv("LATHE_LLVM")) before_ = value;
    setenv("LATHE_LLVM", path, 1);
  }
  ~WithLibrary() {
    if (before_) {
      setenv("LATHE_LLVM", before_->c_str(), 1);
    } else {
      unsetenv("LATHE_LLVM");
    }
  }

 private:
  std::optional<std::string> before_;
};

std::string loading_error() {
  try {
    (void)load_llvm();
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

#ifndef LATHE_LINK_LLVM

TEST(LlvmLibrary, AMissingOneIsOneClearError) {
  const WithLibrary variable("/nonexistent");
  const std::string message = loading_error();
  EXPECT_NE(message.find("error[J001]: LLVM is not installed"), std::string::npos) << message;
  EXPECT_NE(message.find("/nonexistent"), std::string::npos) << message;
  EXPECT_NE(message.find("apt-get install libllvm19"), std::string::npos) << message;
  EXPECT_NE(message.find("emit_c and interpret work"), std::string::npos) << message;
}

TEST(LlvmLibrary, AnotherLibraryIsNotLlvm) {
  const WithLibrary variable("libm.so.6");
  const std::string message = loading_error();
  EXPECT_NE(message.find("error[J002]"), std::string::npos) << message;
  EXPECT_NE(message.find("LLVMGetVersion"), std::string::npos) << message;
}

#endif

TEST(LlvmLibrary, ReleasesThatServe) {
  try {
    EXPECT_GE(load_llvm().major, 16);
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), "J001") << error.what();
    GTEST_SKIP() << "LLVM is not installed";
  }
}

}  // namespace
}  // namespace lathe
