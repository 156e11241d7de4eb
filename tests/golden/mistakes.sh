#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Mistakes that people make, each reported where it is. In mistakes/NAME.c, a line `// WHAT` after an empty line
# begins one:
#
#   mistakes/NAME.c    `autotune check` prints exactly NAME.err on standard error, and exits 1 if there is an error in it
#   compiled/NAME      `autotune cc` with each compiler of its language fails, each error is about a line of a pragma, and
#                      no message is about generated text
#   commands           a command a line: fails, and the first line that it prints is in commands.err
#
# Each mistake has a diagnostic within its own lines. With AUTOTUNE_UPDATE=1 the .err files are written anew: read the
# difference before committing it.
set -u
build=$(realpath "$1")
autotune=$build/bin/autotune
cd "$(dirname "$0")/mistakes" || exit 1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
unset AUTOTUNE_MODE
export AUTOTUNE_CACHE=$out/cache
failed=0 files=0 mistakes=0

fail() {
  echo "$1: $2" >&2
  failed=$((failed + 1))
}

# Counts the mistakes in FILE, and says which have no diagnostic in DIAGNOSTICS.
silent() {
  awk -v file="$1" '
    NR == FNR { if (split($0, p, ":") > 4 && p[1] == file && p[4] ~ /^ (error|warning)/) told[p[2]] = 1; next }
    function end() { if (what && !found) print file ":" at ": nothing is said of: " what > "/dev/stderr"; bad += what && !found }
    /^\/\/ / && FNR > 1 && before == "" { end(); what = substr($0, 4); at = FNR; found = 0; n++ }
    { before = $0; found += told[FNR] }
    END { end(); print n + 0; exit bad > 0 }' "$2" "$1"
}

# The lines of source that DIAGNOSTICS shows are lines of FILE, and so are the places.
shown() {
  awk -v file="$1" '
    NR == FNR { line[FNR] = $0; next }
    place { sub(/^  /, ""); if ($0 != line[place]) { print "shows another line: " $0 > "/dev/stderr"; bad = 1 }; place = 0 }
    match($0, /^[^ :]+:[0-9]+:[0-9]+: (error|warning|note): /) {
      split($0, p, ":"); place = p[2]
      if (p[1] != file || p[3] > length(line[place]) + 1) { print "another place: " $0 > "/dev/stderr"; bad = 1 } }
    END { exit bad }' "$1" "$2"
}

for c in *.c *.cu; do
  err=${c%.*}.err
  "$autotune" check "$c" >"$out/out" 2>"$out/err"
  status=$?
  [ -z "${AUTOTUNE_UPDATE:-}" ] || cp "$out/err" "$err"
  expected=0
  ! grep -q ': error: ' "$err" || expected=1
  [ $status = $expected ] || fail "$c" "exit status $status instead of $expected"
  diff -u "$err" "$out/err" >&2 || fail "$c" "other diagnostics than in $err"
  n=$(silent "$c" "$out/err") || fail "$c" "a mistake is accepted"
  shown "$c" "$out/err" || fail "$c" "a diagnostic is about another text"
  mistakes=$((mistakes + n)) files=$((files + 1))
done

# The lines that DIAGNOSTICS have errors at are lines of pragmas in FILE.
at_pragmas() {
  awk -v file="$1" '
    NR == FNR { pragma[FNR] = /^ *#pragma/ || (pragma[FNR - 1] && before ~ /\\$/); before = $0; next }
    /^[^ ]+:[0-9]+:[0-9]+: error: / { split($0, p, ":"); errors++
      if (p[1] != file || !pragma[p[2]]) { print "not at a pragma: " $0 > "/dev/stderr"; bad = 1 } }
    END { exit bad || !errors }' "$1" "$2"
}

# FILE COMMAND…: the command, a compiler, refuses it
compiled() {
  local c=$1 n
  shift
  ! "$autotune" cc "$@" -c "$c" -o "$out/x.o" >"$out/err" 2>&1 || fail "$c" "$* accepts it"
  # Colours; nvcc says no columns; Clang shows the launches that were rewritten.
  sed -i 's/\x1b\[[0-9;]*[mK]//g; s/^\([^ (]*\)(\([0-9]*\)): \(error: \)/\1:\2:1: \3/; s/| .*autotune_launch_/|/' "$out/err"
  ! grep -nE '<autotune>|autotune_|, from ' "$out/err" >&2 || fail "$c" "messages of $* are about generated text"
  at_pragmas "$c" "$out/err" || fail "$c" "errors of $* are not at pragmas"
  n=$(silent "$c" "$out/err") || fail "$c" "$* says nothing of a mistake"
  counts[$c]=$n
}

cd compiled || exit 1
declare -A counts
while read -r pattern compiler options; do
  [ "$compiler" = --emulate ] || "$compiler" --version >/dev/null 2>&1 || continue
  for c in $pattern; do
    # shellcheck disable=SC2086 # words
    compiled "$c" $compiler $options
  done
done <<'END'
*.c gcc
*.c gcc -g -std=c99 -O2
*.c clang-22 -ferror-limit=0
*.cpp g++ -std=c++11
*.cpp g++ -std=c++20 -fdiagnostics-color=always
*.cpp clang++-22 -ferror-limit=0 -std=c++11
*.cu --emulate nvcc -Xcompiler -ferror-limit=0
*.cu nvcc
END
for n in "${counts[@]}"; do
  mistakes=$((mistakes + n)) files=$((files + 1))
done
cd ..

mkdir "$out/work"
echo 'int x;' >"$out/work/short.c"
while read -r command; do
  # shellcheck disable=SC2086 # words, none of which has blanks
  (cd "$out/work" && PATH=$build/bin:$PATH timeout 60 $command) >"$out/out" 2>&1 </dev/null && fail "$command" "exit status 0"
  echo "$command: $(sed -n '1s/^\(usage: autotune [a-z]*\).*/\1 …/p' "$out/out")"
  mistakes=$((mistakes + 1))
done <commands >"$out/commands"
[ -z "${AUTOTUNE_UPDATE:-}" ] || cp "$out/commands" commands.err
diff -u commands.err "$out/commands" >&2 || fail commands "other messages than in commands.err"

echo "$mistakes mistakes in $files files, $failed failures"
[ "$mistakes" -ge 270 ] && [ $failed = 0 ]
