#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What a translated file says of the fields of a section's elements, computed by each compiler of the
# build. With AUTOTUNE_UPDATE=1 the expected text is written anew: read the difference before committing it.
set -u
build=$(cd "$1" && pwd) here=$(cd "$(dirname "$0")" && pwd)/layouts
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export AUTOTUNE_CACHE=$work/cache
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0:detect_leaks=0
failed=0
[ "$(uname -m)" = x86_64 ] || { echo "skipped: the expected layouts are those of x86-64"; exit 77; }
for compiler in gcc clang-22 clang; do
  command -v $compiler > /dev/null || continue
  for standard in gnu89 gnu17; do
    "$build/bin/autotune" cc $compiler -std=$standard -Wall -Wextra -Wconversion -Werror -O0 \
      "$here/layouts.c" -o "$work/layouts" > "$work/log" 2>&1 ||
      { cat "$work/log"; echo "FAILED: $compiler -std=$standard"; failed=1; continue; }
    "$work/layouts" > "$work/out"
    [ -z "${AUTOTUNE_UPDATE:-}" ] || cp "$work/out" "$here/layouts.out"
    diff -u "$here/layouts.out" "$work/out" || { echo "FAILED: $compiler -std=$standard"; failed=1; }
  done
done
exit $failed
