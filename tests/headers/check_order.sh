#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Reads the #includes under INCLUDE_DIR/lathe and fails on
#   - a folder that includes one below it in the order of the rooms (a back-edge), or a leaf included by anything but a front door,
#   - interop/ included by a front door that programs include: they pay for it only where they name it,
#   - an #include "…" that is not written from the root ("lathe/…") or names no file,
#   - a cycle between files.
#
#   check_order.sh INCLUDE_DIR      check_order.sh --self-test
set -euo pipefail

order='support diag dtype target ir arith expr types schedule lower passes codegen runtime'  # top to bottom
leaves='inspect tune interop'                                                                # included by users only
front_doors='lathe.hpp jit.hpp implementation.hpp'                                           # may include everything

check() {
  local include_dir=$1 edges status=0
  edges=$(cd "$include_dir" && grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' lathe --include='*.hpp' --include='*.ipp' |
    sed -E 's/^([^:]*):([0-9]+):[^"]*"([^"]*)".*/\1 \2 \3/') || true
  awk -v order="$order" -v leaves="$leaves" -v doors="$front_doors" -v root="$include_dir" '
    BEGIN {
      n = split(order, rooms, " "); for (i = 1; i <= n; i++) rank[rooms[i]] = i
      corridor = n + 1                                       # compile.hpp, compile.ipp
      m = split(leaves, rooms, " "); for (i = 1; i <= m; i++) { rank[rooms[i]] = n + 2; leaf[rooms[i]] = 1 }
      d = split(doors, names, " "); for (i = 1; i <= d; i++) door[names[i]] = 1
    }
    function fault(text) { print $1 ":" $2 ": " text; faults++ }
    function room(path,   parts, k) { k = split(path, parts, "/"); return k > 2 ? parts[2] : "" }
    function rank_of(path,   name) {
      if (path == "lathe/version.hpp" || path == "lathe/runtime/abi.hpp") return 0
      name = path; sub(/^lathe\//, "", name)
      if (room(path) != "") return room(path) in rank ? rank[room(path)] : -1
      if (name in door) return n + 3
      return name ~ /^compile\./ ? corridor : -1
    }
    NF == 3 {
      if ($3 !~ /^lathe\//) { fault("write \"" $3 "\" from the root: \"lathe/…\""); next }
      if ((getline line < (root "/" $3)) < 0) { fault("there is no " $3); next }
      close(root "/" $3)
      from = rank_of($1); to = rank_of($3)
      if (from < 0) { fault("is in no room of the order"); next }
      if (to < 0) { fault($3 " is in no room of the order"); next }
      if (room($3) == "interop" && $1 ~ /^lathe\/(lathe|jit)\.hpp$/) { fault("brings " $3 " to every program"); next }
      if (from == n + 3 || to == 0) next
      if (room($3) in leaf && room($1) != room($3)) fault("includes " $3 ", but " room($3) "/ is a leaf")
      else if (to > from) fault("includes " $3 ", which is below it in the order of the rooms")
    }
    END { exit faults > 0 }' <<<"$edges" || status=1
  # tsort names the files of a cycle. The front doors include the definitions that close one on purpose.
  local cycle
  cycle=$(awk 'NF == 3 && $1 !~ /^lathe\/(lathe|jit|implementation)\.hpp$/ && $3 != "lathe/implementation.hpp" { print $1, $3 }' \
    <<<"$edges" | tsort 2>&1 >/dev/null) || { printf 'the #includes form a cycle:\n%s\n' "$cycle"; status=1; }
  return $status
}

# Each kind of fault, made on purpose, must be found; the same tree without it must pass.
self_test() {
  local problems=0
  dir=$(mktemp -d)
  trap 'rm -rf "$dir"' EXIT  # dir outlives this function: the trap runs last
  put() { mkdir -p "$dir/lathe/$(dirname "$1")" && printf '#include "%s"\n' "${@:2}" >"$dir/lathe/$1"; }
  clean() {
    rm -rf "$dir/lathe"
    mkdir -p "$dir/lathe/runtime"
    : >"$dir/lathe/version.hpp"
    : >"$dir/lathe/runtime/abi.hpp"
    put support/text.hpp lathe/version.hpp
    put ir/expr.hpp lathe/support/text.hpp lathe/runtime/abi.hpp
    put inspect/show.hpp lathe/compile.hpp
    put compile.hpp lathe/ir/expr.hpp
    put lathe.hpp lathe/compile.hpp
  }
  expect() { # expect pass|fail NAME
    local outcome=pass
    check "$dir" >/dev/null || outcome=fail
    [ "$outcome" = "$1" ] || { echo "self-test: $2: expected $1, got $outcome"; problems=1; }
  }
  clean; expect pass 'a tree in order'
  clean; put support/text.hpp lathe/ir/expr.hpp; expect fail 'a back-edge'
  clean; put compile.hpp lathe/inspect/show.hpp; expect fail 'a leaf included'
  clean; put interop/eigen.hpp lathe/compile.hpp; put implementation.hpp lathe/interop/eigen.hpp; expect pass 'a leaf for users'
  clean; put interop/eigen.hpp lathe/ir/expr.hpp; put lathe.hpp lathe/interop/eigen.hpp; expect fail 'a leaf for every program'
  clean; put ir/expr.hpp text.hpp; expect fail 'a path not from the root'
  clean; put ir/expr.hpp lathe/support/gone.hpp; expect fail 'a missing file'
  clean; put ir/a.hpp lathe/ir/b.hpp; put ir/b.hpp lathe/ir/a.hpp; expect fail 'a cycle'
  clean; put attic/a.hpp lathe/version.hpp; expect fail 'an unknown room'
  return $problems
}

if [ "${1:-}" = --self-test ]; then self_test; else check "${1:?usage: check_order.sh INCLUDE_DIR}"; fi
