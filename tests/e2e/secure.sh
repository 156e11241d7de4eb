# SPDX-License-Identifier: Apache-2.0
# A set-user-ID program ignores the caller's environment, keeps nothing and runs no compiler (docs/security.md).
# Set-group-ID serves as well here: the C library calls both secure execution.
. "$(dirname "$0")/cc_lib.sh"

group=12345
if [ "$(id -u)" != 0 ]; then
  group=$(id -G | tr ' ' '\n' | grep -vx "$(id -g)" | head -n 1)
  [ -n "$group" ] || { echo "skipped: this user has one group only"; exit 77; }
fi
secure() { chgrp "$group" "$1" && chmod 2755 "$1"; } # PROGRAM

cat > secure.c << 'END'
#include <stdio.h>
#include <sys/auxv.h>
int main(void) { return printf("%lu\n", getauxval(AT_SECURE)) < 0; }
END
gcc secure.c -o probe && secure probe
[ "$(./probe)" = 1 ] || { echo "skipped: $work is mounted nosuid"; exit 77; }

cat > sum.c << 'END'
#include <autotune.h>
#include <stdio.h>
#include <stdlib.h>
#pragma autotune kernel param(STEP: 1, 2, 4) compiler(clang, gcc) in(x[0:n])
double sum(int n, const double *x)
{
  double s[STEP] = { 0 };
  for (int i = 0; i + STEP <= n; i += STEP)
    for (int k = 0; k < STEP; k++)
      s[k] += x[i + k];
  for (int k = 1; k < STEP; k++)
    s[0] += s[k];
  return s[0];
}
int main(void)
{
  static double x[1 << 16];
  char *why = NULL;
  for (int i = 0; i < 1 << 16; i++)
    x[i] = i % 8;
  printf("%g\n", sum(1 << 16, x));
  if (autotune_why("sum", NULL, &why) == AUTOTUNE_OK)
    puts(why), free(why);
  return 0;
}
END
include=$(dirname "$(command -v autotune)")/../include
check "compile" autotune cc gcc -O1 -I "$include" sum.c -o plain
cp plain secure
secure secure

# Programs that an attacker would like to have run, and files that show that they ran.
mkdir bin
printf '#!/bin/sh\ntouch %s/ran.gcc\nexec %s "$@"\n' "$work" "$(command -v gcc)" > bin/gcc
chmod +x bin/gcc
cat > evil.c << 'END'
#include <fcntl.h>
#include <unistd.h>
__attribute__((constructor)) static void ran(void) { close(creat(RAN, 0600)); }
END
gcc -shared -fPIC -DRAN="\"$work/ran.jit\"" evil.c -o evil.so
run() { # PROGRAM VARIABLES…
  local program=$1
  shift
  rm -f "$work"/ran.*
  env -u AUTOTUNE_CACHE AUTOTUNE_MODE=first AUTOTUNE_BUDGET=10s PATH="$work/in/bin:$PATH" HOME="$work/home" \
    XDG_CACHE_HOME="$work/xdg" "$@" "./$program" > said 2> log
  is "$program $*: answer" "$(head -n 1 said)" 229376
}
mkdir "$work/home" "$work/xdg"

# The traps work where they are allowed.
run plain
check "gcc is found by PATH" [ -e "$work/ran.gcc" ]
check "results are kept" [ -e "$work/xdg/autotune/results.db" ]
run plain AUTOTUNE_JIT="$work/in/evil.so" AUTOTUNE_CACHE=off
check "AUTOTUNE_JIT is loaded" [ -e "$work/ran.jit" ]

# They do not work in secure execution. AUTOTUNE_MODE=off would keep the program from tuning.
rm -rf "$work/xdg/autotune"
run secure AUTOTUNE_MODE=off AUTOTUNE_JIT="$work/in/evil.so" AUTOTUNE_CACHE="$work/cache"
has "it tunes, in memory" said 'tuned: \|default: none of [0-9]* variants beats'
has "it says that nothing is kept" log "results are not kept: a set-user-ID program keeps no results"
check "no compiler is run" [ ! -e "$work/ran.gcc" ]
check "no library of the caller's" [ ! -e "$work/ran.jit" ]
check "AUTOTUNE_CACHE is not made" [ ! -e "$work/cache" ]
check "nothing in XDG_CACHE_HOME" [ ! -e "$work/xdg/autotune" ]
check "nothing in HOME" [ -z "$(ls -A "$work/home")" ]
finish
