#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Each errors/NAME.c is refused: exit status 1, no output file, and exactly NAME.err on
# standard error. With AUTOTUNE_UPDATE=1 the .err files are written anew: read the
# difference before committing it. Arguments: the build, and for files elsewhere their folder, suffix, and how many there
# are at least.
set -u
autotune=$(realpath "$1")/bin/autotune
folder=${2:-$(dirname "$0")/errors} suffix=${3:-c} least=${4:-60}
cd "$folder" || exit 1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0 n=0

fail() {
  echo "$1: $2" >&2
  failed=$((failed + 1))
}

for c in *."$suffix"; do
  name=${c%."$suffix"}
  "$autotune" translate "$c" -o "$out/out.$suffix" >"$out/stdout" 2>"$out/err"
  status=$?
  [ -z "${AUTOTUNE_UPDATE:-}" ] || cp "$out/err" "$name.err"
  [ $status = 1 ] || fail "$c" "exit status $status instead of 1"
  [ ! -e "$out/out.$suffix" ] || { fail "$c" "left an output file"; rm -f "$out/out.$suffix"; }
  [ ! -s "$out/stdout" ] || fail "$c" "wrote to standard output"
  diff -u "$name.err" "$out/err" >&2 || fail "$c" "other diagnostics than in $name.err"
  n=$((n + 1))
done
echo "$n files, $failed failures"
[ $n -ge "$least" ] && [ $failed = 0 ]
