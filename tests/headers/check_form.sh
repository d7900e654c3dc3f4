#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Fails on a source file without its licence line, a header without `#pragma once`, and a header of more than 600 lines
# (800 for a table of rules, whose name then ends in _rules).
#
#   check_form.sh SOURCE_DIR
set -euo pipefail
cd "${1:?usage: check_form.sh SOURCE_DIR}"
status=0
complain() { echo "$1: $2"; status=1; }

while IFS= read -r file; do
  head -n 2 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception' || complain "$file" 'has no SPDX line'
  case $file in
    *.hpp) grep -q '^#pragma once' "$file" || complain "$file" 'has no #pragma once' ;;
  esac
  case $file in
    include/*_rules.hpp | include/*_rules.ipp) limit=800 ;;
    include/*) limit=600 ;;
    *) limit=100000 ;;
  esac
  lines=$(wc -l <"$file")
  [ "$lines" -le "$limit" ] || complain "$file" "has $lines lines, more than $limit"
done < <(find include src tests bench examples cmake run .ci CMakeLists.txt -type f \
  \( -name '*.hpp' -o -name '*.ipp' -o -name '*.cpp' -o -name '*.sh' -o -name '*.cmake' -o -name CMakeLists.txt -o -name run \) | sort)
exit $status
