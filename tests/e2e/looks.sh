# SPDX-License-Identifier: Apache-2.0
# `autotune check`, `translate` and `suggest` run no program that a source names. An editor, or a machine that
# checks somebody's patch, must be able to run them on a source that nobody has read.
. "$(dirname "$0")/cc_lib.sh"

# Programs that leave a mark: in the source's folder, and in PATH under names that a source could write.
mkdir evil bin
for name in evil/gcc evil/nvptx-arch evil/amdgpu-arch bin/some-cc bin/gcc; do
  printf '#!/bin/sh\necho %s >> %s/ran\nexit 1\n' "$name" "$work" > $name
  chmod +x $name
done
PATH=$PATH:$PWD/bin
mv bin/gcc bin/other-gcc

# source FILE CLAUSE: a kernel with CLAUSE, and a function that suggest looks at.
source() {
  cat > "$1" << END
#pragma autotune kernel param(STEP: 1, 2) $2 inout(x[0:n])
void f(int n, double *x)
{
  for (int i = 0; i < n; i += STEP)
    x[i] += 1;
}
void g(int n, double *restrict x)
{
  for (int i = 0; i < n; i++)
    x[i] += 1;
}
END
}

looks() { # CLAUSE…: none of the commands leaves a mark
  for clause in "$@"; do
    source k.c "$clause"
    for command in check "translate -o out.c" suggest; do
      # shellcheck disable=SC2086 # words
      timeout 20 autotune $command k.c > out 2> err
      check "$clause: $command ran $(cat "$work/ran" 2> /dev/null)" [ ! -e "$work/ran" ]
      rm -f "$work/ran" out.c
    done
  done
}
looks 'compiler(clang, ./evil/gcc)' 'compiler(./evil/gcc)' "compiler(\"$PWD/evil/gcc\")" 'compiler(clang, evil/gcc)' \
  'compiler(clang, some-cc)' 'compiler(some-cc, clang)' 'compiler(some-cc)' \
  'flags("-fopenmp -fopenmp-targets=nvptx64 -B./evil")' 'flags("-fopenmp -fopenmp-targets=amdgcn-amd-amdhsa -B./evil")' \
  'flags("-O2 -B./evil -fopenmp -fopenmp-targets=nvptx64")'

# The messages instead. A path is an error for `autotune cc` too.
source k.c 'compiler(clang, ./evil/gcc)'
for command in check translate "cc gcc -c"; do
  autotune $command k.c > out 2> err; is "a path: $command" $? 1
  has "a path: $command: the place" err '^k.c:1:59: error: '
done
check "a path: nothing ran" [ ! -e "$work/ran" ]
source k.c 'compiler(clang, some-cc)'
autotune check k.c > out 2> err; is "check" $? 0
has "check says what it left out" out '^ *some-cc: .*--run some-cc'
autotune translate k.c -o out.c > out 2> err; is "translate" $? 1
check "translate writes no file" [ ! -e out.c ]
has "translate says how to allow it" err '^hint: .*--run some-cc'

# A compiler that the user allows is run.
for command in check translate; do
  autotune $command --run gcc,some-cc k.c > out 2> err; is "$command --run" $? 1
  has "$command --run: it ran" "$work/ran" some-cc
  has "$command --run: what is wrong" err "^k.c:1:59: error: 'some-cc' cannot preprocess this file"
  rm -f "$work/ran"
done
autotune check --run other k.c > out 2> err; is "check --run of another" $? 0
check "check --run of another: nothing ran" [ ! -e "$work/ran" ]
command -v gcc > /dev/null && {
  source k.c 'compiler(clang, gcc)'
  check "translate --run gcc" autotune translate --run gcc k.c -o out.c
}

# Clang is asked once about flags that several kernels name, and each kernel still gets its error.
printf '#!/bin/sh\ncase "$*" in *-###*) echo x >> %s/asked ;; esac\nexec clang-22 "$@"\n' "$work" > bin/clang-asked
chmod +x bin/clang-asked
for name in f g h; do
  printf '#pragma autotune kernel flags("-O2", "-funheard-of") inout(x[0:n])\nvoid %s(int n, double *x)\n{\n  x[n - 1] += 1;\n}\n' $name
done > flags.c
AUTOTUNE_CLANG=$PWD/bin/clang-asked autotune check flags.c > out 2> err; is "check of flags" $? 1
is "errors for flags" "$(grep -c 'error: flags: ' err)" 3
is "questions to Clang" "$(wc -l < "$work/asked")" 2
finish
