#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# demo.sh BUILD: the first example, built by gcc, by clang, by clang with Polly and through autotune, side by side, and
# the product of OpenBLAS where that is installed.
# Results are kept below BUILD, and forgotten first, so that each demo shows a tuning.
set -eu
cd "$(dirname "$0")/.."
build=$(cd "${1:-build}" && pwd)
work=$build/demo
source=examples/01_matmul.c
flags='-O3 -march=native'

rm -rf "$work"
mkdir -p "$work"
export AUTOTUNE_CACHE="$work/cache"
unset AUTOTUNE_MODE AUTOTUNE_BUDGET AUTOTUNE_SEARCH

say() { printf '\n%s\n' "$*"; }
later() { sed -n 's/^ *later calls *\([0-9.]*\).*/\1/p' "$1"; }
try() { # NAME: runs it, keeps what it prints; its exit status says whether the answer is right
  "$work/$1" >"$work/$1.out" || { cat "$work/$1.out"; exit 1; }
  cat "$work/$1.out"
}

say "The kernel of $source:"
sed -n '/^#pragma autotune kernel/,/^}/p' "$source"

say "gcc $flags $source"
gcc $flags -w "$source" -lm -o "$work/gcc"
try gcc
say "clang-22 $flags $source"
clang-22 $flags -w "$source" -lm -o "$work/clang"
try clang
polly="$flags -mllvm -polly -mllvm -polly-parallel -fopenmp"
if clang-22 $polly -w "$source" -lm -o "$work/polly" 2> "$work/polly.err"; then
  say "clang-22 $polly $source"
  try polly
else
  say "clang-22 with Polly: not here"
fi
if gcc $flags bench/demo_blas.c -lopenblas -lm -o "$work/blas" 2> "$work/blas.err"; then
  say "gcc $flags bench/demo_blas.c -lopenblas"
  try blas
else
  say "OpenBLAS: not here (Debian: libopenblas-dev)"
fi
say "autotune cc gcc $flags $source   (the first call tunes; once on this machine)"
"$build/bin/autotune" cc gcc $flags "$source" -lm -o "$work/tuned"
AUTOTUNE_LOG=${AUTOTUNE_LOG:-info} try tuned
say "the same program again   (starts tuned)"
try tuned

say "autotune report"
"$build/bin/autotune" report --no-pager
tuned=$(later "$work/tuned.out")
say "A later call of the program that autotune built takes $tuned s, with the right answer. The others take:"
for other in gcc clang polly blas; do
  [ ! -x "$work/$other" ] || echo "$other $(later "$work/$other.out")"
done | awk -v tuned="$tuned" '{ printf "  %-6s %9.6f s, %.3g times as long\n", $1, $2, $2 / tuned }'
