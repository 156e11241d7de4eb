#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Winners that later data show to be wrong, or that end a program. Each program tunes with harmless data, and runs with
# other data then: answers are right after a warning, and in all later processes; a crash happens once.
set -u
build=$(cd "$1" && pwd)
PATH=$build/bin:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset AUTOTUNE_MODE AUTOTUNE_SEARCH AUTOTUNE_BUDGET AUTOTUNE_WISDOM AUTOTUNE_REVERIFY
export AUTOTUNE_CACHE=$work/cache AUTOTUNE_LOG=info LC_ALL=C
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0:detect_leaks=0:handle_segv=0:handle_abort=0
failed=0
fail() { echo "FAILED: $*"; failed=1; }

# NAME STATEMENT: a program whose variant WAY 1, the fastest, does STATEMENT where the first element is above a million
# (a variable says so, because made-up data would show what elements can show).
# `NAME FIRST SECONDS` calls it for so long, with data from FIRST on; it says if the last answers were right. With `once`
# it ends 3 s after they became right: the default runs before the winner is revoked.
compile() {
  cat > "$1.c" << END_OF_C
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#define N 1000
#define WAY 0
static double seconds(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }
static void trouble(int n, const double *x, double *y)
{
  $2;
}
static volatile int late;
#pragma autotune kernel param(WAY: 0, 1) in(x[0:n]) out(y[0:n])
void scale(int n, const double *x, double *y)
{
  volatile int turns = WAY == 0 ? 100000 : 10000;
  while (turns > 0)
    turns = turns - 1;
  for (int i = 0; i < n; i++)
    y[i] = 2 * x[i];
  if (WAY == 1 && late)
    trouble(n, x, y);
}
static double x[N], y[N];
static int once(double first)
{
  int wrong = 0;
  for (int i = 0; i < N; i++)
    x[i] = first + i, y[i] = -1;
  late = first > 1e6;
  scale(N, x, y);
  for (int i = 0; i < N; i++)
    wrong += y[i] != 2 * x[i];
  return wrong;
}
int main(int argc, char **argv)
{
  double first = atof(argv[1]), end = seconds() + (argc > 2 ? atof(argv[2]) : 0);
  int wrong = once(first), n = 1;
  for (; seconds() < end; n++) {
    wrong = once(first);
    if (!wrong && argc > 3 && end > seconds() + 3)
      end = seconds() + 3;
  }
  puts(wrong ? "wrong" : "right");
  return 0;
}
END_OF_C
  autotune cc gcc -O1 "$1.c" -o "$1" -lm || { echo "FAILED: does not compile: $1"; exit 1; }
}

# LOG PROGRAM ARGUMENTS [NAME=VALUE…]: runs it, its answer into `answer`, its status into `status`
run() {
  local log=$1 program=$2 arguments=$3
  shift 3
  answer=$(env "$@" timeout -k 5 120 "./$program" $arguments 2> "$log")
  status=$?
}

# PROGRAM [NAME=VALUE…]: runs it with other data, and kills it after a second.
killed() {
  local program=$1
  shift
  env "$@" "./$program" 2e6 > /dev/null 2> later.log &
  sleep 1
  kill -KILL $! || fail "$program: it has ended"
  wait $! 2> /dev/null
}

# PROGRAM: tunes it with harmless data, in a new store, until WAY 1 is the winner.
tune() {
  for try in 1 2 3 4; do
    rm -rf cache
    run tune.log "$1" 0
    grep -q 'scale: tuned: .*WAY=1' tune.log && [ "$answer" = right ] && return
  done
  fail "$1: not tuned at first"
  cat tune.log
}

# ---- other results ------------------------------------------------------------------

compile nan 'y[7] = NAN'
compile last 'y[n - 1] = 0'
for name in nan last; do
  for mode in first locked background; do
    tune "$name"
    run later.log "$name" '2e6 20 once' AUTOTUNE_MODE=$mode
    [ "$answer" = right ] || fail "$name, $mode: $answer"
    [ "$(grep -c 'warning: scale: the variant WAY=1 gives other results than the default on call 1: .*revoked' later.log)" = 1 ] ||
      { fail "$name, $mode: no warning, or several"; cat later.log; }
    grep -q 'scale: the winner seems to be wrong on call 1: .*; the default runs until' later.log ||
      fail "$name, $mode: it was not suspended"
    run again.log "$name" 2e6 AUTOTUNE_MODE=locked
    [ "$answer" = right ] && [ "$(grep -c 'warning: scale: the variant WAY=1 was revoked on .*gave other results' again.log)" = 1 ] ||
      { fail "$name, $mode: the next process: $answer"; cat again.log; }
    run tuned.log "$name" 2e6
    [ "$answer" = right ] && ! grep -q 'scale: tuned:.*WAY=1' tuned.log || { fail "$name, $mode: taken again"; cat tuned.log; }
    autotune why scale | grep -q revoked || { fail "$name, $mode: why"; autotune why scale; }
  done
done

# Wisdom that names the variant does not count any more; it does for others.
tune nan
autotune db export -o wisdom.jsonl > export.log 2>&1 || fail "export"
run later.log nan '2e6 20 once'
run wisdom.log nan 2e6 AUTOTUNE_MODE=locked AUTOTUNE_WISDOM="$work/wisdom.jsonl"
[ "$answer" = right ] && grep -q 'was revoked' wisdom.log || { fail "wisdom: $answer"; cat wisdom.log; }
autotune db export -o none.jsonl > export.log 2>&1
! grep -qs '"WAY' none.jsonl || { fail "a revoked winner is exported"; cat none.jsonl; }

# Forgotten, it is tuned as before.
autotune db forget scale > forget.log 2>&1 || { fail "forget"; cat forget.log; }
run again.log nan 0
! grep -q revoked again.log || { fail "revoked after forget"; cat again.log; }

# Switched off, nothing is looked at.
tune nan
run off.log nan '2e6 1' AUTOTUNE_REVERIFY=off
[ "$answer" = wrong ] && ! grep -q revoked off.log || { fail "AUTOTUNE_REVERIFY=off: $answer"; cat off.log; }

# ---- the end of the program ---------------------------------------------------------

compile crash '*(volatile int *)8 = n'
compile aborts 'abort()'
compile exits 'exit(3)'
compile hangs 'for (volatile int i = 1; i; i = 1);'
for name in crash aborts exits; do
  for mode in first locked background; do
    for check in on off; do
      tune "$name"
      run later.log "$name" 2e6 AUTOTUNE_MODE=$mode AUTOTUNE_REVERIFY=$check
      [ "$status" != 0 ] || { fail "$name, $mode: it does not end the program"; cat later.log; }
      [ "$mode" = background ] && sleep 1 # it does not wait while a check is written down
      run again.log "$name" 2e6 AUTOTUNE_MODE=$mode AUTOTUNE_REVERIFY=$check
      [ "$status" = 0 ] && [ "$answer" = right ] || { fail "$name, $mode, $check: again: $status $answer"; cat again.log; }
      grep -qE 'warning: scale: (a process ended in its first call|the variant WAY=1 was revoked)' again.log ||
        { fail "$name, $mode, $check: no reason"; cat again.log; }
      run third.log "$name" 2e6 AUTOTUNE_MODE=$mode AUTOTUNE_REVERIFY=$check
      [ "$status" = 0 ] && [ "$answer" = right ] || { fail "$name, $mode, $check: third: $status $answer"; cat third.log; }
    done
  done
done

# A watchdog that kills the program.
tune hangs
killed hangs
run again.log hangs 2e6
[ "$answer" = right ] || { fail "hangs: $answer"; cat again.log; }

# ---- no false alarms ----------------------------------------------------------------

# A program that was killed in the first call of a right winner: it is checked and taken again.
compile waits 'fprintf(stderr, "in\\n"); if (getenv("WAIT")) for (volatile int i = 1; i; i = 1)'
tune waits
killed waits WAIT=1 AUTOTUNE_REVERIFY=off
run again.log waits 2e6
[ "$answer" = right ] && grep -q 'scale: stored: ' again.log && ! grep -q revoked again.log ||
  { fail "a right winner is not taken again"; cat again.log; }
run third.log waits 2e6
! grep -q 'warning' third.log || { fail "noted after it has returned"; cat third.log; }

# A right winner stays for as long as it runs.
run right.log waits '0 2'
[ "$answer" = right ] && ! grep -q revoked right.log || { fail "a right winner"; cat right.log; }

# A check takes as long as it takes while the program goes on, also one that was to be short: 3 s for each run here.
cat > patient.c << 'END_OF_C'
#include <stdlib.h>
#include <unistd.h>
#define WAY 0
static volatile int pause_ms;
#pragma autotune kernel param(WAY: 0, 1) in(x[0:n]) out(y[0:n])
static void scale(int n, const double *x, double *y)
{
  volatile int turns = WAY == 0 ? 100000 : 10000;
  while (turns > 0)
    turns = turns - 1;
  for (int i = 0; i < n; i++)
    y[i] = 2 * x[i];
  usleep(1000 * pause_ms);
}
int main(int argc, char **argv)
{
  static double x[1000], y[1000];
  for (int i = 0; i < 1000; i++)
    x[i] = i + atoi(argv[1]);
  pause_ms = atoi(argv[2]);
  scale(1000, x, y);
  pause_ms = 1;
  for (int i = 0; i < atoi(argv[3]) * 100; i++, usleep(9000))
    scale(1000, x, y);
  return 0;
}
END_OF_C
autotune cc gcc -O1 patient.c -o patient || fail "patient does not compile"
rm -rf "$AUTOTUNE_CACHE"
AUTOTUNE_REVERIFY=off ./patient 1 0 0 2> log
AUTOTUNE_LOG=debug ./patient 2 3000 14 2> log
grep -q 'debug: scale: checked again on call 1: right' log || { fail "a long check is ended"; cat log; }
exit $failed
