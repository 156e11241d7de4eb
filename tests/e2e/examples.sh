#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# examples.sh BUILD: every lesson, plain and through `autotune cc`, with gcc and with clang: the answer is right while
# it tunes and when it starts tuned, and something was tuned. At run time there is no source, no header and no
# compiler.
set -u
build=$(cd "$1" && pwd) root=$(cd "$(dirname "$0")/../.." && pwd)
[ -x "$build/bin/autotune" ] || { echo "$build/bin/autotune is missing"; exit 1; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset AUTOTUNE_MODE AUTOTUNE_SEARCH AUTOTUNE_LOG XDG_CACHE_HOME
failures=0 checks=0

fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
check() { # WHAT COMMAND…
  local what=$1
  shift
  checks=$((checks + 1))
  "$@" > "$work/out" 2> "$work/err" || { fail "$what ($*)"; tail -n 20 "$work/out" "$work/err"; }
}

# Sizes at which a plain build takes a few milliseconds a call.
size() {
  case $1 in
    01_matmul) echo 192 ;; 02_sgemm) echo 200 ;; 03_jacobi2d) echo 200 5 ;; 04_conv2d) echo 150 3 ;;
    05_spmv) echo 5000 ;; 06_norm_softmax) echo 40 500 ;; 07_attention) echo 128 ;;
    08_histogram) echo 200000 ;; 09_inplace) echo 300 ;;
    *) fail "$1 has no size here" ;;
  esac
}

# Runs a program with nothing in its environment but the folder of results and the budget; PATH is empty.
away() { env -i PATH= AUTOTUNE_CACHE="$work/cache" AUTOTUNE_BUDGET=3s,12 LD_LIBRARY_PATH="${LD_LIBRARY_PATH-}" "$@"; }

# The least number of tried variants among all kernels.
fewest() {
  AUTOTUNE_CACHE=$work/cache "$build/bin/autotune" report --json |
    sed -n 's/^ *"tried": *\([0-9]*\).*/\1/p' | sort -n | head -1
}

right() { check "$1: answer" grep -q '^  right answer$' "$work/answer"; }

lesson() { # NAME COMPILER
  local name=$1 what="$1, $2" sizes
  sizes=$(size "$name")
  mkdir "$work/src"
  cp "$root/examples/$name.c" "$work/src"
  check "$what: plain" "$2" -O2 -Wall -Wextra -Wno-unknown-pragmas -Werror "$work/src/$name.c" -lm \
    -o "$work/plain"
  check "$what: plain run" "$work/plain" $sizes
  check "$what: build" "$build/bin/autotune" cc "$2" -O2 "$work/src/$name.c" -lm -o "$work/tuned"
  rm -rf "$work/src" "$work/cache"
  check "$what: first run" away "$work/tuned" $sizes
  cp "$work/out" "$work/answer"
  right "$what: first run"
  local tried
  tried=$(fewest)
  check "$what: ${tried:-0} variants tried" [ "${tried:-0}" -ge 1 ]
  check "$what: second run" away "$work/tuned" $sizes
  cp "$work/out" "$work/answer"
  right "$what: second run"
}

for cc in gcc clang-22; do
  command -v "$cc" > /dev/null || { echo "skipped: no $cc"; continue; }
  for source in "$root"/examples/[0-9]*.c; do
    lesson "$(basename "$source" .c)" "$cc"
  done
done

echo "$checks checks, $failures failed"
exit $((failures > 0))
