#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# csmith.sh BUILD_DIR [PROGRAMS [FIRST_SEED]]: random programs of csmith, each of their functions a kernel. They
# compute the same, whichever variant of their functions runs. The program itself is compiled by gcc and by clang, one
# of them without optimisation, in turn.
set -u
build=$(cd "$1" && pwd) programs=${2:-25} first=${3:-1} here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
jit=$build/lib/libautotune-jit.so
command -v csmith > /dev/null || { echo "skipped: csmith is not installed"; exit 77; }
[ -e "$jit" ] || { echo "skipped: $jit is not built"; exit 77; }
headers=$here # csmith.h
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0 compared=0 kernels=0

gcc -std=gnu17 -O1 -I"$root/include" -I"$root/runtime" -DUNITS_JIT="\"$jit\"" \
  -c "$here/units_runtime.c" -o runtime.o || exit 1

fail() { echo "FAILED: seed $seed: $*"; failed=$((failed + 1)); }

# A pragma before each definition: a line that begins at the margin, with '{' in the next.
annotate() {
  awk '{ if ($0 ~ /^{/ && last ~ /^static.* func_[0-9]+\(.*\)$/)
           print "#pragma autotune kernel flags(\"-O0\", \"-O2\") key()"
         if (NR > 1) print last
         last = $0 }
       END { print last }' program.c > kernels.c
}

# Compares every variant of the annotated program, by $compiler at $level, with the output of the untouched program.
compare() {
  local expected got pick
  $compiler -w $level -I"$headers" program.c -o plain 2> log || { cat log; fail "plain"; return; }
  expected=$(timeout 2 ./plain) || return # some never end
  $compiler -w $level -I"$headers" -isystem "$root/include" tuned.c runtime.o -ldl -o tuned 2> log ||
    { cat log; fail "$compiler $level"; return; }
  for pick in 0 1; do
    got=$(UNITS_PICK=$pick timeout 60 ./tuned 2> log) ||
      { tail -n 5 log; fail "$compiler $level, variant $pick ends with $?"; return; }
    [ "$got" = "$expected" ] ||
      fail "$compiler $level, variant $pick: '$got' instead of '$expected'"
    compared=$((compared + 1))
  done
}

for ((seed = first; seed < first + programs; seed++)); do
  csmith --seed "$seed" --max-funcs 6 --max-block-depth 3 --max-expr-complexity 5 \
    -o program.c > /dev/null || { fail "csmith"; continue; }
  annotate
  "$build/bin/autotune" translate kernels.c -o tuned.c -- -I"$headers" > log 2>&1 ||
    { cat log; fail "translate"; continue; }
  before=$compared
  for ((turn = 0; turn < 2; turn++)); do
    compilers=(gcc clang-22) levels=(-O0 -O2)
    compiler=${compilers[turn]} level=${levels[(turn + seed) % 2]}
    compare
    [ $compared -gt $before ] || continue 2 # never ends, or has failed already
  done
  kernels=$((kernels + $(grep -c '^#pragma autotune' kernels.c)))
done
echo "$compared comparisons, $kernels kernels, $failed failed"
[ $compared -gt 0 ] && [ $failed -eq 0 ]
