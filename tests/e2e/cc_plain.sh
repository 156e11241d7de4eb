# SPDX-License-Identifier: Apache-2.0
# Without a pragma `autotune cc COMPILER …` is `COMPILER …`: files, both streams, exit status.
. "$(dirname "$0")/cc_lib.sh"

mkdir src inc
printf 'int limit = LIMIT;\n#include "own.h"\n#include <far.h>\nint f(void) { return own + far; }\n' \
  > src/a.c
echo 'static int own = 1;' > src/own.h
echo 'static int far = 2;' > inc/far.h
printf 'int f(void);\nint main(void) { return f() - 3; }\n' > main.c
echo 'int broken(void) { return 1 }' > broken.c
printf '.globl g\ng: ret\n' > g.s
echo 'int cpp() { return __cplusplus > 0; }' > cpp.cc
echo 'int autotune_is_a_word; /* #pragma but no line of one: autotune */' > word.c
printf '%s\n' '-DLIMIT=7 -I' '"inc"' "-DTEXT='\"a b\"' -c src/a.c -o a\\ b.o" > args
echo '#define LIMIT 3' > pre.h

# once FOLDER COMMAND…: runs it in a copy of everything, and notes what it printed and returned
once() {
  rm -rf "../$1"
  cp -r . ../run
  (cd ../run && shift && "$@" > stdout 2> stderr < main.c; echo $? > status)
  mv ../run "../$1"
}
# alike ARGS…: the same with and without us, for each compiler
alike() {
  for cc in $compilers; do
    once plain "$cc" "$@"
    once ours autotune cc "$cc" "$@"
    sed -i 's|/tmp/[^ ]*tmp/[^ :]*||g; s|/cc[A-Za-z0-9]*\.[os]||g' ../plain/stderr ../ours/stderr
    check "$cc $*" diff -r ../plain ../ours
  done
}

I="-Iinc -DLIMIT=3"
alike $I -c src/a.c
alike $I -c src/a.c -o out.o
alike $I -c -oout.o src/a.c
alike $I -g -O2 -c src/a.c
alike $I -S src/a.c
alike $I -E src/a.c
alike $I -E -dM src/a.c -o a.txt
alike $I -MD -c src/a.c
alike $I -MMD -MF deps -MT 'a target' -MP -c src/a.c
alike $I -MD -MQ 'a$b' -c src/a.c -o x.o
alike $I -M src/a.c
alike $I -MM -MG src/a.c
alike $I -Wp,-MD,deps -c src/a.c -o x.o
alike $I -c src/a.c main.c
alike $I src/a.c main.c -o prog
alike $I src/a.c main.c g.s
alike -Iinc -UX -D X -include pre.h -c src/a.c
alike -Iinc -imacros pre.h -iquote inc -isystem /usr/include -c src/a.c
alike $I -std=c99 -pipe -fsyntax-only src/a.c
alike $I -x c -c src/a.c -x none main.c
alike -x c -c - -o stdin.o
alike -x c -E -
alike -c -
alike @args
alike @missing
alike -c broken.c
alike -c missing.c
alike missing.o -o prog
alike $I -Wall -Werror -c src/a.c word.c
alike -c word.c -o /dev/null
alike -c word.c main.c -o both.o
alike -c cpp.cc
alike -save-temps -c main.c
alike -flto -frandom-seed=1 -c main.c
alike -c g.s -o g.o
alike -x c-header own.h -o own.gch
alike --version
alike -dumpmachine
alike -print-file-name=libc.so
alike -o
alike
alike -c -o

# The program that is exec'ed need not be a compiler; a missing one is reported.
check "arguments as they are" [ "$(autotune cc echo a 'b c' "'")" = "a b c '" ]
autotune cc ./no-such-compiler -c main.c 2> message
is "status of a missing compiler" $? 127
has "its message" message 'no-such-compiler: No such file'
autotune cc ccache gcc --version > message 2>&1
is "behind a launcher" $? "$(command -v ccache > /dev/null && echo 0 || echo 127)"
autotune cc 2> message
is "status without a compiler" $? 2
finish
