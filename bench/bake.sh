#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bake.sh BUILD [LESSON…]: lessons as written, tuned for BUDGET (15s) and baked with the winners, each side by gcc and
# by clang, in turns. Prints a table of milliseconds a call, the best of all turns, and ratios of the better ones.
set -eu
cd "$(dirname "$0")/.."
build=$(cd "${1:-build}" && pwd)
[ $# -eq 0 ] || shift
work=$build/bench/bake-work
autotune=$build/bin/autotune
rm -rf "$work"
mkdir -p "$work"
export AUTOTUNE_CACHE="$work/cache" AUTOTUNE_BUDGET="${BUDGET:-15s}" AUTOTUNE_LOG=error
unset AUTOTUNE_MODE AUTOTUNE_SEARCH AUTOTUNE_WISDOM
[ $# -gt 0 ] || set -- 01_matmul 02_sgemm 03_jacobi2d 04_conv2d 06_norm_softmax 09_inplace

flags() { # flags of all sides; a build that bakes sgemm's winners must have the flags of its variants
  echo "-O3 -march=native -w"
  [ "$1" != 02_sgemm ] || echo "-mprefer-vector-width=512"
}
size() { # arguments, where the lesson's own take seconds a call
  [ "$1" != 01_matmul ] || echo 512
}
milliseconds() { # PROGRAM: a call
  "$1" $(size "$name") | awk '/later calls/ { print 1000 * $3 } /WRONG/ { exit 1 }'
}
best() { # FILE
  sort -g "$1" | head -1
}

printf '%-16s %11s %12s %9s %9s %11s %10s %12s %s\n' lesson 'as written' '(by clang)' tuned baked '(by clang)' \
  'baked/tuned' 'written/baked' winner
for name; do
  folder=$work/$name
  mkdir "$folder"
  cp "examples/$name.c" "$folder"
  cd "$folder"
  own=$(flags "$name")
  gcc $own "$name.c" -lm -o written
  clang-22 $own "$name.c" -lm -o written-clang
  "$autotune" cc gcc $own "$name.c" -lm -o tuned
  ./tuned $(size "$name") > /dev/null
  "$autotune" bake "$name.c" -o baked.c -- $own 2> log || { cat log; exit 1; }
  gcc $own -fopenmp baked.c -lm -o baked
  clang-22 $own -fopenmp baked.c -lm -o baked-clang
  for turn in 1 2 3; do
    for side in written written-clang tuned baked baked-clang; do
      milliseconds "./$side" >> "$side.times"
    done
  done
  winner='as tuned'
  ! grep -q 'without flags of its own' baked.c || winner='without flags'
  grep -q '^  case ' baked.c || winner=none
  printf '%s %s %s %s %s %s %s\n' "$name" "$(best written.times)" "$(best written-clang.times)" \
    "$(best tuned.times)" "$(best baked.times)" "$(best baked-clang.times)" "$winner"
  cd "$OLDPWD"
done | awk '
  function least(a, b) { return a < b ? a : b }
  { printf "%-16s %11.4g %12.4g %9.4g %9.4g %11.4g %11.2f %13.2f %s %s\n", $1, $2, $3, $4, $5, $6,
           least($5, $6) / $4, least($2, $3) / least($5, $6), $7, $8; fflush() }'
