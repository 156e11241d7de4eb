#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# All variants of variants.cu are right, under emulation; a kernel that cannot be tuned says so once. A template that
# two files instantiate is tuned as one kernel.
set -u
build=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
[ -e "$build/lib/libautotune-emulate.so" ] || { echo "the emulator was not built"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset AUTOTUNE_MODE AUTOTUNE_SEARCH AUTOTUNE_LOG AUTOTUNE_EMULATE
export AUTOTUNE_CACHE=$work/cache AUTOTUNE_BUDGET=30s,20
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

emulate() { "$build/bin/autotune" cc --emulate clang++-22 -O1 -std=c++17 "$@" || fail "build $*"; }

emulate "$here/variants.cu" -o "$work/variants"
"$work/variants" > "$work/out" 2> "$work/err" || fail "variants: $(cat "$work/out")"
[ "$(cat "$work/out")" = "cudaSuccess: 0 wrong" ] || fail "variants: $(cat "$work/out")"
[ "$(grep -c 'main::Local.*not tuned' "$work/err")" = 1 ] || fail "warnings: $(cat "$work/err")"
"$build/bin/autotune" report > "$work/report"
sed -n 's/^ *variants *//p' "$work/report" > "$work/tried"
[ "$(wc -l < "$work/tried")" = 7 ] || fail "seven kernels: $(cat "$work/tried")"
while read -r tried _ dot right rest; do
  [ "$dot" = "·" ] && [ "$tried" = "$right" ] && [ "$rest" = right ] && [ "$tried" -ge 2 ] ||
    fail "variants: $tried $dot $right $rest"
done < "$work/tried"

rm -rf "$work/cache"
emulate "$here"/golden/translate/two_[ab].cu -o "$work/two"
"$work/two" > "$work/out" 2> "$work/err" || fail "two: $(cat "$work/err")"
[ "$(sort -u "$work/out")" = cudaSuccess ] || fail "two: $(cat "$work/out")"
[ "$("$build/bin/autotune" report --json | grep -c '"kernel": "doubled<float>')" = 1 ] || fail "two: one kernel"

# The report's text on sum.cu's variants, as written or with other clauses.
sum_tried() {
  rm -rf "$work/cache"
  sed "s/grid(ceil)/& $1/" "$here/sum.cu" > "$work/sum.cu"
  emulate "$work/sum.cu" -o "$work/sum"
  "$work/sum" > "$work/out" 2> "$work/err" || fail "sum: $(cat "$work/err")"
  [ "$(cat "$work/out")" = "cudaSuccess: right" ] || fail "sum: $(cat "$work/out")"
  "$build/bin/autotune" report | sed -n 's/^ *variants *//p'
}
tried=$(sum_tried '')
[ "$tried" = "4 tried · 4 right" ] || fail "sum: $tried"
tried=$(sum_tried 'verify(exact)')
grep -qx '4 tried · [123] right · [123] wrong' <<< "$tried" || fail "sum, exactly: $tried"
echo "$failures failures"
[ $failures = 0 ]
