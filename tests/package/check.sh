#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds and runs the program of this folder as a user would. Called by ctest, which sets the variables below.
#
#   check.sh installed|subdirectory|plain WORK_DIR
set -euo pipefail
: "${CXX:?} ${CMAKE:?} ${SOURCE_DIR:?} ${LATHE_BUILD:?}" "${LAUNCHER=}"
way=$1 work=$2
here=$SOURCE_DIR/tests/package
rm -rf "$work"
mkdir -p "$work"

configure_and_build() { # configure_and_build PROJECT_DIR CMAKE_ARGUMENT...
  "$CMAKE" -G Ninja -S "$1" -B "$work/build" -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_CXX_COMPILER_LAUNCHER="$LAUNCHER" "${@:2}"
  "$CMAKE" --build "$work/build"
}

case $way in
  installed)
    "$CMAKE" --install "$LATHE_BUILD" --prefix "$work/prefix"
    configure_and_build "$here/installed" -DCMAKE_PREFIX_PATH="$work/prefix"
    for program in compiled mixed; do "$work/build/$program"; done
    ;;
  subdirectory)
    configure_and_build "$here/subdirectory" -DLATHE_SOURCE_DIR="$SOURCE_DIR"
    [ ! -e "$work/build/lathe/liblathe.a" ] || { echo 'lathe::compiled was built though nobody links it'; exit 1; }
    "$work/build/header_only"
    ;;
  plain)
    cd "$work"
    compilers=()
    for unit in depthwise product main; do
      $LAUNCHER "$CXX" -std=c++20 -Wall -Wextra -Werror "-I$SOURCE_DIR/include" -isystem /usr/include/eigen3 -c "$here/$unit.cpp" &
      compilers+=($!)
    done
    for compiler in "${compilers[@]}"; do wait "$compiler"; done
    "$CXX" depthwise.o product.o main.o -o program -ldl -lpthread
    ./program
    ;;
  *) echo "check.sh: no way called $way" >&2; exit 2 ;;
esac
