// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How diagnostics read, and what the exceptions carry.

#include "lathe/diag/diagnostic.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace lathe;

Diagnostic example() {
  Diagnostic d;
  d.code = "S003";
  d.message = "axis i of C is no longer there to reorder";
  d.stage = "C";
  d.axis = "i";
  d.place = Location("some/folder/matmul.cpp", 41);
  d.quoted = "s[C].reorder(io, j, i);             (step 3 of stage C)";
  d.notes = {{"why", "i was split into i.outer and i.inner", {}},
             {"", "s[C].split(i, 32);  (step 1 of stage C)", Location("matmul.cpp", 38)},
             {"loops of C now", "i.outer · i.inner · j · k", {}},
             {"help", "name a part of i:   s[C].reorder(io, j, ii);", {}}};
  return d;
}

TEST(Diagnostic, RendersAsTheHeaderShows) {
  EXPECT_EQ(render(example()),
            "error[S003]: axis i of C is no longer there to reorder\n"
            "  --> matmul.cpp:41   s[C].reorder(io, j, i);             (step 3 of stage C)\n"
            "  why: i was split into i.outer and i.inner\n"
            "  --> matmul.cpp:38   s[C].split(i, 32);  (step 1 of stage C)\n"
            "  loops of C now: i.outer · i.inner · j · k\n"
            "  help: name a part of i:   s[C].reorder(io, j, ii);");
}

TEST(Diagnostic, UnknownPlacesAreLeftOut) {
  Diagnostic d;
  d.code = "E001";
  d.message = "a sentence";
  EXPECT_EQ(render(d), "error[E001]: a sentence");
  d.notes = {{"note", "declared here", Location("a.cpp", 7)}};
  EXPECT_EQ(render(d), "error[E001]: a sentence\n  note: declared here\n  --> a.cpp:7");
}

TEST(Diagnostic, ErrorsCarryTheirFields) {
  const Error e(example());
  const std::exception &base = e;
  EXPECT_EQ(base.what(), render(example()));
  EXPECT_EQ(e.code(), "S003");
  EXPECT_EQ(e.stage(), "C");
  EXPECT_EQ(e.axis(), "i");
  EXPECT_EQ(e.place().line, 41u);
  EXPECT_EQ(e.diagnostic().notes.size(), 4u);
}

TEST(Diagnostic, FailThrows) {
  try {
    fail("K002", "argument a has rank 2, not 3", Location("b.cpp", 3), {{"help", "reshape it", {}}});
    FAIL();
  } catch (const Error &e) {
    EXPECT_STREQ(e.what(), "error[K002]: argument a has rank 2, not 3\n  --> b.cpp:3\n  help: reshape it");
  }
}

TEST(Diagnostic, InternalErrorsSayThatTheyAreOurs) {
  EXPECT_NO_THROW(ensure(true, "holds"));
  try {
    ensure(false, "every loop has a body");
    FAIL();
  } catch (const Error &e) {
    EXPECT_EQ(e.code(), "X001");
    EXPECT_NE(std::string(e.what()).find("internal error: every loop has a body"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("diagnostic_test.cpp"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("report"), std::string::npos);
  }
}

}  // namespace
