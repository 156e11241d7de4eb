#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bake_tuned.sh BUILD: every lesson, tuned a little, exported and baked: it gives the right answer with gcc and
# with clang, without a warning and without libautotune.
root=$(cd "$(dirname "$0")/../.." && pwd)
AUTOTUNE_TEST_COMPILERS="gcc clang-22"
. "$(dirname "$0")/cc_lib.sh"
jit=$(dirname "$(command -v autotune)")/../lib/libautotune-jit.so
[ -e "$jit" ] || { echo "skipped: $jit is not built"; exit 77; }

size() { # at which a plain build takes a few milliseconds a call
  case $1 in
    01_matmul) echo 192 ;; 02_sgemm) echo 200 ;; 03_jacobi2d) echo 200 5 ;; 04_conv2d) echo 150 3 ;;
    05_spmv) echo 5000 ;; 06_norm_softmax) echo 40 500 ;; 07_attention) echo 128 ;;
    08_histogram) echo 200000 ;; 09_inplace) echo 300 ;;
    *) fail "$1 has no size here" ;;
  esac
}

winners=0
lesson() { # FILE
  local name cc sizes
  name=$(basename "$1" .c)
  sizes=$(size "$name")
  cp "$1" .
  check "$name: build" autotune cc gcc -O2 "$name.c" -lm -o tuned
  AUTOTUNE_MODE=first AUTOTUNE_CACHE=$work/cache AUTOTUNE_BUDGET=2s,12 AUTOTUNE_SEARCH=random AUTOTUNE_SEED=1 \
    ./tuned $sizes > out 2> log || { fail "$name: run"; cat log; }
  AUTOTUNE_CACHE=$work/cache autotune db export -o "$name.wisdom" 2> log
  AUTOTUNE_CACHE=$work/cache check "$name: bake" autotune bake "$name.c" -o baked.c -- -O2 2> log
  cat log
  winners=$((winners + $(grep -c '^/\* [a-z_0-9]* for ' baked.c)))
  for cc in $compilers; do
    check "$name, $cc" $cc -std=gnu11 -O2 -Wall -Wextra -Wno-unknown-pragmas -Werror baked.c -lm -o baked
    ./baked $sizes > out
    has "$name, $cc: answer" out '^  right answer$'
    hasnt "$name, $cc: libautotune" <(ldd ./baked) autotune
  done
  check "$name: in a build" autotune cc --bake "$name.wisdom" gcc -O2 -fopenmp -w "$name.c" -lm -o built
  ./built $sizes > out
  has "$name: answer" out '^  right answer$'
}

for source in "$root"/examples/[0-9]*.c; do
  lesson "$source"
done
check "$winners winners" [ "$winners" -ge 2 ]
finish
