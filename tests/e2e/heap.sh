# SPDX-License-Identifier: Apache-2.0
# Kernels with OpenMP and without sections, whose output is on the heap: right variants are verified, wrong ones never
# win, and `--auto` runs no variant whose output was not compared.
. "$(dirname "$0")/cc_lib.sh"
export OMP_NUM_THREADS=2 AUTOTUNE_MODE=first AUTOTUNE_BUDGET=60s

tunes() { # PROGRAM EXPECTED: into PROGRAM.log and PROGRAM.report; sets `kernel` to its kernel's name
  is "$1: answer while it is tuned" "$(AUTOTUNE_CACHE=$work/$1.cache AUTOTUNE_LOG=debug "./$1" 2> "$1.log")" "$2"
  is "$1: answer later" "$(AUTOTUNE_CACHE=$work/$1.cache "./$1" 2> /dev/null)" "$2"
  kernel=$(sed -n "s/^autotune: info: \\($1[_0-9a-f]*\\): .*/\\1/p" "$1.log" | head -1)
  AUTOTUNE_CACHE=$work/$1.cache autotune report --kernel "$kernel" > "$1.report"
}
verified() { # PROGRAM
  has "$1: verified" "$1.report" 'answers  *verified against those of the default'
  has "$1: all memory" "$1.report" 'all memory that the default changes'
  hasnt "$1: nothing is left out" "$1.report" 'not *compared:'
  hasnt "$1: not unverified" "$1.log" unverified
}

# Rows of pointers; the program's blocks lie between those of the runtime, which it allocates from the same heap.
cat > rows.c << 'EOF'
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <omp.h>
#pragma autotune kernel key(n, m)
void rows(int n, int m, float **y, float **x, int *count)
{
#pragma autotune parallel for num_threads({1, 2})
  for (int i = 0; i < n; i++)
    for (int j = 1; j < m; j++) {
      assert(y[i] != x[i]); // a function of the C library, but one that allocates nothing the kernel could see
      y[i][j] = sqrtf(x[i][j] + x[i][j - 1]);
      count[i] += y[i][j] > 1;
    }
}
int main(void)
{
  int n = 400, m = 500, *count = calloc(n, sizeof *count);
  float **x = malloc(n * sizeof *x), **y = malloc(n * sizeof *y);
  double sum = 0;
#pragma omp parallel
  sum += 0 * omp_get_thread_num();
  for (int i = 0; i < n; i++) {
    x[i] = malloc(m * sizeof **x);
    y[i] = calloc(m, sizeof **y);
    free(malloc(i));
    for (int j = 0; j < m; j++)
      x[i][j] = (i * 7 + j * 3) % 31 * 0.125f;
  }
  for (int t = 0; t < 5; t++)
    rows(n, m, y, x, count);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      sum += (int)(y[i][j] * 100) + count[i] % 5;
  printf("%g\n", sum);
  return 0;
}
EOF
gcc -O2 -fopenmp -Wno-unknown-pragmas rows.c -lm -o plain
expected=$(./plain)
check "rows" autotune cc gcc -O2 -fopenmp rows.c -lm -o rows
tunes rows "$expected"
verified rows
is "rows: both are right" "$(grep -c 'rows: [0-9.e-]* s .*num_threads' rows.log)" 2

# Iterations depend on each other: two threads give another answer each time, since chunks of one alternate with those of
# the other. The author has said that they do not.
cat > chain.c << 'EOF'
#include <stdio.h>
#include <stdlib.h>
#pragma autotune kernel key(n)
void chain(int n, const int *to, double *y)
{
#pragma autotune parallel for num_threads({1, 2}) schedule(static, 16)
  for (int i = 1; i < n; i++)
    y[to[i]] = 0.75 * y[to[i - 1]] + i;
}
int main(void)
{
  int n = 100003, *to = malloc(n * sizeof *to);
  double *y = calloc(n, sizeof *y), sum = 0;
  for (int i = 0; i < n; i++)
    to[i] = i * 7l % n;
  for (int t = 0; t < 5; t++) {
    y[0] = t;
    chain(n, to, y);
    for (int i = 0; i < n; i++)
      sum += y[i] / (1 + i % 7 + t);
    for (int i = 0; i < n; i++)
      y[i] = 0;
  }
  printf("%.9g\n", sum);
  return 0;
}
EOF
gcc -O2 chain.c -o plain
expected=$(./plain)
check "chain" autotune cc gcc -O2 -fopenmp chain.c -o chain
tunes chain "$expected"
has "chain: two threads are wrong" chain.log 'chain: wrong: memory that no section names differs: .*num_threads.*=2'
verified chain

# A scatter with the author's OpenMP, by --auto; whole numbers as well, which look like floats.
cat > scatter.c << 'EOF'
#include <stdio.h>
#include <stdlib.h>
void scatter(int n, const int *to, const float *restrict x, float *restrict y, int *restrict id)
{
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float s = 0;
    for (int k = 0; k < 16; k++)
      s += x[(i + k) % n] * (k + 1);
    y[to[i]] = s;
    id[to[i]] = 1000000000 + i;
  }
}
int main(void)
{
  int n = 50021, *to = malloc(n * sizeof *to), *id = malloc(n * sizeof *id);
  float *x = malloc(n * sizeof *x), *y = calloc(n, sizeof *y);
  double sum = 0;
  for (int i = 0; i < n; i++)
    to[i] = i * 11l % n;
  for (int t = 0; t < 1500; t++) {
    for (int i = 0; i < n; i++) {
      x[i] = (i + t) % 17 * 0.25f;
      id[i] = 0;
    }
    scatter(n, to, x, y, id);
    sum += y[t % n] + id[t % n] / 1024;
  }
  printf("%.9g\n", sum);
  return 0;
}
EOF
gcc -O2 -fopenmp scatter.c -o plain
expected=$(./plain)
check "scatter" autotune cc --auto gcc -O2 -fopenmp scatter.c -o scatter
tunes scatter "$expected"
has "scatter: hot" scatter.log 'scatter_[0-9a-f]*: hot:'
verified scatter
has "scatter: right variants" scatter.report 'variants .* right'

# One thread, and no memory for the stack of another: no thread is started for the comparison that the program does not have.
sed 's/rows(int/alone(int/; s/  rows(/  alone(/; s/ num_threads({1, 2})/ schedule({static, dynamic})/' rows.c > alone.c
gcc -O2 -fopenmp -Wno-unknown-pragmas alone.c -lm -o plain
expected=$(OMP_NUM_THREADS=1 ./plain)
check "alone" autotune cc gcc -O2 -fopenmp alone.c -lm -o alone
OMP_NUM_THREADS=1 OMP_STACKSIZE=100000G tunes alone "$expected"
verified alone

# Each call writes what was there before: nothing shows whether a variant is right.
cat > same.c << 'EOF'
#include <stdio.h>
#include <stdlib.h>
void same(int n, const int *to, const double *x, double *y)
{
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int k = 0; k < 16; k++)
      s += x[(i + k) % n];
    y[to[i]] = s;
  }
}
int main(void)
{
  int n = 50021, *to = malloc(n * sizeof *to);
  double *x = malloc(n * sizeof *x), *y = calloc(n, sizeof *y), sum = 0;
  for (int i = 0; i < n; i++) {
    to[i] = i * 11l % n;
    x[i] = i % 17;
  }
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 16; k++)
      y[to[i]] += x[(i + k) % n];
  for (int t = 0; t < 1500; t++)
    same(n, to, x, y);
  for (int i = 0; i < n; i++)
    sum += y[i] * (i % 3);
  printf("%.17g\n", sum);
  return 0;
}
EOF
gcc -O2 -fopenmp same.c -o plain
expected=$(./plain)
check "same" autotune cc --auto gcc -O2 -fopenmp same.c -o same
tunes same "$expected"
why='default: what it changes cannot all be compared, and --auto runs no variant unchecked'
is "same: said once" "$(grep -c "$kernel: $why" same.log)" 1
hasnt "same: not tuned" same.log ': tuned:'
AUTOTUNE_CACHE=$work/same.cache autotune why "$kernel" > same.why
has "same: why" same.why "the $why"
has "same: report" same.report 'the default stays: what it changes cannot all be compared'
AUTOTUNE_CACHE=$work/same.cache AUTOTUNE_LOG=debug ./same > again.out 2> again.log
is "same: the next run's answer" "$(cat again.out)" "$expected"
hasnt "same: the next run does not try again" again.log 'a tuning begins'
AUTOTUNE_CACHE=$work/same.cache autotune why "$kernel" > same.why
has "same: why, after it" same.why "the $why"

# By hand it is tuned, with a warning, as ever.
sed 's/same(int/hand(int/; s/^void hand/#pragma autotune kernel key(n) flags("", "-O3")\n&/; s/same(n/hand(n/' same.c > hand.c
check "hand" autotune cc gcc -O2 -fopenmp hand.c -o hand
tunes hand "$expected"
has "hand: unverified" hand.report 'unverified: there were no outputs to compare'
finish
