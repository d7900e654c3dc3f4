// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// What every pass is given beside the code it rewrites.

#include <string>
#include <utility>

#include "lathe/arith/simplify.hpp"
#include "lathe/diag/diagnostic.hpp"
#include "lathe/target/numerics.hpp"
#include "lathe/target/target.hpp"

namespace lathe::inline LATHE_ABI::passes {

/// What a pass may rely on.
struct PassContext {
  Target target;       ///< what code is made for
  Numerics numerics;   ///< liberties with floating-point arithmetic
  arith::Facts facts;  ///< what holds of the parameters: sizes are not negative, assumed conditions
};

/// Refuses a loop of a stage: "loop `loop` of `stage` is `what`", and how to help it. \throws Error with this code; `run_passes`
/// adds the place of the stage.
[[noreturn]] inline void refuse_loop(const char *code, const std::string &loop, const std::string &stage, const Phrase &what,
                                     const Phrase &help) {
  Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.message = composed({"loop ", loop, stage.empty() ? "" : " of " + stage, " is ", what});
  diagnostic.stage = stage;
  diagnostic.axis = loop;
  diagnostic.notes = notes_of({{"help", help, {}}});
  throw Error(std::move(diagnostic));
}

}  // namespace lathe::inline LATHE_ABI::passes
