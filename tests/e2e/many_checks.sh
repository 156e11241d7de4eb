# SPDX-License-Identifier: Apache-2.0
# Checks of many winners in a short program: each run pays for few, and the runs check all of them.
. "$(dirname "$0")/cc_lib.sh"
unset AUTOTUNE_MODE
export AUTOTUNE_CACHE=$work/cache AUTOTUNE_SEARCH=exhaustive

cat > net.c << 'EOF_C'
#include <stdlib.h>
#include <string.h>
#include <time.h>
static int negative(double x, int steps)
{
  volatile int unknown = steps;
  steps = unknown;
  for (x *= x; steps > 0; steps--)
    x = 1 / (1 + x);
  return x < 0;
}
#pragma autotune kernel param(FAST = 0: 0, 1) key(layer) in(x[0:200]) out(y[0:200])
void gemm(int layer, const double *x, double *y)
{
  for (int i = 0; i < 200; i++)
    y[i] = negative(x[i], FAST ? 1 : 60) ? 0 : x[i] * 0.5 + layer;
}
int main(int argc, char **argv)
{
  static double x[200], y[200];
  double seconds = argc > 1 ? atof(argv[1]) : 0;
  struct timespec now, begin;
  for (int i = 0; i < 200; i++)
    x[i] = i % 7;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    for (int layer = 0; layer < 12; layer++)
      gemm(layer, x, y);
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (now.tv_sec - begin.tv_sec + 1e-9 * (now.tv_nsec - begin.tv_nsec) < seconds);
  return argc == 0;
}
EOF_C
check "builds" autotune cc gcc -O1 net.c -o net
AUTOTUNE_REVERIFY=off ./net 2> tune.log
checks() { grep -c 'gemm: checked again on call' "$1"; }
# Runs of 0.4 s pay for six checks of 16 ms. Where processes begin slowly, checks take longer, and so do the runs.
cp -r "$AUTOTUNE_CACHE" apart
AUTOTUNE_CACHE=$PWD/apart AUTOTUNE_LOG=debug ./net 3 2> apart.log
seconds=$(sed -n 's/.*checked again on call .*it took \([0-9.]*\) ms.*/\1/p' apart.log | sort -n | tail -1 |
  awk '{ s = $1 * 0.06 } END { print (s > 0.4 ? s : 0.4) }')
all=0
for run in $(seq 12); do
  AUTOTUNE_LOG=debug ./net "$seconds" 2> "$run.log"
  all=$((all + $(checks "$run.log")))
done
taken() { sed -n 's/.*of \([0-9.e+-]*\) s in all runs, tunings and checks took .* checks used \([0-9.e+-]*\) s.*/\2 \1/p' "$1"; }
read -r took time <<< "$(taken 12.log)"
echo "$all checks in 12 runs took $took s of $time s; in the runs: $(for run in $(seq 12); do checks "$run.log"; done | xargs)"
check "most runs check one" [ "$all" -ge 6 ]
check "no run checks all twelve" [ "$(for run in $(seq 12); do checks "$run.log"; done | sort -n | tail -1)" -le 6 ]
check "what they take" awk -v took="$took" -v time="$time" 'BEGIN { exit !(took <= 0.05 + 0.01 * time + 0.05) }'
# A winner that was never checked comes before those that were.
is "each check is of another winner" "$(cat [0-9]*.log | grep -c 'check 1 of this winner')" "$((all < 12 ? all : 12))"
finish
