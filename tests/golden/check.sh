#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `autotune check` of each check/NAME.c prints exactly NAME.out, on standard error exactly NAME.warn
# (nothing, where there is none), and exits 0. A line `/* args: … */` holds compiler arguments. With
# AUTOTUNE_UPDATE=1 these files are written anew: read the difference before
# committing it. Arguments as those of errors.sh.
set -u
export AUTOTUNE_BUILD_CHECK=off # NVRTC is not on all machines
autotune=$(realpath "$1")/bin/autotune
folder=${2:-$(dirname "$0")/check} suffix=${3:-c} least=${4:-10}
cd "$folder" || exit 1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0 n=0
for c in *."$suffix"; do
  name=${c%."$suffix"}
  # shellcheck disable=SC2046 # words, none of which has blanks
  "$autotune" check "$c" -- $(sed -n 's,^/[*/] args: \([^*]*[^* ]\).*,\1,p' "$c") >"$out/out" 2>"$out/err"
  status=$?
  if [ -n "${AUTOTUNE_UPDATE:-}" ]; then
    cp "$out/out" "$name.out"
    rm -f "$name.warn"
    [ ! -s "$out/err" ] || cp "$out/err" "$name.warn"
  fi
  expected=$name.warn
  [ -f "$expected" ] || expected=/dev/null
  if [ $status != 0 ] || ! diff -u "$expected" "$out/err" >&2 ||
     ! diff -u "$name.out" "$out/out" >&2; then
    echo "$c: exit status $status" >&2
    failed=$((failed + 1))
  fi
  n=$((n + 1))
done
echo "$n files, $failed failures"
[ $n -ge "$least" ] && [ $failed = 0 ]
