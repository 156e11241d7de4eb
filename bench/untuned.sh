#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# untuned.sh BUILD [NAME…]: what pragmas cost where nothing is tuned. Each program is built by gcc and by `autotune cc gcc`,
# with the same flags. The second is run with AUTOTUNE_MODE=off, and with AUTOTUNE_MODE=locked and an empty store, where
# each new key runs the default. The three run in turns, TURNS times (5). Prints a table: seconds of a call of the plain
# program, the least of all turns; and how many times as long the least is for the other two. The programs: the lessons
# (examples/), the kernels of tests/suggest with the pragmas of tests/suggest/hand, the tutorial's, and one of 0.6 µs.
# FLAGS: "-O3 -march=native".
set -eu
cd "$(dirname "$0")/.."
build=$(cd "${1:-build}" && pwd)
[ $# -eq 0 ] || shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags="${FLAGS:--O3 -march=native} -w" turns=${TURNS:-5}
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-$(nproc)} LC_ALL=C
unset AUTOTUNE_MODE AUTOTUNE_AUTO AUTOTUNE_WISDOM

# Calls of 0.6 µs, whose number is known to the compiler only where it sees the kernel.
mkdir "$work/short"
cat > "$work/short/short.c" << 'END'
#include <stdio.h>
#include <time.h>
#ifndef PARTS
#define PARTS 1
#endif
#pragma autotune kernel param(PARTS: 1, 2) in(x[0:n]) inout(y[0:n])
void add(int n, const double *x, double *y)
{
  for (int part = 0; part < PARTS; part++)
    for (int i = part; i < n; i += PARTS)
      y[i] = y[i] * 0.5 + x[i] / (1 + y[i]);
}
static double seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
int main(void)
{
  static double x[2000], y[2000];
  double start, best = 1;
  for (int i = 0; i < 2000; i++)
    x[i] = i;
  for (int r = 0; r < 20; r++) {
    start = seconds();
    for (int t = 0; t < 10000; t++)
      add(2000, x, y);
    best = best < seconds() - start ? best : seconds() - start;
  }
  printf("%g\n", best / 10000);
  return y[7] < 0;
}
END

made() { # NAME: the programs, plain and pragmas
  local folder=$work/$1 source=$work/$1/$1.c
  gcc $flags -fopenmp "$source" -o "$folder/plain" -lm &&
    "$build/bin/autotune" cc gcc $flags -fopenmp "$source" -o "$folder/pragmas" -lm 2> "$folder/log"
}
lesson() { # NAME
  mkdir -p "$work/$1" && cp "examples/$1.c" "$work/$1/"
  run=(); field='s/.*later calls *\([0-9.e-]*\) s.*/\1/p'
}
suggest() { # NAME
  mkdir -p "$work/$1" && cp "tests/suggest/$1.c" tests/suggest/run.h "$work/$1/"
  patch -s -p1 -d "$work/$1" < "tests/suggest/hand/$1.patch" || return 1
  run=("$(sed -n 's/.*run(call, argc, argv, \([0-9]*\)).*/\1/p' "tests/suggest/$1.c")" 6)
  field='s/^[^ ]* \([0-9.e-]*\).*/\1/p'
}
tutorial() {
  mkdir -p "$work/tutorial"
  # The whole program, and before two of its lines the pragmas.
  awk '/^```c covariance.c/ { on = 1; mark = $0; sub(/^```c covariance.c ?/, "", mark); n++; next }
    /^```/ { on = 0 } on { text[n] = text[n] $0 "\n"; at[n] = mark }
    END { m = split(text[1], line, "\n")
      for (i = 1; i < m; i++) {
        for (k = 2; k <= n; k++) if (at[k] != "" && index(line[i], at[k]) == 1 && !done[k]++) printf "%s", text[k]
        print line[i] } }' docs/tutorial.md > "$work/tutorial/tutorial.c"
  run=(); field='s/^call 3: \([0-9.]*\) s.*/\1/p'
}
took() { # NAME PROGRAM VARIABLE=VALUE…: seconds of a call
  local name=$1 program=$2
  shift 2
  env AUTOTUNE_CACHE="$work/cache" "$@" "$work/$name/$program" ${run[@]+"${run[@]}"} 2> /dev/null | sed -n "$field"
}
row() { # NAME: after lesson, suggest or tutorial
  made "$1" || { echo "| $1 | does not build |  |  |"; return; }
  for turn in $(seq "$turns"); do
    took "$1" plain A=1 >> "$work/$1.plain"
    took "$1" pragmas AUTOTUNE_MODE=off >> "$work/$1.off"
    took "$1" pragmas AUTOTUNE_MODE=locked >> "$work/$1.locked"
  done
  for side in plain off locked; do sort -g "$work/$1.$side" | head -1; done | xargs | awk -v name="$1" '
    { printf "| %s | %.4g s | %.3f | %.3f |\n", name, $1, $2 / $1, $3 / $1 }'
}
echo "| program | plain, a call | off ÷ plain | locked ÷ plain |"
echo "| --- | --- | --- | --- |"
[ $# -gt 0 ] || set -- short tutorial $(cd examples && ls [0-9]*.c | sed 's/\.c$//') $(cd tests/suggest/hand && ls | sed 's/\.patch$//')
for name; do
  case $name in
    short) run=() field=p ;;
    tutorial) tutorial ;;
    [0-9]*) lesson "$name" ;;
    *) suggest "$name" || continue ;;
  esac
  row "$name"
done | tee "$work/rows"
awk -F'|' '{ for (c = 4; c <= 5; c++) if ($c + 0 > 0) { s[c] += log($c); n[c]++; more[c] += $c > 1.02; if ($c + 0 > worst[c]) worst[c] = $c + 0 } }
  END { if (n[4]) printf "%d programs; geometric means %.3f and %.3f; above 1.02: %d and %d; most %.3f and %.3f\n", n[4],
    exp(s[4] / n[4]), exp(s[5] / n[5]), more[4], more[5], worst[4], worst[5] }' "$work/rows"
