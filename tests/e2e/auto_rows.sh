# SPDX-License-Identifier: Apache-2.0
# `autotune cc --auto` where pointers lead to rows, `double **a`: each call looks whether rows are apart, and the conditions
# of what was proven. Where they are not, the code runs as written.
. "$(dirname "$0")/cc_lib.sh"
export OMP_NUM_THREADS=2 AUTOTUNE_MODE=first AUTOTUNE_BUDGET=30s

cat > rows.c << 'EOF_C'
// a
// b
// c
// d
// e
void turn(int n, int m, double **x, double **y)
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      y[j][i] = 2 * x[j][i] + 1;
}
void swap(int n, int k, int l, double **a)
{
  for (int i = 0; i < n; i++) {
    double x = a[i][k];
    a[i][k] = a[i][l];
    a[i][l] = x;
  }
}
void decay(int n, int m, double **z)
{
  for (int i = 1; i <= m; i++)
    for (int j = 1; j <= n; j++)
      z[j][i] = z[j][i] * 0.5 + i;
}
EOF_C
cat > main.c << 'EOF_C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void turn(int n, int m, double **x, double **y);
void decay(int n, int m, double **z);
static double **rows(int n, int m, int apart, double *base)
{
  double **x = malloc(n * sizeof *x);
  for (int i = 0; i < n; i++) {
    x[i] = base + i * apart;
    for (int j = 0; j < m; j++)
      x[i][j] = (i * 3 + j) % 7;
  }
  return x;
}
static double sum(int n, int m, double **x)
{
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      s += x[i][j] * ((i + 2 * j) % 13);
  return s;
}
int main(int argc, char **argv)
{
  if (argc < 2)
    return 1;
  int n = 700, m = n, times = 2000; // until both are hot
  double *base = calloc(4 * n * n, sizeof *base);
  // apart; the rows of y are those of x, shifted; rows that overlap; backwards, and one-based without a first row
  double **x = rows(n, m, n, base), **y = rows(n, m, n, base + 2 * n * n), **z;
  z = strcmp(argv[1], "backwards") ? y : rows(n, m, -n, base + 2 * n * n);
  for (int t = 0; t < times; t++) {
    turn(n, m, x, y);
    decay(n - 1, m - 1, z);
  }
  if (!strcmp(argv[1], "shifted")) {
    y = rows(n - 1, m, n, base + n - 1);
    turn(n - 1, m, x, y);
  } else if (!strcmp(argv[1], "overlap")) {
    z = rows(n, m, 1, base);
    decay(n - 1, m - 1, z);
  } else if (!strcmp(argv[1], "one-based")) {
    z[0] = (double *)8;
    decay(n - 1, m - 1, z);
    decay(0, m - 1, NULL);
    z[0] = z[1];
  }
  printf("%.17g %.17g\n", sum(n - 1, m, x), sum(n - 1, m - 1, z));
  return 0;
}
EOF_C
gcc -O1 main.c rows.c -o plain
check "builds" env AUTOTUNE_LOG=info autotune cc --auto gcc -O1 -Wall -Wextra -Werror -c rows.c 2> log
has "kernels, one with a conditional section" log "once they are hot: 'turn', 'swap', 'decay'"
hasnt "the compiler takes them" log warning
check "links" autotune cc gcc -O1 main.c rows.o -o tuned
for way in apart shifted overlap backwards one-based; do
  expected=$(./plain $way)
  is "$way: answer" "$(AUTOTUNE_CACHE=$work/cache AUTOTUNE_LOG=info ./tuned $way 2> $way.log)" "$expected"
done
has "a winner" apart.log 'turn: tuned:'
has "a winner with one array" apart.log 'decay: tuned:'
has "the winner interchanges" <(AUTOTUNE_CACHE=$work/cache autotune report --kernel turn) 'winner .*(2,1)'
has "and so does the other one" <(AUTOTUNE_CACHE=$work/cache autotune report --kernel decay) 'winner .*(2,1)'

# Below the author's `parallel for` on columns the threads may share rows.
cat > adjust.c << 'EOF_C'
#include <stdio.h>
#include <stdlib.h>
//
//
//
void adjust(const float *delta, int m, const float *by, int n, float **w, float **old)
{
  int j, k;
  float d;
#pragma omp parallel for private(j, k, d)
  for (j = 1; j <= m; j++)
    for (k = 0; k <= n; k++) {
      d = delta[j] * by[k] + 0.5f * old[k][j];
      w[k][j] += d;
      old[k][j] = d;
    }
}
int main(void)
{
  enum { N = 40000, M = 16 };
  float **w = malloc((N + 1) * sizeof *w), **old = malloc((N + 1) * sizeof *w), delta[M + 1], *by = malloc((N + 1) * sizeof *by);
  double s = 0;
  for (int k = 0; k <= N; k++)
    w[k] = calloc(M + 1, sizeof **w), by[k] = k % 5;
  for (int k = 0; k <= N; k++)
    old[k] = calloc(M + 1, sizeof **w);
  for (int t = 0; t < 600; t++) {
    for (int j = 0; j <= M; j++)
      delta[j] = (j + t) % 3;
    adjust(delta, M, by, N, w, old);
  }
  for (int k = 0; k <= N; k++)
    for (int j = 0; j <= M; j++)
      s += w[k][j] * (k % 7) + old[k][j] * j;
  printf("%.17g\n", s);
  return 0;
}
EOF_C
gcc -O2 -fopenmp adjust.c -o plain
check "adjust: builds" autotune cc --auto gcc -O2 -fopenmp adjust.c -o tuned
is "adjust: answer while it is tuned" "$(AUTOTUNE_CACHE=$work/cache AUTOTUNE_LOG=info ./tuned 2> adjust.log)" "$(./plain)"
is "adjust: tuned answer" "$(AUTOTUNE_CACHE=$work/cache ./tuned 2> /dev/null)" "$(./plain)"
has "adjust: the winner shares rows" <(AUTOTUNE_CACHE=$work/cache autotune report) 'winner .*interchange@[0-9.]*=yes'

# Rows by variables: an elimination by columns, as in SUNDIALS.
cat > lu.c << 'EOF_C'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
//
//
long factor(double **a, long m, long n, long *p)
{
  long i, j, k, l;
  double *col_j, *col_k, temp, mult, a_kj;
  for (k = 0; k < n; k++) {
    col_k = a[k];
    l = k;
    for (i = k + 1; i < m; i++)
      if (fabs(col_k[i]) > fabs(col_k[l]))
        l = i;
    p[k] = l;
    if (col_k[l] == 0)
      return k + 1;
    for (i = 0; i < n; i++) {
      temp = a[i][l];
      a[i][l] = a[i][k];
      a[i][k] = temp;
    }
    mult = 1 / col_k[k];
    for (i = k + 1; i < m; i++)
      col_k[i] *= mult;
    for (j = k + 1; j < n; j++) {
      col_j = a[j];
      a_kj = col_j[k];
      if (a_kj != 0)
        for (i = k + 1; i < m; i++)
          col_j[i] -= a_kj * col_k[i];
    }
  }
  return 0;
}
int main(void)
{
  enum { N = 400 };
  double *base = malloc(N * N * sizeof *base), *a[N], s = 0;
  long p[N], sum = 0;
  for (int t = 0; t < 26; t++) {
    for (int j = 0; j < N; j++)
      a[j] = base + j * N;
    for (int i = 0; i < N * N; i++)
      base[i] = ((i * 7919ll + t * 31ll + (i % 523) * (i % 541)) % 1048573) / 1048573.0 + (i % (N + 1) == 0) * 40;
    if (t % 13 == 12)
      a[N - 1] = a[N / 2]; // the same column twice: nothing may run out of order
    factor(a, N, N, p);
    for (int i = 0; i < N * N; i++)
      s += base[i] * (i % 17);
    for (int i = 0; i < N; i++)
      sum += p[i] * i;
  }
  printf("%.6g %ld\n", s, sum);
  return 0;
}
EOF_C
gcc -O2 lu.c -o plain -lm
export AUTOTUNE_BUDGET=0.5s
check "lu: builds" env AUTOTUNE_LOG=info autotune cc --auto gcc -O2 lu.c -o tuned -lm 2> log
has "lu: its update" log "the loop in line 27 of 'factor'"
has "lu: threads" <(strings tuned) 'omp parallel num_threads(THREADS)'
is "lu: answer while it is tuned" "$(AUTOTUNE_CACHE=$work/lu.cache ./tuned 2> /dev/null)" "$(./plain)"
is "lu: tuned answer" "$(AUTOTUNE_CACHE=$work/lu.cache ./tuned 2> /dev/null)" "$(./plain)"

# The clause of conditions, by hand: such calls are neither tuned nor changed.
for file in if.c if.cpp; do
  cat > $file << 'EOF_C'
#include <stdio.h>
#ifndef STEP
#define STEP 1
#endif
#pragma autotune kernel param(STEP: 1, 2) if(n > 100) if(n % 2 == 0) out(x[0:n])
void fill(int n, double *x)
{
  for (int i = 0; i < n; i += STEP)
    for (int j = i; j < i + STEP && j < n; j++)
      x[j] = j;
}
int main(void)
{
  static double x[1000];
  fill(50, x);
  fill(501, x);
  fill(500, x);
  printf("%g\n", x[499]);
  return 0;
}
EOF_C
  cc=gcc
  [ $file = if.c ] || cc=g++
  check "$file: builds" autotune cc $cc -Wall -Wextra -Werror -O1 $file -o ifs
  is "$file: answer" "$(AUTOTUNE_CACHE=$work/$file.cache AUTOTUNE_LOG=info ./ifs 2> log)" 499
  has "$file: tuned" log 'fill: tuned:'
  is "$file: for one call" "$(AUTOTUNE_CACHE=$work/$file.cache autotune report | grep '^  for ' | grep -o 'n = [0-9]*')" "n = 500"
  has "$file: check" <(autotune check $file) '    n % 2 == 0'
done
finish
