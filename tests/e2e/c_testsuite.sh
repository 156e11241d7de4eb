#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# c_testsuite.sh BUILD_DIR FOLDER [SEED [SECONDS]]: the programs of c-testsuite, of which FOLDER is a checkout. Each
# comes out of the translator byte for byte. With pragmas on its functions and loops each variant prints what is
# expected; what the translator refuses (a kernel has no variable arguments, for example) is counted.
set -u
build=$(cd "$1" && pwd) folder=$(cd "$2" && pwd) seconds=${4:-100000} here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
. "$here/annotate.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
cd "$work" || exit 1
failed=0 compared=0 kernels=0 loops=0 used=0 seen=0 not_taken=0
SECONDS=0
annotate_runtime
fail() { echo "FAILED: $(basename "$file"): $*"; failed=$((failed + 1)); }

files=("$folder"/tests/single-exec/*.c)
for file in "${files[@]}"; do
  [ $SECONDS -lt "$seconds" ] || break
  seen=$((seen + 1))
  cp "$file" program.c
  "$build/bin/autotune" translate program.c -o same.c -- > log 2>&1 && cmp program.c same.c > log 2>&1 ||
    { cat log; fail "does not come out unchanged"; }
  annotate_functions program.c > functions.c
  annotate_loops functions.c > kernels.c
  grep -q '^#pragma autotune kernel' kernels.c || continue
  annotate_translate kernels.c tuned.c || { not_taken=$((not_taken + 1)); grep -m 1 'error: ' log; continue; }
  before=$compared
  annotate_compare program.c tuned.c "" gcc -O1
  annotate_compare program.c tuned.c "" clang-22 -O0
  [ $compared -gt $before ] || continue
  used=$((used + 1))
  annotate_count kernels.c
done
echo "$seen of ${#files[@]} programs unchanged; $used with pragmas: $kernels kernels, $loops loops, $compared" \
  "comparisons; $not_taken refused, $failed failed"
[ $seen -gt 0 ] && [ $failed -eq 0 ]
