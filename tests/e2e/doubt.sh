# SPDX-License-Identifier: Apache-2.0
# A key whose first call has nothing to do: times of nothing decide nothing. Later calls that do real work are tuned
# on, in the same process and in the next one, in all modes that tune. Where all calls are empty, nothing is tuned again.
. "$(dirname "$0")/cc_lib.sh"
unset AUTOTUNE_MODE
export AUTOTUNE_CACHE=$work/cache AUTOTUNE_REVERIFY=off AUTOTUNE_LOG=info
cat > empty.c << 'END'
#include <stdio.h>
#include <stdlib.h>
#define WAY 0
/* The key does not say how much there is to do. */
#pragma autotune kernel param(WAY: 1, 2) key(kind) in(x[0:n]) out(y[0:n]) search(exhaustive, budget: 10s)
static void work(int kind, int n, const double *x, double *y)
{
  int turns = WAY == 2 ? 1 : 20, step = WAY == 1 ? 0 : WAY == 2 ? 200 : 400;
  volatile unsigned long long kept = 1;
  unsigned long long h = kept; /* each turn waits for the one before, 5 cycles on all processors */
  for (; step > 0; step--) /* the way that is slow with nothing to do */
    h = (h ^ h >> 29) * 0x9E3779B97F4A7C15u;
  for (int i = 0; i < n; i++) {
    y[i] = 2 * x[i] + kind;
    for (int t = turns; t > 1; t--)
      h = (h ^ h >> 29) * 0x9E3779B97F4A7C15u;
  }
  kept = h;
}
int main(int argc, char **argv)
{
  enum { N = 4000 };
  static double x[N], y[N];
  int empty = atoi(argv[1]), full = atoi(argv[2]), wrong = 0;
  for (int i = 0; i < N; i++)
    x[i] = i;
  for (int call = 0; call < empty + full; call++) {
    work(argc > 9, call < empty ? 0 : N, x, y);
    for (int i = 0; i < N && call >= empty; i++)
      wrong += y[i] != 2 * x[i];
  }
  printf("%d wrong\n", wrong);
  return 0;
}
END
check "compiles" autotune cc gcc -O1 empty.c -o empty

run() { # WHAT EMPTY FULL
  timeout 120 ./empty "$2" "$3" > out 2> log; is "$1: status" $? 0
  is "$1: answer" "$(cat out)" "0 wrong"
  autotune report > report
}
for mode in first background; do
  export AUTOTUNE_MODE=$mode AUTOTUNE_CACHE=$work/$mode
  [ $mode = first ] && full=100 || full=60000
  run "$mode: empty calls" 3000 0
  [ $mode = first ] && has "$mode: empty calls: $(cat report)" report 'winner  *WAY=1$'
  hasnt "$mode: empty calls: $(cat log)" log 'tuned again'
  run "$mode: later calls work, a known key" 1 $full
  has "$mode: a known key: $(cat log)" log 'calls take far longer than the .* µs of the one that it was decided on: it is tuned again'
  [ $mode = first ] && has "$mode: a known key: $(cat report)" report 'winner  *WAY=2$'
  rm -rf "$AUTOTUNE_CACHE"
  run "$mode: later calls work" 1 $full
  is "$mode: tuned again, once: $(cat log)" "$(grep -c 'tuned again' log)" 1
  has "$mode: the real work is kept: $(cat report)" report 'winner  *WAY=2$'
  has "$mode: its time: $(cat report)" report '^  default  *[0-9.]* [^ n]*s '
  run "$mode: the next process" 1 100
  hasnt "$mode: the next process: $(cat log)" log 'tuned again'
done

# Empty calls between the others: it is tuned on one that works.
export AUTOTUNE_MODE=first AUTOTUNE_CACHE=$work/mixed
sed -i 's/call < empty ? 0 : N, x, y/call % 2 == 0 ? 0 : N, x, y/; s/call >= empty; i++/call % 2; i++/' empty.c
check "mixed: compiles" autotune cc gcc -O1 empty.c -o empty
run "mixed" 1 300
has "mixed: the real work is kept: $(cat report)" report 'winner  *WAY=2$'
finish
