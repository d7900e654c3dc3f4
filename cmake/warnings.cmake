# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# lathe_warnings(<target>): the warnings that the project's own code is held to. Users' targets never get them.
function(lathe_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Werror)
endfunction()
