#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `autotune translate` of each golden/translate/NAME.cu writes the text of NAME.out, without the text between the
# marks of generated text; the unit of unit.cu is unit.txt; and the warnings of lacks.cu are lacks.err. With AUTOTUNE_UPDATE=1 these files are written anew:
# read the difference before committing it.
set -u
build=$(realpath "$1")
cd "$(dirname "$0")/golden/translate" || exit 1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0 n=0

same() # GOLDEN MADE
{
  [ -z "${AUTOTUNE_UPDATE:-}" ] || cp "$2" "$1"
  diff -u "$1" "$2" >&2 || failed=$((failed + 1))
  n=$((n + 1))
}

for cu in launches.cu unit.cu; do
  CUDA_PATH=/nowhere "$build/bin/autotune" translate "$cu" > "$out/all" || failed=$((failed + 1))
  awk '/^AUTOTUNE_GENERATED/ { skip = 1; print "(generated)" } !skip { print }
       /^AUTOTUNE_AS_WRITTEN/ { skip = 0 }' "$out/all" > "$out/made"
  same "${cu%.cu}.out" "$out/made"
done
"$build/tests/nvrtc_compile" -p unit.cu | sed 's,-I.*include,-I(toolkit),' > "$out/made"
same unit.txt "$out/made"
# A __grid_constant__ argument stays where the kernel has it.
"$build/tests/nvrtc_compile" -p ../../units/hopper.cu | grep -q 'map &m,' || { echo "a copy of m"; failed=$((failed + 1)); }
CUDA_PATH=/nowhere "$build/bin/autotune" translate lacks.cu -o "$out/all" 2> "$out/made" || failed=$((failed + 1))
same lacks.err "$out/made"
echo "$n files, $failed failures"
[ $failed = 0 ]
