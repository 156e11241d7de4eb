#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Kernels that reach all kinds of declarations: each variant must compile from its unit alone, without any header,
# load, and compute the same as the default variant; the translated file must compile without a warning, and the
# program must print the same as the untranslated one.
set -u
build=$(cd "$1" && pwd) here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
jit=$build/lib/libautotune-jit.so
[ -e "$jit" ] || { echo "skipped: $jit is not built"; exit 77; }
warnings="-Wall -Wextra -Wpedantic -Wconversion -Wmissing-prototypes -Wstrict-prototypes"
failed=0

fail() { echo "FAILED: $*"; failed=1; }

runtime() { # compiler -> object
  $1 -std=gnu17 -O1 -I"$root/include" -I"$root/runtime" -DUNITS_JIT="\"$jit\"" \
    -c "$here/units_runtime.c" -o "$work/runtime.o" || exit 1
}

# one file, one compiler command with its standard
check() {
  local name=$1; shift
  local file=$here/units/$name.c omp=
  grep -q 'omp' "$file" && omp=-fopenmp
  "$build/bin/autotune" translate --run gcc "$file" -o "$work/$name.c" -- "${@:2}" $omp \
    > "$work/log" 2>&1 || { cat "$work/log"; fail "$name: translate"; return; }
  local plain=$(sed -n 's,^// plain: ,,p' "$file")
  "$@" $omp $plain -w -O1 -ffp-contract=off "$file" -o "$work/plain" -lm || { fail "$name: plain"; return; }
  local strict=$warnings
  grep -qE 'int128|_Float16|complex' "$file" && strict=${warnings/-Wpedantic/}
  "$@" $omp $strict -Werror -O1 -ffp-contract=off -isystem "$root/include" \
    "$work/$name.c" "$work/runtime.o" -o "$work/tuned" -lm -ldl > "$work/log" 2>&1 ||
    { cat "$work/log"; fail "$name: $*"; return; }
  local libomp=
  [ -n "$omp" ] && libomp=$(ls /usr/lib/llvm-22/lib/libomp.so 2> /dev/null)
  "$work/plain" > "$work/expected"
  (cd "$work" && LD_PRELOAD=$libomp timeout 100 ./tuned) > "$work/got" 2> "$work/log" || {
    cat "$work/log"; fail "$name: run after $*"; return; }
  cmp "$work/expected" "$work/got" || fail "$name: output after $*"
  grep -h '^units: ' "$work/log" | sed "s/^/$1: $name: /"
}

for compiler in gcc clang-22; do
  runtime "$compiler"
  for file in "$here"/units/*.c; do
    name=$(basename "$file" .c)
    check "$name" "$compiler" -std=gnu17
  done
done
check macros gcc -std=c99
check types gcc -std=c11
check arrays gcc -std=c99
check globals clang-22 -std=c99
command -v clang-14 > /dev/null && check types clang-14 -std=c11
exit $failed
