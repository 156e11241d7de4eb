# SPDX-License-Identifier: Apache-2.0
# With a kernel in a file: the compiler's options work as without autotune, with the names that the user gave.
. "$(dirname "$0")/cc_lib.sh"

mkdir src obj
kernel src/k.c
plain src/main.c
echo '#define OWN 1' > src/own.h
sed -i '1i #include "own.h"' src/k.c
sed 's/x\[i\] \*=/x[j] *=/' src/k.c > src/wrong.c       # line 8: an error of the user's, for the compiler
sed 's/kernel param/kernel parm/' src/k.c > src/bad.c    # line 4: an error for us

for cc in $compilers; do
  at="autotune cc $cc"
  rm -rf obj/* ./*.o ./*.d prog

  # outputs
  check "$cc -c" $at -c src/k.c
  check "$cc -c makes k.o" [ -s k.o ]
  check "it holds a site" grep -q autotune_begin k.o
  check "$cc -c -o" $at -g -O2 -c src/k.c -o obj/k.o
  cp obj/k.o obj/first.o
  $at -g -O2 -c src/k.c -o obj/k.o
  same "$cc: a second compilation" obj/k.o obj/first.o
  hasnt "$cc: temporary names in the object" obj/k.o "$work/tmp"
  check "$cc several sources, -c" $at -c src/k.c src/main.c
  check "$cc link" $at k.o main.o -o prog
  is "$cc answer" "$(./prog)" "3 src/k.c"
  check "$cc compile and link" $at src/k.c src/main.c -o prog
  is "$cc answer" "$(./prog)" "3 src/k.c"
  check "$cc one source and an object" $at src/k.c main.o -o prog
  is "$cc answer" "$(./prog)" "3 src/k.c"
  check "$cc absolute path" $at -c "$PWD/src/k.c" -o "$PWD/obj/abs.o"
  check "$cc" $at obj/abs.o main.o -o prog
  is "$cc __FILE__ of an absolute path" "$(./prog)" "3 $PWD/src/k.c"
  check "$cc -o /dev/null" $at -c src/k.c -o /dev/null
  check "$cc leaves /dev/null" [ -c /dev/null ]
  check "$cc -fsyntax-only" $at -fsyntax-only src/k.c
  check "$cc user's prefix map" $at -c "$PWD/src/k.c" -ffile-prefix-map="$PWD"=/mapped -g -o obj/m.o
  readelf --debug-dump=info obj/m.o > obj/info 2> /dev/null
  has "$cc: the user's prefix map" obj/info 'DW_AT_name.*/mapped/src/k\.c'

  # -E, -S, standard input, @file, -x, explicit languages
  check "$cc -E" $at -E src/k.c -o obj/k.i
  has "$cc -E names the user's file" obj/k.i '^# [0-9]* "src/k.c"'
  hasnt "$cc -E names no temporary file" obj/k.i "$work/tmp"
  $at -E src/k.c > obj/k2.i
  same "$cc -E to standard output" obj/k.i obj/k2.i
  check "$cc -c of that" $at -c obj/k.i -o obj/ki.o
  check "$cc" $at obj/ki.o main.o -o prog
  is "$cc answer" "$(./prog)" "3 src/k.c"
  check "$cc -S" $at -S src/k.c -o obj/k.s
  check "$cc" $at obj/k.s main.o -o prog
  is "$cc answer" "$(./prog)" "3 src/k.c"
  check "$cc stdin" $at -Isrc -x c -c - -o obj/stdin.o < src/k.c
  check "$cc" $at obj/stdin.o main.o -o prog
  is "$cc answer" "$(./prog)" "3 <stdin>"
  check "$cc stdin with -MD" $at -Isrc -MD -MF obj/stdin.d -x c -c - -o obj/s.o < src/k.c
  has "$cc stdin.d" obj/stdin.d own.h
  cp src/k.c obj/k.inc
  check "$cc -x" $at -Isrc -o prog -x c obj/k.inc -x none main.o
  is "$cc answer" "$(./prog)" "3 obj/k.inc"
  printf -- "-c 'src/k.c' -o \"obj/at file.o\"" > obj/args
  check "$cc @file" $at @obj/args
  check "$cc @file's output" [ -s "obj/at file.o" ]
  mkdir kept
  (cd kept && $cc -w -I.. -save-temps -c ../src/k.c -o s.o && ls && rm -f ./*) > obj/expected
  (cd kept && $at -w -I.. -save-temps -c ../src/k.c -o s.o && ls) > obj/list
  rm -r kept
  same "$cc -save-temps" obj/list obj/expected
  check "$cc -flto" $at -flto src/k.c src/main.c -o prog
  is "$cc answer" "$(./prog)" "3 src/k.c"
  check "$cc -std=c11 -Wall" $at -std=c11 -Wall -Wextra -Wno-unknown-pragmas -c src/k.c -o obj/w.o \
    2> obj/warnings
  is "$cc: warnings of ours" "$(cat obj/warnings)" ""
  # a storage class that a macro hides, and one that is missing after a declaration that has it
  sed 's/^void scale(/LINKAGE &/; $a void use(int n, double *x) { scale(n, x); }' src/k.c > src/macro.c
  for linkage in static extern "static inline" "" "__attribute__((noinline)) static"; do
    check "$cc linkage $linkage" $at -Isrc -Werror -Wall -Wredundant-decls \
      -Wno-unknown-pragmas "-DLINKAGE=$linkage" -c src/macro.c -o obj/macro.o
    has "$cc linkage $linkage: a site" obj/macro.o autotune_begin
  done
  sed '1i static void scale(int n, double *x);' src/k.c > src/macro.c
  check "$cc static by its declaration" $at -Isrc -c src/macro.c -o obj/macro.o
  # an include that this build leaves out: the lines after it are still the user's
  sed '1i #ifdef _WIN32\n#include <windows.h>\n#endif' src/k.c > src/portable.c
  sed '1i #ifdef A\n#ifdef B\n#include <b.h>\n#endif\n#else' src/k.c > src/nested.c
  echo '#endif' >> src/nested.c
  for source in portable nested; do
    check "$cc $source" $at -Isrc -c src/$source.c -o obj/$source.o
    has "$cc $source: a site" obj/$source.o autotune_begin
  done
  sed 's/for (int i = 0/int i; for (i = 0/' src/k.c > src/c89.c
  check "$cc -std=c89" $at -Isrc -std=c89 -pedantic-errors -Wno-unknown-pragmas -c src/c89.c -o obj/c89.o

  # dependency files, compared with the compiler's own from the same file
  depend() { # FILE ARGS…
    local file=$1
    shift
    $cc -w "$@" && mv "$file" obj/expected.d
    check "$cc $*" $at -w "$@"
    same "$cc $* ($file)" "$file" obj/expected.d
    rm -f "$file"
  }
  depend k.d -MD -c src/k.c
  depend obj/k.d -MMD -MP -c src/k.c -o obj/k.o
  depend dep -MD -MF dep -MT 'x y' -MT z -c src/k.c
  depend dep -Wp,-MMD,dep -c src/k.c -o obj/k.o
  depend dep -MMD -MQ 'a$b' -MF dep -c "$PWD/src/k.c" -o obj/k.o
  depend obj/k.d -MD -S src/k.c -o obj/k.s
  depend obj/k.d -MD -E src/k.c -o obj/k.i
  depend prog.d -MMD src/k.c main.o -o prog
  depend dep -MM -MF dep src/k.c

  # errors: the compiler's, in the user's file and line; ours; no file is left or overwritten
  echo before > obj/kept.o
  $cc -c src/wrong.c -o obj/wrong.o 2> /dev/null
  expected=$?
  $at -c src/wrong.c -o obj/wrong.o 2> message
  is "$cc: status of an error" $? $expected
  has "$cc: its place" message '^src/wrong.c:8:7: error: '
  check "$cc: no output" [ ! -e obj/wrong.o ]
  sed 's/int n, double/int n, dooble/' src/k.c > src/type.c
  not $at -c src/type.c -o obj/type.o 2> message
  is "$cc: messages about a declaration" "$(grep -c 'error: ' message)" 1
  has "$cc: its place" message '^src/type.c:5:[0-9]*: error: '
  $at -c src/bad.c -o obj/kept.o 2> message
  is "$cc: status of a bad pragma" $? 1
  has "$cc: its place" message '^src/bad.c:4:[0-9]*: error: '
  is "$cc: what was there" "$(cat obj/kept.o)" before
  $at -MD src/k.c src/bad.c src/main.c -o obj/prog 2> message
  is "$cc: status with one bad source" $? 1
  check "$cc: nothing made" [ ! -e obj/prog ] && check "$cc: nothing made" [ ! -e obj/prog.d ]
  sed 's/own.h/gone.h/' src/k.c > src/gone.c
  not $at -c src/gone.c -o obj/gone.o 2> message
  has "$cc: a missing header" message '^src/gone.c:1:.*gone.h'

  # Loops keep their speed where a stub moves them. What the user says of alignment, and of size, stays.
  printf '#!/bin/sh\necho "$@" > "%s/given"\nexec "%s" "$@"\n' "$PWD" "$(command -v "$cc")" > "$cc"
  chmod +x "$cc"
  for given in "-O2 yes" "-O3 yes" "-O3 -Os no" "-O0 no" "-g no" "-O2 -falign-loops=16 no"; do
    check "$cc ${given% *}" autotune cc "./$cc" ${given% *} -c src/k.c -o obj/aligned.o
    is "$cc ${given% *}: loops are aligned" "$(grep -q -e '-falign-loops=32' given && echo yes || echo no)" "${given##* }"
  done
  rm "$cc"
done
# Where the code as written is known to run, compilers inline it, and what the caller passes reaches it.
# through the runtime. Where sums may be reordered there is one copy, for all calls.
cat > known.c << 'END'
#include <stdio.h>
#ifndef PARTS
#define PARTS 1
#endif
#pragma autotune kernel param(PARTS: 1, 2) out(x[0:1])
static void known(int n, int *x)
{
  x[0] = __builtin_constant_p(n) ? PARTS : 0;
}
int main(void)
{
  int x;
  for (int call = 0; call < 3; call++) {
    known(3, &x);
    printf("%d ", x);
  }
  return 0;
}
END
cp known.c known.cpp
for cc in $compilers g++; do
  case $cc in g++) file=known.cpp ;; *) file=known.c ;; esac
  for flags in -O2 "-O2 -ffast-math"; do
    case $flags in *fast*) expected="0 0 0 " ;; *) expected="1 1 1 " ;; esac
    # shellcheck disable=SC2086 # words
    check "$cc $flags: known.c" autotune cc $cc $flags $file -o known
    is "$cc $flags: mode off" "$(AUTOTUNE_MODE=off ./known)" "$expected"
    is "$cc $flags: mode locked" "$(AUTOTUNE_CACHE=$work/known AUTOTUNE_MODE=locked ./known 2> /dev/null)" "$expected"
  done
done
finish
