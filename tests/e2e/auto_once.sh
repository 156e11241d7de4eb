# SPDX-License-Identifier: Apache-2.0
# `autotune cc --auto`: a program that calls its hot kernel once. The first run finds that it is hot, the second tunes it,
# though the call has begun before anything is known of it in this run, and the third runs the winner in its only call.
. "$(dirname "$0")/cc_lib.sh"
unset AUTOTUNE_MODE
export AUTOTUNE_CACHE=$work/cache AUTOTUNE_LOG=info OMP_NUM_THREADS=1 AUTOTUNE_AFTER=300s AUTOTUNE_BUDGET=10s

# Naive order: the inner loop goes down columns. Almost each variant is several times as fast, on any processor.
cat > once.c << 'EOF_C'
#include <stdio.h>
#include <stdlib.h>
void product(int n, const double *restrict a, const double *restrict b, double *restrict c)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 100;
  size_t size = (size_t)n * n;
  double *a = malloc(sizeof *a * size), *b = malloc(sizeof *b * size), *c = calloc(size, sizeof *c), sum = 0;
  for (size_t i = 0; i < size; i++) {
    a[i] = i % 13;
    b[i] = i % 7;
  }
  product(n, a, b, c);
  for (size_t i = 0; i < size; i++)
    sum += c[i];
  printf("%.17g\n", sum);
  return 0;
}
EOF_C
check "builds" autotune cc --auto gcc -O2 once.c -o once

# A product that takes 1 s.
for n in 400 560 800 1000 1200 1400; do
  start=$(date +%s%N)
  AUTOTUNE_MODE=off ./once $n > expected
  took=$((($(date +%s%N) - start) / 1000000))
  [ $took -lt 1000 ] || break
done
echo "n = $n takes $took ms"

check "first run" ./once $n > first.out 2> first.log
has "first: hot" first.log 'product: hot:'
same "first: answer" first.out expected
hasnt "first: nothing is tuned" first.log 'product: tuned'

# Another program with the same kernel of the same file need not be hot in it.
cp once other
check "another program" env AUTOTUNE_LOG=debug ./other $n > other.out 2> other.log
same "another program: answer" other.out expected
hasnt "another program: its first run tunes nothing" other.log 'a tuning begins'

check "second run" ./once $n > second.out 2> second.log
same "second: answer" second.out expected
check "it can be awaited" autotune report --follow > follow.log
has "tuned afterwards" follow.log 'tuned: '
grep -q 'tuned: ' follow.log || cat first.log second.log follow.log

check "third run" ./once $n > third.out 2> third.log
same "third: answer" third.out expected
autotune why product > why.out
has "the third run used it" why.out "n = $n .*found"

# A program whose threads keep all processors busy, and that is too short for 5 % of one run to pay for a tuning: it is
# tuned even so, from the second run on, when its end is near.
sed 's/^  for (int j/#pragma omp parallel for num_threads(64)\n&/' once.c > short.c
check "builds" autotune cc --auto gcc -O2 -fopenmp short.c -o short
export AUTOTUNE_CACHE=$work/short_cache OMP_NUM_THREADS=64
for n in 400 560 700 800 900 1000 1400 2000 2800; do
  start=$(date +%s%N)
  AUTOTUNE_MODE=off ./short $n > expected
  [ $((($(date +%s%N) - start) / 1000000)) -lt 300 ] || break
done
for try in 1 2 3 4 5 6; do
  check "short run" env AUTOTUNE_LOG=debug ./short $n > short.out 2> short.log
  same "short: answer" short.out expected
  cat short.log >> shorts.log
  ! grep -q 'product.*: a tuning begins' short.log || break
done
grep -q 'a tuning begins' shorts.log || cat shorts.log
has "short: a tuning begins" shorts.log 'product.*: a tuning begins'
finish
