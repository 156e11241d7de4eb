# SPDX-License-Identifier: Apache-2.0
# `autotune cc --auto`: a program that calls its hot kernel once. The first run finds that it is hot, the second tunes it,
# though the call has begun before anything is known of it in this run, and the third runs the winner in its only call.
. "$(dirname "$0")/cc_lib.sh"
unset AUTOTUNE_MODE
export AUTOTUNE_CACHE=$work/cache AUTOTUNE_LOG=info OMP_NUM_THREADS=1 AUTOTUNE_AFTER=300s AUTOTUNE_BUDGET=10s

# Naive order: the inner loop goes down columns.
cat > once.c << 'EOF_C'
#include <stdio.h>
#include <stdlib.h>
void sums(int n, int m, const double *restrict a, double *restrict y)
{
  for (int j = 0; j < n; j++)
    for (int t = 0; t < m; t++)
      for (int i = 0; i < n; i++)
        y[j * n + i] += a[i * n + j] * t;
}
int main(int argc, char **argv)
{
  int n = 700, m = argc > 1 ? atoi(argv[1]) : 4;
  double *a = malloc(sizeof *a * n * n), *y = calloc((size_t)n * n, sizeof *y), sum = 0;
  for (int i = 0; i < n * n; i++)
    a[i] = i % 13;
  sums(n, m, a, y);
  for (int i = 0; i < n * n; i++)
    sum += y[i];
  printf("%.17g\n", sum);
  return 0;
}
EOF_C
check "builds" autotune cc --auto gcc -O2 once.c -o once

# As many rounds as take 1.5 s.
turns=100
for try in 1 2 3 4 5 6; do
  start=$(date +%s%N)
  AUTOTUNE_MODE=off ./once $turns > expected
  took=$((($(date +%s%N) - start) / 1000000))
  [ $took -lt 1500 ] || break
  turns=$((turns * 1500 / (took + 1) * 5 / 4 + 1))
done
echo "$turns rounds take $took ms"

check "first run" ./once $turns > first.out 2> first.log
has "first: hot" first.log 'sums: hot:'
same "first: answer" first.out expected
hasnt "first: nothing is tuned" first.log 'sums: tuned'

check "second run" ./once $turns > second.out 2> second.log
same "second: answer" second.out expected
check "it can be awaited" autotune report --follow > follow.log
has "tuned afterwards" follow.log 'tuned: '
grep -q 'tuned: ' follow.log || cat first.log second.log follow.log

check "third run" ./once $turns > third.out 2> third.log
same "third: answer" third.out expected
autotune why sums > why.out
has "the third run used it" why.out "n = 700, m = $turns .*found"
finish
