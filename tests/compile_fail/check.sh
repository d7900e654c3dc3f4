#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Programs that must not compile, and what the compiler must say.
#
#   check.sh COMPILER INCLUDE_DIR CASE.cpp...      check.sh COMPILER --self-test
#
# A case is a file with two versions of one program:
#
#   // expect: parallel(): a reduction axis cannot run in parallel     (in the first line that says "error:")
#   // expect-note: say rfactor() first                                (anywhere in that first error, source lines and notes included)
#   #include <lathe/lathe.hpp>
#   …
#   #ifdef PASSING
#     s[c].parallel(i);      // the right code
#   #else
#     s[c].parallel(k);      // what is refused
#   #endif
#
# As it stands it must fail, with every expected text in the first error; with -DPASSING it must compile without a warning.
# Both are compiled against declarations only (LATHE_COMPILED), from a precompiled header.
set -euo pipefail

flags=(-std=c++20 -fsyntax-only -Wall -Wextra -Werror -Wno-unused-variable -Wno-unused-but-set-variable -DLATHE_COMPILED
  -fdiagnostics-color=never)

# Standard input: the compiler's messages. Prints the first error: all lines up to the second one.
first_error() { awk '/(^|[: ])(fatal )?error: / { if (++seen == 2) exit } seen == 1 { print }'; }

# check_case COMMAND... -- CASE.cpp: prints what is wrong, nothing when all is right. Never fails.
check_case() {
  local command=()
  while [ "$1" != -- ]; do command+=("$1"); shift; done
  local file=$2 messages block kind text expectations=0
  if ! messages=$("${command[@]}" -DPASSING "$file" 2>&1); then
    printf '%s: the passing twin does not compile:\n%s\n' "$file" "$(head -n 20 <<<"$messages")"
  fi
  if messages=$("${command[@]}" "$file" 2>&1); then
    printf '%s: compiles, but must not\n' "$file"
    return 0
  fi
  block=$(first_error <<<"$messages")
  while IFS=$'\t' read -r kind text; do
    expectations=$((expectations + 1))
    if [ "$kind" = expect ]; then
      head -n 1 <<<"$block" | grep -qF -- "$text" && continue
    else
      grep -qF -- "$text" <<<"$block" && continue
    fi
    printf '%s: the first error must say\n  %s\nbut is\n%s\n' "$file" "$text" "$(head -n 12 <<<"$block")"
  done < <(sed -nE 's,^// (expect|expect-note): *(.*[^ ]) *$,\1\t\2,p' "$file")
  [ "$expectations" -gt 0 ] || printf '%s: has no line "// expect: …"\n' "$file"
}

# Sets `command` to the compiler with its flags and, where the front door exists, a precompiled header of it.
prepare() {
  local compiler=$1 include_dir=$2 header=$work/lathe/lathe.hpp
  command=("$compiler" "${flags[@]}" "-I$work" "-I$include_dir")
  mkdir -p "$work/lathe"
  [ -f "$include_dir/lathe/lathe.hpp" ] || return 0
  local build=("$compiler" "${flags[@]/-fsyntax-only/-w}" "-I$include_dir" -x c++-header
    "$include_dir/lathe/lathe.hpp")
  if "$compiler" --version | grep -q clang; then
    "${build[@]}" -o "$work/lathe.pch" && command+=(-include-pch "$work/lathe.pch")
  else
    "${build[@]}" -o "$header.gch"
  fi
}

self_test() {
  local compiler=$1 problems=0
  local command=("$compiler" "${flags[@]}")
  case_is() { # case_is right|wrong NAME, the case on standard input
    cat >"$work/case.cpp"
    local said outcome=right
    said=$(check_case "${command[@]}" -- "$work/case.cpp")
    [ -z "$said" ] || outcome=wrong
    [ "$outcome" = "$1" ] || { printf 'self-test: %s: expected %s, got %s\n%s\n' "$2" "$1" "$outcome" "$said"; problems=1; }
  }
  local refuse='template <class T> void f(T) { static_assert(sizeof(T) < 2, "f(): takes bytes"); }'
  local twin=$'#ifdef PASSING\nint main() { f(char{1}); }\n#else\nint main() { f(1); }\n#endif'
  case_is right 'the expected sentence' <<<"// expect: f(): takes bytes"$'\n'"$refuse"$'\n'"$twin"
  case_is wrong 'another sentence' <<<"// expect: f(): takes words"$'\n'"$refuse"$'\n'"$twin"
  case_is wrong 'no expectation' <<<"$refuse"$'\n'"$twin"
  case_is wrong 'the sentence comes second' <<<$'// expect: f(): takes bytes\n'"$refuse"$'\nunknown x;\n'"$twin"
  case_is wrong 'it compiles' <<<$'// expect: f(): takes bytes\nint main() {}'
  case_is wrong 'the twin fails too' <<<$'// expect: f(): takes bytes\n'"$refuse"$'\nint main() { f(1); }'
  case_is right 'a remedy in a note' <<<$'// expect: deleted\n// expect-note: write g(int)\nvoid g(int);\nvoid g(double) = delete;  // write g(int)
#ifdef PASSING\nint main() { g(1); }\n#else\nint main() { g(1.0); }\n#endif'
  return $problems
}

compiler=${1:?usage: check.sh COMPILER INCLUDE_DIR CASE.cpp...}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ "$2" = --self-test ]; then
  self_test "$compiler"
  exit
fi
include_dir=$2
shift 2
prepare "$compiler" "$include_dir"

# One process per processor, each with its share of the cases.
jobs=$(nproc)
for ((job = 0; job < jobs; job++)); do
  for ((i = job + 1; i <= $#; i += jobs)); do
    check_case "${command[@]}" -- "${!i}"
  done >"$work/said.$job" &
done
wait
if [ -n "$(cat "$work"/said.*)" ]; then
  cat "$work"/said.*
  exit 1
fi
echo "$# programs refused with the expected words, $# twins accepted"
