#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Made-up data, as a user sees them: the fastest variant is right for the first call alone, and the next one wins; the
# report says on how many sets it agreed; data that say little are warned of, until a check on better data.
set -u
build=$(cd "$1" && pwd)
PATH=$build/bin:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset AUTOTUNE_MODE AUTOTUNE_SEARCH
export AUTOTUNE_CACHE=$work/cache AUTOTUNE_LOG=debug AUTOTUNE_BUDGET=60s LC_ALL=C
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0:detect_leaks=0
failed=0
fail() { echo "FAILED: $*"; failed=1; }

cat > program.c << 'END'
#include <autotune.h>
#include <stdlib.h>
#include <time.h>
#define N 1000
#define WAY 0
static void spend(int way)
{
  volatile int turns = way == 0 ? 200000 : way == 1 ? 65000 : 20000;
  while (turns > 0)
    turns = turns - 1;
}
/* Way 2 is right as long as x is zero. Way 1 adds in another order. */
#pragma autotune kernel param(WAY: 0, 1, 2) in(x[0:n]) out(y[0:n])
void kernel(int n, double s, const double *x, double *y)
{
  spend(WAY);
  for (int i = 0; i < n; i++)
    y[i] = WAY == 0 ? s * x[i] + x[i] * x[i] : WAY == 1 ? x[i] * (x[i] + s) : s * x[i];
}
int main(int argc, char **argv)
{
  static double x[N], y[N];
  double end = atof(argv[1]);
  (void)argc;
  kernel(N, 1, x, y);
  for (clock_t start = clock(); clock() - start < end * CLOCKS_PER_SEC;) {
    for (int i = 0; i < N; i++)
      x[i] = 1 + i % 7 * 0.1;
    kernel(N, 1, x, y);
    if (y[1] < 2.3 || y[1] > 2.32)
      return 1;
  }
  return 0;
}
END
autotune cc gcc -O1 -I "$build/include" program.c -o program || exit 1

./program 0 2> log || fail "a wrong answer"
warning="kernel: the input x\[0:n\] holds only zeros at this call: the choice is provisional, and is checked again at the next calls (made-up data were compared as well)"
[ "$(grep -c "warning: $warning" log)" = 1 ] || fail "no warning: $(cat log)"
grep -q "wrong: on made-up data (other values): y\[0:n\]: element .*WAY=2" log || fail "way 2 is not found: $(cat log)"
grep -q 'tuned: .*WAY=1' log || fail "way 1 does not win: $(tail -1 log)"
autotune report > report
grep -q 'answers .*verified against those of the default and on 4 made-up sets' report || fail "the report: $(grep -A1 answers report)"
grep -q 'provisional: the input x\[0:n\] holds only zeros' report || fail "the report says nothing of the data: $(cat report)"
autotune report --json | grep -q '"weak": "the input x\[0:n\] holds only zeros"' || fail "not in JSON"
autotune why kernel > why 2>&1
grep -q 'provisional: the input x' why || fail "why: $(cat why)"

# Calls with better data check the winner again, and the mark goes.
for try in 1 2 3 4 5; do # checks may take but a part of the time
  ./program 2 2> log || fail "a wrong answer in the second run"
  autotune report > report
  grep -q 'provisional' report || break
done
grep -q 'checked again on call .*: right' log || fail "not checked again: $(cat log)"
grep -q 'WAY=1' report || fail "another winner: $(cat report)"
! grep -q 'provisional' report || fail "still provisional"

# Differences of large numbers are exact as written, and rounded in another order. On made-up data, too, the scale of
# the numbers that cancelled counts.
cat > cancel.c << 'END'
#define N 1000
#define WAY 0
static void spend(int way)
{
  volatile int turns = way == 0 ? 200000 : 20000;
  while (turns > 0)
    turns = turns - 1;
}
#pragma autotune kernel param(WAY: 0, 1) in(x[0:n+3]) out(y[0:n])
void cancel(int n, const double *x, double *y)
{
  spend(WAY);
  for (int i = 0; i < n; i++)
    y[i] = WAY ? (x[i] + x[i + 2]) - (x[i + 1] + x[i + 3]) : (x[i] - x[i + 1]) + (x[i + 2] - x[i + 3]);
}
int main(void)
{
  static double x[N + 3], y[N];
  for (int i = 0; i < N + 3; i++)
    x[i] = 1e6 + 1e-3 * (i * 7919 % 1000) / 999;
  cancel(N, x, y);
  return 0;
}
END
autotune cc gcc -O1 -I "$build/include" cancel.c -o cancel || exit 1
./cancel 2> log
! grep -q 'cancel: wrong' log || fail "a false alarm: $(grep 'cancel: wrong' log)"
grep -q 'cancel: agrees on [1-9] made-up set' log || fail "no made-up data: $(cat log)"
grep -q 'tuned: .*WAY=1' log || fail "the right way does not win: $(tail -1 log)"
exit $failed
