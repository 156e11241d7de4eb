# SPDX-License-Identifier: Apache-2.0
# A winner beside the default in the program's own calls: only the process that has tuned compares them, and only once
# the program has run long enough for what a pair costs.
. "$(dirname "$0")/cc_lib.sh"
unset AUTOTUNE_MODE
export AUTOTUNE_CACHE=$work/cache AUTOTUNE_REVERIFY=off
cat > calls.c << 'END'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#define TURNS 40
#pragma autotune kernel param(TURNS: 40, 10) in(x[0:n]) out(y[0:n]) search(exhaustive, budget: 20s)
static void work(int n, const double *x, double *y)
{
  volatile unsigned long long kept = 1;
  unsigned long long h = kept; /* each turn waits for the one before, 5 cycles on all processors */
  for (int i = 0; i < n; i++) {
    for (int t = 0; t < TURNS; t++)
      h = (h ^ h >> 29) * 0x9E3779B97F4A7C15u;
    y[i] = 2 * x[i];
  }
  kept = h;
}
int main(int argc, char **argv)
{
  enum { N = 40000 }; /* about 2 ms and 0.5 ms */
  static double x[N], y[N];
  double least = argc > 1 ? atof(argv[1]) : 0;
  struct timespec began, now;
  int calls = 0, wrong = 0;
  for (int i = 0; i < N; i++)
    x[i] = i;
  work(N, x, y);
  timespec_get(&began, TIME_UTC);
  do {
    work(N, x, y);
    for (int i = 0; i < N; i++)
      wrong += y[i] != 2 * x[i];
    calls++;
    timespec_get(&now, TIME_UTC);
  } while (calls < 4 || now.tv_sec - began.tv_sec < least);
  printf("%d wrong\n", wrong);
  return 0;
}
END
check "compiles" autotune cc gcc -O1 calls.c -o calls

pairs() { # WHAT SECONDS: runs it; sets `pairs`
  timeout 120 ./calls "$2" > out 2> log; is "$1: status: $(cat log)" $? 0
  is "$1: answer" "$(cat out)" "0 wrong"
  autotune report --json > report.json
  pairs=$(node -e 'const r = JSON.parse(require("fs").readFileSync("report.json")); console.log(r.kernels[0].own_calls?.pairs ?? 0)')
}
pairs "few calls" 0
is "few calls: no pair" "$pairs" 0
pairs "a later process" 3
is "a later process: no pair" "$pairs" 0
rm -rf "$AUTOTUNE_CACHE"
pairs "the process that tunes" 4
check "the process that tunes: $pairs pairs" [ "$pairs" -ge 1 ]
check "at most a hundredth of its time: $pairs pairs" [ "$pairs" -le 40 ]
autotune report > report
has "the report says it: $(cat report)" report "x as fast as the default in $pairs pairs\\? of the program's own calls"
finish
