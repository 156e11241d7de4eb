#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Each errors/NAME.c is refused: exit status 1, no output file, and exactly NAME.err on
# standard error. With AUTOTUNE_UPDATE=1 the .err files are written anew: read the
# difference before committing it.
set -u
autotune=$(realpath "$1")/bin/autotune
cd "$(dirname "$0")/errors" || exit 1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0 n=0

fail() {
  echo "$1: $2" >&2
  failed=$((failed + 1))
}

for c in *.c; do
  name=${c%.c}
  "$autotune" translate "$c" -o "$out/out.c" >"$out/stdout" 2>"$out/err"
  status=$?
  [ -z "${AUTOTUNE_UPDATE:-}" ] || cp "$out/err" "$name.err"
  [ $status = 1 ] || fail "$c" "exit status $status instead of 1"
  [ ! -e "$out/out.c" ] || { fail "$c" "left an output file"; rm -f "$out/out.c"; }
  [ ! -s "$out/stdout" ] || fail "$c" "wrote to standard output"
  diff -u "$name.err" "$out/err" >&2 || fail "$c" "other diagnostics than in $name.err"
  n=$((n + 1))
done
echo "$n files, $failed failures"
[ $n -ge 60 ] && [ $failed = 0 ]
