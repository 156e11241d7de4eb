#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# T1: a file without our pragmas comes out byte for byte: the headers of the system, and
# files made to be difficult. AUTOTUNE_FILES=10000 and AUTOTUNE_ROOTS="DIR…" make a long
# run of it.
set -u
autotune=$(realpath "$1")/bin/autotune
limit=${AUTOTUNE_FILES:-320}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
mkdir "$out/odd"
cd "$out/odd" || exit 1

printf '' >empty.c
printf '\n\n\n' >newlines.c
printf 'int x;' >no_last_newline.c
printf 'int x; \\' >last_backslash.c
printf '\\\n' >only_continuation.c
printf 'int x;\r\nint y;\\\r\nint z;\r\n' >crlf.c
printf 'int x;\rint y;\r' >cr.c
printf 'int x;\0int y;\n\0\0#pragma omp parallel\0' >nul.c
printf '\0' >only_nul.c
printf '\377\376i\0n\0t\0 \0x\0;\0' >utf16.c
printf '\357\273\277int x;\n' >bom.c
printf 'char *s = "\351\350\200\377"; /* \303 */ int \303\251t\303\251;\n' >latin1.c
printf '"never closed\n/* never closed either\n#pragma autotune kernel\n' >open_comment.c
printf 'int f( { ] } ) ((( [[[ ;;; }}}} #\n##\n#include\n#if\n#else else\n' >unparsable.c
printf '// #pragma autotune kernel \\\n#pragma autotune kernel\nint x;\n' >in_comment.c
printf 'const char *s = "#pragma autotune kernel";\n#define P "pragma autotune"\n' >in_string.c
printf '#pragma omp autotune\n#pragma GCC autotune\n#autotune\nint autotune;\n' >others.c
printf '??=pragma x\n%%:pragma once\n<::>\n' >digraphs.c
printf '#pragma autotuned kernel\n#pragma\n#pragma \\\n\nint x;\n' >nearly.c
printf 'int a[] = {%s};\n' "$(seq -s, 20000)" >long_line.c
{ printf '(%.0s' $(seq 3000); printf '{%.0s' $(seq 3000); } >deep.c
for i in $(seq 500); do echo "#if A$i"; echo "{"; done >conditionals.c
head -c 65536 "$autotune" >binary.c

printf 'namespace { auto s = R"x(\n#pragma autotune kernel\n)x"; }\n' >raw_string.cu
printf '__global__ void k(int *a) { a[0] = 1; }\nvoid f() { k<<<1, 2, 0, 0>>>(nullptr); }\n' >launch.cu
printf 'template <class T> __global__ void k(T); // #pragma autotune kernel\nauto g = k<int>;\n#define L k<int><<<1, 1>>>(0)\n' >pointer.cu

check() {
  "$autotune" translate "$1" -o "$out/out.c" 2>"$out/err" && cmp -s "$1" "$out/out.c" || {
    failed=$((failed + 1))
    [ $failed -gt 10 ] || { echo "changed or refused: $1"; head -n 5 "$out/err"; } >&2
  }
  rm -f "$out/out.c"
  n=$((n + 1))
}

failed=0 n=0
for f in *.c; do
  cp "$f" "${f%.c}.cu" # the same, read as CUDA C++
  check "$f"
done
for f in *.cu; do check "$f"; done
odd=$n
# Every k-th of the headers, so that all libraries have a share; ours mention the pragma.
find ${AUTOTUNE_ROOTS:-/usr/include /usr/lib/gcc} \( -name '*.[ch]' -o -name '*.hpp' \) -type f \
  ! -name 'autotune*' | LC_ALL=C sort >"$out/all"
total=$(wc -l <"$out/all")
every=$((total / limit > 0 ? total / limit : 1))
while read -r f; do check "$f"; done < <(awk "NR % $every == 0" "$out/all" | head -n "$limit")
echo "$n files, $odd of them made to be difficult, $failed failures"
[ $failed = 0 ] || exit 1
[ $n -ge 300 ] || { echo "only $n files here"; exit 77; }
