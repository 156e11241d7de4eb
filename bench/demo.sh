#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# demo.sh BUILD: the first example, built by gcc, by clang and through autotune, side by side.
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
say "autotune cc gcc $flags $source   (the first call tunes; once on this machine)"
"$build/bin/autotune" cc gcc $flags "$source" -lm -o "$work/tuned"
AUTOTUNE_LOG=${AUTOTUNE_LOG:-info} try tuned
say "the same program again   (starts tuned)"
try tuned

say "autotune report"
"$build/bin/autotune" report --no-pager
say "$(later "$work/gcc.out") $(later "$work/clang.out") $(later "$work/tuned.out")" |
  awk 'NF { best = $1 < $2 ? $1 : $2
            printf "\n%.0f times as fast as gcc, %.0f times as fast as clang, right answer.\n",
                   $1 / $3, $2 / $3 }'
