# SPDX-License-Identifier: Apache-2.0
# A part of the key with a new value in each call: it is given up once the tuned values agree, a new value is compared
# with the default, and a part that matters is kept.
include=$(cd "$(dirname "$0")/../../include" && pwd)
. "$(dirname "$0")/cc_lib.sh"

export AUTOTUNE_CACHE=$work/cache
unset AUTOTUNE_MODE
export AUTOTUNE_SEARCH=exhaustive AUTOTUNE_BUDGET=120s AUTOTUNE_DRIFT=off AUTOTUNE_LOG=info

cat > steps.c << 'END'
#include <autotune.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// Work that takes all compilers' code the same time, since each step waits for the last: one variant is clearly the best.
static int negative(double x, int steps)
{
  volatile int unknown = steps; // else the steps of several x may be done side by side
  steps = unknown;
  for (x *= x; steps > 0; steps--)
    x = 1 / (1 + x);
  return x < 0;
}
// FAST is wrong for step 40.
#pragma autotune kernel param(FAST = 0: 0, 1) inout(x[0:n])
void advance(int n, int step, double *x)
{
  if (FAST && step == 40) {
    x[n / 2] = -1;
    return;
  }
  for (int i = 0; i < n; i++) {
    x[i] = negative(x[i], FAST ? 1 : 60) ? 0 : x[i] * 0.5 + step;
  }
}
// The best value of EACH is that of the size: the part matters.
#pragma autotune kernel param(EACH: 1, 2, 3, 4, 5, 6, 7, 8) inout(x[0:2000])
void fits(int size, double *x)
{
  int wanted = size % 8 + 1;
  for (int i = 0; i < 2000; i++) {
    x[i] = negative(x[i], EACH == wanted ? 1 : 60) ? 0 : x[i] * 0.5 + size;
  }
}
#pragma autotune kernel param(FAST = 0: 0, 1)
void silent(int step, double *x)
{
  for (int i = 0; i < 2000; i++)
    x[i] = negative(x[i], FAST ? 1 : 60) ? 0 : step;
}
// Nothing is better than the code as written, in any cell. Variants, which Clang makes, do more, so that it does not
// count whose code is faster, gcc's or Clang's.
#pragma autotune kernel param(SLOW = 0: 0, 1) inout(x[0:1])
void cell(int i, int j, int k, double *x)
{
  int steps = SLOW ? 200000 : 30000;
#ifdef __clang__
  steps += 30000;
#endif
  x[0] = negative(x[0], steps) ? 0 : x[0] * 0.5 + i + j + k;
}
int main(int argc, char **argv)
{
  static double x[2000], y[2000];
  int first = atoi(argv[2]), last = atoi(argv[3]), bad = 0;
  for (int t = first; t < last; t++) {
    if (strcmp(argv[1], "advance") == 0)
      advance(2000, t, x);
    else if (strcmp(argv[1], "fits") == 0)
      fits(t, x);
    else if (strcmp(argv[1], "silent") == 0)
      silent(t, x);
    else
      cell(t % 2 * 9, t / 2 % 30, t / 60, x);
    for (int i = 0; i < 2000; i++) {
      y[i] = strcmp(argv[1], "silent") ? y[i] * 0.5 + t : t;
      bad += x[i] != y[i] && strcmp(argv[1], "cell");
    }
  }
  long long key[] = { 9, 29, 0 };
  char *why = NULL;
  if (autotune_why("cell", key, &why) == AUTOTUNE_OK)
    puts(why);
  free(why);
  while (argc > 4 && autotune_wait(10) != AUTOTUNE_OK)
    ;
  printf("%d wrong\n", bad);
}
END
check "compile" autotune cc gcc -O1 -I"$include" steps.c -o steps
tunings() { grep -c "info: $1: \(tuned: \|default: none\|default: the only\)" "$2"; } # KERNEL LOG

# A counter: few tunings, said once, each new value compared. A process has 3 s for comparisons, which on a slow machine
# are eight. The processes after the first tune nothing, and compare only what is new.
check "counter" ./steps advance 0 22 > out 2> err
is "answers" "$(cat out)" "0 wrong"
check "at most five tunings, not $(tunings advance err)" [ "$(tunings advance err)" -le 5 ]
is "it is said once" "$(grep -c 'warning: advance: step is not looked at: its values 0, 1, 2 chose the same' err)" 1
has "a new value is compared" err 'info: advance: step is not looked at: .*; compared with the default for this key'
compared() { grep -c 'compared with the default for this key' "$1"; } # LOG
known=$(($(tunings advance err) + $(compared err))) # of the values 0 to 21
for _ in $(seq 5); do
  ./steps advance 0 22 > out 2> err
  is "the next process: answers" "$(cat out)" "0 wrong"
  is "the next process tunes nothing" "$(tunings advance err)" 0
  hasnt "and does not repeat the warning" err 'warning: advance'
  [ "$(compared err)" -gt 0 ] || break
  known=$((known + $(compared err)))
done
is "each value is tuned or compared once" "$known" 22
AUTOTUNE_MODE=locked ./steps advance 36 39 > out 2> err
is "mode locked: answers" "$(cat out)" "0 wrong"
is "mode locked compares, too" "$(grep -c 'compared with the default for this key' err)" 3
# Wisdom holds what was tuned, and another machine like this one goes on from there.
check "export" autotune db export advance -o steps.wisdom
check "only tuned keys are exported" [ "$(grep -c '"values"' steps.wisdom)" -le 5 ]
AUTOTUNE_WISDOM=steps.wisdom AUTOTUNE_CACHE=$work/other AUTOTUNE_MODE=locked ./steps advance 5 8 > out 2> err
is "wisdom: answers" "$(cat out)" "0 wrong"
is "wisdom: agreed keys" "$(grep -c 'step is not looked at: .*compared with the default for this key' err)" 3
AUTOTUNE_WISDOM=steps.wisdom AUTOTUNE_CACHE=$work/other AUTOTUNE_MODE=locked ./steps advance 900 901 > out 2> err
hasnt "wisdom: far beyond" err 'compared with the default for this key'
# While the program runs on, a new value waits for nothing.
AUTOTUNE_MODE=background ./steps advance 39 40 wait > out 2> err
is "mode background: answers" "$(cat out)" "0 wrong"
has "mode background compares, too" err 'compared with the default for this key'
is "and tunes nothing" "$(tunings advance err)" 0
# Without a store, what this process has tuned counts.
AUTOTUNE_CACHE=off ./steps advance 0 24 > out 2> err
is "no store: answers" "$(cat out)" "0 wrong"
check "no store: at most five tunings, not $(tunings advance err)" [ "$(tunings advance err)" -le 5 ]
# A value for which the winner is wrong is tuned, and what is right stays there.
./steps advance 40 41 > out 2> err
is "wrong for a new value: answers" "$(cat out)" "0 wrong"
has "it is said" err 'info: advance: step is not looked at: .*: default: FAST=1: wrong'
autotune why advance --key n=2000,step=40 > why
has "what is right stays there" why 'the default: \|FAST=0: ' # another compiler may be 2 % faster
autotune why advance --key n=2000,step=10 > why
has "why" why 'FAST=1; step is not looked at: its values .* chose the same; compared with the default$'
autotune why advance > why
has "why says which part" why '^  step is not looked at: its values 0, 1, 2.* chose the same: FAST=1$'
is "and says it once" "$(grep -c '^  step is not' why)" 1
autotune report > report
has "report" report 'step is not looked at: its values'
hasnt "it is not to be tuned" report 'is not looked at.*until it is tuned'
# A part that matters keeps its winners.
./steps fits 0 8 > out 2> err
is "a part that matters: answers" "$(cat out)" "0 wrong"
is "each of its values is tuned" "$(tunings fits err)" 8
hasnt "it is not given up" err 'fits: .*not looked at'
for t in 2 5; do
  autotune why fits --key size=$t > why
  has "size $t keeps its winner" why "EACH=$((t % 8 + 1))"
done
# Nor are there tunings without end.
./steps fits 100 130 > out 2> err
is "too many values: answers" "$(cat out)" "0 wrong"
is "sixteen of them are tuned at once" "$(tunings fits err)" 16
has "the others wait, and it is said" err 'warning: fits: size has had [0-9]* values, and each was tuned'
# The default is best wherever it was looked: further cells cost nothing.
./steps cell 0 1800 > out 2> err
check "cells: at most five tunings, not $(tunings cell err)" [ "$(tunings cell err)" -le 5 ]
has "a cell that was not tuned" out 'are not looked at: [0-9]* tuned keys found nothing better than the default'
hasnt "and no limit is reached" err 'values, and each was tuned'
autotune why cell > why
has "cells: why" why 'i, j, k are not looked at: [0-9]* tuned keys found nothing better than the default$'
# Without outputs to compare, as for a tuning: but never in mode locked.
./steps silent 0 12 > out 2> err
check "no outputs: at most four tunings" [ "$(tunings silent err)" -le 4 ]
AUTOTUNE_MODE=locked ./steps silent 12 13 > out 2> err
hasnt "no outputs: nothing in mode locked" err 'compared with the default for this key'
finish
