#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A kernel that reaches every function of many system headers, for each compiler that makes variants:
# its unit holds all their types and helpers, and compiles without them.
set -u
build=$(cd "$1" && pwd) here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
all="stdio.h stdlib.h string.h math.h complex.h stdint.h inttypes.h time.h unistd.h pthread.h signal.h
     sys/mman.h sys/socket.h netinet/in.h ctype.h wchar.h locale.h setjmp.h errno.h fenv.h
     stdatomic.h threads.h semaphore.h sched.h poll.h dirent.h fcntl.h sys/stat.h sys/time.h
     sys/resource.h dlfcn.h omp.h immintrin.h x86intrin.h"

# names COMPILER: writes the functions whose address it accepts to `names`.
names() {
  $1 $flags -E -w h.c | grep -oE '\b[a-zA-Z_][a-zA-Z0-9_]* ?\(' | tr -d ' (' | sort -u |
    grep -vxE 'if|while|for|switch|return|sizeof|void|defined|__builtin_.*|__attribute__' > names
  local limit= round before=$(($(wc -l < h.c) + 1))
  case $1 in clang*) limit=-ferror-limit=0 ;; esac
  for ((round = 0; round < 40; round++)); do
    { cat h.c; echo "void t(void) {"; sed 's/.*/(void)\&&;/' names; echo "}"; } > t.c
    $1 $flags -w -fsyntax-only $limit t.c 2> errors && return 0
    awk -F: -v n=$before '/^t.c:[0-9]+:.*error/ { bad[$2 - n] = 1 }
      END { while ((getline line < "names") > 0) if (!bad[++i]) print line }' errors > kept
    mv kept names
  done
  return 1
}

# compiler(NAME) PROGRAM
check() {
  for header in $all; do
    echo "#include <$header>" | $2 $flags -w -fsyntax-only -x c - 2> errors &&
      echo "#include <$header>"
  done > h.c
  names "$2" || { echo "FAILED: $2: no list of functions: $(head -3 errors)"; failures=1; return; }
  { cat h.c; echo "#define T 1"
    echo "#pragma autotune kernel param(T: 1, 2) compiler($1)"
    echo "int reach(int n) { n += T;"
    sed 's/.*/n += \&& != 0;/' names
    echo "return n; }"; } > k.c
  "$build/bin/autotune" translate --run "$1" k.c -o k.t.c -- $flags ||
    { echo "FAILED: $2: translate"; failures=1; return; }
  # Extracts the unit's text from its string literals.
  sed -n '/^static const char autotune_text_/,/;$/p' k.t.c | grep '^"' |
    sed -e 's/;$//' -e 's/^"//' -e 's/"$//' -e 's/\\n$//' -e 's/\\\(["\\?]\)/\1/g' > unit.c
  $2 $flags -w -nostdinc -DT=2 -c unit.c -o unit.o 2> errors || {
    echo "FAILED: $2: $(head -5 errors)"; failures=1; }
  echo "$2: $(wc -l < names) functions, $(wc -l < unit.c) lines"
  [ "$(wc -l < names)" -gt 1000 ] || { echo "FAILED: $2: too few"; failures=1; }
}

flags="-D_GNU_SOURCE -O2 -D_FORTIFY_SOURCE=2 -march=native"
check clang clang-22
command -v gcc > /dev/null && check gcc gcc
exit $failures
