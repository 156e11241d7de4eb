#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# csmith.sh BUILD_DIR [PROGRAMS [FIRST_SEED [SECONDS]]]: random programs of csmith, each of their functions a kernel,
# with directives on their loops. They compute the same, whichever variant of their functions runs. The program itself
# is compiled by gcc and by clang, one of them without optimisation, in turn.
set -u
build=$(cd "$1" && pwd) programs=${2:-25} first=${3:-1} seconds=${4:-100000} here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
command -v csmith > /dev/null || { echo "skipped: csmith is not installed"; exit 77; }
. "$here/annotate.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
cd "$work" || exit 1
failed=0 compared=0 kernels=0 loops=0 used=0
SECONDS=0
annotate_runtime
fail() { echo "FAILED: seed $seed: $*"; failed=$((failed + 1)); }

for ((seed = first; seed < first + programs && SECONDS < seconds; seed++)); do
  csmith --seed "$seed" --max-funcs 6 --max-block-depth 3 --max-expr-complexity 5 \
    -o program.c > /dev/null || { fail "csmith"; continue; }
  annotate_functions program.c > functions.c
  annotate_loops functions.c > kernels.c
  annotate_translate kernels.c tuned.c -I"$here" || { cat log; fail "translate"; continue; }
  before=$compared
  for ((turn = 0; turn < 2; turn++)); do
    compilers=(gcc clang-22) levels=(-O0 -O2)
    annotate_compare program.c tuned.c "-I$here" "${compilers[turn]}" "${levels[(turn + seed) % 2]}"
    [ $compared -gt $before ] || continue 2 # never ends, or has failed already
  done
  used=$((used + 1))
  annotate_count kernels.c
done
echo "$((seed - first)) of $programs programs, $used of them end by themselves: $kernels kernels, $loops loops," \
  "$compared comparisons, $failed failed"
[ $compared -gt 0 ] && [ $failed -eq 0 ]
