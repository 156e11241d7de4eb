# SPDX-License-Identifier: Apache-2.0
# The first call of a key waits for a part of the default budget. The search goes on in the background, in a small part of
# the kernel's time: in the same process, and in later ones that begin with the stored winner.
. "$(dirname "$0")/cc_lib.sh"
unset AUTOTUNE_MODE AUTOTUNE_BUDGET
export AUTOTUNE_CACHE=$work/cache AUTOTUNE_REVERIFY=off AUTOTUNE_LOG=debug

cat > rest.c << 'END'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#define WAY 0
/* WAY 0 takes longest, and the last one least. The processor is idle meanwhile. */
#pragma autotune kernel param(WAY: 0..179) in(x[0:n]) out(y[0:n]) search(exhaustive)
void work(int n, const double *x, double *y)
{
  for (int i = 0; i < n; i++)
    y[i] = x[i] * 2;
  usleep(40000 - 200 * WAY);
}
static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
int main(int argc, char **argv)
{
  double x[50], y[50], wrong = 0, begun = now();
  for (int i = 0; i < 50; i++)
    x[i] = i;
  for (int call = 0; call == 0 || now() - begun < atoi(argv[1]); call++) {
    double before = now();
    work(50, x, y);
    if (call == 0)
      printf("first %.0f ms\n", 1e3 * (now() - before));
    for (int i = 0; i < 50; i++)
      wrong += y[i] != 2 * x[i];
  }
  printf("%g wrong\n", wrong);
  return 0;
}
END
check "compiles" autotune cc gcc -O1 rest.c -o rest
timeout 60 ./rest 0 > out 2> log; is "first: status" $? 0
has "first: answer" out '^0 wrong'
has "first: not all of it: $(cat log)" log 'work: .*s of search are left for when the program runs longer'
hasnt "first: nothing goes on" log 'the search goes on'
autotune report --no-pager > first.report

timeout 120 ./rest 45 > out 2> log; is "second: status" $? 0
has "second: answer" out '^0 wrong'
is "second: no call waits for a tuning" "$(awk '/^first/ { print ($2 < 1500) }' out)" 1
has "second: it goes on: $(tail -5 log)" log 'work: the search goes on in the background, in 5 % of the kernel.s time'
has "second: more is tried" log 'work: [0-9.e-]* s (.*samples)'
autotune report --no-pager > second.report
is "second: what was found stays, or becomes better" "$(awk '/speed-up/ { print $2 }' first.report second.report | xargs | awk '{ print ($2 >= 0.8 * $1) }')" 1

AUTOTUNE_BUDGET=10s AUTOTUNE_CACHE=$work/other timeout 60 ./rest 0 > out 2> log
hasnt "a budget of its own is spent at once" log 'are left for when'
finish
