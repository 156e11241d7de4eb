#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Modes and budgets as a user writes them: two kernels and one with OpenMP, tuned in the background and installed
# while the program runs; the results in the next process; a program that ends while it tunes.
set -u
build=$(cd "$1" && pwd)
PATH=$build/bin:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset AUTOTUNE_MODE AUTOTUNE_SEARCH AUTOTUNE_BUDGET
export AUTOTUNE_CACHE=$work/cache AUTOTUNE_LOG=info LC_ALL=C
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0:detect_leaks=0
failed=0
fail() { echo "FAILED: $*"; failed=1; }

cat > program.c << 'END'
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#define N 20000
#define STEP 1
/* Both default variants go over the array the slow way. */
#pragma autotune kernel param(STEP: 1, 4, 16) in(x[0:n]) out(y[0:n]) mode(background)
void first(int n, const double *x, double *y)
{
  for (int s = 0; s < STEP; s++)
    for (int again = 0; again < 16 / STEP; again++)
      for (int i = s; i < n; i += STEP)
        y[i] = 2 * x[i] + 1 / (1 + x[i] * x[i]);
}
#define THREADS 1
#pragma autotune kernel param(THREADS: 1, 2) in(x[0:n]) out(y[0:n]) mode(background)
void second(int n, const double *x, double *y)
{
#pragma omp parallel for num_threads(THREADS)
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int k = 1; k < 40; k++)
      s += x[i] / k;
    y[i] = s;
  }
}
int main(int argc, char **argv)
{
  static double x[N], y[N], z[N];
  double seconds = atof(argv[1]), begun = (double)time(NULL);
  int wrong = 0;
  (void)argc;
  for (int i = 0; i < N; i++)
    x[i] = i % 100;
  do {
    first(N, x, y);
    second(N, x, z);
    for (int i = 0; i < N; i++)
      wrong += y[i] != 2 * x[i] + 1 / (1 + x[i] * x[i]) || (x[i] > 0 && !(z[i] > x[i]));
    wrong += wait(NULL) != -1; /* there is no child, whatever is going on */
  } while ((double)time(NULL) - begun < seconds);
  puts(wrong ? "wrong" : "right");
  return wrong != 0;
}
END
autotune cc gcc -O1 -fopenmp program.c -o program || { echo "FAILED: it does not compile"; exit 1; }

# LOG SECONDS [NAME=VALUE...]
run() {
  local log=$1 seconds=$2
  shift 2
  env "$@" timeout -k 5 120 ./program "$seconds" > out 2> "$log" || fail "$log: status $?"
  grep -q '^right$' out || fail "$log: wrong answers"
}

run at_once 0                                   # it ends while it tunes
grep -q 'warning: [a-z]*: not tuned in this run: .* ended before the tuning' at_once || { fail "the tuning that was cut off is not said"; cat at_once; }
for kernel in first second; do autotune why $kernel; done > why
grep -q 'the program ended before the tuning that ran beside it' why || { fail "why does not say it"; cat why; }
! grep -q 'tuned: ' at_once || fail "a call waited for the tuning"
for try in 1 2 3 4 5 6 7 8; do                  # each goes on where the last one ended; more on a busy machine
  run "tunes$try" 8 AUTOTUNE_BUDGET=2s
  cat tunes* > tunes
  for kernel in first second; do
    grep -qE "$kernel: (tuned|default): " tunes || continue 2
  done
  break
done
grep -q 'first: tuned: ' tunes || { fail "first: not tuned"; cat tunes; }
grep -qE 'second: (tuned: |default: none)' tunes || { fail "second: nothing was decided"; cat tunes; }
# Beside the program threads would have no cores of their own, so calls decide between them, and between nothing else.
for kernel in first second; do autotune report --kernel $kernel; done > report
[ "$(grep -c '^  search .*, online' report)" = 1 ] || { fail "calls must decide about the kernel with threads alone"; cat report; }

run again 0
! grep -q 'tuned: \|never tuned' again || { fail "it was tuned once more"; cat again; }

rm -rf cache
run offline 0 AUTOTUNE_MODE=offline
run off 0 AUTOTUNE_MODE=off
run share 0 AUTOTUNE_MODE=first AUTOTUNE_BUDGET=1%
! grep -q 'tuned: ' offline off share || fail "tuned where nothing is to be"
run later 0 AUTOTUNE_MODE=tune AUTOTUNE_BUDGET=1s AUTOTUNE_KERNEL=first
grep -q 'first: tuned: ' later || { fail "not tuned although it was asked for"; cat later; }
! grep -q 'second: tuned' later || fail "the other kernel was tuned too"
run more 0 AUTOTUNE_MODE=tune AUTOTUNE_BUDGET=1s AUTOTUNE_KERNEL=first
grep -q 'first: tuned: ' more || { fail "what is stored was final"; cat more; }

[ $failed = 0 ] && echo "all modes"
exit $failed
